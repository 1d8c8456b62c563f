//! Actions and commands, in documents.

use std::collections::BTreeMap;

use referee_model::id::{ActionId, WorkspacePath};
use referee_model::outcome::Outcome;
use referee_model::plan::{
    Action, ActionType, Command, EvidenceCapture, Expectation, Invocation, Phase, Role, Shell, Template, Work,
};
use referee_model::selection::Level;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::file::FileDocument;
use super::http::HttpDocument;
use super::service::ServiceDocument;
use super::template::TemplateDocument;

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ActionDocument {
    /// Its id within the task.
    action_id: ActionId,
    /// The part of the task it belongs to.
    phase: Phase,
    /// What it is called in the specification.
    name: String,
    /// Its type, as specifications spell it. A command and a service that a command starts have the same; `work.kind`
    /// tells them apart.
    #[serde(rename = "type")]
    action_type: ActionType,
    /// What is done.
    work: WorkDocument,
    /// Actions before it, of its phase or an earlier one, that must have passed, or failed without blocking, before it
    /// runs.
    needs: Vec<ActionId>,
    /// Milliseconds after which it is stopped.
    deadline_ms: u64,
    /// Milliseconds between the polite signal and the final one.
    grace_ms: u64,
    /// Whether later steps run although this one failed and blocks.
    continue_on_failure: bool,
    /// How often it is tried again after a failure that blocks.
    retries: u32,
    /// The failure that is expected of it, and the tests that are. Null: nothing but success.
    expect: Option<ExpectationDocument>,
    /// What is kept as evidence.
    evidence_capture: EvidenceCaptureDocument,
    /// The smallest selection that it belongs to. Null: told from what it does.
    level: Option<Level>,
}

/// What is done, by kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum WorkDocument {
    /// A command is run.
    Command(CommandDocument),
    /// A file is looked at, or several.
    File(FileDocument),
    /// An HTTP request is made.
    Http(HttpDocument),
    /// A service is started and waited for, or only waited for.
    Service(ServiceDocument),
    /// Nothing: actions of this type cannot be run.
    Unsupported(NothingDocument),
}

/// No key at all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NothingDocument {}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct CommandDocument {
    /// How it is started.
    invocation: InvocationDocument,
    /// Folder it runs in, below the workspace; empty: the workspace itself.
    #[schemars(with = "String")]
    directory: WorkspacePath,
    /// Variables declared for this command alone.
    environment: BTreeMap<String, String>,
    /// Variables declared for this command alone whose values are known only when it starts.
    late_environment: BTreeMap<String, TemplateDocument>,
    /// The script that it is, below the workspace, where it is a script and its interpreter.
    #[schemars(with = "Option<String>")]
    script: Option<WorkspacePath>,
    /// Exit codes that count as success where the role is `other`.
    expected_exit_codes: Vec<i32>,
    /// The declared role. Null: the role is told from the command.
    role: Option<Role>,
    /// Command lines found by looking through scripts and make targets, outermost first.
    seen_through: Vec<String>,
    /// Whether a test run in which no test ran is accepted.
    allow_no_tests: bool,
    /// Whether the exit code alone may say that a test run passed whose known runner leaves no summary.
    exit_code_only: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", untagged)]
enum InvocationDocument {
    /// A program and its arguments, run as they are.
    Argv(ArgvDocument),
    /// A line given to a shell.
    Line(LineDocument),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ArgvDocument {
    /// The program and its arguments.
    #[schemars(length(min = 1))]
    argv: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct LineDocument {
    /// The line.
    line: String,
    /// Whether a failing command inside a pipe fails the line.
    pipefail: bool,
    /// The shell that the line is given to.
    shell: Shell,
}

/// What is expected of an action beside success.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ExpectationDocument {
    /// The outcome. Null: success.
    outcome: Option<Outcome>,
    /// Tests that failed before and must pass now; in a red phase they must still fail.
    fail_to_pass: Vec<String>,
    /// Tests that passed before and must still pass.
    pass_to_pass: Vec<String>,
}

/// What of an action is kept as evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct EvidenceCaptureDocument {
    /// Standard output of a command or service.
    stdout: bool,
    /// Standard error of a command or service.
    stderr: bool,
    /// The body of an HTTP answer.
    exchange: bool,
    /// The content of a file that is looked at.
    file_contents: bool,
    /// How long it took, as a metric of performance.
    #[serde(default = "kept", skip_serializing_if = "Clone::clone")]
    duration: bool,
}

fn kept() -> bool {
    true
}

impl From<&Action> for ActionDocument {
    fn from(action: &Action) -> Self {
        Self {
            action_id: action.id.clone(),
            phase: action.phase,
            name: action.name.clone(),
            action_type: action.work.action_type(),
            work: (&action.work).into(),
            needs: action.needs.clone(),
            deadline_ms: action.deadline_ms,
            grace_ms: action.grace_ms,
            continue_on_failure: action.continue_on_failure,
            retries: action.retries,
            expect: action.expect.as_ref().map(ExpectationDocument::from),
            evidence_capture: action.evidence.into(),
            level: action.level,
        }
    }
}

