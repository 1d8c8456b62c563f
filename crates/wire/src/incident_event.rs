//! A line of `events.jsonl`: what happened to which incident, in order. Whoever follows incidents follows this. Every line holds the
//! digest of the line before, so that none can be changed or left out unseen.

use referee_model::id::Digest;
use referee_model::incident::id::IncidentId;
use referee_model::incident::status::IncidentStatus;
use referee_model::time::Timestamp;
use serde::{Deserialize, Serialize};

use referee_model::document::{DocumentError, Kind};

const KIND: Kind = Kind { name: "a line of events.jsonl", key: "event_version", version: "1.0.0" };

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

/// An event as its line has it.
#[derive(Debug, Serialize)]
pub(crate) struct EventLine<'event> {
    /// Version of this format.
    event_version: &'static str,
    #[serde(flatten)]
    event: &'event IncidentEventDocument,
}

/// Lays an event out as one line, its end included.
///
/// # Errors
/// Fails only for what JSON cannot hold.
pub fn line(event: &IncidentEventDocument) -> Result<Vec<u8>, serde_json::Error> {
    let mut line = serde_json::to_vec(&EventLine { event_version: KIND.version, event })?;
    line.push(b'\n');
    Ok(line)
}

/// Reads a line, with or without its end.
///
/// # Errors
/// Fails for bytes that are no event, or one of a version that is not known.
pub fn read(line: &[u8]) -> Result<IncidentEventDocument, DocumentError> {
    KIND.read(line)
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
        let line = line(&event()).unwrap();
        assert!(line.starts_with(br#"{"event_version":"1.0.0","sequence":7,"#), "{}", String::from_utf8_lossy(&line));
        assert_eq!(line.iter().position(|byte| *byte == b'\n'), Some(line.len() - 1));
        assert_eq!(read(&line).unwrap(), event());
    }

    #[test]
    fn what_is_no_event_is_refused() {
        let newer = String::from_utf8(line(&event()).unwrap()).unwrap().replace("1.0.0", "2.0.0");
        for junk in ["", "{}", "null", "{\"event_version\":\"1.0.0\"}", newer.as_str()] {
            assert!(read(junk.as_bytes()).is_err(), "{junk}");
        }
    }
}
