use referee_model::agent_result::{AgentResult, KnownEnd, StructuredOutput, TokensUsed, ToolCall};

use referee_model::build_error::FailedPhase;
use referee_model::time::Timestamp;

use super::*;

fn at() -> Timestamp {
    Timestamp::parse("2026-01-02T15:35:30.000Z").unwrap()
}

fn result(exit_code: Option<i32>, success: bool, structured: bool, stderr: &str) -> AgentResult {
    AgentResult {
        success,
        exit_code,
        stdout: String::new(),
        stderr: stderr.to_owned(),
        structured_output: structured.then(StructuredOutput::default),
        session_id: None,
        tokens_used: None,
        duration_ms: 300_000,
        total_cost_usd: None,
        model: None,
        turns: None,
        tool_calls: None,
        sandbox: None,
        captured: None,
    }
}

fn error(result: &AgentResult, known: KnownEnd) -> BuildError {
    of_agent_result(result, known, Some("agent-1.json"), at(), Options::default())
}

#[test]
fn be_01_exit_137_is_a_timeout_that_says_how_long_it_took() {
    let error = error(&result(Some(137), false, false, "Killed"), KnownEnd::Nothing);
    assert_eq!(error.kind, BuildErrorType::AgentTimeout);
    assert_eq!(error.message, "Agent exceeded maximum execution time after 300s");
    assert_eq!(error.agent_result_file.as_deref(), Some("agent-1.json"));
    assert_eq!(error.verification_file, None);
}

#[test]
fn be_02_and_be_12_a_failure_without_structured_output_is_a_crash_at_a_time_and_in_a_phase() {
    let error = error(&result(Some(1), false, false, "Segmentation fault"), KnownEnd::Nothing);
    assert_eq!((error.kind, error.exit_code), (BuildErrorType::AgentCrash, Some(1)));
    assert_eq!(error.message, "Agent process crashed unexpectedly with exit code 1");
    // Formerly, the text "build" was in `failedAt`; it is the phase, and `failedAt` is the time.
    assert_eq!((error.failed_at, error.phase), (at(), Some(FailedPhase::Build)));
}

#[test]
fn be_03_the_context_holds_session_model_tokens_and_calls() {
    let call = ToolCall {
        tool: "Write".to_owned(),
        input: ContextValue::Null,
        output: "ok".to_owned(),
        duration_ms: 100,
        timestamp: None,
        tool_use_id: None,
    };
    let result = AgentResult {
        session_id: Some("session-123".to_owned()),
        model: Some("a-model".to_owned()),
        tokens_used: Some(TokensUsed { input: 1_000, output: 500, total: Some(1_500) }),
        tool_calls: Some(vec![call]),
        ..result(Some(1), false, false, "")
    };
    let context = error(&result, KnownEnd::Nothing).context;
    assert_eq!(context["sessionId"], ContextValue::text("session-123"));
    assert_eq!(context["model"], ContextValue::text("a-model"));
    assert_eq!(context["toolCallCount"], ContextValue::Number(1));
    assert_eq!(context["durationMs"], ContextValue::Number(300_000));
    let tokens = BTreeMap::from([("input", 1_000), ("output", 500), ("total", 1_500)]);
    let tokens = tokens.into_iter().map(|(key, count)| (key.to_owned(), ContextValue::Number(count))).collect();
    assert_eq!(context["tokensUsed"], ContextValue::Map(tokens));
}

#[test]
fn be_11_what_a_result_does_not_say_is_null_or_empty_or_zero() {
    let bare = of_agent_result(&result(Some(1), false, false, ""), KnownEnd::Nothing, None, at(), Options::default());
    assert_eq!((bare.stdout_tail.as_str(), bare.stderr_tail.as_str()), ("", ""));
    assert_eq!((bare.agent_result_file, bare.verification_file), (None, None));
    for key in ["sessionId", "model", "tokensUsed"] {
        assert_eq!(bare.context[key], ContextValue::Null, "{key}");
    }
    assert_eq!(bare.context["toolCallCount"], ContextValue::Number(0));
    assert!(!bare.context.contains_key("runner"));
}

#[test]
fn be_13_a_word_about_a_timeout_makes_no_timeout() {
    let error = error(&result(Some(0), false, false, "Process terminated due to timeout"), KnownEnd::Nothing);
    assert_eq!(error.kind, BuildErrorType::AgentTaskFailure);
}

