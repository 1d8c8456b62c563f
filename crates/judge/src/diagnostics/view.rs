//! Selections from the register of diagnostics.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use referee_model::diagnostic_log::{
    DiagnosticLog, DiagnosticRegister, Finding, RegisteredDiagnostic, RegisteredRun, Sighting,
};
use referee_model::id::{ExecutionId, TaskId};

/// Lower bound of a selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since<'a> {
    /// No bound: all diagnostics.
    Beginning,
    /// The last run of its task: diagnostics that this run was the first to show, or cleared.
    LatestRun,
    /// All runs after this one.
    After(&'a ExecutionId),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View<'a> {
    /// Active diagnostics, most severe first, then most recently seen first.
    pub standing: Vec<&'a RegisteredDiagnostic>,
    /// Cleared diagnostics, most recently cleared first.
    pub cleared: Vec<&'a RegisteredDiagnostic>,
    /// Last run of each task, by task.
    pub latest: Vec<&'a RegisteredRun>,
}

/// Returns a selection from the register; of all tasks if `task` is None.
///
/// Active diagnostics are selected if they were first seen in the selected runs; cleared ones, if they were
/// cleared in them. The order is that in which runs were added to the register, independent of clocks. A run
/// that the register has dropped counts as before all that it knows. None: it does not know the run given in
/// `since`.
pub fn view<'a>(register: &'a DiagnosticRegister, task: Option<&TaskId>, since: Since<'_>) -> Option<View<'a>> {
    let places: BTreeMap<(&TaskId, &ExecutionId), usize> =
        (register.runs.iter().enumerate()).map(|(place, run)| ((&run.task, &run.execution), place)).collect();
    let after = match since {
        Since::After(run) => Some(register.runs.iter().position(|known| known.execution == *run)?),
        Since::Beginning | Since::LatestRun => None,
    };
    let is_meant = |of: &TaskId| task.is_none_or(|task| task == of);
    let latest: BTreeMap<&TaskId, &RegisteredRun> =
        register.runs.iter().filter(|run| is_meant(&run.task)).map(|run| (&run.task, run)).collect();
    let is_since = |of: &TaskId, sighting: &Sighting| match since {
        Since::Beginning => true,
        Since::LatestRun => latest.get(of).is_some_and(|run| run.execution == sighting.execution),
        Since::After(_) => places.get(&(of, &sighting.execution)).copied() > after,
    };
    let known = || register.entries.iter().filter(|known| is_meant(&known.task));
    let mut standing: Vec<&RegisteredDiagnostic> =
        known().filter(|known| known.cleared.is_none() && is_since(&known.task, &known.first_seen)).collect();
    standing.sort_by_key(|known| {
        let Finding { blocking, severity, action, file, position, .. } = &known.entry;
        (!blocking, *severity, Reverse(known.last_seen.at), &known.task, action, file, *position)
    });
    let mut cleared: Vec<&RegisteredDiagnostic> =
        known().filter(|known| known.cleared.as_ref().is_some_and(|run| is_since(&known.task, run))).collect();
    cleared.sort_by_key(|known| Reverse(known.cleared.as_ref().map(|run| run.at)));
    Some(View { standing, cleared, latest: latest.into_values().collect() })
}

/// Returns active diagnostics as a log, so that they can be rendered like those of a run.
pub fn log_of(standing: &[&RegisteredDiagnostic]) -> DiagnosticLog {
    DiagnosticLog {
        entries: standing.iter().map(|known| known.entry.clone()).collect(),
        distinct: standing.len() as u64,
        summary: String::new(),
    }
}
