//! Zig: `zig build`, `zig build-exe`, `zig test`, `zig ast-check`. A finding is `a.zig:5:5: error: message`
//! with the source line and a mark below; a test is `1/3 main.test.adds...OK`, and
//! `2 passed; 0 skipped; 1 failed.` ends a run.

use crate::prelude::*;

/// The compiler, and its test runner.
pub(crate) static TOOL: Tool = Tool::new("zig", &["zig-test", "zig-build"], Role::Compile)
    .lines(&[
        LineFormat::rows(&[".zig:", ".zon:"], &COMPILER),
        LineFormat::new(
            &[
                "...OK",
                "... OK",
                "...SKIP",
                "...FAIL",
                " passed; ",
                " tests passed.",
                "1 test passed.",
                " tests passed;",
            ],
            |is_hinted| Box::new(Tests { is_hinted, ..Tests::default() }),
        )
        .both(&[".test."], &["..."]),
    ])
    .merge(candidate::together);

static COMPILER: Rows = Rows::new("zig", "text").rows(&[
    related(r"^(?<file>\S[^:]*(?::[\\/][^:]*)?\.(?:zig|zon)):(?<line>\d+):(?<column>\d+): note: (?<message>\S.*)$")
        .enters("source"),
    head(r"^(?<file>\S[^:]*(?::[\\/][^:]*)?\.(?:zig|zon)):(?<line>\d+):(?<column>\d+): (?<level>error|note|warning): (?<message>\S.*)$")
        .enters("source"),
    part(r"^[ \t^~]+$").enters("mark"),
    // The source line below a note belongs to the note's location.
    part(r"^(?<source>[ \t].*|(?:[^:]|:[^ ])+)$").inside("source").enters("mark").check(|made, _| made.related.is_empty()),
    part(r"^(?:[ \t].*|(?:[^:]|:[^ ])+)$").inside("source").enters("mark"),
    part("^    "),
]);

/// `1/3 main.test.adds...OK`, `2/3 main.test.fails... FAIL (TestUnexpectedResult)`.
static TEST: Pattern = Pattern::new(
    r"^(?:\d+/\d+ |Test \[\d+/\d+\] )?(?<test>\S.*?)\.\.\. ?(?<status>OK|SKIP|FAIL)(?: \((?<why>\w+)\))?$",
);

/// A status alone on its line.
static STATUS: Pattern = Pattern::new(r"^(?<status>OK|SKIP|FAIL)(?: \((?<why>\w+)\))?$");

/// `2/3 main.test.fails...expected 4, found 3`: output of the test follows its name, and its status comes
/// later.
static STARTED: Pattern = Pattern::new(r"^\d+/\d+ (?<test>\S.*?)\.\.\.(?<printed>.+)$");

/// `error: 'main.test.fails' failed: expected 4, found 3`.
static FAILED: Pattern =
    Pattern::new(r"^error: '(?<name>[^']+)' (?:failed|leaked|logged errors)(?:: ?(?<message>.*))?$");

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
    runs: Runs,
    /// Counts of the whole build, which replace those of its runs.
    build: Option<TestCounts>,
    /// The test whose status follows its output.
    started: Option<String>,
    /// Output of a test before its status.
    before: Vec<String>,
}

impl Tests {
    /// Reads a test and its status, or a status that follows a test's output.
    fn test(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        let bare = STATUS.find(text).filter(|_| self.started.is_some());
        let Some(found) = TEST.find(text).or(bare) else {
            let started = STARTED.find(text);
            if let Some(found) = &started {
                self.runs.close();
                self.started = Some(found.text("test").to_owned());
                self.before = vec![cut::head(found.text("printed"), 1024).to_owned()];
            }
            return started.is_some();
        };
        self.runs.close();
        let started = self.started.take();
        let test = found.get("test").map(str::to_owned).or(started).unwrap_or_default();
        let status = found.status();
        self.runs.case(results::case(&[], &test, None, status));
        let before = std::mem::take(&mut self.before);
        if status == TestStatus::Failed {
            let mut failing = Failing::new(&test, "zig/text", line);
            before.iter().map(String::as_str).chain(found.get("why")).for_each(|said| failing.append(said));
            self.runs.open(failing);
        }
        true
    }

    fn sum_up(&mut self, text: &str) -> bool {
        if let Some(found) = BUILD.find(text) {
            self.runs.close();
            let [passed, skipped] = ["passed", "skipped"].map(|group| found.number(group));
            let failed = found.number("total").saturating_sub(passed + skipped);
            self.build = Some(results::counts(passed, failed, skipped));
            return true;
        }
        let counts = SUMMARY.find(text).and_then(|found| found.tests());
        counts.inspect(|counts| self.runs.add_up(*counts)).is_some()
    }

    /// Reads a line below a failed test: the innermost frame in a test is the location of the failed
    /// expectation.
    fn detail(&mut self, text: &str) -> Use {
        let (Some(open), Some(found)) = (&mut self.runs.open, FRAME.find(text)) else { return Use::None };
        let is_test = found.text("function").contains("test") && !found.text("file").contains("/lib/std/");
        if is_test && open.failure.file.is_none() {
            (open.failure.file, open.failure.line) = (found.file("file"), found.position("line"));
            open.failure.column = found.position("column");
        }
        Use::Line
    }
}

impl LineReader for Tests {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        if self.sum_up(text) || self.test(line) {
            return Use::Line;
        }
        if let Some(found) = FAILED.find(text) {
            self.runs.count(TestStatus::Failed, 1);
            self.runs.open(found.failing("zig/text", line));
            return Use::Line;
        }
        if self.runs.open.is_none() && self.before.len() < 8 && !line.is_blank {
            self.before.push(cut::head(text, 1024).to_owned());
        }
        self.detail(text)
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        let is_summed_up = self.build.is_some() || self.runs.is_summed_up();
        if !(is_summed_up || self.is_hinted && 0 < self.runs.seen.total) {
            return None;
        }
        self.runs.close();
        if let Some(counts) = self.build {
            self.runs.replace(counts);
        }
        Some(self.runs.candidate("zig", "text"))
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
            reader.line(&Line::new(text, Stream::Stderr, 0..end));
        }
        let tests = reader.finish().and_then(|candidate| candidate.tests).unwrap();
        assert_eq!((tests.counts.passed, tests.counts.failed), (1, 1));
        assert_eq!((tests.failures[0].name.as_str(), tests.failures[0].line), ("main.test.fails", Some(10)));
    }
}
