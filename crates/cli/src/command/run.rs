//! `referee run`: runs checks and reports.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use referee_engine::context::Context;
use referee_engine::error::{EngineError, ErrorKind};
use referee_engine::request::Answer;
use referee_engine::run::{GateOptions, RunBuilder};
use referee_engine::suite::{SealedSuite, SuiteAnswer};
use referee_engine::unloadable;
use referee_exec::signal::Cancellation;
use referee_model::evidence_name;
use referee_model::exit_code;
use referee_model::id::TaskId;
use referee_model::report::ActionReport;
use referee_model::suite::Suite;
use referee_model::verdict::{Decision, Exit};
use referee_report::human::{self, summary};
use referee_report::style::Verbosity;
use serde_json::{Value, json};

use super::evidence::depot;
use super::report::ReportSource;
use crate::args::report::ReportFile;
use crate::args::{self, Format, Run};
use crate::complaints;
use crate::follower::{Follower, notes};
use crate::output;
use crate::resolve;
use crate::sources::Sources;

/// Maximum number of source files for excerpts per task.
const SOURCES: usize = 1024;

/// Runs the checks of the specifications, one after another, and answers.
pub(super) fn execute(context: &Context, arguments: &Run) -> Result<u8, EngineError> {
    once(context, arguments, &resolve::signals()?)
}

/// The same, with signals that are listened for already.
pub(super) fn once(context: &Context, arguments: &Run, cancellation: &Cancellation) -> Result<u8, EngineError> {
    let suites = match resolve::load_suites(context, &arguments.specification) {
        Ok(suites) => suites,
        Err(problem) if problem.kind == ErrorKind::Specification => {
            return unloadable(context, arguments, problem, cancellation);
        }
        Err(problem) => return Err(problem),
    };
    let format = arguments.format;
    let files = &arguments.reports.reports;
    let out = answer_output(files, format)?;
    let options =
        GateOptions { fleet: depot::fleet(context, &arguments.fleet, &arguments.depot)?, ..arguments.gate.options() };
    let builder = RunBuilder::new(context, &options, &suites, cancellation)?;
    builder
        .check_directories(&(&arguments.specification).into())
        .or_else(|problem| refused(format, problem, Vec::new()).map(drop))?;
    let builder = builder.select(&arguments.tasks, arguments.selection.value())?;
    let builder = builder.baseline(arguments.baseline.as_deref(), &mut notes(context))?;
    let mut exits = Vec::new();
    let mut documents = Vec::new();
    let mut reported = Vec::new();
    for suite in builder.suites() {
        if let (false, Some(signal)) = (exits.is_empty(), cancellation.requests().first().copied()) {
            output::aside(b"note: interrupted; the specifications that were left did not run\n")?;
            exits.push(Exit::Interrupted { signal });
            break;
        }
        let prepared = match builder.prepare(suite, &mut notes(context)) {
            Ok(prepared) => prepared,
            Err(problem) => return refused(format, problem, Vec::new()),
        };
        if !prepared.is_protected() && format == Format::Human && context.terminal.stderr.verbosity != Verbosity::Quiet
        {
            let note =
                "note: nothing protects the specification and the tests: `referee lock` does, or `--trusted REF`\n";
            output::aside(note.as_bytes())?;
        }
        let specified = match super::report::specified(suite) {
            Ok(specified) => specified,
            Err(problem) => return refused(format, problem, Vec::new()),
        };
        let depot = depot::of_suite(context, &arguments.depot, suite)?;
        let mut follower = Follower::new(context, format);
        let answer = prepared.run(&mut follower);
        follower.clear();
        let answer = answer?;
        depot::push_runs(context, depot.as_ref(), &directories(&answer))?;
        output::aside(remarks(&answer).as_bytes())?;
        let wanted = arguments.incidents.capture_incidents || prepared.suite.captures_incidents;
        let root = incident_root(context, arguments, suite);
        let captured = if wanted { incidents(context, &root, &answer)? } else { Captures::new() };
        prepared.record_status(&mut follower)?;
        exits.push(answer.exit);
        documents.extend(told(context, format, &answer, &captured, follower.events, out)?);
        let of_suite: Vec<_> = answer.answers.iter().map(report_source).collect();
        super::report::write_specified(context, suite, &specified, &of_suite)?;
        if !files.is_empty() {
            reported.extend(answer.answers);
        }
    }
    super::report::write(context, files, &reported.iter().map(report_source).collect::<Vec<_>>())?;
    let exit = exits.into_iter().min().unwrap_or(Exit::NothingRan);
    if format == Format::Json {
        output::answer(&one_answer(&documents, exit)?)?;
    }
    Ok(exit_code::of(exit))
}

