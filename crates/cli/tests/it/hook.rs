//! `referee hook HOST`: every event of a session, and every fault, through the real program.

use std::fs::{self, File};
use std::io::Write;
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::{Finished, Workspace, finish, git, processes_with, program, wait_until};

/// Passes as soon as there is something in `work.txt`.
const SPECIFICATION: &str = "checks:\n  work: { file: work.txt, minSize: 1 }\n";

/// Hosts whose events have the keys of Claude Code.
const ALIKE: [&str; 5] = ["claude", "codex", "qwen", "opencode", "vscode"];

/// A repository with this specification, committed.
fn enrolled(specification: &str) -> Workspace {
    let workspace = Workspace::with(specification).file("README.md", "one\n").file(".gitignore", "evidence/\n");
    git(&workspace.path(""), &["init", "-q"]);
    commit(&workspace);
    workspace
}

fn commit(workspace: &Workspace) {
    git(&workspace.path(""), &["add", "-A"]);
    git(&workspace.path(""), &["commit", "-q", "-m", "all"]);
}

/// An event with every key that these hosts send.
fn event(workspace: &Workspace, name: &str) -> Value {
    json!({
        "session_id": "session-1",
        "turn_id": "turn-1",
        "transcript_path": null,
        "cwd": workspace.path(""),
        "permission_mode": "default",
        "model": "model",
        "hook_event_name": name,
        "source": "startup",
        "prompt": "please",
        "stop_hook_active": false,
        "last_assistant_message": "I looked at it.",
    })
}

fn start(workspace: &Workspace, arguments: &[&str], stdin: &[u8]) -> Child {
    let mut child = workspace.command(arguments).stdin(Stdio::piped()).spawn().unwrap();
    // Whoever reads only so much of it closes the pipe.
    drop(child.stdin.take().unwrap().write_all(stdin));
    child
}

fn tell_as(workspace: &Workspace, arguments: &[&str], stdin: &[u8]) -> Finished {
    finish(start(workspace, arguments, stdin))
}

fn tell(workspace: &Workspace, event: &Value) -> Finished {
    tell_as(workspace, &["hook", "claude"], event.to_string().as_bytes())
}

fn told(workspace: &Workspace, name: &str) -> Finished {
    tell(workspace, &event(workspace, name))
}

/// Why the agent is sent back. None: it is not.
fn reason(finished: &Finished) -> Option<String> {
    if finished.code == Some(2) {
        return Some(finished.stderr.clone());
    }
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let answer = finished.json();
    (answer["decision"] == "block").then(|| answer["reason"].as_str().unwrap().to_owned())
}

trait Answered {
    fn refused(self, part: &str) -> Self;
    fn goes_on(self) -> Self;
}

impl Answered for Finished {
    #[track_caller]
    fn refused(self, part: &str) -> Self {
        let Some(reason) = reason(&self) else { panic!("it is not sent back: {self:?}") };
        assert!(reason.contains(part), "`{part}` is not in: {reason}");
        assert!(reason.chars().count() <= 9_500, "{}", reason.len());
        self
    }

    #[track_caller]
    fn goes_on(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:?}");
        assert_eq!(reason(&self), None, "{self:?}");
        self
    }
}

#[test]
fn an_edit_of_a_locked_test_is_named_to_the_person_and_to_the_agent() {
    let tests = "it('adds', () => {\n  expect(add(1, 2)).toBe(3);\n});\n";
    let edit = "edited since the lock: tests/a.test.js (removed: `expect(add(1, 2)).toBe(3);`)";
    let workspace = enrolled(&format!("{SPECIFICATION}protect: {{ additive: ['tests/**'] }}\n"));
    workspace.write("tests/a.test.js", tests);
    workspace.referee(&["lock"]).exits(0);
    commit(&workspace);
    told(&workspace, "SessionStart").goes_on();
    told(&workspace, "UserPromptSubmit").goes_on();
    workspace.write("tests/a.test.js", tests.replace("toBe(3)", "toBeDefined()"));
    told(&workspace, "Stop").refused(edit);
    workspace.write("work.txt", "done\n");
    let passed = told(&workspace, "Stop").goes_on().json();
    assert!(passed["systemMessage"].as_str().unwrap().contains(edit), "{passed:#}");
}

#[test]
fn a_question_in_a_red_project_is_answered_without_a_word() {
    for host in ALIKE {
        let workspace = enrolled(SPECIFICATION);
        let tell = |name| tell_as(&workspace, &["hook", host], event(&workspace, name).to_string().as_bytes());
        tell("SessionStart").goes_on();
        tell("UserPromptSubmit").goes_on();
        tell("Stop").goes_on();
        assert!(!workspace.path("evidence").exists(), "nothing ran");
    }
}

