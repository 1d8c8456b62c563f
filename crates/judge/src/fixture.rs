//! Small plans, records and readings for the tests of this crate.

use std::collections::BTreeMap;
use std::path::PathBuf;

use referee_model::id::{ActionId, Digest, ExecutionId, TaskId, WorkspacePath};
use referee_model::plan::{
    Action, Command, Completion, FileCheck, FileExpectation, Form, Invocation, Phase, Plan, Policies, Specification,
    Work,
};
use referee_model::reading::{
    ChosenBecause, CountAuthority, Counts, Diagnostic, Excerpt, Level, Origin, ReaderChoice, Reading, TestCounts,
    TestResults,
};
use referee_model::record::{
    CommandFacts, Ending, Facts, FileFacts, Found, Host, Log, Record, RunEnding, RunRecord, Stream, StreamMap,
};
use referee_model::report::{ActionReport, Course, Ran};
use referee_model::time::Timestamp;

pub(crate) fn plan(actions: Vec<Action>) -> Plan {
    Plan {
        specification: Specification {
            file: "referee.yaml".to_owned(),
            form: Form::Short,
            digest: Digest::from_bytes([7; 32]),
        },
        task: TaskId::parse("T001").unwrap(),
        title: "Quotes".to_owned(),
        workspace: PathBuf::from("/project"),
        evidence_root: PathBuf::from("/project/evidence"),
        environment: BTreeMap::new(),
        actions,
        policies: Policies::default(),
        completion: Completion {
            all_steps_must_pass: true,
            minimum_pass_rate: 100.0,
            required_evidence: Vec::new(),
            task_status_lock: true,
        },
        deadline_ms: None,
    }
}

pub(crate) fn action(id: &str, work: Work) -> Action {
    Action {
        id: ActionId::parse(id).unwrap(),
        phase: match id.split('.').next().unwrap() {
            "PREREQ" => Phase::Prerequisite,
            "CLEANUP" => Phase::Cleanup,
            _ => Phase::Step,
        },
        name: "check".to_owned(),
        work,
        needs: Vec::new(),
        deadline_ms: 10_000,
        grace_ms: 2_000,
        continue_on_failure: true,
    }
}

pub(crate) fn command(line: &str) -> Command {
    Command {
        invocation: Invocation::Shell { line: line.to_owned(), pipefail: true },
        directory: WorkspacePath::root(),
        environment: BTreeMap::new(),
        expected_exit_codes: vec![0],
        role: None,
        seen_through: Vec::new(),
        allow_no_tests: false,
    }
}

pub(crate) fn line(id: &str, line: &str) -> Action {
    action(id, Work::Command(command(line)))
}

pub(crate) fn file(id: &str, expectation: FileExpectation) -> Action {
    action(id, Work::File(FileCheck { path: WorkspacePath::parse("dist/server.js").unwrap(), expectation }))
}

fn record_of(action: &Action, facts: Facts) -> Record {
    Record {
        action: action.id.clone(),
        attempt: 1,
        started: Timestamp::from_millisecond(1_000),
        ended: Timestamp::from_millisecond(3_000),
        duration_ms: 2_000,
        facts,
        notices: Vec::new(),
    }
}

pub(crate) fn ended(action: &Action, ending: Ending) -> Record {
    let mut streams = StreamMap::default();
    streams.push(Stream::Stdout, 10);
    streams.push(Stream::Stderr, 10);
    let log = Log {
        file: format!("{}.log", action.id),
        bytes: 20,
        sha256: Digest::from_bytes([1; 32]),
        streams,
        redactions: Vec::new(),
        redaction_count: 0,
    };
    let started = !matches!(ending, Ending::CouldNotStart { .. });
    let facts = CommandFacts {
        argv: vec!["bash".to_owned()],
        directory: "/project".to_owned(),
        executables: Vec::new(),
        environment: BTreeMap::new(),
        dropped_variables: Vec::new(),
        ending,
        leaked: Vec::new(),
        log: started.then_some(log),
    };
    record_of(action, Facts::Command(facts))
}

