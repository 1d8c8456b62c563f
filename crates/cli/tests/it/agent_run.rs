//! Coding agents in a loop: fake ones that repair, lie, delete tests, loop, crash, hang and leave daemons behind.

use std::fs;
use std::path::PathBuf;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::support::{Workspace, finish, git, processes_with, program, wait_until};

/// A check that passes when the agent has made a file.
pub(crate) const DONE: &str = "checks:\n  done: { file: done.txt }\n";

/// Counts its turns in a file, and keeps what it is told.
const COUNTS: &str = "echo x >> turns.txt; cat > prompt-$(wc -l < turns.txt | tr -d ' ').txt\n";

/// A workspace with this specification and an agent that runs these lines of sh after it counted its turn.
pub(crate) fn with_agent(specification: &str, lines: &str) -> Workspace {
    Workspace::with(specification).file("agent.sh", format!("{COUNTS}{lines}\n"))
}

/// The command line of a run, the agent's command behind `--`.
pub(crate) fn typed<'a>(options: &[&'a str]) -> Vec<&'a str> {
    [&["agent", "run"], options, &["--", "sh", "agent.sh"]].concat()
}

/// The directory of the only run.
fn directory(workspace: &Workspace) -> PathBuf {
    let entries = fs::read_dir(workspace.state().join("agents")).unwrap().map(|entry| entry.unwrap().path());
    let mut runs: Vec<PathBuf> =
        entries.filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with("run-")).collect();
    assert_eq!(runs.len(), 1, "{runs:?}");
    runs.remove(0)
}

pub(crate) fn id(workspace: &Workspace) -> String {
    directory(workspace).file_name().unwrap().to_str().unwrap().to_owned()
}

pub(crate) fn kept(workspace: &Workspace, name: &str) -> Value {
    let path = directory(workspace).join(name);
    serde_json::from_slice(&fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))).unwrap()
}

pub(crate) fn turns(workspace: &Workspace) -> usize {
    fs::read_to_string(workspace.path("turns.txt")).unwrap_or_default().lines().count()
}

pub(crate) fn warned(run: &Value, kind: &str) -> bool {
    run["warnings"].as_array().unwrap().iter().any(|warning| warning["type"] == kind)
}

#[test]
fn an_agent_that_repairs_what_it_is_told_passes() {
    let workspace = with_agent(DONE, "test $(wc -l < turns.txt) -lt 2 || echo fixed > done.txt");
    let finished = workspace.referee(&typed(&["--format", "json"])).exits(0);
    let run = finished.json();
    assert_eq!((&run["state"], &run["result"]), (&"succeeded".into(), &"passed".into()));
    assert_eq!(run, kept(&workspace, "run.json"), "what is printed is what is kept");
    assert_eq!((&run["error"], &run["buildError"]), (&Value::Null, &Value::Null));
    assert_eq!(run["snapshotIds"].as_array().unwrap().len(), 3, "before, and after each turn");
    assert_eq!(turns(&workspace), 2);
    assert_eq!(fs::read_to_string(workspace.path("prompt-1.txt")).unwrap(), "", "nothing ran before");
    let told = fs::read_to_string(workspace.path("prompt-2.txt")).unwrap();
    assert!(told.contains("FAIL") && told.contains("done.txt"), "{told}");
    let first = kept(&workspace, "iteration-1.json");
    assert_eq!((&first["state"], &first["errorType"]), (&"feedback".into(), &"verification_failed".into()));
    assert_eq!(kept(&workspace, "iteration-2.json")["verificationPassed"], true);
    let verification = kept(&workspace, "verification-1.json");
    assert_eq!(verification["overall"]["passed"], false);
    let level = verification["levels"].as_object().unwrap().values().find(|level| !level.is_null()).unwrap();
    assert!(level["duration"].is_u64() && level["checks"][0]["duration"].is_u64(), "{verification:#}");
    let agent = kept(&workspace, "agent-2.json");
    assert_eq!((&agent["exitCode"], &agent["success"], &agent["iteration"]), (&0.into(), &true.into(), &2.into()));
    let shown = workspace.referee(&["agent", "show", &id(&workspace)]).exits(0);
    assert!(shown.stdout.contains("turn 2: agent") && shown.told().contains("passed"), "{}", shown.stdout);
    let listed = workspace.referee(&["agent", "list"]).exits(0).stdout;
    assert!(listed.contains(&id(&workspace)), "{listed}");
}

