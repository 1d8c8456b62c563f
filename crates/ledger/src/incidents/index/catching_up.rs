//! The index is brought in step with the folders.

use std::collections::BTreeSet;

use referee_model::limit;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use super::IndexError;
use super::catalogue::{Catalogue, moment};
use crate::error::LedgerError;
use crate::folder::{Folder, Kind};
use crate::incidents::events::{Events, Extent};
use crate::incidents::ground::{Ground, names};
use crate::incidents::journal;
use crate::incidents::row::{self, Found};
use crate::incidents::scan::TOLD;
use crate::incidents::shelf::Shelf;

/// So many open incidents are all looked at before every list.
const FEW: i64 = 256;

/// On file systems that have whole seconds only, what is younger than this may be changed again without a trace.
const COARSE_NANOSECONDS: i128 = 2_000_000_000;

/// What is brought in step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// What was changed here, and told.
    Told,
    /// What others did, too.
    Everything,
}

/// The state that the index is in step with.
#[derive(Debug, Clone, Default)]
struct Standing {
    sequence: u64,
    extent: Extent,
    shelves: [ShelfStanding; 3],
}

/// What is known of a shelf.
#[derive(Debug, Clone, Copy, Default)]
struct ShelfStanding {
    /// What tells its names from any later ones. None: it may have been changed since without a trace.
    stamp: Option<i64>,
    /// How many folders lie on it.
    folders: i64,
    /// Their names, summed up.
    names: i64,
}

/// The folders as they are now.
struct Present {
    extent: Extent,
    stamps: [Option<i64>; 3],
    shelves: [Option<Folder>; 3],
    /// Incidents of which changes are under way.
    under_way: BTreeSet<String>,
}

/// An incident of the index, with the stamp that it was read with.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Shown {
    pub(super) name: String,
    pub(super) lies: u8,
    pub(super) stamp: Option<i64>,
}

impl Catalogue {
    /// Brings the index in step with the folders.
    pub(super) fn catch_up(&mut self, ground: &Ground, scope: Scope) -> Result<(), IndexError> {
        let present = Present::of(ground, moment(&self.lock))?;
        if let Some(standing) = Standing::load(&self.database)?
            && !standing.is_behind(&present, scope)
        {
            return Ok(());
        }
        let transaction = self.database.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Whoever wrote before may have seen more than was there at first.
        let present = Present::of(ground, moment(&self.lock))?;
        let mut update = match Standing::load(&transaction)? {
            Some(standing) if standing.goes_on_to(&present) => {
                let mut update = Update { ground, database: &transaction, present: &present, standing };
                update.read_told()?;
                update
            }
            _ => {
                transaction.execute_batch(
                    "DELETE FROM incident; DELETE FROM fault; DELETE FROM shelf; DELETE FROM standing;",
                )?;
                let sequence = Events::of(ground).last()?;
                let standing = Standing { sequence, ..Standing::default() };
                Update { ground, database: &transaction, present: &present, standing }
            }
        };
        update.compare_shelves(scope)?;
        update.standing.extent = present.extent;
        update.standing.save(&transaction)?;
        transaction.commit()?;
        Ok(())
    }

    /// Looks at all open incidents where they are few, and at what could not be read.
    pub(super) fn look_at_few(&mut self, ground: &Ground) -> Result<(), IndexError> {
        let mut shown = {
            let mut faulty = self.database.prepare("SELECT name, lies, stamp FROM fault ORDER BY reason LIMIT ?")?;
            let limit = i64::try_from(TOLD).unwrap_or(i64::MAX);
            faulty.query_map([limit], shown)?.collect::<Result<Vec<_>, _>>()?
        };
        let mut inbox = self.database.prepare("SELECT folders FROM shelf WHERE lies = 0")?;
        let folders: i64 = inbox.query_row([], |row| row.get(0)).optional()?.unwrap_or(0);
        drop(inbox);
        if folders <= FEW {
            let mut open = self.database.prepare("SELECT name, lies, stamp FROM incident WHERE shelf = 0")?;
            let open = open.query_map([], self::shown)?.collect::<Result<Vec<_>, _>>()?;
            shown.extend(open);
        }
        self.look_at(ground, &shown).map(|_| ())
    }

    /// Reads those incidents again whose files are not those that were read. Says whether there was one.
    pub(super) fn look_at(&mut self, ground: &Ground, shown: &[Shown]) -> Result<bool, IndexError> {
        let present = Present::of(ground, None)?;
        let is_other = |one: &&Shown| {
            let shelf = present.shelves.get(usize::from(one.lies)).and_then(Option::as_ref);
            let now = shelf.and_then(|shelf| row::stamp(shelf, &one.name));
            now.is_none() || now != one.stamp
        };
        let other: BTreeSet<&str> = shown.iter().filter(is_other).map(|one| one.name.as_str()).collect();
        if other.is_empty() {
            return Ok(false);
        }
        let transaction = self.database.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let standing = Standing::load(&transaction)?.unwrap_or_default();
        let mut update = Update { ground, database: &transaction, present: &present, standing };
        for name in other {
            update.read_again(name)?;
        }
        update.standing.save(&transaction)?;
        transaction.commit()?;
        Ok(true)
    }
}

