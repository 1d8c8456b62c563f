//! Tests of the status of runs.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use referee_ledger::State;
use referee_ledger::stages::{Composition, composition};
use referee_model::id::Digest;
use referee_model::stage::id::StageId;
use referee_model::stage::log::StageChange;
use referee_model::stage::message::MessageDocument;
use referee_model::stage::path::PathReference;
use referee_model::stage::workflow::{Input, InputSource, Stage};
use referee_model::time::Timestamp;

use super::*;
use crate::stage::validation::sample;

fn id(name: &str) -> StageId {
    StageId::parse(name).unwrap()
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_millisecond(1_795_251_924_000 + second * 1_000)
}

/// The stage `explore` takes something from `specify`.
fn configuration(path: &Path, _: FileContent) -> Configuration {
    let name = path.parent().unwrap().file_name().unwrap().to_str().unwrap();
    let from = InputSource { stage: id("specify"), path: PathReference::new("run/output-data/a.json") };
    let input = Input {
        name: "a".to_owned(),
        path: PathReference::new("inputs/a.json"),
        description: None,
        is_required: true,
        from: Some(from),
    };
    Configuration::Read(Box::new(Stage {
        inputs: if name == "explore" { vec![input] } else { Vec::new() },
        ..sample::stage(name)
    }))
}

struct Fixture {
    directory: tempfile::TempDir,
    run: PathBuf,
}

impl Fixture {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let composition = Composition {
            at: at(0),
            by: "cli".to_owned(),
            source: "workflow".to_owned(),
            name: "sample".to_owned(),
            version: "1.0".to_owned(),
            workspace: PathBuf::from("/workspace"),
            stages: vec![id("specify"), id("explore")],
            files: BTreeMap::new(),
            directories: vec![
                path("stages/specify/run/output-data").unwrap(),
                path("stages/explore/run/output-data").unwrap(),
            ],
        };
        let state = State::open(&directory.path().join("state")).unwrap();
        let run = composition::compose(&directory.path().join("runs"), &state, &composition).unwrap().path;
        Self { directory, run }
    }

    fn state(&self) -> State {
        State::open(&self.directory.path().join("state")).unwrap()
    }

    fn operation(&self, second: i64, stage: &str, attempt: u32, operation: StageChange) -> &Self {
        let (run, state) = (StageRun::open(&self.run).unwrap().unwrap(), self.state());
        run.hold(&state).unwrap().unwrap().append(at(second), Some(&id(stage)), attempt, "cli", operation).unwrap();
        self
    }

    fn look(&self, only: Option<&str>) -> Result<StageStatusDocument, StageError> {
        let run = StageRun::open(&self.run).unwrap().unwrap();
        let history = History::of(&run.log(Some(&self.state())).unwrap());
        let redactor = Redactor::new(vec![("TOKEN".to_owned(), "hunter2hunter2".to_owned())], Vec::new());
        look(&run, &history, only.map(id).as_ref(), Some("the run"), &redactor, configuration)
    }

    /// Returns the state, the next step, and the command for it, of each stage.
    fn told(&self) -> Vec<(Option<StageState>, String, String)> {
        let stages = self.look(None).unwrap().stages;
        let told =
            |stage: StageStatus| (stage.state, stage.next.unwrap_or_default(), stage.next_command.unwrap_or_default());
        stages.into_iter().map(told).collect()
    }
}

fn accepted(repeated: bool) -> StageChange {
    StageChange::Accepted { inputs: BTreeMap::new(), repeated }
}

fn finalized() -> StageChange {
    StageChange::Finalized { handback: None, outputs: BTreeMap::new() }
}

fn told(state: StageState, next: &str, command: &str) -> (Option<StageState>, String, String) {
    (Some(state), next.to_owned(), command.to_owned())
}

#[test]
fn each_stage_is_told_with_what_is_to_be_done_next() {
    let ground = Fixture::new();
    let waits = told(StageState::Pending, "it waits until specify is completed", "");
    let can = told(StageState::Pending, "an executor can take it", "referee stage accept specify -r 'the run'");
    assert_eq!(ground.told(), [can, waits.clone()]);

    ground.operation(1, "specify", 1, accepted(false));
    let works = told(StageState::Active, "its executor works at it until it writes handback.json", "");
    assert_eq!(ground.told(), [works, waits.clone()]);

    fs::write(ground.run.join("stages/specify/run/output-data/handback.json"), "{}").unwrap();
    let back = "it was handed back: end it, or hear what stands against that";
    let back = told(StageState::Active, back, "referee stage finalize specify -r 'the run'");
    assert_eq!(ground.told(), [back, waits]);

    ground.operation(2, "specify", 1, finalized());
    let done = told(StageState::Completed, "", "");
    let there = "what comes from other stages is there";
    let there = told(StageState::Pending, there, "referee stage prepare explore -r 'the run'");
    assert_eq!(ground.told(), [done.clone(), there]);

    let sources = BTreeMap::from([(id("specify"), 1)]);
    let prepared = StageChange::Prepared { sources, inputs: BTreeMap::new() };
    ground.operation(3, "explore", 0, prepared).operation(4, "explore", 1, accepted(false)).operation(
        5,
        "explore",
        1,
        finalized(),
    );
    assert_eq!(ground.told(), [done.clone(), done.clone()]);
    ground.operation(6, "specify", 2, accepted(true));
    let waits = told(StageState::Completed, "it waits until specify is completed", "");
    assert_eq!(ground.told()[1], waits, "what is not published cannot be taken");
    ground.operation(7, "specify", 2, finalized());
    let old = "what it was prepared from is out of date: have it done again";
    let old = told(StageState::Completed, old, "referee stage prepare explore -r 'the run' --again");
    assert_eq!(ground.told(), [done, old]);
    let one = ground.look(Some("explore")).unwrap();
    assert_eq!(one.stages.len(), 1);
    assert_eq!(one.stages[0].outdated.len(), 1);
}

