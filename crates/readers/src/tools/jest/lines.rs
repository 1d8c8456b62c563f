//! Jest's text report: suites, tests, failures, and the summary at its end.
//!
//! Jest writes headings of suites in the first column, headings of failures after two spaces, and indents all
//! output of tests by four or more, so a test that prints a text like a report is not mistaken for the report.

use referee_model::reading::TestCase;

use crate::candidate::{Kept, NAME_BYTES, path};
use crate::prelude::*;
use crate::tools::jest::failure::JEST;
use crate::tools::jest::summary::{EXIT, Part, Summaries};
use crate::tools::jest::{EMPTY_RUN, FRAMEWORK, SEPARATOR, SUITE_FAILED};

/// The time after the name of a slow suite, following a space and an opening parenthesis.
static SUITE_TIME: Pattern = Pattern::new(r"^\d[\d.]* m?s(?:, [\d.]+ [kKMG]?B heap size)?\)$");

/// Start of the heading above indented console output, which Jest prints at once in some modes.
const CONSOLE: &str = "  console.";

/// Headings after a bullet that are not failures.
const NO_FAILURES: &[&str] = &[
    "Console",
    "Obsolete snapshot",
    "Validation Warning:",
    "Validation Error:",
    "Deprecation Warning:",
    "Cannot log after tests are done.",
    "Multiple configurations found:",
];

/// Maximum number of groups kept around one test.
const GROUPS_KEPT: usize = 64;

/// Heading of the section that repeats all failures.
const RECAP: &str = "Summary of all failing tests";

#[derive(Default)]
pub(crate) struct Report {
    is_hinted: bool,
    summaries: Summaries,
    suite: Option<Suite>,
    part: Inside,
    is_recap: bool,
    counted: TestCounts,
    suites: TestCounts,
    failures: Kept<TestFailure>,
    cases: Kept<TestCase>,
    /// Jest's message about a test that ended the run.
    exit: Option<TestFailure>,
    /// Whether tests or failures were read individually.
    is_told: bool,
}

/// The suite whose lines are being read.
struct Suite {
    file: String,
    has_failed: bool,
    /// Whether the suite's tests are listed individually.
    lists_tests: bool,
    /// The groups around the next test, with their indentation.
    groups: Vec<(usize, String)>,
}

/// The section that the next lines belong to.
#[derive(Default)]
enum Inside {
    #[default]
    Nothing,
    /// The list of a suite's tests.
    Tests,
    Console,
    /// The heading of a failure, which may span several lines.
    Heading(Failure),
    /// The lines below such a heading.
    Failure(Failure),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Failed {
    Test,
    Suite,
    /// The whole run, which a test ended.
    Run,
}

/// A failure that is being read.
struct Failure {
    what: Failed,
    failing: Failing,
}

impl Report {
    pub(crate) fn new(is_hinted: bool) -> Self {
        Self { is_hinted, ..Self::default() }
    }

    /// Ends the open failure, if there is one.
    fn close(&mut self) {
        let failure = match std::mem::take(&mut self.part) {
            Inside::Heading(failure) | Inside::Failure(failure) => failure,
            other => {
                self.part = other;
                return;
            }
        };
        let Failure { what, mut failing } = failure;
        if what == Failed::Run {
            self.exit.get_or_insert_with(|| exit(failing));
            return;
        }
        let Some(suite) = self.suite.as_ref().filter(|_| !self.is_recap) else { return };
        self.is_told = true;
        failing.failure.suite = what == Failed::Suite;
        if failing.failure.suite {
            failing.failure.name.clone_from(&suite.file);
        }
        failing.failure.file = Some(suite.file.clone());
        let found = failing.finish();
        if !found.suite && !suite.lists_tests {
            self.counted.failed += 1;
            let mut titles: Vec<String> = found.name.split(SEPARATOR).map(str::to_owned).collect();
            let title = titles.pop().unwrap_or_default();
            let status = TestStatus::Failed;
            self.cases.push(TestCase { ancestors: titles, title, file: found.file.clone(), status, duration_ms: None });
        }
        self.failures.push(found);
    }

