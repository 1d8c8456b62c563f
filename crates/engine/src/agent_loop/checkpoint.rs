//! Checkpoints of a loop in the depot through which its turns go, from which another machine may go on with it.

use std::fmt::Display;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use referee_exec::Clock;
use referee_ledger::attest;
use referee_ledger::attestation::envelope::Envelope;
use referee_ledger::clean_room::{TreeScope, manifest};
use referee_ledger::key::PublicKey;
use referee_ledger::{State, pending_turn};
use referee_model::agent_checkpoint::{AgentCheckpoint, AgentLoopId, CHECKPOINT_TYPE};
use referee_model::id::{Digest, ExecutionId, WorkspacePath};
use referee_model::order_protocol::OrderRequest;
use referee_model::tree_manifest::ContentLink;

use super::lease::Lease;
use super::{AgentRunner, AgentWorkers};
use crate::error::{EngineError, ErrorKind};

/// Stores the documents of a loop in a depot.
pub(crate) type RecordSource<'run> = Box<dyn Fn(&AgentWorkers) -> Result<ContentLink, EngineError> + 'run>;

/// What the checkpoints of a loop tell of it.
pub(crate) struct LoopRecord<'run> {
    pub(crate) of: AgentLoopId,
    /// The specification in the workspace, and its digest when the loop began.
    pub(crate) specification: (WorkspacePath, Digest),
    pub(crate) documents: RecordSource<'run>,
}

/// The checkpoints of a loop. The last one is renewed from time to time, as long as this lives.
pub(crate) struct Checkpoints<'run> {
    record: LoopRecord<'run>,
    workspace: &'run Path,
    /// The commit that is checked out.
    commit: Option<String>,
    chain: Arc<Chain>,
    _lease: Lease,
}

/// Where this machine keeps its last checkpoint of a loop.
#[derive(Clone)]
pub(crate) struct CheckpointGround<'run> {
    pub(crate) state: &'run State,
    /// Name of the loop on this machine.
    pub(crate) marker: ExecutionId,
}

/// The checkpoints that this machine puts, each in the place of the one before.
struct Chain {
    workers: AgentWorkers,
    state: State,
    marker: ExecutionId,
    clock: Clock,
    last: Mutex<Option<Last>>,
}

/// What the next checkpoint follows.
struct Last {
    /// Digest of the signed checkpoint. `None`: the depot has none.
    digest: Option<Digest>,
    /// The checkpoint. `None`: it is of an earlier loop.
    checkpoint: Option<AgentCheckpoint>,
    /// Digest of the next one, if nobody knows whether the depot has it: the depot did not answer.
    in_doubt: Option<Digest>,
}

impl<'run> AgentRunner<'run> {
    /// Takes checkpoints from now on. They follow the last one of this machine; those of a new loop begin with the workspace as
    /// it is then.
    ///
    /// # Errors
    /// Fails if another machine has taken the loop over.
    pub(crate) fn take_checkpoints(
        &mut self,
        workers: &AgentWorkers,
        record: LoopRecord<'run>,
        is_new: bool,
    ) -> Result<(), EngineError> {
        let ground = CheckpointGround { state: self.state, marker: self.marker.clone() };
        let last = last(workers, &record.of, &ground)?;
        let last = last.map(|last| Last { checkpoint: last.checkpoint.filter(|_| !is_new), ..last });
        let chain = Arc::new(Chain {
            workers: workers.clone(),
            state: self.state.clone(),
            marker: ground.marker,
            clock: self.host.clock,
            last: Mutex::new(last),
        });
        let renewed = Arc::clone(&chain);
        let lease = Lease::begin(move || renewed.renew())?;
        let commit = self.head();
        self.checkpoints = Some(Checkpoints { record, workspace: self.directory, commit, chain, _lease: lease });
        Ok(())
    }

    /// Takes the last checkpoint of a loop that has ended. A loop that ordered no turn has none. Returns why the depot could not
    /// be told: the loop has ended all the same.
    ///
    /// # Errors
    /// Fails if another machine has taken the loop over.
    pub(crate) fn end_checkpoints(&self) -> Result<Option<EngineError>, EngineError> {
        match self.checkpoints.as_ref().map_or(Ok(()), Checkpoints::end) {
            Ok(()) => Ok(None),
            Err(error) if error.kind == ErrorKind::Refused => Err(error),
            Err(error) => Ok(Some(error)),
        }
    }
}

