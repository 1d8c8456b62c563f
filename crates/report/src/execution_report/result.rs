//! Facts observed of one action, and results read from its output.

use std::collections::BTreeSet;

use referee_model::outcome::Outcome;
use referee_model::plan::{Action, Role};
use referee_model::reading::{Excerpt, Leftovers, Reading};
use referee_model::record::http::HttpEnding;
use referee_model::record::service::Readiness;
use referee_model::record::{
    CommandFacts, ContainerFacts, Ending, Facts, InteractionEnding, LeakedProcess, ServiceFacts,
};
use referee_model::report::{Ran, Report};
use referee_model::time::Timestamp;
use serde::Serialize;

use crate::diagnostics::DiagnosticDocument;
use referee_model::number::Count;

use super::connection::ConnectionDocument;
use super::error::{self, ErrorDocument};
use super::specification::SchemaValidation;

use self::eslint::EslintFile;
use self::file::FileResult;
use self::http::HttpResult;
use self::interaction::InteractionDocument;
use self::service::ServiceResult;
use self::tests::TestsDocument;

mod eslint;
mod file;
mod http;
mod interaction;
mod service;
mod tests;

/// Maximum number of findings and of failed tests that are embedded in the report. All that were kept are in files
/// of their own.
const EMBEDDED: usize = 100;

/// Maximum length of `partialOutput`, in bytes.
const PARTIAL_OUTPUT_BYTES: usize = 2 * 1024;

/// Observed facts and read results; keys that do not apply are left out.
#[document]
#[derive(Default)]
pub(super) struct ResultDocument<'report> {
    /// False: the action was not executed, because its specification cannot be carried out.
    executed: Option<bool>,
    /// Exit code of the command. Left out where no command ran or it did not exit by itself.
    exit_code: Option<i32>,
    /// Signal that ended the process, from whatever sender.
    signal: Option<String>,
    /// Whether Referee stopped the process. Left out: it did not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    killed: bool,
    /// End of the output that was printed before the process was stopped.
    partial_output: Option<String>,
    /// Time to which `partialOutput` extends: the end of the attempt.
    last_update: Option<Timestamp>,
    /// Start of standard output; all of it where `stdoutTail` is left out.
    stdout: Option<String>,
    /// End of standard output, at most 16 KiB. Left out where `stdout` holds all of it.
    stdout_tail: Option<String>,
    /// Size of the whole stream in bytes. Left out where the stream was not cut.
    stdout_bytes: Option<Count>,
    /// Start of standard error; all of it where `stderrTail` is left out.
    stderr: Option<String>,
    /// End of standard error, at most 16 KiB. Left out where `stderr` holds all of it.
    stderr_tail: Option<String>,
    /// Size of the whole stream in bytes. Left out where the stream was not cut.
    stderr_bytes: Option<Count>,
    /// True: a stream was cut.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// Error outside of what was checked.
    error: Option<ErrorDocument>,
    /// First findings; for a server that did not answer, its health check and port check.
    diagnostics: Option<Diagnostics<'report>>,
    /// Number of all findings.
    diagnostics_total: Option<Count>,
    /// Counts of the findings. Left out where there are none and the command is not a tool that looks for any.
    summary: Option<FindingsSummary>,
    /// Findings of ESLint by file.
    eslint_results: Option<Vec<EslintFile>>,
    /// Test results that were read from the output. Left out where none were.
    test_results: Option<TestsDocument>,
    /// Processes that outlived the action's command. Left out where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    leaked_processes: Vec<LeakedProcess>,
    /// Lines of a failure's output that no reader recognized.
    leftovers: Option<&'report Leftovers>,
    /// Violations of the specification's schema by the action, or of a schema by the content of a file.
    schema_validation: Option<SchemaValidation>,
    #[serde(flatten)]
    file: Option<FileResult>,
    #[serde(flatten)]
    http: Option<HttpResult>,
    #[serde(flatten)]
    service: Option<ServiceResult>,
    /// Interaction with a database or a browser. Left out for other actions.
    interaction: Option<InteractionDocument>,
    /// Container that the command ran. Left out where it ran none.
    container: Option<ContainerFacts>,
}

/// The two forms of what seed 1 calls `diagnostics`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
enum Diagnostics<'report> {
    /// Findings of a tool.
    Findings(Vec<DiagnosticDocument<'report>>),
    /// Connection checks of a server that does not answer.
    Connection(ConnectionDocument),
}

#[document]
struct FindingsSummary {
    /// Number of errors, also of those that are not listed.
    errors: Count,
    /// Number of warnings, also of those that are not listed.
    warnings: Count,
    /// Number of notes, hints and style remarks.
    infos: Count,
    /// Number of findings that the tool says it can fix itself.
    fixable: Count,
    /// Files with findings. Left out where not all findings were kept.
    total_files: Option<Count>,
}