    fn suite(&mut self, line: &Line<'_>) -> bool {
        let Some((word, rest)) = suite(&line.text) else { return false };
        self.close();
        if self.summaries.is_over() {
            self.summaries.run_goes_on();
            self.is_recap = false;
        }
        let has_failed = word == "FAIL";
        let is_over = word != "RUNS";
        if is_over && !self.is_recap {
            let outcome = if has_failed { &mut self.suites.failed } else { &mut self.suites.passed };
            *outcome += 1;
            self.suites.total += 1;
            self.summaries.heading();
        }
        let file = path(test_file(rest));
        self.suite = is_over.then_some(Suite { file, has_failed, lists_tests: false, groups: Vec::new() });
        self.part = Inside::Tests;
        true
    }

    fn bullet(&mut self, line: &Line<'_>) -> bool {
        let Some(heading) = line.text.strip_prefix("  ● ") else { return false };
        self.close();
        if line.text.starts_with(EXIT) {
            self.summaries.run_goes_on();
            self.part = Inside::Failure(Failure::new(heading, Failed::Run, line));
            return true;
        }
        let is_failing_suite = self.suite.as_ref().is_some_and(|suite| suite.has_failed);
        let is_heading = !heading.starts_with(' ') && !NO_FAILURES.iter().any(|other| heading.starts_with(other));
        if !is_heading || !is_failing_suite {
            self.part = if heading == "Console" { Inside::Console } else { Inside::Nothing };
            return heading == "Console";
        }
        let what = if heading.trim_end() == SUITE_FAILED { Failed::Suite } else { Failed::Test };
        self.part = Inside::Heading(Failure::new(heading, what, line));
        true
    }

    /// Reads a line that may belong to the open section, and returns whether it does.
    fn continues(&mut self, line: &Line<'_>) -> bool {
        if matches!(self.part, Inside::Nothing | Inside::Tests) {
            return false;
        }
        let text = &*line.text;
        let is_indented = line.is_blank || text::indent(text) >= 4;
        match std::mem::take(&mut self.part) {
            Inside::Heading(mut failure) => {
                failure.failing.reach(line);
                self.part = if line.is_blank {
                    Inside::Failure(failure)
                } else {
                    // A title may contain line breaks, and is then printed with them.
                    text::add_line(&mut failure.failing.failure.name, text.trim_end(), NAME_BYTES);
                    Inside::Heading(failure)
                };
                true
            }
            Inside::Failure(mut failure) if is_indented => {
                failure.failing.add(line, text.get(4..).unwrap_or_default());
                self.part = Inside::Failure(failure);
                true
            }
            Inside::Console if is_indented => {
                self.part = Inside::Console;
                true
            }
            // The list of tests follows their console output.
            Inside::Console => {
                self.part = Inside::Tests;
                false
            }
            other => {
                self.part = other;
                self.close();
                false
            }
        }
    }

    fn test(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        let Some(suite) = &mut self.suite else { return false };
        let indent = text::indent(text);
        if indent < 2 || text.len() == indent {
            return false;
        }
        suite.groups.retain(|(outer, _)| *outer < indent);
        let is_kept = !self.cases.is_full();
        let Some((status, said)) = test(&text[indent..]) else {
            if is_kept && suite.groups.len() < GROUPS_KEPT {
                suite.groups.push((indent, name(text.trim())));
            }
            return true;
        };
        suite.lists_tests = true;
        self.is_told = true;
        match status {
            TestStatus::Passed => self.counted.passed += 1,
            TestStatus::Failed => self.counted.failed += 1,
            TestStatus::Skipped => self.counted.skipped += several(timed(said).0).and_then(text::count).unwrap_or(1),
        }
        if let Some((title, time)) = is_kept.then(|| timed(said)).filter(|(title, _)| several(title).is_none()) {
            let title = cut::head(title, NAME_BYTES);
            let ancestors = suite.groups.iter().map(|(_, group)| group.clone()).collect();
            let (title, file) = (title.to_owned(), Some(suite.file.clone()));
            let duration_ms = time.and_then(|(number, unit)| milliseconds(number, unit));
            self.cases.push(TestCase { ancestors, title, file, status, duration_ms });
        }
        true
    }