#[test]
fn a_prompt_holds_what_failed_on_standard_input_in_a_file_and_in_arguments() {
    let workspace = with_agent(DONE, "cp $REFEREE_PROMPT_FILE file-$(wc -l < turns.txt | tr -d ' ').txt")
        .file("task.md", "Fix this:\n{{DIAGNOSTICS}}\nand nothing else.\n");
    workspace.referee(&typed(&["--prompt", "task.md", "--max-iterations", "2"])).exits(1);
    let told = fs::read_to_string(workspace.path("prompt-2.txt")).unwrap();
    assert!(
        told.starts_with("Fix this:\n") && told.contains("done.txt") && told.ends_with("nothing else.\n"),
        "{told}"
    );
    assert_eq!(fs::read_to_string(workspace.path("file-2.txt")).unwrap(), told);
    let workspace = with_agent(DONE, "printf %s \"$1\" > argument.txt").file("task.md", "Fix it.");
    let arguments =
        ["agent", "run", "--prompt", "task.md", "--max-iterations", "1", "--", "sh", "agent.sh", "say: {{PROMPT}}"];
    workspace.referee(&arguments).exits(1);
    assert_eq!(fs::read_to_string(workspace.path("argument.txt")).unwrap(), "say: Fix it.");
    assert_eq!(fs::read_to_string(workspace.path("prompt-1.txt")).unwrap(), "", "not told twice");
    workspace.referee(&["agent", "run", "--prompt", "missing.md", "--", "true"]).exits(2);
}

#[test]
fn an_agent_that_lies_does_not_pass() {
    let says = r#"echo '{"success":true,"result":"All tests pass. The work is done.","session_id":"s1","usage":{"input_tokens":5,"output_tokens":7},"total_cost_usd":0.25}'; date +%N >> noise.txt"#;
    let workspace = with_agent(DONE, says);
    let run = workspace.referee(&typed(&["--format", "json", "--max-iterations", "2"])).exits(1).json();
    assert_eq!((&run["state"], &run["result"]), (&"failed".into(), &"failed_verification".into()));
    assert_eq!(run["error"], run["buildError"]["message"]);
    assert_eq!(run["buildError"]["verificationFile"], "verification-2.json");
    assert_eq!(run["sessionId"], "s1");
    let turn = kept(&workspace, "iteration-1.json");
    assert_eq!((&turn["agentSuccess"], &turn["agentCostUsd"]), (&true.into(), &0.25.into()));
    assert_eq!(turn["agentTokensUsed"]["output"], 7);
    assert_eq!(kept(&workspace, "agent-1.json")["structuredOutput"]["result"], "All tests pass. The work is done.");
}

#[test]
fn an_agent_that_loops_is_stopped_and_never_passes() {
    let workspace = with_agent(DONE, "true");
    let run = workspace.referee(&typed(&["--format", "json", "--max-iterations", "9"])).exits(1).json();
    assert_eq!(run["result"], "failed_verification");
    assert_eq!(turns(&workspace), 3, "the same first failure three times");
    assert!(warned(&run, "escalated"), "{run:#}");
    let told = fs::read_to_string(workspace.path("prompt-3.txt")).unwrap();
    assert!(told.contains("plan again"), "{told}");
}

#[test]
fn an_agent_that_deletes_protected_tests_or_changes_the_specification_is_stopped_at_once() {
    let specification =
        "checks:\n  unit: { file: tests/a.test.js }\n  done: { file: done.txt }\nprotect: { frozen: [\"tests/**\"] }\n";
    let workspace = with_agent(specification, "rm -r tests; touch done.txt").file("tests/a.test.js", "test('a')\n");
    workspace.referee(&["lock", "write"]).exits(0);
    let run = workspace.referee(&typed(&["--format", "json"])).exits(3).json();
    assert_eq!((&run["result"], turns(&workspace)), (&"failed_verification".into(), 1));
    assert!(run["warnings"][0]["message"].as_str().unwrap().contains("person"), "{run:#}");

    // Without a lock, too: the agent does not decide what is checked.
    let workspace = with_agent(DONE, "echo 'checks: {easy: \"true\"}' > referee.yaml");
    let run = workspace.referee(&typed(&["--format", "json"])).exits(3).json();
    assert_eq!((&run["result"], turns(&workspace)), (&"failed_verification".into(), 1));
    assert!(run["error"].as_str().unwrap().contains("referee.yaml is not as it was"), "{run:#}");
    assert_eq!(run["buildError"]["type"], "workspace_error");
    let workspace = with_agent(DONE, "echo 'checks: [' > referee.yaml");
    workspace.referee(&typed(&[])).exits(3);
}

