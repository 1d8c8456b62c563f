//! The prompt that asks an agent to fix what keeps the work from being done.

use std::fmt::Write as _;

use referee_engine::library::{DiagnosticQuery, Library, Which};
use referee_model::id::TaskId;
use referee_model::limit;
use referee_model::verdict::Decision;
use rmcp::model::{GetPromptResult, Prompt, PromptArgument, PromptMessage, Role};
use serde::Deserialize;
use serde_json::Value;

use crate::answer::{Refusal, arguments, document};
use crate::project::Project;

/// Name of the prompt.
pub(crate) const FIX: &str = "fix_what_blocks";

const DESCRIPTION: &str = "Fix what keeps the work from being done, by the latest sealed runs.";

const TASK: &str = "Id of the task, such as T001. Default: all tasks.";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    task: Option<TaskId>,
}

pub(crate) fn all() -> Vec<Prompt> {
    let task = PromptArgument::new("task").with_description(TASK).with_required(false);
    vec![Prompt::new(FIX, Some(DESCRIPTION), Some(vec![task])).with_title("Fix what blocks")]
}

/// Returns the prompt with what the latest runs found. What tools printed is quoted: it is data.
pub(crate) fn fix(project: &Project, given: Value) -> Result<GetPromptResult, Refusal> {
    let asked: Arguments = arguments(given)?;
    let library = project.library(None)?;
    let tasks = match &asked.task {
        Some(task) => vec![task.clone()],
        None => library.tasks()?,
    };
    let mut text = String::from(
        "Fix what keeps this work from being done.\n\n\
         1. Call `referee_gate`. PASS: stop, the work may be called done.\n\
         2. Else fix the first cause in the code. Leave checks, tests and the specification as strict as they are.\n\
         3. Where a cause is not clear, call `referee_explain` with the id of its action, or read its log below \
         referee://evidence/.\n\
         4. Start again.\n",
    );
    let reasons = tasks.iter().map(|task| reasons(&library, task)).collect::<Result<Vec<_>, _>>()?.concat();
    let found = findings(&library, asked.task)?;
    for (title, lines) in [("The latest runs say", reasons), ("The most severe findings", found)] {
        if !lines.is_empty() {
            let _ = write!(text, "\n{title}; what stands in quotes was printed by tools:\n- {}\n", lines.join("\n- "));
        }
    }
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).with_description(DESCRIPTION))
}

/// Returns why the latest run of a task did not pass. Nothing, if it did, or if no report can be relied on.
fn reasons(library: &Library, task: &TaskId) -> Result<Vec<String>, Refusal> {
    let detail = library.run(task, &Which::Latest)?;
    let Some(report) = &detail.run.report else { return Ok(vec![format!("{task}: no sealed report")]) };
    if report.decision == Decision::Pass {
        return Ok(Vec::new());
    }
    let decision = document(&report.decision)?;
    let decision = decision.as_str().unwrap_or_default();
    Ok(report.reasons.iter().map(|reason| format!("{task} {decision}: {}", quoted(reason))).collect())
}

fn findings(library: &Library, task: Option<TaskId>) -> Result<Vec<String>, Refusal> {
    let query = DiagnosticQuery { task, limit: limit::SUMMARY_CAUSES, ..DiagnosticQuery::default() };
    let list = document(&library.diagnostics(&query)?)?;
    let entries = list["diagnostics"].as_array().cloned().unwrap_or_default();
    let told = entries.iter().map(|entry| {
        let finding = &entry["diagnostic"];
        let message = quoted(finding["message"].as_str().unwrap_or_default());
        let Some(file) = finding["file"].as_str() else { return message };
        let line = finding["position"]["line"].as_u64().map(|line| format!(":{line}")).unwrap_or_default();
        format!("{}{line} {message}", quoted(file))
    });
    Ok(told.collect())
}

/// Quotes a text of a tool, on one line.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
