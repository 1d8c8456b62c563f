//! A stored log, read one stream at a time.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use referee_model::id::Digest;
use referee_model::record::{Log, Stream, StreamMap};
use sha2::{Digest as _, Sha256};

use crate::content_check::{self, Buffer};
use crate::contents::Written;
use crate::directory::Directory;
use crate::error::LedgerError;
use crate::lock::FileLock;
use crate::paths;

/// Number of bytes read from disk at a time.
const BUFFER_BYTES: usize = 128 * 1024;

/// A stored log. It can be read while the run is in progress, once its capture is finished. It is opened
/// through the directory that the run holds open, so a directory that was put in its place is not read.
#[derive(Debug)]
pub struct LogFile {
    directory: Arc<Directory>,
    name: String,
    written: Written,
    places: [Places; 2],
    /// Hash of the bytes that were read so far, from the log's first byte on and without a gap. None: the log was
    /// checked, so that further reading needs no hash.
    progress: Arc<Mutex<Option<Progress>>>,
    /// Set while the run is still being written: the run counts as live as long as a log of it is read.
    _live: Option<Arc<FileLock<Directory>>>,
}

/// Hash of the beginning of a log.
#[derive(Debug, Default)]
struct Progress {
    hash: Sha256,
    bytes: u64,
}

impl Progress {
    /// Adds bytes that were read at an offset in the log, unless they do not follow those before.
    fn add(&mut self, place: u64, bytes: &[u8]) {
        if self.bytes == place {
            self.hash.update(bytes);
            self.bytes += bytes.len() as u64;
        }
    }

    /// Whether this is the hash of all that was written.
    fn matches(self, written: Written) -> bool {
        self.bytes == written.bytes && Digest::from_bytes(self.hash.finalize().into()) == written.sha256
    }
}

fn locked(progress: &Mutex<Option<Progress>>) -> MutexGuard<'_, Option<Progress>> {
    progress.lock().unwrap_or_else(PoisonError::into_inner)
}

impl LogFile {
    pub(crate) fn new(directory: Arc<Directory>, log: &Log) -> Self {
        Self {
            directory,
            name: log.file.clone(),
            written: Written { bytes: log.bytes, sha256: log.sha256 },
            places: Stream::ALL.map(|stream| Places::new(&log.streams, stream)),
            progress: Arc::new(Mutex::new(Some(Progress::default()))),
            _live: None,
        }
    }

    /// Returns a log of a run that stays live at least as long as the log.
    pub(crate) fn of_live(directory: Arc<Directory>, live: Arc<FileLock<Directory>>, log: &Log) -> Self {
        Self { _live: Some(live), ..Self::new(directory, log) }
    }

    /// Checks that the stored file is the one that the record describes: first the size, then the SHA-256, in
    /// constant memory. Callers check a log before they read it, or discard what they read if the check fails
    /// afterwards: then it reads nothing again that was read in order. A mismatch is [`LedgerError::Meddled`].
    pub fn check(&self) -> Result<(), LedgerError> {
        let name = paths::component(&self.name)?;
        let is_read = locked(&self.progress).take().is_some_and(|progress| progress.matches(self.written));
        if is_read && self.directory.size(name)? == Some(self.written.bytes) {
            return Ok(());
        }
        content_check::unchanged(&self.directory, name, self.written, &mut Buffer::new(), &mut |_| {})
    }

    /// Reads the bytes of one stream only, in constant memory. If the log is shorter than its record says,
    /// reading fails instead of ending early.
    pub fn stream(&self, stream: Stream) -> io::Result<impl Read + use<>> {
        self.stream_from(stream, 0)
    }

    /// Reads the bytes of one stream from an offset in it on, as [`stream`](Self::stream) does.
    pub fn stream_from(&self, stream: Stream, offset: u64) -> io::Result<impl Read + use<>> {
        let parts = self.places[stream as usize].parts.clone();
        let part = parts.partition_point(|part| part.in_stream.saturating_add(part.bytes) <= offset);
        let within = parts.get(part).map_or(0, |part| offset - part.in_stream);
        let progress = Arc::clone(&self.progress);
        Ok(StreamReader { file: self.open()?, parts, part, within, buffer: Vec::new(), buffer_offset: 0, progress })
    }

