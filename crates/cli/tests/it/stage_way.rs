//! The whole way of a run as orchestrator and executor go it: by what they are told, with the commands as they are printed.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{Finished, Workspace, copy, finish, program, repository};

/// A run of the workflow that is an example, in a directory whose name a shell would take for two.
struct Way {
    workspace: Workspace,
    directory: PathBuf,
}

impl Way {
    fn composed() -> Self {
        let workspace = Workspace::new();
        copy(&repository().join("examples/explore-specify"), &workspace.path("workflow"));
        let told = workspace.referee(&["stage", "compose", "workflow", "-o", "my runs"]).exits(0);
        let created = told.stdout.lines().find_map(|line| line.strip_prefix("Created: ")).unwrap();
        let directory = workspace.path(created);
        let next = told.stdout.lines().find(|line| line.contains("stage accept")).unwrap();
        assert!(next.contains(&format!("--run-dir '{created}'")), "as a shell takes it, on one line: {next}");
        Self { workspace, directory }
    }

    /// A run whose first stage is done.
    fn explored() -> Self {
        let way = Self::composed();
        way.write("explore/inputs/user-description.md", "Sign in with a link\n");
        way.stage(&["accept", "explore"]).exits(0);
        way.explore();
        way.stage(&["finalize", "explore"]).exits(0);
        way
    }

    fn stage(&self, arguments: &[&str]) -> Finished {
        let run = self.directory.to_str().unwrap();
        let all: Vec<&str> = ["stage"].into_iter().chain(arguments.iter().copied()).chain(["--run-dir", run]).collect();
        self.workspace.referee(&all)
    }

    /// Types a line that was printed into a shell, in a directory of the workspace.
    fn typed(&self, line: &str, directory: &Path) -> Finished {
        let mut shell = self.workspace.tool("sh");
        let line = line.strip_prefix("referee ").unwrap();
        shell.arg("-c").arg(format!("exec '{}' {line}", program().display())).current_dir(directory);
        finish(shell.spawn().unwrap())
    }

    fn write(&self, name: &str, content: &str) {
        fs::write(self.directory.join("stages").join(name), content).unwrap();
    }

    fn hand_back(&self, stage: &str, handback: &Value) {
        self.write(&format!("{stage}/run/output-data/handback.json"), &handback.to_string());
    }

    fn result(&self, stage: &str) {
        let result = json!({
            "status": "success", "completed_at": "2026-11-22T12:00:00Z", "stage_id": stage, "error": null, "metrics": {}
        });
        self.write(&format!("{stage}/run/output-data/wf-result.json"), &result.to_string());
    }

    /// What an executor of `explore` writes.
    fn explore(&self) {
        self.write("explore/run/output-files/research-dossier.md", "# What was found\n");
        let findings = json!({ "findings": [], "summary": { "total": 0, "by_impact": {}, "by_category": {} } });
        self.write("explore/run/output-data/findings.json", &findings.to_string());
        let metrics = json!({
            "summary": { "total_findings": 0, "by_impact": { "critical": 0 } },
            "components": [{ "name": "door", "findings_count": 0 }],
            "recommendations": { "complexity": { "suggested_score": "CS-1" } }
        });
        self.write("explore/run/output-data/explore-metrics.json", &metrics.to_string());
        self.result("explore");
        self.hand_back("explore", &success());
    }

    /// What an executor of `specify` writes.
    fn specify(&self) {
        self.write("specify/run/output-files/spec.md", "# What is to be built\n");
        let metadata = json!({
            "feature_name": "Links", "slug": "links", "complexity": { "score": "CS-1", "total": 1, "phases": null },
            "goals": ["Sign in with a link"], "acceptance_criteria": [{ "id": "AC-01", "description": "A link works" }]
        });
        self.write("specify/run/output-data/spec-metadata.json", &metadata.to_string());
        self.result("specify");
        self.hand_back("specify", &success());
    }

