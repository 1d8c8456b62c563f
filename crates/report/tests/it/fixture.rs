//! Judged runs for tests, made from short descriptions.

use std::collections::BTreeMap;
use std::path::PathBuf;

use referee_model::build_error::{BuildError, BuildErrorType, ContextValue};
use referee_model::debt::{DebtAssessment, DebtCategory, DebtGeneration, DebtSummary};
use referee_model::diagnostic_log::DiagnosticLog;
use referee_model::id::{ActionId, Digest, ExecutionId, TaskId, WorkspacePath};
use referee_model::outcome::{AgentAction, Judgement, Outcome, Rule};
use referee_model::plan::{
    Action, Command, Completion, EvidenceKind, FileCheck, FileContent, FileExpectation, FileRoot, Form, Invocation,
    Phase, Plan, Role, Specification, StepOrder, Work,
};
use referee_model::reading::{
    ChosenBecause, CountAuthority, Diagnostic, EditPlace, Excerpt, FixEdit, Level, Origin, ReaderChoice, Reading,
    RelatedPlace, TestCase, TestCounts, TestFailure, TestResults, TestStatus,
};
use referee_model::record::{
    CommandFacts, Ending, Executable, Facts, FileFacts, FileState, Host, Log, Record, Redaction, RunEnding, RunRecord,
    SkipReason, Span, Stream, StreamMap,
};
use referee_model::report::{ActionHistory, ActionReport, Ran, Report};
use referee_model::run_context::RunContext;
use referee_model::selection::Scope;
use referee_model::severity::Severity;
use referee_model::time::Timestamp;
use referee_model::verdict::{CompletionEvaluation, CriteriaEvaluation, Decision, Exit, Next, OverallStatus, Verdict};

pub(crate) use outcomes::of_each_outcome;

mod outcomes;
pub(crate) mod run_context;

pub(crate) fn id(text: &str) -> ActionId {
    ActionId::parse(text).unwrap()
}

pub(crate) fn at(milliseconds: u64) -> Timestamp {
    Timestamp::from_millisecond(1_795_251_924_123).plus_milliseconds(milliseconds)
}

fn phase(id: &str) -> Phase {
    match id.split_once('.') {
        Some(("PREREQ", _)) => Phase::Prerequisite,
        Some(("CLEANUP", _)) => Phase::Cleanup,
        _ => Phase::Step,
    }
}

pub(crate) fn action(id: &str, name: &str, work: Work) -> Action {
    Action::of(self::id(id), phase(id), name, work)
}

pub(crate) fn command(line: &str) -> Work {
    Work::Command(Command::of(Invocation::line(line)))
}

fn file(path: &str) -> Work {
    let content = FileContent { min_size: Some(1), ..FileContent::default() };
    Work::File(FileCheck {
        root: FileRoot::Workspace,
        path: WorkspacePath::parse(path).unwrap(),
        glob: false,
        expectation: FileExpectation::Present(content),
    })
}

/// Returns the facts of a command that ran and printed a little.
pub(crate) fn command_facts(action: &Action, line: &str, ending: Ending) -> CommandFacts {
    let mut streams = StreamMap::default();
    streams.push(Stream::Stdout, 40);
    streams.push(Stream::Stderr, 2);
    let started = !matches!(ending, Ending::CouldNotStart { .. });
    CommandFacts {
        argv: ["bash", "-o", "pipefail", "-c", line].map(str::to_owned).to_vec(),
        directory: "/work/quotes".to_owned(),
        executables: vec![Executable {
            name: "bash".to_owned(),
            path: "/usr/bin/bash".to_owned(),
            sha256: Some(Digest::from_bytes([3; 32])),
            version: None,
        }],
        environment: BTreeMap::from([("PATH".to_owned(), "/usr/bin".to_owned())]),
        dropped_variables: vec!["NODE_OPTIONS".to_owned()],
        ending,
        leaked: Vec::new(),
        log: started.then(|| Log {
            file: referee_model::evidence_name::log(action, 1),
            bytes: 42,
            sha256: Digest::from_bytes([4; 32]),
            streams,
            redactions: vec![Redaction { rule: "variable:API_TOKEN".to_owned(), offset: 7, bytes: 12 }],
            redaction_count: 1,
        }),
        container: None,
    }
}

