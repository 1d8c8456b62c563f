//! Output of Claude Code.

use std::collections::BTreeSet;

use referee_model::agent_result::{AgentAnswer, AnswerForm, StructuredOutput, TokensUsed};
use serde_json::Value;

use super::{Calls, amount, count, kind, said, text, tokens};

/// The `subtype` of a successful result.
const SUCCESS: &str = "success";

/// Parses one object, or a list of messages of which the last one is the result. Without a result the agent was
/// cut off; the answer then reports a failure.
pub(super) fn read(messages: &[Value]) -> Option<AgentAnswer> {
    let is_claude = |message: &&Value| match kind(message) {
        "result" => message.get("subtype").is_some() && message.get("session_id").is_some(),
        "system" => message.get("subtype").is_some(),
        "assistant" => message.pointer("/message/content").is_some(),
        _ => false,
    };
    let first = messages.iter().find(is_claude)?;
    let last = messages.iter().rev().find(|message| kind(message) == "result");
    let result = last.unwrap_or(&Value::Null);
    let is_error = result.get("is_error").and_then(Value::as_bool).unwrap_or(last.is_none());
    let named = text(result, "/subtype");
    let (calls, model, turns) = stream(messages);
    let session = text(result, "/session_id").or_else(|| text(first, "/session_id"));
    Some(AgentAnswer {
        form: AnswerForm::Claude,
        failed: is_error || named.as_deref().is_some_and(|named| named != SUCCESS),
        output: StructuredOutput {
            result: text(result, "/result").or_else(|| last_words(messages)),
            session_id: session,
            usage: usage(result),
        },
        total_cost_usd: amount(result, "/total_cost_usd"),
        model: model.or_else(|| most_used(result)),
        turns: count(result, &["/num_turns"]).or(turns),
        tool_calls: calls,
    })
}

fn usage(result: &Value) -> Option<TokensUsed> {
    let of = |name: &str| count(result, &[&format!("/usage/{name}")]);
    let cached = ["cache_creation_input_tokens", "cache_read_input_tokens"].map(|name| of(name).unwrap_or(0));
    tokens(of("input_tokens"), of("output_tokens"), cached.iter().fold(0, |sum, next| sum.saturating_add(*next)))
}

/// Returns the model with the most output tokens; small helper models are listed as well.
fn most_used(result: &Value) -> Option<String> {
    let models = result.get("modelUsage").and_then(Value::as_object)?;
    let most = models.iter().max_by_key(|(_, used)| used.get("outputTokens").and_then(Value::as_u64));
    most.map(|(model, _)| model.clone())
}

/// Returns the tool calls, the model and the number of turns from the messages before the result, each `None`
/// if absent.
fn stream(messages: &[Value]) -> (Option<Vec<referee_model::agent_result::ToolCall>>, Option<String>, Option<u64>) {
    let mut calls = Calls::default();
    let mut turns = BTreeSet::new();
    let mut model = None;
    let mut is_stream = false;
    for message in messages {
        let parts = message.pointer("/message/content").and_then(Value::as_array);
        match kind(message) {
            "system" => model = model.or_else(|| text(message, "/model")),
            "assistant" => {
                is_stream = true;
                model = model.or_else(|| text(message, "/message/model"));
                turns.extend(text(message, "/message/id"));
                for part in parts.into_iter().flatten().filter(|part| kind(part) == "tool_use") {
                    let input = part.get("input").unwrap_or(&Value::Null);
                    calls.begin(text(part, "/id"), text(part, "/name").unwrap_or_default(), input);
                }
            }
            "user" => {
                for part in parts.into_iter().flatten().filter(|part| kind(part) == "tool_result") {
                    let id = part.get("tool_use_id").and_then(Value::as_str);
                    calls.answer(id, &said(part.get("content").unwrap_or(&Value::Null)), 0);
                }
            }
            _ => {}
        }
    }
    let counted = (!turns.is_empty()).then_some(turns.len() as u64);
    (is_stream.then_some(calls.0), model, counted)
}

/// Returns the last text of the assistant, for output without a result.
fn last_words(messages: &[Value]) -> Option<String> {
    let spoken = messages.iter().rev().filter(|message| kind(message) == "assistant");
    let words = |message: &Value| said(message.pointer("/message/content").unwrap_or(&Value::Null));
    spoken.map(words).find(|words| !words.is_empty())
}
