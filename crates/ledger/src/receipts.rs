//! Receipts: what recorded verdicts rest on, kept in the user's state folder, out of the reach of whoever changes the
//! workspace (design, "Tree digest").
//!
//! ```text
//! <state>/receipts/<KEY>.json         one a workspace, specification and task; KEY is a digest of them
//! <state>/receipts/<WORKSPACE>.turn   whose turn it is to ask the gate about a workspace
//! <state>/receipts/secret             what digests of variables are keyed with
//! ```
//!
//! A receipt is a cache of time, never of truth: one that is missing, junk or torn by a crash has the checks run. So it is
//! not synced to disk.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use referee_model::id::{Digest, TaskId};
use referee_model::limit;
use referee_wire::receipt::{self, Receipt};
use rustix::fs::OFlags;
use sha2::{Digest as _, Sha256};

use crate::error::LedgerError;
use crate::state::{Area, State};

mod dependencies;
mod files;
mod latest;
mod links;
mod secret;
mod turn;

pub use self::dependencies::dependencies;
pub use self::files::{has_changed_since, hashed, holds_the_same, is_same, known};
pub use self::latest::{Latest, latest};
pub use self::links::links;
pub use self::secret::keyed;
pub use self::turn::{Turn, take_turn};

/// What a receipt is for.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'subject> {
    /// The workspace.
    pub workspace: &'subject Path,
    /// The folder of all evidence.
    pub evidence_root: &'subject Path,
    /// The specification's file, as the plan names it.
    pub specification: &'subject str,
    /// The task.
    pub task: &'subject TaskId,
}

impl Subject<'_> {
    fn file(&self, area: &Path) -> PathBuf {
        let parts = [
            self.workspace.as_os_str().as_bytes(),
            self.evidence_root.as_os_str().as_bytes(),
            self.specification.as_bytes(),
            self.task.as_str().as_bytes(),
        ];
        area.join(format!("{}.json", name(&parts)))
    }
}

/// Returns the name for what consists of these parts. No two lists of parts share one: no path holds the byte between.
fn name(parts: &[&[u8]]) -> Digest {
    Digest::from_bytes(Sha256::digest(parts.join(&0)).into())
}

/// Finds the receipt of a task. None: there is none.
///
/// # Errors
/// Fails where there is something that is no receipt, or cannot be read: whoever asks has the checks run.
pub fn find(state: &State, subject: Subject<'_>) -> Result<Option<Receipt>, LedgerError> {
    let path = subject.file(&state.area(Area::Receipts)?);
    let Some(bytes) = read(&path, limit::RECEIPT_BYTES)? else { return Ok(None) };
    let unreadable = |reason: String| LedgerError::Unreadable { path: path.clone(), reason };
    receipt::read(&bytes).map(Some).map_err(|error| unreadable(error.to_string()))
}

/// Keeps a receipt in place of the one before.
///
/// # Errors
/// Fails where the system refuses; then the verdict is not reused.
pub fn keep(state: &State, subject: Subject<'_>, receipt: &Receipt) -> Result<(), LedgerError> {
    let path = subject.file(&state.area(Area::Receipts)?);
    let bytes = serde_json::to_vec(receipt).map_err(LedgerError::io("write", &path))?;
    write(&path, &bytes)
}

/// Reads a small private file. None: there is none.
fn read(path: &Path, limit_bytes: u64) -> Result<Option<Vec<u8>>, LedgerError> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let opened = OpenOptions::new().read(true).custom_flags(i32::from_ne_bytes(flags.bits().to_ne_bytes())).open(path);
    let file = match opened {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(LedgerError::io("open", path)(error)),
    };
    if !file.metadata().map_err(LedgerError::io("look at", path))?.is_file() {
        return Err(LedgerError::NotAFile { path: path.to_path_buf() });
    }
    let mut bytes = Vec::new();
    file.take(limit_bytes + 1).read_to_end(&mut bytes).map_err(LedgerError::io("read", path))?;
    if bytes.len() as u64 > limit_bytes {
        return Err(LedgerError::TooLarge { path: path.to_path_buf(), limit_bytes });
    }
    Ok(Some(bytes))
}

/// Writes a small private file in one step: whoever reads it finds the old one or the new one.
fn write(path: &Path, bytes: &[u8]) -> Result<(), LedgerError> {
    let unfinished = path.with_extension(format!("{}", rustix::process::getpid().as_raw_nonzero()));
    let wrong = LedgerError::io("write", path);
    let made = || -> std::io::Result<()> {
        // What a process with this number left behind when it died.
        let _ = std::fs::remove_file(&unfinished);
        let mut file = create(&unfinished)?;
        file.write_all(bytes)?;
        std::fs::rename(&unfinished, path)
    };
    made().map_err(|error| {
        let _ = std::fs::remove_file(&unfinished);
        wrong(error)
    })
}

/// Makes a file that must not be there, for this user alone.
fn create(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

#[cfg(test)]
mod tests;
