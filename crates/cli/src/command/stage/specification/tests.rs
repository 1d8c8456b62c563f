#![expect(clippy::disallowed_methods, reason = "tests make projects and runs of workflows, and change files in them")]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::Command as Program;

use clap::Parser;
use referee_engine::error::ErrorKind;
use referee_engine::stage::Configuration;
use referee_engine::stage::verdict::{self, VerdictRequest};
use referee_exec::Cancellation;
use referee_ledger::State;
use referee_ledger::stages::{Composition, composition};
use referee_model::stage::id::StageId;
use referee_model::stage::log::StageVerdict;
use referee_model::stage::path::{PathReference, StagePath};
use referee_model::stage::workflow::{Prompt, Stage};
use tempfile::TempDir;

use super::*;
use crate::args::{Arguments, Command};
use crate::command::lock;
use crate::resolve;

const CONFIGURATION: &str = "stages/build/stage-config.yaml";
const FILE: &str = "stages/build/specification/gate.yaml";
const DONE: &str = "run/output-data/done.json";

/// A specification that checks the required output of the stage.
const LOOKS: &str = "checks:\n  done: { run: 'test -s \"$REFEREE_STAGE_DIR/run/output-data/done.json\"' }\n";

#[derive(Debug, Parser)]
struct Typed {
    #[command(flatten)]
    gate: GateArguments,
}

/// A project, a run of a workflow whose stage `build` has a specification, and a state directory beside both.
struct Scene {
    project: TempDir,
    state: TempDir,
    run: PathBuf,
    specification: Option<PathReference>,
}

impl Scene {
    fn composed(specification: &str) -> Self {
        Self::composed_in(tempfile::tempdir().unwrap(), specification)
    }

    fn composed_in(project: TempDir, specification: &str) -> Self {
        let state = tempfile::tempdir().unwrap();
        let workspace = project.path().canonicalize().unwrap();
        fs::write(workspace.join("source.txt"), "a\n").unwrap();
        let path = |text: &str| StagePath::parse(text).unwrap();
        let composition = Composition {
            at: crate::resolve::now(),
            by: "ada".to_owned(),
            source: "workflow".to_owned(),
            name: "work".to_owned(),
            version: "1.0".to_owned(),
            workspace: workspace.clone(),
            stages: vec![build()],
            files: BTreeMap::from([
                (path(CONFIGURATION), b"id: build\n".to_vec()),
                (path(FILE), specification.as_bytes().to_vec()),
            ]),
            directories: Vec::new(),
        };
        let kept = State::open(&state.path().canonicalize().unwrap()).unwrap();
        let run = composition::compose(&workspace.join("runs"), &kept, &composition).unwrap().path;
        Self { project, state, run, specification: Some(PathReference::new("specification/gate.yaml")) }
    }

    fn workspace(&self) -> PathBuf {
        self.project.path().canonicalize().unwrap()
    }

    fn context(&self) -> Context {
        let arguments = Arguments::try_parse_from(["referee", "schema"]).unwrap();
        let context = resolve::look(&arguments.global).unwrap();
        let mut environment: Vec<(OsString, OsString)> = Vec::new();
        for name in ["PATH", "HOME"] {
            environment.extend(std::env::var_os(name).map(|value| (name.into(), value)));
        }
        environment.push(("REFEREE_STATE_DIR".into(), self.state.path().canonicalize().unwrap().into()));
        Context { directory: self.workspace(), environment, ..context }
    }

    fn in_run(&self, file: &str) -> PathBuf {
        self.run.join(file)
    }

    fn in_stage(&self, file: &str) -> PathBuf {
        self.run.join("stages/build").join(file)
    }

