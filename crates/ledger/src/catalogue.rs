//! Lists the runs of a task by their location, so that a part of a long list can be shown without reading all
//! of it. A run that is opened stays open while other runs are published.

use referee_model::id::{ExecutionId, TaskId};

use crate::directory::Kind;
use crate::error::LedgerError;
use crate::evidence::Evidence;
use crate::evidence_root::EvidenceRoot;
use crate::paths;
use crate::published_run;
use crate::recovery;

/// A run, as far as its location identifies it. The evidence in it may say otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The run's id. None: it cannot be determined.
    pub execution: Option<ExecutionId>,
    pub spot: Spot,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spot {
    Latest,
    History,
    /// In a staging directory; the run is in progress.
    Running,
    /// In a staging directory, or already removed from it: the run died, and no run was started since.
    Unfinished,
}

/// An open run directory.
#[derive(Debug)]
pub struct OpenRun {
    /// Where the run was when it was opened.
    pub spot: Spot,
    pub evidence: Evidence,
}

/// Lists the runs of a task, in no particular order. The caller must hold the task's lock.
pub(crate) fn entries(site: &EvidenceRoot, task: &TaskId) -> Result<Vec<Entry>, LedgerError> {
    let mut entries: Vec<Entry> = recovery::unfinished(site, task)?
        .into_iter()
        .map(|run| Entry {
            execution: Some(run.execution),
            spot: if run.live { Spot::Running } else { Spot::Unfinished },
        })
        .collect();
    if let Some(directory) = site.root.child(task.as_str())? {
        entries.push(Entry { execution: published_run::execution_of(&directory)?, spot: Spot::Latest });
    }
    let history = site.root.descend(&[paths::HISTORY, task.as_str()])?;
    let names = history.map(|history| history.names_of(Kind::Directory)).transpose()?.unwrap_or_default();
    // A directory whose name is not an execution id cannot be requested by that id either.
    let of_history = |name| Entry { execution: ExecutionId::parse(name).ok(), spot: Spot::History };
    entries.extend(names.into_iter().map(of_history));
    Ok(entries)
}

/// Opens a run's directory: the wanted one, or the latest. The caller must hold the task's lock.
pub(crate) fn open(
    site: &EvidenceRoot,
    task: &TaskId,
    wanted: Option<&ExecutionId>,
) -> Result<Option<OpenRun>, LedgerError> {
    if let Some(directory) = site.root.child(task.as_str())?
        && (wanted.is_none() || wanted == published_run::execution_of(&directory)?.as_ref())
    {
        return Ok(Some(OpenRun { spot: Spot::Latest, evidence: Evidence::of(directory) }));
    }
    let Some(wanted) = wanted else { return Ok(None) };
    if let Some(directory) = site.root.descend(&[paths::HISTORY, task.as_str(), wanted.as_str()])? {
        return Ok(Some(OpenRun { spot: Spot::History, evidence: Evidence::of(directory) }));
    }
    Ok(None)
}
