//! Stored documents are read back unchanged, and anything else is refused.

use proptest::prelude::*;
use referee_model::event::journal;
use referee_model::event::{Event, EventKind};
use referee_model::evidence_name;
use referee_model::plan::Work;
use referee_model::plan::http::{Assertion, JsonExpectation};
use referee_model::plan::plan_document as plan;
use referee_model::record::attempt_record as record;
use referee_model::record::header as run;
use referee_report::diagnostics;
use referee_report::execution_report;
use referee_report::parse;
use referee_report::test_results;
use serde_json::{Value, to_value};

use crate::arbitrary;
use crate::fixture::{self, run_context};
use crate::schemas::{assert_fits, complaints};

/// Reads variants with one changed byte, and every prefix; whatever the result, it must not panic.
fn read_damaged(bytes: &[u8], position: usize, replacement: u8, read: impl Fn(&[u8])) {
    let mut damaged = bytes.to_vec();
    let position = position % bytes.len();
    damaged[position] = replacement;
    read(&damaged);
    read(&bytes[..position]);
}

proptest! {
    #[test]
    fn records(record in arbitrary::record(), position in any::<usize>(), replacement in any::<u8>()) {
        let action = fixture::action("STEP.1", "types", fixture::command("true"));
        let document = record::document(&action, &record);
        let bytes = referee_model::document::to_bytes(&document).unwrap();
        prop_assert_eq!(record::read(&bytes).unwrap(), record);
        read_damaged(&bytes, position, replacement, |bytes| drop(record::read(bytes)));
    }

    #[test]
    fn runs(run in arbitrary::run(), position in any::<usize>(), replacement in any::<u8>()) {
        let bytes = run::KIND.encode(&run).unwrap();
        prop_assert_eq!(run::read(&bytes).unwrap(), run);
        read_damaged(&bytes, position, replacement, |bytes| drop(run::read(bytes)));
    }

    #[test]
    fn plans(plan in arbitrary::plan(), position in any::<usize>(), replacement in any::<u8>()) {
        let bytes = plan::KIND.encode(&plan).unwrap();
        let again = plan::read(&bytes).unwrap();
        prop_assert_eq!(plan::digest(&again).ok(), plan::digest(&plan).ok());
        prop_assert_eq!(again, plan);
        read_damaged(&bytes, position, replacement, |bytes| drop(plan::read(bytes)));
    }

    #[test]
    fn events_of_what_is_recorded(
        record in arbitrary::record(),
        service in arbitrary::stopped_service(),
        reason in arbitrary::skip_reason(),
        sequence in 1..u64::MAX,
        position in any::<usize>(),
        replacement in any::<u8>(),
    ) {
        let (attempt, at) = (record.attempt, record.span.ended);
        let action = record.action.clone();
        let stopped = EventKind::ServiceStopped(Box::new(service.clone()));
        for (happening, kind, action, attempt) in [
            (EventKind::ActionFinished(Box::new(record)), "action-finished", action.clone(), Some(attempt)),
            (stopped, "service-stopped", service.action, Some(service.attempt)),
            (EventKind::ActionSkipped { action: action.clone(), reason }, "action-skipped", action, None),
        ] {
            let line = journal::line(&Event { sequence, at, happening });
            prop_assert!(!line.contains('\n'), "{}", line);
            assert_fits("event", &serde_json::from_str::<Value>(&line).unwrap());
            let read = journal::read_line(&line).unwrap();
            prop_assert_eq!((read.sequence, read.at, read.kind.as_str()), (sequence, at, kind));
            prop_assert_eq!((read.action, read.attempt), (Some(action), attempt));
            read_damaged(line.as_bytes(), position, replacement, |bytes| {
                drop(journal::read_line(&String::from_utf8_lossy(bytes)));
            });
        }
    }
}

/// Returns a stored document with one value changed.
fn changed(document: &impl serde::Serialize, pointer: &str, value: Value) -> (Value, Vec<u8>) {
    let mut document = serde_json::to_value(document).unwrap();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    match document.pointer_mut(parent).unwrap() {
        Value::Object(members) => drop(members.insert(key.to_owned(), value)),
        Value::Array(items) => items[key.parse::<usize>().unwrap()] = value,
        other => panic!("{parent} is {other}"),
    }
    let bytes = document.to_string().into_bytes();
    (document, bytes)
}

