//! The generation of a depot's content. Removing files begins one and ends it, so that whoever stores a run meanwhile
//! notices: files that were there when it looked may be gone by now.

use std::cell::Cell;
use std::time::{Duration, Instant};

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

/// Time after which whoever removes files looks whether somebody else has begun to.
const LOOK: Duration = Duration::from_secs(1);

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

/// A removal of files. Of two at once the later one goes on, and the other one stops.
pub(crate) struct Removal<'depot> {
    depot: &'depot Depot,
    /// The generation that it began. None: nothing is removed, what would be is told.
    generation: Option<Generation>,
    looked: Cell<Instant>,
}

impl<'depot> Removal<'depot> {
    /// Begins, also where somebody else removes files: he may have been killed.
    ///
    /// # Errors
    /// Fails if somebody else begins at this moment.
    pub(crate) async fn begin(depot: &'depot Depot, dry_run: bool) -> Result<Self, DepotError> {
        let mut generation = None;
        if !dry_run {
            let (before, version) = read(depot).await?;
            let next = Generation { number: before.number + 1, removing: true };
            if !write(depot, version.as_ref(), next).await? {
                return Err(other());
            }
            generation = Some(next);
        }
        Ok(Self { depot, generation, looked: Cell::new(Instant::now()) })
    }

    /// Whether nothing is removed.
    pub(crate) fn is_dry(&self) -> bool {
        self.generation.is_none()
    }

    /// Removes an object.
    ///
    /// # Errors
    /// Fails if somebody else has begun to remove files.
    pub(crate) async fn remove(&self, name: &str) -> Result<(), DepotError> {
        let Some(generation) = self.generation else { return Ok(()) };
        if LOOK <= self.looked.get().elapsed() {
            if read(self.depot).await?.0 != generation {
                return Err(other());
            }
            self.looked.set(Instant::now());
        }
        self.depot.remove(name).await
    }

    /// Says that nothing is removed any more, unless somebody else has begun to.
    pub(crate) async fn end(self) -> Result<(), DepotError> {
        let Some(generation) = self.generation else { return Ok(()) };
        let (now, version) = read(self.depot).await?;
        if now == generation {
            let next = Generation { number: generation.number + 1, removing: false };
            // Where it has moved meanwhile, somebody else began.
            write(self.depot, version.as_ref(), next).await?;
        }
        Ok(())
    }
}

fn other() -> DepotError {
    let message = "somebody else removes files from the depot: try again when that has ended";
    DepotError::new(DepotFailureKind::Busy, message)
}

/// Reads the generation, and the version of its document. None: there is none yet.
async fn read(depot: &Depot) -> Result<(Generation, Option<Version>), DepotError> {
    match depot.read(layout::GENERATION).await? {
        Some((bytes, version)) => Ok((document::decode(layout::GENERATION, &KIND, &bytes)?, Some(version))),
        None => Ok((Generation::default(), None)),
    }
}

/// Writes the generation. Returns whether the version that was read was still the newest.
async fn write(depot: &Depot, version: Option<&Version>, generation: Generation) -> Result<bool, DepotError> {
    let bytes = KIND.encode(&generation).map_err(DepotError::local)?;
    depot.move_head(layout::GENERATION, version, &bytes).await
}

#[cfg(test)]
mod tests {
    use referee_ledger::file_depot::FileDepot;

    use super::*;

    #[test]
    fn of_two_removals_the_later_one_goes_on_and_content_is_stored_once_it_has_ended() {
        let directory = tempfile::tempdir().unwrap();
        let depot = Depot::Files(FileDepot::open(directory.path()).unwrap());
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            for name in ["one", "two"] {
                depot.create(name, b"content").await.unwrap();
            }
            let is_busy = async || undisturbed(&depot, async || Ok(())).await.map_err(|error| error.kind);
            let earlier = Removal::begin(&depot, false).await.unwrap();
            earlier.remove("one").await.unwrap();
            assert_eq!(is_busy().await, Err(DepotFailureKind::Busy));
            let later = Removal::begin(&depot, false).await.unwrap();
            earlier.looked.set(Instant::now().checked_sub(LOOK).unwrap());
            assert_eq!(earlier.remove("two").await.unwrap_err().kind, DepotFailureKind::Busy);
            assert_eq!(depot.size("two").await.unwrap(), Some(7));
            earlier.end().await.unwrap();
            assert_eq!(is_busy().await, Err(DepotFailureKind::Busy));
            later.looked.set(Instant::now().checked_sub(LOOK).unwrap());
            later.remove("two").await.unwrap();
            later.end().await.unwrap();
            assert_eq!((depot.size("one").await.unwrap(), depot.size("two").await.unwrap()), (None, None));
            is_busy().await.unwrap();
        });
    }

    #[test]
    fn a_dry_removal_removes_nothing_and_disturbs_nobody() {
        let directory = tempfile::tempdir().unwrap();
        let depot = Depot::Files(FileDepot::open(directory.path()).unwrap());
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            depot.create("one", b"content").await.unwrap();
            let removal = Removal::begin(&depot, true).await.unwrap();
            removal.remove("one").await.unwrap();
            undisturbed(&depot, async || Ok(())).await.unwrap();
            removal.end().await.unwrap();
            assert_eq!(depot.size("one").await.unwrap(), Some(7));
            assert!(depot.read(layout::GENERATION).await.unwrap().is_none());
        });
    }
}
