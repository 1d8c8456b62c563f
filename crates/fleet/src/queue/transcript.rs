//! What a program that performs an order has written.

use std::collections::VecDeque;

use referee_model::order_protocol::PerformLine;
use referee_model::run_order::OrderOutcome;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

use super::workflow::Progress;

/// Maximum size of a line, in bytes.
pub(super) const LINE_BYTES: usize = 1024 * 1024;

/// Maximum size of all lines, in bytes.
const TOTAL_BYTES: usize = 256 * 1024 * 1024;

/// Maximum number of events that a sign of life carries.
const EVENTS: usize = 20;

/// Maximum size of the events that a sign of life carries, in bytes.
const EVENT_BYTES: usize = 64 * 1024;

/// Why what a program wrote is no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum TranscriptError {
    #[error("it wrote a line that cannot be read: {0}")]
    Junk(#[source] serde_json::Error),
    #[error("it wrote something after its outcome")]
    AfterOutcome,
    #[error("it ended without an outcome")]
    NoOutcome,
    #[error("it wrote a line of more than {LINE_BYTES} bytes")]
    Line,
    #[error("it wrote more than {TOTAL_BYTES} bytes")]
    Total,
    #[error("its output cannot be read: {0}")]
    Stream(#[from] std::io::Error),
}

/// What was read so far.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    /// The newest events, with their sizes in bytes.
    recent: VecDeque<(Value, usize)>,
    recent_bytes: usize,
    /// Number of all events.
    events: u64,
    outcome: Option<OrderOutcome>,
}

impl Transcript {
    /// Reads a line.
    pub(super) fn add(&mut self, line: &[u8]) -> Result<(), TranscriptError> {
        if self.outcome.is_some() {
            return Err(TranscriptError::AfterOutcome);
        }
        match serde_json::from_slice(line).map_err(TranscriptError::Junk)? {
            PerformLine::Progress { event } => self.add_event(event, line.len()),
            PerformLine::Outcome { outcome } => self.outcome = Some(outcome),
        }
        Ok(())
    }

    fn add_event(&mut self, event: Value, bytes: usize) {
        self.events += 1;
        self.recent.push_back((event, bytes));
        self.recent_bytes += bytes;
        while self.recent.len() > EVENTS || self.recent_bytes > EVENT_BYTES {
            let Some((_, bytes)) = self.recent.pop_front() else { break };
            self.recent_bytes -= bytes;
        }
    }

    /// Returns what a sign of life carries.
    pub(super) fn progress(&self, attempt: u32) -> Progress {
        Progress {
            attempt,
            first: self.events - self.recent.len() as u64,
            events: self.recent.iter().map(|(event, _)| event.clone()).collect(),
        }
    }

    /// Takes the outcome, once all was read.
    pub(super) fn outcome(&mut self) -> Result<OrderOutcome, TranscriptError> {
        self.outcome.take().ok_or(TranscriptError::NoOutcome)
    }
}

/// Lines of a stream, of limited size.
pub(super) struct Lines<S> {
    stream: BufReader<S>,
    line: Vec<u8>,
    total: usize,
}

impl<S: AsyncRead + Unpin> Lines<S> {
    pub(super) fn new(stream: S) -> Self {
        Self { stream: BufReader::new(stream), line: Vec::new(), total: 0 }
    }

    /// Reads the next line. Nothing is lost if this is dropped before it is done.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<u8>>, TranscriptError> {
        loop {
            let bytes = self.stream.fill_buf().await?;
            if bytes.is_empty() {
                let rest = std::mem::take(&mut self.line);
                return Ok(Some(rest).filter(|rest| !rest.is_empty()));
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let part = &bytes[..end.unwrap_or(bytes.len())];
            if self.line.len() + part.len() > LINE_BYTES {
                return Err(TranscriptError::Line);
            }
            self.line.extend_from_slice(part);
            let taken = part.len() + usize::from(end.is_some());
            self.total += taken;
            self.stream.consume(taken);
            if self.total > TOTAL_BYTES {
                return Err(TranscriptError::Total);
            }
            if end.is_some() {
                return Ok(Some(std::mem::take(&mut self.line)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTCOME: &str = r#"{"kind":"outcome","outcome":{"kind":"refused","reason":"no"}}"#;

    fn event(number: usize, padding: usize) -> String {
        format!(r#"{{"kind":"progress","event":{{"n":{number},"x":"{}"}}}}"#, "x".repeat(padding))
    }

    #[test]
    fn the_last_line_and_only_the_last_line_is_the_outcome() {
        let event = &event(1, 0)[..];
        let read = |lines: &[&str]| {
            let mut transcript = Transcript::default();
            lines.iter().try_for_each(|line| transcript.add(line.as_bytes()))?;
            transcript.outcome()
        };
        let refused = OrderOutcome::Refused { reason: "no".to_owned() };
        assert_eq!(read(&[OUTCOME]).unwrap(), refused);
        assert_eq!(read(&[event, OUTCOME]).unwrap(), refused);
        for (lines, problem) in [
            (&[][..], "without an outcome"),
            (&[event], "without an outcome"),
            (&[OUTCOME, event], "after its outcome"),
            (&[OUTCOME, OUTCOME], "after its outcome"),
            (&[OUTCOME, ""], "after its outcome"),
            (&["{}"], "cannot be read"),
            (&["", OUTCOME], "cannot be read"),
            (&["panicked at src/main.rs", OUTCOME], "cannot be read"),
            (&[&OUTCOME[..OUTCOME.len() - 1]], "cannot be read"),
            (&[r#"{"kind":"outcome","outcome":{"kind":"passed"}}"#], "cannot be read"),
        ] {
            let error = read(lines).unwrap_err().to_string();
            assert!(error.contains(problem), "{lines:?}: {error}");
        }
    }

    #[test]
    fn a_sign_of_life_carries_the_newest_events_up_to_a_number_and_a_size() {
        let mut transcript = Transcript::default();
        assert_eq!(transcript.progress(1), Progress { attempt: 1, first: 0, events: Vec::new() });
        for number in 0..25 {
            transcript.add(event(number, 0).as_bytes()).unwrap();
        }
        let progress = transcript.progress(2);
        assert_eq!((progress.first, progress.events.len()), (5, 20));
        assert_eq!(progress.events[19]["n"], 24);
        transcript.add(event(25, 40_000).as_bytes()).unwrap();
        transcript.add(event(26, 40_000).as_bytes()).unwrap();
        let progress = transcript.progress(2);
        assert_eq!((progress.first, progress.events.len()), (26, 1));
        transcript.add(event(27, 70_000).as_bytes()).unwrap();
        let progress = transcript.progress(2);
        assert_eq!((progress.first, progress.events.len()), (28, 0));
    }

    #[tokio::test]
    async fn lines_are_cut_at_line_ends_and_limited() {
        let mut lines = Lines::new(&b"a\n\nbc\nd"[..]);
        let mut read = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            read.push(String::from_utf8(line).unwrap());
        }
        assert_eq!(read, ["a", "", "bc", "d"]);
        let long = vec![b'x'; LINE_BYTES + 1];
        assert!(matches!(Lines::new(&long[..]).next().await, Err(TranscriptError::Line)));
    }
}
