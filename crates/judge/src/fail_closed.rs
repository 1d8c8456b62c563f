//! Tests that nothing fails open: a whole task that passes, with actions of every kind, and every possible
//! damage to its evidence. Whatever is missing, invalid, incomplete or contradictory, the decision is not a
//! pass (ruling 15; seed 4).

use std::collections::BTreeMap;

use referee_model::condition::{Condition, parse};
use referee_model::condition_inputs::{ConditionInputs, Content, StreamInputs};
use referee_model::id::ActionId;
use referee_model::outcome::{Judgement, Outcome};
use referee_model::plan::http::Assertion;
use referee_model::plan::interaction::RowExpectation;
use referee_model::plan::service::Probe;
use referee_model::plan::{
    Action, Evaluator, EvidenceKind, Expectation, ExpectedOutput, FileContent, FileExpectation, Phase, Plan, Work,
};
use referee_model::reading::{ChosenBecause, CountAuthority, Reading, TestCounts, TestStatus};
use referee_model::record::http::{AssertionObservation, HttpEnding, HttpError, NoAnswer, NoAnswerCause};
use referee_model::record::service::{ProbeObservation, Readiness};
use referee_model::record::{
    CommandFacts, Ending, Facts, FileFacts, FileObservation, FileState, InteractionEnding, InteractionFacts, Overrun,
    Record, RunEnding, RunRecord, ServiceRecord, SkipReason, Span, StartFailure, Stream,
};
use referee_model::report::{ActionHistory, ActionReport, Attempt, Ran};
use referee_model::selection::{LeftOut, Profile, Scope};
use referee_model::time::Timestamp;
use referee_model::verdict::{Decision, Next, Verdict};

use crate::classify;
use crate::criteria::{EvaluatorOutput, verdict};
use crate::fixture::{self, ended, exchanged, exited, found, found_all, http_facts, line, nothing, serviced};

const SERVICE: &str = "PREREQ.1";
const TESTS: &str = "STEP.1";
const LINT: &str = "STEP.2";
const FILE: &str = "STEP.3";
const FILES: &str = "STEP.4";
const HTTP: &str = "STEP.5";
const OTHER: &str = "STEP.6";
const RED: &str = "STEP.7";
const QUERY: &str = "STEP.8";
const BROWSER: &str = "STEP.9";
const ACTIONS: [&str; 10] = [SERVICE, TESTS, LINT, FILE, FILES, HTTP, OTHER, RED, QUERY, BROWSER];

const DONE: &str = r#"{"status": "passed", "summary": "all is well", "next": "done"}"#;

/// A manipulation of judged actions.
type Meddling = fn(&mut Vec<ActionReport>);

/// All inputs of a verdict.
struct Evidence {
    plan: Plan,
    run: RunRecord,
    /// Stored record and reading of each action's last attempt.
    stored: BTreeMap<ActionId, (Record, Reading)>,
    earlier: BTreeMap<ActionId, Vec<(Record, Reading)>>,
    skipped: BTreeMap<ActionId, SkipReason>,
    materials: BTreeMap<ActionId, ConditionInputs>,
    evaluator: Option<Record>,
    answer: Option<Vec<u8>>,
    /// Manipulation of the judged actions, whatever the evidence says.
    meddling: Option<Meddling>,
}

impl Evidence {
    fn verdict(&self) -> Verdict {
        let mut reports: Vec<ActionReport> =
            self.plan.actions.iter().filter_map(|action| self.report(action)).collect();
        if let Some(meddle) = self.meddling {
            meddle(&mut reports);
        }
        let output = EvaluatorOutput { record: self.evaluator.as_ref(), answer: self.answer.as_deref() };
        verdict(&self.plan, &self.run, &reports, &self.materials, output)
    }

    fn report(&self, action: &Action) -> Option<ActionReport> {
        if let Some(reason) = self.skipped.get(&action.id) {
            return Some(ActionReport { action: action.clone(), history: ActionHistory::Skipped(reason.clone()) });
        }
        let (record, reading) = self.stored.get(&action.id)?.clone();
        let judge = |record: &Record, reading: &Reading| classify::judge(&self.plan, action, record, reading);
        let earlier: Vec<Attempt> = self
            .earlier
            .get(&action.id)
            .into_iter()
            .flatten()
            .map(|(record, reading)| Attempt { record: record.clone(), judgement: judge(record, reading) })
            .collect();
        let last = judge(&record, &reading);
        let judgement = classify::settle(&self.plan, action, &earlier, last);
        let ran = Ran { record, reading, judgement, earlier };
        Some(ActionReport { action: action.clone(), history: ActionHistory::Ran(Box::new(ran)) })
    }

