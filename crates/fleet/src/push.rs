//! Stores sealed runs. Files come first and the head last, so that a head never names what is not there.

use std::collections::BTreeMap;
use std::path::PathBuf;

use futures_util::{StreamExt, TryStreamExt};
use referee_ledger::evidence::Evidence;
use referee_model::depot::{DepotFailureKind, DepotLink, PushRun, PushedRun};
use referee_model::evidence_name;
use referee_model::id::{Digest, ProjectName};
use referee_model::seal::{self, Seal};

use crate::chain;
use crate::depot::{Blob, Depot, Stored};
use crate::document::{self, Head};
use crate::error::DepotError;
use crate::generation;
use crate::layout;

/// Number of files that are stored at once.
const FILES_AT_ONCE: usize = 8;

/// How often a head is moved again because it moved.
const ATTEMPTS: usize = 5;

/// A local run, as its seal describes it.
struct LocalRun {
    evidence: Evidence,
    seal: Seal,
    digest: Digest,
    seal_bytes: Vec<u8>,
    statements: Vec<u8>,
    newest: bool,
    /// Seals of the earlier runs of its chain, newest first.
    earlier: Vec<(Digest, Vec<u8>)>,
}

/// Stores a run, and moves the head of its task if it is the newest.
pub(crate) async fn push(depot: &Depot, project: &ProjectName, run: &PushRun) -> Result<PushedRun, DepotError> {
    let run = LocalRun::read(run)?;
    let name = layout::head(project, &run.seal.task_id);
    if run.newest {
        run.follows(depot, &name).await?;
    }
    let mut pushed = PushedRun { run: run.link(), files: 0, bytes: 0, present: 0 };
    let mut is_first = true;
    let store = async || {
        let stored = run.store(depot).await?;
        pushed.files += stored.files;
        pushed.bytes += stored.bytes;
        if std::mem::take(&mut is_first) {
            pushed.present = stored.present;
            if run.newest {
                run.move_head(depot, project, &name).await?;
            }
        }
        Ok(())
    };
    generation::undisturbed(depot, store).await?;
    Ok(pushed)
}

impl LocalRun {
    fn read(run: &PushRun) -> Result<Self, DepotError> {
        let evidence = Evidence::open(&run.directory)?;
        let seal_bytes = evidence.read(evidence_name::SEAL)?;
        let seal = seal::read(&seal_bytes)
            .map_err(|error| DepotError::local(format!("{}: {error}", run.directory.display())))?;
        if run.newest && seal.sequence.is_none() && seal.seal_version != seal::FIRST_VERSION {
            let message =
                format!("{} was superseded, so it is not the newest run of {}", seal.execution_id, seal.task_id);
            return Err(DepotError::local(message));
        }
        let statements = evidence.find(evidence_name::ATTESTATION)?.unwrap_or_default();
        let earlier = earlier(&seal, &run.earlier)?;
        let digest = Digest::of(&seal_bytes);
        Ok(Self { evidence, seal, digest, seal_bytes, statements, newest: run.newest, earlier })
    }

    fn link(&self) -> DepotLink {
        DepotLink {
            task_id: self.seal.task_id.clone(),
            execution_id: self.seal.execution_id.clone(),
            seal_digest: self.digest,
            seal_bytes: self.seal_bytes.len() as u64,
            sequence: self.seal.sequence.unwrap_or(1),
            sealed_at: self.seal.sealed_at,
        }
    }

