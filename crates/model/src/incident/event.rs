//! A line of `events.jsonl`: what happened to which incident, in order. Whoever follows incidents follows this. Every line holds the
//! digest of the line before, so that none can be changed or left out unseen.

use crate::id::Digest;
use crate::incident::id::IncidentId;
use crate::incident::status::IncidentStatus;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::document::Kind;

/// The document of one line.
pub const KIND: Kind = Kind { name: "a line of events.jsonl", key: "event_version", version: "1.0.0" };

/// Something that happened to an incident.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "Event of an incident"))]
pub struct IncidentEventDocument {
    /// Its number, from 1, in the order in which things happened.
    pub sequence: u64,
    /// When.
    pub at: Timestamp,
    /// The incident.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub incident_id: IncidentId,
    /// What: `capture`, `occurrence`, `plan`, `plan_approve`, `reject`, `handoff`, `recall`, `acknowledge`, `result`, `go_exec`,
    /// `turn`, `replan`, `archive`, `reopen`.
    pub action: String,
    /// Where it stood before. None: it was not there.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub from: Option<IncidentStatus>,
    /// Where it stands since.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub to: IncidentStatus,
    /// Who did it, as far as it is known: a person's name, `api`, `loop`.
    pub by: String,
    /// What else is to be known, in a sentence without secrets. May be empty.
    pub note: String,
    /// SHA-256 of the line before, without its end. None: this is the first, or an older Referee wrote it.
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
