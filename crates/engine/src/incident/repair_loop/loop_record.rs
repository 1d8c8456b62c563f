//! What of a loop is written down, each time in one change of the store, and read again when it goes on.

use referee_ledger::incidents::{IncidentDir, Part, PartFile};
use referee_model::document;
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

/// Reads how far a loop was. None: it never began, or what is there says nothing that could be gone on from.
pub(super) fn kept(context: IncidentContext<'_>, id: &IncidentId) -> Result<Option<LoopFileDocument>, IncidentError> {
    let bytes = context.incidents.file(id, Part::Run, LOOP_STATE)?;
    let read = bytes.and_then(|bytes| document::from_bytes::<LoopFileDocument>(LOOP_STATE, &bytes).ok());
    Ok(read.filter(|read| read.incident_id == *id))
}

/// Takes up what is kept of this plan's loop, or begins another one. Turns are numbered on, so that none is written over.
pub(super) fn taken_up(
    context: IncidentContext<'_>,
    (id, plan): (&IncidentId, &RemediationPlan),
    kept: Option<LoopFileDocument>,
    now: Timestamp,
) -> Result<LoopFileDocument, IncidentError> {
    let names = context.incidents.files(id, Part::Run)?;
    // Over all lives of the incident: evidence that an attempt of an earlier one cites stays its own.
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
    // How its last turn ended is told to the agent under another plan, too.
    file.agent = earlier.and_then(|earlier| earlier.agent);
    file.counters = LoopState { replans, ..LoopState::default() };
    Ok(file)
}

/// The counters, the time in which the loop lay still left out.
pub(super) fn counters(file: &LoopFileDocument, now: Timestamp) -> LoopState {
    let mut state = file.counters.clone();
    state.began = state.began.map(|began| moved_on(began, file.updated_at, now));
    state
}

/// Changes the incident, and writes these files of its loop, all or nothing.
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
            // A closed one stays byte for byte what a commit may hold.
            None if stored.incident.status.is_closed() => change.incident.updated_at = stored.incident.updated_at,
            None => {}
            Some(IncidentEvent::RunBegan) => {
                take_step(change, IncidentEvent::RunBegan)?;
                let requested = &mut change.incident.execution_requested_at;
                *requested = requested.or(Some(change.incident.updated_at));
            }
            // Whoever keeps to the rules changes nothing while the loop holds it. So what stands there otherwise was written by
            // hand, as an agent may that says of itself that it is done: it is written over.
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
    /// The incident is worked at from here on.
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

    /// Keeps how far the loop is.
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
        format!("{}/{}", Part::Run.directory().unwrap_or_default(), self.id)
    }
}

/// Milliseconds in another unit, to the hundredth.
pub(super) fn hundredths(milliseconds: u64, unit: u64) -> f64 {
    let hundredths = u32::try_from(milliseconds.saturating_mul(100) / unit).unwrap_or(u32::MAX);
    f64::from(hundredths) / 100.0
}