    fn action(&mut self, name: &str) -> &mut Action {
        self.plan.actions.iter_mut().find(|action| action.id.as_str() == name).unwrap()
    }

    fn record(&mut self, name: &str) -> &mut Record {
        &mut self.stored.get_mut(&id(name)).unwrap().0
    }

    fn reading(&mut self, name: &str) -> &mut Reading {
        &mut self.stored.get_mut(&id(name)).unwrap().1
    }

    fn tests(&mut self) -> &mut referee_model::reading::TestResults {
        self.reading(TESTS).tests.as_mut().unwrap()
    }

    fn command(&mut self, name: &str) -> &mut CommandFacts {
        match &mut self.record(name).facts {
            Facts::Command(facts) => facts,
            other => panic!("{name} is a command: {other:?}"),
        }
    }

    fn interaction(&mut self, name: &str) -> &mut InteractionFacts {
        match &mut self.record(name).facts {
            Facts::Interaction(facts) => facts,
            other => panic!("{name} is an interaction: {other:?}"),
        }
    }

    fn file(&mut self) -> &mut FileObservation {
        match &mut self.record(FILE).facts {
            Facts::File(FileFacts { found: FileState::File(file), .. }) => file,
            other => panic!("a file: {other:?}"),
        }
    }

    fn ends_service(&mut self, ending: Ending) {
        let service = &mut self.run.services[0];
        service.ending = ending;
        service.span.ended = Timestamp::from_millisecond(500);
    }
}

fn id(name: &str) -> ActionId {
    ActionId::parse(name).unwrap()
}

fn condition(text: &str) -> Condition {
    Condition { text: text.to_owned(), description: String::new(), expression: parse(text).unwrap() }
}

fn actions() -> Vec<Action> {
    let mut server = fixture::dev_server();
    server.ready.push(Probe::Output("ready".to_owned()));
    let text = FileContent { contains: vec!["a".to_owned()], min_size: Some(1), ..FileContent::default() };
    let mut request = fixture::request("http://localhost:3000/api");
    request.assertions.push(Assertion::ContainsText("quote".to_owned()));
    let mut tests = line(TESTS, "npx jest");
    tests.expect = Some(Expectation {
        pass_to_pass: vec!["adds".to_owned()],
        fail_to_pass: vec!["lists".to_owned()],
        ..Expectation::default()
    });
    let mut red = line(RED, "npx jest red");
    red.expect = Some(Expectation { outcome: Some(Outcome::TestFailure), ..Expectation::default() });
    vec![
        fixture::service(SERVICE, server),
        tests,
        line(LINT, "npx eslint ."),
        fixture::file(FILE, FileExpectation::Present(text.clone())),
        fixture::glob(FILES, FileExpectation::Present(text)),
        fixture::http(HTTP, request),
        line(OTHER, "./build"),
        red,
        fixture::query(QUERY, vec![RowExpectation::Count(1)]),
        fixture::browser(BROWSER),
    ]
}

fn of_file() -> FileObservation {
    FileObservation { contains: Some(vec![true]), ..fixture::observed(10) }
}

fn stored(action: &Action) -> (Record, Reading) {
    match action.id.as_str() {
        SERVICE => {
            let mut facts = fixture::service_facts(Readiness::Ready { after_ms: 5 });
            facts.probes.push(ProbeObservation {
                probe: "output /ready/".to_owned(),
                held: true,
                attempts: 1,
                last: String::new(),
                duration_ms: 5,
            });
            (serviced(action, facts), nothing())
        }
        TESTS => {
            let cases = [("adds", TestStatus::Passed), ("lists", TestStatus::Passed)];
            (exited(action, 0), fixture::named_tests("jest", &cases))
        }
        LINT => (exited(action, 0), fixture::findings("eslint", 0, 0, 0)),
        FILE => (found(action, FileState::File(of_file())), nothing()),
        FILES => (found_all(action, vec![("dist/a.json", FileState::File(of_file()))]), nothing()),
        HTTP => {
            let mut answer = fixture::answer(200);
            answer.assertions.push(AssertionObservation { holds: Some(true), found: String::new(), schema: None });
            (fixture::answered(action, answer), nothing())
        }
        OTHER => (exited(action, 0), nothing()),
        RED => (exited(action, 1), fixture::tests("jest", 0, 1, 0)),
        QUERY | BROWSER => {
            let mut facts = fixture::interaction_facts(action, InteractionEnding::Completed);
            if action.id.as_str() == QUERY {
                facts.row_count = Some(1);
                facts.observations.push(AssertionObservation { holds: Some(true), found: String::new(), schema: None });
            }
            (fixture::interacted(action, facts), nothing())
        }
        other => panic!("{other}"),
    }
}

