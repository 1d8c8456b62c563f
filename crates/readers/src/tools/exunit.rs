//! ExUnit, as `mix test` runs it: failures as `  1) test adds (CartTest)` with the place of the test below, what went
//! wrong and where, and `5 tests, 3 failures, 1 skipped` at the end.

use std::sync::LazyLock;

use referee_model::limit;
use referee_model::plan::Role;
use referee_model::reading::{CountAuthority, TestFailure, TestStatus};
use referee_syntax::cut;
use regex::Regex;

use super::elixir;
use crate::claim::{self, Claim, LineReader, Use, name, origin};
use crate::scan::Line;
use crate::shapes::nothing::with_hint;
use crate::shapes::results::{self, Results};
use crate::text;
use crate::tool::{LineFormat, Tool};

/// The runner.
pub(crate) const TOOL: Tool = Tool {
    name: "exunit",
    aliases: &["mix-test"],
    role: Role::Test,
    lines: &[
        LineFormat {
            wakes: &[
                ") test ",
                ") doctest ",
                ") property ",
                ": failure on setup_all",
                " failures",
                "Running ExUnit",
                "Finished in ",
            ],
            reader: |_| Box::new(ExUnit::default()),
        },
        LineFormat {
            wakes: elixir::FORMAT.wakes,
            reader: |is_hinted| with_hint(is_hinted, || (elixir::FORMAT.reader)(false)),
        },
    ],
    documents: &[],
    settle: claim::together,
};

/// `  1) test sums up (CartTest)`; of a module whose `setup_all` failed, its name alone.
static HEADING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^ {1,4}\d+\) (?:(?:test|doctest|property|feature) (?<test>.+?)|(?<module>[A-Z][\w.]*): failure on setup_all callback.*?)(?: \((?<of>[A-Z][\w.]*)\))?$",
    )
});

/// `     test/cart_test.exs:8`, and `       test/cart_test.exs:9: (test)` in the stack.
static PLACE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^ {5,8}(?:\([\w.]+(?: [\w.-]+)?\) )?(?<file>[\w./@+-]+\.exs?):(?<line>\d+)(?<frame>: .*)?$")
});

/// `2 doctests, 5 tests, 3 failures, 1 excluded, 1 invalid, 1 skipped`.
static SUMMARY: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?:\d+ (?:doctests?|propert(?:y|ies)|features?|tests?), )+\d+ failures?(?:, \d+ (?:excluded|invalid|skipped|cancelled|canceled))*$",
    )
});

/// A part of it.
static PART: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"(?<number>\d+) (?<what>\w+)"));

/// `  * test adds (2.4ms) [L#4]`, as `--trace` prints; what was printed before the test ended may stand before.
static TRACE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"(?:^|\s)\* (?:test|doctest|property) (?<test>[^*]+?) \((?<how>[\d.]+ms|skipped|excluded|invalid)\)(?: \[L#\d+\])?$",
    )
});

/// Reads the output.
#[derive(Default)]
struct ExUnit {
    results: Results,
    open: Option<Open>,
    runs: u64,
    /// Whether the line before was `Finished in 0.03 seconds`.
    is_finished: bool,
    /// Failures since the last closing count.
    failed: u64,
}

struct Open {
    failure: TestFailure,
    /// The file of the test, to know the frame in it.
    file: Option<String>,
    /// Whether the values of an assertion or the stack began.
    is_in_stack: bool,
    has_frame: bool,
}

impl ExUnit {
    fn close(&mut self) {
        if let Some(Open { failure, .. }) = self.open.take() {
            self.results.failure(failure);
        }
    }

    fn begin(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        if !text.starts_with(' ') || !text.contains(") ") {
            return false;
        }
        let Some(captures) = HEADING.captures(text) else {
            return false;
        };
        self.close();
        self.failed += 1;
        let (failed, suite) = match (captures.name("test"), captures.name("module")) {
            (Some(test), _) => (test.as_str(), false),
            (None, Some(module)) => (module.as_str(), true),
            (None, None) => return false,
        };
        let origin = Some(origin("exunit/text", line));
        let failure = TestFailure { name: name(failed), suite, origin, ..TestFailure::default() };
        self.open = Some(Open { failure, file: None, is_in_stack: false, has_frame: false });
        true
    }

