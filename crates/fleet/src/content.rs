//! Content, and the checks of its size and digest while it is read.

use std::io::{self, Read, Write};

use referee_model::id::Digest;
use sha2::{Digest as _, Sha256};

use crate::error::DepotError;

/// Number of bytes that are read at once.
const PIECE_BYTES: usize = 256 * 1024;

/// Largest object whose size nobody says, in bytes.
pub(crate) const UNSIZED_BYTES: u64 = 256 * 1024 * 1024;

/// Content, by its digest and size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blob {
    /// SHA-256 of the content.
    pub sha256: Digest,
    /// Size in bytes. None: not known, and at most 256 MiB.
    pub bytes: Option<u64>,
}

/// Version of a head that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version(pub(crate) String);

/// An object of a depot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    /// Its name.
    pub name: String,
    /// Its size in bytes.
    pub bytes: u64,
}

/// Content that is read piece by piece, with the size and the digest that it must have.
pub(crate) struct Content<'name> {
    name: &'name str,
    blob: Blob,
    hash: Sha256,
    bytes: u64,
}

impl<'name> Content<'name> {
    pub(crate) fn new(name: &'name str, blob: Blob) -> Self {
        Self { name, blob, hash: Sha256::new(), bytes: 0 }
    }

    /// Writes a piece, unless it makes the content larger than it may be.
    pub(crate) fn take(&mut self, piece: &[u8], out: &mut dyn Write) -> Result<(), DepotError> {
        self.bytes += piece.len() as u64;
        if self.bytes > self.blob.bytes.unwrap_or(UNSIZED_BYTES) {
            return Err(DepotError::corrupt(self.name, "it is larger than it was"));
        }
        self.hash.update(piece);
        out.write_all(piece).map_err(DepotError::local)
    }

    /// Takes all that there is to read.
    pub(crate) fn take_all(&mut self, source: &mut dyn Read, out: &mut dyn Write) -> Result<(), DepotError> {
        let mut piece = vec![0; PIECE_BYTES];
        loop {
            match source.read(&mut piece).map_err(DepotError::local)? {
                0 => return Ok(()),
                length => self.take(piece.get(..length).unwrap_or_default(), out)?,
            }
        }
    }

    pub(crate) fn end(self) -> Result<u64, DepotError> {
        let found = self.bytes;
        if let Some(bytes) = self.blob.bytes.filter(|bytes| *bytes != found) {
            return Err(DepotError::corrupt(self.name, &format!("it has {found} of {bytes} bytes")));
        }
        if Digest::from_bytes(self.hash.finalize().into()) != self.blob.sha256 {
            return Err(DepotError::corrupt(self.name, "it has another content than its name says"));
        }
        Ok(found)
    }
}

/// Copies a local file, which must hold this content.
pub(crate) fn copy(mut source: impl Read, blob: Blob, name: &str, out: &mut dyn Write) -> io::Result<()> {
    let mut content = Content::new(name, blob);
    let copied = content.take_all(&mut source, out).and_then(|()| content.end());
    copied.map(drop).map_err(|error| io::Error::other(DepotError::changed(error)))
}
