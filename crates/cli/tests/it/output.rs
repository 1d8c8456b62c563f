//! What people and programs see.

use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::{Workspace, program};

const MIXED: &str =
    "checks:\n  good: 'echo fine'\n  bad: 'echo broken >&2; exit 3'\n  after: { run: 'true', needs: bad }\n";

#[test]
fn json_lines_are_the_journal_then_the_report_and_nothing_else() {
    let workspace = Workspace::with(MIXED);
    let finished = workspace.referee(&["run", "--format", "jsonl"]).exits(6);
    let lines: Vec<Value> = finished.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (report, events) = lines.split_last().unwrap();
    let journal = String::from_utf8(workspace.evidence("T001")["journal.jsonl"].clone()).unwrap();
    let journal: Vec<Value> = journal.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(events, journal, "who listens is told exactly what stands in the journal");
    let sequences: Vec<u64> = events.iter().map(|event| event["sequence"].as_u64().unwrap()).collect();
    assert_eq!(sequences, (1..=events.len() as u64).collect::<Vec<_>>());
    assert_eq!(report["type"], "report");
    assert_eq!(report["report"], workspace.report("T001"));
    assert_eq!(report["exitCode"], 6);
    let schema = workspace.referee(&["schema", "event"]).exits(0).json();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for event in events {
        assert!(
            validator.is_valid(event),
            "{event:#}: {:?}",
            validator.iter_errors(event).map(|e| e.to_string()).collect::<Vec<_>>()
        );
    }
}

#[test]
fn one_json_document_holds_events_and_report() {
    let workspace = Workspace::with(MIXED);
    let document = workspace.referee(&["run", "--format", "json"]).exits(6).json();
    assert_eq!(document["report"], workspace.report("T001"));
    assert!(document["events"].as_array().unwrap().len() > 5);
}

#[test]
fn sealed_documents_hold_to_their_published_schemas() {
    let workspace = Workspace::with(MIXED);
    workspace.referee(&["run", "-q"]).exits(6);
    let evidence = workspace.evidence("T001");
    for (file, schema) in
        [("execution-report.json", "execution-report"), ("technical-debt-data.json", "technical-debt")]
    {
        let schema = workspace.referee(&["schema", schema]).exits(0).json();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let document: Value = serde_json::from_slice(&evidence[file]).unwrap();
        let errors: Vec<_> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{file}: {errors:#?}");
    }
}

#[test]
fn without_a_terminal_there_are_plain_lines_and_no_control_characters() {
    let workspace = Workspace::with(MIXED);
    let finished = workspace.referee(&["run"]).exits(6);
    for text in [&finished.stdout, &finished.stderr] {
        assert!(!text.contains('\u{1b}') && !text.contains('\r'), "{text:?}");
    }
    assert!(finished.stdout.contains("FAIL") && finished.stdout.contains("evidence/T001/execution-report.json"));
    assert!(finished.stdout.contains("broken"), "the telling lines of the failure: {}", finished.stdout);
}

#[test]
fn quiet_says_the_decision_and_what_blocks_and_little_else() {
    let workspace = Workspace::with(MIXED);
    let finished = workspace.referee(&["run", "-q"]).exits(6);
    assert_eq!(finished.stderr, "");
    assert!(finished.stdout.lines().count() <= 6 && finished.stdout.contains("bad"), "{}", finished.stdout);
}

#[test]
fn colour_follows_the_flag_then_the_environment() {
    let workspace = Workspace::with("checks: {a: 'true'}\n");
    let colored = |arguments: &[&str], variables: &[(&str, &str)]| {
        let output = workspace.command(arguments).envs(variables.iter().copied()).output().unwrap();
        output.stdout.contains(&0x1b)
    };
    assert!(!colored(&["run"], &[]), "no terminal");
    assert!(colored(&["run", "--color", "always"], &[("NO_COLOR", "1")]));
    assert!(colored(&["run"], &[("CLICOLOR_FORCE", "1")]));
    assert!(!colored(&["run"], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    assert!(!colored(&["run", "--color", "never"], &[("CLICOLOR_FORCE", "1")]));
}

#[test]
fn at_a_terminal_progress_is_drawn_and_children_have_no_terminal() {
    let workspace = Workspace::with(
        "checks: {tty: 'if (: </dev/tty) 2>/dev/null; then echo has a terminal; else echo has none; fi; sleep 0.5'}\n",
    );
    // script(1) gives the program a pseudo-terminal of its own.
    let line = format!("{} run", program().display());
    let output = Command::new("script")
        .args(["-qec", &line, "/dev/null"])
        .current_dir(workspace.path(""))
        .env_remove("CI")
        .env_remove("NO_COLOR")
        .env("TERM", "xterm-256color")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{shown}");
    assert!(shown.contains('\u{1b}'), "colour and a live line: {shown:?}");
    let log = String::from_utf8(workspace.evidence("T001")["STEP.1-tty.log"].clone()).unwrap();
    assert_eq!(log, "has none\n");
}

#[test]
fn a_reader_that_goes_away_changes_nothing_about_the_exit_code() {
    let workspace = Workspace::with(MIXED);
    for format in ["human", "jsonl", "json"] {
        let mut child = workspace.command(&["run", "--format", format]).spawn().unwrap();
        drop(child.stdout.take());
        assert_eq!(child.wait().unwrap().code(), Some(6), "{format}");
    }
}

#[test]
fn hostile_output_cannot_drive_the_terminal() {
    let workspace =
        Workspace::with("checks: {evil: 'printf \"\\033]0;owned\\007\\033[2J\\033[31mred\\n\" >&2; exit 1'}\n");
    let finished = workspace.referee(&["run"]).exits(6);
    assert!(!finished.stdout.contains('\u{1b}') && !finished.stdout.contains('\u{7}'), "{:?}", finished.stdout);
}

#[test]
fn wrong_words_exit_2_and_help_exits_0() {
    let workspace = Workspace::new();
    workspace.referee(&["rnu"]).exits(2);
    workspace.referee(&["run", "--no-such-flag"]).exits(2);
    workspace.referee(&["schema", "nothing"]).exits(2);
    workspace.referee(&["-C", "nowhere", "run"]).exits(2);
    workspace.referee(&["--help"]).exits(0);
    workspace.referee(&["run", "--help"]).exits(0);
    workspace.referee(&["--version"]).exits(0);
}
