//! How long trees and runs stay that no head names: those of orders. A tree has a record of when it was stored last, and a run
//! its statements; 30 days later nobody is answered by them.

use std::collections::{BTreeMap, BTreeSet};

use referee_model::depot::{DepotFailureKind, PrunedOrders};
use referee_model::id::Digest;
use referee_model::limit;
use referee_model::time::Timestamp;
use referee_model::tree_manifest::ContentLink;

use crate::chain;
use crate::content::UNSIZED_BYTES;
use crate::depot::{Blob, Depot};
use crate::error::DepotError;
use crate::generation::Removal;
use crate::layout;
use crate::tree;
use crate::tree_record::TreeRecord;

/// What no head names.
#[derive(Default)]
pub(crate) struct OrderContent {
    /// Content that stays.
    pub(crate) needed: BTreeSet<Digest>,
    expired: Vec<Expired>,
}

/// A tree or a run that goes, unless something else has its content too.
struct Expired {
    is_tree: bool,
    /// The object that tells of it, which goes last.
    name: String,
    content: Vec<Digest>,
}

/// Reads all trees, and all runs but those of chains.
///
/// # Errors
/// Fails if one cannot be read that may name any file.
pub(crate) async fn read(
    depot: &Depot,
    of_chains: &BTreeSet<Digest>,
    now: Timestamp,
) -> Result<OrderContent, DepotError> {
    let mut read = OrderContent::default();
    for object in depot.list(layout::STATEMENTS).await? {
        let Some(seal) = layout::digest(layout::STATEMENTS, &object.name) else { continue };
        if !of_chains.contains(&seal) {
            let link = found(chain::read(depot, Blob { sha256: seal, bytes: None }).await)?;
            let is_old = link.as_ref().is_none_or(|link| is_old(link.seal.sealed_at, now));
            let files = link.iter().flat_map(|link| &link.seal.files).map(|file| file.sha256);
            read.add(is_old, Expired { is_tree: false, name: object.name, content: files.chain([seal]).collect() });
        }
    }
    for object in depot.list(layout::TREES).await? {
        let Some(sha256) = layout::digest(layout::TREES, &object.name) else { continue };
        let Some((bytes, _)) = depot.read(&object.name).await? else { continue };
        let record = TreeRecord::decode(&object.name, &bytes)?;
        let manifest = if record.bytes > UNSIZED_BYTES {
            None
        } else {
            found(tree::manifest(depot, &ContentLink { sha256, bytes: record.bytes }).await)?
        };
        let is_old = is_old(record.stored_at, now);
        let files = manifest.iter().flat_map(tree::contents).map(|(_, content, _)| content.sha256);
        read.add(is_old, Expired { is_tree: true, name: object.name, content: files.chain([sha256]).collect() });
    }
    Ok(read)
}

/// Whether nobody is answered by something any more. What is of the future is not: clocks of machines differ.
fn is_old(at: Timestamp, now: Timestamp) -> bool {
    now.milliseconds_since(at) > limit::SHARED_RECEIPT_AGE_MS
}

/// Returns what is there. What is not names nothing.
fn found<T>(read: Result<T, DepotError>) -> Result<Option<T>, DepotError> {
    match read {
        Ok(read) => Ok(Some(read)),
        Err(error) if error.kind == DepotFailureKind::Missing => Ok(None),
        Err(error) => Err(error),
    }
}

impl OrderContent {
    fn add(&mut self, is_old: bool, content: Expired) {
        if is_old {
            self.expired.push(content);
        } else {
            self.needed.extend(content.content);
        }
    }

    /// Removes what is too old and not needed, also from the list of what is stored.
    pub(crate) async fn discard(
        self,
        removal: &Removal<'_>,
        (needed, stored): (&BTreeSet<Digest>, &mut BTreeMap<String, u64>),
    ) -> Result<PrunedOrders, DepotError> {
        let mut pruned = PrunedOrders::default();
        for expired in self.expired {
            for content in expired.content.iter().filter(|content| !needed.contains(content)) {
                let name = layout::blob(*content);
                if let Some(bytes) = stored.remove(&name) {
                    removal.remove(&name).await?;
                    pruned.files += 1;
                    pruned.bytes += bytes;
                }
            }
            removal.remove(&expired.name).await?;
            let count = if expired.is_tree { &mut pruned.trees } else { &mut pruned.runs };
            *count += 1;
        }
        Ok(pruned)
    }
}
