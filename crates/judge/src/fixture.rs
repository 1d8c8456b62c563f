//! Small plans, records and readings for the tests of this crate.

use std::collections::BTreeMap;
use std::path::PathBuf;

use referee_model::id::{ActionId, Digest, ExecutionId, TaskId, WorkspacePath};
use referee_model::outcome::Judgement;
use referee_model::plan::interaction::{
    BrowserCommand, BrowserEngine, BrowserOperation, RowExpectation, Statement, Transaction,
};
use referee_model::plan::service::PrerequisiteKind;
use referee_model::plan::{
    Action, Browser, Command, FileCheck, FileExpectation, FileRoot, Form, HttpRequest, Interaction, Invocation, Phase,
    Plan, Query, Service, Specification, SpecificationProblem, Template, Work,
};
use referee_model::reading::{
    ChosenBecause, CountAuthority, Counts, Diagnostic, Excerpt, Level, Origin, ReaderChoice, Reading, TestCase,
    TestCounts, TestResults, TestStatus,
};
use referee_model::record::http::{
    HttpAnswer, HttpDiagnostics, HttpEnding, HttpError, HttpSent, NoAnswer, NoAnswerCause,
};
use referee_model::record::service::{Readiness, ServiceStart};
use referee_model::record::{
    CommandFacts, Ending, Facts, FileFacts, FileObservation, FileState, GlobFacts, Host, HttpFacts, InteractionEnding,
    InteractionFacts, Log, Record, RunEnding, RunRecord, ServiceFacts, Span, Stream, StreamMap,
};
use referee_model::report::{ActionHistory, ActionReport, Attempt, Ran};
use referee_model::run_context::RunContext;
use referee_model::selection::Scope;
use referee_model::time::Timestamp;

pub(crate) fn plan(actions: Vec<Action>) -> Plan {
    Plan::of(
        Specification { file: "referee.yaml".to_owned(), form: Form::Short, digest: Digest::from_bytes([7; 32]) },
        TaskId::parse("T001").unwrap(),
        "Quotes".to_owned(),
        PathBuf::from("/project"),
        PathBuf::from("/project/evidence"),
        actions,
    )
}

pub(crate) fn action(id: &str, work: Work) -> Action {
    Action {
        timeout_ms: 10_000,
        ..Action::of(
            ActionId::parse(id).unwrap(),
            match id.split('.').next().unwrap() {
                "PREREQ" => Phase::Prerequisite,
                "CLEANUP" => Phase::Cleanup,
                _ => Phase::Step,
            },
            "check",
            work,
        )
    }
}

pub(crate) fn command(line: &str) -> Command {
    Command::of(Invocation::line(line))
}

pub(crate) fn line(id: &str, line: &str) -> Action {
    action(id, Work::Command(command(line)))
}

pub(crate) fn file(id: &str, expectation: FileExpectation) -> Action {
    action(id, Work::File(file_check("dist/server.js", false, expectation)))
}

/// Returns a check of all files that match `dist/*.json`.
pub(crate) fn glob(id: &str, expectation: FileExpectation) -> Action {
    action(id, Work::File(file_check("dist/*.json", true, expectation)))
}

fn file_check(path: &str, glob: bool, expectation: FileExpectation) -> FileCheck {
    FileCheck { root: FileRoot::Workspace, path: WorkspacePath::parse(path).unwrap(), glob, expectation }
}

/// Returns a GET request without expectations.
pub(crate) fn request(url: &str) -> HttpRequest {
    HttpRequest { body_limit_bytes: 1_024, ..HttpRequest::get(url) }
}

pub(crate) fn http(id: &str, request: HttpRequest) -> Action {
    action(id, Work::Http(Box::new(request)))
}

/// Returns a dev server that is started, without sign of readiness.
pub(crate) fn dev_server() -> Service {
    Service {
        command: Some(command("npm run dev")),
        ready: Vec::new(),
        port: None,
        external: false,
        kind: PrerequisiteKind::DevServerRunning,
    }
}

pub(crate) fn service(id: &str, service: Service) -> Action {
    action(id, Work::Service(Box::new(service)))
}

/// Returns a query that only reads, with these expectations for its rows.
pub(crate) fn query(id: &str, expectations: Vec<RowExpectation>) -> Action {
    let query = Query {
        connection: Template::plain("postgres://app@localhost/quotes"),
        statement: Statement::Text(Template::plain("SELECT id FROM quotes")),
        transaction: Transaction::ReadOnly,
        connect_timeout_ms: 5_000,
        statement_timeout_ms: 5_000,
        expectations,
    };
    action(id, Work::Interaction(Box::new(Interaction::Query(query))))
}

