use std::path::{Path, PathBuf};

use serde_json::json;

use super::*;
use referee_schema::published as schema;
use referee_schema::validator::Validator;

fn problems(text: &str) -> Vec<String> {
    let error = read(text.as_bytes()).unwrap_err();
    error.complaints.into_iter().map(|complaint| format!("{} {}", complaint.pointer, complaint.problem)).collect()
}

/// Reads a file of the seed's vectors, where they are at hand.
#[expect(clippy::disallowed_methods, reason = "vectors lie beside the project")]
fn reference(name: &str) -> Option<Value> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/reference").join(name);
    let places: [PathBuf; 2] = [beside, Path::new("/work/shared/reference").join(name)];
    let bytes = places.iter().find_map(|place| std::fs::read(place).ok())?;
    Some(serde_json::from_slice(&bytes).unwrap())
}

/// HB-04, HB-07: the reader, the published schema and the seed's own schema agree about every document of the vectors.
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

#[test]
fn a_handback_is_read_as_it_was_written() {
    for text in [
        r#"{"reason":"success","description":"done"}"#,
        r#"{"reason":"question","description":"which one?"}"#,
        r#"{"reason":"error","description":"no","error":{"code":"TIMEOUT","message":"m","context":{"a":[1,{"b":null}]}}}"#,
    ] {
        let handback = read(text.as_bytes()).unwrap();
        assert_eq!(read(&render(&handback).unwrap()).unwrap(), handback);
        let written: Value = serde_json::from_slice(&render(&handback).unwrap()).unwrap();
        assert_eq!(written, serde_json::from_str::<Value>(text).unwrap());
    }
}

#[test]
fn everything_that_is_wrong_is_told_at_once_with_its_place() {
    let text = r#"{"reason":"done","error":{"code":"NOPE","message":"","context":[],"why":1},"extra":{}}"#;
    let told = problems(text);
    for part in [
        "the key \"extra\" is not known",
        "/reason \"done\" is not known: there are success, error, question",
        "`description` is missing",
        "/error the key \"why\" is not known",
        "/error/code \"NOPE\" is not known",
        "/error/message it is empty",
        "/error/context it is a list",
    ] {
        assert!(told.iter().any(|problem| problem.contains(part)), "{part}: {told:#?}");
    }
    assert_eq!(told.len(), 7);
}

#[test]
fn what_two_readers_would_read_differently_is_refused() {
    let twice = r#"{"reason":"error","reason":"success","description":"x"}"#;
    assert!(problems(twice)[0].contains("\"reason\" stands there twice"), "{:?}", problems(twice));
    let within =
        r#"{"reason":"error","description":"x","error":{"code":"TIMEOUT","message":"m","context":{"a":1,"a":2}}}"#;
    assert!(problems(within)[0].contains("twice"));
    for junk in ["", "{", "{} {}", "\u{feff}{}", &"[".repeat(10_000), &format!("\"{}\"", "x".repeat(300_000))] {
        assert_eq!(problems(junk).len(), 1);
    }
}

/// HB-08: accept present, and invalid.
#[test]
fn accept_says_that_an_agent_has_control_and_nothing_else() {
    let at = Timestamp::parse("2026-02-17T03:00:00Z").unwrap();
    let bytes = render_accept(at).unwrap();
    assert_eq!(read_accept(&bytes).unwrap(), at);
    let value: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(value, json!({ "state": "agent", "timestamp": "2026-02-17T03:00:00+00:00" }));
    for (wrong, part) in [
        (json!({ "state": "orchestrator", "timestamp": "2026-02-17T03:00:00Z" }), "only \"agent\" is"),
        (json!({ "state": "agent" }), "`timestamp` is missing"),
        (json!({ "state": "agent", "timestamp": "soon" }), "/timestamp"),
        (json!({ "state": "agent", "timestamp": "2026-02-17T03:00:00Z", "by": "x" }), "\"by\" is not known"),
        (json!([]), "it is a list"),
    ] {
        let error = read_accept(wrong.to_string().as_bytes()).unwrap_err().to_string();
        assert!(error.contains(part), "{part}: {error}");
    }
}

#[test]
fn what_is_no_json_is_told_by_what_it_is_instead() {
    for (text, told) in [
        ("", "it is empty"),
        (" \r\n", "it is empty"),
        ("\u{feff}{}", "byte order mark"),
        (r#"{"reason":"success","reason":"error","description":"x"}"#, "it says a key twice"),
        ("{bad", "it is no JSON: "),
    ] {
        let problems = problems(text);
        assert!(problems.len() == 1 && problems[0].contains(told), "{text:?}: {problems:?}");
    }
}

/// Other programs write times with fractions and zones into the documents of seed 5.
#[test]
fn documents_take_the_times_that_other_programs_write() {
    for (time, is_valid) in [
        ("2026-01-19T05:31:48.519598+00:00", true),
        ("2026-01-19T05:31:48Z", true),
        ("2026-01-19T05:31:48+02:00", true),
        ("2026-01-19T05:31:48+00:00", true),
        ("yesterday", false),
    ] {
        let document = json!({ "stage_id": "explore", "published_at": time, "parameters": {} });
        assert_eq!(crate::stage::parameters::read_output(document.to_string().as_bytes()).is_ok(), is_valid, "{time}");
    }
}
