//! Diagnostics and test results read from raw output.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::record::Stream;
use crate::test_file::is_of_tests;

/// The reading of one action's output.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reading {
    /// The reader that was chosen. None: no reader recognized the output.
    pub reader: Option<ReaderChoice>,
    /// Findings, in output order; at most [`crate::limit::FINDINGS_KEPT`].
    pub diagnostics: Vec<Diagnostic>,
    /// Exact counts, including findings that are not stored.
    pub counts: Counts,
    /// Results of a test run.
    pub tests: Option<TestResults>,
    /// Output that no reader recognized.
    pub leftovers: Leftovers,
    /// Beginning and end of each stream.
    pub excerpts: Excerpts,
    /// Notes about the reading itself: readers that disagreed, lines that were too long.
    pub notes: Vec<String>,
    /// 1-based log lines of the first and the last byte of every [`Origin`], by the byte's offset.
    pub log_lines: BTreeMap<u64, u32>,
}

impl Reading {
    /// Returns whether every finding is stored individually.
    pub fn keeps_all_findings(&self) -> bool {
        self.counts.total() == self.diagnostics.len() as u64
    }

    /// Returns the first and last log line that a byte range touches. None: not known, or the range is empty.
    pub fn lines(&self, (start, end): (u64, u64)) -> Option<(u32, u32)> {
        let last = end.checked_sub(1).filter(|last| start <= *last)?;
        Some((*self.log_lines.get(&start)?, *self.log_lines.get(&last)?))
    }
}

/// The chosen reader, and the reason for the choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ReaderChoice {
    /// The tool whose output it reads, such as `eslint`.
    pub tool: String,
    /// The format of that tool, such as `stylish` or `json`.
    pub format: String,
    /// Whether the command or the content identified the tool.
    pub because: ChosenBecause,
}

/// Reason for the choice of a reader. Only a reader chosen by the command may fail an action that exited with 0
/// (ruling 9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChosenBecause {
    /// The command runs this tool.
    Command,
    /// The content has this tool's format.
    Content,
}

/// One finding of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Name of the tool, such as `tsc`.
    pub tool: String,
    /// File as printed, with forward slashes.
    pub file: Option<String>,
    /// 1-based line.
    pub line: Option<u32>,
    /// 1-based column.
    pub column: Option<u32>,
    /// 1-based last line, inclusive.
    pub end_line: Option<u32>,
    /// 1-based column after the last character.
    pub end_column: Option<u32>,
    /// Code or rule, such as `TS2345` or `no-unused-vars`.
    pub code: Option<String>,
    /// Severity stated by the tool.
    pub level: Level,
    /// Message; may consist of several lines.
    pub message: String,
    /// Whether the tool states that it can fix the finding.
    pub fixable: bool,
    /// Fix proposed by the tool, in its words. Null: none.
    pub suggestion: Option<String>,
    /// All edits proposed by the tool; empty if it states none, or too many to store.
    pub edits: Vec<FixEdit>,
    /// The offending source line, where the tool prints it.
    pub source: Option<String>,
    /// Related locations.
    pub related: Vec<RelatedPlace>,
    /// Bytes of the output that the finding was read from.
    pub origin: Origin,
}

/// A change of a file proposed by a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixEdit {
    /// File as printed. None: the file of the finding.
    pub file: Option<String>,
    /// The text to replace.
    pub place: EditPlace,
    /// Text that replaces the range.
    pub text: String,
}

/// The text that an edit replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditPlace {
    /// A range of offsets in the file, as the tool counts them.
    Range {
        /// Offset of the first replaced unit.
        start: u64,
        /// Offset after the last replaced unit.
        end: u64,
    },
    /// A range of lines and columns.
    Span {
        /// 1-based line of the start.
        line: u32,
        /// 1-based column of the start.
        column: u32,
        /// 1-based line of the end.
        end_line: u32,
        /// 1-based column after the last character.
        end_column: u32,
    },
}

/// A related location of a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RelatedPlace {
    /// Path of the file as the tool printed it. Null: none was printed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// 1-based line of the place in its file. Left out where the tool prints none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// 1-based column of the place in its line. Left out where the tool prints none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// Message about the location.
    pub message: String,
}

