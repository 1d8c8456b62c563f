//! Incidents on disk: the directories of seed 3 below one root, which are authoritative (ruling 26).
//!
//! ```text
//! <root>/error_inbox/<id>/                  an open incident
//! <root>/error_archive/{resolved,escalated}/<id>/   a closed one: the same directory, moved
//! <root>/error_plans/<id>/                  its plan and approval
//! <root>/error_handoffs/<id>/               its package for an executor
//! <root>/error_runs/<id>/                   the run of its repair loop
//! <root>/events.jsonl                       events of all incidents, in order
//! <root>/.journal/                          pending changes
//! <root>/.locks/                            locks of incidents that are being changed
//! ```
//!
//! Any program that knows the contract can read and write these directories. Changes made here are atomic, serialized
//! per incident, and recorded in `events.jsonl`, even if the process dies (`journal`). Removed events are detected
//! (`event_fault`). Listing reads what changed since the last list (`scan`, `index`).

use std::path::Path;
use std::sync::Arc;

use referee_model::fingerprint::Fingerprint;
use referee_model::incident;
use referee_model::incident::event::IncidentEventDocument;
use referee_model::incident::id::IncidentId;
use referee_model::incident::list::IncidentListDocument;
use referee_model::time::Timestamp;

use crate::error::LedgerError;
use crate::state::State;

mod anchor;
mod catalog;
mod change;
mod event_fault;
mod events;
mod incident_dir;
mod incident_root;
mod index;
mod intent;
mod journal;
mod locks;
mod query;
mod reading;
mod row;
mod rows;
mod scan;

pub use change::{Change, PartFile};
pub use incident_dir::{IncidentDir, Stored};
pub use intent::Part;
pub use locks::Hold;
pub use query::Query;

use catalog::Catalog;
use events::Events;
use incident_root::IncidentRoot;
use locks::Lock;

/// The incidents of one root.
#[derive(Debug, Clone)]
pub struct Incidents {
    ground: Arc<IncidentRoot>,
    /// None: every list is read from the directories.
    catalog: Option<Arc<Catalog>>,
}

impl Incidents {
    /// Opens the incidents of a root. Nothing is created before the first write. Unfinished changes of a killed process
    /// are completed or undone first; failures of that are reported by [`Incidents::list`], and by changes of that
    /// incident. `state` keeps the end of the event log, out of reach of programs that change the incidents.
    ///
    /// # Errors
    /// Fails if the root is not a directory. A link to a directory is not one.
    pub fn open(root: &Path, state: Option<&State>) -> Result<Self, LedgerError> {
        let ground = IncidentRoot::new(root, state);
        if ground.open()?.is_some() {
            journal::settle_all(&ground);
        }
        Ok(Self { ground: Arc::new(ground), catalog: None })
    }

    /// Keeps the incidents in memory between lists. What another program changes in place is then seen within a second,
    /// and everything else at once.
    pub fn kept_in_memory(self) -> Self {
        Self { catalog: Some(Arc::default()), ..self }
    }

    pub fn root(&self) -> &Path {
        self.ground.root()
    }

    /// Lists incidents, newest first.
    ///
    /// # Errors
    /// Fails if nothing can be listed at all, and for an invalid query. Single unreadable incidents are reported under
    /// `degraded`.
    pub fn list(&self, query: &Query) -> Result<IncidentListDocument, LedgerError> {
        let question = query.ask()?;
        if self.ground.open()?.is_none() {
            return Ok(IncidentListDocument::default());
        }
        let unsettled = journal::settle_all(&self.ground);
        let everything = match &self.catalog {
            Some(catalog) => catalog.everything(&self.ground)?,
            None => Arc::new(scan::read_all(&self.ground, &index::load(&self.ground))?),
        };
        let mut list = scan::list(&everything, &question);
        let events = event_fault::of_end(&self.ground).unwrap_or_else(|error| Some(error.to_string()));
        list.degraded.splice(0..0, unsettled.into_iter().chain(events));
        Ok(list)
    }

    /// Returns the incidents with a fingerprint: open ones first, then closed ones, each newest first.
    ///
    /// # Errors
    /// Fails if one of them cannot be read.
    pub fn find_by_fingerprint(&self, fingerprint: &Fingerprint) -> Result<Vec<Stored>, LedgerError> {
        let mut found: Vec<Stored> = Vec::new();
        for id in scan::of_fingerprint(&self.ground, fingerprint)? {
            // It may have changed since, or exist in two places.
            let is_new = found.iter().all(|stored| stored.incident.incident_id != id);
            let stored = if is_new { self.find(&id)? } else { None };
            found.extend(stored.filter(|stored| stored.incident.fingerprint.as_ref() == Some(fingerprint)));
        }
        found.sort_by_key(|stored| stored.shelf != IncidentDir::Inbox);
        Ok(found)
    }