#[test]
fn be_14_and_be_17_a_task_failure_quotes_the_first_line_of_standard_error() {
    let message = |stderr: &str| error(&result(Some(0), false, false, stderr), KnownEnd::Nothing).message;
    let description = "Agent reported inability to complete task";
    assert_eq!(message("cannot do it\nmore"), format!("{description}: cannot do it"));
    assert_eq!(message("\r\nsecond"), format!("{description}: second"));
    assert_eq!(message(""), description);
}

#[test]
fn be_15_short_streams_are_kept_whole_and_long_ones_by_their_end() {
    let lines: Vec<String> = (1..=100).map(|line| format!("line {line}")).collect();
    let result = AgentResult { stdout: lines.join("\n"), ..result(Some(1), false, false, "short") };
    let error = error(&result, KnownEnd::Nothing);
    assert_eq!(error.stderr_tail, "short");
    assert_eq!(error.stdout_tail, lines[50..].join("\n"));
    let fewer = of_agent_result(&result, KnownEnd::Nothing, None, at(), Options { tail_lines: 2 });
    assert_eq!(fewer.stdout_tail, "line 99\nline 100");
}

#[test]
fn be_16_files_are_named_without_their_directories() {
    let result = result(Some(1), false, false, "");
    for (given, kept) in [
        ("/home/u/runs/7/agent-2.json", Some("agent-2.json")),
        ("C:\\runs\\agent-2.json", Some("agent-2.json")),
        ("agent-2.json", Some("agent-2.json")),
        ("runs/..", None),
        ("runs/", None),
        ("", None),
        ("a\nb", None),
    ] {
        let error = of_agent_result(&result, KnownEnd::Nothing, Some(given), at(), Options::default());
        assert_eq!(error.agent_result_file.as_deref(), kept, "{given:?}");
    }
    let long = of_agent_result(&result, KnownEnd::Nothing, Some(&"ß".repeat(1_000)), at(), Options::default());
    assert!(long.agent_result_file.unwrap().len() <= 255);
}

#[test]
fn what_the_runner_knows_goes_before_what_the_exit_code_may_mean() {
    use BuildErrorType::{AgentCrash, AgentTimeout, SystemError};
    for (exit, known, kind, told, said) in [
        (Some(0), KnownEnd::DeadlineHit, AgentTimeout, "deadline", "after 300s"),
        (Some(137), KnownEnd::Signal(9), AgentCrash, "SIGKILL", "by SIGKILL"),
        (Some(137), KnownEnd::MemoryLimit, SystemError, "memory limit", "the memory limit was hit"),
        (None, KnownEnd::Signal(15), AgentCrash, "SIGTERM", "by SIGTERM"),
        (None, KnownEnd::Signal(-7), AgentCrash, "signal -7", "by signal -7"),
    ] {
        let error = error(&result(exit, true, true, ""), known);
        assert_eq!((error.kind, &error.context["runner"]), (kind, &ContextValue::text(told)), "{known:?}");
        assert!(error.message.ends_with(said), "{}", error.message);
    }
}

#[test]
fn no_exit_code_is_one_that_is_not_zero() {
    let crashed = error(&result(None, true, false, ""), KnownEnd::Nothing);
    assert_eq!(crashed.kind, BuildErrorType::AgentCrash);
    assert_eq!(crashed.message, "Agent process crashed unexpectedly without an exit code");
    assert_eq!(error(&result(None, false, true, ""), KnownEnd::Nothing).kind, BuildErrorType::AgentTaskFailure);
}

#[test]
fn whatever_a_result_says_there_is_an_error_of_it() {
    let exits = [None, Some(0), Some(1), Some(137), Some(-1), Some(i32::MAX), Some(i32::MIN)];
    let knowns = [KnownEnd::Nothing, KnownEnd::DeadlineHit, KnownEnd::MemoryLimit, KnownEnd::Signal(i32::MIN)];
    for exit in exits {
        for known in knowns {
            for (success, structured) in [(true, true), (true, false), (false, true), (false, false)] {
                let result = AgentResult { duration_ms: u64::MAX, ..result(exit, success, structured, "\u{1b}[") };
                assert!(error(&result, known).message.starts_with(error(&result, known).kind.description()));
            }
        }
    }
}
