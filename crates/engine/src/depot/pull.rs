//! Fetches a run from a depot, verifies it, and publishes it.

use std::path::Path;

use referee_ledger::incoming_run::IncomingOutcome;
use referee_ledger::private_directory::PrivateDirectory;
use referee_ledger::{State, Store, export};
use referee_model::depot::{DepotOperation, PulledRun};
use referee_model::id::{ExecutionId, TaskId};

use super::DepotClient;
use crate::context::Context;
use crate::error::{EngineError, ErrorKind};
use crate::verification::{self, Axis, AxisState, VerificationOutcome, Verifier, VerifyRequest};

/// Request for a run of a depot.
#[derive(Debug, Clone, Copy)]
pub struct PullRequest<'request> {
    /// The task.
    pub task: &'request TaskId,
    /// Keys and trust store to verify with.
    pub verifier: &'request Verifier,
    /// Whether a run that no trusted key signed is accepted.
    pub accept_unsigned: bool,
    /// Maximum total size of the run's files, with the seals of earlier runs, in bytes.
    pub max_bytes: u64,
}

/// Fetches the newest run of a task, verifies it, and publishes it in an evidence root if it follows the runs that are
/// known here.
///
/// # Errors
/// Fails if it cannot be fetched, does not verify, or does not follow them; then nothing is published.
pub fn pull(
    context: &Context,
    client: &DepotClient,
    root: &Path,
    state: Option<&State>,
    request: &PullRequest<'_>,
) -> Result<(PulledRun, IncomingOutcome), EngineError> {
    let store = Store::open_with(root, state)?;
    let known = store.newest_seal(request.task)?;
    let incoming = store.receive(request.task, &context.new_execution()?)?;
    let operation = DepotOperation::Pull {
        task: request.task.clone(),
        execution: None,
        known,
        into: incoming.path().to_path_buf(),
        max_bytes: request.max_bytes,
    };
    let pulled = client.fetch(operation)?;
    verify(&incoming.run(), &pulled, state, request)?;
    let outcome = incoming.publish(context.now(), &client.address().to_string())?;
    let task = request.task;
    match &outcome {
        IncomingOutcome::Published { .. } | IncomingOutcome::Present { .. } => Ok((pulled, outcome)),
        IncomingOutcome::Behind { head } => Err(EngineError::refused(format!(
            "the depot's newest run of {task} is {}, number {}, and this machine knows a later one: {}, number {}. Push it, \
             or, if it was pushed before, the depot was set back",
            pulled.run.execution_id, pulled.run.sequence, head.execution_id, head.sequence
        ))),
        IncomingOutcome::Diverged { head } => Err(EngineError::refused(format!(
            "the depot's newest run of {task} ({}) does not follow the newest one of this machine ({}): copy it with --out, \
             or pull into another evidence directory",
            pulled.run.execution_id, head.execution_id
        ))),
    }
}

/// Fetches a run of a task, verifies it, and copies it to a new directory. Nothing is published.
///
/// # Errors
/// Fails if it cannot be fetched, does not verify, or if the directory exists.
pub fn pull_copy(
    context: &Context,
    client: &DepotClient,
    (state, out): (&State, &Path),
    execution: Option<&ExecutionId>,
    request: &PullRequest<'_>,
) -> Result<PulledRun, EngineError> {
    if out.symlink_metadata().is_ok() {
        return Err(EngineError::usage(format!("--out: {} already exists", out.display())));
    }
    let incoming = PrivateDirectory::make(state, &context.new_execution()?)?;
    let operation = DepotOperation::Pull {
        task: request.task.clone(),
        execution: execution.cloned(),
        known: None,
        into: incoming.path().to_path_buf(),
        max_bytes: request.max_bytes,
    };
    let pulled = client.fetch(operation)?;
    let run = incoming.path().join("run");
    verify(&run, &pulled, Some(state), request)?;
    export::copy(&run, out)?;
    Ok(pulled)
}

/// Verifies a run that was fetched, as evidence from elsewhere.
fn verify(
    directory: &Path,
    pulled: &PulledRun,
    state: Option<&State>,
    request: &PullRequest<'_>,
) -> Result<(), EngineError> {
    let verification =
        verification::verify(&VerifyRequest { directory, replay: false, state, verifier: request.verifier })?;
    let execution = &pulled.run.execution_id;
    if let VerificationOutcome::Tampered | VerificationOutcome::Unverifiable = verification.standing() {
        let bad = |axis: &&Axis| matches!(axis.state, AxisState::Broken | AxisState::Unverifiable);
        let reasons = verification.axes.iter().filter(bad).map(told).collect::<Vec<_>>().join("; ");
        let message = format!("{execution} does not verify, so nothing was published: {reasons}");
        return Err(EngineError::new(ErrorKind::Evidence, message));
    }
    let trust = verification.axes.iter().find(|axis| axis.name == "trust");
    match trust {
        Some(axis) if axis.state == AxisState::Holds => Ok(()),
        _ if request.accept_unsigned => Ok(()),
        axis => Err(EngineError::refused(format!(
            "{execution} cannot be trusted ({}): trust the key of its runner (`referee key trust`), name the key with \
             --key, or accept it with --unsigned",
            axis.map_or_else(|| "its signature is unknown".to_owned(), told)
        ))),
    }
}

fn told(axis: &Axis) -> String {
    format!("{}: {}", axis.name, axis.reasons.join(", "))
}