impl Checkpoints<'_> {
    /// Takes a checkpoint: `tree` is the workspace, and `turn` what was ordered in it. `None`: the loop has ended.
    ///
    /// # Errors
    /// Fails if the depot cannot be used, and if another machine has taken the loop over.
    pub(super) fn take(&self, tree: ContentLink, turn: Option<OrderRequest>) -> Result<(), EngineError> {
        let workers = &self.chain.workers;
        let (specification, specification_sha256) = self.record.specification.clone();
        let record = (self.record.documents)(workers)?;
        let mut last = self.chain.last();
        let before = last.as_ref().and_then(|last| last.checkpoint.as_ref());
        let checkpoint = AgentCheckpoint {
            of: self.record.of.clone(),
            previous: last.as_ref().and_then(|last| last.digest),
            base: before.map_or(tree, |before| before.base),
            commit: before.map_or_else(|| self.commit.clone(), |before| before.commit.clone()),
            tree,
            record,
            is_ended: turn.is_none(),
            turn,
            specification,
            specification_sha256,
            taken_at: self.chain.clock.now(),
            engine_version: workers.version().to_owned(),
        };
        self.chain.put(&mut last, checkpoint)
    }

    fn end(&self) -> Result<(), EngineError> {
        if self.chain.last().as_ref().is_none_or(|last| last.checkpoint.is_none()) {
            return Ok(());
        }
        let workers = &self.chain.workers;
        let files = manifest(self.workspace, workers.scope()).map_err(EngineError::evidence)?;
        self.take(workers.depot().put_tree(self.workspace, files)?, None)
    }

    /// Fails if the depot says that another machine has taken the loop over.
    pub(crate) fn verify(&self) -> Result<(), EngineError> {
        let last = self.chain.last();
        let Some(Last { digest: Some(own), in_doubt, .. }) = &*last else { return Ok(()) };
        // A depot that does not answer says nothing of another machine.
        let Ok(Some(found)) = find(&self.chain.workers, &self.record.of) else { return Ok(()) };
        if found == *own || Some(found) == *in_doubt { Ok(()) } else { Err(taken_over(&self.record.of)) }
    }
}

impl Chain {
    fn last(&self) -> MutexGuard<'_, Option<Last>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, last: &mut Option<Last>, checkpoint: AgentCheckpoint) -> Result<(), EngineError> {
        let mut previous = checkpoint.previous;
        if let Some(in_doubt) = last.as_ref().and_then(|last| last.in_doubt)
            && find(&self.workers, &checkpoint.of)? == Some(in_doubt)
        {
            previous = Some(in_doubt);
        }
        let checkpoint = AgentCheckpoint { previous, ..checkpoint };
        let signed = SignedCheckpoint::new(&self.workers, &checkpoint)?;
        let digest = Some(signed.digest());
        let put = signed.put(&self.workers, &CheckpointGround { state: &self.state, marker: self.marker.clone() });
        match &put {
            Ok(()) => *last = Some(Last { digest, checkpoint: Some(checkpoint), in_doubt: None }),
            Err(error) if error.kind == ErrorKind::Refused => {}
            Err(_) => {
                let before = last.take().and_then(|last| last.checkpoint);
                *last = Some(Last { digest: previous, checkpoint: before, in_doubt: digest });
            }
        }
        put
    }

    /// Puts the last checkpoint once more, with the present time. Returns false once another machine has taken the loop over.
    fn renew(&self) -> bool {
        let mut last = self.last();
        let Some(Last { digest, checkpoint: Some(checkpoint), .. }) = &*last else { return true };
        let next = AgentCheckpoint { previous: *digest, taken_at: self.clock.now(), ..checkpoint.clone() };
        // A depot that does not answer now may do so later.
        !self.put(&mut last, next).is_err_and(|error| error.kind == ErrorKind::Refused)
    }
}

/// Stores a directory of documents in a depot.
pub(crate) fn put_documents(workers: &AgentWorkers, directory: &Path) -> Result<ContentLink, EngineError> {
    let files = manifest(directory, &TreeScope::default()).map_err(EngineError::internal)?;
    workers.depot().put_tree(directory, files)
}

/// A checkpoint that this machine puts.
pub(super) struct SignedCheckpoint<'put> {
    checkpoint: &'put AgentCheckpoint,
    envelope: String,
}

impl<'put> SignedCheckpoint<'put> {
    pub(super) fn new(workers: &AgentWorkers, checkpoint: &'put AgentCheckpoint) -> Result<Self, EngineError> {
        let envelope = attest::sign(CHECKPOINT_TYPE, &checkpoint.encode()?, workers.signer())?;
        Ok(Self { checkpoint, envelope: String::from_utf8(envelope).map_err(EngineError::internal)? })
    }