    /// Reads the whole log, with the streams interleaved as they were captured.
    pub fn whole(&self) -> io::Result<impl Read + use<>> {
        self.open()
    }

    fn open(&self) -> io::Result<File> {
        paths::component(&self.name).and_then(|name| self.directory.open_file(name)).map_err(|error| match error {
            LedgerError::Io { source, .. } => source,
            other => io::Error::new(io::ErrorKind::InvalidInput, other),
        })
    }

    /// Converts an offset in a stream to an offset in the log. An offset at or beyond the stream's end gives
    /// the end of its last bytes.
    pub fn locate(&self, stream: Stream, offset: u64) -> u64 {
        self.places[stream as usize].locate(offset)
    }
}

/// Positions of the bytes of one stream in a log.
#[derive(Debug, Clone, Default)]
pub(crate) struct Places {
    parts: Vec<Part>,
}

/// A contiguous part of the stream in the log.
#[derive(Debug, Clone, Copy)]
struct Part {
    in_stream: u64,
    in_log: u64,
    bytes: u64,
}

impl Places {
    /// Computes the positions from a stream map. The sizes may come from an untrusted file, so sums saturate.
    pub(crate) fn new(map: &StreamMap, stream: Stream) -> Self {
        let mut places = Self::default();
        let (mut in_stream, mut in_log) = (0_u64, 0_u64);
        for segment in map.segments() {
            if segment.stream == stream {
                places.parts.push(Part { in_stream, in_log, bytes: segment.bytes });
                in_stream = in_stream.saturating_add(segment.bytes);
            }
            in_log = in_log.saturating_add(segment.bytes);
        }
        places
    }

    /// Converts an offset in the stream to an offset in the log.
    pub(crate) fn locate(&self, offset: u64) -> u64 {
        let after = self.parts.partition_point(|part| part.in_stream <= offset);
        let Some(part) = after.checked_sub(1).map(|index| self.parts[index]) else { return 0 };
        part.in_log.saturating_add((offset - part.in_stream).min(part.bytes))
    }
}

/// Reads the parts of one stream in order. Small parts that are close together come from one disk read.
#[derive(Debug)]
struct StreamReader {
    file: File,
    parts: Vec<Part>,
    part: usize,
    within: u64,
    buffer: Vec<u8>,
    buffer_offset: u64,
    progress: Arc<Mutex<Option<Progress>>>,
}

impl Read for StreamReader {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < target.len() {
            let Some(part) = self.parts.get(self.part).copied() else { break };
            if self.within == part.bytes {
                self.part += 1;
                self.within = 0;
                continue;
            }
            let place = part.in_log.saturating_add(self.within);
            let wanted = usize::try_from(part.bytes - self.within).unwrap_or(usize::MAX).min(target.len() - filled);
            if self.buffered(place).is_empty() {
                // Bytes that were read already are returned first, so an error never loses bytes.
                if filled > 0 {
                    break;
                }
                self.fill(place)?;
            }
            let buffered = self.buffered(place);
            let length = buffered.len().min(wanted);
            target[filled..filled + length].copy_from_slice(&buffered[..length]);
            filled += length;
            self.within += length as u64;
        }
        Ok(filled)
    }
}

impl StreamReader {
    /// Returns the buffered bytes from an offset in the log on.
    fn buffered(&self, place: u64) -> &[u8] {
        let skipped = place.checked_sub(self.buffer_offset).and_then(|skipped| usize::try_from(skipped).ok());
        skipped.and_then(|skipped| self.buffer.get(skipped..)).unwrap_or(&[])
    }

    /// Fills the buffer from an offset in the log on.
    fn fill(&mut self, place: u64) -> io::Result<()> {
        self.buffer.resize(BUFFER_BYTES, 0);
        let length = loop {
            match self.file.read_at(&mut self.buffer, place) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        self.buffer.truncate(length.as_ref().map_or(0, |&length| length));
        self.buffer_offset = place;
        if let Some(progress) = &mut *locked(&self.progress) {
            progress.add(place, &self.buffer);
        }
        if length? == 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the log is shorter than its record says"));
        }
        Ok(())
    }
}
