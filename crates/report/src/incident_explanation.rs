//! The document of `referee incident explain --format json`: why failures were grouped as one incident or as a
//! regression, and why it has its class.

use referee_model::incident::id::IncidentId;
use serde::Serialize;

use referee_model::document::Kind;
use referee_model::incident::grouping::{ClassDocument, IncidentGroupingDocument, PartsDocument, RelationDocument};

const KIND: Kind =
    Kind { name: "the explanation of an incident", key: "incident_explanation_version", version: "1.0.0" };

/// Why failures were grouped as one incident.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IncidentExplanationDocument {
    pub incident_explanation_version: &'static str,
    pub incident_id: IncidentId,
    pub occurrences: u64,
    /// Fingerprint by which occurrences are grouped. Null: another program captured the incident, and nothing is
    /// grouped with it.
    pub fingerprint: Option<referee_model::fingerprint::Fingerprint>,
    /// Class of the incident, with the reason. Null: not known.
    pub class: Option<ClassDocument>,
    /// Parts that are equal in all occurrences. Null: not known.
    pub equal: Option<PartsDocument>,
    /// Differences among the stored occurrences, in sentences; none of them affects the grouping.
    pub different: Vec<String>,
    /// Relation to a closed incident with the same fingerprint. Null: there is none.
    pub relation: Option<RelationDocument>,
    pub sentences: Vec<String>,
}

impl IncidentExplanationDocument {
    /// Creates the explanation of an incident. Without a grouping, nothing further is known.
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
