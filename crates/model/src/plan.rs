//! The plan of a run: the loaded and validated specification of one task.
//!
//! Every limit is a number, every command complete, every directory known; nothing is looked up afterwards.
//! Evidence is bound to the digest of a plan's canonical document.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::condition::Condition;
use crate::condition::fields::Kind;
use crate::id::{ActionId, Digest, TaskId, WorkspacePath};
use crate::selection::{Level, Profile};
use crate::severity::Severity;
use crate::taxonomy::Outcome;

pub mod container;
mod defaults;
pub mod evaluator;
pub mod file;
pub mod guard;
pub mod http;
pub mod interaction;
pub mod plan_document;
pub mod policy;
pub mod service;
pub mod template;

pub use self::container::{Container, ContainerOperation, ContainerProgram};
pub use self::evaluator::Evaluator;
pub use self::file::{DataSyntax, FileCheck, FileContent, FileExpectation, FileRoot, SchemaSource};
pub use self::guard::Guard;
pub use self::http::HttpRequest;
pub use self::interaction::{Browser, Interaction, Query};
pub use self::policy::{Category, CriticalSeverities, Policies, Strategy, ToolPolicy};
pub use self::service::Service;
pub use self::template::{CaptureName, Piece, Template};

/// The plan of one task, ready to run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Plan {
    /// The specification that the plan was loaded from.
    pub specification: Specification,
    /// Id of the task, which names its evidence directory.
    #[serde(rename = "taskId")]
    pub task: TaskId,
    /// One-line title for people.
    pub title: String,
    /// Sprint id in the specification (seed 1, `metadata.sprintId`).
    pub sprint: Option<String>,
    /// Absolute path of the directory that relative paths are resolved against.
    #[serde(serialize_with = "crate::serial::lossy")]
    pub workspace: PathBuf,
    /// Absolute path of the directory that contains the evidence directories of the tasks.
    #[serde(serialize_with = "crate::serial::lossy")]
    pub evidence_root: PathBuf,
    /// Absolute paths that the workspace had where other parts of the run were performed; paths in their logs lie below
    /// them. Empty: the whole run was performed in `workspace`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub part_workspaces: Vec<PathBuf>,
    /// Environment variables that the specification sets for every command.
    pub environment: BTreeMap<String, String>,
    /// All actions in plan order: prerequisites, steps, cleanup; within a phase, dependencies before their
    /// dependents.
    pub actions: Vec<Action>,
    /// Policies for judging findings of tools (ruling 10).
    pub policies: Policies,
    /// Criteria for the completion of the task.
    pub completion: Completion,
    /// Conditions over the actions, in addition to their outcomes.
    pub criteria: Criteria,
    /// Whether the tests are expected to fail (ruling 12, `tddPhase: RED`).
    pub red_phase: bool,
    /// Whether a success after a failed attempt blocks (ruling 13, `flaky: FAIL`).
    pub flaky_fails: bool,
    /// Policy for recording and routing debt.
    pub debt: DebtPolicy,
    /// The external program that evaluates the judged run.
    pub evaluator: Option<Evaluator>,
    /// Ids of tasks of the same specification that must have passed before.
    pub depends_on: Vec<TaskId>,
    /// Order in which steps run.
    pub step_order: StepOrder,
    /// Whether steps run in parallel unless the command line says otherwise (`parallelExecution`).
    pub parallel: bool,
    /// Profile that applies unless the command line says otherwise.
    pub profile: Profile,
    /// Problems that prevent this task from running without invalidating the whole document: running the task is
    /// a specification error (ruling 3).
    pub problems: Vec<SpecificationProblem>,
    /// Time limit for all prerequisites and steps together, in milliseconds.
    #[serde(rename = "deadlineMs")]
    pub timeout_ms: Option<u64>,
    /// Settings of the gate itself.
    pub guard: Guard,
}

