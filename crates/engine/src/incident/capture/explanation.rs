//! Explains why failures were grouped as one incident or as a regression, and why an incident has its class.

use std::collections::BTreeSet;

use referee_ledger::incidents::Part;
use referee_model::incident::grouping::{
    self as grouping, GROUPING, IncidentGroupingDocument, PartsDocument, RelationKind,
};
use referee_model::incident::id::IncidentId;
use referee_model::incident::seconds;
use referee_report::incident_explanation::IncidentExplanationDocument;
use referee_syntax::count::list;

use crate::incident::{IncidentContext, IncidentError};

/// Maximum number of differing messages that are listed.
const MESSAGES: usize = 5;

/// Explains an incident.
///
/// # Errors
/// Fails if there is none, or if it cannot be read.
pub fn explain(context: IncidentContext<'_>, id: &IncidentId) -> Result<IncidentExplanationDocument, IncidentError> {
    let stored = context.find(id)?;
    let file = context.incidents.file(id, Part::Incident, GROUPING)?;
    let read = file.map(|bytes| grouping::KIND.decode::<IncidentGroupingDocument>(&bytes)).transpose();
    let (grouping, fault) = match read {
        Ok(grouping) => (grouping, None),
        Err(error) => (None, Some(error.to_string())),
    };
    let occurrences = stored.incident.occurrences;
    let mut explained = IncidentExplanationDocument::of(id.clone(), occurrences, grouping.as_ref());
    explained.fingerprint = stored.incident.fingerprint;
    let Some(grouping) = grouping else {
        explained.sentences = vec![unexplained(fault)];
        return Ok(explained);
    };
    let is_of_it = stored.incident.fingerprint == Some(grouping.fingerprint);
    if !is_of_it {
        explained.sentences.push(format!("{GROUPING} is of another failure than the incident: it was changed by hand"));
    }
    explained.different = different(&grouping);
    explained.sentences.extend(sentences(&grouping, occurrences, &explained.different));
    Ok(explained)
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
