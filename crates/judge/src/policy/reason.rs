//! Describes the effect of a policy in one sentence.

use referee_model::outcome::{PolicyApplied, PolicyOption, PolicySource};
use referee_model::plan::{Category, Strategy};
use referee_syntax::count::count;

use super::counted::takes_away;

/// Explains why findings block or do not, with the numbers, and the effect of options on the findings.
pub(super) fn of(applied: &PolicyApplied) -> String {
    if applied.strategy == Strategy::Never {
        return "findings are ignored (NEVER)".to_owned();
    }
    let of_tool = applied.tool.as_deref().unwrap_or(match applied.category {
        Category::Linting => "lint",
        Category::TypeChecking => "type",
        Category::Compilation => "compiler",
        Category::Formatting => "format",
    });
    let taken = taken(applied);
    if applied.effective_errors == 0 && applied.effective_warnings == 0 {
        return match taken {
            None => format!("no {of_tool} findings"),
            Some(taken) => format!("no {of_tool} findings count: {taken}"),
        };
    }
    let parts = [Some(counted(applied, of_tool)), promoted(applied), taken];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// Describes the findings that count, and the rule that applies.
fn counted(applied: &PolicyApplied, of_tool: &str) -> String {
    let (errors, warnings) = (applied.effective_errors, applied.effective_warnings);
    let rule = if applied.source == PolicySource::Disabled { "enabled: false" } else { applied.strategy.as_str() };
    let of_both = matches!(applied.strategy, Strategy::ErrorsAndWarnings | Strategy::WarnOnly);
    if of_both && errors > 0 && warnings > 0 {
        return format!("{} and {} ({rule})", count(errors, &format!("{of_tool} error")), count(warnings, "warning"));
    }
    if errors > 0 {
        return format!("{} ({rule})", count(errors, &format!("{of_tool} error")));
    }
    match applied.max_warnings.filter(|limit| warnings > *limit) {
        Some(limit) if matches!(applied.strategy, Strategy::ErrorsAlways | Strategy::ErrorsOnly) => {
            let verb = if warnings == 1 { "exceeds" } else { "exceed" };
            format!("{} {verb} maxWarnings ({limit})", count(warnings, "warning"))
        }
        // Findings that do not block are not named after the strategy that would block them (seed 1, "allowed
        // by policy").
        _ if matches!(applied.strategy, Strategy::ErrorsAlways | Strategy::ErrorsOnly) => {
            let allowed = if applied.source == PolicySource::Disabled { rule } else { "allowed by policy" };
            format!("{} ({allowed})", count(warnings, &format!("{of_tool} warning")))
        }
        _ => format!("{} ({rule})", count(warnings, &format!("{of_tool} warning"))),
    }
}

/// Describes which options removed findings, and how many: `ignoredRules take 5 away, strictMode: false 2`.
fn taken(applied: &PolicyApplied) -> Option<String> {
    let mut steps = applied.steps.iter().filter(|step| takes_away(step.option) && step.findings > 0);
    let first = steps.next()?;
    let verb = if first.option == PolicyOption::IgnoredRules { "take" } else { "takes" };
    let mut text = format!("{} {verb} {} away", set(first.option), first.findings);
    for step in steps {
        text = format!("{text}, {} {}", set(step.option), step.findings);
    }
    Some(text)
}

/// Describes which options turned warnings into errors, and how many.
fn promoted(applied: &PolicyApplied) -> Option<String> {
    let steps = applied.steps.iter().filter(|step| !takes_away(step.option) && step.findings > 0);
    let parts: Vec<_> = steps
        .map(|step| {
            let is_many = matches!(step.option, PolicyOption::ErrorOnRules | PolicyOption::CriticalSeverities);
            let verb = if is_many { "make" } else { "makes" };
            let errors = if step.findings == 1 { "an error" } else { "errors" };
            format!("{} {verb} {errors} of {}", set(step.option), count(step.findings, promoted_noun(step.option)))
        })
        .collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Returns the noun for findings that an option turns into errors.
pub(super) fn promoted_noun(option: PolicyOption) -> &'static str {
    if option == PolicyOption::CriticalSeverities { "finding" } else { "warning" }
}

/// Returns an option with the value at which it has an effect.
fn set(option: PolicyOption) -> &'static str {
    match option {
        PolicyOption::StrictMode => "strictMode: false",
        other => other.as_str(),
    }
}
