//! A stored log, read one stream at a time.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use referee_model::record::{Log, Stream, StreamMap};

use crate::content_check::{self, Buffer};
use crate::contents::Written;
use crate::directory::Directory;
use crate::error::LedgerError;
use crate::lock::FileLock;
use crate::paths;

/// Bytes read from disk at once.
const BUFFER_BYTES: usize = 128 * 1024;

/// A stored log. It can be read while the run goes on, once its capture is finished. It is reached through the
/// directory that the run holds open, so another directory that somebody puts in the same place is not looked at.
#[derive(Debug)]
pub struct LogFile {
    directory: Arc<Directory>,
    name: String,
    written: Written,
    places: [Places; 2],
    /// Held where the run is still written: it lives as long as a log of it is read.
    _live: Option<Arc<FileLock<Directory>>>,
}

impl LogFile {
    pub(crate) fn new(directory: Arc<Directory>, log: &Log) -> Self {
        Self {
            directory,
            name: log.file.clone(),
            written: Written { bytes: log.bytes, sha256: log.sha256 },
            places: Stream::ALL.map(|stream| Places::new(&log.streams, stream)),
            _live: None,
        }
    }

    /// A log of a run that lives at least as long as this.
    pub(crate) fn of_live(directory: Arc<Directory>, live: Arc<FileLock<Directory>>, log: &Log) -> Self {
        Self { _live: Some(live), ..Self::new(directory, log) }
    }

    /// Makes sure that the stored file is the one that the record tells of: the same size, then the same SHA-256, in
    /// constant memory. Whoever reads the log checks it first; what does not fit is [`LedgerError::Meddled`].
    pub fn check(&self) -> Result<(), LedgerError> {
        let name = paths::component(&self.name)?;
        content_check::unchanged(&self.directory, name, self.written, &mut Buffer::new(), &mut |_| {})
    }

    /// Reads the bytes of one stream and no others, in constant memory. A log that is shorter than its record says ends
    /// in an error, not in an end.
    pub fn stream(&self, stream: Stream) -> io::Result<impl Read + use<>> {
        Ok(StreamReader {
            file: self.open()?,
            parts: self.places[stream as usize].parts.clone(),
            part: 0,
            within: 0,
            buffer: Vec::new(),
            buffer_offset: 0,
        })
    }

    /// Reads the whole log, its streams as they came.
    pub fn whole(&self) -> io::Result<impl Read + use<>> {
        self.open()
    }

    fn open(&self) -> io::Result<File> {
        paths::component(&self.name).and_then(|name| self.directory.open_file(name)).map_err(|error| match error {
            LedgerError::Io { source, .. } => source,
            other => io::Error::new(io::ErrorKind::InvalidInput, other),
        })
    }

    /// Returns where a byte of a stream lies in the log. An offset at or beyond the stream's end gives the end of its
    /// last bytes.
    pub fn locate(&self, stream: Stream, offset: u64) -> u64 {
        self.places[stream as usize].locate(offset)
    }
}

/// Where the bytes of one stream lie in a log.
#[derive(Debug, Clone, Default)]
pub(crate) struct Places {
    parts: Vec<Part>,
}

/// A run of bytes of the stream.
#[derive(Debug, Clone, Copy)]
struct Part {
    in_stream: u64,
    in_log: u64,
    bytes: u64,
}

impl Places {
    /// Sums up a stream map. Sizes may come from a file that anybody wrote, so sums stop at the largest number.
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

    /// Returns where a byte of the stream lies in the log.
    pub(crate) fn locate(&self, offset: u64) -> u64 {
        let after = self.parts.partition_point(|part| part.in_stream <= offset);
        let Some(part) = after.checked_sub(1).map(|index| self.parts[index]) else { return 0 };
        part.in_log.saturating_add((offset - part.in_stream).min(part.bytes))
    }
}

/// Reads the parts of one stream in order. Small parts that lie close together come from one read of the disk.
#[derive(Debug)]
struct StreamReader {
    file: File,
    parts: Vec<Part>,
    part: usize,
    within: u64,
    buffer: Vec<u8>,
    buffer_offset: u64,
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
                // What is there already is given out first, so an error never takes bytes with it.
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
    /// Returns the buffered bytes from a place in the log on.
    fn buffered(&self, place: u64) -> &[u8] {
        let skipped = place.checked_sub(self.buffer_offset).and_then(|skipped| usize::try_from(skipped).ok());
        skipped.and_then(|skipped| self.buffer.get(skipped..)).unwrap_or(&[])
    }

    /// Reads on from a place in the log.
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
        if length? == 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the log is shorter than its record says"));
        }
        Ok(())
    }
}
