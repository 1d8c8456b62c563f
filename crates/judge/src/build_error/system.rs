//! Structured errors of system failures, which are neither the agent's nor the project's.

use std::collections::BTreeMap;

use referee_model::build_error::{BuildError, BuildErrorType, ContextValue, SystemError};
use referee_model::time::Timestamp;

use super::Options;
use super::agent::seconds;
use super::tail::{both_ends, head, tail};

/// Creates the structured error of a thrown error (seed 2, `fromSystemError`). The message is kept, shortened
/// in the middle if it is long; its stack provides the tail, and the context together with its name. The
/// caller's own context is kept, except for those two keys.
pub fn of_system_error(error: &SystemError, failed_at: Timestamp, options: Options) -> BuildError {
    let mut context = error.context.clone();
    context.insert("errorName".to_owned(), ContextValue::text(head(&error.name)));
    // The beginning of a stack shows where the error was thrown.
    let stack = error.stack.as_deref().map(head);
    context.insert("errorStack".to_owned(), ContextValue::text_or_null(stack.as_deref()));
    BuildError {
        kind: error.kind.unwrap_or_else(|| kind(error)),
        message: both_ends(&error.message),
        exit_code: None,
        stdout_tail: String::new(),
        stderr_tail: error.stack.as_deref().map(|stack| tail(stack, options.tail_lines)).unwrap_or_default(),
        agent_result_file: None,
        verification_file: None,
        context,
        failed_at,
        phase: error.phase.clone(),
    }
}

/// Creates the structured error of a run that exceeded its wall clock limit.
pub fn of_wall_clock(elapsed_ms: u64, timeout_ms: u64, failed_at: Timestamp) -> BuildError {
    let (elapsed, limit) = (seconds(elapsed_ms), seconds(timeout_ms));
    let numbers = [
        ("elapsedMs", elapsed_ms),
        ("maxWallClockMs", timeout_ms),
        ("elapsedSeconds", elapsed),
        ("maxWallClockSeconds", limit),
    ];
    let mut context: BTreeMap<String, ContextValue> =
        numbers.into_iter().map(|(key, number)| (key.to_owned(), ContextValue::Number(number))).collect();
    context.insert("timeoutType".to_owned(), ContextValue::text("wall_clock"));
    let kind = BuildErrorType::AgentTimeout;
    BuildError {
        kind,
        message: format!("{} after {elapsed}s: the limit is {limit}s", kind.description()),
        exit_code: None,
        stdout_tail: String::new(),
        stderr_tail: String::new(),
        agent_result_file: None,
        verification_file: None,
        context,
        failed_at,
        phase: None,
    }
}

/// Returns the type for a message, ignoring case; the first matching row applies.
///
/// | contains                                       | type            |
/// |------------------------------------------------|-----------------|
/// | `workspace` or `directory`                     | workspace_error |
/// | `github` or `octokit`, in its name too         | github_error    |
/// | `snapshot`, or the word `git`                  | snapshot_error  |
/// | anything else                                  | system_error    |
fn kind(error: &SystemError) -> BuildErrorType {
    let (message, name) = (error.message.to_lowercase(), error.name.to_lowercase());
    let of_github = |text: &str| text.contains("github") || text.contains("octokit");
    let mut words = message.split(|character: char| !character.is_alphanumeric());
    if message.contains("workspace") || message.contains("directory") {
        BuildErrorType::WorkspaceError
    } else if of_github(&message) || of_github(&name) {
        BuildErrorType::GithubError
    } else if message.contains("snapshot") || words.any(|word| word == "git") {
        BuildErrorType::SnapshotError
    } else {
        BuildErrorType::SystemError
    }
}
