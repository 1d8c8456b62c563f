//! What rows must be, observed on them as they came.

use std::path::Path;
use std::time::Instant;

use referee_model::database::{DatabaseColumn, DatabaseRows};
use referee_model::plan::interaction::RowExpectation;
use referee_model::plan::{Query, SchemaSource};
use referee_model::record::SchemaObservation;
use referee_model::record::http::AssertionObservation;
use serde_json::{Map, Value};

use crate::attempt::Turn;
use crate::equality::is_same;
use crate::excerpt;
use crate::file::schema::Schema;

/// Maximum number of schema errors that are kept; all of them are counted.
const COMPLAINTS_KEPT: usize = 20;

/// Maximum number of schema errors that a sentence repeats.
const COMPLAINTS_TOLD: usize = 3;

/// Types whose values are texts if a double cannot hold them.
const NUMBERS: [&str; 7] = ["numeric", "decimal", "int8", "bigint", "bigint unsigned", "integer", "int"];

/// Observes the expectations of a query on its rows.
pub(super) fn observe(
    query: &Query,
    rows: &DatabaseRows,
    turn: &Turn<'_>,
    workspace: &Path,
) -> Vec<AssertionObservation> {
    let known: Vec<&str> = turn.captured.values().map(String::as_str).collect();
    let wants_none = query.expectations.contains(&RowExpectation::Count(0));
    let observed = query.expectations.iter().map(|expectation| match expectation {
        RowExpectation::Count(wanted) => {
            let (count, did) = count(rows);
            observation(
                Some(count == *wanted),
                format!("{count} {} {did}", if count == 1 { "row was" } else { "rows were" }),
            )
        }
        RowExpectation::Schema(source) => schema(source, rows, workspace, wants_none, turn.bounds.deadline),
        RowExpectation::Contains(wanted) => contains(wanted, rows, &known),
    });
    observed.collect()
}

/// Returns the number of rows that were returned or, if the statement returns none, changed; and which.
pub(super) fn count(rows: &DatabaseRows) -> (u64, &'static str) {
    rows.affected.map_or((rows.row_count, "returned"), |changed| (changed, "changed"))
}

fn observation(holds: Option<bool>, found: impl Into<String>) -> AssertionObservation {
    AssertionObservation { holds, found: found.into(), schema: None }
}

/// Returns what an expectation that holds of the kept rows is worth: nothing, if there are others.
fn of_all(rows: &DatabaseRows, found: String) -> AssertionObservation {
    if rows.truncated {
        let kept = rows.rows.len();
        return observation(None, format!("only {kept} of {} rows were kept: ask for fewer; {found}", rows.row_count));
    }
    observation(Some(true), found)
}

fn schema(
    source: &SchemaSource,
    rows: &DatabaseRows,
    workspace: &Path,
    wants_none: bool,
    deadline: Instant,
) -> AssertionObservation {
    let schema = match Schema::load(workspace, source) {
        Ok(schema) => schema,
        Err(message) => {
            let found = format!("the schema cannot be used: {message}");
            return AssertionObservation {
                schema: Some(SchemaObservation::Unusable { message }),
                ..observation(None, found)
            };
        }
    };
    if rows.row_count == 0 && !wants_none {
        return observation(Some(false), "there is no row that could match the schema");
    }
    if let Some(name) = repeated(&rows.columns) {
        return observation(None, format!("two columns are named `{name}`: give each its own name (`AS`)"));
    }
    let (mut errors, mut error_count) = (Vec::new(), 0);
    for (number, row) in (1..).zip(&rows.rows) {
        if Instant::now() >= deadline {
            return observation(None, format!("the time was over when {} rows had been looked at", number - 1));
        }
        if let SchemaObservation::Invalid { errors: more, error_count: count } = schema.hold(&[object(rows, row)]) {
            let room = COMPLAINTS_KEPT - errors.len();
            errors.extend(more.into_iter().take(room).map(|complaint| format!("row {number}: {complaint}")));
            error_count += count;
        }
    }
    if error_count == 0 {
        let held = of_all(rows, format!("all {} rows match the schema", rows.rows.len()));
        let schema = held.holds.map(|_| SchemaObservation::Valid);
        return AssertionObservation { schema, ..held };
    }
    let told = errors.iter().take(COMPLAINTS_TOLD).map(String::as_str).collect::<Vec<_>>().join("; ");
    let rest = error_count.saturating_sub(COMPLAINTS_TOLD as u64);
    let rest = if rest > 0 { format!("; and {rest} more") } else { String::new() };
    let schema = Some(SchemaObservation::Invalid { errors, error_count });
    AssertionObservation { schema, ..observation(Some(false), format!("{told}{rest}")) }
}

