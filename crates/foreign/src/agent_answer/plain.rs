//! One object with the keys of an agent's result, in either spelling (seed 2, 1.2 "Agent result").

use referee_model::agent_result::{AgentAnswer, AnswerForm, StructuredOutput};
use serde_json::Value;

use super::{Calls, amount, count, said, text, tokens};

/// The keys of an agent result, one per line, in either spelling.
const KEYS: [&[&str]; 11] = [
    &["result"],
    &["success"],
    &["is_error"],
    &["session_id", "sessionId"],
    &["usage", "tokensUsed"],
    &["total_cost_usd", "totalCostUsd"],
    &["model"],
    &["turns", "num_turns"],
    &["tool_calls", "toolCalls"],
    &["duration_ms", "durationMs"],
    &["exit_code", "exitCode"],
];

/// Parses an object that has `result` or `success`, and at least one more key of an agent result.
pub(super) fn read(answer: &Value) -> Option<AgentAnswer> {
    let has = |keys: &&&[&str]| keys.iter().any(|key| answer.get(key).is_some());
    if !KEYS.iter().take(2).any(|keys| has(&keys)) || KEYS.iter().filter(has).count() < 2 {
        return None;
    }
    let either = |one: &str, other: &str| text(answer, one).or_else(|| text(answer, other));
    let of = |one: &str, other: &str| count(answer, &[one, other]);
    let input = of("/usage/input_tokens", "/usage/inputTokens").or_else(|| count(answer, &["/tokensUsed/input"]));
    let output = of("/usage/output_tokens", "/usage/outputTokens").or_else(|| count(answer, &["/tokensUsed/output"]));
    Some(AgentAnswer {
        form: AnswerForm::Plain,
        failed: answer.get("success").and_then(Value::as_bool) == Some(false)
            || answer.get("is_error").and_then(Value::as_bool) == Some(true),
        output: StructuredOutput {
            result: answer.get("result").filter(|result| !result.is_null()).map(said),
            session_id: either("/session_id", "/sessionId"),
            usage: tokens(input, output, 0),
        },
        total_cost_usd: amount(answer, "/total_cost_usd").or_else(|| amount(answer, "/totalCostUsd")),
        model: text(answer, "/model"),
        turns: count(answer, &["/turns", "/num_turns"]),
        tool_calls: calls(answer),
    })
}

fn calls(answer: &Value) -> Option<Vec<referee_model::agent_result::ToolCall>> {
    let listed = answer.get("tool_calls").or_else(|| answer.get("toolCalls"))?.as_array()?;
    let mut calls = Calls::default();
    for (number, call) in listed.iter().enumerate() {
        let id = text(call, "/tool_use_id").or_else(|| text(call, "/toolUseId"));
        let id = id.unwrap_or_else(|| format!("call-{}", number + 1));
        let input = call.get("input").unwrap_or(&Value::Null);
        calls.begin(Some(id.clone()), text(call, "/tool").unwrap_or_default(), input);
        let took = count(call, &["/duration_ms", "/durationMs"]).unwrap_or(0);
        calls.answer(Some(&id), &said(call.get("output").unwrap_or(&Value::Null)), took);
    }
    Some(calls.0)
}
