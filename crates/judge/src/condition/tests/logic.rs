//! Truth tables, and values of another type.

use super::*;

#[test]
fn conditions_of_the_corpus_come_to_what_happened() {
    commands().hold(&[
        ("STEP.2.exitCode === 0", 'T'),
        ("STEP.1.exitCode === 0", 'F'),
        ("STEP.1.exitCode === 0 || STEP.1.exitCode === 2", 'T'),
        ("STEP.1.exitCode !== 0", 'T'),
        ("STEP['2'].success === true && STEP['2'].exitCode === 0", 'T'),
        ("STEP[2].success", 'T'),
        ("STEP.1.failed === true", 'T'),
        ("STEP.1.errorCount === 0", 'F'),
        ("STEP.1.warningCount === 2", 'T'),
        ("STEP.2.errorCount === 0", 'T'),
        ("STEP.1.outcome === 'VALIDATION_FAILURE'", 'T'),
        ("STEP.1.duration === 2000", 'T'),
        ("STEP.1.duration < 2000", 'F'),
        ("STEP.1.skipped", 'F'),
        ("STEP.5.stdout.includes('v20')", 'T'),
        ("stdout.includes('v18')", 'F'),
        ("exitCode === 0", 'T'),
        ("STEP.1", 'T'),
        ("!STEP.1.success", 'T'),
    ]);
}

#[test]
fn what_is_not_there_is_unknown_and_what_was_left_out_is_not_judged() {
    commands().hold(&[
        ("STEP.3.exitCode === 0", 'U'),
        ("STEP.3.exitCode !== 0", 'U'),
        ("STEP.3.success", 'U'),
        ("!STEP.3.success", 'U'),
        ("STEP.3", 'U'),
        ("STEP.3.skipped", 'T'),
        ("STEP.3.skipped === false", 'F'),
        ("STEP.9.exitCode === 0", 'U'),
        ("STEP.9.skipped", 'U'),
        ("STEP.1.body", 'U'),
        ("STEP.1.exitCode.length", 'U'),
        ("STEP.1.exitCode === undefined", 'F'),
        ("STEP.1.exitCode !== undefined", 'T'),
        ("STEP.3.exitCode === undefined", 'U'),
        ("STEP.3.exitCode !== undefined", 'U'),
        ("STEP.4.exitCode === 0", 'N'),
        ("STEP.4.skipped", 'N'),
        ("STEP.4", 'N'),
        ("STEP.4.exitCode === STEP.3.exitCode", 'U'),
        ("STEP.4.exitCode === 0 || STEP.2.success", 'T'),
        ("STEP.4.exitCode === 0 && STEP.1.success", 'F'),
        ("STEP.4.exitCode === 0 && STEP.2.success", 'N'),
    ]);
}

/// Conditions with each of the four results.
const OF_EACH: [(Truth, &str); 4] = [
    (Truth::True, "STEP.2.success"),
    (Truth::False, "STEP.1.success"),
    (Truth::Unknown, "STEP.3.success"),
    (Truth::NotJudged, "STEP.4.success"),
];

#[test]
fn logic_follows_the_table() {
    use Truth::{False as F, NotJudged as N, True as T, Unknown as U};
    let world = commands();
    let and = [[T, F, U, N], [F, F, F, F], [U, F, U, N], [N, F, N, N]];
    let or = [[T, T, T, T], [T, F, U, N], [T, U, U, N], [T, N, N, N]];
    for (row, (_, left)) in OF_EACH.iter().enumerate() {
        for (column, (_, right)) in OF_EACH.iter().enumerate() {
            let both = format!("{left} && {right}");
            assert_eq!(world.evaluate(&both).truth, and[row][column], "{both}");
            let either = format!("{left} || {right}");
            assert_eq!(world.evaluate(&either).truth, or[row][column], "{either}");
        }
    }
    for ((_, text), negated) in OF_EACH.iter().zip([F, T, U, N]) {
        assert_eq!(world.evaluate(&format!("!{text}")).truth, negated, "{text}");
    }
}

#[test]
fn no_value_is_taken_for_one_of_another_type() {
    let world = Fixture::new().answered(
        "STEP.1",
        200,
        r#"{"id":1,"name":"a","n":null,"no":false,"items":[1,"b",null,{"x":[]}],"o":{}}"#,
    );
    world.hold(&[
        ("STEP.1.body.id === 1", 'T'),
        ("STEP.1.body.includes('\"id\"')", 'T'),
        ("STEP.1.body.includes('no such text')", 'F'),
        ("STEP.1.body.id === '1'", 'F'),
        ("STEP.1.body.id !== '1'", 'T'),
        ("STEP.1.body.id == '1'", 'F'),
        ("STEP.1.body.id < '2'", 'U'),
        ("STEP.1.body.id >= true", 'U'),
        ("STEP.1.body.name < 'b'", 'T'),
        ("STEP.1.body.name > 'B'", 'T'),
        ("STEP.1.body.n === null", 'T'),
        ("STEP.1.body.n === undefined", 'F'),
        ("STEP.1.body.n", 'F'),
        ("STEP.1.body.no === false", 'T'),
        ("STEP.1.body.no === 0", 'F'),
        ("STEP.1.body.o", 'T'),
        ("STEP.1.body.o === null", 'F'),
        ("STEP.1.body.o === STEP.1.body.o", 'U'),
        ("STEP.1.body.items.length === 4", 'T'),
        ("STEP.1.body.items[1] === 'b'", 'T'),
        ("STEP.1.body.items['1'] === 'b'", 'T'),
        ("STEP.1.body.items['01'] === 'b'", 'U'),
        ("STEP.1.body.items[3].x.length === 0", 'T'),
        ("STEP.1.body.items[9]", 'U'),
        ("STEP.1.body.items.includes('b')", 'T'),
        ("STEP.1.body.items.includes(1)", 'T'),
        ("STEP.1.body.items.includes('1')", 'F'),
        ("STEP.1.body.items.includes(null)", 'T'),
        ("STEP.1.body.items.includes(STEP.1.body.o)", 'U'),
        ("STEP.1.body.name.includes('a')", 'T'),
        ("STEP.1.body.name.includes(1)", 'U'),
        ("STEP.1.body.includes('a')", 'T'),
        ("STEP.1.body.id.includes('1')", 'U'),
        ("STEP.1.body.missing", 'U'),
        ("STEP.1.body.missing === undefined", 'U'),
        ("STEP.1.body.n.x", 'U'),
        ("STEP.1.body && STEP.1.body.id === 1", 'T'),
        ("STEP.1.body.n && STEP.1.body.n.x === 1", 'F'),
        ("Array.isArray(STEP.1.body)", 'F'),
        ("Array.isArray(STEP.1.body.items)", 'T'),
        ("Array.isArray(STEP.1.body.missing)", 'U'),
        ("(STEP.1.body.n || 5) === 5", 'T'),
        ("(STEP.1.body.id && 'x') === 'x'", 'T'),
        ("(STEP.1.body.missing && 0) === 0", 'U'),
        ("(STEP.1.body.missing && 0)", 'F'),
        ("(STEP.1.body.missing || 7)", 'T'),
        ("'' || 0 || null || undefined || false", 'F'),
        ("undefined === undefined", 'T'),
        ("null === undefined", 'F'),
        ("-0 === 0", 'T'),
        ("'größe'.includes('ß')", 'T'),
        ("'a'.includes('')", 'T'),
        ("1 < 2 && 2 <= 2 && 3 > 2 && 2 >= 2", 'T'),
    ]);
}
