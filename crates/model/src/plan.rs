//! What is to run: a loaded, checked specification of one task, after which nobody asks again.
//!
//! Every limit is a number, every command complete, every directory known. The digest of a plan's canonical document is
//! what evidence binds to.

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

pub mod evaluator;
pub mod file;
pub mod guard;
pub mod http;
pub mod plan_document;
pub mod policy;
pub mod service;
pub mod template;

pub use self::evaluator::Evaluator;
pub use self::file::{DataSyntax, FileCheck, FileContent, FileExpectation, FileRoot, SchemaSource};
pub use self::guard::Guard;
pub use self::http::HttpRequest;
pub use self::policy::{Category, CriticalSeverities, Policies, Strategy, ToolPolicy};
pub use self::service::Service;
pub use self::template::{CaptureName, Piece, Template};

/// One task, ready to run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Plan {
    /// The text it came from.
    pub specification: Specification,
    /// The task's id; it names the evidence directory.
    #[serde(rename = "taskId")]
    pub task: TaskId,
    /// A line for people.
    pub title: String,
    /// The sprint that the specification names (seed 1, `metadata.sprintId`).
    pub sprint: Option<String>,
    /// Absolute directory that all relative paths start from.
    #[serde(serialize_with = "crate::serial::lossy")]
    pub workspace: PathBuf,
    /// Absolute directory that holds one directory of evidence a task.
    #[serde(serialize_with = "crate::serial::lossy")]
    pub evidence_root: PathBuf,
    /// Variables that the specification declares for every command.
    pub environment: BTreeMap<String, String>,
    /// All actions in plan order: prerequisites, steps, cleanup; within a phase, needs before what needs them.
    pub actions: Vec<Action>,
    /// How findings of tools are judged (ruling 10).
    pub policies: Policies,
    /// When the task counts as complete.
    pub completion: Completion,
    /// Conditions over the actions, beside their outcomes.
    pub criteria: Criteria,
    /// Whether its tests are expected to fail (ruling 12, `tddPhase: RED`).
    pub red_phase: bool,
    /// Whether a pass after a failure blocks (ruling 13, `flaky: FAIL`).
    pub flaky_fails: bool,
    /// How debt is kept and routed.
    pub debt: DebtPolicy,
    /// The program that is asked for its word on the judged run.
    pub evaluator: Option<Evaluator>,
    /// Tasks of the same specification that must have passed before.
    pub depends_on: Vec<TaskId>,
    /// Which order the steps keep.
    pub step_order: StepOrder,
    /// Whether steps run at once where nothing is said about it at the prompt (`parallelExecution`).
    pub parallel: bool,
    /// How much runs where nothing is said about it at the prompt.
    pub profile: Profile,
    /// What stands in the way of running it, and is no complaint about the whole document: such a task is a
    /// specification error when it is to run (ruling 3).
    pub problems: Vec<SpecificationProblem>,
    /// Deadline over all prerequisites and steps, in milliseconds.
    #[serde(rename = "deadlineMs")]
    pub timeout_ms: Option<u64>,
    /// What it says of the gate itself.
    pub guard: Guard,
}

impl Plan {
    /// Returns the action with this id.
    pub fn action(&self, id: &ActionId) -> Option<&Action> {
        self.actions.iter().find(|action| &action.id == id)
    }
}

/// Where a plan came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Specification {
    /// File name, relative to the workspace where it lies below it.
    pub file: String,
    /// The form it was written in.
    pub form: Form,
    /// SHA-256 of the file's bytes.
    pub digest: Digest,
}

/// The forms of specification that can be read (ruling 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// The short form for people, `referee.yaml`.
    Short,
    /// The full form, `schemaVersion` 2.0.0, and the dialect of its prototype.
    Full,
}

/// Something in a specification that keeps a task from running.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SpecificationProblem {
    /// The action that it is about. None: the whole task.
    #[serde(rename = "actionId")]
    pub action: Option<ActionId>,
    /// What is wrong, and what to do.
    pub message: String,
    /// Where it stands, as a JSON pointer into the specification.
    pub pointer: String,
    /// What of the schema it breaks, such as `enum` or `required`; a word of our own where the schema cannot say it.
    pub keyword: String,
    /// Where that stands in the published schema, as a URI fragment. None: the schema cannot say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema_path: Option<String>,
    /// The values that it allows, where they can be listed.
    #[serde(rename = "allowedValues", default, skip_serializing_if = "Vec::is_empty")]
    pub allowed: Vec<String>,
    /// 1-based line in the specification.
    pub line: u32,
    /// 1-based column in that line.
    pub column: u32,
}

