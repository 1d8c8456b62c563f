//! The document of `referee incident explain --format json`: why failures were grouped as one incident or as a
//! regression, and why it has its class.

use std::collections::BTreeSet;

use referee_model::document::Kind;
use referee_model::fingerprint::Fingerprint;
use referee_model::incident::IncidentDocument;
use referee_model::incident::grouping::{
    ClassDocument, GROUPING, IncidentGroupingDocument, PartsDocument, RelationDocument, RelationKind,
};
use referee_model::incident::id::IncidentId;
use referee_model::incident::seconds;
use referee_syntax::count::list;
use serde::Serialize;

/// Maximum number of differing messages that are listed.
const MESSAGES: usize = 5;

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
    pub fingerprint: Option<Fingerprint>,
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
    /// Explains an incident by its grouping, or by why there is none that can be read.
    pub fn of(incident: &IncidentDocument, grouping: Result<Option<IncidentGroupingDocument>, String>) -> Self {
        let (grouping, fault) = match grouping {
            Ok(grouping) => (grouping, None),
            Err(fault) => (None, Some(fault)),
        };
        let occurrences = incident.occurrences;
        let mut explained = Self {
            incident_explanation_version: KIND.version,
            incident_id: incident.incident_id.clone(),
            occurrences,
            fingerprint: incident.fingerprint,
            class: grouping.as_ref().map(|grouping| grouping.class.clone()),
            equal: grouping.as_ref().map(|grouping| grouping.parts.clone()),
            different: grouping.as_ref().map(different).unwrap_or_default(),
            relation: grouping.as_ref().and_then(|grouping| grouping.relation.clone()),
            sentences: Vec::new(),
        };
        let Some(grouping) = grouping else {
            explained.sentences.push(unexplained(fault));
            return explained;
        };
        if incident.fingerprint != Some(grouping.fingerprint) {
            let sentence = format!("{GROUPING} is of another failure than the incident: it was changed by hand");
            explained.sentences.push(sentence);
        }
        explained.sentences.extend(sentences(&grouping, occurrences, &explained.different));
        explained
    }
}

fn unexplained(fault: Option<String>) -> String {
    match fault {
        Some(fault) => format!("nothing tells why it was grouped: {fault}"),
        None => "another program captured it: it is grouped with nothing, and nothing tells of its class".to_owned(),
    }
}

fn sentences(grouping: &IncidentGroupingDocument, occurrences: u64, different: &[String]) -> Vec<String> {
    let class = &grouping.class;
    let mut sentences = vec![format!("its class is `{}`: {}", class.name, class.because)];
    let by = if grouping.parts.judged { "a run judged it" } else { "it was told from a log" };
    sentences.push(format!("what makes it this failure and no other ({by}): {}", told(&grouping.parts)));
    sentences.push(match occurrences {
        0 | 1 => "it was seen once".to_owned(),
        times => format!("it was seen {times} times, and each time all of that was equal"),
    });
    sentences.extend(different.iter().cloned());
    sentences.extend(grouping.relation.as_ref().map(|relation| {
        let other = &relation.incident_id;
        match relation.kind {
            RelationKind::Regression => format!("all of that was equal in {other}, which was resolved: it is back"),
            RelationKind::AfterEscalation => {
                format!("all of that was equal in {other}, which was left to a person and is not open")
            }
            RelationKind::Beside => {
                format!("all of that is equal in {other}, which is open: this one has an id that somebody gave it")
            }
        }
    }));
    sentences
}

fn told(parts: &PartsDocument) -> String {
    let code = if parts.judged { "code" } else { "class" };
    let named = [
        ("step", &parts.step),
        ("tool", &parts.tool),
        (code, &parts.code),
        ("file", &parts.file),
        ("message", &parts.message),
    ];
    let there = named.into_iter().filter(|(_, value)| !value.is_empty());
    there.map(|(name, value)| format!("{name} `{value}`")).collect::<Vec<_>>().join(", ")
}

/// Describes what differs among the sightings and was therefore left out of the grouping.
fn different(grouping: &IncidentGroupingDocument) -> Vec<String> {
    let sightings = &grouping.sightings;
    let mut sentences = Vec::new();
    let lines: BTreeSet<u32> = sightings.iter().filter_map(|sighting| sighting.line).collect();
    if lines.len() > 1 {
        let lines: Vec<String> = lines.iter().map(u32::to_string).collect();
        sentences.push(format!("it moved between lines {}, which does not count", lines.join(", ")));
    }
    let mut messages: Vec<&str> = Vec::new();
    for sighting in sightings {
        if !messages.contains(&sighting.message.as_str()) {
            messages.push(&sighting.message);
        }
    }
    if messages.len() > 1 {
        let told = list(messages.iter().map(|message| format!("`{message}`")), MESSAGES);
        let why = "numbers, times, paths and the like do not count";
        sentences.push(format!("it was told in several ways, where {why}: {told}"));
    }
    let runs = sightings.iter().map(|sighting| &sighting.run_id).filter(|run| !run.is_empty()).collect::<BTreeSet<_>>();
    if let (Some(first), Some(last), true) = (sightings.first(), sightings.last(), sightings.len() > 1) {
        sentences.push(format!(
            "first at {}, last at {}, in {} different runs",
            seconds::text(first.seen_at),
            seconds::text(last.seen_at),
            runs.len()
        ));
    }
    sentences
}
