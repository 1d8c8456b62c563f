//! The output of a server as it arrives: lines of standard output, and the end of standard error.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use referee_model::record::{Log, Stream};

use crate::capture::{Capture, SinkError};

/// Maximum number of bytes of the lines that wait to be read, and of one line: a picture of a long page fits.
const LINE_BYTES: usize = 48 * 1024 * 1024;

/// Number of bytes of standard error that are kept, from its end.
const COMPLAINT_BYTES: usize = 8 * 1024;

/// Lines of a server that wait to be read. Lines that nobody asked for are dropped.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    state: Mutex<State>,
    arrived: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Beginning of the current line.
    begun: Vec<u8>,
    lines: VecDeque<Vec<u8>>,
    /// Number of bytes of the complete lines.
    bytes: usize,
    /// Whether an answer is waited for.
    wanted: bool,
    /// Whether more arrived than may wait.
    over_limit: bool,
    complaint: Vec<u8>,
    /// How the server ended. None: it is running.
    ended: Option<String>,
}

/// Result of waiting for a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Heard {
    Line(Vec<u8>),
    Nothing,
    /// It is of no use to wait any longer: the server has ended, or sends too much.
    Gone(String),
}

impl Inbox {
    /// Keeps lines from here on, or drops them.
    pub(super) fn want(&self, wanted: bool) {
        let mut state = self.state();
        state.wanted = wanted;
        if !wanted {
            state.lines.clear();
            state.bytes = 0;
        }
    }

    /// Waits at most `longest` for a line.
    pub(super) fn next(&self, longest: Duration) -> Heard {
        let idle = |state: &mut State| state.lines.is_empty() && !state.over_limit && state.ended.is_none();
        let waited = self.arrived.wait_timeout_while(self.state(), longest, idle);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if state.over_limit {
            return Heard::Gone(format!("it sent more than {} MiB at once", LINE_BYTES / 1024 / 1024));
        }
        match state.lines.pop_front() {
            Some(line) => {
                state.bytes -= line.len();
                Heard::Line(line)
            }
            None => state.ended.clone().map_or(Heard::Nothing, Heard::Gone),
        }
    }

    /// Whether the server has ended.
    pub(super) fn is_over(&self) -> bool {
        self.state().ended.is_some()
    }

    /// Waits at most `longest` for the server to end, and returns whether it has.
    pub(super) fn wait_for_end(&self, longest: Duration) -> bool {
        let waited = self.arrived.wait_timeout_while(self.state(), longest, |state| state.ended.is_none());
        waited.unwrap_or_else(PoisonError::into_inner).0.ended.is_some()
    }

    /// Records how the server ended. What it said last on standard error is added.
    pub(super) fn end(&self, how: &str) {
        let mut state = self.state();
        let complaint = String::from_utf8_lossy(&state.complaint).into_owned();
        let last = complaint.lines().map(str::trim).rfind(|line| !line.is_empty());
        state.ended = Some(last.map_or_else(|| how.to_owned(), |last| format!("{how}; it said: {last}")));
        self.arrived.notify_all();
    }

    fn take(&self, stream: Stream, bytes: &[u8]) {
        let mut state = self.state();
        match stream {
            Stream::Stdout => state.take(bytes),
            Stream::Stderr => {
                state.complaint.extend_from_slice(bytes);
                let surplus = state.complaint.len().saturating_sub(COMPLAINT_BYTES);
                state.complaint.drain(..surplus);
            }
        }
        self.arrived.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn take(&mut self, bytes: &[u8]) {
        let mut parts = bytes.split(|byte| *byte == b'\n').peekable();
        while let Some(part) = parts.next() {
            if self.over_limit {
                return;
            }
            self.begun.extend_from_slice(part);
            if self.begun.len() + self.bytes > LINE_BYTES {
                *self = Self { over_limit: true, complaint: std::mem::take(&mut self.complaint), ..Self::default() };
            } else if parts.peek().is_some() {
                let line = std::mem::take(&mut self.begun);
                if self.wanted && !line.trim_ascii().is_empty() {
                    self.bytes += line.len();
                    self.lines.push_back(line);
                }
            }
        }
    }
}

/// Capture that passes the output on to an inbox. Nothing of it is stored: the protocol is no evidence.
pub(super) struct Delivery(pub(super) Arc<Inbox>);

impl Capture for Delivery {
    fn append(&mut self, stream: Stream, bytes: &[u8]) -> Result<(), SinkError> {
        self.0.take(stream, bytes);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Log, SinkError> {
        Err(SinkError::new("the output of a server has no log"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(inbox: &Inbox) -> Heard {
        inbox.next(Duration::ZERO)
    }

    #[test]
    fn lines_are_whole_wherever_they_are_cut_and_only_kept_when_wanted() {
        let inbox = Inbox::default();
        inbox.take(Stream::Stdout, b"unasked\nhal");
        inbox.want(true);
        inbox.take(Stream::Stdout, b"f\n\n \r\nsec");
        inbox.take(Stream::Stderr, b"noise\n");
        inbox.take(Stream::Stdout, b"ond\nthird");
        assert_eq!(heard(&inbox), Heard::Line(b"half".to_vec()));
        assert_eq!(heard(&inbox), Heard::Line(b"second".to_vec()));
        assert_eq!(heard(&inbox), Heard::Nothing);
        inbox.end("it exited with 1");
        assert_eq!(heard(&inbox), Heard::Gone("it exited with 1; it said: noise".to_owned()));
        assert!(inbox.is_over() && inbox.wait_for_end(Duration::ZERO));
    }

    #[test]
    fn what_was_sent_before_the_end_is_heard_first() {
        let inbox = Inbox::default();
        inbox.want(true);
        inbox.take(Stream::Stdout, b"last\n");
        inbox.end("it exited with 0");
        assert_eq!(heard(&inbox), Heard::Line(b"last".to_vec()));
        assert_eq!(heard(&inbox), Heard::Gone("it exited with 0".to_owned()));
    }

    #[test]
    fn an_endless_line_takes_no_more_memory_than_a_picture() {
        let inbox = Inbox::default();
        inbox.want(true);
        let part = vec![b'x'; LINE_BYTES / 4 + 1];
        for _ in 0..8 {
            inbox.take(Stream::Stdout, &part);
        }
        assert_eq!(heard(&inbox), Heard::Gone("it sent more than 48 MiB at once".to_owned()));
        assert_eq!(inbox.state().begun.capacity(), 0);
    }

    #[test]
    fn the_end_of_a_long_complaint_is_kept() {
        let inbox = Inbox::default();
        inbox.take(Stream::Stderr, &vec![b'x'; COMPLAINT_BYTES]);
        inbox.take(Stream::Stderr, b"\nno browser\n\n");
        inbox.end("it exited with 1");
        assert_eq!(heard(&inbox), Heard::Gone("it exited with 1; it said: no browser".to_owned()));
    }
}