fn failing_report() -> referee_model::report::Report {
    fixture::of_each_outcome().swap_remove(1).1
}

fn conditions(condition: &str) -> Value {
    serde_json::json!([{ "condition": condition, "description": "" }])
}

fn problem(line: u32) -> Value {
    serde_json::json!({ "actionId": null, "message": "", "pointer": "", "keyword": "", "line": line, "column": 1 })
}

#[test]
fn a_plan_that_was_tampered_with_is_refused_with_the_reason() {
    let report = failing_report();
    let document = plan::KIND.versioned(&report.plan);
    for (pointer, value, part) in [
        ("/planVersion", "2.1.0".into(), "has version 2.1.0, and this Referee reads 2.0.0: use a newer Referee"),
        ("/planVersion", "3.0.0".into(), "has version 3.0.0, and this Referee reads 2.0.0: use a newer Referee"),
        ("/planVersion", "1.0.0".into(), "use the Referee that wrote it"),
        ("/workspace", "work".into(), "`workspace` is not an absolute directory"),
        ("/evidenceRoot", "../evidence".into(), "`evidenceRoot` is not an absolute directory"),
        ("/taskId", "../T001".into(), "is not a task id"),
        ("/actions/0/work/command/directory", "../..".into(), "is outside the workspace"),
        ("/actions/1/actionId", "STEP.1".into(), "STEP.1 appears twice"),
        ("/actions/0/needs", serde_json::json!(["STEP.2"]), "STEP.1 needs STEP.2, which does not come before it"),
        ("/actions/0/phase", "cleanup".into(), "STEP.2 comes after STEP.1, which belongs to a later phase"),
        ("/actions/0/work/command/invocation", serde_json::json!({ "argv": [] }), "STEP.1: `argv` is empty"),
        ("/actions/0/work/command/invocation", serde_json::json!({ "argv": ["a"], "shell": "b" }), "cannot read"),
        ("/actions/0/work", serde_json::json!({ "vanished": {} }), "unknown variant `vanished`"),
        ("/actions/0/work", serde_json::json!({ "unsupported": "DATABASE_QUERY" }), "unknown variant `unsupported`"),
        ("/actions/0/retries", 6.into(), "STEP.1 is tried again more than 5 times"),
        ("/dependsOn", serde_json::json!(["T030"]), "T030 depends on itself"),
        (
            "/criteria/successConditions",
            conditions("STEP.1.exitCode ==="),
            "`STEP.1.exitCode ===` is not a condition: ",
        ),
        ("/criteria/failureConditions", conditions(""), "`` is not a condition: "),
        ("/problems", serde_json::json!([problem(0)]), "a problem stands at line or column 0"),
        ("/profile", "lenient".into(), "unknown variant `lenient`"),
        ("/completion/minimumPassRate", 101.into(), "`minimumPassRate` is outside 0 to 100"),
        ("/completion/extra", 1.into(), "unknown field `extra`"),
        ("/extra", 1.into(), "unknown field `extra`"),
    ] {
        let error = plan::read(&changed(&document, pointer, value).1).unwrap_err().to_string();
        assert!(error.contains("plan.json") && error.contains(part), "{pointer}: {error}");
    }
}

