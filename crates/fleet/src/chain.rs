//! Chains of sealed runs in a depot: each seal names the one before.

use referee_model::depot::DepotLink;
use referee_model::id::Digest;
use referee_model::seal::{self, Seal};

use crate::content::UNSIZED_BYTES;
use crate::depot::{Blob, Depot};
use crate::error::DepotError;
use crate::layout;

/// Longest chain that is followed.
const RUNS: usize = 1_000_000;

/// Largest seals of a chain together, in bytes: they are held in memory.
const SEALS_BYTES: usize = 1024 * 1024 * 1024;

/// A seal of a depot.
#[derive(Debug, Clone)]
pub(crate) struct ChainLink {
    pub(crate) seal: Seal,
    pub(crate) digest: Digest,
    pub(crate) bytes: Vec<u8>,
}

/// Reads the seal that a head names, and checks that it is the run that the head says.
pub(crate) async fn newest(depot: &Depot, run: &DepotLink, head: &str) -> Result<ChainLink, DepotError> {
    if run.seal_bytes > UNSIZED_BYTES {
        return Err(DepotError::corrupt(head, &format!("it names a seal of {} bytes", run.seal_bytes)));
    }
    let link = read(depot, Blob { sha256: run.seal_digest, bytes: Some(run.seal_bytes) }).await?;
    let seal = &link.seal;
    let is_named = seal.task_id == run.task_id
        && seal.execution_id == run.execution_id
        && seal.sequence.is_none_or(|sequence| sequence == run.sequence);
    if !is_named {
        let problem = format!("it names a seal of {} of {}", seal.execution_id, seal.task_id);
        return Err(DepotError::corrupt(head, &problem));
    }
    Ok(link)
}

/// Reads the seal before another one. None: that is the first, or the one before was gone when it was sealed and is not
/// in the depot.
pub(crate) async fn before(depot: &Depot, link: &ChainLink) -> Result<Option<ChainLink>, DepotError> {
    let Some(sha256) = link.seal.previous_seal else { return Ok(None) };
    if link.seal.previous_gone && depot.size(&layout::blob(sha256)).await?.is_none() {
        return Ok(None);
    }
    let before = read(depot, Blob { sha256, bytes: None }).await?;
    if before.seal.task_id != link.seal.task_id {
        let problem = format!("it is a seal of {}, and {} follows it", before.seal.task_id, link.seal.task_id);
        return Err(DepotError::corrupt(&layout::blob(sha256), &problem));
    }
    Ok(Some(before))
}

/// Reads a chain from its newest run back to the first, or to one that `until` tells.
pub(crate) async fn follow(
    depot: &Depot,
    newest: ChainLink,
    until: impl Fn(&ChainLink) -> bool,
) -> Result<Vec<ChainLink>, DepotError> {
    // A digest cannot be named by what it is made of, so a chain has no cycle.
    let mut chain = vec![newest];
    let mut bytes = 0;
    while let Some(last) = chain.last().filter(|last| !until(last)) {
        bytes += last.bytes.len();
        if chain.len() >= RUNS || bytes > SEALS_BYTES {
            return Err(DepotError::corrupt(
                layout::HEADS,
                "a chain has more than a million runs, or a gigabyte of seals",
            ));
        }
        match before(depot, last).await? {
            Some(link) => chain.push(link),
            None => break,
        }
    }
    Ok(chain)
}

/// Reads a seal by its digest.
pub(crate) async fn read(depot: &Depot, blob: Blob) -> Result<ChainLink, DepotError> {
    let name = layout::blob(blob.sha256);
    let mut bytes = Vec::new();
    depot.get(&name, blob, &mut bytes).await?;
    let seal = seal::read(&bytes).map_err(|error| DepotError::corrupt(&name, &error.to_string()))?;
    Ok(ChainLink { seal, digest: blob.sha256, bytes })
}
