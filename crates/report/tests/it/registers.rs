//! Documents of the registers that are kept over runs.

use referee_model::diagnostic_log::{
    DiagnosticRegister, DiagnosticSource, Finding, Position, RegisteredDiagnostic, RegisteredRun, Sighting,
};
use referee_model::diagnostic_register::{self, Listing};
use referee_model::fingerprint::Fingerprint;
use referee_model::id::{ActionId, Digest, ExecutionId, TaskId};
use referee_model::reading::Level;
use referee_model::time::Timestamp;
use serde_json::{Value, json};

fn sighting(number: i64) -> Sighting {
    Sighting {
        execution: ExecutionId::parse(format!("exec-{number}")).unwrap(),
        at: Timestamp::from_millisecond(number * 1_000),
    }
}

fn known(number: u8) -> RegisteredDiagnostic {
    let is_whole = number == 1;
    RegisteredDiagnostic {
        task: TaskId::parse("T001").unwrap(),
        entry: Finding {
            source: if is_whole { DiagnosticSource::Build } else { DiagnosticSource::Runtime },
            action: ActionId::parse("STEP.1").unwrap(),
            action_name: "types".to_owned(),
            command: "npx tsc --noEmit".to_owned(),
            tool: is_whole.then(|| "tsc".to_owned()),
            file: is_whole.then(|| "src/a.ts".to_owned()),
            under_test: None,
            position: is_whole.then_some(Position { line: 12, column: Some(5) }),
            code: is_whole.then(|| "TS2345".to_owned()),
            severity: if is_whole { Level::Error } else { Level::Info },
            message: "line one\nline \u{1b}[31mtwo".to_owned(),
            blocking: is_whole,
            timestamp: Timestamp::from_millisecond(1_000),
            occurrences: 2,
            fingerprint: Fingerprint::version_1(Digest::from_bytes([number; 32])),
        },
        first_seen: sighting(1),
        last_seen: sighting(2),
        count: 3,
        runs: 2,
        cleared: (!is_whole).then(|| sighting(3)),
    }
}

fn register() -> DiagnosticRegister {
    let run = |number| RegisteredRun {
        task: TaskId::parse("T001").unwrap(),
        execution: sighting(number).execution,
        ended: sighting(number).at,
        reduced: number == 2,
    };
    DiagnosticRegister {
        runs: vec![run(1), run(2), run(3)],
        entries: vec![known(1), known(2)],
        dropped: 7,
        ..DiagnosticRegister::default()
    }
}

#[test]
fn a_register_of_diagnostics_is_read_as_it_was_written() {
    let bytes = referee_model::document::to_bytes(&register()).unwrap();
    assert_eq!(diagnostic_register::read(&bytes).unwrap(), register());
    insta::assert_snapshot!("diagnostics_register", String::from_utf8(bytes).unwrap());
    let empty = referee_model::document::to_bytes(&DiagnosticRegister::default()).unwrap();
    assert_eq!(diagnostic_register::read(&empty).unwrap(), DiagnosticRegister::default());
}

#[test]
fn what_is_no_register_of_diagnostics_is_refused_with_the_reason() {
    let whole = serde_json::to_value(register()).unwrap();
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut value = whole.clone();
        change(&mut value);
        diagnostic_register::read(value.to_string().as_bytes()).unwrap_err().to_string()
    };
    let twice = |pointer: &str| {
        let pointer = pointer.to_owned();
        move |value: &mut Value| {
            let list = value.pointer_mut(&pointer).unwrap().as_array_mut().unwrap();
            list.push(list[0].clone());
        }
    };
    for (error, part) in [
        (changed(&|value| value["diagnosticsRegisterVersion"] = json!("1.1.0")), "use a newer Referee"),
        (changed(&|value| drop(value.as_object_mut().unwrap().remove("diagnosticsRegisterVersion"))), "has no version"),
        (changed(&|value| value["verdict"] = json!("PASS")), "unknown field `verdict`"),
        (
            changed(&|value| value["diagnostics"][0]["diagnostic"]["fingerprint"] = json!("v1:00")),
            "is not a fingerprint",
        ),
        (changed(&|value| value["diagnostics"][0]["count"] = json!(-1)), "invalid value"),
        (changed(&|value| value["diagnostics"][0]["count"] = json!(1)), "seen less often"),
        (changed(&|value| value["diagnostics"][0]["runs"] = json!(0)), "seen less often"),
        (changed(&|value| value["runs"][0]["executionId"] = json!("../../etc")), "is not an execution id"),
        (changed(&twice("/runs")), "exec-1 of T001 appears twice"),
        (changed(&twice("/diagnostics")), "of T001 appears twice"),
        (
            changed(&|value| value["diagnostics"] = Value::Array(vec![whole["diagnostics"][0].clone(); 10_001])),
            "more than 10000",
        ),
        (
            changed(&|value| {
                value["runs"] = Value::Array(
                    (0..1_003)
                        .map(|number| {
                            let mut run = whole["runs"][0].clone();
                            run["executionId"] = json!(format!("exec-{number}"));
                            run
                        })
                        .collect(),
                );
            }),
            "more than 1000 runs",
        ),
    ] {
        assert!(error.contains(part), "{error}: {part}");
    }
    let half = referee_model::document::to_bytes(&register()).unwrap();
    for junk in [&half[..half.len() / 2], b"", b"null", b"\xff\xfe"] {
        assert!(diagnostic_register::read(junk).is_err());
    }
}

#[test]
fn a_list_of_diagnostics_fits_its_schema_and_says_what_it_leaves_out() {
    let register = register();
    let (standing, cleared): (Vec<_>, Vec<_>) = register.entries.iter().partition(|known| known.cleared.is_none());
    let since = ExecutionId::parse("exec-1").unwrap();
    let listing = Listing {
        is_registered: true,
        latest: &[&register.runs[2]],
        since: Some(&since),
        standing: &standing,
        cleared: &cleared,
        top: 0,
    };
    let document = diagnostic_register::list(&listing);
    let document = serde_json::to_value(&document).unwrap();
    assert_eq!(
        (&document["standing"], &document["cleared"], &document["since"]),
        (&json!(1), &json!(1), &json!("exec-1"))
    );
    assert_eq!((&document["diagnostics"], &document["clearedDiagnostics"]), (&json!([]), &json!([])));
}