#[test]
fn a_record_that_contradicts_itself_is_refused_with_the_reason() {
    let report = failing_report();
    let ran = report.actions[0].ran().unwrap();
    let document = record::document(&report.actions[0].action, &ran.record);
    for (pointer, value, part) in [
        ("/recordVersion", "1.0.0".into(), "use the Referee that wrote it"),
        ("/recordVersion", "2.1.0".into(), "use a newer Referee"),
        ("/execution/exitCode", 0.into(), "`/execution/exitCode` is not what the rest of it says"),
        ("/execution/killed", true.into(), "`/execution/killed` is not what the rest of it says"),
        ("/ending/code", 0.into(), "`/execution/exitCode` is not what the rest of it says"),
        ("/command", "true".into(), "`/command` is not what the rest of it says"),
        ("/authenticity/outputHash", Value::Null, "`/authenticity/outputHash` is not what the rest of it says"),
        ("/output", Value::Null, "`/authenticity/outputHash` is not what the rest of it says"),
        ("/output/file", "../STEP.1.log".into(), "is not in this directory"),
        ("/output/file", "..".into(), "is not in this directory"),
        ("/output/bytes", 43.into(), "`streamMap` covers 42 of the log's 43 bytes"),
        ("/output/streamMap", "out 40, out 2".into(), "neighbours of one stream"),
        ("/output/streamMap", "out 42, err 0".into(), "an empty segment"),
        ("/output/streamMap", "out 042".into(), "an empty segment"),
        ("/output/streamMap", "42".into(), "`42` is not a segment"),
        ("/output/streamMap", format!("out {}, err 1", u64::MAX).into(), "more bytes than can be counted"),
        ("/authenticity/timestamp", "2026-11-21T09:05:24.123Z".into(), "`/authenticity/timestamp` is not"),
        ("/authenticity/capturedBy", "somebody".into(), "`/authenticity/capturedBy` is not"),
        ("/type", "FILE_VALIDATION".into(), "`type` is FILE_VALIDATION, which such facts are never of"),
        ("/type", "VANISHED".into(), "unknown variant"),
        ("/kind", "file".into(), "missing field"),
        ("/kind", "not-executed".into(), "`/argv` is not what the rest of it says"),
        ("/kind", "vanished".into(), "unknown variant"),
        ("/attempt", 0.into(), "`attempt` is 0, and the first is 1"),
        ("/extra", 1.into(), "`/extra` is not what the rest of it says"),
        ("/execution/extra", 1.into(), "`/execution/extra` is not what the rest of it says"),
    ] {
        let error = record::read(&changed(&document, pointer, value).1).unwrap_err().to_string();
        assert!(error.contains("a record") && error.contains(part), "{pointer}: {error}");
    }
}

/// Returns the plan and the record of the action with this number.
fn recorded(report: &referee_model::report::Report, number: usize) -> Value {
    let report = &report.actions[number];
    to_value(record::document(&report.action, &report.ran().unwrap().record)).unwrap()
}

// Another parser might take the other value.
#[test]
fn a_record_in_which_a_key_stands_twice_is_refused() {
    let text = recorded(&run_context::requests(), 1).to_string();
    for (key, once) in [("success", "\"success\":true"), ("recordVersion", "\"recordVersion\":\"2.0.0\"")] {
        let twice = text.replacen(once, &format!("{once},{once}"), 1);
        assert_ne!(twice, text, "{key}");
        let error = record::read(twice.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(key) && error.contains("twice"), "{error}");
    }
}

#[test]
fn a_record_of_a_request_that_contradicts_itself_is_refused_with_the_reason() {
    let requests = run_context::requests();
    let (answered, refused) = (recorded(&requests, 1), recorded(&requests, 2));
    for (document, pointer, value, part) in [
        (&answered, "/response/success", false.into(), "`/response/success` is not"),
        (&answered, "/response/headers/Content-Type", "text/plain".into(), "`/response/headers/Content-Type` is not"),
        (&answered, "/response/headerLines", serde_json::json!([["a", "b"]]), "`/response/headers/"),
        (&answered, "/response/status", 70_000.into(), "invalid value"),
        (&answered, "/response/body/file", "../secret".into(), "is not in this directory"),
        (&answered, "/response/assertions/1/schema/errorCount", 0.into(), "has 0 complaints, and 1 are listed"),
        (&answered, "/response/captures/0/name", "a}b".into(), "`a}b` is not a name for a captured value"),
        (&answered, "/response/captures/0/value", "found".into(), "unknown field `value`"),
        (&answered, "/authenticity/outputHash", Value::Null, "`/authenticity/outputHash` is not"),
        (&answered, "/request/headers", serde_json::json!({ "a": "b" }), "`/request/headers/"),
        (&answered, "/request/timestamp", "2026-11-21T09:05:24.124Z".into(), "`/request/timestamp` is not"),
        (&answered, "/type", "TERMINAL_COMMAND".into(), "which such facts are never of"),
        (&refused, "/response/success", true.into(), "`/response/success` is not"),
        (&refused, "/response/duration", 1.into(), "`/response/duration` is not"),
        (&refused, "/response/kind", "answered".into(), "invalid type: null, expected u16"),
        (&refused, "/response/cause", "bored".into(), "unknown variant `bored`"),
        (&refused, "/diagnostics/port", (-1).into(), "`/diagnostics` is not"),
    ] {
        let error = record::read(&changed(document, pointer, value).1).unwrap_err().to_string();
        assert!(error.contains("a record") && error.contains(part), "{pointer}: {error}");
    }
}