/// The specification that a plan was loaded from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Specification {
    /// Path of the file, relative to the workspace where it lies in it.
    pub file: String,
    /// Form of the specification.
    pub form: Form,
    /// SHA-256 of the file's bytes.
    pub digest: Digest,
}

/// The supported forms of specifications (ruling 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// The short form for people, `referee.yaml`.
    Short,
    /// The full form, `schemaVersion` 2.0.0, and the dialect of its prototype.
    Full,
}

/// A problem in a specification that prevents a task from running.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SpecificationProblem {
    /// Id of the action concerned. None: the whole task.
    #[serde(rename = "actionId")]
    pub action: Option<ActionId>,
    /// The problem, and what to do.
    pub message: String,
    /// JSON pointer to the value in the specification.
    pub pointer: String,
    /// Keyword of the schema that is violated, such as `enum` or `required`; a word of Referee's own where the
    /// schema cannot express the rule.
    pub keyword: String,
    /// URI fragment of the keyword in the published schema. None: the schema cannot express the rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema_path: Option<String>,
    /// Allowed values, where they can be listed.
    #[serde(rename = "allowedValues", default, skip_serializing_if = "Vec::is_empty")]
    pub allowed: Vec<String>,
    /// 1-based line in the specification.
    pub line: u32,
    /// 1-based column in that line.
    pub column: u32,
}

impl SpecificationProblem {
    /// Prefix of the reason of an action that was not executed because of its problems.
    pub const REASON: &'static str = "the specification is wrong: ";

    /// Returns the reason that this problem contributes to the verdict. `file` is the specification's file.
    pub fn verdict_reason(&self, file: &str) -> String {
        let action = self.action.as_ref().map(|id| format!("{id}: ")).unwrap_or_default();
        format!("{}{action}{} ({file}:{}:{})", Self::REASON, self.message, self.line, self.column)
    }
}

/// Formats the problem as in the reason of its action.
impl fmt::Display for SpecificationProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} (line {}, column {})", self.message, self.line, self.column)
    }
}

/// Order in which the steps of a task run (ruling 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepOrder {
    /// One after another, as listed.
    Listed,
    /// Any order that the dependencies allow; as listed if one runs at a time.
    Free,
}

/// One action of a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Action {
    /// Id of the action: `PREREQ.n`, `STEP.n` or `CLEANUP.n`.
    #[serde(rename = "actionId")]
    pub id: ActionId,
    /// Phase of the task that the action belongs to.
    pub phase: Phase,
    /// Name of the check in the specification, also used as its description in reports.
    pub name: String,
    /// The work to do.
    pub work: Work,
    /// Ids of actions of the same or an earlier phase that must have passed, or failed without blocking, before
    /// this one runs.
    pub needs: Vec<ActionId>,
    /// Time limit, in milliseconds.
    #[serde(rename = "deadlineMs")]
    pub timeout_ms: u64,
    /// Time between the termination signal and the kill signal, in milliseconds.
    pub grace_ms: u64,
    /// Whether later steps run if this one fails and blocks (ruling 6; true by default in the short form).
    pub continue_on_failure: bool,
    /// Maximum number of retries after a blocking failure (`retryAttempts`).
    pub retries: u32,
    /// Expected failure and expected test results (ruling 12).
    pub expect: Option<Expectation>,
    /// What to store as evidence (`evidenceCapture`).
    #[serde(rename = "evidenceCapture")]
    pub evidence: EvidenceCapture,
    /// The smallest selection that the action belongs to. None: inferred from its work.
    pub level: Option<Level>,
    /// Kind of the action among the prerequisites of the workflow (`executionWorkflow.prerequisites`). None: it is
    /// none of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prerequisite: Option<service::PrerequisiteKind>,
}

/// Expected results of an action other than success (ruling 12).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Expectation {
    /// Expected outcome. None: success.
    pub outcome: Option<Outcome>,
    /// Tests that failed before and must pass now; in a red phase they must still fail.
    pub fail_to_pass: Vec<String>,
    /// Tests that passed before and must still pass.
    pub pass_to_pass: Vec<String>,
}

