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

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("minitest", &[], Role::Test)
    .lines(&[LineFormat::new(PREFILTER, |is_hinted| Box::new(Minitest::new("minitest", true, is_hinted)))]);

/// Texts one of which is in every output.
pub(crate) const PREFILTER: &[&str] = &["# Running", " assertions, ", "Failure:", "Error:", " assertions/s"];

/// `6 runs, 4 assertions, 3 failures, 1 errors, 1 skips`.
static SUMMARY: Pattern = Pattern::new(
    r"^ {0,2}(?<total>\d+) (?:runs|tests|examples), \d+ assertions, (?<failed>\d+) failures, (?<errors>\d+) errors(?:, (?<skipped>\d+) skips)?\.?$",
);

/// `Finished in 0.017562s, 341.6422 runs/s, 227.7614 assertions/s.`
static FINISHED: Pattern =
    Pattern::new(r"^Finished(?: tests)? in [\d.]+(?:s|ms| seconds)?(?:, [\d.]+ (?:runs|tests)/s, .*)?\.?$");

/// The heading of a failure: `  1) Failure:`, without a number if reported immediately.
static HEAD: Pattern = Pattern::new(r"^(?: {1,4}\d+\) )?(?:Failure|Error|(?<skipped>Skipped)):$");

/// `CalcTest#test_wrong [test/calc_test.rb:10]:`; for an error only the name.
static NAME: Pattern = Pattern::new(r"^(?<name>\S.*?#.+?|[\w:]+\(.+?\))(?: \[(?<file>[^\]]+?):(?<line>\d+)\])?:$");

/// `    test/calc_test.rb:18:in `test_error'`.
static FRAME: Pattern = Pattern::new(r"^ {2,}(?<place>\S.*?\.rb:\d+)(?::in .*)?$");

/// Failure format of Ruby's test runners.
pub(crate) static RUBY: Language = Language { complete, ..*Language::PLAIN };

/// The section of the report that is being read.
#[derive(Default, Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    #[default]
    Run,
    /// Below the heading of a failure or of an error.
    Head {
        is_skip: bool,
    },
    Message,
}

#[derive(Default)]
pub(crate) struct Minitest {
    framework: &'static str,
    is_active: bool,
    is_hinted: bool,
    part: Part,
    /// Whether `# Running` or the duration was read: lines after it are not output of a test.
    has_sign: bool,
    has_finished: bool,
    runs: Runs,
    blanks: u8,
}

impl Minitest {
    pub(crate) fn new(framework: &'static str, is_active: bool, is_hinted: bool) -> Self {
        Self { framework, is_active, is_hinted, ..Self::default() }
    }

    fn close(&mut self) {
        self.part = Part::Run;
        self.runs.close();
    }

    fn sum_up(&mut self, line: &Line<'_>) -> bool {
        let Some(counts) = SUMMARY.find(line.text.trim_end()).and_then(|found| found.tests()) else { return false };
        // A test may print such a line; the runner's own is below the duration.
        let is_own = self.has_finished || self.is_hinted;
        if is_own {
            self.close();
            self.has_finished = false;
            self.runs.sum_up_at(line, counts);
        }
        is_own
    }

    fn begin(&mut self, line: &Line<'_>, is_skip: bool) -> bool {
        let Some(found) = NAME.find(line.text.trim_end()) else {
            self.part = Part::Run;
            return false;
        };
        self.part = Part::Message;
        self.blanks = 0;
        if !is_skip {
            self.runs.open(found.failing("minitest/text", line).told_in(&RUBY));
            self.runs.count(TestStatus::Failed, 1);
        }
        true
    }

    /// Reads a line of a message. Two blank lines, or the command that reruns the test, end a message printed
    /// during the run.
    fn message(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        self.blanks = if text.is_empty() { self.blanks + 1 } else { 0 };
        let repeats =
            ["bin/rails test ", "rails test ", "bundle exec ruby "].iter().any(|start| text.starts_with(start));
        if repeats || (!self.has_finished && 3 < self.blanks) {
            self.close();
            return repeats;
        }
        if let Some(open) = &mut self.runs.open {
            match FRAME.find(text) {
                Some(found) => open.trace(found.text("place")),
                None => open.append(text),
            }
            open.reach(line);
        }
        true
    }
}

/// Sets the expected value and the location of a failure whose heading does not give it: the stack frame in a
/// test file, else the innermost frame in the project.
fn complete(failing: &mut Failing) {
    let failure = &mut failing.failure;
    failure.message = text::trimmed(&failure.message);
    let after = |key: &str| failure.message.lines().find_map(|line| line.trim_start().strip_prefix(key)).map(name);
    (failure.expected, failure.received) = (after("Expected: "), after("Actual: "));
    if failure.file.is_some() {
        return;
    }
    let stack = failure.stack.as_deref().unwrap_or_default();
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
        if self.sum_up(line) {
            return Use::Line;
        }
        if let Some(found) = HEAD.find(text).filter(|_| self.has_sign || self.is_hinted) {
            self.close();
            self.part = Part::Head { is_skip: found.has("skipped") };
            return Use::Line;
        }
        let is_used = match self.part {
            Part::Run => {
                text.starts_with("Run options: --seed ") || text.starts_with("You have skipped tests. Run with ")
            }
            Part::Head { is_skip } => self.begin(line, is_skip),
            Part::Message => self.message(line),
        };
        is_used.into()
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        let is_told = self.runs.end.is_some() || (self.has_sign && !self.runs.is_empty());
        (is_told && (self.has_sign || self.is_hinted)).then(|| self.runs.candidate(self.framework, "minitest"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_with_their_places() {
        let read = |text| {
            let found = NAME.find(text)?;
            Some((found.text("name").to_owned(), found.get("line").map(str::to_owned)))
        };
        assert_eq!(
            read("a spec#test_0001_works with [brackets] [test/a_test.rb:28]:"),
            Some(("a spec#test_0001_works with [brackets]".to_owned(), Some("28".to_owned())))
        );
        assert_eq!(read("CalcTest#test_error:"), Some(("CalcTest#test_error".to_owned(), None)));
        assert_eq!(read("Expected: 2"), None);
    }
}
