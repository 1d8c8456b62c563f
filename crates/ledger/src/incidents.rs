//! Incidents on disk: the directories of seed 3 under one root, which are the truth (ruling 26).
//!
//! ```text
//! <root>/error_inbox/<id>/                  an open incident
//! <root>/error_archive/{resolved,escalated}/<id>/   a closed one: the same directory, moved
//! <root>/error_plans/<id>/                  its plan and approval
//! <root>/error_handoffs/<id>/               its package for an executor
//! <root>/error_runs/<id>/                   its loop
//! <root>/events.jsonl                       what happened to which incident, in order
//! <root>/.journal/                          changes that are under way
//! <root>/.locks/                            who changes what now
//! ```
//!
//! Any program that knows the contract can read and write these directories. Changes made here are all or nothing, one
//! after another for each incident, and told in `events.jsonl`, whenever the process dies (`journal`), so that what is
//! no longer told of is seen
//! (`event_fault`). A list reads all of them (`scan`).

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
mod change;
mod event_fault;
mod events;
mod incident_dir;
mod incident_root;
mod intent;
mod journal;
mod lines;
mod locks;
mod query;
mod reading;
mod row;
mod scan;

pub use change::{Change, PartFile};
pub use incident_dir::{IncidentDir, Stored};
pub use intent::Part;
pub use locks::Hold;
pub use query::Query;

use events::Events;
use incident_root::IncidentRoot;
use locks::Lock;

/// The incidents of one root.
#[derive(Debug, Clone)]
pub struct Incidents {
    ground: Arc<IncidentRoot>,
}

impl Incidents {
    /// Opens the incidents of a root. Nothing is made before something is written. Whatever a killed process left half done is
    /// finished or undone first; what cannot be is told by [`Incidents::list`], and by whoever changes that incident. `state` keeps
    /// where the events end, out of reach of whoever changes the incidents.
    ///
    /// # Errors
    /// Fails where the root is no directory: a link in its place is none.
    pub fn open(root: &Path, state: Option<&State>) -> Result<Self, LedgerError> {
        let ground = IncidentRoot::new(root, state);
        if ground.open()?.is_some() {
            journal::settle_all(&ground);
        }
        Ok(Self { ground: Arc::new(ground) })
    }

    pub fn root(&self) -> &Path {
        self.ground.root()
    }

    /// Lists incidents, the newest first.
    ///
    /// # Errors
    /// Fails where nothing can be said at all, and for a question that cannot be answered; what cannot be read one by one is told
    /// under `degraded`.
    pub fn list(&self, query: &Query) -> Result<IncidentListDocument, LedgerError> {
        let question = query.ask()?;
        if self.ground.open()?.is_none() {
            return Ok(IncidentListDocument::default());
        }
        let unsettled = journal::settle_all(&self.ground);
        let mut list = scan::list(&self.ground, &question)?;
        let events = event_fault::of_end(&self.ground).unwrap_or_else(|error| Some(error.to_string()));
        list.degraded.splice(0..0, unsettled.into_iter().chain(events));
        Ok(list)
    }

    /// Finds the incidents of a fingerprint: open ones first, then closed ones, each the newest first.
    ///
    /// # Errors
    /// Fails where one of them cannot be read.
    pub fn find_by_fingerprint(&self, fingerprint: &Fingerprint) -> Result<Vec<Stored>, LedgerError> {
        let mut found: Vec<Stored> = Vec::new();
        for id in scan::of_fingerprint(&self.ground, fingerprint)? {
            // It may have been changed since, or lie in two places.
            let is_new = found.iter().all(|stored| stored.incident.incident_id != id);
            let stored = if is_new { self.find(&id)? } else { None };
            found.extend(stored.filter(|stored| stored.incident.fingerprint.as_ref() == Some(fingerprint)));
        }
        found.sort_by_key(|stored| stored.shelf != IncidentDir::Inbox);
        Ok(found)
    }

    /// Adds an incident with its files. False: there is one of this id, and nothing was changed. Files of the contract that it does
    /// not bring are made empty.
    ///
    /// # Errors
    /// Fails where it cannot be written; then it is not there.
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

    /// Changes an incident under its lock. None: there is none of this id. What `decide` refuses changes nothing. `decide` must not
    /// change this incident by itself: it would wait for its own lock.
    ///
    /// # Errors
    /// Fails where `decide` does, and where it cannot be read or written: then all of it is as it was.
    pub fn change<Refused: From<LedgerError>>(
        &self,
        id: &IncidentId,
        at: Timestamp,
        decide: impl FnOnce(&Stored) -> Result<Change, Refused>,
    ) -> Result<Option<Stored>, Refused> {
        // Nothing is made for an incident that is not there.
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

    /// Returns what happened after an event, in order; `after` 0: from the beginning. At most so many: 0 for as many as a page
    /// has, and never more than the largest page.
    ///
    /// # Errors
    /// Fails where the events cannot be read.
    pub fn events(&self, after: u64, limit: usize) -> Result<Vec<IncidentEventDocument>, LedgerError> {
        Events::of(&self.ground).after(after, limit)
    }

    /// Returns the last events of one incident, in order, no more than so many.
    ///
    /// # Errors
    /// Fails where the events cannot be read.
    pub fn events_of(&self, id: &IncidentId, limit: usize) -> Result<Vec<IncidentEventDocument>, LedgerError> {
        Events::of(&self.ground).last_of(id, limit)
    }

    /// Reads all events, and says what is wrong with them: a line that does not follow from the one before, an end that is not where it
    /// was when one was last told of here, or that nothing is known of it here. None: nothing.
    ///
    /// # Errors
    /// Fails where the events, or what is kept of them, cannot be read.
    pub fn events_fault(&self) -> Result<Option<String>, LedgerError> {
        event_fault::of_all(&self.ground)
    }

    /// Takes an incident to work at, until what is returned is dropped, however the process ends. None: somebody else has it.
    ///
    /// # Errors
    /// Fails where the system refuses.
    pub fn hold(&self, id: &IncidentId) -> Result<Option<Hold>, LedgerError> {
        Ok(Lock::of_work(&self.ground, id)?.map(|lock| Hold { _lock: lock }))
    }

    /// Waits for the turn to capture, so that two captures of one failure find one another.
    ///
    /// # Errors
    /// Fails where the system refuses, or somebody does not let go.
    pub fn capture_turn(&self) -> Result<Hold, LedgerError> {
        Ok(Hold { _lock: Lock::of_captures(&self.ground)? })
    }
}

/// All files of the contract are there in every incident that is added, be they empty (seed 3, "Incident Bundle").
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
mod listing_tests;

#[cfg(test)]
pub(crate) mod crash_tests;
