//! What was observed of one action, and what was read from its output.

use std::collections::BTreeSet;

use referee_model::id::Digest;
use referee_model::outcome::Outcome;
use referee_model::plan::Role;
use referee_model::reading::{CountAuthority, Excerpt, Reading, TestFailure, TestResults};
use referee_model::record::{CommandFacts, Ending, Facts, FileFacts, Found, StartFailure};
use referee_model::report::Ran;
use referee_model::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::diagnostics::DiagnosticDocument;
use crate::ending;
use crate::form;
use crate::number::Count;
use crate::parse::{LeftoversDocument, TestCountsDocument};
use crate::record::{self, LeakedProcessDocument};

/// Findings and failed tests that are repeated in the report. All kept ones stand in files of their own.
const EMBEDDED: usize = 100;

/// The longest `partialOutput`, in bytes.
const PARTIAL_OUTPUT_BYTES: usize = 2 * 1024;

/// What was observed and read; what does not apply is left out.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub(super) struct ResultDocument {
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    /// The signal that ended it, whoever sent it.
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<String>,
    /// True: Referee stopped it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    killed: bool,
    /// The end of what it printed before it was stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    partial_output: Option<String>,
    /// The beginning of standard output; all of it where nothing is said of a tail.
    #[serde(skip_serializing_if = "Option::is_none")]
    stdout: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stdout_tail: Option<String>,
    /// Size of the whole, where it was cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    stdout_bytes: Option<Count>,
    /// The beginning of standard error; all of it where nothing is said of a tail.
    #[serde(skip_serializing_if = "Option::is_none")]
    stderr: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stderr_tail: Option<String>,
    /// Size of the whole, where it was cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    stderr_bytes: Option<Count>,
    /// True: a stream was cut.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// What went wrong outside the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorDocument>,
    /// The first findings.
    #[serde(skip_serializing_if = "Option::is_none")]
    diagnostics: Option<Vec<DiagnosticDocument>>,
    /// How many findings there are in all.
    #[serde(skip_serializing_if = "Option::is_none")]
    diagnostics_total: Option<Count>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<FindingsSummary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    test_results: Option<TestsDocument>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    leaked_processes: Vec<LeakedProcessDocument>,
    /// What no reader understood of a failure's output.
    #[serde(skip_serializing_if = "Option::is_none")]
    leftovers: Option<LeftoversDocument>,
    #[serde(flatten)]
    file: Option<FileResult>,
}