#[test]
fn an_agent_that_crashes_cannot_start_or_gives_up_fails_the_build_whatever_it_left() {
    let workspace = with_agent(DONE, "touch done.txt; kill -9 $$");
    let run = workspace.referee(&typed(&["--format", "json"])).exits(6).json();
    assert_eq!((&run["result"], &run["buildError"]["type"]), (&"failed_build".into(), &"agent_crash".into()));
    assert_eq!(run["buildError"]["agentResultFile"], "agent-1.json");
    assert_eq!(
        kept(&workspace, "verification-1.json")["overall"]["passed"],
        true,
        "it is checked, and decides nothing"
    );
    assert_eq!(kept(&workspace, "iteration-1.json")["errorType"], "agent_crash");

    let gives_up = r#"echo '{"success":false,"result":"it cannot be done"}'; echo 'no idea' >&2; exit 1"#;
    let workspace = with_agent(DONE, gives_up);
    let run = workspace.referee(&typed(&["--format", "json"])).exits(1).json();
    assert_eq!(run["buildError"]["type"], "agent_task_failure");
    assert!(run["error"].as_str().unwrap().ends_with(": no idea"), "{run:#}");

    let workspace = Workspace::with(DONE);
    let run = workspace.referee(&["agent", "run", "--format", "json", "--", "no-such-agent"]).exits(6).json();
    assert_eq!((&run["result"], &run["buildError"]["type"]), (&"failed_error".into(), &"system_error".into()));
    assert!(run["error"].as_str().unwrap().contains("`no-such-agent` was not found"), "{run:#}");
}

#[test]
fn an_agent_that_hangs_is_stopped_with_all_that_it_started() {
    let workspace = with_agent(DONE, "trap '' TERM; sleep 600 & echo begun; wait; wait");
    let run = workspace.referee(&typed(&["--format", "json", "--agent-timeout", "1s"])).exits(7).json();
    assert_eq!((&run["result"], &run["buildError"]["type"]), (&"failed_timeout".into(), &"agent_timeout".into()));
    assert_eq!(run["buildError"]["stdoutTail"].as_str().unwrap().trim(), "begun");
    assert!(run["error"].as_str().unwrap().ends_with("the limit of a turn is 1s"), "{run:#}");
    assert_eq!(processes_with(&marker(&workspace)), Vec::<u32>::new());
}

pub(crate) fn marker(workspace: &Workspace) -> String {
    format!("REFEREE_EXECUTION=exec-{}", id(workspace))
}

#[test]
fn a_daemon_that_an_agent_leaves_is_ended_with_its_turn() {
    let workspace = with_agent(DONE, "setsid sleep 600 >/dev/null 2>&1 </dev/null & touch done.txt");
    let run = workspace.referee(&typed(&["--format", "json"])).exits(0).json();
    assert!(warned(&run, "agent_left_processes"), "{run:#}");
    assert_eq!(processes_with(&marker(&workspace)), Vec::<u32>::new());
}

#[test]
fn a_crash_is_tried_again_before_anything_else_where_that_is_asked_for() {
    let workspace = with_agent(DONE, "test $(wc -l < turns.txt) -gt 1 || kill -9 $$; touch done.txt");
    let run = workspace.referee(&typed(&["--format", "json", "--retry", "aggressive"])).exits(0).json();
    assert_eq!((&run["iteration"], turns(&workspace)), (&1.into(), 2), "a retry is not a turn");
    assert!(warned(&run, "agent_retry"), "{run:#}");
    let told = fs::read_to_string(workspace.path("prompt-2.txt")).unwrap();
    assert!(told.contains("The attempt before this one ended without a result: Agent process crashed"), "{told}");
    assert_eq!((&run["error"], &run["buildError"]), (&Value::Null, &Value::Null));
}