    fn sum_up(&mut self, text: &str) -> bool {
        if !self.is_finished
            || !text.contains(" failure")
            || !text.starts_with(|first: char| first.is_ascii_digit())
            || !SUMMARY.is_match(text)
        {
            return false;
        }
        self.close();
        let (mut total, mut failed, mut skipped) = (0, 0, 0);
        for part in PART.captures_iter(text) {
            let number = text::count(&part["number"]).unwrap_or_default();
            match &part["what"] {
                "failure" | "failures" | "invalid" => failed += number,
                "skipped" | "excluded" | "cancelled" | "canceled" => skipped += number,
                _ => total += number,
            }
        }
        self.results.sum_up(results::counts(total.saturating_sub(failed + skipped), failed, skipped));
        self.runs += 1;
        self.failed = 0;
        true
    }
}

impl Open {
    /// Takes a line of the failure; returns whether it is one.
    fn line(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        if line.is_blank() {
            return true;
        }
        if text::indent(text) < 5 {
            return false;
        }
        let failure = &mut self.failure;
        if let Some(origin) = &mut failure.origin {
            origin.end = line.end;
        }
        if let Some(captures) = PLACE.captures(text) {
            let file = name(&text::path(&captures["file"]));
            let is_frame = captures.name("frame").is_some();
            if !is_frame && self.file.is_none() {
                failure.line = text::position(&captures["line"]);
                failure.file = Some(file.clone());
                self.file = Some(file);
                return true;
            }
            if self.is_in_stack && is_frame && !self.has_frame && self.file.as_deref() == Some(&*file) {
                failure.line = text::position(&captures["line"]);
                self.has_frame = true;
            }
        }
        let said = text.trim();
        if said == "stacktrace:" {
            self.is_in_stack = true;
        } else if self.is_in_stack {
            match &mut failure.stack {
                Some(stack) => text::add_line(stack, said, limit::MESSAGE_BYTES),
                None => failure.stack = Some(said.to_owned()),
            }
        } else {
            if let Some(value) = said.strip_prefix("left:") {
                failure.received.get_or_insert_with(|| value.trim().to_owned());
            } else if let Some(value) = said.strip_prefix("right:") {
                failure.expected.get_or_insert_with(|| value.trim().to_owned());
            }
            if failure.message.is_empty() {
                cut::head(said, limit::MESSAGE_BYTES).clone_into(&mut failure.message);
            } else {
                text::add_line(&mut failure.message, said, limit::MESSAGE_BYTES);
            }
        }
        true
    }
}

impl LineReader for ExUnit {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        if self.begin(line) {
            return Use::Line;
        }
        if text.starts_with("Finished in ") {
            self.close();
            self.is_finished = true;
            return Use::Line;
        }
        if self.sum_up(text) {
            self.is_finished = false;
            return Use::Line;
        }
        if text.starts_with("Randomized with seed ") || text.starts_with("Running ExUnit with seed: ") {
            return Use::Line;
        }
        if let Some(captures) = text.contains("* ").then(|| TRACE.captures(text)).flatten() {
            self.close();
            // A failed test has a time as well: its failure follows.
            let status = if captures["how"].ends_with("ms") { TestStatus::Passed } else { TestStatus::Skipped };
            self.results.count(status, 1);
            return Use::Line;
        }
        match self.open.as_mut().map(|open| open.line(line)) {
            Some(true) if !line.is_blank() => Use::Line,
            Some(false) => {
                self.close();
                Use::None
            }
            _ => Use::None,
        }
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        if self.runs == 0 {
            return None;
        }
        let tests = self.results.finish("exunit", CountAuthority::Summary);
        Some(Claim { format: "text", tests: Some(tests), ..Claim::default() })
    }
}
