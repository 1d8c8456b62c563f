//! Findings of a validation tool: one case per distinct fingerprint (rulings 10, 11, 19).

use referee_model::outcome::{Outcome, Rule};
use referee_model::reading::{Diagnostic, Level};
use referee_model::severity::Severity;
use referee_syntax::count::count;
use referee_syntax::cut::first_line;

use super::cases::{Subject, Words};
use super::guidance::{self, quoted, what};
use crate::finding::{Occurrence, Origin};
use crate::wording::full_stop;
use crate::wording::tool as tool_name;

/// Returns the findings that count under the action's policy, and the number of further ones that were counted
/// but not kept. None: the action is not judged by its findings.
pub(super) fn failures<'a>(
    subject: &Subject<'_>,
    shown: &'a [Occurrence<'a>],
) -> Option<(Vec<&'a Occurrence<'a>>, u64)> {
    let judgement = &subject.ran.judgement;
    let policy = judgement.policy.as_ref()?;
    let is_by_findings = matches!(
        judgement.rule,
        Rule::Findings | Rule::FindingsExitZero | Rule::FindingsNotForgiven | Rule::UnexpectedOutcome
    );
    if judgement.outcome != Outcome::ValidationFailure || !is_by_findings {
        return None;
    }
    let counts = |found: &&Occurrence<'_>| !found.hidden && found.severity != Severity::None;
    let found: Vec<_> = shown.iter().filter(|found| matches!(found.origin, Origin::Tool(_))).filter(counts).collect();
    let counted = policy.effective_errors.saturating_add(policy.effective_warnings);
    let unlisted = counted.saturating_sub(found.len() as u64);
    Some((found, unlisted))
}

/// Returns the words for a finding, with all its occurrences.
pub(super) fn words(subject: &Subject<'_>, first: &Diagnostic, all: &[&Occurrence<'_>]) -> Words {
    let found: Vec<&Diagnostic> = all.iter().filter_map(|found| found.diagnostic()).collect();
    let name = tool_name(&first.tool);
    let code = first.code.as_deref().map(|code| format!(" {code}")).unwrap_or_default();
    let in_file = first.file.as_deref().map(|file| format!(" in {file}")).unwrap_or_default();
    let level = match first.level {
        Level::Error => "an error",
        Level::Warning => "a warning",
        Level::Info => "a remark",
    };
    let often = guidance::often(found.len());
    Words {
        title: format!("{name}{code}{in_file}: {}", first_line(&first.message, 120)),
        description: format!("{name} reports{code} as {level}: {}{often}", full_stop(&first.message)),
        error_type: first.code.as_ref().unwrap_or(&first.tool).clone(),
        message: first.message.clone(),
        files: guidance::distinct(found.iter().flat_map(|found| {
            found.file.iter().chain(found.related.iter().filter_map(|related| related.file.as_ref())).cloned()
        })),
        steps: steps(subject, &found),
        acceptance: acceptance(subject, first, &found),
        ..Words::default()
    }
}

/// Returns a step per location, with the tool's proposal there, and whether the tool can fix it by itself.
fn steps(subject: &Subject<'_>, found: &[&Diagnostic]) -> Vec<String> {
    let mut steps: Vec<String> = guidance::bounded(found.iter().map(|found| step(found)).collect(), "place");
    let fixable = found.iter().filter(|found| found.fixable).count() as u64;
    if fixable > 0 {
        let tool = tool_name(found.first().map_or("the tool", |found| found.tool.as_str()));
        steps.push(format!("{tool} says that it can fix {} by itself", count(fixable, "occurrence")));
    }
    if steps.is_empty() {
        steps.push(subject.item.suggested_fix.clone());
    }
    steps
}

fn step(found: &Diagnostic) -> String {
    let proposal = found.suggestion.as_deref().map(str::trim).filter(|proposal| !proposal.is_empty());
    let proposal = proposal.map(|text| format!(" (the tool proposes: {})", quoted(text))).unwrap_or_default();
    format!("{}{proposal}", guidance::step(found))
}

fn acceptance(subject: &Subject<'_>, first: &Diagnostic, found: &[&Diagnostic]) -> Vec<String> {
    let what = what(subject.action);
    let wrong = match &first.code {
        Some(code) => first_line(code, guidance::QUOTED_CHARACTERS),
        None => quoted(&first.message),
    };
    let files = guidance::distinct(found.iter().filter_map(|found| found.file.clone()));
    if files.is_empty() {
        return vec![format!("{what} reports no {wrong}")];
    }
    files.into_iter().map(|file| format!("{what} reports no {wrong} in {file}")).collect()
}
