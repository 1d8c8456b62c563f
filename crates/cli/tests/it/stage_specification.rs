//! A stage that is held to a specification: only PASS carries a success, whatever the executor says.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::{Finished, Workspace, finish, processes_with, wait_until};

/// A workflow of one stage, held to `gates/build.yaml`.
const WORKFLOW: &str = r#"version: "1.0"
metadata: { name: one-stage, description: "A stage that is held to a specification" }
stages:
  - id: build
    name: Build
    inputs: { required: [], optional: [] }
    outputs:
      files: [{ name: note.md, path: run/output-files/note.md }]
      data: [{ name: wf-result.json, path: run/output-data/wf-result.json, schema: schemas/wf-result.schema.json }]
    output_parameters: [{ name: how, source: run/output-data/wf-result.json, query: status }]
    prompt: { entry: prompt/wf.md, main: prompt/main.md }
    x-referee: { specification: gates/build.yaml }
shared_templates:
  - { source: templates/wf.md, target: prompt/wf.md }
  - { source: schemas/wf-result.schema.json, target: schemas/wf-result.schema.json }
"#;

/// Passes where the executor wrote more than an empty note; else a tool that does not work (6).
const SAYS_DONE: &str = "checks:\n  note: { run: 'grep -q done \"$REFEREE_STAGE_DIR/run/output-files/note.md\"' }\n";

/// A run of that workflow, whose stage has given an executor control.
struct Scene {
    workspace: Workspace,
    run: PathBuf,
}

impl Scene {
    fn held_to(specification: &str) -> Self {
        Self::about(specification, &[])
    }

    fn about(specification: &str, options: &[&str]) -> Self {
        let workspace = Workspace::new()
            .file("source.txt", "a\n")
            .file("workflow/wf.yaml", WORKFLOW)
            .file("workflow/templates/wf.md", "# How work goes\n")
            .file("workflow/stages/build/prompt/main.md", "# Write a note\n")
            .file("workflow/gates/build.yaml", specification);
        let schema = workspace.referee(&["schema", "wf-result"]).exits(0).stdout;
        workspace.write("workflow/schemas/wf-result.schema.json", schema);
        let typed = [&["stage", "compose", "workflow", "-o", "runs", "--format", "json"], options].concat();
        let composed = workspace.referee(&typed).exits(0).json();
        let run = PathBuf::from(composed["path"].as_str().unwrap());
        let scene = Self { workspace, run };
        scene.stage("accept").exits(0);
        scene
    }

    fn stage(&self, operation: &str) -> Finished {
        self.stage_as(operation, &[])
    }

    fn stage_as(&self, operation: &str, options: &[&str]) -> Finished {
        let run = self.run.to_str().unwrap();
        self.workspace.referee(&[&["stage", operation, "build", "--run-dir", run], options].concat())
    }

    fn validated(&self, code: i32) -> Value {
        self.stage_as("validate", &["--format", "json"]).exits(code).json()
    }

    fn handback(&self) -> Value {
        let run = self.run.to_str().unwrap();
        self.workspace.referee(&["handback", "build", "--run-dir", run, "--format", "json"]).exits(0).json()
    }

    fn path(&self, file: &str) -> PathBuf {
        self.run.join("stages/build").join(file)
    }

    fn write(&self, file: &str, text: impl AsRef<[u8]>) {
        let path = self.path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// What the executor brings, and that it says success.
    fn works(&self, note: &str) {
        let result = json!({
            "status": "success", "completed_at": "2026-11-22T12:00:00Z", "stage_id": "build", "error": null, "metrics": {}
        });
        self.write("run/output-files/note.md", note);
        self.write("run/output-data/wf-result.json", result.to_string());
        self.write(
            "run/output-data/handback.json",
            json!({"reason": "success", "description": "it is done"}).to_string(),
        );
    }

    /// What happened, in order.
    fn operations(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.run.join("wf-log.jsonl")).unwrap();
        text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["operation"].clone()).collect()
    }

    /// Nothing was published, and the stage is not completed.
    #[track_caller]
    fn is_not_finalized(&self) {
        assert!(!self.path("run/output-data/output-params.json").exists());
        let operations = self.operations();
        assert!(operations.iter().any(|operation| operation["what"] == "accepted"), "{operations:?}");
        assert!(operations.iter().all(|operation| operation["what"] != "finalized"), "{operations:?}");
        let run: Value = serde_json::from_slice(&fs::read(self.run.join("wf-run.json")).unwrap()).unwrap();
        assert_eq!(run["stages"][0]["status"], "pending");
    }
}

