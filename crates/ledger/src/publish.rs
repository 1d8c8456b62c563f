//! Moves a sealed run to its destination and updates its chain head.

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
    /// The history, because a run that started later is the task's latest run.
    History,
}

/// Moves a sealed run to its destination, and returns its directory there. The run and the chain head that
/// names it as pending are on disk before the run moves. After a kill or a power loss at any point, the task's
/// latest run is the previous run or this one, and the head names one of them, with this one as pending.
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