/// Returns the evidence directories of the runs.
fn directories(answer: &SuiteAnswer) -> Vec<PathBuf> {
    answer.answers.iter().map(|answer| answer.directory.clone()).collect()
}

fn report_source(answer: &Answer) -> ReportSource<'_> {
    (&answer.report, &answer.directory)
}

/// Writes an answer to one of the standard streams.
type Output = fn(&[u8]) -> io::Result<()>;

/// Checks that at most one report goes to standard output, and only in place of the answer for people. Returns where
/// that answer is written: to standard error if a report takes standard output.
fn answer_output(files: &[ReportFile], format: Format) -> Result<Output, EngineError> {
    match files.iter().filter(|file| file.path.is_none()).count() {
        0 => Ok(output::answer),
        1 if format == Format::Human => Ok(output::aside),
        1 => Err(EngineError::usage("`--report` to standard output cannot be combined with `--format`".to_owned())),
        _ => Err(EngineError::usage("only one `--report` can go to standard output".to_owned())),
    }
}

/// Combines the documents of all specifications.
fn one_answer(documents: &[Value], exit: Exit) -> Result<Vec<u8>, EngineError> {
    Ok(match documents {
        [only] => referee_model::document::to_bytes(only)?,
        several => referee_model::document::to_bytes(&json!({
            "streamVersion": "1.0.0",
            "type": "specifications",
            "exitCode": exit_code::of(exit),
            "specifications": several,
        }))?,
    })
}

/// Returns remarks on where evidence was published, and what the run relied on; one line each.
fn remarks(answer: &SuiteAnswer) -> String {
    let of_tasks = answer.answers.iter().flat_map(|answer| {
        let task = &answer.report.plan.task;
        let superseded = answer.superseded_by.iter().map(move |later| {
            format!("{later} of {task} was started later and stands in its place; this run went to the history")
        });
        superseded.chain(answer.gap.clone()).chain(answer.notes.iter().cloned())
    });
    let lines: Vec<String> =
        answer.notes.iter().cloned().chain(of_tasks).map(|note| format!("note: {note}\n")).collect();
    lines.concat()
}

/// Seals a specification that cannot be loaded as the last run of its tasks.
fn unloadable(
    context: &Context,
    arguments: &Run,
    problem: EngineError,
    cancellation: &Cancellation,
) -> Result<u8, EngineError> {
    let signing = arguments.gate.run.signing.options();
    let names = (&arguments.specification).into();
    let sealed = unloadable::seal(context, &names, &arguments.tasks, &signing, cancellation, &mut notes(context));
    let answers = match sealed {
        Ok(answers) => answers,
        Err(unsealed) => {
            let message = format!("{}; and no run could be sealed that says so: {}", problem.message, unsealed.message);
            return Err(EngineError { kind: unsealed.kind, message, ..problem });
        }
    };
    for answer in &answers {
        let root = answer.answers.first().and_then(|answer| answer.directory.parent()).unwrap_or(Path::new(""));
        let depot = depot::of_run(context, &arguments.depot, root)?;
        depot::push_runs(context, depot.as_ref(), &directories(answer))?;
    }
    let sealed: Vec<_> = answers.iter().flat_map(|answer| &answer.answers).map(report_source).collect();
    super::report::write(context, &arguments.reports.reports, &sealed)?;
    let documents = answers.iter().map(|answer| reports(answer, &Captures::new())).collect::<Result<Vec<_>, _>>()?;
    refused(arguments.format, problem, documents.concat())
}

/// Reports a specification that cannot be loaded; in machine formats that is an answer, too.
fn refused(format: Format, problem: EngineError, reports: Vec<Value>) -> Result<u8, EngineError> {
    if format != Format::Human && problem.kind == ErrorKind::Specification {
        let mut document = complaints::document(false, &problem.message, &problem.complaints);
        document["type"] = json!("specification-error");
        document["overallStatus"] = json!("SPECIFICATION_ERROR");
        document["decision"] = json!("BLOCKED");
        document["agentAction"] = json!("FIX_SPECIFICATION");
        document["exitCode"] = json!(problem.exit_code());
        document["reports"] = Value::Array(reports);
        let text =
            if format == Format::Jsonl { line(&document) } else { referee_model::document::to_bytes(&document)? };
        output::answer(&text)?;
    }
    Err(problem)
}

/// Reports on one specification. Returns its document, if it becomes part of a combined one.
fn told(
    context: &Context,
    format: Format,
    answer: &SuiteAnswer,
    captured: &Captures,
    events: Vec<Value>,
    out: Output,
) -> Result<Option<Value>, EngineError> {
    match format {
        Format::Human => answer_people(context, answer, out).map(|()| None),
        Format::Jsonl => {
            reports(answer, captured)?.iter().try_for_each(|document| output::answer(&line(document)))?;
            Ok(None)
        }
        Format::Json => Ok(Some(one_document(reports(answer, captured)?, events))),
    }
}