    fn results(&mut self) -> TestResults {
        let is_over = self.summaries.is_over();
        let sum = self.summaries.sum();
        let (authority, counts, suites) = match sum {
            // A summary with failures counts whatever follows it, and so does one without tests; one with only
            // passes must be the end of the output.
            Some(sum) if sum.has_failures() => (CountAuthority::Summary, sum.tests, sum.suites),
            Some(sum) if is_over && (sum.ran_none() || !self.summaries.is_followed()) => {
                (CountAuthority::Summary, sum.tests, sum.suites)
            }
            Some(sum) if is_over => (CountAuthority::Lines, sum.tests, sum.suites),
            _ => {
                self.counted.total = self.counted.passed + self.counted.failed + self.counted.skipped;
                (CountAuthority::Lines, self.counted, (0 < self.suites.total).then_some(self.suites))
            }
        };
        TestResults {
            framework: FRAMEWORK.to_owned(),
            authority,
            counts,
            suites,
            failures: std::mem::take(&mut self.failures).into_items(),
            cases: std::mem::take(&mut self.cases).into_items(),
        }
    }

    fn notes(&self) -> Vec<String> {
        let is_unfinished = 0 < self.summaries.seen && !self.summaries.is_over() && self.exit.is_none();
        let notes = [
            (self.exit.is_some(), "a test called process.exit, which ends jest before its tests are done"),
            (self.summaries.hide_an_empty_run(), EMPTY_RUN),
            (self.summaries.is_followed(), "lines that are not jest's follow its summary"),
            (is_unfinished, "more of a run of jest follows what looks like its last summary"),
        ];
        notes.into_iter().filter(|(holds, _)| *holds).map(|(_, note)| note.to_owned()).collect()
    }
}

impl Failure {
    fn new(heading: &str, what: Failed, line: &Line<'_>) -> Self {
        Self { what, failing: Failing::new(heading, "jest/text", line).told_in(JEST) }
    }
}

/// Makes the failure of a run that a test ended, named after the first suite in the stack.
fn exit(mut failing: Failing) -> TestFailure {
    failing.failure.suite = true;
    let mut found = failing.finish();
    let file = found.file.clone();
    found.message = std::mem::take(&mut found.name);
    found.name = file.unwrap_or_else(|| found.message.clone());
    found
}

impl LineReader for Report {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        // Most lines belong to the body of a section, and are recognized by their indentation alone.
        let is_indented = line.is_blank || text.starts_with("    ");
        if is_indented && self.continues(line) {
            return Use::Line;
        }
        if self.summaries.line(line) == Part::Of {
            self.close();
            self.part = Inside::Nothing;
            return Use::Line;
        }
        if line.is_blank {
            return Use::None;
        }
        if self.suite(line) || self.bullet(line) {
            return Use::Line;
        }
        if text.starts_with(CONSOLE) {
            self.close();
            self.summaries.run_goes_on();
            self.part = Inside::Console;
            return Use::Line;
        }
        if !is_indented && self.continues(line) {
            return Use::Line;
        }
        if matches!(self.part, Inside::Tests) && self.test(line) {
            return Use::Line;
        }
        if text == RECAP {
            self.is_recap = true;
            return Use::Line;
        }
        Use::None
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        let has_run = 0 < self.suites.total;
        let is_recognized = 0 < self.summaries.seen
            || (has_run && (self.is_told || self.is_hinted))
            || (self.exit.is_some() && self.is_hinted);
        if !is_recognized {
            return None;
        }
        let summary_end = self.summaries.end();
        let notes = self.notes();
        let exit = self.exit.take();
        let mut tests = self.results();
        let is_reported = summary_end.is_some() && tests.counts.failed + tests.suites.map_or(0, |it| it.failed) != 0;
        if let Some(exit) = exit.filter(|_| !is_reported) {
            end_early(&mut tests, exit);
        }
        Some(Candidate { format: "text", tests: Some(tests), notes, summary_end, ..Candidate::default() })
    }
}

