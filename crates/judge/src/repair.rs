//! What a turn of an agent's run comes to: what is decided after it, what is kept of it, and what the agent is told. Pure,
//! like all judging: the run itself is driven elsewhere.

use referee_model::build_error::{BuildError, BuildErrorType, FailedPhase, SystemError};
use referee_model::gate::{GateAnswer, GateTask};
use referee_model::loop_guard::{LoopBudget, LoopDecision, LoopLimit, LoopState};
use referee_model::progress::Snapshot;
use referee_model::time::Timestamp;
use referee_model::verdict::{Decision, Exit};
use referee_model::verification::VerificationReport;

use crate::build_error::{self, Options};
use crate::loop_guard;

mod feedback;
mod verification;

pub use self::feedback::{Told, feedback};
pub use self::verification::{Checked, verification};

/// What follows after the checks of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterTurn {
    /// It passed.
    Passed,
    /// The agent is told what failed, and has another turn.
    Again {
        /// Whether the last turns brought nothing, so that another plan is needed.
        replan: bool,
    },
    /// It is left to a person; never a pass.
    Leave(Leaving),
}

/// Why a run is left to a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leaving {
    /// What protects the checks was changed, or the specification is wrong: the agent may not touch it, so no turn of the agent
    /// can be trusted to mend it.
    Specification,
    /// All turns were taken.
    Turns,
    /// A limit of ruling 24.
    Limit(LoopLimit),
}

impl Leaving {
    /// Returns it as warnings and messages name it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Specification => "specification",
            Self::Turns => "max_iterations",
            Self::Limit(limit) => limit.as_str(),
        }
    }

    /// Returns it in a sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Specification => {
                "the specification is wrong, or what is protected was changed: that is a person's to mend"
            }
            Self::Turns => "all turns were taken",
            Self::Limit(LoopLimit::SameError) => "the same first failure came again and again",
            Self::Limit(LoopLimit::NoProgress) => "turn after turn nothing got better, also after another plan",
            Self::Limit(LoopLimit::Loops) => "as many turns were taken as one plan may have",
            Self::Limit(LoopLimit::Duration) => "the time was up",
        }
    }
}

/// A turn that was checked.
#[derive(Debug, Clone, Copy)]
pub struct Turn<'a> {
    /// What the gate answers.
    pub answer: &'a GateAnswer,
    /// Its number, from 1.
    pub number: u32,
    /// How many the run may take.
    pub of: u32,
    /// When its work began, and when its checks were over.
    pub span: (Timestamp, Timestamp),
}

/// Decides what follows after a turn, and counts it.
///
/// | in this order                                              | what follows          |
/// |------------------------------------------------------------|-----------------------|
/// | the gate says that it may be called done                   | passed                |
/// | drift, or a wrong specification (exit 3)                   | left to a person      |
/// | a limit of ruling 24 is reached ([`loop_guard::after`])    | left to a person      |
/// | it was the last turn that the run may take                 | left to a person      |
/// | ruling 24 asks for another plan                            | again, with a replan  |
/// | any other                                                  | again                 |
pub fn after(state: &LoopState, budget: &LoopBudget, turn: &Turn<'_>) -> (LoopState, AfterTurn) {
    let passed = turn.answer.decision == Decision::Pass && turn.answer.exit == Exit::Passed;
    let snapshot = Snapshot { passed, ..snapshot(turn.answer) };
    let (next, decision) = loop_guard::after(state, budget, snapshot, turn.span);
    let follows = match decision {
        _ if passed => AfterTurn::Passed,
        _ if turn.answer.exit == Exit::Specification => AfterTurn::Leave(Leaving::Specification),
        LoopDecision::Escalate(limit) => AfterTurn::Leave(Leaving::Limit(limit)),
        _ if turn.number >= turn.of => AfterTurn::Leave(Leaving::Turns),
        // A pass was told above; one that only looks like it is none.
        LoopDecision::Continue | LoopDecision::Passed => AfterTurn::Again { replan: false },
        LoopDecision::Replan => AfterTurn::Again { replan: true },
    };
    (next, follows)
}

/// Takes the snapshots of all tasks together: the first failure is that of the first task that did not pass, and how far it
/// came counts the actions of the tasks before.
pub fn snapshot(answer: &GateAnswer) -> Snapshot {
    let failed = |task: &&GateTask| task.decision != Decision::Pass;
    let first = answer.tasks.iter().position(|task| failed(&task));
    let until = first.map_or(answer.tasks.len(), |first| first + 1);
    let reached = answer.tasks.iter().take(until).fold(0, |sum: usize, task| sum.saturating_add(task.snapshot.reached));
    Snapshot {
        passed: answer.decision == Decision::Pass,
        first_failure: answer.tasks.iter().find(failed).and_then(|task| task.snapshot.first_failure),
        failures: answer.tasks.iter().flat_map(|task| task.snapshot.failures.iter().copied()).collect(),
        reached,
    }
}

/// Makes the structured error of a turn that did not pass. `sealed` is what the sealed report of the first task that did
/// not pass states; where there is none, the verification report tells. Files are named by their bare names.
pub fn error(
    answer: &GateAnswer,
    sealed: Option<&BuildError>,
    report: &VerificationReport,
    (agent_file, verification_file): (&str, &str),
    failed_at: Timestamp,
) -> BuildError {
    let files = |error: BuildError| BuildError {
        agent_result_file: Some(agent_file.to_owned()),
        verification_file: Some(verification_file.to_owned()),
        phase: Some(FailedPhase::Verification),
        failed_at,
        ..error
    };
    if let Some(sealed) = sealed {
        return files(sealed.clone());
    }
    if report.failed_checks().next().is_some() && answer.exit != Exit::Specification {
        let files = (Some(verification_file), Some(agent_file));
        let error = build_error::of_verification_report(report, files.0, files.1, failed_at, Options::default());
        // Held-out checks run where all that can be seen passes, so nothing else is to be told.
        let held_out = answer.held_out.as_ref().filter(|held_out| held_out.decision != Decision::Pass);
        let message = held_out.map_or(error.message, verification::held_out_line);
        return BuildError { message, ..error };
    }
    let reason = answer.tasks.iter().find_map(|task| task.reasons.first());
    files(unanswered(answer.exit, reason.map_or("the gate gives no reason", String::as_str), failed_at))
}

/// Makes the structured error of a gate that gives no answer.
pub fn unanswered(exit: Exit, message: &str, failed_at: Timestamp) -> BuildError {
    let kind = match exit {
        Exit::Specification => BuildErrorType::WorkspaceError,
        _ => BuildErrorType::SystemError,
    };
    let error = SystemError {
        message: message.to_owned(),
        kind: Some(kind),
        phase: Some(FailedPhase::Verification),
        ..SystemError::default()
    };
    build_error::of_system_error(&error, failed_at, Options::default())
}

#[cfg(test)]
mod tests;
