//! Pages of runs, the latest first. An id of a run begins with its start time, so ordering needs no access to the
//! runs.

use referee_ledger::catalogue::Spot;
use referee_ledger::{State, Store};
use referee_model::id::{ExecutionId, TaskId};
use referee_model::limit;
use referee_report::run_list::{self, RunListDocument, RunRow};

use super::look::{self, Chain};
use super::{LibraryError, RunQuery, Which};

/// Placeholder for a run with an unknown id.
const NO_RUN: &str = "-";

struct Listed {
    execution: Option<ExecutionId>,
    task: TaskId,
    spot: Spot,
    /// What is told of a run that is not shown. None: the run is looked at.
    told: Option<RunRow>,
}

impl Listed {
    fn of_depot(row: &RunRow) -> Self {
        let (execution, task) = (row.execution_id.clone(), row.task_id.clone());
        Self { execution, task, spot: Spot::Latest, told: Some(row.clone()) }
    }

    fn key(&self) -> (Option<&ExecutionId>, &TaskId) {
        (self.execution.as_ref(), &self.task)
    }

    fn cursor(&self) -> String {
        format!("{}/{}", self.execution.as_ref().map_or(NO_RUN, ExecutionId::as_str), self.task)
    }
}

pub(super) fn list(
    store: Option<&Store>,
    state: Option<&State>,
    unverified: &[RunRow],
    query: &RunQuery,
) -> Result<RunListDocument, LibraryError> {
    let after = query.after.as_deref().map(cursor).transpose()?;
    let all = all(store, unverified, query.task.as_ref())?;
    let kept = all.len() as u64;
    let is_next = |run: &&Listed| after.as_ref().is_none_or(|(execution, task)| run.key() < (execution.as_ref(), task));
    let size = match query.limit {
        0 => limit::RUNS_LISTED,
        limit => limit.min(limit::RUNS_LISTED_MAX),
    };
    let mut rows = Vec::new();
    let mut last: Option<&Listed> = None;
    for (looked_at, run) in all.iter().filter(is_next).enumerate() {
        if rows.len() == size || looked_at == limit::RUNS_LOOKED_AT {
            return Ok(run_list::list(kept, rows, last.map(Listed::cursor)));
        }
        last = Some(run);
        let row = match (&run.told, store) {
            (Some(told), _) => Some(told.clone()),
            (None, store) => store.map(|store| row(store, state, run)).transpose()?.flatten(),
        };
        if let Some(row) = row
            && query.decision.is_none_or(|wanted| row.report.as_ref().is_some_and(|report| report.decision == wanted))
        {
            rows.push(row);
        }
    }
    Ok(run_list::list(kept, rows, None))
}

/// Finds a run without a directory, because it is still running or died. Returns `None` if there is none.
pub(super) fn without_directory(store: &Store, task: &TaskId, which: &Which) -> Result<Option<RunRow>, LibraryError> {
    let Which::Run(wanted) = which else { return Ok(None) };
    let found = store.catalogue(task)?.into_iter().find(|entry| entry.execution.as_ref() == Some(wanted));
    Ok(found.map(|entry| unfinished(task, Some(wanted), entry.spot)))
}

/// Returns all runs of the requested tasks, the latest first, each once. One that is not shown hides another one of its name.
fn all(store: Option<&Store>, unverified: &[RunRow], task: Option<&TaskId>) -> Result<Vec<Listed>, LibraryError> {
    let unverified = unverified.iter().filter(|row| task.is_none_or(|task| *task == row.task_id));
    let mut all: Vec<Listed> = unverified.map(Listed::of_depot).collect();
    let Some(store) = store else { return Ok(sorted(all)) };
    let known = store.known_tasks()?;
    for task in known.into_iter().filter(|known| task.is_none_or(|task| task == known)) {
        let entries = store.catalogue(&task)?.into_iter();
        // An entry in the history without a run id cannot be requested.
        let shown = entries.filter(|entry| entry.execution.is_some() || entry.spot == Spot::Latest);
        all.extend(shown.map(|entry| Listed {
            execution: entry.execution,
            task: task.clone(),
            spot: entry.spot,
            told: None,
        }));
    }
    Ok(sorted(all))
}

fn sorted(mut all: Vec<Listed>) -> Vec<Listed> {
    let rank = |run: &Listed| (run.told.is_none(), run.spot as u8);
    all.sort_by(|one, other| other.key().cmp(&one.key()).then(rank(one).cmp(&rank(other))));
    all.dedup_by(|later, earlier| later.key() == earlier.key());
    all
}

/// Reads one run. Returns `None` if it no longer exists.
fn row(store: &Store, state: Option<&State>, run: &Listed) -> Result<Option<RunRow>, LibraryError> {
    if matches!(run.spot, Spot::Running | Spot::Unfinished) {
        return Ok(Some(unfinished(&run.task, run.execution.as_ref(), run.spot)));
    }
    let Some(open) = store.open_run(&run.task, run.execution.as_ref())? else { return Ok(None) };
    // Only for the latest run is the chain inspected here: for every run it would read all seals of the history.
    let chain = if open.spot == Spot::Latest { Chain::Asked } else { Chain::NotAsked };
    Ok(Some(look::look(&open, &run.task, run.execution.as_ref(), state, chain).row))
}

fn unfinished(task: &TaskId, execution: Option<&ExecutionId>, spot: Spot) -> RunRow {
    let problem = match spot {
        Spot::Running => "it goes on",
        Spot::Latest | Spot::History | Spot::Unfinished => {
            "it was started and never sealed, and its task is blocked by it"
        }
    };
    RunRow { problem: Some(problem.to_owned()), ..look::blank(task, execution, spot) }
}

/// Parses the cursor that a page has under `next`.
fn cursor(text: &str) -> Result<(Option<ExecutionId>, TaskId), LibraryError> {
    let read = || {
        let (run, task) = text.split_once('/')?;
        let execution = if run == NO_RUN { None } else { Some(ExecutionId::parse(run).ok()?) };
        Some((execution, TaskId::parse(task).ok()?))
    };
    read().ok_or_else(|| LibraryError::Invalid("`after` is not what a page said under `next`".to_owned()))
}
