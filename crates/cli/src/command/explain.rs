//! `referee explain`: explains the outcome of the last sealed run from its evidence, and the words of reports.

use std::path::PathBuf;

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::recorded::{self, Recorded};
use referee_judge::explain;
use referee_model::exit_code;
use referee_model::outcome::Rule;
use referee_model::plan::{Action, Plan};
use referee_model::report::Report;
use referee_report::explanation::{self, Term};
use referee_report::human::explanation as human;
use referee_report::style;
use referee_syntax::distance::{misspelt, nearest};

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
        Some(subject) => match Rule::of(subject) {
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
        Err(_) if terms.is_empty() && (is_like_a_rule(subject) || is_misspelt(subject)) => {
            return Err(unknown(subject, None));
        }
        Err(problem) => return Err(problem),
    };
    let meant: Vec<&Action> = recorded.report.plan.actions.iter().filter(|action| is_named(action, subject)).collect();
    match (meant.is_empty(), terms.is_empty()) {
        (false, _) => of_actions(context, &recorded, &meant, arguments.format),
        (true, false) => of_terms(context, &terms, arguments.format),
        (true, true) => Err(unknown(subject, Some(&recorded.report))),
    }
}

fn of_terms(context: &Context, terms: &[Term], format: PlainFormat) -> Result<Vec<u8>, EngineError> {
    match format {
        PlainFormat::Json => Ok(referee_model::document::to_bytes(&explanation::of_terms(terms))?),
        PlainFormat::Human => {
            let mut text = Vec::new();
            human::write_terms(terms, &context.terminal.stdout, &mut text)?;
            Ok(text)
        }
    }
}

fn of_rule(context: &Context, rule: Rule, format: PlainFormat) -> Result<Vec<u8>, EngineError> {
    match format {
        PlainFormat::Json => Ok(referee_model::document::to_bytes(&explanation::of_rule(rule))?),
        PlainFormat::Human => {
            let mut text = Vec::new();
            human::write_rule(rule, &context.terminal.stdout, &mut text)?;
            Ok(text)
        }
    }
}

fn of_task(context: &Context, recorded: &Recorded, format: PlainFormat) -> Result<Vec<u8>, EngineError> {
    let Recorded { report, notes } = recorded;
    let explained = explain::task(report);
    match format {
        PlainFormat::Json => Ok(referee_model::document::to_bytes(&explanation::of_task(report, &explained, notes))?),
        PlainFormat::Human => {
            let mut text = Vec::new();
            human::write_task(report, &explained, notes, &context.terminal.stdout, &mut text)?;
            Ok(text)
        }
    }
}

fn of_actions(
    context: &Context,
    recorded: &Recorded,
    meant: &[&Action],
    format: PlainFormat,
) -> Result<Vec<u8>, EngineError> {
    let Recorded { report, notes } = recorded;
    let all = meant.iter().filter_map(|action| explain::action(report, &action.id));
    let explained: Vec<_> = all.collect();
    match (format, explained.as_slice()) {
        (PlainFormat::Json, [only]) => {
            Ok(referee_model::document::to_bytes(&explanation::of_action(report, only, notes))?)
        }
        (PlainFormat::Json, _) => {
            let ids: Vec<_> = meant.iter().map(|action| action.id.as_str()).collect();
            Err(EngineError::usage(format!("several actions have this name: say which by its id ({})", ids.join(", "))))
        }
        (PlainFormat::Human, _) => {
            let mut text = Vec::new();
            for explained in &explained {
                human::write_action(report, explained, notes, &context.terminal.stdout, &mut text)?;
            }
            Ok(text)
        }
    }
}

fn is_named(action: &Action, name: &str) -> bool {
    action.id.as_str().eq_ignore_ascii_case(name) || action.name == name
}

fn is_like_a_rule(subject: &str) -> bool {
    subject.contains('/') && !subject.contains(char::is_whitespace)
}

/// Returns whether a subject is almost certainly a word with a slip in it.
fn is_misspelt(subject: &str) -> bool {
    misspelt(subject, term::all().iter().map(|term| term.id.as_str())).is_some()
}

/// Returns the error about an unknown name, with the nearest ones.
fn unknown(subject: &str, report: Option<&Report>) -> EngineError {
    let shown = style::plain(subject);
    let actions = report.map_or(&[][..], |report| &report.plan.actions);
    let names = actions.iter().flat_map(|action| [action.id.as_str(), action.name.as_str()]);
    let terms = term::all();
    let mut near: Vec<&str> = [
        nearest(subject, names),
        nearest(subject, Rule::ALL.iter().map(|rule| rule.id())),
        nearest(subject, terms.iter().map(|term| term.id.as_str())),
    ]
    .into_iter()
    .flatten()
    .collect();
    near.dedup();
    let near: Vec<String> = near.into_iter().map(|near| format!("`{}`", style::plain(near))).collect();
    let known: Vec<_> = actions.iter().map(|action| action.id.as_str()).take(SHOWN).collect();
    let advice = match (near.is_empty(), known.is_empty()) {
        (false, _) => format!("did you mean {}?", near.join(" or ")),
        (true, true) => "reports name rules, outcomes and codes, and `referee help` names topics".to_owned(),
        (true, false) => format!("the actions are {}", known.join(", ")),
    };
    let what = if report.is_some() { "no action, no rule and no other word" } else { "no rule and no other word" };
    EngineError::usage(format!("`{shown}` is {what} that can be explained: {advice}"))
}

/// Maximum number of actions listed in a message.
const SHOWN: usize = 20;

/// Reads the selected run, after verifying its seal.
fn recorded(context: &Context, arguments: &Explain) -> Result<Recorded, EngineError> {
    let directory = directory(context, arguments)?;
    let shown = context.shown(&directory).display().to_string();
    if !directory.is_dir() {
        let shown = style::plain(&shown);
        return Err(EngineError::usage(format!("no sealed run in {shown}: run `referee run` first")));
    }
    let run = recorded::open(&directory, context.state_if_any()?.as_ref());
    run.map_err(|unreliable| unreliable.problem(&format!("{shown} is not explained")))
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
