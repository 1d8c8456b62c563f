//! Failures as structured errors: seed 2 with ruling 21.
//!
//! [`of`] makes one from a run of Referee; [`of_agent_result`], [`of_verification_report`], [`of_system_error`]
//! and [`of_wall_clock`] from the documents of other programs. None of them reads a clock: the caller passes
//! the time of the failure.

use std::collections::{BTreeMap, BTreeSet};

use referee_model::build_error::{BuildError, BuildErrorType, ContextValue, FailedPhase};
use referee_model::id::ActionId;
use referee_model::limit;
use referee_model::outcome::Outcome;
use referee_model::plan::Role;
use referee_model::reading::{Level, Reading};
use referee_model::record::http::HttpEnding;
use referee_model::record::{Facts, HttpFacts, RunEnding, RunRecord, SkipReason};
use referee_model::report::{ActionHistory, ActionReport, Ran};
use referee_model::time::Timestamp;
use referee_model::verdict::Decision;

use self::tail::{tail, tail_of_excerpt};

mod agent;
mod github;
mod system;
mod tail;
mod verification;

pub use self::agent::of_agent_result;
pub use self::github::{is_githubs, names_github, tells_of_github};
pub use self::system::{of_system_error, of_wall_clock};
pub use self::verification::of_verification_report;

/// Options for creating an error (seed 2, `BuildErrorOptions`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Number of last lines of each stream to include; the result has at most 16 KiB.
    pub tail_lines: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { tail_lines: limit::TAIL_LINES }
    }
}

/// File name of a failed run's report (seed 1).
const REPORT_FILE: &str = "execution-report.json";

/// Parts of a verdict from which an error is made.
#[derive(Debug, Clone, Copy)]
pub struct Parts<'a> {
    pub decision: Decision,
    /// Blocking actions, in plan order.
    pub blocking: &'a [ActionId],
    pub reasons: &'a [String],
}

/// Creates the structured error of a run; a pass has none.
///
/// The first blocking action in plan order determines the type, the tails, the context and the time. If none
/// blocks, or the run did not end by itself, it is a system error; if nothing ran because the specification is
/// invalid, a workspace error.
pub fn of(run: &RunRecord, actions: &[ActionReport], parts: &Parts<'_>) -> Option<BuildError> {
    if parts.decision == Decision::Pass {
        return None;
    }
    let first = parts.blocking.first().and_then(|id| actions.iter().find(|report| &report.action.id == id));
    let ran = first.and_then(ActionReport::ran);
    let own_end = run.ending == RunEnding::Finished;
    let kind = match ran {
        Some(ran) if own_end => kind(ran),
        None if own_end => kind_without_action(actions),
        _ => BuildErrorType::SystemError,
    };
    let empty = Reading::default();
    let reading = ran.map_or(&empty, |ran| &ran.reading);
    let mut context =
        BTreeMap::from([("duration".to_owned(), ContextValue::Number(run.ended.milliseconds_since(run.started)))]);
    if let Some(ran) = ran {
        context.extend(of_action(ran));
    }
    Some(BuildError {
        kind,
        message: message(kind, reading, ran.filter(|_| own_end), parts.reasons),
        exit_code: None,
        stdout_tail: tail_of_excerpt(&reading.excerpts.stdout, limit::TAIL_LINES),
        stderr_tail: tail_of_excerpt(&reading.excerpts.stderr, limit::TAIL_LINES),
        agent_result_file: None,
        verification_file: Some(REPORT_FILE.to_owned()),
        context,
        failed_at: ran.map_or(run.ended, |ran| ran.record.span.ended),
        phase: None,
    })
}

/// Creates the error of continuous integration: the checks were run again there and did not pass. The first
/// failure is `cause` in its context, and provides the tails.
pub fn of_ci(cause: Option<&BuildError>, reason: &str, failed_at: Timestamp) -> BuildError {
    let kind = BuildErrorType::CiFailed;
    let said = cause.map_or(reason, |cause| cause.message.as_str());
    let mut context = cause.map(|cause| cause.context.clone()).unwrap_or_default();
    context.extend(cause.map(|cause| ("cause".to_owned(), ContextValue::text(cause.kind.as_str()))));
    BuildError {
        kind,
        message: if said.is_empty() {
            kind.description().to_owned()
        } else {
            format!("{}: {said}", kind.description())
        },
        exit_code: None,
        stdout_tail: cause.map(|cause| cause.stdout_tail.clone()).unwrap_or_default(),
        stderr_tail: cause.map(|cause| cause.stderr_tail.clone()).unwrap_or_default(),
        agent_result_file: None,
        verification_file: cause.and_then(|cause| cause.verification_file.clone()),
        context,
        failed_at,
        phase: Some(FailedPhase::Verification),
    }
}

/// Returns the error with shorter tails, for callers that ask for fewer lines than the error has.
pub fn with_tails(error: BuildError, options: Options) -> BuildError {
    BuildError {
        stdout_tail: tail(&error.stdout_tail, options.tail_lines),
        stderr_tail: tail(&error.stderr_tail, options.tail_lines),
        ..error
    }
}