#[test]
fn a_record_of_a_service_or_of_files_that_contradicts_itself_is_refused_with_the_reason() {
    let service = recorded(&run_context::services(), 1);
    let files = recorded(&run_context::files(), 0);
    for (document, pointer, value, part) in [
        (&service, "/started/command", "true".into(), "unknown field `command`"),
        (&service, "/readiness/kind", "ready".into(), "unknown field"),
        (&service, "/output", Value::Null, "`/authenticity/outputHash` is not"),
        (&service, "/type", "HTTP_REQUEST".into(), "which such facts are never of"),
        (&files, "/files/1/filePath", "data/a.json".into(), "`data/a.json` appears twice or out of order"),
        (&files, "/files/0/observation/content/file", "..".into(), "is not in this directory"),
        (&files, "/files/0/observation/syntax/kind", "perfect".into(), "unknown variant"),
        (&files, "/files/0/observation/kind", "missing".into(), "`/files/0/observation/"),
    ] {
        let error = record::read(&changed(document, pointer, value).1).unwrap_err().to_string();
        assert!(error.contains("a record") && error.contains(part), "{pointer}: {error}");
    }
}

#[test]
fn a_plan_of_requests_and_services_that_was_tampered_with_is_refused_with_the_reason() {
    let (requests, services) = (run_context::requests(), run_context::services());
    let requests = plan::KIND.versioned(&requests.plan);
    let services = plan::KIND.versioned(&services.plan);
    let captured = |name: &str| serde_json::json!([{ "captured": name }, { "text": "/a" }]);
    for (document, pointer, value, part) in [
        (&requests, "/actions/0/work/http/url", captured("a}b"), "data did not match any variant"),
        (&requests, "/actions/0/work/http/url", serde_json::json!([{ "text": "a" }]), "a text with holes has"),
        (
            &requests,
            "/actions/0/work/http/url",
            serde_json::json!([{ "text": "" }, { "captured": "a" }]),
            "an empty part",
        ),
        (&requests, "/actions/0/work/http/expectedStatuses/0/from", 99.into(), "99 to 200 is not a range of statuses"),
        (
            &requests,
            "/actions/0/work/http/expectedStatuses/0/from",
            201.into(),
            "201 to 200 is not a range of statuses",
        ),
        (&requests, "/actions/0/work/http/assertions/1/jsonSchema/inline", "{".into(), "the inline schema is not JSON"),
        (
            &requests,
            "/actions/0/work/http/assertions/0/jsonPath/expectation",
            serde_json::json!({ "equals": "a" }),
            "is not JSON",
        ),
        (&requests, "/actions/0/work/http/bodyLimitBytes", u64::MAX.into(), "`bodyLimitBytes` is more than"),
        (&requests, "/actions/0/work/http/caFile", "../ca.pem".into(), "is outside the workspace"),
        (&services, "/actions/0/work/service/command/invocation", serde_json::json!({ "argv": [] }), "`argv` is empty"),
        (
            &services,
            "/actions/0/work/service/port",
            serde_json::json!({ "auto": "" }),
            "not a name for a captured value",
        ),
    ] {
        let error = plan::read(&changed(document, pointer, value).1).unwrap_err().to_string();
        assert!(error.contains("plan.json") && error.contains(part), "{pointer}: {error}");
    }
    let (_, bytes) = changed(&requests, "/actions/0/work/http/url", captured("quote"));
    assert!(plan::read(&bytes).is_ok());
}

#[test]
fn a_service_that_ended_twice_is_refused() {
    let mut document = to_value(run::KIND.versioned(&run_context::services().run)).unwrap();
    let service = document["services"][0].clone();
    document["services"] = vec![service.clone(), service].into();
    let error = run::read(document.to_string().as_bytes()).unwrap_err().to_string();
    assert_eq!(error, "run.json is inconsistent: the service of PREREQ.1 ended twice");
    document["services"][1]["attempt"] = 2.into();
    document["services"][1]["execution"]["extra"] = 1.into();
    let error = run::read(document.to_string().as_bytes()).unwrap_err().to_string();
    assert!(error.contains("`/services/1/execution/extra`"), "{error}");
    document["services"][1]["execution"].as_object_mut().unwrap().remove("extra");
    assert_eq!(run::read(document.to_string().as_bytes()).unwrap().services.len(), 2);
    document["runVersion"] = "2.1.0".into();
    assert!(run::read(document.to_string().as_bytes()).unwrap_err().to_string().contains("use a newer Referee"));
}

