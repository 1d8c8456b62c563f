//! The stored state of a loop: each change is one transaction of the store, and it is read again to resume.

use std::path::Path;

use referee_ledger::agent_runs::WorkspaceLock;
use referee_ledger::incidents::{IncidentDir, Part, PartFile};
use referee_model::document;
use referee_model::id::Digest;
use referee_model::incident::attempt::{
    self, FinalStatus, LOOP_STATE, LoopFileDocument, RUN_RESULT, RunResultDocument,
};
use referee_model::incident::id::IncidentId;
use referee_model::incident::remediation::RemediationPlan;
use referee_model::incident::status::{IncidentEvent, IncidentStatus};
use referee_model::loop_guard::LoopState;
use referee_model::time::Timestamp;

use super::Drive;
use crate::agent_loop::moved_on;
use crate::incident::archive::name_in_its_life;
use crate::incident::{IncidentContext, IncidentError, part_file, take_step};

/// Number of digits of the digest in the name of a loop.
const NAME_DIGITS: usize = 16;

/// Takes the lock of the workspace, so that no other agent works in it.
pub(super) fn lock(context: IncidentContext<'_>, workspace: &Path) -> Result<WorkspaceLock, IncidentError> {
    WorkspaceLock::take(context.state, workspace)?.ok_or_else(|| {
        let place = workspace.display();
        IncidentError::Refused(format!("another agent works in {place}: wait for it, or end it"))
    })
}

/// Returns the name of the loop, which is the same for all processes of this machine that run it: derived from the root and the
/// id.
pub(super) fn name(context: IncidentContext<'_>, id: &IncidentId) -> String {
    let place = format!("{}\0{id}", context.incidents.root().display());
    let digest = Digest::of(place.as_bytes()).to_string();
    format!("run-incident-{}", digest.get(..NAME_DIGITS).unwrap_or(&digest))
}

/// Reads the stored state of a loop. Returns `None` if it never began, or if the file is not usable.
pub(super) fn kept(context: IncidentContext<'_>, id: &IncidentId) -> Result<Option<LoopFileDocument>, IncidentError> {
    let bytes = context.incidents.file(id, Part::Run, LOOP_STATE)?;
    let read = bytes.and_then(|bytes| document::from_bytes::<LoopFileDocument>(LOOP_STATE, &bytes).ok());
    Ok(read.filter(|read| read.incident_id == *id))
}

/// Resumes the stored loop of this plan, or begins another one. Turn numbers continue, so that no turn is overwritten.
pub(super) fn taken_up(
    context: IncidentContext<'_>,
    (id, plan): (&IncidentId, &RemediationPlan),
    kept: Option<LoopFileDocument>,
    now: Timestamp,
) -> Result<LoopFileDocument, IncidentError> {
    let names = context.incidents.files(id, Part::Run)?;
    // Over all lives of the incident: evidence that an earlier attempt cites is kept.
    let taken = names.iter().filter_map(|name| attempt::number(name_in_its_life(name))).max().unwrap_or(0);
    let earlier = match kept {
        Some(mut kept) if kept.plan_revision == plan.revision => {
            kept.iteration = kept.iteration.max(taken);
            return Ok(kept);
        }
        other => other,
    };
    let replans = context.find(id)?.incident.replans;
    let mut file = LoopFileDocument::new(id.clone(), plan.revision, now);
    file.iteration = taken;
    // The agent learns how its last turn ended under a new plan, too.
    file.agent = earlier.and_then(|earlier| earlier.agent);
    file.counters = LoopState { replans, ..LoopState::default() };
    Ok(file)
}

/// Returns the counters, without the time in which no process ran the loop.
pub(super) fn counters(file: &LoopFileDocument, now: Timestamp) -> LoopState {
    let mut state = file.counters.clone();
    state.began = state.began.map(|began| moved_on(began, file.updated_at, now));
    state
}

