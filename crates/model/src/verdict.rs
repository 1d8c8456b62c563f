//! The verdict on a task.

use serde::{Deserialize, Serialize};

use crate::baseline::BaselineApplied;
use crate::build_error::BuildError;
use crate::id::ActionId;
use crate::outcome::AgentAction;
use crate::plan::EvidenceKind;
use crate::run_context::waiver::WaiverUse;

pub mod evaluation;

pub use self::evaluation::{Evaluated, Evaluation, EvaluatorAnswer, EvaluatorStatus};

document_words! {
    /// The decision on a task, which alone determines whether it may be called done (ruling 15).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum Decision {
        /// The task may be called done.
        Pass = "PASS",
        /// The task may not be called done: something blocks.
        Fail = "FAIL",
        /// The task could not be judged; never a pass.
        Blocked = "BLOCKED",
    }
}

/// Status of the run as a whole (ruling 15).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum OverallStatus {
    /// The task is complete, and every executed action succeeded.
    Success,
    /// Some actions succeeded and some did not.
    PartialSuccess,
    /// No step succeeded, or a prerequisite failed.
    Failure,
    /// Nothing ran, because the specification is invalid.
    SpecificationError,
    /// A signal interrupted the run.
    Interrupted,
    /// The engine failed.
    InternalError,
}

/// Who acts next (seed 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Next {
    /// No one: the task is done.
    Done,
    /// The planner of the repair.
    Planner,
}

/// Exit code category of a program that judges (design, "Exit codes"); [`exit_code`](crate::exit_code) has the
/// numbers. If several apply, the first one in this order is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Exit {
    /// A signal interrupted the run.
    Interrupted {
        /// Number of the signal (2 or 15).
        signal: i32,
    },
    /// The engine failed.
    Internal,
    /// Evidence could not be written.
    Evidence,
    /// The specification is invalid, or protected files have drifted.
    Specification,
    /// A prerequisite failed.
    Prerequisite,
    /// A tool did not work.
    Execution,
    /// A time limit was exceeded.
    Timeout,
    /// A check failed.
    Failed,
    /// No check ran.
    NothingRan,
    /// Everything passed.
    Passed,
}

/// The verdict on a task.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// Status of the run as a whole.
    pub overall: OverallStatus,
    /// Decision on the task.
    pub decision: Decision,
    /// Reasons for the decision, one sentence each, most severe first; never empty.
    pub reasons: Vec<String>,
    /// Who acts next.
    pub next: Next,
    /// Action requested from the agent.
    pub agent_action: AgentAction,
    /// Ids of blocking actions, in plan order.
    pub blocking: Vec<ActionId>,
    /// Evaluation of the conditions.
    pub criteria: CriteriaEvaluation,
    /// Evaluation of the completion criteria.
    pub completion: CompletionEvaluation,
    /// Result of the evaluator program. None: the specification names none.
    pub evaluator: Option<Evaluated>,
    /// The failure as one structured error; present for every verdict except a pass (ruling 18).
    pub build_error: Option<BuildError>,
    /// Exit code category of the program.
    pub exit: Exit,
    /// The baseline that the run was compared with. None: no baseline.
    pub baseline: Option<BaselineApplied>,
    /// The waivers found by the run, with their effects, by id.
    pub waivers: Vec<WaiverUse>,
}

/// Evaluation of the completion criteria (seed 1, `completionCriteriaEvaluation`).
#[derive(Debug, Clone, PartialEq)]
pub struct CompletionEvaluation {
    /// Whether the task is complete.
    pub complete: bool,
    /// Percentage of the executed steps that succeeded or failed without blocking (ruling 16). None: no step ran.
    pub pass_rate: Option<f64>,
    /// Percentage of the tests run that passed. None: no test is known to have run.
    pub test_pass_rate: Option<f64>,
    /// Kinds of evidence that were collected.
    pub evidence_collected: Vec<EvidenceKind>,
    /// Kinds of required evidence that were not collected.
    pub evidence_missing: Vec<EvidenceKind>,
    /// Reason for the result.
    pub reason: String,
}

/// Evaluation of the conditions (seed 1, `validationCriteriaEvaluation`).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CriteriaEvaluation {
    /// Results of the success conditions, in order.
    pub success: Vec<ConditionResult>,
    /// Results of the failure conditions, in order.
    pub failure: Vec<ConditionResult>,
    /// Results for the expected output, one for each expectation.
    pub expected_output: Vec<ConditionResult>,
}

/// The result of a condition.
#[derive(Debug, Clone, PartialEq)]
pub struct ConditionResult {
    /// Source text of the condition; for an expected output the expectation in the same language.
    pub condition: String,
    /// The author's description of its purpose.
    pub description: String,
    /// Truth value of the condition.
    pub truth: Truth,
    /// Value of the first field that decided the result, if it can be shown.
    pub actual: Option<Actual>,
    /// Reason for the result, in one sentence with the values.
    pub reason: String,
}

/// Result of a condition: three truth values, and one for what a reduced run left out (ruling 14).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Truth {
    /// The condition is met.
    True,
    /// The condition is not met.
    False,
    /// Not known: something that the condition refers to is missing.
    Unknown,
    /// The condition refers to something that this reduced run left out.
    NotJudged,
}

/// A value that a condition evaluated.
#[derive(Debug, Clone, PartialEq)]
pub enum Actual {
    /// A number.
    Number(f64),
    /// A text, cut to [`crate::limit::MESSAGE_BYTES`].
    Text(String),
    /// A boolean.
    Boolean(bool),
    /// Null.
    Null,
    /// A list with this number of elements.
    List(u64),
    /// An object.
    Object,
}
