//! What is stored is read back as it was, and nothing else is read.

use proptest::prelude::*;
use referee_model::event::{Event, Happening};
use referee_wire::{
    build_error, diagnostics, event, evidence_name, execution_report, parse, plan, record, run, test_results,
};
use serde_json::{Value, to_value};

use crate::arbitrary;
use crate::fixture;
use crate::schemas::{assert_fits, complaints};

/// Every byte a different one, and every prefix: whatever comes of it, it must not panic.
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
        assert_fits("record", &document);
        let bytes = referee_wire::to_bytes(&document).unwrap();
        prop_assert_eq!(record::read(&bytes).unwrap(), record);
        read_damaged(&bytes, position, replacement, |bytes| drop(record::read(bytes)));
    }

    #[test]
    fn runs(run in arbitrary::run(), position in any::<usize>(), replacement in any::<u8>()) {
        let document = run::document(&run);
        assert_fits("run", &document);
        let bytes = referee_wire::to_bytes(&document).unwrap();
        prop_assert_eq!(run::read(&bytes).unwrap(), run);
        read_damaged(&bytes, position, replacement, |bytes| drop(run::read(bytes)));
    }

    #[test]
    fn plans(plan in arbitrary::plan(), position in any::<usize>(), replacement in any::<u8>()) {
        let document = plan::document(&plan);
        assert_fits("plan", &document);
        let bytes = referee_wire::to_bytes(&document).unwrap();
        let again = plan::read(&bytes).unwrap();
        prop_assert_eq!(plan::digest(&again).ok(), plan::digest(&plan).ok());
        prop_assert_eq!(again, plan);
        read_damaged(&bytes, position, replacement, |bytes| drop(plan::read(bytes)));
    }
}

/// A stored document, and the change that is made to it.
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

#[test]
fn a_plan_that_was_tampered_with_is_refused_with_the_reason() {
    let document = plan::document(&failing_report().plan);
    for (pointer, value, part) in [
        ("/planVersion", "1.1.0".into(), "is of version 1.1.0, and this Referee reads 1.0.0: use a newer Referee"),
        ("/planVersion", "2.0.0".into(), "is of version 2.0.0, and this Referee reads 1.0.0: use a newer Referee"),
        ("/planVersion", "0.9.0".into(), "use the Referee that wrote it"),
        ("/workspace", "work".into(), "`workspace` is not an absolute folder"),
        ("/evidenceRoot", "../evidence".into(), "`evidenceRoot` is not an absolute folder"),
        ("/taskId", "../T001".into(), "is not a task id"),
        ("/actions/0/work/directory", "../..".into(), "leaves the workspace"),
        ("/actions/1/actionId", "STEP.1".into(), "STEP.1 stands twice"),
        ("/actions/0/needs", serde_json::json!(["STEP.2"]), "STEP.1 needs STEP.2, which does not come before it"),
        ("/actions/0/phase", "cleanup".into(), "STEP.2 comes after STEP.1, which belongs to a later phase"),
        ("/actions/0/work/invocation", serde_json::json!({ "argv": [] }), "STEP.1 has an empty `argv`"),
        ("/actions/0/work/invocation", serde_json::json!({ "argv": ["a"], "shell": "b" }), "did not match"),
        ("/completion/minimumPassRate", 101.into(), "`minimumPassRate` lies outside 0 to 100"),
        ("/completion/extra", 1.into(), "unknown field `extra`"),
        ("/extra", 1.into(), "unknown field `extra`"),
    ] {
        let error = plan::read(&changed(&document, pointer, value).1).unwrap_err().to_string();
        assert!(error.starts_with("plan.json ") && error.contains(part), "{pointer}: {error}");
    }
}