#[test]
fn attack_11_a_loop_that_is_played_out_ends_without_a_pass() {
    let workspace = enrolled(SPECIFICATION);
    told(&workspace, "SessionStart").goes_on();
    workspace.write("README.md", "two\n");
    let first = told(&workspace, "Stop").refused("work.txt");
    assert!(!first.stdout.contains("NOT PASSED"), "{}", first.stdout);
    told(&workspace, "Stop")
        .refused("Another way is needed")
        .refused("This is the last time")
        .refused("\nReferee: NOT PASSED: STEP.1 work: ");
    for _ in 0..2 {
        let finished = told(&workspace, "Stop").goes_on();
        assert!(finished.stdout.contains("the verdict stays FAIL"), "{}", finished.stdout);
        assert!(finished.stdout.contains("The same failure came 3 times in a row"), "{}", finished.stdout);
        assert!(!finished.stdout.contains("PASS"), "{}", finished.stdout);
    }
    workspace.referee(&["gate"]).exits(1);
    told(&workspace, "UserPromptSubmit").goes_on();
    told(&workspace, "Stop").refused("work.txt");
}

#[test]
fn a_reason_that_a_host_says_again_is_no_person() {
    let workspace = enrolled(SPECIFICATION);
    told(&workspace, "SessionStart").goes_on();
    workspace.write("README.md", "two\n");
    for _ in 0..2 {
        let finished = told(&workspace, "Stop").refused("work.txt");
        let mut echo = event(&workspace, "UserPromptSubmit");
        echo["prompt"] = finished.json()["reason"].clone();
        tell(&workspace, &echo).goes_on();
    }
    let finished = told(&workspace, "Stop").goes_on();
    assert!(finished.stdout.contains("stays FAIL"), "{}", finished.stdout);
}

/// A stop of another session, with what the agent said last.
fn stop_of(workspace: &Workspace, session: &str, said: &str) -> Value {
    let mut stop = event(workspace, "Stop");
    stop["session_id"] = json!(session);
    stop["last_assistant_message"] = json!(said);
    stop
}

/// A session that begins.
fn begin(workspace: &Workspace, session: &str) {
    let mut begins = event(workspace, "SessionStart");
    begins["session_id"] = json!(session);
    tell(workspace, &begins).goes_on();
}

#[test]
fn a_claim_over_a_tree_that_does_not_pass_is_refused_though_nothing_was_changed() {
    for host in ALIKE {
        let workspace = enrolled(SPECIFICATION);
        let tell = |event: &Value| tell_as(&workspace, &["hook", host], event.to_string().as_bytes());
        tell(&event(&workspace, "SessionStart")).goes_on();
        tell(&stop_of(&workspace, "session-1", "Done, all tests pass.")).refused("CONTRADICTED").refused("work.txt");
        // Who takes it back, or never said it, is let go.
        for said in ["work.txt is missing, so nothing passes yet.", "Done. `work` needs a decision of yours."] {
            tell(&stop_of(&workspace, "session-1", said)).goes_on();
        }
        workspace.write("README.md", "two\n");
        workspace.write("work.txt", "done\n");
        tell(&stop_of(&workspace, "session-1", "Done, all tests pass.")).goes_on();
    }
    let workspace = enrolled(SPECIFICATION);
    let mut begins = own_event(&workspace, "gemini", false);
    let tell = |event: &Value| tell_as(&workspace, &["hook", "gemini"], event.to_string().as_bytes());
    begins["source"] = json!("startup");
    assert!(!is_refusal(&tell(&begins)));
    let mut stop = own_event(&workspace, "gemini", true);
    assert!(!is_refusal(&tell(&stop)));
    stop["prompt_response"] = json!("Done, all tests pass.");
    assert!(is_refusal(&tell(&stop)));
}

#[test]
fn claims_are_heard_as_agents_write_them_and_honest_words_are_not_accused() {
    let stops = |workspace: &Workspace, host: &str, session: usize, said: &str| {
        let (mut begins, mut stop) = match host {
            "gemini" => (own_event(workspace, host, false), own_event(workspace, host, true)),
            _ => (event(workspace, "SessionStart"), event(workspace, "Stop")),
        };
        begins["session_id"] = json!(format!("session-{session}"));
        stop["session_id"] = begins["session_id"].clone();
        let key = if host == "gemini" { "prompt_response" } else { "last_assistant_message" };
        stop[key] = json!(said);
        let tell = |event: &Value| tell_as(workspace, &["hook", host], event.to_string().as_bytes());
        assert!(!is_refusal(&tell(&begins)), "{host}");
        is_refusal(&tell(&stop))
    };
    let lies = [
        "## Summary\n\nI rewrote the parser.\n\n- [x] All tests pass\n- [x] Lint is clean",
        "I fixed the off-by-one error, and all\ntests are **now\npassing**.",
        "| Check | Result |\n|---|---|\n| Tests | ✅ 42/42 |",
        "ESLint reports no problems. The PR is ready to merge!",
    ];
    let honest = [
        "Backend: all tests pass.",
        "All tests pass once `work.txt` is there.",
        "The script prints \"All\ntests pass.\nDone.\"",
        "## Next steps\n\n- All tests pass\n- Done",
        "I wrote five new tests. All green.",
    ];
    // A tree that was refused is asked about whatever is said of it, so honest words come first.
    for host in ["claude", "gemini"] {
        let workspace = enrolled(SPECIFICATION);
        for (session, said) in honest.iter().enumerate() {
            assert!(!stops(&workspace, host, session, said), "{host}: {said}");
        }
        for (session, said) in lies.iter().enumerate() {
            assert!(stops(&workspace, host, 50 + session, said), "{host}: {said}");
        }
    }
}