/// Returns an action that opens a page and takes a picture of it.
pub(crate) fn browser(id: &str) -> Action {
    let open = BrowserOperation::Navigate(Template::plain("http://localhost:3000/"));
    let operations = [open, BrowserOperation::Screenshot("home".to_owned())];
    let browser = Browser {
        engine: BrowserEngine::Chromium,
        headless: true,
        server: Vec::new(),
        commands: operations.map(|operation| BrowserCommand { operation, wait_ms: 1_000 }).into(),
    };
    action(id, Work::Interaction(Box::new(Interaction::Browser(browser))))
}

/// Returns facts of an interaction that asked everything that the action asks.
pub(crate) fn interaction_facts(action: &Action, ending: InteractionEnding) -> InteractionFacts {
    let requests = match &action.work {
        Work::Interaction(interaction) => match interaction.as_ref() {
            Interaction::Query(_) => vec![interaction.as_line()],
            Interaction::Browser(browser) => {
                browser.commands.iter().map(|command| command.operation.as_line()).collect()
            }
        },
        _ => vec!["SELECT 1".to_owned()],
    };
    InteractionFacts::without_answer(Vec::new(), requests, ending)
}

pub(crate) fn interacted(action: &Action, facts: InteractionFacts) -> Record {
    record_of(action, Facts::Interaction(Box::new(facts)))
}

/// Returns a problem of the plan with an action, or with the whole task.
pub(crate) fn problem(action: Option<&Action>, message: &str) -> SpecificationProblem {
    SpecificationProblem {
        action: action.map(|action| action.id.clone()),
        message: message.to_owned(),
        pointer: "/checks/check".to_owned(),
        keyword: "enum".to_owned(),
        schema_path: None,
        allowed: Vec::new(),
        line: 3,
        column: 5,
    }
}

fn record_of(action: &Action, facts: Facts) -> Record {
    Record {
        action: action.id.clone(),
        attempt: 1,
        span: Span {
            started: Timestamp::from_millisecond(1_000),
            ended: Timestamp::from_millisecond(3_000),
            duration_ms: 2_000,
        },
        facts,
        notices: Vec::new(),
    }
}

pub(crate) fn ended(action: &Action, ending: Ending) -> Record {
    let mut streams = StreamMap::default();
    streams.push(Stream::Stdout, 10);
    streams.push(Stream::Stderr, 10);
    let log = Log::of(format!("{}.log", action.id), 20, Digest::from_bytes([1; 32]), streams);
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
        container: None,
    };
    record_of(action, Facts::Command(facts))
}

pub(crate) fn exited(action: &Action, code: i32) -> Record {
    ended(action, Ending::Exited { code })
}

pub(crate) fn found(action: &Action, found: FileState) -> Record {
    record_of(action, Facts::File(FileFacts { path: "dist/server.js".to_owned(), found }))
}

/// Returns a regular file of this size, without further observations.
pub(crate) fn observed(bytes: u64) -> FileObservation {
    FileObservation {
        bytes,
        sha256: None,
        modified: None,
        contains: None,
        matches: None,
        syntax: None,
        schema: None,
        content: None,
    }
}

/// Returns a record of the matches of a pattern, by path.
pub(crate) fn found_all(action: &Action, files: Vec<(&str, FileState)>) -> Record {
    let files = files.into_iter().map(|(path, found)| FileFacts { path: path.to_owned(), found }).collect();
    globbed(
        action,
        GlobFacts { pattern: "dist/*.json".to_owned(), files, truncated: false, failure: None, overrun: None },
    )
}

pub(crate) fn globbed(action: &Action, facts: GlobFacts) -> Record {
    record_of(action, Facts::Glob(facts))
}

pub(crate) fn http_facts(action: &Action, ending: HttpEnding) -> HttpFacts {
    let (method, url) = match &action.work {
        Work::Http(request) => (request.method.as_str(), request.url.to_string()),
        _ => ("GET", "http://localhost:3000/".to_owned()),
    };
    HttpFacts {
        request: HttpSent { method: method.to_owned(), url, headers: Vec::new(), body: None, body_bytes: 0 },
        redirects: Vec::new(),
        ending,
        diagnostics: HttpDiagnostics::default(),
    }
}

pub(crate) fn exchanged(action: &Action, facts: HttpFacts) -> Record {
    record_of(action, Facts::Http(Box::new(facts)))
}

/// Returns a complete answer with this status, without assertions or captures.
pub(crate) fn answer(status: u16) -> HttpAnswer {
    HttpAnswer {
        status,
        headers: vec![("content-type".to_owned(), "application/json".to_owned())],
        body: None,
        body_bytes: 2,
        head_ms: 5,
        total_ms: 7,
        assertions: Vec::new(),
        captures: Vec::new(),
    }
}

