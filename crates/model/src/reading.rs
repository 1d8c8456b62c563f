//! What a reader found in raw output: diagnostics and test results.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::record::Stream;
use crate::test_file::is_of_tests;

/// What was read from the output of one action.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reading {
    /// The reader whose result this is. None: nothing was recognized.
    pub reader: Option<ReaderChoice>,
    /// Findings, in the order of the output; at most [`crate::limit::FINDINGS_KEPT`].
    pub diagnostics: Vec<Diagnostic>,
    /// Exact counts, also of what is not kept.
    pub counts: Counts,
    /// Results of a test run.
    pub tests: Option<TestResults>,
    /// What nobody understood.
    pub leftovers: Leftovers,
    /// Head and tail of each stream.
    pub excerpts: Excerpts,
    /// What a person should know of the reading itself: readers that disagreed, lines that were too long.
    pub notes: Vec<String>,
    /// The 1-based lines of the log in which the first and the last byte of every [`Origin`] lie, by the byte's offset.
    pub log_lines: BTreeMap<u64, u32>,
}

impl Reading {
    /// Whether every finding is kept one by one.
    pub fn keeps_all_findings(&self) -> bool {
        self.counts.total() == self.diagnostics.len() as u64
    }

    /// Returns the first and the last line of the log that a range of its bytes touches. None: not known, or it is empty.
    pub fn lines(&self, (start, end): (u64, u64)) -> Option<(u32, u32)> {
        let last = end.checked_sub(1).filter(|last| start <= *last)?;
        Some((*self.log_lines.get(&start)?, *self.log_lines.get(&last)?))
    }
}

/// Which reader was chosen, and why.
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

/// Why a reader was chosen. Only a reader chosen by the command may turn an exit 0 red (ruling 9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChosenBecause {
    /// The command that ran is this tool.
    Command,
    /// The content looks like this tool's.
    Content,
}

/// One finding of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The tool, such as `tsc`.
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
    /// How bad the tool says it is.
    pub level: Level,
    /// What it says; may hold several lines.
    pub message: String,
    /// Whether the tool says it can fix it.
    pub fixable: bool,
    /// Fix that the tool proposes, in its words. Null: none.
    pub suggestion: Option<String>,
    /// The changes that the tool proposes, all of them; empty where it does not say them, or they are too many to be kept.
    pub edits: Vec<FixEdit>,
    /// The offending source line, where the tool prints it.
    pub source: Option<String>,
    /// Other places that belong to it.
    pub related: Vec<RelatedPlace>,
    /// The bytes it was read from.
    pub origin: Origin,
}

/// A change of a file that a tool proposes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixEdit {
    /// File as printed. None: the finding's.
    pub file: Option<String>,
    /// What is replaced.
    pub place: EditPlace,
    /// Text that replaces the range.
    pub text: String,
}

/// What an edit replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditPlace {
    /// From one offset in the file to another, as the tool counts them.
    Range {
        /// The first that is replaced.
        start: u64,
        /// The first that is not.
        end: u64,
    },
    /// From one position to another.
    Span {
        /// 1-based.
        line: u32,
        /// 1-based.
        column: u32,
        /// 1-based.
        end_line: u32,
        /// 1-based, after the last character.
        end_column: u32,
    },
}

/// A place that a finding mentions beside its own.
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
    /// What is said of it.
    pub message: String,
}

/// Where in the evidence something was read, and by which rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// The reader's rule, such as `tsc/plain`.
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

/// How bad a finding is, by the tool's own word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// An error.
    Error,
    /// A warning.
    Warning,
    /// A note, hint, convention or style remark.
    Info,
}

impl Level {
    /// Returns the level as documents spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
        }
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
    /// Notes, hints and the like.
    #[serde(serialize_with = "crate::serial::exact")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::number::Count"))]
    pub infos: u64,
    /// Findings that the tool can fix.
    #[serde(serialize_with = "crate::serial::exact")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::number::Count"))]
    pub fixable: u64,
    /// Per rule; findings without a rule stand under the empty name.
    pub by_rule: BTreeMap<String, RuleCounts>,
}

/// Counts of one rule.
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
    /// Notes, hints and the like.
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
        let name = if self.by_rule.contains_key(rule) || self.by_rule.len() < crate::limit::RULES_COUNTED {
            rule
        } else {
            crate::limit::OTHER_RULES
        };
        let by_rule = match self.by_rule.get_mut(name) {
            Some(known) => known,
            None => self.by_rule.entry(name.to_owned()).or_default(),
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
    /// The runner, such as `jest`.
    pub framework: String,
    /// Where the counts come from.
    pub authority: CountAuthority,
    /// Counts of tests.
    pub counts: TestCounts,
    /// Counts of suites (files), where the runner has them.
    pub suites: Option<TestCounts>,
    /// Failed tests and suites that never ran, with their messages; at most [`crate::limit::FINDINGS_KEPT`].
    pub failures: Vec<TestFailure>,
    /// Every test by name, where the output names them; at most [`crate::limit::TEST_CASES_KEPT`].
    pub cases: Vec<TestCase>,
}

