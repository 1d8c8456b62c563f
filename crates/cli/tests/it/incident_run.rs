//! The loop of an incident, on real projects: fake agents that repair, lie, change what they must not, and are cut off. The
//! incident and its plan are written as any program that knows the contract could.

use std::fs;
use std::process::Command;

use referee_schema::published as schema;
use referee_schema::validator::Validator;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::{Workspace, finish, processes_with, program, wait_until};

pub(crate) const ROOT: &str = ".referee/reports";

/// A check that the plan names, and one that it does not and that never passes.
const SPECIFICATION: &str = "checks:\n  done: { run: sh check.sh }\n  never: 'false'\n";

/// Passes where the agent has made a file.
const CHECK: &str = "test -f src/done.txt || { echo 'Error: src/done.txt is missing' >&2; exit 3; }\n";

/// A project with an incident whose plan a person approved of, and an agent that runs these lines of sh after it counted its
/// turn.
pub(crate) fn with_agent(lines: &str) -> Workspace {
    with(SPECIFICATION, &[json!({"origin": "check", "command": "sh check.sh", "action": "STEP.1"})], lines)
}

fn with(specification: &str, verification: &[Value], lines: &str) -> Workspace {
    let workspace = Workspace::with(specification).file("check.sh", CHECK).file("src/a.txt", "a\n");
    workspace.write(
        "agent.sh",
        format!("echo x >> turns.txt; cat > given-$(wc -l < turns.txt | tr -d ' ').json\n{lines}\n"),
    );
    let incident = json!({
        "incident_id": "inc_1", "status": "plan_proposed", "created_at": "2026-02-17T03:00:00+00:00",
        "updated_at": "2026-02-17T03:00:00+00:00", "run_id": "", "year": null, "month": null, "ym": "", "step": "done",
        "failure_class": "unknown", "message": "it is missing", "error_signature": "unknown | done | it is missing"
    });
    let inbox = format!("{ROOT}/error_inbox/inc_1");
    workspace.write(&format!("{inbox}/incident.json"), incident.to_string());
    for (name, text) in
        [("status.txt", "plan_proposed"), ("log_tail.txt", ""), ("audit_tail.jsonl", ""), ("context.json", "{}")]
    {
        workspace.write(&format!("{inbox}/{name}"), text);
    }
    workspace.write(&format!("{ROOT}/error_plans/inc_1/plan.json"), plan(verification).to_string());
    workspace
}

fn plan(verification: &[Value]) -> Value {
    let commands: Vec<&Value> = verification.iter().map(|one| &one["command"]).collect();
    json!({
        "incident_id": "inc_1", "generated_at": "2026-02-17T03:15:00+00:00", "summary": "fix it", "evidence": [],
        "evidence_quality": {
            "total_count": 0, "signal_count": 0, "strong_signal_count": 0, "weak_signal_count": 0,
            "has_failure_signal": false, "score": 0.0, "assessment": "weak", "strongest_evidence_ids": []
        },
        "root_cause_hypotheses": [], "hypothesis_evidence_map": [], "cause_analysis": [], "unknowns": [],
        "actions": [{"id": "A1", "title": "t", "priority": "P0", "risk": "low", "target_paths": ["src"], "verification": []}],
        "verification_commands": commands, "verification": verification, "done_criteria": []
    })
}

/// A person approves of the plan as it is, by a key of theirs.
pub(crate) fn approve(workspace: &Workspace) {
    let key = workspace.state().join("approver.pem");
    if !key.exists() {
        workspace.referee(&["key", "new", "--out", key.to_str().unwrap()]).exits(0);
        let public = workspace.state().join("approver.pub.pem");
        workspace.trust_approver(public.to_str().unwrap(), "ada");
    }
    workspace.referee(&["incident", "approve", "inc_1", "--key", key.to_str().unwrap()]).exits(0);
}

fn approved(lines: &str) -> Workspace {
    let workspace = with_agent(lines);
    approve(&workspace);
    workspace
}

