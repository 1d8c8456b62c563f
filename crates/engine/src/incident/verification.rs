//! Runs the checks of an incident's plan through the engine, with evidence, and judged like any run.
//!
//! The checks run as the specification defines them now: a plan only names them, and an agent could change the
//! text beside the names. The evidence is kept in the loop's directory, so that the project's own, which is about
//! all checks, does not change.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use referee_exec::signal::Cancellation;
use referee_model::gate::GateAnswer;
use referee_model::id::{ActionId, Digest, TaskId};
use referee_model::incident::remediation::Verification;
use referee_model::plan::{Action, Criteria, Phase, Plan};
use referee_model::selection::Profile;
use referee_model::suite::Suite;
use referee_spec::{Options, discover};
use serde_json::{Value, json};

use super::repair_loop::{COMMANDS_TASK, is_check};
use crate::agent_loop::GateReply;
use crate::context::{Context, SpecificationNames};
use crate::error::EngineError;
use crate::event_sink::EventSink;
use crate::gate::{self, Asking, GateResult};
use crate::run::{GateOptions, RunBuilder};

/// How the checks of incidents run.
#[derive(Debug, Clone, Default)]
pub struct VerificationOptions {
    /// The specification. If none is named: the nearest one, or no checks if there is none.
    pub specification: SpecificationNames,
    /// Options of the runs.
    pub gate: GateOptions,
}

/// The checks of a project, as they were when a loop began.
#[derive(Debug)]
pub(super) struct Checks {
    options: VerificationOptions,
    /// `None` if the project has no specification, so that only commands can run.
    suite: Option<Suite>,
    workspace: PathBuf,
}

impl Checks {
    /// Loads the specification that is named, or the nearest one.
    pub(super) fn load(
        context: &Context,
        options: VerificationOptions,
        events: &mut dyn EventSink,
    ) -> Result<Self, EngineError> {
        let suite = specification(context, &options, events)?;
        let of_suite = suite.as_ref().and_then(|suite| suite.tasks.first()).map(|plan| plan.workspace.clone());
        let named = options.specification.workspace.as_ref().map(|workspace| context.directory.join(workspace));
        let workspace = of_suite.or(named).unwrap_or_else(|| context.directory.clone());
        Ok(Self { options, suite, workspace })
    }

    /// Returns the workspace.
    pub(super) fn workspace(&self) -> &Path {
        &self.workspace
    }

    /// Returns all tasks of the specification. Empty without one.
    pub(super) fn tasks(&self) -> &[Plan] {
        self.suite.as_ref().map_or(&[], |suite| &suite.tasks)
    }

    /// Returns the specification, as a list of none or one.
    pub(super) fn suites(&self) -> &[Suite] {
        self.suite.as_slice()
    }

    fn digest(&self) -> Option<Digest> {
        self.suite.as_ref().map(|suite| suite.specification.digest)
    }

    /// Runs the checks that a plan names, with evidence in a directory of the incident's loop. If they cannot run,
    /// the answer is no pass.
    pub(super) fn ask(
        &self,
        context: &Context,
        (root, evidence): (&Path, PathBuf),
        verifications: &[Verification],
        cancellation: &Cancellation,
        events: &mut dyn EventSink,
    ) -> GateReply {
        let location = EvidenceLocation { root, evidence };
        GateReply::of(self.answer(context, &location, verifications, cancellation, events))
    }

    fn answer(
        &self,
        context: &Context,
        location: &EvidenceLocation<'_>,
        verifications: &[Verification],
        cancellation: &Cancellation,
        events: &mut dyn EventSink,
    ) -> Result<GateAnswer, EngineError> {
        let suite = specification(context, &self.options, events)?;
        if suite.as_ref().map(|suite| suite.specification.digest) != self.digest() {
            return Err(EngineError::specification(
                "the specification is not as it was when the loop began: whether that may be so is for a person to say"
                    .to_owned(),
            ));
        }
        let suite = match suite {
            Some(suite) => suite,
            None => commands(&self.workspace, &[])?,
        };
        let builder = RunBuilder::new(context, &self.options.gate, std::slice::from_ref(&suite), cancellation)?;
        let mut ready = builder.prepare(&suite, events)?;
        ready.suite = location.narrowed(&ready.suite, verifications)?;
        let asking = Asking { reuse: false, timeout: None };
        let GateResult { mut answer, .. } = gate::ask_about(&ready.request()?, asking, events)?;
        answer.notes.extend(ready.doubts());
        Ok(answer)
    }
}

/// Returns the steps of tasks as plans name them.
pub(super) fn steps(tasks: &[&Plan]) -> Vec<Verification> {
    let of_action = |plan: &Plan, action: &Action| {
        let id = if tasks.len() == 1 { action.id.to_string() } else { format!("{}/{}", plan.task, action.id) };
        Verification::Check { command: action.work.as_line(), action: id }
    };
    let actions = tasks.iter().flat_map(|plan| plan.actions.iter().map(move |action| (*plan, action)));
    let steps = actions.filter(|(_, action)| action.phase == Phase::Step);
    steps.map(|(plan, action)| of_action(plan, action)).collect()
}

/// Location of the evidence of an incident's checks.
struct EvidenceLocation<'root> {
    root: &'root Path,
    evidence: PathBuf,
}

