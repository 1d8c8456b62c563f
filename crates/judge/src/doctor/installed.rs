//! Referee's hooks in the configuration of a host.

use std::time::Duration;

use referee_model::hook::AgentHost;
use referee_syntax::shell::plain_words;
use referee_syntax::tree::Node;
use serde_json::{Map, Value};

use super::command::{self, Call};
use super::{HostFile, Scope, Written, certain, codex};

/// Keys of a handler's command, in the order in which they are tried on this system.
const COMMANDS: [&str; 5] = ["bash", "linux", "osx", "exec", "command"];

#[derive(Debug, Clone, Default)]
pub(super) struct Configuration {
    /// Members of the file, if it is JSON.
    pub(super) root: Map<String, Value>,
    /// Content of the file, if it is TOML.
    pub(super) settings: Option<Node>,
    /// Handlers that call Referee for this host.
    pub(super) handlers: Vec<Handler>,
    /// Reasons why the host ignores the file or parts of it, one clause each.
    pub(super) problems: Vec<String>,
}

#[derive(Debug, Clone)]
pub(super) struct Handler {
    /// Event, as it is spelled in the file.
    pub(super) event: String,
    /// Index among the event's entries, and index within that entry.
    pub(super) place: (usize, usize),
    pub(super) call: Call,
    /// Time limit of the handler in milliseconds. None: not configured.
    pub(super) timeout_ms: Option<u64>,
    /// Whether the host does not wait for the handler.
    pub(super) is_in_background: bool,
    /// Maximum number of times the handler may send the agent back. None: not configured.
    pub(super) loop_limit: Option<u64>,
    /// Digest by which Codex trusts the handler.
    pub(super) digest: String,
}

pub(super) fn read(host: AgentHost, file: &HostFile, written: &[Written<'_>]) -> Configuration {
    let mut configuration = Configuration::default();
    let bytes = match &file.content {
        Ok(bytes) => bytes,
        Err(why) => {
            configuration.problems.push(format!("it cannot be read: {why}"));
            return configuration;
        }
    };
    if file.is_toml() {
        match codex::settings(bytes) {
            Ok(settings) => configuration.settings = Some(settings),
            Err(why) => configuration.problems.push(format!("it is not TOML ({why})")),
        }
        return configuration;
    }
    match serde_json::from_slice::<Value>(bytes) {
        Ok(Value::Object(root)) => configuration.root = root,
        Ok(_) => configuration.problems.push("it is not a JSON object".to_owned()),
        Err(_) if bytes.trim_ascii().is_empty() => {}
        Err(error) => configuration.problems.push(format!("it is not JSON ({error})")),
    }
    // As for commands, a person's own file in a project counts as the project's.
    let scope = if file.scope == Scope::Local { Scope::Project } else { file.scope };
    let of_file: Vec<&Written<'_>> = written.iter().filter(|written| written.scope == scope).collect();
    hooks(host, &of_file, &mut configuration);
    configuration
}

fn hooks(host: AgentHost, written: &[&Written<'_>], configuration: &mut Configuration) {
    let Configuration { root, handlers, problems, .. } = configuration;
    let Some(hooks) = root.get("hooks") else { return };
    let Value::Object(events) = hooks else {
        problems.push("`hooks` is not an object".to_owned());
        return;
    };
    if matches!(host, AgentHost::Copilot | AgentHost::Cursor) && root.get("version").and_then(Value::as_u64) != Some(1)
    {
        problems.push("it does not say `\"version\": 1`".to_owned());
    }
    let unknown = root.keys().find(|key| host == AgentHost::Codex && !matches!(key.as_str(), "hooks" | "description"));
    problems.extend(unknown.map(|key| format!("Codex refuses a file with the key `{key}`")));
    for (event, entries) in events {
        // Settings for hooks that are among the events.
        if matches!(event.as_str(), "enabled" | "disabled" | "notifications" | "state") {
            continue;
        }
        let Value::Array(entries) = entries else {
            problems.push(format!("`hooks.{event}` is not a list"));
            continue;
        };
        for (index, entry) in entries.iter().enumerate() {
            let matcher = entry.get("matcher").and_then(Value::as_str);
            let inner = entry.get("hooks").and_then(Value::as_array);
            let several: Vec<&Value> = inner.map_or_else(|| vec![entry], |inner| inner.iter().collect());
            let found = several.into_iter().enumerate();
            let written = written.iter().find(|written| written.event == event).map(|written| written.line.as_str());
            handlers.extend(
                found.filter_map(|(within, value)| handler(host, (event, matcher, written), (index, within), value)),
            );
        }
    }
}

fn handler(
    host: AgentHost,
    (event, matcher, written): (&str, Option<&str>, Option<&str>),
    place: (usize, usize),
    value: &Value,
) -> Option<Handler> {
    let kind = value.get("type").and_then(Value::as_str);
    if kind.is_some_and(|kind| kind != "command") {
        return None;
    }
    let line = COMMANDS.iter().find_map(|key| value.get(*key).and_then(Value::as_str))?;
    let arguments = value.get("args").and_then(Value::as_array);
    let call = match arguments {
        None => {
            let certain = plain_words(line).and_then(|words| certain::certain(host, &words, written));
            command::in_line(host, line)?.sure(certain)
        }
        Some(arguments) => {
            let words: Vec<&str> = std::iter::once(line).chain(arguments.iter().filter_map(Value::as_str)).collect();
            let whole: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            command::in_words(host, &words)?.sure(certain::certain(host, &whole, written))
        }
    };
    let is = |key: &str, wanted: bool| value.get(key).and_then(Value::as_bool) == Some(wanted);
    Some(Handler {
        event: event.to_owned(),
        place,
        call,
        timeout_ms: timeout(host, value),
        is_in_background: is("async", true) || is("asyncRewake", true),
        loop_limit: value.get("loop_limit").and_then(Value::as_u64),
        digest: codex::digest(event, matcher, line, value),
    })
}

/// Returns the time limit of a handler: Gemini CLI uses milliseconds, Qwen Code milliseconds from 1 000 on, the
/// others seconds.
fn timeout(host: AgentHost, value: &Value) -> Option<u64> {
    let told = value.get("timeoutSec").or_else(|| value.get("timeout"))?;
    let told = told.as_f64()?;
    let in_milliseconds = host == AgentHost::Gemini || host == AgentHost::Qwen && told >= 1_000.0;
    let seconds = if in_milliseconds { told / 1_000.0 } else { told };
    let waits = Duration::try_from_secs_f64(seconds.max(0.0)).ok()?;
    u64::try_from(waits.as_millis()).ok()
}
