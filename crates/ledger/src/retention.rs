//! Retention of runs. Pruning removes the files of old runs; seal, signatures and a tombstone stay, so that the chain
//! of seals is unbroken. Only the history is pruned.

use std::collections::BTreeMap;
use std::path::Path;

use crate::tombstone::{self, Tombstone};
use referee_model::evidence_list::{KeptState, Pruned, StoredRun};
use referee_model::evidence_name;
use referee_model::id::{Digest, ExecutionId, TaskId};
use referee_model::seal::SealedFile;
use referee_model::time::Timestamp;

use crate::chain;
use crate::content_check;
use crate::directory::{Directory, Kind};
use crate::error::LedgerError;
use crate::evidence_root::EvidenceRoot;
use crate::journal_check;
use crate::paths;
use crate::published_run;
use crate::recovery;
use crate::seal::{self, SealState};
use crate::verify;

/// Files that remain of a pruned run.
const STAYS: [&str; 4] =
    [evidence_name::SEAL, paths::ATTESTATION, evidence_name::TOMBSTONE, evidence_name::TOMBSTONE_ATTESTATION];

/// Temporary name of a document that is being written.
const BEGUN: &str = ".tombstone";

/// Signs a tombstone's bytes. Returns the lines of `tombstone.intoto.jsonl`.
pub type Sign<'sign> = &'sign dyn Fn(&[u8]) -> Result<Vec<u8>, LedgerError>;

/// Options of pruning: which runs of the history to prune, and how.
pub struct Prune<'prune> {
    /// Number of latest runs to keep.
    pub keep: usize,
    /// Prune only runs older than this. `None`: of any age.
    pub before: Option<Timestamp>,
    /// Whether to report only, without removing anything.
    pub dry_run: bool,
    /// Timestamp of the tombstones.
    pub now: Timestamp,
    pub reason: &'prune str,
    /// Signing function for tombstones. `None`: unsigned.
    pub sign: Option<Sign<'prune>>,
}

/// Result of pruning one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrunedRun {
    /// Name of the run's directory in the history.
    pub name: String,
    /// Reason why the run was not pruned. `None`: pruned, or would be.
    pub left_alone: Option<String>,
    /// Number of files removed, or to be removed.
    pub files: u64,
    /// Total size of these files, in bytes.
    pub bytes: u64,
}

/// Lists the runs of a task, latest first. The caller must hold the task's lock.
pub(crate) fn kept(site: &EvidenceRoot, task: &TaskId) -> Result<Vec<StoredRun>, LedgerError> {
    let mut kept = Vec::new();
    for run in recovery::unfinished(site, task)? {
        let directory = run.path.as_deref().map(Directory::open).transpose()?;
        let (files, bytes) = directory.as_ref().map(sizes).transpose()?.unwrap_or_default();
        kept.push(StoredRun {
            task_id: task.clone(),
            execution_id: Some(run.execution),
            state: if run.live { KeptState::Running } else { KeptState::Unfinished },
            directory: run.path.map(|path| path.display().to_string()).unwrap_or_default(),
            sequence: None,
            sealed_at: None,
            seal_digest: None,
            decision: None,
            files,
            bytes,
            pruned: None,
        });
    }
    if let Some(directory) = site.root.child(task.as_str())? {
        kept.push(one(task, &directory, KeptState::Latest)?);
    }
    let mut earlier = Vec::new();
    for directory in chain::earlier_runs(&site.root, task)? {
        earlier.push(one(task, &directory, KeptState::Earlier)?);
    }
    earlier.sort_by(|one, other| (other.sealed_at, &other.directory).cmp(&(one.sealed_at, &one.directory)));
    kept.extend(earlier);
    Ok(kept)
}