impl SpecificationProblem {
    /// What the reason of an action that was not executed for its problems begins with.
    pub const REASON: &'static str = "the specification is wrong: ";

    /// Returns the reason of the verdict that this problem is. `file` is the specification's.
    pub fn verdict_reason(&self, file: &str) -> String {
        let action = self.action.as_ref().map(|id| format!("{id}: ")).unwrap_or_default();
        format!("{}{action}{} ({file}:{}:{})", Self::REASON, self.message, self.line, self.column)
    }
}

/// The problem as the reason of its action names it.
impl fmt::Display for SpecificationProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} (line {}, column {})", self.message, self.line, self.column)
    }
}

/// Which order the steps of a task keep (ruling 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepOrder {
    /// One after another, as listed.
    Listed,
    /// Any that their needs allow; as listed where one runs at a time.
    Free,
}

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Action {
    /// `PREREQ.n`, `STEP.n` or `CLEANUP.n`.
    #[serde(rename = "actionId")]
    pub id: ActionId,
    /// The part of the task it belongs to.
    pub phase: Phase,
    /// What it is called in the specification: the check's name. Also its description in reports.
    pub name: String,
    /// What is done.
    pub work: Work,
    /// Actions of the same phase or an earlier one that must have passed, or failed without blocking, before this one
    /// runs.
    pub needs: Vec<ActionId>,
    /// Milliseconds after which it is stopped.
    #[serde(rename = "deadlineMs")]
    pub timeout_ms: u64,
    /// Milliseconds between the polite signal and the final one.
    pub grace_ms: u64,
    /// Whether later steps run although this one failed and blocks (ruling 6; the short form's default is true).
    pub continue_on_failure: bool,
    /// How often it is tried again after a failure that blocks (`retryAttempts`).
    pub retries: u32,
    /// The failure that is expected of it, and the tests that are (ruling 12).
    pub expect: Option<Expectation>,
    /// What is kept as evidence (`evidenceCapture`).
    #[serde(rename = "evidenceCapture")]
    pub evidence: EvidenceCapture,
    /// The smallest selection that it belongs to. None: told from what it does.
    pub level: Option<Level>,
}

/// What is expected of an action beside success (ruling 12).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Expectation {
    /// The outcome. None: success.
    pub outcome: Option<Outcome>,
    /// Tests that failed before and must pass now; in a red phase they must still fail.
    pub fail_to_pass: Vec<String>,
    /// Tests that passed before and must still pass.
    pub pass_to_pass: Vec<String>,
}

/// What of an action is kept as evidence; what is turned off is not collected (ruling 18).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EvidenceCapture {
    /// Standard output of a command or service.
    pub stdout: bool,
    /// Standard error of a command or service.
    pub stderr: bool,
    /// The body of an HTTP answer.
    pub exchange: bool,
    /// The content of a file that is looked at. Off unless it is asked for.
    pub file_contents: bool,
    /// How long it took. Reports tell that whatever is said here; it then counts for no metrics of performance.
    pub duration: bool,
}

impl Default for EvidenceCapture {
    fn default() -> Self {
        Self { stdout: true, stderr: true, exchange: true, file_contents: false, duration: true }
    }
}

/// The parts of a task, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// What must hold before anything is checked.
    Prerequisite,
    /// The checks.
    Step,
    /// What is done afterwards, always.
    Cleanup,
}

/// What an action does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Work {
    /// Runs a command.
    Command(Command),
    /// Looks at a file.
    File(FileCheck),
    /// Makes an HTTP request.
    Http(Box<HttpRequest>),
    /// Starts a service and waits until it is ready, or waits for one that somebody else runs.
    Service(Box<Service>),
    /// Something of a type that cannot be run. A plan that holds it has a problem that says so.
    Unsupported(ActionType),
}

