//! One hook in the format of a host's configuration.

use referee_model::hook::moment;
use referee_model::hook::{AgentHost, HookMoment};

use super::super::stand_in;
use super::{HookRequest, LOOP_LIMIT, MARGIN_MS, UNGATED_DEADLINE_MS, command, is_grouped};

/// Tools of Claude Code that can change a file.
const EDITING: &str = "Bash|Edit|MultiEdit|NotebookEdit|Write";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hook {
    /// Name of the event, as the host spells it.
    pub event: &'static str,
    pub moment: HookMoment,
    pub command: String,
    /// Timeout that the host applies, in milliseconds.
    pub timeout_ms: u64,
    /// Entry in the list of the event.
    pub(super) entry: String,
}

/// A handler with the keys of all hosts, of which each host uses some.
#[document(unpublished)]
#[derive(Default)]
struct Handler<'handler> {
    #[serde(rename = "type")]
    kind: Option<&'static str>,
    name: Option<&'static str>,
    command: Option<&'handler str>,
    bash: Option<&'handler str>,
    powershell: Option<&'handler str>,
    windows: Option<&'handler str>,
    timeout: Option<u64>,
    timeout_sec: Option<u64>,
    fail_closed: Option<bool>,
    #[serde(rename = "loop_limit")]
    loop_limit: Option<u32>,
}

/// A group of handlers, for hosts that have such groups.
#[document(unpublished)]
struct Group<'handler> {
    matcher: Option<&'static str>,
    hooks: [Handler<'handler>; 1],
}

/// Returns the hook for one event.
pub(super) fn hook(wanted: &HookRequest<'_>, event: &'static str) -> Hook {
    let HookRequest { host, program, deadline_ms, .. } = *wanted;
    let moment = moment(event);
    let deadline_ms = if moment.is_gated() { deadline_ms } else { deadline_ms.min(UNGATED_DEADLINE_MS) };
    let timeout_ms = deadline_ms.div_ceil(1_000) * 1_000 + MARGIN_MS;
    let reply = stand_in(host, moment, event);
    let deadline = format!("{}s", deadline_ms.div_ceil(1_000));
    let words = ["hook", host.as_str(), "--deadline", &deadline];
    let line = command::line(wanted, (event, moment), &words);
    let for_windows = command::power_shell(program, &words, &reply);
    let windows_line = format!("powershell -NoProfile -Command \"{}\"", for_windows.replace('"', "\\\""));
    let handler = handler(host, moment, (&line, &for_windows, &windows_line), timeout_ms);
    Hook { event, moment, entry: entry(host, event, handler), command: line, timeout_ms }
}

fn handler<'handler>(
    host: AgentHost,
    moment: HookMoment,
    (line, power_shell, windows): (&'handler str, &'handler str, &'handler str),
    timeout_ms: u64,
) -> Handler<'handler> {
    let seconds = timeout_ms / 1_000;
    let plain = Handler { kind: Some("command"), command: Some(line), timeout: Some(seconds), ..Handler::default() };
    match host {
        // `onFailure` has no effect at the events at which work is handed back, by the schema of Claude Code.
        AgentHost::Claude | AgentHost::Codex | AgentHost::OpenCode => plain,
        AgentHost::Copilot => Handler {
            command: None,
            bash: Some(line),
            powershell: Some(power_shell),
            timeout: None,
            timeout_sec: Some(seconds),
            ..plain
        },
        AgentHost::Gemini => Handler { name: Some("referee"), timeout: Some(timeout_ms), ..plain },
        // Qwen Code counts in seconds, but takes a number of four digits for milliseconds.
        AgentHost::Qwen => {
            let timeout = if seconds < 1_000 { seconds } else { timeout_ms };
            Handler { name: Some("referee"), timeout: Some(timeout), ..plain }
        }
        AgentHost::Cursor => Handler {
            kind: None,
            fail_closed: moment.is_gated().then_some(true),
            loop_limit: moment.is_gated().then_some(LOOP_LIMIT),
            ..plain
        },
        AgentHost::VsCode => Handler { windows: Some(windows), ..plain },
    }
}

fn entry(host: AgentHost, event: &str, handler: Handler<'_>) -> String {
    let matcher = (event == "PreToolUse").then_some(EDITING);
    let laid_out = if is_grouped(host) {
        serde_json::to_string_pretty(&Group { matcher, hooks: [handler] })
    } else {
        serde_json::to_string_pretty(&handler)
    };
    // Strings, numbers and booleans under fixed keys can always be serialized.
    laid_out.unwrap_or_default()
}
