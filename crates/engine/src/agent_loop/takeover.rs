//! Goes on with a loop whose machine is gone, by its last checkpoint. What is checked comes first, and changes nothing.

use std::path::{Path, PathBuf};

use referee_ledger::clean_room::manifest;
use referee_ledger::trust::{Role, TrustStore};
use referee_ledger::{pending_turn, private_directory, tree_update};
use referee_model::agent_checkpoint::{AgentCheckpoint, AgentLoopId};
use referee_model::id::Digest;
use referee_model::limit;
use referee_model::order_protocol::{PendingTurn, WorkerOrder};
use referee_model::suite::Suite;
use referee_model::time::Timestamp;
use referee_model::tree_manifest::{ContentLink, TreeManifest};

use super::AgentWorkers;
use super::checkpoint::{self, CheckpointGround, OwnCheckpoint, SignedCheckpoint, last_envelope};
use super::lease::Standby;
use crate::error::EngineError;

/// A loop that this machine is to go on with.
pub(crate) struct Takeover<'run> {
    pub(crate) of: AgentLoopId,
    pub(crate) workers: &'run AgentWorkers,
    pub(crate) ground: CheckpointGround<'run>,
    /// The specification here, and its file in the workspace.
    pub(crate) specification: (&'run Suite, &'run str),
    pub(crate) workspace: &'run Path,
    /// Waits until the other machine is gone. `None`: it is.
    pub(crate) standby: Option<&'run Standby<'run>>,
    pub(crate) now: Timestamp,
}

/// The last checkpoint of a loop, and the loop's documents.
pub(crate) struct FetchedLoop {
    checkpoint: AgentCheckpoint,
    /// Digest of the signed checkpoint.
    digest: Digest,
    /// Whether this machine put it, and was interrupted then.
    pub(crate) is_own: bool,
    /// Keys that signed it.
    signers: String,
    /// Directory with the documents.
    pub(crate) record: PathBuf,
}

impl FetchedLoop {
    /// Which checkpoint it is, for a note.
    pub(crate) fn origin(&self) -> String {
        format!("checkpoint {}, taken {}, signed by {}", self.digest, self.checkpoint.taken_at, self.signers)
    }
}

/// The workspace, as it is here and as the checkpoint has it.
pub(crate) struct FetchedWorkspace {
    here: TreeManifest,
    /// When the loop began.
    base: TreeManifest,
    /// When the last turn was ordered.
    tree: TreeManifest,
    /// Directory with the files of `tree`.
    source: PathBuf,
}

impl FetchedWorkspace {
    /// Whether the workspace is as it was when the loop began.
    pub(crate) fn is_at_base(&self) -> bool {
        self.here == self.base
    }
}

