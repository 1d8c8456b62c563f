//! Parses the machine-readable output of coding agents into one common shape.
//!
//! | form | printed by | recognized by |
//! |---|---|---|
//! | claude | `claude -p --output-format json` or `stream-json` | `type` is `result`, `system` or `assistant` |
//! | codex | `codex exec --json` | `type` is `thread.started`, `turn.…`, `item.…` |
//! | gemini | `gemini --output-format json` or `stream-json` | `response` with `stats`; `type` is `init` |
//! | copilot | `copilot -p … --output-format json` | `type` is `assistant.…`, `tool.…`, `session.…` |
//! | plain | any program: one object with the keys of an agent result | `result` or `success`, and another such key |
//!
//! The Gemini object and the plain one must be the whole output, apart from text before them. These formats
//! belong to other vendors and change without notice: unknown keys are ignored, and a line that is not JSON is
//! skipped. Malformed output yields no answer and is never an error: what an agent prints decides nothing.

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

/// Parses the answer in an agent's standard output. Returns `None` if the output contains no machine-readable
/// answer.
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

/// Returns the single printed object. Nothing may follow it, and only plain text such as a warning may precede
/// it: in text written for people, a line may look like an answer without being one.
fn only(printed: &str) -> Option<Value> {
    let whole = printed.trim();
    let begins = if whole.starts_with('{') { 0 } else { whole.find("\n{")? };
    serde_json::from_str(whole.get(begins..)?.trim()).ok().filter(Value::is_object)
}

/// Returns the printed objects: a single one, a JSON list, or one per line, with any text around them.
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
    // One object over several lines, after plain text such as a warning.
    let behind = whole.find("\n{").and_then(|at| serde_json::from_str(whole.get(at..)?.trim()).ok());
    behind.into_iter().collect()
}

/// Returns the `type` of a message, or an empty string.
fn kind(message: &Value) -> &str {
    message.get("type").and_then(Value::as_str).unwrap_or_default()
}

fn text(value: &Value, pointer: &str) -> Option<String> {
    value.pointer(pointer).and_then(Value::as_str).map(str::to_owned)
}

/// Returns the first of the pointers that holds a count.
fn count(value: &Value, pointers: &[&str]) -> Option<u64> {
    pointers.iter().find_map(|pointer| value.pointer(pointer).and_then(Value::as_u64))
}

/// Returns the amount at a pointer; negative amounts are ignored.
fn amount(value: &Value, pointer: &str) -> Option<f64> {
    value.pointer(pointer).and_then(Value::as_f64).filter(|amount| *amount >= 0.0)
}

/// Returns the token usage, if both counts are known; `more` is input counted in addition to `input`.
fn tokens(input: Option<u64>, output: Option<u64>, more: u64) -> Option<TokensUsed> {
    let (input, output) = (input?, output?);
    Some(TokensUsed { input, output, total: Some(input.saturating_add(output).saturating_add(more)) })
}

/// Tool calls being collected: a result is added to the call with the same id.
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

/// Returns the text of a value that is either a string or a list of parts with texts.
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
