//! The duration of the last run of the same plan.

use referee_ledger::evidence::Evidence;
use referee_model::plan::Plan;
use referee_model::verdict::Decision;
use referee_model::{evidence_name, seal};

use super::find::digest;

/// Returns the duration in milliseconds of the last sealed run of a plan. `None` if there is none, if its plan was
/// different, or if it did not pass: a run that was stopped, or hung on a fault, says nothing about the time that
/// the checks take. The value is read from the workspace and trusted only for this purpose: a forged one only
/// causes checks not to be started, or to be stopped when the time is up.
pub(crate) fn took_ms(plan: &Plan, world: &referee_exec::Host) -> Option<u64> {
    let directory = plan.evidence_root.join(plan.task.as_str());
    let evidence = Evidence::open(&directory).ok()?;
    let sealed = seal::read(&evidence.read(evidence_name::SEAL).ok()?).ok()?;
    if sealed.plan_digest != digest(plan, world).ok()? {
        return None;
    }
    let report = evidence.read(evidence_name::EXECUTION_REPORT).ok()?;
    if referee_model::report::report_document::read(&report).ok()?.decision != Decision::Pass {
        return None;
    }
    let run = referee_model::record::header::read(&evidence.read(evidence_name::RUN).ok()?).ok()?;
    Some(run.ended.milliseconds_since(run.started))
}
