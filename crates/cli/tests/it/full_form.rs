//! Specifications in the full form (2.0.0): several tasks, problems, conditions, dialects.

use serde_json::{Value, json};

use crate::support::{Workspace, action, skipped};

/// A specification with these tasks, each given by its steps.
fn specification(tasks: &[(&str, Value)]) -> String {
    let tasks: serde_json::Map<String, Value> =
        tasks.iter().map(|(id, task)| ((*id).to_owned(), merged(id, task))).collect();
    json!({ "schemaVersion": "2.0.0", "tasks": tasks }).to_string()
}

/// A task with what every task needs, where it does not say otherwise.
fn merged(id: &str, task: &Value) -> Value {
    let mut merged = json!({
        "taskId": id,
        "title": format!("the task {id}"),
        "description": "A task that a test of the full form runs, described at the length that is asked for.",
        "validationCriteria": { "successConditions": [{ "condition": "STEP.1.success === true", "description": "it works" }] },
        "completionCriteria": { "allStepsMustPass": true },
    });
    for (key, value) in task.as_object().unwrap() {
        merged[key] = value.clone();
    }
    merged
}

fn step(number: usize, command: &str) -> Value {
    json!({
        "actionId": format!("STEP.{number}"),
        "type": "TERMINAL_COMMAND",
        "description": format!("the step {number} of the test"),
        "parameters": { "command": command, "workingDirectory": "." },
    })
}

fn steps(commands: &[&str]) -> Value {
    let steps: Vec<Value> = commands.iter().enumerate().map(|(index, command)| step(index + 1, command)).collect();
    json!({ "testExecution": { "steps": steps } })
}