#[test]
fn what_an_agent_prints_is_bounded_and_without_secrets() {
    let floods = "head -c 3000000 /dev/zero | tr '\\0' 'x'; echo; echo \"my key: $API_TOKEN\" >&2; touch done.txt";
    let workspace = with_agent(DONE, floods);
    let mut command = workspace.command(&typed(&["--quiet"]));
    command.env("API_TOKEN", "tok-5f1b9d77a0c34e2b8d6f");
    let finished = finish(command.spawn().unwrap()).exits(0);
    let agent = kept(&workspace, "agent-1.json");
    let printed = agent["stdout"].as_str().unwrap();
    assert!(printed.len() <= 1024 * 1024 && printed.ends_with("limit of 1048576 bytes]"), "{}", printed.len());
    assert!(agent["stderr"].as_str().unwrap().starts_with("my key: ****"), "{agent:#}");
    assert_eq!(finished.stderr, "", "nothing but the answer is wanted");
}

#[test]
fn an_agent_is_given_what_it_may_read_and_nothing_of_keys() {
    let lists = "env > variables.txt; for file in $REFEREE_REPORT $REFEREE_DEBT $REFEREE_PLAN $REFEREE_DIAGNOSTICS; do wc -c < $file; done > sizes.txt 2>&1";
    let workspace = with_agent(DONE, lists);
    let mut command = workspace.command(&typed(&["--max-iterations", "2"]));
    command.env("REFEREE_FORMAT", "human").env("MY_STATE", workspace.state()).env("AGENT_KEY", "its-own");
    finish(command.spawn().unwrap()).exits(1);
    let variables = fs::read_to_string(workspace.path("variables.txt")).unwrap();
    for absent in ["REFEREE_FORMAT=", "MY_STATE="] {
        assert!(!variables.contains(absent), "{absent}: {variables}");
    }
    // Hooks inside the agent must use the state of this run: that directory is named, once.
    let state = workspace.state().display().to_string();
    let named: Vec<&str> = variables.lines().filter(|line| line.contains(&state)).collect();
    assert_eq!(named, [format!("REFEREE_STATE_DIR={state}")]);
    assert!(
        variables.contains("AGENT_KEY=its-own") && variables.contains("REFEREE_EXECUTION=exec-run-"),
        "{variables}"
    );
    let sizes = fs::read_to_string(workspace.path("sizes.txt")).unwrap();
    let sizes: Vec<u64> = sizes.lines().map(|line| line.trim().parse().unwrap()).collect();
    assert!(sizes.len() == 4 && sizes.iter().all(|size| *size > 0), "{sizes:?}");
    let named = variables.lines().find_map(|line| line.strip_prefix("REFEREE_REPORT=")).unwrap();
    assert!(!PathBuf::from(named).exists(), "gone with the run");
}

/// A project in Python whose test fails: in the code that it tests, or by what it asks for.
pub(crate) const UNITTEST: &str = "checks:\n  unit: python3 -B -m unittest discover -s tests -t .\n";

pub(crate) fn in_python(workspace: Workspace, second: &str) -> Workspace {
    workspace
        .file("app/__init__.py", "")
        .file("app/parse.py", "def number(text):\n    return int(text)\n")
        .file("app/calc.py", "from app.parse import number\n\n\ndef add(a, b):\n    return number(a) + number(b)\n")
        .file("tests/__init__.py", "")
        .file(
            "tests/test_calc.py",
            format!(
                "import unittest\n\nfrom app.calc import add\n\n\nclass Adds(unittest.TestCase):\n    def test_adds(self):\n        \
                 self.assertEqual(add('1', '{second}'), 3)\n"
            ),
        )
}

#[test]
fn an_agent_is_told_the_file_under_test_and_is_never_confined_to_tests() {
    for (second, is_known) in [("x", true), ("1", false)] {
        let workspace = in_python(with_agent(UNITTEST, "true"), second);
        workspace.referee(&["run"]).exits(1);
        workspace.referee(&typed(&["--max-iterations", "2"])).exits(1);
        // The first turn is told by the sealed run, the second by the gate.
        for prompt in ["prompt-1.txt", "prompt-2.txt"] {
            let told = fs::read_to_string(workspace.path(prompt)).unwrap();
            assert!(told.contains("tests/test_calc.py:8"), "{told}");
            assert_eq!(told.contains("files: app/parse.py\n"), is_known, "{told}");
            assert_eq!((told.contains("Stay in the files"), told.contains("files:")), (is_known, is_known), "{told}");
        }
    }
}

