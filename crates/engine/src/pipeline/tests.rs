//! Property tests: for any evidence, the replayed report equals the live one, byte for byte. Plans, records,
//! output, attempts and skips are generated, and processed like a real run from the first event to the seal.

use std::path::Path;

use proptest::prelude::*;
use referee_exec::{Capture, Observer as _, Sink as _};
use referee_ledger::evidence::Evidence;
use referee_model::event::Event;
use referee_model::id::{Digest, TaskId, WorkspacePath};
use referee_model::plan::service::PrerequisiteKind;
use referee_model::plan::{
    Command, Evaluator, Expectation, FileCheck, FileContent, FileExpectation, FileRoot, Form, HttpRequest, Invocation,
    Phase, Role, Service, Specification, SpecificationProblem, Work,
};
use referee_model::record::http::{HttpAnswer, HttpDiagnostics, HttpEnding, HttpSent};
use referee_model::record::service::{Readiness, ServiceStart};
use referee_model::record::{
    CommandFacts, Ending, Facts, FileFacts, FileObservation, FileState, Host, HttpFacts, Log, Record, ServiceFacts,
    ServiceRecord, Span, StartFailure, Stream,
};
use referee_model::run_context::RunContext;
use referee_model::selection::{LeftOut, Profile, Scope};
use referee_model::taxonomy;

use super::*;
use crate::replay::replay;
use crate::verification::{self, VerificationOutcome, Verifier, VerifyRequest};

/// Output of real tools.
const REAL: &[&str] = &[
    "",
    "a.ts(1,2): error TS1005: ';' expected.\n",
    "\n/w/a.js\n  1:2  error  No  no-undef\n\n✖ 1 problem (1 error, 0 warnings)\n",
    "PASS a.test.js\n\nTest Suites: 1 passed, 1 total\nTests:       2 passed, 2 total\nSnapshots:   0 total\nTime:        0.5 s\n",
    "FAIL a.test.js\n  ● adds\n\n    expect(received).toBe(expected)\n\nTest Suites: 1 failed, 1 total\nTests:       1 failed, 2 passed, 3 total\n",
    "===== 1 failed, 2 passed in 0.12s =====\n",
    "error[E0308]: mismatched types\n --> src/a.rs:1:2\n",
    "Traceback (most recent call last):\n  File \"a.py\", line 1\nModuleNotFoundError: No module named 'x'\n",
    "export API_KEY=sk-ant-REDACTED\n",
    "{\"status\": \"passed\", \"summary\": \"well\", \"next\": \"done\"}",
];

const LINES: &[&str] =
    &["npx jest", "npx tsc", "npx eslint .", "pytest", "cargo test", "./deploy", "npx prettier -c ."];

/// A generated action, as numbers from which every case can be built.
#[derive(Debug, Clone)]
struct Made {
    kind: u8,
    phase: u8,
    line: usize,
    real: usize,
    noise: Vec<u8>,
    code: i32,
    ending: u8,
    retries: u32,
    skipped: u8,
    expect: u8,
}

fn made() -> impl Strategy<Value = Made> {
    let output = (0..REAL.len(), proptest::collection::vec(any::<u8>(), 0..40));
    let code = prop_oneof![Just(0), Just(1), Just(2), Just(127), any::<i32>()];
    let rest = (0..8_u8, 0..3_u32, 0..12_u8, 0..6_u8);
    (0..6_u8, 0..8_u8, 0..LINES.len(), output, code, rest).prop_map(
        |(kind, phase, line, (real, noise), code, (ending, retries, skipped, expect))| Made {
            kind,
            phase,
            line,
            real,
            noise,
            code,
            ending,
            retries,
            skipped,
            expect,
        },
    )
}

impl Made {
    fn phase(&self) -> Phase {
        match self.phase {
            0 => Phase::Prerequisite,
            1 => Phase::Cleanup,
            _ => Phase::Step,
        }
    }

    fn action(&self, number: usize) -> Action {
        let scope = match self.phase() {
            Phase::Prerequisite => "PREREQ",
            Phase::Step => "STEP",
            Phase::Cleanup => "CLEANUP",
        };
        let outcomes = [None, Some(taxonomy::Outcome::TestFailure), Some(taxonomy::Outcome::Success)];
        let expect = outcomes.get(usize::from(self.expect)).map(|outcome| Expectation {
            outcome: *outcome,
            pass_to_pass: if self.expect == 0 { vec!["adds".to_owned()] } else { Vec::new() },
            ..Expectation::default()
        });
        Action {
            timeout_ms: 1_000,
            grace_ms: 100,
            continue_on_failure: self.code != 2,
            retries: self.retries,
            expect: expect.filter(|_| self.kind == 0),
            ..Action::of(
                ActionId::parse(format!("{scope}.{}", number + 1)).unwrap(),
                self.phase(),
                format!("check {number}"),
                self.work(),
            )
        }
    }

