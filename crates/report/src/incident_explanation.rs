//! `referee incident explain --format json`: why failures were taken for one incident or for a regression, and why it has its
//! class.

use referee_model::incident::id::IncidentId;
use serde::Serialize;

use referee_model::document::Kind;
use referee_model::incident::grouping::{ClassDocument, IncidentGroupingDocument, PartsDocument, RelationDocument};

const KIND: Kind =
    Kind { name: "the explanation of an incident", key: "incident_explanation_version", version: "1.0.0" };

/// Why failures were taken for one incident.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IncidentExplanationDocument {
    pub incident_explanation_version: &'static str,
    pub incident_id: IncidentId,
    pub occurrences: u64,
    /// What groups it. Null: another program captured it, and it is grouped with nothing.
    pub fingerprint: Option<referee_model::fingerprint::Fingerprint>,
    /// Its class, and why it is that one. Null: nothing tells.
    pub class: Option<ClassDocument>,
    /// What is equal in all of its occurrences.
    pub equal: Option<PartsDocument>,
    /// What differs among those that are kept, in sentences: none of it counts.
    pub different: Vec<String>,
    /// What it is to a closed incident with the same fingerprint.
    pub relation: Option<RelationDocument>,
    pub sentences: Vec<String>,
}

impl IncidentExplanationDocument {
    /// Begins the explanation of an incident; without a grouping nothing is known.
    pub fn of(incident_id: IncidentId, occurrences: u64, grouping: Option<&IncidentGroupingDocument>) -> Self {
        Self {
            incident_explanation_version: KIND.version,
            incident_id,
            occurrences,
            fingerprint: grouping.map(|grouping| grouping.fingerprint),
            class: grouping.map(|grouping| grouping.class.clone()),
            equal: grouping.map(|grouping| grouping.parts.clone()),
            different: Vec::new(),
            relation: grouping.and_then(|grouping| grouping.relation.clone()),
            sentences: Vec::new(),
        }
    }
}
