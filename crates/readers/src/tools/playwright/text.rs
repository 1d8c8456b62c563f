//! Playwright's terminal reporters (`list`, `line`, `dot`, `github`): the numbered failures, and the summary
//! with the names of failed tests. A flaky test, which passed when retried, is listed among the failures but is
//! not one.

use crate::prelude::*;
use crate::shapes::locate::Frame;
use crate::tools::playwright::{FRAMEWORK, SEPARATOR};

const RULE: &str = "playwright/text";

/// `Running 7 tests using 1 worker`.
static BANNER: Pattern = Pattern::new(r"^Running \d+ tests? using \d+ workers?(?:, shard \d+ of \d+)?$");

/// `  1) [chromium] › calc.spec.ts:4:7 › calc › bad ─────`.
static HEADING: Pattern = Pattern::new(r"^  \d+\) (?<title>\S.*?:\d+:\d+.*?)(?: [─=]+)?$");

/// `  2 failed`, `  2 passed (6.7s)`.
static SUMMARY: Pattern =
    Pattern::new(r"^  (?<number>\d+) (?<word>failed|interrupted|flaky|skipped|did not run|passed)(?: \(\d[^()]*\))?$");

/// `    calc.spec.ts:4:7 › calc › bad ─────`, below `2 failed`.
static NAMED: Pattern = Pattern::new(r"^    (?<title>\S.*?:\d+:\d+.*?)(?: ─+)?$");

/// `  1 error was not a part of any test, see above for details`.
static OUTSIDE: Pattern =
    Pattern::new(r"^  (?<number>\d+) errors? (?:was|were) not a part of any test, see above for details$");

/// The file in a title, after the project.
static FILE: Pattern =
    Pattern::new(r"^(?:\[[^\]]*\] › )?(?<file>[^›]+?):(?<line>\d+):(?<column>\d+)(?: › (?<name>.*))?$");

/// A line of source, or the caret below it.
static CODE: Pattern = Pattern::new(r"^ {4,}(?:> *)?\d* *\|(?: |$)");

/// `  ✘  2 calc.spec.ts:4:7 › calc › bad (retry #1) (23ms)`.
static TEST: Pattern = Pattern::new(
    r"^  (?<status>ok|[✓✘x-]) +\d+ (?<title>\S.*?:\d+:\d+ › .*?)(?<retry> \(retry #\d+\))?(?: \([\d.]+m?s?\))?$",
);

/// Reads the terminal reporters. Failures have their whole title as their name until the end of the run.
#[derive(Default)]
pub(super) struct Report {
    is_hinted: bool,
    has_banner: bool,
    /// The summary being read, and whether names of failed tests follow its last line.
    summary: Option<(TestCounts, bool)>,
    failed: Vec<String>,
    errors: u64,
    runs: Runs,
}

impl Report {
    pub(super) fn new(is_hinted: bool) -> Self {
        Self { is_hinted, ..Self::default() }
    }

    /// Ends a run: only failures that the summary names count.
    fn end_run(&mut self) {
        self.runs.close();
        let mut failed = std::mem::take(&mut self.failed);
        for mut failure in self.runs.take_failures() {
            match failed.iter().position(|title| failure.name.starts_with(title.as_str())) {
                // A test that was retried failed once.
                Some(known) => failure.name = name_of(&failed.remove(known)),
                None if self.runs.is_summed_up() => continue,
                None => failure.name = name_of(&failure.name),
            }
            self.runs.failure(failure);
        }
        self.runs.begin();
        self.summary = None;
    }

    fn heading(&mut self, line: &Line<'_>) -> bool {
        if !line.text.starts_with("  ") || !line.text.contains(") ") {
            return false;
        }
        let Some(captures) = HEADING.find(line.text.trim_end()) else { return false };
        self.runs.close();
        self.summary = None;
        let title = name(captures.text("title").trim_end());
        let mut failing = Failing::new(&title, RULE, line).told_in(Language::JAVASCRIPT);
        if let Some(captures) = FILE.find(&title) {
            failing = failing.in_file(captures.text("file"));
            failing.begins_at(Frame::of(&captures));
        }
        self.runs.open = Some(failing);
        true
    }

