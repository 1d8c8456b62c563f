//! The checks of an incident's plan, run through the engine with evidence, and judged like any run.
//!
//! What runs is what the specification says now: a plan only names its checks, and an agent could write another text beside
//! them. The evidence lies in the loop's folder, so that the project's own, which is about all checks, stays what it is.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use referee_engine::agent_loop::Asked;
use referee_engine::context::Context;
use referee_engine::gate::{self, Asking, GateResult};
use referee_engine::incident::running::{COMMANDS_TASK, is_check};
use referee_engine::problem::{Kind, Problem};
use referee_engine::run::RunBuilder;
use referee_exec::signal::Cancellation;
use referee_model::gate::GateAnswer;
use referee_model::id::{ActionId, Digest, TaskId};
use referee_model::incident::id::IncidentId;
use referee_model::incident::remediation::{Verification, VerificationOrigin};
use referee_model::plan::{Action, Criteria, Phase, Plan};
use referee_model::selection::Profile;
use referee_model::suite::Suite;
use referee_spec::Options;
use serde_json::{Value, json};

use crate::args::incident::running::Verifying;
use crate::follower::Notes;
use crate::resolve;

/// The checks of a project, as they were when a loop began.
#[derive(Debug)]
pub(in crate::command) struct Checks {
    /// None: the project has no specification, so that only commands can be run.
    suite: Option<Suite>,
    workspace: PathBuf,
}

impl Checks {
    /// Loads the specification that is named, or the nearest one. Where none is named and there is none there are no checks.
    pub(in crate::command) fn load(context: &Context, verifying: &Verifying) -> Result<Self, Problem> {
        let suite = specification(context, verifying)?;
        let of_suite = suite.as_ref().and_then(|suite| suite.tasks.first()).map(|plan| plan.workspace.clone());
        let named = verifying.specification.workspace.as_ref().map(|workspace| context.directory.join(workspace));
        let workspace = of_suite.or(named).unwrap_or_else(|| context.directory.clone());
        Ok(Self { suite, workspace })
    }

    /// Returns the folder that everything happens in.
    pub(in crate::command) fn workspace(&self) -> &Path {
        &self.workspace
    }

    /// Returns all steps of the specification, as plans name them.
    pub(in crate::command) fn all(&self) -> Vec<Verification> {
        let tasks = self.suite.iter().flat_map(|suite| &suite.tasks);
        let is_one = self.suite.as_ref().is_some_and(|suite| suite.tasks.len() == 1);
        let of_action = |plan: &Plan, action: &Action| {
            let id = if is_one { action.id.to_string() } else { format!("{}/{}", plan.task, action.id) };
            Verification { command: action.work.as_line(), origin: VerificationOrigin::Check(id) }
        };
        let steps = tasks.flat_map(|plan| {
            let steps = plan.actions.iter().filter(|action| action.phase == Phase::Step);
            steps.map(|action| of_action(plan, action)).collect::<Vec<_>>()
        });
        steps.collect()
    }

    fn digest(&self) -> Option<Digest> {
        self.suite.as_ref().map(|suite| suite.specification.digest)
    }

    /// Runs the checks that a plan names. Whatever keeps them from being run is no pass.
    pub(in crate::command) fn ask(
        &self,
        context: &Context,
        verifying: &Verifying,
        (root, id, evidence): (&Path, &IncidentId, &str),
        verifications: &[Verification],
        cancellation: &Cancellation,
    ) -> Asked {
        let place = Place { root, evidence: root.join("error_runs").join(id.as_str()).join("evidence").join(evidence) };
        Asked::of(self.answer(context, verifying, &place, verifications, cancellation))
    }

    fn answer(
        &self,
        context: &Context,
        verifying: &Verifying,
        place: &Place<'_>,
        verifications: &[Verification],
        cancellation: &Cancellation,
    ) -> Result<GateAnswer, Problem> {
        let suite = specification(context, verifying)?;
        if suite.as_ref().map(|suite| suite.specification.digest) != self.digest() {
            return Err(wrong(
                "the specification is not as it was when the loop began: whether that may be so is for a person to say"
                    .to_owned(),
            ));
        }
        let suite = match suite {
            Some(suite) => suite,
            None => commands(&self.workspace, &[])?,
        };
        let options = verifying.holding.options();
        let builder = RunBuilder::new(context, &options, std::slice::from_ref(&suite), cancellation)?;
        let events = &mut Notes::new(context);
        let mut ready = builder.prepare(&suite, events)?;
        ready.suite = place.narrowed(&ready.suite, verifications)?;
        let asking = Asking { reuse: false, timeout: None };
        let GateResult { mut answer, .. } = gate::ask_about(&ready.request()?, asking, events)?;
        answer.notes.extend(ready.doubts());
        Ok(answer)
    }
}

/// Where the evidence of an incident's checks goes.
struct Place<'place> {
    root: &'place Path,
    evidence: PathBuf,
}

