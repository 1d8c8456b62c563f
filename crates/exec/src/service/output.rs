//! Searches for lines in the output of a service as it streams by.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use referee_model::limit;
use referee_model::record::Stream;
use regex::bytes::Regex;

/// Time without further bytes after which an unfinished line counts as complete, for example a prompt.
const QUIET: Duration = Duration::from_millis(100);

/// Patterns of lines that show that a service is ready, and which of them were seen.
#[derive(Debug)]
pub(crate) struct Signs {
    patterns: Vec<(Regex, AtomicBool)>,
    /// Whether the patterns are still of interest.
    wanted: AtomicBool,
    lines: Mutex<[Line; 2]>,
}

/// The current line of a stream.
#[derive(Debug, Default)]
struct Line {
    /// Beginning of the line; of a very long line only as much as readers are given.
    bytes: Vec<u8>,
    /// When its last byte arrived.
    touched: Option<Instant>,
}

impl Signs {
    /// Compiles the patterns to search for.
    ///
    /// # Errors
    /// Fails if a pattern is invalid, with the reason.
    pub(crate) fn new<'text>(patterns: impl Iterator<Item = &'text str>) -> Result<Self, String> {
        let sign = |pattern: &str| {
            let regex = Regex::new(pattern).map_err(|error| format!("the pattern `{pattern}` cannot be used: {error}"));
            Ok((regex?, AtomicBool::new(false)))
        };
        let patterns = patterns.map(sign).collect::<Result<Vec<_>, String>>()?;
        let wanted = AtomicBool::new(!patterns.is_empty());
        Ok(Self { patterns, wanted, lines: Mutex::default() })
    }

    /// Takes bytes of a stream.
    pub(crate) fn take(&self, stream: Stream, bytes: &[u8]) {
        if !self.wanted.load(Ordering::Relaxed) {
            return;
        }
        let mut lines = self.lines();
        let line = &mut lines[usize::from(stream == Stream::Stderr)];
        let mut parts = bytes.split(|byte| matches!(byte, b'\n' | b'\r')).peekable();
        while let Some(part) = parts.next() {
            let room = limit::LINE_BYTES.saturating_sub(line.bytes.len());
            line.bytes.extend_from_slice(&part[..part.len().min(room)]);
            if parts.peek().is_some() {
                self.search(&line.bytes);
                line.bytes.clear();
            }
        }
        line.touched = Some(Instant::now());
    }

    /// Returns whether a line that matches this pattern was seen; patterns are counted from 0.
    pub(crate) fn was_seen(&self, at: usize) -> bool {
        for line in self.lines().iter().filter(|line| line.touched.is_some_and(|last| last.elapsed() >= QUIET)) {
            self.search(&line.bytes);
        }
        self.patterns.get(at).is_some_and(|(_, seen)| seen.load(Ordering::SeqCst))
    }

    pub(crate) fn forget(&self) {
        self.wanted.store(false, Ordering::Relaxed);
    }

    /// Searches a line. Empty lines, such as between two line breaks, are ignored.
    fn search(&self, line: &[u8]) {
        if line.is_empty() {
            return;
        }
        for (sign, seen) in &self.patterns {
            if !seen.load(Ordering::SeqCst) && sign.is_match(line) {
                seen.store(true, Ordering::SeqCst);
            }
        }
    }

    fn lines(&self) -> MutexGuard<'_, [Line; 2]> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn seen(pattern: &str, parts: &[&[u8]]) -> bool {
        let signs = Signs::new(std::iter::once(pattern)).unwrap();
        for part in parts {
            signs.take(Stream::Stdout, part);
        }
        signs.was_seen(0)
    }

    #[test]
    fn a_line_is_found_whole_wherever_it_is_cut_and_however_it_ends() {
        for (pattern, parts, expected) in [
            ("^ready$", &[&b"starting\nready\n"[..]][..], true),
            ("^ready$", &[b"rea", b"dy", b"\r\n"], true),
            ("^ready$", &[b"10%\rready\r"], true),
            ("^ready$", &[b"not ready\n"], false),
            ("^ready$", &[b"ready for nothing\n"], false),
            ("port [0-9]+", &[b"\xff port 30", b"00\n"], true),
            ("^$", &[b"\r\n\r\n"], false),
        ] {
            assert_eq!(seen(pattern, parts), expected, "{pattern}: {parts:?}");
        }
    }

    #[test]
    fn a_line_without_an_end_counts_once_nothing_follows_it() {
        let signs = Signs::new(["^ready$", "."].into_iter()).unwrap();
        signs.take(Stream::Stderr, b"rea");
        signs.take(Stream::Stdout, b"ready");
        while !signs.was_seen(0) {
            std::thread::yield_now();
        }
        assert!(signs.was_seen(1) && !signs.was_seen(2));
    }

    #[test]
    fn streams_do_not_mix_and_endless_lines_are_cut() {
        let signs = Signs::new(["^ready$", "end$", "^x+$"].into_iter()).unwrap();
        signs.take(Stream::Stdout, b"rea");
        signs.take(Stream::Stderr, b"dy\n");
        signs.take(Stream::Stdout, b"\n");
        for _ in 0..3 {
            signs.take(Stream::Stdout, &vec![b'x'; limit::LINE_BYTES / 2]);
        }
        assert_eq!(signs.lines()[0].bytes.len(), limit::LINE_BYTES);
        signs.take(Stream::Stdout, b"end\n");
        assert_eq!([0, 1, 2].map(|at| signs.was_seen(at)), [false, false, true]);
    }

    #[test]
    fn what_is_no_pattern_is_refused_and_what_is_forgotten_is_not_looked_for() {
        assert!(Signs::new(std::iter::once("(")).unwrap_err().starts_with("the pattern `(` cannot be used"));
        let signs = Signs::new(std::iter::once("x")).unwrap();
        signs.forget();
        signs.take(Stream::Stdout, b"x\n");
        assert!(!signs.was_seen(0));
    }

    proptest! {
        #[test]
        fn lines_are_found_however_the_output_is_cut(
            text in "(ready|re|ady|\n|\r| ){0,24}", cuts in prop::collection::vec(1..6_usize, 0..60),
        ) {
            let text = format!("{text}\n");
            let mut rest = text.as_bytes();
            let mut parts = Vec::new();
            for cut in cuts {
                let (part, after) = rest.split_at(cut.min(rest.len()));
                parts.push(part);
                rest = after;
            }
            parts.push(rest);
            let expected = text.split(['\n', '\r']).any(|line| line == "ready");
            prop_assert_eq!(seen("^ready$", &parts), expected);
        }
    }
}
