//! `referee explain`: explains the outcome of the last sealed run from its evidence, and the words of reports.

use std::path::PathBuf;

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::recorded::Recorded;
use referee_engine::run_explanation as explanation;
use referee_judge::explain;
use referee_model::exit_code;
use referee_model::outcome::Rule;
use referee_model::plan::Plan;
use referee_model::report::Report;
use referee_report::explanation::Term;
use referee_report::human::explanation as human;
use referee_syntax::distance::misspelt;

use super::sealed_runs;
use crate::args::{Explain, PlainFormat, Specification};
use crate::output;
use crate::resolve;

pub(super) mod term;

/// Explains an action, the task, a rule or a word. Exits with 0 whatever the outcome of the run.
///
/// | the subject                        | is explained as                               |
/// |------------------------------------|-----------------------------------------------|
/// | none                               | the task                                      |
/// | the id of a rule                   | the rule                                      |
/// | id or name of an action of the run | the action, whatever else has that name       |
/// | a word with a meaning of its own   | the word, whether there is a run or not       |
pub(super) fn execute(context: &Context, arguments: &Explain) -> Result<u8, EngineError> {
    let text = match arguments.subject.as_deref() {
        None => of_task(context, &recorded(context, arguments)?, arguments.format)?,
        Some(subject) => match Rule::parse(subject) {
            Some(rule) => of_rule(context, rule, arguments.format)?,
            None => of_subject(context, arguments, subject)?,
        },
    };
    output::answer(&text)?;
    Ok(exit_code::PASSED)
}

fn of_subject(context: &Context, arguments: &Explain, subject: &str) -> Result<Vec<u8>, EngineError> {
    let names_run = arguments.evidence.is_some() || arguments.task.is_some();
    let terms = term::of(subject);
    let recorded = match recorded(context, arguments) {
        Ok(recorded) => recorded,
        Err(_) if !terms.is_empty() && !names_run => return of_terms(context, &terms, arguments.format),
        // What cannot be the name of an action, or is all but a word, is reported without evidence.
        Err(_) if terms.is_empty() && (explanation::is_like_a_rule(subject) || is_misspelt(subject)) => {
            return Err(unknown(subject, None));
        }
        Err(problem) => return Err(problem),
    };
    let meant = explanation::actions(&recorded.report, subject);
    match (meant.is_empty(), terms.is_empty()) {
        (false, _) => of_actions(context, &recorded, subject, arguments.format),
        (true, false) => of_terms(context, &terms, arguments.format),
        (true, true) => Err(unknown(subject, Some(&recorded.report))),
    }
}

fn of_terms(context: &Context, terms: &[Term], format: PlainFormat) -> Result<Vec<u8>, EngineError> {
    match format {
        PlainFormat::Json => Ok(referee_model::document::to_bytes(&referee_report::explanation::of_terms(terms))?),
        PlainFormat::Human => {
            let mut text = Vec::new();
            human::write_terms(terms, &context.terminal.stdout, &mut text)?;
            Ok(text)
        }
    }
}

fn of_rule(context: &Context, rule: Rule, format: PlainFormat) -> Result<Vec<u8>, EngineError> {
    match format {
        PlainFormat::Json => explanation::of_rule(rule),
        PlainFormat::Human => {
            let mut text = Vec::new();
            human::write_rule(rule, &context.terminal.stdout, &mut text)?;
            Ok(text)
        }
    }
}

fn of_task(context: &Context, recorded: &Recorded, format: PlainFormat) -> Result<Vec<u8>, EngineError> {
    if format == PlainFormat::Json {
        return explanation::of_run(recorded, None);
    }
    let Recorded { report, notes } = recorded;
    let mut text = Vec::new();
    human::write_task(report, &explain::task(report), notes, &context.terminal.stdout, &mut text)?;
    Ok(text)
}

fn of_actions(
    context: &Context,
    recorded: &Recorded,
    subject: &str,
    format: PlainFormat,
) -> Result<Vec<u8>, EngineError> {
    if format == PlainFormat::Json {
        return explanation::of_run(recorded, Some(subject));
    }
    let Recorded { report, notes } = recorded;
    let mut text = Vec::new();
    for action in explanation::actions(report, subject) {
        if let Some(explained) = explain::action(report, &action.id) {
            human::write_action(report, &explained, notes, &context.terminal.stdout, &mut text)?;
        }
    }
    Ok(text)
}

/// Returns whether a subject is almost certainly a word with a slip in it.
fn is_misspelt(subject: &str) -> bool {
    misspelt(subject, term::all().iter().map(|term| term.id.as_str())).is_some()
}

fn unknown(subject: &str, report: Option<&Report>) -> EngineError {
    let terms = term::all();
    let words: Vec<&str> = terms.iter().map(|term| term.id.as_str()).collect();
    explanation::unknown(subject, report, &words)
}

/// Reads the selected run, after verifying its seal.
fn recorded(context: &Context, arguments: &Explain) -> Result<Recorded, EngineError> {
    sealed_runs::open(context, &directory(context, arguments)?, "explained")
}

fn directory(context: &Context, arguments: &Explain) -> Result<PathBuf, EngineError> {
    if let Some(directory) = &arguments.evidence {
        return Ok(context.directory.join(directory));
    }
    let files = arguments.specification.iter().cloned().collect();
    let specification = Specification { files, workspace: arguments.workspace.clone() };
    let mut plans: Vec<Plan> = Vec::new();
    for loaded in resolve::load(context, &specification)? {
        plans.extend(loaded?.suite.tasks);
    }
    let known: Vec<String> = plans.iter().map(|plan| plan.task.to_string()).collect();
    let meant = match &arguments.task {
        Some(task) => plans.iter().find(|plan| plan.task == *task),
        None => plans.first().filter(|_| plans.len() == 1),
    };
    let plan = meant.ok_or_else(|| {
        let why =
            arguments.task.as_ref().map_or("there are several tasks".to_owned(), |task| format!("no task is {task}"));
        EngineError::usage(format!("{why}: name one of {} by --task", known.join(", ")))
    })?;
    Ok(plan.evidence_root.join(plan.task.as_str()))
}
