//! Whether a specification is weaker than before (design, "Lock"): compares two plans, fact by fact.
//!
//! New and stricter facts are not listed, except for a new check that `exitCodeOnly` allows to pass without a
//! summary. The kind of a weakening determines whether it blocks; see `docs/design/weakening.md` for the
//! tables. Nothing here depends on the environment, except for [`with_text`], which loads the text of the
//! baseline.

mod action;
mod answer;
mod baseline;
mod command;
mod criteria;
mod environment;
mod file;
mod guard;
mod interaction;
mod pairs;
mod policy;
mod service;
mod weaker;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use referee_model::id::TaskId;
use referee_model::plan::{Evaluator, Phase, Plan, Work};
use referee_model::run_context::protection::Weakening;
use referee_model::run_context::weakening::WeakeningKind as Kind;
use referee_model::suite::Suite;

pub use self::baseline::{Compared, with_text};
use self::pairs::Pairs;
use self::weaker::Weaker;

/// Weakenings of a specification.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Weakenings {
    /// Weakenings that belong to no task: removed tasks.
    pub of_suite: Vec<Weakening>,
    /// Weakenings of each task.
    pub of_tasks: BTreeMap<TaskId, Vec<Weakening>>,
}

impl Weakenings {
    /// Returns the weakenings to report for a run of one task: its own, and removed tasks.
    pub fn of_task(&self, task: &TaskId) -> Vec<Weakening> {
        self.of_suite.iter().chain(self.of_tasks.get(task).into_iter().flatten()).cloned().collect()
    }

    /// Returns whether nothing is weaker.
    pub fn is_empty(&self) -> bool {
        self.of_suite.is_empty() && self.of_tasks.values().all(Vec::is_empty)
    }
}

/// Compares all tasks. Tasks are matched by id; if there was only one and is only one, these match.
pub fn compare(before: &Suite, after: &Suite) -> Weakenings {
    let mut gone = Weaker::default();
    let mut of_tasks = BTreeMap::new();
    let is_only = before.tasks.len() == 1 && after.tasks.len() == 1;
    for old in &before.tasks {
        let new = after.task(&old.task).or_else(|| after.tasks.first().filter(|_| is_only));
        match new {
            Some(new) => drop(of_tasks.insert(new.task.clone(), compare_plans(old, new))),
            None => gone.add(Kind::TaskRemoved, old.task.as_str(), &old.title, "not there"),
        }
    }
    Weakenings { of_suite: gone.done(), of_tasks }
}

/// Compares two plans of one task.
pub fn compare_plans(before: &Plan, after: &Plan) -> Vec<Weakening> {
    let mut weaker = Weaker::default();
    let directory = |plan: &Plan| plan.workspace.display().to_string();
    if before.workspace != after.workspace {
        weaker.add(Kind::WorkspaceChanged, "workspace", directory(before), directory(after));
    }
    environment::compare("env", &before.environment, &after.environment, &mut weaker);
    actions(before, after, &mut weaker);
    policy::compare(&before.policies, &after.policies, &mut weaker);
    criteria::compare(before, after, &mut weaker);
    guard::compare(&before.guard, &after.guard, &mut weaker);
    evaluator(before.evaluator.as_ref(), after.evaluator.as_ref(), &mut weaker);
    weaker.done()
}

fn actions(before: &Plan, after: &Plan, weaker: &mut Weaker) {
    let Pairs { same, gone, new } = pairs::find(before, after);
    for (old, new) in same {
        action::compare(old, new, weaker);
    }
    for old in gone.into_iter().filter(|old| old.phase != Phase::Cleanup) {
        weaker.add(Kind::CheckRemoved, &old.name, action::described(old), "not there");
    }
    for added in new {
        if matches!(&added.work, Work::Command(command) if command.exit_code_only) {
            weaker.add(Kind::CheckByExitCodeAdded, &added.name, "not there", "the exit code alone decides");
        }
    }
}

fn evaluator(before: Option<&Evaluator>, after: Option<&Evaluator>, weaker: &mut Weaker) {
    let line = |evaluator: &Evaluator| evaluator.command.invocation.as_line();
    match (before, after) {
        (Some(old), None) => weaker.add(Kind::EvaluatorRemoved, Evaluator::NAME, line(old), "not there"),
        (Some(old), Some(new)) => {
            if (&old.command.invocation, &old.command.directory) != (&new.command.invocation, &new.command.directory) {
                weaker.add(Kind::EvaluatorChanged, Evaluator::NAME, line(old), line(new));
            }
            let [old, new] = [old, new].map(|evaluator| &evaluator.command.environment);
            environment::compare(Evaluator::NAME, old, new, weaker);
        }
        (None, _) => {}
    }
}
