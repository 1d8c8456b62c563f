//! Zig: `zig build`, `zig build-exe`, `zig test`, `zig ast-check`. A finding is `a.zig:5:5: error: message` with the source
//! line and a mark below; a test is `1/3 main.test.adds...OK`, and `2 passed; 0 skipped; 1 failed.` closes a run.

use crate::prelude::*;

/// The compiler, and its runner of tests.
pub(crate) static TOOL: Tool = Tool::new("zig", &["zig-test", "zig-build"], Role::Compile)
    .lines(&[
        LineFormat::rows(&[".zig:", ".zon:"], &COMPILER),
        LineFormat::new(
            &[
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
            |is_hinted| Box::new(Tests { is_hinted, ..Tests::default() }),
        ),
    ])
    .merge(candidate::together);

static COMPILER: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new("zig", "text").rows([
        related(r"^(?<file>\S[^:]*(?::[\\/][^:]*)?\.(?:zig|zon)):(?<line>\d+):(?<column>\d+): note: (?<message>\S.*)$")
            .enters("source"),
        head(r"^(?<file>\S[^:]*(?::[\\/][^:]*)?\.(?:zig|zon)):(?<line>\d+):(?<column>\d+): (?<level>error|note|warning): (?<message>\S.*)$")
            .enters("source"),
        part(r"^[ \t^~]+$").enters("mark"),
        // Below a note stands the source line of the note's place.
        part(r"^(?<source>[ \t].*|(?:[^:]|:[^ ])+)$").inside("source").enters("mark").check(|made, _| made.related.is_empty()),
        part(r"^(?:[ \t].*|(?:[^:]|:[^ ])+)$").inside("source").enters("mark"),
        part("^    "),
    ])
});

/// `1/3 main.test.adds...OK`, `2/3 main.test.fails... FAIL (TestUnexpectedResult)`.
static TEST: Pattern = Pattern::new(
    r"^(?:\d+/\d+ |Test \[\d+/\d+\] )?(?<test>\S.*?)\.\.\. ?(?<status>OK|SKIP|FAIL(?: \((?<why>\w+)\))?)$",
);

/// A status alone on its line.
static STATUS: Pattern = Pattern::new(r"^(?<status>OK|SKIP|FAIL(?: \((?<why>\w+)\))?)$");

/// `2/3 main.test.fails...expected 4, found 3`: what the test printed stands behind its name, and its status follows.
static STARTED: Pattern = Pattern::new(r"^\d+/\d+ (?<test>\S.*?)\.\.\.(?<printed>.+)$");

/// `error: 'main.test.fails' failed: expected 4, found 3`.
static FAILED: Pattern =
    Pattern::new(r"^error: '(?<test>[^']+)' (?:failed|leaked|logged errors)(?:: ?(?<message>.*))?$");

/// `2 passed; 0 skipped; 1 failed.`, `All 3 tests passed.`, `1 passed; 1 skipped; 1 failed.`
static SUMMARY: Pattern = Pattern::new(
    r"^(?:(?<passed>\d+) passed; (?<skipped>\d+) skipped; (?<failed>\d+) failed\.|All (?<passed2>\d+) tests? passed\.)$",
);

/// `Build Summary: 1/3 steps succeeded; 1 failed; 3/5 tests passed; 1 skipped; 1 failed`.
static BUILD: Pattern = Pattern::new(
    r"^Build Summary: .*?; (?<passed>\d+)/(?<total>\d+) tests passed(?:; (?<skipped>\d+) skipped)?(?:; (?<failed>\d+) failed)?",
);

/// `/project/src/main.zig:10:5: 0x103c in test.fails (test)`.
static FRAME: Pattern =
    Pattern::new(r"^(?<file>\S.*\.zig):(?<line>\d+):(?<column>\d+): 0x[0-9a-f]+ in (?<function>\S+)");

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
        let bare = STATUS.find(text).filter(|_| self.started.is_some());
        let whole = TEST.find(text);
        let Some(captures) = whole.or(bare) else {
            let started = STARTED.find(text);
            if let Some(captures) = &started {
                self.close();
                self.started = Some(captures.text("test").to_owned());
                self.before = vec![cut::head(captures.text("printed"), 1024).to_owned()];
            }
            return started.is_some();
        };
        self.close();
        let started = self.started.take();
        let test = captures.get("test").map(str::to_owned).or(started).unwrap_or_default();
        let status = match captures.text("status") {
            "OK" => TestStatus::Passed,
            "SKIP" => TestStatus::Skipped,
            _ => TestStatus::Failed,
        };
        self.results.case(results::case(&[], &test, None, status));
        if status == TestStatus::Failed {
            let why = captures.get("why").map(str::to_owned);
            let message = self.before.drain(..).chain(why).collect::<Vec<_>>().join("\n");
            let origin = Some(origin("zig/text", line));
            self.open = Some(TestFailure { name: name(&test), message, origin, ..TestFailure::default() });
        }
        self.before.clear();
        true
    }

    fn sum_up(&mut self, text: &str) -> bool {
        let Some(captures) = BUILD.find(text).or_else(|| SUMMARY.find(text)) else { return false };
        self.close();
        self.has_summary = true;
        let [passed, skipped] = ["passed", "skipped"].map(|group| captures.number(group));
        if captures.has("total") {
            let failed = captures.number("total").saturating_sub(passed + skipped);
            self.build = Some(results::counts(passed, failed, skipped));
        } else {
            self.results.sum_up(results::counts(passed, captures.number("failed"), skipped));
        }
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
        if let Some(captures) = FAILED.find(text) {
            self.close();
            let message = captures.text("message").to_owned();
            let origin = Some(origin("zig/text", line));
            self.results.count(TestStatus::Failed, 1);
            self.open =
                Some(TestFailure { name: name(captures.text("test")), message, origin, ..TestFailure::default() });
            return Use::Line;
        }
        if let Some(failure) = &mut self.open {
            if let Some(captures) = FRAME.find(text) {
                // The innermost frame in a test is where it expected something.
                if captures.text("function").contains("test")
                    && !captures.text("file").contains("/lib/std/")
                    && failure.file.is_none()
                {
                    failure.file = captures.file("file");
                    failure.line = captures.position("line");
                    failure.column = captures.position("column");
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

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        if !(self.has_summary || self.is_hinted && 0 < self.results.seen.total) {
            return None;
        }
        if self.build.is_some() {
            self.results.summary = self.build;
        }
        let tests = self.results.finish("zig", CountAuthority::Summary);
        Some(Candidate { format: "text", tests: Some(tests), ..Candidate::default() })
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
        let tests = reader.finish().and_then(|candidate| candidate.tests).unwrap();
        assert_eq!((tests.counts.passed, tests.counts.failed), (1, 1));
        assert_eq!((tests.failures[0].name.as_str(), tests.failures[0].line), ("main.test.fails", Some(10)));
    }
}