fn names(objections: &Value) -> Vec<&str> {
    objections.as_array().unwrap().iter().map(|objection| objection["name"].as_str().unwrap()).collect()
}

#[test]
fn a_stage_whose_specification_passes_is_finalized_with_evidence_that_can_be_verified() {
    let scene = Scene::held_to(SAYS_DONE);
    scene.works("done\n");
    let validated = scene.validated(0);
    assert_eq!((&validated["status"], &validated["verdict"]["decision"]), (&"PASS".into(), &"PASS".into()));
    let evidence = scene.run.join(validated["verdict"]["evidence"].as_str().unwrap());
    assert!(evidence.starts_with(scene.path("evidence")), "{}", evidence.display());
    scene.workspace.referee(&["evidence", "verify", evidence.to_str().unwrap(), "--replay"]).exits(0);
    assert!(!scene.workspace.path("evidence").exists(), "the project's own evidence is about its own checks");
    scene.stage("finalize").exits(0);
    let parameters = fs::read(scene.path("run/output-data/output-params.json")).unwrap();
    let parameters: Value = serde_json::from_slice(&parameters).unwrap();
    assert_eq!(parameters["parameters"]["how"], "success");
}

#[test]
fn a_success_over_a_verdict_that_is_no_pass_is_a_contradiction_that_stops_the_stage() {
    let scene = Scene::held_to(SAYS_DONE);
    scene.works("it will be, soon\n");
    let validated = scene.validated(6);
    assert_eq!(validated["status"], "FAIL");
    assert_ne!(validated["verdict"]["decision"], "PASS");
    let failed: Vec<&Value> = validated["errors"].as_array().unwrap().iter().map(|error| &error["check"]).collect();
    assert!(failed.contains(&&json!("specification")), "{failed:?}");
    assert!(names(&validated["handback"]["objections"]).contains(&"verdict_contradicts"), "{validated:#}");
    let handback = scene.handback();
    assert_eq!((&handback["reason"], &handback["standing"]["holds"]), (&"success".into(), &false.into()));
    assert!(names(&handback["standing"]["objections"]).contains(&"verdict_contradicts"), "{handback:#}");
    let refused = scene.stage("finalize").exits(6);
    assert!(format!("{}{}", refused.stdout, refused.stderr).contains("verdict_contradicts"), "{refused:?}");
    scene.is_not_finalized();

    // Mended, it goes through: finalizing runs the specification afresh.
    scene.write("run/output-files/note.md", "done\n");
    scene.stage("finalize").exits(0);
}

#[test]
fn a_verdict_over_other_outputs_carries_nothing() {
    let scene = Scene::held_to(SAYS_DONE);
    scene.works("done\n");
    scene.validated(0);
    scene.write("run/output-files/note.md", "never mind\n");
    assert!(names(&scene.handback()["standing"]["objections"]).contains(&"verdict_contradicts"));
    scene.stage("finalize").exits(6);
    scene.is_not_finalized();
}