pub(super) fn shown(row: &rusqlite::Row<'_>) -> Result<Shown, rusqlite::Error> {
    Ok(Shown { name: row.get(0)?, lies: row.get(1)?, stamp: row.get(2)? })
}

impl Present {
    fn of(ground: &Ground, moment: Option<i128>) -> Result<Self, LedgerError> {
        let extent = Events::of(ground).extent()?;
        let under_way = journal::ids(ground)?.iter().map(ToString::to_string).collect();
        let mut present = Self { extent, stamps: [Some(0); 3], shelves: [None, None, None], under_way };
        for (shelf, (stamp, folder)) in Shelf::ALL.iter().zip(present.stamps.iter_mut().zip(&mut present.shelves)) {
            *folder = ground.descend(shelf.folders())?;
            if let Some(folder) = folder {
                *stamp = shelf_stamp(folder, moment);
            }
        }
        Ok(present)
    }
}

/// Tells the names on a shelf from any later ones. None: a later change might leave no trace.
fn shelf_stamp(folder: &Folder, moment: Option<i128>) -> Option<i64> {
    let found = rustix::fs::fstat(folder).ok()?;
    let changed = i128::from(found.st_mtime) * 1_000_000_000 + i128::from(found.st_mtime_nsec);
    let margin = if found.st_mtime_nsec == 0 { COARSE_NANOSECONDS } else { 0 };
    let facts = format!("{} {} {changed}", found.st_dev, found.st_ino);
    (changed + margin < moment?).then(|| row::hash(facts.as_bytes()))
}

impl Standing {
    /// Reads it. None: the index is empty.
    fn load(database: &Connection) -> Result<Option<Self>, rusqlite::Error> {
        let mut query = database.prepare("SELECT sequence, events_inode, events_bytes FROM standing")?;
        let read = |row: &rusqlite::Row<'_>| {
            let number = |column| row.get(column).map(i64::cast_unsigned);
            Ok(Self {
                sequence: number(0)?,
                extent: Extent { inode: number(1)?, bytes: number(2)? },
                shelves: [ShelfStanding::default(); 3],
            })
        };
        let Some(mut standing) = query.query_row([], read).optional()? else { return Ok(None) };
        let mut query = database.prepare("SELECT lies, stamp, folders, names FROM shelf")?;
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            if let Some(shelf) = standing.shelves.get_mut(usize::from(row.get::<_, u8>(0)?)) {
                *shelf = ShelfStanding { stamp: row.get(1)?, folders: row.get(2)?, names: row.get(3)? };
            }
        }
        Ok(Some(standing))
    }

    fn save(&self, database: &Connection) -> Result<(), rusqlite::Error> {
        let mut query = database.prepare("INSERT OR REPLACE INTO standing VALUES (1, ?, ?, ?)")?;
        let numbers = [self.sequence, self.extent.inode, self.extent.bytes].map(u64::cast_signed);
        query.execute(numbers)?;
        let mut query = database.prepare("INSERT OR REPLACE INTO shelf VALUES (?, ?, ?, ?)")?;
        for (lies, shelf) in (0_u8..).zip(&self.shelves) {
            query.execute(params![lies, shelf.stamp, shelf.folders, shelf.names])?;
        }
        Ok(())
    }

    /// Whether something may have happened since.
    fn is_behind(&self, present: &Present, scope: Scope) -> bool {
        let shelves = || self.shelves.iter().zip(&present.stamps);
        self.extent != present.extent
            || !present.under_way.is_empty()
            || (scope == Scope::Everything && shelves().any(|(known, now)| now.is_none() || known.stamp != *now))
    }

    /// Whether the events of now are those of then, with more of them at most.
    fn goes_on_to(&self, present: &Present) -> bool {
        let is_same = self.extent.inode == present.extent.inode || self.extent.inode == 0;
        is_same && self.extent.bytes <= present.extent.bytes
    }
}

/// The index, while it is brought in step.
struct Update<'update> {
    ground: &'update Ground,
    database: &'update Connection,
    present: &'update Present,
    standing: Standing,
}

