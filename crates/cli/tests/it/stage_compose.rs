//! `referee stage compose`: a workflow's directory becomes a run, or it is said what is wrong with it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::support::{Workspace, copy, finish, repository};

/// A workspace with the example's workflow in `workflow`.
fn workspace() -> Workspace {
    let workspace = Workspace::new();
    copy(&repository().join("examples/explore-specify"), &workspace.path("workflow"));
    workspace
}

fn day(run: &str) -> &str {
    run.rsplit_once('-').unwrap().0
}

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn runs_are_numbered_and_hold_everything() {
    // WF-01.
    let workspace = workspace();
    let first = workspace.referee(&["stage", "compose", "workflow", "-o", "runs"]).exits(0);
    let line = first.stdout.lines().next().unwrap();
    let run = line.strip_prefix("Created: runs/").unwrap_or_else(|| panic!("{line}")).to_owned();
    assert!(run.starts_with("run-") && run.ends_with("-001"), "{run}");
    assert!(first.told().contains("inputs/user-description.md") && first.told().contains("stage accept explore"));
    let second = workspace.referee(&["stage", "compose", "workflow", "-o", "runs", "--format", "json"]).exits(0).json();
    assert_eq!(second["run_id"], format!("{}-002", day(&run)));
    assert_eq!(second["stages"], serde_json::json!(["explore", "specify"]));
    assert_eq!(second["warnings"], serde_json::json!([]));
    assert_eq!(
        second["path"].as_str().unwrap(),
        workspace.path("runs").join(second["run_id"].as_str().unwrap()).to_str().unwrap()
    );
    let path = workspace.path("runs").join(&run);
    assert_eq!(names(&path), ["schemas", "stages", "wf-log.jsonl", "wf-run.json"]);
    let explore = path.join("stages/explore");
    assert_eq!(names(&explore), ["inputs", "prompt", "run", "schemas", "stage-config.yaml"]);
    assert_eq!(names(&explore.join("run")), ["output-data", "output-files"]);
    let document: serde_json::Value = serde_json::from_slice(&fs::read(path.join("wf-run.json")).unwrap()).unwrap();
    let stages: Vec<_> = document["stages"].as_array().unwrap().iter().map(|stage| &stage["id"]).collect();
    assert_eq!(stages, ["explore", "specify"]);
    // WF-03: every stage begins with the same words on handing back.
    let prompt = fs::read_to_string(explore.join("prompt/wf.md")).unwrap();
    let section = referee_report::protocol::section();
    assert!(prompt.contains(section.trim()) && !prompt.contains("referee:handback-protocol"), "{prompt}");
}

#[test]
fn runs_that_are_composed_at_once_have_numbers_of_their_own() {
    let workspace = workspace();
    let started: Vec<_> = (0..6)
        .map(|_| {
            let arguments = ["stage", "compose", "workflow", "-o", "runs", "--format", "json"];
            workspace.command(&arguments).spawn().unwrap()
        })
        .collect();
    let runs: BTreeSet<String> =
        started.into_iter().map(|child| finish(child).exits(0).json()["run_id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(runs.len(), 6, "{runs:?}");
    assert_eq!(names(&workspace.path("runs")), runs.into_iter().collect::<Vec<_>>());
}

#[test]
fn everything_that_is_wrong_is_said_and_nothing_is_composed() {
    // WF-02.
    let workspace = workspace();
    let text = fs::read_to_string(workspace.path("workflow/wf.yaml")).unwrap();
    workspace.write("workflow/wf.yaml", text.replace("version: \"1.0\"", "version: \"one\""));
    fs::remove_file(workspace.path("workflow/templates/wf.md")).unwrap();
    fs::remove_file(workspace.path("workflow/stages/explore/prompt/main.md")).unwrap();
    let finished = workspace.referee(&["stage", "compose", "workflow", "-o", "runs"]).exits(1);
    assert_eq!(finished.stdout, "");
    for told in ["wf.yaml:4:10", "templates/wf.md", "prompt/main.md", "Action: ", "See: ", "1 error", "2 faults"] {
        assert!(finished.stderr.contains(told), "{told}: {}", finished.stderr);
    }
    let finished = workspace.referee(&["stage", "compose", "workflow", "-o", "runs", "--format", "json"]).exits(1);
    let document = finished.json();
    assert_eq!((&document["valid"], document["faults"].as_array().unwrap().len()), (&false.into(), 2));
    assert_eq!(document["complaints"][0]["line"], 4);
    assert!(!workspace.path("runs").exists());
}

#[test]
fn what_was_typed_wrongly_is_refused_and_nothing_is_left() {
    let workspace = workspace().file("a-file", "");
    let before = names(&workspace.path(""));
    let in_workflow = names(&workspace.path("workflow"));
    for arguments in [
        &["nowhere", "-o", "runs"][..],
        &["a-file", "-o", "runs"],
        &["workflow", "-o", "workflow/runs"],
        &["workflow", "-o", "workflow"],
        &["workflow", "-o", "runs/../workflow"],
        &["workflow", "-o", "a-file/runs"],
        &["workflow", "-o", "runs", "--workspace", "nowhere"],
        &["workflow"],
    ] {
        let typed: Vec<&str> = ["stage", "compose"].iter().chain(arguments).copied().collect();
        let finished = workspace.referee(&typed).exits(2);
        assert!(finished.stdout.is_empty() && !finished.stderr.is_empty());
    }
    let mut command = workspace.command(&["stage", "compose", "workflow", "-o", "runs"]);
    command.env_remove("REFEREE_STATE_DIR").env_remove("XDG_STATE_HOME").env_remove("HOME");
    let finished = finish(command.spawn().unwrap()).exits(2);
    assert!(finished.stderr.contains("REFEREE_STATE_DIR"), "{}", finished.stderr);
    assert_eq!((names(&workspace.path("")), names(&workspace.path("workflow"))), (before, in_workflow));
}

#[test]
fn a_specification_goes_along_and_one_that_is_wrong_does_not() {
    let workspace = workspace();
    let text = fs::read_to_string(workspace.path("workflow/wf.yaml")).unwrap();
    let at = "    name: \"Look into the code\"\n";
    workspace.write(
        "workflow/wf.yaml",
        text.replace(at, &format!("{at}    x-referee: {{ specification: checks/explore.yaml }}\n")),
    );
    let compose = || workspace.referee(&["stage", "compose", "workflow", "-o", "runs", "--format", "json"]);
    assert!(compose().exits(1).stdout.contains("checks/explore.yaml"));
    workspace.write("workflow/checks/explore.yaml", "checks: {}\n");
    assert!(compose().exits(1).stdout.contains("checks/explore.yaml"));
    workspace.write("workflow/checks/explore.yaml", "checks: { dossier: { run: test -s dossier } }\n");
    let run = compose().exits(0).json()["path"].as_str().unwrap().to_owned();
    let stage = Path::new(&run).join("stages/explore");
    assert!(stage.join("specification/explore.yaml").is_file());
    let configuration = fs::read_to_string(stage.join("stage-config.yaml")).unwrap();
    assert!(configuration.contains("specification: specification/explore.yaml"), "{configuration}");
}

#[test]
fn what_comes_next_can_be_typed_as_it_is() {
    let workspace = workspace();
    let composed =
        workspace.referee(&["stage", "compose", "workflow", "-o", "runs/it's this week, and the next one"]).exits(0);
    let next = composed.stdout.lines().find(|line| line.contains("stage accept explore")).unwrap();
    assert!(next.contains(r"--run-dir 'runs/it'\''s this week, and the next one/run-"), "{next}");
}
