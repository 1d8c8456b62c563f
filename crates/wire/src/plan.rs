//! `plan.json`: what was to run, whole. Evidence binds to the digest of its canonical form.

use std::collections::BTreeMap;
use std::path::PathBuf;

use referee_model::id::{ActionId, Digest, TaskId};
use referee_model::plan::guard::Guard;
use referee_model::plan::{Completion, DebtPolicy, Form, Plan, Specification, SpecificationProblem, StepOrder};
use referee_model::selection::Profile;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::action::ActionDocument;
use self::criteria::CriteriaDocument;
use self::evaluator::EvaluatorDocument;
use self::policies::PoliciesDocument;
use crate::canonical::{self, CanonicalError};
use crate::document::{DocumentError, Kind};
use crate::form;

pub(crate) use self::template::Name;

mod action;
mod check;
mod criteria;
mod evaluator;
mod file;
mod http;
mod policies;
mod service;
mod template;

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
    task_id: TaskId,
    /// A line for people.
    title: String,
    /// The sprint that the specification names.
    sprint: Option<String>,
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
    completion: Completion,
    /// Conditions over the actions, beside their outcomes.
    criteria: CriteriaDocument,
    /// Whether its tests are expected to fail.
    red_phase: bool,
    /// Whether a pass after a failure blocks.
    flaky_fails: bool,
    /// How debt is kept and routed.
    debt: DebtPolicy,
    /// The program that is asked for its word on the judged run. Null: none.
    evaluator: Option<EvaluatorDocument>,
    /// Tasks of the same specification that must have passed before.
    depends_on: Vec<TaskId>,
    /// Which order the steps keep.
    step_order: StepOrder,
    /// Whether steps run at once where nothing is said about it at the prompt.
    parallel: bool,
    /// How much runs where nothing is said about it at the prompt.
    profile: Profile,
    /// What stands in the way of running it.
    problems: Vec<ProblemDocument>,
    /// Deadline over all prerequisites and steps, in milliseconds.
    deadline_ms: Option<u64>,
    /// What the specification says of the gate itself.
    #[serde(default)]
    guard: Guard,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SpecificationDocument {
    /// File name, relative to the workspace where it lies below it.
    file: String,
    /// The form it was written in.
    form: Form,
    /// SHA-256 of the file's bytes.
    digest: Digest,
}

/// Something in a specification that keeps a task from running.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ProblemDocument {
    /// The action that it is about. Null: the whole task.
    action_id: Option<ActionId>,
    /// What is wrong, and what to do.
    message: String,
    /// Where it stands, as a JSON pointer into the specification.
    pointer: String,
    /// What of the schema it breaks, or a word of our own where the schema cannot say it.
    keyword: String,
    /// Where that stands in the published schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    schema_path: Option<String>,
    /// The values that it allows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    allowed_values: Vec<String>,
    /// 1-based line in the specification.
    line: u32,
    /// 1-based column in that line.
    column: u32,
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
        sprint: plan.sprint.clone(),
        workspace: plan.workspace.to_string_lossy().into_owned(),
        evidence_root: plan.evidence_root.to_string_lossy().into_owned(),
        environment: plan.environment.clone(),
        actions: plan.actions.iter().map(ActionDocument::from).collect(),
        policies: (&plan.policies).into(),
        completion: plan.completion.clone(),
        criteria: (&plan.criteria).into(),
        red_phase: plan.red_phase,
        flaky_fails: plan.flaky_fails,
        debt: plan.debt.clone(),
        evaluator: plan.evaluator.as_ref().map(EvaluatorDocument::from),
        depends_on: plan.depends_on.clone(),
        step_order: plan.step_order,
        parallel: plan.parallel,
        profile: plan.profile,
        problems: plan.problems.iter().map(ProblemDocument::from).collect(),
        deadline_ms: plan.deadline_ms,
        guard: plan.guard.clone(),
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
    let document = KIND.read::<PlanDocument>(bytes)?;
    KIND.check(&document.plan_version)?;
    let plan = Plan::try_from(document).map_err(|problem| KIND.content(problem))?;
    check::check(&plan).map_err(|problem| KIND.content(problem))?;
    Ok(plan)
}

impl From<&SpecificationProblem> for ProblemDocument {
    fn from(problem: &SpecificationProblem) -> Self {
        Self {
            action_id: problem.action.clone(),
            message: problem.message.clone(),
            pointer: problem.pointer.clone(),
            keyword: problem.keyword.clone(),
            schema_path: problem.schema_path.clone(),
            allowed_values: problem.allowed.clone(),
            line: problem.line,
            column: problem.column,
        }
    }
}

impl TryFrom<PlanDocument> for Plan {
    type Error = String;

    fn try_from(document: PlanDocument) -> Result<Self, String> {
        Ok(Self {
            specification: Specification {
                file: document.specification.file,
                form: document.specification.form,
                digest: document.specification.digest,
            },
            task: document.task_id,
            title: document.title,
            sprint: document.sprint,
            workspace: PathBuf::from(document.workspace),
            evidence_root: PathBuf::from(document.evidence_root),
            environment: document.environment,
            actions: document.actions.into_iter().map(TryInto::try_into).collect::<Result<_, _>>()?,
            policies: document.policies.into(),
            completion: document.completion,
            criteria: document.criteria.try_into()?,
            red_phase: document.red_phase,
            flaky_fails: document.flaky_fails,
            debt: document.debt,
            evaluator: document.evaluator.map(TryInto::try_into).transpose()?,
            depends_on: document.depends_on,
            step_order: document.step_order,
            parallel: document.parallel,
            profile: document.profile,
            problems: document.problems.into_iter().map(SpecificationProblem::from).collect(),
            deadline_ms: document.deadline_ms,
            guard: document.guard,
        })
    }
}

impl From<ProblemDocument> for SpecificationProblem {
    fn from(document: ProblemDocument) -> Self {
        Self {
            action: document.action_id,
            message: document.message,
            pointer: document.pointer,
            keyword: document.keyword,
            schema_path: document.schema_path,
            allowed: document.allowed_values,
            line: document.line,
            column: document.column,
        }
    }
}
