//! Output of Copilot.

use referee_model::agent_result::{AgentAnswer, AnswerForm, StructuredOutput, TokensUsed};
use serde_json::Value;

use super::{Calls, amount, count, kind, said, text};

/// Parses the events of `copilot -p … --output-format json`, whose contents are in `data`.
pub(super) fn read(messages: &[Value]) -> Option<AgentAnswer> {
    let is_copilot = |message: &Value| {
        let of = |prefix: &str| kind(message).starts_with(prefix);
        of("assistant.") || of("tool.execution_") || of("session.")
    };
    if !messages.iter().any(is_copilot) {
        return None;
    }
    let mut answer = AgentAnswer {
        form: AnswerForm::Copilot,
        failed: false,
        output: StructuredOutput::default(),
        total_cost_usd: None,
        model: None,
        turns: None,
        tool_calls: None,
    };
    let mut calls = Calls::default();
    for message in messages {
        take(&mut answer, &mut calls, message);
    }
    answer.tool_calls = Some(calls.0);
    Some(answer)
}

fn take(answer: &mut AgentAnswer, calls: &mut Calls, message: &Value) {
    let data = message.get("data").unwrap_or(message);
    let id = || text(data, "/toolCallId");
    match kind(message) {
        "session.start" | "session.resume" => {
            answer.output.session_id = text(data, "/sessionId");
            answer.model = text(data, "/selectedModel").or(answer.model.take());
        }
        "session.model_change" => answer.model = text(data, "/newModel").or(answer.model.take()),
        "assistant.turn_start" => answer.turns = Some(answer.turns.unwrap_or(0).saturating_add(1)),
        "assistant.message" => {
            let words = said(data.get("content").unwrap_or(&Value::Null));
            if !words.is_empty() {
                answer.output.result = Some(words);
            }
        }
        "assistant.usage" => used(answer, data),
        "tool.execution_start" => {
            let input = data.get("arguments").unwrap_or(&Value::Null);
            calls.begin(id(), text(data, "/toolName").unwrap_or_default(), input);
        }
        "tool.execution_complete" => {
            let output = data.pointer("/result/content").or_else(|| data.pointer("/error/message"));
            calls.answer(id().as_deref(), &said(output.unwrap_or(&Value::Null)), 0);
        }
        "session.error" | "abort" => answer.failed = true,
        "result" => {
            answer.output.session_id = text(data, "/sessionId").or(answer.output.session_id.take());
            answer.failed |= data.get("exitCode").and_then(Value::as_i64).is_some_and(|code| code != 0);
        }
        _ => {}
    }
}

/// Adds the usage reported for one call of the model.
fn used(answer: &mut AgentAnswer, data: &Value) {
    answer.model = text(data, "/model").or(answer.model.take());
    let (input, output) = (count(data, &["/inputTokens"]), count(data, &["/outputTokens"]));
    let sum = answer.output.usage.unwrap_or_default();
    let input = sum.input.saturating_add(input.unwrap_or(0));
    let output = sum.output.saturating_add(output.unwrap_or(0));
    answer.output.usage = Some(TokensUsed { input, output, total: Some(input.saturating_add(output)) });
    // `cost` counts requests of a plan rather than dollars; only dollar amounts are used.
    if let Some(cost) = amount(data, "/costUsd") {
        answer.total_cost_usd = Some(answer.total_cost_usd.unwrap_or(0.0) + cost);
    }
}
