//! Output of Codex.

use referee_model::agent_result::{AgentAnswer, AnswerForm, StructuredOutput, TokensUsed};
use serde_json::Value;

use super::{Calls, count, kind, said, text};

/// Parses the events of `codex exec --json`. If the end of the turn is missing, the agent was cut off and
/// failed.
pub(super) fn read(messages: &[Value]) -> Option<AgentAnswer> {
    let is_codex = |message: &Value| {
        let kind = kind(message);
        kind == "thread.started" || kind.starts_with("turn.") || kind.starts_with("item.")
    };
    if !messages.iter().any(is_codex) {
        return None;
    }
    let mut calls = Calls::default();
    let mut output = StructuredOutput::default();
    let (mut turns, mut completed, mut failed) = (0, false, false);
    let mut used = TokensUsed { input: 0, output: 0, total: Some(0) };
    for message in messages {
        match kind(message) {
            "thread.started" => output.session_id = text(message, "/thread_id"),
            "turn.started" => turns += 1,
            "turn.completed" => {
                (completed, failed) = (true, false);
                let of = |name: &str| count(message, &[&format!("/usage/{name}")]).unwrap_or(0);
                used.input = used.input.saturating_add(of("input_tokens"));
                used.output = used.output.saturating_add(of("output_tokens"));
                used.total = Some(used.input.saturating_add(used.output));
                output.usage = Some(used);
            }
            "turn.failed" => {
                failed = true;
                output.result = text(message, "/error/message").or(output.result.take());
            }
            "error" => output.result = output.result.take().or_else(|| text(message, "/message")),
            "item.started" | "item.completed" => item(&mut calls, &mut output, message),
            _ => {}
        }
    }
    Some(AgentAnswer {
        form: AnswerForm::Codex,
        failed: failed || !completed,
        output,
        total_cost_usd: None,
        model: messages.iter().find_map(|message| text(message, "/model")),
        turns: (turns > 0).then_some(turns),
        tool_calls: Some(calls.0),
    })
}

/// Handles an item: a message of the agent, or a tool that it used.
fn item(calls: &mut Calls, output: &mut StructuredOutput, message: &Value) {
    let Some(item) = message.get("item") else { return };
    // Older versions use `item_type`.
    let kind = item.get("type").or_else(|| item.get("item_type")).and_then(Value::as_str).unwrap_or_default();
    if kind == "agent_message" || kind == "assistant_message" {
        output.result = text(item, "/text").or(output.result.take());
        return;
    }
    let input = match kind {
        "command_execution" => item.get("command"),
        "file_change" => item.get("changes"),
        "mcp_tool_call" => item.get("arguments"),
        "web_search" => item.get("query"),
        _ => return,
    };
    let id = text(item, "/id");
    let tool = match (text(item, "/server"), text(item, "/tool")) {
        (Some(server), Some(tool)) => format!("{server}.{tool}"),
        _ => kind.to_owned(),
    };
    calls.begin(id.clone(), tool, input.unwrap_or(&Value::Null));
    let answered = item.get("aggregated_output").or_else(|| item.get("result"));
    calls.answer(id.as_deref(), &said(answered.unwrap_or(&Value::Null)), 0);
}