impl Takeover<'_> {
    /// Returns the last checkpoint of the loop, unverified, and whether this machine put it, or was about to put the next one.
    ///
    /// # Errors
    /// Fails if the depot has none.
    pub(crate) fn last(&self) -> Result<(String, bool), EngineError> {
        let (address, of) = (self.workers.depot().address(), &self.of);
        let found = last_envelope(self.workers, of)?
            .ok_or_else(|| EngineError::refused(format!("{address} has no checkpoint of {of}")))?;
        let own = pending_turn::find_checkpoint(self.ground.state, &self.ground.marker)?;
        let own = own.and_then(|own| OwnCheckpoint::read(&own).ok());
        let is_own = own.is_some_and(|own| own.is_last(Digest::of(&found)));
        Ok((found, is_own))
    }

    /// Returns what `look` finds, which fetches to a directory, once the other machine is gone. Before it waits for that it looks
    /// as well, so that whoever waits is told what speaks against it.
    ///
    /// # Errors
    /// Fails as `look` does, and after a request to stop.
    pub(crate) fn when_silent<Found>(
        &self,
        room: &Path,
        look: &dyn Fn(&Path) -> Result<Found, EngineError>,
    ) -> Result<Found, EngineError> {
        if let Some(standby) = self.standby {
            let before = room.join("standby");
            private_directory::nested(&before)?;
            look(&before)?;
            standby.wait(&self.of, &|| last_envelope(self.workers, &self.of))?;
        }
        look(room)
    }

    /// Fetches the last checkpoint and the documents of the loop to a directory.
    ///
    /// # Errors
    /// Fails if the depot has none that a trusted key signed for this loop, and if specification or version are others here.
    pub(crate) fn fetch(&self, room: &Path) -> Result<FetchedLoop, EngineError> {
        let (envelope, is_own) = self.last()?;
        let (checkpoint, signers) = self.open(&envelope, is_own)?;
        let record = room.join("record");
        self.fetch_tree(checkpoint.record, &record)?;
        Ok(FetchedLoop { digest: Digest::of(&envelope), checkpoint, is_own, signers, record })
    }

    /// Fetches the workspace to a directory.
    ///
    /// # Errors
    /// Fails if it is here neither as it was when the loop began nor as it was when the last turn was ordered.
    pub(crate) fn fetch_workspace(&self, fetched: &FetchedLoop, room: &Path) -> Result<FetchedWorkspace, EngineError> {
        let here = manifest(self.workspace, self.workers.scope()).map_err(EngineError::internal)?;
        let source = room.join("tree");
        let tree = self.fetch_tree(fetched.checkpoint.tree, &source)?;
        let base = self.fetch_tree(fetched.checkpoint.base, &room.join("base"))?;
        if here != base && here != tree {
            let differs = here.files.iter().find(|file| !base.files.contains(file));
            let differs = differs.or_else(|| base.files.iter().find(|file| !here.files.contains(file)));
            let path = differs.map_or("a file", |file| file.path.as_str());
            return Err(EngineError::refused(format!(
                "the workspace is not as it was when {} began: {path} differs. Check out what it began with",
                self.of
            )));
        }
        Ok(FetchedWorkspace { here, base, tree, source })
    }

    /// Opens a checkpoint that this machine put itself, or that a key signed which it trusts, and returns those keys.
    fn open(&self, envelope: &str, is_own: bool) -> Result<(AgentCheckpoint, String), EngineError> {
        let of = &self.of;
        let mut keys = TrustStore::read(self.ground.state)?.believed(Role::Runner, self.now);
        keys.extend(is_own.then(|| self.workers.signer().public().clone()));
        let (checkpoint, signers) = checkpoint::open(envelope, &keys, of)?;
        if checkpoint.of != *of {
            return Err(EngineError::evidence(format!("the checkpoint is that of {}, not of {of}", checkpoint.of)));
        }
        let (own, wanted) = (self.workers.version(), &checkpoint.engine_version);
        if own != wanted {
            return Err(EngineError::refused(format!("{of} was begun with Referee {wanted}, and this is {own}")));
        }
        let (suite, file) = self.specification;
        let was = checkpoint.specification.as_str();
        if was != file || checkpoint.specification_sha256 != suite.specification.digest {
            return Err(EngineError::refused(format!("{was} is not here as it was when {of} began")));
        }
        Ok((checkpoint, signers.join(", ")))
    }

    fn fetch_tree(&self, tree: ContentLink, into: &Path) -> Result<TreeManifest, EngineError> {
        private_directory::nested(into)?;
        let depot = self.workers.depot();
        depot.fetch_tree(tree, into, limit::ORDER_FETCHED_BYTES)?.map_err(|failure| depot.error(&failure))
    }

    /// Has the depot say that this machine goes on with the loop, brings the workspace to the state in which the last turn was
    /// ordered, and keeps that turn.
    ///
    /// # Errors
    /// Fails, before anything is changed, if another machine takes the loop over at this moment.
    pub(crate) fn claim(&self, fetched: &FetchedLoop, workspace: &FetchedWorkspace) -> Result<(), EngineError> {
        let FetchedWorkspace { here, tree, source, .. } = workspace;
        self.put(fetched, fetched.checkpoint.tree)?;
        if here != tree {
            tree_update::update(self.workspace, (here, tree), source)?;
        }
        if let Some(request) = fetched.checkpoint.turn.clone()
            && let WorkerOrder::Turn(turn) = &request.order
        {
            let turn = turn.turn;
            let pending = PendingTurn { request, turn, before: tree.clone() };
            pending_turn::keep(self.ground.state, &self.ground.marker, &pending)?;
        }
        Ok(())
    }

    /// As [`Takeover::claim`], for a loop that begins anew: the workspace stays as it was when the loop began.
    ///
    /// # Errors
    /// As [`Takeover::claim`].
    pub(crate) fn claim_documents(&self, fetched: &FetchedLoop) -> Result<(), EngineError> {
        self.put(fetched, fetched.checkpoint.base)
    }

    fn put(&self, fetched: &FetchedLoop, tree: ContentLink) -> Result<(), EngineError> {
        let previous = Some(fetched.digest);
        let next =
            AgentCheckpoint { previous, tree, is_ended: false, taken_at: self.now, ..fetched.checkpoint.clone() };
        SignedCheckpoint::new(self.workers, &next)?.put(self.workers, &self.ground)
    }
}