/// Returns the evidence of a task that passes.
fn sound() -> Evidence {
    let actions = actions();
    let stored = actions.iter().map(|action| (action.id.clone(), stored(action))).collect();
    let mut plan = fixture::plan(actions);
    plan.criteria.success = vec![condition("STEP.1.exitCode === 0"), condition("STEP.6.stdout.includes('built')")];
    plan.criteria.failure = vec![condition("STEP.2.failed === true"), condition("STEP.6.stdout.includes('panic')")];
    plan.completion.required_evidence = vec![
        EvidenceKind::TerminalOutput,
        EvidenceKind::TestExecutionLog,
        EvidenceKind::ApiResponses,
        EvidenceKind::PerformanceMetrics,
    ];
    let evaluator = Evaluator { command: fixture::command("./evaluate"), timeout_ms: 1_000, grace_ms: 0 };
    let asked = ended(&evaluator.action(), Ending::Exited { code: 0 });
    plan.evaluator = Some(evaluator);
    let mut run = fixture::run(RunEnding::Finished);
    run.services.push(ServiceRecord {
        action: id(SERVICE),
        attempt: 1,
        span: Span {
            started: Timestamp::from_millisecond(100),
            ended: Timestamp::from_millisecond(8_000),
            duration_ms: 7_900,
        },
        ending: Ending::Interrupted { killed: false },
        in_cleanup: true,
        log: None,
        leaked: Vec::new(),
        notices: Vec::new(),
    });
    let found = BTreeMap::from([("built".to_owned(), true), ("panic".to_owned(), false)]);
    let stdout = StreamInputs { bytes: 10, found, text: None };
    let material = ConditionInputs { streams: BTreeMap::from([(Stream::Stdout, stdout)]), content: None };
    Evidence {
        plan,
        run,
        stored,
        earlier: BTreeMap::new(),
        skipped: BTreeMap::new(),
        materials: BTreeMap::from([(id(OTHER), material)]),
        evaluator: Some(asked),
        answer: Some(DONE.as_bytes().to_owned()),
        meddling: None,
    }
}

#[test]
fn the_sound_evidence_passes_so_that_each_damage_is_what_stands_against_it() {
    let verdict = sound().verdict();
    assert_eq!((verdict.decision, verdict.next), (Decision::Pass, Next::Done), "{:?}", verdict.reasons);
}

#[track_caller]
fn never_passes(what: &str, damage: impl FnOnce(&mut Evidence)) {
    let mut evidence = sound();
    damage(&mut evidence);
    let verdict = evidence.verdict();
    assert_ne!(verdict.decision, Decision::Pass, "{what} passes");
    assert_eq!(verdict.next, Next::Planner, "{what}");
    assert!(!verdict.reasons.is_empty() && verdict.build_error.is_some() && !verdict.completion.complete, "{what}");
}

