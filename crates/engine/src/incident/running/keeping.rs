//! What of a loop is written down, each time in one change of the store, and read again when it goes on.

use referee_judge::incident::transition;
use referee_ledger::incidents::{Change, Part, PartFile, Shelf};
use referee_model::incident::id::IncidentId;
use referee_model::incident::status::{IncidentEvent, IncidentStatus};
use referee_model::loop_guard::LoopState;
use referee_model::time::Timestamp;
use referee_wire::attempt::{self, FinalStatus, LOOP_STATE, LoopFileDocument, RUN_RESULT, RunResultDocument};
use referee_wire::remediation_plan::RemediationPlanDocument;

use super::driving::Drive;
use super::ground::Groundless;
use crate::agent_loop::moved_on;
use crate::incident::archiving::name_in_its_life;
use crate::incident::{Desk, IncidentError};

/// Reads how far a loop was. None: it never began, or what is there says nothing that could be gone on from.
pub(super) fn kept(desk: Desk<'_>, id: &IncidentId) -> Result<Option<LoopFileDocument>, IncidentError> {
    let bytes = desk.incidents.file(id, Part::Run, LOOP_STATE)?;
    let read = bytes.and_then(|bytes| LoopFileDocument::read(&bytes).ok());
    Ok(read.filter(|read| read.incident_id == *id))
}

/// Takes up what is kept of this plan's loop, or begins another one. Turns are numbered on, so that none is written over.
pub(super) fn taken_up(
    desk: Desk<'_>,
    (id, plan): (&IncidentId, &RemediationPlanDocument),
    kept: Option<LoopFileDocument>,
    now: Timestamp,
) -> Result<LoopFileDocument, IncidentError> {
    let names = desk.incidents.files(id, Part::Run)?;
    // Over all lives of the incident: evidence that an attempt of an earlier one cites stays its own.
    let taken = names.iter().filter_map(|name| attempt::number(name_in_its_life(name))).max().unwrap_or(0);
    let earlier = match kept {
        Some(mut kept) if kept.plan_revision == plan.revision => {
            kept.iteration = kept.iteration.max(taken);
            return Ok(kept);
        }
        other => other,
    };
    let replans = desk.find(id)?.incident.replans;
    let mut file = LoopFileDocument::new(id.clone(), plan.revision, now);
    file.iteration = taken;
    // How its last turn ended is told to the agent under another plan, too.
    file.agent = earlier.and_then(|earlier| earlier.agent);
    file.set_counters(&LoopState { replans, ..LoopState::default() });
    Ok(file)
}

/// The counters, the time in which the loop lay still left out.
pub(super) fn counters(file: &LoopFileDocument, now: Timestamp) -> LoopState {
    let mut state = file.counters();
    state.began = state.began.map(|began| moved_on(began, file.updated_at, now));
    state
}

/// Says why there is no loop. Where the plan of an incident that somebody works at is not what was approved, it lies before
/// a person again.
pub(super) fn groundless(
    desk: Desk<'_>,
    id: &IncidentId,
    groundless: Groundless,
) -> Result<IncidentError, IncidentError> {
    let is_void = matches!(groundless, Groundless::NotApproved(_) | Groundless::NoPlan(_) | Groundless::OtherCheck(_));
    let status = desk.find(id)?.incident.status;
    if is_void && status == IncidentStatus::Running {
        let event = Some(IncidentEvent::ReplanRequested);
        change(desk, id, event, ("replan", "the plan is not what was approved"), Vec::new())?;
    }
    Ok(groundless.into())
}

/// Changes the incident, and writes these files of its loop, all or nothing.
pub(super) fn change(
    desk: Desk<'_>,
    id: &IncidentId,
    event: Option<IncidentEvent>,
    (action, note): (&'static str, &str),
    files: Vec<PartFile>,
) -> Result<(), IncidentError> {
    let now = desk.host.clock.now();
    let changed = desk.incidents.change(id, now, |stored| {
        let mut incident = stored.incident.clone();
        let mut forged = None;
        match event {
            None => {}
            Some(IncidentEvent::RunBegan) => {
                incident.status = transition::next(incident.status, IncidentEvent::RunBegan)?;
            }
            // Whoever keeps to the rules changes nothing while the loop holds it. So what stands there otherwise was written by
            // hand, as an agent may that says of itself that it is done: it is written over.
            Some(event) => {
                forged = (incident.status != IncidentStatus::Running || stored.shelf != Shelf::Inbox).then(|| {
                    format!(" (it stood as {} in {}, by hand: not believed)", incident.status.as_str(), stored.path())
                });
                incident.status = transition::next(IncidentStatus::Running, event)?;
            }
        }
        if event == Some(IncidentEvent::RunBegan) {
            incident.execution_requested_at = incident.execution_requested_at.or(Some(now));
        }
        // A closed one stays byte for byte what a commit may hold.
        if event.is_some() || !incident.status.is_closed() {
            incident.updated_at = now;
        }
        let shelf = forged.is_some().then_some(Shelf::Inbox);
        let note = desk.redactor.text_strictly(note) + forged.as_deref().unwrap_or_default();
        Ok::<_, IncidentError>(Change { files, note, shelf, ..Change::of(incident, action, desk.by) })
    })?;
    changed.map(drop).ok_or_else(|| IncidentError::Unknown(id.clone()))
}

/// A file of the loop.
pub(super) fn part_file(name: String, bytes: Result<Vec<u8>, serde_json::Error>) -> Result<PartFile, IncidentError> {
    let bytes = bytes.map_err(|error| IncidentError::Internal(error.to_string()))?;
    Ok(PartFile { part: Part::Run, name, bytes })
}

impl Drive<'_, '_> {
    /// The incident is worked at from here on.
    pub(super) fn begin(&mut self) -> Result<(), IncidentError> {
        let file = self.state_file()?;
        change(self.desk, self.id, Some(IncidentEvent::RunBegan), ("go_exec", "the loop begins or goes on"), vec![file])
    }

    /// Keeps how far the loop is.
    pub(super) fn save(&mut self, action: &'static str, note: &str) -> Result<(), IncidentError> {
        let file = self.state_file()?;
        change(self.desk, self.id, Some(IncidentEvent::TurnTaken), (action, note), vec![file])
    }

    pub(super) fn state_file(&mut self) -> Result<PartFile, IncidentError> {
        self.file.updated_at = self.now();
        self.file.spent_ms = self.runner.spent_ms();
        part_file(LOOP_STATE.to_owned(), self.file.render())
    }

    pub(super) fn result_file(result: &RunResultDocument) -> Result<PartFile, IncidentError> {
        part_file(RUN_RESULT.to_owned(), result.render())
    }

    /// The result as far as it is known.
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
        format!("{}/{}", Part::Run.folder().unwrap_or_default(), self.id)
    }
}

/// Milliseconds in another unit, to the hundredth.
pub(super) fn hundredths(milliseconds: u64, unit: u64) -> f64 {
    let hundredths = u32::try_from(milliseconds.saturating_mul(100) / unit).unwrap_or(u32::MAX);
    f64::from(hundredths) / 100.0
}