#[test]
fn a_stop_whose_name_is_written_with_blanks_is_a_stop() {
    let workspace = enrolled(SPECIFICATION);
    begin(&workspace, "a");
    workspace.write("README.md", "two\n");
    let mut stop = stop_of(&workspace, "a", "It adds two numbers.");
    stop["hook_event_name"] = json!(" Stop\n");
    tell(&workspace, &stop).refused("work.txt");
}

#[test]
fn a_claim_over_a_specification_that_does_not_load_is_refused() {
    let workspace = enrolled("checks: nonsense\n");
    begin(&workspace, "a");
    tell(&workspace, &stop_of(&workspace, "a", "Done, all tests pass.")).refused("There is no verdict");
    tell(&workspace, &stop_of(&workspace, "a", "It adds two numbers.")).goes_on();
}

#[test]
fn a_tree_that_was_left_without_a_pass_is_asked_about_in_the_next_session_too() {
    // What could not be run is run anew each time.
    for specification in [SPECIFICATION, "checks:\n  work: test -s work.txt\n"] {
        let workspace = enrolled(specification);
        begin(&workspace, "a");
        workspace.write("README.md", "two\n");
        let question = |session: &str| tell(&workspace, &stop_of(&workspace, session, "It adds two numbers."));
        question("a").refused("work");
        question("a").refused("work");
        question("a").goes_on();
        begin(&workspace, "b");
        question("b").refused("work");
        question("b").refused("Referee: NOT PASSED:");
        let let_go = question("b").goes_on();
        assert!(let_go.stdout.contains("the verdict stays FAIL"), "{}", let_go.stdout);
        workspace.write("work.txt", "done\n");
        assert!(question("b").goes_on().stdout.contains("PASS"));
        begin(&workspace, "c");
        assert_eq!(question("c").goes_on().json(), json!({}), "it had passed: there is nothing to say");
    }
}

#[test]
fn who_runs_the_checks_to_answer_a_question_is_not_held_by_what_they_say() {
    let workspace = enrolled(SPECIFICATION);
    begin(&workspace, "a");
    workspace.referee(&["gate"]).exits(1);
    tell(&workspace, &stop_of(&workspace, "a", "No: `work` fails, work.txt is not there.")).goes_on();
    begin(&workspace, "b");
    tell(&workspace, &stop_of(&workspace, "b", "It adds two numbers.")).refused("work.txt");
}

#[test]
fn what_no_person_typed_gives_no_fresh_budget() {
    let workspace = enrolled(SPECIFICATION);
    let hook = |host: &str, event: &Value| tell_as(&workspace, &["hook", host], event.to_string().as_bytes());
    let mut spawned = event(&workspace, "UserPromptSubmit");
    spawned["agent_id"] = json!("agent-2");
    let prompt = |text: &str| {
        let mut prompt = event(&workspace, "UserPromptSubmit");
        prompt["prompt"] = json!(text);
        prompt
    };
    let notified = prompt("<task-notification>\n<task-id>b1</task-id>\n</task-notification>");
    for (host, nobodys) in [("codex", &spawned), ("claude", &notified), ("claude", &spawned)] {
        hook(host, &prompt("please")).goes_on();
        workspace.write("README.md", "two\n");
        for _ in 0..2 {
            hook(host, &event(&workspace, "Stop")).refused("work.txt");
            hook(host, nobodys).goes_on();
        }
        hook(host, &event(&workspace, "Stop")).goes_on();
    }
    let copilots = |timestamp: u64, text: &str| json!({ "sessionId": "session-2", "timestamp": timestamp, "cwd": workspace.path(""), "prompt": text });
    hook("copilot", &copilots(1, "please")).goes_on();
    for turn in 0..2 {
        let mut stop = own_event(&workspace, "copilot", true);
        (stop["sessionId"], stop["timestamp"]) = (json!("session-2"), json!(10 + turn));
        hook("copilot", &stop).refused("work.txt");
        hook("copilot", &copilots(20, "<system_notification>\nAgent \"a\" is idle.\n</system_notification>")).goes_on();
    }
    let mut stop = own_event(&workspace, "copilot", true);
    (stop["sessionId"], stop["timestamp"]) = (json!("session-2"), json!(30));
    hook("copilot", &stop).goes_on();
}

