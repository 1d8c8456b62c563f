//! Finds the last message of an agent at the end of its transcript, for hosts whose events do not include it.
//!
//! Transcripts are not a contract: hosts change them. Anything unknown is ignored and is never an error.

use referee_model::hook::AgentHost;
use referee_model::time::Timestamp;
use referee_syntax::cut::tail;
use serde_json::Value;

/// Number of bytes at the end of a transcript that are worth reading.
pub const BYTES: usize = 1024 * 1024;

/// Maximum length of a returned message, in bytes. Of a longer one the end is kept, where an agent reports its
/// outcome.
const MESSAGE_BYTES: usize = 64 * 1024;

/// Returns the last message of an agent, given the end of a transcript with one JSON object per line; the first
/// line may be cut. Returns `None` if nothing is recognized, or if a person spoke after the message, which then
/// belongs to an earlier turn. `worker` is the id of a subagent, for a transcript that the whole session
/// shares.
pub fn last_message(host: AgentHost, worker: Option<&str>, bytes: &[u8]) -> Option<String> {
    for line in lines_from_the_end(bytes) {
        if host == AgentHost::Copilot && line.get("agentId").and_then(Value::as_str) != worker {
            continue;
        }
        match said(host, &line) {
            Said::ByAgent(message) => return Some(tail(&message, MESSAGE_BYTES).to_owned()),
            Said::ByPerson => return None,
            Said::Nothing => {}
        }
    }
    None
}

/// Returns whether the end of a transcript contains an event at or after `then`, and so everything before it.
/// Copilot alone calls its stop hooks before it has written the agent's message, and then records the call.
pub fn reaches(bytes: &[u8], then: Timestamp) -> bool {
    let happened = |line: &Value| Timestamp::parse(line.get("timestamp")?.as_str()?).ok();
    lines_from_the_end(bytes).find_map(|line| happened(&line)).is_some_and(|last| then <= last)
}

