//! An index of the incidents of a root, in SQLite, in the user's state folder. It makes lists quick and is never needed: where it
//! is missing, junk or of another version it is made anew, and where it cannot be used the folders are read.
//!
//! Nobody writes into it who changes an incident. Whoever asks it brings it in step with the folders first (`catching_up`):
//!
//! - what was changed here is told in `events.jsonl`; the events since the last time name what must be read again;
//! - what others added, moved or removed changes the times of the shelves, whose names are then compared;
//! - what others wrote into an incident changes its files, which are looked at for every incident that is shown.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use referee_model::fingerprint::Fingerprint;
use referee_model::incident::id::IncidentId;
use referee_wire::incident_list::IncidentListDocument;

use super::ground::Ground;
use super::query::Question;
use crate::error::LedgerError;
use crate::state::{Area, State};

mod answering;
mod catalogue;
mod catching_up;

use catalogue::Catalogue;

/// Open databases that are kept for the next question.
const IDLE: usize = 8;

/// How often a page is made again because somebody changed what is on it.
const PAGES: usize = 3;

/// The index of one root.
#[derive(Debug)]
pub(super) struct Index {
    state: State,
    idle: Mutex<Vec<Catalogue>>,
}

/// Why the index cannot be used.
#[derive(Debug, thiserror::Error)]
enum IndexError {
    /// The database refuses, or is none.
    #[error(transparent)]
    Database(#[from] rusqlite::Error),
    /// The folders cannot be read.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

impl IndexError {
    /// Whether the file is no database, or a broken one.
    fn is_junk(&self) -> bool {
        let code = match self {
            Self::Database(error) => error.sqlite_error_code(),
            Self::Ledger(_) => None,
        };
        matches!(code, Some(rusqlite::ErrorCode::DatabaseCorrupt | rusqlite::ErrorCode::NotADatabase))
    }
}

impl Index {
    pub(super) fn new(state: &State) -> Self {
        Self { state: state.clone(), idle: Mutex::new(Vec::new()) }
    }

    /// Lists incidents. An error says why the index cannot be used.
    pub(super) fn list(&self, ground: &Ground, question: &Question<'_>) -> Result<IncidentListDocument, String> {
        self.with(ground, |catalogue| {
            catalogue.catch_up(ground, catching_up::Scope::Everything)?;
            catalogue.look_at_few(ground)?;
            let mut page = catalogue.answer(question)?;
            for _ in 0..PAGES {
                if !catalogue.look_at(ground, &page.shown)? {
                    break;
                }
                page = catalogue.answer(question)?;
            }
            Ok(page.list)
        })
    }

    /// Returns the incidents of a fingerprint, the newest first. An error says why the index cannot be used.
    pub(super) fn of_fingerprint(&self, ground: &Ground, fingerprint: &Fingerprint) -> Result<Vec<IncidentId>, String> {
        if ground.open().map_err(|error| error.to_string())?.is_none() {
            return Ok(Vec::new());
        }
        self.with(ground, |catalogue| {
            // What others put there has no fingerprint, so that the shelves need not be compared.
            catalogue.catch_up(ground, catching_up::Scope::Told)?;
            catalogue.of_fingerprint(fingerprint)
        })
    }

    /// Does something with the database. One that is junk is made anew, once.
    fn with<T>(&self, ground: &Ground, work: impl Fn(&mut Catalogue) -> Result<T, IndexError>) -> Result<T, String> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = idle().pop();
        let open = || Catalogue::open(&self.area()?, ground);
        let mut catalogue = match kept {
            Some(catalogue) => catalogue,
            None => open().map_err(|error| error.to_string())?,
        };
        let mut done = work(&mut catalogue);
        if done.as_ref().is_err_and(IndexError::is_junk) {
            idle().clear();
            catalogue = catalogue.anew().map_err(|error| error.to_string())?;
            done = work(&mut catalogue);
        }
        let done = done.map_err(|error| error.to_string())?;
        let mut idle = idle();
        if idle.len() < IDLE {
            idle.push(catalogue);
        }
        Ok(done)
    }

    fn area(&self) -> Result<PathBuf, LedgerError> {
        self.state.area(Area::Incidents)
    }
}