#[test]
fn a_record_that_contradicts_itself_is_refused_with_the_reason() {
    let report = failing_report();
    let ran = report.actions[0].ran().unwrap();
    let document = record::document(&report.actions[0].action, &ran.record);
    for (pointer, value, part) in [
        ("/recordVersion", "1.1.0".into(), "use a newer Referee"),
        ("/execution/exitCode", 0.into(), "`execution` and `ending` tell of different ends"),
        ("/ending/code", 0.into(), "`execution` and `ending` tell of different ends"),
        ("/command", "true".into(), "`command` and `argv` differ"),
        ("/authenticity/outputHash", Value::Null, "`authenticity.outputHash` is not the log's"),
        ("/output/log/file", "../STEP.1.log".into(), "is no file of this folder"),
        ("/output/log/file", "..".into(), "is no file of this folder"),
        ("/output/log/bytes", 43.into(), "`streamMap` covers 42 of the log's 43 bytes"),
        ("/output/log/streamMap", serde_json::json!([["out", 40], ["out", 2]]), "neighbours of one stream"),
        ("/output/log/streamMap", serde_json::json!([["out", 42], ["err", 0]]), "an empty segment"),
        ("/output/log/streamMap", serde_json::json!([["out", u64::MAX], ["err", 1]]), "more bytes than can be counted"),
        ("/type", "FILE_VALIDATION".into(), "unknown field"),
        ("/type", "HTTP_REQUEST".into(), "unknown variant"),
        ("/extra", 1.into(), "unknown field `extra`"),
    ] {
        let error = record::read(&changed(&document, pointer, value).1).unwrap_err().to_string();
        assert!(error.starts_with("a record ") && error.contains(part), "{pointer}: {error}");
    }
}

#[test]
fn a_run_that_skips_an_action_twice_is_refused() {
    let (_, report) = fixture::of_each_outcome().swap_remove(5);
    let document = run::document(&report.run);
    let (_, bytes) = changed(&document, "/skipped/1/actionId", "PREREQ.2".into());
    let error = run::read(&bytes).unwrap_err().to_string();
    assert_eq!(error, "run.json contradicts itself or its rules: PREREQ.2 is skipped twice");
    let (_, bytes) = changed(&document, "/runVersion", "1.1.0".into());
    assert!(run::read(&bytes).unwrap_err().to_string().contains("use a newer Referee"));
}

#[test]
fn schemas_refuse_unknown_words() {
    let report = failing_report();
    let plan = plan::document(&report.plan);
    let record = record::document(&report.actions[0].action, &report.actions[0].ran().unwrap().record);
    for (name, (document, _)) in [
        ("plan", changed(&plan, "/actions/0/phase", "later".into())),
        ("plan", changed(&plan, "/actions/0/actionId", "step 1".into())),
        ("record", changed(&record, "/ending/kind", "vanished".into())),
        ("record", changed(&record, "/execution/startTime", "yesterday".into())),
        ("run", changed(&run::document(&report.run), "/host/processId", (-1).into())),
    ] {
        assert!(!complaints(name, &document).is_empty(), "{name}: {document:#}");
    }
}

/// One document of each kind, of an action that failed.
fn one_of_each() -> Vec<(&'static str, Value)> {
    let report = failing_report();
    let action = &report.actions[0].action;
    let ran = report.actions[0].ran().unwrap();
    let tests = ran.reading.tests.as_ref().unwrap();
    let error = report.verdict.build_error.as_ref().unwrap();
    let happening = Happening::ActionFinished(Box::new(ran.record.clone()));
    let event = event::line(&Event { sequence: 1, at: report.run.started, happening });
    vec![
        ("plan", to_value(plan::document(&report.plan)).unwrap()),
        ("record", to_value(record::document(action, &ran.record)).unwrap()),
        ("run", to_value(run::document(&report.run)).unwrap()),
        ("event", serde_json::from_str(&event).unwrap()),
        ("diagnostics", to_value(diagnostics::document(action, &ran.reading)).unwrap()),
        ("parse", to_value(parse::document(&ran.reading)).unwrap()),
        ("test-results", to_value(test_results::document(action, &ran.record, tests)).unwrap()),
        ("build-error", to_value(build_error::document(error)).unwrap()),
        ("execution-report", serde_json::from_slice(&execution_report::render(&report).unwrap()).unwrap()),
    ]
}

/// Returns the pointers of all objects in a document, but for those whose keys are names given by somebody.
fn objects(value: &Value, pointer: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            found.push(pointer.to_owned());
            for (key, member) in members {
                if !["environment", "byRule", "context", "tools"].contains(&key.as_str()) {
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
    for (name, document) in one_of_each() {
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
    let text = String::from_utf8(referee_wire::to_bytes(&document).unwrap()).unwrap();
    assert!(text.contains(r#""streamMap": [["out",40],["err",2]],"#), "{text}");
    assert!(text.contains(&evidence_name::log(&report.actions[0].action, 1)));
}
