//! Busted, the test runner of Lua: `plainTerminal`, `utfTerminal` and, in its own file, `gtest`.
//!
//! ```text
//! 1 success / 2 failures / 1 error / 1 pending : 0.001092 seconds
//!
//! Failure -> spec/a_spec.lua @ 3
//! calc fails
//! spec/a_spec.lua:4: Expected objects to be equal.
//! ```

mod gtest;

use std::sync::LazyLock;

use referee_model::limit;
use referee_model::plan::Role;
use referee_model::reading::{CountAuthority, TestFailure};
use regex::Regex;

use crate::claim::{Claim, LineReader, Use, gravest, name, origin};
use crate::scan::Line;
use crate::shapes::locate::is_same_file;
use crate::shapes::results::{self, Results};
use crate::text;
use crate::tool::{LineFormat, Tool};

/// Busted.
pub(crate) const TOOL: Tool = Tool {
    name: "busted",
    aliases: &[],
    role: Role::Test,
    lines: &[
        LineFormat {
            wakes: &[
                " successes / ",
                " success / ",
                "Failure -> ",
                "Failure \u{2192} ",
                "Error -> ",
                "Error \u{2192} ",
            ],
            reader: |_| Box::new(Busted::default()),
        },
        gtest::FORMAT,
    ],
    documents: &[],
    settle: gravest,
};

static SUM: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<passed>\d+) success(?:es)? / (?<failed>\d+) failures? / (?<errors>\d+) errors? / (?<skipped>\d+) pending : [\d.]+ seconds$",
    )
});

static HEADING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^(?<kind>Failure|Error|Pending) (?:->|\u{2192}) (?<file>\S.*?)(?: @ (?<line>\d+))?$")
});

static PLACE: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?<line>\d+): "));

/// Returns the line that a message begins with, where it is one of the test's own file.
fn place_in(text: &str, file: Option<&str>) -> Option<u32> {
    let captures = PLACE.captures(text)?;
    let is_own = is_same_file(file?, &text::path(&captures["file"]));
    if is_own { text::position(&captures["line"]) } else { None }
}

#[derive(Default)]
struct Busted {
    results: Results,
    open: Option<TestFailure>,
    /// Whether a pending test is being told of.
    is_pending: bool,
    has_place: bool,
}

impl Busted {
    fn close(&mut self) {
        if let Some(mut failure) = self.open.take() {
            failure.message.truncate(failure.message.trim_end().len());
            self.results.failure(failure);
        }
        self.is_pending = false;
        self.has_place = false;
    }

    fn heading(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        let may_be = text.contains(" -> ") || text.contains('\u{2192}');
        let Some(captures) = may_be.then(|| HEADING.captures(text)).flatten() else {
            return false;
        };
        self.close();
        if &captures["kind"] == "Pending" {
            self.is_pending = true;
        } else {
            self.open = Some(TestFailure {
                file: Some(name(&text::path(&captures["file"]))),
                line: captures.name("line").and_then(|line| text::position(line.as_str())),
                origin: Some(origin("busted/text", line)),
                ..TestFailure::default()
            });
        }
        true
    }

    /// Takes a line below a heading: the name of the test, then what went wrong.
    fn go_on(&mut self, line: &Line<'_>) -> bool {
        let Some(failure) = &mut self.open else {
            return self.is_pending && !line.is_blank();
        };
        let text = line.text.trim_end();
        if failure.name.is_empty() {
            failure.name = name(text);
        } else if !text.is_empty() {
            if !self.has_place
                && let Some(line) = place_in(text, failure.file.as_deref())
            {
                self.has_place = true;
                failure.line = Some(line);
            }
            text::append_line(&mut failure.message, text, limit::MESSAGE_BYTES);
        }
        if let Some(origin) = &mut failure.origin {
            origin.end = line.end;
        }
        true
    }
}

impl LineReader for Busted {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        if let Some(captures) = text.ends_with(" seconds").then(|| SUM.captures(text)).flatten() {
            self.close();
            let number = |group: &str| text::count(&captures[group]).unwrap_or_default();
            let failed = number("failed") + number("errors");
            self.results.sum_up(results::counts(number("passed"), failed, number("skipped")));
            return Use::Line;
        }
        if self.heading(line) || self.go_on(line) { Use::Line } else { Use::None }
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        self.results.summary?;
        let tests = self.results.finish("busted", CountAuthority::Summary);
        Some(Claim { format: "text", tests: Some(tests), ..Claim::default() })
    }
}