    /// Adds an incident with its files. Returns `false`, and changes nothing, if one with this id exists. Missing files
    /// of the contract are created empty.
    ///
    /// # Errors
    /// Fails if the incident cannot be written. It does not exist then.
    pub fn add(&self, change: Change, at: Timestamp) -> Result<bool, LedgerError> {
        let id = change.incident.incident_id.clone();
        let _lock = Lock::of_changes(&self.ground, &id)?;
        journal::settle(&self.ground, &id)?;
        if self.ground.is_taken(&id)? {
            return Ok(false);
        }
        let change = with_whole_bundle(change);
        journal::write(&self.ground, &id, None, at, &change)?;
        Ok(true)
    }

    /// Changes an incident under its lock. Returns `None` if there is none with this id. If `decide` refuses, nothing
    /// changes. `decide` must not change this incident itself: it would wait for its own lock.
    ///
    /// # Errors
    /// Fails if `decide` does, and if the incident cannot be read or written. It is unchanged then.
    pub fn change<Refused: From<LedgerError>>(
        &self,
        id: &IncidentId,
        at: Timestamp,
        decide: impl FnOnce(&Stored) -> Result<Change, Refused>,
    ) -> Result<Option<Stored>, Refused> {
        // Creates nothing for an incident that does not exist.
        if self.find(id)?.is_none() {
            return Ok(None);
        }
        let _lock = Lock::of_changes(&self.ground, id)?;
        journal::settle(&self.ground, id)?;
        let Some(stored) = self.find(id)? else { return Ok(None) };
        let change = decide(&stored)?;
        journal::write(&self.ground, id, Some(&stored), at, &change)?;
        let shelf = change.shelf.unwrap_or(stored.shelf);
        Ok(Some(Stored { incident: change.incident, shelf }))
    }

    /// Returns the events after event number `after`, in order; 0 means from the beginning. Returns at most `limit`
    /// events; 0 means the default page size, and the maximum page size always applies.
    ///
    /// # Errors
    /// Fails if the events cannot be read.
    pub fn events(&self, after: u64, limit: usize) -> Result<Vec<IncidentEventDocument>, LedgerError> {
        Events::of(&self.ground).after(after, limit)
    }

    /// Returns the last events of one incident, in order, at most `limit`.
    ///
    /// # Errors
    /// Fails if the events cannot be read.
    pub fn events_of(&self, id: &IncidentId, limit: usize) -> Result<Vec<IncidentEventDocument>, LedgerError> {
        Events::of(&self.ground).last_of(id, limit)
    }

    /// Reads all events and returns what is wrong with them: a line that does not continue the previous one, an
    /// end that differs from the one recorded on this machine, or no recorded end. Returns `None` if nothing is
    /// wrong.
    ///
    /// # Errors
    /// Fails if the events, or their record in the state directory, cannot be read.
    pub fn events_fault(&self) -> Result<Option<String>, LedgerError> {
        event_fault::of_all(&self.ground)
    }

    /// Locks an incident until the returned value is dropped or the process ends. Returns `None` if locked already.
    ///
    /// # Errors
    /// Fails on an I/O error.
    pub fn hold(&self, id: &IncidentId) -> Result<Option<Hold>, LedgerError> {
        Ok(Lock::of_work(&self.ground, id)?.map(|lock| Hold { _lock: lock }))
    }

    /// The same, and waits for whoever has locked it.
    ///
    /// # Errors
    /// Fails on an I/O error, or if the lock is not released in time.
    pub fn wait_to_hold(&self, id: &IncidentId) -> Result<Hold, LedgerError> {
        Ok(Hold { _lock: Lock::of_work_later(&self.ground, id)? })
    }

    /// Waits for the capture lock, so that concurrent captures of one failure see each other.
    ///
    /// # Errors
    /// Fails on an I/O error, or if another process does not release the lock in time.
    pub fn capture_turn(&self) -> Result<Hold, LedgerError> {
        Ok(Hold { _lock: Lock::of_captures(&self.ground)? })
    }
}

/// Adds the missing files of the contract to a new incident, empty (seed 3, "Incident Bundle").
fn with_whole_bundle(mut change: Change) -> Change {
    for (name, empty) in [(incident::LOG_TAIL, ""), (incident::AUDIT_TAIL, ""), (incident::CONTEXT, "{}\n")] {
        if !change.files.iter().any(|file| file.part == Part::Incident && file.name == name) {
            change.files.push(PartFile {
                part: Part::Incident,
                name: name.to_owned(),
                bytes: empty.as_bytes().to_vec(),
            });
        }
    }
    change
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod event_fault_tests;

#[cfg(test)]
mod index_tests;

#[cfg(test)]
mod listing_tests;

#[cfg(test)]
pub(crate) mod crash_tests;
