//! Checkpoints of a run in the depot through which its turns go, from which another machine may go on with it.

use std::cell::RefCell;

use referee_ledger::agent_runs::{OwnFile, RunDirectory};
use referee_ledger::attest;
use referee_ledger::attestation::envelope::Envelope;
use referee_ledger::clean_room::{TreeScope, manifest};
use referee_model::agent_checkpoint::{AgentCheckpoint, CHECKPOINT_TYPE};
use referee_model::id::{Digest, ExecutionId, WorkspacePath};
use referee_model::order_protocol::OrderRequest;
use referee_model::time::Timestamp;
use referee_model::tree_manifest::ContentLink;

use super::AgentWorkers;
use super::runner::marker;
use crate::error::EngineError;

/// The checkpoints of a run.
pub(crate) struct Checkpoints<'run> {
    workers: &'run AgentWorkers,
    directory: &'run RunDirectory,
    run_id: String,
    run: ExecutionId,
    specification: WorkspacePath,
    last: RefCell<Option<Last>>,
}

/// What the next checkpoint follows.
struct Last {
    /// Digest of the signed checkpoint. `None`: the depot has none.
    digest: Option<Digest>,
    base: ContentLink,
    tree: ContentLink,
}

impl<'run> Checkpoints<'run> {
    /// Finds the last checkpoint of a run that may have been interrupted.
    ///
    /// # Errors
    /// Fails if another machine has taken the run over.
    pub(crate) fn new(
        workers: &'run AgentWorkers,
        (directory, run_id): (&'run RunDirectory, String),
        specification: WorkspacePath,
    ) -> Result<Self, EngineError> {
        let run = marker(&run_id).map_err(EngineError::internal)?;
        let own = directory.read_own(OwnFile::Checkpoint)?;
        let last = own.map(|own| last(workers, &run, &own)).transpose()?;
        Ok(Self { workers, directory, run_id, run, specification, last: RefCell::new(last) })
    }

    /// Takes a checkpoint: `tree` is the workspace, and `turn` what was ordered in it.
    ///
    /// # Errors
    /// Fails if the depot cannot be used, and if another machine has taken the run over.
    pub(super) fn take(
        &self,
        tree: ContentLink,
        turn: Option<OrderRequest>,
        now: Timestamp,
    ) -> Result<(), EngineError> {
        let depot = self.workers.depot();
        let (previous, base) = match &*self.last.borrow() {
            Some(last) => (last.digest, last.base),
            None => (None, tree),
        };
        let path = self.directory.path();
        let record = depot.put_tree(path, manifest(path, &TreeScope::default()).map_err(EngineError::internal)?)?;
        let checkpoint = AgentCheckpoint {
            run_id: self.run_id.clone(),
            previous,
            base,
            tree,
            record,
            turn,
            specification: self.specification.clone(),
            taken_at: now,
            engine_version: self.workers.version().to_owned(),
        };
        let digest = put(self.workers, self.directory, &self.run, &checkpoint)?;
        self.last.replace(Some(Last { digest: Some(digest), base, tree }));
        Ok(())
    }

    /// Takes the last checkpoint of a run that is over. A run that ordered no turn has none.
    ///
    /// # Errors
    /// As [`Checkpoints::take`].
    pub(crate) fn end(&self, now: Timestamp) -> Result<(), EngineError> {
        let tree = self.last.borrow().as_ref().map(|last| last.tree);
        tree.map_or(Ok(()), |tree| self.take(tree, None, now))
    }
}

/// Signs a checkpoint and puts it in the depot, in the place of the one that it names. It is kept here first: where this
/// process ends in between, the next one knows both. Returns its digest.
///
/// # Errors
/// Fails if the depot cannot be used, and if another machine has taken the run over.
pub(crate) fn put(
    workers: &AgentWorkers,
    directory: &RunDirectory,
    run: &ExecutionId,
    checkpoint: &AgentCheckpoint,
) -> Result<Digest, EngineError> {
    let envelope = attest::sign(CHECKPOINT_TYPE, &checkpoint.encode()?, workers.signer())?;
    let digest = Digest::of(&envelope);
    directory.write_own(OwnFile::Checkpoint, &envelope)?;
    let text = String::from_utf8(envelope).map_err(EngineError::internal)?;
    if workers.depot().put_checkpoint(run, checkpoint.previous, text)? {
        return Ok(digest);
    }
    Err(taken_over())
}

/// Returns what the next checkpoint follows, by the one that this machine put last, or was about to put.
fn last(workers: &AgentWorkers, run: &ExecutionId, own: &[u8]) -> Result<Last, EngineError> {
    let envelope = Envelope::read(own).map_err(EngineError::internal)?;
    let checkpoint = AgentCheckpoint::decode(&envelope.payload).map_err(EngineError::internal)?;
    let found = workers.depot().find_checkpoint(run)?.map(Digest::of);
    if found != Some(Digest::of(own)) && found != checkpoint.previous {
        return Err(taken_over());
    }
    Ok(Last { digest: found, base: checkpoint.base, tree: checkpoint.tree })
}

fn taken_over() -> EngineError {
    EngineError::refused("another machine has taken the run over, and goes on with it".to_owned())
}
