//! What is to run: a loaded, checked specification of one task, after which nobody asks again.
//!
//! Every limit is a number, every command complete, every folder known. The digest of a plan's canonical document is what
//! evidence binds to.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::id::{ActionId, Digest, TaskId, WorkspacePath};

/// One task, ready to run.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The text it came from.
    pub specification: Specification,
    /// The task's id; it names the evidence folder.
    pub task: TaskId,
    /// A line for people.
    pub title: String,
    /// Absolute folder that all relative paths start from.
    pub workspace: PathBuf,
    /// Absolute folder that holds one folder of evidence a task.
    pub evidence_root: PathBuf,
    /// Variables that the specification declares for every command.
    pub environment: BTreeMap<String, String>,
    /// All actions in plan order: prerequisites, steps, cleanup; within a phase, needs before what needs them.
    pub actions: Vec<Action>,
    /// How findings of tools are judged (ruling 10).
    pub policies: Policies,
    /// When the task counts as complete.
    pub completion: Completion,
    /// Deadline over all prerequisites and steps, in milliseconds.
    pub deadline_ms: Option<u64>,
}

impl Plan {
    /// Returns the action with this id.
    pub fn action(&self, id: &ActionId) -> Option<&Action> {
        self.actions.iter().find(|action| &action.id == id)
    }
}

/// Where a plan came from.
#[derive(Debug, Clone, PartialEq, Eq)]
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
}

/// One thing to do.
#[derive(Debug, Clone, PartialEq)]
pub struct Action {
    /// `PREREQ.n`, `STEP.n` or `CLEANUP.n`.
    pub id: ActionId,
    /// The part of the task it belongs to.
    pub phase: Phase,
    /// What it is called in the specification: the check's name. Also its description in reports.
    pub name: String,
    /// What is done.
    pub work: Work,
    /// Actions of the same phase that must have passed, or failed without blocking, before this one runs.
    pub needs: Vec<ActionId>,
    /// Milliseconds after which it is stopped.
    pub deadline_ms: u64,
    /// Milliseconds between the polite signal and the final one.
    pub grace_ms: u64,
    /// Whether later steps run although this one failed and blocks (ruling 6; the short form's default is true).
    pub continue_on_failure: bool,
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
#[derive(Debug, Clone, PartialEq)]
pub enum Work {
    /// Runs a command.
    Command(Command),
    /// Looks at a file.
    File(FileCheck),
}

/// A command to run.
#[derive(Debug, Clone, PartialEq)]
pub struct Command {
    /// How it is started.
    pub invocation: Invocation,
    /// Folder it runs in.
    pub directory: WorkspacePath,
    /// Variables declared for this command alone; they go before the plan's.
    pub environment: BTreeMap<String, String>,
    /// Exit codes that count as success for a command whose role is [`Role::Other`] (default 0).
    pub expected_exit_codes: Vec<i32>,
    /// The role that the specification declares; without it the role is told from the command.
    pub role: Option<Role>,
    /// Command lines found by looking through npm scripts and make targets, outermost first; roles are told from the
    /// last. Facts of the time of loading.
    pub seen_through: Vec<String>,
    /// Whether a test run in which no test ran is accepted (ruling 9).
    pub allow_no_tests: bool,
}

/// How a command is started (ruling 4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Invocation {
    /// A program and its arguments, run as they are.
    Argv(Vec<String>),
    /// A line given to a shell.
    Shell {
        /// The line.
        line: String,
        /// Whether a failing command inside a pipe fails the line, where bash is there.
        pipefail: bool,
    },
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

/// A file to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileCheck {
    /// The file or folder.
    pub path: WorkspacePath,
    /// What is expected of it.
    pub expectation: FileExpectation,
}

/// What is expected of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileExpectation {
    /// It must not exist.
    Absent,
    /// It must exist and hold to all that is given.
    Present(FileContent),
}

/// What a present file must hold to; nothing given means that existing is enough.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileContent {
    /// Smallest size in bytes.
    pub min_size: Option<u64>,
    /// Largest size in bytes.
    pub max_size: Option<u64>,
    /// Texts that must occur.
    pub contains: Vec<String>,
    /// Regular expressions (Rust `regex` syntax, multi-line) that must match.
    pub matches: Vec<String>,
    /// SHA-256 of the whole content.
    pub sha256: Option<Digest>,
}

/// How findings of tools are judged: a tool's own policy goes before its category's (ruling 10).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policies {
    /// Strategy of a category.
    pub categories: BTreeMap<Category, Strategy>,
    /// Policy of a tool, by the tool's canonical name (`eslint`, `tsc`, `prettier`).
    pub tools: BTreeMap<String, ToolPolicy>,
}

/// The categories of validation tools that a policy can speak of (seed 1, `validationPolicy`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Category {
    /// Linters.
    Linting,
    /// Type checkers.
    TypeChecking,
    /// Compilers.
    Compilation,
    /// Formatters. Not in seed 1's schema, where they stand among the linters; their default is WARN_ONLY, so a strategy
    /// of the linters is never applied to them.
    Formatting,
}

/// What of a tool's findings blocks (seed 1, "Blocking strategies", without their `BLOCK_ON_` prefix).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Strategy {
    /// Any error blocks, with the highest severity.
    ErrorsAlways,
    /// Errors block, warnings do not.
    ErrorsOnly,
    /// Errors and warnings block.
    ErrorsAndWarnings,
    /// Nothing blocks, everything is reported.
    WarnOnly,
    /// Findings are ignored.
    Never,
}

/// The policy of one tool (seed 1, "ESLint-specific configuration").
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolPolicy {
    /// False: reported, never blocking, severity LOW.
    pub enabled: bool,
    /// The strategy; without it the category's holds.
    pub block_on: Option<Strategy>,
    /// Whether every warning counts as an error.
    pub treat_warnings_as_errors: bool,
    /// Warnings allowed; one more blocks.
    pub max_warnings: Option<u64>,
    /// Rules whose findings do not count.
    pub ignored_rules: Vec<String>,
    /// Rules whose warnings count as errors.
    pub error_on_rules: Vec<String>,
}

impl Default for ToolPolicy {
    fn default() -> Self {
        Self {
            enabled: true,
            block_on: None,
            treat_warnings_as_errors: false,
            max_warnings: None,
            ignored_rules: Vec::new(),
            error_on_rules: Vec::new(),
        }
    }
}

/// When a task counts as complete (seed 1, `completionCriteria`).
#[derive(Debug, Clone, PartialEq)]
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
