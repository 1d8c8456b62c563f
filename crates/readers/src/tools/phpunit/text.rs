//! PHPUnit's own printer: progress, numbered errors and failures, and the final counts below the duration. With
//! testdox the details follow each test instead.

use crate::prelude::*;
use crate::tools::phpunit::summary::{counts, is_verdict};
use crate::tools::phpunit::{StackFrame, choose, place};

/// Texts one of which is in every output.
pub(super) const PREFILTER: &[&str] = &["PHPUnit ", ", Memory: ", "FAILURES!", "ERRORS!", ", Assertions: "];

const RULE: &str = "phpunit/text";

/// Maximum number of stack frames kept for one failure.
const PLACES: usize = 64;

/// `There were 3 failures:`, and `2 tests triggered 1 warning:` since version 10.
static SECTION: Pattern =
    Pattern::new(r"^(?:There (?:was|were) \d+ (?<what>[A-Za-z ]+)|\d+ tests? triggered \d+ (?<issue>[A-Za-z ]+)):$");

/// `1) CalcTest::testAdd with data set #0 (1, 2)`, a file with a test, or only `Warning`.
static ENTRY: Pattern = Pattern::new(r"^(\d+)\) ((?:[\w\\]+::\S.*|\S*/\S+\.phpt|\S.*::\w+.*|Warning))$");

/// `Time: 00:00.009, Memory: 4.00 MB`.
static TIME: Pattern = Pattern::new(r"^Time: [\d.:]+(?: (?:ms|seconds?|minutes?|hours?))?.*, Memory: ?[\d.]+ ?\w+$");

/// Progress: `.FES   4 / 10 ( 40%)`.
static PROGRESS: Pattern = Pattern::new(r"^[.FESIRWDN]+ +\d+ / \d+ \( ?\d+%\)$");

/// A test in testdox: ` ✘ Wrong`, followed by the duration if the terminal is wide.
static TESTDOX: Pattern = Pattern::new(r"^ ([✔✘↩∅☢⚠]) (\S.*?)(?: \[[\d.,]+ ms\])?$");

#[derive(Default)]
pub(super) struct Report {
    is_hinted: bool,
    /// Whether warnings are failures, as up to version 9.
    warnings_fail: bool,
    has_header: bool,
    has_time: bool,
    /// Whether a verdict was read, which precedes the counts.
    has_verdict: bool,
    /// The open list: whether it holds errors or failures, and the number of its last entry.
    section: Option<(bool, u64)>,
    results: Results,
    open: Option<Open>,
    /// Whether a numbered failure was read; these have more details than testdox.
    has_numbered: bool,
    testdox: Vec<TestFailure>,
    class: String,
    bare: Option<TestCounts>,
}

/// The failure whose lines are being read.
struct Open {
    failure: TestFailure,
    places: Vec<StackFrame>,
    is_testdox: bool,
}

impl Report {
    pub(super) fn new(is_hinted: bool) -> Self {
        Self { is_hinted, ..Self::default() }
    }

    fn close(&mut self) {
        let Some(Open { mut failure, places, is_testdox }) = self.open.take() else { return };
        failure.message = text::trimmed(&failure.message);
        let class = failure.name.split("::").next().unwrap_or_default();
        if let Some(StackFrame { file, line }) = choose(&places, class) {
            (failure.file, failure.line) = (Some(file.clone()), Some(*line));
        }
        let stack: Vec<String> = places.iter().map(|place| format!("{}:{}", place.file, place.line)).collect();
        failure.stack = (!stack.is_empty()).then(|| stack.join("\n"));
        let diff = |mark: char| {
            let mut lines = failure.message.lines().skip_while(|line| *line != "@@ @@").skip(1);
            lines.find_map(|line| line.strip_prefix(mark)).map(|line| name(line.trim_start()))
        };
        (failure.expected, failure.received) = (diff('-'), diff('+'));
        if is_testdox {
            if self.testdox.len() < limit::FINDINGS_KEPT {
                self.testdox.push(failure);
            }
            return;
        }
        self.results.count(TestStatus::Failed, 1);
        self.results.failure(failure);
    }

    fn begin(&mut self, title: &str, is_testdox: bool, line: &Line<'_>) {
        self.close();
        let failure = TestFailure { name: name(title), origin: Some(origin(RULE, line)), ..TestFailure::default() };
        self.open = Some(Open { failure, places: Vec::new(), is_testdox });
    }

    /// Reads a line that is PHPUnit's own wherever it appears.
    fn landmark(&mut self, text: &str) -> bool {
        if let Some(version) = text.strip_prefix("PHPUnit ")
            && text.contains(" by Sebastian Bergmann")
        {
            let major = version.split('.').next().and_then(text::count);
            self.warnings_fail = major.is_some_and(|major| major < 10);
            self.has_header = true;
            (self.has_time, self.section) = (false, None);
        } else if text.starts_with("Time: ") && TIME.is_match(text) {
            self.close();
            (self.has_time, self.section) = (true, None);
        } else if is_verdict(text) {
            self.close();
            (self.has_verdict, self.section) = (true, None);
        } else if text == "No tests executed!" && (self.has_header || self.is_hinted) {
            self.results.sum_up(TestCounts::default());
        } else {
            return text.ends_with("%)") && PROGRESS.is_match(text);
        }
        true
    }

