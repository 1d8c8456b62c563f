//! Reads and copies files of any size in pieces.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use referee_model::id::Digest;
use referee_model::limit;
use referee_model::time::Timestamp;

use super::Seen;
use crate::content_check::{self, Buffer};
use crate::contents::Written;
use crate::directory::Directory;
use crate::error::LedgerError;
use crate::fault;

/// Returns size, digest and modification time of an open file. None: the file is larger than the limit.
pub(super) fn seen(file: File, path: &Path) -> Result<Option<Seen>, LedgerError> {
    if is_too_large(&file, path)? {
        return Ok(None);
    }
    let facts = file.metadata().map_err(LedgerError::io("look at", path))?;
    let Written { bytes, sha256 } =
        content_check::hash(file.take(limit::STAGE_LOOK_BYTES + 1)).map_err(LedgerError::io("read", path))?;
    let modified = facts.mtime().saturating_mul(1_000).saturating_add(facts.mtime_nsec() / 1_000_000);
    let seen = Seen { bytes, digest: sha256, modified: Timestamp::from_millisecond(modified) };
    // The file may have grown while it was read.
    Ok((bytes <= limit::STAGE_LOOK_BYTES).then_some(seen))
}

/// Returns whether an open file is larger than the limit for reading and copying.
pub(super) fn is_too_large(file: &File, path: &Path) -> Result<bool, LedgerError> {
    Ok(file.metadata().map_err(LedgerError::io("look at", path))?.len() > limit::STAGE_LOOK_BYTES)
}

/// Copies an open file: the copy gets its name when all of it is on disk. Returns the digest of the bytes that
/// were written.
pub(super) fn copy(source: File, directory: &Directory, name: &str) -> Result<Digest, LedgerError> {
    let path = directory.path().join(name);
    let limit_bytes = limit::STAGE_LOOK_BYTES;
    if is_too_large(&source, &path)? {
        return Err(LedgerError::TooLarge { path, limit_bytes });
    }
    directory.replace_with(name, None, |target| {
        let write = |piece: &[u8]| fault::point().and_then(|()| target.write_all(piece));
        let written = content_check::read(source.take(limit_bytes + 1), &mut Buffer::new(), write)?;
        // The file grew while it was read.
        if written.bytes > limit_bytes { Err(ErrorKind::FileTooLarge.into()) } else { Ok(written.sha256) }
    })
}
