//! Plans and actions with default settings.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{
    Action, Completion, Criteria, DebtPolicy, EvidenceCapture, Guard, Phase, Plan, Policies, Specification, StepOrder,
    Work,
};
use crate::id::{ActionId, TaskId};
use crate::limit;
use crate::selection::Profile;

impl Plan {
    /// Returns a plan of these actions with default settings.
    pub fn of(
        specification: Specification,
        task: TaskId,
        title: String,
        workspace: PathBuf,
        evidence_root: PathBuf,
        actions: Vec<Action>,
    ) -> Self {
        Self {
            specification,
            task,
            title,
            sprint: None,
            workspace,
            evidence_root,
            part_workspaces: Vec::new(),
            environment: BTreeMap::new(),
            actions,
            policies: Policies::default(),
            completion: Completion::default(),
            criteria: Criteria::default(),
            red_phase: false,
            flaky_fails: false,
            debt: DebtPolicy::default(),
            evaluator: None,
            depends_on: Vec::new(),
            step_order: StepOrder::Listed,
            parallel: false,
            profile: Profile::default(),
            problems: Vec::new(),
            timeout_ms: None,
            guard: Guard::default(),
        }
    }

    /// Returns every directory that was the workspace of a part of the run, the main one first.
    pub fn workspaces(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(&self.workspace).chain(&self.part_workspaces).map(PathBuf::as_path)
    }

    /// Returns the action with this id.
    pub fn action(&self, id: &ActionId) -> Option<&Action> {
        self.actions.iter().find(|action| &action.id == id)
    }
}

impl Action {
    /// Returns an action with default settings.
    pub fn of(id: ActionId, phase: Phase, name: impl Into<String>, work: Work) -> Self {
        Self {
            id,
            phase,
            name: name.into(),
            work,
            needs: Vec::new(),
            timeout_ms: limit::ACTION_DEADLINE_MS,
            grace_ms: limit::GRACE_MS,
            continue_on_failure: true,
            retries: 0,
            expect: None,
            evidence: EvidenceCapture::default(),
            level: None,
            prerequisite: None,
        }
    }
}

impl Default for Completion {
    fn default() -> Self {
        Self {
            all_steps_must_pass: true,
            minimum_pass_rate: 100.0,
            required_evidence: Vec::new(),
            task_status_lock: true,
        }
    }
}
