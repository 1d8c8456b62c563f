//! Hashes the content of inputs.

use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use referee_model::limit;
use rustix::io::Errno;
use sha2::{Digest as _, Sha256};

use super::{Entry, EntryKind, open};
use crate::error::LedgerError;

/// A SHA-256 hash as bytes.
pub(crate) type Hash = [u8; 32];

/// Buffer for reading files, reused from file to file.
pub(super) struct Block(Box<[u8]>);

impl Default for Block {
    fn default() -> Self {
        Self(vec![0; 64 * 1024].into())
    }
}

/// Hashes the content of an input. None: it no longer exists.
pub(super) fn hash(
    root: &OwnedFd,
    entry: &Entry,
    workspace: &Path,
    block: &mut Block,
) -> Result<Option<Hash>, LedgerError> {
    let path = entry.path.as_os_str().as_bytes();
    let wrong = |error: Errno| LedgerError::io("read", &workspace.join(&entry.path))(error);
    match entry.kind {
        EntryKind::File => match open::file(root.as_fd(), path) {
            Ok(opened) => file(opened, &workspace.join(&entry.path), block).map(Some),
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
            Err(error) => Err(wrong(error)),
        },
        EntryKind::Link => match rustix::fs::readlinkat(root, path, Vec::new()) {
            Ok(target) => Ok(Some(Sha256::digest(target.as_bytes()).into())),
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
            Err(error) => Err(wrong(error)),
        },
        EntryKind::Socket | EntryKind::Pipe | EntryKind::CharacterDevice | EntryKind::BlockDevice => {
            Ok(Some(Sha256::digest(b"").into()))
        }
    }
}

/// Hashes an open file, which must be a regular file within the size limit; otherwise nothing is read.
fn file(opened: OwnedFd, path: &Path, Block(block): &mut Block) -> Result<Hash, LedgerError> {
    let file = File::from(opened);
    let facts = file.metadata().map_err(LedgerError::io("look at", path))?;
    if !facts.is_file() {
        return Err(LedgerError::NotAFile { path: path.to_path_buf() });
    }
    let too_large = || LedgerError::TooLarge { path: path.to_path_buf(), limit_bytes: limit::TREE_FILE_BYTES };
    if facts.len() > limit::TREE_FILE_BYTES {
        return Err(too_large());
    }
    let mut limited = file.take(limit::TREE_FILE_BYTES + 1);
    let mut hasher = Sha256::new();
    let mut bytes = 0;
    loop {
        let read = limited.read(block).map_err(LedgerError::io("read", path))?;
        if read == 0 {
            return Ok(hasher.finalize().into());
        }
        bytes += read as u64;
        if bytes > limit::TREE_FILE_BYTES {
            return Err(too_large());
        }
        hasher.update(block.get(..read).unwrap_or_default());
    }
}

/// Returns a hash in hexadecimal digits.
pub(super) fn hex(hash: &Hash) -> [u8; 64] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |value: u8| DIGITS.get(usize::from(value)).copied().unwrap_or(b'?');
    let mut text = [0; 64];
    for ([high, low], byte) in text.as_chunks_mut::<2>().0.iter_mut().zip(hash) {
        (*high, *low) = (digit(byte >> 4), digit(byte & 15));
    }
    text
}