#[test]
fn hooks_inside_an_agent_use_the_state_of_the_run() {
    let event = r#"{"session_id":"inner","hook_event_name":"SessionStart","source":"startup","cwd":"'$PWD'"}"#;
    let lines = format!("touch done.txt; printf '%s' '{event}' | {} hook claude > hook.json", program().display());
    let workspace = with_agent(DONE, &lines);
    for words in [&["init", "-q"][..], &["add", "-A"], &["commit", "-q", "-m", "all"]] {
        git(&workspace.path(""), words);
    }
    workspace.referee(&typed(&[])).exits(0);
    let sessions = workspace.state().join("sessions");
    assert!(fs::read_dir(&sessions).is_ok_and(|mut found| found.next().is_some()), "{}", sessions.display());
}

#[test]
fn a_signal_cancels_a_run_and_a_run_that_is_over_does_not_go_on() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let workspace = with_agent(DONE, "touch begun; sleep 600");
        let child = workspace.start(&typed(&["--format", "json"]));
        wait_until("the agent works", || workspace.path("begun").exists());
        kill_process(Pid::from_child(&child), signal).unwrap();
        let run = finish(child).exits(code).json();
        assert_eq!((&run["state"], &run["result"]), (&"canceled".into(), &"canceled".into()));
        assert_eq!(processes_with(&marker(&workspace)), Vec::<u32>::new());
        let again = workspace.referee(&["agent", "run", "--resume", &id(&workspace)]).exits(2);
        assert!(again.stderr.contains("is over (canceled)"), "{}", again.stderr);
    }
}

#[test]
fn one_run_at_a_time_works_in_a_workspace() {
    let workspace = with_agent(DONE, "touch begun; until test -f go; do sleep 0.05; done; touch done.txt");
    let child = workspace.start(&typed(&[]));
    wait_until("the agent works", || workspace.path("begun").exists());
    let refused = workspace.referee(&typed(&[])).exits(2);
    let place = workspace.path("").canonicalize().unwrap();
    let told = format!("another run of an agent works in {}", place.display());
    assert!(refused.stderr.contains(&told), "{}", refused.stderr);
    workspace.write("go", "");
    finish(child).exits(0);
    assert_eq!(turns(&workspace), 1);
}

#[test]
fn a_run_that_was_killed_while_the_agent_worked_checks_what_it_did_and_goes_on() {
    let works = "test $(wc -l < turns.txt) -gt 1 && { touch done.txt; exit; }; touch begun; sleep 600";
    let workspace = with_agent(DONE, works);
    let mut child = workspace.start(&typed(&[]));
    wait_until("the agent works", || workspace.path("begun").exists());
    kill_process(Pid::from_child(&child), Signal::KILL).unwrap();
    child.wait().unwrap();
    assert_eq!(kept(&workspace, "run.json")["state"], "building");
    assert!(!processes_with(&marker(&workspace)).is_empty(), "the agent outlives it");
    let shown = workspace.referee(&["agent", "show", &id(&workspace)]).exits(0);
    assert!(shown.stdout.contains("--resume"), "{}", shown.stdout);
    let resumed = ["agent", "run", "--format", "json", "--resume", &id(&workspace)];
    let run = workspace.referee(&resumed).exits(0).json();
    assert_eq!((&run["iteration"], turns(&workspace)), (&2.into(), 2), "the turn that was cut off counts as one");
    assert!(warned(&run, "agent_cut_off"), "{run:#}");
    assert_eq!(processes_with(&marker(&workspace)), Vec::<u32>::new());
    assert_eq!(kept(&workspace, "agent-1.json")["exitCode"], Value::Null);
}

#[test]
fn a_run_that_was_killed_during_its_checks_does_not_run_the_agent_again() {
    let waits = "checks:\n  done: 'touch checking; until test -f go; do sleep 0.05; done; test -f done.txt'\n";
    let workspace = with_agent(waits, "touch done.txt");
    let mut child = workspace.start(&typed(&[]));
    wait_until("the checks run", || workspace.path("checking").exists());
    kill_process(Pid::from_child(&child), Signal::KILL).unwrap();
    child.wait().unwrap();
    assert_eq!(kept(&workspace, "run.json")["state"], "verifying");
    workspace.write("go", "");
    workspace.referee(&["agent", "run", "--resume", &id(&workspace)]).exits(0);
    assert_eq!(turns(&workspace), 1);
}