/// Adds the failure of a run that a test ended. Passes of other runs do not outweigh it.
fn end_early(tests: &mut TestResults, exit: TestFailure) {
    let suites = tests.suites.get_or_insert_default();
    if tests.counts.failed + suites.failed == 0 {
        tests.authority = CountAuthority::Lines;
    }
    suites.failed += 1;
    suites.total += 1;
    tests.failures.push(exit);
    tests.failures.truncate(limit::FINDINGS_KEPT);
}

/// Returns the file named in a suite's heading, without the project name that may precede it.
fn test_file(rest: &str) -> &str {
    let file = match rest.split_once(' ') {
        Some((project, file)) if !project.contains(['/', '\\', '.']) => file.trim_start(),
        _ => rest,
    };
    file.strip_prefix("./").unwrap_or(file)
}

/// Parses the heading of a suite, `PASS src/a.test.js (5.2 s)`, into the word and the rest. Colored output has
/// spaces around the word.
fn suite(text: &str) -> Option<(&str, &str)> {
    let (word, rest) = text.strip_prefix(' ').unwrap_or(text).split_at_checked(4)?;
    let name = rest.trim_start_matches(' ');
    let is_heading = matches!(word, "PASS" | "FAIL" | "RUNS")
        && (1..=3).contains(&(rest.len() - name.len()))
        && !name.starts_with(['\t', '\n', '\x0b', '\x0c', '\r'])
        && !name.is_empty();
    let timed = || name.strip_suffix(')').and_then(|_| name.rsplit_once(" ("));
    is_heading.then(|| (word, timed().filter(|(_, time)| SUITE_TIME.is_match(time)).map_or(name, |(name, _)| name)))
}

/// Parses a test on a line of its own into its status and what follows: `✓ adds (5 ms)`.
fn test(text: &str) -> Option<(TestStatus, &str)> {
    let mut characters = text.chars();
    let status = match characters.next()? {
        '✓' | '✔' | '√' => TestStatus::Passed,
        '✕' | '✖' | '×' => TestStatus::Failed,
        '○' | '✎' => TestStatus::Skipped,
        _ => return None,
    };
    let said = characters.as_str().strip_prefix(' ')?;
    Some((status, said.strip_prefix("skipped ").or_else(|| said.strip_prefix("todo ")).unwrap_or(said)))
}

/// Splits the duration, a number and its unit, off a title.
fn timed(said: &str) -> (&str, Option<(&str, &str)>) {
    let timed = said.strip_suffix(')').and_then(|said| said.rsplit_once('(')).and_then(|(title, time)| {
        let title = title.strip_suffix(' ')?;
        let (number, unit) = time.split_once(' ').filter(|(_, unit)| matches!(*unit, "ms" | "s" | "m"))?;
        let (whole, part) = number.split_once('.').unwrap_or((number, "0"));
        (are_digits(whole) && are_digits(part)).then_some((title, Some((number, unit))))
    });
    timed.unwrap_or((said, None))
}

/// Returns the number in `3 tests`, printed after `skipped` in place of that many lines.
fn several(title: &str) -> Option<&str> {
    title.strip_suffix(" tests").or_else(|| title.strip_suffix(" test")).filter(|number| are_digits(number))
}

fn are_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn milliseconds(time: &str, unit: &str) -> Option<u64> {
    let factor = match unit {
        "ms" => 1.0,
        "s" => 1_000.0,
        _ => 60_000.0,
    };
    results::milliseconds(time.parse::<f64>().ok()? * factor)
}
