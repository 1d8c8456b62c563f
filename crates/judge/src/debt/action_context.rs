//! Context of a failure (seed 1, `contextualInformation`), and its evidence.

use std::collections::BTreeSet;

use referee_model::debt::{DebtEvidence, ErrorContext, HttpTrace};
use referee_model::evidence_name;
use referee_model::id::ActionId;
use referee_model::limit::{DEBT_LINES_KEPT, DEBT_LOG_LINES_KEPT, MESSAGE_BYTES};
use referee_model::outcome::Outcome;
use referee_model::plan::{Action, Phase, Work};
use referee_model::reading::Reading;
use referee_model::record::http::HttpEnding;
use referee_model::record::{Facts, Record, RunRecord};
use referee_model::report::{ActionReport, Ran};
use referee_syntax::cut::head;

/// Context of an action when it ran.
#[derive(Debug, Clone)]
pub(super) struct ActionContext {
    /// Actions that ran before it and beside it.
    pub(super) context: ErrorContext,
    /// The request and its answer.
    pub(super) http: Option<HttpTrace>,
    pub(super) files: Vec<String>,
    /// Files of the pictures of pages.
    pub(super) screenshots: Vec<String>,
}

pub(super) fn of_action(run: &RunRecord, actions: &[ActionReport], at: usize) -> Option<ActionContext> {
    let report = actions.get(at)?;
    let ran = report.ran()?;
    let before = actions.get(..at).unwrap_or_default().iter();
    let mut previous: Vec<ActionId> = before
        .rev()
        .filter(|report| report.action.phase == Phase::Step && has_succeeded(report))
        .take(DEBT_LINES_KEPT)
        .map(|report| report.action.id.clone())
        .collect();
    previous.reverse();
    let mut prerequisites = actions.iter().filter(|report| report.action.phase == Phase::Prerequisite);
    Some(ActionContext {
        context: ErrorContext {
            prerequisites_met: prerequisites.all(has_succeeded),
            server_running: server_running(run, actions, &ran.record),
            previous_steps_succeeded: previous,
            related_failures: Vec::new(),
        },
        http: trace(ran),
        files: files(&report.action, ran),
        screenshots: ran.record.screenshots().iter().map(|taken| taken.image.file.clone()).collect(),
    })
}

/// Returns the evidence of an action whose failure is in these byte ranges of the log.
pub(super) fn evidence(context: &ActionContext, reading: &Reading, log_ranges: Vec<(u64, u64)>) -> DebtEvidence {
    let lines = log_lines(reading, &log_ranges);
    DebtEvidence {
        files: context.files.clone(),
        log_lines: lines,
        log_ranges,
        screenshots: context.screenshots.clone(),
    }
}

/// Returns the lines of byte ranges, only the first ones if there are many.
fn log_lines(reading: &Reading, ranges: &[(u64, u64)]) -> Vec<u32> {
    let mut lines = BTreeSet::new();
    for (first, last) in ranges.iter().filter_map(|range| reading.lines(*range)) {
        // Each range adds no more lines than are listed at most.
        lines.extend((first..=last).take(DEBT_LOG_LINES_KEPT));
    }
    lines.into_iter().take(DEBT_LOG_LINES_KEPT).collect()
}

fn has_succeeded(report: &ActionReport) -> bool {
    report.ran().is_some_and(|ran| ran.judgement.outcome == Outcome::Success)
}

/// Returns whether any service was up while an action ran: it was ready before, and had not ended when the
/// action began.
fn server_running(run: &RunRecord, actions: &[ActionReport], record: &Record) -> Option<bool> {
    let mut services = actions
        .iter()
        .filter(|report| matches!(report.action.work, Work::Service(_)) && report.action.id != record.action);
    let is_service = |report: &ActionReport| matches!(report.action.work, Work::Service(_));
    if !actions.iter().any(is_service) {
        return None;
    }
    Some(services.any(|report| {
        let is_ready = report.ran().is_some_and(|ran| {
            ran.judgement.outcome == Outcome::Success && ran.record.span.ended <= record.span.started
        });
        let ended =
            run.services.iter().filter(|service| service.action == report.action.id).map(|service| service.span.ended);
        is_ready && ended.max().is_none_or(|ended| ended > record.span.started)
    }))
}

fn trace(ran: &Ran) -> Option<HttpTrace> {
    let Facts::Http(facts) = &ran.record.facts else { return None };
    let (status, body) = match &facts.ending {
        HttpEnding::Answered(answer) => {
            let text = &ran.reading.excerpts.stdout.head;
            let body = answer.body.as_ref().map(|_| head(text, MESSAGE_BYTES).to_owned());
            (Some(answer.status), body)
        }
        HttpEnding::NoAnswer(none) => (none.status, None),
        HttpEnding::DeadlineExceeded { status, .. } => (*status, None),
        HttpEnding::Interrupted => (None, None),
    };
    let request = format!("{} {}", facts.request.method, head(&facts.request.url, MESSAGE_BYTES).to_owned());
    Some(HttpTrace { request, status, body })
}

/// Returns the log, the record and the reading, as far as they exist.
fn files(action: &Action, ran: &Ran) -> Vec<String> {
    let log = ran.record.log().filter(|_| !matches!(ran.record.facts, Facts::File(_)));
    let mut files: Vec<String> = log.map(|log| log.file.clone()).into_iter().collect();
    files.push(evidence_name::record(action, ran.record.attempt));
    if ran.reading.counts.total() > 0 {
        files.push(evidence_name::diagnostics(&action.id));
    }
    if ran.reading.tests.is_some() {
        files.push(evidence_name::test_results(&action.id));
    }
    files
}
