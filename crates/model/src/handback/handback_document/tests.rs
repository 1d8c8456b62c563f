use serde_json::json;

use super::*;

fn problems(text: &str) -> Vec<String> {
    let error = read(text.as_bytes()).unwrap_err();
    error.complaints.into_iter().map(|complaint| format!("{} {}", complaint.pointer, complaint.problem)).collect()
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
        "/error/context expected an object, found a list",
    ] {
        assert!(told.iter().any(|problem| problem.contains(part)), "{part}: {told:#?}");
    }
    assert_eq!(told.len(), 7);
}

#[test]
fn what_two_readers_would_read_differently_is_refused() {
    let twice = r#"{"reason":"error","reason":"success","description":"x"}"#;
    assert!(problems(twice)[0].contains("\"reason\" appears twice"), "{:?}", problems(twice));
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
        ("{bad", "it is not JSON: "),
    ] {
        let problems = problems(text);
        assert!(problems.len() == 1 && problems[0].contains(told), "{text:?}: {problems:?}");
    }
}

/// Other programs write times with fractions and zones into documents of seed 5.
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
