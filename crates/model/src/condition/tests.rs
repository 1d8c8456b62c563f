use proptest::prelude::{Just, Strategy, any, prop_assert, prop_assert_eq, proptest};
use proptest::{collection, prop_oneof, sample};

use super::{Expression, Field, Literal, PathStep, Subject, fields, parse};
use crate::condition::Comparison;
use crate::id::ActionId;
use crate::limit::{CONDITION_BYTES, CONDITION_DEPTH};

/// Valid conditions, and how each is printed; empty if it is printed as written.
const FORMS: &[(&str, &str)] = &[
    ("STEP.4.exitCode === 0", ""),
    ("STEP.4.exitCode === 0 || STEP.4.exitCode === 1", ""),
    ("PREREQ.3.failed === true", ""),
    ("CLEANUP.1.success", ""),
    ("STEP.3.errorCount === 0", ""),
    ("STEP.5.statusCode >= 200 && STEP.5.statusCode < 500", ""),
    ("STEP.9.statusCode !== 200", ""),
    ("STEP.12.size <= 10 && STEP.12.size > 1", ""),
    ("T001.1.exitCode == 0", "T001.1.exitCode === 0"),
    ("MY_STEP2.7.exitCode != 0", "MY_STEP2.7.exitCode !== 0"),
    ("STEP['1'].success === true && STEP['1'].exitCode === 0", "STEP.1.success === true && STEP.1.exitCode === 0"),
    ("STEP[\"4\"].exitCode===0", "STEP.4.exitCode === 0"),
    ("STEP[4].exitCode===0", "STEP.4.exitCode === 0"),
    ("STEP [ 4 ] . exitCode\n  === 0", "STEP.4.exitCode === 0"),
    ("STEP . 4 . exitCode", "STEP.4.exitCode"),
    ("STEP.4", ""),
    ("STEP['1'].stdout.includes('v')", "STEP.1.stdout.includes('v')"),
    ("STEP['1'].body && STEP['1'].body.id === 1", "STEP.1.body && STEP.1.body.id === 1"),
    ("STEP['2'].body.length > 0", "STEP.2.body.length > 0"),
    ("Array.isArray(STEP['2'].body)", "Array.isArray(STEP.2.body)"),
    ("Array . isArray ( STEP.2.body )", "Array.isArray(STEP.2.body)"),
    ("STEP.1.body.items[0].id === 'a'", ""),
    ("STEP.1.headers['content-type'].includes('json')", ""),
    ("STEP.1.body['a b'][\"c\"]", "STEP.1.body['a b'].c"),
    ("STEP.1.body.null === null", ""),
    ("exitCode === 0", ""),
    ("stdout.includes('x')", ""),
    ("stderr.includes(\"ERROR\")", "stderr.includes('ERROR')"),
    ("responseStatus === 201", ""),
    ("body.items[0].id", ""),
    ("eslint.errorCount === 0", ""),
    ("typescript.exitCode", ""),
    ("golangci-lint.errorCount === 0", ""),
    ("golangci-lint['errorCount'] === 0", "golangci-lint.errorCount === 0"),
    ("!success", ""),
    ("!!success", ""),
    ("! (success || failed)", "!(success || failed)"),
    ("(exitCode === 0)", "exitCode === 0"),
    ("(exitCode === 0) === true", ""),
    ("true === (exitCode === 0)", ""),
    ("!exitCode === 0", ""),
    ("success || failed && skipped", ""),
    ("(success || failed) && skipped", ""),
    ("success && (failed && skipped)", ""),
    ("success || (failed || skipped)", ""),
    ("exitCode === -1", ""),
    ("duration < 1.5e3", "duration < 1500"),
    ("duration < 1E-7", "duration < 1e-7"),
    ("duration < .5", "duration < 0.5"),
    ("duration < 5.", "duration < 5"),
    ("exitCode === -0", ""),
    ("true && false && null && undefined", ""),
    ("outcome === \"it's\"", r"outcome === 'it\'s'"),
    (r"stdout === 'a\n\t\r\\\'\x41\u00e9\u{1f600}\ud83d\ude00\0\q\/'", "stdout === 'a\\n\\t\\r\\\\\\'Aé😀😀\\u{0}q/'"),
    ("stdout === 'a\\\nb'", "stdout === 'ab'"),
    ("'abc'.includes('b')", ""),
    ("(5).includes(1)", ""),
    ("stdout.includes('a').includes('b')", ""),
    ("(success || failed).includes('b')", ""),
    ("stdout.includes(STEP.1.stdout)", ""),
    ("\u{a0}success\u{2003}", "success"),
];

