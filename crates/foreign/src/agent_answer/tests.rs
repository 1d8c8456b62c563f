use referee_model::agent_result::AnswerForm;

use super::*;

const CLAUDE: &str = include_str!("fixtures/claude.json");
const CLAUDE_STREAM: &str = include_str!("fixtures/claude-stream.jsonl");
const CODEX: &str = include_str!("fixtures/codex.jsonl");
const GEMINI: &str = include_str!("fixtures/gemini.json");
const GEMINI_STREAM: &str = include_str!("fixtures/gemini-stream.jsonl");
const COPILOT: &str = include_str!("fixtures/copilot.jsonl");
const PLAIN: &str = include_str!("fixtures/plain.json");
const ALL: [&str; 7] = [CLAUDE, CLAUDE_STREAM, CODEX, GEMINI, GEMINI_STREAM, COPILOT, PLAIN];

#[test]
fn each_form_is_read_into_the_same_shape() {
    let rows = [
        (CLAUDE, AnswerForm::Claude, Some(0.0421), Some("claude-opus-4-1"), Some(3), None, (12, 340)),
        (CLAUDE_STREAM, AnswerForm::Claude, Some(0.01), Some("claude-sonnet-4-5"), Some(2), Some(1), (20, 60)),
        (CODEX, AnswerForm::Codex, None, None, Some(1), Some(2), (900, 70)),
        (GEMINI, AnswerForm::Gemini, None, Some("gemini-2.5-pro"), None, None, (1000, 130)),
        (GEMINI_STREAM, AnswerForm::Gemini, None, Some("gemini-2.5-pro"), None, Some(1), (40, 10)),
        (COPILOT, AnswerForm::Copilot, None, Some("gpt-5"), Some(2), Some(1), (30, 9)),
        (PLAIN, AnswerForm::Plain, Some(0.5), Some("house-model"), Some(4), Some(1), (7, 8)),
    ];
    for (printed, form, cost, model, turns, calls, (input, output)) in rows {
        let answer = read(printed).unwrap();
        assert_eq!(answer.form, form);
        assert!(!answer.failed, "{form:?}");
        assert_eq!(answer.total_cost_usd, cost, "{form:?}");
        assert_eq!(answer.model.as_deref(), model, "{form:?}");
        assert_eq!(answer.turns, turns, "{form:?}");
        assert_eq!(answer.tool_calls.as_ref().map(Vec::len), calls, "{form:?}");
        let used = answer.output.usage.unwrap();
        assert_eq!((used.input, used.output), (input, output), "{form:?}");
        assert_eq!(answer.output.result.as_deref(), Some("All tests pass."), "{form:?}");
        assert_eq!(answer.output.session_id.as_deref(), Some("session-1"), "{form:?}");
    }
}

#[test]
fn a_call_of_a_tool_has_its_answer() {
    for printed in [CLAUDE_STREAM, CODEX, GEMINI_STREAM, COPILOT, PLAIN] {
        let calls = read(printed).unwrap().tool_calls.unwrap();
        assert!(calls.iter().any(|call| call.output.contains("1 failed")), "{calls:?}");
        assert!(calls.iter().all(|call| !call.tool.is_empty()), "{calls:?}");
    }
}

#[test]
fn what_says_that_it_failed_or_was_cut_off_failed() {
    for printed in [
        r#"{"type":"result","subtype":"error_max_turns","is_error":false,"session_id":"s"}"#,
        r#"{"type":"result","subtype":"success","is_error":true,"session_id":"s","result":"credit is too low"}"#,
        r#"{"type":"assistant","session_id":"s","message":{"content":[{"type":"text","text":"I begin"}]}}"#,
        "{\"type\":\"thread.started\",\"thread_id\":\"s\"}\n{\"type\":\"turn.started\"}",
        "{\"type\":\"thread.started\",\"thread_id\":\"s\"}\n{\"type\":\"turn.failed\",\"error\":{\"message\":\"quota\"}}",
        r#"{"error":{"type":"ApiError","message":"no quota","code":1}}"#,
        "{\"type\":\"init\",\"session_id\":\"s\",\"model\":\"m\"}\n{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"x\"}",
        r#"{"type":"session.error","data":{"message":"x"}}"#,
        r#"{"success":false,"result":"it cannot be done"}"#,
    ] {
        assert!(read(printed).unwrap().failed, "{printed}");
    }
}

#[test]
fn text_around_it_is_passed_over() {
    let warned = format!("warning: a new version is there\n{PLAIN}\n");
    assert_eq!(read(&warned).unwrap().output.result.as_deref(), Some("All tests pass."));
    let mixed = format!("loading…\n{CODEX}\n{{half an obj");
    assert_eq!(read(&mixed).unwrap().form, AnswerForm::Codex);
}

#[test]
fn a_line_that_only_looks_like_an_answer_is_none() {
    let failed = r#"{"success":false,"result":"it cannot be done"}"#;
    assert!(read(&format!("warning: old\n{failed}\n")).unwrap().failed);
    for prose in [
        format!("The request now answers\n{failed}\nas it must. Done."),
        format!("{failed}\n{failed}"),
        r#"{"success":false}"#.to_owned(),
        r#"{"result":[1,2]}"#.to_owned(),
        "I mended it. It prints\n{\"error\":{\"message\":\"not found\"}}".to_owned(),
        "It prints\n{\"error\":{\"message\":\"x\",\"code\":4}}\nfor what is not there.".to_owned(),
    ] {
        assert_eq!(read(&prose), None, "{prose}");
    }
}

#[test]
fn junk_is_no_answer_and_never_an_error() {
    for junk in ["", "done", "{", "[]", "{}", "null", "7", "[1, null]", "{\"type\":7}", "{\"a\":1}\n{\"b\":2}", "\u{0}"]
    {
        assert_eq!(read(junk), None, "{junk}");
    }
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(read(&deep), None);
    // Output cut off at any point is parsed or rejected without a panic.
    for whole in ALL {
        for end in (0..whole.len()).filter(|end| whole.is_char_boundary(*end)) {
            let _ = read(&whole[..end]);
        }
    }
}

#[test]
fn calls_of_tools_are_bounded() {
    let line = |number: usize| {
        format!(
            "{{\"type\":\"item.completed\",\"item\":{{\"id\":\"{number}\",\"type\":\"command_execution\",\"command\":\"ls\"}}}}\n"
        )
    };
    let many: String = (0..AGENT_TOOL_CALLS + 50).map(line).collect();
    assert_eq!(read(&many).unwrap().tool_calls.unwrap().len(), AGENT_TOOL_CALLS);
}
