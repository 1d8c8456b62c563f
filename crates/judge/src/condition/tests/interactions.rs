//! Fields of queries and browser actions.

use referee_model::record::{InteractionEnding, InteractionFacts};

use super::*;

impl Fixture {
    /// Adds a query with this number of rows, and its stored answer.
    pub(super) fn query(self, id: &str, rows: Option<u64>, answer: &str) -> Self {
        let action = fixture::query(id, Vec::new());
        let facts = fixture::interaction_facts(&action, InteractionEnding::Completed);
        let record = fixture::interacted(&action, InteractionFacts { row_count: rows, ..facts });
        self.ran(action, record, nothing()).content(id, Content::Text(answer.to_owned()))
    }

    /// Adds a browser action with the last value that was read, as JSON.
    pub(super) fn browser(self, id: &str, ending: InteractionEnding, value: Option<&str>) -> Self {
        let action = fixture::browser(id);
        let facts = fixture::interaction_facts(&action, ending);
        let record = fixture::interacted(&action, InteractionFacts { value: value.map(str::to_owned), ..facts });
        self.ran(action, record, nothing())
    }
}

/// The answer of a database with these columns and rows, as it is stored.
fn answer(columns: &[&str], rows: &serde_json::Value, row_count: u64, truncated: bool) -> String {
    let columns: Vec<_> = columns.iter().map(|name| serde_json::json!({ "name": name, "type": "text" })).collect();
    let answer = serde_json::json!({
        "server": "SQLite 3.50", "columns": columns, "rows": rows, "rowCount": row_count, "affected": null,
        "truncated": truncated, "durationMs": 1,
    });
    answer.to_string()
}

#[test]
fn rows_are_objects_by_column_and_counted() {
    let rows = serde_json::json!([[1, "first", null], [2, "second", { "base64": "AA==" }]]);
    Fixture::new().query("STEP.1", Some(2), &answer(&["id", "text", "raw"], &rows, 2, false)).hold(&[
        ("STEP.1.rowCount === 2 && STEP.1.count === 2", 'T'),
        ("STEP.1.rows.length === STEP.1.rowCount", 'T'),
        ("STEP.1.rows[0].id === 1 && STEP.1.rows[1].text === 'second'", 'T'),
        ("STEP.1.result[0].text.includes('irs')", 'T'),
        ("STEP.1.rows[0].raw === null", 'T'),
        ("Array.isArray(STEP.1.rows)", 'T'),
        ("STEP.1.rows[0].nothing === 1", 'U'),
        ("STEP.1.rows[2].id === 1", 'U'),
        ("STEP.1.rows === 2", 'F'),
        ("STEP.1.success", 'T'),
    ]);
    Fixture::new().query("STEP.1", Some(0), &answer(&[], &serde_json::json!([]), 0, false)).hold(&[
        ("STEP.1.rowCount === 0", 'T'),
        ("STEP.1.rows.length === 0", 'T'),
        ("STEP.1.rows[0].id === 1", 'U'),
    ]);
}

#[test]
fn rows_that_are_not_all_there_or_cannot_be_told_apart_are_not_known() {
    let rows = serde_json::json!([[1, 2]]);
    for (answer, reason) in [
        (answer(&["a", "b"], &rows, 5000, true), "STEP.1 kept 1 row of 5000: ask for fewer"),
        (answer(&["a", "a"], &rows, 1, false), "STEP.1 has two columns of the name `a`: give each its own (`AS`)"),
        ("no JSON".to_owned(), "STEP.1 has an answer whose rows cannot be read"),
        ("{\"rows\": []}".to_owned(), "STEP.1 has an answer whose rows cannot be read"),
    ] {
        let world = Fixture::new().query("STEP.1", Some(5000), &answer);
        world.hold(&[("STEP.1.rows.length > 0", 'U'), ("STEP.1.rowCount === 5000", 'T')]);
        world.explain(&[("STEP.1.rows[0].a === 1", reason)]);
    }
    let world = Fixture::new().query("STEP.1", None, "{}");
    world.hold(&[("STEP.1.rows.length >= 1", 'U'), ("STEP.1.rowCount === 0", 'U'), ("STEP.1.rowCount !== 0", 'U')]);
}

#[test]
fn a_browser_tells_what_it_read_and_whether_it_was_there() {
    let completed = || InteractionEnding::Completed;
    for (value, condition) in [
        ("3", "STEP.1.result === 3"),
        ("true", "STEP.1.result === true"),
        ("\"3 quotes\"", "STEP.1.result.includes('quotes')"),
        ("{\"a\":1}", "STEP.1.result === '{\"a\":1}'"),
    ] {
        Fixture::new().browser("STEP.1", completed(), Some(value)).hold(&[(condition, 'T')]);
    }
    Fixture::new().browser("STEP.1", completed(), None).hold(&[
        ("STEP.1.initialized && STEP.1.count === 2", 'T'),
        ("STEP.1.action.includes('home')", 'T'),
        ("STEP.1.result === 3", 'U'),
    ]);
    let ending = InteractionEnding::Unavailable { message: "there is no browser".to_owned() };
    Fixture::new().browser("STEP.1", ending, None).hold(&[("STEP.1.initialized", 'F'), ("STEP.1.success", 'F')]);
}
