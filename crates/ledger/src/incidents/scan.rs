//! Lists of incidents, read from their directories.
//!
//! The directories say which incidents there are. A row that is known from an earlier reading stands for its incident
//! as long as both files have the stamps that they had when they were read (git's rule for racy entries: such a stamp
//! is older than the reading, so that no later change has the same one). All others are read.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use referee_model::fingerprint::Fingerprint;
use referee_model::incident;
use referee_model::incident::id::IncidentId;
use referee_model::incident::list::{IncidentCounts, IncidentListDocument};

use super::incident_dir::IncidentDir;
use super::incident_root::IncidentRoot;
use super::query::Question;
use super::row::{self, ReadRow, Row, Text};
use super::rows::Rows;
use super::{index, journal};
use crate::directory::{Directory, Kind};
use crate::error::LedgerError;
use crate::parallel;
use crate::tree::{Moment, Stamp, is_older, open};

/// Maximum number of faults in a list.
const FAULTS: usize = 100;

/// Maximum number of times that the directories are read until nothing moved meanwhile.
const READINGS: usize = 5;

/// All incidents in the inbox and the archive.
#[derive(Debug, Default)]
pub(super) struct Everything {
    pub(super) rows: Rows,
    /// Positions among the rows, newest first.
    order: Vec<usize>,
    counts: IncidentCounts,
    /// Incidents that cannot be read, one sentence each, sorted.
    faults: Vec<String>,
}

impl Everything {
    /// Returns the rows, newest first.
    fn newest_first(&self) -> impl Iterator<Item = &Row> {
        self.order.iter().filter_map(|position| self.rows.all().get(*position))
    }
}

pub(super) fn list(all: &Everything, question: &Question<'_>) -> IncidentListDocument {
    let rows = &all.rows;
    let matching: Vec<&Row> = all.newest_first().filter(|row| question.is_about(rows, row)).collect();
    // They are sorted by cursor, the highest first.
    let is_shown = |row: &&Row| question.after.as_ref().is_some_and(|after| *after <= rows.cursor(row));
    let rest = &matching[matching.partition_point(is_shown)..];
    let page = &rest[..rest.len().min(question.limit)];
    let next = page.last().filter(|_| page.len() < rest.len()).map(|last| rows.cursor(last).text());
    let mut degraded: Vec<String> = all.faults.iter().take(FAULTS).cloned().collect();
    let more = all.faults.len() - degraded.len();
    if more > 0 {
        degraded.push(format!("{more} more cannot be read"));
    }
    IncidentListDocument {
        counts: all.counts.clone(),
        total: matching.len() as u64,
        incidents: page.iter().filter_map(|row| rows.shown(row)).collect(),
        next,
        degraded,
    }
}

/// Returns the incidents with a fingerprint: open ones first, then the newest.
pub(super) fn of_fingerprint(ground: &IncidentRoot, fingerprint: &Fingerprint) -> Result<Vec<IncidentId>, LedgerError> {
    let wanted = fingerprint.to_string();
    let all = read_all(ground, &index::load(ground))?;
    let has_it = |row: &&Row| all.rows.text(row, Text::Fingerprint) == wanted;
    let mut found: Vec<&Row> = all.newest_first().filter(has_it).collect();
    found.sort_by_key(|row| row.shelf != IncidentDir::Inbox);
    Ok(found.into_iter().filter_map(|row| IncidentId::parse(all.rows.text(row, Text::Name)).ok()).collect())
}

/// Names and kinds of the entries in each directory, sorted by name.
type Names = [Vec<(String, Kind)>; IncidentDir::ALL.len()];

/// Reads the inbox and the archive, but for what is known. An incident that moves between them meanwhile could be
/// missed or read twice, so everything is read again while the names before and after differ.
pub(super) fn read_all(ground: &IncidentRoot, known: &Rows) -> Result<Everything, LedgerError> {
    let mut names = names(ground)?;
    for _ in 1..READINGS {
        let mut all = read(ground, &names, known)?;
        let after = self::names(ground)?;
        if after == names {
            index::save(ground, &mut all.rows);
            return Ok(all);
        }
        names = after;
    }
    read(ground, &names, known)
}

fn names(ground: &IncidentRoot) -> Result<Names, LedgerError> {
    let mut names = Names::default();
    for (names, lies) in names.iter_mut().zip(IncidentDir::ALL) {
        let Some(shelf) = ground.descend(lies.directories())? else { continue };
        // A file is no incident.
        let entries = shelf.entries()?.into_iter();
        names.extend(entries.filter(|(name, kind)| *kind != Kind::File && !name.starts_with('.')));
    }
    Ok(names)
}