type Damage = (&'static str, fn(&mut Evidence));

fn all_never_pass(damages: &[Damage]) {
    for (what, damage) in damages {
        never_passes(what, damage);
    }
}

#[test]
fn an_action_without_its_record_or_with_another_s_never_passes() {
    for name in ACTIONS {
        never_passes(&format!("{name} without a record"), |evidence| drop(evidence.stored.remove(&id(name))));
        never_passes(&format!("{name} not executed"), |evidence| evidence.record(name).facts = Facts::NotExecuted);
        never_passes(&format!("{name} as another"), |evidence| evidence.record(name).action = id("STEP.99"));
        never_passes(&format!("{name} as attempt 2"), |evidence| evidence.record(name).attempt = 2);
        never_passes(&format!("{name} as attempt 0"), |evidence| evidence.record(name).attempt = 0);
        never_passes(&format!("{name} ending before its start"), |evidence| {
            evidence.record(name).span.ended = Timestamp::from_millisecond(999);
        });
        never_passes(&format!("{name} before the run"), |evidence| {
            evidence.record(name).span.started = Timestamp::from_millisecond(-1);
        });
        never_passes(&format!("{name} after the run"), |evidence| {
            evidence.record(name).span.ended = Timestamp::from_millisecond(9_001);
        });
        never_passes(&format!("{name} skipped and run"), |evidence| {
            evidence.run.skipped.insert(id(name), SkipReason::LeftOut(LeftOut::Named));
        });
        never_passes(&format!("{name} tried too often"), |evidence| {
            let first = evidence.stored[&id(name)].clone();
            evidence.record(name).attempt = 2;
            evidence.earlier.insert(id(name), vec![first]);
        });
        for other in ACTIONS.into_iter().filter(|other| *other != name) {
            never_passes(&format!("{name} with the record of {other}"), |evidence| {
                evidence.stored.insert(id(name), evidence.stored[&id(other)].clone());
            });
        }
        for other in [SERVICE, FILE, FILES, HTTP, OTHER, QUERY] {
            let kind = std::mem::discriminant(&sound().record(other).facts);
            if std::mem::discriminant(&sound().record(name).facts) != kind {
                never_passes(&format!("{name} with the facts of {other}"), |evidence| {
                    evidence.record(name).facts = evidence.record(other).facts.clone();
                });
            }
        }
    }
}

#[test]
fn an_interaction_that_was_not_answered_as_expected_never_passes() {
    let endings = [
        InteractionEnding::Refused { request: 0, message: "no such table".to_owned() },
        InteractionEnding::Refused { request: 99, message: String::new() },
        InteractionEnding::Unavailable { message: String::new() },
        InteractionEnding::DeadlineExceeded { timeout_ms: 1, of_task: false, waiting_for: String::new() },
        InteractionEnding::DeadlineExceeded { timeout_ms: 1, of_task: true, waiting_for: "answer".to_owned() },
        InteractionEnding::Interrupted,
    ];
    for name in [QUERY, BROWSER] {
        for ending in &endings {
            never_passes(&format!("{name}: {ending:?}"), |evidence| {
                evidence.interaction(name).ending = ending.clone();
            });
        }
    }
    all_never_pass(&[
        ("rows without observations", |evidence| evidence.interaction(QUERY).observations.clear()),
        ("rows with one observation too many", |evidence| {
            let observed = evidence.interaction(QUERY).observations[0].clone();
            evidence.interaction(QUERY).observations.push(observed);
        }),
        ("rows that differ", |evidence| evidence.interaction(QUERY).observations[0].holds = Some(false)),
        ("rows that were not looked at", |evidence| evidence.interaction(QUERY).observations[0].holds = None),
        ("a browser with an observation", |evidence| {
            let observed = evidence.interaction(QUERY).observations[0].clone();
            evidence.interaction(BROWSER).observations.push(observed);
        }),
        ("a browser without its last command", |evidence| drop(evidence.interaction(BROWSER).requests.pop())),
        ("a browser without commands", |evidence| evidence.interaction(BROWSER).requests.clear()),
    ]);
}

#[test]
fn an_action_that_was_skipped_never_passes_whatever_the_reason_says() {
    for name in ACTIONS {
        for reason in [
            SkipReason::PrerequisiteFailed(id(SERVICE)),
            SkipReason::NeedNotMet(id(TESTS)),
            SkipReason::EarlierFailure(id(TESTS)),
            SkipReason::Superseded(id(TESTS)),
            SkipReason::DeadlinePassed,
            SkipReason::Interrupted,
            SkipReason::EngineFailed,
            SkipReason::SpecificationError,
            SkipReason::DependencyNotPassed(sound().plan.task),
            // In a run that claims to be whole.
            SkipReason::LeftOut(LeftOut::Profile),
        ] {
            never_passes(&format!("{name}: {reason:?}"), |evidence| {
                evidence.skipped.insert(id(name), reason.clone());
                evidence.run.skipped.insert(id(name), reason);
            });
        }
    }
}

#[test]
fn a_command_whose_end_is_not_known_or_no_success_never_passes() {
    let endings = || {
        [
            Ending::Exited { code: i32::MIN },
            Ending::Exited { code: -1 },
            Ending::Exited { code: 256 },
            Ending::Exited { code: i32::MAX },
            Ending::Exited { code: 137 },
            Ending::Signaled { signal: 9 },
            Ending::Signaled { signal: i32::MIN },
            Ending::DeadlineExceeded { timeout_ms: 0, of_task: false, killed: false },
            Ending::DeadlineExceeded { timeout_ms: u64::MAX, of_task: true, killed: true },
            Ending::Interrupted { killed: true },
            Ending::OutputLimitExceeded { limit_bytes: 0 },
            Ending::ProcessLimitExceeded { limit: 0 },
            Ending::MemoryLimitExceeded { limit_bytes: u64::MAX },
            Ending::CouldNotStart { cause: StartFailure::System, message: String::new() },
        ]
    };
    for name in [TESTS, LINT, OTHER] {
        for ending in endings() {
            never_passes(&format!("{name}: {ending:?}"), |evidence| evidence.command(name).ending = ending);
        }
        never_passes(&format!("{name} without a log"), |evidence| evidence.command(name).log = None);
    }
    // If failing tests are expected, tests must fail: any other ending is not the expected failure.
    for ending in endings().into_iter().skip(4).chain([Ending::Exited { code: 0 }]) {
        never_passes(&format!("{RED}: {ending:?}"), |evidence| {
            evidence.command(RED).ending = ending;
            *evidence.reading(RED) = nothing();
        });
    }
}

#[test]
fn a_test_run_whose_reading_is_absent_or_junk_never_passes() {
    all_never_pass(&[
        ("no reading", |evidence| *evidence.reading(TESTS) = nothing()),
        ("no results", |evidence| evidence.reading(TESTS).tests = None),
        ("no reader", |evidence| evidence.reading(TESTS).reader = None),
        ("another's reader", |evidence| {
            evidence.reading(TESTS).reader.as_mut().unwrap().because = ChosenBecause::Content;
        }),
        ("lines alone", |evidence| evidence.tests().authority = CountAuthority::Lines),
        ("no case", |evidence| evidence.tests().cases.clear()),
        ("a case missing", |evidence| drop(evidence.tests().cases.pop())),
        ("a case skipped", |evidence| evidence.tests().cases[0].status = TestStatus::Skipped),
        ("a case failed", |evidence| evidence.tests().cases[1].status = TestStatus::Failed),
        ("a case twice, once failed", |evidence| {
            let mut case = evidence.tests().cases[0].clone();
            case.status = TestStatus::Failed;
            evidence.tests().cases.push(case);
        }),
        ("no test", |evidence| evidence.tests().counts = TestCounts::default()),
        ("a failed test", |evidence| evidence.tests().counts.failed = 1),
        ("more than all", |evidence| evidence.tests().counts.total = 1),
        ("fewer than all", |evidence| evidence.tests().counts.total = 50),
        ("more than can be counted", |evidence| {
            evidence.tests().counts = TestCounts { passed: u64::MAX, failed: 0, skipped: u64::MAX, total: u64::MAX };
        }),
        ("a failed suite", |evidence| {
            evidence.tests().suites = Some(TestCounts { failed: 1, total: 1, ..TestCounts::default() });
        }),
        ("a red phase that is none", |evidence| {
            evidence.plan.red_phase = true;
        }),
    ]);
}

#[test]
fn findings_against_a_clean_exit_never_pass() {
    all_never_pass(&[
        ("errors", |evidence| *evidence.reading(LINT) = fixture::findings("eslint", 1, 0, 0)),
        ("errors without findings kept", |evidence| {
            *evidence.reading(LINT) = fixture::findings("eslint", 3, 0, 0);
            evidence.reading(LINT).diagnostics.clear();
        }),
        ("errors that no rule has", |evidence| {
            *evidence.reading(LINT) = fixture::findings("eslint", 3, 0, 0);
            evidence.reading(LINT).counts.by_rule.clear();
        }),
        ("more errors than can be counted", |evidence| evidence.reading(LINT).counts.errors = u64::MAX),
    ]);
}

#[test]
fn a_look_at_a_file_that_did_not_see_it_never_passes() {
    fn files(evidence: &mut Evidence) -> &mut referee_model::record::GlobFacts {
        match &mut evidence.record(FILES).facts {
            Facts::Glob(facts) => facts,
            other => panic!("files: {other:?}"),
        }
    }
    all_never_pass(&[
        ("not searched", |evidence| evidence.file().contains = None),
        ("searched for nothing", |evidence| evidence.file().contains = Some(Vec::new())),
        ("a text missing", |evidence| evidence.file().contains = Some(vec![false])),
        ("too small", |evidence| evidence.file().bytes = 0),
        ("no file", |evidence| files(evidence).files.clear()),
        ("more files than looked at", |evidence| files(evidence).truncated = true),
        ("a pattern given up", |evidence| {
            files(evidence).overrun = Some(Overrun { timeout_ms: 1, of_task: false });
        }),
        ("a pattern not followed", |evidence| files(evidence).failure = Some(String::new())),
        ("one of the files missing", |evidence| files(evidence).files[0].found = FileState::Missing),
    ]);
    for there in [
        FileState::Missing,
        FileState::Directory,
        FileState::Other,
        FileState::Outside { target: String::new() },
        FileState::Unreadable { message: String::new() },
        FileState::DeadlineExceeded(Overrun { timeout_ms: 1, of_task: false }),
    ] {
        never_passes(&format!("{there:?}"), |evidence| {
            let action = evidence.action(FILE).clone();
            *evidence.record(FILE) = found(&action, there);
        });
    }
}

#[test]
fn a_request_without_a_whole_answer_as_asserted_never_passes() {
    fn answer(evidence: &mut Evidence) -> &mut referee_model::record::http::HttpAnswer {
        match &mut evidence.record(HTTP).facts {
            Facts::Http(facts) => match &mut facts.ending {
                HttpEnding::Answered(answer) => answer,
                other => panic!("an answer: {other:?}"),
            },
            other => panic!("a request: {other:?}"),
        }
    }
    all_never_pass(&[
        ("no assertion observed", |evidence| answer(evidence).assertions.clear()),
        ("one too many", |evidence| {
            let more = answer(evidence).assertions[0].clone();
            answer(evidence).assertions.push(more);
        }),
        ("not told", |evidence| answer(evidence).assertions[0].holds = None),
        ("does not hold", |evidence| answer(evidence).assertions[0].holds = Some(false)),
        ("status 0", |evidence| answer(evidence).status = 0),
        ("status 65535", |evidence| answer(evidence).status = u16::MAX),
        ("status 404", |evidence| answer(evidence).status = 404),
        ("status 500", |evidence| answer(evidence).status = 500),
    ]);
    let no_answer = NoAnswer {
        cause: NoAnswerCause::Other,
        error: HttpError { code: None, errno: None, syscall: None, address: None, port: None, message: String::new() },
        status: Some(200),
    };
    let deadline =
        |status| HttpEnding::DeadlineExceeded { timeout_ms: 0, of_task: false, waiting_for: String::new(), status };
    for ending in [HttpEnding::NoAnswer(no_answer), HttpEnding::Interrupted, deadline(Some(200)), deadline(None)] {
        never_passes(&format!("{ending:?}"), |evidence| {
            let action = evidence.action(HTTP).clone();
            *evidence.record(HTTP) = exchanged(&action, http_facts(&action, ending));
        });
    }
}

#[test]
fn a_service_that_is_not_known_to_be_ready_and_to_stay_so_never_passes() {
    fn facts(evidence: &mut Evidence) -> &mut referee_model::record::ServiceFacts {
        match &mut evidence.record(SERVICE).facts {
            Facts::Service(facts) => facts,
            other => panic!("a service: {other:?}"),
        }
    }
    all_never_pass(&[
        ("no probe", |evidence| facts(evidence).probes.clear()),
        ("a probe that did not hold", |evidence| facts(evidence).probes[0].held = false),
        ("never started", |evidence| facts(evidence).started = None),
        ("its port taken", |evidence| facts(evidence).readiness = Readiness::PortTaken),
        ("a foreign port", |evidence| facts(evidence).readiness = Readiness::ForeignPort),
        ("ended", |evidence| facts(evidence).readiness = Readiness::Ended { ending: Ending::Exited { code: 0 } }),
        ("interrupted", |evidence| facts(evidence).readiness = Readiness::Interrupted),
        ("too late", |evidence| {
            facts(evidence).readiness = Readiness::DeadlineExceeded { timeout_ms: 0, of_task: true };
        }),
        ("nothing known of its end", |evidence| evidence.run.services.clear()),
        ("another's end", |evidence| evidence.run.services[0].action = id(TESTS)),
        ("another attempt's end", |evidence| evidence.run.services[0].attempt = 2),
    ]);
    for ending in [
        Ending::Exited { code: 0 },
        Ending::Exited { code: 1 },
        Ending::Signaled { signal: 9 },
        Ending::OutputLimitExceeded { limit_bytes: 1 },
        Ending::ProcessLimitExceeded { limit: 1 },
        Ending::MemoryLimitExceeded { limit_bytes: 1 },
    ] {
        never_passes(&format!("{ending:?}"), |evidence| {
            evidence.ends_service(ending);
            evidence.run.services[0].in_cleanup = false;
        });
    }
}

#[test]
fn what_conditions_and_completion_ask_for_and_do_not_get_never_passes() {
    all_never_pass(&[
        ("no materials", |evidence| evidence.materials.clear()),
        ("no stream", |evidence| evidence.materials.get_mut(&id(OTHER)).unwrap().streams.clear()),
        ("the other stream", |evidence| {
            let streams = &mut evidence.materials.get_mut(&id(OTHER)).unwrap().streams;
            let stdout = streams.remove(&Stream::Stdout).unwrap();
            streams.insert(Stream::Stderr, stdout);
        }),
        ("a needle not looked for", |evidence| {
            let streams = &mut evidence.materials.get_mut(&id(OTHER)).unwrap().streams;
            streams.get_mut(&Stream::Stdout).unwrap().found.remove("panic");
        }),
        ("a needle not found", |evidence| {
            let streams = &mut evidence.materials.get_mut(&id(OTHER)).unwrap().streams;
            streams.get_mut(&Stream::Stdout).unwrap().found.insert("built".to_owned(), false);
        }),
        ("a body too long to tell", |evidence| {
            evidence.plan.criteria.success.push(condition("STEP.5.body.id === 1"));
            let material = ConditionInputs { streams: BTreeMap::new(), content: Some(Content::TooLong { bytes: 1 }) };
            evidence.materials.insert(id(HTTP), material);
        }),
        ("a body that is not JSON", |evidence| {
            evidence.plan.criteria.success.push(condition("STEP.5.body.id === 1"));
            let content = Some(Content::Text("{\"id\": 1".to_owned()));
            evidence.materials.insert(id(HTTP), ConditionInputs { streams: BTreeMap::new(), content });
        }),
        ("a condition of no action", |evidence| {
            evidence.plan.criteria.success.push(condition("STEP.99.success === true"));
        }),
        ("a failure condition of no action", |evidence| {
            evidence.plan.criteria.failure.push(condition("STEP.99.failed === true"));
        }),
        ("a field that is not there", |evidence| {
            evidence.plan.criteria.success.push(condition("STEP.3.statusCode === 200"));
        }),
        ("an expected output without material", |evidence| {
            evidence.plan.criteria.expected_output =
                Some(ExpectedOutput { stdout_contains: vec!["x".to_owned()], ..ExpectedOutput::default() });
        }),
        ("an expected exit code that it has not", |evidence| {
            evidence.plan.criteria.expected_output =
                Some(ExpectedOutput { exit_code: Some(0), ..ExpectedOutput::default() });
        }),
        ("screenshots", |evidence| evidence.plan.completion.required_evidence.push(EvidenceKind::Screenshots)),
        ("answers that are not kept", |evidence| evidence.action(HTTP).evidence.exchange = false),
    ]);
    for least in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, 100.1] {
        never_passes(&format!("a least pass rate of {least}"), |evidence| {
            evidence.plan.completion.all_steps_must_pass = false;
            evidence.plan.completion.minimum_pass_rate = least;
        });
    }
}