#[test]
fn a_question_is_told_without_secrets_and_an_error_with_its_incident() {
    let ground = Fixture::new();
    let message = MessageDocument::question(id("specify"), 1, at(2), "is hunter2hunter2 the key?".to_owned());
    fs::create_dir_all(ground.run.join("stages/specify/run/messages")).unwrap();
    let file = ground.run.join("stages/specify/run/messages/m-001.json");
    fs::write(&file, serde_json::to_vec(&message).unwrap()).unwrap();
    let asking = br#"{ "reason": "question", "description": "is hunter2hunter2 the key?" }"#;
    let handed_back = ground.run.join("stages/specify/run/output-data/handback.json");
    fs::write(&handed_back, asking).unwrap();
    let handback = Digest::of(asking);
    let questioned = StageChange::Questioned { message: "run/messages/m-001.json".to_owned(), handback };
    ground.operation(1, "specify", 1, accepted(false)).operation(2, "specify", 1, questioned);
    let question = |ground: &Fixture| ground.look(None).unwrap().stages[0].question.clone().unwrap();
    let asked = question(&ground);
    assert_eq!(asked.asked_at, Some(at(2)));
    let text = asked.text.unwrap();
    assert!(text.starts_with("is ") && text.ends_with(" the key?") && !text.contains("hunter2"), "{text}");
    assert_eq!(ground.told()[0].2, "referee stage answer specify -r 'the run'");
    // A changed message file alone does not count against the handback.
    let forged = MessageDocument::question(id("specify"), 1, at(2), "May I fix a word?".to_owned());
    fs::write(&file, serde_json::to_vec(&forged).unwrap()).unwrap();
    assert!(question(&ground).text.unwrap().starts_with("is "));
    fs::write(&handed_back, "{}").unwrap();
    assert!(question(&ground).text.unwrap().starts_with("(handback.json is not the one that asked"));
    fs::write(&file, "junk").unwrap();
    assert_eq!(question(&ground).text, None);

    let failed = StageChange::Failed { handback, incident: Some("INC-7".to_owned()) };
    let answered = StageChange::Answered {
        message: "run/messages/m-001.json".to_owned(),
        content: MessageDocument::question(id("specify"), 1, at(3), "Which?".to_owned()),
    };
    ground
        .operation(3, "specify", 1, answered)
        .operation(4, "specify", 2, accepted(false))
        .operation(5, "specify", 2, failed);
    let stage = &ground.look(None).unwrap().stages[0];
    assert_eq!((stage.state, stage.incident.as_deref()), (Some(StageState::Failed), Some("INC-7")));
    assert!(stage.next.as_ref().unwrap().contains("INC-7"));
}

#[test]
fn a_run_whose_log_cannot_be_gone_by_is_told_of_all_the_same() {
    let ground = Fixture::new();
    fs::write(ground.run.join("wf-log.jsonl"), "junk").unwrap();
    let differs = ground.look(None).unwrap();
    assert_eq!(differs.log, LogStanding::Differs);
    assert!(differs.log_problem.is_some());
    assert!(
        differs.stages.iter().all(|stage| stage.state.is_none() && stage.recorded.is_some() && stage.next.is_none())
    );
    assert_eq!(differs.stages[0].stage_id, id("specify"), "in the order of wf-run.json");
    fs::remove_dir_all(ground.state().path()).unwrap();
    assert_eq!(ground.look(None).unwrap().log, LogStanding::Broken);
    fs::remove_file(ground.run.join("wf-log.jsonl")).unwrap();
    let absent = ground.look(None).unwrap();
    assert_eq!((absent.log, absent.contradictions.len()), (LogStanding::Absent, 0));
    fs::remove_file(ground.run.join("wf-run.json")).unwrap();
    let bare = ground.look(None).unwrap();
    let order: Vec<&str> = bare.stages.iter().map(|stage| stage.stage_id.as_str()).collect();
    assert_eq!((order, bare.run_id), (vec!["explore", "specify"], None));
    assert!(matches!(ground.look(Some("plan")), Err(StageError::Unknown(_))));
    fs::remove_dir_all(ground.run.join("stages")).unwrap();
    assert!(matches!(ground.look(None), Err(StageError::Unknown(_))));
}

#[test]
fn a_run_from_another_machine_is_told_with_how_it_is_taken_on() {
    let ground = Fixture::new();
    fs::remove_dir_all(ground.state().path()).unwrap();
    let unknown = ground.look(None).unwrap();
    assert_eq!(unknown.log, LogStanding::Unknown);
    assert!(unknown.log_problem.unwrap().contains("--adopt"));
    assert_eq!(ground.told()[0].2, "referee stage accept specify -r 'the run' --adopt");
}
