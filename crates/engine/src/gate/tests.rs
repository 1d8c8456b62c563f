//! Runs and gate requests through the public API, in a temporary project: no process is started.
#![expect(clippy::disallowed_methods, reason = "tests make the project that is judged")]

use std::fs;

use referee_ledger::locks::Locked;
use referee_ledger::{enrolment as records, locks};
use referee_model::enrolment::EnrolledBy;
use referee_model::verdict::{Decision, Exit};
use tempfile::TempDir;

use super::*;
use crate::context::SpecificationNames;
use crate::context::sample::context;
use crate::error::ErrorKind;
use crate::event_sink::Note;
use crate::keys::SigningOptions;
use crate::selection::Selection;
use crate::unloadable;

const SPECIFICATION: &str = "task: T001\nchecks:\n  built: { file: out.txt, minSize: 1 }\n";

/// A project with one check of a file, and a state directory beside it.
struct Project {
    directory: TempDir,
    context: Context,
    options: GateOptions,
}

#[derive(Default)]
struct EventLog {
    events: usize,
    notes: Vec<String>,
}

impl EventSink for EventLog {
    fn on_event(&mut self, _: &referee_model::event::Event) {
        self.events += 1;
    }

    fn on_note(&mut self, note: &Note<'_>) {
        self.notes.push(match note {
            Note::Text(text) => text.clone(),
            Note::Complaints(complaints) => format!("{complaints:?}"),
        });
    }
}

impl Project {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path().canonicalize().unwrap();
        fs::create_dir(place.join("project")).unwrap();
        let mut context = context(&place.join("project"));
        context.environment.push(("REFEREE_STATE_DIR".into(), place.join("state").into()));
        let project = Self { directory, context, options: GateOptions::default() };
        project.write("project/referee.yaml", SPECIFICATION);
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn state(&self) -> State {
        self.context.state([]).unwrap().unwrap()
    }

    fn suites(&self) -> Vec<Suite> {
        let loaded = self.context.load(&SpecificationNames::default()).unwrap();
        loaded.all.into_iter().map(|loaded| loaded.unwrap().suite).collect()
    }

    fn ask(&self, held_out: Option<&str>) -> Result<GateAnswer, EngineError> {
        let held_out = held_out.map(|name| self.path(name));
        let suites = self.suites();
        let request = GateRequest {
            context: &self.context,
            suite: &suites[0],
            options: &self.options,
            held_out: held_out.as_deref(),
            is_settled: false,
            reuse: true,
            timeout: None,
            cancellation: &Cancellation::new().unwrap(),
        };
        ask(&request, &mut EventLog::default())
    }

    fn enrol(&self, held_out: &str) {
        let enrolment = Enrolment {
            project: self.path("project"),
            specification: self.path("project/referee.yaml"),
            by: EnrolledBy::Person,
            since: self.context.now(),
            held_out: Some(self.path(held_out)),
            trusted: None,
            fleet: None,
        };
        records::enroll(&self.state(), enrolment).unwrap();
    }
}

#[test]
fn a_verdict_is_reached_by_a_run_and_reused_until_an_input_changes() {
    let project = Project::new();
    let failed = project.ask(None).unwrap();
    assert_eq!((failed.decision, failed.tasks[0].basis), (Decision::Fail, Basis::Ran));
    project.write("project/out.txt", "x");
    let passed = project.ask(None).unwrap();
    assert_eq!((passed.decision, passed.exit, passed.tasks[0].basis), (Decision::Pass, Exit::Passed, Basis::Ran));
    let again = project.ask(None).unwrap();
    assert_eq!((again.decision, again.tasks[0].basis), (Decision::Pass, Basis::Recorded), "{:?}", again.notes);
    project.write("project/out.txt", "");
    let changed = project.ask(None).unwrap();
    assert_eq!((changed.decision, changed.tasks[0].basis), (Decision::Fail, Basis::Ran));
}

#[test]
fn held_out_checks_count_and_those_of_the_enrolment_go_before_those_that_are_named() {
    let project = Project::new();
    project.write("project/out.txt", "x");
    project.write("hidden.yaml", "checks:\n  secret: { file: secret.txt }\n");
    project.write("easy.yaml", "checks:\n  easy: { file: out.txt }\n");
    let named = project.ask(Some("hidden.yaml")).unwrap();
    assert_ne!(named.decision, Decision::Pass);
    assert!(!format!("{named:?}").contains("secret"), "nothing is told of what is in them");
    assert_eq!(project.ask(Some("easy.yaml")).unwrap().decision, Decision::Pass);
    project.enrol("hidden.yaml");
    let enrolled = project.ask(Some("easy.yaml")).unwrap();
    assert_ne!(enrolled.decision, Decision::Pass);
    assert!(enrolled.notes.iter().any(|note| note.contains("passed over")), "{:?}", enrolled.notes);
    let in_reach = project.ask(Some("project/referee.yaml")).unwrap();
    assert_ne!(in_reach.decision, Decision::Pass, "the enrolled ones are asked, wherever others are named");
}

#[test]
fn what_was_locked_and_is_gone_keeps_the_gate_from_an_answer() {
    let project = Project::new();
    project.write("project/out.txt", "x");
    let locked = Locked { specifications: vec!["referee.yaml".to_owned()], signed: None, linked_worktree: false };
    fs::create_dir(project.path("project/part")).unwrap();
    locks::remember(&project.state(), &project.path("project/part"), &locked).unwrap();
    fs::remove_dir(project.path("project/part")).unwrap();
    let problem = project.ask(None).unwrap_err();
    assert_eq!((problem.kind, problem.exit()), (ErrorKind::Specification, Exit::Specification), "{}", problem.message);
    assert!(problem.message.contains("part was locked"), "{}", problem.message);
}

#[test]
fn a_run_is_assembled_once_and_says_what_is_not_there() {
    let project = Project::new();
    project.write("project/out.txt", "x");
    let (suites, cancellation) = (project.suites(), Cancellation::new().unwrap());
    let builder = || RunBuilder::new(&project.context, &project.options, &suites, &cancellation).unwrap();
    let skip = Selection { skip: vec!["nothing".to_owned()], ..Selection::default() };
    let unknown = builder().select(&[], skip).err().unwrap();
    assert_eq!(unknown.kind, ErrorKind::Usage, "{}", unknown.message);
    let mut told = EventLog::default();
    let builder = builder();
    let prepared = builder.prepare(&suites[0], &mut told).unwrap();
    assert!(!prepared.is_protected());
    let answer = prepared.run(&mut told).unwrap();
    assert_eq!((answer.decision, answer.answers.len()), (Decision::Pass, 1));
    assert!(told.events > 2, "a run has events: {}", told.events);
}

#[test]
fn a_specification_that_cannot_be_loaded_any_more_is_sealed_as_the_last_run() {
    let project = Project::new();
    project.write("project/out.txt", "x");
    assert_eq!(project.ask(None).unwrap().decision, Decision::Pass);
    project.write("project/referee.yaml", "task: T001\nchecks: 1\n");
    let mut told = EventLog::default();
    let names = SpecificationNames::default();
    let signing = SigningOptions::default();
    let sealed =
        unloadable::seal(&project.context, &names, &[], &signing, &Cancellation::new().unwrap(), &mut told).unwrap();
    assert_eq!(sealed[0].exit, Exit::Specification);
    assert!(told.notes.iter().any(|note| note.contains("earlier verdicts there no longer count")), "{:?}", told.notes);
}
