//! Documents that a depot keeps of its own. They are internal, and versioned.

use referee_model::depot::{DepotFailureKind, DepotLink};
use referee_model::document::{DocumentError, Kind};
use referee_model::id::ProjectName;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::depot::{Depot, Version};
use crate::error::DepotError;
use crate::layout;

const HEAD: Kind = Kind { name: "the head of a depot", key: "depotHeadVersion", version: "1.0.0" };

const LAYOUT: Kind = Kind { name: "depot.json", key: "depotVersion", version: "1.0.0" };

/// The newest run of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Head {
    pub(crate) project: ProjectName,
    pub(crate) run: DepotLink,
}

/// What every depot begins with.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Layout {}

pub(crate) fn encode_head(head: &Head) -> Result<Vec<u8>, DepotError> {
    HEAD.encode(head).map_err(DepotError::local)
}

/// Reads a head, and checks that it is about what its name says.
pub(crate) async fn read_head(depot: &Depot, name: &str) -> Result<Option<(Head, Version)>, DepotError> {
    let Some((bytes, version)) = depot.read(name).await? else { return Ok(None) };
    let head: Head = decode(name, &HEAD, &bytes)?;
    if layout::head(&head.project, &head.run.task_id) != name {
        let problem = format!("it is about {} of {}", head.run.task_id, head.project);
        return Err(DepotError::corrupt(name, &problem));
    }
    if head.run.sequence == 0 {
        return Err(DepotError::corrupt(name, "a chain is numbered from 1"));
    }
    Ok(Some((head, version)))
}

/// Reads a text of a limited size, which is not verified. `None`: there is none.
pub(crate) async fn read_text(
    depot: &Depot,
    name: &str,
    (what, max_bytes): (&str, u64),
) -> Result<Option<String>, DepotError> {
    let is_none = |kind, why: &str| DepotError::new(kind, format!("`{name}` in the depot is no {what}: {why}"));
    let fits = |bytes: u64| {
        if bytes <= max_bytes {
            return Ok(());
        }
        Err(is_none(DepotFailureKind::TooLarge, &format!("it has {bytes} bytes")))
    };
    let Some(bytes) = depot.size(name).await? else { return Ok(None) };
    fits(bytes)?;
    let Some((bytes, _)) = depot.read(name).await? else { return Ok(None) };
    fits(bytes.len() as u64)?;
    String::from_utf8(bytes).map(Some).map_err(|_| is_none(DepotFailureKind::Corrupt, "it is no text"))
}

/// Decodes a document of a depot.
pub(crate) fn decode<Document: DeserializeOwned>(
    name: &str,
    kind: &Kind,
    bytes: &[u8],
) -> Result<Document, DepotError> {
    kind.decode(bytes).map_err(|error: DocumentError| DepotError::corrupt(name, &error.to_string()))
}

/// Checks that a depot has a layout that is known. Returns false if it has none, and so no runs.
pub(crate) async fn has_layout(depot: &Depot) -> Result<bool, DepotError> {
    let Some((bytes, _)) = depot.read(layout::DEPOT).await? else { return Ok(false) };
    decode::<Layout>(layout::DEPOT, &LAYOUT, &bytes).map(|_| true)
}

/// Begins a depot where there is none, and checks that its storage keeps the conditions of writes: where it does not, a
/// head could be lost without a word.
pub(crate) async fn prepare(depot: &Depot) -> Result<(), DepotError> {
    let bytes = LAYOUT.encode(&Layout {}).map_err(DepotError::local)?;
    if !has_layout(depot).await? {
        depot.create(layout::DEPOT, &bytes).await?;
        if !has_layout(depot).await? {
            return Err(DepotError::missing(layout::DEPOT));
        }
    }
    let stale = Version(format!("\"{}\"", "0".repeat(32)));
    let is_safe = match depot {
        Depot::Files(_) => true,
        Depot::Objects(_) => {
            !depot.create(layout::DEPOT, &bytes).await? && !depot.move_head(layout::DEPOT, Some(&stale), &bytes).await?
        }
    };
    if is_safe { Ok(()) } else { Err(DepotError::unconditional()) }
}