/// What was observed of a file.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FileResult {
    /// Left out where it could not be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    file_exists: Option<bool>,
    /// As it was asked for, relative to the workspace.
    file_path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    file_type: Option<FileType>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file_size: Option<Count>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<form::Time>")]
    last_modified: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<form::Sha256>")]
    sha256: Option<Digest>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum FileType {
    File,
    Folder,
    Other,
    Link,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct ErrorDocument {
    code: &'static str,
    message: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
struct FindingsSummary {
    errors: Count,
    warnings: Count,
    infos: Count,
    fixable: Count,
    /// Files with findings. Left out where not all findings were kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_files: Option<Count>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
struct TestsDocument {
    framework: String,
    passed: Count,
    failed: Count,
    skipped: Count,
    total: Count,
    /// Where the counts come from; `lines` are no summary.
    #[schemars(with = "form::CountAuthority")]
    authority: CountAuthority,
    #[serde(skip_serializing_if = "Option::is_none")]
    suites: Option<TestCountsDocument>,
    /// The first failures.
    failures: Vec<FailureDocument>,
    /// How many failures were read in all.
    failures_total: Count,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
struct FailureDocument {
    test_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    test_file: Option<String>,
    /// True: a whole suite failed to run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    suite: bool,
    error: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    received: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stack: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
}

impl ResultDocument {
    pub(super) fn new(ran: &Ran) -> Self {
        match &ran.record.facts {
            Facts::Command(facts) => Self::of_command(ran, facts),
            Facts::File(facts) => {
                Self { error: file_error(&facts.found), file: Some(FileResult::new(facts)), ..Self::default() }
            }
        }
    }

    fn of_command(ran: &Ran, facts: &CommandFacts) -> Self {
        let reading = &ran.reading;
        let stopped = ending::is_stopped(&facts.ending);
        let findings = has_findings(ran);
        let leftovers = ran.judgement.outcome != Outcome::Success && reading.leftovers.lines > 0;
        let mut result = Self {
            exit_code: ending::exit_code(&facts.ending),
            signal: ending::signal(&facts.ending),
            killed: stopped,
            partial_output: stopped.then(|| partial_output(reading)).flatten(),
            error: command_error(&facts.ending),
            diagnostics: findings
                .then(|| reading.diagnostics.iter().take(EMBEDDED).map(DiagnosticDocument::from).collect()),
            diagnostics_total: findings.then(|| reading.counts.total().into()),
            summary: findings.then(|| FindingsSummary::new(reading)),
            test_results: reading.tests.as_ref().map(TestsDocument::from),
            leaked_processes: record::leaked(facts),
            leftovers: leftovers.then(|| (&reading.leftovers).into()),
            ..Self::default()
        };
        if facts.log.is_some() {
            result.embed(reading);
        }
        result
    }

    /// Embeds head and tail of both streams, each at most 16 KiB (ruling 18).
    fn embed(&mut self, reading: &Reading) {
        let tail = |excerpt: &Excerpt| excerpt.is_cut().then(|| excerpt.tail.clone());
        let bytes = |excerpt: &Excerpt| excerpt.is_cut().then(|| excerpt.bytes.into());
        let (stdout, stderr) = (&reading.excerpts.stdout, &reading.excerpts.stderr);
        self.stdout = Some(stdout.head.clone());
        self.stdout_tail = tail(stdout);
        self.stdout_bytes = bytes(stdout);
        self.stderr = Some(stderr.head.clone());
        self.stderr_tail = tail(stderr);
        self.stderr_bytes = bytes(stderr);
        self.truncated = stdout.is_cut() || stderr.is_cut();
    }
}

/// Whether findings are worth telling of: there are some, or it is a tool's work to find some.
fn has_findings(ran: &Ran) -> bool {
    let validates = matches!(ran.judgement.role, Some(Role::Typecheck | Role::Lint | Role::Format | Role::Compile));
    ran.reading.counts.total() > 0 || (validates && ran.reading.reader.is_some())
}

/// Returns the end of what was printed: of standard output, or of standard error where there was nothing else.
fn partial_output(reading: &Reading) -> Option<String> {
    let end = |excerpt: &Excerpt| {
        let text = if excerpt.is_cut() { &excerpt.tail } else { &excerpt.head };
        let start = text.ceil_char_boundary(text.len().saturating_sub(PARTIAL_OUTPUT_BYTES));
        text[start..].to_owned()
    };
    let ends = [end(&reading.excerpts.stdout), end(&reading.excerpts.stderr)];
    ends.into_iter().find(|text| !text.trim().is_empty())
}

fn command_error(ending: &Ending) -> Option<ErrorDocument> {
    let (code, message) = match ending {
        Ending::CouldNotStart { cause, message } => (start_failure(*cause), message.clone()),
        Ending::OutputLimitExceeded { limit_bytes } => {
            ("output-limit", format!("it printed more than the {limit_bytes} bytes that can be kept"))
        }
        Ending::Exited { .. }
        | Ending::Signaled { .. }
        | Ending::DeadlineExceeded { .. }
        | Ending::Interrupted { .. } => {
            return None;
        }
    };
    Some(ErrorDocument { code, message })
}

/// Returns the code of a failed start, as records spell it.
fn start_failure(cause: StartFailure) -> &'static str {
    match cause {
        StartFailure::NotFound => "not-found",
        StartFailure::NotExecutable => "not-executable",
        StartFailure::BadFormat => "bad-format",
        StartFailure::BadDirectory => "bad-directory",
        StartFailure::System => "system",
    }
}

fn file_error(found: &Found) -> Option<ErrorDocument> {
    match found {
        Found::Outside { target } => Some(ErrorDocument {
            code: "outside-workspace",
            message: format!("a link leads outside the workspace, to {target}"),
        }),
        Found::Unreadable { message } => Some(ErrorDocument { code: "unreadable", message: message.clone() }),
        Found::Missing | Found::File(_) | Found::Folder | Found::Other => None,
    }
}

impl FileResult {
    fn new(facts: &FileFacts) -> Self {
        let (exists, file_type) = match &facts.found {
            Found::Missing => (Some(false), None),
            Found::File(_) => (Some(true), Some(FileType::File)),
            Found::Folder => (Some(true), Some(FileType::Folder)),
            Found::Other => (Some(true), Some(FileType::Other)),
            Found::Outside { .. } => (None, Some(FileType::Link)),
            Found::Unreadable { .. } => (None, None),
        };
        let file = match &facts.found {
            Found::File(file) => Some(file),
            _ => None,
        };
        Self {
            file_exists: exists,
            file_path: facts.path.clone(),
            file_type,
            file_size: file.map(|file| file.bytes.into()),
            last_modified: file.and_then(|file| file.modified),
            sha256: file.and_then(|file| file.sha256),
        }
    }
}

impl FindingsSummary {
    fn new(reading: &Reading) -> Self {
        let counts = &reading.counts;
        let files: BTreeSet<&String> = reading.diagnostics.iter().filter_map(|found| found.file.as_ref()).collect();
        let all_kept = counts.total() == reading.diagnostics.len() as u64;
        Self {
            errors: counts.errors.into(),
            warnings: counts.warnings.into(),
            infos: counts.infos.into(),
            fixable: counts.fixable.into(),
            total_files: all_kept.then(|| Count::of(files.len())),
        }
    }
}

impl From<&TestResults> for TestsDocument {
    fn from(tests: &TestResults) -> Self {
        Self {
            framework: tests.framework.clone(),
            passed: tests.counts.passed.into(),
            failed: tests.counts.failed.into(),
            skipped: tests.counts.skipped.into(),
            total: tests.counts.total.into(),
            authority: tests.authority,
            suites: tests.suites.map(TestCountsDocument::from),
            failures: tests.failures.iter().take(EMBEDDED).map(FailureDocument::from).collect(),
            failures_total: Count::of(tests.failures.len()),
        }
    }
}

impl From<&TestFailure> for FailureDocument {
    fn from(failure: &TestFailure) -> Self {
        Self {
            test_name: failure.name.clone(),
            test_file: failure.file.clone(),
            suite: failure.suite,
            error: failure.message.clone(),
            expected: failure.expected.clone(),
            received: failure.received.clone(),
            stack: failure.stack.clone(),
            line: failure.line,
            column: failure.column,
        }
    }
}
