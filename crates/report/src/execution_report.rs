//! `execution-report.json`: the single source of truth on a run (seed 1, "Master Execution Report").
//!
//! Everything in it is projected from a judged [`Report`]; nothing is decided here. The seed's shape is kept, with its
//! broken key fixed as `actionCounts` and counts that add up (ruling 18).

use referee_model::build_error::BuildError;
use referee_model::diagnostic_log::Finding;
use referee_model::document::{self, DocumentError};
use referee_model::foreign::build_error;
use referee_model::id::{Digest, TaskId};
use referee_model::number::Count;
use referee_model::plan::{self, Phase};
use referee_model::report::report_document::{KIND, ReportError, hash, verify_hash};
use referee_model::report::{ActionReport, JUDGE_VERSION, Report};
use referee_model::run_context::Protection;
use referee_model::selection::Profile;
use referee_model::time::Timestamp;
use referee_model::verdict::Decision;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use referee_model::run_overview::{RunOverview, ScopeOverview};

pub(crate) use self::action::ActionDocument;
use self::authenticity::Authenticity;
use self::baseline::BaselineDocument;
use self::debt::DebtGenerated;
use self::evaluation::{CompletionCriteria, ValidationCriteria};
use self::evaluator::EvaluatorDocument;
use self::service::ServiceDocument;
use self::skipped::Skipped;
pub(crate) use self::skipped::Skipped as SkippedDocument;
use self::summary::{Summary, TestSpecification};
pub use self::waiver::WaiverUseDocument;

mod action;
mod attempt;
mod authenticity;
mod baseline;
mod classification;
mod condition;
mod connection;
mod debt;
mod error;
mod evaluation;
mod evaluator;
mod evidence;
pub mod expectation;
pub mod failure;
mod result;
mod scope;
mod service;
mod skipped;
mod specification;
mod summary;
mod waiver;

/// The report, as a document.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(title = "Referee execution report", deny_unknown_fields))]
pub struct ReportDocument<'report> {
    /// Version of this format.
    #[cfg_attr(feature = "schema", schemars(with = "referee_model::schema::Version"))]
    report_version: &'static str,
    /// When the run was over: a report is made from evidence alone, so the same evidence gives the same report.
    generated_at: Timestamp,
    /// Name and version of the program that ran the task, such as `Referee 1.0.0`.
    generated_by: String,
    /// Version of the rules that judged.
    #[cfg_attr(feature = "schema", schemars(with = "referee_model::schema::Version"))]
    judge_version: &'static str,
    /// Whether an agent is known to have started the run.
    agent_involved: bool,
    /// Specification that the run was judged by.
    test_specification: TestSpecification,
    /// Decision, exit code, times and counts of the run as a whole.
    execution_summary: Summary,
    /// Prerequisites that ran, with their results.
    prerequisite_execution: Prerequisites<'report>,
    /// Steps that ran, with their results.
    step_execution: Steps<'report>,
    /// Cleanup actions that ran, with their results.
    cleanup_execution: Cleanup<'report>,
    /// Actions without an outcome: they never ran, or what came of them does not count. They stand nowhere else.
    skipped_actions: Vec<Skipped>,
    /// What became of the services that were ready.
    services: Vec<ServiceDocument>,
    /// What the success and failure conditions of the specification come to.
    validation_criteria_evaluation: ValidationCriteria,
    /// Whether the completion criteria of the specification are met.
    completion_criteria_evaluation: CompletionCriteria,
    /// The word of the evaluator program. Null: the specification names none.
    evaluator: Option<EvaluatorDocument>,
    /// How much technical debt the run leaves, and where it is routed.
    technical_debt_generated: DebtGenerated,
    /// What went wrong, finding by finding: the distinct diagnostics, gravest first; at most 500.
    diagnostics_log: &'report [Finding],
    /// How many distinct diagnostics there are, listed or not.
    diagnostics_distinct: Count,
    /// The top of them in a few lines.
    diagnostics_summary: &'report str,
    /// The baseline that the run was held against; left out where it was held against none.
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline: Option<BaselineDocument>,
    /// How what the gate rests on compares with its trusted baseline; left out where nothing is protected.
    #[serde(skip_serializing_if = "Option::is_none")]
    protection: Option<&'report Protection>,
    /// The waivers that the run found, used or not; left out where it found none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    waivers: Vec<WaiverUseDocument>,
    /// Why it is no pass, in one line. Null: it is one.
    error: Option<&'report str>,
    /// Why it is no pass, as data. Null: it is one.
    build_error: Option<&'report BuildError>,
    /// Sentences that belong to the whole run.
    notices: &'report [String],
    /// Which run and which program produced this report, and the hashes to check it by.
    authenticity: Authenticity,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
struct Prerequisites<'report> {
    /// Whether every prerequisite ran and holds.
    all_met: bool,
    /// Prerequisites that ran, in plan order.
    results: Vec<ActionDocument<'report>>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
struct Steps<'report> {
    /// Steps that ran, in plan order.
    results: Vec<ActionDocument<'report>>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
