//! Specifications of every bad kind: all their errors, with positions, exit 3, and never a panic.

use crate::support::Workspace;

const OUTSIDE: &str = "outside.txt";

#[test]
fn each_bad_specification_exits_3_with_a_position_and_seals_a_report_that_says_so() {
    let deep = format!("checks: {}", "[".repeat(5_000));
    let laughs = "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n\
                  d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nchecks: {a: *e}\n";
    let huge = format!("checks:\n  a: 'echo {}'\n", "x".repeat(5 * 1024 * 1024));
    let bad: Vec<(&str, Vec<u8>)> = vec![
        ("empty", b"".to_vec()),
        ("only comments", b"# nothing\n".to_vec()),
        ("truncated JSON", b"{\"checks\": {\"a\": \"true\"".to_vec()),
        ("truncated YAML", b"checks: {a: [tr".to_vec()),
        ("a list", b"- a\n- b\n".to_vec()),
        ("a number", b"42".to_vec()),
        ("no checks", b"task: T001\n".to_vec()),
        ("empty checks", b"checks: {}\n".to_vec()),
        ("checks of a wrong type", b"checks: [true]\n".to_vec()),
        ("a check of a wrong type", b"checks: {a: 7}\n".to_vec()),
        ("a wrong task id", b"task: 7\nchecks: {a: 'true'}\n".to_vec()),
        ("a misspelt key in a check", b"checks: {a: {run: 'true', timout: 5s}}\n".to_vec()),
        ("a wrong duration", b"checks: {a: {run: 'true', timeout: soon}}\n".to_vec()),
        ("duplicate names", b"checks:\n  a: 'true'\n  a: 'false'\n".to_vec()),
        ("a cycle", b"checks: {a: {run: 'true', needs: b}, b: {run: 'true', needs: a}}\n".to_vec()),
        ("a need of itself", b"checks: {a: {run: 'true', needs: a}}\n".to_vec()),
        ("a need of nothing", b"checks: {a: {run: 'true', needs: c}}\n".to_vec()),
        ("both run and argv", b"checks: {a: {run: 'true', argv: ['true']}}\n".to_vec()),
        ("neither", b"checks: {a: {timeout: 5s}}\n".to_vec()),
        ("an empty command", b"checks: {a: ''}\n".to_vec()),
        ("an empty argv", b"checks: {a: {argv: []}}\n".to_vec()),
        ("a vacuous content check", b"checks: {a: {file: a.txt, contains: ''}}\n".to_vec()),
        ("a bad pattern", b"checks: {a: {file: a.txt, matches: '('}}\n".to_vec()),
        ("a path that leaves", format!("checks: {{a: {{file: ../{OUTSIDE}}}}}\n").into_bytes()),
        ("a directory that leaves", b"checks: {a: {run: 'true', cwd: ../..}}\n".to_vec()),
        ("a policy that is none", b"checks: {a: 'true'}\npolicy: {eslint: {blockOn: SOMETIMES}}\n".to_vec()),
        ("a misspelt policy", b"checks: {a: 'true'}\npolicy: {eslint: {maxWarning: 3}}\n".to_vec()),
        ("binary", vec![0x7f, b'E', b'L', b'F', 0, 1, 2, 3, 255, 254]),
        ("UTF-16", "checks: {a: 'true'}".encode_utf16().flat_map(u16::to_le_bytes).collect()),
        ("invalid UTF-8", b"checks: {a: '\xff\xfe'}\n".to_vec()),
        ("deep", deep.into_bytes()),
        ("billion laughs", laughs.as_bytes().to_vec()),
        ("huge", huge.into_bytes()),
        ("several documents", b"checks: {a: 'true'}\n---\nchecks: {b: 'true'}\n".to_vec()),
        ("what this version cannot run", b"jobs: 4\nchecks: {a: 'true'}\n".to_vec()),
        (
            "a 1.0.0 authoring form",
            b"task_id: T001\ntitle: x\ntype: contract-test\nworkspace_root: /x\ntest_file: y\n".to_vec(),
        ),
    ];
    for (what, text) in bad {
        let workspace = Workspace::new().file("referee.yaml", &text);
        for arguments in [&["check"][..], &["plan"], &["run"], &["run", "--format", "jsonl"]] {
            assert_eq!(workspace.path("evidence").exists(), arguments.contains(&"--format"), "{what} {arguments:?}");
            let finished = workspace.referee(arguments);
            assert_eq!(finished.code, Some(3), "{what} {arguments:?}: {finished:?}");
            let told = format!("{}{}", finished.stdout, finished.stderr);
            assert!(told.contains("referee.yaml"), "{what}: the file is named: {told}");
            assert!(!told.contains("panicked"), "{what}: {told}");
        }
        let tasks = std::fs::read_dir(workspace.path("evidence")).unwrap().map(|entry| entry.unwrap().file_name());
        let tasks: Vec<_> =
            tasks.map(|name| name.into_string().unwrap()).filter(|name| name.starts_with('T')).collect();
        let [task] = tasks.as_slice() else { panic!("{what}: {tasks:?}") };
        let report = workspace.report(task);
        let summary = &report["executionSummary"];
        assert_eq!(
            (&summary["overallStatus"], &summary["decision"], &summary["exitCode"], &summary["agentAction"]),
            (&"SPECIFICATION_ERROR".into(), &"BLOCKED".into(), &3.into(), &"FIX_SPECIFICATION".into()),
            "{what}"
        );
        assert_eq!(report["stepExecution"]["results"][0]["status"], "SPECIFICATION_ERROR", "{what}");
        let directory = format!("evidence/{task}");
        workspace.referee(&["evidence", "verify", &directory, "--replay"]).exits(1);
    }
}