impl EvidenceLocation<'_> {
    /// Builds a suite of the steps that a plan names and of their needs.
    fn narrowed(&self, suite: &Suite, verifications: &[Verification]) -> Result<Suite, EngineError> {
        let checks: Vec<&str> = verifications
            .iter()
            .filter_map(|verification| match verification {
                Verification::Check { action, .. } => Some(action.as_str()),
                _ => None,
            })
            .collect();
        let is_there = |name: &str| {
            let actions = suite.tasks.iter().flat_map(|plan| plan.actions.iter().map(move |action| (plan, action)));
            let mut steps = actions.filter(|(_, action)| action.phase == Phase::Step);
            steps.any(|(plan, action)| is_check(name, &plan.task, &action.id))
        };
        if let Some(gone) = checks.iter().find(|name| !is_there(name)) {
            return Err(EngineError::specification(format!(
                "the plan names the check {gone}, and the specification has none of that id"
            )));
        }
        let mut tasks: Vec<Plan> = suite.tasks.iter().filter_map(|plan| self.narrowed_task(plan, &checks)).collect();
        let kept: BTreeSet<TaskId> = tasks.iter().map(|plan| plan.task.clone()).collect();
        for plan in &mut tasks {
            plan.depends_on.retain(|task| kept.contains(task));
        }
        let others: Vec<&Verification> =
            verifications.iter().filter(|verification| !matches!(verification, Verification::Check { .. })).collect();
        if let (false, Some(first)) = (others.is_empty(), suite.tasks.first()) {
            tasks.push(self.commands_task(first, &others)?);
        }
        Ok(Suite { tasks, ..suite.clone() })
    }

    /// Returns a task with only the named steps and their needs. `None` if it has none of them. A narrowed task
    /// has no conditions, since those over left-out steps cannot be judged.
    fn narrowed_task(&self, plan: &Plan, checks: &[&str]) -> Option<Plan> {
        let is_named = |action: &Action| checks.iter().any(|name| is_check(name, &plan.task, &action.id));
        let mut kept: BTreeSet<ActionId> = BTreeSet::new();
        // Needs come before the actions that need them.
        for action in plan.actions.iter().rev() {
            if action.phase != Phase::Step || is_named(action) || kept.contains(&action.id) {
                kept.insert(action.id.clone());
                kept.extend(action.needs.iter().cloned());
            }
        }
        if !plan.actions.iter().any(|action| action.phase == Phase::Step && is_named(action)) {
            return None;
        }
        let mut narrowed = self.moved(plan.clone());
        narrowed.actions.retain(|action| kept.contains(&action.id));
        if narrowed.actions.len() < plan.actions.len() {
            narrowed.criteria = Criteria::default();
            narrowed.completion.required_evidence.clear();
            narrowed.evaluator = None;
        }
        Some(narrowed)
    }

    /// Returns the task for commands that are not checks, with the project's variables, policies and protection.
    fn commands_task(&self, project: &Plan, commands_: &[&Verification]) -> Result<Plan, EngineError> {
        let made = commands(&project.workspace, commands_)?;
        let made = made
            .tasks
            .into_iter()
            .next()
            .ok_or_else(|| EngineError::specification("nothing is to be run".to_owned()))?;
        let mut plan = self.moved(Plan {
            task: made.task,
            title: made.title,
            actions: made.actions,
            completion: made.completion,
            criteria: made.criteria,
            red_phase: false,
            evaluator: None,
            depends_on: Vec::new(),
            problems: Vec::new(),
            ..project.clone()
        });
        for (action, verification) in plan.actions.iter_mut().zip(commands_) {
            action.name.clone_from(verification.command());
        }
        Ok(plan)
    }

    /// Returns the same task with its evidence in the loop's directory. Neither the incidents nor the task's own
    /// evidence root are inputs.
    fn moved(&self, plan: Plan) -> Plan {
        let mut moved = Plan { profile: Profile::Strict, evidence_root: self.evidence.clone(), ..plan };
        moved.completion.task_status_lock = false;
        for directory in [self.root, plan.evidence_root.as_path()] {
            let inside = directory.strip_prefix(&moved.workspace).ok().and_then(Path::to_str);
            moved.guard.outputs.extend(inside.filter(|inside| !inside.is_empty()).map(str::to_owned));
        }
        moved
    }
}

/// Loads the selected specification. Returns `None` if none is named and none is found.
fn specification(
    context: &Context,
    options: &VerificationOptions,
    events: &mut dyn EventSink,
) -> Result<Option<Suite>, EngineError> {
    if options.specification.files.is_empty() && discover::find(&context.directory).is_err() {
        return Ok(None);
    }
    let refusal = "an incident is checked by one specification: name one";
    context.load_single(&options.specification, refusal, events).map(Some)
}

/// Returns a suite of commands alone, each a check of its own.
fn commands(workspace: &Path, verifications: &[&Verification]) -> Result<Suite, EngineError> {
    let check = |verification: &&Verification| match verification {
        Verification::Captured { argv, .. } => json!({ "argv": argv }),
        _ => json!({ "run": verification.command() }),
    };
    let mut checks: BTreeMap<String, Value> = BTreeMap::new();
    for (index, verification) in verifications.iter().enumerate() {
        checks.insert(format!("command-{:03}", index + 1), check(verification));
    }
    if checks.is_empty() {
        // A specification must have a check; this one is replaced.
        checks.insert("none".to_owned(), json!({ "argv": ["false"] }));
    }
    let text =
        serde_json::to_vec(&json!({ "checks": checks })).map_err(|error| EngineError::internal(error.to_string()))?;
    let options = Options { workspace: Some(workspace.to_path_buf()) };
    let mut suite = referee_spec::load_text(&workspace.join("incident.json"), &text, &options)?.suite;
    let task = TaskId::parse(COMMANDS_TASK).map_err(|error| EngineError::internal(error.to_string()))?;
    for plan in &mut suite.tasks {
        plan.task = task.clone();
        "The incident's own commands".clone_into(&mut plan.title);
    }
    Ok(suite)
}
