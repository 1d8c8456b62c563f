//! The document of `referee ci --format json`: the CI run, the attestations that were supplied, and where the two
//! differ.

use referee_model::build_error::BuildError;
use referee_model::comparison::{Agreement, Brought, Comparison, Finding, Provenance, RunFacts};
use referee_model::id::TaskId;
use referee_model::verdict::Decision;

use referee_model::exit_code;

const VERSION: &str = "1.0.0";

/// A CI run, and the attested run that it was compared with.
#[document(nulls, unpublished)]
pub struct ComparisonDocument {
    comparison_version: &'static str,
    /// Decision of the run, or a worse one where a finding blocks; never a better one.
    decision: Decision,
    /// Exit code of the command.
    exit_code: u8,
    /// Why nothing ran. Null: checks ran.
    problem: Option<String>,
    /// Why the result is not a pass, in one line (seed 2). Null: it passed.
    error: Option<String>,
    /// Structured error of the type `ci_failed`, for the same reason. Null: it passed.
    build_error: Option<BuildError>,
    /// Tasks, in the order in which they ran.
    tasks: Vec<TaskDocument>,
    /// Findings of the comparison, blocking ones first.
    findings: Vec<Finding>,
    /// Next step, in one sentence.
    next: String,
    /// Further notes, one sentence each.
    notes: Vec<String>,
}

#[document(nulls, unpublished)]
struct TaskDocument {
    task_id: TaskId,
    /// How the attested run of the task compares with the CI run.
    agreement: Agreement,
    here: RunFacts,
    /// Attested run that was supplied. Null: none that could be compared.
    there: Option<AttestedDocument>,
}

/// A run that was supplied as an attestation, and who vouches for its result.
#[document(unpublished)]
struct AttestedDocument {
    run: RunFacts,
    provenance: Provenance,
    /// Why the attestation is trusted, or is not.
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

/// Returns the document for a CI run in which nothing was judged, which is never a pass.
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