    /// Checks that this run is the one that the head names, or follows it.
    async fn follows(&self, depot: &Depot, name: &str) -> Result<(), DepotError> {
        let Some((head, _)) = document::read_head(depot, name).await? else { return Ok(()) };
        let head = head.run;
        let is_next = head.seal_digest == self.digest
            || self.seal.previous_seal == Some(head.seal_digest)
            || self.earlier.iter().any(|(digest, _)| *digest == head.seal_digest);
        if is_next {
            return Ok(());
        }
        let newest = chain::newest(depot, &head, name).await?;
        let chain = chain::follow(depot, newest, |link| link.digest == self.digest).await?;
        let (own, execution) = (&self.seal.execution_id, &head.execution_id);
        let message = if chain.last().is_some_and(|last| last.digest == self.digest) {
            format!("the depot has a later run than {own}: {execution}, number {}. Pull it first", head.sequence)
        } else {
            format!(
                "the depot's newest run of {} is {execution}, number {}, and {own} does not follow it: another machine \
                 pushed. Pull it, and run the task again, or push under another project name",
                head.task_id, head.sequence
            )
        };
        Err(DepotError::new(DepotFailureKind::Diverged, message))
    }

    /// Stores the files, the seals and the statements.
    async fn store(&self, depot: &Depot) -> Result<PushedRun, DepotError> {
        let mut pushed = PushedRun { run: self.link(), files: 0, bytes: 0, present: 0 };
        let stored: Vec<(Stored, u64)> = futures_util::stream::iter(&self.seal.files)
            .map(|file| async move {
                let blob = Blob { sha256: file.sha256, bytes: Some(file.bytes) };
                let source = self.evidence.open_file(file)?;
                let stored = depot.put(&layout::blob(file.sha256), blob, source).await;
                let named = |error: DepotError| match error.kind {
                    DepotFailureKind::Local => {
                        let path = self.evidence.path().join(&file.path);
                        DepotError::local(format!("{}: {}", path.display(), error.message))
                    }
                    _ => error,
                };
                Ok::<_, DepotError>((stored.map_err(named)?, file.bytes))
            })
            .buffer_unordered(FILES_AT_ONCE)
            .try_collect()
            .await?;
        for (stored, bytes) in stored {
            match stored {
                Stored::New => {
                    pushed.files += 1;
                    pushed.bytes += bytes;
                }
                Stored::Present => pushed.present += 1,
            }
        }
        for (digest, bytes) in self.earlier.iter().rev() {
            depot.create(&layout::blob(*digest), bytes).await?;
        }
        depot.create(&layout::blob(self.digest), &self.seal_bytes).await?;
        depot.create(&layout::statements(self.digest), &self.statements).await?;
        Ok(pushed)
    }

    /// Moves the head to this run. Where it moved meanwhile, it is looked at again.
    async fn move_head(&self, depot: &Depot, project: &ProjectName, name: &str) -> Result<(), DepotError> {
        let bytes = document::encode_head(&Head { project: project.clone(), run: self.link() })?;
        for _ in 0..ATTEMPTS {
            let found = document::read_head(depot, name).await?;
            if let Some((head, _)) = &found
                && head.run.seal_digest == self.digest
            {
                return Ok(());
            }
            self.follows(depot, name).await?;
            if depot.move_head(name, found.as_ref().map(|(_, version)| version), &bytes).await? {
                return Ok(());
            }
        }
        Err(DepotError::new(DepotFailureKind::Busy, format!("`{name}` moves again and again: push again later")))
    }
}

/// Returns the seals of earlier runs that lead back from a run, newest first.
fn earlier(seal: &Seal, directories: &[PathBuf]) -> Result<Vec<(Digest, Vec<u8>)>, DepotError> {
    let mut seals = BTreeMap::new();
    for directory in directories {
        let bytes = Evidence::open(directory)?.read(evidence_name::SEAL)?;
        let seal =
            seal::read(&bytes).map_err(|error| DepotError::local(format!("{}: {error}", directory.display())))?;
        seals.insert(Digest::of(&bytes), (seal.previous_seal, bytes));
    }
    let mut chain = Vec::new();
    let mut next = seal.previous_seal;
    // Each seal is removed when it is visited, so a forged cycle ends.
    while let Some((digest, (previous, bytes))) = next.and_then(|digest| seals.remove_entry(&digest)) {
        next = previous;
        chain.push((digest, bytes));
    }
    Ok(chain)
}
