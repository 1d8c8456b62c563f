//! A sealed run goes where it belongs, and the head of its chain moves on with it.

use std::path::PathBuf;

use crate::chain_head::Link;
use referee_model::id::TaskId;

use crate::chain_heads;
use crate::directory::Directory;
use crate::durability;
use crate::error::LedgerError;
use crate::evidence_root::EvidenceRoot;
use crate::published_run;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Destination {
    Place,
    /// The history, because a run that began later stands in the task's place.
    History,
}

/// Takes a run that is sealed to where it belongs, and returns its directory there. The run and the head that names it
/// as pending are on disk before it moves. Killed at any point, or without power, it leaves the former run or this one
/// in the task's place, and
/// a head that names one of them, with this one as pending.
pub(crate) fn arrive(
    site: &EvidenceRoot,
    task: &TaskId,
    (runs, held): (&Directory, &Directory),
    link: &Link,
    destination: Destination,
) -> Result<PathBuf, LedgerError> {
    chain_heads::intend(site, task, link, destination == Destination::History)?;
    durability::persist(site, runs, held)?;
    let execution = &link.execution_id;
    let directory = match destination {
        Destination::Place => {
            published_run::take(&site.root, runs, task, execution, held)?;
            site.root.path().join(task.as_str())
        }
        Destination::History => {
            let name = published_run::file_away(&site.root, runs, task, execution, held)?;
            published_run::history(&site.root, task)?.path().join(name)
        }
    };
    if !site.root.stands_at_its_path() {
        return Err(published_run::swapped(&site.root));
    }
    chain_heads::arrived(site, task, link.seal_digest)?;
    Ok(directory)
}