struct Cleanup<'report> {
    /// Whether any cleanup action ran.
    executed: bool,
    /// Cleanup actions that ran, in plan order; empty where none did.
    results: Vec<ActionDocument<'report>>,
}

/// Returns the bytes of `execution-report.json`: the same for the same report, always.
pub fn render(report: &Report) -> Result<Vec<u8>, ReportError> {
    let mut document = ReportDocument::new(report, plan::plan_document::digest(&report.plan)?);
    document.authenticity.report_hash = Some(hash(serde_json::to_value(&document)?)?);
    Ok(document::to_bytes(&document)?)
}

/// Reads what a report says in short, and of which task.
///
/// # Errors
/// Fails for bytes that are no report.
pub fn read_overview(bytes: &[u8]) -> Result<(TaskId, RunOverview), ReportError> {
    let report: OverviewExcerpt = KIND.read(bytes)?;
    let OverviewExcerpt { test_specification, execution_summary: mut overview } = report;
    overview.task_title = test_specification.task_title;
    let ScopeOverview { profile, reduced } = overview.scope;
    // What is not strict is reduced, whatever else it says (ruling 17).
    overview.scope = ScopeOverview { profile, reduced: reduced || profile != Profile::Strict };
    Ok((test_specification.task_id, overview))
}

/// The keys of a report that [`read_overview`] looks at; all others are passed over.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OverviewExcerpt {
    test_specification: TitleExcerpt,
    execution_summary: RunOverview,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TitleExcerpt {
    task_id: TaskId,
    task_title: String,
}

/// Reads why a report says that it is no pass. None: it says that it is one.
///
/// # Errors
/// Fails for bytes that are no report, whose own hash does not fit, or that say of no pass why it is none, or of a pass.
pub fn read_build_error(bytes: &[u8]) -> Result<Option<BuildError>, ReportError> {
    let report: ErrorExcerpt<'_> = KIND.read(bytes).and_then(|_: serde::de::IgnoredAny| {
        serde_json::from_slice(bytes).map_err(|source| DocumentError::Shape { document: KIND.name, source })
    })?;
    if !verify_hash(bytes)? {
        return Err(KIND.content("its content is not what its own hash was made of").into());
    }
    let decision = report.execution_summary.decision;
    match (report.build_error, decision) {
        (None, Decision::Pass) => Ok(None),
        (Some(error), Decision::Fail | Decision::Blocked) => Ok(Some(build_error::read(error.get().as_bytes())?)),
        (Some(_), Decision::Pass) => Err(KIND.content("it passed, and says why it did not").into()),
        (None, Decision::Fail | Decision::Blocked) => {
            Err(KIND.content("it did not pass, and `buildError` does not say why").into())
        }
    }
}

/// The keys of a report that [`read_build_error`] looks at.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ErrorExcerpt<'report> {
    execution_summary: SummaryExcerpt,
    #[serde(borrow, default)]
    build_error: Option<&'report RawValue>,
}

#[derive(Deserialize)]
struct SummaryExcerpt {
    decision: Decision,
}

impl<'report> ReportDocument<'report> {
    fn new(report: &'report Report, plan_digest: Digest) -> Self {
        let verdict = &report.verdict;
        let passed = verdict.decision == Decision::Pass;
        let prerequisites = results(report, Phase::Prerequisite);
        let cleanup = results(report, Phase::Cleanup);
        let error = verdict.build_error.as_ref().map(|error| &error.message);
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
            evaluator: EvaluatorDocument::new(report),
            technical_debt_generated: DebtGenerated::new(report),
            diagnostics_log: &report.diagnostics.entries,
            diagnostics_distinct: report.diagnostics.distinct.into(),
            diagnostics_summary: &report.diagnostics.summary,
            baseline: verdict.baseline.as_ref().map(BaselineDocument::from),
            protection: report.run.run_context.protection.as_ref(),
            waivers: verdict.waivers.iter().map(WaiverUseDocument::from).collect(),
            error: if passed { None } else { error.or(verdict.reasons.first()).map(String::as_str) },
            build_error: verdict.build_error.as_ref(),
            notices: &report.run.notices,
            authenticity: Authenticity::new(report, plan_digest),
        }
    }
}

/// Returns an action of a report as it stands in the document. None: it never ran.
pub(crate) fn action_document<'report>(
    report: &'report Report,
    found: &'report ActionReport,
) -> Option<ActionDocument<'report>> {
    Some(ActionDocument::new(report, &found.action, found.ran()?))
}

/// Returns an action without an outcome as it stands in the document. None: it has one.
pub(crate) fn skipped_document(report: &Report, found: &ActionReport) -> Option<SkippedDocument> {
    Skipped::new(&report.plan, found)
}

fn results(report: &Report, phase: Phase) -> Vec<ActionDocument<'_>> {
    let of_phase = report.actions.iter().filter(|action| action.action.phase == phase);
    of_phase.filter_map(|action| Some(ActionDocument::new(report, &action.action, action.ran()?))).collect()
}