#[test]
fn wherever_a_run_is_cut_off_no_turn_is_taken_twice() {
    for (state, without) in [
        ("queued", &["agent-1.json", "verification-1.json", "iteration-1.json", "loop.json"][..]),
        ("leased", &["agent-1.json", "verification-1.json", "iteration-1.json", "loop.json"]),
        ("building", &["verification-1.json", "iteration-1.json", "loop.json"]),
        ("snapshotting", &["verification-1.json", "iteration-1.json", "loop.json"]),
        ("verifying", &["verification-1.json", "iteration-1.json", "loop.json"]),
        ("verifying", &["iteration-1.json", "loop.json"]),
        ("verifying", &["loop.json"]),
        ("verifying", &[]),
        ("feedback", &[]),
    ] {
        let workspace = with_agent(DONE, "test $(wc -l < turns.txt) -lt 2 || touch done.txt");
        workspace.referee(&typed(&[])).exits(0);
        // As it was when that was the last thing that had been written.
        for name in ["agent-2.json", "verification-2.json", "iteration-2.json"].iter().chain(without) {
            fs::remove_file(directory(&workspace).join(name)).unwrap();
        }
        let mut run = kept(&workspace, "run.json");
        (run["state"], run["iteration"]) = (state.into(), 1.into());
        (run["result"], run["completedAt"]) = (Value::Null, Value::Null);
        run["snapshotIds"].as_array_mut().unwrap().truncate(if without.len() > 3 { 1 } else { 2 });
        fs::write(directory(&workspace).join("run.json"), run.to_string()).unwrap();
        fs::remove_file(workspace.path("done.txt")).unwrap();
        let began_anew = without.len() > 3;
        workspace.write("turns.txt", if began_anew { "" } else { "x\n" });
        let resumed = ["agent", "run", "--format", "json", "--resume", &id(&workspace)];
        let run = workspace.referee(&resumed).exits(0).json();
        assert_eq!((&run["iteration"], turns(&workspace)), (&2.into(), 2), "{state} without {without:?}");
        assert_eq!(kept(&workspace, "iteration-2.json")["verificationPassed"], true);
    }
}

#[test]
fn a_detail_that_cannot_be_kept_is_a_warning_and_a_run_that_cannot_be_kept_ends() {
    let workspace = Workspace::with(DONE);
    let runs = workspace.state().join("agents");
    let in_the_way = "touch done.txt; for run in RUNS/run-*; do mkdir -p $run/verification-1.json/x; done\n";
    workspace.write("agent.sh", in_the_way.replace("RUNS", runs.to_str().unwrap()));
    let run = workspace.referee(&typed(&["--format", "json"])).exits(0).json();
    assert!(warned(&run, "persistence"), "{run:#}");
    let workspace = Workspace::with(DONE);
    let runs = workspace.state().join("agents");
    workspace.write("agent.sh", format!("touch done.txt; rm -r {}/run-*\n", runs.display()));
    let finished = workspace.referee(&typed(&["--format", "json"])).exits(74);
    assert_eq!(finished.stdout, "", "no run without its record");
}

#[test]
fn what_is_typed_wrongly_and_what_is_kept_as_junk_is_no_run() {
    let workspace = with_agent(DONE, "true");
    for wrong in [
        &["agent", "run"][..],
        &["agent", "run", "--max-iterations", "0", "--", "true"],
        &["agent", "run", "--max-iterations", "11", "--", "true"],
        &["agent", "run", "--agent-timeout", "soon", "--", "true"],
        &["agent", "run", "--resume", "run-1"],
        &["agent", "run", "--resume", "../../etc"],
        &["agent", "run", "--resume", "run-1", "--", "true"],
        &["agent", "show", "run-1"],
    ] {
        workspace.referee(wrong).exits(2);
    }
    assert!(workspace.referee(&["agent", "list"]).exits(0).stdout.contains("no run"));
    workspace.referee(&typed(&["--max-iterations", "1"])).exits(1);
    let run = directory(&workspace).join("run.json");
    for junk in ["", "{}", "{\"id\":", "[]"] {
        fs::write(&run, junk).unwrap();
        workspace.referee(&["agent", "run", "--resume", &id(&workspace)]).exits(74);
        workspace.referee(&["agent", "show", &id(&workspace)]).exits(74);
        let listed = workspace.referee(&["agent", "list", "--format", "json"]).exits(0);
        assert!(listed.json()["runs"].as_array().unwrap().is_empty() && listed.stderr.contains("run.json"));
    }
    // Without a specification nothing is started.
    let bare = Workspace::new().file("agent.sh", COUNTS);
    bare.referee(&typed(&[])).exits(3);
    assert_eq!(turns(&bare), 0);
}
