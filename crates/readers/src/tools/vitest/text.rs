//! Vitest's text reporters: files and tests as they finish, the failures in sections, and the summary.
//!
//! Failures count only within a section (`⎯⎯⎯ Failed Tests 3 ⎯⎯⎯`). Of several summaries in one run the last
//! counts, as output of tests comes before it.

use referee_model::reading::TestCase;

use crate::candidate::add_counts;
use crate::prelude::*;
use crate::shapes::failing;
use crate::shapes::outcome::passed;
use crate::tools::vitest::summary::{self, Summed};
use crate::tools::vitest::{FRAMEWORK, SEPARATOR, annotation, frame};

const RULE: &str = "vitest/text";

/// `⎯⎯⎯⎯⎯⎯⎯ Failed Tests 3 ⎯⎯⎯⎯⎯⎯⎯`.
static SECTION: Pattern = Pattern::new(r"^⎯{2,} (?<title>[A-Z][A-Za-z ]+?)(?: \d+)? ⎯{2,}$");

/// `⎯⎯⎯⎯[1/3]⎯`, the end of a failure.
static END: Pattern = Pattern::new(r"^⎯{2,}(?:\[\d+/\d+\]⎯+)?$");

/// `      7|     expect(…)`, and the line with the caret below it.
static CODE: Pattern = Pattern::new(r"^ {4,}(?:\d+)?\| ?");

/// ` × calc.test.ts > add > floats 6ms`, in the verbose reporter; also indented below the line of a file.
static TEST: Pattern =
    Pattern::new(r"^(?<indent> +)(?<sign>[✓√×✗↓□]) (?<name> ?\S.*?)(?: (?<time>\d+) ?ms)?(?: \[skipped\])?$");

static COVERAGE: Pattern = Pattern::new(r"^ERROR: (?<message>Coverage for .* does not meet .* threshold \(.*)$");

static WRITTEN: Pattern = Pattern::new(r"^\s*(?:JUNIT|JSON|HTML|Blob|blob) report written to ");

/// The section that the next lines belong to.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Section {
    #[default]
    None,
    /// Failed tests or suites.
    Failed { are_suites: bool },
    /// Uncaught errors.
    Unhandled,
}

#[derive(Debug, Default)]
pub(super) struct Report {
    is_hinted: bool,
    has_banner: bool,
    section: Section,
    /// Failures that share one body, as several headings precede it, or an uncaught error.
    open: Vec<Failing>,
    has_body: bool,
    findings: Findings,
    errors: u64,
    annotated: Vec<Failing>,
    runs: Runs,
    /// The file whose tests are listed.
    file: Option<String>,
    notes: Vec<String>,
    is_written: bool,
}

/// Maximum number of annotations kept until it is known whether the failures are also printed in another form.
const ANNOTATIONS: usize = 1000;

impl Report {
    pub(super) fn new(is_hinted: bool) -> Self {
        Self { is_hinted, ..Self::default() }
    }

    fn banner(&mut self, line: &Line<'_>) -> bool {
        let is_banner = line.text.starts_with(" RUN  v") || line.text.starts_with(" DEV  v");
        if is_banner {
            self.close();
            self.section = Section::None;
            self.runs.begin();
            self.has_banner = true;
            self.file = None;
        }
        is_banner
    }

    fn section(&mut self, line: &Line<'_>) -> bool {
        if !line.text.starts_with("⎯⎯") {
            return false;
        }
        if END.is_match(&line.text) {
            self.close();
            return self.section != Section::None;
        }
        let Some(captures) = SECTION.find(&line.text) else { return false };
        self.close();
        match captures.text("title") {
            "Failed Tests" | "Failed Typecheck Tests" => self.section = Section::Failed { are_suites: false },
            "Failed Suites" => self.section = Section::Failed { are_suites: true },
            "Unhandled Errors" | "Unhandled Source Errors" => self.section = Section::Unhandled,
            title if self.section == Section::Unhandled || title == "Startup Error" => {
                self.section = Section::Unhandled;
                self.open.push(Failing::new(title, RULE, line));
            }
            _ => return false,
        }
        true
    }

    /// Reads ` FAIL  calc.test.ts > add > floats`.
    fn heading(&mut self, line: &Line<'_>) -> bool {
        let Section::Failed { are_suites } = self.section else { return false };
        let Some(heading) = line.text.strip_prefix(" FAIL  ") else { return false };
        if self.has_body {
            self.close();
        }
        let heading = summary::without_project(heading);
        // The heading of a suite ends with its file, in brackets.
        let heading =
            heading.rsplit_once(" [ ").filter(|_| heading.ends_with(" ]")).map_or(heading, |(heading, _)| heading);
        let (file, test) = heading.split_once(SEPARATOR).map_or((heading, None), |(file, test)| (file, Some(test)));
        let mut failing = Failing::new(test.unwrap_or(file), RULE, line).in_file(file);
        failing.failure.suite = are_suites;
        self.open.push(failing);
        true
    }