pub(crate) fn exited(action: &Action, code: i32) -> Record {
    ended(action, Ending::Exited { code })
}

pub(crate) fn found(action: &Action, found: Found) -> Record {
    record_of(action, Facts::File(FileFacts { path: "dist/server.js".to_owned(), found }))
}

fn chosen(tool: &str, because: ChosenBecause) -> ReaderChoice {
    ReaderChoice { tool: tool.to_owned(), format: "text".to_owned(), because }
}

/// What a tool's own reader read: so many errors, warnings and remarks, all in `src/a.ts`.
pub(crate) fn findings(tool: &str, errors: u64, warnings: u64, infos: u64) -> Reading {
    let mut reading = Reading { reader: Some(chosen(tool, ChosenBecause::Command)), ..Reading::default() };
    for (level, number) in [(Level::Error, errors), (Level::Warning, warnings), (Level::Info, infos)] {
        for at in 0..number {
            reading.counts.add(Some("rule"), level, false);
            reading.diagnostics.push(Diagnostic {
                tool: tool.to_owned(),
                file: Some("src/a.ts".to_owned()),
                line: Some(u32::try_from(at).unwrap() + 1),
                column: Some(1),
                end_line: None,
                end_column: None,
                code: Some("rule".to_owned()),
                level,
                message: "something is wrong".to_owned(),
                fixable: false,
                suggestion: None,
                source: None,
                related: Vec::new(),
                origin: Origin { rule: "test/text".to_owned(), stream: Stream::Stdout, start: 0, end: 1 },
            });
        }
    }
    reading
}

/// What a runner's own reader read in its final summary.
pub(crate) fn tests(tool: &str, passed: u64, failed: u64, skipped: u64) -> Reading {
    let counts = TestCounts { passed, failed, skipped, total: passed + failed + skipped };
    Reading {
        reader: Some(chosen(tool, ChosenBecause::Command)),
        tests: Some(TestResults {
            framework: tool.to_owned(),
            authority: CountAuthority::Summary,
            counts,
            ..TestResults::default()
        }),
        ..Reading::default()
    }
}

/// The same reading, chosen by content.
pub(crate) fn by_content(mut reading: Reading) -> Reading {
    if let Some(reader) = &mut reading.reader {
        reader.because = ChosenBecause::Content;
    }
    reading
}

pub(crate) fn nothing() -> Reading {
    Reading::default()
}

/// Nothing understood, but these last words on standard error.
pub(crate) fn words(text: &str) -> Reading {
    let mut reading = nothing();
    reading.excerpts.stderr = Excerpt { head: text.to_owned(), tail: String::new(), bytes: text.len() as u64 };
    reading
}

pub(crate) fn counts_only(tool: &str, counts: Counts) -> Reading {
    Reading { reader: Some(chosen(tool, ChosenBecause::Command)), counts, ..Reading::default() }
}

pub(crate) fn run(ending: RunEnding) -> RunRecord {
    RunRecord {
        execution: ExecutionId::parse("exec-1").unwrap(),
        started: Timestamp::from_millisecond(0),
        ended: Timestamp::from_millisecond(9_000),
        ending,
        host: Host {
            platform: "linux".to_owned(),
            architecture: "x86_64".to_owned(),
            process_id: 1,
            version: "0.1.0".to_owned(),
            agent: None,
        },
        skipped: BTreeMap::new(),
        notices: Vec::new(),
    }
}

/// The report of an action, judged by the rules.
pub(crate) fn judged(plan: &Plan, action: &Action, record: Record, reading: Reading) -> ActionReport {
    let judgement = crate::classify::judge(plan, action, &record, &reading);
    ActionReport { action: action.clone(), course: Course::Ran(Box::new(Ran { record, reading, judgement })) }
}