impl Work {
    /// Returns the type that documents give it.
    pub fn action_type(&self) -> ActionType {
        match self {
            Self::Command(Command { script: Some(_), .. }) => ActionType::CustomScript,
            Self::Command(_) => ActionType::TerminalCommand,
            Self::File(_) => ActionType::FileValidation,
            Self::Http(_) => ActionType::HttpRequest,
            Self::Service(service) if service.command.is_some() => ActionType::TerminalCommand,
            Self::Service(_) => ActionType::ServiceCheck,
            Self::Unsupported(action_type) => *action_type,
        }
    }

    /// Returns it in a line, as a person would type it.
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
            Self::Unsupported(action_type) => action_type.as_str().to_owned(),
        }
    }
}

impl Kind {
    /// Tells what kind of action does this work.
    pub fn of(work: &Work) -> Self {
        match work {
            Work::Command(_) => Self::Command,
            Work::File(_) => Self::File,
            Work::Http(_) => Self::Http,
            Work::Service(_) => Self::Service,
            Work::Unsupported(ActionType::McpBrowserCommand) => Self::Browser,
            Work::Unsupported(_) => Self::Other,
        }
    }
}

/// Types of action, as documents spell them: the seven of schema 2.0.0, and one for `executionWorkflow.prerequisites`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ActionType {
    /// A command, or a service that a command starts.
    TerminalCommand,
    /// Something in a browser. Cannot be run.
    McpBrowserCommand,
    /// Something with docker. Cannot be run.
    DockerCommand,
    /// A query to a database. Cannot be run.
    DatabaseQuery,
    /// An HTTP request.
    HttpRequest,
    /// A script and its interpreter.
    CustomScript,
    /// A look at a file.
    FileValidation,
    /// A wait for a service that somebody else runs.
    ServiceCheck,
}

impl ActionType {
    /// Returns the type as documents spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TerminalCommand => "TERMINAL_COMMAND",
            Self::McpBrowserCommand => "MCP_BROWSER_COMMAND",
            Self::DockerCommand => "DOCKER_COMMAND",
            Self::DatabaseQuery => "DATABASE_QUERY",
            Self::HttpRequest => "HTTP_REQUEST",
            Self::CustomScript => "CUSTOM_SCRIPT",
            Self::FileValidation => "FILE_VALIDATION",
            Self::ServiceCheck => "SERVICE_CHECK",
        }
    }
}

/// A command to run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Command {
    /// How it is started.
    pub invocation: Invocation,
    /// Directory it runs in.
    pub directory: WorkspacePath,
    /// Variables declared for this command alone; they go before the plan's.
    pub environment: BTreeMap<String, String>,
    /// Variables declared for this command alone whose values are known only when it starts.
    pub late_environment: BTreeMap<String, Template>,
    /// The script that it is, for a `CUSTOM_SCRIPT`; the invocation names it too.
    pub script: Option<WorkspacePath>,
    /// Exit codes that count as success for a command whose role is [`Role::Other`] (default 0).
    pub expected_exit_codes: Vec<i32>,
    /// The role that the specification declares; without it the role is told from the command.
    pub role: Option<Role>,
    /// Command lines found by looking through npm scripts and make targets, outermost first; roles are told from the
    /// last. Facts of the time of loading.
    pub seen_through: Vec<String>,
    /// Whether a test run in which no test ran is accepted (ruling 9).
    pub allow_no_tests: bool,
    /// Whether the exit code alone may say that a test run passed whose known runner leaves no summary (ruling 9).
    pub exit_code_only: bool,
}

impl Command {
    /// Returns a command of which the specification says nothing else: it runs in the workspace's root, and 0 is success.
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
    /// A program and its arguments, run as they are.
    Argv(Vec<String>),
    /// A line given to a shell.
    Shell {
        /// The line.
        line: String,
        /// Whether a failing command inside a pipe fails the line, where bash is there.
        pipefail: bool,
        /// The shell.
        shell: Shell,
    },
}

impl Invocation {
    /// Returns a line for a POSIX shell, in which a failure inside a pipe fails it.
    pub fn line(line: &str) -> Self {
        Self::Shell { line: line.to_owned(), pipefail: true, shell: Shell::Posix }
    }

