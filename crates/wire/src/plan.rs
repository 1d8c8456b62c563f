//! `plan.json`: what was to run, whole. Evidence binds to the digest of its canonical form.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use referee_model::id::{ActionId, Digest, TaskId, WorkspacePath};
use referee_model::limit;
use referee_model::plan::{
    Action, Category, Command, Completion, EvidenceKind, FileCheck, FileContent, FileExpectation, Form, Invocation,
    Phase, Plan, Policies, Role, Specification, Strategy, ToolPolicy, Work,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::canonical::{self, CanonicalError};
use crate::document::{DocumentError, Kind};
use crate::form;

const KIND: Kind = Kind { name: "plan.json", key: "planVersion", version: "1.0.0" };

/// A plan, as a document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(title = "Referee plan")]
pub struct PlanDocument {
    /// Version of this format.
    #[schemars(with = "form::Version")]
    plan_version: String,
    /// The text it came from.
    specification: SpecificationDocument,
    /// The task's id; it names the evidence folder.
    #[schemars(with = "form::TaskId")]
    task_id: TaskId,
    /// A line for people.
    title: String,
    /// Absolute folder that all relative paths start from.
    workspace: String,
    /// Absolute folder that holds one folder of evidence a task.
    evidence_root: String,
    /// Variables declared for every command.
    environment: BTreeMap<String, String>,
    /// All actions in plan order.
    actions: Vec<ActionDocument>,
    /// How findings of tools are judged.
    policies: PoliciesDocument,
    /// When the task counts as complete.
    completion: CompletionDocument,
    /// Deadline over all prerequisites and steps, in milliseconds.
    deadline_ms: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SpecificationDocument {
    /// File name, relative to the workspace where it lies below it.
    file: String,
    /// The form it was written in.
    #[schemars(with = "form::SpecificationForm")]
    form: Form,
    /// SHA-256 of the file's bytes.
    #[schemars(with = "form::Sha256")]
    digest: Digest,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ActionDocument {
    #[schemars(with = "form::ActionId")]
    action_id: ActionId,
    #[schemars(with = "form::Phase")]
    phase: Phase,
    /// What it is called in the specification.
    name: String,
    /// What is done.
    work: WorkDocument,
    /// Actions of the same phase that must have passed, or failed without blocking, before this one runs.
    #[schemars(with = "Vec<form::ActionId>")]
    needs: Vec<ActionId>,
    /// Milliseconds after which it is stopped.
    deadline_ms: u64,
    /// Milliseconds between the polite signal and the final one.
    grace_ms: u64,
    /// Whether later steps run although this one failed and blocks.
    continue_on_failure: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "SCREAMING_SNAKE_CASE")]
enum WorkDocument {
    /// Runs a command.
    TerminalCommand(CommandDocument),
    /// Looks at a file.
    FileValidation(FileDocument),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct CommandDocument {
    invocation: InvocationDocument,
    /// Folder it runs in, below the workspace; empty: the workspace itself.
    #[schemars(with = "String")]
    directory: WorkspacePath,
    /// Variables declared for this command alone.
    environment: BTreeMap<String, String>,
    /// Exit codes that count as success where the role is `other`.
    expected_exit_codes: Vec<i32>,
    /// The declared role. Null: the role is told from the command.
    #[schemars(with = "Option<form::Role>")]
    role: Option<Role>,
    /// Command lines found by looking through scripts and make targets, outermost first.
    seen_through: Vec<String>,
    /// Whether a test run in which no test ran is accepted.
    allow_no_tests: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", untagged)]
enum InvocationDocument {
    /// A program and its arguments, run as they are.
    Argv(ArgvDocument),
    /// A line given to a shell.
    Shell(ShellDocument),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ArgvDocument {
    #[schemars(length(min = 1))]
    argv: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ShellDocument {
    /// The line.
    shell: String,
    /// Whether a failing command inside a pipe fails the line.
    pipefail: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct FileDocument {
    /// The file or folder, below the workspace.
    #[schemars(with = "String")]
    path: WorkspacePath,
    /// What it must hold to. Null: it must not exist.
    present: Option<FileContentDocument>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct FileContentDocument {
    /// Smallest size in bytes.
    min_size: Option<u64>,
    /// Largest size in bytes.
    max_size: Option<u64>,
    /// Texts that must occur.
    contains: Vec<String>,
    /// Regular expressions that must match.
    matches: Vec<String>,
    /// SHA-256 of the whole content.
    #[schemars(with = "Option<form::Sha256>")]
    sha256: Option<Digest>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct PoliciesDocument {
    /// Strategy of a category.
    #[schemars(with = "BTreeMap<form::Category, form::Strategy>")]
    categories: BTreeMap<Category, Strategy>,
    /// Policy of a tool, by the tool's canonical name.
    tools: BTreeMap<String, ToolPolicyDocument>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ToolPolicyDocument {
    enabled: bool,
    #[schemars(with = "Option<form::Strategy>")]
    block_on: Option<Strategy>,
    treat_warnings_as_errors: bool,
    max_warnings: Option<u64>,
    ignored_rules: Vec<String>,
    error_on_rules: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct CompletionDocument {
    all_steps_must_pass: bool,
    /// In percent.
    #[schemars(range(min = 0, max = 100))]
    minimum_pass_rate: f64,
    #[schemars(with = "Vec<form::EvidenceKind>")]
    required_evidence: Vec<EvidenceKind>,
    task_status_lock: bool,
}

/// Returns a plan as a document. Paths that are not UTF-8 lose what is not.
pub fn document(plan: &Plan) -> PlanDocument {
    PlanDocument {
        plan_version: KIND.version.to_owned(),
        specification: SpecificationDocument {
            file: plan.specification.file.clone(),
            form: plan.specification.form,
            digest: plan.specification.digest,
        },
        task_id: plan.task.clone(),
        title: plan.title.clone(),
        workspace: plan.workspace.to_string_lossy().into_owned(),
        evidence_root: plan.evidence_root.to_string_lossy().into_owned(),
        environment: plan.environment.clone(),
        actions: plan.actions.iter().map(ActionDocument::from).collect(),
        policies: PoliciesDocument::from(&plan.policies),
        completion: CompletionDocument {
            all_steps_must_pass: plan.completion.all_steps_must_pass,
            minimum_pass_rate: plan.completion.minimum_pass_rate,
            required_evidence: plan.completion.required_evidence.clone(),
            task_status_lock: plan.completion.task_status_lock,
        },
        deadline_ms: plan.deadline_ms,
    }
}

/// Returns the SHA-256 of a plan's canonical document.
///
/// # Errors
/// Fails for a plan that holds a number above 2^53 - 1, which no limit of a specification needs.
pub fn digest(plan: &Plan) -> Result<Digest, CanonicalError> {
    canonical::digest(&document(plan))
}

/// Reads a plan. It may have been tampered with, so all that a checked specification guarantees is checked again.
pub fn read(bytes: &[u8]) -> Result<Plan, DocumentError> {
    KIND.read::<PlanDocument>(bytes)?.try_into()
}

impl From<&Action> for ActionDocument {
    fn from(action: &Action) -> Self {
        Self {
            action_id: action.id.clone(),
            phase: action.phase,
            name: action.name.clone(),
            work: match &action.work {
                Work::Command(command) => WorkDocument::TerminalCommand(command.into()),
                Work::File(check) => WorkDocument::FileValidation(check.into()),
            },
            needs: action.needs.clone(),
            deadline_ms: action.deadline_ms,
            grace_ms: action.grace_ms,
            continue_on_failure: action.continue_on_failure,
        }
    }
}

impl From<&Command> for CommandDocument {
    fn from(command: &Command) -> Self {
        Self {
            invocation: match &command.invocation {
                Invocation::Argv(argv) => InvocationDocument::Argv(ArgvDocument { argv: argv.clone() }),
                Invocation::Shell { line, pipefail } => {
                    InvocationDocument::Shell(ShellDocument { shell: line.clone(), pipefail: *pipefail })
                }
            },
            directory: command.directory.clone(),
            environment: command.environment.clone(),
            expected_exit_codes: command.expected_exit_codes.clone(),
            role: command.role,
            seen_through: command.seen_through.clone(),
            allow_no_tests: command.allow_no_tests,
        }
    }
}

impl From<&FileCheck> for FileDocument {
    fn from(check: &FileCheck) -> Self {
        let present = match &check.expectation {
            FileExpectation::Absent => None,
            FileExpectation::Present(content) => Some(FileContentDocument {
                min_size: content.min_size,
                max_size: content.max_size,
                contains: content.contains.clone(),
                matches: content.matches.clone(),
                sha256: content.sha256,
            }),
        };
        Self { path: check.path.clone(), present }
    }
}

impl From<&Policies> for PoliciesDocument {
    fn from(policies: &Policies) -> Self {
        let tool = |policy: &ToolPolicy| ToolPolicyDocument {
            enabled: policy.enabled,
            block_on: policy.block_on,
            treat_warnings_as_errors: policy.treat_warnings_as_errors,
            max_warnings: policy.max_warnings,
            ignored_rules: policy.ignored_rules.clone(),
            error_on_rules: policy.error_on_rules.clone(),
        };
        Self {
            categories: policies.categories.clone(),
            tools: policies.tools.iter().map(|(name, policy)| (name.clone(), tool(policy))).collect(),
        }
    }
}

impl TryFrom<PlanDocument> for Plan {
    type Error = DocumentError;

    fn try_from(document: PlanDocument) -> Result<Self, DocumentError> {
        KIND.check(&document.plan_version)?;
        let completion = document.completion;
        let plan = Self {
            specification: Specification {
                file: document.specification.file,
                form: document.specification.form,
                digest: document.specification.digest,
            },
            task: document.task_id,
            title: document.title,
            workspace: PathBuf::from(document.workspace),
            evidence_root: PathBuf::from(document.evidence_root),
            environment: document.environment,
            actions: document.actions.into_iter().map(Action::from).collect(),
            policies: document.policies.into(),
            completion: Completion {
                all_steps_must_pass: completion.all_steps_must_pass,
                minimum_pass_rate: completion.minimum_pass_rate,
                required_evidence: completion.required_evidence,
                task_status_lock: completion.task_status_lock,
            },
            deadline_ms: document.deadline_ms,
        };
        check(&plan).map_err(|problem| KIND.content(problem))?;
        Ok(plan)
    }
}

impl From<ActionDocument> for Action {
    fn from(document: ActionDocument) -> Self {
        Self {
            id: document.action_id,
            phase: document.phase,
            name: document.name,
            work: match document.work {
                WorkDocument::TerminalCommand(command) => Work::Command(command.into()),
                WorkDocument::FileValidation(check) => Work::File(check.into()),
            },
            needs: document.needs,
            deadline_ms: document.deadline_ms,
            grace_ms: document.grace_ms,
            continue_on_failure: document.continue_on_failure,
        }
    }
}

impl From<CommandDocument> for Command {
    fn from(document: CommandDocument) -> Self {
        Self {
            invocation: match document.invocation {
                InvocationDocument::Argv(ArgvDocument { argv }) => Invocation::Argv(argv),
                InvocationDocument::Shell(ShellDocument { shell, pipefail }) => {
                    Invocation::Shell { line: shell, pipefail }
                }
            },
            directory: document.directory,
            environment: document.environment,
            expected_exit_codes: document.expected_exit_codes,
            role: document.role,
            seen_through: document.seen_through,
            allow_no_tests: document.allow_no_tests,
        }
    }
}

impl From<FileDocument> for FileCheck {
    fn from(document: FileDocument) -> Self {
        let expectation = document.present.map_or(FileExpectation::Absent, |content| {
            FileExpectation::Present(FileContent {
                min_size: content.min_size,
                max_size: content.max_size,
                contains: content.contains,
                matches: content.matches,
                sha256: content.sha256,
            })
        });
        Self { path: document.path, expectation }
    }
}

impl From<PoliciesDocument> for Policies {
    fn from(document: PoliciesDocument) -> Self {
        let tool = |policy: ToolPolicyDocument| ToolPolicy {
            enabled: policy.enabled,
            block_on: policy.block_on,
            treat_warnings_as_errors: policy.treat_warnings_as_errors,
            max_warnings: policy.max_warnings,
            ignored_rules: policy.ignored_rules,
            error_on_rules: policy.error_on_rules,
        };
        Self {
            categories: document.categories,
            tools: document.tools.into_iter().map(|(name, policy)| (name, tool(policy))).collect(),
        }
    }
}

/// Checks what the shape cannot say.
fn check(plan: &Plan) -> Result<(), String> {
    for (key, folder) in [("workspace", &plan.workspace), ("evidenceRoot", &plan.evidence_root)] {
        if !folder.is_absolute() {
            return Err(format!("`{key}` is not an absolute folder"));
        }
    }
    if !(0.0..=100.0).contains(&plan.completion.minimum_pass_rate) {
        return Err("`minimumPassRate` lies outside 0 to 100".to_owned());
    }
    if plan.actions.len() > limit::ACTIONS {
        return Err(format!("more than {} actions", limit::ACTIONS));
    }
    if let Some(pair) = plan.actions.windows(2).find(|pair| pair[0].phase > pair[1].phase) {
        return Err(format!("{} comes after {}, which belongs to a later phase", pair[1].id, pair[0].id));
    }
    let mut before: BTreeSet<(Phase, &ActionId)> = BTreeSet::new();
    let mut ids: BTreeSet<&ActionId> = BTreeSet::new();
    for action in &plan.actions {
        if let Some(need) = action.needs.iter().find(|need| !before.contains(&(action.phase, *need))) {
            return Err(format!("{} needs {need}, which does not come before it in its phase", action.id));
        }
        if matches!(&action.work, Work::Command(Command { invocation: Invocation::Argv(argv), .. }) if argv.is_empty())
        {
            return Err(format!("{} has an empty `argv`", action.id));
        }
        if !ids.insert(&action.id) {
            return Err(format!("{} stands twice", action.id));
        }
        before.insert((action.phase, &action.id));
    }
    Ok(())
}
