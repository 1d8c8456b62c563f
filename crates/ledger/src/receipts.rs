//! Receipts: the inputs that recorded verdicts depend on, kept in the user's state directory, where an agent
//! that changes the workspace cannot reach them (design, "Tree digest").
//!
//! ```text
//! <state>/receipts/<KEY>.json         one per workspace, specification and task; KEY is a digest of them
//! <state>/receipts/<WORKSPACE>.turn   lock: one process at a time evaluates the gate of a workspace
//! <state>/receipts/secret             key of the digests of environment variables
//! ```
//!
//! A receipt only saves time: if it is missing or malformed, the checks run.

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
    /// The root of all evidence.
    pub evidence_root: &'subject Path,
    /// The specification file, as the plan names it.
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
        // A path cannot contain the NUL byte that separates the parts, so different subjects never share a
        // name.
        format!("{}.json", Digest::of(parts.join(&0)))
    }
}

/// Reads the receipt of a task. None: there is no receipt.
///
/// # Errors
/// Fails if the file is no valid receipt or cannot be read; the caller then runs the checks.
pub fn find(state: &State, subject: Subject<'_>) -> Result<Option<Receipt>, LedgerError> {
    let (area, name) = (state.open_area(Area::Receipts)?, subject.name());
    let Some(bytes) = area.read_at_most(&name, limit::RECEIPT_BYTES)? else { return Ok(None) };
    let unreadable = |reason: String| LedgerError::Unreadable { path: area.path().join(&name), reason };
    receipt_document::KIND.decode(&bytes).map(Some).map_err(|error| unreadable(error.to_string()))
}

/// Stores a receipt, replacing the one before.
///
/// # Errors
/// Fails on I/O errors; the verdict is then not reused.
pub fn keep(state: &State, subject: Subject<'_>, receipt: &Receipt) -> Result<(), LedgerError> {
    let (area, name) = (state.open_area(Area::Receipts)?, subject.name());
    let bytes = serde_json::to_vec(&receipt_document::KIND.versioned(receipt))
        .map_err(LedgerError::io("write", &area.path().join(&name)))?;
    area.swap_in_unsynced(&name, &bytes, PRIVATE)
}

#[cfg(test)]
mod tests;