impl Update<'_> {
    /// Reads again what events since the last time are about, and what is under way.
    fn read_told(&mut self) -> Result<(), IndexError> {
        let mut told = self.present.under_way.clone();
        loop {
            let page = Events::of(self.ground).after(self.standing.sequence, limit::INCIDENTS_LISTED_MAX)?;
            let Some(last) = page.last() else { break };
            self.standing.sequence = last.sequence;
            told.extend(page.iter().map(|event| event.incident_id.to_string()));
        }
        told.iter().try_for_each(|name| self.read_again(name))
    }

    /// Compares the names on those shelves that may have been changed, and reads what is new. Where the shelves are not asked for,
    /// those are read that were never read.
    fn compare_shelves(&mut self, scope: Scope) -> Result<(), IndexError> {
        let is_new = self.standing.extent == Extent::default();
        for (lies, shelf) in (0_u8..).zip(Shelf::ALL) {
            let (Some(known), Some(now)) =
                (self.standing.shelves.get(usize::from(lies)), self.present.stamps.get(usize::from(lies)).copied())
            else {
                continue;
            };
            if now.is_some() && known.stamp == now || scope == Scope::Told && !is_new {
                continue;
            }
            self.compare(lies, shelf)?;
            if let Some(known) = self.standing.shelves.get_mut(usize::from(lies)) {
                known.stamp = now;
            }
        }
        Ok(())
    }

    fn compare(&mut self, lies: u8, shelf: Shelf) -> Result<(), IndexError> {
        let mut there = BTreeSet::new();
        let mut sum = 0_i64;
        if let Some(folder) = self.present.shelves.get(usize::from(lies)).and_then(Option::as_ref) {
            let named = names(folder)?.into_iter().filter(|(name, kind)| *kind != Kind::File && !name.starts_with('.'));
            for (name, _) in named {
                sum = sum.wrapping_add(row::hash(name.as_bytes()));
                there.insert(name);
            }
        }
        let known = self.standing.shelves.get(usize::from(lies)).copied().unwrap_or_default();
        if i64::try_from(there.len()) == Ok(known.folders) && sum == known.names {
            return Ok(());
        }
        let mut query = self
            .database
            .prepare("SELECT name FROM incident WHERE lies = ?1 UNION ALL SELECT name FROM fault WHERE lies = ?1")?;
        let indexed: BTreeSet<String> = query.query_map([lies], |row| row.get(0))?.collect::<Result<_, _>>()?;
        for gone in indexed.difference(&there) {
            self.forget(lies, gone)?;
        }
        for new in there.difference(&indexed) {
            self.read(lies, shelf, new)?;
        }
        Ok(())
    }

    /// Reads an incident again, wherever it lies.
    fn read_again(&mut self, name: &str) -> Result<(), IndexError> {
        for (lies, shelf) in (0_u8..).zip(Shelf::ALL) {
            self.forget(lies, name)?;
            self.read(lies, shelf, name)?;
        }
        Ok(())
    }

    fn forget(&mut self, lies: u8, name: &str) -> Result<(), IndexError> {
        let mut forgotten = 0;
        for table in ["incident", "fault"] {
            let mut query = self.database.prepare(&format!("DELETE FROM {table} WHERE name = ? AND lies = ?"))?;
            forgotten += query.execute(params![name, lies])?;
        }
        if forgotten > 0 {
            self.count(lies, -1, row::hash(name.as_bytes()).wrapping_neg());
        }
        Ok(())
    }

    /// Reads what stands under a name that is not in the index.
    fn read(&mut self, lies: u8, shelf: Shelf, name: &str) -> Result<(), IndexError> {
        let Some(folder) = self.present.shelves.get(usize::from(lies)).and_then(Option::as_ref) else { return Ok(()) };
        if let Some(found) = row::read(self.ground, folder, shelf, name, &self.present.under_way) {
            insert(self.database, lies, name, &found)?;
            self.count(lies, 1, row::hash(name.as_bytes()));
        }
        Ok(())
    }

    fn count(&mut self, lies: u8, folders: i64, names: i64) {
        if let Some(shelf) = self.standing.shelves.get_mut(usize::from(lies)) {
            shelf.folders += folders;
            shelf.names = shelf.names.wrapping_add(names);
        }
    }
}

fn insert(database: &Connection, lies: u8, name: &str, found: &Found) -> Result<(), rusqlite::Error> {
    match &found.row {
        Ok(row) => {
            let incident = &row.incident;
            let mut query = database.prepare(
                "INSERT INTO incident (name, lies, shelf, stamp, updated, created, status, class, step, fingerprint, run, ym,
                     occurrences, words, message) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            )?;
            query.execute(params![
                name,
                lies,
                row.shelf.number(),
                found.stamp,
                incident.updated_at.as_millisecond(),
                incident.created_at.as_millisecond(),
                incident.status.as_str(),
                incident.failure_class,
                incident.step,
                incident.fingerprint,
                incident.run_id,
                incident.ym,
                incident.occurrences.cast_signed(),
                row.words(),
                incident.message,
            ])?;
        }
        Err(reason) => {
            let mut query = database.prepare("INSERT INTO fault VALUES (?, ?, ?, ?)")?;
            query.execute(params![name, lies, found.stamp, reason])?;
        }
    }
    Ok(())
}