fn repeated(columns: &[DatabaseColumn]) -> Option<&str> {
    let mut names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    names.sort_unstable();
    names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

fn object(rows: &DatabaseRows, row: &[Value]) -> Value {
    let named = rows.columns.iter().zip(row).map(|(column, value)| (column.name.clone(), value.clone()));
    Value::Object(named.collect())
}

fn contains(wanted: &str, rows: &DatabaseRows, known: &[&str]) -> AssertionObservation {
    let wanted: Value = match serde_json::from_str(wanted) {
        Ok(wanted) => wanted,
        Err(error) => return observation(None, format!("what a row must hold is not JSON: {error}")),
    };
    let holds = |row: &Vec<Value>| {
        let in_cell = rows.columns.iter().zip(row).any(|(column, cell)| is_cell(&wanted, cell, column));
        in_cell || wanted.as_object().is_some_and(|wanted| is_row(wanted, rows, row))
    };
    if let Some(at) = rows.rows.iter().position(holds) {
        return observation(Some(true), format!("row {} holds it", at + 1));
    }
    if rows.truncated {
        return of_all(rows, "none of those holds it".to_owned());
    }
    let is_column = |name: &&String| rows.columns.iter().any(|column| column.name == **name);
    let missing = wanted.as_object().and_then(|wanted| wanted.keys().find(|name| !is_column(name)));
    let found = match (rows.rows.first(), missing) {
        (None, _) => "there is no row".to_owned(),
        (Some(_), Some(name)) => format!("there is no column `{name}`"),
        (Some(first), None) => {
            let first = excerpt::of_value(&object(rows, first).to_string(), known);
            format!("none of {} rows holds it; the first is {first}", rows.rows.len())
        }
    };
    observation(Some(false), found)
}

fn is_row(wanted: &Map<String, Value>, rows: &DatabaseRows, row: &[Value]) -> bool {
    let holds = |(name, value): (&String, &Value)| {
        let mut cells = rows.columns.iter().zip(row).filter(|(column, _)| column.name == *name);
        cells.any(|(column, cell)| is_cell(value, cell, column))
    };
    !wanted.is_empty() && wanted.iter().all(holds)
}

/// Whether a cell is the wanted value. A number is also the text that stands for one in a column of numbers.
fn is_cell(wanted: &Value, cell: &Value, column: &DatabaseColumn) -> bool {
    match (wanted, cell) {
        (Value::Number(number), Value::String(text)) if is_number(column) => {
            plain(&number.to_string()).is_some_and(|number| plain(text) == Some(number))
        }
        _ => is_same(wanted, cell),
    }
}

fn is_number(column: &DatabaseColumn) -> bool {
    let kind = column.kind.split('(').next().unwrap_or_default().trim();
    NUMBERS.contains(&kind)
}

/// Returns a decimal without what changes nothing: zeros at its ends. None: it is written otherwise.
fn plain(text: &str) -> Option<(bool, &str, &str)> {
    let (is_negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let is_decimal = !whole.is_empty() && whole.bytes().chain(part.bytes()).all(|digit| digit.is_ascii_digit());
    let (whole, part) = (whole.trim_start_matches('0'), part.trim_end_matches('0'));
    let is_zero = whole.is_empty() && part.is_empty();
    is_decimal.then_some((is_negative && !is_zero, whole, part))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;

    fn rows(columns: &[(&str, &str)], rows: Value) -> DatabaseRows {
        let rows: Vec<Vec<Value>> = serde_json::from_value(rows).unwrap();
        let column = |(name, kind): &(&str, &str)| DatabaseColumn { name: (*name).into(), kind: (*kind).into() };
        DatabaseRows {
            server: "s".into(),
            columns: columns.iter().map(column).collect(),
            row_count: rows.len() as u64,
            rows,
            affected: None,
            truncated: false,
            duration_ms: 1,
            plan: None,
        }
    }

    fn quotes() -> DatabaseRows {
        let columns = [("id", "int8"), ("total", "numeric"), ("name", "text"), ("data", "bytea")];
        rows(&columns, json!([[1, "12.50", "a", null], ["9007199254740993", "3", "b", {"base64": "aGk="}]]))
    }

    fn held(rows: &DatabaseRows, schema_text: &str, wants_none: bool) -> AssertionObservation {
        let deadline = Instant::now() + Duration::from_mins(1);
        schema(&SchemaSource::Inline(schema_text.to_owned()), rows, Path::new("/"), wants_none, deadline)
    }

    #[test]
    fn objects_are_held_against_rows_and_other_values_against_cells() {
        for (wanted, holds, found) in [
            (r#"{"id": 1, "total": 12.5}"#, Some(true), "row 1 holds it"),
            (r#"{"id": 1, "total": "12.50"}"#, Some(true), "row 1 holds it"),
            (r#"{"id": 1, "name": "b"}"#, Some(false), "none of 2 rows holds it; the first is {"),
            (r#"{"id": 9007199254740993}"#, Some(true), "row 2 holds it"),
            (r#"{"name": 1}"#, Some(false), "none of 2 rows"),
            (r#"{"gone": 1}"#, Some(false), "there is no column `gone`"),
            (r#"{"data": {"base64": "aGk="}}"#, Some(true), "row 2 holds it"),
            (r#"{"base64": "aGk="}"#, Some(true), "row 2 holds it"),
            (r#"{"data": null}"#, Some(true), "row 1 holds it"),
            ("{}", Some(false), "none of 2 rows"),
            (r#""b""#, Some(true), "row 2 holds it"),
            ("1", Some(true), "row 1 holds it"),
            ("3.0", Some(true), "row 2 holds it"),
            ("12.51", Some(false), "none of 2 rows"),
            ("{", None, "what a row must hold is not JSON"),
        ] {
            let observed = contains(wanted, &quotes(), &[]);
            assert_eq!(observed.holds, holds, "{wanted}");
            assert!(observed.found.starts_with(found), "{wanted}: {}", observed.found);
        }
        assert_eq!(contains("1", &rows(&[], json!([])), &[]).holds, Some(false));
    }

    #[test]
    fn each_row_holds_to_a_schema_and_no_row_holds_to_none() {
        let strict = r#"{"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}}"#;
        let observed = held(&quotes(), strict, false);
        assert_eq!(observed.holds, Some(false));
        assert!(observed.found.starts_with("row 2: at /id"), "{}", observed.found);
        assert!(matches!(observed.schema, Some(SchemaObservation::Invalid { error_count: 1, .. })));
        let one = rows(&[("id", "int4")], json!([[1]]));
        assert_eq!(held(&one, strict, false).schema, Some(SchemaObservation::Valid));
        let none = rows(&[("id", "int4")], json!([]));
        assert_eq!((held(&none, strict, false).holds, held(&none, strict, true).holds), (Some(false), Some(true)));
        let twice = rows(&[("id", "int4"), ("id", "int4")], json!([[1, 2]]));
        assert_eq!(held(&twice, strict, false).holds, None);
        assert_eq!(held(&one, "{", false).holds, None);
        let late = schema(&SchemaSource::Inline(strict.to_owned()), &one, Path::new("/"), false, Instant::now());
        assert_eq!(late.holds, None);
    }

    #[test]
    fn rows_that_were_not_kept_may_be_anything() {
        let mut some = quotes();
        (some.row_count, some.truncated) = (7, true);
        let any = r#"{"type": "object", "required": ["id"]}"#;
        let observed = held(&some, any, false);
        assert_eq!((observed.holds, observed.schema), (None, None));
        assert!(observed.found.starts_with("only 2 of 7 rows were kept"), "{}", observed.found);
        assert_eq!(held(&some, r#"{"type": "object", "required": ["gone"]}"#, false).holds, Some(false));
        assert_eq!((contains("1", &some, &[]).holds, contains("77", &some, &[]).holds), (Some(true), None));
        assert_eq!(count(&some), (7, "returned"));
        some.affected = Some(3);
        assert_eq!(count(&some), (3, "changed"));
    }

    #[test]
    fn decimals_are_equal_whatever_zeros_end_them() {
        for (one, other, expected) in [
            ("1.50", "1.5", true),
            ("01", "1", true),
            ("-0", "0.00", true),
            ("-1", "1", false),
            ("1.05", "1.5", false),
            ("100", "1", false),
        ] {
            assert_eq!(plain(one) == plain(other), expected, "{one} {other}");
        }
        for junk in ["", "-", ".5", "1e5", "NaN", "1.-5"] {
            assert_eq!(plain(junk), None, "{junk}");
        }
    }
}
