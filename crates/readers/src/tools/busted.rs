//! Busted, a Lua test runner: `plainTerminal`, `utfTerminal` and, in its own file, `gtest`.
//!
//! ```text
//! 1 success / 2 failures / 1 error / 1 pending : 0.001092 seconds
//!
//! Failure -> spec/a_spec.lua @ 3
//! calc fails
//! spec/a_spec.lua:4: Expected objects to be equal.
//! ```

mod gtest;

use crate::prelude::*;
use crate::shapes::locate::is_same_file;

pub(crate) static TOOL: Tool = Tool::new("busted", &[], Role::Test).lines(&[
    LineFormat::new(
        &[" successes / ", " success / ", "Failure -> ", "Failure \u{2192} ", "Error -> ", "Error \u{2192} "],
        |_| Box::new(Busted::default()),
    ),
    gtest::FORMAT,
]);

static SUM: Pattern = Pattern::new(
    r"^(?<passed>\d+) success(?:es)? / (?<failed>\d+) failures? / (?<errors>\d+) errors? / (?<pending>\d+) pending : [\d.]+ seconds$",
);

static HEADING: Pattern =
    Pattern::new(r"^(?:Failure|Error|(?<pending>Pending)) (?:->|\x{2192}) (?<file>\S.*?)(?: @ (?<line>\d+))?$");

static PLACE: Pattern = Pattern::new(r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?<line>\d+): ");

/// Adds a line to the message of a test; the first that begins with a location in the test's own file sets its
/// line.
fn body(failing: &mut Failing, has_place: &mut bool, text: &str) {
    if !*has_place
        && let Some(found) = PLACE.find(text)
        && failing.failure.file.as_deref().is_some_and(|file| is_same_file(file, &text::path(found.text("file"))))
        && let Some(place) = found.position("line")
    {
        *has_place = true;
        failing.failure.line = Some(place);
    }
    text::append_line(&mut failing.failure.message, text.trim_end(), limit::MESSAGE_BYTES);
}

#[derive(Default)]
struct Busted {
    runs: Runs,
    /// Whether the current block is about a pending test.
    is_pending: bool,
    has_place: bool,
}

impl Busted {
    fn heading(&mut self, line: &Line<'_>) -> bool {
        let Some(found) = HEADING.find(&line.text) else { return false };
        self.runs.close();
        self.is_pending = found.has("pending");
        self.has_place = false;
        if !self.is_pending {
            self.runs.open(found.failing("busted/text", line));
        }
        true
    }

    /// Handles a line below a heading: the name of the test, then the failure.
    fn go_on(&mut self, line: &Line<'_>) -> bool {
        let Some(open) = &mut self.runs.open else { return self.is_pending && !line.is_blank() };
        if open.failure.name.is_empty() {
            open.failure.name = name(line.text.trim_end());
        } else if !line.is_blank() {
            body(open, &mut self.has_place, &line.text);
        }
        open.reach(line);
        true
    }
}

impl LineReader for Busted {
    fn line(&mut self, line: &Line<'_>) -> Use {
        if let Some(counts) = SUM.find(&line.text).and_then(|found| found.tests()) {
            self.runs.sum_up_at(line, counts);
            self.is_pending = false;
            return Use::Line;
        }
        (self.heading(line) || self.go_on(line)).into()
    }

    fn finish(self: Box<Self>) -> Option<Candidate> {
        self.runs.end?;
        Some(self.runs.candidate("busted", "text"))
    }
}
