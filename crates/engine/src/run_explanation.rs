//! Explains the outcome of a sealed run: of its task, of an action, or of a rule.

use referee_judge::explain;
use referee_model::document::to_bytes;
use referee_model::outcome::Rule;
use referee_model::plan::Action;
use referee_model::report::Report;
use referee_report::{explanation, style};
use referee_syntax::distance::nearest;

use crate::error::EngineError;
use crate::recorded::Recorded;

/// Maximum number of actions that a message lists.
const LISTED: usize = 20;

/// Returns the explanation of a rule as a document.
///
/// # Errors
/// Fails only in Referee itself.
pub fn of_rule(rule: Rule) -> Result<Vec<u8>, EngineError> {
    Ok(to_bytes(&explanation::of_rule(rule))?)
}

/// Returns the explanation of a run as a document: of the action with this id or name, or of the task.
///
/// # Errors
/// Fails if no action has this id or name, or if several have.
pub fn of_run(recorded: &Recorded, subject: Option<&str>) -> Result<Vec<u8>, EngineError> {
    let Recorded { report, notes } = recorded;
    let Some(subject) = subject else {
        return Ok(to_bytes(&explanation::of_task(report, &explain::task(report), notes))?);
    };
    let meant = actions(report, subject);
    if meant.is_empty() {
        return Err(unknown(subject, Some(report), &[]));
    }
    let explained: Vec<_> = meant.iter().filter_map(|action| explain::action(report, &action.id)).collect();
    if let [only] = explained.as_slice() {
        return Ok(to_bytes(&explanation::of_action(report, only, notes))?);
    }
    let ids: Vec<_> = meant.iter().map(|action| action.id.as_str()).collect();
    Err(EngineError::usage(format!("several actions have this name: say which by its id ({})", ids.join(", "))))
}

/// Returns the actions of a run with this id or name.
pub fn actions<'report>(report: &'report Report, subject: &str) -> Vec<&'report Action> {
    let is_meant = |action: &&Action| action.id.as_str().eq_ignore_ascii_case(subject) || action.name == subject;
    report.plan.actions.iter().filter(is_meant).collect()
}

/// Returns whether a subject has the form of a rule's name, which no action has.
pub fn is_like_a_rule(subject: &str) -> bool {
    subject.contains('/') && !subject.contains(char::is_whitespace)
}

/// Returns the error about an unknown subject, with the nearest names; `words` are further ones that can be explained.
pub fn unknown(subject: &str, report: Option<&Report>, words: &[&str]) -> EngineError {
    let shown = style::plain(subject);
    let actions = report.map_or(&[][..], |report| &report.plan.actions);
    let names = actions.iter().flat_map(|action| [action.id.as_str(), action.name.as_str()]);
    // Only rules have a slash in their names.
    let words = words.iter().copied().filter(|_| !is_like_a_rule(subject));
    let near =
        [nearest(subject, names), nearest(subject, Rule::ALL.into_iter().map(Rule::as_str)), nearest(subject, words)];
    let mut near: Vec<String> = near.into_iter().flatten().map(|near| format!("`{}`", style::plain(near))).collect();
    near.dedup();
    let known: Vec<_> = actions.iter().map(|action| action.id.as_str()).take(LISTED).collect();
    let advice = match (near.is_empty(), known.is_empty()) {
        (false, _) => format!("did you mean {}?", near.join(" or ")),
        (true, true) => "reports name rules, outcomes and codes, and `referee help` names topics".to_owned(),
        (true, false) => format!("the actions are {}", known.join(", ")),
    };
    let what = if report.is_some() { "no action, no rule and no other word" } else { "no rule and no other word" };
    EngineError::usage(format!("`{shown}` is {what} that can be explained: {advice}"))
}
