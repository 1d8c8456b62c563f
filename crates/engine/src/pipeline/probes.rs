//! Probes after a run that passed, and what is stored of them.

use referee_model::plan::Plan;
use referee_model::plan::guard::ProbeAnswer;
use referee_model::record::{RunEnding, RunRecord};
use referee_model::report::Report;
use referee_model::run_context::probe::{ProbeResult, ProbeRun};
use referee_model::run_context::{Probe, ProbeAudit};
use referee_model::verdict::Decision;

use super::by_rules;
use crate::error::EngineError;
use crate::recorder::{RunRecorder, Stage};
use crate::request::TaskRequest;
use crate::stored_baseline::StoredBaseline;

/// Runs the probes after a full run that passed: whether the tests of the change fail without it, and whether
/// checks still report planted defects. If a signal arrives meanwhile, the run counts as interrupted.
pub(super) fn ask(
    request: &TaskRequest<'_>,
    judged_plan: &Plan,
    run: &mut RunRecord,
    (stage, held, begun): (&Stage, Option<&StoredBaseline>, u64),
    recorder: &mut RunRecorder<'_>,
) -> Result<(), EngineError> {
    let Some(probes) = request.probes.filter(|_| !run.scope.reduced) else { return Ok(()) };
    let passes = |run: &RunRecord, recorder: &RunRecorder<'_>| -> Result<Option<Report>, EngineError> {
        let report = by_rules(judged_plan, run, (stage, held), recorder)?;
        Ok(Some(report).filter(|report| report.verdict.decision == Decision::Pass))
    };
    let redact = |text: &str| stage.redact(text);
    let mut passed = None;
    // The end time of the run is left alone: it measures how long the checks take, and a probe is not part of that.
    if request.plan.guard.probe != ProbeAnswer::Off && request.run.protection.is_some() {
        let Some(report) = passes(run, recorder)? else { return Ok(()) };
        run.run_context.probe = (probes.change)(request, &report, begun, recorder.events());
        run.run_context.probe.iter_mut().for_each(|probe| redact_probe(probe, &redact));
        // The result of the probe may keep the run from passing.
        passed = Some(report).filter(|_| run.run_context.probe.is_none());
    }
    if let Some(set) = (probes.learned)(request)?
        && let Some(report) = passed.map_or_else(|| passes(run, recorder), |report| Ok(Some(report)))?
    {
        run.run_context.probe_audit = (probes.audit)(request, &set, &report, begun, recorder.events());
        run.run_context.probe_audit.iter_mut().for_each(|audit| redact_audit(audit, &redact));
    }
    if let Some(signal) = request.run.cancellation.requests().first() {
        run.ending = RunEnding::Interrupted { signal: *signal };
    }
    Ok(())
}

/// Redacts the result of a probe.
fn redact_probe(probe: &mut Probe, redact: &dyn Fn(&str) -> String) {
    let results = probe.runs.iter_mut().flat_map(texts);
    let obstacle = probe.obstacle.iter_mut().map(|obstacle| &mut obstacle.reason);
    for text in probe.tests.iter_mut().chain(obstacle).chain(results) {
        *text = redact(text);
    }
}

/// Redacts the result of an audit.
fn redact_audit(audit: &mut ProbeAudit, redact: &dyn Fn(&str) -> String) {
    let change = audit.change.iter_mut().flat_map(|change| &mut change.attempts).map(|attempt| &mut attempt.run);
    let runs = audit.checks.iter_mut().flat_map(|check| &mut check.attempts).flat_map(|attempt| &mut attempt.runs);
    let runs = runs.chain(change);
    let obstacle = audit.obstacle.iter_mut().map(|obstacle| &mut obstacle.reason);
    for text in runs.flat_map(texts).chain(obstacle) {
        *text = redact(text);
    }
}

/// Returns the texts that a probe's run quotes.
fn texts(run: &mut ProbeRun) -> &mut [String] {
    match &mut run.result {
        ProbeResult::Passed => &mut [][..],
        ProbeResult::Failed { tests, .. } => tests,
        ProbeResult::Unusable { reason } => std::slice::from_mut(reason),
    }
}