pub(crate) fn record(action: &Action, facts: Facts) -> Record {
    Record {
        action: action.id.clone(),
        attempt: 1,
        span: Span { started: at(10), ended: at(1_250), duration_ms: 1_240 },
        facts,
        notices: Vec::new(),
    }
}

fn judgement(action: &Action, outcome: Outcome, rule: Rule, reason: &str) -> Judgement {
    let failed = outcome != Outcome::Success;
    Judgement {
        action: action.id.clone(),
        outcome,
        cause: None,
        blocking: failed,
        severity: if failed { Severity::High } else { Severity::None },
        reason: reason.to_owned(),
        rule,
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
        debt: DebtGeneration::None { reason: "a success leaves none".to_owned() },
        baseline: None,
        waived: Vec::new(),
        notes: Vec::new(),
    }
}

/// Returns an action that ran a command successfully; tests change what differs.
pub(crate) fn ran(id: &str, name: &str, line: &str, ending: Ending, change: impl FnOnce(&mut Ran)) -> ActionReport {
    let action = action(id, name, command(line));
    let facts = Facts::Command(command_facts(&action, line, ending));
    let reading = Reading {
        excerpts: referee_model::reading::Excerpts {
            stdout: Excerpt {
                head: "one line of standard output 1234567890\n".to_owned(),
                tail: String::new(),
                bytes: 40,
            },
            stderr: Excerpt { head: "!\n".to_owned(), tail: String::new(), bytes: 2 },
        },
        ..Reading::default()
    };
    let mut ran = Ran {
        record: record(&action, facts),
        reading,
        judgement: judgement(&action, Outcome::Success, Rule::ExitExpected, "exit code 0"),
        earlier: Vec::new(),
    };
    change(&mut ran);
    ActionReport { action, history: ActionHistory::Ran(Box::new(ran)) }
}

fn looked_at(id: &str, name: &str, path: &str, found: FileState, change: impl FnOnce(&mut Ran)) -> ActionReport {
    let action = action(id, name, file(path));
    let facts = Facts::File(FileFacts { path: path.to_owned(), found });
    let mut ran = Ran {
        record: record(&action, facts),
        reading: Reading::default(),
        judgement: judgement(&action, Outcome::Success, Rule::FileAsExpected, "the file is as expected"),
        earlier: Vec::new(),
    };
    change(&mut ran);
    ActionReport { action, history: ActionHistory::Ran(Box::new(ran)) }
}

pub(crate) fn skipped(id: &str, name: &str, reason: SkipReason) -> ActionReport {
    ActionReport { action: action(id, name, command("true")), history: ActionHistory::Skipped(reason) }
}

/// Turns a result into a failure.
fn fail(ran: &mut Ran, outcome: Outcome, rule: Rule, reason: &str, advice: &str) {
    let debt = |category, title: &str| {
        DebtGeneration::Item(DebtSummary {
            category,
            severity: Severity::High,
            title: title.to_owned(),
            reason: reason.to_owned(),
            suggested_fix: advice.to_owned(),
            file: Some("src/quotes.ts".to_owned()),
            line: Some(45),
        })
    };
    let judgement = &mut ran.judgement;
    judgement.outcome = outcome;
    judgement.rule = rule;
    judgement.blocking = true;
    judgement.severity = Severity::High;
    judgement.remedy = Some(match outcome {
        Outcome::Success | Outcome::TestFailure => AgentAction::ImplementFix,
        Outcome::ValidationFailure => AgentAction::FixCode,
        Outcome::Timeout => AgentAction::OptimizeOrIncreaseTimeout,
        Outcome::ExecutionError => AgentAction::InstallTool,
        Outcome::PrerequisiteFailure => AgentAction::FixPrerequisite,
        Outcome::SpecificationError => AgentAction::FixSpecification,
    });
    reason.clone_into(&mut judgement.reason);
    advice.clone_into(&mut judgement.advice);
    judgement.debt = match outcome {
        Outcome::ValidationFailure => debt(DebtCategory::ValidationMissing, "Types are wrong"),
        Outcome::TestFailure => debt(DebtCategory::ValidationMissing, "Tests fail"),
        Outcome::Timeout => debt(DebtCategory::PerformanceIssue, "Too slow"),
        Outcome::ExecutionError | Outcome::PrerequisiteFailure => {
            debt(DebtCategory::IntegrationFailure, "The tool did not work")
        }
        Outcome::Success | Outcome::SpecificationError => {
            DebtGeneration::None { reason: "it is the specification that is wrong".to_owned() }
        }
    };
}

