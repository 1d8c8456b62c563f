//! Tests of the fold of a log against the table of transitions, and of files that contradict the log.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use referee_judge::stage::transition::next;
use referee_ledger::State;
use referee_ledger::stages::{Composition, LogTrust, RunLog, composition};
use referee_model::handback::render_accept;
use referee_model::id::Digest;
use referee_model::stage::id::StageRunId;
use referee_model::stage::life::StageEvent;
use referee_model::stage::log::{StageChange, StageLogLine};
use referee_model::stage::message::MessageDocument;
use referee_model::stage::path::StagePath;
use referee_model::stage::standing::StandingName;
use referee_model::time::Timestamp;

use super::*;

fn stage(name: &str) -> StageId {
    StageId::parse(name).unwrap()
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_millisecond(1_795_251_924_120 + second * 1_000)
}

fn digest(number: u8) -> Digest {
    Digest::from_bytes([number; 32])
}

fn composed() -> StageChange {
    StageChange::Composed {
        nonce: "nonce".to_owned(),
        source: "workflow".to_owned(),
        workspace: "/workspace".to_owned(),
        stages: vec![stage("specify"), stage("explore")],
        files: BTreeMap::new(),
    }
}

/// Returns a log of these steps, each with its stage and attempt, a second apart.
fn log(operations: Vec<(&str, u32, StageChange)>) -> RunLog {
    let line = |(place, (id, attempt, operation)): (usize, (&str, u32, StageChange))| StageLogLine {
        sequence: place as u64 + 1,
        at: at(i64::try_from(place).unwrap()),
        run_id: StageRunId::new("2026-11-22", 1).unwrap(),
        stage_id: (!id.is_empty()).then(|| stage(id)),
        attempt,
        by: "test".to_owned(),
        operation,
        previous: None,
    };
    RunLog { lines: operations.into_iter().enumerate().map(line).collect(), trust: LogTrust::Kept }
}

fn prepared(sources: &[(&str, u32)]) -> StageChange {
    let sources = sources.iter().map(|(source, attempt)| (stage(source), *attempt)).collect();
    StageChange::Prepared { sources, inputs: BTreeMap::new() }
}

fn accepted(repeated: bool) -> StageChange {
    StageChange::Accepted { inputs: BTreeMap::from([("inputs/a".to_owned(), digest(1))]), repeated }
}

fn finalized(number: u8) -> StageChange {
    StageChange::Finalized {
        handback: Some(digest(number)),
        outputs: BTreeMap::from([("run/output-data/a".to_owned(), digest(number))]),
    }
}

fn questioned() -> StageChange {
    StageChange::Questioned { message: "run/messages/m-001.json".to_owned(), handback: digest(9) }
}

fn operation(event: StageEvent) -> StageChange {
    match event {
        StageEvent::Prepared => prepared(&[]),
        StageEvent::Accepted => accepted(false),
        StageEvent::Repeated => accepted(true),
        StageEvent::Questioned => questioned(),
        StageEvent::Answered => StageChange::Answered {
            message: "run/messages/m-001.json".to_owned(),
            content: MessageDocument::question(stage("specify"), 1, at(3), "Which?".to_owned()),
        },
        StageEvent::Failed => StageChange::Failed { handback: digest(8), incident: Some("INC-1".to_owned()) },
        StageEvent::Finalized => finalized(7),
    }
}