#[test]
fn every_form_is_read_and_printed() {
    for (text, printed) in FORMS {
        let expression = parse(text).unwrap_or_else(|error| panic!("{text}: {error} at {}", error.offset));
        let expected = if printed.is_empty() { text } else { printed };
        assert_eq!(&expression.to_string(), expected);
        assert_eq!(parse(expected).as_ref(), Ok(&expression), "{text}");
    }
}

/// Invalid conditions, with the offset of the error and its message.
const MISTAKES: &[(&str, usize, &str)] = &[
    ("", 0, "a value is missing at the end"),
    ("   ", 3, "a value is missing"),
    ("exitCode = 0", 9, "assignments are not known"),
    ("exitCode => 0", 9, "functions are not known"),
    ("success ? 1 : 2", 8, "`?` is not supported"),
    ("body?.id", 4, "`?.` is not supported"),
    ("body ?? 1", 5, "`?` is not supported"),
    ("exitCode + 1 === 1", 9, "arithmetic is not supported"),
    ("exitCode-1 === 1", 8, "arithmetic is not supported"),
    ("5 -1", 2, "arithmetic is not supported"),
    ("+1", 0, "arithmetic is not supported"),
    ("- 1", 0, "arithmetic is not supported"),
    ("exitCode / 2", 9, "arithmetic is not supported"),
    ("exitCode & 1", 9, "`&` on bits"),
    ("exitCode << 1", 9, "`<` on bits"),
    ("stdout.startsWith('a')", 6, "`.startsWith(…)` is not known: only `.includes(…)`"),
    ("golangci-lint.run('a')", 8, "arithmetic"),
    ("parse(stdout)", 5, "only `.includes(…)` and `Array.isArray(…)` can be called"),
    ("stdout.includes()", 16, "a value is expected between"),
    ("stdout.includes('a', 'b')", 19, "one value is expected"),
    ("stdout.includes('a'", 19, "`)` is missing at the end"),
    ("stdout.includes 'a'", 16, "is not known here"),
    ("Array.from(body)", 0, "of `Array` only"),
    ("Array", 0, "of `Array` only"),
    ("/x/.test(stdout)", 0, "regular expressions are not known"),
    ("stdout.match(/x/)", 6, "`.match(…)` is not known"),
    ("success // really", 8, "comments are not known"),
    ("/* really */ success", 0, "comments are not known"),
    ("`text`", 0, "template texts are not known"),
    ("stdout === `text`", 11, "template texts are not known"),
    ("1 < exitCode < 3", 13, "comparisons cannot be chained"),
    ("exitCode === 0 === true", 15, "comparisons cannot be chained"),
    ("[1]", 0, "lists and objects cannot be written"),
    ("{}", 0, "lists and objects"),
    ("success and failed", 8, "`and` is not known here: write `&&`"),
    ("success OR failed", 8, "write `||`"),
    ("success; failed", 7, "one condition ends before `;`"),
    ("(success", 8, "`)` is missing at the end"),
    ("success)", 7, "`)` is not known here"),
    ("success &&", 10, "a value is missing at the end"),
    ("&& success", 0, "a value is expected here, not `&`"),
    ("success & & failed", 8, "`&` on bits"),
    ("STEP.exitCode", 5, "the number of an action is expected"),
    ("STEP", 0, "`STEP` needs the number of an action"),
    ("STEP.4a.exitCode", 6, "the number of an action is expected"),
    ("STEP.4.5", 7, "the name of a field is expected"),
    ("STEP['x'].exitCode", 0, "is not an action id"),
    ("STEP[-1].exitCode", 5, "digits or a text in quotes are expected"),
    ("STEP-1.exitCode", 0, "`STEP` needs the number"),
    ("body[1.5]", 6, "is missing before it"),
    ("body[99999999999999999999]", 5, "this index is too large"),
    ("body[", 5, "digits or a text"),
    ("body.", 5, "the name of a field is expected"),
    ("body..id", 5, "the name of a field is expected"),
    ("...body", 0, "a value is expected here, not `.`"),
    ("(success && failed).id", 19, "only actions, tools and their values have fields"),
    ("'a'.length", 3, "only actions, tools"),
    ("typeof body", 0, "`typeof` is not supported"),
    ("new Date", 0, "`new` is not supported"),
    ("exitCode === NaN", 13, "`NaN` is not supported"),
    ("exitCode === 0x1F", 13, "`0x1F` is not a number"),
    ("exitCode === 1_000", 13, "`1_000` is not a number"),
    ("exitCode === 007", 13, "`007` is not a number"),
    ("exitCode === 1n", 13, "`1n` is not a number"),
    ("exitCode === 1e", 15, "a digit is expected in the exponent"),
    ("exitCode === 1e999", 13, "the number `1e999` is too large"),
    ("'open", 0, "is not closed"),
    ("'open\n'", 0, "is not closed"),
    ("'open\\", 5, "something is missing after"),
    (r"'\1'", 1, "and a digit is not known"),
    (r"'\x4'", 1, "two hexadecimal digits"),
    (r"'\ud800'", 1, "needs four hexadecimal digits"),
    (r"'\ud800\u0041'", 1, "needs four hexadecimal digits"),
    (r"'\u{110000}'", 1, "needs four hexadecimal digits"),
    (r"'\u{}'", 1, "needs four hexadecimal digits"),
    ("“text”", 0, "a value is expected here, not `“`"),
    ("success ü", 8, "`ü` is not known here"),
    ("\0", 0, "a value is expected here"),
];