/// The evidence that something was read from, and the rule that read it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// Rule of the reader, such as `tsc/plain`.
    pub rule: String,
    /// Output stream of the command that the bytes were printed to.
    pub stream: Stream,
    /// Offset of the first byte in the log.
    #[serde(serialize_with = "crate::serial::exact")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::number::Count"))]
    pub start: u64,
    /// Offset after the last byte in the log.
    #[serde(serialize_with = "crate::serial::exact")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::number::Count"))]
    pub end: u64,
}

document_words! {
    /// Severity of a finding, as stated by the tool.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum Level {
        /// An error.
        Error = "error",
        /// A warning.
        Warning = "warning",
        /// A note, hint, convention or style remark.
        Info = "info",
    }
}

/// Exact counts of findings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Counts {
    /// Number of findings with severity `error`.
    #[serde(serialize_with = "crate::serial::exact")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::number::Count"))]
    pub errors: u64,
    /// Number of findings with severity `warning`.
    #[serde(serialize_with = "crate::serial::exact")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::number::Count"))]
    pub warnings: u64,
    /// Number of notes, hints and the like.
    #[serde(serialize_with = "crate::serial::exact")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::number::Count"))]
    pub infos: u64,
    /// Number of findings that the tool can fix.
    #[serde(serialize_with = "crate::serial::exact")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::number::Count"))]
    pub fixable: u64,
    /// Counts by rule; findings without a rule are counted under the empty name.
    pub by_rule: BTreeMap<String, RuleCounts>,
}

/// Finding counts of one rule.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RuleCounts {
    /// Number of this rule's findings with severity `error`.
    #[serde(serialize_with = "crate::serial::exact")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::number::Count"))]
    pub errors: u64,
    /// Number of this rule's findings with severity `warning`.
    #[serde(serialize_with = "crate::serial::exact")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::number::Count"))]
    pub warnings: u64,
    /// Number of notes, hints and the like.
    #[serde(serialize_with = "crate::serial::exact")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::number::Count"))]
    pub infos: u64,
}

impl Counts {
    /// Returns the number of all findings.
    pub fn total(&self) -> u64 {
        self.errors.saturating_add(self.warnings).saturating_add(self.infos)
    }

    /// Counts one finding.
    pub fn add(&mut self, rule: Option<&str>, level: Level, fixable: bool) {
        let rule = rule.unwrap_or_default();
        let has_room = self.by_rule.len() < crate::limit::RULES_COUNTED;
        let by_rule = if let Some(known) = self.by_rule.get_mut(rule) {
            known
        } else {
            let name = if has_room { rule } else { crate::limit::OTHER_RULES };
            self.by_rule.entry(name.to_owned()).or_default()
        };
        let (total, of_rule) = match level {
            Level::Error => (&mut self.errors, &mut by_rule.errors),
            Level::Warning => (&mut self.warnings, &mut by_rule.warnings),
            Level::Info => (&mut self.infos, &mut by_rule.infos),
        };
        *total += 1;
        *of_rule += 1;
        self.fixable += u64::from(fixable);
    }
}

/// Results of a test run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TestResults {
    /// Name of the test runner, such as `jest`.
    pub framework: String,
    /// Origin of the counts.
    pub authority: CountAuthority,
    /// Counts of tests.
    pub counts: TestCounts,
    /// Counts of suites (files), where the runner states them.
    pub suites: Option<TestCounts>,
    /// Failed tests and suites that did not run, with their messages; at most [`crate::limit::FINDINGS_KEPT`].
    pub failures: Vec<TestFailure>,
    /// All tests that the output names; at most [`crate::limit::TEST_CASES_KEPT`].
    pub cases: Vec<TestCase>,
}

/// Origin of test counts. Only totals stated by the runner itself can fail an action (ruling 9).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CountAuthority {
    /// The runner's own final summary, as text.
    Summary,
    /// The runner's machine-readable report.
    MachineReport,
    /// The runner's own summary that states that tests passed or which failed, but not how many ran: the number
    /// is not known (ruling 9).
    Unnumbered,
    /// Lines that look like results, without a summary: usable as an explanation, never to fail an action.
    #[default]
    Lines,
}

