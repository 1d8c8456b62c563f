use proptest::prelude::*;
use serde_json::json;

use super::*;

const SMALL: Budget = Budget { steps: 1_000, listed: 100 };

fn error(schema: &Value) -> String {
    Validator::new(schema).unwrap_err().to_string()
}

fn complaints(schema: &Value, document: &Value) -> Vec<String> {
    let (listed, count) = Validator::new(schema).unwrap().complaints(document, 100);
    assert_eq!(listed.len() as u64, count);
    listed
}

/// Returns a schema of definitions, each made by `link` from the reference to the next one; the last is `end`.
fn chain(length: usize, link: impl Fn(Value) -> Value, end: Value) -> Value {
    let next = |number: usize| json!({ "$ref": format!("#/$defs/d{}", number + 1) });
    let mut definitions: serde_json::Map<String, Value> =
        (0..length).map(|number| (format!("d{number}"), link(next(number)))).collect();
    definitions.insert(format!("d{length}"), end);
    json!({ "$ref": "#/$defs/d0", "$defs": definitions })
}

fn nested(depth: usize) -> Value {
    (1..depth).fold(json!([]), |inner, _| json!([inner]))
}

#[test]
fn complaints_say_where_and_what() {
    let schema = json!({
        "type": "object",
        "required": ["items"],
        "properties": {
            "items": { "type": "array", "items": { "properties": { "id": { "type": "integer", "minimum": 1 } } } },
            "at": { "type": "string", "format": "date-time" },
            "a/b": { "pattern": "^x" },
        },
    });
    let document = json!({ "items": [{ "id": 0 }, { "id": "1" }], "at": "yesterday", "a/b": "y" });
    assert_eq!(
        complaints(&schema, &document),
        [
            "at /a~1b: \"y\" does not match \"^x\"",
            "at /at: \"yesterday\" is not a \"date-time\"",
            "at /items/0/id: 0 is less than the minimum of 1",
            "at /items/1/id: \"1\" is not of type \"integer\"",
        ]
    );
    assert_eq!(complaints(&schema, &json!(1)), ["at : 1 is not of type \"object\""]);
    assert_eq!(complaints(&schema, &json!({ "items": [] })), [""; 0]);
}

#[test]
fn all_complaints_are_counted_and_some_are_kept() {
    let validator = Validator::new(&json!({ "items": false })).unwrap();
    for (kept, listed) in [(0, 0), (2, 2), (9, 5)] {
        let (complaints, count) = validator.complaints(&json!([1, 2, 3, 4, 5]), kept);
        assert_eq!((complaints.len(), count), (listed, 5));
    }
}

#[test]
fn a_long_value_is_not_repeated() {
    let long = "secret".repeat(100);
    assert_eq!(complaints(&json!({ "type": "integer" }), &json!(long)), ["at : the value is not of type \"integer\""]);
    let key = "k".repeat(2 * limit::MESSAGE_BYTES);
    let complaint = &complaints(&json!({ "additionalProperties": { "type": "integer" } }), &json!({ key: "" }))[0];
    assert!(complaint.len() <= limit::MESSAGE_BYTES && complaint.ends_with('…'));
}

#[test]
fn what_is_no_schema_or_no_usable_one_is_refused_with_the_place() {
    for (schema, expected) in [
        (json!(1), "the schema: it must be an object, `true` or `false`"),
        (json!(null), "the schema: it must be an object"),
        (json!([]), "the schema: it must be an object"),
        (json!({ "type": "strng" }), "at /type: \"strng\" is not valid"),
        (json!({ "properties": { "a/b": { "minimum": "1" } } }), "at /properties/a~1b/minimum: \"1\" is not of type"),
        (json!({ "required": "a" }), "at /required: \"a\" is not of type \"array\""),
        (json!({ "pattern": "(" }), "at /pattern: \"(\" is not a \"regex\""),
        (json!({ "patternProperties": { "[": {} } }), "at /patternProperties/[: \"[\" is not a \"regex\""),
        (
            json!({ "$schema": "https://example.com/mine" }),
            "at /$schema: `https://example.com/mine` is not a known draft",
        ),
        (json!({ "items": { "$schema": "urn:mine" } }), "at /items/$schema: `urn:mine` is not a known draft"),
        (json!({ "$schema": 7 }), "at /$schema: it must be a text"),
        (json!({ "$ref": "#/$defs/a" }), "at /$ref: the reference `#/$defs/a` leads nowhere"),
        (json!({ "items": { "$ref": "#name" } }), "at /items/$ref: the reference `#name` leads nowhere"),
        (json!({ "$ref": "#/%zz" }), "at /$ref: the reference `#/%zz` leads nowhere"),
        (json!({ "$ref": "https://example.com/a.json" }), "leads outside the schema, and nothing is fetched"),
        (
            json!({ "not": { "$ref": "file:///etc/passwd" } }),
            "at /not/$ref: the reference `file:///etc/passwd` leads outs",
        ),
        (json!({ "$ref": "a.json#/$defs/x" }), "the reference `a.json#/$defs/x` leads outside"),
        (json!({ "$dynamicRef": "#a" }), "at /$dynamicRef: the reference `#a` leads nowhere"),
    ] {
        let error = error(&schema);
        assert!(error.starts_with(expected) || error.contains(expected), "{schema}: {error}");
        assert!(!error.contains('\n'));
    }
}

