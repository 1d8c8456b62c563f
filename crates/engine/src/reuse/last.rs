//! How long a run took that asked for the same.

use referee_ledger::evidence::Evidence;
use referee_model::evidence_name;
use referee_model::plan::Plan;
use referee_model::seal;
use referee_model::verdict::Decision;

use super::find::digest;

/// Returns the milliseconds that the last sealed run of a plan took. None: there is none, it asked for something else, or it
/// did not pass: one that was stopped, or hung on what was wrong, says nothing of the time that the checks take. It is read from the workspace and believed only for this: whoever forges it has checks not begun, or stopped when the time is
/// up.
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
