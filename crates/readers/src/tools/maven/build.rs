//! The reason why a build failed, in Maven's own words, and the report of its success.

use crate::prelude::*;
use crate::shapes::outcome::passed;

pub(super) const FORMAT: &str = "build";

/// `[ERROR] Failed to execute goal org.…:enforce (default) on project demo: Some rules failed`.
static GOAL: Pattern = Pattern::new(
    r"^\[ERROR\] Failed to execute goal (?:\S+ \(\S+\) )?on project \S+: (?<message>.+?)(?: ?-> \[Help \d+\])?$",
);

/// `[ERROR]   The project demo:demo:1.0 (/src/pom.xml) has 1 error`.
static PROJECT: Pattern = Pattern::new(r"^\[ERROR\] {3}The project \S* ?\((?<file>.+)\) has \d+ errors?$");

/// A problem of a project, below that line.
static IN_PROJECT: Pattern = Pattern::new(
    r"^\[ERROR\] {5}(?<message>\S.*?)(?: @ (?:.*, )?line (?<line>\d+), column (?<column>\d+))?(?: ?-> \[Help \d+\])?$",
);

/// Other final messages, printed if no goal was started.
static OTHER: Pattern = Pattern::new(
    r"^\[ERROR\] (?<message>(?:No goals have been specified|The goal you specified requires|Unknown lifecycle phase|No plugin found for prefix|Could not find the selected project|Error executing Maven|Plugin \S+ or one of its dependencies|Unresolveable build extension).*?)(?: ?-> \[Help \d+\])?$",
);

/// Reads Maven's messages about the build as a whole.
#[derive(Default)]
pub(super) struct Build {
    findings: Findings,
    is_maven: bool,
    project: Option<String>,
    is_successful: bool,
    /// Whether a plugin that runs tests was executed.
    runs_tests: bool,
    /// Whether that plugin reported that it runs no tests.
    has_no_tests: bool,
}

impl Build {
    /// Returns the test results of a successful build: that all tests passed, without a number, or that there
    /// were none.
    fn said(&self) -> Option<TestResults> {
        (self.is_successful && self.runs_tests).then(|| passed("maven", self.has_no_tests))
    }

    fn tests(&mut self, text: &str) {
        let is_plugin = text.starts_with("[INFO] --- ") && (text.contains("surefire") || text.contains("failsafe"));
        self.runs_tests |= is_plugin;
        self.has_no_tests |= matches!(text, "[INFO] No tests to run." | "[INFO] Tests are skipped.");
    }
}

impl LineReader for Build {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        self.is_successful |= text == "[INFO] BUILD SUCCESS";
        self.tests(text);
        if matches!(text, "[INFO] BUILD SUCCESS" | "[INFO] BUILD FAILURE" | "[INFO] Scanning for projects...") {
            self.is_maven = true;
            return Use::Line;
        }
        if self.is_maven && is_framing(text) {
            return Use::Line;
        }
        if !text.starts_with("[ERROR] ") {
            return Use::None;
        }
        if let Some(captures) = PROJECT.find(text) {
            self.project = captures.file("file");
            self.is_maven = true;
            return Use::Line;
        }
        let in_project = || self.project.as_ref().and_then(|_| IN_PROJECT.find(text));
        let Some(captures) = GOAL.find(text).or_else(|| OTHER.find(text)).or_else(in_project) else {
            return Use::None;
        };
        self.is_maven = true;
        let message = captures.text("message").trim_end().trim_end_matches(':');
        let mut found = diagnostic("maven", "maven/build", line, Level::Error, message);
        if text.starts_with("[ERROR]     ") {
            found.file.clone_from(&self.project);
            found.line = captures.position("line");
            found.column = captures.position("column");
        }
        self.findings.add(found);
        Use::Line
    }

    fn finish(self: Box<Self>) -> Option<Candidate> {
        let tests = self.said();
        self.is_maven.then(|| Candidate { format: FORMAT, findings: self.findings, tests, ..Candidate::default() })
    }
}

/// Whether a line only frames messages of Maven's plugins, and names no source that another reader may report.
fn is_framing(text: &str) -> bool {
    const LAST_WORDS: &[&str] = &[
        "[ERROR] -> [Help ",
        "[ERROR] [Help ",
        "[ERROR] To see the full stack trace",
        "[ERROR] Re-run Maven ",
        "[ERROR] For more information about the errors",
        "[ERROR] After correcting the problems",
    ];
    let names_source = [".java:", ".kt:", ".scala:"].iter().any(|source| text.contains(source));
    matches!(text, "[INFO]" | "[ERROR]" | "[WARNING]")
        || (text.starts_with("[INFO] ") && !names_source)
        || LAST_WORDS.iter().any(|words| text.starts_with(words))
}
