//! What `referee gate` answers programs: may this be called done?

use std::collections::BTreeMap;

use referee_model::claim::Contradiction;
use referee_model::diagnostic_log::DiagnosticSource;
use referee_model::gate::{Basis, Cause, CheckStanding, GateAnswer};
use referee_model::held_out::HeldOut;
use referee_model::id::TaskId;
use referee_model::reading::Level;
use referee_model::verdict::Decision;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::task::GateTaskDocument;
use crate::exit_code;
use crate::form;
use crate::number::Count;

mod task;

/// Version of this format.
const VERSION: &str = "1.0.0";

/// The answer of the gate.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(title = "Referee gate answer", deny_unknown_fields)]
pub struct GateDocument {
    /// Version of this format.
    #[schemars(with = "form::Version")]
    gate_version: &'static str,
    /// Whether it may be called done: PASS alone says so. Held-out checks are part of it.
    #[schemars(with = "form::Decision")]
    decision: Decision,
    /// What a program exits with.
    exit_code: u8,
    /// Where the answer comes from: `recorded` where every task's verdict was recorded before and nothing that it rests on
    /// has changed. Null: nothing was judged.
    basis: Option<BasisWord>,
    /// The tasks, in the order in which they ran.
    tasks: Vec<GateTaskDocument>,
    /// Why not, the top causes first.
    causes: Vec<CauseDocument>,
    /// How many distinct causes there are, listed or not.
    causes_in_all: Count,
    /// What an agent claimed, and what ran contradicts or does not bear out.
    contradictions: Vec<ContradictionDocument>,
    /// What came of checks that the agent never sees. Null: there are none.
    held_out: Option<HeldOutDocument>,
    /// What to do next, in a sentence.
    next: String,
    /// What is worth knowing beside it, one sentence each.
    notes: Vec<String>,
}

/// Where an answer comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(crate) enum BasisWord {
    Ran,
    Recorded,
}

impl From<Basis> for BasisWord {
    fn from(basis: Basis) -> Self {
        match basis {
            Basis::Ran => Self::Ran,
            Basis::Recorded => Self::Recorded,
        }
    }
}

/// How a check stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub(crate) enum StandingWord {
    Passed,
    NotBlocking,
    Blocking,
    Skipped,
}

impl From<CheckStanding> for StandingWord {
    fn from(standing: CheckStanding) -> Self {
        match standing {
            CheckStanding::Passed => Self::Passed,
            CheckStanding::NotBlocking => Self::NotBlocking,
            CheckStanding::Blocking => Self::Blocking,
            CheckStanding::Skipped => Self::Skipped,
        }
    }
}

impl From<StandingWord> for CheckStanding {
    fn from(word: StandingWord) -> Self {
        match word {
            StandingWord::Passed => Self::Passed,
            StandingWord::NotBlocking => Self::NotBlocking,
            StandingWord::Blocking => Self::Blocking,
            StandingWord::Skipped => Self::Skipped,
        }
    }
}

/// One cause for an answer that is no pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CauseDocument {
    /// The task. Null: it is of the specification as a whole.
    #[schemars(with = "Option<form::TaskId>")]
    pub task_id: Option<TaskId>,
    /// The check that showed it, by name. Null: it is of the task as a whole.
    pub check: Option<String>,
    /// The tool that said it.
    pub tool: Option<String>,
    /// How bad it is.
    #[schemars(with = "form::Level")]
    pub severity: Level,
    /// File, relative to the workspace where it lies in it.
    pub file: Option<String>,
    /// 1-based line.
    pub line: Option<u32>,
    /// 1-based column.
    pub column: Option<u32>,
    /// Code or rule; for a failed test its name.
    pub code: Option<String>,
    /// What it says, on one line.
    pub message: String,
    /// The last lines of what the check printed, where nothing that was found of it has a place. Written by tools, not by
    /// Referee.
    pub output: Vec<String>,
}

impl From<&Cause> for CauseDocument {
    fn from(cause: &Cause) -> Self {
        Self {
            task_id: Some(cause.task.clone()),
            check: cause.check.clone(),
            tool: cause.tool.clone(),
            severity: cause.severity,
            file: cause.file.clone(),
            line: cause.line,
            column: cause.column,
            code: cause.code.clone(),
            message: cause.message.clone(),
            output: cause.output.clone(),
        }
    }
}

impl CauseDocument {
    /// Returns the cause, which is one of this task.
    pub(crate) fn of_task(self, task: &TaskId) -> Cause {
        Cause {
            task: task.clone(),
            check: self.check,
            tool: self.tool,
            severity: self.severity,
            file: self.file,
            line: self.line,
            column: self.column,
            code: self.code,
            message: self.message,
            output: self.output,
        }
    }
}

/// A claim that what ran contradicts, or does not bear out.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
struct ContradictionDocument {
    /// `contradicted`: what ran says otherwise. `unsupported`: nothing that ran bears it out.
    grade: &'static str,
    /// What was claimed.
    claim: &'static str,
    /// The words in which it was claimed, shortened.
    words: String,
    /// What is so instead, with the facts.
    facts: String,
}

impl From<&Contradiction> for ContradictionDocument {
    fn from(contradiction: &Contradiction) -> Self {
        Self {
            grade: contradiction.grade.as_str(),
            claim: contradiction.claim.as_str(),
            words: contradiction.words.clone(),
            facts: contradiction.facts.clone(),
        }
    }
}

/// What came of held-out checks: counts and categories alone.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
struct HeldOutDocument {
    #[schemars(with = "form::Decision")]
    decision: Decision,
    /// How many checks there are.
    checks: Count,
    /// How many of them block.
    failures: Count,
    /// How many of them block, by category.
    #[schemars(with = "BTreeMap<String, u64>")]
    failed: BTreeMap<DiagnosticSource, u64>,
}

impl From<&HeldOut> for HeldOutDocument {
    fn from(held_out: &HeldOut) -> Self {
        Self {
            decision: held_out.decision,
            checks: held_out.checks.into(),
            failures: held_out.failures().into(),
            failed: held_out.failed.clone(),
        }
    }
}

/// Makes the document of an answer.
pub fn document(answer: &GateAnswer) -> GateDocument {
    let all_recorded = answer.tasks.iter().all(|task| task.basis == Basis::Recorded);
    let basis = (!answer.tasks.is_empty()).then_some(if all_recorded { BasisWord::Recorded } else { BasisWord::Ran });
    GateDocument {
        gate_version: VERSION,
        decision: answer.decision,
        exit_code: exit_code::of(answer.exit),
        basis,
        tasks: answer.tasks.iter().map(GateTaskDocument::from).collect(),
        causes: answer.causes.iter().map(CauseDocument::from).collect(),
        causes_in_all: answer.causes_in_all.into(),
        contradictions: answer.contradictions.iter().map(ContradictionDocument::from).collect(),
        held_out: answer.held_out.as_ref().map(HeldOutDocument::from),
        next: answer.next.clone(),
        notes: answer.notes.iter().chain(&answer.reuse).cloned().collect(),
    }
}

/// Makes the document of a question that could not be asked: the specification is missing or wrong, or Referee itself
/// failed. It is BLOCKED, whatever the exit code.
pub fn refused(causes: Vec<CauseDocument>, next: &str, exit_code: u8) -> GateDocument {
    GateDocument {
        gate_version: VERSION,
        decision: Decision::Blocked,
        exit_code,
        basis: None,
        tasks: Vec::new(),
        causes_in_all: Count::of(causes.len()),
        causes,
        contradictions: Vec::new(),
        held_out: None,
        next: next.to_owned(),
        notes: Vec::new(),
    }
}
