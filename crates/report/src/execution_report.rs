//! `execution-report.json`: the single source of truth about a run (seed 1, "Master Execution Report").
//!
//! Everything in it is projected from a judged [`Report`]; nothing is decided here. The shape is that of the seed,
//! except that its broken key is corrected to `actionCounts` and that the counts add up (ruling 18).

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
use serde::Deserialize;
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

/// Execution report of a run.
#[document(nulls)]
#[cfg_attr(feature = "schema", schemars(title = "Referee execution report"))]
pub struct ReportDocument<'report> {
    /// Version of this format.
    #[cfg_attr(feature = "schema", schemars(with = "referee_model::schema::Version"))]
    report_version: &'static str,
    /// Time at which the run ended. The report is made from evidence alone, so the same evidence gives the same
    /// report.
    generated_at: Timestamp,
    /// Name and version of the program that ran the task, such as `Referee 1.0.0`.
    generated_by: String,
    /// Version of the rules by which the run was judged.
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
    /// Actions without an outcome, because they never ran or their result does not count. They are listed nowhere
    /// else.
    skipped_actions: Vec<Skipped>,
    /// Services that became ready, each with how it ended.
    services: Vec<ServiceDocument>,
    /// Results of the success and failure conditions of the specification.
    validation_criteria_evaluation: ValidationCriteria,
    /// Whether the completion criteria of the specification are met.
    completion_criteria_evaluation: CompletionCriteria,
    /// Result of the evaluator program. Null: the specification names none.
    evaluator: Option<EvaluatorDocument>,
    /// How much technical debt the run leaves, and where it is routed.
    technical_debt_generated: DebtGenerated,
    /// Distinct diagnostics, most severe first; at most 500.
    diagnostics_log: &'report [Finding],
    /// Number of distinct diagnostics, listed or not.
    diagnostics_distinct: Count,
    /// Summary of the most severe diagnostics, in a few lines.
    diagnostics_summary: &'report str,
    /// Baseline that the run was compared with. Left out where there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline: Option<BaselineDocument>,
    /// How the protected files compare with the trusted baseline. Left out where nothing is protected.
    #[serde(skip_serializing_if = "Option::is_none")]
    protection: Option<&'report Protection>,
    /// Waivers that the run found, used or not. Left out where it found none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    waivers: Vec<WaiverUseDocument>,
    /// Why the run did not pass, in one line. Null: it passed.
    error: Option<&'report str>,
    /// Why the run did not pass, as a structured error. Null: it passed.
    build_error: Option<&'report BuildError>,
    /// Notices about the run as a whole.
    notices: &'report [String],
    /// Which run and which program produced this report, and the hashes to check it by.
    authenticity: Authenticity,
}

#[document]
struct Prerequisites<'report> {
    /// Whether every prerequisite ran and was met.
    all_met: bool,
    /// Prerequisites that ran, in plan order.
    results: Vec<ActionDocument<'report>>,
}

#[document]
struct Steps<'report> {
    /// Steps that ran, in plan order.
    results: Vec<ActionDocument<'report>>,
}

#[document]
struct Cleanup<'report> {
    /// Whether any cleanup action ran.
    executed: bool,
    /// Cleanup actions that ran, in plan order; empty where none did.
    results: Vec<ActionDocument<'report>>,
}

/// Returns the bytes of `execution-report.json`, which are always the same for the same report.
pub fn render(report: &Report) -> Result<Vec<u8>, ReportError> {
    let mut document = ReportDocument::new(report, plan::plan_document::digest(&report.plan)?);
    document.authenticity.report_hash = Some(hash(serde_json::to_value(&document)?)?);
    Ok(document::to_bytes(&document)?)
}

/// Reads the overview of a report, and the task that it is about.
///
/// # Errors
/// Fails for bytes that are not a report.
pub fn read_overview(bytes: &[u8]) -> Result<(TaskId, RunOverview), ReportError> {
    let report: OverviewExcerpt = KIND.read(bytes)?;
    let OverviewExcerpt { test_specification, execution_summary: mut overview } = report;
    overview.task_title = test_specification.task_title;
    let ScopeOverview { profile, reduced } = overview.scope;
    // Every profile other than strict counts as reduced, whatever else the report says (ruling 17).
    overview.scope = ScopeOverview { profile, reduced: reduced || profile != Profile::Strict };
    Ok((test_specification.task_id, overview))
}

/// Keys of a report that [`read_overview`] reads; all others are ignored.
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

/// Reads the error of a report. None: the report says that the run passed.
///
/// # Errors
/// Fails for bytes that are not a report, for a report whose own hash does not match, and for one that lacks an
/// error without being a pass, or states one although it is a pass.
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

/// Keys of a report that [`read_build_error`] reads.
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

/// Returns an action as it appears in the report document. None: it never ran.
pub(crate) fn action_document<'report>(
    report: &'report Report,
    found: &'report ActionReport,
) -> Option<ActionDocument<'report>> {
    Some(ActionDocument::new(report, &found.action, found.ran()?))
}

/// Returns an action without an outcome as it appears in the report document. None: it has an outcome.
pub(crate) fn skipped_document(report: &Report, found: &ActionReport) -> Option<SkippedDocument> {
    Skipped::new(&report.plan, found)
}

fn results(report: &Report, phase: Phase) -> Vec<ActionDocument<'_>> {
    let of_phase = report.actions.iter().filter(|action| action.action.phase == phase);
    of_phase.filter_map(|action| Some(ActionDocument::new(report, &action.action, action.ran()?))).collect()
}
