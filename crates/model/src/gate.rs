//! The gate's answer to one question: may the work be called done?

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

/// The gate's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct GateAnswer {
    /// The decision, held-out checks included.
    pub decision: Decision,
    /// Exit code category of the program.
    pub exit: Exit,
    /// The tasks, in execution order.
    pub tasks: Vec<GateTask>,
    /// Causes of a decision that is not a pass, the most important first; at most [`crate::limit::GATE_CAUSES`].
    pub causes: Vec<Cause>,
    /// Number of distinct causes, including unlisted ones.
    pub causes_in_all: u64,
    /// Next step, in one sentence.
    pub next: String,
    /// Result of the held-out checks. None: there are none.
    pub held_out: Option<HeldOut>,
    /// Claims that the evidence contradicts.
    pub contradictions: Vec<Contradiction>,
    /// Additional notes, one sentence each.
    pub notes: Vec<String>,
    /// Reasons why no recorded verdict was reused, or will be next time, one sentence each: of interest to a
    /// person, not to the agent.
    pub reuse: Vec<String>,
}

/// One task of the gate's answer.
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
    /// Whether the checks ran for this question or a recorded verdict was reused.
    pub basis: Basis,
    /// Decision on the task: PASS, FAIL or BLOCKED.
    pub decision: Decision,
    /// Exit code that the task's decision leads to.
    #[serde(rename = "exitCode", with = "crate::exit_code")]
    #[cfg_attr(feature = "schema", schemars(with = "u8"))]
    pub exit: Exit,
    /// Whether checks were left out: such a run never counts as done (ruling 17).
    pub reduced: bool,
    /// Reasons for the decision, most severe first.
    pub reasons: Vec<String>,
    /// Protected files that were edited without blocking, test files first.
    #[serde(default)]
    pub edited: Vec<Edit>,
    /// Facts that weaken a pass without blocking, one sentence each: fewer tests, tests judged by the exit code
    /// alone, tests and tools that were switched off.
    #[serde(default)]
    pub weaker: Vec<String>,
    /// Absolute path of the sealed report.
    pub report: String,
    /// Time at which the run ended.
    pub ended: Timestamp,
    /// Test counts of all checks together, as far as known. None: for no check is the number of tests known.
    pub tests: Option<TestCounts>,
    /// The checks, in plan order.
    pub checks: Vec<GateCheck>,
    /// Snapshot for measuring progress; not part of the answer.
    #[serde(skip)]
    pub snapshot: Snapshot,
}

/// A protected file that was edited in a way that does not block or that is waived.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Edit {
    /// Path of the file, relative to the workspace; for a value in it followed by `#` and the value.
    pub path: String,
    /// The state compared with: `the lock`, `the commit 0123456789ab (main)`.
    pub since: String,
    /// The edit: what was removed, where known.
    pub detail: String,
}

impl GateAnswer {
    /// Returns an answer that says nothing beyond the decision on tasks.
    pub fn of(decision: Decision, exit: Exit, tasks: Vec<GateTask>) -> Self {
        Self {
            decision,
            exit,
            tasks,
            causes: Vec::new(),
            causes_in_all: 0,
            next: String::new(),
            held_out: None,
            contradictions: Vec::new(),
            notes: Vec::new(),
            reuse: Vec::new(),
        }
    }

    /// Returns the edits of protected files in all tasks, one sentence each, without duplicates.
    pub fn edits(&self) -> Vec<String> {
        let mut sentences: Vec<String> = Vec::new();
        for sentence in self.tasks.iter().flat_map(|task| &task.edited).map(Edit::sentence) {
            if !sentences.contains(&sentence) {
                sentences.push(sentence);
            }
        }
        sentences
    }

    /// Returns the weaknesses of all tasks that do not block, without duplicates; leaves out those that are
    /// already a reason of a task that did not pass.
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
    /// Formats the edit as a sentence.
    pub fn sentence(&self) -> String {
        format!("edited since {}: {} ({})", self.since, self.path, self.detail)
    }
}

document_words! {
    /// Origin of an answer.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum Basis {
        /// The checks ran for this question.
        Ran = "ran",
        /// A recorded verdict: nothing that it depends on has changed.
        Recorded = "recorded",
        /// An earlier run of the same order by a worker, judged for this question.
        Shared = "shared",
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
    /// Role by which the command was judged, or would have been. None: the check is not a command.
    pub role: Option<Role>,
    /// Outcome of the check. None: it did not run.
    pub outcome: Option<Outcome>,
    /// Test counts, as far as the judgement counted them. None: the number of tests is not known.
    pub tests: Option<TestCounts>,
    /// Duration of the last attempt in milliseconds. None: it did not run.
    #[serde(rename = "duration", default, serialize_with = "crate::serial::exact")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::number::Count>"))]
    pub duration_ms: Option<u64>,
}

/// Standing of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CheckStanding {
    /// The check succeeded.
    Passed,
    /// The check did not succeed and does not block.
    NotBlocking,
    /// The check blocks.
    Blocking,
    /// The check did not run.
    Skipped,
}

/// A cause of a decision that is not a pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Cause {
    /// Id of the task. None: the cause concerns the specification as a whole.
    #[serde(rename = "taskId")]
    pub task: Option<TaskId>,
    /// Name of the check that showed the cause. None: the cause concerns the task as a whole.
    pub check: Option<String>,
    /// Tool that reported it.
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
    /// Message, on one line.
    pub message: String,
    /// Last lines of the check's output, where none of its findings has a location; at most
    /// [`crate::limit::GATE_OUTPUT_LINES`].
    pub output: Vec<String>,
}

impl Cause {
    /// Returns an error without a place, which concerns a task or the specification as a whole.
    pub fn whole(task: Option<TaskId>, message: String) -> Self {
        Self {
            task,
            check: None,
            tool: None,
            severity: Level::Error,
            file: None,
            line: None,
            column: None,
            code: None,
            message,
            output: Vec::new(),
        }
    }
}
