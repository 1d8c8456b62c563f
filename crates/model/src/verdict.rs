//! The judged task.

use serde::{Deserialize, Serialize};

use crate::baseline::BaselineApplied;
use crate::build_error::BuildError;
use crate::id::ActionId;
use crate::outcome::AgentAction;
use crate::plan::EvidenceKind;
use crate::run_context::waiver::WaiverUse;

pub mod evaluation;

pub use self::evaluation::{Evaluated, Evaluation, EvaluatorAnswer, EvaluatorStatus};

/// The one thing that gates (ruling 15).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Decision {
    /// It may be called done.
    Pass,
    /// It may not: something blocks.
    Fail,
    /// It could not be judged; never a pass.
    Blocked,
}

/// How the run as a whole came out (ruling 15).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum OverallStatus {
    /// Complete, and every executed action succeeded.
    Success,
    /// Something succeeded and something did not.
    PartialSuccess,
    /// No step succeeded, or a prerequisite failed.
    Failure,
    /// Nothing ran, because the specification is wrong.
    SpecificationError,
    /// A signal ended the run.
    Interrupted,
    /// The engine failed.
    InternalError,
}

/// Who has the next turn (seed 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Next {
    /// Nobody: it is done.
    Done,
    /// Whoever plans the repair.
    Planner,
}

/// What a program that judges exits with (design, "Exit codes"); [`exit_code`](crate::exit_code) holds the numbers. Where several apply, the
/// one that comes first in this order is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Exit {
    /// A signal ended the run.
    Interrupted {
        /// The signal's number (2 or 15).
        signal: i32,
    },
    /// The engine failed.
    Internal,
    /// Evidence could not be written.
    Evidence,
    /// The specification is wrong, or protected files drifted.
    Specification,
    /// A prerequisite failed.
    Prerequisite,
    /// A tool did not work.
    Execution,
    /// A deadline was hit.
    Timeout,
    /// A check failed.
    Failed,
    /// Nothing ran.
    NothingRan,
    /// Passed.
    Passed,
}

/// The judged task.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// How the run came out.
    pub overall: OverallStatus,
    /// What gates.
    pub decision: Decision,
    /// Why, one sentence a reason, gravest first; never empty.
    pub reasons: Vec<String>,
    /// Who has the next turn.
    pub next: Next,
    /// What the agent is asked to do.
    pub agent_action: AgentAction,
    /// Actions that block, in plan order.
    pub blocking: Vec<ActionId>,
    /// Conditions, evaluated.
    pub criteria: CriteriaEvaluation,
    /// Completion, evaluated.
    pub completion: CompletionEvaluation,
    /// What the evaluator program came to. None: the specification names none.
    pub evaluator: Option<Evaluated>,
    /// The failure as one structured error; every verdict but a pass has one (ruling 18).
    pub build_error: Option<BuildError>,
    /// What a program exits with.
    pub exit: Exit,
    /// The baseline that the run was held against. None: it was held against none.
    pub baseline: Option<BaselineApplied>,
    /// The waivers that the run found, each with what became of it, by id.
    pub waivers: Vec<WaiverUse>,
}

/// Completion, evaluated (seed 1, `completionCriteriaEvaluation`).
#[derive(Debug, Clone, PartialEq)]
pub struct CompletionEvaluation {
    /// Whether the task is complete.
    pub complete: bool,
    /// Steps that succeeded or failed without blocking, in percent of the executed steps (ruling 16). None: no step ran.
    pub pass_rate: Option<f64>,
    /// Passed tests in percent of those that ran. None: none is known to have run.
    pub test_pass_rate: Option<f64>,
    /// Kinds of evidence that were collected.
    pub evidence_collected: Vec<EvidenceKind>,
    /// Kinds of evidence that are required and were not collected.
    pub evidence_missing: Vec<EvidenceKind>,
    /// Why it is complete or not.
    pub reason: String,
}

/// Conditions, evaluated (seed 1, `validationCriteriaEvaluation`).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CriteriaEvaluation {
    /// Success conditions, in order.
    pub success: Vec<ConditionResult>,
    /// Failure conditions, in order.
    pub failure: Vec<ConditionResult>,
    /// What the expected output comes to, an entry for each thing expected.
    pub expected_output: Vec<ConditionResult>,
}

/// One condition, evaluated.
#[derive(Debug, Clone, PartialEq)]
pub struct ConditionResult {
    /// As it is written; for an expected output what is expected, in the same language.
    pub condition: String,
    /// What it is for, in the author's words.
    pub description: String,
    /// What it comes to.
    pub truth: Truth,
    /// The value of its first field that decided, where it is one that can be shown.
    pub actual: Option<Actual>,
    /// Why it comes to this, in a sentence with the values.
    pub reason: String,
}

/// What a condition comes to: three values, and one for what a reduced run left out (ruling 14).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Truth {
    /// It holds.
    True,
    /// It does not.
    False,
    /// It cannot be told: something that it speaks of is not there.
    Unknown,
    /// It speaks of something that this reduced run left out.
    NotJudged,
}

/// A value that a condition found.
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
    /// A list, of so many elements.
    List(u64),
    /// An object.
    Object,
}
