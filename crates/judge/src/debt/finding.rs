//! Findings of a validation tool: one case a distinct fingerprint (rulings 10, 11, 19).

use std::collections::BTreeMap;

use referee_model::debt::{DebtCase, Place};
use referee_model::fingerprint::Fingerprint;
use referee_model::limit::DEBT_PLACES_KEPT;
use referee_model::outcome::{Outcome, PolicyApplied, Rule};
use referee_model::reading::{Counts, Diagnostic, Level, RuleCounts};
use referee_model::severity::Severity;
use referee_syntax::count::count;
use referee_syntax::cut::first_line;

use super::cases::{Subject, Told};
use super::guidance::{self, quoted, what};
use crate::fingerprint;
use crate::own_files;
use crate::policy;
use crate::wording::full_stop;
use crate::wording::tool as tool_name;

/// A finding with all of its occurrences, in the order of the output.
struct Group<'a> {
    severity: Severity,
    found: Vec<&'a Diagnostic>,
}

/// Returns a case for each distinct finding that counts under the action's policy, and how many findings were counted and
/// not kept. None: the action is not judged by its findings.
pub(super) fn cases(subject: &Subject<'_>) -> Option<(Vec<DebtCase>, u64)> {
    let judgement = &subject.ran.judgement;
    let policy = judgement.policy.as_ref()?;
    let is_by_findings = matches!(
        judgement.rule,
        Rule::Findings | Rule::FindingsExitZero | Rule::FindingsNotForgiven | Rule::UnexpectedOutcome
    );
    if judgement.outcome != Outcome::ValidationFailure || !is_by_findings {
        return None;
    }
    let mut groups: BTreeMap<Fingerprint, Group<'_>> = BTreeMap::new();
    for found in subject.ran.reading.diagnostics.iter().filter(|found| !own_files::is_own(subject.plan, found)) {
        let Some(severity) = severity(subject, policy, found) else { continue };
        let fingerprint = fingerprint::of_finding(subject.action, found);
        let group = groups.entry(fingerprint).or_insert_with(|| Group { severity, found: Vec::new() });
        group.severity = group.severity.max(severity);
        group.found.push(found);
    }
    let listed: u64 = groups.values().map(|group| group.found.len() as u64).sum();
    let counted = policy.effective_errors.saturating_add(policy.effective_warnings);
    let cases = groups.into_iter().filter_map(|(fingerprint, group)| case(subject, fingerprint, &group)).collect();
    Some((cases, counted.saturating_sub(listed)))
}

/// How grave a finding is by itself (ruling 11): what the table of policies says of as many like it. None: it does not
/// count. Where success is expected by word, or the exit code decided, it is as grave as that failure.
fn severity(subject: &Subject<'_>, policy: &PolicyApplied, found: &Diagnostic) -> Option<Severity> {
    let weighed = match found.level {
        Level::Info => weigh(subject, policy, found, RuleCounts { infos: 1, ..RuleCounts::default() }),
        Level::Error => weigh(subject, policy, found, RuleCounts { errors: 1, ..RuleCounts::default() }),
        // Whether the limit of warnings is exceeded is a matter of all of them.
        Level::Warning => {
            let warnings = policy.effective_warnings.max(1);
            weigh(subject, policy, found, RuleCounts { warnings, ..RuleCounts::default() })
        }
    };
    // What decided is not the level of the finding.
    let by_outcome = matches!(subject.ran.judgement.rule, Rule::UnexpectedOutcome | Rule::FindingsNotForgiven);
    let as_grave = if by_outcome { subject.item.severity } else { weighed };
    (weighed != Severity::None).then_some(as_grave)
}

fn weigh(subject: &Subject<'_>, policy: &PolicyApplied, found: &Diagnostic, like_it: RuleCounts) -> Severity {
    let rule = found.code.clone().unwrap_or_default();
    let counts = Counts {
        errors: like_it.errors,
        warnings: like_it.warnings,
        infos: like_it.infos,
        by_rule: BTreeMap::from([(rule, like_it)]),
        ..Counts::default()
    };
    policy::weigh(&subject.plan.policies, policy.tool.as_deref(), policy.category, &counts).severity
}

