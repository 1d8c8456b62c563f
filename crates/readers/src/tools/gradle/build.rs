//! The reason why a build failed, in Gradle's own words, and the report of its success:
//!
//! ```text
//! * Where:
//! Build file '/src/build.gradle' line: 12
//!
//! * What went wrong:
//! A problem occurred evaluating root project 'demo'.
//! > Could not find method foo()
//! ```

use crate::prelude::*;
use crate::shapes::outcome::passed;

pub(super) const FORMAT: &str = "build";

/// The location in the build's own files.
static PLACE: Pattern =
    Pattern::new(r"^(?:Build file|Settings file|Script|Initialization script) '(?<file>.+)' line: (?<line>\d+)$");

const LINES: usize = 40;

/// Reads Gradle's messages about the build as a whole.
#[derive(Default)]
pub(super) struct Build {
    findings: Findings,
    is_gradle: bool,
    place: Option<(Option<String>, Option<u32>)>,
    /// Whether the next line begins an explanation.
    is_awaited: bool,
    /// The explanation that is being read, and the number of its lines.
    open: Option<(Diagnostic, usize)>,
    is_successful: bool,
    names_tasks: bool,
    /// `Some(true)` if tests ran or were up to date, `Some(false)` if there were none to run, `None` if no test
    /// task was seen.
    tests: Option<bool>,
}

impl Build {
    /// Reads a task and its state: `:app:test NO-SOURCE`.
    fn task(&mut self, task: &str) {
        self.names_tasks = true;
        let (path, state) = task.split_once(' ').unwrap_or((task, ""));
        let name = path.rsplit(':').next().unwrap_or(path);
        if name == "test" || name.ends_with("Test") {
            let ran = !matches!(state, "NO-SOURCE" | "SKIPPED");
            self.tests = Some(ran || self.tests == Some(true));
        }
    }

    /// Returns the test results of a successful build: that all tests passed, without a number, or that there
    /// were none.
    fn said(&self) -> Option<TestResults> {
        let is_told = self.is_successful && (self.tests.is_some() || !self.names_tasks);
        is_told.then(|| passed("gradle", self.tests == Some(false)))
    }

    fn close(&mut self) {
        self.is_awaited = false;
        if let Some((found, _)) = self.open.take() {
            self.findings.add(found);
        }
    }
}

impl LineReader for Build {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if text == "* What went wrong:" {
            self.close();
            self.is_gradle = true;
            self.is_awaited = true;
            return Use::Line;
        }
        let is_outcome = text.starts_with("BUILD SUCCESSFUL in ") || text.starts_with("BUILD FAILED in ");
        if is_outcome || text.starts_with("> Task :") || text.starts_with("FAILURE: Build ") {
            self.close();
            self.is_gradle |= is_outcome || text.starts_with('F');
            self.is_successful |= text.starts_with("BUILD S");
            if let Some(task) = text.strip_prefix("> Task ") {
                self.task(task);
            }
            return Use::Line;
        }
        if text.contains("' line: ")
            && let Some(captures) = PLACE.find(text)
        {
            self.place = Some((captures.file("file"), captures.position("line")));
            return Use::Line;
        }
        if std::mem::take(&mut self.is_awaited) && !text.is_empty() {
            let (file, number) = self.place.take().unwrap_or_default();
            let found = diagnostic("gradle", "gradle/build", line, Level::Error, text);
            self.open = Some((Diagnostic { file, line: number, ..found }, 1));
            return Use::Line;
        }
        let is_more = !text.is_empty() && !text.starts_with("* ");
        let Some((found, lines)) = self.open.as_mut().filter(|(_, lines)| is_more && *lines < LINES) else {
            self.close();
            return Use::None;
        };
        *lines += 1;
        text::add_line(&mut found.message, text, limit::MESSAGE_BYTES);
        found.origin.end = line.end;
        Use::Line
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        let tests = self.said();
        self.is_gradle.then(|| Candidate { format: FORMAT, findings: self.findings, tests, ..Candidate::default() })
    }
}
