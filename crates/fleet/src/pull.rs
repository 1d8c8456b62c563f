//! Fetches a run. What arrives is checked against the digests that name it; whether it is believed is for the caller.

use std::path::Path;

use futures_util::{StreamExt, TryStreamExt};
use referee_ledger::incoming_run::IncomingFiles;
use referee_ledger::tombstone;
use referee_model::depot::{DepotFailureKind, DepotLink, PulledRun};
use referee_model::evidence_name;
use referee_model::id::{Digest, ExecutionId, ProjectName, TaskId};
use referee_model::tree_manifest::ContentLink;

use crate::chain::{self, ChainLink};
use crate::content::UNSIZED_BYTES;
use crate::depot::{Blob, Depot};
use crate::document;
use crate::error::DepotError;
use crate::layout;

/// Number of files that are fetched at once.
const FILES_AT_ONCE: usize = 8;

/// What to fetch of a task, and where to.
pub(crate) struct Pull<'request> {
    pub(crate) project: &'request ProjectName,
    pub(crate) task: &'request TaskId,
    /// The run. None: the newest.
    pub(crate) execution: Option<&'request ExecutionId>,
    /// Seal up to which the chain is fetched.
    pub(crate) known: Option<Digest>,
    pub(crate) into: &'request Path,
    /// Maximum total size of the run's files, and of the documents that are written with them, in bytes.
    pub(crate) max_bytes: u64,
}

/// Bytes that a pull may write beside the files of the run.
struct Allowance {
    max_bytes: u64,
    left: u64,
}

impl Allowance {
    /// Refuses a run whose seal says that it is too large. Nothing is verified yet, and what arrives is cut off at the size
    /// that the seal says, so this bounds what whoever writes to the depot can have this machine store.
    fn beside_files(run: &ChainLink, max_bytes: u64) -> Result<Self, DepotError> {
        let bytes = run.seal.files.iter().fold(0_u64, |sum, file| sum.saturating_add(file.bytes));
        let left = max_bytes.checked_sub(bytes).ok_or_else(|| {
            let (execution, files) = (&run.seal.execution_id, run.seal.files.len());
            too_large(&format!("{execution} has {bytes} bytes in {files} files"), max_bytes)
        })?;
        Ok(Self { max_bytes, left })
    }

    /// Takes a document before it is written: a seal, a tombstone or the statements.
    fn take(&mut self, name: &str, bytes: &[u8]) -> Result<(), DepotError> {
        let left = self.left.checked_sub(bytes.len() as u64);
        let what = || format!("with a {name} of {} bytes the run and the seals before it are too large", bytes.len());
        self.left = left.ok_or_else(|| too_large(&what(), self.max_bytes))?;
        Ok(())
    }
}

fn too_large(what: &str, max_bytes: u64) -> DepotError {
    let message = format!("{what}, and at most {max_bytes} bytes are pulled: raise the limit with --max-bytes");
    DepotError::new(DepotFailureKind::TooLarge, message)
}

/// Fetches a run and the seals of the earlier runs of its chain.
pub(crate) async fn pull(depot: &Depot, request: &Pull<'_>) -> Result<PulledRun, DepotError> {
    let name = layout::head(request.project, request.task);
    let Some((head, _)) = document::read_head(depot, &name).await? else {
        let message = format!("the depot has no run of {} of project {}", request.task, request.project);
        return Err(DepotError::new(DepotFailureKind::Unknown, message));
    };
    let newest = chain::newest(depot, &head.run, &name).await?;
    let run = match request.execution {
        None => newest,
        Some(execution) => find(depot, newest, execution).await?,
    };
    let chain = chain::follow(depot, run, |link| Some(link.digest) == request.known).await?;
    let Some((run, earlier)) = chain.split_first() else { return Err(DepotError::missing(&name)) };
    let mut allowance = Allowance::beside_files(run, request.max_bytes)?;
    for link in earlier {
        fetch_earlier(depot, link, request.into, &mut allowance).await?;
    }
    let (files, bytes) = fetch(depot, run, &IncomingFiles::of_run(request.into)?, &mut allowance).await?;
    Ok(PulledRun { run: link(run), files, bytes })
}

