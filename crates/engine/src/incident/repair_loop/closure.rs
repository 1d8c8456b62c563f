//! Steps after a loop is decided: the incident is closed or returned to a person, archived, committed.

use referee_ledger::approvals;
use referee_ledger::incidents::{IncidentDir, PartFile};
use referee_model::incident::attempt::{FinalStatus, LoopPhase, ReplanDocument, ReplannedDocument, RunResultDocument};
use referee_model::incident::status::{Closing, IncidentEvent};

use super::Drive;
use super::decision::no_progress;
use super::loop_record::change;
use crate::incident::IncidentError;
use crate::incident::archive::{ArchiveRequest, archive_held};
use crate::incident::plan::{PlanRequest, plan};

impl Drive<'_, '_> {
    /// Resolves the incident after the checks passed. The turn counts as undecided until all following steps are
    /// done: a resumed loop runs the checks again.
    pub(super) fn resolve(
        &mut self,
        result: RunResultDocument,
        attempt: PartFile,
        note: &str,
    ) -> Result<RunResultDocument, IncidentError> {
        let files = vec![attempt, Self::result_file(&result)?];
        self.context.change_redness(self.id, |redness| redness.set_resolved(true))?;
        change(self.context, self.id, Some(IncidentEvent::Resolved), ("turn", note), files)?;
        self.after_resolved(result)
    }

    /// Archives the resolved incident and commits the changes, as far as requested.
    pub(super) fn after_resolved(&mut self, mut result: RunResultDocument) -> Result<RunResultDocument, IncidentError> {
        if self.request.options.archive_on_success && self.context.find(self.id)?.shelf == IncidentDir::Inbox {
            let reason = "the plan's checks passed";
            archive_held(self.context, self.id, ArchiveRequest { result: Closing::Resolved, reason, note: None })?;
        }
        let stored = self.context.find(self.id)?;
        if stored.shelf != IncidentDir::Inbox {
            result.archived_to = Some(stored.path());
        }
        if let Some(publishing) = &self.publishing {
            result.commit = publishing.publish(self, &stored);
        }
        self.over(result, None, "the loop is over")
    }

    pub(super) fn escalate(
        &mut self,
        mut result: RunResultDocument,
        mut files: Vec<PartFile>,
    ) -> Result<RunResultDocument, IncidentError> {
        let note = format!("left to a person: {}", result.reason);
        files.push(Self::result_file(&result)?);
        self.file.phase = LoopPhase::Over;
        files.push(self.state_file()?);
        change(self.context, self.id, Some(IncidentEvent::Escalated), ("turn", &note), files)?;
        if self.request.options.archive_on_escalate {
            let place = archive_held(
                self.context,
                self.id,
                ArchiveRequest { result: Closing::Escalated, reason: &result.reason, note: None },
            )?;
            result.archived_to = Some(place);
            return self.over(result, None, "the loop is over");
        }
        Ok(result)
    }

    /// Makes a new plan, which a person has to approve.
    pub(super) fn replan(&mut self) -> Result<RunResultDocument, IncidentError> {
        let reason = no_progress(self.file.no_progress_streak);
        let request = PlanRequest { force: true, is_replan: true, ..self.request.plan.clone() };
        let failed = plan(self.context, self.id, &request).err();
        let could_not = failed.is_some();
        let made = ReplannedDocument {
            status: if failed.is_none() { "ok" } else { "error" }.to_owned(),
            plan_json: format!("error_plans/{}/plan.json", self.id),
            force: true,
            returncode: i32::from(failed.is_some()),
            error: failed.map(|error| self.context.clean(&error.to_string())),
        };
        let iteration = self.file.iteration;
        let replan = ReplanDocument { requested: true, reason: reason.clone(), iteration, plan_json: Some(made) };
        let result = RunResultDocument { reason, replan, ..self.result(FinalStatus::ReplanRequested) };
        // If no plan could be made, the incident is returned to a person all the same.
        self.over(result, could_not.then_some(IncidentEvent::ReplanRequested), "another plan is needed")
    }

    /// Ends the loop because the plan is no longer the approved one: it is not carried out, and no new one is made.
    pub(super) fn void(&mut self) -> Result<RunResultDocument, IncidentError> {
        let reason = "the plan was changed while the loop went on, so its approval is void: look at it, and approve or plan again";
        // The approval stays void even if the plan is restored.
        approvals::void(self.context.state, self.context.incidents.root(), self.id, self.now())?;
        let iteration = self.file.iteration;
        let replan = ReplanDocument { requested: true, reason: reason.to_owned(), iteration, plan_json: None };
        let result =
            RunResultDocument { reason: reason.to_owned(), replan, ..self.result(FinalStatus::ReplanRequested) };
        self.over(result, Some(IncidentEvent::ReplanRequested), reason)
    }

    fn over(
        &mut self,
        result: RunResultDocument,
        event: Option<IncidentEvent>,
        note: &str,
    ) -> Result<RunResultDocument, IncidentError> {
        self.file.phase = LoopPhase::Over;
        let action = if event.is_some() { "replan" } else { "turn" };
        let files = vec![self.state_file()?, Self::result_file(&result)?];
        change(self.context, self.id, event, (action, note), files)?;
        Ok(result)
    }
}