    /// What `stage status` says of a stage: where it stands, and the command that comes next.
    fn next(&self, stage: &str) -> (String, Option<String>) {
        let status = self.stage(&["status", "--format", "json"]).exits(0).json();
        let stages = status["stages"].as_array().unwrap();
        let stage = stages.iter().find(|found| found["stage_id"] == stage).unwrap();
        let command = stage["next_command"].as_str().map(str::to_owned);
        (stage["state"].as_str().unwrap().to_owned(), command)
    }

    /// Does what `stage status` says is next, as it is printed there.
    fn go_on(&self, stage: &str) -> Finished {
        let human = self.stage(&["status"]).exits(0).stdout;
        let command = self.next(stage).1.unwrap();
        assert!(human.lines().any(|line| line.trim() == command), "whole, on one line: {command}\n{human}");
        self.typed(&command, &self.workspace.path("."))
    }
}

fn success() -> Value {
    json!({ "reason": "success", "description": "All is done." })
}

fn question() -> Value {
    json!({ "reason": "question", "description": "Which door?" })
}

/// E2E, WF-03: an executor that does what `prompt/wf.md` says, from its stage's directory, comes through.
#[test]
fn the_commands_of_the_prompt_work_as_they_stand_there() {
    let way = Way::composed();
    way.stage(&["accept", "explore"]).exits(0);
    let stage = way.directory.join("stages/explore");
    let prompt = fs::read_to_string(stage.join("prompt/wf.md")).unwrap();
    let commands: Vec<String> =
        prompt.split('`').filter(|code| code.starts_with("referee ")).map(str::to_owned).collect();
    let said = |words: &str| {
        let found = commands.iter().find(|command| command.starts_with(words) && command.contains("--run-dir"));
        found.unwrap().replace("STAGE", "explore").replace("RUN", "../..")
    };
    assert!(commands.iter().all(|command| !command.contains('<')), "a shell would read a file: {commands:?}");
    let preflight = said("referee stage preflight");
    assert!(way.typed(&preflight, &stage).exits(1).stdout.contains("user-description.md"));
    way.write("explore/inputs/user-description.md", "Sign in with a link\n");
    way.typed(&preflight, &stage).exits(0);
    way.typed(&said("referee stage validate"), &stage).exits(1);
    way.explore();
    let validated = way.typed(&said("referee stage validate"), &stage).exits(0);
    assert!(validated.stdout.contains("Result: PASS (11 checks, 0 errors)"), "{}", validated.stdout);
    let shown = way.typed(&said("referee handback"), &stage).exits(0).stdout;
    assert!(shown.contains("nothing stands against it"), "{shown}");
    let next = shown.lines().find_map(|line| line.strip_prefix("Next: ")).unwrap();
    way.typed(next, &stage).exits(0);
    assert_eq!(way.next("explore").0, "completed");
}

/// Whoever does nothing but what `stage status` says, beside an executor's work, comes to the end.
#[test]
fn what_status_says_is_next_can_be_done_as_it_is_printed() {
    let way = Way::composed();
    way.write("explore/inputs/user-description.md", "Sign in with a link\n");
    way.go_on("explore").exits(0);
    assert_eq!(way.next("explore"), ("active".to_owned(), None));
    way.explore();
    way.go_on("explore").exits(0);
    way.go_on("specify").exits(0);
    way.go_on("specify").exits(0);
    way.hand_back("specify", &question());
    way.go_on("specify").exits(1);
    assert!(way.go_on("specify").exits(0).stdout.contains("Which door?"), "the question, to be answered");
    way.stage(&["answer", "specify", "--text", "The second."]).exits(0);
    way.go_on("specify").exits(0);
    way.specify();
    way.go_on("specify").exits(0);
    assert_eq!(way.next("specify"), ("completed".to_owned(), None));
}

