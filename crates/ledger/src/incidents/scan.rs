//! Lists of incidents, read from their directories.

use std::cmp::Reverse;

use referee_model::fingerprint::Fingerprint;
use referee_model::incident::id::IncidentId;
use referee_model::incident::list::{IncidentCounts, IncidentListDocument};

use super::incident_dir::IncidentDir;
use super::incident_root::IncidentRoot;
use super::journal;
use super::query::Question;
use super::row::{self, Row};
use crate::directory::Kind;
use crate::error::LedgerError;
use crate::parallel;

/// Maximum number of faults in a list.
const FAULTS: usize = 100;

/// Maximum number of times that the directories are read until nothing moved meanwhile.
const READINGS: usize = 5;

/// All incidents in the inbox and the archive.
#[derive(Debug, Default)]
pub(super) struct Everything {
    /// Newest first.
    rows: Vec<Row>,
    counts: IncidentCounts,
    /// Incidents that cannot be read, one sentence each, sorted.
    faults: Vec<String>,
}

pub(super) fn list(all: &Everything, question: &Question<'_>) -> IncidentListDocument {
    let matching: Vec<&Row> = all.rows.iter().filter(|row| question.is_about(row)).collect();
    // They are sorted by cursor, the highest first.
    let is_shown = |row: &&Row| question.after.as_ref().is_some_and(|after| *after <= row.cursor());
    let rest = &matching[matching.partition_point(is_shown)..];
    let page = &rest[..rest.len().min(question.limit)];
    let next = page.last().filter(|_| page.len() < rest.len()).map(|last| last.cursor().text());
    let mut degraded: Vec<String> = all.faults.iter().take(FAULTS).cloned().collect();
    let more = all.faults.len() - degraded.len();
    if more > 0 {
        degraded.push(format!("{more} more cannot be read"));
    }
    IncidentListDocument {
        counts: all.counts.clone(),
        total: matching.len() as u64,
        incidents: page.iter().map(|row| row.incident.clone()).collect(),
        next,
        degraded,
    }
}

/// Returns the incidents with a fingerprint: open ones first, then the newest.
pub(super) fn of_fingerprint(ground: &IncidentRoot, fingerprint: &Fingerprint) -> Result<Vec<IncidentId>, LedgerError> {
    let wanted = fingerprint.to_string();
    let mut rows = read_all(ground)?.rows;
    rows.retain(|row| row.incident.fingerprint == wanted);
    rows.sort_by_key(|row| row.shelf != IncidentDir::Inbox);
    Ok(rows.into_iter().map(|row| row.incident.incident_id).collect())
}

/// Names of the incidents in each directory, in the order of the directory listing.
type Names = [Vec<String>; IncidentDir::ALL.len()];

/// Reads the inbox and the archive. An incident that moves between them meanwhile could be missed or read
/// twice, so everything is read again while the names before and after differ.
pub(super) fn read_all(ground: &IncidentRoot) -> Result<Everything, LedgerError> {
    let mut names = names(ground)?;
    for _ in 1..READINGS {
        let all = read(ground, &names)?;
        let after = self::names(ground)?;
        if after == names {
            return Ok(all);
        }
        names = after;
    }
    read(ground, &names)
}

fn names(ground: &IncidentRoot) -> Result<Names, LedgerError> {
    let mut names = Names::default();
    for (names, lies) in names.iter_mut().zip(IncidentDir::ALL) {
        let Some(shelf) = ground.descend(lies.directories())? else { continue };
        // A file is no incident.
        let entries = shelf.entries()?.into_iter();
        names
            .extend(entries.filter(|(name, kind)| *kind != Kind::File && !name.starts_with('.')).map(|(name, _)| name));
    }
    Ok(names)
}

fn read(ground: &IncidentRoot, names: &Names) -> Result<Everything, LedgerError> {
    let under_way = journal::ids(ground)?.into_iter().collect();
    let mut all = Everything::default();
    for (names, lies) in names.iter().zip(IncidentDir::ALL) {
        let Some(shelf) = ground.descend(lies.directories())? else { continue };
        let read = |name: &String, (): &mut ()| row::read(ground, &shelf, lies, name, &under_way);
        let found = parallel::map(names, || (), read);
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
    all.rows.sort_by_cached_key(|row| Reverse(row.cursor()));
    all.faults.sort();
    Ok(all)
}

fn counted(counts: &mut IncidentCounts, shelf: IncidentDir) -> &mut u64 {
    match shelf.number() {
        0 => &mut counts.unresolved,
        1 => &mut counts.resolved,
        _ => &mut counts.escalated,
    }
}
