//! `referee stage prepare`, `accept`, `answer`, `finalize`: control passes, comes back, and what was written goes on.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::{Finished, Workspace, finish};

const WF: &str = r#"version: "1.0"
metadata:
  name: "two-stages"
  description: "One stage looks, the other writes it down"
stages:
  - id: "look"
    name: "Look"
    inputs:
      required:
        - name: "topic.md"
          path: "inputs/topic.md"
          description: "What to look at"
    outputs:
      files:
        - name: "seen.md"
          path: "run/output-files/seen.md"
          description: "What was seen"
      data:
        - name: "wf-result.json"
          path: "run/output-data/wf-result.json"
          schema: "schemas/wf-result.schema.json"
          description: "What became of it"
          required: true
        - name: "counts.json"
          path: "run/output-data/counts.json"
          description: "How much was seen"
          required: true
    output_parameters:
      - name: "total"
        description: "How much"
        source: "run/output-data/counts.json"
        query: "total"
      - name: "nothing"
        description: "Null"
        source: "run/output-data/counts.json"
        query: "nothing"
    prompt:
      entry: "prompt/wf.md"
      main: "prompt/main.md"
  - id: "write"
    name: "Write"
    inputs:
      required:
        - name: "seen.md"
          path: "inputs/seen.md"
          description: "What was seen"
          from_stage: "look"
          source: "run/output-files/seen.md"
    parameters:
      - name: "count"
        description: "How much"
        from_stage: "look"
        output_parameter: "total"
    outputs:
      files:
        - name: "text.md"
          path: "run/output-files/text.md"
          description: "The text"
      data:
        - name: "wf-result.json"
          path: "run/output-data/wf-result.json"
          schema: "schemas/wf-result.schema.json"
          description: "What became of it"
          required: true
    prompt:
      entry: "prompt/wf.md"
      main: "prompt/main.md"
shared_templates:
  - source: "templates/wf.md"
    target: "prompt/wf.md"
  - source: "schemas/wf-result.schema.json"
    target: "schemas/wf-result.schema.json"
"#;

/// A run of two stages.
struct Run {
    workspace: Workspace,
    directory: PathBuf,
}