/// The command line of a loop.
fn typed<'a>(options: &[&'a str]) -> Vec<&'a str> {
    [&["incident", "run", "inc_1", "--agent", "sh agent.sh", "--format", "json"], options].concat()
}

fn kept(workspace: &Workspace, name: &str) -> Value {
    let path = workspace.path(&format!("{ROOT}/error_runs/inc_1/{name}"));
    serde_json::from_slice(&fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))).unwrap()
}

fn status(workspace: &Workspace) -> String {
    let shelves = ["error_inbox", "error_archive/resolved", "error_archive/escalated"];
    let texts: Vec<String> = shelves
        .iter()
        .filter_map(|shelf| fs::read_to_string(workspace.path(&format!("{ROOT}/{shelf}/inc_1/status.txt"))).ok())
        .collect();
    let [text] = texts.as_slice() else { panic!("it is in {} places", texts.len()) };
    text.trim_end().to_owned()
}

fn turns(workspace: &Workspace) -> usize {
    fs::read_to_string(workspace.path("turns.txt")).unwrap_or_default().lines().count()
}

#[track_caller]
fn is_valid(name: &str, document: &Value) {
    let validator = Validator::new(&schema::schema(name).unwrap()).unwrap();
    let (complaints, _) = validator.complaints(document, 5);
    assert!(complaints.is_empty(), "{name}: {complaints:?}");
}

#[test]
fn an_agent_that_repairs_what_it_is_told_resolves_the_incident() {
    let fixes = "env > variables.txt; for file in $REFEREE_REPORT $REFEREE_DEBT $REFEREE_DIAGNOSTICS $REFEREE_PLAN; do \
                 wc -c < $file; done > sizes.txt\n\
                 test $(wc -l < turns.txt) -lt 2 || { touch src/done.txt; echo '{\"actions_applied\": [\"A1\", \"A7\"]}'; }";
    let workspace = approved(fixes);
    let result = workspace.referee(&typed(&[])).exits(0).json();
    assert_eq!((&result["final_status"], &result["loops_used"]), (&"resolved".into(), &2.into()));
    assert_eq!((status(&workspace), turns(&workspace)), ("resolved".to_owned(), 2));
    assert_eq!(result, kept(&workspace, "run_result.json"), "what is printed is what is kept");
    let (first, second) = (kept(&workspace, "attempt_01.json"), kept(&workspace, "attempt_02.json"));
    let failed = &first["command_results"][0];
    assert_eq!((&failed["command"], &failed["returncode"]), (&"sh check.sh".into(), &3.into()));
    assert_eq!(failed["stderr"], "Error: src/done.txt is missing\n");
    assert_eq!((&first["error_signature"], &first["result"]), (&"sh check.sh::rc=3".into(), &"continue".into()));
    assert_eq!(
        (&second["command_results"][0]["returncode"], &second["verification_passed"]),
        (&0.into(), &true.into())
    );
    assert_eq!(second["actions_applied"], json!(["A1"]), "what it says, compared with what changed");
    assert_eq!(first["actions_applied"], json!([]));
    let given: Value = serde_json::from_slice(&fs::read(workspace.path("given-2.json")).unwrap()).unwrap();
    assert_eq!(given["diagnostics"][0]["blocking"], true, "{given:#}");
    assert_eq!(given["plan"]["incident_id"], "inc_1");
    let sizes = fs::read_to_string(workspace.path("sizes.txt")).unwrap();
    assert_eq!(sizes.lines().filter(|size| size.trim() != "0").count(), 4, "{sizes}");
    let variables = fs::read_to_string(workspace.path("variables.txt")).unwrap();
    // The state directory alone is named: hooks inside the agent must use the same.
    let ours: Vec<&str> = variables.lines().filter(|line| line.contains(workspace.state().to_str().unwrap())).collect();
    assert!(matches!(ours[..], [line] if line.starts_with("REFEREE_STATE_DIR=")), "{ours:?}");
    is_valid("incident-attempt", &first);
    // The evidence lies with the loop, can be verified, and is none of the project's.
    assert!(!workspace.path("evidence").exists());
    for (attempt, code) in [(&first, 1), (&second, 0)] {
        cites_what_stays(&workspace, attempt, code);
    }
    assert!(!workspace.path(&format!("{ROOT}/error_inbox/inc_1")).exists(), "what is over leaves the inbox");
    assert_eq!(result["archived_to"], "error_archive/resolved/inc_1");
    let counts = workspace.referee(&["incident", "list", "--format", "json"]).exits(0).json()["counts"].clone();
    assert_eq!(counts, json!({"unresolved": 0, "resolved": 1, "escalated": 0, "by_status": {"resolved": 1}}));
    workspace.referee(&typed(&[])).exits(1);
    assert_eq!(turns(&workspace), 2, "it is over");
}

