//! Stores and fetches trees: files by their digests, and the manifest that lists them.

use std::io::Write;
use std::path::Path;

use futures_util::{StreamExt, TryStreamExt};
use referee_ledger::tree_transfer::{IncomingTree, OutgoingTree};
use referee_model::depot::DepotFailureKind;
use referee_model::id::{Digest, WorkspacePath};
use referee_model::time::Timestamp;
use referee_model::tree_manifest::{ContentLink, TreeFileContent, TreeManifest};

use crate::content::UNSIZED_BYTES;
use crate::depot::{Blob, Depot, Stored};
use crate::error::DepotError;
use crate::generation;
use crate::layout;
use crate::tree_record;

/// Number of files that are stored or fetched at once.
const FILES_AT_ONCE: usize = 8;

/// What a depot did not have of a tree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Transferred {
    pub(crate) files: u64,
    pub(crate) bytes: u64,
}

impl From<&ContentLink> for Blob {
    fn from(link: &ContentLink) -> Self {
        Self { sha256: link.sha256, bytes: Some(link.bytes) }
    }
}

/// Stores a tree, its manifest last.
pub(crate) async fn put(
    depot: &Depot,
    directory: &Path,
    manifest: &TreeManifest,
    now: Timestamp,
) -> Result<(ContentLink, Transferred), DepotError> {
    let bytes = manifest.encode().map_err(DepotError::local)?;
    // What another machine would refuse is not stored.
    TreeManifest::decode(&bytes).map_err(DepotError::local)?;
    let tree = ContentLink { sha256: Digest::of(&bytes), bytes: bytes.len() as u64 };
    if tree.bytes > UNSIZED_BYTES {
        return Err(DepotError::local(format!(
            "the manifest of the tree has {} bytes: it has too many files",
            tree.bytes
        )));
    }
    let source = OutgoingTree::open(directory)?;
    let mut sum = Transferred::default();
    let store = async || {
        tree_record::record(depot, &tree, now).await?;
        let stored = put_files(depot, &source, manifest).await?;
        sum.files += stored.files;
        sum.bytes += stored.bytes;
        depot.create(&layout::blob(tree.sha256), &bytes).await.map(drop)
    };
    generation::undisturbed(depot, store).await?;
    Ok((tree, sum))
}

async fn put_files(depot: &Depot, source: &OutgoingTree, manifest: &TreeManifest) -> Result<Transferred, DepotError> {
    let stored: Vec<Transferred> = futures_util::stream::iter(contents(manifest))
        .map(|(path, content, _)| async move {
            let stored = depot.put(&layout::blob(content.sha256), content.into(), source.file(path)?).await;
            let named = |error: DepotError| match error.kind {
                DepotFailureKind::Local => DepotError::local(format!("{path}: {}", error.message)),
                _ => error,
            };
            Ok::<_, DepotError>(match stored.map_err(named)? {
                Stored::New => Transferred { files: 1, bytes: content.bytes },
                Stored::Present => Transferred::default(),
            })
        })
        .buffer_unordered(FILES_AT_ONCE)
        .try_collect()
        .await?;
    Ok(total(&stored))
}

/// Fetches a tree into an empty directory, and returns its manifest.
pub(crate) async fn fetch(
    depot: &Depot,
    tree: &ContentLink,
    into: &Path,
    max_bytes: u64,
) -> Result<TreeManifest, DepotError> {
    let too_large = |bytes: u64| {
        let message = format!("the tree has {bytes} bytes, and at most {max_bytes} bytes are fetched");
        DepotError::new(DepotFailureKind::TooLarge, message)
    };
    if tree.bytes > max_bytes.min(UNSIZED_BYTES) {
        return Err(too_large(tree.bytes));
    }
    let manifest = self::manifest(depot, tree).await?;
    let size = contents(&manifest).fold(tree.bytes, |sum, (_, content, _)| sum.saturating_add(content.bytes));
    if size > max_bytes {
        return Err(too_large(size));
    }
    let target = IncomingTree::open(into)?;
    let _: Vec<()> = futures_util::stream::iter(contents(&manifest))
        .map(|(path, content, executable)| {
            let target = &target;
            async move {
                let mut out = target.create(path, executable)?;
                depot.get(&layout::blob(content.sha256), content.into(), &mut out).await?;
                out.flush().map_err(DepotError::local)
            }
        })
        .buffer_unordered(FILES_AT_ONCE)
        .try_collect()
        .await?;
    // After the files, none of which is then written through one of them.
    for file in &manifest.files {
        if let TreeFileContent::Link { target: link } = &file.content {
            target.link(&file.path, link)?;
        }
    }
    Ok(manifest)
}

/// Reads the manifest of a tree.
pub(crate) async fn manifest(depot: &Depot, tree: &ContentLink) -> Result<TreeManifest, DepotError> {
    let name = layout::blob(tree.sha256);
    let mut bytes = Vec::new();
    depot.get(&name, tree.into(), &mut bytes).await?;
    TreeManifest::decode(&bytes).map_err(|error| DepotError::corrupt(&name, &error.to_string()))
}

/// Returns the files of a tree, and whether each is a program.
pub(crate) fn contents(manifest: &TreeManifest) -> impl Iterator<Item = (&WorkspacePath, &ContentLink, bool)> {
    manifest.files.iter().filter_map(|file| match &file.content {
        TreeFileContent::File { content, executable } => Some((&file.path, content, *executable)),
        TreeFileContent::Link { .. } => None,
    })
}

fn total(parts: &[Transferred]) -> Transferred {
    let sum = |part: fn(&Transferred) -> u64| parts.iter().map(part).sum();
    Transferred { files: sum(|part| part.files), bytes: sum(|part| part.bytes) }
}