impl Place<'_> {
    /// Makes a suite of what a plan names, and of what that needs.
    fn narrowed(&self, suite: &Suite, verifications: &[Verification]) -> Result<Suite, Problem> {
        let checks: Vec<&str> = verifications
            .iter()
            .filter_map(|verification| match &verification.origin {
                VerificationOrigin::Check(name) => Some(name.as_str()),
                _ => None,
            })
            .collect();
        let is_there = |name: &str| {
            let actions = suite.tasks.iter().flat_map(|plan| plan.actions.iter().map(move |action| (plan, action)));
            let mut steps = actions.filter(|(_, action)| action.phase == Phase::Step);
            steps.any(|(plan, action)| is_check(name, &plan.task, &action.id))
        };
        if let Some(gone) = checks.iter().find(|name| !is_there(name)) {
            return Err(wrong(format!("the plan names the check {gone}, and the specification has none of that id")));
        }
        let mut tasks: Vec<Plan> = suite.tasks.iter().filter_map(|plan| self.narrowed_task(plan, &checks)).collect();
        let kept: BTreeSet<TaskId> = tasks.iter().map(|plan| plan.task.clone()).collect();
        for plan in &mut tasks {
            plan.depends_on.retain(|task| kept.contains(task));
        }
        let others: Vec<&Verification> = verifications
            .iter()
            .filter(|verification| !matches!(verification.origin, VerificationOrigin::Check(_)))
            .collect();
        if let (false, Some(first)) = (others.is_empty(), suite.tasks.first()) {
            tasks.push(self.commands_task(first, &others)?);
        }
        Ok(Suite { tasks, ..suite.clone() })
    }

    /// A task with the named steps and what they need alone. None: it has none of them. Conditions over steps that are left
    /// out cannot be judged, so a narrowed task has none.
    fn narrowed_task(&self, plan: &Plan, checks: &[&str]) -> Option<Plan> {
        let is_named = |action: &Action| checks.iter().any(|name| is_check(name, &plan.task, &action.id));
        let mut kept: BTreeSet<ActionId> = BTreeSet::new();
        // Needs stand before what needs them.
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

    /// The task of what is no check: with the project's variables, policies and protection.
    fn commands_task(&self, project: &Plan, commands_: &[&Verification]) -> Result<Plan, Problem> {
        let made = commands(&project.workspace, commands_)?;
        let made = made.tasks.into_iter().next().ok_or_else(|| wrong("nothing is to be run".to_owned()))?;
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
            action.name.clone_from(&verification.command);
        }
        Ok(plan)
    }

    /// The same task with its evidence in the loop's folder. What lies beside it is no input.
    fn moved(&self, plan: Plan) -> Plan {
        let mut moved = Plan { profile: Profile::Strict, evidence_root: self.evidence.clone(), ..plan };
        moved.completion.task_status_lock = false;
        for folder in [self.root, plan.evidence_root.as_path()] {
            let inside = folder.strip_prefix(&moved.workspace).ok().and_then(Path::to_str);
            moved.guard.outputs.extend(inside.filter(|inside| !inside.is_empty()).map(str::to_owned));
        }
        moved
    }
}

/// Loads the one specification that is meant. None: nothing is named, and there is none.
fn specification(context: &Context, verifying: &Verifying) -> Result<Option<Suite>, Problem> {
    if verifying.specification.files.is_empty() && referee_spec::discover::find(&context.directory).is_err() {
        return Ok(None);
    }
    let refusal = "an incident is checked by one specification: name one";
    resolve::load_one(context, &verifying.specification, refusal).map(Some)
}

/// A suite of commands alone, each a check of its own.
fn commands(workspace: &Path, verifications: &[&Verification]) -> Result<Suite, Problem> {
    let check = |verification: &&Verification| match &verification.origin {
        VerificationOrigin::Captured(argv) => json!({ "argv": argv }),
        _ => json!({ "run": verification.command }),
    };
    let mut checks: BTreeMap<String, Value> = BTreeMap::new();
    for (place, verification) in verifications.iter().enumerate() {
        checks.insert(format!("command-{:03}", place + 1), check(verification));
    }
    if checks.is_empty() {
        // A specification has a check; this one is replaced.
        checks.insert("none".to_owned(), json!({ "argv": ["false"] }));
    }
    let text =
        serde_json::to_vec(&json!({ "checks": checks })).map_err(|error| Problem::internal(error.to_string()))?;
    let options = Options { workspace: Some(workspace.to_path_buf()) };
    let mut suite = referee_spec::load_text(&workspace.join("incident.json"), &text, &options)?.suite;
    let task = TaskId::parse(COMMANDS_TASK).map_err(|error| Problem::internal(error.to_string()))?;
    for plan in &mut suite.tasks {
        plan.task = task.clone();
        "The incident's own commands".clone_into(&mut plan.title);
    }
    Ok(suite)
}

fn wrong(message: String) -> Problem {
    Problem { kind: Kind::Specification, message, complaints: Vec::new() }
}