/// Holds an attempt's citation against what lies there now: the run, its seal, its verdict.
#[track_caller]
fn cites_what_stays(workspace: &Workspace, attempt: &Value, code: i32) {
    let [cited] = attempt["evidence"].as_array().unwrap().as_slice() else { panic!("{attempt:#}") };
    let path = workspace.path(&format!("{ROOT}/{}", cited["report"].as_str().unwrap()));
    let report: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    assert_eq!((&cited["task_id"], &cited["execution_id"]), (&"T001".into(), &report["authenticity"]["executionId"]));
    let directory = path.parent().unwrap();
    let printed = Command::new("sha256sum").arg(directory.join("seal.json")).output().unwrap().stdout;
    let seal = String::from_utf8(printed).unwrap();
    assert_eq!(cited["seal_sha256"].as_str(), seal.split(' ').next(), "{attempt:#}");
    workspace.referee(&["evidence", "verify", "--replay", directory.to_str().unwrap()]).exits(code);
}

#[test]
fn an_agent_that_was_ended_at_its_deadline_is_told_so_in_its_next_turn() {
    let lines = "test $(wc -l < turns.txt) -gt 1 || sleep 60\ntouch src/done.txt";
    let workspace = approved(lines);
    let result = workspace.referee(&typed(&["--agent-timeout", "2s"])).exits(0).json();
    assert_eq!(kept(&workspace, "attempt_01.json")["agent"]["ending"], "timeout");
    let given = |turn: u32| -> Value {
        serde_json::from_slice(&fs::read(workspace.path(&format!("given-{turn}.json"))).unwrap()).unwrap()
    };
    assert_eq!(given(1)["agent_ended"], Value::Null);
    let told = given(2)["agent_ended"].clone();
    assert!(told.as_str().is_some_and(|told| told.contains("ended at its deadline")), "{told}");
    assert_eq!(
        (&result["loop_results"][0]["agent_ended"], &result["loop_results"][1]["agent_ended"]),
        (&told, &Value::Null)
    );
}

#[test]
fn an_incident_may_be_left_in_the_inbox_by_word() {
    let workspace = approved("touch src/done.txt");
    let result = workspace.referee(&typed(&["--archive-on-success=false"])).exits(0).json();
    assert_eq!((&result["archived_to"], status(&workspace).as_str()), (&Value::Null, "resolved"));
    assert!(workspace.path(&format!("{ROOT}/error_inbox/inc_1")).exists());
}

#[test]
fn the_counters_of_a_loop_are_spelt_as_the_seed_spells_them() {
    let workspace = approved("true");
    workspace.referee(&typed(&["--single-iteration"])).exits(1);
    let state = kept(&workspace, "loop_state.json");
    let counters = &state["counters"];
    assert_eq!((&counters["same_error_repeats"], &counters["no_progress_streak"]), (&1.into(), &1.into()), "{state:#}");
}