    fn wrote(&self, file: &str, text: &str) {
        let path = self.in_stage(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn opened(&self) -> Opened {
        let state = State::open(&self.state.path().canonicalize().unwrap()).unwrap();
        self.opened_by(Some(&state))
    }

    fn opened_by(&self, state: Option<&State>) -> Opened {
        let configuration = Configuration::Read(Box::new(stage(self.specification.clone())));
        Opened::open(&self.run, build(), state, |_, _| configuration).unwrap()
    }

    fn asked(&self, typed: &[&str]) -> Verdict {
        let gate = Typed::try_parse_from([&["referee"], typed].concat()).unwrap().gate;
        verify(&self.context(), &gate, &self.opened()).unwrap()
    }

    #[track_caller]
    fn verdict(&self, typed: &[&str]) -> StageVerdict {
        match self.asked(typed) {
            Verdict::Known(verdict) => verdict,
            other => panic!("{other:?}"),
        }
    }

    #[track_caller]
    fn is_blocked(&self, why: &str) {
        self.is_blocked_as_typed(&[], why);
    }

    #[track_caller]
    fn is_blocked_as_typed(&self, typed: &[&str], why: &str) {
        let verdict = self.verdict(typed);
        assert_eq!((verdict.decision.as_str(), verdict.exit), ("BLOCKED", 3), "{verdict:?}");
        assert!(verdict.reason.contains(why), "{verdict:?}");
        assert!(!self.in_stage("ran.txt").exists(), "a command ran");
    }
}

fn build() -> StageId {
    StageId::parse("build").unwrap()
}

fn stage(specification: Option<PathReference>) -> Stage {
    Stage {
        id: build(),
        name: "Build".to_owned(),
        description: None,
        inputs: Vec::new(),
        parameters: Vec::new(),
        output_parameters: Vec::new(),
        files: Vec::new(),
        data: Vec::new(),
        prompt: Prompt { entry: PathReference::new("prompt/wf.md"), main: PathReference::new("prompt/main.md") },
        specification,
    }
}

fn commanding(line: &str) -> String {
    format!("checks:\n  one: {{ run: '{line}' }}\n")
}

#[test]
fn a_stage_passes_by_what_it_wrote_and_its_evidence_lies_in_its_directory() {
    let scene = Scene::composed(LOOKS);
    let failed = scene.verdict(&[]);
    assert_eq!(
        (failed.decision.as_str(), failed.exit),
        ("FAIL", 6),
        "a command that fails and prints nothing: {failed:?}"
    );
    scene.wrote(DONE, "{}");
    let passed = scene.verdict(&[]);
    assert_eq!((passed.decision.as_str(), passed.exit), ("PASS", 0), "{passed:?}");
    let evidence = passed.evidence.unwrap();
    assert!(evidence.starts_with("stages/build/evidence/"), "{evidence}");
    assert!(scene.in_run(&evidence).join("execution-report.json").is_file());
    assert!(!scene.workspace().join("evidence").exists(), "the project's own evidence is about its own checks");
    fs::remove_file(scene.in_stage(DONE)).unwrap();
    assert_ne!(scene.verdict(&[]).decision, "PASS", "what was recorded says nothing of what is there now");
}

#[test]
fn a_failed_test_is_a_failure_with_its_reason() {
    let scene =
        Scene::composed("checks:\n  unit: { run: 'echo \"not ok 1 - adds\"; echo \"1..1\"; exit 1', role: test }\n");
    let verdict = scene.verdict(&[]);
    assert_eq!((verdict.decision.as_str(), verdict.exit), ("FAIL", 1), "{verdict:?}");
    assert!(verdict.reason.contains("unit") && verdict.reason.contains("adds"), "{verdict:?}");
}

#[test]
fn commands_are_told_where_the_stage_lies() {
    let scene = Scene::composed(&commanding(
        "test \"$REFEREE_STAGE\" = build && test \"$REFEREE_STAGE_DIR\" = \"$REFEREE_RUN_DIR/stages/build\" && \
         test -f \"$REFEREE_RUN_DIR/wf-run.json\" && test -f source.txt",
    ));
    assert_eq!(scene.verdict(&[]).decision, "PASS");
}

#[test]
fn a_check_may_write_into_the_run_and_the_tree_is_still_one() {
    let scene = Scene::composed(&commanding(
        "mkdir -p \"$REFEREE_STAGE_DIR/run\" && date > \"$REFEREE_STAGE_DIR/run/made.txt\"",
    ));
    scene.wrote("run/made.txt", "before\n");
    assert_eq!(scene.verdict(&[]).decision, "PASS");
}

#[test]
fn a_check_that_changes_what_was_judged_is_no_pass() {
    // The time of a file lags by up to a tick: a write within a tick is attributed to the check before.
    let changes = "sleep 0.1; echo b > source.txt; touch -d 2000-01-01 source.txt";
    let scene = Scene::composed(&format!("checks:\n  one: grep -q a source.txt\n  two: {{ run: '{changes}' }}\n"));
    assert_ne!(scene.verdict(&[]).decision, "PASS");
}

#[test]
fn a_stage_without_a_specification_is_not_asked() {
    let mut scene = Scene::composed(LOOKS);
    scene.specification = None;
    scene.is_blocked("does not name it any more");
    fs::remove_file(scene.in_run("wf-log.jsonl")).unwrap();
    let unknown = Opened::open(&scene.run, build(), None, |_, _| Configuration::Absent).unwrap();
    let gate = Typed::try_parse_from(["referee"]).unwrap().gate;
    assert_eq!(verify(&scene.context(), &gate, &unknown).unwrap(), Verdict::NotAsked);
}

#[test]
fn what_was_composed_must_be_there_as_it_was() {
    let ran = commanding("touch \"$REFEREE_STAGE_DIR/ran.txt\"");
    let scene = Scene::composed(&ran);
    fs::write(scene.in_run(FILE), ran.replace("touch", "touch -a")).unwrap();
    scene.is_blocked("gate.yaml differs from what was composed");
    fs::remove_file(scene.in_run(FILE)).unwrap();
    scene.is_blocked("gate.yaml is gone");
    fs::write(scene.workspace().join("own.yaml"), &ran).unwrap();
    std::os::unix::fs::symlink(scene.workspace().join("own.yaml"), scene.in_run(FILE)).unwrap();
    scene.is_blocked("not a regular file");
    fs::remove_file(scene.in_run(FILE)).unwrap();
    fs::create_dir(scene.in_run(FILE)).unwrap();
    scene.is_blocked("not a regular file");

    let scene = Scene::composed(&ran);
    fs::write(scene.in_run(CONFIGURATION), "id: build\nname: other\n").unwrap();
    scene.is_blocked("stage-config.yaml, which names the specification, differs from what was composed");

    let mut scene = Scene::composed(&ran);
    scene.wrote("run/output-data/own.yaml", "checks: { one: 'true' }\n");
    scene.specification = Some(PathReference::new("run/output-data/own.yaml"));
    scene.is_blocked("own.yaml differs from what was composed");
    scene.specification = Some(PathReference::new("../../../own.yaml"));
    scene.is_blocked("cannot be used");
}

#[test]
fn what_cannot_be_run_is_blocked_with_the_reason() {
    for (text, why) in [
        ("", "the specification is wrong"),
        ("checks: {}\n", "the specification is wrong"),
        ("{ not yaml", "the specification is wrong"),
        ("\u{0}\u{1}", "the specification is wrong"),
        ("checks: { one: { runn: x } }\n", "the specification is wrong"),
        ("- 1\n", "the specification is wrong"),
        ("evidence: proof\nchecks: { one: 'true' }\n", "leave the key out"),
        ("evidence: runs\nchecks: { one: 'true' }\n", "evidence"),
    ] {
        Scene::composed(text).is_blocked(why);
    }
}

#[test]
fn a_workspace_that_is_gone_is_no_pass() {
    let scene = Scene::composed(LOOKS);
    let elsewhere = tempfile::tempdir().unwrap();
    // The run itself stays where the log expects it: only its subject is missing.
    let opened = scene.opened();
    let VerdictRequest::Specification(mut specification) = verdict::asked(&opened).unwrap() else {
        panic!("it is as it was")
    };
    specification.workspace = elsewhere.path().join("gone");
    let gate = Typed::try_parse_from(["referee"]).unwrap().gate;
    let verdict = verification::judged(
        &scene.context(),
        &gate.options(),
        &specification,
        &mut notes(&scene.context()),
        &Cancellation::new().unwrap(),
    )
    .unwrap();
    assert_eq!((verdict.decision.as_str(), verdict.exit), ("BLOCKED", 3));
    assert!(verdict.reason.contains("is gone"), "{verdict:?}");
}

#[test]
fn without_a_log_that_can_be_believed_nothing_vouches_for_a_specification() {
    let ran = commanding("touch \"$REFEREE_STAGE_DIR/ran.txt\"");
    let scene = Scene::composed(&ran);
    let gate = Typed::try_parse_from(["referee"]).unwrap().gate;
    let by = |state: Option<&State>| verify(&scene.context(), &gate, &scene.opened_by(state)).unwrap();
    let other = tempfile::tempdir().unwrap();
    let other = State::open(&other.path().canonicalize().unwrap().join("state")).unwrap();
    for (verdict, why) in
        [(by(None), "is not known on this machine"), (by(Some(&other)), "is not known on this machine")]
    {
        let Verdict::Known(verdict) = verdict else { panic!("{verdict:?}") };
        assert_eq!((verdict.decision.as_str(), verdict.exit), ("BLOCKED", 3));
        assert!(verdict.reason.contains(why), "{verdict:?}");
    }
    fs::write(scene.in_run("wf-log.jsonl"), "{}\n").unwrap();
    scene.is_blocked("cannot be trusted");
    fs::remove_file(scene.in_run("wf-log.jsonl")).unwrap();
    scene.is_blocked("nothing vouches");
}

#[test]
fn a_check_that_takes_too_long_ends_as_a_timeout() {
    let scene = Scene::composed("checks:\n  slow: { run: 'sleep 60', timeout: 1 }\n");
    let verdict = scene.verdict(&[]);
    assert_eq!((verdict.decision.as_str(), verdict.exit), ("FAIL", 7), "{verdict:?}");
}

#[test]
fn a_tool_that_does_not_work_is_told_by_its_exit_code() {
    let verdict = Scene::composed("checks:\n  none: { argv: [no-such-program-at-all] }\n").verdict(&[]);
    assert_ne!(verdict.decision, "PASS");
    assert_eq!(verdict.exit, 6, "{verdict:?}");
}

#[test]
fn a_lock_holds_the_workspace_and_the_log_the_specification() {
    let scene = Scene::composed(&commanding("true"));
    let own = "protect: { frozen: [source.txt] }\nchecks: { one: 'true' }\n";
    fs::write(scene.workspace().join("referee.yaml"), own).unwrap();
    let arguments = Arguments::try_parse_from(["referee", "lock"]).unwrap();
    let Command::Lock(arguments) = arguments.command else { panic!("it is a lock") };
    lock::execute(&scene.context(), &arguments).unwrap();
    let passed = scene.verdict(&[]);
    assert_eq!((passed.decision.as_str(), passed.exit), ("PASS", 0), "{passed:?}");
    fs::write(scene.workspace().join("source.txt"), "b\n").unwrap();
    let drifted = scene.verdict(&[]);
    assert_eq!((drifted.decision.as_str(), drifted.exit), ("BLOCKED", 3), "{drifted:?}");
    assert!(drifted.reason.contains("source.txt"), "{drifted:?}");
}

#[test]
fn it_runs_in_a_clean_room_and_against_a_commit_as_the_gate_does() {
    let project = tempfile::tempdir().unwrap();
    let git = |arguments: &[&str]| {
        let mut command = Program::new("git");
        command.current_dir(project.path()).args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(arguments);
        assert!(command.env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap().status.success(), "{arguments:?}");
    };
    fs::write(project.path().join("source.txt"), "a\n").unwrap();
    fs::write(project.path().join(".gitignore"), "runs/\n").unwrap();
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "all"]);
    let line = "test -f source.txt && test ! -e untracked/ignored && test -f \"$REFEREE_STAGE_DIR/stage-config.yaml\"";
    let scene = Scene::composed_in(project, &commanding(line));
    for typed in [&["--clean-room"][..], &["--trusted", "HEAD"], &["--clean-room", "--trusted", "HEAD"]] {
        let verdict = scene.verdict(typed);
        assert_eq!((verdict.decision.as_str(), verdict.exit), ("PASS", 0), "{typed:?}: {verdict:?}");
        assert!(scene.in_run(&verdict.evidence.unwrap()).join("execution-report.json").is_file());
    }
    let gate = Typed::try_parse_from(["referee", "--trusted", "no-such-commit"]).unwrap().gate;
    let problem = verify(&scene.context(), &gate, &scene.opened()).unwrap_err();
    assert_eq!(problem.kind, ErrorKind::Usage, "what was typed wrongly is told as that: {problem:?}");
}

#[test]
fn no_secret_gets_into_the_reason() {
    let secret = "s3cr3t-and-l0ng-v4lue";
    let scene =
        Scene::composed(&format!("checks:\n  one: {{ run: 'echo \"Error: {secret}\" >&2; exit 1', role: lint }}\n"));
    let mut context = scene.context();
    context.environment.push(("DEPLOY_TOKEN".into(), secret.into()));
    let gate = Typed::try_parse_from(["referee"]).unwrap().gate;
    let Verdict::Known(verdict) = verify(&context, &gate, &scene.opened()).unwrap() else { panic!("it is asked") };
    assert_ne!(verdict.decision, "PASS");
    assert!(!verdict.reason.contains(secret), "{verdict:?}");
}
