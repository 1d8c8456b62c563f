//! Redacts a stream of bytes that arrives in pieces.

use std::sync::Arc;

use memchr::{memchr, memrchr};

use super::Redactor;
use super::knowledge::Knowledge;
use super::private_key::PrivateKey;

/// Maximum number of bytes that are examined and buffered at a time: lines up to this length are examined
/// whole.
const WINDOW_BYTES: usize = 64 * 1024;

/// A longer line is examined in windows. Each begins this many bytes before the end of the previous one, so
/// that no secret up to this length is missed; a longer one is redacted as far as its window goes.
const OVERLAP_BYTES: usize = 8 * 1024;

/// Maximum number of redactions that are listed one by one; all of them are counted.
const FOUND_KEPT: usize = 1_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedactionSpan {
    pub rule: String,
    /// Offset of the beginning in the stream, in bytes.
    pub offset: u64,
    /// Length in bytes.
    pub bytes: u64,
}

/// Redacts one stream. The output depends on the stream's bytes and on the secrets that are learned meanwhile,
/// not on how the bytes are split into pieces.
#[derive(Debug)]
pub struct StreamRedactor {
    redactor: Redactor,
    /// Knowledge of the redactor when the last bytes arrived.
    knowledge: Arc<Knowledge>,
    /// First the bytes that were released last, then the bytes that are held back.
    buffer: Vec<u8>,
    released: usize,
    /// Offset of the buffer in the stream.
    offset: u64,
    private_key: PrivateKey,
    found: Vec<RedactionSpan>,
    found_count: u64,
}

impl StreamRedactor {
    pub(super) fn new(redactor: Redactor) -> Self {
        Self {
            knowledge: redactor.knowledge(),
            redactor,
            buffer: Vec::new(),
            released: 0,
            offset: 0,
            private_key: PrivateKey::default(),
            found: Vec::new(),
            found_count: 0,
        }
    }

    /// Takes more bytes and returns the redacted bytes that can be stored now: complete lines, and the settled
    /// part of a very long one. At most 64 KiB are held back.
    pub fn push(&mut self, bytes: &[u8]) -> &[u8] {
        self.forget_released();
        self.buffer.extend_from_slice(bytes);
        // The bytes held back contain no line break, so searching the new bytes tells whether anything can be
        // settled. Otherwise a long line that arrives byte by byte would be searched for its end once per byte.
        if self.buffer.len() >= WINDOW_BYTES || memchr(b'\n', bytes).is_some() {
            self.released = self.settle(false);
        }
        &self.buffer[..self.released]
    }

    /// Returns the bytes held back, at the end of the stream.
    pub fn finish(&mut self) -> &[u8] {
        self.forget_released();
        self.released = self.settle(true);
        &self.buffer[..self.released]
    }

    /// Returns the redactions so far, in order; at most the first thousand.
    pub fn found(&self) -> &[RedactionSpan] {
        &self.found
    }

    /// Returns the number of redactions so far, including those that are not listed.
    pub fn found_count(&self) -> u64 {
        self.found_count
    }

    fn forget_released(&mut self) {
        self.knowledge = self.redactor.knowledge();
        self.buffer.drain(..self.released);
        self.offset += self.released as u64;
        self.released = 0;
    }

    /// Redacts the buffer as far as it can be decided, and returns how far that is.
    fn settle(&mut self, ended: bool) -> usize {
        let lines_end =
            if ended { self.buffer.len() } else { memrchr(b'\n', &self.buffer).map_or(0, |newline| newline + 1) };
        let mut settled = 0;
        loop {
            if !self.private_key.is_open() && settled < lines_end {
                settled = match self.knowledge.suspicion(&self.buffer[..lines_end], settled) {
                    None => lines_end,
                    Some(place) => settled + line_start(&self.buffer[settled..place]),
                };
            }
            let Some((end, accepted)) = self.piece(settled, ended) else { return settled };
            self.redact(settled, end, accepted);
            settled = accepted;
        }
    }

    /// Returns the end of the piece that begins at `start`, and the limit before which secrets in it must
    /// begin. None: more bytes are needed to decide.
    fn piece(&self, start: usize, ended: bool) -> Option<(usize, usize)> {
        let rest = &self.buffer[start..];
        let window = &rest[..rest.len().min(WINDOW_BYTES)];
        match memchr(b'\n', window) {
            Some(newline) => Some((start + newline + 1, start + newline + 1)),
            None if window.len() == WINDOW_BYTES => Some((start + WINDOW_BYTES, start + WINDOW_BYTES - OVERLAP_BYTES)),
            None if ended && !window.is_empty() => Some((self.buffer.len(), self.buffer.len())),
            None => None,
        }
    }

    fn redact(&mut self, start: usize, end: usize, accepted: usize) {
        let text = &mut self.buffer[start..end];
        if !self.private_key.is_open() && self.knowledge.suspicion(text, 0).is_none() {
            return;
        }
        let cuts = self.knowledge.cut(text, accepted - start, &mut self.private_key);
        self.found_count += cuts.len() as u64;
        let room = FOUND_KEPT - self.found.len();
        self.found.extend(cuts.into_iter().take(room).map(|cut| RedactionSpan {
            offset: self.offset + (start + cut.start) as u64,
            bytes: (cut.end - cut.start) as u64,
            rule: cut.rule,
        }));
    }
}

/// Returns the offset at which the last line of a text begins.
fn line_start(text: &[u8]) -> usize {
    memrchr(b'\n', text).map_or(0, |newline| newline + 1)
}
