//! The answer to one question: may this be called done?

use serde::{Deserialize, Serialize};

use crate::claim::Contradiction;
use crate::diagnostic_log::DiagnosticSource;
use crate::held_out::HeldOut;
use crate::id::{ActionId, ExecutionId, TaskId};
use crate::outcome::Outcome;
use crate::plan::Role;
use crate::progress::Snapshot;
use crate::reading::{Level, TestCounts};
use crate::time::Timestamp;
use crate::verdict::{Decision, Exit};

/// May this be called done?
#[derive(Debug, Clone, PartialEq)]
pub struct GateAnswer {
    /// The answer, held-out checks included.
    pub decision: Decision,
    /// What a program exits with.
    pub exit: Exit,
    /// The tasks, in the order in which they ran.
    pub tasks: Vec<GateTask>,
    /// Why not, the top causes first; at most [`crate::limit::GATE_CAUSES`].
    pub causes: Vec<Cause>,
    /// How many distinct causes there are, listed or not.
    pub causes_in_all: u64,
    /// What to do next, in a sentence.
    pub next: String,
    /// What came of held-out checks. None: there are none.
    pub held_out: Option<HeldOut>,
    /// Claims that what ran contradicts.
    pub contradictions: Vec<Contradiction>,
    /// What is worth knowing beside it, one sentence each.
    pub notes: Vec<String>,
    /// Why no recorded verdict answered, or will the next time, one sentence each: for whoever waits, not for whoever fixes.
    pub reuse: Vec<String>,
}

/// One task of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GateTask {
    /// Id of the task in the specification.
    #[serde(rename = "taskId")]
    pub task: TaskId,
    /// Title of the task in the specification.
    pub title: String,
    /// Id of the run that the answer for this task rests on.
    #[serde(rename = "executionId")]
    pub execution: ExecutionId,
    /// Whether it ran for this question.
    pub basis: Basis,
    /// Decision on the task: PASS, FAIL or BLOCKED.
    pub decision: Decision,
    /// What a program exits with.
    #[serde(rename = "exitCode", with = "crate::exit_code")]
    #[cfg_attr(feature = "schema", schemars(with = "u8"))]
    pub exit: Exit,
    /// Whether something was left out: such a run never counts as done (ruling 17).
    pub reduced: bool,
    /// Reasons for the decision, most severe first.
    pub reasons: Vec<String>,
    /// Protected files that were edited in a way that does not block, tests first.
    #[serde(default)]
    pub edited: Vec<Edit>,
    /// What makes a pass worth less and does not block, a sentence each: fewer tests, tests of which the exit code alone tells,
    /// tests and tools that were switched off.
    #[serde(default)]
    pub weaker: Vec<String>,
    /// Where its sealed report lies, absolute.
    pub report: String,
    /// When its run was over.
    pub ended: Timestamp,
    /// Its tests together, as far as they were counted. None: of none is known how many ran.
    pub tests: Option<TestCounts>,
    /// Its checks, in plan order.
    pub checks: Vec<GateCheck>,
    /// What of it tells whether there is progress. It is no part of an answer.
    #[serde(skip)]
    pub snapshot: Snapshot,
}

/// A protected file that was edited, in a way that does not block or that is waived.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Edit {
    /// The file, relative to the workspace; behind a `#` the value in it.
    pub path: String,
    /// Since when: `the lock`, `the commit 0123456789ab (main)`.
    pub since: String,
    /// What happened to it: what was removed, where that is known.
    pub detail: String,
}

impl GateAnswer {
    /// Returns the edits of protected files, of all tasks, each once, in a sentence each.
    pub fn edits(&self) -> Vec<String> {
        let mut sentences: Vec<String> = Vec::new();
        for sentence in self.tasks.iter().flat_map(|task| &task.edited).map(Edit::sentence) {
            if !sentences.contains(&sentence) {
                sentences.push(sentence);
            }
        }
        sentences
    }
}

impl GateAnswer {
    /// Returns what asks for less than before and does not block, of all tasks, each once. What is among the reasons of a task
    /// that did not pass is told there.
    pub fn weaker(&self) -> Vec<&str> {
        let mut sentences: Vec<&str> = Vec::new();
        for task in &self.tasks {
            let is_reason = |sentence: &&String| task.decision != Decision::Pass && task.reasons.contains(sentence);
            for sentence in task.weaker.iter().filter(|sentence| !is_reason(sentence)) {
                if !sentences.contains(&sentence.as_str()) {
                    sentences.push(sentence);
                }
            }
        }
        sentences
    }
}

impl Edit {
    /// Returns it in a sentence.
    pub fn sentence(&self) -> String {
        format!("edited since {}: {} ({})", self.since, self.path, self.detail)
    }
}

/// Where an answer comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// The checks ran for this question.
    Ran,
    /// A verdict that was recorded before: nothing that it rests on has changed.
    Recorded,
}

impl Basis {
    /// Returns it as documents spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ran => "ran",
            Self::Recorded => "recorded",
        }
    }
}

/// One check of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GateCheck {
    /// Id of the action that performs the check.
    #[serde(rename = "actionId")]
    pub action: ActionId,
    /// Name of the action in the plan.
    pub name: String,
    /// Kind of the check, such as test, lint or types.
    pub source: DiagnosticSource,
    /// Whether the check passed, blocks, failed without blocking, or was skipped.
    pub standing: CheckStanding,
    /// The role by which its command was judged, or would have been. None: it is no command.
    pub role: Option<Role>,
    /// How it came out. None: it never ran.
    pub outcome: Option<Outcome>,
    /// Its tests, as far as its judgement counted them. None: how many ran is not known.
    pub tests: Option<TestCounts>,
    /// Milliseconds that its last attempt took. None: it never ran.
    #[serde(rename = "duration", default, serialize_with = "crate::serial::exact")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::number::Count>"))]
    pub duration_ms: Option<u64>,
}

/// How a check stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CheckStanding {
    /// It succeeded.
    Passed,
    /// It did not succeed, and does not block.
    NotBlocking,
    /// It blocks.
    Blocking,
    /// It never ran.
    Skipped,
}

/// One cause for a verdict that is no pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Cause {
    /// The task. None: it is of the specification as a whole.
    #[serde(rename = "taskId")]
    pub task: Option<TaskId>,
    /// The check that showed it. None: it is of the task as a whole.
    pub check: Option<String>,
    /// The tool that said it.
    pub tool: Option<String>,
    /// Severity of the cause: error, warning or info.
    pub severity: Level,
    /// File, relative to the workspace where it lies in it.
    pub file: Option<String>,
    /// 1-based line in `file`. Null: not known.
    pub line: Option<u32>,
    /// 1-based column in `line`. Null: not known.
    pub column: Option<u32>,
    /// Code or rule; for a failed test its name.
    pub code: Option<String>,
    /// What it says, on one line.
    pub message: String,
    /// The last lines of what the check printed, where nothing that was found of it has a place; at most
    /// [`crate::limit::GATE_OUTPUT_LINES`].
    pub output: Vec<String>,
}