/// Describes an evidence directory, of a task's latest run or elsewhere. Returns `None` if neither its content
/// nor its name identifies the task.
///
/// # Errors
/// Fails if the directory cannot be read.
pub fn look_at(directory: &Path) -> Result<Option<StoredRun>, LedgerError> {
    let whole = std::fs::canonicalize(directory).map_err(LedgerError::io("find", directory))?;
    let open = Directory::open(&whole)?;
    let name = |path: Option<&Path>| path?.file_name()?.to_str().map(str::to_owned);
    let above = name(whole.parent());
    let sealed = match seal::find(&open)? {
        SealState::Sealed { seal, .. } => Some(seal.task_id),
        SealState::Missing | SealState::Unreadable { .. } => None,
    };
    let names = [name(Some(&whole)), above];
    let named = names.into_iter().flatten().find_map(|name| TaskId::parse(name).ok());
    let Some(task) = sealed.or(named) else { return Ok(None) };
    let stands = whole.file_name().is_some_and(|name| name == task.as_str());
    one(&task, &open, if stands { KeptState::Latest } else { KeptState::Earlier }).map(Some)
}

fn one(task: &TaskId, directory: &Directory, state: KeptState) -> Result<StoredRun, LedgerError> {
    let (files, bytes) = sizes(directory)?;
    let found = seal::find(directory)?;
    let seal_digest = found.digest();
    let seal = if let SealState::Sealed { seal, .. } = found { Some(seal) } else { None };
    let tombstone = directory.read(evidence_name::TOMBSTONE)?.and_then(|bytes| crate::tombstone::read(&bytes).ok());
    let report = directory.read(evidence_name::EXECUTION_REPORT)?;
    let report = report.and_then(|bytes| referee_model::report::report_document::read(&bytes).ok());
    let state = match (state, &tombstone, &seal) {
        (KeptState::Earlier, Some(_), _) => KeptState::Pruned,
        (state, _, Some(_)) => state,
        (_, _, None) => KeptState::Unsealed,
    };
    let execution = seal.as_ref().map(|seal| seal.execution_id.clone());
    let execution = execution.or_else(|| tombstone.as_ref().map(|tombstone| tombstone.execution_id.clone()));
    Ok(StoredRun {
        task_id: task.clone(),
        execution_id: execution.or_else(|| journal_check::beginning(directory).execution),
        state,
        directory: directory.path().display().to_string(),
        sequence: seal.as_ref().and_then(|seal| seal.sequence),
        sealed_at: seal.as_ref().map(|seal| seal.sealed_at),
        seal_digest,
        decision: report.map(|report| report.decision),
        files,
        bytes,
        pruned: tombstone.map(|tombstone| Pruned {
            at: tombstone.pruned_at,
            reason: tombstone.reason,
            files: tombstone.removed.len() as u64,
        }),
    })
}

/// Returns the number of files in a directory, and their total size in bytes.
fn sizes(directory: &Directory) -> Result<(u64, u64), LedgerError> {
    let (mut files, mut bytes) = (0, 0_u64);
    for (name, kind) in directory.entries()? {
        if kind == Kind::File {
            files += 1;
            bytes = bytes.saturating_add(directory.size(&name)?.unwrap_or(0));
        }
    }
    Ok((files, bytes))
}

/// Prunes runs of a task's history, oldest first. The caller must hold the task's lock exclusively.
pub(crate) fn prune(site: &EvidenceRoot, task: &TaskId, prune: &Prune<'_>) -> Result<Vec<PrunedRun>, LedgerError> {
    let mut runs = Vec::new();
    for directory in chain::earlier_runs(&site.root, task)? {
        let name = directory.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with(published_run::UNKNOWN) {
            // Its content is unknown; a person may have put it there.
            continue;
        }
        if let Some(candidate) = Candidate::look(directory, name)? {
            runs.push(candidate);
        }
    }
    runs.sort_by(|one, other| (one.made, &one.name).cmp(&(other.made, &other.name)));
    runs.truncate(runs.len().saturating_sub(prune.keep));
    runs.retain(|run| prune.before.is_none_or(|before| run.made.is_some_and(|made| made < before)));
    let history = published_run::history(&site.root, task)?;
    runs.iter().map(|run| run.prune(task, &history, prune)).collect()
}

/// A run of the history that still has files to remove.
struct Candidate {
    directory: Directory,
    name: String,
    execution: ExecutionId,
    /// Digest of the run's seal. `None`: not sealed.
    seal: Option<Digest>,
    /// When the run was sealed, or started if it was never sealed.
    made: Option<Timestamp>,
    /// Names of the files to remove.
    files: Vec<String>,
    /// Reason why the run must not be pruned.
    hindrance: Option<String>,
}