#[test]
fn a_stage_goes_through_its_life() {
    let validated = StageChange::Validated { passed: true, outputs: BTreeMap::new(), verdict: None };
    let whole = log(vec![
        ("", 0, composed()),
        ("specify", 1, accepted(false)),
        ("specify", 1, validated.clone()),
        ("specify", 1, questioned()),
        ("specify", 1, operation(StageEvent::Answered)),
        ("specify", 2, accepted(false)),
        ("specify", 1, validated),
        ("specify", 2, finalized(3)),
    ]);
    let until = |lines: usize| {
        let lines = whole.lines.get(..lines).unwrap().to_vec();
        History::of(&RunLog { lines, trust: LogTrust::Kept }).stage(&stage("specify"))
    };
    assert_eq!(until(1), StageHistory::default());
    assert_eq!((until(2).state, until(2).attempt, until(2).accepted_at), (StageState::Active, 1, Some(at(1))));
    assert_eq!(until(3).validated.map(|found| found.passed), Some(true));
    assert_eq!(until(4).question.as_deref(), Some("run/messages/m-001.json"));
    assert_eq!((until(5).state, until(5).question), (StageState::Prepared, None));
    let again = until(7);
    assert_eq!((again.attempt, again.started_at, again.accepted_at), (2, Some(at(1)), Some(at(5))));
    assert_eq!(again.validated, None, "what was found in an earlier attempt says nothing of this one");
    let done = until(8);
    assert_eq!((done.state, done.completed_at), (StageState::Completed, Some(at(7))));
    assert_eq!(done.published.len(), 1);
    assert_eq!(done.handbacks, [(1, digest(9)), (2, digest(3))]);
    assert!(History::of(&whole).is_sound());
}

#[test]
fn a_log_that_holds_what_cannot_happen_is_not_gone_by() {
    for (lines, problem) in [
        (vec![("specify", 1, accepted(false))], "line 1: nothing was composed before it"),
        (vec![("", 0, composed()), ("", 0, composed())], "line 2: a run is composed once, before anything else"),
        (vec![("", 0, composed()), ("", 1, accepted(false))], "line 2: it names no stage"),
        (
            vec![("", 0, composed()), ("plan", 1, accepted(false))],
            "line 2: it is about plan, and the run was composed without it",
        ),
        (vec![("", 0, composed()), ("specify", 2, accepted(false))], "line 2: attempts are counted one by one"),
        (
            vec![("", 0, composed()), ("specify", 0, finalized(1))],
            "line 2: `finalize` is not valid for a stage that is pending",
        ),
        (
            vec![("", 0, composed()), ("specify", 1, accepted(false)), ("specify", 2, finalized(1))],
            "line 3: it is about attempt 2, and attempt 1 is on",
        ),
    ] {
        let history = History::of(&log(lines));
        assert_eq!(history.illegal.as_deref(), Some(problem));
        assert!(!history.is_sound());
    }
    assert!(!History::of(&log(Vec::new())).is_sound(), "an empty log vouches for nothing");
    let mut unknown = log(vec![("", 0, composed())]);
    unknown.trust = LogTrust::Unknown;
    assert!(!History::of(&unknown).is_sound());
}

#[test]
fn what_was_prepared_from_another_attempt_is_out_of_date() {
    let begun = [("", 0, composed()), ("specify", 1, accepted(false)), ("specify", 1, finalized(1))];
    let explored = ("explore", 0, prepared(&[("specify", 1)]));
    let of = |more: Vec<(&'static str, u32, StageChange)>| {
        let history = History::of(&log(begun.iter().cloned().chain([explored.clone()]).chain(more).collect()));
        assert_eq!(history.illegal, None);
        outdated(&history, &stage("explore"))
    };
    assert_eq!(of(vec![]), Vec::<String>::new());
    let again = ("specify", 2, accepted(true));
    assert_eq!(of(vec![again.clone()]), ["explore was prepared from attempt 1 of specify, which is active now"]);
    assert_eq!(
        of(vec![again.clone(), ("specify", 2, finalized(2))]),
        ["explore was prepared from attempt 1 of specify, and attempt 2 is published now"]
    );
    assert_eq!(
        of(vec![again, ("specify", 2, finalized(2)), ("explore", 0, prepared(&[("specify", 2)]))]),
        Vec::<String>::new()
    );
    // A cycle, which no workflow has, terminates.
    let circle = vec![
        ("explore", 1, accepted(false)),
        ("explore", 1, finalized(1)),
        ("specify", 2, accepted(true)),
        ("specify", 2, operation(StageEvent::Failed)),
        ("specify", 2, prepared(&[("explore", 1)])),
        ("specify", 3, accepted(false)),
        ("specify", 3, finalized(3)),
    ];
    assert_eq!(of(circle).len(), 1);
}