/// Returns the type by outcome and by kind of action.
///
/// | outcome                                       | of                       | type             |
/// |-----------------------------------------------|--------------------------|------------------|
/// | TEST_FAILURE                                  | an HTTP request          | blackbox_failed  |
/// | TEST_FAILURE                                  | any other                | test_failed      |
/// | VALIDATION_FAILURE                            | typecheck, compile       | typecheck_failed |
/// | VALIDATION_FAILURE                            | lint, format             | lint_failed      |
/// | VALIDATION_FAILURE                            | files, any other         | unknown          |
/// | SPECIFICATION_ERROR                           | any                      | workspace_error  |
/// | PREREQUISITE_FAILURE, by SPECIFICATION_ERROR  | any                      | workspace_error  |
/// | PREREQUISITE_FAILURE, by VALIDATION_FAILURE   | files                    | workspace_error  |
/// | PREREQUISITE_FAILURE, EXECUTION_ERROR         | what GitHub failed       | github_error     |
/// | PREREQUISITE_FAILURE                          | any other                | system_error     |
/// | EXECUTION_ERROR, TIMEOUT                      | any other                | system_error     |
///
/// The types for agents, continuous integration and snapshots are set by the callers that run agents.
fn kind(ran: &Ran) -> BuildErrorType {
    let is_file = matches!(ran.record.facts, Facts::File(_) | Facts::Glob(_));
    let judgement = &ran.judgement;
    match (judgement.outcome, judgement.cause, judgement.role) {
        (Outcome::TestFailure, ..) if matches!(ran.record.facts, Facts::Http(_) | Facts::Interaction(_)) => {
            BuildErrorType::BlackboxFailed
        }
        (Outcome::TestFailure, ..) => BuildErrorType::TestFailed,
        (Outcome::ValidationFailure, _, Some(Role::Typecheck | Role::Compile)) => BuildErrorType::TypecheckFailed,
        (Outcome::ValidationFailure, _, Some(Role::Lint | Role::Format)) => BuildErrorType::LintFailed,
        (Outcome::ValidationFailure, ..) => BuildErrorType::Unknown,
        (Outcome::SpecificationError, ..) | (Outcome::PrerequisiteFailure, Some(Outcome::SpecificationError), _) => {
            BuildErrorType::WorkspaceError
        }
        (Outcome::PrerequisiteFailure, Some(Outcome::ValidationFailure), _) if is_file => {
            BuildErrorType::WorkspaceError
        }
        (Outcome::PrerequisiteFailure | Outcome::ExecutionError, ..) if github::failed(ran) => {
            BuildErrorType::GithubError
        }
        (Outcome::PrerequisiteFailure | Outcome::ExecutionError | Outcome::Timeout | Outcome::Success, ..) => {
            BuildErrorType::SystemError
        }
    }
}

/// Returns the type of an error that no action explains: that of the specification, if it prevented them from
/// running.
fn kind_without_action(actions: &[ActionReport]) -> BuildErrorType {
    let is_wrong = |report: &ActionReport| report.history == ActionHistory::Skipped(SkipReason::SpecificationError);
    if actions.iter().any(is_wrong) { BuildErrorType::WorkspaceError } else { BuildErrorType::SystemError }
}

/// Returns seed 2's description of the type, with the count of errors for typecheck failures; a system error
/// has its own reason.
fn message(kind: BuildErrorType, reading: &Reading, ran: Option<&Ran>, reasons: &[String]) -> String {
    use BuildErrorType::{BlackboxFailed, LintFailed, TestFailed, TypecheckFailed};
    let description = kind.description();
    if !matches!(kind, TypecheckFailed | LintFailed | TestFailed | BlackboxFailed) {
        let said = ran.map(|ran| &ran.judgement.reason).or(reasons.first());
        return said.cloned().unwrap_or_else(|| BuildErrorType::SystemError.description().to_owned());
    }
    match (kind, reading.counts.errors) {
        (BuildErrorType::TypecheckFailed, errors @ 1..) => {
            format!("{description} ({errors} errors in {} files)", files_with_errors(reading))
        }
        _ => description.to_owned(),
    }
}

fn of_action(ran: &Ran) -> BTreeMap<String, ContextValue> {
    let judgement = &ran.judgement;
    let mut context = BTreeMap::from([
        ("actionId".to_owned(), ContextValue::Text(judgement.action.to_string())),
        ("outcome".to_owned(), ContextValue::Text(judgement.outcome.as_str().to_owned())),
    ]);
    if ran.reading.counts.errors > 0 {
        context.insert("errorCount".to_owned(), ContextValue::Number(ran.reading.counts.errors));
        context.insert("fileCount".to_owned(), ContextValue::Number(files_with_errors(&ran.reading)));
    }
    if let Some(counts) = judgement.counted_tests {
        context.insert("failedTests".to_owned(), ContextValue::Number(counts.failed));
    }
    if let Facts::Http(facts) = &ran.record.facts {
        context.extend(of_request(facts));
    }
    context
}

/// Returns the request and its result: a status, or the system's name of the error.
fn of_request(facts: &HttpFacts) -> BTreeMap<String, ContextValue> {
    let asked = format!("{} {}", facts.request.method, facts.request.url);
    let mut context = BTreeMap::from([("request".to_owned(), ContextValue::Text(asked))]);
    let (status, code) = match &facts.ending {
        HttpEnding::Answered(answer) => (Some(answer.status), None),
        HttpEnding::NoAnswer(none) => (none.status, none.error.code.clone()),
        HttpEnding::DeadlineExceeded { status, .. } => (*status, None),
        HttpEnding::Interrupted => (None, None),
    };
    context.extend(status.map(|status| ("statusCode".to_owned(), ContextValue::Number(u64::from(status)))));
    context.extend(code.map(|code| ("errorCode".to_owned(), ContextValue::Text(code))));
    context
}

fn files_with_errors(reading: &Reading) -> u64 {
    let errors = reading.diagnostics.iter().filter(|found| found.level == Level::Error);
    errors.filter_map(|found| found.file.as_deref()).collect::<BTreeSet<_>>().len() as u64
}

#[cfg(test)]
mod tests;