impl Candidate {
    /// Examines a directory. Returns `None` if there is nothing to remove, or its run is unknown.
    fn look(directory: Directory, name: String) -> Result<Option<Self>, LedgerError> {
        let entries = directory.entries()?;
        let is_removable = |(name, kind): &&(String, Kind)| *kind == Kind::File && !STAYS.contains(&name.as_str());
        let files: Vec<String> = entries.iter().filter(is_removable).map(|(name, _)| name.clone()).collect();
        if files.is_empty() {
            return Ok(None);
        }
        let strange = entries.iter().find(|(_, kind)| *kind != Kind::File);
        let mut hindrance = strange.map(|(name, _)| format!("`{name}` in it is not a file"));
        let beginning = journal_check::beginning(&directory);
        let (execution, seal, made) = match seal::find(&directory)? {
            SealState::Sealed { seal, digest } => {
                let integrity = verify::check(&directory)?;
                let wrong =
                    integrity.unexplained().first().map(|finding| format!("it does not match its seal: {finding}"));
                hindrance = hindrance.or(wrong);
                (seal.execution_id, Some(digest), Some(seal.sealed_at))
            }
            SealState::Unreadable { reason } => {
                hindrance = hindrance.or(Some(format!("its seal cannot be read: {reason}")));
                let Some(execution) = beginning.execution else { return Ok(None) };
                (execution, None, beginning.started)
            }
            SealState::Missing => {
                let Some(execution) = beginning.execution else { return Ok(None) };
                (execution, None, beginning.started)
            }
        };
        Ok(Some(Self { directory, name, execution, seal, made, files, hindrance }))
    }

    fn prune(&self, task: &TaskId, history: &Directory, prune: &Prune<'_>) -> Result<PrunedRun, LedgerError> {
        let mut bytes = 0_u64;
        for name in &self.files {
            bytes = bytes.saturating_add(self.directory.size(name)?.unwrap_or(0));
        }
        if self.hindrance.is_none() && !prune.dry_run {
            self.bury(task, history, prune)?;
            for name in &self.files {
                self.directory.discard(name)?;
            }
            self.directory.sync()?;
        }
        let files = self.files.len() as u64;
        Ok(PrunedRun { name: self.name.clone(), left_alone: self.hindrance.clone(), files, bytes })
    }

    /// Writes the tombstone to the directory before anything is removed. An existing one, from an interrupted
    /// pruning, already lists the files left to remove.
    fn bury(&self, task: &TaskId, history: &Directory, prune: &Prune<'_>) -> Result<(), LedgerError> {
        let bytes = if let Some(bytes) = self.directory.read(evidence_name::TOMBSTONE)? {
            bytes
        } else {
            let run = (task.clone(), self.execution.clone());
            let why = (prune.now, prune.reason.to_owned());
            let tombstone = Tombstone::new(run, why, self.seal, self.removed()?);
            let path = self.directory.path().join(evidence_name::TOMBSTONE);
            let bytes = tombstone::KIND.encode(&tombstone).map_err(LedgerError::io("write", &path))?;
            self.put(history, evidence_name::TOMBSTONE, &bytes)?;
            bytes
        };
        match prune.sign {
            Some(sign) if self.directory.kind(evidence_name::TOMBSTONE_ATTESTATION)?.is_none() => {
                self.put(history, evidence_name::TOMBSTONE_ATTESTATION, &sign(&bytes)?)
            }
            _ => Ok(()),
        }
    }

    /// Writes a document beside the directory and moves it in, so that a run never holds a partial one.
    fn put(&self, history: &Directory, name: &str, bytes: &[u8]) -> Result<(), LedgerError> {
        history.replace(BEGUN, bytes)?;
        history.move_to(BEGUN, &self.directory, name)?;
        self.directory.sync()
    }

    /// Returns the files to remove, with size and hash. Those of a sealed run were just verified against the seal.
    fn removed(&self) -> Result<BTreeMap<String, SealedFile>, LedgerError> {
        let mut removed = BTreeMap::new();
        for name in &self.files {
            let written = content_check::written(&self.directory, name)?;
            let file = SealedFile { path: name.clone(), bytes: written.bytes, sha256: written.sha256 };
            removed.insert(name.clone(), file);
        }
        Ok(removed)
    }
}

#[cfg(test)]
mod tests;