    /// Returns the command as a person would type it: an argument that a POSIX shell would split or expand is quoted.
    pub fn as_line(&self) -> String {
        match self {
            Self::Shell { line, .. } => line.clone(),
            Self::Argv(argv) => argv.iter().map(|argument| shell_word(argument)).collect::<Vec<_>>().join(" "),
        }
    }
}

/// Returns a text as a POSIX shell takes it for one word: quoted where it would split or expand it.
pub fn shell_word(argument: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:=@%+,".contains(&byte);
    if !argument.is_empty() && argument.bytes().all(is_plain) {
        argument.to_owned()
    } else {
        format!("'{}'", argument.replace('\'', r"'\''"))
    }
}

/// The shell that a line is given to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shell {
    /// bash where it is there, else sh.
    #[default]
    Posix,
    /// bash, or the command cannot start.
    Bash,
    /// sh, or the command cannot start.
    Sh,
    /// PowerShell (`pwsh` or `powershell`), or the command cannot start.
    PowerShell,
    /// cmd.exe, or the command cannot start.
    Cmd,
    /// PowerShell where it is there, else as [`Shell::Posix`] with a notice: the specification names it for all commands
    /// (`defaultShell`), not for this one.
    PreferPowerShell,
    /// cmd.exe where it is there, else as [`Shell::Posix`] with a notice.
    PreferCmd,
}

/// What a command is for; it decides how its exit code and its output are judged (ruling 9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Runs tests.
    Test,
    /// Checks types.
    Typecheck,
    /// Lints.
    Lint,
    /// Checks the format of sources.
    Format,
    /// Compiles.
    Compile,
    /// Anything else.
    Other,
}

impl Role {
    /// Returns the role as specifications spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Test => "test",
            Self::Typecheck => "typecheck",
            Self::Lint => "lint",
            Self::Format => "format",
            Self::Compile => "compile",
            Self::Other => "other",
        }
    }
}

/// When a task counts as complete (seed 1, `completionCriteria`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Completion {
    /// Whether every step must pass, or fail without blocking.
    pub all_steps_must_pass: bool,
    /// Least pass rate of the steps in percent, where not all must pass.
    pub minimum_pass_rate: f64,
    /// Kinds of evidence that must have been collected.
    pub required_evidence: Vec<EvidenceKind>,
    /// Whether the task's status may only be changed by a judged run.
    pub task_status_lock: bool,
}

/// Kinds of evidence (ruling 18).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EvidenceKind {
    /// Any command's log.
    TerminalOutput,
    /// The log of a command whose role is test.
    TestExecutionLog,
    /// Records of HTTP requests.
    ApiResponses,
    /// Standard error of a failure.
    ErrorLogs,
    /// Durations.
    PerformanceMetrics,
    /// Records of a browser.
    Screenshots,
}

/// Conditions over the actions of a task (seed 1, `validationCriteria`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Criteria {
    /// Each must be met.
    #[serde(rename = "successConditions")]
    pub success: Vec<Condition>,
    /// None may be triggered.
    #[serde(rename = "failureConditions")]
    pub failure: Vec<Condition>,
    /// What the last step that runs a command must have printed and exited with.
    pub expected_output: Option<ExpectedOutput>,
}

/// What the last step that runs a command must have printed and exited with (seed 1, `expectedOutput`).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExpectedOutput {
    /// Texts that must occur in its standard output.
    pub stdout_contains: Vec<String>,
    /// Whether its standard error must be empty, or must not be. None: either.
    pub stderr_empty: Option<bool>,
    /// Its exit code. None: any.
    pub exit_code: Option<i32>,
}

/// How debt is kept and routed (seed 1, `technicalDebtConfiguration`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DebtPolicy {
    /// Whether debt is kept at all.
    pub enabled: bool,
    /// How items find their place.
    #[serde(rename = "routingStrategy")]
    pub routing: DebtRouting,
    /// Most items in the sprint.
    #[serde(rename = "sprintTasksMaxItems")]
    pub sprint_items_max: u32,
    /// Most critical items in the sprint.
    #[serde(rename = "sprintTasksMaxCritical")]
    pub sprint_critical_max: u32,
    /// Severities that leave items.
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

/// How items of debt find their place (ruling 20).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum DebtRouting {
    /// While the sprint has room.
    CapacityBased,
    /// By severity alone.
    SeverityBased,
    /// By a person.
    Manual,
}
