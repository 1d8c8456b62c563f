//! ExUnit, as run by `mix test`: failures as `  1) test adds (CartTest)` with the location of the test below,
//! then the error and its location, and `5 tests, 3 failures, 1 skipped` at the end.

use super::elixir;
use crate::prelude::*;
use crate::shapes::nothing::with_hint;

pub(crate) static TOOL: Tool = Tool::new("exunit", &["mix-test"], Role::Test)
    .lines(&[
        LineFormat::new(
            &[
                ") test ",
                ") doctest ",
                ") property ",
                ": failure on setup_all",
                " failures",
                "Running ExUnit",
                "Finished in ",
            ],
            |_| Box::new(ExUnit::default()),
        ),
        LineFormat::new(elixir::FORMAT.prefilter, |is_hinted| with_hint(is_hinted, || elixir::FORMAT.reader(false))),
    ])
    .merge(candidate::together);

/// `  1) test sums up (CartTest)`; for a module whose `setup_all` failed, only the module.
static HEADING: Pattern = Pattern::new(
    r"^ {1,4}\d+\) (?:(?:test|doctest|property|feature) (?<name>.+?)|(?<module>[A-Z][\w.]*): failure on setup_all callback.*?)(?: \([A-Z][\w.]*\))?$",
);

/// `     test/cart_test.exs:8`, and `       test/cart_test.exs:9: (test)` in the stack.
static PLACE: Pattern =
    Pattern::new(r"^ {5,8}(?:\([\w.]+(?: [\w.-]+)?\) )?(?<file>[\w./@+-]+\.exs?):(?<line>\d+)(?<frame>: .*)?$");

/// `2 doctests, 5 tests, 3 failures, 1 excluded, 1 invalid, 1 skipped`.
static SUMMARY: Pattern = Pattern::new(
    r"^(?:\d+ (?:doctests?|propert(?:y|ies)|features?|tests?), )+\d+ failures?(?:, \d+ (?:excluded|invalid|skipped|cancelled|canceled))*$",
);

/// `  * test adds (2.4ms) [L#4]`, as printed with `--trace`; output of the test may precede it on the line.
static TRACE: Pattern = Pattern::new(
    r"(?:^|\s)\* (?:test|doctest|property) [^*]+? \((?:[\d.]+ms|skipped|excluded|invalid)\)(?: \[L#\d+\])?$",
);

#[derive(Default)]
struct ExUnit {
    runs: Runs,
    /// Whether the previous line was `Finished in 0.03 seconds`.
    is_finished: bool,
    /// Whether the stack of the open failure has begun, and whether it contained a frame in the test's file.
    is_in_stack: bool,
    has_frame: bool,
}

impl ExUnit {
    fn begin(&mut self, line: &Line<'_>) -> bool {
        let Some(found) = HEADING.find(&line.text) else { return false };
        let name = found.get("name").unwrap_or(found.text("module"));
        let mut failing = Failing::new(name, "exunit/text", line);
        failing.failure.suite = found.has("module");
        self.runs.open(failing);
        (self.is_in_stack, self.has_frame) = (false, false);
        true
    }

    fn sum_up(&mut self, line: &Line<'_>) -> bool {
        if !self.is_finished || !SUMMARY.is_match(&line.text) {
            return false;
        }
        let (mut total, mut failed, mut skipped) = (0, 0, 0);
        for (number, what) in line.text.split(", ").filter_map(|part| part.split_once(' ')) {
            let number = text::count(number).unwrap_or_default();
            match what {
                "failure" | "failures" | "invalid" => failed += number,
                "skipped" | "excluded" | "cancelled" | "canceled" => skipped += number,
                _ => total += number,
            }
        }
        self.runs.sum_up_at(line, results::out_of(total, failed, skipped));
        self.is_finished = false;
        true
    }

    /// Handles a line of a failure. Returns false if the line does not belong to one, or is blank.
    fn body(&mut self, line: &Line<'_>) -> bool {
        let Some(open) = self.runs.open.as_mut().filter(|_| !line.is_blank()) else { return false };
        if text::indent(&line.text) < 5 {
            self.runs.close();
            return false;
        }
        open.extend(line);
        if let Some(found) = PLACE.find(&line.text) {
            let (failure, file) = (&mut open.failure, found.file("file"));
            let is_frame = found.has("frame");
            if !is_frame && failure.file.is_none() {
                (failure.file, failure.line) = (file, found.position("line"));
                return true;
            }
            if self.is_in_stack && is_frame && !self.has_frame && failure.file == file {
                failure.line = found.position("line");
                self.has_frame = true;
            }
        }
        let said = line.text.trim();
        if said == "stacktrace:" {
            self.is_in_stack = true;
        } else if self.is_in_stack {
            open.trace(said);
        } else {
            let failure = &mut open.failure;
            if let Some(value) = said.strip_prefix("left:") {
                failure.received.get_or_insert_with(|| value.trim().to_owned());
            } else if let Some(value) = said.strip_prefix("right:") {
                failure.expected.get_or_insert_with(|| value.trim().to_owned());
            }
            open.add(line, said);
        }
        true
    }
}

impl LineReader for ExUnit {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        if self.begin(line) || self.sum_up(line) {
            return Use::Line;
        }
        if text.starts_with("Finished in ") {
            self.runs.close();
            self.is_finished = true;
            return Use::Line;
        }
        if text.starts_with("Randomized with seed ") || text.starts_with("Running ExUnit with seed: ") {
            return Use::Line;
        }
        // A failed test has a time too; its failure follows.
        if TRACE.is_match(text) {
            self.runs.close();
            return Use::Line;
        }
        self.body(line).into()
    }

    fn finish(self: Box<Self>) -> Option<Candidate> {
        self.runs.end?;
        Some(self.runs.candidate("exunit", "text"))
    }
}
