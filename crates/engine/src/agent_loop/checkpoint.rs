//! Checkpoints of a loop in the depot through which its turns go, from which another machine may go on with it.

use std::cell::RefCell;
use std::path::Path;

use referee_ledger::attest;
use referee_ledger::attestation::envelope::Envelope;
use referee_ledger::clean_room::{TreeScope, manifest};
use referee_ledger::{State, pending_turn};
use referee_model::agent_checkpoint::{AgentCheckpoint, AgentLoopId, CHECKPOINT_TYPE};
use referee_model::id::{Digest, ExecutionId, WorkspacePath};
use referee_model::order_protocol::OrderRequest;
use referee_model::time::Timestamp;
use referee_model::tree_manifest::ContentLink;

use super::{AgentRunner, AgentWorkers};
use crate::error::EngineError;

/// Stores the documents of a loop in a depot.
pub(crate) type RecordSource<'run> = Box<dyn Fn(&AgentWorkers) -> Result<ContentLink, EngineError> + 'run>;

/// What the checkpoints of a loop tell of it.
pub(crate) struct LoopRecord<'run> {
    pub(crate) of: AgentLoopId,
    /// The specification in the workspace, and its digest when the loop began.
    pub(crate) specification: (WorkspacePath, Digest),
    pub(crate) documents: RecordSource<'run>,
}

/// The checkpoints of a loop.
pub(crate) struct Checkpoints<'run> {
    workers: &'run AgentWorkers,
    record: LoopRecord<'run>,
    ground: CheckpointGround<'run>,
    workspace: &'run Path,
    last: RefCell<Option<Last>>,
}

/// Where this machine keeps its last checkpoint of a loop.
#[derive(Clone)]
pub(crate) struct CheckpointGround<'run> {
    pub(crate) state: &'run State,
    /// Name of the loop on this machine.
    pub(crate) marker: ExecutionId,
}

/// What the next checkpoint follows.
struct Last {
    /// Digest of the signed checkpoint. `None`: the depot has none.
    digest: Option<Digest>,
    /// The workspace when the first turn was ordered. `None`: none was ordered yet.
    base: Option<ContentLink>,
}

impl<'run> AgentRunner<'run> {
    /// Takes checkpoints from now on. They follow the last one of this machine; those of a new loop begin with the workspace as
    /// it is then.
    ///
    /// # Errors
    /// Fails if another machine has taken the loop over.
    pub(crate) fn take_checkpoints(
        &mut self,
        workers: &'run AgentWorkers,
        record: LoopRecord<'run>,
        is_new: bool,
    ) -> Result<(), EngineError> {
        let ground = CheckpointGround { state: self.state, marker: self.marker.clone() };
        let last = last(workers, &record.of, &ground)?;
        let last = last.map(|last| Last { base: last.base.filter(|_| !is_new), ..last });
        let workspace = self.directory;
        self.checkpoints = Some(Checkpoints { workers, record, ground, workspace, last: RefCell::new(last) });
        Ok(())
    }
}

impl Checkpoints<'_> {
    /// Takes a checkpoint: `tree` is the workspace, and `turn` what was ordered in it.
    ///
    /// # Errors
    /// Fails if the depot cannot be used, and if another machine has taken the loop over.
    pub(super) fn take(
        &self,
        tree: ContentLink,
        turn: Option<OrderRequest>,
        now: Timestamp,
    ) -> Result<(), EngineError> {
        let (previous, base) = self.last.borrow().as_ref().map_or((None, None), |last| (last.digest, last.base));
        let base = base.unwrap_or(tree);
        let (specification, specification_sha256) = self.record.specification.clone();
        let checkpoint = AgentCheckpoint {
            of: self.record.of.clone(),
            previous,
            base,
            tree,
            record: (self.record.documents)(self.workers)?,
            turn,
            specification,
            specification_sha256,
            taken_at: now,
            engine_version: self.workers.version().to_owned(),
        };
        let digest = put(self.workers, &self.ground, &checkpoint)?;
        self.last.replace(Some(Last { digest: Some(digest), base: Some(base) }));
        Ok(())
    }

    /// Takes the last checkpoint of a loop that has ended. A loop that ordered no turn has none.
    ///
    /// # Errors
    /// As [`Checkpoints::take`].
    pub(crate) fn end(&self, now: Timestamp) -> Result<(), EngineError> {
        if self.last.borrow().as_ref().is_none_or(|last| last.base.is_none()) {
            return Ok(());
        }
        let files = manifest(self.workspace, self.workers.scope()).map_err(EngineError::evidence)?;
        self.take(self.workers.depot().put_tree(self.workspace, files)?, None, now)
    }

    /// Fails if the depot says that another machine has taken the loop over.
    pub(crate) fn verify(&self) -> Result<(), EngineError> {
        let own = self.last.borrow().as_ref().and_then(|last| last.digest);
        let found = self.workers.depot().find_checkpoint(&self.record.of.checkpoint_name().map_err(internal)?);
        // A depot that does not answer says nothing of another machine.
        match (own, found) {
            (Some(own), Ok(Some(found))) if Digest::of(&found) != own => Err(taken_over(&self.record.of)),
            _ => Ok(()),
        }
    }
}

/// Stores a directory of documents in a depot.
pub(crate) fn put_documents(workers: &AgentWorkers, directory: &Path) -> Result<ContentLink, EngineError> {
    let files = manifest(directory, &TreeScope::default()).map_err(EngineError::internal)?;
    workers.depot().put_tree(directory, files)
}

/// Signs a checkpoint and puts it in the depot, in the place of the one that it names. It is kept here first: where this
/// process ends in between, the next one knows both. Returns its digest.
///
/// # Errors
/// Fails if the depot cannot be used, and if another machine has taken the loop over.
pub(super) fn put(
    workers: &AgentWorkers,
    ground: &CheckpointGround<'_>,
    checkpoint: &AgentCheckpoint,
) -> Result<Digest, EngineError> {
    let envelope = attest::sign(CHECKPOINT_TYPE, &checkpoint.encode()?, workers.signer())?;
    let digest = Digest::of(&envelope);
    pending_turn::keep_checkpoint(ground.state, &ground.marker, &envelope)?;
    let text = String::from_utf8(envelope).map_err(EngineError::internal)?;
    let name = checkpoint.of.checkpoint_name().map_err(internal)?;
    if workers.depot().put_checkpoint(&name, checkpoint.previous, text)? {
        return Ok(digest);
    }
    Err(taken_over(&checkpoint.of))
}

/// Returns what the next checkpoint follows, by the one that this machine put last, or was about to put. One that the depot has
/// lost is followed by nothing.
fn last(workers: &AgentWorkers, of: &AgentLoopId, ground: &CheckpointGround<'_>) -> Result<Option<Last>, EngineError> {
    let Some(own) = pending_turn::find_checkpoint(ground.state, &ground.marker)? else { return Ok(None) };
    let envelope = Envelope::read(&own).map_err(internal)?;
    let checkpoint = AgentCheckpoint::decode(&envelope.payload).map_err(internal)?;
    let found = workers.depot().find_checkpoint(&of.checkpoint_name().map_err(internal)?)?.map(Digest::of);
    if found.is_some() && found != Some(Digest::of(&own)) && found != checkpoint.previous {
        return Err(taken_over(of));
    }
    Ok(Some(Last { digest: found, base: Some(checkpoint.base) }))
}

fn taken_over(of: &AgentLoopId) -> EngineError {
    EngineError::refused(format!("another machine has taken {of} over, and goes on with it"))
}

fn internal(error: impl std::fmt::Display) -> EngineError {
    EngineError::internal(error)
}