impl<'report> ResultDocument<'report> {
    pub(super) fn new(report: &'report Report, action: &'report Action, ran: &'report Ran) -> Self {
        let own = match &ran.record.facts {
            Facts::Command(facts) => Self::of_command(ran, facts),
            Facts::File(facts) => Self {
                file: Some(FileResult::of_file(action, facts)),
                schema_validation: file::schema_validation(facts),
                ..Self::default()
            },
            Facts::Glob(facts) => Self { file: Some(FileResult::of_glob(action, facts)), ..Self::default() },
            Facts::Http(facts) => Self {
                killed: matches!(facts.ending, HttpEnding::DeadlineExceeded { .. } | HttpEnding::Interrupted),
                diagnostics: ConnectionDocument::of_request(facts).map(Diagnostics::Connection),
                http: Some(HttpResult::new(action, facts, &ran.reading)),
                ..Self::default()
            },
            Facts::Service(facts) => Self::of_service(action, ran, facts),
            Facts::Interaction(facts) => Self {
                killed: matches!(
                    facts.ending,
                    InteractionEnding::DeadlineExceeded { .. } | InteractionEnding::Interrupted
                ),
                interaction: Some(InteractionDocument::new(&report.plan, action, facts)),
                ..Self::default()
            },
            Facts::NotExecuted => Self {
                executed: Some(false),
                schema_validation: SchemaValidation::of_action(&report.plan, action, ran),
                ..Self::default()
            },
        };
        Self { error: error::of(&ran.record.facts), ..own }
    }

    fn of_command(ran: &'report Ran, facts: &'report CommandFacts) -> Self {
        let reading = &ran.reading;
        let findings = has_findings(ran);
        let leftovers = ran.judgement.outcome != Outcome::Success && reading.leftovers.lines > 0;
        let mut result = Self {
            diagnostics: findings.then(|| Diagnostics::findings(reading)),
            diagnostics_total: findings.then(|| reading.counts.total().into()),
            summary: findings.then(|| FindingsSummary::new(reading)),
            eslint_results: eslint::results(reading),
            test_results: reading.tests.as_ref().map(TestsDocument::from),
            leaked_processes: facts.leaked.clone(),
            container: facts.container.clone(),
            leftovers: leftovers.then_some(&reading.leftovers),
            ..Self::of_ending(ran, &facts.ending)
        };
        if facts.log.is_some() {
            result.embed(reading);
        }
        result
    }

    fn of_service(action: &Action, ran: &Ran, facts: &ServiceFacts) -> Self {
        let ended = match &facts.readiness {
            Readiness::Ended { ending } => Self::of_ending(ran, ending),
            Readiness::DeadlineExceeded { .. } | Readiness::Interrupted => {
                Self { killed: facts.started.is_some(), ..Self::default() }.stopped(ran)
            }
            Readiness::Ready { .. }
            | Readiness::PortTaken
            | Readiness::ForeignPort
            | Readiness::CouldNotStart { .. } => Self::default(),
        };
        let mut result = Self {
            diagnostics: ConnectionDocument::of_service(facts).map(Diagnostics::Connection),
            leaked_processes: facts.leaked.clone(),
            service: Some(ServiceResult::new(action, facts, ran)),
            ..ended
        };
        // Output that a service printed after it was ready is not read: it does not show whether the service became
        // ready.
        if facts.log.is_some() {
            result.embed(&ran.reading);
        }
        result
    }

    /// Returns how a process ended, and its last output where it was stopped.
    fn of_ending(ran: &Ran, ending: &Ending) -> Self {
        let stopped = ending.is_stopped();
        let result =
            Self { exit_code: ending.exit_code(), signal: ending.signal(), killed: stopped, ..Self::default() };
        if stopped { result.stopped(ran) } else { result }
    }

    /// Adds the output that was printed before the process was stopped.
    fn stopped(self, ran: &Ran) -> Self {
        let partial_output = last_output(&ran.reading);
        let last_update = partial_output.is_some().then_some(ran.record.span.ended);
        Self { partial_output, last_update, ..self }
    }

    /// Embeds start and end of both streams, each at most 16 KiB (ruling 18).
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

/// Whether the result includes findings: there are some, or the command's role is to look for some.
fn has_findings(ran: &Ran) -> bool {
    let validates = matches!(ran.judgement.role, Some(Role::Typecheck | Role::Lint | Role::Format | Role::Compile));
    ran.reading.counts.total() > 0 || (validates && ran.reading.reader.is_some())
}

/// Returns the end of standard output, or of standard error where standard output is blank.
fn last_output(reading: &Reading) -> Option<String> {
    let ends = [end(&reading.excerpts.stdout), end(&reading.excerpts.stderr)];
    ends.into_iter().find(|text| !text.trim().is_empty())
}

/// Returns the end of one stream.
fn end(excerpt: &Excerpt) -> String {
    let text = excerpt.end();
    let start = text.ceil_char_boundary(text.len().saturating_sub(PARTIAL_OUTPUT_BYTES));
    text[start..].to_owned()
}

impl<'report> Diagnostics<'report> {
    fn findings(reading: &'report Reading) -> Self {
        Self::Findings(reading.diagnostics.iter().take(EMBEDDED).map(DiagnosticDocument::from).collect())
    }
}

impl FindingsSummary {
    fn new(reading: &Reading) -> Self {
        let counts = &reading.counts;
        let files: BTreeSet<&String> = reading.diagnostics.iter().filter_map(|found| found.file.as_ref()).collect();
        Self {
            errors: counts.errors.into(),
            warnings: counts.warnings.into(),
            infos: counts.infos.into(),
            fixable: counts.fixable.into(),
            total_files: reading.keeps_all_findings().then(|| Count::of(files.len())),
        }
    }
}
