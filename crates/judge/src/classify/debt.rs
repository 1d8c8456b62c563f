//! Debt items of a judged action: ruling 19, with the severity of ruling 11.

use std::collections::BTreeSet;

use referee_model::debt::{DebtCategory, DebtGeneration, DebtSummary};
use referee_model::outcome::{Judgement, Outcome, Rule};
use referee_model::plan::{Action, Plan, Role, Work};
use referee_model::reading::{Diagnostic, Level, Reading};
use referee_syntax::count::count;
use referee_syntax::cut::first_line;

use super::draft::Draft;
use super::test_run::summary;
use crate::wording::file_name;
use crate::wording::tool as tool_name;

/// Title and location of an item.
struct Pointer {
    title: String,
    file: Option<String>,
    line: Option<u32>,
}

impl Pointer {
    fn nowhere(title: String) -> Self {
        Self { title, file: None, line: None }
    }
}

/// Returns the debt of an action.
///
/// | outcome                                   | category             |
/// |-------------------------------------------|----------------------|
/// | SUCCESS, SPECIFICATION_ERROR              | none                 |
/// | any, with a SPECIFICATION_ERROR as cause  | none                 |
/// | expected, interrupted                     | none                 |
/// | TEST_FAILURE, HTTP status 404             | API_ENDPOINT_MISSING |
/// | TEST_FAILURE, HTTP status 500 to 599      | BUSINESS_LOGIC_ERROR |
/// | TEST_FAILURE, other                       | VALIDATION_MISSING   |
/// | VALIDATION_FAILURE of a linter, formatter | REFACTOR             |
/// | VALIDATION_FAILURE, other                 | VALIDATION_MISSING   |
/// | EXECUTION_ERROR, PREREQUISITE_FAILURE     | INTEGRATION_FAILURE  |
/// | TIMEOUT                                   | PERFORMANCE_ISSUE    |
///
/// No item is made if the specification disables debt, or does not list its severity.
pub(super) fn of(
    plan: &Plan,
    action: &Action,
    draft: &Draft,
    role: Option<Role>,
    tool: Option<&str>,
    reading: &Reading,
) -> DebtGeneration {
    if draft.expected {
        return none("the failure is declared as expected");
    }
    if draft.interrupted {
        return none("an interrupted run says nothing about the project");
    }
    if draft.cause == Some(Outcome::SpecificationError) {
        return none("a wrong specification is no fault of the code");
    }
    let (category, pointer) = match draft.outcome {
        Outcome::Success => return none("nothing failed"),
        Outcome::SpecificationError => return none("a wrong specification is no fault of the code"),
        Outcome::TestFailure => (DebtCategory::ValidationMissing, tests(action, draft, tool, reading)),
        Outcome::ValidationFailure => match role {
            Some(Role::Lint | Role::Format) => (DebtCategory::Refactor, findings(action, draft, role, tool, reading)),
            _ => (DebtCategory::ValidationMissing, findings(action, draft, role, tool, reading)),
        },
        Outcome::ExecutionError => {
            let what = tool.map_or_else(|| action.name.clone(), |tool| tool_name(tool).to_owned());
            (
                DebtCategory::IntegrationFailure,
                Pointer::nowhere(format!("{what} did not work: {}", first_line(&draft.reason, 160))),
            )
        }
        Outcome::PrerequisiteFailure => {
            (DebtCategory::IntegrationFailure, Pointer::nowhere(format!("Prerequisite failed: {}", action.name)))
        }
        Outcome::Timeout => {
            let title = format!("Operation Timeout: {} ({})", action.name, first_line(&draft.reason, 160));
            (DebtCategory::PerformanceIssue, Pointer::nowhere(title))
        }
    };
    let under_prerequisite = draft.outcome == Outcome::PrerequisiteFailure;
    let item = DebtGeneration::Item(DebtSummary {
        category: draft.item.category.filter(|_| !under_prerequisite).unwrap_or(category),
        severity: draft.severity,
        title: known_title(draft).unwrap_or(pointer.title),
        reason: draft.reason.clone(),
        suggested_fix: draft.item.fix.clone().unwrap_or_else(|| suggested_fix(draft, role, tool, reading)),
        file: pointer.file,
        line: pointer.line,
    });
    kept(plan, item)
}

/// Returns a title by the rules of the work, such as `Dev Server Prerequisite Failed: Port Already in Use`.
fn known_title(draft: &Draft) -> Option<String> {
    if let Some((whose, what)) = &draft.item.failed {
        let prerequisite = if draft.outcome == Outcome::PrerequisiteFailure { " Prerequisite" } else { "" };
        return Some(format!("{whose}{prerequisite} Failed: {what}"));
    }
    draft.item.title.clone()
}

/// Returns the debt of a flaky pass that policy does not accept (ruling 13).
pub(super) fn flaky(plan: &Plan, action: &Action, judgement: &Judgement) -> DebtGeneration {
    let category = match judgement.outcome {
        Outcome::PrerequisiteFailure => DebtCategory::IntegrationFailure,
        _ => DebtCategory::ValidationMissing,
    };
    let item = DebtGeneration::Item(DebtSummary {
        category,
        severity: judgement.severity,
        title: format!("Flaky: {}", first_line(&action.name, 160)),
        reason: judgement.reason.clone(),
        suggested_fix: judgement.advice.clone(),
        file: None,
        line: None,
    });
    kept(plan, item)
}