fn event() -> impl Strategy<Value = StageEvent> {
    prop::sample::select(StageEvent::ALL.to_vec())
}

proptest! {
    #[test]
    fn the_fold_of_any_deeds_is_what_the_table_says_or_illegal(events in prop::collection::vec(event(), 0..24)) {
        let mut operations = vec![("", 0, composed())];
        let (mut state, mut attempt, mut legal) = (StageState::Pending, 0, true);
        for event in &events {
            if legal {
                match next(state, *event) {
                    Ok(to) => state = to,
                    Err(_) => legal = false,
                }
                if matches!(event, StageEvent::Accepted | StageEvent::Repeated) {
                    attempt += 1;
                }
            }
            operations.push(("explore", attempt, operation(*event)));
        }
        let history = History::of(&log(operations));
        prop_assert_eq!(history.illegal.is_none(), legal);
        if legal {
            let stage = history.stage(&stage("explore"));
            prop_assert_eq!(stage.state, state);
            prop_assert_eq!(stage.attempt, attempt);
            prop_assert_eq!(stage.completed_at.is_some(), state == StageState::Completed);
            prop_assert_eq!(stage.published.is_empty(), state != StageState::Completed);
            prop_assert_eq!(stage.question.is_some(), state == StageState::Blocked);
        }
    }

    #[test]
    fn no_line_makes_the_fold_panic(
        lines in prop::collection::vec((prop::sample::select(vec!["", "specify", "explore", "plan"]), any::<u32>(), event(), 0..4_u8), 0..16)
    ) {
        let operations = lines.into_iter().map(|(id, attempt, event, kind)| {
            let operation = match kind {
                0 => composed(),
                1 => StageChange::Adopted,
                _ => operation(event),
            };
            (id, if kind == 3 { attempt } else { attempt % 3 }, operation)
        });
        let history = History::of(&log(operations.collect()));
        for id in ["specify", "explore", "plan"] {
            outdated(&history, &stage(id));
        }
    }
}

/// A composed run whose first stage was accepted.
struct Fixture {
    directory: tempfile::TempDir,
    run: PathBuf,
}

