//! Checks that stored files still hold the bytes that were written to them.

use std::io::{self, Read};

use referee_model::id::Digest;
use sha2::{Digest as _, Sha256};

use crate::contents::Written;
use crate::directory::Directory;
use crate::error::LedgerError;

/// Number of bytes hashed at a time.
const BUFFER_BYTES: usize = 256 * 1024;

/// Buffer through which one thread reads files.
#[derive(Debug)]
pub(crate) struct Buffer(Vec<u8>);

impl Buffer {
    pub(crate) fn new() -> Self {
        Self(vec![0; BUFFER_BYTES])
    }
}

/// How a file differs from the bytes that were written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Difference {
    Size {
        /// Actual size in bytes.
        found: u64,
    },
    /// The file has the same size and different bytes.
    Content,
}

/// Reads to the end, passes the bytes to `each` as they are read, and returns their number and digest.
pub(crate) fn read(
    mut reader: impl Read,
    buffer: &mut Buffer,
    mut each: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<Written> {
    let (mut hash, mut bytes) = (Sha256::new(), 0);
    loop {
        let length = match reader.read(&mut buffer.0) {
            Ok(0) => return Ok(Written { bytes, sha256: Digest::from_bytes(hash.finalize().into()) }),
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let piece = buffer.0.get(..length).unwrap_or_default();
        each(piece)?;
        hash.update(piece);
        bytes += length as u64;
    }
}

/// Reads to the end and returns the number of bytes and their digest.
pub(crate) fn hash(reader: impl Read) -> io::Result<Written> {
    read(reader, &mut Buffer::new(), |_| Ok(()))
}

pub(crate) fn written(directory: &Directory, name: &str) -> Result<Written, LedgerError> {
    hash(directory.open_file(name)?).map_err(LedgerError::io("read", &directory.path().join(name)))
}

/// Compares a file with its recorded size and, if that matches, its digest; the bytes are passed to `each` as
/// they are read. However large the file is, at most one byte more is read than was written.
pub(crate) fn difference(
    directory: &Directory,
    name: &str,
    written: Written,
    buffer: &mut Buffer,
    each: &mut dyn FnMut(&[u8]),
) -> Result<Option<Difference>, LedgerError> {
    let path = directory.path().join(name);
    let file = directory.open_file(name)?;
    let size = || file.metadata().map(|facts| facts.len()).map_err(LedgerError::io("look at", &path));
    let found = size()?;
    if found != written.bytes {
        return Ok(Some(Difference::Size { found }));
    }
    let give = |piece: &[u8]| {
        each(piece);
        Ok(())
    };
    let is =
        read((&file).take(written.bytes.saturating_add(1)), buffer, give).map_err(LedgerError::io("read", &path))?;
    if is.bytes != written.bytes {
        // Another process is writing to the file right now.
        return Ok(Some(Difference::Size { found: size()? }));
    }
    Ok((is != written).then_some(Difference::Content))
}

/// Checks that a file of a run holds the bytes that the run wrote, and passes them to `each` as they are read.
/// The bytes that are passed on are the ones that are hashed, so they cannot be changed in between; after an
/// error the caller must discard them.
pub(crate) fn unchanged(
    directory: &Directory,
    name: &str,
    written: Written,
    buffer: &mut Buffer,
    each: &mut dyn FnMut(&[u8]),
) -> Result<(), LedgerError> {
    match difference(directory, name, written, buffer, each) {
        Ok(None) => Ok(()),
        Ok(Some(Difference::Size { found })) => {
            Err(meddled(directory, format!("`{name}` has {found} bytes; {} were written", written.bytes)))
        }
        Ok(Some(Difference::Content)) => {
            Err(meddled(directory, format!("`{name}` has another content than was written")))
        }
        Err(error) => Err(gone_or(error, directory, name)),
    }
}

/// Turns the error for a file that no longer exists, or is no longer a regular file, into one that says so.
pub(crate) fn gone_or(error: LedgerError, directory: &Directory, name: &str) -> LedgerError {
    match error {
        error if error.is_absence() => meddled(directory, format!("`{name}` was removed")),
        LedgerError::NotAFile { .. } => meddled(directory, format!("`{name}` was replaced by what is not a file")),
        other => other,
    }
}

pub(crate) fn meddled(directory: &Directory, what: String) -> LedgerError {
    LedgerError::Meddled { path: directory.path().to_path_buf(), what }
}
