//! `referee explain`: explains the outcome of the last sealed run from its evidence.

use std::path::PathBuf;

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::explanation;
use referee_engine::recorded::{self, Recorded};
use referee_judge::explain;
use referee_model::exit_code;
use referee_model::outcome::Rule;
use referee_model::plan::Plan;
use referee_report::human::explanation as human;
use referee_report::style;

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
            Some(subject) if explanation::is_like_a_rule(subject) => explanation::unknown(subject, None),
            _ => problem,
        })?;
        of_run(context, &recorded, subject, arguments.format)?
    };
    output::answer(&text)?;
    Ok(exit_code::PASSED)
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

fn of_run(
    context: &Context,
    recorded: &Recorded,
    subject: Option<&str>,
    format: PlainFormat,
) -> Result<Vec<u8>, EngineError> {
    if format == PlainFormat::Json {
        return explanation::of_run(recorded, subject);
    }
    let Recorded { report, notes } = recorded;
    let mut text = Vec::new();
    let style = &context.terminal.stdout;
    let Some(subject) = subject else {
        human::write_task(report, &explain::task(report), notes, style, &mut text)?;
        return Ok(text);
    };
    for action in explanation::actions(report, subject)? {
        if let Some(explained) = explain::action(report, &action.id) {
            human::write_action(report, &explained, notes, style, &mut text)?;
        }
    }
    Ok(text)
}

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
