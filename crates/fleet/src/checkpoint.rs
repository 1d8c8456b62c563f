//! The last checkpoint of each loop of an agent. It moves only from the one that was known, so that of two machines that go on with a
//! loop one learns that it is not the one. Nothing here verifies a signature.

use referee_ledger::attestation::envelope::Envelope;
use referee_model::agent_checkpoint::{AgentCheckpoint, CHECKPOINT_TYPE};
use referee_model::depot::CheckpointVersion;
use referee_model::id::{Digest, ExecutionId, ProjectName};
use referee_model::limit;
use referee_model::time::Timestamp;

use crate::depot::Depot;
use crate::document;
use crate::error::DepotError;
use crate::generation::Removal;
use crate::layout;

/// Maximum size of a checkpoint, in bytes.
const CHECKPOINT_BYTES: u64 = 1024 * 1024;

/// Returns the checkpoint of a run. `None`: there is none.
pub(crate) async fn find(
    depot: &Depot,
    project: &ProjectName,
    run: &ExecutionId,
) -> Result<Option<String>, DepotError> {
    document::read_text(depot, &layout::checkpoint(project, run), ("checkpoint", CHECKPOINT_BYTES)).await
}

/// Lists the checkpoints of a project. What no loop can be called is left out.
pub(crate) async fn list(depot: &Depot, project: &ProjectName) -> Result<Vec<CheckpointVersion>, DepotError> {
    let found = depot.versions(&layout::checkpoints(project)).await?.into_iter();
    let named = found.filter_map(|(name, version)| {
        let run = name.rsplit('/').next()?.strip_suffix(".json")?;
        Some(CheckpointVersion { run: ExecutionId::parse(run).ok()?, version: version.0 })
    });
    Ok(named.collect())
}

/// Puts a checkpoint in the place of the one with this digest. Returns false if another one is there.
pub(crate) async fn put(
    depot: &Depot,
    (project, run): (&ProjectName, &ExecutionId),
    previous: Option<Digest>,
    envelope: &str,
) -> Result<bool, DepotError> {
    let name = layout::checkpoint(project, run);
    let found = depot.read(&name).await?;
    if found.as_ref().map(|(bytes, _)| Digest::of(bytes)) != previous {
        return Ok(false);
    }
    depot.move_head(&name, found.as_ref().map(|(_, version)| version), envelope.as_bytes()).await
}

/// Removes the checkpoints of all projects from which nobody can go on, since their trees are gone.
pub(crate) async fn discard(depot: &Depot, now: Timestamp, removal: &Removal<'_>) -> Result<(), DepotError> {
    for object in depot.list(layout::CHECKPOINTS).await? {
        let Some((bytes, _)) = depot.read(&object.name).await? else { continue };
        let envelope = Envelope::read(&bytes).ok().filter(|envelope| envelope.payload_type == CHECKPOINT_TYPE);
        let checkpoint = envelope.and_then(|envelope| AgentCheckpoint::decode(&envelope.payload).ok());
        let is_old = checkpoint
            .is_none_or(|checkpoint| now.milliseconds_since(checkpoint.taken_at) > limit::SHARED_RECEIPT_AGE_MS);
        if is_old {
            removal.remove(&object.name).await?;
        }
    }
    Ok(())
}