/// Changes the incident and writes these files of its loop, all or nothing.
pub(super) fn change(
    context: IncidentContext<'_>,
    id: &IncidentId,
    event: Option<IncidentEvent>,
    (action, note): (&'static str, &str),
    files: Vec<PartFile>,
) -> Result<(), IncidentError> {
    let changed = context.change(id, action, context.now(), |stored, change| {
        let mut forged = None;
        match event {
            // A closed incident stays byte for byte as a commit may contain it.
            None if stored.incident.status.is_closed() => change.incident.updated_at = stored.incident.updated_at,
            None => {}
            Some(IncidentEvent::RunBegan) => {
                take_step(change, IncidentEvent::RunBegan)?;
                let requested = &mut change.incident.execution_requested_at;
                *requested = requested.or(Some(change.incident.updated_at));
            }
            // Cooperating processes change nothing while the loop holds the incident. Any other status was written
            // by hand, for example by an agent that claims to be done: it is overwritten.
            Some(event) => {
                let (status, shelf) = (stored.incident.status, stored.shelf);
                forged = (status != IncidentStatus::Running || shelf != IncidentDir::Inbox)
                    .then(|| format!(" (it stood as {} in {}, by hand: not believed)", status.as_str(), stored.path()));
                change.incident.status = IncidentStatus::Running;
                take_step(change, event)?;
            }
        }
        change.shelf = forged.is_some().then_some(IncidentDir::Inbox);
        change.note = context.clean(note) + forged.as_deref().unwrap_or_default();
        change.files = files;
        Ok(())
    });
    changed.map(drop)
}

impl Drive<'_, '_> {
    /// Records that work on the incident begins.
    pub(super) fn begin(&mut self) -> Result<(), IncidentError> {
        let file = self.state_file()?;
        change(
            self.context,
            self.id,
            Some(IncidentEvent::RunBegan),
            ("go_exec", "the loop begins or goes on"),
            vec![file],
        )
    }

    /// Stores the state of the loop.
    pub(super) fn save(&mut self, action: &'static str, note: &str) -> Result<(), IncidentError> {
        let file = self.state_file()?;
        change(self.context, self.id, Some(IncidentEvent::TurnTaken), (action, note), vec![file])
    }

    pub(super) fn state_file(&mut self) -> Result<PartFile, IncidentError> {
        self.file.updated_at = self.now();
        self.file.spent_ms = self.runner.spent_ms();
        Ok(part_file(Part::Run, LOOP_STATE, document::to_bytes(&self.file)?))
    }

    pub(super) fn result_file(result: &RunResultDocument) -> Result<PartFile, IncidentError> {
        Ok(part_file(Part::Run, RUN_RESULT, document::to_bytes(result)?))
    }

    /// Returns the result as far as it is known.
    pub(super) fn result(&self, final_status: FinalStatus) -> RunResultDocument {
        let minutes = hundredths(self.runner.spent_ms(), 60_000);
        RunResultDocument {
            loops_used: self.file.loops_used,
            runtime_minutes: minutes,
            same_error_repeats: self.file.same_error_repeats,
            no_progress_streak: self.file.no_progress_streak,
            edited: self.edited.clone(),
            commit: self.commit_document(final_status),
            loop_results: self.results.clone(),
            state_path: format!("{}/{LOOP_STATE}", self.run_dir()),
            run_dir: self.run_dir(),
            ..RunResultDocument::of(self.id.clone(), final_status)
        }
    }

    pub(super) fn run_dir(&self) -> String {
        run_dir(self.id)
    }
}

/// Returns the directory of an incident's loop, relative to the root.
pub(super) fn run_dir(id: &IncidentId) -> String {
    format!("{}/{id}", Part::Run.directory().unwrap_or_default())
}

/// Converts milliseconds to another unit, rounded down to two decimals.
pub(super) fn hundredths(milliseconds: u64, unit: u64) -> f64 {
    let hundredths = u32::try_from(milliseconds.saturating_mul(100) / unit).unwrap_or(u32::MAX);
    f64::from(hundredths) / 100.0
}