    fn digest(&self) -> Digest {
        Digest::of(&self.envelope)
    }

    /// Puts the checkpoint in the depot, in the place of the one that it names. It is kept here first: where this process ends in
    /// between, the next one knows both.
    ///
    /// # Errors
    /// Fails if the depot cannot be used, and if another machine has taken the loop over.
    pub(super) fn put(&self, workers: &AgentWorkers, ground: &CheckpointGround<'_>) -> Result<(), EngineError> {
        let AgentCheckpoint { of, previous, .. } = self.checkpoint;
        pending_turn::keep_checkpoint(ground.state, &ground.marker, self.envelope.as_bytes())?;
        let name = of.checkpoint_name().map_err(internal)?;
        // One that is not taken is there all the same, if the storage was asked twice because its first answer was lost.
        let is_put = workers.depot().put_checkpoint(&name, *previous, self.envelope.clone())?;
        if is_put || find(workers, of)? == Some(self.digest()) { Ok(()) } else { Err(taken_over(of)) }
    }
}

/// Opens a checkpoint that one of these keys signed, and returns the ids of those that did. `of` names the loop, for messages.
pub(crate) fn open(
    envelope: &str,
    keys: &[PublicKey],
    of: &dyn Display,
) -> Result<(AgentCheckpoint, Vec<String>), EngineError> {
    let opened = attest::open(envelope.as_bytes(), CHECKPOINT_TYPE, keys).map_err(|error| {
        EngineError::refused(format!(
            "the checkpoint of {of} cannot be trusted: {error}. `referee key trust KEY.pub.pem --name NAME --as runner` \
             trusts a key"
        ))
    })?;
    let checkpoint = AgentCheckpoint::decode(&opened.payload).map_err(EngineError::evidence)?;
    Ok((checkpoint, opened.signers.iter().map(ToString::to_string).collect()))
}

/// Returns the last checkpoint of a loop, unverified. `None`: the depot has none.
///
/// # Errors
/// Fails if the depot cannot be used, or has no checkpoint in its place.
pub(super) fn last_envelope(workers: &AgentWorkers, of: &AgentLoopId) -> Result<Option<String>, EngineError> {
    let (depot, name) = (workers.depot(), of.checkpoint_name().map_err(internal)?);
    depot.find_checkpoint(&name)?.map_err(|failure| depot.error(&failure))
}

/// Returns the digest of the last checkpoint of a loop. `None`: the depot has none.
fn find(workers: &AgentWorkers, of: &AgentLoopId) -> Result<Option<Digest>, EngineError> {
    Ok(last_envelope(workers, of)?.map(Digest::of))
}

/// The checkpoint that this machine put last, or was about to put.
pub(super) struct OwnCheckpoint {
    digest: Digest,
    checkpoint: AgentCheckpoint,
}

impl OwnCheckpoint {
    pub(super) fn read(envelope: &[u8]) -> Result<Self, EngineError> {
        let checkpoint = AgentCheckpoint::decode(&Envelope::read(envelope).map_err(internal)?.payload);
        Ok(Self { digest: Digest::of(envelope), checkpoint: checkpoint.map_err(internal)? })
    }

    /// Returns whether what the depot has is this one, or the one in whose place it was to be put.
    pub(super) fn is_last(&self, found: Digest) -> bool {
        found == self.digest || Some(found) == self.checkpoint.previous
    }
}

/// Returns what the next checkpoint follows. One that the depot has lost is followed by nothing.
fn last(workers: &AgentWorkers, of: &AgentLoopId, ground: &CheckpointGround<'_>) -> Result<Option<Last>, EngineError> {
    let Some(own) = pending_turn::find_checkpoint(ground.state, &ground.marker)? else { return Ok(None) };
    let own = OwnCheckpoint::read(&own)?;
    let digest = find(workers, of)?;
    if digest.is_some_and(|found| !own.is_last(found)) {
        return Err(taken_over(of));
    }
    Ok(Some(Last { digest, checkpoint: Some(own.checkpoint), in_doubt: None }))
}

fn taken_over(of: &AgentLoopId) -> EngineError {
    EngineError::refused(format!("another machine has taken {of} over, and goes on with it"))
}

fn internal(error: impl std::fmt::Display) -> EngineError {
    EngineError::internal(error)
}
