//! Explains how a policy came to its decision, one sentence per step.

use referee_model::outcome::{FindingCounts, PolicyApplied, PolicyOption, PolicySource, PolicyStep};
use referee_syntax::count::count;

use super::counted::takes_away;
use super::reason::promoted_noun;

/// Returns the steps of the decision about findings: the strategy and its source, the findings read, the effect
/// of each option, and the rest.
pub fn trail(applied: &PolicyApplied) -> Vec<String> {
    let mut sentences = vec![strategy(applied), format!("read: {}", counts(applied.read))];
    sentences.extend(applied.steps.iter().map(step));
    let left = FindingCounts { errors: applied.effective_errors, warnings: applied.effective_warnings };
    sentences.extend(applied.max_warnings.map(|limit| {
        let than = if left.warnings > limit { "more than" } else { "not more than" };
        format!("maxWarnings: {} left, {than} the {limit} allowed", count(left.warnings, "warning"))
    }));
    let outcome = if applied.blocking { "they block" } else { "nothing blocks" };
    sentences.push(format!("what counts: {}; {outcome}, decided by {}", counts(left), decided_by(applied)));
    sentences
}

fn strategy(applied: &PolicyApplied) -> String {
    let spelled = applied.strategy.as_str();
    let tool = applied.tool.as_deref().unwrap_or("the tool");
    match applied.source {
        PolicySource::Tool => format!("strategy: {spelled}, the `blockOn` of {tool}"),
        PolicySource::Category => format!("strategy: {spelled}, that of {}", applied.category.tools()),
        PolicySource::Default => {
            format!("strategy: {spelled}, the default for {}: no policy names another", applied.category.tools())
        }
        PolicySource::Disabled => format!("strategy: {tool} is `enabled: false`: reported, never blocking"),
    }
}

fn step(step: &PolicyStep) -> String {
    let option = step.option.as_str();
    let left = counts(step.left);
    match (step.findings, takes_away(step.option)) {
        (0, true) => format!("{option}: takes nothing away"),
        (0, false) => format!("{option}: no {} that it could make an error", promoted_noun(step.option)),
        (findings, true) => format!("{option}: takes {} away; left: {left}", count(findings, "finding")),
        (findings, false) => {
            format!("{option}: {} made errors; left: {left}", count(findings, promoted_noun(step.option)))
        }
    }
}

fn counts(counts: FindingCounts) -> String {
    format!("{}, {}", count(counts.errors, "error"), count(counts.warnings, "warning"))
}

/// Returns the option that decided, as spelled in a specification.
fn decided_by(applied: &PolicyApplied) -> &'static str {
    match applied.decided_by {
        PolicyOption::Enabled => "enabled: false",
        PolicyOption::StrictMode => "strictMode: false",
        PolicyOption::Strategy => "the category's strategy",
        PolicyOption::Default => "the default",
        other => other.as_str(),
    }
}
