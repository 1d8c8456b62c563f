//! What coding agents print as data when they are asked to, read into one shape.
//!
//! | form    | printed by                                                   | told by                                     |
//! |---------|--------------------------------------------------------------|---------------------------------------------|
//! | claude  | `claude -p --output-format json` or `stream-json`            | `type` is `result`, `system` or `assistant` |
//! | codex   | `codex exec --json`                                          | `type` is `thread.started`, `turn.…`, `item.…` |
//! | gemini  | `gemini --output-format json` or `stream-json`               | `response` with `stats`; `type` is `init`   |
//! | copilot | `copilot -p … --output-format json`                          | `type` is `assistant.…`, `tool.…`, `session.…` |
//! | plain   | anything: one object with the keys of an agent's result      | `result` or `success`, and another such key |
//!
//! The object of Gemini and the plain one must be all that was printed, but for words before it. These formats are others' and change without notice: a key that is missing is unknown, one that is not known is passed
//! over, and a line that is no JSON is no part of it. Junk gives no answer, and is never an error: what an agent prints
//! decides nothing.

use referee_model::agent_result::{AgentAnswer, TokensUsed, ToolCall};
use referee_model::build_error::ContextValue;
use referee_model::limit::{AGENT_TOOL_CALLS, EXCERPT_BYTES};
use referee_syntax::cut::head;
use serde_json::Value;

mod claude;
mod codex;
mod copilot;
mod gemini;
mod plain;

/// Reads the answer in an agent's standard output. None: it answers nothing as data.
pub fn read(printed: &str) -> Option<AgentAnswer> {
    let messages = messages(printed);
    claude::read(&messages)
        .or_else(|| codex::read(&messages))
        .or_else(|| gemini::stream(&messages))
        .or_else(|| copilot::read(&messages))
        .or_else(|| {
            let only = only(printed)?;
            gemini::object(&only).or_else(|| plain::read(&only))
        })
}

/// The one object that was printed, with nothing behind it, and nothing but words such as a warning before it: in what is
/// written for people a line may look like an answer, and is none.
fn only(printed: &str) -> Option<Value> {
    let whole = printed.trim();
    let begins = if whole.starts_with('{') { 0 } else { whole.find("\n{")? };
    serde_json::from_str(whole.get(begins..)?.trim()).ok().filter(Value::is_object)
}

/// The objects that were printed: one, a list of them, or one a line, with whatever text around them.
fn messages(printed: &str) -> Vec<Value> {
    let whole = printed.trim();
    match serde_json::from_str(whole) {
        Ok(Value::Array(messages)) => return messages,
        Ok(value @ Value::Object(_)) => return vec![value],
        _ => {}
    }
    let lines = whole.lines().map(str::trim).filter(|line| line.starts_with('{'));
    let of_lines: Vec<Value> = lines.filter_map(|line| serde_json::from_str(line).ok()).collect();
    if !of_lines.is_empty() {
        return of_lines;
    }
    // One object over several lines, behind words such as a warning.
    let behind = whole.find("\n{").and_then(|at| serde_json::from_str(whole.get(at..)?.trim()).ok());
    behind.into_iter().collect()
}

/// The text of a message's `type`.
fn kind(message: &Value) -> &str {
    message.get("type").and_then(Value::as_str).unwrap_or_default()
}

fn text(value: &Value, pointer: &str) -> Option<String> {
    value.pointer(pointer).and_then(Value::as_str).map(str::to_owned)
}

/// The first of these counts that is there.
fn count(value: &Value, pointers: &[&str]) -> Option<u64> {
    pointers.iter().find_map(|pointer| value.pointer(pointer).and_then(Value::as_u64))
}

/// The amount at a place; what is below 0 is none.
fn amount(value: &Value, pointer: &str) -> Option<f64> {
    value.pointer(pointer).and_then(Value::as_f64).filter(|amount| *amount >= 0.0)
}

/// Tokens, where both kinds are told; `more` is what was taken in beside them.
fn tokens(input: Option<u64>, output: Option<u64>, more: u64) -> Option<TokensUsed> {
    let (input, output) = (input?, output?);
    Some(TokensUsed { input, output, total: Some(input.saturating_add(output).saturating_add(more)) })
}

/// Calls of tools while they are collected: an answer is added to the call that has its id.
#[derive(Debug, Default)]
struct Calls(Vec<ToolCall>);

impl Calls {
    fn begin(&mut self, id: Option<String>, tool: String, input: &Value) {
        let is_known = id.is_some() && self.0.iter().any(|call| call.tool_use_id == id);
        if self.0.len() < AGENT_TOOL_CALLS && !is_known {
            let input = serde_json::from_value::<ContextValue>(input.clone()).unwrap_or(ContextValue::Null);
            let output = String::new();
            self.0.push(ToolCall { tool, input, output, duration_ms: 0, timestamp: None, tool_use_id: id });
        }
    }

    fn answer(&mut self, id: Option<&str>, output: &str, duration_ms: u64) {
        let called = self.0.iter_mut().find(|call| id.is_some() && call.tool_use_id.as_deref() == id);
        if let Some(call) = called {
            head(output, EXCERPT_BYTES).clone_into(&mut call.output);
            call.duration_ms = duration_ms;
        }
    }
}

/// A value that may be a text, or parts that hold texts.
fn said(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str).or(part.as_str()));
            texts.collect::<Vec<_>>().join("\n")
        }
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests;