/// Captures failed tasks as incidents, if requested. The result is reported, and never changes the outcome of
/// the run.
fn incidents(context: &Context, root: &args::incident::Root, answer: &SuiteAnswer) -> Result<Captures, EngineError> {
    let mut captured = Captures::new();
    for task in answer.answers.iter().filter(|task| task.report.verdict.decision != Decision::Pass) {
        let told = super::incident::of_run(context, root, task);
        output::aside(format!("note: {}: {}\n", task.report.plan.task, told.sentence).as_bytes())?;
        captured.insert(task.report.plan.task.clone(), told.document);
    }
    Ok(captured)
}

/// Returns where incidents of a specification are stored: as given, or in the workspace of a specification that
/// was given. For the nearest specification, where `referee incident` looks.
fn incident_root(context: &Context, arguments: &Run, suite: &Suite) -> args::incident::Root {
    let workspace = suite.tasks.first().filter(|_| !arguments.specification.files.is_empty());
    let root = arguments.incidents.incident_root.clone();
    let root = root.map(|root| context.directory.join(root));
    args::incident::Root {
        root: root.or_else(|| workspace.map(|plan| referee_engine::incident::below(&plan.workspace))),
    }
}

/// Results of capturing failed tasks, for answers to programs.
type Captures = BTreeMap<TaskId, Value>;

/// Returns the reports of all tasks, and the suite report if there is one.
fn reports(answer: &SuiteAnswer, captured: &Captures) -> Result<Vec<Value>, EngineError> {
    let mut documents = answer.answers.iter().map(report_document).collect::<Result<Vec<Value>, EngineError>>()?;
    for (document, task) in documents.iter_mut().zip(&answer.answers) {
        if let Some(captured) = captured.get(&task.report.plan.task) {
            document["incident"] = captured.clone();
        }
    }
    documents.extend(answer.suite.as_ref().map(|suite| suite_document(answer, suite)).transpose()?);
    Ok(documents)
}

/// Returns one document: that of the only task, or that of the suite with all reports.
fn one_document(mut reports: Vec<Value>, events: Vec<Value>) -> Value {
    let mut document = reports.pop().unwrap_or_default();
    if !reports.is_empty() {
        document["reports"] = Value::Array(reports);
    }
    document["events"] = Value::Array(events);
    document
}

fn line(document: &Value) -> Vec<u8> {
    format!("{document}\n").into_bytes()
}

fn answer_people(context: &Context, answer: &SuiteAnswer, out: Output) -> Result<(), EngineError> {
    let style = &context.terminal.stdout;
    let mut text = Vec::new();
    for task in &answer.answers {
        let report_file = task.directory.join(evidence_name::EXECUTION_REPORT);
        let shown = context.shown(&report_file).display().to_string();
        let mut sources = Sources::new(&task.report.plan.workspace);
        for ran in task.report.actions.iter().filter_map(ActionReport::ran) {
            sources.load(&ran.reading, SOURCES);
        }
        summary::write(&task.report, &sources, &shown, style, &mut text)?;
        let debt_file = task.directory.join(evidence_name::TECHNICAL_DEBT);
        human::debt::of_run(&task.report.debt, &context.shown(&debt_file).display().to_string(), style, &mut text)?;
    }
    if let Some(suite) = &answer.suite {
        let shown = context.shown(&suite.file).display().to_string();
        human::suite::write(&suite.report, &shown, style, &mut text)?;
    }
    out(&text)?;
    Ok(())
}

fn report_document(answer: &Answer) -> Result<Value, EngineError> {
    Ok(json!({
        "streamVersion": "1.0.0",
        "type": "report",
        "directory": answer.directory,
        "exitCode": exit_code::of(answer.report.verdict.exit),
        "supersededBy": answer.superseded_by,
        "report": sealed(&answer.document)?,
    }))
}

fn suite_document(answer: &SuiteAnswer, suite: &SealedSuite) -> Result<Value, EngineError> {
    Ok(json!({
        "streamVersion": "1.0.0",
        "type": "suite",
        "file": suite.file,
        "exitCode": exit_code::of(answer.exit),
        "suite": sealed(&suite.document)?,
    }))
}

fn sealed(document: &[u8]) -> Result<Value, EngineError> {
    serde_json::from_slice(document)
        .map_err(|error| EngineError::internal(format!("the sealed report is not JSON: {error}")))
}
