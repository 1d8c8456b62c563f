//! `grouping.json` of an incident: why failures were assigned to it, and what its class follows from (ruling
//! 23). The seed does not define this file; programs that do not know it ignore it.

use crate::fingerprint::Fingerprint;
use crate::incident::id::IncidentId;
use crate::limit;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::document::Kind;
use crate::incident::seconds;

/// File name of the document.
pub const GROUPING: &str = "grouping.json";

/// Format of the document.
pub const KIND: Kind = Kind { name: GROUPING, key: "grouping_version", version: "1.0.0" };

/// Why several failures were assigned to one incident.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IncidentGroupingDocument {
    /// Fingerprint by which failures are assigned to the incident.
    pub fingerprint: Fingerprint,
    /// Class of the incident, with the reason.
    pub class: ClassDocument,
    /// Components of the fingerprint, which are equal in all occurrences.
    pub parts: PartsDocument,
    /// Another incident with the same fingerprint. Null: there was none.
    pub relation: Option<RelationDocument>,
    /// Times at which the failure was seen: the first one and the latest ones.
    pub sightings: Vec<SightingDocument>,
    /// Number of sightings between the first and the latest ones that are not listed.
    pub sightings_left_out: u64,
}

/// Class of an incident, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassDocument {
    /// Name of the class.
    pub name: String,
    /// Whether the class was computed. If not, a person chose it.
    pub computed: bool,
    /// Reason for the class, as a sentence.
    pub because: String,
    /// Meaning of the class. Empty: the class was not computed.
    #[serde(default)]
    pub meaning: String,
}

/// Components of a fingerprint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartsDocument {
    /// Whether the failure was judged in a run. If not, it was recognized in a log.
    pub judged: bool,
    /// Name of the check or step.
    pub step: String,
    /// Tool that reported the failure. Empty: none.
    pub tool: String,
    /// Code, rule or name of the test; for a failure that was not judged, the class.
    pub code: String,
    /// Error message, without the parts that change from run to run.
    pub message: String,
    /// Path of the file, if it belongs to the project. Empty: none.
    pub file: String,
}

/// Another incident with the same fingerprint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelationDocument {
    /// Id of the other incident.
    pub incident_id: IncidentId,
    /// Relation of this incident to the other one.
    pub kind: RelationKind,
}

/// Relation of an incident to another one with the same fingerprint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RelationKind {
    /// The other incident was resolved, and the failure has returned.
    Regression,
    /// The other incident was escalated to a person, and the failure has occurred again.
    AfterEscalation,
    /// The other incident is open, and this one was given an id of its own.
    Beside,
}

/// One sighting of a failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SightingDocument {
    /// Time of the sighting.
    #[serde(with = "seconds")]
    pub seen_at: Timestamp,
    /// Id of the run. Empty: none was named.
    pub run_id: String,
    /// Error message at that time, unchanged.
    pub message: String,
    /// Line in the file, 1-based. Null: unknown.
    pub line: Option<u32>,
    /// Where the failure was read. Empty: not recorded.
    pub source: String,
}

impl IncidentGroupingDocument {
    /// Adds a sighting. Keeps the first sighting and the latest ones.
    pub fn see(&mut self, sighting: SightingDocument) {
        self.sightings.push(sighting);
        if self.sightings.len() > limit::INCIDENT_SIGHTINGS {
            self.sightings.remove(1);
            self.sightings_left_out += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::id::Digest;

    use super::*;

    fn grouping() -> IncidentGroupingDocument {
        IncidentGroupingDocument {
            fingerprint: Fingerprint::version_1(Digest::from_bytes([7; 32])),
            class: ClassDocument {
                name: "lint_failed".to_owned(),
                computed: true,
                because: "outcome and error type say so".to_owned(),
                meaning: "A linter found something.".to_owned(),
            },
            parts: PartsDocument {
                judged: true,
                step: "lint".to_owned(),
                tool: "eslint".to_owned(),
                code: "semi".to_owned(),
                message: "Missing semicolon.".to_owned(),
                file: "src/a.js".to_owned(),
            },
            relation: None,
            sightings: Vec::new(),
            sightings_left_out: 0,
        }
    }

    fn sighting(second: i64) -> SightingDocument {
        SightingDocument {
            seen_at: Timestamp::from_millisecond(second * 1000),
            run_id: String::new(),
            message: second.to_string(),
            line: None,
            source: String::new(),
        }
    }

    #[test]
    fn the_first_sighting_and_the_latest_ones_are_kept() {
        let mut grouping = grouping();
        for second in 0..100 {
            grouping.see(sighting(second));
        }
        let kept: Vec<&str> = grouping.sightings.iter().map(|sighting| sighting.message.as_str()).collect();
        assert_eq!((kept.len(), kept[0], kept[1], kept[19]), (20, "0", "81", "99"));
        assert_eq!(grouping.sightings_left_out, 80);
        let read = |bytes: &[u8]| KIND.decode::<IncidentGroupingDocument>(bytes);
        assert_eq!(read(&KIND.encode(&grouping).unwrap()).unwrap(), grouping);
        assert!(read(b"{}").is_err() && read(b"{\"grouping_version\":\"2.0.0\"}").is_err());
    }
}