/// Drops an item that the specification does not want to keep (`technicalDebtConfiguration`).
fn kept(plan: &Plan, item: DebtGeneration) -> DebtGeneration {
    let DebtGeneration::Item(DebtSummary { severity, .. }) = &item else { return item };
    if !plan.debt.enabled {
        return none("the specification turns debt off: `technicalDebtConfiguration.enabled` is false");
    }
    if !plan.debt.severities.contains(severity) {
        return DebtGeneration::None {
            reason: format!("the specification keeps no debt of this severity ({severity:?}, `severityLevels`)"),
        };
    }
    item
}

fn none(reason: &str) -> DebtGeneration {
    DebtGeneration::None { reason: reason.to_owned() }
}

fn tests(action: &Action, draft: &Draft, tool: Option<&str>, reading: &Reading) -> Pointer {
    if !matches!(draft.rule, Rule::TestsFailed | Rule::TestsFailedExitZero | Rule::TestsFailedKnown) {
        return Pointer::nowhere(format!("{}: {}", action.name, first_line(&draft.reason, 160)));
    }
    let Some(summary) = summary(reading, Some(Role::Test), tool) else {
        return Pointer::nowhere(format!("{}: {}", action.name, first_line(&draft.reason, 160)));
    };
    let first = summary.results.failures.first();
    let title = match (first, summary.results.counts.failed) {
        (Some(failure), 0 | 1) if !failure.name.is_empty() => {
            format!("Failed Test: {}", first_line(&failure.name, 160))
        }
        _ => format!("Failed Tests: {}", summary.failed()),
    };
    Pointer {
        title,
        file: first.and_then(|failure| failure.file.clone()),
        line: first.and_then(|failure| failure.line),
    }
}

/// Returns a title for findings, such as `TypeScript Type Error in QuoteService.ts:45` or `ESLint Errors: 5
/// errors across 3 files`.
fn findings(action: &Action, draft: &Draft, role: Option<Role>, tool: Option<&str>, reading: &Reading) -> Pointer {
    if let Work::File(check) = &action.work {
        let file = draft.item.file.clone().unwrap_or_else(|| check.path.to_string());
        return Pointer { title: first_line(&draft.reason, 200), file: Some(file), line: None };
    }
    let (errors, warnings) = match &draft.policy {
        // Findings in the baseline are no longer effective findings, but are still to be fixed.
        Some(policy) if draft.rule != Rule::FindingsKnown => (policy.effective_errors, policy.effective_warnings),
        _ => (reading.counts.errors, reading.counts.warnings),
    };
    let (noun, number, level) =
        if errors > 0 { ("Error", errors, Level::Error) } else { ("Warning", warnings, Level::Warning) };
    let kind = match role {
        Some(Role::Typecheck) => "Type ",
        Some(Role::Compile) => "Compile ",
        Some(Role::Format) => "Format ",
        _ => "",
    };
    let name = tool.map_or_else(|| action.name.as_str(), tool_name);
    let first = first_telling(reading);
    let place = first.and_then(|first| {
        let file = file_name(first.file.as_deref()?);
        Some(first.line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}")))
    });
    let title = match place {
        Some(place) if number == 1 => format!("{name} {kind}{noun} in {place}"),
        _ => format!("{name} {kind}{noun}s: {}{}", count(number, &noun.to_lowercase()), across(reading, level, number)),
    };
    Pointer {
        title: if draft.blocking { title } else { format!("{title} (non-blocking)") },
        file: first.and_then(|first| first.file.clone()),
        line: first.and_then(|first| first.line),
    }
}

/// Returns the first error, else the first warning, that names a file.
fn first_telling(reading: &Reading) -> Option<&Diagnostic> {
    let named = |level| reading.diagnostics.iter().find(move |found| found.level == level && found.file.is_some());
    named(Level::Error).or_else(|| named(Level::Warning))
}

/// Returns in how many files the findings of a level are; empty if policy counts differently, not all findings
/// were kept, or none names a file.
fn across(reading: &Reading, level: Level, number: u64) -> String {
    let found = || reading.diagnostics.iter().filter(|found| found.level == level);
    let files: BTreeSet<&str> = found().filter_map(|found| found.file.as_deref()).collect();
    match files.len() as u64 {
        0 => String::new(),
        files if found().count() as u64 == number => format!(" across {}", count(files, "file")),
        _ => String::new(),
    }
}

fn suggested_fix(draft: &Draft, role: Option<Role>, tool: Option<&str>, reading: &Reading) -> String {
    if draft.outcome != Outcome::ValidationFailure || draft.rule == Rule::FileDiffers {
        return draft.advice.clone();
    }
    let name = tool.map_or("the", tool_name);
    match role {
        Some(Role::Lint | Role::Format) if reading.counts.fixable > 0 => {
            format!("Fix {name} findings ({} can be fixed by the tool itself)", reading.counts.fixable)
        }
        _ => match first_telling(reading) {
            Some(first) => {
                let code = first.code.as_deref().map(|code| format!("{code}: ")).unwrap_or_default();
                format!("{}; first: {code}{}", draft.advice, first_line(&first.message, 200))
            }
            None => draft.advice.clone(),
        },
    }
}
