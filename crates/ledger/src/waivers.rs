//! Waivers on disk: `.referee/waivers/<id>.json` in the workspace, each signed by an approver (design, "Lock").
//!
//! An agent can write to the workspace, so a waiver is accepted only with a signature by a key that the trust
//! store in the user's state directory lists as an approver's. A file that is no waiver, or has no accepted
//! signature, is returned as refused with the reason: it is never skipped silently.

use std::path::{Path, PathBuf};

use referee_model::id::Digest;
use referee_model::limit;
use referee_model::run_context::waiver::{Waiver, WaiverStanding, WaiverTerms};

pub use self::envelope::Approvers;
use crate::attest::{self, Signer};
use crate::directory::{Directory, Kind};
use crate::error::LedgerError;

mod envelope;
pub mod waiver_document;

/// Path components of the waivers directory, below the workspace.
const DIRECTORIES: [&str; 2] = [".referee", "waivers"];

const ENDING: &str = ".json";

/// Error of granting a waiver.
#[derive(Debug, thiserror::Error)]
pub enum GiveError {
    /// The content of the waiver breaks a rule.
    #[error(transparent)]
    Waiver(#[from] waiver_document::WaiverError),
    /// The waiver could not be signed or written.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

/// Reads all waivers of a workspace, by file name. Waivers that cannot be read or verified are included, as
/// refused.
pub fn find(workspace: &Path, approvers: &Approvers) -> Vec<Waiver> {
    let directory = match open(workspace) {
        Ok(Some(directory)) => directory,
        Ok(None) => return Vec::new(),
        Err(error) => return vec![refused("waivers", None, error.to_string())],
    };
    let entries = match directory.entries() {
        Ok(entries) => entries,
        Err(error) => return vec![refused("waivers", None, error.to_string())],
    };
    let beyond = entries.len().saturating_sub(limit::WAIVERS);
    let read = |(name, kind): &(String, Kind)| judge_file(&directory, name, *kind, approvers);
    let mut found: Vec<Waiver> = entries.iter().take(limit::WAIVERS).map(read).collect();
    if beyond > 0 {
        let most = limit::WAIVERS;
        found.push(refused("waivers", None, format!("{beyond} files beyond the first {most} were not looked at")));
    }
    found
}

/// Signs and writes a waiver, and returns its path.
///
/// # Errors
/// Fails if the content breaks a rule, and if the waiver cannot be written.
pub fn give(workspace: &Path, terms: &WaiverTerms, signer: &Signer) -> Result<PathBuf, GiveError> {
    let payload = waiver_document::render(terms)?;
    let envelope = attest::sign(waiver_document::PAYLOAD_TYPE, &payload, signer)?;
    let id = waiver_document::id(terms)?;
    let directory = Directory::open(workspace)?.make_below(&DIRECTORIES)?;
    Ok(directory.replace(&format!("{id}{ENDING}"), &envelope)?)
}

/// Removes a waiver. Returns false if there is none with this id. Removing the file is all that revokes a
/// waiver.
pub fn revoke(workspace: &Path, id: &str) -> Result<bool, LedgerError> {
    let name = format!("{id}{ENDING}");
    let name = crate::paths::component(&name)?;
    let Some(directory) = open(workspace)? else { return Ok(false) };
    match directory.kind(name)? {
        None => Ok(false),
        Some(Kind::Directory) => Err(LedgerError::NotAFile { path: directory.path().join(name) }),
        Some(Kind::File | Kind::Other) => {
            directory.discard(name)?;
            directory.sync()?;
            Ok(true)
        }
    }
}

fn open(workspace: &Path) -> Result<Option<Directory>, LedgerError> {
    Directory::open(workspace)?.descend(&DIRECTORIES)
}

fn judge_file(directory: &Directory, name: &str, kind: Kind, approvers: &Approvers) -> Waiver {
    let Some(id) = name.strip_suffix(ENDING).filter(|id| !id.is_empty() && !id.starts_with('.')) else {
        return refused(name, None, format!("`{name}` is not named as a waiver is: <id>{ENDING}"));
    };
    if kind != Kind::File {
        return refused(id, None, "it is a link, a directory or a device: a regular file is needed".to_owned());
    }
    let bytes = match directory.read_at_most(name, limit::WAIVER_BYTES) {
        Ok(bytes) => bytes.unwrap_or_default(),
        Err(error) => return refused(id, None, error.to_string()),
    };
    let digest = Some(Digest::of(&bytes));
    match believed(id, &bytes, approvers) {
        Ok(standing) => Waiver { id: id.to_owned(), digest, standing },
        Err(reason) => refused(id, digest, reason),
    }
}

fn believed(file_id: &str, bytes: &[u8], approvers: &Approvers) -> Result<WaiverStanding, String> {
    let opened = approvers.open(bytes, waiver_document::PAYLOAD_TYPE)?;
    let (id, terms) = waiver_document::read(&opened.payload).map_err(|error| error.to_string())?;
    if id != file_id {
        return Err(format!("its id is {id}, and its file has another name"));
    }
    Ok(WaiverStanding::Signed { key: opened.key, approver: opened.approver, terms })
}

fn refused(id: &str, digest: Option<Digest>, reason: String) -> Waiver {
    Waiver { id: id.to_owned(), digest, standing: WaiverStanding::Refused { reason } }
}

#[cfg(test)]
mod tests;
