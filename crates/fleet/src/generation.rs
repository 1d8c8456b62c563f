//! The generation of a depot's content. Removing files begins one and ends it, so that whoever stores a run meanwhile
//! notices: files that were there when it looked may be gone by now.

use referee_model::depot::DepotFailureKind;
use referee_model::document::Kind;
use serde::{Deserialize, Serialize};

use crate::depot::{Depot, Version};
use crate::document;
use crate::error::DepotError;
use crate::layout;

const KIND: Kind = Kind { name: "the generation of a depot", key: "generationVersion", version: "1.0.0" };

/// How often content is stored because files were removed meanwhile.
const ATTEMPTS: usize = 5;

/// Generation of a depot's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Generation {
    number: u64,
    /// Whether files are being removed.
    removing: bool,
}

/// Reads the generation.
///
/// # Errors
/// Fails while files are being removed.
async fn settled(depot: &Depot) -> Result<Generation, DepotError> {
    let (generation, _) = read(depot).await?;
    if generation.removing {
        let message = "files are being removed from the depot: push again when `referee evidence prune --from` has ended, or \
                       run it again if it was killed";
        return Err(DepotError::new(DepotFailureKind::Busy, message));
    }
    Ok(generation)
}

/// Stores content until no files were removed meanwhile: whoever removed some could not know what was being stored.
///
/// # Errors
/// Fails as `store` does, while files are being removed, and if they are removed again and again.
pub(crate) async fn undisturbed(
    depot: &Depot,
    mut store: impl AsyncFnMut() -> Result<(), DepotError>,
) -> Result<(), DepotError> {
    let mut known = settled(depot).await?;
    for _ in 0..ATTEMPTS {
        store().await?;
        let now = settled(depot).await?;
        if now == known {
            return Ok(());
        }
        known = now;
    }
    Err(DepotError::new(DepotFailureKind::Busy, "files are removed from the depot again and again: try again later"))
}

/// Begins to remove files.
pub(crate) async fn begin(depot: &Depot) -> Result<(), DepotError> {
    change(depot, true).await
}

/// Ends to remove files.
pub(crate) async fn end(depot: &Depot) -> Result<(), DepotError> {
    change(depot, false).await
}

/// Reads the generation, and the version of its document. None: there is none yet.
async fn read(depot: &Depot) -> Result<(Generation, Option<Version>), DepotError> {
    match depot.read(layout::GENERATION).await? {
        Some((bytes, version)) => Ok((document::decode(layout::GENERATION, &KIND, &bytes)?, Some(version))),
        None => Ok((Generation::default(), None)),
    }
}

async fn change(depot: &Depot, removing: bool) -> Result<(), DepotError> {
    let (generation, version) = read(depot).await?;
    let next = Generation { number: generation.number + 1, removing };
    let bytes = KIND.encode(&next).map_err(DepotError::local)?;
    if depot.move_head(layout::GENERATION, version.as_ref(), &bytes).await? {
        return Ok(());
    }
    let message = "somebody else removes files from the depot at this moment: try again when that has ended";
    Err(DepotError::new(DepotFailureKind::Busy, message))
}