#[test]
fn a_loop_that_gets_nowhere_asks_for_another_plan_and_lies_before_a_person() {
    // IN-07.
    let workspace = approved("true");
    let result = workspace.referee(&typed(&[])).exits(1).json();
    assert_eq!((&result["final_status"], &result["loops_used"]), (&"replan_requested".into(), &2.into()));
    assert_eq!((&result["replan"]["requested"], &result["replan"]["iteration"]), (&true.into(), &2.into()));
    assert_eq!((&result["same_error_repeats"], &result["no_progress_streak"]), (&2.into(), &2.into()));
    assert_eq!((status(&workspace), turns(&workspace)), ("plan_proposed".to_owned(), 2));
    let told = workspace.referee(&typed(&[])).exits(1);
    assert!(told.stderr.contains("plan_proposed"), "{}", told.stderr);
}

#[test]
fn limits_end_it_and_one_turn_leaves_it_running() {
    // IN-11.
    let workspace = approved("true");
    let result = workspace.referee(&typed(&["--no-replan"])).exits(1).json();
    assert_eq!((&result["final_status"], turns(&workspace)), (&"escalated".into(), 3));
    assert_eq!((status(&workspace).as_str(), &result["same_error_repeats"]), ("escalated", &3.into()));
    // IN-13, and IN-14 after it.
    let workspace = approved("true");
    let result = workspace.referee(&typed(&["--single-iteration"])).exits(1).json();
    assert_eq!((&result["final_status"], status(&workspace).as_str()), (&"running".into(), "running"));
    let result = workspace.referee(&typed(&["--max-loops", "1"])).exits(1).json();
    assert_eq!((&result["final_status"], turns(&workspace)), (&"escalated".into(), 1), "its turn was taken before");
    // IN-12: what is read differs from turn to turn, so that there is progress. The command and its exit code stay, which is one
    // first failure (ruling 23).
    let workspace = approved(
        "test $(($(wc -l < turns.txt) % 2)) = 0 && line=\"src/a.ts(1,1): error TS2304: Cannot find name 'x'.\" || \
         line=\"src/b.ts(2,2): error TS2322: Type 'A' is not assignable to type 'B'.\"\n\
         echo \"echo \\\"$line\\\"; exit 2\" > check.sh",
    );
    let result = workspace.referee(&typed(&["--max-loops", "4", "--same-error-limit", "9"])).exits(1).json();
    assert_eq!((&result["final_status"], &result["loops_used"]), (&"escalated".into(), &4.into()), "{result:#}");
    assert!(result["reason"].as_str().unwrap().contains("as many turns"), "{result:#}");
}

#[test]
fn without_a_person_a_plan_or_a_check_nothing_runs() {
    let workspace = with_agent("true");
    workspace.referee(&typed(&[])).exits(1);
    // A status that somebody wrote is no approval.
    workspace.write(&format!("{ROOT}/error_inbox/inc_1/status.txt"), "approved");
    workspace.referee(&typed(&[])).exits(1);
    workspace.write(&format!("{ROOT}/error_inbox/inc_1/status.txt"), "running");
    workspace.referee(&typed(&[])).exits(1);
    assert_eq!(turns(&workspace), 0);
    // IN-15.
    let workspace = with(SPECIFICATION, &[], "true");
    workspace.write(&format!("{ROOT}/error_inbox/inc_1/status.txt"), "approved");
    let told = workspace.referee(&typed(&[])).exits(1);
    assert!(told.stderr.contains("no verification commands"), "{}", told.stderr);
    // IN-16.
    workspace.referee(&["incident", "run", "unknown"]).exits(1);
    for wrong in [
        &["incident", "run", ".."][..],
        &["incident", "run", "inc_1", "--push-on-resolve"],
        &["incident", "run", "inc_1", "--commit-scope", "all"],
        &["incident", "run", "inc_1", "--agent", "a | b"],
        &["incident", "run", "inc_1", "--max-loops", "0"],
        &["incident", "run", "inc_1", "--key-fd", "7"],
    ] {
        workspace.referee(wrong).exits(2);
    }
}