    fn work(&self) -> Work {
        match self.kind {
            1 => Work::File(FileCheck {
                root: FileRoot::Workspace,
                path: WorkspacePath::parse("dist/a.js").unwrap(),
                glob: false,
                expectation: FileExpectation::Present(FileContent::default()),
            }),
            2 => Work::Http(Box::new(HttpRequest {
                body_limit_bytes: 1_024,
                ..HttpRequest::get("http://localhost:3000/")
            })),
            3 if self.phase() == Phase::Prerequisite => Work::Service(Box::new(Service {
                command: Some(command("npm run dev", None)),
                ready: Vec::new(),
                port: None,
                external: false,
                kind: PrerequisiteKind::DevServerRunning,
            })),
            4 => Work::Command(command(LINES[self.line], Some(Role::Test))),
            _ => Work::Command(command(LINES[self.line], None)),
        }
    }

    fn ending(&self) -> Ending {
        match self.ending {
            0 => Ending::Signaled { signal: 9 },
            1 => Ending::DeadlineExceeded { timeout_ms: 1_000, of_task: false, killed: true },
            2 => Ending::OutputLimitExceeded { limit_bytes: 10 },
            4 => Ending::ProcessLimitExceeded { limit: 10 },
            5 => Ending::MemoryLimitExceeded { limit_bytes: 10 },
            3 => Ending::CouldNotStart { cause: StartFailure::NotFound, message: "no such program".to_owned() },
            _ => Ending::Exited { code: self.code },
        }
    }

    /// Writes the log of the action: output of a tool and noise, on both streams in turn.
    fn log(&self, action: &Action, attempt: u32, sink: &StagingSink<'_>) -> Log {
        let mut capture = sink.begin(action, attempt).unwrap();
        let (first, second) = self.noise.split_at(self.noise.len() / 2);
        write(&mut *capture, Stream::Stdout, first);
        write(&mut *capture, Stream::Stderr, REAL[self.real].as_bytes());
        write(&mut *capture, Stream::Stdout, REAL[self.line % REAL.len()].as_bytes());
        write(&mut *capture, Stream::Stderr, second);
        capture.finish().unwrap()
    }

    fn facts(&self, action: &Action, attempt: u32, sink: &StagingSink<'_>) -> Facts {
        match &action.work {
            Work::Command(_) => {
                let ending = self.ending();
                let started = !matches!(ending, Ending::CouldNotStart { .. });
                let log = started.then(|| self.log(action, attempt, sink));
                Facts::Command(CommandFacts { log, ..facts(ending) })
            }
            Work::File(_) => {
                let file = || FileObservation {
                    bytes: 5,
                    sha256: None,
                    modified: Some(Timestamp::from_millisecond(1)),
                    contains: None,
                    matches: None,
                    syntax: None,
                    schema: None,
                    content: None,
                };
                let found = if self.code == 0 { FileState::File(file()) } else { FileState::Missing };
                Facts::File(FileFacts { path: "dist/a.js".to_owned(), found })
            }
            Work::Http(_) => Facts::Http(Box::new(HttpFacts {
                request: HttpSent {
                    method: "GET".to_owned(),
                    url: "http://localhost:3000/".to_owned(),
                    headers: Vec::new(),
                    body: None,
                    body_bytes: 0,
                },
                redirects: Vec::new(),
                ending: HttpEnding::Answered(Box::new(HttpAnswer {
                    status: if self.code == 0 { 200 } else { 500 },
                    headers: Vec::new(),
                    body: Some(self.log(action, attempt, sink)),
                    body_bytes: 5,
                    head_ms: 1,
                    total_ms: 2,
                    assertions: Vec::new(),
                    captures: Vec::new(),
                })),
                diagnostics: HttpDiagnostics::default(),
            })),
            Work::Service(_) => Facts::Service(Box::new(ServiceFacts {
                started: Some(ServiceStart {
                    argv: vec!["npm".to_owned()],
                    directory: "/project".to_owned(),
                    executables: Vec::new(),
                    environment: BTreeMap::new(),
                    dropped_variables: Vec::new(),
                    pid: Some(7),
                }),
                port: None,
                probes: Vec::new(),
                port_check: None,
                readiness: Readiness::Ready { after_ms: 5 },
                log: None,
                leaked: Vec::new(),
            })),
            Work::Interaction(_) => Facts::NotExecuted,
        }
    }

    fn skip(&self, first: &ActionId) -> Option<SkipReason> {
        Some(match self.skipped {
            0 => SkipReason::NeedNotMet(first.clone()),
            1 => SkipReason::LeftOut(LeftOut::Named),
            2 => SkipReason::DeadlinePassed,
            3 => SkipReason::Superseded(first.clone()),
            _ => return None,
        })
    }
}

