//! Structured errors of agents' results.

use referee_model::limit::QUOTED_LINE_CHARACTERS;
use std::collections::BTreeMap;

use referee_model::agent_result::{AgentResult, KnownEnd, TokensUsed};
use referee_model::build_error::{BuildError, BuildErrorType, ContextValue, FailedPhase, bare_name};
use referee_model::signal;
use referee_model::time::Timestamp;
use referee_syntax::ansi;
use referee_syntax::cut::first_line;

use super::Options;
use super::tail::tail;

/// Exit code of a process that was ended by SIGKILL, as shells report it.
const KILLED: i32 = 137;

/// Creates the structured error of an agent's result (seed 2, `fromAgentResult`, with ruling 21). What the
/// caller knows about the end of the process takes precedence over the meaning of the exit code:
///
/// | known of its end | exit code  | structured output | success | type               |
/// |------------------|------------|-------------------|---------|--------------------|
/// | deadline         | any        | any               | any     | agent_timeout      |
/// | signal           | any        | any               | any     | agent_crash        |
/// | memory limit     | any        | any               | any     | system_error       |
/// | nothing          | 137        | any               | any     | agent_timeout      |
/// | nothing          | other, ≠ 0 | none              | any     | agent_crash        |
/// | nothing          | any        | any               | no      | agent_task_failure |
/// | nothing          | any        | any               | yes     | unknown            |
///
/// A missing exit code counts as one that is not 0. Directories of the file are removed from the error.
pub fn of_agent_result(
    result: &AgentResult,
    known: KnownEnd,
    file: Option<&str>,
    failed_at: Timestamp,
    options: Options,
) -> BuildError {
    let kind = kind(result, known);
    BuildError {
        kind,
        message: message(result, known, kind),
        exit_code: result.exit_code,
        stdout_tail: tail(&result.stdout, options.tail_lines),
        stderr_tail: tail(&result.stderr, options.tail_lines),
        agent_result_file: file.and_then(bare_name),
        verification_file: None,
        context: context(result, known),
        failed_at,
        phase: Some(FailedPhase::Build),
    }
}

fn kind(result: &AgentResult, known: KnownEnd) -> BuildErrorType {
    match known {
        KnownEnd::DeadlineHit => BuildErrorType::AgentTimeout,
        KnownEnd::Signal(_) => BuildErrorType::AgentCrash,
        KnownEnd::MemoryLimit => BuildErrorType::SystemError,
        KnownEnd::Nothing if result.exit_code == Some(KILLED) => BuildErrorType::AgentTimeout,
        KnownEnd::Nothing if result.exit_code != Some(0) && result.structured_output.is_none() => {
            BuildErrorType::AgentCrash
        }
        KnownEnd::Nothing if !result.success => BuildErrorType::AgentTaskFailure,
        KnownEnd::Nothing => BuildErrorType::Unknown,
    }
}

fn message(result: &AgentResult, known: KnownEnd, kind: BuildErrorType) -> String {
    let description = kind.description();
    match (kind, known, result.exit_code) {
        (BuildErrorType::AgentTimeout, ..) => format!("{description} after {}s", seconds(result.duration_ms)),
        (BuildErrorType::AgentCrash, KnownEnd::Signal(number), _) => {
            format!("{description} by {}", signal::shown(number))
        }
        (BuildErrorType::AgentCrash, _, Some(code)) => format!("{description} with exit code {code}"),
        (BuildErrorType::AgentCrash, _, None) => format!("{description} without an exit code"),
        (BuildErrorType::AgentTaskFailure, ..) => {
            match first_line(&ansi::strip(&result.stderr), QUOTED_LINE_CHARACTERS) {
                none if none.is_empty() => description.to_owned(),
                line => format!("{description}: {line}"),
            }
        }
        (BuildErrorType::SystemError, KnownEnd::MemoryLimit, _) => format!("{description}: the memory limit was hit"),
        _ => description.to_owned(),
    }
}

/// Returns milliseconds as seconds, rounded to the nearest (seed 2).
pub(super) fn seconds(milliseconds: u64) -> u64 {
    milliseconds.saturating_add(500) / 1_000
}

fn context(result: &AgentResult, known: KnownEnd) -> BTreeMap<String, ContextValue> {
    let calls = result.tool_calls.as_ref().map_or(0, Vec::len);
    let mut context = BTreeMap::from([
        ("sessionId".to_owned(), ContextValue::text_or_null(result.session_id.as_deref())),
        ("model".to_owned(), ContextValue::text_or_null(result.model.as_deref())),
        ("durationMs".to_owned(), ContextValue::Number(result.duration_ms)),
        ("tokensUsed".to_owned(), result.tokens_used.map_or(ContextValue::Null, tokens)),
        ("toolCallCount".to_owned(), ContextValue::Number(calls as u64)),
    ]);
    let told = match known {
        KnownEnd::Nothing => None,
        KnownEnd::DeadlineHit => Some("deadline".to_owned()),
        KnownEnd::Signal(number) => Some(signal::shown(number)),
        KnownEnd::MemoryLimit => Some("memory limit".to_owned()),
    };
    context.extend(told.map(|told| ("runner".to_owned(), ContextValue::Text(told))));
    context
}

fn tokens(used: TokensUsed) -> ContextValue {
    let mut counts = BTreeMap::from([
        ("input".to_owned(), ContextValue::Number(used.input)),
        ("output".to_owned(), ContextValue::Number(used.output)),
    ]);
    counts.extend(used.total.map(|total| ("total".to_owned(), ContextValue::Number(total))));
    ContextValue::Map(counts)
}