/// An entry of a directory, and the row that is known of it.
struct Entry<'reading> {
    number: usize,
    name: &'reading str,
    /// Position of the row that is known of it.
    known: Option<usize>,
}

/// Pairs the entries of a directory with the rows that are known of it. Only a directory can be known: the way through
/// a link in its place is not examined.
fn entries<'reading>(
    names: &'reading [(String, Kind)],
    known: &'reading Rows,
    lies: IncidentDir,
) -> Vec<Entry<'reading>> {
    let mut rows = known.all().iter().enumerate().filter(|(_, row)| row.lies == lies).peekable();
    let mut entries = Vec::with_capacity(names.len());
    for (number, (name, kind)) in names.iter().enumerate() {
        while rows.next_if(|(_, row)| known.text(row, Text::Name) < name.as_str()).is_some() {}
        let row = rows.next_if(|(_, row)| known.text(row, Text::Name) == name);
        let known =
            row.filter(|(_, row)| *kind == Kind::Directory && row.stamps.is_some()).map(|(position, _)| position);
        entries.push(Entry { number, name, known });
    }
    entries
}

/// What was found of an entry.
enum EntryState {
    /// As the known row at this position.
    Unchanged(usize),
    Read(Result<Box<ReadRow>, String>),
}

fn read(ground: &IncidentRoot, names: &Names, known: &Rows) -> Result<Everything, LedgerError> {
    let under_way: BTreeSet<String> = journal::ids(ground)?.into_iter().map(String::from).collect();
    let mut all = Everything::default();
    all.rows.unsaved = known.unsaved;
    let mut began = None;
    for (names, lies) in names.iter().zip(IncidentDir::ALL) {
        let Some(shelf) = ground.descend(lies.directories())? else { continue };
        let entries = entries(names, known, lies);
        if entries.iter().any(|entry| entry.known.is_none()) {
            began = began.or_else(|| index::began(ground));
        }
        let find = |entry: &Entry<'_>, path: &mut String| {
            if let Some(position) = entry.known
                && !under_way.contains(entry.name)
                && let Some(stamps) = known.all().get(position).and_then(|row| row.stamps)
                && is_unchanged(&shelf, entry.name, stamps, path)
            {
                return Some((entry.number, EntryState::Unchanged(position)));
            }
            let read = row::read(ground, &shelf, lies, entry.name, &under_way)?;
            Some((entry.number, EntryState::Read(read.map(Box::new))))
        };
        let mut found = parallel::map(&entries, String::new, find);
        found.sort_by_key(|(number, _)| *number);
        *counted(&mut all.counts, lies) = found.len() as u64;
        for (_, found) in found {
            all.add(found, known, began);
        }
    }
    for row in all.rows.all() {
        *all.counts.by_status.entry(row.status.as_str().to_owned()).or_default() += 1;
    }
    all.order = (0..all.rows.all().len()).collect();
    let key = |position: &usize| {
        all.rows
            .all()
            .get(*position)
            .map(|row| Reverse((row.updated_ms, all.rows.text(row, Text::Name), row.lies.number())))
    };
    all.order.sort_by(|one, other| key(one).cmp(&key(other)));
    all.faults.sort();
    Ok(all)
}

impl Everything {
    fn add(&mut self, found: EntryState, known: &Rows, began: Option<Moment>) {
        match found {
            EntryState::Unchanged(position) => {
                if let Some(row) = known.all().get(position) {
                    self.rows.add(*row, known.texts(row));
                }
            }
            EntryState::Read(Ok(read)) => {
                let ReadRow { row, texts } = *read;
                let is_old = |stamp: &Stamp| began.is_some_and(|began| is_older(*stamp, began));
                let stamps = row.stamps.filter(|stamps| stamps.iter().all(is_old));
                self.rows.unsaved += usize::from(stamps.is_some());
                self.rows.add(Row { stamps, ..row }, &texts);
            }
            EntryState::Read(Err(fault)) => self.faults.push(fault),
        }
    }
}

/// Returns whether the files of an incident have the stamps that they had when they were read.
fn is_unchanged(shelf: &Directory, name: &str, stamps: [Stamp; 2], path: &mut String) -> bool {
    [incident::INCIDENT, incident::STATUS].into_iter().zip(stamps).all(|(file, stamp)| {
        path.clear();
        path.extend([name, "/", file]);
        shelf.look_below(path).as_ref().map(open::stamp) == Some(stamp)
    })
}

fn counted(counts: &mut IncidentCounts, shelf: IncidentDir) -> &mut u64 {
    match shelf.number() {
        0 => &mut counts.unresolved,
        1 => &mut counts.resolved,
        _ => &mut counts.escalated,
    }
}
