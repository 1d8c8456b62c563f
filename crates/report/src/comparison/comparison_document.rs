//! What `referee ci` answers programs: the run in CI, the attestations that came along, and where the two differ.

use referee_model::build_error::BuildError;
use referee_model::comparison::{Agreement, Brought, Comparison, Finding, Provenance, RunFacts};
use referee_model::id::TaskId;
use referee_model::verdict::Decision;
use serde::Serialize;

use referee_model::exit_code;

const VERSION: &str = "1.0.0";

/// A run in CI, and what it was compared with.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ComparisonDocument {
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
    findings: Vec<Finding>,
    /// What to do next, in a sentence.
    next: String,
    /// What is worth knowing beside it, one sentence each.
    notes: Vec<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct TaskDocument {
    task_id: TaskId,
    /// How what came along stands to what ran.
    agreement: Agreement,
    here: RunFacts,
    /// What came along. Null: nothing that could be compared.
    there: Option<AttestedDocument>,
}

/// A run that came along, and who says what it came to.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct AttestedDocument {
    run: RunFacts,
    provenance: Provenance,
    /// Why it is believed, or is not.
    reason: String,
}

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
                here: task.here.clone(),
                there: attested(&task.there),
            })
            .collect(),
        findings: comparison.findings.clone(),
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
            Some(AttestedDocument { run: facts.clone(), provenance: *provenance, reason: reason.clone() })
        }
        Brought::Nothing | Brought::Unverifiable { .. } | Brought::Tampered { .. } => None,
    }
}
