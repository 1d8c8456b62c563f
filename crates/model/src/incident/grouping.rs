//! `grouping.json` of an incident: why failures were taken for it, and what its class follows from (ruling 23). A format of our
//! own beside the seed's files; programs that do not know it pass over it.

use crate::fingerprint::Fingerprint;
use crate::incident::id::IncidentId;
use crate::limit;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::document::Kind;
use crate::incident::seconds;

/// Its name.
pub const GROUPING: &str = "grouping.json";

/// The document.
pub const KIND: Kind = Kind { name: GROUPING, key: "grouping_version", version: "1.0.0" };

/// Why failures were taken for one incident.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IncidentGroupingDocument {
    /// What groups it.
    pub fingerprint: Fingerprint,
    /// Its class, and why it is that one.
    pub class: ClassDocument,
    /// What its fingerprint was made of: what is equal in all of its occurrences.
    pub parts: PartsDocument,
    /// The closed incident with the same fingerprint. Null: there was none.
    pub relation: Option<RelationDocument>,
    /// When it was seen: the first time, and the latest ones.
    pub sightings: Vec<SightingDocument>,
    /// How many between the first and the others are not listed.
    pub sightings_left_out: u64,
}

/// A class, and why it is that one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassDocument {
    /// The class.
    pub name: String,
    /// Whether it was computed. Else a person named it.
    pub computed: bool,
    /// Why, in a sentence.
    pub because: String,
    /// What it means, where it was computed.
    #[serde(default)]
    pub meaning: String,
}

/// What a fingerprint was made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartsDocument {
    /// Whether a run's judge found the failure. Else it was told from a log.
    pub judged: bool,
    /// The check, or the step.
    pub step: String,
    /// The tool that said it. Empty: none.
    pub tool: String,
    /// Code or rule, the name of a test; of what nobody judged the class.
    pub code: String,
    /// What it says, without what changes from run to run.
    pub message: String,
    /// The file, where it is the project's own. Empty: none.
    pub file: String,
}

/// A closed incident with the same fingerprint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelationDocument {
    /// It.
    pub incident_id: IncidentId,
    /// What this one is to it.
    pub kind: RelationKind,
}

/// What an incident is to another one with the same fingerprint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RelationKind {
    /// The other one was resolved, and the failure is back.
    Regression,
    /// The other one was left to a person, and the failure is there again.
    AfterEscalation,
    /// The other one is open, and somebody gave this one an id of its own.
    Beside,
}

/// A time at which it was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SightingDocument {
    /// When.
    #[serde(with = "seconds")]
    pub seen_at: Timestamp,
    /// The run. Empty: none was named.
    pub run_id: String,
    /// What it said then, as it stood.
    pub message: String,
    /// The line of the file. Null: there is none.
    pub line: Option<u32>,
    /// Where it was read. Empty: nowhere.
    pub source: String,
}

impl IncidentGroupingDocument {
    /// Adds a sighting: beside the first one the latest are kept.
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
