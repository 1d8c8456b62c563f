//! The reader of handbacks, the published schemas and the seed's own schemas agree.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::Path;

use referee_model::handback::{HandbackCode, read};
use referee_schema::published as schema;
use referee_schema::validator::Validator;
use serde_json::{Value, json};

/// Reads a file of the seed's vectors, if they are available.
#[expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "vectors are beside the project, or the test says that they do not"
)]
fn reference(name: &str) -> Option<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/reference").join(name);
    let Ok(bytes) = std::fs::read(path) else {
        println!("skipped: no ../shared");
        return None;
    };
    Some(serde_json::from_slice(&bytes).unwrap())
}

/// HB-04, HB-07: the reader, the published schema and the seed's own schema agree on every document of the vectors.
#[test]
fn reader_and_schemas_agree_about_every_document() {
    let own = Validator::new(&schema::schema("handback").unwrap()).unwrap();
    let mut rows = vec![
        (json!({ "reason": "success", "description": "x" }), true),
        (json!({ "reason": "error", "description": "x" }), false),
        (json!({ "reason": "success", "description": "x", "error": { "code": "TIMEOUT", "message": "m" } }), true),
        (json!({ "reason": "success", "description": "x", "error": { "code": "TIMEOUT" } }), false),
        (json!({ "reason": "success", "description": "x", "error": null }), false),
        (json!({ "reason": "question", "description": "x", "by": "me" }), false),
        (json!([]), false),
        (json!("success"), false),
        (json!(null), false),
    ];
    if let Some(vectors) = reference("cases/handback_documents.json") {
        let cases = vectors["cases"].as_array().unwrap();
        assert_eq!(cases.len(), 21);
        rows.extend(cases.iter().map(|case| (case["document"].clone(), case["valid"] == true)));
        let codes: Vec<&str> = HandbackCode::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(json!(codes), vectors["codes"]);
    }
    let seeds = reference("handback/wf-spec/schemas/handback.schema.json");
    let seeds = seeds.map(|schema| Validator::new(&schema).unwrap());
    for (document, is_valid) in rows {
        assert_eq!(read(document.to_string().as_bytes()).is_ok(), is_valid, "reader: {document}");
        assert_eq!(own.complaints(&document, 9).0.is_empty(), is_valid, "schema: {document}");
        let by_seed = seeds.as_ref().map(|schema| schema.complaints(&document, 9).0.is_empty());
        assert!(by_seed.is_none_or(|valid| valid == is_valid), "seed's schema: {document}");
    }
}

#[test]
fn the_codes_mean_what_the_seed_says_and_are_those_of_the_schema() {
    let schema = schema::schema("handback").unwrap();
    let codes: Vec<&str> = HandbackCode::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(schema["$defs"]["FaultDocument"]["properties"]["code"]["enum"], json!(codes));
    for code in HandbackCode::ALL {
        assert_eq!(HandbackCode::parse(code.as_str()), Some(code));
        if let Some(seed) = reference("handback/wf-spec/schemas/error-codes.json") {
            assert_eq!(seed["ERROR_CODES"][code.as_str()], code.meaning(), "{}", code.as_str());
        }
    }
}