#[test]
fn each_required_kind_of_evidence_that_nothing_left_never_passes() {
    let kinds = [
        (EvidenceKind::TerminalOutput, &[TESTS, LINT, OTHER, RED][..]),
        (EvidenceKind::TestExecutionLog, &[TESTS, RED]),
        (EvidenceKind::ApiResponses, &[HTTP]),
        (EvidenceKind::Screenshots, &[]),
    ];
    for (kind, sources) in kinds {
        never_passes(&format!("{kind:?}"), |evidence| {
            evidence.plan.completion.required_evidence = vec![kind];
            evidence.plan.criteria = referee_model::plan::Criteria::default();
            evidence.plan.actions.retain(|action| !sources.contains(&action.id.as_str()));
        });
    }
    never_passes("error logs of a failure that kept none", |evidence| {
        evidence.plan.completion.required_evidence = vec![EvidenceKind::ErrorLogs];
        evidence.action(RED).evidence.stderr = false;
    });
}

#[test]
fn a_plan_or_a_run_that_is_not_whole_never_passes() {
    all_never_pass(&[
        ("no action", |evidence| evidence.plan.actions.clear()),
        ("no step", |evidence| evidence.plan.actions.truncate(1)),
        ("an action more", |evidence| evidence.plan.actions.push(line("STEP.8", "true"))),
        ("an action twice", |evidence| {
            let twice = evidence.plan.actions[1].clone();
            evidence.plan.actions.push(twice);
        }),
        ("a problem", |evidence| evidence.plan.problems.push(fixture::problem(None, ""))),
        ("a problem of an action", |evidence| {
            let action = evidence.plan.actions[2].clone();
            evidence.plan.problems.push(fixture::problem(Some(&action), ""));
        }),
        ("an interrupted run", |evidence| evidence.run.ending = RunEnding::Interrupted { signal: 0 }),
        ("a failed run", |evidence| evidence.run.ending = RunEnding::Failed { message: String::new() }),
        ("a run that ended before it began", |evidence| evidence.run.ended = Timestamp::from_millisecond(-1)),
        ("a run that began after its actions", |evidence| evidence.run.started = Timestamp::from_millisecond(8_000)),
        ("flaky, where that fails", |evidence| {
            evidence.plan.flaky_fails = true;
            evidence.action(OTHER).retries = 1;
            let action = evidence.action(OTHER).clone();
            evidence.record(OTHER).attempt = 2;
            evidence.earlier.insert(id(OTHER), vec![(exited(&action, 1), nothing())]);
        }),
        ("an attempt missing", |evidence| {
            evidence.action(OTHER).retries = 5;
            let action = evidence.action(OTHER).clone();
            evidence.record(OTHER).attempt = 3;
            evidence.earlier.insert(id(OTHER), vec![(exited(&action, 0), nothing())]);
        }),
        ("another's attempt", |evidence| {
            evidence.action(OTHER).retries = 1;
            let action = evidence.action(LINT).clone();
            evidence.record(OTHER).attempt = 2;
            evidence.earlier.insert(id(OTHER), vec![(exited(&action, 0), nothing())]);
        }),
    ]);
}