/// Counts of tests: `total = passed + failed + skipped`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TestCounts {
    /// Number of passed tests, including unexpected passes.
    pub passed: u64,
    /// Number of tests that failed or ended with an error.
    pub failed: u64,
    /// Number of skipped, pending, todo or ignored tests, and of expected failures.
    pub skipped: u64,
    /// Number of all tests: passed, failed and skipped.
    pub total: u64,
}

/// A failed test, or a suite that did not run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TestFailure {
    /// Full name of the test; for a suite that did not run, its file.
    pub name: String,
    /// Whether a whole suite failed to run.
    pub suite: bool,
    /// Test file as printed.
    pub file: Option<String>,
    /// 1-based line of the innermost stack frame in the project.
    pub line: Option<u32>,
    /// 1-based column of that stack frame.
    pub column: Option<u32>,
    /// Failure message, without ANSI escapes.
    pub message: String,
    /// Expected value, where the runner states it.
    pub expected: Option<String>,
    /// Received value, where the runner states it.
    pub received: Option<String>,
    /// Stack trace, as lines separated by newlines.
    pub stack: Option<String>,
    /// Duration of the test in milliseconds. Null: not printed.
    #[serde(rename = "duration", serialize_with = "crate::serial::exact")]
    pub duration_ms: Option<u64>,
    /// Bytes of the output that the failure was read from.
    #[serde(skip)]
    pub origin: Option<Origin>,
}

/// A test result by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TestCase {
    /// Names of the enclosing groups, outermost first.
    pub ancestors: Vec<String>,
    /// Title of the test, without its groups.
    pub title: String,
    /// Test file, where known.
    pub file: Option<String>,
    /// Status of the test.
    pub status: TestStatus,
    /// Duration of the test in milliseconds. Null: not printed.
    #[serde(rename = "duration", serialize_with = "crate::serial::exact")]
    pub duration_ms: Option<u64>,
}

impl TestCase {
    /// Returns the names of the groups and the title, joined by ` > `.
    pub fn full_name(&self) -> String {
        let parts: Vec<&str> = self.ancestors.iter().chain([&self.title]).map(String::as_str).collect();
        parts.join(" > ")
    }

    /// Returns the title of a passed test that stands for a whole file, as Node's runner reports a file without
    /// tests of its own.
    pub fn passed_as_file(&self) -> Option<&str> {
        let ending = self.title.rsplit_once('.').map_or("", |(_, ending)| ending);
        let is_source = ["js", "cjs", "mjs", "jsx", "ts", "cts", "mts", "tsx"].contains(&ending);
        let is_path = self.title.starts_with('/') || is_of_tests(&self.title);
        let is_outermost = self.ancestors.is_empty();
        (self.status == TestStatus::Passed && is_outermost && is_source && is_path).then_some(self.title.as_str())
    }
}

/// Status of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TestStatus {
    /// The test passed.
    Passed,
    /// The test failed.
    Failed,
    /// The test was skipped, or is pending or todo.
    Skipped,
}

/// Output that no reader recognized: shown to people, never interpreted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Leftovers {
    /// Number of non-blank lines that the chosen reader did not use.
    #[serde(serialize_with = "crate::serial::exact")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::number::Count"))]
    pub lines: u64,
    /// The last of these lines, at most twenty.
    pub last: Vec<String>,
}

/// Excerpts of both streams.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Excerpts {
    /// Excerpt of standard output.
    pub stdout: Excerpt,
    /// Excerpt of standard error.
    pub stderr: Excerpt,
}

/// Beginning and end of a stream, decoded leniently, at most [`crate::limit::EXCERPT_BYTES`] each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Excerpt {
    /// Beginning of the stream; all of it if it is short enough.
    pub head: String,
    /// End of the stream; empty if `head` holds everything.
    pub tail: String,
    /// Size of the whole stream in bytes.
    pub bytes: u64,
}

impl Excerpt {
    /// Returns whether part of the stream is missing from the excerpt.
    pub fn is_cut(&self) -> bool {
        !self.tail.is_empty()
    }

    /// Returns the end of the stream, or all of it if the excerpt is complete.
    pub fn end(&self) -> &str {
        if self.is_cut() { &self.tail } else { &self.head }
    }
}