/// What to store as evidence of an action; disabled kinds are not collected (ruling 18).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EvidenceCapture {
    /// Standard output of a command or service.
    pub stdout: bool,
    /// Standard error of a command or service.
    pub stderr: bool,
    /// Body of an HTTP response, rows of a query, answers of a browser.
    pub exchange: bool,
    /// Content of an examined file. Off by default.
    pub file_contents: bool,
    /// Duration. Reports always state it; if disabled, it does not count as a performance metric.
    pub duration: bool,
}

impl Default for EvidenceCapture {
    fn default() -> Self {
        Self { stdout: true, stderr: true, exchange: true, file_contents: false, duration: true }
    }
}

/// Phases of a task, in execution order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Requirements that must be met before anything is checked.
    Prerequisite,
    /// The checks.
    Step,
    /// Cleanup, which always runs.
    Cleanup,
}

/// The work of an action.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Work {
    /// Runs a command.
    Command(Command),
    /// Checks a file.
    File(FileCheck),
    /// Makes an HTTP request.
    Http(Box<HttpRequest>),
    /// Starts a service and waits until it is ready, or waits for a service that is started elsewhere.
    Service(Box<Service>),
    /// Interacts with a database or a browser.
    Interaction(Box<Interaction>),
}

impl Work {
    /// Returns the action type used in documents.
    pub fn action_type(&self) -> ActionType {
        match self {
            Self::Command(Command { script: Some(_), .. }) => ActionType::CustomScript,
            Self::Command(Command { invocation: Invocation::Container(_), .. }) => ActionType::DockerCommand,
            Self::Command(_) => ActionType::TerminalCommand,
            Self::File(_) => ActionType::FileValidation,
            Self::Http(_) => ActionType::HttpRequest,
            Self::Service(service) if service.command.is_some() => ActionType::TerminalCommand,
            Self::Service(_) => ActionType::ServiceCheck,
            Self::Interaction(interaction) => interaction.action_type(),
        }
    }

    /// Returns a one-line description, as a person would type it.
    pub fn as_line(&self) -> String {
        match self {
            Self::Command(command) => command.invocation.as_line(),
            Self::File(check) => match &check.root {
                FileRoot::Workspace => format!("file {}", check.path),
                FileRoot::Listed(directory) => format!("file {}", directory.join(check.path.as_str()).display()),
            },
            Self::Http(request) => format!("{} {}", request.method.as_str(), request.url),
            Self::Service(service) => {
                let line = service.command.as_ref().map(|command| command.invocation.as_line());
                line.unwrap_or_else(|| service.kind.as_str().to_owned())
            }
            Self::Interaction(interaction) => interaction.as_line(),
        }
    }
}

impl Kind {
    /// Returns the kind of action that does this work.
    pub fn of(work: &Work) -> Self {
        match work {
            Work::Command(_) => Self::Command,
            Work::File(_) => Self::File,
            Work::Http(_) => Self::Http,
            Work::Service(_) => Self::Service,
            Work::Interaction(interaction) => match interaction.as_ref() {
                Interaction::Query(_) => Self::Query,
                Interaction::Browser(_) => Self::Browser,
            },
        }
    }
}

document_words! {
    /// Action types, with the spelling of documents: the seven of schema 2.0.0, and one for
    /// `executionWorkflow.prerequisites`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum ActionType {
        /// A command, or a service that a command starts.
        TerminalCommand = "TERMINAL_COMMAND",
        /// Commands for a browser.
        McpBrowserCommand = "MCP_BROWSER_COMMAND",
        /// A command of docker or podman.
        DockerCommand = "DOCKER_COMMAND",
        /// A database query.
        DatabaseQuery = "DATABASE_QUERY",
        /// An HTTP request.
        HttpRequest = "HTTP_REQUEST",
        /// A script and its interpreter.
        CustomScript = "CUSTOM_SCRIPT",
        /// A file check.
        FileValidation = "FILE_VALIDATION",
        /// Waiting for a service that is started elsewhere.
        ServiceCheck = "SERVICE_CHECK",
    }
}

