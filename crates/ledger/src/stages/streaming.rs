//! Files of any size, read and copied piece by piece.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use referee_model::id::Digest;
use referee_model::limit;
use referee_model::time::Timestamp;
use sha2::{Digest as _, Sha256};

use super::Seen;
use crate::error::LedgerError;
use crate::fault;
use crate::folder::Folder;

/// Bytes that are read at once.
const BUFFER_BYTES: usize = 128 * 1024;

/// Looks at a file that is open. None: it is larger than what is looked at.
pub(super) fn seen(mut file: File, path: &Path) -> Result<Option<Seen>, LedgerError> {
    let facts = file.metadata().map_err(LedgerError::io("look at", path))?;
    if facts.len() > limit::STAGE_LOOK_BYTES {
        return Ok(None);
    }
    let (bytes, digest) = match pieces(&mut file, path, |_| Ok(())) {
        // It grew while it was read.
        Err(LedgerError::TooLarge { .. }) => return Ok(None),
        read => read?,
    };
    let modified = facts.mtime().saturating_mul(1_000).saturating_add(facts.mtime_nsec() / 1_000_000);
    Ok(Some(Seen { bytes, digest, modified: Timestamp::from_millisecond(modified) }))
}

/// Says whether a file that is open is larger than what is looked at or copied.
pub(super) fn is_too_large(file: &File, path: &Path) -> Result<bool, LedgerError> {
    Ok(file.metadata().map_err(LedgerError::io("look at", path))?.len() > limit::STAGE_LOOK_BYTES)
}

/// Copies a file that is open: the copy has its name when all of it is on disk. Returns the digest of what was written.
pub(super) fn copy(mut source: File, folder: &Folder, name: &str) -> Result<Digest, LedgerError> {
    let unfinished = format!(".{name}.{}", rustix::process::getpid().as_raw_nonzero());
    let path = folder.path().join(name);
    folder.discard(&unfinished)?;
    let mut target = folder.create(&unfinished)?;
    let written = pieces(&mut source, &path, |piece| fault::point().and_then(|()| target.write_all(piece))).and_then(
        |(_, digest)| {
            fault::point()
                .and_then(|()| target.sync_all())
                .and_then(|()| fault::point())
                .and_then(|()| Ok(rustix::fs::renameat(folder, &unfinished, folder, name)?))
                .map_err(LedgerError::io("write", &path))?;
            Ok(digest)
        },
    );
    if written.is_err() {
        let _ = folder.discard(&unfinished);
    }
    let digest = written?;
    folder.sync()?;
    Ok(digest)
}

/// Hands a file on piece by piece. Returns its size and digest.
fn pieces(
    file: &mut File,
    path: &Path,
    mut take: impl FnMut(&[u8]) -> std::io::Result<()>,
) -> Result<(u64, Digest), LedgerError> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0_u8; BUFFER_BYTES];
    let mut bytes = 0_u64;
    loop {
        let read = match file.read(&mut buffer) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            read => read.map_err(LedgerError::io("read", path))?,
        };
        let piece = buffer.get(..read).unwrap_or_default();
        if piece.is_empty() {
            return Ok((bytes, Digest::from_bytes(hasher.finalize().into())));
        }
        bytes += piece.len() as u64;
        if bytes > limit::STAGE_LOOK_BYTES {
            return Err(LedgerError::TooLarge { path: path.to_path_buf(), limit_bytes: limit::STAGE_LOOK_BYTES });
        }
        hasher.update(piece);
        take(piece).map_err(LedgerError::io("write", path))?;
    }
}
