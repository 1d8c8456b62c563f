use referee_model::diagnostic_log::{DiagnosticSource, Finding, Position, Sighting};
use referee_model::fingerprint::Fingerprint;
use referee_model::id::{ActionId, Digest, ExecutionId, TaskId};

use super::*;
use crate::human::fixture::{ascii, colored, plain};

fn sighting(number: i64) -> Sighting {
    let execution = ExecutionId::parse(format!("exec-{number}")).unwrap();
    Sighting { execution, at: Timestamp::from_millisecond(1_795_000_000_123 + number * 60_000) }
}

fn known(message: &str, file: Option<&str>, severity: Level, blocking: bool) -> RegisteredDiagnostic {
    RegisteredDiagnostic {
        task: TaskId::parse("T001").unwrap(),
        entry: Finding {
            source: DiagnosticSource::Build,
            action: ActionId::parse("STEP.1").unwrap(),
            action_name: "types".to_owned(),
            command: "npx tsc".to_owned(),
            tool: Some("tsc".to_owned()),
            file: file.map(str::to_owned),
            under_test: None,
            position: file.map(|_| Position { line: 12, column: Some(5) }),
            code: Some("TS2345".to_owned()),
            severity,
            message: message.to_owned(),
            blocking,
            timestamp: sighting(1).at,
            occurrences: 1,
            fingerprint: Fingerprint::version_1(Digest::from_bytes([1; 32])),
        },
        first_seen: sighting(1),
        last_seen: sighting(3),
        count: 4,
        runs: 3,
        cleared: None,
    }
}

fn told(style: Style, out: &mut dyn Write) -> io::Result<()> {
    let standing = [
        known("Argument of type 'string' is not assignable", Some("src/a.ts"), Level::Error, true),
        known("\u{1b}[2Jgone\u{202e} and turned", Some("a\u{7}.ts"), Level::Warning, false),
        RegisteredDiagnostic { last_seen: sighting(1), runs: 1, count: 1, ..known("noted", None, Level::Info, false) },
        known("never shown", None, Level::Info, false),
    ];
    let cleared = [RegisteredDiagnostic {
        cleared: Some(sighting(4)),
        ..known("no such name", Some("src/b.ts"), Level::Error, true)
    }];
    let latest = RegisteredRun {
        task: TaskId::parse("T001").unwrap(),
        execution: sighting(4).execution,
        ended: sighting(4).at,
        reduced: true,
    };
    let told = DiagnosticsView {
        is_registered: true,
        evidence: "evidence",
        scope: "",
        latest: &[&latest],
        standing: &standing.iter().collect::<Vec<_>>(),
        cleared: Some(&cleared.iter().collect::<Vec<_>>()),
        top: 3,
    };
    write(&told, &style, out)
}

#[test]
fn diagnostics_say_what_they_are_and_since_when() {
    insta::assert_snapshot!("wide", plain(120, told));
    insta::assert_snapshot!("colored", colored(120, told));
    insta::assert_snapshot!("narrow", ascii(44, told));
}

#[test]
fn nothing_to_tell_is_told() {
    let nothing = DiagnosticsView {
        is_registered: true,
        evidence: "evidence",
        scope: "",
        latest: &[],
        standing: &[],
        cleared: None,
        top: 3,
    };
    assert_eq!(plain(80, |style, out| write(&nothing, &style, out)), "No active diagnostics.\n");
    let new = DiagnosticsView { scope: "first seen in the latest run", cleared: Some(&[]), ..nothing };
    assert_eq!(
        plain(80, |style, out| write(&new, &style, out)),
        "No active diagnostics first seen in the latest run.\n0 diagnostics cleared.\n"
    );
    let unregistered = DiagnosticsView { is_registered: false, ..nothing };
    assert_eq!(
        plain(100, |style, out| write(&unregistered, &style, out)),
        "No diagnostics are registered below evidence: no run was sealed there yet.\n"
    );
}