#[test]
fn a_bound_that_json_cannot_hold_is_never_written_as_none() {
    let mut report = run_context::requests();
    let Work::Http(request) = &mut report.plan.actions[0].work else { unreachable!("it was made as a request") };
    let expectation = JsonExpectation::Range { min: Some(f64::NEG_INFINITY), max: None };
    request.assertions = vec![Assertion::JsonPath { path: "$".to_owned(), expectation }];
    assert!(referee_model::document::to_bytes(&plan::KIND.versioned(&report.plan)).is_err());
    assert!(plan::digest(&report.plan).is_err());
}

/// Returns documents of each kind, for a failed action and for all kinds of work.
fn one_of_each() -> Vec<(&'static str, Value)> {
    let report = failing_report();
    let action = &report.actions[0].action;
    let ran = report.actions[0].ran().unwrap();
    let tests = ran.reading.tests.as_ref().unwrap();
    let error = report.verdict.build_error.as_ref().unwrap();
    let happening = EventKind::ActionFinished(Box::new(ran.record.clone()));
    let event = journal::line(&Event { sequence: 1, at: report.run.started, happening });
    let mut documents = vec![
        ("plan", to_value(plan::KIND.versioned(&report.plan)).unwrap()),
        ("record", to_value(record::document(action, &ran.record)).unwrap()),
        ("run", to_value(run::KIND.versioned(&report.run)).unwrap()),
        ("event", serde_json::from_str(&event).unwrap()),
        ("diagnostics", to_value(diagnostics::document(action, &ran.reading)).unwrap()),
        ("parse", to_value(parse::document(&ran.reading)).unwrap()),
        ("test-results", to_value(test_results::document(action, &ran.record, tests)).unwrap()),
        ("build-error", to_value(error).unwrap()),
        ("execution-report", serde_json::from_slice(&execution_report::render(&report).unwrap()).unwrap()),
    ];
    for report in [
        run_context::requests(),
        run_context::services(),
        run_context::misspecified(),
        run_context::files(),
        run_context::reduced(),
    ] {
        documents.push(("plan", to_value(plan::KIND.versioned(&report.plan)).unwrap()));
        documents.push(("run", to_value(run::KIND.versioned(&report.run)).unwrap()));
        for (action, ran) in report.actions.iter().filter_map(|report| Some((&report.action, report.ran()?))) {
            documents.push(("record", to_value(record::document(action, &ran.record)).unwrap()));
            let happening = EventKind::ActionFinished(Box::new(ran.record.clone()));
            let line = journal::line(&Event { sequence: 1, at: ran.record.span.ended, happening });
            documents.push(("event", serde_json::from_str(&line).unwrap()));
        }
    }
    documents
}

/// Returns the pointers of all objects in a document, except of those whose keys are arbitrary names.
fn objects(value: &Value, pointer: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            found.push(pointer.to_owned());
            for (key, member) in members {
                if !["environment", "lateEnvironment", "headers", "byRule", "context", "tools"].contains(&key.as_str())
                {
                    objects(member, &format!("{pointer}/{key}"), found);
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                objects(item, &format!("{pointer}/{index}"), found);
            }
        }
        _ => {}
    }
}

#[test]
fn schemas_refuse_unknown_keys_everywhere() {
    let published = |name: &str| referee_schema::published::names().any(|known| known == name);
    for (name, document) in one_of_each().into_iter().filter(|(name, _)| published(name)) {
        assert_eq!(complaints(name, &document), [""; 0], "{name}");
        let mut pointers = Vec::new();
        objects(&document, "", &mut pointers);
        for pointer in pointers {
            let (extended, _) = changed(&document, &format!("{pointer}/unheardOf"), 1.into());
            assert!(!complaints(name, &extended).is_empty(), "{name} takes {pointer}/unheardOf");
        }
    }
}

#[test]
fn the_stream_map_stays_on_one_line() {
    let report = failing_report();
    let document = record::document(&report.actions[0].action, &report.actions[0].ran().unwrap().record);
    let text = String::from_utf8(referee_model::document::to_bytes(&document).unwrap()).unwrap();
    assert!(text.contains(r#""streamMap": "out 40, err 2","#), "{text}");
    assert!(text.contains(&evidence_name::log(&report.actions[0].action, 1)));
}
