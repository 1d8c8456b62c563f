//! Removes files of old runs. A tombstone is written first, and what any other run or tree has too stays.

use std::collections::{BTreeMap, BTreeSet};

use referee_ledger::tombstone::{self, Tombstone};
use referee_model::depot::{DepotPrune, PrunedDepot, PrunedDepotRun};
use referee_model::id::{Digest, ProjectName};

use crate::chain::{self, ChainLink};
use crate::checkpoint;
use crate::depot::Depot;
use crate::document;
use crate::error::DepotError;
use crate::generation::Removal;
use crate::layout;
use crate::receipt;
use crate::retention;

/// The chain of a task, newest run first.
struct StoredChain {
    /// Whether its old runs are removed.
    is_meant: bool,
    runs: Vec<StoredRun>,
}

/// A run of the depot.
struct StoredRun {
    link: ChainLink,
    /// Whether its files were removed.
    has_tombstone: bool,
}

/// Removes files of old runs of a project, what orders left long ago, and the receipts by which nothing can answer any more.
pub(crate) async fn prune(
    depot: &Depot,
    project: &ProjectName,
    request: &DepotPrune,
) -> Result<PrunedDepot, DepotError> {
    let removal = Removal::begin(depot, request.dry_run).await?;
    let pruned = remove(depot, project, request, &removal).await;
    // After an error too, since nothing is removed any more.
    let ended = removal.end().await;
    let pruned = pruned?;
    ended.map(|()| pruned)
}

async fn remove(
    depot: &Depot,
    project: &ProjectName,
    request: &DepotPrune,
    removal: &Removal<'_>,
) -> Result<PrunedDepot, DepotError> {
    // Every chain is read whole before anything is removed: a seal that cannot be read could name any file.
    let chains = chains(depot, project, request).await?;
    let mut pruned = BTreeSet::new();
    for chain in chains.iter().filter(|chain| chain.is_meant) {
        for run in chain.runs.iter().skip(1).skip(request.keep) {
            let is_old = request.before.is_none_or(|before| run.link.seal.sealed_at < before);
            if is_old && !run.has_tombstone && has_files(depot, run).await? {
                if !removal.is_dry() {
                    bury(depot, &run.link, request).await?;
                }
                pruned.insert(run.link.digest);
            }
        }
    }
    let all = || chains.iter().flat_map(|chain| &chain.runs);
    let of_orders = retention::read(depot, &all().map(|run| run.link.digest).collect(), request.now).await?;
    let is_gone = |run: &StoredRun| run.has_tombstone || pruned.contains(&run.link.digest);
    let files = all().filter(|run| !is_gone(run)).flat_map(|run| &run.link.seal.files).map(|file| file.sha256);
    let mut needed: BTreeSet<Digest> = files.chain(all().map(|run| run.link.digest)).collect();
    needed.extend(&of_orders.needed);
    let mut stored = stored(depot).await?;
    let runs = discard(removal, &chains, &pruned, (&needed, &mut stored)).await?;
    let orders = of_orders.discard(removal, (&needed, &mut stored)).await?;
    let receipts = receipt::discard(depot, &stored, request.now, removal).await?;
    checkpoint::discard(depot, request.now, removal).await?;
    Ok(PrunedDepot { runs, orders, receipts })
}

/// Lists all content, with its sizes.
async fn stored(depot: &Depot) -> Result<BTreeMap<String, u64>, DepotError> {
    let stored = depot.list(layout::BLOBS).await?;
    Ok(stored.into_iter().map(|object| (object.name, object.bytes)).collect())
}

/// Reads the chains of all projects.
async fn chains(depot: &Depot, project: &ProjectName, request: &DepotPrune) -> Result<Vec<StoredChain>, DepotError> {
    let mut chains = Vec::new();
    for object in depot.list(layout::HEADS).await? {
        let Some((head, _)) = document::read_head(depot, &object.name).await? else { continue };
        let is_meant = head.project == *project && request.task.as_ref().is_none_or(|task| *task == head.run.task_id);
        let newest = chain::newest(depot, &head.run, &object.name).await?;
        let mut runs = Vec::new();
        for link in chain::follow(depot, newest, |_| false).await? {
            let has_tombstone = depot.size(&layout::tombstone(link.digest)).await?.is_some();
            runs.push(StoredRun { link, has_tombstone });
        }
        chains.push(StoredChain { is_meant, runs });
    }
    Ok(chains)
}

/// Removes the files of pruned runs that nothing else has, also from the list of what is stored. Those of earlier prunings go
/// too, since one may have been interrupted.
async fn discard(
    removal: &Removal<'_>,
    chains: &[StoredChain],
    pruned: &BTreeSet<Digest>,
    (needed, stored): (&BTreeSet<Digest>, &mut BTreeMap<String, u64>),
) -> Result<Vec<PrunedDepotRun>, DepotError> {
    let is_gone = |run: &StoredRun| run.has_tombstone || pruned.contains(&run.link.digest);
    let mut answer = Vec::new();
    let meant = chains.iter().filter(|chain| chain.is_meant).flat_map(|chain| &chain.runs);
    for run in meant.filter(|run| is_gone(run)) {
        let (mut files, mut bytes) = (0, 0);
        for file in run.link.seal.files.iter().filter(|file| !needed.contains(&file.sha256)) {
            let name = layout::blob(file.sha256);
            if let Some(size) = stored.remove(&name) {
                removal.remove(&name).await?;
                files += 1;
                bytes += size;
            }
        }
        if files > 0 || pruned.contains(&run.link.digest) {
            let (task_id, execution_id) = (run.link.seal.task_id.clone(), run.link.seal.execution_id.clone());
            answer.push(PrunedDepotRun { task_id, execution_id, files, bytes });
        }
    }
    Ok(answer)
}

/// Returns whether more than the seal of a run was pushed.
async fn has_files(depot: &Depot, run: &StoredRun) -> Result<bool, DepotError> {
    Ok(depot.size(&layout::statements(run.link.digest)).await?.is_some())
}

/// Writes the tombstone of a run.
async fn bury(depot: &Depot, link: &ChainLink, request: &DepotPrune) -> Result<(), DepotError> {
    let about = (link.seal.task_id.clone(), link.seal.execution_id.clone());
    let why = (request.now, request.reason.clone());
    let files = link.seal.files.iter().map(|file| (file.path.clone(), file.clone())).collect();
    let tombstone = Tombstone::new(about, why, Some(link.digest), files);
    let bytes = tombstone::KIND.encode(&tombstone).map_err(DepotError::local)?;
    depot.create(&layout::tombstone(link.digest), &bytes).await.map(drop)
}
