//! One failure in full: the lines below its heading in the sections `FAILURES` and `ERRORS`.
//!
//! ```text
//! ___________________________ TestGroup.test_in_class ____________________________
//! >       assert [1, 2, 3] == [1, 2, 4]
//! E       assert [1, 2, 3] == [1, 2, 4]
//!
//! test_more.py:7: AssertionError
//! ```

use crate::prelude::*;
use crate::shapes::locate::is_same_file;
use crate::shapes::python::{Frame, TRACEBACK, frame, is_chained, is_in_project};

/// Maximum number of frames kept for one failure.
const FRAMES_KEPT: usize = 16;

static HEADING: Pattern = Pattern::new(r"^_+ (?<title>\S.*) _+$");

/// The end of a frame: its location, and the function or the exception.
static PLACE: Pattern =
    Pattern::new(r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*\.\w{1,12}|<[^>]+>):(?<line>\d+):(?: (?<rest>.*))?$");

/// Returns the title in a heading. A row of underscores with gaps separates the frames of one failure.
pub(super) fn heading(line: &str) -> Option<&str> {
    if !line.starts_with('_') {
        return None;
    }
    let title = HEADING.find(line)?.get("title")?.trim();
    (!title.bytes().all(|byte| matches!(byte, b'_' | b' '))).then_some(title)
}

/// Parses a location and the text after it: `test_calc.py:12: AssertionError`.
pub(super) fn place(line: &str) -> Option<(Frame, &str)> {
    if line.starts_with(' ') || !line.contains(':') {
        return None;
    }
    let captures = PLACE.find(line)?;
    let rest = captures.text("rest");
    let function = rest.strip_prefix("in ").map(name);
    let frame = Frame { file: name(&text::path(captures.text("file"))), line: captures.position("line"), function };
    Some((frame, rest))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    Call,
    /// During setup or teardown of a fixture.
    Fixture,
    /// During collection, before any test of the file was known.
    Collection,
}

/// A failure that is being read.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) title: String,
    pub(super) when: When,
    pub(super) origin: Origin,
    pub(super) stack: String,
    /// Lines that pytest marks with `E`.
    errors: Option<String>,
    /// The last line marked with `E`.
    last_error: String,
    /// The exception line below frames in Python's own traceback format.
    exception: Option<String>,
    /// The exception named after the last location.
    raised: Option<String>,
    first: Option<String>,
    frames: Vec<Frame>,
    /// Whether the lines read belong to an exception that caused another, which follows.
    is_stale: bool,
    is_python_stack: bool,
    /// Whether the captured output of the test follows.
    pub(super) is_captured: bool,
}

impl Block {
    pub(super) fn new(title: &str, origin: Origin) -> Self {
        let (when, title) = match title.strip_prefix("ERROR ") {
            Some(rest) => match rest.strip_prefix("at setup of ").or_else(|| rest.strip_prefix("at teardown of ")) {
                Some(test) => (When::Fixture, test),
                None => (When::Collection, rest.strip_prefix("collecting ").unwrap_or(rest)),
            },
            None => (When::Call, title),
        };
        Self {
            title: name(title),
            when,
            origin,
            stack: String::new(),
            errors: None,
            last_error: String::new(),
            exception: None,
            raised: None,
            first: None,
            frames: Vec::new(),
            is_stale: false,
            is_python_stack: false,
            is_captured: false,
        }
    }

    /// Reads a line below the heading.
    pub(super) fn line(&mut self, text: &str) {
        if text.starts_with('-') && text.contains("- Captured ") {
            self.is_captured = true;
        }
        if self.is_captured || text.trim().is_empty() {
            return;
        }
        if is_chained(text) {
            self.is_stale = true;
        } else if let Some(error) = marked(text) {
            self.renew();
            self.last_error = name(error.trim());
            match &mut self.errors {
                Some(errors) => text::add_line(errors, error.trim_end(), limit::MESSAGE_BYTES),
                None => self.errors = Some(cut::head(error.trim(), limit::MESSAGE_BYTES).to_owned()),
            }
        } else if let Some(found) = frame(text) {
            self.is_python_stack = true;
            self.exception = None;
            self.push(found, text);
        } else if let Some((found, rest)) = place(text) {
            let is_exception = !rest.is_empty() && found.function.is_none();
            self.raised = is_exception.then(|| name(rest));
            self.push(found, text);
        } else if self.is_python_stack && !text.starts_with(' ') && self.exception.is_none() && text != TRACEBACK {
            self.exception = Some(name(text.trim_end()));
        } else if self.first.is_none() {
            self.first = Some(name(text.trim_end()));
        }
    }

    fn push(&mut self, found: Frame, text: &str) {
        self.renew();
        // In Python's own traceback format, frames of pytest precede those of the test.
        if self.frames.len() < FRAMES_KEPT && is_in_project(&found.file) {
            self.frames.push(found);
            if self.stack.is_empty() {
                self.stack.push_str(text.trim());
            } else {
                text::add_line(&mut self.stack, text.trim(), limit::MESSAGE_BYTES);
            }
        }
    }

    /// Drops the exception that caused the one now being read.
    fn renew(&mut self) {
        if self.is_stale {
            self.is_stale = false;
            self.errors = None;
            self.frames.clear();
            self.stack.clear();
            self.exception = None;
        }
    }

    pub(super) fn message(&self) -> Option<String> {
        // For a syntax error the location precedes the message.
        match &self.errors {
            Some(errors) if errors.starts_with("File \"") => return Some(self.last_error.clone()),
            Some(errors) => return Some(errors.clone()),
            None => {}
        }
        let is_strict = |first: &&String| first.starts_with("[XPASS") || self.frames.is_empty();
        self.exception
            .clone()
            .or_else(|| self.first.as_ref().filter(is_strict).cloned())
            .or_else(|| self.raised.clone())
    }

    /// Returns the line of the outermost frame in the test's own file.
    pub(super) fn line_in(&self, file: &str) -> Option<u32> {
        self.frames.iter().find(|frame| is_same_file(&frame.file, file)).and_then(|frame| frame.line)
    }

    /// Whether any frame is in the test's own file.
    pub(super) fn has(&self, file: &str) -> bool {
        self.frames.iter().any(|frame| is_same_file(&frame.file, file))
    }

    /// Returns the approximate memory use, in bytes.
    pub(super) fn weight(&self) -> usize {
        let frames: usize = self.frames.iter().map(|frame| size_of::<Frame>() + frame.file.len()).sum();
        size_of::<Self>() + self.stack.len() + self.errors.as_ref().map_or(0, String::len) + frames
    }

    /// Returns the outermost frame in the project.
    pub(super) fn place(&self) -> Option<&Frame> {
        self.frames.first()
    }
}

/// Returns the text after the error mark, `E   ` and possibly more spaces.
fn marked(line: &str) -> Option<&str> {
    line.strip_prefix("E   ").or_else(|| (line == "E").then_some(""))
}