/// A command to run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Command {
    /// How the command is started.
    pub invocation: Invocation,
    /// Directory that the command runs in.
    pub directory: WorkspacePath,
    /// Environment variables set for this command only; they take precedence over the plan's.
    pub environment: BTreeMap<String, String>,
    /// Environment variables set for this command only whose values are known only when it starts.
    pub late_environment: BTreeMap<String, Template>,
    /// The script of a `CUSTOM_SCRIPT`, which the invocation names too.
    pub script: Option<WorkspacePath>,
    /// Exit codes that count as success for a command whose role is [`Role::Other`] (default 0).
    pub expected_exit_codes: Vec<i32>,
    /// Role declared in the specification. None: inferred from the command.
    pub role: Option<Role>,
    /// Command lines found by resolving npm scripts and make targets, outermost first; the role is inferred from
    /// the last. Determined when the specification is loaded.
    pub seen_through: Vec<String>,
    /// Whether a test run without tests is accepted (ruling 9).
    pub allow_no_tests: bool,
    /// Whether a test run may pass by its exit code alone if its known runner prints no summary (ruling 9).
    pub exit_code_only: bool,
}

impl Command {
    /// Returns a command with default settings: it runs in the workspace's root, and exit code 0 is success.
    pub fn of(invocation: Invocation) -> Self {
        Self {
            invocation,
            directory: WorkspacePath::root(),
            environment: BTreeMap::new(),
            late_environment: BTreeMap::new(),
            script: None,
            expected_exit_codes: vec![0],
            role: None,
            seen_through: Vec::new(),
            allow_no_tests: false,
            exit_code_only: false,
        }
    }
}

/// How a command is started (ruling 4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Invocation {
    /// A program and its arguments, run without a shell.
    Argv(Vec<String>),
    /// A command line passed to a shell.
    Shell {
        /// The command line.
        line: String,
        /// Whether a failing command within a pipeline fails the line, if bash is available.
        pipefail: bool,
        /// The shell.
        shell: Shell,
    },
    /// A command of docker or podman, run without a shell.
    Container(Box<Container>),
}

impl Invocation {
    /// Returns a command line for a POSIX shell, with `pipefail`.
    pub fn line(line: &str) -> Self {
        Self::Shell { line: line.to_owned(), pipefail: true, shell: Shell::Posix }
    }

    /// Returns the command as a person would type it, with arguments quoted that a POSIX shell would split or expand.
    pub fn as_line(&self) -> String {
        match self {
            Self::Shell { line, .. } => line.clone(),
            Self::Argv(argv) => shell_words(argv),
            Self::Container(container) => shell_words(&container.argv()),
        }
    }
}

fn shell_words(argv: &[String]) -> String {
    argv.iter().map(|argument| shell_word(argument)).collect::<Vec<_>>().join(" ")
}

/// Quotes a text as one word for a POSIX shell, if the shell would split or expand it.
pub fn shell_word(argument: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:=@%+,".contains(&byte);
    if !argument.is_empty() && argument.bytes().all(is_plain) {
        argument.to_owned()
    } else {
        format!("'{}'", argument.replace('\'', r"'\''"))
    }
}

document_words! {
    /// The shell that a command line is passed to.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
    pub enum Shell {
        /// bash if available, else sh.
        #[default]
        Posix = "posix",
        /// bash, or the command cannot start.
        Bash = "bash",
        /// sh, or the command cannot start.
        Sh = "sh",
        /// PowerShell (`pwsh` or `powershell`), or the command cannot start.
        PowerShell = "power-shell",
        /// cmd.exe, or the command cannot start.
        Cmd = "cmd",
        /// PowerShell if available, else as [`Shell::Posix`] with a notice: set for all commands by `defaultShell`,
        /// not for this one.
        PreferPowerShell = "prefer-power-shell",
        /// cmd.exe if available, else as [`Shell::Posix`] with a notice.
        PreferCmd = "prefer-cmd",
    }
}