/// Returns the lines that are JSON objects, last one first.
fn lines_from_the_end(bytes: &[u8]) -> impl Iterator<Item = Value> {
    let bytes = &bytes[bytes.len().saturating_sub(BYTES)..];
    let lines = bytes.rsplit(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    lines.filter(Value::is_object)
}

enum Said {
    ByAgent(String),
    ByPerson,
    Nothing,
}

/// Parses one line in the form of the host.
fn said(host: AgentHost, line: &Value) -> Said {
    let kind = line.get("type").and_then(Value::as_str);
    let (who, content) = match host {
        // One event per line: {"type": "assistant.message", "data": {"content": "…"}}.
        AgentHost::Copilot | AgentHost::VsCode => match kind {
            Some("assistant.message") => ("assistant", line.pointer("/data/content")),
            Some("user.message") => ("user", line.pointer("/data/content")),
            _ => return Said::Nothing,
        },
        // {"type": "response_item", "payload": {"type": "message", "role": "assistant", "content": […]}}.
        AgentHost::Codex => {
            (line.pointer("/payload/role").and_then(Value::as_str).unwrap_or(""), line.pointer("/payload/content"))
        }
        // Their events always include the last message; their transcripts are unknown or not reported.
        AgentHost::Qwen | AgentHost::OpenCode => return Said::Nothing,
        // {"type": "gemini", "content": "…"}.
        AgentHost::Gemini => {
            (if kind == Some("gemini") { "assistant" } else { kind.unwrap_or("") }, line.get("content"))
        }
        // {"role": "assistant", "message": {"content": […]}}; Claude Code uses `type` where Cursor uses `role`.
        AgentHost::Claude | AgentHost::Cursor => {
            (line.get("role").and_then(Value::as_str).or(kind).unwrap_or(""), line.pointer("/message/content"))
        }
    };
    match (who, content.map(text).filter(|text| !text.trim().is_empty())) {
        ("assistant", Some(message)) => Said::ByAgent(message),
        // The result of a tool is passed to the agent as a user message, and has no text of its own.
        ("user", Some(_)) => Said::ByPerson,
        _ => Said::Nothing,
    }
}

/// Joins the texts of a message, which is a string or a list of parts, some of which are texts.
fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str));
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_message_is_found_in_the_way_of_each_host() {
        let rows = [
            (
                AgentHost::Copilot,
                "cut off\"}}\n{\"type\":\"assistant.message\",\"data\":{\"content\":\"first\"}}\n\
                 {\"type\":\"user.message\",\"data\":{\"content\":\"go on\"}}\n\
                 {\"type\":\"assistant.message\",\"data\":{\"content\":\"All tests pass.\"}}\n\
                 {\"type\":\"assistant.message\",\"data\":{\"content\":\"\",\"toolRequests\":[{}]}}\n\
                 {\"type\":\"assistant.turn_end\",\"data\":{}}\n",
            ),
            (
                AgentHost::Cursor,
                "{\"role\":\"user\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"fix\"}]}}\n\
                 {\"role\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"All tests pass.\"}]}}",
            ),
            (
                AgentHost::Claude,
                "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"All tests pass.\"}]}}\n\
                 {\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"content\":\"ok\"}]}}\n",
            ),
            (
                AgentHost::Codex,
                "{\"type\":\"response_item\",\"payload\":{\"type\":\"message\",\"role\":\"assistant\",\"content\":\
                 [{\"type\":\"output_text\",\"text\":\"All tests pass.\"}]}}\n",
            ),
            (AgentHost::Gemini, "{\"type\":\"gemini\",\"content\":\"All tests pass.\"}"),
        ];
        for (host, transcript) in rows {
            assert_eq!(last_message(host, None, transcript.as_bytes()).as_deref(), Some("All tests pass."), "{host:?}");
        }
    }

    /// As written by Copilot 1.0.102, shortened: an agent starts another one, and both report.
    const OF_TWO: &str = r#"{"type":"user.message","data":{"content":"look"},"timestamp":"2026-11-23T04:02:04.500Z"}
{"type":"user.message","data":{"content":"read it"},"agentId":"61e0","timestamp":"2026-11-23T04:02:04.740Z"}
{"type":"assistant.message","data":{"content":"All tests pass."},"timestamp":"2026-11-23T04:02:04.800Z"}
{"type":"assistant.message","data":{"content":"I only read it."},"agentId":"61e0","timestamp":"2026-11-23T04:02:04.830Z"}
{"type":"hook.start","data":{"hookType":"agentStop","input":{"timestamp":1795406524836}},"timestamp":"2026-11-23T04:02:04.836Z"}
"#;

    #[test]
    fn each_agent_of_a_transcript_said_what_it_said_itself() {
        let said = |worker| last_message(AgentHost::Copilot, worker, OF_TWO.as_bytes());
        assert_eq!(said(None).as_deref(), Some("All tests pass."));
        assert_eq!(said(Some("61e0")).as_deref(), Some("I only read it."));
        assert_eq!(said(Some("another")), None);
    }

    #[test]
    fn a_transcript_reaches_a_time_once_it_tells_of_something_that_happened_then() {
        let at = Timestamp::from_millisecond(1_795_406_524_836);
        assert!(reaches(OF_TWO.as_bytes(), at));
        assert!(!reaches(OF_TWO.as_bytes(), at.plus_milliseconds(1)));
        let without_last = OF_TWO.trim_end().rsplit_once('\n').unwrap().0;
        assert!(!reaches(without_last.as_bytes(), at));
        let half_written = &OF_TWO[..OF_TWO.len() - 20];
        assert!(!reaches(half_written.as_bytes(), at));
        assert!(!reaches(b"", at) && !reaches(b"junk\n[]\n{\"timestamp\":7}", at));
    }

    #[test]
    fn what_is_not_understood_or_about_an_earlier_turn_is_no_message() {
        let earlier = "{\"type\":\"assistant.message\",\"data\":{\"content\":\"All tests pass.\"}}\n\
                       {\"type\":\"user.message\",\"data\":{\"content\":\"now the other\"}}\n";
        for transcript in [earlier, "", "junk", "[1]\n{\"type\":7}\n{\"type\":\"assistant.message\"}", "{\"type\":"] {
            for host in AgentHost::ALL {
                assert_eq!(last_message(host, None, transcript.as_bytes()), None, "{host:?}: {transcript}");
            }
        }
    }

    #[test]
    fn of_a_long_message_the_end_is_kept_on_a_character() {
        let long = format!("{}done", "ü".repeat(MESSAGE_BYTES));
        let line = serde_json::json!({"type": "assistant.message", "data": {"content": long}}).to_string();
        let message = last_message(AgentHost::Copilot, None, line.as_bytes()).unwrap();
        assert!(message.len() <= MESSAGE_BYTES && message.ends_with("üdone"));
    }
}
