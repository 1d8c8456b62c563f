//! The main job: a plan is run, recorded, judged, sealed and answered.

use std::cell::RefCell;
use std::collections::BTreeMap;

use referee_exec::{Answer as Go, ExecError, ObserverError, SinkError};
use referee_ledger::capture::Capture;
use referee_ledger::redact::Redactor;
use referee_ledger::staging::Staging;
use referee_ledger::{LedgerError, Published, Store};
use referee_model::event::Happening;
use referee_model::id::ActionId;
use referee_model::plan::{Action, Phase, Plan};
use referee_model::record::{Log, Record, RunEnding, RunRecord, SkipReason, Stream};
use referee_model::report::Ran;
use referee_model::time::Timestamp;
use referee_wire::evidence_name;

use crate::judging;
use crate::redaction;
use crate::request::{Answer, Failure, Listener, RunRequest};

/// Runs a plan and answers with its sealed report.
///
/// # Errors
/// Fails where evidence cannot be kept: then there is no verdict, and the run stays visibly unfinished. A check that
/// fails, a run that is interrupted and an engine that breaks midway are answers, not errors.
pub fn run(request: &RunRequest<'_>, listener: &mut dyn Listener) -> Result<Answer, Failure> {
    let store = Store::open(&request.plan.evidence_root)?;
    let redactor = Redactor::new(redaction::secrets(&request.world.environment, request.plan), Vec::new());
    let notices = end_earlier_runs(&store, request.plan, &redactor)?;
    let mut staging = store.begin(&request.plan.task, &request.execution, redactor)?;

    let judged_plan = redaction::plan(request.plan, &|text| staging.redact_text(text));
    let started = request.world.clock.now();
    let began = staging.append(
        started,
        Happening::RunStarted {
            execution: request.execution.clone(),
            task: judged_plan.task.clone(),
            title: judged_plan.title.clone(),
            actions: judged_plan.actions.len(),
        },
    )?;
    listener.told(&began);
    let plan_document = referee_wire::plan::document(&judged_plan);
    staging.put(evidence_name::PLAN, &referee_wire::to_bytes(&plan_document).map_err(Failure::document)?)?;

    let staging = RefCell::new(staging);
    let mut course = Course::new(&judged_plan, &staging, listener);
    let mut sink = StagingSink { plan: &judged_plan, staging: &staging };
    let course_ended = referee_exec::run(
        request.plan,
        &request.execution,
        &request.world,
        &mut sink,
        &mut course,
        request.cancellation,
    );
    let ending = match (course_ended, course.failure.take()) {
        (_, Some(failure)) => return Err(failure),
        (Err(ExecError::Sink(error)), None) => return Err(Failure::Output(error.to_string())),
        (Err(error), None) => RunEnding::Failed { message: error.to_string() },
        (Ok(ending), None) => ending,
    };
    let ended = request.world.clock.now();
    course.skip_unreached(ended)?;
    let Course { ran, skipped, .. } = course;
    let run = RunRecord {
        execution: request.execution.clone(),
        started,
        ended,
        ending,
        host: request.host.clone(),
        skipped,
        notices,
    };
    seal(judged_plan, run, ran, staging.into_inner(), listener)
}

/// Deals with earlier runs of the task that were never sealed: ends what they left running, and keeps what they wrote.
fn end_earlier_runs(store: &Store, plan: &Plan, redactor: &Redactor) -> Result<Vec<String>, Failure> {
    let mut notices = Vec::new();
    for unfinished in store.unfinished(&plan.task)? {
        if unfinished.live {
            notices.push(format!("{} of this task was still running when this run began", unfinished.execution));
        } else {
            for process in referee_exec::sweep_orphans(&unfinished.execution) {
                notices.push(format!(
                    "{} had left a process running, which was ended: {} (pid {})",
                    unfinished.execution,
                    redactor.text(&process.command),
                    process.pid
                ));
            }
        }
    }
    for dead in store.recover(&plan.task)? {
        notices.push(format!("{} was started and never sealed; what it wrote was kept in the history", dead.execution));
    }
    Ok(notices)
}

fn seal(
    plan: Plan,
    run: RunRecord,
    ran: BTreeMap<ActionId, Ran>,
    mut staging: Staging,
    listener: &mut dyn Listener,
) -> Result<Answer, Failure> {
    let ended = run.ended;
    let run_document = referee_wire::run::document(&run);
    staging.put(evidence_name::RUN, &referee_wire::to_bytes(&run_document).map_err(Failure::document)?)?;
    let plan_digest = referee_wire::plan::digest(&plan).map_err(Failure::document)?;

    let report = judging::report(plan, run, ran)?;
    let document = referee_wire::execution_report::render(&report).map_err(Failure::document)?;
    staging.put(evidence_name::EXECUTION_REPORT, &document)?;
    let finished = staging.append(ended, Happening::RunFinished { decision: report.verdict.decision })?;
    let published = staging.publish(plan_digest, ended)?;
    listener.told(&finished);
    let Published { folder, superseded_by, gap, .. } = published;
    Ok(Answer { report, document, folder, superseded_by, gap })
}

/// The course of a run as it goes: records are stored, told and judged, and the judgements decide what may still run.
struct Course<'run> {
    plan: &'run Plan,
    staging: &'run RefCell<Staging>,
    listener: &'run mut dyn Listener,
    ran: BTreeMap<ActionId, Ran>,
    skipped: BTreeMap<ActionId, SkipReason>,
    /// Why no later prerequisite or step may run: the first action that blocks and is not to be continued after.
    stop: Option<SkipReason>,
    failure: Option<Failure>,
}

