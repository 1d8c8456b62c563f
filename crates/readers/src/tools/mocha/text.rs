//! Mocha's text reporters: `spec` lists tests, the others draw symbols; all end with a summary and the numbered
//! failures.
//!
//! Tests can print lines that look like a summary. The real one has the number of passes listed before it, and
//! the number of failures listed after it.

use referee_model::reading::TestCase;

use crate::prelude::*;

const RULE: &str = "mocha/text";

pub(crate) const PREFILTER: &[&str] = &[" passing (", " failing", "[\"end\",{\"suites\":", "✔ ", "✓ ", "√ "];

/// `  3 passing (103ms)`, `  2 pending`, `  4 failing`.
static SUMMARY: Pattern = Pattern::new(
    r"^  (?<number>\d+) (?:(?<passing>passing) \(\d+(?:\.\d+)?(?:ms|s|m|h|d)\)|(?<word>pending|failing))$",
);

/// `  3) Array`, below the summary.
static HEADING: Pattern = Pattern::new(r"^ {2,3}(?<number>\d+)\) (?<title>.*)$");

/// The last line of the `json-stream` reporter.
static STREAM_END: Pattern = Pattern::new(
    r#"^\["end",\{"suites":\d+,"tests":\d+,"passes":(?<passes>\d+),"pending":(?<pending>\d+),"failures":(?<failures>\d+),"#,
);

/// Progress of the `dot` reporter.
static DOTS: Pattern = Pattern::new(r"^  [.․,!]+$");

/// `…, ensure it resolves. (/project/test.js)`.
static TIMEOUT: Pattern = Pattern::new(r"Timeout of .* exceeded\..* \((?<file>[^()]+)\)$");

/// Indentation of the second line of a failure's title; each further line has two spaces more.
const TITLE_INDENT: usize = 7;

/// Maximum number of groups kept around one test.
const GROUPS_KEPT: usize = 64;

#[derive(Default, Debug)]
pub(crate) struct Report {
    framework: &'static str,
    is_hinted: bool,
    runs: Runs,
    groups: Vec<(usize, String)>,
    /// The summary of the current run, with the number of its failures listed so far.
    summary: Option<Summary>,
    part: Part,
    has_stack: bool,
    /// The file whose tests are running, if it was printed.
    file: Option<String>,
    /// Whether the output is from a runner built on Mocha.
    is_of_other: bool,
    /// State of TAP output by another runner: whether a test point was the last line, or a block below one is
    /// being read.
    foreign: Foreign,
}

/// TAP output of another runner in the same command: the end of such a block looks like dots.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Foreign {
    #[default]
    Nothing,
    Point,
    Block,
}

impl Foreign {
    /// Returns the state after a line, and whether the line belongs to a block.
    fn after(self, text: &str) -> (Self, bool) {
        let trimmed = text.trim_ascii();
        let is_indented = text.starts_with("  ");
        match self {
            Self::Block if trimmed == "..." => (Self::Nothing, true),
            Self::Block if is_indented || trimmed.is_empty() => (Self::Block, true),
            Self::Point if is_indented && trimmed == "---" => (Self::Block, true),
            _ if trimmed.starts_with("ok ") || trimmed.starts_with("not ok ") => (Self::Point, false),
            _ => (Self::Nothing, false),
        }
    }
}

#[derive(Debug, Default, Clone, Copy)]
struct Summary {
    counts: TestCounts,
    listed: u64,
    /// Number of passes listed before the summary.
    passes: u64,
}

impl Summary {
    /// Whether all its failures follow, or, if there are none, its number of passes was listed before it.
    fn is_genuine(&self) -> bool {
        let has_passes = self.passes == 0 || self.passes == self.counts.passed;
        self.listed == self.counts.failed && (0 < self.listed || has_passes)
    }
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Part {
    #[default]
    Tests,
    /// The summary, whose lines are consecutive.
    Summary,
    /// A failure's title, with its number of lines so far.
    Title(usize),
    Body,
}

impl Report {
    pub(crate) fn new(framework: &'static str, is_hinted: bool) -> Self {
        Self { framework, is_hinted, ..Self::default() }
    }

    /// Sets the file whose tests follow.
    pub(crate) fn set_file(&mut self, file: &str) {
        self.close();
        self.part = Part::Tests;
        self.file = Some(name(&text::path(file)));
    }

    /// Begins a new run if lines of another run follow a genuine summary.
    fn go_on(&mut self) {
        if self.summary.is_some_and(|summary| summary.is_genuine()) {
            self.summary = None;
            self.runs.begin();
        }
    }