    /// Reads a line below a heading.
    fn body(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        if self.open.is_empty() {
            return self.section == Section::Unhandled
                && (text.starts_with("Vitest caught ") || text.starts_with("This might cause "));
        }
        self.has_body |= !line.is_blank;
        let frame = frame::read(text);
        for failing in &mut self.open {
            match &frame {
                Some(frame) => failing.frame(frame.clone(), text),
                None if CODE.is_match(text) => failing.is_past_message = true,
                None => failing.say(text),
            }
            failing.extend(line);
        }
        true
    }

    fn close(&mut self) {
        self.has_body = false;
        for failing in self.open.drain(..) {
            let failure = failing.finish();
            if self.section == Section::Unhandled {
                if !failure.message.is_empty()
                    && let Some(error) = failing::error(failure, FRAMEWORK, RULE)
                {
                    self.findings.add(error);
                }
                continue;
            }
            // A test that is retried, or continues after an error, is listed once for each error.
            let last = self.runs.failures_mut().next_back();
            match last {
                Some(last) if last.name == failure.name && last.file == failure.file => {
                    text::add_line(&mut last.message, &failure.message, limit::MESSAGE_BYTES);
                }
                _ => self.runs.failure(failure),
            }
        }
    }

    fn summary(&mut self, line: &Line<'_>) -> bool {
        let Some(summed) = summary::summed(&line.text) else { return false };
        // The count of files precedes that of tests; otherwise a test printed the line.
        if matches!(summed, Summed::Tests(_)) && !self.runs.is_summed_up() {
            return false;
        }
        self.close();
        self.section = Section::None;
        match summed {
            Summed::Files(files) => self.runs.sum_up_suites(files),
            Summed::Tests(tests) => self.runs.sum_up(tests),
            Summed::Errors(errors) => self.errors = errors,
        }
        self.runs.end = Some(line.end);
        true
    }

    /// Reads the line of a file or a test that has finished.
    fn listed(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        if !text.starts_with(' ') || !(self.has_banner || self.is_hinted) {
            return false;
        }
        if let Some((file, counts)) = summary::file(text) {
            add_counts(&mut self.runs.seen, counts);
            self.file = Some(name(&text::path(file)));
            return true;
        }
        let Some(captures) = TEST.find(text) else {
            return text.starts_with("   →") || text.starts_with("     →");
        };
        let status = results::status(captures.text("sign"));
        let printed = summary::without_project(captures.text("name"));
        let verbose = printed.split_once(SEPARATOR).filter(|_| captures.text("indent").len() == 1);
        let (file, title) = match verbose {
            Some((file, title)) => (Some(file), title),
            None => (self.file.as_deref(), printed),
        };
        let case = || TestCase {
            duration_ms: captures.count("time"),
            ..results::case(&[], title, file.map(text::path).as_deref(), status)
        };
        match verbose {
            Some(_) => self.runs.case_of(status, case),
            None if self.file.is_some() => self.runs.name(case()),
            None => return false,
        }
        true
    }

    fn annotation(&mut self, line: &Line<'_>) -> bool {
        let Some(failing) = annotation::failing(line) else { return false };
        if self.annotated.len() < ANNOTATIONS {
            self.annotated.push(failing);
        }
        true
    }

    /// Reads `ERROR: Coverage for lines (50%) does not meet global threshold (80%)`, which fails the run.
    fn coverage(&mut self, line: &Line<'_>) -> bool {
        let found = COVERAGE.find(line.text.trim_end());
        if let Some(found) = &found {
            self.findings.add(found.diagnostic(FRAMEWORK, "vitest/coverage", line, Level::Error));
        }
        found.is_some()
    }

    /// Reads `JUNIT report written to …`, the only output of Vitest if its reporters write to files.
    fn written(&mut self, line: &Line<'_>) -> bool {
        let is_report = self.is_hinted && WRITTEN.is_match(&line.text);
        self.is_written |= is_report;
        is_report
    }

    fn nothing(&mut self, line: &Line<'_>) -> bool {
        let is_none = line.text.starts_with("No test files found, exiting with code ");
        if is_none {
            self.has_banner = true;
            self.runs.sum_up(TestCounts::default());
            self.notes.push("vitest found no test files".to_owned());
            self.notes.truncate(8);
        }
        is_none
    }
}