#[test]
fn a_task_whose_dependency_failed_is_blocked_and_the_suite_fails() {
    let mut second = steps(&["echo second"]);
    second["dependencies"] = json!(["T001"]);
    let workspace = Workspace::new().file(
        "referee.json",
        specification(&[("T002", second), ("T001", steps(&["exit 3"])), ("T003", steps(&["true"]))]),
    );
    let run = workspace.referee(&["run", "referee.json", "--format", "json"]).exits(6);
    let suite = run.json();
    assert_eq!(suite["type"], "suite");
    let decisions: Vec<(&str, &str)> = suite["suite"]["tasks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|task| (task["taskId"].as_str().unwrap(), task["decision"].as_str().unwrap()))
        .collect();
    assert_eq!(decisions, [("T001", "FAIL"), ("T002", "BLOCKED"), ("T003", "PASS")]);
    assert_eq!(suite["suite"]["decision"], "FAIL");
    let blocked = workspace.report("T002");
    assert_eq!(blocked["executionSummary"]["decision"], "BLOCKED");
    assert_eq!(blocked["executionSummary"]["actionCounts"]["executed"], 0);
    for task in ["T001", "T002"] {
        workspace.referee(&["evidence", "verify", &format!("evidence/{task}"), "--replay"]).exits(1);
    }
    workspace.referee(&["evidence", "verify", "evidence/T003", "--replay"]).exits(0);
}

#[test]
fn one_task_of_several_is_run_with_what_it_depends_on() {
    let mut second = steps(&["echo second"]);
    second["dependencies"] = json!(["T001"]);
    let workspace = Workspace::new().file(
        "referee.json",
        specification(&[("T001", steps(&["true"])), ("T002", second), ("T003", steps(&["exit 1"]))]),
    );
    workspace.referee(&["run", "referee.json", "--task", "T002"]).exits(0);
    assert!(workspace.path("evidence/T001").exists() && !workspace.path("evidence/T003").exists());
    let unknown = workspace.referee(&["run", "referee.json", "--task", "T009"]).exits(2);
    assert!(unknown.stderr.contains("T009") && unknown.stderr.contains("T003"), "{}", unknown.stderr);
}

#[test]
fn a_task_that_asks_for_what_cannot_be_done_is_a_specification_error_and_others_run() {
    let open = json!({ "testExecution": { "steps": [step(1, "echo never"), {
        "actionId": "STEP.2", "type": "HTTP_REQUEST", "description": "ask an address that nobody filled in",
        "parameters": { "url": "http://{{HOST}}/api", "method": "GET" },
    }] } });
    let workspace = Workspace::new().file("referee.json", specification(&[("T001", open), ("T002", steps(&["true"]))]));
    let checked = workspace.referee(&["check", "referee.json"]).exits(3);
    assert!(checked.stdout.ends_with("referee.json cannot run: T001 (1 problem)\n"), "{checked:?}");
    workspace.referee(&["run", "referee.json"]).exits(3);
    let report = workspace.report("T001");
    assert_eq!(report["executionSummary"]["overallStatus"], "SPECIFICATION_ERROR");
    assert_eq!(report["executionSummary"]["decision"], "BLOCKED");
    let refused = action(&report, "STEP.2");
    assert_eq!(refused["status"], "SPECIFICATION_ERROR");
    assert_eq!(refused["result"]["executed"], false);
    assert_eq!(refused["agentAction"]["action"], "FIX_SPECIFICATION");
    assert!(refused.to_string().contains("{{HOST}}"), "{refused:#}");
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(1);
    assert_eq!(workspace.report("T002")["executionSummary"]["decision"], "PASS");
    assert!(!workspace.evidence("T001").contains_key("STEP.1-the-step-1-of-the-test.log"), "nothing of the task runs");
}

#[test]
fn conditions_are_explained_and_decide() {
    let mut task = steps(&["echo 'one line'; exit 0", "echo done >&2"]);
    task["validationCriteria"] = json!({
        "successConditions": [
            { "condition": "STEP.1.exitCode === 0 || STEP.1.exitCode === 1", "description": "it ran" },
            { "condition": "STEP['1'].stdout.includes('one line')", "description": "it said so" },
            { "condition": "stderr.includes('done')", "description": "the last step says so" },
        ],
        "failureConditions": [{ "condition": "STEP.2.failed === true", "description": "the second failed" }],
    });
    let passing = specification(&[("T001", task.clone())]);
    task["validationCriteria"]["successConditions"][1]["condition"] = json!("STEP.1.stdout.includes('two')");
    let failing = specification(&[("T001", task)]);
    let workspace = Workspace::new().file("passing.json", passing).file("failing.json", failing);
    workspace.referee(&["run", "passing.json"]).exits(0);
    let criteria = &workspace.report("T001")["validationCriteriaEvaluation"];
    assert_eq!(criteria["successConditions"]["met"], 3);
    assert_eq!(criteria["failureConditions"]["triggered"], 0);
    workspace.referee(&["run", "failing.json"]).exits(1);
    let report = workspace.report("T001");
    let detail = &report["validationCriteriaEvaluation"]["successConditions"]["details"][1];
    assert_eq!(detail["met"], false);
    assert!(detail["reason"].as_str().unwrap().contains("two"), "{detail:#}");
    assert_eq!(report["executionSummary"]["decision"], "FAIL");
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(1);
}

#[test]
fn json_with_comments_and_yaml_are_read_alike() {
    let plain = specification(&[("T001", steps(&["true"]))]);
    let body = plain.strip_prefix('{').unwrap().strip_suffix('}').unwrap();
    let commented = format!("{{ // a comment\n /* another */ {body}, }}");
    let workspace = Workspace::new().file("plain.json", &plain).file("commented.jsonc", &commented);
    let plan = |name: &str| {
        let mut plan = workspace.referee(&["plan", name, "--format", "json"]).exits(0).json();
        plan["specification"] = Value::Null;
        plan
    };
    // JSON is YAML, too.
    workspace.write("same.yaml", format!("# a comment\n{plain}"));
    assert_eq!(plan("plain.json"), plan("commented.jsonc"));
    assert_eq!(plan("plain.json"), plan("same.yaml"));
}

#[test]
fn a_script_runs_by_its_interpreter_and_a_missing_one_is_named() {
    let script = |path: &str| {
        json!({ "testExecution": { "steps": [{
            "actionId": "STEP.1", "type": "CUSTOM_SCRIPT", "description": "run a script of the project",
            "parameters": { "scriptPath": path, "interpreter": "bash", "arguments": ["a b"] },
        }] } })
    };
    let workspace = Workspace::new()
        .file("scripts/say.sh", "test \"$1\" = 'a b' && echo said")
        .file("there.json", specification(&[("T001", script("scripts/say.sh"))]))
        .file("missing.json", specification(&[("T001", script("scripts/none.sh"))]));
    workspace.referee(&["run", "there.json"]).exits(0);
    assert_eq!(action(&workspace.report("T001"), "STEP.1")["type"], "CUSTOM_SCRIPT");
    workspace.referee(&["run", "missing.json"]).exits(6);
    assert!(action(&workspace.report("T001"), "STEP.1").to_string().contains("scripts/none.sh"));
}

#[test]
fn retries_are_recorded_and_a_late_pass_is_flaky() {
    let mut task = steps(&["echo x >> tries; test $(wc -l < tries) -ge 3"]);
    task["testExecution"]["steps"][0]["retryAttempts"] = json!(3);
    let workspace = Workspace::new().file("referee.json", specification(&[("T001", task)]));
    workspace.referee(&["run", "referee.json"]).exits(0);
    let report = workspace.report("T001");
    let step = action(&report, "STEP.1");
    assert_eq!(step["flaky"], true, "{step:#}");
    assert_eq!(step["attempts"].as_array().unwrap().len(), 3, "{step:#}");
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(0);
}

#[test]
fn examples_of_the_format_load_and_plan() {
    let directory = crate::support::repository().join("../shared/reference/execution-spec");
    if !directory.is_dir() {
        skipped("no ../shared");
        return;
    }
    let workspace = Workspace::new();
    let mut loaded = 0;
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if name.contains("schema") && !name.starts_with('T') {
            continue;
        }
        workspace.write(&name, std::fs::read(&path).unwrap());
        for arguments in [vec!["plan", &name], vec!["plan", &name, "--workspace", "."]] {
            workspace.referee(&arguments).exits(0);
        }
        // Some hold placeholders that nobody filled: they load, and cannot run.
        let checked = workspace.referee(&["check", &name]);
        let is_stuck = checked.stdout.contains(&format!("{name} cannot run: "));
        checked.exits(if is_stuck { 3 } else { 0 });
        loaded += 1;
    }
    assert!(loaded >= 7);
}