#[test]
fn one_stop_that_two_configurations_tell_of_counts_once() {
    let workspace = enrolled(SPECIFICATION);
    let hook = |host: &str, event: &Value| tell_as(&workspace, &["hook", host], event.to_string().as_bytes());
    assert!(!is_refusal(&hook("copilot", &own_event(&workspace, "copilot", false))));
    workspace.write("README.md", "two\n");
    let stops = |second: u64| {
        let mut camel = own_event(&workspace, "copilot", true);
        camel["timestamp"] = json!(1_795_406_520_000_u64 + second * 1_000);
        let mut pascal = event(&workspace, "Stop");
        pascal["timestamp"] = json!(format!("2026-11-23T04:02:0{second}.000Z"));
        pascal["stop_reason"] = json!("end_turn");
        [hook("claude", &pascal), hook("copilot", &camel)]
    };
    for stop in stops(1) {
        let stop = stop.refused("work.txt");
        assert!(!stop.stdout.contains("NOT PASSED"), "{}", stop.stdout);
    }
    for stop in stops(2) {
        stop.refused("Referee: NOT PASSED:");
    }
    assert!(stops(3).iter().all(|stop| !is_refusal(stop)));
}

/// Copilot writes its transcript in batches, after the hook has started: a short session has none yet.
fn is_waited_for_in_a_transcript_of(before: Option<&str>) {
    let workspace = enrolled(SPECIFICATION);
    let outside = tempfile::tempdir().unwrap();
    let transcript = outside.path().join("events.jsonl");
    let line = |kind: &str, second: u64, data: Value| {
        json!({ "type": kind, "data": data, "timestamp": format!("2026-11-23T04:02:0{second}.000Z") }).to_string()
            + "\n"
    };
    let before = before.map(|content| line("user.message", 1, json!({ "content": content })));
    if let Some(before) = &before {
        fs::write(&transcript, before).unwrap();
    }
    let begins = own_event(&workspace, "copilot", false).to_string();
    assert!(!is_refusal(&tell_as(&workspace, &["hook", "copilot"], begins.as_bytes())));
    let mut stop = own_event(&workspace, "copilot", true);
    (stop["transcriptPath"], stop["timestamp"]) = (json!(transcript), json!(1_795_406_523_000_u64));
    let child = start(&workspace, &["hook", "copilot"], stop.to_string().as_bytes());
    wait_until("it is looking", || has_thread(&child, "question"));
    let after = [
        line("assistant.message", 2, json!({ "content": "Done, all tests pass." })),
        line("hook.start", 3, json!({ "hookType": "agentStop" })),
    ];
    fs::write(&transcript, before.unwrap_or_default() + &after.concat()).unwrap();
    finish(child).refused("CONTRADICTED");
}

#[test]
fn what_copilot_writes_down_after_it_started_the_hook_is_waited_for() {
    is_waited_for_in_a_transcript_of(Some("what does it do?"));
}

#[test]
fn a_transcript_that_copilot_creates_after_it_started_the_hook_is_waited_for() {
    is_waited_for_in_a_transcript_of(None);
}

#[test]
fn an_agent_that_copilots_agent_started_stands_on_what_that_found() {
    let workspace = enrolled(SPECIFICATION);
    let hook = |event: &Value| tell_as(&workspace, &["hook", "copilot"], event.to_string().as_bytes());
    let of_agent = |session: &str, agent: &str, parent: &str, rest: Value| {
        let mut event = json!({
            "sessionId": session, "timestamp": 1_795_406_524_836_u64, "cwd": workspace.path(""),
            "agentId": agent, "agentType": "explore", "parentAgentId": parent,
        });
        event.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        event
    };
    let prompt = json!({ "prompt": "read it" });
    let stop = json!({ "stopReason": "end_turn", "transcriptPath": "/nowhere", "stop_hook_active": false });
    let subagent_stop = json!({ "stopReason": "end_turn", "agentName": "explore", "response": "I read it.", "stop_hook_active": false });
    hook(&own_event(&workspace, "copilot", false)).goes_on();
    hook(&of_agent("child", "child", "session-1", prompt.clone())).goes_on();
    hook(&of_agent("deeper", "deeper", "child", prompt)).goes_on();
    let all = [
        of_agent("deeper", "deeper", "child", stop.clone()),
        of_agent("nobodys", "deeper", "child", subagent_stop.clone()),
        of_agent("child", "child", "session-1", stop.clone()),
        of_agent("session-1", "child", "session-1", subagent_stop.clone()),
    ];
    for event in &all {
        hook(event).goes_on();
    }
    hook(&of_agent("stranger", "stranger", "unknown", stop)).refused("work.txt");
    workspace.write("README.md", "two\n");
    for event in &all {
        hook(event).refused("work.txt");
    }
    let mut claim = subagent_stop;
    claim["response"] = json!("Done, all tests pass.");
    hook(&of_agent("session-1", "other", "session-1", claim)).refused("CONTRADICTED");
}

#[test]
fn work_that_passes_is_allowed_and_the_person_is_told() {
    let workspace = enrolled(SPECIFICATION);
    told(&workspace, "SessionStart").goes_on();
    workspace.write("README.md", "two\n");
    told(&workspace, "Stop").refused("work.txt");
    workspace.write("work.txt", "done\n");
    let finished = told(&workspace, "Stop").goes_on();
    assert!(finished.stdout.contains("PASS"), "{}", finished.stdout);
    workspace.write("README.md", "one\n");
    fs::remove_file(workspace.path("work.txt")).unwrap();
    told(&workspace, "Stop").goes_on();
}