#[test]
fn what_an_agent_must_not_change_is_left_to_a_person_at_once() {
    // The specification.
    let workspace = approved("printf 'checks:\\n  done: \"true\"\\n' > referee.yaml");
    let result = workspace.referee(&typed(&[])).exits(1).json();
    assert_eq!((&result["final_status"], turns(&workspace)), (&"escalated".into(), 1));
    assert!(result["reason"].as_str().unwrap().contains("not as it was when the loop began"), "{result:#}");
    // What is protected.
    let workspace = approved("echo 'exit 0' > check.sh");
    fs::write(workspace.path("referee.yaml"), format!("{SPECIFICATION}protect: {{ frozen: [check.sh] }}\n")).unwrap();
    workspace.referee(&["lock", "write"]).exits(0);
    let result = workspace.referee(&typed(&[])).exits(1).json();
    assert_eq!((&result["final_status"], turns(&workspace)), (&"escalated".into(), 1), "{result:#}");
    assert_eq!(kept(&workspace, "attempt_01.json")["verification_passed"], false);
    // The plan.
    let workspace =
        approved("sed -i 's/STEP.1/STEP.9/' .referee/reports/error_plans/inc_1/plan.json; touch src/done.txt");
    let result = workspace.referee(&typed(&[])).exits(1).json();
    assert_eq!((&result["final_status"], status(&workspace).as_str()), (&"replan_requested".into(), "plan_proposed"));
    assert!(result["reason"].as_str().unwrap().contains("void"), "{result:#}");
}

#[test]
fn a_plan_says_what_its_checks_run_or_nothing_runs() {
    // The text of the one check, and the place of one that passes: as an agent could write it, or as it comes when a check is put
    // in before.
    let passing = "checks:\n  never: 'false'\n  done: { run: sh check.sh }\n  passes: 'true'\n";
    let other = json!({"origin": "check", "command": "sh check.sh", "action": "STEP.3"});
    let workspace = with(passing, &[other], "true");
    approve(&workspace);
    let refused = workspace.referee(&typed(&[])).exits(1);
    assert!(
        refused.stderr.contains("STEP.3 runs `sh check.sh`, and in the specification it runs `true`"),
        "{}",
        refused.stderr
    );
    assert_eq!((turns(&workspace), status(&workspace).as_str()), (0, "approved"));
}

#[test]
fn an_agent_closes_nothing_and_resolves_nothing_by_its_word() {
    let archive = format!("{} incident archive inc_1 --result resolved --reason done", program().display());
    for lines in [
        format!("{archive}; echo $? > code.txt"),
        format!("unset REFEREE_EXECUTION; {archive}; echo $? > code.txt"),
        format!("printf resolved > {ROOT}/error_inbox/inc_1/status.txt; echo 1 > code.txt"),
    ] {
        let workspace = with_agent("true");
        let state = workspace.state().display().to_string();
        workspace.write("agent.sh", format!("export REFEREE_STATE_DIR={state}\n{lines}\n"));
        approve(&workspace);
        let result = workspace.referee(&typed(&["--single-iteration"])).exits(1).json();
        assert_eq!((&result["final_status"], status(&workspace).as_str()), (&"running".into(), "running"), "{lines}");
        assert_eq!(fs::read_to_string(workspace.path("code.txt")).unwrap().trim(), "1", "{lines}");
    }
}

#[test]
fn a_lock_stands_against_no_plan_that_names_only_some_checks() {
    let workspace = approved("touch src/done.txt");
    workspace.referee(&["lock", "write"]).exits(0);
    let result = workspace.referee(&typed(&[])).exits(0).json();
    assert_eq!(result["final_status"], "resolved");
}