impl From<&Work> for WorkDocument {
    fn from(work: &Work) -> Self {
        match work {
            Work::Command(command) => Self::Command(command.into()),
            Work::File(check) => Self::File(check.into()),
            Work::Http(request) => Self::Http((&**request).into()),
            Work::Service(service) => Self::Service((&**service).into()),
            Work::Unsupported(_) => Self::Unsupported(NothingDocument {}),
        }
    }
}

impl From<&Command> for CommandDocument {
    fn from(command: &Command) -> Self {
        Self {
            invocation: match &command.invocation {
                Invocation::Argv(argv) => InvocationDocument::Argv(ArgvDocument { argv: argv.clone() }),
                Invocation::Shell { line, pipefail, shell } => {
                    InvocationDocument::Line(LineDocument { line: line.clone(), pipefail: *pipefail, shell: *shell })
                }
            },
            directory: command.directory.clone(),
            environment: command.environment.clone(),
            late_environment: command
                .late_environment
                .iter()
                .map(|(name, value)| (name.clone(), value.into()))
                .collect(),
            script: command.script.clone(),
            expected_exit_codes: command.expected_exit_codes.clone(),
            role: command.role,
            seen_through: command.seen_through.clone(),
            allow_no_tests: command.allow_no_tests,
            exit_code_only: command.exit_code_only,
        }
    }
}

impl From<&Expectation> for ExpectationDocument {
    fn from(expectation: &Expectation) -> Self {
        Self {
            outcome: expectation.outcome,
            fail_to_pass: expectation.fail_to_pass.clone(),
            pass_to_pass: expectation.pass_to_pass.clone(),
        }
    }
}

impl From<EvidenceCapture> for EvidenceCaptureDocument {
    fn from(capture: EvidenceCapture) -> Self {
        Self {
            stdout: capture.stdout,
            stderr: capture.stderr,
            exchange: capture.exchange,
            file_contents: capture.file_contents,
            duration: capture.duration,
        }
    }
}

impl TryFrom<ActionDocument> for Action {
    type Error = String;

    fn try_from(document: ActionDocument) -> Result<Self, String> {
        let id = document.action_id;
        let work = work(document.work, document.action_type).map_err(|problem| format!("{id}: {problem}"))?;
        if work.action_type() != document.action_type {
            return Err(format!("{id}: its work is of type {}", work.action_type().as_str()));
        }
        Ok(Self {
            id,
            phase: document.phase,
            name: document.name,
            work,
            needs: document.needs,
            deadline_ms: document.deadline_ms,
            grace_ms: document.grace_ms,
            continue_on_failure: document.continue_on_failure,
            retries: document.retries,
            expect: document.expect.map(Expectation::from),
            evidence: document.evidence_capture.into(),
            level: document.level,
        })
    }
}

fn work(document: WorkDocument, action_type: ActionType) -> Result<Work, String> {
    Ok(match document {
        WorkDocument::Command(command) => Work::Command(command.try_into()?),
        WorkDocument::File(check) => Work::File(check.try_into()?),
        WorkDocument::Http(request) => Work::Http(Box::new(request.try_into()?)),
        WorkDocument::Service(service) => Work::Service(Box::new(service.try_into()?)),
        WorkDocument::Unsupported(NothingDocument {}) => Work::Unsupported(action_type),
    })
}

impl TryFrom<CommandDocument> for Command {
    type Error = String;

    fn try_from(document: CommandDocument) -> Result<Self, String> {
        let late = |(name, value): (String, TemplateDocument)| Ok((name, Template::try_from(value)?));
        Ok(Self {
            invocation: match document.invocation {
                InvocationDocument::Argv(ArgvDocument { argv }) if argv.is_empty() => {
                    return Err("`argv` is empty".to_owned());
                }
                InvocationDocument::Argv(ArgvDocument { argv }) => Invocation::Argv(argv),
                InvocationDocument::Line(LineDocument { line, pipefail, shell }) => {
                    Invocation::Shell { line, pipefail, shell }
                }
            },
            directory: document.directory,
            environment: document.environment,
            late_environment: document.late_environment.into_iter().map(late).collect::<Result<_, String>>()?,
            script: document.script,
            expected_exit_codes: document.expected_exit_codes,
            role: document.role,
            seen_through: document.seen_through,
            allow_no_tests: document.allow_no_tests,
            exit_code_only: document.exit_code_only,
        })
    }
}

impl From<ExpectationDocument> for Expectation {
    fn from(document: ExpectationDocument) -> Self {
        Self { outcome: document.outcome, fail_to_pass: document.fail_to_pass, pass_to_pass: document.pass_to_pass }
    }
}

impl From<EvidenceCaptureDocument> for EvidenceCapture {
    fn from(document: EvidenceCaptureDocument) -> Self {
        Self {
            stdout: document.stdout,
            stderr: document.stderr,
            exchange: document.exchange,
            file_contents: document.file_contents,
            duration: document.duration,
        }
    }
}