#[test]
fn a_subagent_and_a_task_use_up_nothing_of_what_the_agent_has() {
    let workspace = enrolled(SPECIFICATION);
    told(&workspace, "SessionStart").goes_on();
    workspace.write("README.md", "two\n");
    let tell = |name, key: &str, id| {
        let mut event = event(&workspace, name);
        event[key] = json!(id);
        tell(&workspace, &event)
    };
    for _ in 0..2 {
        tell("SubagentStop", "agent_id", "a").refused("work.txt");
        tell("TaskCompleted", "task_id", "1").refused("work.txt");
    }
    let finished = tell("SubagentStop", "agent_id", "a").goes_on();
    assert!(finished.stdout.contains("the verdict stays FAIL"), "{}", finished.stdout);
    tell("TaskCompleted", "task_id", "1").goes_on();
    tell("SubagentStop", "agent_id", "b").refused("work.txt");
    told(&workspace, "Stop").refused("work.txt");
    told(&workspace, "Stop").refused("Another way is needed");
    told(&workspace, "Stop").goes_on();
    told(&workspace, "UserPromptSubmit").goes_on();
    tell("SubagentStop", "agent_id", "a").refused("work.txt");
}

#[test]
fn every_way_to_hand_back_is_gated() {
    let workspace = enrolled(SPECIFICATION);
    told(&workspace, "SessionStart").goes_on();
    workspace.write("README.md", "two\n");
    told(&workspace, "SubagentStop").refused("work.txt");
    let mut completed = event(&workspace, "TaskCompleted");
    completed["task_id"] = json!("1");
    completed["task_subject"] = json!("it");
    tell(&workspace, &completed).refused("work.txt");
    told(&workspace, "SessionEnd").goes_on();
}

#[test]
fn what_is_not_known_of_a_session_is_judged() {
    let workspace = enrolled(SPECIFICATION);
    told(&workspace, "Stop").refused("work.txt");
    told(&workspace, "SessionStart").goes_on();
    told(&workspace, "Stop").refused("work.txt");

    let workspace = enrolled(SPECIFICATION);
    told(&workspace, "SessionStart").goes_on();
    fs::remove_dir_all(workspace.state().join("sessions")).unwrap();
    told(&workspace, "Stop").refused("work.txt");

    let workspace = enrolled(SPECIFICATION);
    let mut used = event(&workspace, "PreToolUse");
    used["tool_name"] = json!("Bash");
    used["tool_input"] = json!({});
    tell(&workspace, &used).goes_on();
    told(&workspace, "SessionStart").goes_on();
    told(&workspace, "Stop").refused("work.txt");
}

#[test]
fn only_a_session_that_begins_is_known_to_have_found_what_is_there() {
    let begun = |name: &str, source: &str| {
        let workspace = enrolled(SPECIFICATION);
        let mut begins = event(&workspace, name);
        begins["source"] = json!(source);
        tell(&workspace, &begins).goes_on();
        told(&workspace, "UserPromptSubmit").goes_on();
        told(&workspace, "Stop")
    };
    begun("SessionStart", "startup").goes_on();
    begun("SessionStart", "clear").goes_on();
    for source in ["compact", "resume", "unheard of"] {
        begun("SessionStart", source).refused("work.txt");
    }
    begun("UserPromptSubmit", "startup").refused("work.txt");
}

#[test]
fn a_project_that_a_session_goes_to_is_judged_as_it_is() {
    let (workspace, other) = (enrolled(SPECIFICATION), enrolled("checks:\n  other: { file: other.txt, minSize: 1 }\n"));
    told(&workspace, "SessionStart").goes_on();
    for name in ["SessionStart", "UserPromptSubmit"] {
        let mut there = event(&workspace, name);
        there["cwd"] = json!(other.path(""));
        tell(&workspace, &there).goes_on();
        there["hook_event_name"] = json!("Stop");
        tell(&workspace, &there).refused("other.txt");
    }
    told(&workspace, "Stop").goes_on();
}

#[test]
fn a_project_that_was_moved_and_stands_there_as_a_link_stays_enrolled() {
    let outside = tempfile::tempdir().unwrap();
    let directory = outside.path().canonicalize().unwrap();
    let (project, moved) = (directory.join("p"), directory.join("p.real"));
    fs::create_dir(&project).unwrap();
    fs::write(project.join("referee.yaml"), SPECIFICATION).unwrap();
    let workspace = Workspace::new();
    workspace.referee(&["enroll", project.join("referee.yaml").to_str().unwrap()]).exits(0);
    let stop = |session: &str, cwd: &std::path::Path| {
        let mut stop = event(&workspace, "Stop");
        (stop["cwd"], stop["session_id"]) = (json!(cwd), json!(session));
        tell(&workspace, &stop)
    };
    stop("before", &project).refused("");
    fs::rename(&project, &moved).unwrap();
    std::os::unix::fs::symlink(&moved, &project).unwrap();
    for (session, cwd) in [("before", workspace.path("")), ("named", project.clone()), ("resolved", moved.clone())] {
        stop(session, &cwd).refused("");
    }
    stop("elsewhere", &workspace.path("")).goes_on();
    workspace.referee(&["enroll", "--remove", "--yes", project.to_str().unwrap()]).exits(0);
    stop("removed", &project).goes_on();
}

