//! Receipts: what recorded verdicts rest on, kept in the user's state directory, out of the reach of whoever changes
//! the workspace (design, "Tree digest").
//!
//! ```text
//! <state>/receipts/<KEY>.json         one a workspace, specification and task; KEY is a digest of them
//! <state>/receipts/<WORKSPACE>.turn   whose turn it is to ask the gate about a workspace
//! <state>/receipts/secret             what digests of variables are keyed with
//! ```
//!
//! A receipt is a cache of time, never of truth: one that is missing or junk has the checks run.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use referee_model::id::{Digest, TaskId};
use referee_model::limit;

use self::receipt_document::Receipt;
use crate::directory::PRIVATE;
use crate::error::LedgerError;
use crate::state::{Area, State};

mod dependencies;
mod files;
mod latest;
mod links;
pub mod receipt_document;
mod secret;
mod turn;

pub use self::dependencies::dependencies;
pub use self::files::{has_changed_since, hashed, holds_the_same, is_same, known};
pub use self::latest::{Latest, latest};
pub use self::links::links;
pub use self::secret::keyed;
pub use self::turn::{Turn, take_turn};

#[derive(Debug, Clone, Copy)]
pub struct Subject<'subject> {
    pub workspace: &'subject Path,
    /// The directory of all evidence.
    pub evidence_root: &'subject Path,
    /// The specification's file, as the plan names it.
    pub specification: &'subject str,
    pub task: &'subject TaskId,
}

impl Subject<'_> {
    fn name(&self) -> String {
        let parts = [
            self.workspace.as_os_str().as_bytes(),
            self.evidence_root.as_os_str().as_bytes(),
            self.specification.as_bytes(),
            self.task.as_str().as_bytes(),
        ];
        // No two lists of parts share a name: no path holds the byte between.
        format!("{}.json", Digest::of(parts.join(&0)))
    }
}

/// Finds the receipt of a task. None: there is none.
///
/// # Errors
/// Fails where there is something that is no receipt, or cannot be read: whoever asks has the checks run.
pub fn find(state: &State, subject: Subject<'_>) -> Result<Option<Receipt>, LedgerError> {
    let (area, name) = (state.open_area(Area::Receipts)?, subject.name());
    let Some(bytes) = area.read_at_most(&name, limit::RECEIPT_BYTES)? else { return Ok(None) };
    let unreadable = |reason: String| LedgerError::Unreadable { path: area.path().join(&name), reason };
    receipt_document::KIND.decode(&bytes).map(Some).map_err(|error| unreadable(error.to_string()))
}

/// Keeps a receipt in place of the one before.
///
/// # Errors
/// Fails where the system refuses; then the verdict is not reused.
pub fn keep(state: &State, subject: Subject<'_>, receipt: &Receipt) -> Result<(), LedgerError> {
    let (area, name) = (state.open_area(Area::Receipts)?, subject.name());
    let bytes = serde_json::to_vec(&receipt_document::KIND.versioned(receipt))
        .map_err(LedgerError::io("write", &area.path().join(&name)))?;
    area.swap_in_unsynced(&name, &bytes, PRIVATE)
}

#[cfg(test)]
mod tests;
