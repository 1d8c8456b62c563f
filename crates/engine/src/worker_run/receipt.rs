//! The receipt of an order: an earlier run of it that a worker signed, in the depot (design, "Fleet"). It answers under the
//! rules for recorded verdicts, and is verified as a fresh answer. Whatever stands in the way costs a run and nothing else.

use referee_ledger::private_directory::PrivateDirectory;
use referee_model::depot::{DepotFailure, DepotFailureKind};
use referee_model::id::Digest;
use referee_model::limit;
use referee_model::run_context::SharedReceipt;
use referee_model::run_order::RunOrderResult;
use referee_model::time::Timestamp;
use referee_syntax::duration;

use super::{Receiver, WorkerRun, of_depot, open};
use crate::error::EngineError;
use crate::order_queue::FleetClient;
use crate::{replay, reuse};

/// By how much the clock of a worker may be ahead of that of this machine, in milliseconds.
const CLOCK_AHEAD_MS: u64 = 5 * 60 * 1000;

/// Finds the run of an earlier answer to the same order, and verifies it. `None`: nobody looks for one, or there is none. The
/// error in it is why it does not answer, as the end of a sentence.
///
/// # Errors
/// Fails if the depot does not answer.
pub(super) fn find(
    receiver: &Receiver<'_>,
    order: Digest,
    obstacle: Option<&str>,
) -> Result<Option<Result<WorkerRun, String>>, EngineError> {
    let Receiver { fleet, request, .. } = receiver;
    let (Some(age_ms), Some(state)) = (fleet.receipt_age_ms, request.run.state) else { return Ok(None) };
    let envelope = match fleet.depot.find_receipt(order).map_err(of_depot)? {
        Ok(Some(envelope)) => envelope,
        Ok(None) => return Ok(None),
        Err(failure) => return lost(fleet, &failure).map(|reason| Some(Err(reason))),
    };
    if let Some(obstacle) = obstacle {
        return Ok(Some(Err(obstacle.to_owned())));
    }
    let now = request.run.exec.clock.now();
    let (result, signers) = match open(&envelope, order, receiver.keys) {
        Ok(opened) => opened,
        Err(error) => return Ok(Some(Err(error.message))),
    };
    if let Some(reason) = out_of_date(&result, (now, age_ms)) {
        return Ok(Some(Err(reason)));
    }
    let directory = PrivateDirectory::of_workers(state, &request.execution)?;
    let fetched = fleet.depot.fetch_run(result.seal, directory.path(), limit::ORDER_FETCHED_BYTES).map_err(of_depot)?;
    if let Err(failure) = fetched {
        return lost(fleet, &failure).map(|reason| Some(Err(reason)));
    }
    let run = receiver.verify(directory.path(), (envelope, &result, &signers), order);
    let taken = run.map_err(|error| error.message).and_then(|run| run).and_then(|run| take(run, &result));
    Ok(Some(taken.map(|run| WorkerRun { _directory: Some(directory), ..run })))
}

/// Takes a verified run, if it may answer whoever asks later.
pub(crate) fn take(run: WorkerRun, result: &RunOrderResult) -> Result<WorkerRun, String> {
    if run.run.ended != result.ended {
        return Err(format!("{} did not end when the worker says", result.execution));
    }
    let report = replay::replay(&run.evidence).map_err(|error| error.message)?.report;
    if let Some(reason) = reuse::never_shared(&report) {
        return Err(format!("{} is not reused: {reason}", result.execution));
    }
    let (execution_id, signer) = (result.execution.clone(), run.signer.digest());
    let (started, ended) = (run.run.started, run.run.ended);
    let receipt = Some(SharedReceipt::Taken { execution_id, started, ended, signer });
    Ok(WorkerRun { receipt, ..run })
}

/// Returns why the time that a worker signed is not one of an earlier run that may answer. `None`: it is.
pub(crate) fn out_of_date(result: &RunOrderResult, (now, age_ms): (Timestamp, u64)) -> Option<String> {
    let RunOrderResult { execution, ended, .. } = result;
    let age_ms = age_ms.min(limit::SHARED_RECEIPT_AGE_MS);
    if ended.milliseconds_since(now) > CLOCK_AHEAD_MS {
        return Some(format!("{execution} ended at {ended}, which is later than now"));
    }
    (now.milliseconds_since(*ended) >= age_ms)
        .then(|| format!("{execution} ended at {ended}, longer ago than {}", duration::short(age_ms)))
}

/// Returns what the depot does not have, or has as something else, as the reason why there is no earlier run.
///
/// # Errors
/// Fails for a depot that does not answer.
fn lost(fleet: &FleetClient, failure: &DepotFailure) -> Result<String, EngineError> {
    match failure.kind {
        DepotFailureKind::Missing
        | DepotFailureKind::Corrupt
        | DepotFailureKind::Unknown
        | DepotFailureKind::Removed
        | DepotFailureKind::TooLarge => Ok(fleet.depot.error(failure).message),
        DepotFailureKind::Address
        | DepotFailureKind::Unavailable
        | DepotFailureKind::Denied
        | DepotFailureKind::Diverged
        | DepotFailureKind::Busy
        | DepotFailureKind::Local => Err(of_depot(fleet.depot.error(failure))),
    }
}
