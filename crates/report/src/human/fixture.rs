//! Reports for tests, made from a short description, the events that lead to them, and the styles in which they are
//! written.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

use referee_model::debt::{DebtAssessment, DebtGeneration};
use referee_model::diagnostic_log::DiagnosticLog;
use referee_model::event::{Event, EventKind};
use referee_model::id::{ActionId, Digest, ExecutionId, TaskId};
use referee_model::outcome::{AgentAction, Judgement, Outcome, Rule};
use referee_model::plan::{Action, Command, Completion, Form, Invocation, Phase, Plan, Specification, StepOrder, Work};
use referee_model::reading::{
    CountAuthority, Diagnostic, Excerpt, Level, Origin, Reading, TestCounts, TestFailure, TestResults,
};
use referee_model::record::{
    CommandFacts, Ending, Facts, Host, Log, Record, RunEnding, RunRecord, SkipReason, Span, Stream, StreamMap,
};
use referee_model::report::{ActionHistory, ActionReport, Ran, Report};
use referee_model::run_context::RunContext;
use referee_model::selection::Scope;
use referee_model::severity::Severity;
use referee_model::time::Timestamp;
use referee_model::verdict::{CompletionEvaluation, CriteriaEvaluation, Decision, Exit, Next, OverallStatus, Verdict};

use crate::source::SourceLines;
use crate::style::{Style, Verbosity};

/// Runs that several tests use.
pub(crate) mod runs;

pub(crate) mod run_context;

pub(crate) mod servers;

const STYLE: Style =
    Style { color: false, unicode: true, width: 100, interactive: false, verbosity: Verbosity::Normal };