#[test]
fn an_evaluator_that_is_missing_or_junk_never_passes() {
    all_never_pass(&[
        ("no record", |evidence| evidence.evaluator = None),
        ("no answer", |evidence| evidence.answer = None),
        ("neither", |evidence| (evidence.evaluator, evidence.answer) = (None, None)),
        ("an empty answer", |evidence| evidence.answer = Some(Vec::new())),
        ("half an answer", |evidence| evidence.answer.as_mut().unwrap().truncate(30)),
        ("another's record", |evidence| evidence.evaluator = Some(evidence.record(OTHER).clone())),
        ("an exit code", |evidence| {
            let action = evidence.plan.evaluator.as_ref().unwrap().action();
            evidence.evaluator = Some(exited(&action, 1));
        }),
    ]);
}

#[test]
fn judgements_that_contradict_their_actions_never_pass() {
    fn judgement(reports: &mut [ActionReport], at: usize) -> &mut Judgement {
        match &mut reports[at].history {
            ActionHistory::Ran(ran) => &mut ran.judgement,
            ActionHistory::Skipped(reason) => panic!("{reason:?}"),
        }
    }
    let meddlings: [(&str, Meddling); 9] = [
        ("no report", |reports| drop(reports.pop())),
        ("no reports", Vec::clear),
        ("a report twice", |reports| reports.push(reports[1].clone())),
        ("a report of no action", |reports| reports[1].action.id = id("STEP.99")),
        ("another's judgement", |reports| judgement(reports, 1).action = id(LINT)),
        ("a blocking success", |reports| judgement(reports, 1).blocking = true),
        ("an error that does not block", |reports| judgement(reports, 1).outcome = Outcome::ExecutionError),
        ("a failure that nothing allows", |reports| judgement(reports, 1).outcome = Outcome::TestFailure),
        ("findings that nothing allows", |reports| judgement(reports, 1).outcome = Outcome::ValidationFailure),
    ];
    for (what, meddle) in meddlings {
        never_passes(what, |evidence| evidence.meddling = Some(meddle));
    }
}

#[test]
fn a_reduced_run_passes_at_most_as_one_and_is_never_done() {
    for profile in Profile::ALL {
        let mut evidence = sound();
        evidence.run.scope = Scope { profile, reduced: true };
        evidence.skipped.insert(id(FILE), SkipReason::LeftOut(LeftOut::Profile));
        evidence.run.skipped = evidence.skipped.clone();
        assert_eq!(evidence.verdict().next, Next::Planner, "{profile:?}");
    }
    let phases = sound().plan.actions.iter().map(|action| action.phase).collect::<Vec<_>>();
    assert!(phases.contains(&Phase::Prerequisite) && phases.contains(&Phase::Step));
    assert!(sound().plan.actions.iter().any(|action| matches!(action.work, Work::Service(_))));
}
