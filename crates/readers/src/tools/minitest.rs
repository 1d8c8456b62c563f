//! Minitest, with the summary of Rails and of minitest-reporters.
//!
//! ```text
//!   1) Failure:
//! CalcTest#test_wrong [test/calc_test.rb:10]:
//! Expected: 4
//!   Actual: 3
//!
//! 6 runs, 4 assertions, 3 failures, 1 errors, 1 skips
//! ```

use std::sync::LazyLock;

use referee_model::limit;
use referee_model::plan::Role;
use referee_model::reading::{CountAuthority, TestFailure, TestStatus};
use regex::Regex;

use crate::claim::{self, Claim, LineReader, Use, name, origin};
use crate::scan::Line;
use crate::shapes::results::{self, Results};
use crate::text;
use crate::tool::{LineFormat, Tool};

/// Minitest.
pub(crate) const TOOL: Tool = Tool {
    name: "minitest",
    aliases: &[],
    role: Role::Test,
    lines: &[LineFormat { wakes: WAKES, reader: |is_hinted| Box::new(Minitest::new("minitest", true, is_hinted)) }],
    documents: &[],
    settle: claim::gravest,
};

/// Texts one of which is in every output.
pub(crate) const WAKES: &[&str] = &["# Running", " assertions, ", "Failure:", "Error:", " assertions/s"];

const RULE: &str = "minitest/text";

/// `6 runs, 4 assertions, 3 failures, 1 errors, 1 skips`.
static SUMMARY: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^ {0,2}(\d+) (?:runs|tests|examples), (\d+) assertions, (\d+) failures, (\d+) errors(?:, (\d+) skips)?\.?$",
    )
});

/// `Finished in 0.017562s, 341.6422 runs/s, 227.7614 assertions/s.`
static FINISHED: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^Finished(?: tests)? in [\d.]+(?:s|ms| seconds)?(?:, [\d.]+ (?:runs|tests)/s, .*)?\.?$")
});

/// The head of a failure: `  1) Failure:`, without a number where it is reported at once.
static HEAD: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^(?: {1,4}\d+\) )?(Failure|Error|Skipped):$"));

/// `CalcTest#test_wrong [test/calc_test.rb:10]:`; of an error only the name.
static NAME: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^(?<name>\S.*?#.+?|[\w:]+\(.+?\))(?: \[(?<file>[^\]]+?):(?<line>\d+)\])?:$"));

/// `    test/calc_test.rb:18:in `test_error'`.
static FRAME: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^ {2,}(\S.*?\.rb):(\d+)(?::in .*)?$"));

/// Where in the report we are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Run,
    /// Below the head of a failure or of an error.
    Head {
        is_skip: bool,
    },
    Message,
}

/// Reads one stream.
pub(crate) struct Minitest {
    framework: &'static str,
    is_active: bool,
    is_hinted: bool,
    part: Part,
    /// Whether `# Running` or the time it took was read: what follows is no test's own print.
    has_sign: bool,
    has_finished: bool,
    results: Results,
    open: Option<TestFailure>,
    blanks: u8,
}

impl Minitest {
    pub(crate) fn new(framework: &'static str, is_active: bool, is_hinted: bool) -> Self {
        Self {
            framework,
            is_active,
            is_hinted,
            part: Part::Run,
            has_sign: false,
            has_finished: false,
            results: Results::default(),
            open: None,
            blanks: 0,
        }
    }

    fn close(&mut self) {
        self.part = Part::Run;
        let Some(mut failure) = self.open.take() else {
            return;
        };
        failure.message = text::trimmed(&failure.message);
        let after = |key: &str| failure.message.lines().find_map(|line| line.trim_start().strip_prefix(key)).map(name);
        (failure.expected, failure.received) = (after("Expected: "), after("Actual: "));
        if failure.file.is_none() {
            locate(&mut failure);
        }
        self.results.count(TestStatus::Failed, 1);
        self.results.failure(failure);
    }

    fn sum_up(&mut self, text: &str) -> bool {
        if !text.contains(" assertions, ") {
            return false;
        }
        let Some(captures) = SUMMARY.captures(text) else {
            return false;
        };
        let number = |group| captures.get(group).map_or(Some(0), |digits| text::count(digits.as_str()));
        let (Some(total), Some(failures), Some(errors), Some(skipped)) = (number(1), number(3), number(4), number(5))
        else {
            return false;
        };
        // A test may print such a line; the runner's own stands below the time it took.
        if !self.has_finished && !self.is_hinted {
            return false;
        }
        self.close();
        self.has_finished = false;
        let failed = failures + errors;
        self.results.sum_up(results::out_of(total, failed, skipped));
        true
    }

