//! Queries into JSON documents (seed 5: `output_parameters`, `parameters`).

use referee_model::stage::query::{Query, QueryStep};
use serde_json::Value;

/// Key that returns the length.
const LENGTH: &str = "length";

/// Returns the value of a query in a document, which may be null. None: there is no such value.
///
/// `length` is the number of elements of a list or characters of a string; in an object it is an ordinary key.
pub fn value(query: &Query, document: &Value) -> Option<Value> {
    let mut at = document;
    let mut steps = query.steps().iter().peekable();
    while let Some(step) = steps.next() {
        at = match (step, at) {
            (QueryStep::Key(key), Value::Object(object)) => object.get(key)?,
            (QueryStep::Index(index), Value::Array(elements)) => elements.get(*index)?,
            (QueryStep::Key(key), Value::Array(elements)) if key == LENGTH && steps.peek().is_none() => {
                return Some(Value::from(elements.len()));
            }
            (QueryStep::Key(key), Value::String(text)) if key == LENGTH && steps.peek().is_none() => {
                return Some(Value::from(text.chars().count()));
            }
            _ => return None,
        };
    }
    Some(at.clone())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_query_finds_what_stands_there_and_nothing_else() {
        let document = json!({
            "summary": { "total": 3, "none": null, "length": 7 },
            "components": [{ "name": "gate" }, { "name": "ledger" }],
            "nested": [[1, 2], []],
            "text": "häß",
            "a.b": 1,
        });
        let cases = [
            ("summary.total", Some(json!(3))),
            ("summary.none", Some(json!(null))),
            ("summary.length", Some(json!(7))),
            ("components[1].name", Some(json!("ledger"))),
            ("components.length", Some(json!(2))),
            ("nested[0][1]", Some(json!(2))),
            ("nested[1].length", Some(json!(0))),
            ("text.length", Some(json!(3))),
            ("components", Some(json!([{ "name": "gate" }, { "name": "ledger" }]))),
            ("summary.missing", None),
            ("summary.none.deeper", None),
            ("components[2]", None),
            ("components.name", None),
            ("components.length.length", None),
            ("summary[0]", None),
            ("text[0]", None),
            ("summary.total.length", None),
        ];
        for (text, found) in cases {
            assert_eq!(value(&Query::parse(text).unwrap(), &document), found, "{text}");
        }
        assert_eq!(value(&Query::parse("[0]").unwrap(), &json!(["x"])), Some(json!("x")));
        assert_eq!(value(&Query::parse("a").unwrap(), &json!("x")), None);
    }
}