fn write(capture: &mut dyn Capture, stream: Stream, bytes: &[u8]) {
    capture.append(stream, bytes).unwrap();
}

fn command(line: &str, role: Option<Role>) -> Command {
    Command { role, ..Command::of(Invocation::line(line)) }
}

fn facts(ending: Ending) -> CommandFacts {
    CommandFacts {
        argv: vec!["bash".to_owned()],
        directory: "/project".to_owned(),
        executables: Vec::new(),
        environment: BTreeMap::new(),
        dropped_variables: Vec::new(),
        ending,
        leaked: Vec::new(),
        log: None,
        container: None,
    }
}

fn record(action: &Action, attempt: u32, facts: Facts) -> Record {
    Record {
        action: action.id.clone(),
        attempt,
        span: Span {
            started: Timestamp::from_millisecond(1_000),
            ended: Timestamp::from_millisecond(2_000),
            duration_ms: 1_000,
        },
        facts,
        notices: Vec::new(),
    }
}

/// Properties of a generated run as a whole.
#[derive(Debug, Clone)]
struct Whole {
    red_phase: bool,
    flaky_fails: bool,
    problem: bool,
    profile: Profile,
    reduced: bool,
    ending: u8,
    /// Output (index) and exit code of the evaluator, if there is one.
    evaluator: Option<(usize, i32)>,
}

fn whole() -> impl Strategy<Value = Whole> {
    let flags = (any::<bool>(), any::<bool>(), 0..8_u8, any::<bool>());
    let profile = proptest::sample::select(Profile::ALL.to_vec());
    let evaluator = proptest::option::of((0..REAL.len(), prop_oneof![3 => Just(0), 1 => Just(1)]));
    (flags, profile, 0..8_u8, evaluator).prop_map(
        |((red_phase, flaky_fails, problem, reduced), profile, ending, evaluator)| Whole {
            red_phase,
            flaky_fails,
            problem: problem == 0,
            profile,
            reduced,
            ending,
            evaluator,
        },
    )
}

fn plan(directory: &Path, actions: Vec<Action>, whole: &Whole) -> Plan {
    let problem = SpecificationProblem {
        action: None,
        message: "`${HOST}` is not known".to_owned(),
        pointer: "/checks".to_owned(),
        keyword: "variable".to_owned(),
        schema_path: None,
        allowed: Vec::new(),
        line: 1,
        column: 1,
    };
    Plan {
        red_phase: whole.red_phase,
        flaky_fails: whole.flaky_fails,
        evaluator: whole.evaluator.map(|_| Evaluator {
            command: command("./evaluate", None),
            timeout_ms: 1_000,
            grace_ms: 100,
        }),
        profile: whole.profile,
        problems: if whole.problem { vec![problem] } else { Vec::new() },
        ..Plan::of(
            Specification { file: "referee.yaml".to_owned(), form: Form::Short, digest: Digest::from_bytes([7; 32]) },
            TaskId::parse("T001").unwrap(),
            "made up".to_owned(),
            directory.to_owned(),
            directory.join("evidence"),
            actions,
        )
    }
}

struct Nobody;

impl EventSink for Nobody {
    fn on_event(&mut self, _: &Event) {}
}

fn at(milliseconds: i64) -> Timestamp {
    Timestamp::from_millisecond(milliseconds)
}

/// Feeds all events of an action to the recorder.
fn happen(made: &Made, action: &Action, first: &ActionId, recorder: &mut RunRecorder<'_>, sink: &StagingSink<'_>) {
    let skip = made.skip(first);
    let skipped = |reason| EventKind::ActionSkipped { action: action.id.clone(), reason };
    if let Some(reason) = skip.clone().filter(|reason| !matches!(reason, SkipReason::Superseded(_))) {
        recorder.take(at(1_000), skipped(reason)).unwrap();
        return;
    }
    for attempt in 1.. {
        let name = action.name.clone();
        let started = EventKind::ActionStarted { action: action.id.clone(), phase: action.phase, name, attempt };
        recorder.take(at(1_000), started).unwrap();
        let record = record(action, attempt, made.facts(action, attempt, sink));
        recorder.take(at(2_000), EventKind::ActionFinished(Box::new(record))).unwrap();
        if attempt > action.retries || !recorder.again(action, attempt) {
            break;
        }
    }
    if let Some(reason) = skip {
        recorder.take(at(2_000), skipped(reason)).unwrap();
    }
    if matches!(action.work, Work::Service(_)) {
        let service = ServiceRecord {
            action: action.id.clone(),
            attempt: 1,
            span: Span { started: at(1_000), ended: at(3_000), duration_ms: 2_000 },
            ending: made.ending(),
            in_cleanup: made.code == 0,
            log: Some(made.log(action, 1, sink)),
            leaked: Vec::new(),
            notices: Vec::new(),
        };
        recorder.take(at(3_000), EventKind::ServiceStopped(Box::new(service))).unwrap();
    }
}

