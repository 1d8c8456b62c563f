//! Listing incidents from their folders alone: slow, and always right.

use std::cmp::Reverse;

use referee_model::fingerprint::Fingerprint;
use referee_model::incident::id::IncidentId;
use referee_wire::incident_list::{IncidentCounts, IncidentListDocument};

use super::ground::{Ground, names};
use super::journal;
use super::query::Question;
use super::row::{self, Row};
use super::shelf::Shelf;
use crate::error::LedgerError;
use crate::folder::Kind;

/// Sentences about what cannot be read that a list has.
pub(super) const TOLD: usize = 100;

/// Everything that lies on the shelves.
#[derive(Debug, Default)]
struct Everything {
    rows: Vec<Row>,
    counts: IncidentCounts,
    faults: Vec<String>,
}

/// Lists incidents.
pub(super) fn list(ground: &Ground, question: &Question<'_>) -> Result<IncidentListDocument, LedgerError> {
    let Everything { mut rows, counts, mut faults } = read_all(ground)?;
    rows.retain(|row| question.is_about(row));
    rows.sort_by_key(|row| Reverse(row.cursor()));
    let total = rows.len() as u64;
    if let Some(after) = &question.after {
        rows.retain(|row| row.cursor() < *after);
    }
    let next = rows.get(question.limit).and(question.limit.checked_sub(1)).and_then(|last| rows.get(last));
    let next = next.map(|last| last.cursor().text());
    rows.truncate(question.limit);
    faults.sort();
    let all = faults.len() as u64;
    Ok(IncidentListDocument {
        counts,
        total,
        incidents: rows.into_iter().map(|row| row.incident).collect(),
        next,
        degraded: told(faults, all),
    })
}

/// Returns the incidents of a fingerprint: open ones first, then the newest.
pub(super) fn of_fingerprint(ground: &Ground, fingerprint: &Fingerprint) -> Result<Vec<IncidentId>, LedgerError> {
    let wanted = fingerprint.to_string();
    let mut rows = read_all(ground)?.rows;
    rows.retain(|row| row.incident.fingerprint == wanted);
    rows.sort_by_key(|row| (row.shelf != Shelf::Inbox, Reverse(row.cursor())));
    Ok(rows.into_iter().map(|row| row.incident.incident_id).collect())
}

/// No more sentences than anybody reads, of so many.
pub(super) fn told(mut faults: Vec<String>, all: u64) -> Vec<String> {
    faults.truncate(TOLD);
    if all > TOLD as u64 {
        faults.push(format!("{} more cannot be read", all - TOLD as u64));
    }
    faults
}

fn read_all(ground: &Ground) -> Result<Everything, LedgerError> {
    let under_way = journal::ids(ground)?.iter().map(ToString::to_string).collect();
    let mut everything = Everything::default();
    for lies in Shelf::ALL {
        let Some(shelf) = ground.descend(lies.folders())? else { continue };
        for (name, kind) in names(&shelf)? {
            if kind == Kind::File {
                continue;
            }
            let Some(found) = row::read(ground, &shelf, lies, &name, &under_way) else { continue };
            count(&mut everything.counts, lies);
            match found.row {
                Ok(row) => {
                    let status = row.incident.status.as_str().to_owned();
                    *everything.counts.by_status.entry(status).or_default() += 1;
                    everything.rows.push(row);
                }
                Err(reason) => everything.faults.push(reason),
            }
        }
    }
    Ok(everything)
}

fn count(counts: &mut IncidentCounts, shelf: Shelf) {
    let counted = match shelf.number() {
        0 => &mut counts.unresolved,
        1 => &mut counts.resolved,
        _ => &mut counts.escalated,
    };
    *counted += 1;
}