/// Where counts of tests come from. Only what the runner itself sums up convicts (ruling 9).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CountAuthority {
    /// The runner's own final summary in text.
    Summary,
    /// The runner's machine report.
    MachineReport,
    /// The runner's own summary, which says that tests passed or which failed, and not how many ran: the number is not
    /// known (ruling 9).
    Unnumbered,
    /// Lines that look like results, without a summary: they explain, and never convict.
    #[default]
    Lines,
}

/// Counts of tests: `total = passed + failed + skipped`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TestCounts {
    /// Passed, also where the pass was not expected.
    pub passed: u64,
    /// Number of tests that failed or ended with an error.
    pub failed: u64,
    /// Skipped, pending, todo, ignored, expected to fail.
    pub skipped: u64,
    /// Number of all tests: passed, failed and skipped.
    pub total: u64,
}

/// A failed test, or a suite that never ran.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TestFailure {
    /// Full name of the test; for a suite that never ran, its file.
    pub name: String,
    /// Whether a whole suite failed to run.
    pub suite: bool,
    /// Test file as printed.
    pub file: Option<String>,
    /// 1-based line of the innermost frame in the project.
    pub line: Option<u32>,
    /// 1-based column of it.
    pub column: Option<u32>,
    /// What went wrong, without ANSI.
    pub message: String,
    /// What was expected, where the runner says so.
    pub expected: Option<String>,
    /// What was received, where the runner says so.
    pub received: Option<String>,
    /// Stack lines, joined by line ends.
    pub stack: Option<String>,
    /// Duration of the test in milliseconds. Null: not printed.
    #[serde(rename = "duration", serialize_with = "crate::serial::exact")]
    pub duration_ms: Option<u64>,
    /// The bytes it was read from.
    #[serde(skip)]
    pub origin: Option<Origin>,
}

/// One test by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TestCase {
    /// Names of the groups around it, outermost first.
    pub ancestors: Vec<String>,
    /// Its own title.
    pub title: String,
    /// Test file, where known.
    pub file: Option<String>,
    /// How it went.
    pub status: TestStatus,
    /// Duration of the test in milliseconds. Null: not printed.
    #[serde(rename = "duration", serialize_with = "crate::serial::exact")]
    pub duration_ms: Option<u64>,
}

impl TestCase {
    /// Returns the names of its groups and its title, joined by ` > `.
    pub fn full_name(&self) -> String {
        let parts: Vec<&str> = self.ancestors.iter().chain([&self.title]).map(String::as_str).collect();
        parts.join(" > ")
    }

    /// The title of a test that passed and is a whole file, as Node's runner reports one that reported no test of its own.
    pub fn passed_as_file(&self) -> Option<&str> {
        let ending = self.title.rsplit_once('.').map_or("", |(_, ending)| ending);
        let is_source = ["js", "cjs", "mjs", "jsx", "ts", "cts", "mts", "tsx"].contains(&ending);
        let is_path = self.title.starts_with('/') || is_of_tests(&self.title);
        let is_outermost = self.ancestors.is_empty();
        (self.status == TestStatus::Passed && is_outermost && is_source && is_path).then_some(self.title.as_str())
    }
}

/// How a test went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TestStatus {
    /// Passed.
    Passed,
    /// Failed.
    Failed,
    /// Skipped, pending or todo.
    Skipped,
}

/// What nobody understood: shown, never guessed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Leftovers {
    /// Lines that are not blank and that the chosen reader did not use.
    #[serde(serialize_with = "crate::serial::exact")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::number::Count"))]
    pub lines: u64,
    /// The last of them, at most twenty.
    pub last: Vec<String>,
}

/// Head and tail of both streams.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Excerpts {
    /// Of standard output.
    pub stdout: Excerpt,
    /// Of standard error.
    pub stderr: Excerpt,
}

/// Head and tail of a stream, decoded leniently, at most [`crate::limit::EXCERPT_BYTES`] each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Excerpt {
    /// The beginning; the whole stream where it is short enough.
    pub head: String,
    /// The end; empty where the head holds everything.
    pub tail: String,
    /// Size of the whole stream in bytes.
    pub bytes: u64,
}

impl Excerpt {
    /// Whether head and tail leave something out.
    pub fn is_cut(&self) -> bool {
        !self.tail.is_empty()
    }

    /// The end of the stream: all of it, or what is kept of its end.
    pub fn end(&self) -> &str {
        if self.is_cut() { &self.tail } else { &self.head }
    }
}
