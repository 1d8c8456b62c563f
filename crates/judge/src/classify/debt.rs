//! What a judged action leaves in the register of debt: ruling 19, with the severity of ruling 11.

use std::collections::BTreeSet;

use referee_model::debt::{DebtCategory, DebtGeneration};
use referee_model::outcome::{Outcome, Rule};
use referee_model::plan::{Action, Role, Work};
use referee_model::reading::{Diagnostic, Level, Reading};

use super::draft::Draft;
use super::test_run::summary;
use crate::wording::tool as tool_name;
use crate::wording::{count, file_name, first_line};

/// Where an item points to: its title and place.
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

/// Says what an action leaves.
///
/// | outcome                                   | category            |
/// |-------------------------------------------|---------------------|
/// | SUCCESS, SPECIFICATION_ERROR              | none                |
/// | expected TEST_FAILURE, interrupted        | none                |
/// | TEST_FAILURE                              | VALIDATION_MISSING  |
/// | VALIDATION_FAILURE of a linter, formatter | REFACTOR            |
/// | VALIDATION_FAILURE, other                 | VALIDATION_MISSING  |
/// | EXECUTION_ERROR, PREREQUISITE_FAILURE     | INTEGRATION_FAILURE |
/// | TIMEOUT                                   | PERFORMANCE_ISSUE   |
pub(super) fn of(
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
    DebtGeneration::Item {
        category,
        severity: draft.severity,
        title: pointer.title,
        reason: draft.reason.clone(),
        suggested_fix: suggested_fix(draft, role, tool, reading),
        file: pointer.file,
        line: pointer.line,
    }
}

fn none(reason: &str) -> DebtGeneration {
    DebtGeneration::None { reason: reason.to_owned() }
}

fn tests(action: &Action, draft: &Draft, tool: Option<&str>, reading: &Reading) -> Pointer {
    if !matches!(draft.rule, Rule::TestsFailed | Rule::TestsFailedExitZero) {
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

/// Such as `TypeScript Type Error in QuoteService.ts:45` or `ESLint Errors: 5 errors across 3 files`.
fn findings(action: &Action, draft: &Draft, role: Option<Role>, tool: Option<&str>, reading: &Reading) -> Pointer {
    if let Work::File(check) = &action.work {
        return Pointer { title: first_line(&draft.reason, 200), file: Some(check.path.to_string()), line: None };
    }
    let (errors, warnings) = match &draft.policy {
        Some(policy) => (policy.effective_errors, policy.effective_warnings),
        None => (reading.counts.errors, reading.counts.warnings),
    };
    let (noun, number) = if errors > 0 { ("Error", errors) } else { ("Warning", warnings) };
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
        _ => format!("{name} {kind}{noun}s: {}{}", count(number, &noun.to_lowercase()), across(reading)),
    };
    Pointer {
        title: if draft.blocking { title } else { format!("{title} (non-blocking)") },
        file: first.and_then(|first| first.file.clone()),
        line: first.and_then(|first| first.line),
    }
}

/// The first error, or else the first warning, that names a file.
fn first_telling(reading: &Reading) -> Option<&Diagnostic> {
    let named = |level| reading.diagnostics.iter().find(move |found| found.level == level && found.file.is_some());
    named(Level::Error).or_else(|| named(Level::Warning))
}

/// Says in how many files; nothing where not every finding was kept, or none names a file.
fn across(reading: &Reading) -> String {
    let files: BTreeSet<&str> = reading.diagnostics.iter().filter_map(|found| found.file.as_deref()).collect();
    let kept = reading.diagnostics.len() as u64;
    let counts = &reading.counts;
    let all = counts.errors.saturating_add(counts.warnings).saturating_add(counts.infos);
    match files.len() as u64 {
        0 => String::new(),
        files if kept == all => format!(" across {}", count(files, "file")),
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
            format!("Fix {name} findings ({} can be mended by the tool itself)", reading.counts.fixable)
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
