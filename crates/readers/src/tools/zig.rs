//! Zig: `zig build`, `zig build-exe`, `zig test`, `zig ast-check`. A finding is `a.zig:5:5: error: message` with the source
//! line and a mark below; a test is `1/3 main.test.adds...OK`, and `2 passed; 0 skipped; 1 failed.` closes a run.

use std::sync::LazyLock;

use referee_model::limit;
use referee_model::plan::Role;
use referee_model::reading::{CountAuthority, Diagnostic, Level, RelatedPlace, TestFailure, TestStatus};
use referee_syntax::cut;
use regex::Regex;

use crate::claim::{self, Claim, Findings, LineReader, Use, name, origin};
use crate::scan::Line;
use crate::shapes::pattern;
use crate::shapes::results::{self, Results};
use crate::text;
use crate::tool::{LineFormat, Tool};

/// The compiler, and its runner of tests.
pub(crate) const TOOL: Tool = Tool {
    name: "zig",
    aliases: &["zig-test", "zig-build"],
    role: Role::Compile,
    lines: &[
        LineFormat { wakes: &[".zig:", ".zon:"], reader: |_| Box::new(Compiler::default()) },
        LineFormat {
            wakes: &[
                "...OK",
                "... OK",
                "...SKIP",
                "...FAIL",
                ".test.",
                " passed; ",
                " tests passed.",
                "1 test passed.",
                " tests passed;",
            ],
            reader: |is_hinted| Box::new(Tests { is_hinted, ..Tests::default() }),
        },
    ],
    documents: &[],
    settle: claim::together,
};

/// Places that are kept of those that belong to one finding.
const RELATED_KEPT: usize = 16;

static LINE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>\S[^:]*(?::[\\/][^:]*)?\.(?:zig|zon)):(?<line>\d+):(?<column>\d+): (?<level>error|note|warning): (?<message>\S.*)$",
    )
});

/// Reads the findings.
#[derive(Default)]
struct Compiler {
    findings: Findings,
    open: Option<Diagnostic>,
    /// Whether the next line is the finding's source line.
    is_source_next: bool,
}

impl Compiler {
    fn close(&mut self) {
        if let Some(found) = self.open.take() {
            self.findings.add(found);
        }
        self.is_source_next = false;
    }
}

impl LineReader for Compiler {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        if let Some(captures) = text.contains(": ").then(|| LINE.captures(text)).flatten() {
            let found = pattern::matched("zig", "zig/text", line, &captures, Level::Error);
            match &mut self.open {
                Some(open) if &captures["level"] == "note" => {
                    open.origin.end = line.end;
                    if open.related.len() < RELATED_KEPT {
                        let message = cut::head(&found.message, limit::MESSAGE_BYTES / RELATED_KEPT).to_owned();
                        let Diagnostic { file, line, column, .. } = found;
                        open.related.push(RelatedPlace { file, line, column, message });
                    }
                }
                _ => {
                    self.close();
                    self.open = Some(found);
                }
            }
            self.is_source_next = true;
            return Use::Line;
        }
        let is_source = std::mem::take(&mut self.is_source_next);
        let Some(open) = &mut self.open else {
            return Use::None;
        };
        let is_mark = !line.is_blank() && text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'^' | b'~'));
        if is_source && text.starts_with([' ', '\t']) || is_source && !line.is_blank() && !text.contains(": ") {
            // Below a note stands the source line of the note's place.
            if open.related.is_empty() {
                open.source = Some(cut::head(text, limit::MESSAGE_BYTES).to_owned());
            }
        } else if !is_mark && !text.starts_with("    ") {
            self.close();
            return Use::None;
        }
        open.origin.end = line.end;
        Use::Line
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        let found = 0 < self.findings.counts.total();
        found.then(|| Claim { format: "text", findings: self.findings, ..Claim::default() })
    }
}

/// `1/3 main.test.adds...OK`, `2/3 main.test.fails... FAIL (TestUnexpectedResult)`.
static TEST: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?:\d+/\d+ |Test \[\d+/\d+\] )?(?<test>\S.*?)\.\.\. ?(?<status>OK|SKIP|FAIL(?: \((?<why>\w+)\))?)$",
    )
});

/// A status alone on its line.
static STATUS: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^(?<status>OK|SKIP|FAIL(?: \((?<why>\w+)\))?)$"));

/// `2/3 main.test.fails...expected 4, found 3`: what the test printed stands behind its name, and its status follows.
static STARTED: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^\d+/\d+ (?<test>\S.*?)\.\.\.(?<printed>.+)$"));

/// `error: 'main.test.fails' failed: expected 4, found 3`.
static FAILED: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^error: '(?<test>[^']+)' (?:failed|leaked|logged errors)(?:: ?(?<message>.*))?$"));

/// `2 passed; 0 skipped; 1 failed.`, `All 3 tests passed.`, `1 passed; 1 skipped; 1 failed.`
static SUMMARY: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?:(?<passed>\d+) passed; (?<skipped>\d+) skipped; (?<failed>\d+) failed\.|All (?<all>\d+) tests? passed\.)$",
    )
});

/// `Build Summary: 1/3 steps succeeded; 1 failed; 3/5 tests passed; 1 skipped; 1 failed`.
static BUILD: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^Build Summary: .*?; (?<passed>\d+)/(?<total>\d+) tests passed(?:; (?<skipped>\d+) skipped)?(?:; (?<failed>\d+) failed)?",
    )
});

/// `/project/src/main.zig:10:5: 0x103c in test.fails (test)`.
static FRAME: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^(?<file>\S.*\.zig):(?<line>\d+):(?<column>\d+): 0x[0-9a-f]+ in (?<function>\S+)")
});