#[test]
fn what_was_made_from_something_that_is_done_again_is_prepared_again() {
    let way = Way::explored();
    way.stage(&["prepare", "specify"]).exits(0);
    way.stage(&["accept", "specify"]).exits(0);
    way.specify();
    way.stage(&["finalize", "specify"]).exits(0);
    way.stage(&["accept", "explore", "--again"]).exits(0);
    // What is not published cannot be taken.
    assert_eq!(way.next("specify"), ("completed".to_owned(), None));
    let outdated = way.stage(&["finalize", "specify", "--format", "json"]).exits(1).json();
    let names: Vec<&Value> =
        outdated["objections"].as_array().unwrap().iter().map(|objection| &objection["name"]).collect();
    assert!(names.contains(&&json!("inputs_changed")), "{outdated}");
    way.explore();
    way.stage(&["finalize", "explore"]).exits(0);
    way.stage(&["finalize", "specify"]).exits(1);
    let dry = way.stage(&["prepare", "specify", "--again", "--dry-run", "--format", "json"]).exits(0).json();
    way.typed(dry["next"].as_str().unwrap(), &way.workspace.path(".")).exits(0);
    assert_eq!(way.next("specify").0, "prepared");
    way.go_on("specify").exits(0);
    way.stage(&["accept", "explore", "--again"]).exits(0);
    way.explore();
    way.stage(&["finalize", "explore"]).exits(0);
    // An executor works from what is not published any more.
    assert!(way.next("specify").1.unwrap().contains("prepare specify"));
    way.go_on("specify").exits(0);
    assert_eq!(way.next("specify").0, "prepared");
}

#[test]
fn a_dry_run_names_the_deed_itself_as_next() {
    let way = Way::composed();
    way.write("explore/inputs/user-description.md", "Sign in with a link\n");
    way.stage(&["accept", "explore"]).exits(0);
    let error = json!({ "code": "TIMEOUT", "message": "too slow" });
    for handback in [question(), json!({ "reason": "error", "description": "No.", "error": error })] {
        way.hand_back("explore", &handback);
        let dry = way.stage(&["finalize", "explore", "--dry-run", "--format", "json"]).exits(1).json();
        assert!(dry["next"].as_str().unwrap().starts_with("referee stage finalize explore"), "{dry}");
    }
    assert_eq!(way.next("explore").0, "active");
}

#[test]
fn a_run_that_was_moved_says_that_it_has_to_be_taken_on() {
    let way = Way::explored();
    way.stage(&["accept", "explore", "--again"]).exits(0);
    way.explore();
    let moved = Way { directory: way.workspace.path("my runs/moved"), ..way };
    fs::rename(moved.workspace.path("my runs").read_dir().unwrap().next().unwrap().unwrap().path(), &moved.directory)
        .unwrap();
    let run = moved.directory.to_str().unwrap();
    let shown = moved.workspace.referee(&["handback", "explore", "--run-dir", run]).exits(0).stdout;
    let refused = moved.stage(&["finalize", "explore"]).exits(1).stdout;
    for told in [&shown, &refused] {
        assert!(told.contains("--adopt") && !told.contains("compose the run again"), "{told}");
    }
    let log = fs::read(moved.directory.join("wf-log.jsonl")).unwrap();
    let dry = moved.stage(&["finalize", "explore", "--adopt", "--dry-run", "--format", "json"]).exits(0).json();
    assert_eq!(dry["outcome"], "published", "{dry}");
    assert_eq!(fs::read(moved.directory.join("wf-log.jsonl")).unwrap(), log);
    moved.go_on("explore").exits(0);
    assert_eq!(moved.next("explore").0, "completed");
}

#[test]
fn a_run_whose_record_is_gone_is_found_and_says_what_to_do() {
    let way = Way::explored();
    fs::remove_file(way.directory.join("wf-run.json")).unwrap();
    let told = way.typed("referee stage status", &way.directory.join("stages/explore")).exits(0).stdout;
    assert!(told.contains("wf-run.json is missing: put wf-run.json back"), "{told}");
}

#[test]
fn a_handback_that_had_its_effect_leaves_nothing_to_be_mended() {
    let way = Way::explored();
    let run = way.directory.to_str().unwrap();
    let shown = way.workspace.referee(&["handback", "explore", "--run-dir", run, "--format", "json"]).exits(0).json();
    let next = shown["next"].as_str().unwrap();
    assert!(next.starts_with("referee stage status explore"), "{next}");
    way.typed(next, &way.workspace.path(".")).exits(0);
    let action = shown["standing"]["objections"][0]["action"].as_str().unwrap();
    assert!(action.contains("nothing needs to be done"), "{action}");
}