impl Run {
    fn compose() -> Self {
        let workspace = Workspace::new()
            .file("workflow/wf.yaml", WF)
            .file("workflow/templates/wf.md", "# How work goes\n")
            .file("workflow/schemas/wf-result.schema.json", r#"{ "type": "object" }"#)
            .file("workflow/stages/look/prompt/main.md", "# Look\n")
            .file("workflow/stages/write/prompt/main.md", "# Write\n");
        let composed = workspace.referee(&["stage", "compose", "workflow", "-o", "runs", "--format", "json"]).exits(0);
        let directory = PathBuf::from(composed.json()["path"].as_str().unwrap());
        Self { workspace, directory }
    }

    /// Does something to a stage, as a person.
    fn stage(&self, arguments: &[&str]) -> Finished {
        let run = self.directory.to_str().unwrap();
        let all: Vec<&str> = ["stage"].into_iter().chain(arguments.iter().copied()).chain(["--run-dir", run]).collect();
        self.workspace.referee(&all)
    }

    fn json(&self, arguments: &[&str], code: i32) -> Value {
        let arguments: Vec<&str> = arguments.iter().copied().chain(["--format", "json"]).collect();
        self.stage(&arguments).exits(code).json()
    }

    fn write(&self, name: &str, content: &str) {
        let path = self.directory.join("stages").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn read(&self, name: &str) -> Value {
        serde_json::from_slice(&fs::read(self.directory.join(name)).unwrap()).unwrap()
    }

    fn result(&self, stage: &str, status: &str) {
        let result = json!({
            "status": status, "completed_at": "2099-01-01T00:00:00Z", "stage_id": stage, "error": null, "metrics": {}
        });
        self.write(&format!("{stage}/run/output-data/wf-result.json"), &result.to_string());
    }

    /// What the executor of `look` writes.
    fn looked(&self) {
        self.write("look/run/output-files/seen.md", "# Seen\n");
        self.write("look/run/output-data/counts.json", r#"{ "total": 7, "nothing": null }"#);
        self.result("look", "success");
    }

    fn hand_back(&self, stage: &str, handback: &Value) {
        self.write(&format!("{stage}/run/output-data/handback.json"), &handback.to_string());
    }

    /// A run whose stage `look` was accepted with its input there.
    fn accepted() -> Self {
        let run = Self::compose();
        run.write("look/inputs/topic.md", "The gate.\n");
        run.stage(&["accept", "look"]).exits(0);
        run
    }
}

fn success() -> Value {
    json!({ "reason": "success", "description": "All is done." })
}

fn names(document: &Value) -> Vec<&str> {
    document["objections"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect()
}

#[test]
fn a_run_or_a_stage_that_does_not_exist_is_a_usage_error() {
    let workspace = Workspace::new();
    for command in ["prepare", "accept", "answer", "finalize"] {
        let nowhere = workspace.referee(&["stage", command, "look", "--run-dir", "nowhere"]).exits(2);
        assert!(nowhere.stderr.contains("directory not found: nowhere"), "{}", nowhere.stderr);
        workspace.referee(&["stage", command, "look"]).exits(2);
        workspace.referee(&["stage", command, "../look", "--run-dir", "."]).exits(2);
        fs::create_dir_all(workspace.path("run/stages")).unwrap();
        let unknown = workspace.referee(&["stage", command, "look", "--run-dir", "run"]).exits(2);
        assert!(unknown.stderr.contains("stage not found in"), "{}", unknown.stderr);
    }
}

#[test]
fn what_is_a_persons_to_say_is_refused_in_an_agents_shell() {
    let workspace = Workspace::new();
    fs::create_dir_all(workspace.path("run/stages/look")).unwrap();
    for arguments in [
        &["answer", "look", "--text", "Yes."][..],
        &["finalize", "look", "--without-handback"],
        &["finalize", "look", "--adopt"],
        &["accept", "look", "--adopt"],
        &["prepare", "look", "--adopt"],
    ] {
        let all: Vec<&str> = ["stage"].iter().chain(arguments).chain(&["--run-dir", "run"]).copied().collect();
        let child = workspace.command(&all).env("CLAUDECODE", "1").spawn().unwrap();
        let refused = finish(child).exits(1);
        assert!(refused.stderr.contains("only a person may"), "{arguments:?}: {}", refused.stderr);
    }
}

#[test]
fn a_run_that_nothing_vouches_for_is_not_changed() {
    let workspace = Workspace::new();
    fs::create_dir_all(workspace.path("run/stages/look")).unwrap();
    for command in ["prepare", "accept"] {
        let refused = workspace.referee(&["stage", command, "look", "--run-dir", "run"]).exits(1);
        assert!(refused.stderr.contains("log_contradicts"), "{}", refused.stderr);
    }
    let refused = workspace.referee(&["stage", "finalize", "look", "--run-dir", "run", "--format", "json"]).exits(1);
    let document = refused.json();
    assert_eq!((&document["status"], &document["outcome"]), (&json!("FAIL"), &json!("refused")));
    assert!(names(&document).contains(&"log_contradicts"), "{document}");
    assert_eq!(fs::read_dir(workspace.path("run")).unwrap().count(), 1);
}

/// E2E, FI-01, FI-03, VA-04.
#[test]
fn a_run_goes_from_its_first_stage_to_its_last() {
    let run = Run::compose();
    let accepted = run.json(&["accept", "look"], 0);
    assert_eq!((&accepted["attempt"], &accepted["state"]), (&json!(1), &json!("active")));
    run.stage(&["preflight", "look"]).exits(1);
    run.write("look/inputs/topic.md", "The gate.\n");
    run.stage(&["preflight", "look"]).exits(0);
    run.looked();
    run.stage(&["validate", "look"]).exits(0);
    assert!(!run.directory.join("stages/look/run/output-data/output-params.json").exists());
    run.hand_back("look", &success());
    let directory = run.directory.to_str().unwrap();
    run.workspace.referee(&["handback", "look", "--check", "--run-dir", directory]).exits(0);
    // Nothing is taken from a stage that is not finalized.
    assert!(run.stage(&["prepare", "write"]).exits(1).stderr.contains("look is active"));
    let finalized = run.json(&["finalize", "look"], 0);
    assert_eq!((&finalized["status"], &finalized["outcome"]), (&json!("PASS"), &json!("published")));
    assert_eq!(finalized["output_params"], json!({ "total": 7 }));
    assert_eq!(run.read("stages/look/run/output-data/output-params.json")["parameters"], json!({ "total": 7 }));
    let record = run.read("wf-run.json");
    assert_eq!((&record["stages"][0]["id"], &record["stages"][0]["status"]), (&json!("look"), &json!("completed")));
    assert!(record["stages"][0]["started_at"].is_string() && record["stages"][0]["completed_at"].is_string());
    assert!(run.stage(&["accept", "write"]).exits(1).stderr.contains("stage prepare write"));
    let prepared = run.json(&["prepare", "write"], 0);
    assert_eq!(prepared["copied"][0]["path"], "inputs/seen.md");
    assert_eq!(run.read("stages/write/inputs/params.json"), json!({ "count": 7 }));
    run.stage(&["accept", "write"]).exits(0);
    run.stage(&["preflight", "write"]).exits(0);
    run.write("write/run/output-files/text.md", "# Text\n");
    run.result("write", "success");
    run.hand_back("write", &success());
    run.stage(&["finalize", "write"]).exits(0);
    // It can be said again, and changes nothing.
    assert_eq!(run.json(&["finalize", "write"], 0)["outcome"], "already_published");
}

/// FI-02.
#[test]
fn a_success_over_outputs_that_fail_is_refused_with_everything_that_is_wrong() {
    let run = Run::accepted();
    run.result("look", "failure");
    run.hand_back("look", &success());
    let document = run.json(&["finalize", "look"], 1);
    let found = names(&document);
    assert!(found.contains(&"outputs_contradict") && found.contains(&"result_contradicts"), "{document}");
    let missing: Vec<&str> =
        document["errors"].as_array().unwrap().iter().map(|row| row["path"].as_str().unwrap()).collect();
    assert_eq!(missing, ["run/output-files/seen.md", "run/output-data/counts.json"]);
    assert_eq!(run.read("wf-run.json")["stages"][0]["status"], "pending");
    assert!(!run.directory.join("stages/look/run/output-data/output-params.json").exists());
    let human = run.stage(&["finalize", "look"]).exits(1);
    assert!(human.told().contains("outputs_contradict") && human.told().contains("Action:"), "{}", human.stdout);
}

/// FI-04.
#[test]
fn dry_runs_write_nothing() {
    let run = Run::accepted();
    run.looked();
    run.hand_back("look", &success());
    let log = fs::read(run.directory.join("wf-log.jsonl")).unwrap();
    let dry = run.json(&["finalize", "look", "-n"], 0);
    assert_eq!((&dry["dry_run"], &dry["outcome"]), (&json!(true), &json!("published")));
    assert!(!run.directory.join("stages/look/run/output-data/output-params.json").exists());
    assert_eq!(fs::read(run.directory.join("wf-log.jsonl")).unwrap(), log);
    run.stage(&["finalize", "look"]).exits(0);
    let log = fs::read(run.directory.join("wf-log.jsonl")).unwrap();
    assert_eq!(run.json(&["prepare", "write", "--dry-run"], 0)["copied"][0]["source"], "run/output-files/seen.md");
    assert!(!run.directory.join("stages/write/inputs/seen.md").exists());
    assert_eq!(fs::read(run.directory.join("wf-log.jsonl")).unwrap(), log);
}

#[test]
fn a_question_waits_for_a_person_and_the_next_executor_finds_the_answer() {
    let run = Run::accepted();
    run.hand_back("look", &json!({ "reason": "question", "description": "Which gate?" }));
    let document = run.json(&["finalize", "look"], 1);
    assert_eq!((&document["outcome"], &document["state"]), (&json!("question"), &json!("blocked")));
    let refused = run.stage(&["accept", "look"]).exits(1);
    assert!(refused.stderr.contains("stage answer look"), "{}", refused.stderr);
    assert!(run.stage(&["answer", "look"]).exits(0).stdout.contains("Which gate?"));
    run.stage(&["answer", "look", "--text", " "]).exits(2);
    run.stage(&["answer", "look", "--text", "The second.", "--by", "Ada"]).exits(0);
    let message = run.read("stages/look/run/messages/m-001.json");
    assert_eq!((&message["answer"]["by"], &message["answer"]["text"]), (&json!("Ada"), &json!("The second.")));
    let accepted = run.json(&["accept", "look"], 0);
    assert_eq!((&accepted["attempt"], &accepted["messages"]), (&json!(2), &json!(["run/messages/m-001.json"])));
}

#[test]
fn an_error_becomes_an_incident_of_the_workspace() {
    let run = Run::accepted();
    run.hand_back(
        "look",
        &json!({ "reason": "error", "description": "It broke.",
                 "error": { "code": "EXTERNAL_FAILURE", "message": "The index is away", "context": { "host": "a" } } }),
    );
    let document = run.json(&["finalize", "look"], 1);
    assert_eq!((&document["outcome"], &document["state"]), (&json!("error"), &json!("failed")));
    let id = document["incident_id"].as_str().unwrap();
    let shown = run.workspace.referee(&["incident", "show", id, "--format", "json"]).exits(0).json();
    assert_eq!(shown["incident"]["step"], "stage/look");
    assert_eq!(shown["incident"]["failure_class"], "execution_error");
    // It can be worked at again.
    assert_eq!(run.json(&["accept", "look"], 0)["attempt"], 2);
}

#[test]
fn a_stage_that_is_done_is_taken_back_only_where_that_is_said() {
    let run = Run::accepted();
    run.looked();
    run.hand_back("look", &success());
    run.stage(&["finalize", "look"]).exits(0);
    run.stage(&["prepare", "write"]).exits(0);
    assert!(run.stage(&["accept", "look"]).exits(1).stderr.contains("--again"));
    run.stage(&["accept", "look", "--again"]).exits(0);
    assert_eq!(run.read("wf-run.json")["stages"][0]["status"], "pending");
    assert!(run.directory.join("stages/look/attempts/001/run/output-data/output-params.json").exists());
    let refused = run.stage(&["accept", "write"]).exits(1);
    assert!(refused.stderr.contains("look"), "{}", refused.stderr);
}

/// E2E: accept, preflight fails, the input is brought, preflight passes.
#[test]
fn an_input_that_is_brought_after_the_accept_is_there() {
    let run = Run::compose();
    run.stage(&["accept", "look"]).exits(0);
    let before = run.stage(&["preflight", "look"]).exits(1);
    assert!(before.stdout.contains("input_exists: inputs/topic.md"), "{}", before.stdout);
    run.write("look/inputs/topic.md", "Owls.\n");
    let after = run.stage(&["preflight", "look"]).exits(0);
    assert!(after.stdout.trim_end().ends_with("0 errors)"), "{}", after.stdout);
}

#[test]
fn a_stage_or_a_run_that_is_not_there_is_told_with_what_there_is() {
    let run = Run::compose();
    for command in ["prepare", "preflight", "accept", "validate", "finalize", "status", "answer"] {
        let unknown = run.stage(&[command, "lok"]).exits(2);
        assert!(unknown.stderr.contains("stage not found in") && unknown.stdout.is_empty(), "{}", unknown.stderr);
        assert!(unknown.stderr.contains("(stages: look, write)"), "{}", unknown.stderr);
    }
    let file = run.directory.join("wf-run.json");
    let file = run.workspace.referee(&["stage", "status", "--run-dir", file.to_str().unwrap()]).exits(2);
    assert!(file.stderr.contains("which is a file"), "{}", file.stderr);
}