#[test]
fn the_command_that_failed_runs_as_it_was_captured_and_checks_that_are_gone_are_no_pass() {
    let captured = json!({"origin": "captured", "command": "sh check.sh 'a b'", "argv": ["sh", "check.sh", "a b"]});
    let check = json!({"origin": "check", "command": "sh check.sh", "action": "STEP.1"});
    let workspace = with(SPECIFICATION, &[check, captured.clone()], "touch src/done.txt");
    approve(&workspace);
    let result = workspace.referee(&typed(&[])).exits(0).json();
    assert_eq!(result["final_status"], "resolved");
    let results = kept(&workspace, "attempt_01.json")["command_results"].clone();
    assert_eq!((&results[0]["returncode"], &results[1]["returncode"]), (&0.into(), &0.into()), "{results:#}");
    // Without a specification.
    let workspace = with(SPECIFICATION, &[captured], "true");
    fs::remove_file(workspace.path("referee.yaml")).unwrap();
    approve(&workspace);
    let result = workspace.referee(&typed(&["--max-loops", "1"])).exits(1).json();
    assert_eq!(result["final_status"], "escalated");
    assert_eq!(kept(&workspace, "attempt_01.json")["error_signature"], "sh check.sh 'a b'::rc=3");
    let gone = json!({"origin": "check", "command": "sh check.sh", "action": "STEP.9"});
    let workspace = with(SPECIFICATION, &[gone], "touch src/done.txt");
    approve(&workspace);
    let result = workspace.referee(&typed(&[])).exits(1).json();
    assert!(result["reason"].as_str().unwrap().contains("STEP.9"), "{result:#}");
}

#[test]
fn what_an_agent_prints_is_kept_without_secrets() {
    let workspace = approved("echo \"my key: $API_TOKEN\"; touch src/done.txt");
    let mut command = workspace.command(&typed(&[]));
    command.env("API_TOKEN", "tok-5f1b9d77a0c34e2b8d6f");
    finish(command.spawn().unwrap()).exits(0);
    let agent = kept(&workspace, "attempt_01.json")["agent"].clone();
    assert_eq!((&agent["ending"], &agent["exit_code"]), (&"exited".into(), &0.into()));
    assert!(agent["stdout"].as_str().unwrap().starts_with("my key: ****"), "{agent:#}");
}

/// What the agent's processes are told by.
fn marker(workspace: &Workspace) -> String {
    let variables = fs::read_to_string(workspace.path("variables.txt")).unwrap();
    variables.lines().find(|line| line.starts_with("REFEREE_EXECUTION=")).unwrap().to_owned()
}

#[test]
fn a_loop_that_was_killed_while_the_agent_worked_goes_on_and_ends_what_it_left() {
    let works =
        "env > variables.txt; test $(wc -l < turns.txt) -gt 1 && { touch src/done.txt; exit; }; touch begun; sleep 600";
    let workspace = approved(works);
    let mut child = workspace.start(&typed(&[]));
    wait_until("the agent works", || workspace.path("begun").exists());
    kill_process(Pid::from_child(&child), Signal::KILL).unwrap();
    child.wait().unwrap();
    assert!(!processes_with(&marker(&workspace)).is_empty(), "the agent outlives it");
    let result = workspace.referee(&typed(&[])).exits(0).json();
    assert_eq!((&result["final_status"], &result["loops_used"], turns(&workspace)), (&"resolved".into(), &2.into(), 2));
    assert_eq!(kept(&workspace, "attempt_01.json")["agent"]["ending"], "cut_off");
    assert_eq!(processes_with(&marker(&workspace)), Vec::<u32>::new());
}

#[test]
fn a_loop_that_was_killed_during_its_checks_does_not_run_the_agent_again() {
    let workspace = approved("touch src/done.txt");
    let waits =
        format!("if test -f turns.txt; then touch checking; until test -f go; do sleep 0.05; done; fi\n{CHECK}");
    workspace.write("check.sh", waits);
    let mut child = workspace.start(&typed(&[]));
    wait_until("the checks run", || workspace.path("checking").exists());
    kill_process(Pid::from_child(&child), Signal::KILL).unwrap();
    child.wait().unwrap();
    assert_eq!(
        (kept(&workspace, "loop_state.json")["phase"].clone(), status(&workspace)),
        ("checks".into(), "running".to_owned())
    );
    workspace.write("go", "");
    let result = workspace.referee(&typed(&[])).exits(0).json();
    assert_eq!((&result["final_status"], turns(&workspace)), (&"resolved".into(), 1));
}