fn read_by(tool: &str, format: &str) -> ReaderChoice {
    ReaderChoice { tool: tool.to_owned(), format: format.to_owned(), because: ChosenBecause::Command }
}

fn origin(rule: &str) -> Origin {
    Origin { rule: rule.to_owned(), stream: Stream::Stdout, start: 0, end: 39 }
}

pub(crate) fn diagnostic(tool: &str, code: &str, level: Level, message: &str) -> Diagnostic {
    Diagnostic {
        tool: tool.to_owned(),
        file: Some("src/quotes.ts".to_owned()),
        line: Some(45),
        column: Some(18),
        end_line: Some(45),
        end_column: Some(28),
        code: Some(code.to_owned()),
        level,
        message: message.to_owned(),
        fixable: false,
        suggestion: None,
        source: Some("const total = sum(customerId, items);".to_owned()),
        edits: vec![FixEdit {
            file: None,
            place: EditPlace::Span { line: 23, column: 10, end_line: 23, end_column: 20 },
            text: "id".to_owned(),
        }],
        related: vec![RelatedPlace {
            file: Some("src/sum.ts".to_owned()),
            line: Some(3),
            column: None,
            message: "the parameter is declared here".to_owned(),
        }],
        origin: origin(&format!("{tool}/plain")),
    }
}

fn find(ran: &mut Ran, diagnostics: Vec<Diagnostic>) {
    for found in &diagnostics {
        ran.reading.counts.add(found.code.as_deref(), found.level, found.fixable);
    }
    ran.reading.diagnostics = diagnostics;
}

pub(crate) fn jest(passed: u64, failed: u64, skipped: u64) -> TestResults {
    let failure = |number: u64| TestFailure {
        name: format!("GET /quotes answers {number}"),
        suite: false,
        file: Some("tests/quotes.test.ts".to_owned()),
        line: Some(15),
        column: Some(23),
        message: "expect(received).toBe(expected)".to_owned(),
        expected: Some("200".to_owned()),
        received: Some("404".to_owned()),
        stack: Some("at Object.<anonymous> (tests/quotes.test.ts:15:23)".to_owned()),
        duration_ms: Some(234),
        origin: Some(origin("jest/text")),
    };
    let case = |title: String, status| TestCase {
        ancestors: vec!["GET /quotes".to_owned()],
        title,
        file: Some("tests/quotes.test.ts".to_owned()),
        status,
        duration_ms: Some(12),
    };
    let of_failed = (0..failed).map(|number| case(format!("answers {number}"), TestStatus::Failed));
    let of_passed = (0..passed).map(|number| case(format!("lists {number}"), TestStatus::Passed));
    let of_skipped = (0..skipped).map(|number| case(format!("sorts {number}"), TestStatus::Skipped));
    TestResults {
        framework: "jest".to_owned(),
        authority: CountAuthority::Summary,
        counts: TestCounts { passed, failed, skipped, total: passed + failed + skipped },
        suites: Some(TestCounts {
            passed: u64::from(failed == 0),
            failed: u64::from(failed > 0),
            skipped: 0,
            total: 1,
        }),
        failures: (0..failed).map(failure).collect(),
        cases: of_failed.chain(of_passed).chain(of_skipped).collect(),
    }
}

/// Turns a result into that of a test run.
pub(crate) fn tested(ran: &mut Ran, tests: TestResults) {
    ran.judgement.role = Some(Role::Test);
    ran.judgement.tool = Some("jest".to_owned());
    ran.judgement.rule = Rule::TestsPassed;
    ran.reading.reader = Some(read_by("jest", "text"));
    ran.judgement.counted_tests = (tests.authority != CountAuthority::Lines).then_some(tests.counts);
    ran.reading.tests = Some(tests);
}