#[test]
fn a_verdict_over_another_workspace_carries_nothing() {
    let scene = Scene::held_to("checks:\n  source: { run: 'grep -q a source.txt' }\n");
    scene.works("done\n");
    let run = scene.run.to_str().unwrap();
    let checked = |code| scene.workspace.referee(&["handback", "build", "--run-dir", run, "--check"]).exits(code);
    assert!(scene.validated(0)["verdict"]["tree"].is_string());
    checked(0);
    scene.stage_as("finalize", &["--dry-run"]).exits(0);
    scene.workspace.write("source.txt", "b\n");
    checked(1);
    assert_eq!(names(&scene.handback()["standing"]["objections"]), ["verdict_contradicts"]);
    let dry = scene.stage_as("finalize", &["--dry-run", "--format", "json"]).exits(1).json();
    assert_eq!(names(&dry["objections"]), ["verdict_contradicts"], "{dry:#}");
    scene.stage("finalize").exits(6);
    scene.is_not_finalized();
    // What did not pass says nothing of another workspace either, but that it is to be run.
    scene.workspace.write("source.txt", "a\n");
    checked(1);
    scene.validated(0);
    checked(0);
    scene.workspace.write("beside.txt", "more\n");
    checked(1);
    fs::remove_file(scene.workspace.path("beside.txt")).unwrap();
    checked(0);
    scene.stage("finalize").exits(0);
}

#[test]
fn a_check_that_writes_another_output_each_time_is_named_and_nothing_is_published() {
    let writes = "checks:\n  note: { run: 'date +%s.%N >> \"$REFEREE_STAGE_DIR/run/output-files/note.md\"' }\n";
    let scene = Scene::held_to(writes);
    scene.works("done\n");
    let refused = scene.stage_as("finalize", &["--format", "json"]).exits(1).json();
    let objection = &refused["objections"][0];
    assert_eq!(objection["name"], "outputs_contradict", "{refused:#}");
    assert!(objection["message"].as_str().unwrap().contains("run/output-files/note.md"), "{refused:#}");
    scene.is_not_finalized();
}

#[test]
fn a_specification_that_was_changed_in_the_run_is_not_run() {
    let scene = Scene::held_to(SAYS_DONE);
    scene.works("not at all\n");
    let specification = scene.path("specification/build.yaml");
    fs::write(&specification, "checks: { easy: 'touch \"$REFEREE_STAGE_DIR/ran.txt\"' }\n").unwrap();
    let validated = scene.validated(3);
    assert_eq!(validated["verdict"]["decision"], "BLOCKED");
    assert!(
        validated["verdict"]["reason"].as_str().unwrap().contains("differs from what was composed"),
        "{validated:#}"
    );
    assert_ne!(scene.stage("finalize").code, Some(0));
    fs::remove_file(&specification).unwrap();
    assert_eq!(scene.validated(3)["verdict"]["decision"], "BLOCKED");
    scene.is_not_finalized();
    assert!(!scene.path("ran.txt").exists());
}

#[test]
fn a_configuration_that_names_no_specification_any_more_frees_nobody_of_it() {
    let scene = Scene::held_to(SAYS_DONE);
    scene.works("not at all\n");
    let text = fs::read_to_string(scene.path("stage-config.yaml")).unwrap();
    let without = text.split("x-referee").next().unwrap().to_owned();
    assert_ne!(text, without);
    fs::write(scene.path("stage-config.yaml"), without).unwrap();
    let validated = scene.validated(3);
    assert_eq!((&validated["status"], &validated["verdict"]["decision"]), (&"FAIL".into(), &"BLOCKED".into()));
    assert_ne!(scene.stage("finalize").code, Some(0));
    scene.is_not_finalized();
}

#[test]
fn a_workspace_that_is_gone_is_no_pass() {
    let about = tempfile::tempdir().unwrap();
    let directory = about.path().canonicalize().unwrap();
    let scene = Scene::about("checks: { one: 'true' }\n", &["--workspace", directory.to_str().unwrap()]);
    scene.works("done\n");
    assert_eq!(scene.validated(0)["verdict"]["decision"], "PASS");
    about.close().unwrap();
    let validated = scene.validated(3);
    assert!(validated["verdict"]["reason"].as_str().unwrap().contains("is gone"), "{validated:#}");
    scene.stage("finalize").exits(3);
    scene.is_not_finalized();
}

#[test]
fn a_check_that_writes_outputs_is_judged_by_what_it_wrote() {
    let writes = "checks:\n  note: { run: 'echo done > \"$REFEREE_STAGE_DIR/run/output-files/note.md\"' }\n";
    let scene = Scene::held_to(writes);
    scene.works("");
    assert_eq!(scene.validated(0)["status"], "PASS", "an empty note was filled by the check");
}