/// Reads the results of tests.
#[derive(Default)]
struct Tests {
    is_hinted: bool,
    results: Results,
    /// The failed test that what follows belongs to.
    open: Option<TestFailure>,
    has_summary: bool,
    /// Counts of the whole build, which stand for those of its runs.
    build: Option<referee_model::reading::TestCounts>,
    /// The test whose status follows what it printed.
    started: Option<String>,
    /// What was printed before a test failed.
    before: Vec<String>,
}

impl Tests {
    fn close(&mut self) {
        if let Some(failure) = self.open.take() {
            self.results.failure(failure);
        }
    }

    /// Takes a test and its status, or a status that follows what its test printed.
    fn test(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        let bare = STATUS.captures(text).filter(|_| self.started.is_some());
        let whole = text.contains("...").then(|| TEST.captures(text)).flatten();
        let Some(captures) = whole.or(bare) else {
            let started = text.contains("...").then(|| STARTED.captures(text)).flatten();
            if let Some(captures) = &started {
                self.close();
                self.started = Some(captures["test"].to_owned());
                self.before = vec![cut::head(&captures["printed"], 1024).to_owned()];
            }
            return started.is_some();
        };
        self.close();
        let started = self.started.take();
        let test = captures.name("test").map(|test| test.as_str().to_owned()).or(started).unwrap_or_default();
        let status = match &captures["status"] {
            "OK" => TestStatus::Passed,
            "SKIP" => TestStatus::Skipped,
            _ => TestStatus::Failed,
        };
        self.results.case(results::case(&[], &test, None, status));
        if status == TestStatus::Failed {
            let why = captures.name("why").map(|why| why.as_str().to_owned());
            let message = self.before.drain(..).chain(why).collect::<Vec<_>>().join("\n");
            let origin = Some(origin("zig/text", line));
            self.open = Some(TestFailure { name: name(&test), message, origin, ..TestFailure::default() });
        }
        self.before.clear();
        true
    }

    fn sum_up(&mut self, text: &str) -> bool {
        let captures = if text.starts_with("Build Summary: ") { BUILD.captures(text) } else { SUMMARY.captures(text) };
        let Some(captures) = captures else {
            return false;
        };
        self.close();
        let number =
            |group: &str| captures.name(group).and_then(|digits| text::count(digits.as_str())).unwrap_or_default();
        self.has_summary = true;
        if captures.get(0).is_some() && text.starts_with("Build") {
            let (passed, skipped, total) = (number("passed"), number("skipped"), number("total"));
            let failed = total.saturating_sub(passed + skipped);
            self.build = Some(results::counts(passed, failed, skipped));
            return true;
        }
        let passed = captures.name("all").map_or_else(|| number("passed"), |_| number("all"));
        self.results.sum_up(results::counts(passed, number("failed"), number("skipped")));
        true
    }
}

impl LineReader for Tests {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        if self.sum_up(text) {
            return Use::Line;
        }
        if self.test(line) {
            return Use::Line;
        }
        if let Some(captures) = text.starts_with("error: '").then(|| FAILED.captures(text)).flatten() {
            self.close();
            let message = captures.name("message").map_or_else(String::new, |said| said.as_str().to_owned());
            let origin = Some(origin("zig/text", line));
            self.results.count(TestStatus::Failed, 1);
            self.open = Some(TestFailure { name: name(&captures["test"]), message, origin, ..TestFailure::default() });
            return Use::Line;
        }
        if let Some(failure) = &mut self.open {
            if let Some(captures) = text.contains(": 0x").then(|| FRAME.captures(text)).flatten() {
                // The innermost frame in a test is where it expected something.
                if captures["function"].contains("test")
                    && !captures["file"].contains("/lib/std/")
                    && failure.file.is_none()
                {
                    failure.file = Some(name(&text::path(&captures["file"])));
                    failure.line = text::position(&captures["line"]);
                    failure.column = text::position(&captures["column"]);
                }
                return Use::Line;
            }
            return Use::None;
        }
        if self.before.len() < 8 && !line.is_blank() {
            self.before.push(cut::head(text, 1024).to_owned());
        }
        Use::None
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        if !(self.has_summary || self.is_hinted && 0 < self.results.seen.total) {
            return None;
        }
        if self.build.is_some() {
            self.results.summary = self.build;
        }
        let tests = self.results.finish("zig", CountAuthority::Summary);
        Some(Claim { format: "text", tests: Some(tests), ..Claim::default() })
    }
}

#[cfg(test)]
mod tests {
    use referee_model::record::Stream;

    use super::*;

    #[test]
    fn failed_tests_have_their_places() {
        let text = "1/2 main.test.adds...OK\n2/2 main.test.fails...expected 4, found 3\nFAIL (TestExpectedEqual)\n/zig/lib/std/testing.zig:1:2: 0x10 in expect (test)\n/p/src/main.zig:10:5: 0x20 in test.fails (test)\n1 passed; 0 skipped; 1 failed.\n";
        let mut reader = Box::new(Tests::default());
        for text in text.lines() {
            let end = text.len() as u64;
            let text = text.into();
            reader.line(&Line { text, text_start: None, stream: Stream::Stderr, start: 0, end, is_cut: false });
        }
        let tests = reader.finish().and_then(|claim| claim.tests).unwrap();
        assert_eq!((tests.counts.passed, tests.counts.failed), (1, 1));
        assert_eq!((tests.failures[0].name.as_str(), tests.failures[0].line), ("main.test.fails", Some(10)));
    }
}
