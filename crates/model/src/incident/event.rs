//! A line of `events.jsonl`: the events of all incidents, in order, for programs that follow incidents. Every
//! line holds the digest of the line before it, so that no line can be changed or removed unnoticed.

use crate::id::Digest;
use crate::incident::id::IncidentId;
use crate::incident::status::IncidentStatus;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::document::Kind;

/// Format of one line.
pub const KIND: Kind = Kind { name: "a line of events.jsonl", key: "event_version", version: "1.0.0" };

/// An event in the life of an incident.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(title = "Event of an incident"))]
pub struct IncidentEventDocument {
    /// Number of the event, from 1, in the order in which the events occurred.
    pub sequence: u64,
    /// Time of the event.
    pub at: Timestamp,
    /// Id of the incident.
    pub incident_id: IncidentId,
    /// Kind of event: `capture`, `occurrence`, `plan`, `plan_approve`, `reject`, `handoff`, `recall`,
    /// `acknowledge`, `result`, `go_exec`, `turn`, `replan`, `archive`, `reopen`.
    pub action: String,
    /// Status of the incident before the event. Null: the incident did not exist.
    pub from: Option<IncidentStatus>,
    /// Status of the incident after the event.
    pub to: IncidentStatus,
    /// Who caused the event, as far as known: a person's name, `api` or `loop`.
    pub by: String,
    /// Further details as a sentence without secrets. May be empty.
    pub note: String,
    /// SHA-256 of the previous line, without its line terminator. Left out in the first line, and in lines by
    /// older versions of Referee.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<Digest>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event() -> IncidentEventDocument {
        IncidentEventDocument {
            sequence: 7,
            at: Timestamp::from_millisecond(1_795_251_924_120),
            incident_id: IncidentId::parse("i-1").unwrap(),
            action: "plan".to_owned(),
            from: None,
            to: IncidentStatus::PlanProposed,
            by: "a person\nof two lines".to_owned(),
            note: String::new(),
            previous: Some(Digest::from_bytes([7; 32])),
        }
    }

    #[test]
    fn an_event_is_one_line_that_says_its_version_first() {
        let line = KIND.encode_line(&event()).unwrap();
        assert!(line.starts_with(br#"{"event_version":"1.0.0","sequence":7,"#), "{}", String::from_utf8_lossy(&line));
        assert_eq!(line.iter().position(|byte| *byte == b'\n'), Some(line.len() - 1));
        assert_eq!(KIND.decode::<IncidentEventDocument>(&line).unwrap(), event());
    }

    #[test]
    fn what_is_no_event_is_refused() {
        let newer = String::from_utf8(KIND.encode_line(&event()).unwrap()).unwrap().replace("1.0.0", "2.0.0");
        for junk in ["", "{}", "null", "{\"event_version\":\"1.0.0\"}", newer.as_str()] {
            assert!(KIND.decode::<IncidentEventDocument>(junk.as_bytes()).is_err(), "{junk}");
        }
    }
}