#[test]
fn a_timeout_ends_the_command_as_one() {
    let scene = Scene::held_to("checks:\n  slow: { run: 'sleep 60', timeout: 1 }\n");
    scene.works("done\n");
    assert_eq!(scene.validated(7)["status"], "FAIL");
    scene.stage("finalize").exits(7);
    scene.is_not_finalized();
}

#[test]
fn an_interrupted_specification_ends_as_interrupted_and_passes_nothing() {
    let waits = "checks:\n  slow: { run: 'touch \"$REFEREE_STAGE_DIR/started.txt\"; sleep 600' }\n";
    for operation in ["validate", "finalize"] {
        let scene = Scene::held_to(waits);
        scene.works("done\n");
        let run = scene.run.to_str().unwrap();
        let child = scene.workspace.command(&["stage", operation, "build", "--run-dir", run]).spawn().unwrap();
        wait_until("the check runs", || scene.path("started.txt").exists());
        kill_process(Pid::from_raw(child.id().cast_signed()).unwrap(), Signal::INT).unwrap();
        finish(child).exits(130);
        let passed = |operation: &Value| operation["what"] == "validated" && operation["verdict"]["decision"] == "PASS";
        assert!(!scene.operations().iter().any(passed), "{:?}", scene.operations());
        scene.is_not_finalized();
        let marker = format!("REFEREE_RUN_DIR={run}");
        wait_until("nothing of it runs any more", || processes_with(&marker).is_empty());
    }
}

#[test]
fn options_of_the_gate_count_for_a_stage() {
    let scene = Scene::held_to("checks: { one: 'true' }\n");
    scene.works("done\n");
    let refused = scene.stage_as("validate", &["--trusted", "no-such-commit"]).exits(2);
    assert!(refused.stderr.contains("trusted"), "{refused:?}");
    scene.stage_as("validate", &["--jobs", "2", "--sandbox=on"]).exits(0);
    scene.stage_as("finalize", &["--trusted", "no-such-commit"]).exits(2);
    scene.is_not_finalized();
    let own = "protect: { frozen: [source.txt] }\nchecks: { one: 'true' }\n";
    scene.workspace.write("referee.yaml", own);
    scene.workspace.referee(&["lock"]).exits(0);
    assert_eq!(
        scene.validated(0)["status"],
        "PASS",
        "the log vouches for the specification, and the lock for the rest"
    );
    scene.workspace.write("source.txt", "b\n");
    assert_eq!(scene.validated(3)["verdict"]["decision"], "BLOCKED");
    scene.stage("finalize").exits(3);
    scene.is_not_finalized();
}

#[test]
fn a_composed_specification_is_a_file_of_the_run() {
    let scene = Scene::held_to(SAYS_DONE);
    assert_eq!(fs::read_to_string(scene.path("specification/build.yaml")).unwrap(), SAYS_DONE);
    let composed = &scene.operations()[0]["files"];
    assert!(composed.get("stages/build/specification/build.yaml").is_some(), "{composed:#}");
    let configuration = fs::read_to_string(scene.path("stage-config.yaml")).unwrap();
    assert!(configuration.contains("specification/build.yaml"), "{configuration}");
    assert!(!Path::new(&scene.run).join("gates").exists());
}

#[test]
fn a_stage_is_done_by_the_summary_of_its_tests_alone() {
    for (printed, passes) in crate::no_summary::PRINTED {
        let outside = Workspace::new();
        crate::no_summary::stand_in(&outside, "pytest", printed);
        let scene = Scene::held_to(&format!("checks:\n  unit: {} -q\n", outside.path("bin/pytest").display()));
        scene.works("done\n");
        let finalized = scene.stage("finalize");
        assert_eq!(finalized.code == Some(0), passes, "{printed}: {finalized:?}");
        if !passes {
            scene.is_not_finalized();
        }
    }
}
