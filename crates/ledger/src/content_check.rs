//! Whether stored files still hold what was written into them.

use std::io::{self, Read};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use referee_model::id::Digest;
use sha2::{Digest as _, Sha256};

use crate::contents::Written;
use crate::error::LedgerError;
use crate::folder::Folder;

/// Bytes hashed at once.
const BUFFER_BYTES: usize = 256 * 1024;

/// Memory through which one thread reads files.
#[derive(Debug)]
pub(crate) struct Buffer(Vec<u8>);

impl Buffer {
    pub(crate) fn new() -> Self {
        Self(vec![0; BUFFER_BYTES])
    }
}

/// How a file differs from what was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Difference {
    /// It has another size.
    Size {
        /// The size that it has, in bytes.
        found: u64,
    },
    /// It has the same size and other bytes.
    Content,
}

/// Compares a file with what was written: its size, and only where that fits its bytes. However large the file is, at
/// most one byte more is read than was written.
pub(crate) fn difference(
    folder: &Folder,
    name: &str,
    written: Written,
    buffer: &mut Buffer,
) -> Result<Option<Difference>, LedgerError> {
    let path = folder.path().join(name);
    let mut file = folder.open_file(name)?;
    let size =
        |file: &std::fs::File| file.metadata().map(|facts| facts.len()).map_err(LedgerError::io("look at", &path));
    let found = size(&file)?;
    if found != written.bytes {
        return Ok(Some(Difference::Size { found }));
    }
    let limit = written.bytes.saturating_add(1);
    let (bytes, sha256) = hash((&mut file).take(limit), buffer).map_err(LedgerError::io("read", &path))?;
    if bytes != written.bytes {
        // Somebody is writing to the file at this very moment.
        return Ok(Some(Difference::Size { found: size(&file)? }));
    }
    Ok((sha256 != written.sha256).then_some(Difference::Content))
}

/// Returns what a file holds.
pub(crate) fn written(folder: &Folder, name: &str) -> Result<Written, LedgerError> {
    let path = folder.path().join(name);
    let file = folder.open_file(name)?;
    let (bytes, sha256) = hash(file, &mut Buffer::new()).map_err(LedgerError::io("read", &path))?;
    Ok(Written { bytes, sha256 })
}

fn hash(mut reader: impl Read, buffer: &mut Buffer) -> io::Result<(u64, Digest)> {
    let mut hash = Sha256::new();
    let mut bytes = 0;
    loop {
        let length = match reader.read(&mut buffer.0) {
            Ok(0) => return Ok((bytes, Digest::from_bytes(hash.finalize().into()))),
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        hash.update(&buffer.0[..length]);
        bytes += length as u64;
    }
}

/// Makes sure that a file of a run holds what the run wrote.
pub(crate) fn unchanged(folder: &Folder, name: &str, written: Written, buffer: &mut Buffer) -> Result<(), LedgerError> {
    match difference(folder, name, written, buffer) {
        Ok(None) => Ok(()),
        Ok(Some(Difference::Size { found })) => {
            Err(meddled(folder, format!("`{name}` has {found} bytes; {} were written", written.bytes)))
        }
        Ok(Some(Difference::Content)) => Err(meddled(folder, format!("`{name}` has another content than was written"))),
        Err(error) => Err(gone_or(error, folder, name)),
    }
}

/// Reads a file of a run and gives out its bytes as they are read. Only where this ends well were they what the run wrote:
/// whatever was made of them before is to be dropped where it does not. At most one byte more is read than was written.
pub(crate) fn read_unchanged(
    folder: &Folder,
    name: &str,
    written: Written,
    each: &mut dyn FnMut(&[u8]),
) -> Result<(), LedgerError> {
    let path = folder.path().join(name);
    let file = folder.open_file(name).map_err(|error| gone_or(error, folder, name))?;
    let found = file.metadata().map_err(LedgerError::io("look at", &path))?.len();
    let is_other_size = |found| meddled(folder, format!("`{name}` has {found} bytes; {} were written", written.bytes));
    if found != written.bytes {
        return Err(is_other_size(found));
    }
    let limit = written.bytes.saturating_add(1);
    let told = Told { reader: file.take(limit), each };
    let (bytes, sha256) = hash(told, &mut Buffer::new()).map_err(LedgerError::io("read", &path))?;
    if bytes != written.bytes {
        return Err(is_other_size(bytes));
    }
    if sha256 != written.sha256 {
        return Err(meddled(folder, format!("`{name}` has another content than was written")));
    }
    Ok(())
}

/// Tells somebody what is read.
struct Told<'told, R> {
    reader: R,
    each: &'told mut dyn FnMut(&[u8]),
}

impl<R: Read> Read for Told<'_, R> {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        let length = self.reader.read(target)?;
        (self.each)(&target[..length]);
        Ok(length)
    }
}

/// Turns the error of a file that is no longer there, or is no file any more, into one that says so.
pub(crate) fn gone_or(error: LedgerError, folder: &Folder, name: &str) -> LedgerError {
    match error {
        LedgerError::Io { source, .. } if source.kind() == io::ErrorKind::NotFound => {
            meddled(folder, format!("`{name}` was removed"))
        }
        LedgerError::NotAFile { .. } => meddled(folder, format!("`{name}` was replaced by what is no file")),
        other => other,
    }
}

pub(crate) fn meddled(folder: &Folder, what: String) -> LedgerError {
    LedgerError::Meddled { path: folder.path().to_path_buf(), what }
}

/// Does a work for each item on all processors, in this order, and returns what came of it, in any order.
pub(crate) fn on_all_processors<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T, &mut Buffer) -> Option<R> + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    let workers = thread::available_parallelism().map_or(1, usize::from).min(items.len());
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                let mut buffer = Buffer::new();
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Some(result) = work(item, &mut buffer) {
                        results.lock().unwrap_or_else(PoisonError::into_inner).push(result);
                    }
                }
            });
        }
    });
    results.into_inner().unwrap_or_else(PoisonError::into_inner)
}
