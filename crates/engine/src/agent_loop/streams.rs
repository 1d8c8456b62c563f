//! Output of an agent: redacted as it arrives, shown, and kept within bounds.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use referee_exec::agent_process::Tap;
use referee_ledger::redact::{Redactor, StreamRedactor};
use referee_model::limit::{AGENT_ANSWER_STREAM_BYTES, AGENT_STREAM_BYTES};
use referee_model::record::Stream;

use super::Live;
use crate::tail::Tail;

/// The beginning and the end of a stream.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    head: Vec<u8>,
    /// Maximum number of bytes kept of the beginning.
    most: usize,
    tail: Tail,
    /// Whether bytes between the beginning and the end were dropped.
    is_cut: bool,
}

impl Kept {
    fn of(most: usize) -> Self {
        Self { most, tail: Tail::new(AGENT_STREAM_BYTES), ..Self::default() }
    }

    fn add(&mut self, bytes: &[u8]) {
        let (first, rest) = bytes.split_at(bytes.len().min(self.most - self.head.len()));
        self.head.extend_from_slice(first);
        if rest.is_empty() {
            return;
        }
        self.is_cut = true;
        self.tail.add(rest);
    }

    /// Returns the beginning of the stream: all of it, or at least as much as a document keeps.
    pub(crate) fn beginning(&self) -> String {
        String::from_utf8_lossy(&self.head).into_owned()
    }

    /// Returns the end of the stream. Its first line may be cut.
    pub(crate) fn end(&self) -> String {
        let end = if self.is_cut { self.tail.so_far() } else { &self.head };
        String::from_utf8_lossy(end).into_owned()
    }

    /// Returns everything kept of the stream as lines. If bytes were dropped, the partial lines around the gap are
    /// left out.
    pub(crate) fn lines(&self) -> String {
        if !self.is_cut {
            return self.beginning();
        }
        let tail = self.tail.so_far();
        let after = tail.iter().position(|byte| *byte == b'\n').map_or(tail.len(), |at| at + 1);
        let until = self.head.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let whole = [self.head.get(..until), tail.get(after..)].map(Option::unwrap_or_default).concat();
        String::from_utf8_lossy(&whole).into_owned()
    }
}

#[derive(Clone)]
pub(crate) struct Streams(Arc<Mutex<Both>>);

struct Both {
    redactors: [StreamRedactor; 2],
    kept: [Kept; 2],
    live: Option<Live>,
}

impl Streams {
    pub(crate) fn new(redactor: &Redactor, live: Option<Live>) -> Self {
        Self(Arc::new(Mutex::new(Both {
            redactors: [redactor.stream(), redactor.stream()],
            // A data answer is looked for in standard output; a document must be able to see that standard error
            // was cut.
            kept: [Kept::of(AGENT_ANSWER_STREAM_BYTES), Kept::of(AGENT_STREAM_BYTES + 1)],
            live,
        })))
    }

    /// Returns the callback that receives the bytes as they arrive.
    pub(crate) fn tap(&self) -> Tap {
        let streams = self.clone();
        Box::new(move |stream, bytes| streams.lock().take(stream, Some(bytes)))
    }

    /// Flushes what redaction held back, and returns both streams.
    pub(crate) fn finish(&self) -> [Kept; 2] {
        let mut both = self.lock();
        for stream in [Stream::Stdout, Stream::Stderr] {
            both.take(stream, None);
        }
        std::mem::take(&mut both.kept)
    }

    fn lock(&self) -> MutexGuard<'_, Both> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Both {
    /// Takes bytes of a stream. `None` marks its end, and flushes what redaction held back.
    fn take(&mut self, stream: Stream, bytes: Option<&[u8]>) {
        let place = usize::from(stream == Stream::Stderr);
        let (redactor, kept) = (&mut self.redactors[place], &mut self.kept[place]);
        let redacted = match bytes {
            Some(bytes) => redactor.push(bytes),
            None => redactor.finish(),
        };
        kept.add(redacted);
        if let Some(live) = self.live.as_ref().filter(|_| !redacted.is_empty()) {
            live(stream, redacted);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_kept_by_both_ends_and_cut_at_lines() {
        let mut kept = Kept::of(10);
        kept.add(b"one\ntwo\nth");
        assert_eq!((kept.beginning().as_str(), kept.end().as_str()), ("one\ntwo\nth", "one\ntwo\nth"));
        kept.add(b"ree\nfour\n");
        assert_eq!(kept.end(), "ree\nfour\n");
        assert_eq!(kept.lines(), "one\ntwo\nfour\n");
        for _ in 0..5 {
            kept.add(&vec![b'x'; AGENT_STREAM_BYTES]);
        }
        assert!(kept.tail.so_far().len() <= 2 * AGENT_STREAM_BYTES && kept.head.len() == 10);
    }

    #[test]
    fn secrets_are_cut_before_anything_is_kept_or_shown() {
        let shown = Arc::new(Mutex::new(Vec::new()));
        let copy = Arc::clone(&shown);
        let live: Live = Arc::new(move |_, bytes: &[u8]| copy.lock().unwrap().extend_from_slice(bytes));
        let secret = "s3cr3t-Value-That-Is-Long-42";
        let redactor = Redactor::new(vec![("API_TOKEN".to_owned(), secret.to_owned())], Vec::new());
        let streams = Streams::new(&redactor, Some(live));
        let mut tap = streams.tap();
        // Split over two reads.
        tap(Stream::Stdout, format!("the key is {}", &secret[..9]).as_bytes());
        tap(Stream::Stdout, format!("{}\n", &secret[9..]).as_bytes());
        tap(Stream::Stderr, secret.as_bytes());
        let [out, err] = streams.finish();
        assert_eq!(out.beginning(), format!("the key is {}\n", "*".repeat(secret.len())));
        assert_eq!(err.end(), "*".repeat(secret.len()));
        assert!(!String::from_utf8(shown.lock().unwrap().clone()).unwrap().contains("s3cr3t"));
    }
}
