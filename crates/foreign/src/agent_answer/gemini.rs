//! Output of Gemini CLI.

use referee_model::agent_result::{AgentAnswer, AnswerForm, StructuredOutput, TokensUsed};
use serde_json::Value;

use super::{Calls, count, kind, said, text, tokens};

/// Parses one object with `response` and `stats`, or with `error`.
pub(super) fn object(answer: &Value) -> Option<AgentAnswer> {
    let models = answer.pointer("/stats/models").and_then(Value::as_object);
    let has = |pointer| answer.pointer(pointer).is_some();
    let has_error = has("/error/message") && (has("/error/type") || has("/error/code"));
    if answer.get("type").is_some() || models.is_none() && !(has_error && answer.get("result").is_none()) {
        return None;
    }
    let error = text(answer, "/error/message");
    let used = models.map(|models| models.values().fold((0_u64, 0_u64, 0_u64), summed));
    Some(AgentAnswer {
        form: AnswerForm::Gemini,
        failed: error.is_some(),
        output: StructuredOutput {
            result: text(answer, "/response").or(error),
            session_id: text(answer, "/session_id").or_else(|| text(answer, "/sessionId")),
            usage: used.map(|(input, output, total)| TokensUsed { input, output, total: Some(total) }),
        },
        total_cost_usd: None,
        model: models.and_then(most_used),
        turns: None,
        // Only the number of calls of each tool is reported.
        tool_calls: None,
    })
}

fn summed((input, output, total): (u64, u64, u64), model: &Value) -> (u64, u64, u64) {
    let of = |name: &str| count(model, &[&format!("/tokens/{name}")]).unwrap_or(0);
    (
        input.saturating_add(of("prompt")),
        output.saturating_add(of("candidates")).saturating_add(of("thoughts")),
        total.saturating_add(of("total")),
    )
}

fn most_used(models: &serde_json::Map<String, Value>) -> Option<String> {
    models.iter().max_by_key(|(_, model)| count(model, &["/tokens/total"])).map(|(name, _)| name.clone())
}

/// Parses a stream, which begins with `init` and ends with `result`. Without `result` the agent was cut off and
/// failed.
pub(super) fn stream(messages: &[Value]) -> Option<AgentAnswer> {
    let init = messages.iter().find(|message| kind(message) == "init")?;
    let mut calls = Calls::default();
    let mut words = String::new();
    let mut result = &Value::Null;
    for message in messages {
        match kind(message) {
            "message" if message.get("role").and_then(Value::as_str) == Some("assistant") => {
                let said = said(message.get("content").unwrap_or(&Value::Null));
                if message.get("delta").and_then(Value::as_bool) == Some(true) {
                    words.push_str(&said);
                } else {
                    words = said;
                }
            }
            "tool_use" => {
                words.clear();
                let input = message.get("parameters").unwrap_or(&Value::Null);
                calls.begin(text(message, "/tool_id"), text(message, "/tool_name").unwrap_or_default(), input);
            }
            "tool_result" => {
                let id = message.get("tool_id").and_then(Value::as_str);
                calls.answer(id, &said(message.get("output").unwrap_or(&Value::Null)), 0);
            }
            "result" => result = message,
            _ => {}
        }
    }
    let of = |name: &str| count(result, &[&format!("/stats/{name}")]);
    Some(AgentAnswer {
        form: AnswerForm::Gemini,
        failed: result.get("status").and_then(Value::as_str) != Some("success"),
        output: StructuredOutput {
            result: (!words.is_empty()).then_some(words).or_else(|| text(result, "/error/message")),
            session_id: text(init, "/session_id"),
            usage: tokens(of("input_tokens"), of("output_tokens"), 0),
        },
        total_cost_usd: None,
        model: text(init, "/model"),
        turns: None,
        tool_calls: Some(calls.0),
    })
}