    fn body(&mut self, line: &Line<'_>) -> bool {
        let Some(open) = &mut self.runs.open else { return false };
        let text = line.text.trim_end();
        if !text.is_empty() && text::indent(text) < 4 {
            return false;
        }
        if CODE.is_match(text) || text.starts_with("    Retry #") {
            open.is_past_message = true;
        } else {
            open.add(line, text.strip_prefix("    ").unwrap_or(text));
        }
        open.extend(line);
        true
    }

    fn summary(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        if let Some(captures) = SUMMARY.find(text) {
            let Some(number) = captures.count("number") else { return false };
            self.runs.close();
            if self.summary.is_none() {
                self.failed.clear();
            }
            let (counts, names_follow) = self.summary.get_or_insert_default();
            let status = match captures.text("word") {
                "failed" => TestStatus::Failed,
                "flaky" | "passed" => TestStatus::Passed,
                _ => TestStatus::Skipped,
            };
            *names_follow = status == TestStatus::Failed;
            results::add(counts, status, number);
            self.runs.sum_up(*counts);
            self.runs.end = Some(line.end);
            return true;
        }
        if let Some(captures) = OUTSIDE.find(text) {
            self.errors = captures.number("number");
            self.summary.get_or_insert_default();
            self.runs.end = Some(line.end);
            return true;
        }
        let Some((_, names_follow)) = self.summary else { return false };
        if let Some(captures) = NAMED.find(text) {
            if names_follow && self.failed.len() < limit::FINDINGS_KEPT {
                self.failed.push(name(captures.text("title")));
            }
            return true;
        }
        if !text.is_empty() {
            self.summary = None;
        }
        false
    }

    fn listed(&mut self, line: &Line<'_>) -> bool {
        let Some(captures) =
            (self.has_banner && line.text.contains(SEPARATOR)).then(|| TEST.find(line.text.trim_end())).flatten()
        else {
            return false;
        };
        let status = captures.status();
        // Only first attempts are counted here; the summary counts the final results.
        if !captures.has("retry") {
            let title = captures.text("title");
            let file = FILE.find(title).map(|captures| text::path(captures.text("file")));
            self.runs.case(results::case(&[], &name_of(title), file.as_deref(), status));
        }
        true
    }
}

impl LineReader for Report {
    fn line(&mut self, line: &Line<'_>) -> Use {
        if line.text.starts_with("Running ") && BANNER.is_match(line.text.trim_end()) {
            self.end_run();
            self.has_banner = true;
            return Use::Line;
        }
        let is_annotation = self.has_banner
            && (line.text.starts_with("::error file=") || line.text.starts_with("::notice title="))
            && (line.text.contains(SEPARATOR) || line.text.contains("Playwright Run Summary"));
        (self.summary(line) || self.heading(line) || self.body(line) || self.listed(line) || is_annotation).into()
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.end_run();
        // Two of these show that it is Playwright's report.
        if [self.has_banner, self.runs.end.is_some(), self.is_hinted].iter().filter(|sign| **sign).count() < 2 {
            return None;
        }
        let mut candidate = self.runs.candidate(FRAMEWORK, "text");
        if 0 < self.errors {
            candidate.notes.push(format!("playwright met errors outside of tests: {}", self.errors));
        }
        Some(candidate)
    }
}

/// Returns the groups and the test of a title.
fn name_of(title: &str) -> String {
    FILE.find(title).and_then(|captures| captures.get("name").map(str::to_owned)).unwrap_or_else(|| title.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_taken_apart() {
        for (title, expected) in [
            ("calc.spec.ts:4:7 › calc › bad", "calc › bad"),
            ("[chromium] › tests/calc.spec.ts:4:7 › bad: 1:2 › x", "bad: 1:2 › x"),
            ("no title", "no title"),
        ] {
            assert_eq!(name_of(title), expected);
        }
    }
}
