//! Referee's hooks in an existing configuration.

use referee_model::hook::moment;
use referee_model::hook::{AgentHost, HookMoment};
use serde_json::Value;

use super::existing_configuration::{Parsed, parsed};
use super::{ConfigurationError, is_grouped};

/// A hook of Referee in a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledHook {
    /// Name of the event, as spelled in the configuration.
    pub event: String,
    pub moment: HookMoment,
    pub called: Called,
    /// Timeout that the host applies, in milliseconds. None: the host's default.
    pub timeout_ms: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Called {
    Line(String),
    /// A program with its arguments.
    Program(Vec<String>),
}

impl InstalledHook {
    /// Returns what the host would start if another program were in Referee's place. Where the command finds
    /// Referee on the search path, nothing is changed: the other program is put there.
    pub fn with_program(&self, host: AgentHost, program: &str) -> Called {
        let call = format!(" hook {} ", host.as_str());
        match &self.called {
            Called::Program(words) => {
                let mut words = words.clone();
                if let Some(first) = words.first_mut().filter(|first| first.starts_with('/')) {
                    program.clone_into(first);
                }
                Called::Program(words)
            }
            Called::Line(line) => {
                let Some(end) = format!("{line} ").rfind(&call) else { return self.called.clone() };
                let Some(start) = word_before(line, end).filter(|start| line[*start..].starts_with(['/', '\''])) else {
                    return self.called.clone();
                };
                Called::Line(format!("{}'{program}'{}", &line[..start], &line[end..]))
            }
        }
    }
}

/// Returns the start of the shell word that ends at `end`: plain, or in single quotes with escaped quotes in it.
fn word_before(line: &str, end: usize) -> Option<usize> {
    let before = line.get(..end)?;
    let Some(mut open) = before.strip_suffix('\'') else { return Some(before.rfind(' ').map_or(0, |at| at + 1)) };
    loop {
        let start = open.rfind('\'')?;
        match open[..start].strip_suffix("'\\'") {
            Some(longer) => open = longer,
            None => return Some(start),
        }
    }
}

/// Finds Referee's hooks of one host in a configuration.
///
/// # Errors
/// Fails where the configuration is not plain JSON of that host's shape, and where it switches all hooks off.
pub fn installed(host: AgentHost, bytes: &[u8]) -> Result<Vec<InstalledHook>, ConfigurationError> {
    let Parsed { root, hooks } = parsed(host, bytes)?;
    if root.get("disableAllHooks").is_some_and(|value| value.trim() == "true") {
        return Err(ConfigurationError::new("it switches all hooks off (`disableAllHooks`)"));
    }
    let mut found = Vec::new();
    for (event, text) in &hooks.0 {
        let entries: Vec<Value> = serde_json::from_str(text).unwrap_or_default();
        let handlers = entries.iter().flat_map(|entry| handlers(host, entry));
        found.extend(handlers.filter_map(|handler| hook(host, event, handler)));
    }
    Ok(found)
}

/// Returns the handlers of one entry of an event.
pub(super) fn handlers(host: AgentHost, entry: &Value) -> Vec<&Value> {
    if is_grouped(host) {
        entry.get("hooks").and_then(Value::as_array).into_iter().flatten().collect()
    } else {
        vec![entry]
    }
}

/// Whether a handler calls Referee for this host, in whatever form.
pub(super) fn is_ours(host: AgentHost, handler: &Value) -> bool {
    let Value::Object(members) = handler else { return false };
    let told = ["bash", "command", "linux", "osx", "powershell", "windows", "exec", "args"];
    let mut words = String::new();
    for value in told.iter().filter_map(|key| members.get(*key)) {
        match value {
            Value::String(text) => words.push_str(text),
            Value::Array(parts) => {
                for part in parts.iter().filter_map(Value::as_str) {
                    words.push(' ');
                    words.push_str(part);
                }
            }
            _ => {}
        }
        words.push(' ');
    }
    let call = format!("hook {} ", host.as_str());
    words.to_ascii_lowercase().contains("referee") && words.contains(&call)
}

fn hook(host: AgentHost, event: &str, handler: &Value) -> Option<InstalledHook> {
    if !is_ours(host, handler) {
        return None;
    }
    let text = |key: &str| handler.get(key).and_then(Value::as_str).map(str::to_owned);
    let lines = ["bash", "linux", "command", "exec"];
    let line = lines.iter().find_map(|key| text(key))?;
    let arguments = handler.get("args").and_then(Value::as_array);
    let called = match arguments {
        None => Called::Line(line),
        Some(arguments) => {
            let arguments = arguments.iter().map(|argument| argument.as_str().map(str::to_owned));
            Called::Program(std::iter::once(Some(line)).chain(arguments).collect::<Option<_>>()?)
        }
    };
    let seconds = handler.get("timeoutSec").or_else(|| handler.get("timeout")).and_then(Value::as_u64);
    let unit = match host {
        AgentHost::Gemini => 1,
        AgentHost::Qwen if seconds.is_some_and(|told| told >= 1_000) => 1,
        _ => 1_000,
    };
    Some(InstalledHook {
        event: event.to_owned(),
        moment: moment(event),
        called,
        timeout_ms: seconds.and_then(|seconds| seconds.checked_mul(unit)),
    })
}
