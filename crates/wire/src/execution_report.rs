//! `execution-report.json`: the single source of truth on a run (seed 1, "Master Execution Report").
//!
//! Everything in it is projected from a judged [`Report`]; nothing is decided here. The seed's shape is kept, with its
//! broken key mended as `actionCounts` and counts that add up (ruling 18).

use referee_model::id::{Digest, IdError, TaskId};
use referee_model::plan::Phase;
use referee_model::report::{JUDGE_VERSION, Report};
use referee_model::time::Timestamp;
use referee_model::verdict::Decision;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::build_error::{self, BuildErrorDocument};
use crate::canonical::{self, CanonicalError};
use crate::document::{self, DocumentError, Kind};
use crate::form;
use crate::plan;

use self::action::ActionDocument;
use self::authenticity::Authenticity;
use self::debt::DebtGenerated;
use self::evaluation::{CompletionCriteria, ValidationCriteria};
use self::service::ServiceDocument;
use self::skipped::Skipped;
use self::summary::{Summary, TestSpecification};

mod action;
mod attempt;
mod authenticity;
mod classification;
mod condition;
mod connection;
mod debt;
mod error;
mod evaluation;
mod evidence;
pub mod expectation;
mod result;
mod scope;
mod service;
mod skipped;
mod specification;
mod summary;

const KIND: Kind = Kind { name: "execution-report.json", key: "reportVersion", version: "2.0.0" };

/// Why there is no report document.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// It cannot be hashed.
    #[error("the report has no canonical form: {0}")]
    Canonical(#[from] CanonicalError),
    /// It cannot be JSON.
    #[error("the report cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The bytes are no report.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// The bytes are a report that does not say its own hash.
    #[error("the report does not hold its own hash: {0}")]
    Hash(#[from] IdError),
}

/// The report, as a document.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(title = "Referee execution report", deny_unknown_fields)]
pub(crate) struct ReportDocument {
    /// Version of this format.
    #[schemars(with = "form::Version")]
    report_version: &'static str,
    /// When the run was over: a report is made from evidence alone, so the same evidence gives the same report.
    #[schemars(with = "form::Time")]
    generated_at: Timestamp,
    generated_by: String,
    /// Version of the rules that judged.
    #[schemars(with = "form::Version")]
    judge_version: &'static str,
    /// Whether an agent is known to have started the run.
    agent_involved: bool,
    test_specification: TestSpecification,
    execution_summary: Summary,
    prerequisite_execution: Prerequisites,
    step_execution: Steps,
    cleanup_execution: Cleanup,
    /// Actions without an outcome: they never ran, or what came of them does not count. They stand nowhere else.
    skipped_actions: Vec<Skipped>,
    /// What became of the services that were ready.
    services: Vec<ServiceDocument>,
    validation_criteria_evaluation: ValidationCriteria,
    completion_criteria_evaluation: CompletionCriteria,
    technical_debt_generated: DebtGenerated,
    /// Why it is no pass, in one line. Null: it is one.
    error: Option<String>,
    /// Why it is no pass, as data. Null: it is one.
    build_error: Option<BuildErrorDocument>,
    /// Sentences that belong to the whole run.
    notices: Vec<String>,
    authenticity: Authenticity,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
struct Prerequisites {
    /// Whether every prerequisite ran and holds.
    all_met: bool,
    results: Vec<ActionDocument>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Steps {
    results: Vec<ActionDocument>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Cleanup {
    /// Whether any cleanup ran.
    executed: bool,
    results: Vec<ActionDocument>,
}

/// Returns the bytes of `execution-report.json`: the same for the same report, always.
pub fn render(report: &Report) -> Result<Vec<u8>, ReportError> {
    let mut document = ReportDocument::new(report, plan::digest(&report.plan)?);
    document.authenticity.report_hash = Some(hash(serde_json::to_value(&document)?)?);
    Ok(document::to_bytes(&document)?)
}

/// Says whether a report's own hash fits its content.
///
/// # Errors
/// Fails for bytes that are no report, or hold no hash.
pub fn verify_hash(bytes: &[u8]) -> Result<bool, ReportError> {
    let report: Value = KIND.read(bytes)?;
    let stated = report.pointer("/authenticity/reportHash").and_then(Value::as_str).unwrap_or_default();
    let stated = Digest::parse(stated)?;
    Ok(hash(report)? == stated)
}

/// The SHA-256 of the canonical bytes of a whole report without the one key that holds it.
fn hash(mut report: Value) -> Result<Digest, CanonicalError> {
    if let Some(authenticity) = report.pointer_mut("/authenticity").and_then(Value::as_object_mut) {
        authenticity.remove("reportHash");
    }
    canonical::digest(&report)
}

/// What a sealed report says of itself, as far as trust in it is concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sealed {
    /// The task.
    pub task: TaskId,
    /// What gates.
    pub decision: Decision,
    /// Version of the rules that judged.
    pub judge_version: String,
}

/// Reads what a sealed report says of itself.
pub fn read(bytes: &[u8]) -> Result<Sealed, ReportError> {
    let report: Excerpt = KIND.read(bytes)?;
    Ok(Sealed {
        task: report.test_specification.task_id,
        decision: report.execution_summary.decision,
        judge_version: report.judge_version,
    })
}

/// The keys of a report that [`read`] looks at; all others are passed over.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Excerpt {
    judge_version: String,
    test_specification: SpecificationExcerpt,
    execution_summary: SummaryExcerpt,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SpecificationExcerpt {
    task_id: TaskId,
}

#[derive(Deserialize)]
struct SummaryExcerpt {
    decision: Decision,
}

impl ReportDocument {
    fn new(report: &Report, plan_digest: Digest) -> Self {
        let verdict = &report.verdict;
        let passed = verdict.decision == Decision::Pass;
        let prerequisites = results(report, Phase::Prerequisite);
        let cleanup = results(report, Phase::Cleanup);
        let error = verdict.build_error.as_ref().map(|error| error.message.clone());
        Self {
            report_version: KIND.version,
            generated_at: report.run.ended,
            generated_by: authenticity::generator(report),
            judge_version: JUDGE_VERSION,
            agent_involved: report.run.host.agent.is_some(),
            test_specification: TestSpecification::new(&report.plan, plan_digest),
            execution_summary: Summary::new(report),
            prerequisite_execution: Prerequisites { all_met: summary::all_met(report), results: prerequisites },
            step_execution: Steps { results: results(report, Phase::Step) },
            cleanup_execution: Cleanup { executed: !cleanup.is_empty(), results: cleanup },
            skipped_actions: report.actions.iter().filter_map(|action| Skipped::new(&report.plan, action)).collect(),
            services: service::all(report),
            validation_criteria_evaluation: ValidationCriteria::new(verdict),
            completion_criteria_evaluation: CompletionCriteria::new(&report.plan.completion, &verdict.completion),
            technical_debt_generated: DebtGenerated::new(report),
            error: if passed { None } else { error.or_else(|| verdict.reasons.first().cloned()) },
            build_error: verdict.build_error.as_ref().map(build_error::document),
            notices: report.run.notices.clone(),
            authenticity: Authenticity::new(report, plan_digest),
        }
    }
}

fn results(report: &Report, phase: Phase) -> Vec<ActionDocument> {
    let of_phase = report.actions.iter().filter(|action| action.action.phase == phase);
    of_phase.filter_map(|action| Some(ActionDocument::new(report, &action.action, action.ran()?))).collect()
}