fn case(subject: &Subject<'_>, fingerprint: Fingerprint, group: &Group<'_>) -> Option<DebtCase> {
    let first = *group.found.first()?;
    let occurrences = group.found.len() as u64;
    let name = tool_name(&first.tool);
    let code = first.code.as_deref();
    let in_file = first.file.as_deref().map(|file| format!(" in {file}")).unwrap_or_default();
    let said = first_line(&first.message, 120);
    let title = format!("{name}{}{in_file}: {said}", code.map(|code| format!(" {code}")).unwrap_or_default());
    let files = guidance::distinct(group.found.iter().flat_map(|found| {
        found.file.iter().chain(found.related.iter().filter_map(|related| related.file.as_ref())).cloned()
    }));
    Some(subject.case(Told {
        fingerprint,
        title,
        description: description(first, name, occurrences),
        severity: group.severity,
        places: group.found.iter().filter_map(|found| place(found)).take(DEBT_PLACES_KEPT).collect(),
        occurrences,
        log_ranges: ranges(&group.found),
        error_type: code.unwrap_or(&first.tool).to_owned(),
        message: first.message.clone(),
        expected: None,
        received: None,
        files,
        steps: steps(subject, &group.found),
        acceptance: acceptance(subject, &group.found),
    }))
}

fn description(first: &Diagnostic, name: &str, occurrences: u64) -> String {
    let level = match first.level {
        Level::Error => "an error",
        Level::Warning => "a warning",
        Level::Info => "a remark",
    };
    let code = first.code.as_deref().map(|code| format!(" {code}")).unwrap_or_default();
    let places = if occurrences == 1 { String::new() } else { format!(" It is there {occurrences} times.") };
    format!("{name} reports{code} as {level}: {}{places}", full_stop(&first.message))
}

fn place(found: &Diagnostic) -> Option<Place> {
    Some(Place { file: found.file.clone()?, line: found.line, column: found.column })
}

fn ranges(found: &[&Diagnostic]) -> Vec<(u64, u64)> {
    let ranges = found.iter().map(|found| (found.origin.start, found.origin.end)).filter(|(start, end)| start < end);
    ranges.take(DEBT_PLACES_KEPT).collect()
}

/// A step a place, what the tool proposes there, and whether it can mend it by itself.
fn steps(subject: &Subject<'_>, found: &[&Diagnostic]) -> Vec<String> {
    let mut steps: Vec<String> = guidance::bounded(found.iter().map(|found| step(found)).collect(), "place");
    let fixable = found.iter().filter(|found| found.fixable).count() as u64;
    if fixable > 0 {
        let tool = tool_name(found.first().map_or("the tool", |found| found.tool.as_str()));
        steps.push(format!("{tool} says that it can mend {} by itself", count(fixable, "occurrence")));
    }
    if steps.is_empty() {
        steps.push(subject.item.suggested_fix.to_owned());
    }
    steps
}

fn step(found: &Diagnostic) -> String {
    let code = found.code.as_deref().map(|code| format!("{code} ")).unwrap_or_default();
    let said = first_line(&found.message, guidance::QUOTED_CHARACTERS);
    let proposal = found.suggestion.as_deref().map(str::trim).filter(|proposal| !proposal.is_empty());
    let proposal = proposal.map(|text| format!(" (the tool proposes: {})", quoted(text))).unwrap_or_default();
    match (&found.file, found.line) {
        (Some(file), Some(line)) => format!("Line {line} of {file}: {code}{said}{proposal}"),
        (Some(file), None) => format!("{file}: {code}{said}{proposal}"),
        (None, _) => format!("{code}{said}{proposal}"),
    }
}

fn acceptance(subject: &Subject<'_>, found: &[&Diagnostic]) -> Vec<String> {
    let what = what(subject.action);
    let wrong = match found.first().and_then(|first| first.code.as_deref()) {
        Some(code) => first_line(code, guidance::QUOTED_CHARACTERS),
        None => quoted(found.first().map_or("", |first| first.message.as_str())),
    };
    let files = guidance::distinct(found.iter().filter_map(|found| found.file.clone()));
    if files.is_empty() {
        return vec![format!("{what} reports no {wrong}")];
    }
    files.into_iter().map(|file| format!("{what} reports no {wrong} in {file}")).collect()
}
