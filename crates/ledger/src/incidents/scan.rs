//! Lists of incidents, read from their folders.

use std::cmp::Reverse;

use referee_model::fingerprint::Fingerprint;
use referee_model::incident::id::IncidentId;
use referee_wire::incident_list::{IncidentCounts, IncidentListDocument};

use super::ground::Ground;
use super::journal;
use super::query::Question;
use super::row::{self, Row};
use super::shelf::Shelf;
use crate::error::LedgerError;
use crate::folder::Kind;
use crate::parallel;

/// Sentences about what cannot be read that a list has.
const FAULTS: usize = 100;

/// Everything that lies on the shelves.
#[derive(Debug, Default)]
struct Everything {
    rows: Vec<Row>,
    counts: IncidentCounts,
    /// What cannot be read, in sentences.
    faults: Vec<String>,
}

/// Lists incidents.
pub(super) fn list(ground: &Ground, question: &Question<'_>) -> Result<IncidentListDocument, LedgerError> {
    let Everything { mut rows, counts, mut faults } = read_all(ground)?;
    rows.retain(|row| question.is_about(row));
    rows.sort_by_cached_key(|row| Reverse(row.cursor()));
    let total = rows.len() as u64;
    if let Some(after) = &question.after {
        rows.retain(|row| row.cursor() < *after);
    }
    let next = rows.get(question.limit).and(question.limit.checked_sub(1)).and_then(|last| rows.get(last));
    let next = next.map(|last| last.cursor().text());
    rows.truncate(question.limit);
    faults.sort();
    let more = faults.len().saturating_sub(FAULTS);
    faults.truncate(FAULTS);
    if more > 0 {
        faults.push(format!("{more} more cannot be read"));
    }
    let incidents = rows.into_iter().map(|row| row.incident).collect();
    Ok(IncidentListDocument { counts, total, incidents, next, degraded: faults })
}

/// Returns the incidents of a fingerprint: open ones first, then the newest.
pub(super) fn of_fingerprint(ground: &Ground, fingerprint: &Fingerprint) -> Result<Vec<IncidentId>, LedgerError> {
    let wanted = fingerprint.to_string();
    let mut rows = read_all(ground)?.rows;
    rows.retain(|row| row.incident.fingerprint == wanted);
    rows.sort_by_cached_key(|row| (row.shelf != Shelf::Inbox, Reverse(row.cursor())));
    Ok(rows.into_iter().map(|row| row.incident.incident_id).collect())
}

fn read_all(ground: &Ground) -> Result<Everything, LedgerError> {
    let under_way = journal::ids(ground)?.into_iter().collect();
    let mut all = Everything::default();
    for lies in Shelf::ALL {
        let Some(shelf) = ground.descend(lies.folders())? else { continue };
        let mut entries = shelf.entries()?;
        // A file is nobody's incident.
        entries.retain(|(name, kind)| *kind != Kind::File && !name.starts_with('.'));
        let read = |(name, _): &(String, Kind), (): &mut ()| row::read(ground, &shelf, lies, name, &under_way);
        let found = parallel::map(&entries, || (), read);
        *counted(&mut all.counts, lies) = found.len() as u64;
        for row in found {
            match row {
                Ok(row) => {
                    *all.counts.by_status.entry(row.incident.status.as_str().to_owned()).or_default() += 1;
                    all.rows.push(row);
                }
                Err(reason) => all.faults.push(reason),
            }
        }
    }
    Ok(all)
}

fn counted(counts: &mut IncidentCounts, shelf: Shelf) -> &mut u64 {
    match shelf.number() {
        0 => &mut counts.unresolved,
        1 => &mut counts.resolved,
        _ => &mut counts.escalated,
    }
}
