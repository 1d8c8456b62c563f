//! Writes the output of one attempt to disk: redacted per stream, interleaved into one file in the order of
//! arrival, and hashed and counted as it passes.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

use referee_model::id::Digest;
use referee_model::record::{Log, Redaction, Stream, StreamMap};
use sha2::{Digest as _, Sha256};

use crate::contents::{Contents, Finished, Stamp, Written};
use crate::error::LedgerError;
use crate::fault;
use crate::log_file::Places;
use crate::redact::{Redactor, StreamRedactor};

/// Size, in bytes, of the pieces that are processed at a time, so that a large input needs no more memory than
/// a small one.
const PIECE_BYTES: usize = 64 * 1024;

/// Maximum number of redactions that a log lists one by one; all of them are counted.
const REDACTIONS_KEPT: usize = 1_000;

/// Segments that a stream map takes before alternating streams must wait for one another.
const FREE_SEGMENTS: usize = 4_096;

/// Number of further segments after which the quantum doubles.
const SEGMENTS_PER_DOUBLING: usize = 1_024;

/// The first and the largest quantum, in bytes.
const QUANTUM_BYTES: (u64, u64) = (1_024, 256 * 1_024);

#[derive(Debug)]
pub struct Capture {
    name: String,
    redactors: [StreamRedactor; 2],
    writer: Writer,
    contents: Contents,
}

impl Capture {
    /// Creates a capture that writes to an empty file.
    pub(crate) fn new(file: File, path: PathBuf, name: &str, redactor: &Redactor, contents: Contents) -> Self {
        contents.begin(name);
        Self {
            name: name.to_owned(),
            redactors: [redactor.stream(), redactor.stream()],
            writer: Writer::new(file, path),
            contents,
        }
    }

    /// Appends bytes of one stream. Complete lines are on disk afterwards; an unfinished line is buffered until
    /// it ends (at most 64 KiB of it), so that a secret is seen whole.
    pub fn append(&mut self, stream: Stream, bytes: &[u8]) -> Result<(), LedgerError> {
        for piece in bytes.chunks(PIECE_BYTES) {
            self.writer.take(stream, self.redactors[stream as usize].push(piece))?;
        }
        Ok(())
    }

    /// Writes what is still buffered and returns the description of the log.
    pub fn finish(mut self) -> Result<Log, LedgerError> {
        for stream in Stream::ALL {
            self.writer.take(stream, self.redactors[stream as usize].finish())?;
        }
        let (finished, streams) = self.writer.finish()?;
        let redactions = redactions(&self.redactors, &streams);
        self.contents.finish(&self.name, finished);
        Ok(Log {
            file: self.name,
            bytes: finished.written.bytes,
            sha256: finished.written.sha256,
            streams,
            redactions,
            redaction_count: self.redactors.iter().map(StreamRedactor::found_count).sum(),
        })
    }
}

/// Converts offsets in the streams to offsets in the log. A redaction that is interrupted by output of the
/// other stream is listed with the offset of its beginning.
fn redactions(redactors: &[StreamRedactor; 2], streams: &StreamMap) -> Vec<Redaction> {
    let mut redactions = Vec::new();
    for (stream, redactor) in Stream::ALL.into_iter().zip(redactors) {
        let places = Places::new(streams, stream);
        redactions.extend(redactor.found().iter().map(|found| Redaction {
            rule: found.rule.clone(),
            offset: places.locate(found.offset),
            bytes: found.bytes,
        }));
    }
    redactions.sort_by_key(|redaction| redaction.offset);
    redactions.truncate(REDACTIONS_KEPT);
    redactions
}

/// Interleaves two streams into one file.
///
/// Bytes are written as they come, and the stream map grows with each change of stream. A program that alternates its
/// streams byte by byte for gigabytes would let the map grow without bound, so from 4 096 segments on a change must be
/// worth it: bytes of the other stream wait until a quantum of them is there, or until the current stream has written
/// four quanta. The quantum begins at 1 KiB and doubles with every 1 024 segments up to 256 KiB. A map thus has at most
/// about 12 000 segments and one more for each 256 KiB of output. The order within a stream is never touched.
#[derive(Debug)]
struct Writer {
    file: File,
    path: PathBuf,
    hash: Sha256,
    bytes: u64,
    streams: StreamMap,
    /// Buffered bytes of the stream that is not the current one.
    waiting: Vec<u8>,
    broken: bool,
}

impl Writer {
    fn new(file: File, path: PathBuf) -> Self {
        Self {
            file,
            path,
            hash: Sha256::new(),
            bytes: 0,
            streams: StreamMap::default(),
            waiting: Vec::new(),
            broken: false,
        }
    }

    fn take(&mut self, stream: Stream, bytes: &[u8]) -> Result<(), LedgerError> {
        if bytes.is_empty() {
            return Ok(());
        }
        let quantum = quantum(self.streams.segments().len());
        match self.streams.segments().last().copied() {
            Some(current) if current.stream != stream => {
                self.waiting.extend_from_slice(bytes);
                if self.waiting.len() as u64 >= quantum { self.change(stream) } else { Ok(()) }
            }
            Some(current) => {
                self.write(stream, bytes)?;
                let full = (current.bytes + bytes.len() as u64) >= 4 * quantum;
                if full { self.change(other(stream)) } else { Ok(()) }
            }
            None => self.write(stream, bytes),
        }
    }

    /// Makes `stream` the current one, after writing its buffered bytes.
    fn change(&mut self, stream: Stream) -> Result<(), LedgerError> {
        let waiting = std::mem::take(&mut self.waiting);
        self.write(stream, &waiting)?;
        self.waiting = waiting;
        self.waiting.clear();
        Ok(())
    }

    fn write(&mut self, stream: Stream, bytes: &[u8]) -> Result<(), LedgerError> {
        if self.broken {
            return Err(LedgerError::CutShort { path: self.path.clone() });
        }
        let done = fault::point().and_then(|()| self.file.write_all(bytes));
        self.broken = done.is_err();
        done.map_err(LedgerError::io("write", &self.path))?;
        self.hash.update(bytes);
        self.bytes += bytes.len() as u64;
        self.streams.push(stream, bytes.len() as u64);
        Ok(())
    }

    fn finish(mut self) -> Result<(Finished, StreamMap), LedgerError> {
        if let Some(current) = self.streams.segments().last().copied() {
            self.change(other(current.stream))?;
        }
        if self.broken {
            return Err(LedgerError::CutShort { path: self.path });
        }
        let written = Written { bytes: self.bytes, sha256: Digest::from_bytes(self.hash.finalize().into()) };
        let stamp = Stamp::of(&self.file).map_err(LedgerError::io("look at", &self.path))?;
        Ok((Finished { written, stamp: Some(stamp) }, self.streams))
    }
}

fn other(stream: Stream) -> Stream {
    match stream {
        Stream::Stdout => Stream::Stderr,
        Stream::Stderr => Stream::Stdout,
    }
}

/// Returns how many bytes a change of stream must be worth, given the segments so far.
fn quantum(segments: usize) -> u64 {
    let Some(beyond) = segments.checked_sub(FREE_SEGMENTS) else { return 0 };
    let doublings = u32::try_from(beyond / SEGMENTS_PER_DOUBLING).unwrap_or(u32::MAX).min(u64::BITS / 2);
    (QUANTUM_BYTES.0 << doublings).min(QUANTUM_BYTES.1)
}

#[cfg(test)]
mod tests;