#[test]
fn a_missing_specification_says_where_it_was_looked_for() {
    let workspace = Workspace::new();
    for arguments in [&["run"][..], &["run", "other.yaml"], &["check", "other.yaml"]] {
        let finished = workspace.referee(arguments).exits(3);
        assert!(
            finished.stderr.contains("no specification found")
                || finished.stderr.contains("other.yaml")
                || finished.stdout.contains("other.yaml")
        );
    }
}

#[test]
fn every_error_is_told_at_once_with_its_place_and_a_suggestion() {
    let workspace = Workspace::with(
        "task: T1\nchecks:\n  types: { run: npx tsc, tiemout: 5s, needs: lnt }\n  lint: { run: npx eslint ., timeout: soon }\n",
    );
    let finished = workspace.referee(&["check"]).exits(3);
    insta::assert_snapshot!(finished.stdout);
    let json = workspace.referee(&["check", "--format", "json"]).exits(3).json();
    let complaints = json["complaints"].as_array().unwrap();
    assert_eq!(complaints.len(), 4, "{json:#}");
    assert!(
        complaints
            .iter()
            .all(|complaint| complaint["line"].as_u64() > Some(0) && complaint["column"].as_u64() > Some(0))
    );
}

#[test]
fn a_specification_is_found_from_any_directory_below_it() {
    let workspace = Workspace::with("checks: {a: 'true'}\n").file("deep/er/still/file.txt", "");
    workspace.referee(&["-C", "deep/er/still", "run", "-q"]).exits(0);
    assert!(workspace.path("evidence/T001/seal.json").exists());
}

#[test]
fn the_plan_shows_what_would_run_in_which_order_and_why_and_runs_nothing() {
    let workspace = Workspace::with(
        "prerequisites: {install: npm ci}\nchecks:\n  unit: { run: npx jest, needs: types }\n  types: npx tsc --noEmit\n  built: { file: dist/a.js, minSize: 1 }\ncleanup: {sweep: rm -rf tmp}\n",
    );
    let finished = workspace.referee(&["plan"]).exits(0);
    insta::assert_snapshot!(
        finished.stdout.replace(workspace.path("").to_str().unwrap().trim_end_matches('/'), "[workspace]")
    );
    let full = workspace.referee(&["plan", "--format", "json"]).exits(0).json();
    assert!(full["planVersion"].is_string());
    assert!(!workspace.path("evidence").exists());
}

#[test]
fn a_laundered_exit_code_is_warned_of_and_still_runs() {
    let workspace = Workspace::with("checks: {a: 'false || true'}\n");
    let finished = workspace.referee(&["run"]).exits(0);
    assert!(finished.stderr.contains("|| true"), "{}", finished.stderr);
}

#[test]
fn of_several_directories_the_one_with_the_error_is_named() {
    let workspace = Workspace::new()
        .file("a/referee.yaml", "checks: {a: 'true'}\n")
        .file("b/referee.yaml", "checks: {a: {x: 1}}\n");
    let finished = workspace.referee(&["run", "."]).exits(3);
    assert!(finished.stderr.contains(" --> b/referee.yaml:1:"), "{finished:?}");
    assert!(finished.stderr.contains("error: 2 errors in b/referee.yaml\nNo check was run"), "{finished:?}");
    let finished = workspace.file("b/c/d.txt", "").referee(&["-C", "b/c", "check"]).exits(3);
    assert!(finished.stdout.contains("2 errors in ../referee.yaml"), "{finished:?}");
}

#[test]
fn what_check_says_is_short_and_names_the_file_as_it_is_seen_from_here() {
    let workspace = Workspace::with("checks: {a: 'true'}\n")
        .file("sub/ws.yaml", "workspace: ../ws\nchecks: {a: 'true', b: 'true'}\n");
    let workspace = workspace.file("ws/a.txt", "");
    let said = |arguments: &[&str]| workspace.referee(arguments).exits(0).stdout;
    assert_eq!(said(&["check"]), "referee.yaml is valid: 1 action\n");
    assert_eq!(said(&["check", "sub/ws.yaml"]), "sub/ws.yaml is valid: 2 actions\n");
}

/// Ruling 3: what a template left behind keeps a task from running; what other programs read does not.
#[test]
fn a_placeholder_that_was_never_filled_in_keeps_the_short_form_from_running() {
    for (check, stuck) in [
        ("{ argv: [echo, '{{Y}}'] }", true),
        ("{ run: 'echo {{ Z_1 }}' }", true),
        ("'echo {{Z}}'", true),
        ("{ run: 'true', env: { A: '{{B}}' } }", true),
        ("{ run: 'true', cwd: '{{DIR}}' }", true),
        ("{ run: \"go list -f '{{.Dir}}' || echo {{name}} {{json .}} {{ range }}\" }", false),
        ("{ run: 'true', description: '{{NAME}}' }", false),
        ("{ file: a.txt, contains: '{{NAME}}' }", false),
    ] {
        let workspace = Workspace::with(&format!("checks:\n  a: {check}\n")).file("a.txt", "Hello {{NAME}}");
        let checked = workspace.referee(&["check"]);
        let run = workspace.referee(&["run", "-q"]);
        let codes = if stuck { (Some(3), Some(3)) } else { (Some(0), run.code.filter(|code| *code != 3)) };
        assert_eq!((checked.code, run.code), codes, "{check}: {checked:?} {run:?}");
        assert_eq!(checked.stdout.contains("referee.yaml cannot run: T001 (1 problem)"), stuck, "{check}: {checked:?}");
    }
}