    /// Reads the final counts, which are PHPUnit's own only below the duration.
    fn sum_up(&mut self, text: &str) -> bool {
        let Some(counts) = counts(text, self.warnings_fail) else { return false };
        let is_ok = text.starts_with("OK (");
        if self.has_time && (is_ok || self.has_verdict) {
            self.close();
            self.results.sum_up(counts);
            (self.has_time, self.has_verdict, self.section) = (false, false, None);
            return true;
        }
        self.bare = Some(counts);
        self.is_hinted
    }

    /// Reads the heading of a list, or the separator between two lists.
    fn heading(&mut self, text: &str) -> bool {
        if text == "--" && self.section.is_some() {
            self.close();
            self.section = Some((false, 0));
            return true;
        }
        if !text.ends_with(':') {
            return false;
        }
        let Some(captures) = SECTION.captures(text) else { return false };
        // A message may contain such a line; a genuine one follows the duration or another list.
        if !self.has_time && self.section.is_none_or(|(_, number)| 0 < number) {
            return false;
        }
        self.close();
        let fails = captures.name("what").is_some_and(|what| match what.as_str() {
            "error" | "errors" | "failure" | "failures" => true,
            "warning" | "warnings" => self.warnings_fail,
            _ => false,
        });
        self.section = Some((fails, 0));
        true
    }

    fn entry(&mut self, line: &Line<'_>) -> bool {
        let Some((fails, number)) = self.section else { return false };
        let Some(captures) = ENTRY.captures(line.text.trim_end()) else { return false };
        if text::count(&captures[1]) != Some(number + 1) {
            return false;
        }
        self.close();
        self.section = Some((fails, number + 1));
        if fails {
            self.has_numbered = true;
            self.begin(&captures[2], false, line);
        }
        true
    }

    /// Reads a line of testdox: a class, a test, or details of the test.
    fn testdox(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        if let Some(captures) = TESTDOX.captures(text) {
            self.close();
            if &captures[1] == "✘" {
                let title = if self.class.is_empty() {
                    captures[2].to_owned()
                } else {
                    format!("{}::{}", self.class, &captures[2])
                };
                self.begin(&title, true, line);
            }
            return true;
        }
        let detail =
            text.trim_start().strip_prefix(['│', '├', '┐', '┊', '╵', '┴', '╷']).filter(|_| text.starts_with("   "));
        match (detail, &mut self.open) {
            (Some(detail), Some(open)) if open.is_testdox => {
                open.take(detail.strip_prefix(' ').unwrap_or(detail), line);
                true
            }
            (Some(_), _) => false,
            (None, _) => {
                if !text.is_empty() && !text.starts_with(' ') {
                    // `Calc (App\Tests\CalcTest)` names the class, `Calc` alone is only a description of it.
                    let class =
                        text.strip_suffix(')').and_then(|text| text.rsplit_once(" (")).map_or(text, |(_, class)| class);
                    cut::head(class, 200).clone_into(&mut self.class);
                }
                false
            }
        }
    }
}

impl Open {
    /// Reads a line of the message or of the stack below it.
    fn take(&mut self, text: &str, line: &Line<'_>) {
        match place(text.trim()) {
            Some(place) if self.places.len() < PLACES => self.places.push(place),
            Some(_) => {}
            None if text.is_empty() && self.failure.message.is_empty() => {}
            None => text::add_line(&mut self.failure.message, text, limit::MESSAGE_BYTES),
        }
        if let Some(origin) = &mut self.failure.origin {
            origin.end = line.end;
        }
    }
}

impl LineReader for Report {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if self.landmark(text) || self.sum_up(text) || self.heading(text) || self.entry(line) {
            return Use::Line;
        }
        if let Some(open) = self.open.as_mut().filter(|open| !open.is_testdox) {
            open.take(text, line);
            return Use::Line;
        }
        if self.section.is_some() || self.testdox(line) { Use::Line } else { Use::None }
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        // If the beginning of the log is missing, the counts alone must do; otherwise a test may have printed
        // them.
        if self.results.summary.is_none()
            && self.is_hinted
            && !self.has_header
            && !self.has_numbered
            && let Some(bare) = self.bare
        {
            self.results.sum_up(bare);
        }
        let is_recognized = self.results.summary.is_some() || self.has_numbered;
        if !is_recognized && (!self.is_hinted || self.testdox.is_empty()) {
            return None;
        }
        if !self.has_numbered {
            for failure in std::mem::take(&mut self.testdox) {
                self.results.count(TestStatus::Failed, 1);
                self.results.failure(failure);
            }
        }
        let mut notes = Vec::new();
        if self.results.summary.is_none() {
            notes.push("the output of phpunit is cut short: it sums up nothing".to_owned());
        }
        let tests = self.results.finish("phpunit", CountAuthority::Summary);
        Some(Candidate { format: "text", tests: Some(tests), notes, ..Candidate::default() })
    }
}