/// Records a generated run in a directory, in the same way as a real one.
fn run_made_up(directory: &Path, all: &[Made], whole: &Whole) -> Answer {
    let mut sorted = all.to_vec();
    sorted.sort_by_key(Made::phase);
    let actions: Vec<Action> = sorted.iter().enumerate().map(|(number, made)| made.action(number)).collect();
    let plan = plan(directory, actions, whole);
    let execution = ExecutionId::parse("exec-1").unwrap();
    let store = Store::open(&plan.evidence_root).unwrap();
    let mut staging = store.begin(&plan.task, &execution, redaction::redactor(&plan, &[])).unwrap();
    let judged_plan = redaction::plan(&plan, &|text| staging.redact_text(text));
    let mut nobody = Nobody;
    begin(&execution, &judged_plan, at(0), &mut staging, &mut nobody).unwrap();
    store_plan(&judged_plan, &mut staging).unwrap();
    let stage = Stage::new(staging);
    let left_out = BTreeMap::new();
    let beside = Beside { held: None, waivers: Waivers::new(&[], at(0)) };
    let mut recorder = RunRecorder::new(&judged_plan, &stage, &mut nobody, &left_out, beside);
    let sink = StagingSink { plan: &judged_plan, stage: &stage };
    let first = judged_plan.actions[0].id.clone();
    for (made, action) in sorted.iter().zip(&judged_plan.actions) {
        happen(made, action, &first, &mut recorder, &sink);
    }
    if let (Some((real, code)), Some(evaluator)) = (whole.evaluator, &judged_plan.evaluator) {
        let action = evaluator.action();
        let mut capture = sink.begin(&action, 1).unwrap();
        write(&mut *capture, Stream::Stdout, REAL[real].as_bytes());
        let facts = CommandFacts { log: Some(capture.finish().unwrap()), ..facts(Ending::Exited { code }) };
        recorder.take(at(4_000), EventKind::EvaluatorAsked).unwrap();
        let record = record(&action, 1, Facts::Command(facts));
        recorder.take(at(4_500), EventKind::EvaluatorAnswered(Box::new(record))).unwrap();
    }
    recorder.end(at(5_000)).unwrap();
    let RunRecorder { ran, skipped, services, evaluator, .. } = recorder;
    let run = RunRecord {
        execution,
        started: at(0),
        ended: at(5_000),
        ending: match whole.ending {
            0 => RunEnding::Interrupted { signal: 2 },
            1 => RunEnding::Failed { message: "the disk is full".to_owned() },
            _ => RunEnding::Finished,
        },
        host: Host {
            platform: "linux".to_owned(),
            architecture: "x86_64".to_owned(),
            process_id: 1,
            version: "0.1.0".to_owned(),
            agent: None,
        },
        skipped,
        scope: Scope { profile: whole.profile, reduced: whole.reduced },
        services,
        notices: Vec::new(),
        run_context: RunContext::default(),
    };
    let staging = stage.into_inner();
    let answered = evaluator.map(|record| Answered::read(record, |log| staging.log(log))).transpose().unwrap();
    let tasks = std::slice::from_ref(&plan.task);
    let sealing = Sealing { store: &store, tasks, workspace: directory, held: None, signer: None };
    seal(&sealing, judged_plan, run, Judged { ran, answered }, staging, &mut nobody).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn the_replay_of_any_evidence_is_the_live_report_byte_for_byte(
        all in proptest::collection::vec(made(), 1..7),
        whole in whole(),
    ) {
        let directory = tempfile::tempdir().unwrap();
        let answer = run_made_up(&directory.path().canonicalize().unwrap(), &all, &whole);
        let evidence = Evidence::open(&answer.directory).unwrap();
        let (first, second) = (replay(&evidence).unwrap(), replay(&evidence).unwrap());
        prop_assert_eq!(&first.derived[evidence_name::EXECUTION_REPORT], &answer.document);
        prop_assert_eq!(&first.report, &answer.report);
        prop_assert_eq!(&first.derived, &second.derived);
        prop_assert_eq!(&first.report, &second.report);
        let verifier = Verifier::nobody();
        let request = VerifyRequest { directory: &answer.directory, replay: true, state: None, verifier: &verifier };
        let verified = verification::verify(&request).unwrap();
        let passed = answer.report.verdict.decision == referee_model::verdict::Decision::Pass;
        let expected = if passed { VerificationOutcome::Passed } else { VerificationOutcome::Failed };
        prop_assert_eq!(verified.standing(), expected, "{:?}", verified.axes);
    }
}