#[test]
fn a_schema_that_nothing_could_break_is_refused() {
    for schema in [
        json!({ "$ref": "#" }),
        json!({ "allOf": [{ "$ref": "#" }], "type": "object" }),
        json!({
            "$ref": "#/$defs/a",
            "$defs": { "a": { "not": { "$ref": "#/$defs/b" } }, "b": { "$ref": "#/$defs/a" } },
        }),
        json!({ "properties": { "x": { "if": { "$ref": "#/properties/x" } } } }),
        json!({ "$dynamicAnchor": "node", "anyOf": [{ "$dynamicRef": "#node" }] }),
        json!({ "$schema": "https://json-schema.org/draft/2019-09/schema", "then": { "$recursiveRef": "#" } }),
    ] {
        let error = error(&schema);
        assert!(error.contains("holds a value against itself without end"), "{schema}: {error}");
    }
}

#[test]
fn references_are_followed_inside_the_schema() {
    let text = json!({ "type": "string" });
    for schema in [
        json!({ "$ref": "#/$defs/a%20b", "$defs": { "a b": text } }),
        json!({ "$ref": "#/$defs/a~1b", "$defs": { "a/b": text } }),
        json!({ "$ref": "#name", "$defs": { "a": { "$anchor": "name", "type": "string" } } }),
        json!({
            "$ref": "/b.json",
            "$id": "https://example.com/a.json",
            "$defs": { "b": { "$id": "b.json", "type": "string" } },
        }),
        json!({ "$ref": "https://example.com/b#/$defs/c", "$defs": {
            "b": { "$id": "https://example.com/b", "$defs": { "c": { "$ref": "#/$defs/d" }, "d": text } },
        } }),
        json!({
            "$schema": "http://json-schema.org/draft-07/schema#",
            "$ref": "#/definitions/a",
            "definitions": { "a": text },
        }),
        json!({ "$schema": "http://json-schema.org/draft-04/schema#", "id": "https://example.com/a.json",
                "allOf": [{ "$ref": "a.json#/definitions/a" }], "definitions": { "a": text } }),
    ] {
        assert_eq!(complaints(&schema, &json!("a")), [""; 0], "{schema}");
        assert_eq!(complaints(&schema, &json!(1)), ["at : 1 is not of type \"string\""], "{schema}");
    }
    let tree = json!({ "required": ["id"], "properties": { "children": { "items": { "$ref": "#" } } } });
    let document = json!({ "id": 1, "children": [{ "id": 2 }, { "children": [] }] });
    assert!(complaints(&tree, &document)[0].starts_with("at /children/1: "));
}

#[test]
fn a_schema_may_be_of_any_draft_and_of_none() {
    // Whether `items` may be a list, and its meaning, depends on the draft.
    let tuple = |schema: &str| json!({ "$schema": schema, "items": [{ "type": "string" }] });
    assert_eq!(complaints(&tuple("http://json-schema.org/draft-07/schema#"), &json!([1])).len(), 1);
    assert!(Validator::new(&tuple("https://json-schema.org/draft/2020-12/schema")).is_err());
    assert!(Validator::new(&json!({ "items": [{ "type": "string" }] })).is_err());
    assert_eq!(complaints(&json!({ "prefixItems": [{ "type": "string" }] }), &json!([1])).len(), 1);
    let of_schemas = json!({ "$ref": "https://json-schema.org/draft/2020-12/schema" });
    assert_eq!(complaints(&of_schemas, &json!({ "type": 1 })).len(), 1);
}

#[test]
fn long_ways_and_deep_documents_do_not_overflow_the_stack() {
    let again = json!({ "type": "array", "items": { "$ref": "#/$defs/d0" } });
    let deep = chain(60, |next| json!({ "allOf": [next] }), again);
    assert_eq!(complaints(&deep, &nested(8)), [""; 0]);
    assert_eq!(complaints(&deep, &nested(DEPTH)), ["at : it is nested too deeply to be validated against this schema"]);
    let long = chain(3_000, |next| next, json!({ "type": "array" }));
    assert_eq!(complaints(&long, &json!([])), ["at : it is nested too deeply to be validated against this schema"]);
    assert_eq!(complaints(&json!({ "type": "array" }), &nested(DEPTH)), [""; 0]);
    assert_eq!(
        complaints(&json!({ "type": "array" }), &nested(DEPTH + 1)),
        ["at : it is nested more than 128 levels deep"]
    );
    let schema = (0..DEPTH).fold(json!({}), |inner, _| json!({ "not": inner }));
    assert_eq!(error(&schema), "the schema: it is nested more than 128 levels deep");
}