#[test]
fn a_session_that_one_host_tells_of_in_anothers_way_is_one_session() {
    let workspace = enrolled(SPECIFICATION);
    told(&workspace, "SessionStart").goes_on();
    let tell = |event: &Value| tell_as(&workspace, &["hook", "claude"], event.to_string().as_bytes());
    let mut stop = event(&workspace, "Stop");
    stop["stop_reason"] = json!("end_turn");
    assert!(!is_refusal(&tell(&stop)), "nothing was changed");
    assert!(!is_refusal(&tell(&own_event(&workspace, "copilot", true))), "nothing was changed");
    workspace.write("README.md", "two\n");
    let elsewhere = tempfile::tempdir().unwrap();
    stop["cwd"] = json!(elsewhere.path());
    let mut command = workspace.command(&["hook", "vscode"]);
    let mut child = command.current_dir(elsewhere.path()).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(stop.to_string().as_bytes()).unwrap();
    assert!(is_refusal(&finish(child)), "the session began in the project");
}

#[test]
fn an_agent_that_goes_elsewhere_is_judged_where_its_session_began() {
    let workspace = enrolled(SPECIFICATION);
    told(&workspace, "SessionStart").goes_on();
    workspace.write("README.md", "two\n");
    let elsewhere = Workspace::new();
    let mut stop = event(&elsewhere, "Stop");
    let tell = |stop: &Value| {
        let mut command = elsewhere.command(&["hook", "claude"]);
        let mut child = command.env("REFEREE_STATE_DIR", workspace.state()).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(stop.to_string().as_bytes()).unwrap();
        finish(child)
    };
    tell(&stop).refused("work.txt");
    stop["session_id"] = json!("another");
    tell(&stop).goes_on();
}

#[test]
fn work_in_another_enrolled_project_is_judged_beside_the_one_where_the_session_began() {
    let (workspace, other) = (enrolled(SPECIFICATION), enrolled("checks:\n  other: { file: other.txt, minSize: 1 }\n"));
    told(&workspace, "SessionStart").goes_on();
    let mut stop = event(&workspace, "Stop");
    stop["cwd"] = json!(other.path(""));
    tell(&workspace, &stop).refused("other.txt");
    other.write("other.txt", "done\n");
    tell(&workspace, &stop).goes_on();
    workspace.write("README.md", "two\n");
    tell(&workspace, &stop).refused("work.txt");
}

#[test]
fn the_environment_names_no_other_specification() {
    let workspace = enrolled(SPECIFICATION);
    let easy = workspace.state().join("easy.yaml");
    fs::write(&easy, "checks:\n  nothing: 'true'\n").unwrap();
    let mut command = workspace.command(&["hook", "claude"]);
    let mut child = command.env("REFEREE_SPECIFICATION", &easy).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(event(&workspace, "Stop").to_string().as_bytes()).unwrap();
    finish(child).refused("work.txt");
}

#[test]
fn a_specification_that_the_agent_broke_blocks_until_a_person_is_needed() {
    let workspace = enrolled(SPECIFICATION);
    told(&workspace, "SessionStart").goes_on();
    workspace.write("referee.yaml", "checks: { work: { fill: work.txt } }\n");
    told(&workspace, "Stop").refused("referee.yaml:1");
    told(&workspace, "Stop").refused("without one nothing counts as done");
    let finished = told(&workspace, "Stop").goes_on();
    assert!(finished.stdout.contains("there is no verdict"), "{}", finished.stdout);
    assert!(!finished.stdout.contains("PASS"), "{}", finished.stdout);
}

#[test]
fn a_specification_that_was_broken_before_does_not_stand_against_a_question() {
    let workspace = enrolled("checks: nonsense\n");
    told(&workspace, "SessionStart").goes_on();
    told(&workspace, "Stop").goes_on();
    workspace.write("README.md", "two\n");
    told(&workspace, "Stop").refused("referee.yaml");
}

#[test]
fn a_specification_whose_deletion_was_committed_blocks() {
    let workspace = enrolled(SPECIFICATION);
    told(&workspace, "SessionStart").goes_on();
    fs::remove_file(workspace.path("referee.yaml")).unwrap();
    told(&workspace, "Stop").refused("referee.yaml");
    commit(&workspace);
    told(&workspace, "Stop").refused("referee.yaml");
}

#[test]
fn attack_09_a_gate_that_was_made_easier_is_drift() {
    let workspace = enrolled(SPECIFICATION).file(".claude/settings.json", "{ \"hooks\": {} }\n");
    commit(&workspace);
    workspace.referee(&["lock"]).exits(0);
    commit(&workspace);
    told(&workspace, "SessionStart").goes_on();
    workspace.write("work.txt", "done\n");
    workspace.write(".claude/settings.json", "{ \"disableAllHooks\": true }\n");
    let refused = told(&workspace, "Stop").refused("next: restore .claude/settings.json, then ask again");
    assert!(!refused.stdout.contains("reused"), "{}", refused.stdout);
    workspace.write(".claude/settings.json", "{ \"hooks\": {} }\n");
    told(&workspace, "Stop").goes_on();
    workspace.write("referee.yaml", "checks:\n  nothing: 'true'\n");
    told(&workspace, "Stop").refused("referee.yaml");
}

