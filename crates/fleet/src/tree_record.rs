//! Records of when trees were stored, by which old ones are removed.

use referee_model::document::Kind;
use referee_model::time::Timestamp;
use referee_model::tree_manifest::ContentLink;
use serde::{Deserialize, Serialize};

use crate::depot::Depot;
use crate::document;
use crate::error::DepotError;
use crate::layout;

const RECORD: Kind = Kind { name: "the record of a tree", key: "treeRecordVersion", version: "1.0.0" };

/// Age from which a record is renewed when its tree is stored again, in milliseconds.
const RENEWAL_MS: u64 = 24 * 3_600_000;

/// That a tree was stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct TreeRecord {
    /// Size of its manifest, in bytes.
    pub(crate) bytes: u64,
    /// When, at the latest a day before it was stored last.
    pub(crate) stored_at: Timestamp,
}

impl TreeRecord {
    pub(crate) fn decode(name: &str, bytes: &[u8]) -> Result<Self, DepotError> {
        document::decode(name, &RECORD, bytes)
    }
}

/// Records that a tree is being stored, before any of its files is looked for.
pub(crate) async fn record(depot: &Depot, tree: &ContentLink, now: Timestamp) -> Result<(), DepotError> {
    let name = layout::tree_record(tree.sha256);
    let bytes = RECORD.encode(&TreeRecord { bytes: tree.bytes, stored_at: now }).map_err(DepotError::local)?;
    let version = match depot.read(&name).await? {
        Some((found, version)) => {
            let known = RECORD.decode::<TreeRecord>(&found).ok().filter(|known| known.bytes == tree.bytes);
            if known.is_some_and(|known| age_ms(known.stored_at, now) < RENEWAL_MS) {
                return Ok(());
            }
            Some(version)
        }
        None => None,
    };
    // Where the record changed meanwhile, somebody else stores the same tree.
    depot.move_head(&name, version.as_ref(), &bytes).await.map(drop)
}

/// Time between two moments, whichever is the earlier: clocks of machines differ.
fn age_ms(one: Timestamp, other: Timestamp) -> u64 {
    one.milliseconds_since(other).max(other.milliseconds_since(one))
}