#[test]
fn whatever_else_is_written_is_named_where_it_stands() {
    for (text, offset, said) in MISTAKES {
        let error = parse(text).expect_err(text);
        assert_eq!(error.offset, *offset, "{text}: {error}");
        assert!(error.message.contains(said), "{text}: {error}");
    }
}

#[test]
fn depth_and_length_are_bounded_without_a_panic() {
    let nested = |depth: usize| format!("{}success{}", "(".repeat(depth), ")".repeat(depth));
    assert!(parse(&nested(CONDITION_DEPTH)).is_ok());
    assert!(parse(&nested(CONDITION_DEPTH + 1)).unwrap_err().message.contains("nested at most"));
    assert!(parse(&"!".repeat(CONDITION_BYTES)).unwrap_err().message.contains("nested at most"));
    assert!(parse(&"(".repeat(CONDITION_BYTES)).unwrap_err().message.contains("nested at most"));

    let row = |terms: usize, joint: &str| vec!["a"; terms].join(joint);
    for joint in ["&&", "||"] {
        assert!(parse(&row(256, joint)).is_ok());
        assert!(parse(&row(257, joint)).unwrap_err().message.contains("at most 256 parts in a row"));
    }
    assert!(parse(&format!("a{}", ".includes(a)".repeat(1_000))).unwrap_err().message.contains("in a row"));

    let long = |bytes: usize| format!("stdout === '{}'", "x".repeat(bytes - "stdout === ''".len()));
    assert!(parse(&long(CONDITION_BYTES)).is_ok());
    let error = parse(&long(CONDITION_BYTES + 1)).unwrap_err();
    assert_eq!((error.offset, error.message.contains("at most 16384 bytes")), (0, true));
}

#[test]
fn fields_come_in_the_order_of_the_text() {
    let expression =
        parse("!STEP.1.success || (eslint.errorCount > 0 && Array.isArray(body)) && stdout.includes(STEP.2.stdout)")
            .unwrap();
    let fields: Vec<String> = expression.fields().map(ToString::to_string).collect();
    assert_eq!(fields, ["STEP.1.success", "eslint.errorCount", "body", "stdout", "STEP.2.stdout"]);
    assert_eq!(parse("1 === 1").unwrap().fields().count(), 0);
}

#[test]
fn a_bare_name_is_a_field_of_the_last_step_and_another_with_a_field_is_a_tool() {
    let subject = |text: &str| parse(text).unwrap().fields().next().unwrap().of.clone();
    for kind in fields::Kind::ALL {
        for name in fields::known(kind) {
            assert_eq!(subject(&format!("{name}.length")), Subject::LastStep);
        }
    }
    assert_eq!(subject("eslint.errorCount"), Subject::Tool("eslint".to_owned()));
    assert_eq!(subject("cargo-test.exitCode"), Subject::Tool("cargo-test".to_owned()));
    // The check of a plan's fields refuses these by their names.
    assert_eq!(subject("exitcode"), Subject::LastStep);
    assert_eq!(subject("eslint.includes('a')"), Subject::LastStep);
}