/// Returns the text that is written in a style.
fn written(style: Style, write: impl FnOnce(Style, &mut dyn Write) -> io::Result<()>) -> String {
    let mut out = Vec::new();
    write(style, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

pub(crate) fn plain(width: usize, write: impl FnOnce(Style, &mut dyn Write) -> io::Result<()>) -> String {
    written(Style { width, ..STYLE }, write)
}

pub(crate) fn ascii(width: usize, write: impl FnOnce(Style, &mut dyn Write) -> io::Result<()>) -> String {
    written(Style { width, unicode: false, ..STYLE }, write)
}

/// Returns the text written with colors, with readable escape characters.
pub(crate) fn colored(width: usize, write: impl FnOnce(Style, &mut dyn Write) -> io::Result<()>) -> String {
    written(Style { width, color: true, ..STYLE }, write).replace('\u{1b}', "<esc>")
}

pub(crate) fn quiet(width: usize, write: impl FnOnce(Style, &mut dyn Write) -> io::Result<()>) -> String {
    written(Style { width, verbosity: Verbosity::Quiet, ..STYLE }, write)
}

pub(crate) fn verbose(width: usize, write: impl FnOnce(Style, &mut dyn Write) -> io::Result<()>) -> String {
    written(Style { width, verbosity: Verbosity::Verbose, ..STYLE }, write)
}

/// Source lines of three files.
pub(crate) struct Sources;

impl SourceLines for Sources {
    fn line(&self, file: &str, line: u32) -> Option<String> {
        let text = match (file, line) {
            ("src/routes.ts", 39) => {
                "      handle: (_request, customerId) => ({ status: 200, body: store.listByCustomer(customerId) }),"
            }
            ("tests/quotes.contract.test.ts", 88) => "    expect(response.status).toBe(200);",
            ("src/server.ts", 4) => "let port = 8080;",
            _ => return None,
        };
        Some(text.to_owned())
    }
}

pub(crate) fn id(text: &str) -> ActionId {
    ActionId::parse(text).unwrap()
}

fn at(milliseconds: u64) -> Timestamp {
    Timestamp::from_millisecond(1_795_251_924_000).plus_milliseconds(milliseconds)
}

fn phase(id: &str) -> Phase {
    match id.split_once('.') {
        Some(("PREREQ", _)) => Phase::Prerequisite,
        Some(("CLEANUP", _)) => Phase::Cleanup,
        _ => Phase::Step,
    }
}

fn action(id: &str, name: &str, work: Work) -> Action {
    Action::of(self::id(id), phase(id), name, work)
}

fn command(line: &str) -> Command {
    Command::of(Invocation::line(line))
}

/// Returns an action that ran a command successfully in 1.2 s; tests change what differs.
fn ran(id: &str, name: &str, line: &str) -> ActionReport {
    let facts = CommandFacts {
        argv: vec!["bash".to_owned(), "-c".to_owned(), line.to_owned()],
        directory: "/work".to_owned(),
        executables: Vec::new(),
        environment: BTreeMap::new(),
        dropped_variables: Vec::new(),
        ending: Ending::Exited { code: 0 },
        leaked: Vec::new(),
        log: Some(log(&format!("{id}-{name}.log"), 0)),
        container: None,
    };
    with_facts(action(id, name, Work::Command(command(line))), Facts::Command(facts))
}

fn log(file: &str, bytes: u64) -> Log {
    let mut streams = StreamMap::default();
    streams.push(Stream::Stdout, bytes);
    Log::of(file, bytes, Digest::from_bytes([0; 32]), streams)
}

fn with_facts(action: Action, facts: Facts) -> ActionReport {
    let record = Record {
        action: action.id.clone(),
        attempt: 1,
        span: Span { started: at(0), ended: at(1_240), duration_ms: 1_240 },
        facts,
        notices: Vec::new(),
    };
    let judgement = Judgement {
        action: action.id.clone(),
        outcome: Outcome::Success,
        cause: None,
        blocking: false,
        severity: Severity::None,
        reason: "exit code 0".to_owned(),
        rule: Rule::ExitExpected,
        role: None,
        tool: None,
        policy: None,
        exit_code_only: false,
        counted_tests: None,
        possible_causes: Vec::new(),
        remedy: None,
        advice: String::new(),
        expected: false,
        flaky: false,
        debt: DebtGeneration::None { reason: String::new() },
        baseline: None,
        waived: Vec::new(),
        notes: Vec::new(),
    };
    let ran = Ran { record, reading: Reading::default(), judgement, earlier: Vec::new() };
    ActionReport { action, history: ActionHistory::Ran(Box::new(ran)) }
}

struct Failed(Outcome, Rule, Severity, &'static str);

/// Turns an action that ran into a failed one, which blocks where its severity is above low.
fn failed(mut report: ActionReport, ending: Ending, how: &Failed, change: impl FnOnce(&mut Ran)) -> ActionReport {
    let Failed(outcome, rule, severity, reason) = *how;
    if let ActionHistory::Ran(ran) = &mut report.history {
        if let Facts::Command(facts) = &mut ran.record.facts {
            facts.ending = ending;
        }
        ran.judgement.outcome = outcome;
        ran.judgement.rule = rule;
        ran.judgement.severity = severity;
        ran.judgement.blocking = severity > Severity::Low;
        reason.clone_into(&mut ran.judgement.reason);
        change(ran);
    }
    report
}

fn skipped(id: &str, name: &str, reason: SkipReason) -> ActionReport {
    ActionReport { action: action(id, name, Work::Command(command("true"))), history: ActionHistory::Skipped(reason) }
}

fn plan(title: &str, actions: Vec<Action>) -> Plan {
    Plan {
        completion: Completion { task_status_lock: false, ..Completion::default() },
        step_order: StepOrder::Free,
        ..Plan::of(
            Specification { file: "referee.yaml".to_owned(), form: Form::Short, digest: Digest::from_bytes([7; 32]) },
            TaskId::parse("T001").unwrap(),
            title.to_owned(),
            PathBuf::from("/work"),
            PathBuf::from("/work/evidence"),
            actions,
        )
    }
}

/// Returns a report whose verdict names the blocking actions and these reasons.
fn report(mut actions: Vec<ActionReport>, decision: Decision, next: AgentAction, reasons: &[&str]) -> Report {
    for each in &mut actions {
        if let ActionHistory::Ran(ran) = &mut each.history {
            let summed_up = ran.reading.tests.as_ref().filter(|tests| tests.authority != CountAuthority::Lines);
            ran.judgement.counted_tests = summed_up.map(|tests| tests.counts);
        }
    }
    let ran = || actions.iter().filter_map(ActionReport::ran);
    let skipped = actions.iter().filter_map(|each| match &each.history {
        ActionHistory::Skipped(reason) => Some((each.action.id.clone(), reason.clone())),
        ActionHistory::Ran(_) => None,
    });
    let run = RunRecord {
        execution: ExecutionId::parse("exec-20261121T090524123Z-1f3a9c04").unwrap(),
        started: at(0),
        ended: at(ran().map(|ran| ran.record.span.duration_ms).sum()),
        ending: RunEnding::Finished,
        host: Host {
            platform: "linux".to_owned(),
            architecture: "x86_64".to_owned(),
            process_id: 1,
            version: "0.1.0".to_owned(),
            agent: None,
        },
        skipped: skipped.collect(),
        scope: Scope::default(),
        services: Vec::new(),
        notices: Vec::new(),
        run_context: RunContext::default(),
    };
    let passed = decision == Decision::Pass;
    let blocking = (actions.iter())
        .filter_map(|each| each.ran().filter(|ran| ran.judgement.blocking).map(|ran| ran.verdict_reason(&each.action)));
    let verdict = Verdict {
        overall: if passed { OverallStatus::Success } else { OverallStatus::PartialSuccess },
        decision,
        reasons: blocking.chain(reasons.iter().map(|&reason| reason.to_owned())).collect(),
        next: if passed { Next::Done } else { Next::Planner },
        agent_action: next,
        blocking: ran().filter(|ran| ran.judgement.blocking).map(|ran| ran.judgement.action.clone()).collect(),
        criteria: CriteriaEvaluation::default(),
        completion: CompletionEvaluation {
            complete: passed,
            pass_rate: None,
            test_pass_rate: None,
            evidence_collected: Vec::new(),
            evidence_missing: Vec::new(),
            reason: String::new(),
        },
        evaluator: None,
        build_error: None,
        baseline: None,
        waivers: Vec::new(),
        exit: if passed { Exit::Passed } else { Exit::Failed },
    };
    let plan = plan("Quote service", actions.iter().map(|each| each.action.clone()).collect());
    Report { plan, run, actions, verdict, diagnostics: DiagnosticLog::default(), debt: DebtAssessment::default() }
}

fn origin() -> Origin {
    Origin { rule: "tsc/plain".to_owned(), stream: Stream::Stdout, start: 0, end: 0 }
}

fn diagnostic(tool: &str, place: (&str, u32, u32), level: Level, code: &str, message: &str) -> Diagnostic {
    let (file, line, column) = place;
    Diagnostic {
        tool: tool.to_owned(),
        file: Some(file.to_owned()),
        line: (line > 0).then_some(line),
        column: (column > 0).then_some(column),
        end_line: None,
        end_column: None,
        code: (!code.is_empty()).then(|| code.to_owned()),
        level,
        message: message.to_owned(),
        fixable: false,
        suggestion: None,
        source: None,
        edits: Vec::new(),
        related: Vec::new(),
        origin: origin(),
    }
}

fn reads(reading: &mut Reading, diagnostics: Vec<Diagnostic>) {
    for diagnostic in &diagnostics {
        reading.counts.add(diagnostic.code.as_deref(), diagnostic.level, diagnostic.fixable);
    }
    reading.diagnostics = diagnostics;
}

fn tests(passed: u64, skipped: u64, failures: Vec<TestFailure>) -> TestResults {
    let failed = failures.len() as u64;
    TestResults {
        framework: "jest".to_owned(),
        authority: CountAuthority::Summary,
        counts: TestCounts { passed, failed, skipped, total: passed + failed + skipped },
        failures,
        ..TestResults::default()
    }
}

fn output(text: &str) -> Excerpt {
    Excerpt { head: text.to_owned(), tail: String::new(), bytes: text.len() as u64 }
}

fn exit(code: i32) -> Ending {
    Ending::Exited { code }
}

/// Returns the events of a run with this report.
pub(crate) fn events(report: &Report) -> Vec<Event> {
    let mut now = 0;
    let mut happenings = vec![(
        now,
        EventKind::RunStarted {
            execution: report.run.execution.clone(),
            task: report.plan.task.clone(),
            title: report.plan.title.clone(),
            actions: report.plan.actions.len(),
        },
    )];
    for ActionReport { action, history } in &report.actions {
        match history {
            ActionHistory::Skipped(reason) => {
                happenings.push((now, EventKind::ActionSkipped { action: action.id.clone(), reason: reason.clone() }));
            }
            ActionHistory::Ran(ran) => {
                let started = |attempt| EventKind::ActionStarted {
                    action: action.id.clone(),
                    phase: action.phase,
                    name: action.name.clone(),
                    attempt,
                };
                for attempt in &ran.earlier {
                    happenings.push((now, started(attempt.record.attempt)));
                    now += attempt.record.span.duration_ms;
                    happenings.push((now, EventKind::ActionFinished(Box::new(attempt.record.clone()))));
                }
                happenings.push((now, started(ran.record.attempt)));
                now += ran.record.span.duration_ms;
                if let (RunEnding::Interrupted { signal }, Rule::Interrupted) = (&report.run.ending, ran.judgement.rule)
                {
                    happenings.push((now, EventKind::Interrupting { signal: *signal }));
                }
                happenings.push((now, EventKind::ActionFinished(Box::new(ran.record.clone()))));
                happenings.push((now, EventKind::ActionJudged(Box::new(ran.judgement.clone()))));
            }
        }
    }
    for service in &report.run.services {
        happenings.push((now, EventKind::ServiceStopped(Box::new(service.clone()))));
    }
    happenings.push((now, EventKind::RunFinished { decision: report.verdict.decision }));
    let numbered = (1..).zip(happenings);
    numbered.map(|(sequence, (now, happening))| Event { sequence, at: at(now), happening }).collect()
}