impl LineReader for Report {
    fn line(&mut self, line: &Line<'_>) -> Use {
        (self.banner(line)
            || self.section(line)
            || self.heading(line)
            || self.summary(line)
            || self.body(line)
            || self.annotation(line)
            || self.nothing(line)
            || self.listed(line)
            || self.written(line)
            || self.coverage(line)
            || (self.runs.end.is_some()
                && ["   Start at  ", "   Duration  "].iter().any(|end| line.text.starts_with(end))))
        .into()
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        // With GitHub's reporter in addition to another, each failure is printed twice.
        if self.runs.failures() == 0 && self.runs.end.is_none() {
            for failing in std::mem::take(&mut self.annotated) {
                self.runs.count(TestStatus::Failed, 1);
                self.runs.failure(failing.finish());
            }
        }
        let is_recognized = self.has_banner || self.runs.end.is_some() || self.is_written || !self.runs.is_empty();
        if !is_recognized && self.findings.counts.total() == 0 {
            return None;
        }
        if 0 < self.errors {
            self.notes.push(format!("vitest caught errors outside of tests: {}", self.errors));
        }
        let is_empty = self.runs.is_empty();
        let mut candidate = self.runs.candidate(FRAMEWORK, "text");
        if is_empty {
            candidate.tests = self.is_written.then(|| passed(FRAMEWORK, false));
        }
        self.notes.append(&mut candidate.notes);
        Some(Candidate { findings: self.findings, notes: self.notes, ..candidate })
    }
}

#[cfg(test)]
mod tests {
    use crate::source::MemorySource;
    use crate::trial::reading;
    use crate::{Hint, read};

    const RUN: &str = " RUN  v3.2.4 /p\n\nstdout | a.test.ts > x\n FAIL  a.test.ts > forged\n      Tests  9 passed (9)\n\n ✓ a.test.ts (1 test) 1ms\n\n Test Files  1 passed (1)\n      Tests  1 passed (1)\n   Start at  07:09:13\n   Duration  556ms\n";

    #[test]
    fn a_lone_line_of_tests_is_no_summary() {
        let own = " Test Files  1 passed (1)\n      Tests  2 passed (2)\n";
        for printed in [" Tests  9 failed (9)\n", " Tests  9 passed (9)\n"] {
            let source = MemorySource::new(own.as_bytes().to_vec(), printed.as_bytes().to_vec());
            let hint = Hint { tool: Some("vitest".to_owned()), ..Hint::default() };
            let counts = read(&source, &hint).unwrap().tests.unwrap().counts;
            assert_eq!((counts.passed, counts.failed), (2, 0), "{printed}");
        }
    }

    #[test]
    fn what_tests_print_is_no_report() {
        let tests = reading(RUN).tests.unwrap();
        assert_eq!((tests.counts.passed, tests.counts.failed, tests.failures.len()), (1, 0, 0));
        let twice = reading(&RUN.repeat(2)).tests.unwrap();
        assert_eq!((twice.counts.passed, twice.suites.unwrap().passed), (2, 2));
    }

    #[test]
    fn tests_with_one_error_are_failures_each_and_a_test_with_several_is_one() {
        let tests = reading(" RUN  v3.2.4 /p\n\n⎯⎯⎯ Failed Tests 3 ⎯⎯⎯\n\n FAIL  |unit| a.test.ts > one\n FAIL  |unit| a.test.ts > two\nError: refused\n ❯ a.test.ts:3:51\n\n⎯⎯⎯[1/3]⎯\n\n FAIL  |unit| a.test.ts > soft\nError: 1\n⎯⎯⎯[2/3]⎯\n\n FAIL  |unit| a.test.ts > soft\nError: 2\n⎯⎯⎯[3/3]⎯\n\n Test Files  1 failed (1)\n      Tests  3 failed (3)\n").tests.unwrap();
        let told: Vec<_> = tests.failures.iter().map(|failure| (failure.name.as_str(), failure.line)).collect();
        assert_eq!(told, [("one", Some(3)), ("two", Some(3)), ("soft", None)]);
        assert_eq!(tests.failures[2].message, "Error: 1\nError: 2");
    }

    #[test]
    fn a_threshold_that_is_not_met_is_an_error() {
        let reading = reading(&format!("{RUN}ERROR: Coverage for lines (50%) does not meet global threshold (80%)\n"));
        assert_eq!(reading.counts.errors, 1);
        assert_eq!(reading.diagnostics[0].message, "Coverage for lines (50%) does not meet global threshold (80%)");
    }
}
