//! Files that must be unchanged: compared by their metadata, and by their content if that is not sufficient.

use std::fs::{File, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::receipts::receipt_document::{FileStamp, KnownFile};
use referee_model::id::Digest;
use referee_model::time::Timestamp;

use crate::content_check;
use crate::error::LedgerError;

/// Time that the timestamps of a file system with a resolution of one or two seconds may hide, in milliseconds
/// (git's rule for racy entries).
const COARSE_MS: i64 = 2_000;

/// Records the current state of a file, with the known digest of its content. A missing file is recorded as
/// well.
///
/// # Errors
/// Fails if the file cannot be examined, or is not a regular file.
pub fn known(path: &Path, sha256: Option<Digest>) -> Result<KnownFile, LedgerError> {
    Ok(KnownFile { path: path.to_string_lossy().into_owned(), sha256, stamp: stamp(path)? })
}

/// Returns whether a file may have been changed after a moment, judging by its change time, which no program
/// can set.
pub fn has_changed_since(file: &KnownFile, moment: Timestamp) -> bool {
    file.stamp.is_none_or(|stamp| !is_older(stamp, moment))
}

/// Returns whether a file has the content that it had when the receipt was made, whatever its stamp.
pub fn holds_the_same(file: &KnownFile) -> bool {
    let path = Path::new(&file.path);
    match (file.stamp, stamp(path)) {
        (None, Ok(None)) => true,
        (Some(then), Ok(Some(now))) if then.bytes == now.bytes => {
            file.sha256.is_some_and(|sha256| hashed(path).is_ok_and(|found| found == sha256))
        }
        _ => false,
    }
}

/// Returns whether a file is unchanged since the receipt was made. A file with an unchanged stamp is not read,
/// unless it was last changed so shortly before that a later change could have the same stamp.
pub fn is_same(file: &KnownFile, kept_at: Timestamp) -> bool {
    let path = Path::new(&file.path);
    let Ok(now) = stamp(path) else { return false };
    match (file.stamp, now) {
        (None, None) => true,
        (Some(then), Some(now)) if then == now && is_older(then, kept_at) => true,
        (Some(_), Some(_)) => file.sha256.is_some_and(|sha256| hashed(path).is_ok_and(|found| found == sha256)),
        _ => false,
    }
}

/// Hashes a file.
///
/// # Errors
/// Fails if the file cannot be read.
pub fn hashed(path: &Path) -> Result<Digest, LedgerError> {
    let written = File::open(path).and_then(content_check::hash).map_err(LedgerError::io("read", path))?;
    Ok(written.sha256)
}

fn stamp(path: &Path) -> Result<Option<FileStamp>, LedgerError> {
    let facts: Metadata = match path.symlink_metadata() {
        Ok(facts) => facts,
        Err(error) if is_absence(&error) => return Ok(None),
        Err(error) => return Err(LedgerError::io("look at", path)(error)),
    };
    if !facts.is_file() {
        return Err(LedgerError::NotAFile { path: path.to_path_buf() });
    }
    Ok(Some(FileStamp {
        bytes: facts.size(),
        device: facts.dev(),
        inode: facts.ino(),
        mode: facts.mode(),
        modified: (facts.mtime(), facts.mtime_nsec()),
        changed: (facts.ctime(), facts.ctime_nsec()),
    }))
}

fn is_absence(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}

/// Returns whether a file was last changed so long before a moment that no later change can have the same
/// stamp.
fn is_older(stamp: FileStamp, moment: Timestamp) -> bool {
    let latest = stamp.modified.max(stamp.changed);
    let milliseconds = latest.0.saturating_mul(1_000).saturating_add(latest.1 / 1_000_000);
    milliseconds.saturating_add(COARSE_MS) < moment.as_millisecond()
}