pub(crate) fn plan(actions: Vec<Action>) -> Plan {
    Plan {
        completion: Completion { required_evidence: vec![EvidenceKind::TerminalOutput], ..Completion::default() },
        step_order: StepOrder::Free,
        ..Plan::of(
            Specification { file: "referee.yaml".to_owned(), form: Form::Short, digest: Digest::from_bytes([7; 32]) },
            TaskId::parse("T030").unwrap(),
            "Quote service".to_owned(),
            PathBuf::from("/work/quotes"),
            PathBuf::from("/work/quotes/evidence"),
            actions,
        )
    }
}

/// Returns a report of these actions, which fails where one of them blocks.
pub(crate) fn report(actions: Vec<ActionReport>) -> Report {
    let ran = || actions.iter().filter_map(ActionReport::ran);
    let blocking: Vec<ActionId> =
        ran().filter(|ran| ran.judgement.blocking).map(|ran| ran.judgement.action.clone()).collect();
    let reasons: Vec<String> = ran()
        .filter(|ran| ran.judgement.blocking)
        .map(|ran| format!("{}: {}", ran.judgement.action, ran.judgement.reason))
        .collect();
    let passed = blocking.is_empty();
    let skipped = actions.iter().filter_map(|report| match &report.history {
        ActionHistory::Skipped(reason) => Some((report.action.id.clone(), reason.clone())),
        ActionHistory::Ran(_) => None,
    });
    let run = RunRecord {
        execution: ExecutionId::parse("exec-20261121T090524123Z-1f3a9c04").unwrap(),
        started: at(0),
        ended: at(2_000),
        ending: RunEnding::Finished,
        host: Host {
            platform: "linux".to_owned(),
            architecture: "x86_64".to_owned(),
            process_id: 4_711,
            version: "0.1.0".to_owned(),
            agent: Some("claude-code".to_owned()),
        },
        skipped: skipped.collect(),
        scope: Scope::default(),
        services: Vec::new(),
        notices: Vec::new(),
        run_context: RunContext::default(),
    };
    let verdict = Verdict {
        overall: if passed { OverallStatus::Success } else { OverallStatus::Failure },
        decision: if passed { Decision::Pass } else { Decision::Fail },
        reasons: if passed { vec!["every step passed".to_owned()] } else { reasons.clone() },
        next: if passed { Next::Done } else { Next::Planner },
        agent_action: if passed { AgentAction::RequestStatusUpdate } else { AgentAction::ImplementFix },
        blocking,
        criteria: CriteriaEvaluation::default(),
        completion: CompletionEvaluation {
            complete: passed,
            pass_rate: Some(if passed { 100.0 } else { 200.0 / 3.0 }),
            test_pass_rate: None,
            evidence_collected: vec![EvidenceKind::TerminalOutput],
            evidence_missing: Vec::new(),
            reason: if passed { "every step passed" } else { "1 of 3 steps failed, and all must pass" }.to_owned(),
        },
        evaluator: None,
        build_error: reasons.first().map(|reason| BuildError {
            kind: BuildErrorType::TestFailed,
            message: reason.clone(),
            exit_code: None,
            stdout_tail: "one line of standard output 1234567890".to_owned(),
            stderr_tail: "!".to_owned(),
            agent_result_file: None,
            verification_file: Some("execution-report.json".to_owned()),
            context: BTreeMap::from([
                ("errorCount".to_owned(), ContextValue::Number(1)),
                ("files".to_owned(), ContextValue::List(vec![ContextValue::text("src/quotes.ts")])),
                ("tool".to_owned(), ContextValue::Text("tsc".to_owned())),
            ]),
            failed_at: at(1_250),
            phase: None,
        }),
        baseline: None,
        waivers: Vec::new(),
        exit: if passed { Exit::Passed } else { Exit::Failed },
    };
    let plan = plan(actions.iter().map(|report| report.action.clone()).collect());
    Report { plan, run, actions, verdict, diagnostics: DiagnosticLog::default(), debt: DebtAssessment::default() }
}