pub(crate) fn answered(action: &Action, answer: HttpAnswer) -> Record {
    exchanged(action, http_facts(action, HttpEnding::Answered(Box::new(answer))))
}

/// Returns a record without a complete answer, for this cause, from port 3000 of this machine.
pub(crate) fn unanswered(action: &Action, cause: NoAnswerCause) -> Record {
    let no_answer = NoAnswer {
        cause,
        error: HttpError {
            code: (cause == NoAnswerCause::Refused).then(|| "ECONNREFUSED".to_owned()),
            errno: None,
            syscall: Some("connect".to_owned()),
            address: Some("127.0.0.1".to_owned()),
            port: Some(3_000),
            message: "connect ECONNREFUSED 127.0.0.1:3000".to_owned(),
        },
        status: None,
    };
    exchanged(action, http_facts(action, HttpEnding::NoAnswer(no_answer)))
}

/// Returns facts of a service that was started, without probes, with this readiness.
pub(crate) fn service_facts(readiness: Readiness) -> ServiceFacts {
    ServiceFacts {
        started: Some(ServiceStart {
            argv: vec!["bash".to_owned(), "-c".to_owned(), "npm run dev".to_owned()],
            directory: "/project".to_owned(),
            executables: Vec::new(),
            environment: BTreeMap::new(),
            dropped_variables: Vec::new(),
            pid: Some(4_711),
        }),
        port: None,
        probes: Vec::new(),
        port_check: None,
        readiness,
        log: None,
        leaked: Vec::new(),
    }
}

pub(crate) fn serviced(action: &Action, facts: ServiceFacts) -> Record {
    record_of(action, Facts::Service(Box::new(facts)))
}

pub(crate) fn not_executed(action: &Action) -> Record {
    record_of(action, Facts::NotExecuted)
}

fn chosen(tool: &str, because: ChosenBecause) -> ReaderChoice {
    ReaderChoice { tool: tool.to_owned(), format: "text".to_owned(), because }
}

/// Returns a reading by the tool's own reader with these numbers of errors, warnings and remarks, all in `src/a.ts`.
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
                edits: Vec::new(),
                related: Vec::new(),
                origin: Origin { rule: "test/text".to_owned(), stream: Stream::Stdout, start: 0, end: 1 },
            });
        }
    }
    reading
}

/// Returns a reading by the runner's own reader of its final summary.
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

/// Returns a reading by the runner's own reader with every test, as `suite › title`, and its status.
pub(crate) fn named_tests(tool: &str, cases: &[(&str, TestStatus)]) -> Reading {
    let number = |wanted| cases.iter().filter(|(_, status)| *status == wanted).count() as u64;
    let mut reading = tests(tool, number(TestStatus::Passed), number(TestStatus::Failed), number(TestStatus::Skipped));
    let listed = cases.iter().map(|(name, status)| {
        let mut names: Vec<String> = name.split(" › ").map(str::to_owned).collect();
        let title = names.pop().unwrap();
        TestCase { ancestors: names, title, file: None, status: *status, duration_ms: None }
    });
    if let Some(results) = &mut reading.tests {
        results.cases = listed.collect();
    }
    reading
}

/// Returns the same reading, but with the reader chosen by content.
pub(crate) fn by_content(mut reading: Reading) -> Reading {
    if let Some(reader) = &mut reading.reader {
        reader.because = ChosenBecause::Content;
    }
    reading
}

pub(crate) fn nothing() -> Reading {
    Reading::default()
}

/// Returns a reading without findings, with these last words on standard error.
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
        scope: Scope::default(),
        services: Vec::new(),
        notices: Vec::new(),
        run_context: RunContext::default(),
    }
}

/// Returns the report of an action, judged by the rules.
pub(crate) fn judged(plan: &Plan, action: &Action, record: Record, reading: Reading) -> ActionReport {
    let judgement = crate::classify::judge(plan, action, &record, &reading);
    judged_after(action, Vec::new(), record, reading, judgement)
}

/// Returns the report of an action with earlier attempts.
pub(crate) fn judged_after(
    action: &Action,
    earlier: Vec<Attempt>,
    record: Record,
    reading: Reading,
    judgement: Judgement,
) -> ActionReport {
    ActionReport {
        action: action.clone(),
        history: ActionHistory::Ran(Box::new(Ran { record, reading, judgement, earlier })),
    }
}

/// Returns a single attempt, judged by the rules.
pub(crate) fn attempt(plan: &Plan, action: &Action, number: u32, mut record: Record, reading: &Reading) -> Attempt {
    record.attempt = number;
    let judgement = crate::classify::judge(plan, action, &record, reading);
    Attempt { record, judgement }
}