document_words! {
    /// Purpose of a command; determines how its exit code and output are judged (ruling 9).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum Role {
        /// Runs tests.
        Test = "test",
        /// Checks types.
        Typecheck = "typecheck",
        /// Lints.
        Lint = "lint",
        /// Checks the format of sources.
        Format = "format",
        /// Compiles.
        Compile = "compile",
        /// Anything else.
        Other = "other",
    }
}

/// Criteria for the completion of a task (seed 1, `completionCriteria`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Completion {
    /// Whether every step must pass, or fail without blocking.
    pub all_steps_must_pass: bool,
    /// Minimum pass rate of the steps in percent, if not all must pass.
    pub minimum_pass_rate: f64,
    /// Kinds of evidence that must be collected.
    pub required_evidence: Vec<EvidenceKind>,
    /// Whether only a judged run may change the task's status.
    pub task_status_lock: bool,
}

document_words! {
    /// Kinds of evidence (ruling 18).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum EvidenceKind {
        /// The log of any command.
        TerminalOutput = "terminal-output",
        /// The log of a command with role test.
        TestExecutionLog = "test-execution-log",
        /// Records of HTTP requests.
        ApiResponses = "api-responses",
        /// Standard error of a failure.
        ErrorLogs = "error-logs",
        /// Durations.
        PerformanceMetrics = "performance-metrics",
        /// Browser recordings.
        Screenshots = "screenshots",
    }
}

/// Conditions over the actions of a task (seed 1, `validationCriteria`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Criteria {
    /// Conditions that must all be met.
    #[serde(rename = "successConditions")]
    pub success: Vec<Condition>,
    /// Conditions of which none may be met.
    #[serde(rename = "failureConditions")]
    pub failure: Vec<Condition>,
    /// Expected output and exit code of the last step that runs a command.
    pub expected_output: Option<ExpectedOutput>,
}

/// Expected output and exit code of the last step that runs a command (seed 1, `expectedOutput`).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExpectedOutput {
    /// Texts that the standard output must contain.
    pub stdout_contains: Vec<String>,
    /// Whether the standard error must be empty or must not be empty. None: not checked.
    pub stderr_empty: Option<bool>,
    /// Expected exit code. None: not checked.
    pub exit_code: Option<i32>,
}

/// Policy for recording and routing debt (seed 1, `technicalDebtConfiguration`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DebtPolicy {
    /// Whether debt is recorded.
    pub enabled: bool,
    /// How destinations of debt items are chosen.
    #[serde(rename = "routingStrategy")]
    pub routing: DebtRouting,
    /// Maximum number of items in the sprint.
    #[serde(rename = "sprintTasksMaxItems")]
    pub sprint_items_max: u32,
    /// Maximum number of critical items in the sprint.
    #[serde(rename = "sprintTasksMaxCritical")]
    pub sprint_critical_max: u32,
    /// Severities that generate debt items.
    #[serde(rename = "severityLevels")]
    pub severities: Vec<Severity>,
}

impl Default for DebtPolicy {
    fn default() -> Self {
        Self {
            enabled: true,
            routing: DebtRouting::CapacityBased,
            sprint_items_max: 6,
            sprint_critical_max: 4,
            severities: vec![Severity::Critical, Severity::High, Severity::Medium, Severity::Low],
        }
    }
}

/// How destinations of debt items are chosen (ruling 20).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum DebtRouting {
    /// Into the sprint while it has capacity.
    CapacityBased,
    /// By severity only.
    SeverityBased,
    /// By a person.
    Manual,
}