    fn summary(&mut self, line: &Line<'_>) -> bool {
        let Some(captures) = SUMMARY.find(&line.text) else { return false };
        let Some(number) = captures.count("number") else { return false };
        if captures.has("passing") {
            self.close();
            self.go_on();
            let passes = self.runs.seen.passed;
            self.summary = Some(Summary { passes, ..Summary::default() });
            self.part = Part::Summary;
        }
        let (Part::Summary, Some(summary)) = (self.part, &mut self.summary) else { return false };
        let status = match captures.get("word") {
            Some("pending") => TestStatus::Skipped,
            Some(_) => TestStatus::Failed,
            None => TestStatus::Passed,
        };
        results::add(&mut summary.counts, status, number);
        self.runs.sum_up(summary.counts);
        self.runs.end = Some(line.end);
        true
    }

    /// Reads the heading of a failure, which must have the next number.
    fn heading(&mut self, line: &Line<'_>) -> bool {
        let Some(summary) = &mut self.summary else { return false };
        if self.part == Part::Tests || summary.counts.failed <= summary.listed {
            return false;
        }
        let Some(captures) = HEADING.find(&line.text) else { return false };
        if captures.count("number") != Some(summary.listed + 1) {
            return false;
        }
        summary.listed += 1;
        self.close();
        self.runs.open(Failing::new(captures.text("title"), RULE, line));
        self.part = Part::Title(1);
        self.has_stack = false;
        true
    }

    /// Reads a line of a failure.
    fn body(&mut self, line: &Line<'_>) -> bool {
        let Some(open) = &mut self.runs.open else { return false };
        let text = line.text.trim_end();
        if let Part::Title(lines) = self.part {
            if text::indent(text) == TITLE_INDENT + 2 * (lines - 1) && !line.is_blank {
                open.failure.name = name(&format!("{} {}", open.failure.name, text.trim_start()));
                open.extend(line);
                self.part = Part::Title(lines + 1);
                return true;
            }
            self.part = Part::Body;
            let title = open.failure.name.trim_end_matches(':').len();
            open.failure.name.truncate(title);
        }
        if open.takes_frame(text) {
            self.has_stack = true;
        } else if self.has_stack && !line.is_blank && text::indent(text) < 6 {
            self.close();
            self.part = Part::Tests;
            return false;
        } else if text == "      + expected - actual" {
            open.is_past_message = true;
        } else {
            if let Some(captures) = TIMEOUT.find(text) {
                open.failure.file.get_or_insert_with(|| name(&text::path(captures.text("file"))));
            }
            open.say(text.get(5..).filter(|_| text::indent(text) >= 5).unwrap_or(text).trim_start());
        }
        open.extend(line);
        true
    }

    fn close(&mut self) {
        if let Some((open, file)) = self.runs.open.as_mut().zip(self.file.as_ref()) {
            open.failure.file.get_or_insert_with(|| file.clone());
        }
        self.runs.close();
    }

    /// Reads a test in the list, or the name of a group.
    fn test(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        let indent = text::indent(text);
        if indent < 2 || line.is_blank {
            return false;
        }
        let Some((status, title)) = listed(&text[indent..]) else {
            if DOTS.is_match(text) {
                let number = |of: &[char]| text.chars().filter(|dot| of.contains(dot)).count() as u64;
                self.go_on();
                self.runs.count(TestStatus::Passed, number(&['.', '․']));
                self.runs.count(TestStatus::Failed, number(&['!']));
                self.runs.count(TestStatus::Skipped, number(&[',']));
                return true;
            }
            self.groups.retain(|(outer, _)| *outer < indent);
            if !self.runs.is_full() && self.groups.len() < GROUPS_KEPT && indent.is_multiple_of(2) {
                self.groups.push((indent, name(text.trim())));
            }
            return false;
        };
        // After a summary, lines with a dash may be a list of any other program.
        if status == TestStatus::Skipped && self.summary.is_some_and(|summary| summary.is_genuine()) {
            return false;
        }
        self.part = Part::Tests;
        self.go_on();
        self.groups.retain(|(outer, _)| *outer < indent);
        self.runs.case_of(status, || {
            let ancestors: Vec<&str> = self.groups.iter().map(|(_, group)| group.as_str()).collect();
            let (title, duration_ms) = split_duration(title);
            TestCase { duration_ms, ..results::case(&ancestors, title, self.file.as_deref(), status) }
        });
        true
    }

    /// Returns the results, also those of a runner built on Mocha.
    pub(crate) fn into_runs(mut self) -> Runs {
        self.close();
        self.runs
    }

    fn stream_end(&mut self, line: &Line<'_>) -> bool {
        let Some(captures) = STREAM_END.find(&line.text) else { return false };
        let [passed, failed, pending] = ["passes", "failures", "pending"].map(|group| captures.number(group));
        self.runs.sum_up(results::counts(passed, failed, pending));
        self.runs.end = Some(line.end);
        true
    }