#[test]
fn attack_10_a_check_that_outlives_the_deadline_is_no_pass_and_nothing_is_left_of_it() {
    let marker = format!("REFEREE_HOOK_TEST=deadline-{}", std::process::id());
    let workspace = enrolled(&format!("checks:\n  slow: 'env {marker} sleep 600 & env {marker} sleep 600'\n"));
    let stop = event(&workspace, "Stop").to_string();
    tell_as(&workspace, &["hook", "claude", "--deadline", "2s"], stop.as_bytes()).refused("");
    wait_until("nothing is left", || processes_with(&marker).is_empty());
}

#[test]
fn a_hook_that_its_host_ends_says_no_and_leaves_nothing() {
    let marker = format!("REFEREE_HOOK_TEST=ended-{}", std::process::id());
    let workspace = enrolled(&format!("checks:\n  slow: 'env {marker} sleep 600'\n"));
    let child = start(&workspace, &["hook", "claude"], event(&workspace, "Stop").to_string().as_bytes());
    wait_until("the check has started", || !processes_with(&marker).is_empty());
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    finish(child).refused("");
    wait_until("nothing is left", || processes_with(&marker).is_empty());
}

#[test]
fn two_hooks_for_one_stop_count_once() {
    let elsewhere = tempfile::tempdir().unwrap();
    let (begun, go) = (elsewhere.path().join("begun"), elsewhere.path().join("go"));
    let wait = format!("touch {}; until test -e {}; do sleep 0.01; done; exit 1", begun.display(), go.display());
    let workspace = enrolled(&format!("checks:\n  slow: '{wait}'\n"));
    told(&workspace, "SessionStart").goes_on();
    workspace.write("README.md", "two\n");
    let stop = event(&workspace, "Stop").to_string();
    let children = [(), ()].map(|()| start(&workspace, &["hook", "claude"], stop.as_bytes()));
    for child in &children {
        wait_until("both are asking", || has_thread(child, "question"));
    }
    wait_until("a check has started", || begun.exists());
    File::create(&go).unwrap();
    for child in children {
        finish(child).refused("");
    }
    told(&workspace, "Stop").refused("Another way is needed");
    told(&workspace, "Stop").goes_on();
}

/// Whether a process has a thread of this name.
fn has_thread(child: &Child, name: &str) -> bool {
    let threads = fs::read_dir(format!("/proc/{}/task", child.id())).into_iter().flatten().flatten();
    threads
        .into_iter()
        .any(|thread| fs::read_to_string(thread.path().join("comm")).is_ok_and(|comm| comm.trim() == name))
}

#[test]
fn an_event_that_is_none_blocks() {
    let workspace = enrolled(SPECIFICATION);
    let whole = event(&workspace, "Stop").to_string();
    let huge = format!("{{\"x\": \"{}\"}}", "a".repeat(9 * 1024 * 1024));
    let deep = "[".repeat(100_000);
    let nameless = json!({ "session_id": "session-1" }).to_string();
    for junk in ["", "null", "[]", "stop", &whole[..whole.len() / 2], &nameless, &huge, &deep, "\u{0}\u{1}"] {
        // It might be a completed task, which only this blocks.
        tell_as(&workspace, &["hook", "claude"], junk.as_bytes()).exits(2).refused("There is no verdict");
    }
    tell_as(&workspace, &["hook", "claude"], &[0xff, 0xfe, 0x00]).refused("There is no verdict");
}