impl<'run> Course<'run> {
    fn new(plan: &'run Plan, staging: &'run RefCell<Staging>, listener: &'run mut dyn Listener) -> Self {
        Self { plan, staging, listener, ran: BTreeMap::new(), skipped: BTreeMap::new(), stop: None, failure: None }
    }

    fn blocks(&self, id: &ActionId) -> bool {
        self.ran.get(id).is_none_or(|ran| ran.judgement.blocking)
    }

    fn tell(&mut self, at: Timestamp, happening: Happening) -> Result<(), Failure> {
        let event = self.staging.borrow_mut().append(at, happening)?;
        self.listener.told(&event);
        Ok(())
    }

    /// Where the engine broke midway some actions were neither run nor skipped; they are listed all the same.
    fn skip_unreached(&mut self, at: Timestamp) -> Result<(), Failure> {
        let is_unreached = |id: &ActionId| !self.ran.contains_key(id) && !self.skipped.contains_key(id);
        let unreached: Vec<ActionId> =
            self.plan.actions.iter().map(|action| &action.id).filter(|id| is_unreached(id)).cloned().collect();
        for action in unreached {
            self.take(at, Happening::ActionSkipped { action, reason: SkipReason::EngineFailed })?;
        }
        Ok(())
    }

    fn take(&mut self, at: Timestamp, happening: Happening) -> Result<(), Failure> {
        match happening {
            Happening::ActionFinished(record) => self.finished(at, *record),
            Happening::ActionSkipped { ref action, ref reason } => {
                self.skipped.insert(action.clone(), reason.clone());
                self.tell(at, happening)
            }
            Happening::ActionStarted { action, phase, name, attempt } => {
                let name = self.staging.borrow().redact_text(&name);
                self.tell(at, Happening::ActionStarted { action, phase, name, attempt })
            }
            other => self.tell(at, other),
        }
    }

    /// Stores a record, tells of it, judges it from what is stored, and tells of the judgement.
    fn finished(&mut self, at: Timestamp, mut record: Record) -> Result<(), Failure> {
        let action = self
            .plan
            .action(&record.action)
            .ok_or_else(|| Failure::Internal(format!("{} is not in the plan", record.action)))?;
        redaction::record(&mut record, &|text| self.staging.borrow().redact_text(text));
        let document = referee_wire::record::document(action, &record);
        let bytes = referee_wire::to_bytes(&document).map_err(Failure::document)?;
        self.staging.borrow_mut().put(&evidence_name::record(action, record.attempt), &bytes)?;
        self.tell(at, Happening::ActionFinished(Box::new(record.clone())))?;

        let ran = judging::judge_action(self.plan, action, record, |log| self.staging.borrow().log(log))?;
        self.store_reading(action, &ran)?;
        self.tell(at, Happening::ActionJudged(Box::new(ran.judgement.clone())))?;
        if ran.judgement.blocking && self.stop.is_none() {
            self.stop = stops(action);
        }
        self.ran.insert(action.id.clone(), ran);
        Ok(())
    }

    fn store_reading(&self, action: &Action, ran: &Ran) -> Result<(), Failure> {
        for (name, bytes) in judging::readings(action, ran)? {
            self.staging.borrow_mut().put(&name, &bytes)?;
        }
        Ok(())
    }
}

/// Why nothing but cleanup may run after this action, if it blocks (rulings 6 and 8).
fn stops(action: &Action) -> Option<SkipReason> {
    match action.phase {
        Phase::Prerequisite => Some(SkipReason::PrerequisiteFailed(action.id.clone())),
        Phase::Step if !action.continue_on_failure => Some(SkipReason::EarlierFailure(action.id.clone())),
        Phase::Step | Phase::Cleanup => None,
    }
}

impl referee_exec::Observer for Course<'_> {
    fn due(&mut self, action: &Action) -> Go {
        if let Some(need) = action.needs.iter().find(|need| self.blocks(need)) {
            return Go::Skip(SkipReason::NeedNotMet(need.clone()));
        }
        match &self.stop {
            Some(reason) if action.phase != Phase::Cleanup => Go::Stop(reason.clone()),
            _ => Go::GoOn,
        }
    }

    fn happened(&mut self, at: Timestamp, happening: Happening) -> Result<(), ObserverError> {
        self.take(at, happening).map_err(|failure| {
            let error = ObserverError::new(failure.to_string());
            self.failure = Some(failure);
            error
        })
    }

    fn idle(&mut self) {
        self.listener.idle();
    }
}

/// The ledger's captures as `exec` needs them: the two rooms never meet but here.
struct StagingSink<'run> {
    plan: &'run Plan,
    staging: &'run RefCell<Staging>,
}

impl referee_exec::Sink for StagingSink<'_> {
    fn begin(&mut self, action: &Action, attempt: u32) -> Result<Box<dyn referee_exec::Capture>, SinkError> {
        // Files are named after the plan as it is stored: a name may hold a secret.
        let action = self.plan.action(&action.id).unwrap_or(action);
        let capture = self.staging.borrow_mut().capture(&evidence_name::log(action, attempt)).map_err(sink_error)?;
        Ok(Box::new(StagingCapture(capture)))
    }
}

struct StagingCapture(Capture);

impl referee_exec::Capture for StagingCapture {
    fn append(&mut self, stream: Stream, bytes: &[u8]) -> Result<(), SinkError> {
        self.0.append(stream, bytes).map_err(sink_error)
    }

    fn finish(self: Box<Self>) -> Result<Log, SinkError> {
        self.0.finish().map_err(sink_error)
    }
}

fn sink_error(error: LedgerError) -> SinkError {
    SinkError::new(error)
}