impl Fixture {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| (StagePath::parse(name).unwrap(), text.as_bytes().to_vec());
        let composition = Composition {
            at: at(0),
            by: "cli".to_owned(),
            source: "workflow".to_owned(),
            name: "sample".to_owned(),
            version: "1.0".to_owned(),
            workspace: PathBuf::from("/workspace"),
            stages: vec![stage("specify"), stage("explore")],
            files: BTreeMap::from([
                file("schemas/accept.schema.json", "{}"),
                file("stages/specify/stage-config.yaml", "id: specify"),
                file("stages/specify/prompt/main.md", "do it"),
                file("stages/specify/schemas/a.schema.json", "{}"),
                file("stages/explore/stage-config.yaml", "id: explore"),
            ]),
            directories: vec![StagePath::parse("stages/specify/run/output-data").unwrap()],
        };
        let state = State::open(&directory.path().join("state")).unwrap();
        let run = composition::compose(&directory.path().join("runs"), &state, &composition).unwrap().path;
        let ground = Self { directory, run };
        let opened = StageRun::open(&ground.run).unwrap().unwrap();
        let held = opened.hold(&state).unwrap().unwrap();
        let accept = StagePath::parse("run/output-data/accept.json").unwrap();
        held.write(&stage("specify"), &accept, &render_accept(at(5)).unwrap()).unwrap();
        held.append(at(5), Some(&stage("specify")), 1, "cli", accepted(false)).unwrap();
        let started = r#""started_at": "2026-11-21T09:05:29+00:00""#;
        ground.change("wf-run.json", |text| text.replacen(r#""started_at": null"#, started, 1));
        ground
    }

    fn change(&self, file: &str, change: impl FnOnce(&str) -> String) {
        let path = self.run.join(file);
        fs::write(&path, change(&fs::read_to_string(&path).unwrap())).unwrap();
    }

    fn found(&self, id: &str) -> Vec<(StandingName, String)> {
        let state = State::open(&self.directory.path().join("state")).unwrap();
        let run = StageRun::open(&self.run).unwrap().unwrap();
        let history = History::of(&run.log(Some(&state)).unwrap());
        let objections = contradictions(&run, &history, &stage(id)).unwrap();
        assert!(objections.iter().all(|objection| !objection.action.is_empty()));
        objections.into_iter().map(|objection| (objection.name, objection.message)).collect()
    }
}

/// A change of files, the objection that it causes at the stage `specify`, and a part of its message.
type Contradicted = (fn(&Fixture), StandingName, &'static str);

const CONTRADICTED: [Contradicted; 18] = [
    (
        |ground| fs::remove_file(ground.run.join("wf-run.json")).unwrap(),
        StandingName::RecordContradicts,
        "wf-run.json is missing",
    ),
    (
        |ground| ground.change("wf-run.json", |_| "[]".to_owned()),
        StandingName::RecordContradicts,
        "wf-run.json cannot be read: invalid length 0, expected struct WfRunDocument with 4 elements at line 1 column 2",
    ),
    (
        |ground| ground.change("wf-run.json", |text| text.replace("run-2026-11-21-001", "run-2026-11-21-002")),
        StandingName::RecordContradicts,
        "wf-run.json says that it is run-2026-11-21-002, and the log that it is run-2026-11-21-001",
    ),
    (
        |ground| ground.change("wf-run.json", |text| text.replace("explore", "plan")),
        StandingName::RecordContradicts,
        "wf-run.json has the stages specify, plan, and the log specify, explore",
    ),
    (
        |ground| ground.change("wf-run.json", |text| text.replacen("09:05:24", "09:05:25", 1)),
        StandingName::RecordContradicts,
        "wf-run.json says that the run was composed at 2026-11-21T09:05:25+00:00, and the log at 2026-11-21T09:05:24+00:00",
    ),
    (
        |ground| ground.change("wf-run.json", |text| text.replacen("pending", "completed", 1)),
        StandingName::RecordContradicts,
        "wf-run.json says that specify is completed, and the log that it is active",
    ),
    (
        |ground| ground.change("wf-run.json", |text| text.replacen("09:05:29", "09:05:30", 1)),
        StandingName::RecordContradicts,
        "wf-run.json says that specify started at 2026-11-21T09:05:30+00:00, and the log at 2026-11-21T09:05:29+00:00",
    ),
    (
        |ground| fs::remove_file(ground.run.join("stages/specify/run/output-data/accept.json")).unwrap(),
        StandingName::RecordContradicts,
        "run/output-data/accept.json of specify is missing, and the log says that an executor has control",
    ),
    (
        |ground| {
            ground.change("stages/specify/run/output-data/accept.json", |text| text.replace("09:05:29", "09:05:28"));
        },
        StandingName::RecordContradicts,
        "run/output-data/accept.json of specify says that control was given at 2026-11-21T09:05:28+00:00, and the log at \
         2026-11-21T09:05:29+00:00",
    ),
    (
        |ground| ground.change("stages/specify/stage-config.yaml", |text| format!("{text}\n# weaker")),
        StandingName::NotAsComposed,
        "stages/specify/stage-config.yaml was changed after it was composed",
    ),
    (
        |ground| fs::remove_file(ground.run.join("stages/specify/prompt/main.md")).unwrap(),
        StandingName::NotAsComposed,
        "stages/specify/prompt/main.md was removed after it was composed",
    ),
    (
        |ground| {
            let file = ground.run.join("stages/specify/prompt/main.md");
            fs::remove_file(&file).unwrap();
            fs::create_dir(&file).unwrap();
        },
        StandingName::NotAsComposed,
        "stages/specify/prompt/main.md was composed as a regular file, and is none any more",
    ),
    (
        |ground| fs::write(ground.run.join("stages/specify/schemas/b.schema.json"), "{}").unwrap(),
        StandingName::NotAsComposed,
        "stages/specify/schemas/b.schema.json was not composed: somebody added it",
    ),
    (
        |ground| {
            fs::create_dir(ground.run.join("stages/specify/specification")).unwrap();
            fs::write(ground.run.join("stages/specify/specification/referee.yaml"), "").unwrap();
        },
        StandingName::NotAsComposed,
        "stages/specify/specification/referee.yaml was not composed: somebody added it",
    ),
    (
        |ground| ground.change("schemas/accept.schema.json", |_| "true".to_owned()),
        StandingName::NotAsComposed,
        "schemas/accept.schema.json was changed after it was composed",
    ),
    (
        |ground| fs::remove_file(ground.run.join("wf-log.jsonl")).unwrap(),
        StandingName::LogContradicts,
        "the log of the run is not the one that was written here: it is gone",
    ),
    (
        |ground| ground.change("wf-log.jsonl", |text| text.replacen("\"by\":\"cli\"", "\"by\":\"you\"", 1)),
        StandingName::LogContradicts,
        "the log of the run is not the one that was written here: line 2 does not follow from the one before",
    ),
    (
        |ground| ground.change("wf-log.jsonl", |text| text.lines().next().unwrap().to_owned() + "\n"),
        StandingName::LogContradicts,
        "the log of the run is not the one that was written here: it has 1 lines where 2 were written: it is an older one, or \
         was cut",
    ),
];

#[test]
fn files_that_say_otherwise_than_the_log_are_named() {
    assert_eq!(Fixture::new().found("specify"), []);
    assert_eq!(Fixture::new().found("explore"), []);
    for (meddle, name, message) in CONTRADICTED {
        let ground = Fixture::new();
        meddle(&ground);
        assert_eq!(ground.found("specify"), [(name, message.to_owned())]);
    }
}

#[test]
fn what_is_wrong_with_one_stage_is_not_held_against_another() {
    let ground = Fixture::new();
    ground.change("stages/specify/stage-config.yaml", |_| String::new());
    fs::remove_file(ground.run.join("stages/specify/run/output-data/accept.json")).unwrap();
    assert_eq!(ground.found("specify").len(), 2);
    assert_eq!(ground.found("explore"), []);
    let accept = ground.run.join("stages/explore/run/output-data/accept.json");
    fs::create_dir_all(accept.parent().unwrap()).unwrap();
    fs::write(&accept, render_accept(at(1)).unwrap()).unwrap();
    let message = "run/output-data/accept.json of explore is there, and the log says that nobody ever had control";
    assert_eq!(ground.found("explore"), [(StandingName::RecordContradicts, message.to_owned())]);
    fs::create_dir_all(ground.run.join("stages/plan")).unwrap();
    assert_eq!(ground.found("plan")[0].1, "the run was composed without a stage plan");
}

#[test]
fn a_run_without_a_log_contradicts_nothing() {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir_all(directory.path().join("stages/explore/schemas")).unwrap();
    fs::write(directory.path().join("stages/explore/schemas/a.json"), "{}").unwrap();
    let run = StageRun::open(Path::new(directory.path())).unwrap().unwrap();
    let history = History::of(&run.log(None).unwrap());
    assert_eq!(contradictions(&run, &history, &stage("explore")).unwrap(), []);
    assert!(!history.is_sound());
}