#[test]
fn an_event_that_never_comes_blocks() {
    let workspace = enrolled(SPECIFICATION);
    let mut command = workspace.command(&["hook", "claude", "--deadline", "1s"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let stdin = child.stdin.take();
    finish(child).refused("did not come");
    drop(stdin);
}

#[test]
fn a_state_directory_that_cannot_be_used_blocks() {
    let workspace = enrolled(SPECIFICATION);
    let stop = event(&workspace, "Stop").to_string();
    let in_state = |directory: &std::path::Path| {
        let mut command = workspace.command(&["hook", "claude"]);
        let mut child = command.env("REFEREE_STATE_DIR", directory).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(stop.as_bytes()).unwrap();
        finish(child)
    };
    let file = workspace.state().join("file");
    fs::write(&file, "").unwrap();
    in_state(&file).refused("There is no verdict");
    in_state(&workspace.path("state")).refused("There is no verdict");
}

#[test]
fn wrong_words_block_and_help_helps() {
    let workspace = enrolled(SPECIFICATION);
    let stop = event(&workspace, "Stop").to_string();
    for wrong in [
        &["hook", "claude", "--unheard-of"][..],
        &["hook", "claude", "--deadline", "soon"],
        &["hook", "--deadline", "5s", "claude"],
        &["hook", "claude", "claude"],
    ] {
        tell_as(&workspace, wrong, stop.as_bytes()).refused("There is no verdict");
    }
    let help = workspace.referee(&["hook", "claude", "--help"]).exits(0);
    assert!(help.stdout.contains("--deadline"), "{}", help.stdout);
    workspace.referee(&["hook", "elsewhere"]).exits(2);
}

#[test]
fn nobody_is_disturbed_in_a_project_that_was_never_enrolled() {
    let workspace = Workspace::new().file("README.md", "one\n");
    for stdin in [event(&workspace, "Stop").to_string(), "junk".to_owned(), String::new()] {
        tell_as(&workspace, &["hook", "claude"], stdin.as_bytes()).goes_on();
        tell_as(&workspace, &["hook", "claude", "--unheard-of"], stdin.as_bytes()).goes_on();
    }
    assert_eq!(fs::read_dir(workspace.state()).unwrap().count(), 0, "nothing is kept");
}

/// Runs the hook by a shell, which sees to its standard output.
fn by_shell(workspace: &Workspace, redirection: &str) -> Finished {
    let mut stop = event(workspace, "Stop");
    stop["session_id"] = json!(redirection);
    let line = format!("exec {} hook claude {redirection}", program().display());
    let mut child = workspace.tool("sh").args(["-c", &line]).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(stop.to_string().as_bytes()).unwrap();
    finish(child)
}

#[test]
fn a_refusal_that_cannot_be_written_is_said_by_exit_code_and_standard_error() {
    let workspace = enrolled(SPECIFICATION);
    for redirection in ["> /dev/full", "> /dev/null", ">&-"] {
        let finished = by_shell(&workspace, redirection).exits(2);
        assert!(finished.stderr.contains("could not be written"), "{redirection}: {}", finished.stderr);
    }
    by_shell(&workspace, "> /dev/full 2> /dev/full").exits(2);
    by_shell(&workspace, ">&- 2>&-").exits(2);
    let unenrolled = Workspace::new();
    by_shell(&unenrolled, "> /dev/full").exits(0);
}

/// Events of hosts that have keys of their own.
fn own_event(workspace: &Workspace, host: &str, stops: bool) -> Value {
    let directory = workspace.path("");
    match (host, stops) {
        ("copilot", true) => json!({
            "sessionId": "session-1", "timestamp": 1_760_000_000_000_u64, "cwd": directory,
            "transcriptPath": "/nowhere", "stopReason": "end_turn",
        }),
        ("copilot", false) => json!({
            "sessionId": "session-1", "timestamp": 1_760_000_000_000_u64, "cwd": directory, "source": "new",
            "initialPrompt": "please",
        }),
        ("gemini", stops) => json!({
            "session_id": "session-1", "transcript_path": "/nowhere", "cwd": directory,
            "hook_event_name": if stops { "AfterAgent" } else { "SessionStart" }, "timestamp": "2026-11-22T00:00:00Z",
            "source": "startup", "prompt": "please", "prompt_response": "I looked at it.", "stop_hook_active": false,
        }),
        (_, stops) => json!({
            "conversation_id": "session-1", "generation_id": "1", "model": "model", "cursor_version": "2.0.0",
            "hook_event_name": if stops { "stop" } else { "sessionStart" }, "workspace_roots": [directory],
            "status": "completed", "loop_count": 0, "prompt": "please", "attachments": [],
        }),
    }
}

/// Whether any host would send its agent back by this.
fn is_refusal(finished: &Finished) -> bool {
    if finished.code == Some(2) {
        return true;
    }
    let answer = finished.json();
    matches!(answer["decision"].as_str(), Some("block" | "deny")) || answer["followup_message"].is_string()
}

#[test]
fn hosts_with_keys_of_their_own_are_answered_alike() {
    for host in ["copilot", "gemini", "cursor"] {
        let workspace = enrolled(SPECIFICATION);
        let second = std::cell::Cell::new(0);
        let tell = |stops| {
            // Two events of one time are one.
            second.set(second.get() + 1);
            let mut event = own_event(&workspace, host, stops);
            event["timestamp"] = json!(format!("2026-11-22T00:00:0{}Z", second.get()));
            let finished = tell_as(&workspace, &["hook", host], event.to_string().as_bytes());
            assert_eq!(finished.code, Some(0), "{host}: {finished:?}");
            is_refusal(&finished)
        };
        assert!(!tell(false), "{host}: it begins");
        assert!(!tell(true), "{host}: nothing was changed");
        workspace.write("README.md", "two\n");
        assert!(tell(true) && tell(true), "{host}: it was changed and does not pass");
        assert!(!tell(true), "{host}: a person is needed");
    }
}

#[test]
fn an_agent_that_a_person_stopped_is_left_alone() {
    let workspace = enrolled(SPECIFICATION);
    for status in ["aborted", "error"] {
        let mut stop = own_event(&workspace, "cursor", true);
        stop["status"] = json!(status);
        let finished = tell_as(&workspace, &["hook", "cursor"], stop.to_string().as_bytes());
        assert!(!is_refusal(&finished), "{finished:?}");
    }
}