/// Fetches a run by its seal, without its chain.
pub(crate) async fn fetch_run(
    depot: &Depot,
    seal: &ContentLink,
    into: &Path,
    max_bytes: u64,
) -> Result<PulledRun, DepotError> {
    if seal.bytes > UNSIZED_BYTES {
        return Err(too_large(&format!("the seal {} has {} bytes", seal.sha256, seal.bytes), UNSIZED_BYTES));
    }
    let run = chain::read(depot, seal.into()).await?;
    let mut allowance = Allowance::beside_files(&run, max_bytes)?;
    let (files, bytes) = fetch(depot, &run, &IncomingFiles::of_run(into)?, &mut allowance).await?;
    Ok(PulledRun { run: link(&run), files, bytes })
}

async fn find(depot: &Depot, newest: ChainLink, execution: &ExecutionId) -> Result<ChainLink, DepotError> {
    let mut chain = chain::follow(depot, newest, |link| link.seal.execution_id == *execution).await?;
    match chain.pop().filter(|last| last.seal.execution_id == *execution) {
        Some(found) => Ok(found),
        None => Err(DepotError::new(DepotFailureKind::Unknown, format!("the depot's chain has no run {execution}"))),
    }
}

fn link(run: &ChainLink) -> DepotLink {
    DepotLink {
        task_id: run.seal.task_id.clone(),
        execution_id: run.seal.execution_id.clone(),
        seal_digest: run.digest,
        seal_bytes: run.bytes.len() as u64,
        sequence: run.seal.sequence.unwrap_or(1),
        sealed_at: run.seal.sealed_at,
    }
}

/// Fetches the seal of an earlier run, and its tombstone if its files were removed.
async fn fetch_earlier(
    depot: &Depot,
    link: &ChainLink,
    into: &Path,
    allowance: &mut Allowance,
) -> Result<(), DepotError> {
    let files = IncomingFiles::of_earlier(into, &link.seal.execution_id)?;
    if let Some((bytes, _)) = depot.read(&layout::tombstone(link.digest)).await? {
        write(&files, evidence_name::TOMBSTONE, &bytes, allowance)?;
    }
    write(&files, evidence_name::SEAL, &link.bytes, allowance)
}

/// Fetches all files of a run, its seal last. Returns their number and total size.
async fn fetch(
    depot: &Depot,
    run: &ChainLink,
    into: &IncomingFiles,
    allowance: &mut Allowance,
) -> Result<(u64, u64), DepotError> {
    let execution = &run.seal.execution_id;
    let name = layout::tombstone(run.digest);
    if let Some((bytes, _)) = depot.read(&name).await? {
        let tombstone = tombstone::read(&bytes).map_err(|error| DepotError::corrupt(&name, &error.to_string()))?;
        let message =
            format!("{execution} was removed from the depot at {} ({})", tombstone.pruned_at, tombstone.reason);
        return Err(DepotError::new(DepotFailureKind::Removed, message));
    }
    let Some((statements, _)) = depot.read(&layout::statements(run.digest)).await? else {
        let message = format!("only the seal of {execution} was pushed: push its files from the machine that has them");
        return Err(DepotError::new(DepotFailureKind::Unknown, message));
    };
    let fetched = futures_util::stream::iter(&run.seal.files).map(|file| async move {
        let mut out = into.create(&file.path)?;
        let blob = Blob { sha256: file.sha256, bytes: Some(file.bytes) };
        depot.get(&layout::blob(file.sha256), blob, &mut out).await
    });
    let sizes: Vec<u64> = fetched.buffer_unordered(FILES_AT_ONCE).try_collect().await?;
    if !statements.is_empty() {
        write(into, evidence_name::ATTESTATION, &statements, allowance)?;
    }
    write(into, evidence_name::SEAL, &run.bytes, allowance)?;
    Ok((sizes.len() as u64, sizes.iter().sum()))
}

fn write(files: &IncomingFiles, name: &str, bytes: &[u8], allowance: &mut Allowance) -> Result<(), DepotError> {
    allowance.take(name, bytes)?;
    std::io::Write::write_all(&mut files.create(name)?, bytes).map_err(DepotError::local)
}
