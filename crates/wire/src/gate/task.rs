//! One task of an answer of the gate.

use referee_model::diagnostic_log::DiagnosticSource;
use referee_model::gate::{Basis, CheckFacts, CheckStanding, Edit, GateCheck, GateTask};
use referee_model::id::{ActionId, ExecutionId, TaskId};
use referee_model::outcome::Outcome;
use referee_model::plan::Role;
use referee_model::progress::Snapshot;
use referee_model::reading::TestCounts;
use referee_model::time::Timestamp;
use referee_model::verdict::{Decision, Exit};
use serde::{Deserialize, Serialize};

use referee_model::exit_code;
use referee_model::number::Count;

/// One task of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GateTaskDocument {
    /// The task.
    task_id: TaskId,
    /// Its title.
    title: String,
    /// Its run.
    execution_id: ExecutionId,
    /// Whether it ran for this question.
    basis: Basis,
    decision: Decision,
    /// What a program would exit with for this task alone.
    exit_code: u8,
    /// Whether something was left out: such a run never counts as done.
    reduced: bool,
    /// Why, gravest first.
    reasons: Vec<String>,
    /// Protected files that were edited in a way that does not block, or that is waived; tests first.
    #[serde(default)]
    edited: Vec<Edit>,
    /// What asks for less than before and does not block, a sentence each: fewer tests, tests and tools that were switched off.
    #[serde(default)]
    weaker: Vec<String>,
    /// Where its sealed report lies.
    report: String,
    /// When its run was over.
    ended: Timestamp,
    /// Its tests together, as far as they were counted. Null: of none is known how many ran.
    tests: Option<TestCounts>,
    /// Its checks, in plan order.
    checks: Vec<CheckDocument>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct CheckDocument {
    action_id: ActionId,
    /// Its name.
    name: String,
    /// What it is about.
    source: DiagnosticSource,
    /// How it stands.
    standing: CheckStanding,
    /// The role by which its command is judged. Null: it is no command.
    role: Option<Role>,
    /// How it came out. Null: it never ran.
    outcome: Option<Outcome>,
    /// Its tests, as far as they were counted. Null: how many ran is not known.
    tests: Option<TestCounts>,
    /// Milliseconds that it took. Null: it never ran.
    #[serde(default)]
    duration: Option<Count>,
}

impl From<&GateTask> for GateTaskDocument {
    fn from(task: &GateTask) -> Self {
        let check = |check: &GateCheck| CheckDocument {
            action_id: check.action.clone(),
            name: check.name.clone(),
            source: check.source,
            standing: check.standing,
            role: check.facts.role,
            outcome: check.facts.outcome,
            tests: check.facts.tests,
            duration: check.facts.duration_ms.map(Count::from),
        };
        Self {
            task_id: task.task.clone(),
            title: task.title.clone(),
            execution_id: task.execution.clone(),
            basis: task.basis,
            decision: task.decision,
            exit_code: exit_code::of(task.exit),
            reduced: task.reduced,
            reasons: task.reasons.clone(),
            edited: task.edited.clone(),
            weaker: task.weaker.clone(),
            report: task.report.clone(),
            ended: task.ended,
            tests: task.tests,
            checks: task.checks.iter().map(check).collect(),
        }
    }
}

impl GateTaskDocument {
    /// The task that it is about.
    pub fn task_id(&self) -> &TaskId {
        &self.task_id
    }

    /// Returns it as a recorded verdict. None: it is none that is ever recorded, which are a whole run that passed, and
    /// one in which a check failed.
    pub fn recorded(self, snapshot: Snapshot) -> Option<GateTask> {
        let exit = match (self.decision, self.exit_code) {
            (Decision::Pass, exit_code::PASSED) => Exit::Passed,
            (Decision::Fail, exit_code::FAILED) => Exit::Failed,
            _ => return None,
        };
        let fits = !self.reduced && snapshot.passed == (self.decision == Decision::Pass);
        let check = |check: CheckDocument| GateCheck {
            action: check.action_id,
            name: check.name,
            source: check.source,
            standing: check.standing,
            facts: CheckFacts {
                role: check.role,
                outcome: check.outcome,
                tests: check.tests,
                duration_ms: check.duration.map(u64::from),
            },
        };
        fits.then(|| GateTask {
            task: self.task_id,
            title: self.title,
            execution: self.execution_id,
            basis: Basis::Recorded,
            decision: self.decision,
            exit,
            reduced: false,
            reasons: self.reasons,
            edited: self.edited,
            weaker: self.weaker,
            report: self.report,
            ended: self.ended,
            tests: self.tests,
            checks: self.checks.into_iter().map(check).collect(),
            snapshot,
        })
    }
}