fn any_path() -> impl Strategy<Value = Vec<PathStep>> {
    let step = prop_oneof![
        sample::select(vec!["items", "length", "includes", "null", "größe", "$a_1"])
            .prop_map(|key| PathStep::Key(key.to_owned())),
        any::<String>().prop_map(PathStep::Key),
        any::<u64>().prop_map(PathStep::Index),
    ];
    collection::vec(step, 0..4)
}

fn any_field() -> impl Strategy<Value = Field> {
    let first = |names: Vec<&'static str>| sample::select(names).prop_map(|name| PathStep::Key(name.to_owned()));
    let behind = |first: PathStep, rest: Vec<PathStep>| std::iter::once(first).chain(rest).collect::<Vec<_>>();
    prop_oneof![
        ("(STEP|PREREQ|T001|MY_9)", 0_u32.., any_path()).prop_map(|(scope, number, path)| Field {
            of: Subject::Action(ActionId::parse(format!("{scope}.{number}")).unwrap()),
            path,
        }),
        (sample::select(vec!["eslint", "golangci-lint", "tsc"]), first(vec!["exitCode", "a b", "x"]), any_path())
            .prop_map(move |(tool, first, rest)| Field {
                of: Subject::Tool(tool.to_owned()),
                path: behind(first, rest),
            }),
        (first(vec!["stdout", "body", "json", "exitCode"]), any_path())
            .prop_map(move |(first, rest)| Field { of: Subject::LastStep, path: behind(first, rest) }),
    ]
}

fn any_expression() -> impl Strategy<Value = Expression> {
    let literal = prop_oneof![
        any::<f64>().prop_filter("numbers that can be written", |number| number.is_finite()).prop_map(Literal::Number),
        (-1_000_i32..1_000).prop_map(|number| Literal::Number(f64::from(number))),
        any::<String>().prop_map(Literal::Text),
        any::<bool>().prop_map(Literal::Boolean),
        Just(Literal::Null),
        Just(Literal::Undefined),
    ];
    let leaf = prop_oneof![literal.prop_map(Expression::Literal), any_field().prop_map(Expression::Field)];
    let comparison = sample::select(vec![
        Comparison::Equal,
        Comparison::NotEqual,
        Comparison::Greater,
        Comparison::GreaterOrEqual,
        Comparison::Less,
        Comparison::LessOrEqual,
    ]);
    leaf.prop_recursive(5, 24, 2, move |inner| {
        let pair = (inner.clone().prop_map(Box::new), inner.clone().prop_map(Box::new));
        prop_oneof![
            pair.clone().prop_map(|(left, right)| Expression::Or(left, right)),
            pair.clone().prop_map(|(left, right)| Expression::And(left, right)),
            pair.clone().prop_map(|(whole, part)| Expression::Includes { whole, part }),
            (pair, comparison.clone()).prop_map(|((left, right), operator)| Expression::Compare {
                left,
                operator,
                right
            }),
            inner.clone().prop_map(|inner| Expression::Not(Box::new(inner))),
            inner.prop_map(|inner| Expression::IsArray(Box::new(inner))),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_printed_is_read_as_the_same(expression in any_expression()) {
        let text = expression.to_string();
        prop_assert_eq!(parse(&text), Ok(expression), "{}", text);
    }

    #[test]
    fn no_text_panics_and_errors_stand_between_characters(text in any::<String>()) {
        if let Err(error) = parse(&text) {
            prop_assert!(text.is_char_boundary(error.offset) && !error.message.is_empty());
        }
    }

    #[test]
    fn no_text_of_the_words_of_the_language_panics(
        words in collection::vec(
            sample::select(vec![
                "STEP", ".", "4", "exitCode", "===", "&&", "||", "!", "(", ")", "[", "]", "'a'", "\"", "\\", "é",
                "includes", "Array", "isArray", "-", "1e", "undefined", " ", "eslint", "<", "\\u", "{", "}",
            ]),
            0..24,
        )
    ) {
        let text = words.concat();
        match parse(&text) {
            Ok(expression) => prop_assert_eq!(parse(&expression.to_string()), Ok(expression)),
            Err(error) => prop_assert!(text.is_char_boundary(error.offset)),
        }
    }
}