    fn begin(&mut self, line: &Line<'_>, is_skip: bool) -> bool {
        let Some(captures) = NAME.captures(line.text.trim_end()) else {
            self.part = Part::Run;
            return false;
        };
        self.part = Part::Message;
        self.blanks = 0;
        if !is_skip {
            self.open = Some(TestFailure {
                name: name(&captures["name"]),
                file: captures.name("file").map(|file| name(&text::path(file.as_str()))),
                line: captures.name("line").and_then(|line| text::position(line.as_str())),
                origin: Some(origin(RULE, line)),
                ..TestFailure::default()
            });
        }
        true
    }

    /// Takes a line of a message. Two blank lines, or the command that repeats the test, end it where it stands among
    /// the progress.
    fn message(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        self.blanks = if text.is_empty() { self.blanks + 1 } else { 0 };
        let repeats =
            ["bin/rails test ", "rails test ", "bundle exec ruby "].iter().any(|start| text.starts_with(start));
        if repeats || (!self.has_finished && 3 < self.blanks) {
            self.close();
            return repeats;
        }
        let Some(open) = &mut self.open else {
            return true;
        };
        if let Some(captures) = FRAME.captures(text) {
            let frame = format!("{}:{}", &captures[1], &captures[2]);
            text::add_line(open.stack.get_or_insert_default(), &frame, limit::MESSAGE_BYTES);
        } else if !(text.is_empty() && open.message.is_empty()) {
            text::add_line(&mut open.message, text, limit::MESSAGE_BYTES);
        }
        if let Some(origin) = &mut open.origin {
            origin.end = line.end;
        }
        true
    }
}

/// Finds the place of a failure in its stack: the frame in a file of tests, else the innermost in the project.
pub(crate) fn locate(failure: &mut TestFailure) {
    failure.stack = failure.stack.take().map(|stack| stack.trim().to_owned());
    let stack = failure.stack.clone().unwrap_or_default();
    let frames = || stack.lines().filter(|frame| !frame.contains("/gems/") && !frame.contains("<internal"));
    let is_test = |frame: &&str| {
        let file = frame.rsplit_once(':').map_or(*frame, |(file, _)| file);
        let stem = file.rsplit('/').next().unwrap_or(file).trim_end_matches(".rb");
        stem.starts_with("test_") || stem.ends_with("_test") || stem.ends_with("_spec") || file.contains("test/")
    };
    let chosen = frames().find(is_test).or_else(|| frames().next());
    if let Some((file, line)) = chosen.and_then(|frame| frame.rsplit_once(':')) {
        (failure.file, failure.line) = (Some(name(&text::path(file))), text::position(line));
    }
}

impl LineReader for Minitest {
    fn line(&mut self, line: &Line<'_>) -> Use {
        if !self.is_active {
            return Use::None;
        }
        let text = line.text.trim_end();
        if text.starts_with("# Running") || (text.starts_with("Finished ") && FINISHED.is_match(text)) {
            self.close();
            self.has_sign |= text.starts_with("# Running") || text.contains(" assertions/s");
            self.has_finished = text.starts_with("Finished ");
            return Use::Line;
        }
        if self.sum_up(text) {
            return Use::Line;
        }
        if let Some(captures) = HEAD.captures(text).filter(|_| self.has_sign || self.is_hinted) {
            self.close();
            self.part = Part::Head { is_skip: &captures[1] == "Skipped" };
            return Use::Line;
        }
        let is_used = match self.part {
            Part::Run => {
                text.starts_with("Run options: --seed ") || text.starts_with("You have skipped tests. Run with ")
            }
            Part::Head { is_skip } => self.begin(line, is_skip),
            Part::Message => self.message(line),
        };
        if is_used { Use::Line } else { Use::None }
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        let is_recognized = self.is_active
            && (self.results.summary.is_some() || (self.has_sign && !self.results.is_empty()))
            && (self.has_sign || self.is_hinted);
        if !is_recognized {
            return None;
        }
        let mut notes = Vec::new();
        if self.results.summary.is_none() {
            notes.push("the output of minitest is cut short: it sums up nothing".to_owned());
        }
        let tests = self.results.finish(self.framework, CountAuthority::Summary);
        Some(Claim { format: "minitest", tests: Some(tests), notes, ..Claim::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_with_their_places() {
        let read = |text| {
            let captures = NAME.captures(text)?;
            Some((captures["name"].to_owned(), captures.name("line").map(|line| line.as_str().to_owned())))
        };
        assert_eq!(
            read("a spec#test_0001_works with [brackets] [test/a_test.rb:28]:"),
            Some(("a spec#test_0001_works with [brackets]".to_owned(), Some("28".to_owned())))
        );
        assert_eq!(read("CalcTest#test_error:"), Some(("CalcTest#test_error".to_owned(), None)));
        assert_eq!(read("Expected: 2"), None);
    }
}