    /// Reads a line, and returns whether it belongs to Mocha's report.
    pub(crate) fn takes(&mut self, line: &Line<'_>) -> bool {
        let (foreign, is_in_block) = self.foreign.after(&line.text);
        self.foreign = foreign;
        if is_in_block {
            return false;
        }
        self.stream_end(line) || self.summary(line) || self.heading(line) || self.body(line) || self.test(line)
    }
}

/// Parses a test of the list, without its indentation: `✔ is slow (61ms)`, `2) times out`, `- is pending`.
fn listed(text: &str) -> Option<(TestStatus, &str)> {
    let (status, rest) = match text.chars().next()? {
        sign @ ('✔' | '✓' | '√') => (TestStatus::Passed, &text[sign.len_utf8()..]),
        '-' => (TestStatus::Skipped, &text[1..]),
        _ => {
            let behind = text.trim_start_matches(|digit: char| digit.is_ascii_digit());
            (TestStatus::Failed, behind.strip_prefix(')').filter(|_| behind.len() < text.len())?)
        }
    };
    let title = rest.strip_prefix(' ')?;
    let is_begun = !title.is_empty() && !title.starts_with(['\t', '\n', '\x0b', '\x0c', '\r', ' ']);
    is_begun.then_some((status, title))
}

/// Splits `is slow (61ms)` into the title of a test and its duration in milliseconds. Part of the pattern, it would
/// take longer than all the rest: each byte of a title might begin it.
fn split_duration(text: &str) -> (&str, Option<u64>) {
    let split = text.strip_suffix("ms)").and_then(|rest| rest.rsplit_once(" ("));
    let timed = split.and_then(|(title, digits)| Some((title, text::count(digits)?)));
    timed.map_or((text, None), |(title, milliseconds)| (title, Some(milliseconds)))
}

impl LineReader for Report {
    fn line(&mut self, line: &Line<'_>) -> Use {
        self.is_of_other |= line.text == "  (Run Starting)" || line.text == "  (Run Finished)";
        if self.takes(line) { Use::Line } else { Use::None }
    }

    fn finish(self: Box<Self>) -> Option<Candidate> {
        let (framework, is_hinted, is_of_other) = (self.framework, self.is_hinted, self.is_of_other);
        let runs = self.into_runs();
        let is_told = runs.end.is_some() || is_hinted && 0 < runs.seen.total;
        (is_told && !is_of_other).then(|| runs.candidate(framework, "text"))
    }
}

#[cfg(test)]
mod tests {
    use referee_model::reading::CountAuthority;

    use crate::trial::results;

    const FAILURE: &str =
        "  1) group\n       is: wrong:\n     Error: boom\n      at Context.<anonymous> (test/a.js:1:2)\n";

    #[test]
    fn the_last_word_is_that_of_the_runner() {
        for (text, passed, failed) in [
            ("  ✔ a\n  ✔ b\n\n  2 passing (3ms)\n".to_owned(), 2, 0),
            ("  ✔ a\n  9 passing (1ms)\n  1 failing\n  ✔ b\n\n  2 passing (3ms)\n".to_owned(), 2, 0),
            ("  ✔ a\n\n  1 passing (3ms)\n\n  ✔ b\n\n  1 passing (3ms)\n".to_owned(), 2, 0),
            (format!("  ✔ a\n    1) is: wrong\n\n  1 passing (3s)\n  1 failing\n\n{FAILURE}"), 1, 1),
            ("  ✔ a\n\n  1 passing (3ms)\n\nwritten:\n  - dist/a.js\n".to_owned(), 1, 0),
            (format!("  .!\n\n  1 passing (3s)\n  1 failing\n\n{FAILURE}\n\n  .\n\n  1 passing (1m)\n"), 2, 1),
        ] {
            let results = results(&text).unwrap();
            assert_eq!(results.authority, CountAuthority::Summary, "{text}");
            assert_eq!((results.counts.passed, results.counts.failed), (passed, failed), "{text}");
        }
        assert!(results("  ✔ built\n  2 passing cars\n").is_none());
    }

    #[test]
    fn a_duration_is_no_part_of_a_title() {
        for (text, title, duration) in [
            ("is slow (61ms)", "is slow", Some(61)),
            ("takes (5ms) (61ms)", "takes (5ms)", Some(61)),
            ("is (ms)", "is (ms)", None),
            ("is (6 ms)", "is (6 ms)", None),
            ("(61ms)", "(61ms)", None),
        ] {
            assert_eq!(super::split_duration(text), (title, duration), "{text}");
        }
    }

    #[test]
    fn a_title_may_hold_what_ends_titles() {
        let results = results(&format!("  1 passing (3s)\n  1 failing\n\n{FAILURE}\nerror Command failed.\n")).unwrap();
        let [failure] = &results.failures[..] else { panic!("one failure") };
        assert_eq!((failure.name.as_str(), failure.message.as_str()), ("group is: wrong", "Error: boom"));
        assert_eq!((failure.file.as_deref(), failure.line), (Some("test/a.js"), Some(1)));
    }
}