#[test]
fn a_signal_stops_a_loop_where_it_is_and_it_goes_on() {
    let works = "test $(wc -l < turns.txt) -gt 1 && { touch src/done.txt; exit; }; touch begun; sleep 600";
    let workspace = approved(works);
    let child = workspace.start(&typed(&[]));
    wait_until("the agent works", || workspace.path("begun").exists());
    // One loop at a time.
    workspace.referee(&typed(&[])).exits(1);
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let result = finish(child).exits(130).json();
    assert_eq!((&result["final_status"], status(&workspace).as_str()), (&"running".into(), "running"));
    let result = workspace.referee(&typed(&[])).exits(0).json();
    assert_eq!((&result["final_status"], turns(&workspace)), (&"resolved".into(), 2));
}

fn git(workspace: &Workspace, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "init.defaultBranch=main"])
        .args(arguments)
        .current_dir(workspace.path(""))
        .envs(PERSON)
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Who commits.
const PERSON: [(&str, &str); 5] = [
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_AUTHOR_NAME", "ada"),
    ("GIT_AUTHOR_EMAIL", "ada@example.org"),
    ("GIT_COMMITTER_NAME", "ada"),
    ("GIT_COMMITTER_EMAIL", "ada@example.org"),
];

#[test]
fn what_was_changed_at_the_plans_paths_is_committed_and_pushed() {
    // IN-08, and what is in it.
    let workspace = approved("touch src/done.txt; echo beside > beside.txt");
    let remote = workspace.state().join("remote.git");
    git(&workspace, &["init", "-q", "--bare", remote.to_str().unwrap()]);
    git(&workspace, &["init", "-q"]);
    git(&workspace, &["add", "."]);
    git(&workspace, &["commit", "-q", "-m", "first"]);
    git(&workspace, &["remote", "add", "origin", remote.to_str().unwrap()]);
    workspace.write("agent.sh.bak", "x");
    git(&workspace, &["add", "agent.sh.bak"]);
    let options = ["--commit-on-resolve", "--push-on-resolve", "--commit-message", "fix {incident_id}"];
    let mut command = workspace.command(&typed(&options));
    let result = finish(command.envs(PERSON).spawn().unwrap()).exits(0).json();
    let commit = &result["commit"];
    assert_eq!(
        (&commit["ran"], &commit["push"]["success"], &commit["error"]),
        (&true.into(), &true.into(), &Value::Null)
    );
    assert_eq!(commit["commit_sha"], git(&workspace, &["rev-parse", "HEAD"]));
    assert_eq!(git(&workspace, &["--git-dir", remote.to_str().unwrap(), "rev-parse", "main"]), commit["commit_sha"]);
    let listed = git(&workspace, &["show", "--name-only", "--format=%s", "HEAD"]);
    assert!(listed.starts_with("fix inc_1\n") && listed.contains("\nsrc/done.txt"), "{listed}");
    assert!(listed.contains("error_inbox/inc_1/status.txt"), "{listed}");
    assert!(
        !listed.contains("beside") && !listed.contains("agent.sh.bak") && !listed.contains("error_runs"),
        "{listed}"
    );
    assert_eq!(git(&workspace, &["diff", "--cached", "--name-only"]), "agent.sh.bak", "it stays staged");
    // What was changed elsewhere is in no commit, and nobody takes it for the whole repair.
    let note = commit["note"].as_str().unwrap();
    assert!(note.contains("NOT in it: ") && note.contains("beside.txt"), "{note}");
    // A branch that is not checked out is refused before anything is done.
    let workspace = approved("touch src/done.txt");
    git(&workspace, &["init", "-q"]);
    workspace.referee(&typed(&["--commit-on-resolve", "--branch", "other"])).exits(1);
    assert_eq!(turns(&workspace), 0);
}
