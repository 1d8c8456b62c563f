//! What `referee ci` answers programs: the run in CI, the attestations that came along, and where the two differ.

use referee_model::build_error::BuildError;
use referee_model::comparison::{Agreement, Brought, Comparison, Finding, FindingKind, Provenance, RunFacts};
use referee_model::id::{ActionId, Digest, ExecutionId, TaskId};
use referee_model::time::Timestamp;
use referee_model::verdict::Decision;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{exit_code, form};

const VERSION: &str = "1.0.0";

/// A run in CI, and what it was compared with.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(title = "Referee comparison of a run in CI", deny_unknown_fields)]
pub struct ComparisonDocument {
    /// Version of this format.
    #[schemars(with = "form::Version")]
    comparison_version: &'static str,
    /// The run's decision, or a worse one where a finding blocks. Never a better one.
    decision: Decision,
    /// What a program exits with.
    exit_code: u8,
    /// Why nothing ran. Null: something did.
    problem: Option<String>,
    /// Why it is no pass, in a line (seed 2). Null: it passed.
    error: Option<String>,
    /// The same as a structured error, of the type `ci_failed`. Null: it passed.
    build_error: Option<BuildError>,
    /// The tasks, in the order in which they ran.
    tasks: Vec<TaskDocument>,
    /// What was found, what blocks first.
    findings: Vec<FindingDocument>,
    /// What to do next, in a sentence.
    next: String,
    /// What is worth knowing beside it, one sentence each.
    notes: Vec<String>,
}

/// One task.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
struct TaskDocument {
    task_id: TaskId,
    /// How what came along stands to what ran.
    agreement: Agreement,
    /// What ran here.
    here: RunDocument,
    /// What came along. Null: nothing that could be compared.
    there: Option<AttestedDocument>,
}

/// A run.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
struct RunDocument {
    execution_id: ExecutionId,
    decision: Decision,
    /// Whether something was left out.
    reduced: bool,
    /// The inputs from its beginning to its end. Null: not known, or they changed meanwhile.
    tree_digest: Option<Digest>,
    /// SHA-256 of the specification's file.
    specification_digest: Digest,
    /// When it was over.
    ended_at: Timestamp,
    /// Where it was read: a folder of evidence, or a file of statements.
    place: String,
}

/// A run that came along, and who says what it came to.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
struct AttestedDocument {
    run: RunDocument,
    /// Who says it.
    provenance: Provenance,
    /// Why it is believed, or is not.
    reason: String,
}

/// Something that was found.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
struct FindingDocument {
    kind: FindingKind,
    /// Whether it stands against a pass.
    blocking: bool,
    task_id: TaskId,
    /// The check that it is about. Null: the task as a whole.
    action_id: Option<ActionId>,
    message: String,
}

/// Makes the answer.
pub fn document(
    comparison: &Comparison,
    error: Option<&BuildError>,
    next: &str,
    notes: &[String],
) -> ComparisonDocument {
    ComparisonDocument {
        comparison_version: VERSION,
        decision: comparison.decision,
        exit_code: exit_code::of(comparison.exit),
        problem: None,
        error: error.map(|error| error.message.clone()),
        build_error: error.cloned(),
        tasks: comparison
            .tasks
            .iter()
            .map(|task| TaskDocument {
                task_id: task.here.task.clone(),
                agreement: task.agreement,
                here: RunDocument::from(&task.here),
                there: attested(&task.there),
            })
            .collect(),
        findings: comparison.findings.iter().map(FindingDocument::from).collect(),
        next: next.to_owned(),
        notes: notes.to_vec(),
    }
}

/// Makes the answer where there is none: nothing was judged, which is never a pass.
pub fn problem(message: &str, error: &BuildError, advice: &str, exit_code: u8) -> ComparisonDocument {
    ComparisonDocument {
        comparison_version: VERSION,
        decision: Decision::Blocked,
        exit_code,
        problem: Some(message.to_owned()),
        error: Some(error.message.clone()),
        build_error: Some(error.clone()),
        tasks: Vec::new(),
        findings: Vec::new(),
        next: advice.to_owned(),
        notes: Vec::new(),
    }
}

fn attested(brought: &Brought) -> Option<AttestedDocument> {
    match brought {
        Brought::Run { facts, provenance, reason } => {
            Some(AttestedDocument { run: facts.into(), provenance: *provenance, reason: reason.clone() })
        }
        Brought::Nothing | Brought::Unverifiable { .. } | Brought::Tampered { .. } => None,
    }
}

impl From<&RunFacts> for RunDocument {
    fn from(facts: &RunFacts) -> Self {
        Self {
            execution_id: facts.execution.clone(),
            decision: facts.decision,
            reduced: facts.reduced,
            tree_digest: facts.tree,
            specification_digest: facts.specification,
            ended_at: facts.ended,
            place: facts.place.clone(),
        }
    }
}

impl From<&Finding> for FindingDocument {
    fn from(finding: &Finding) -> Self {
        Self {
            kind: finding.kind,
            blocking: finding.blocking,
            task_id: finding.task.clone(),
            action_id: finding.check.clone(),
            message: finding.message.clone(),
        }
    }
}