#[test]
fn a_short_schema_that_takes_ages_is_refused() {
    let complaints =
        |schema: &Value, document: &Value| Validator::new(schema).unwrap().complaints_within(SMALL, document, 5).0;
    let twice = chain(30, |next| json!({ "anyOf": [next, next] }), json!({ "type": "array" }));
    let refused = "at : to hold it against this schema takes more than 1000 steps";
    assert_eq!(complaints(&twice, &json!(1)), [refused]);
    let items = json!({ "$ref": "#" });
    let by_parts = json!({ "allOf": [{ "items": items }, { "items": items }], "type": "array" });
    assert_eq!(complaints(&by_parts, &nested(6)), [""; 0]);
    assert_eq!(complaints(&by_parts, &nested(60)), [refused]);
    let unseen = json!({ "anyOf": [{ "properties": { "a": { "$ref": "#" } } }], "unevaluatedProperties": false });
    let document = (0..60).fold(json!({}), |inner, _| json!({ "a": inner }));
    assert_eq!(complaints(&unseen, &document), [refused]);
}

#[test]
fn of_a_huge_document_the_first_complaint_is_told() {
    let validator = Validator::new(&json!({ "items": { "type": "integer" } })).unwrap();
    let mut document = Value::Array(vec![json!(1); SMALL.listed]);
    assert_eq!(validator.complaints_within(SMALL, &document, 5), (Vec::new(), 0));
    document[7] = json!("a");
    document[9] = json!("b");
    let complaint = "at /7: \"a\" is not of type \"integer\" (no other was looked for)".to_owned();
    assert_eq!(validator.complaints_within(SMALL, &document, 5), (vec![complaint], 1));
}

#[test]
fn a_pattern_that_takes_ages_is_a_complaint() {
    let schema = json!({ "pattern": r"^(a|a)*\1b$" });
    let complaint = &complaints(&schema, &json!("a".repeat(60) + "!"))[0];
    assert!(complaint.starts_with("at : "), "{complaint}");
}

#[test]
fn schemas_that_ask_nothing_are_told_from_those_that_do() {
    for (schema, vacuous) in [
        (json!({}), true),
        (json!(true), true),
        (json!(false), false),
        (json!({ "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "t", "description": "d" }), true),
        (json!({ "propertes": { "a": { "type": "string" } } }), true),
        (json!({ "$defs": { "a": { "type": "string" } } }), true),
        (json!({ "properties": {}, "required": [], "items": {}, "additionalProperties": true }), true),
        (json!({ "additionalProperties": false }), false),
        (json!({ "items": { "type": "string" } }), false),
        (json!({ "type": "object" }), false),
        (json!({ "enum": [] }), false),
        (json!({ "const": {} }), false),
        (json!({ "not": {} }), false),
        (json!({ "$ref": "#/$defs/a", "$defs": { "a": {} } }), false),
        (json!({ "properties": { "a": {} }, "minProperties": 0 }), true),
        (json!({ "properties": { "a": { "type": "string" } } }), false),
        (json!({ "allOf": [true, {}] }), true),
        (json!({ "anyOf": [{ "type": "string" }, {}] }), true),
        (json!({ "anyOf": [{ "type": "string" }] }), false),
        (json!(1), false),
        (json!(null), false),
    ] {
        assert_eq!(is_vacuous(&schema), vacuous, "{schema}");
    }
}

/// Generates arbitrary JSON with many schema keywords.
fn any_json() -> impl Strategy<Value = Value> {
    let words = prop::sample::select(vec![
        "$ref",
        "$id",
        "$anchor",
        "$defs",
        "allOf",
        "anyOf",
        "not",
        "items",
        "properties",
        "a",
        "type",
        "pattern",
        "unevaluatedProperties",
        "$dynamicRef",
        "$dynamicAnchor",
        "required",
        "dependentSchemas",
        "if",
        "then",
    ]);
    let texts = prop::sample::select(vec!["#", "#/$defs/a", "#a", "a", "string", "object", "#/", "#/a/0", "("]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        texts.prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(words.clone().prop_map(str::to_owned), inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn whatever_the_schema_it_is_refused_or_tells_valid_from_invalid(schema in any_json(), document in any_json()) {
        if let Ok(validator) = Validator::new(&schema) {
            let (complaints, count) = validator.complaints(&document, 3);
            prop_assert_eq!(complaints.len() as u64, count.min(3));
            prop_assert_eq!(count == 0, validator.compiled.is_valid(&document));
            prop_assert!(!is_vacuous(&schema) || count == 0, "{} is not vacuous", schema);
            prop_assert!(complaints.iter().all(|complaint| complaint.starts_with("at ")));
        }
    }
}
