//! `referee explain`: explains the outcome of the last sealed run from its evidence.

use std::path::PathBuf;

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::recorded::{self, Recorded};
use referee_judge::explain;
use referee_model::exit_code;
use referee_model::outcome::Rule;
use referee_model::plan::{Action, Plan};
use referee_model::report::Report;
use referee_report::explanation;
use referee_report::human::explanation as human;
use referee_report::style;
use referee_syntax::distance::nearest;

use crate::args::{Explain, PlainFormat, Specification};
use crate::output;
use crate::resolve;

/// Explains an action, the task, or a rule. Exits with 0 whatever the outcome of the run.
pub(super) fn execute(context: &Context, arguments: &Explain) -> Result<u8, EngineError> {
    let subject = arguments.subject.as_deref();
    let text = if let Some(rule) = subject.and_then(Rule::of) {
        of_rule(context, rule, arguments.format)?
    } else {
        let recorded = recorded(context, arguments).map_err(|problem| match subject {
            // Rule names cannot be action names, so a misspelled one is reported without evidence.
            Some(subject) if is_like_a_rule(subject) => unknown(subject, None),
            _ => problem,
        })?;
        of_run(context, &recorded, subject, arguments.format)?
    };
    output::answer(&text)?;
    Ok(exit_code::PASSED)
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

fn of_run(
    context: &Context,
    recorded: &Recorded,
    subject: Option<&str>,
    format: PlainFormat,
) -> Result<Vec<u8>, EngineError> {
    let Recorded { report, notes } = recorded;
    let mut text = Vec::new();
    let style = &context.terminal.stdout;
    let Some(subject) = subject else {
        let explained = explain::task(report);
        return match format {
            PlainFormat::Json => {
                Ok(referee_model::document::to_bytes(&explanation::of_task(report, &explained, notes))?)
            }
            PlainFormat::Human => {
                human::write_task(report, &explained, notes, style, &mut text)?;
                Ok(text)
            }
        };
    };
    let meant: Vec<&Action> = report.plan.actions.iter().filter(|action| is_named(action, subject)).collect();
    if meant.is_empty() {
        return Err(unknown(subject, Some(report)));
    }
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
            for explained in &explained {
                human::write_action(report, explained, notes, style, &mut text)?;
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

/// Returns the error about an unknown name, with a suggestion.
fn unknown(subject: &str, report: Option<&Report>) -> EngineError {
    let shown = style::plain(subject);
    let actions = report.map_or(&[][..], |report| &report.plan.actions);
    let names = actions.iter().flat_map(|action| [action.id.as_str(), action.name.as_str()]);
    let rules = Rule::ALL.iter().map(|rule| rule.id());
    let near = if is_like_a_rule(subject) {
        nearest(subject, rules.chain(names))
    } else {
        nearest(subject, names.chain(rules))
    };
    let known: Vec<_> = actions.iter().map(|action| action.id.as_str()).take(SHOWN).collect();
    let advice = match near {
        Some(near) => format!("did you mean `{}`?", style::plain(near)),
        None if known.is_empty() => "`referee schema` names documents, and reports name rules".to_owned(),
        None => format!("the actions are {}", known.join(", ")),
    };
    let what = if report.is_some() { "no action and no rule" } else { "no rule" };
    EngineError::usage(format!("`{shown}` is {what}: {advice}"))
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
