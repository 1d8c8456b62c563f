//! Records a run while it proceeds: events are stored, reported and judged, and the judgements decide what may
//! still run.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use referee_exec::{Answer as Go, ObserverError, SinkError};
use referee_judge::classify;
use referee_judge::waiver::Waivers;
use referee_ledger::LedgerError;
use referee_ledger::capture::Capture;
use referee_ledger::staging::Staging;
use referee_model::event::EventKind;
use referee_model::evidence_name;
use referee_model::id::{ActionId, Digest};
use referee_model::outcome::Outcome;
use referee_model::plan::guard::Setup;
use referee_model::plan::{Action, CaptureName, Evaluator, Phase, Plan};
use referee_model::record::{Facts, Log, Record, ServiceRecord, SkipReason, Span, Stream, StreamMap};
use referee_model::report::{Attempt, Ran};
use referee_model::selection::LeftOut;
use referee_model::time::Timestamp;

use crate::clean_room::ReadyRoom;
use crate::error::EngineError;
use crate::event_sink::EventSink;
use crate::judgement::{self, Tried};
use crate::stored_baseline::StoredBaseline;
use crate::waivers;

/// The staging directory of a run, shared between the recorder and the captures of output.
pub(crate) struct Stage(Mutex<Staging>);

impl Stage {
    pub(crate) fn new(staging: Staging) -> Self {
        Self(Mutex::new(staging))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Staging> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn into_inner(self) -> Staging {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn redact(&self, text: &str) -> String {
        self.lock().redact_text(text)
    }
}

/// What a run is judged from, beside the records.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Beside<'run> {
    /// The baseline that the run is compared with. `None`: there is none.
    pub(crate) held: Option<&'run StoredBaseline>,
    /// The waivers that were found before the run began.
    pub(crate) waivers: Waivers<'run>,
}

pub(crate) struct RunRecorder<'run> {
    plan: &'run Plan,
    /// Index of each action in the plan.
    places: BTreeMap<&'run ActionId, usize>,
    stage: &'run Stage,
    events: &'run mut dyn EventSink,
    left_out: &'run BTreeMap<ActionId, LeftOut>,
    beside: Beside<'run>,
    pub(crate) ran: BTreeMap<ActionId, Ran>,
    pub(crate) skipped: BTreeMap<ActionId, SkipReason>,
    pub(crate) services: Vec<ServiceRecord>,
    /// The clean room that the run takes place in, if it does.
    pub(crate) room: Option<&'run ReadyRoom>,
    /// Why the dependencies of the set-up were not cached, if that failed.
    pub(crate) unkept: Option<String>,
    /// Notices that concern the whole run.
    pub(crate) notices: Vec<String>,
    /// Record of the evaluator's run, if it was asked.
    pub(crate) evaluator: Option<Record>,
    /// Attempts of actions that are to be retried.
    open: BTreeMap<ActionId, Vec<Tried>>,
    /// The first blocking action, in plan order, after which the run stops, with its index.
    stop: Option<(usize, ActionId)>,
    pub(crate) failure: Option<EngineError>,
}

impl<'run> RunRecorder<'run> {
    pub(crate) fn new(
        plan: &'run Plan,
        stage: &'run Stage,
        events: &'run mut dyn EventSink,
        left_out: &'run BTreeMap<ActionId, LeftOut>,
        beside: Beside<'run>,
    ) -> Self {
        let places = plan.actions.iter().enumerate().map(|(place, action)| (&action.id, place)).collect();
        Self {
            plan,
            places,
            stage,
            events,
            left_out,
            beside,
            ran: BTreeMap::new(),
            skipped: BTreeMap::new(),
            services: Vec::new(),
            room: None,
            unkept: None,
            notices: Vec::new(),
            evaluator: None,
            open: BTreeMap::new(),
            stop: None,
            failure: None,
        }
    }

    /// Returns what the run is judged from, beside the records.
    pub(crate) fn beside(&self) -> Beside<'run> {
        self.beside
    }

    pub(crate) fn events(&mut self) -> &mut dyn EventSink {
        self.events
    }

    /// Takes an event: stores, reports and judges it.
    pub(crate) fn take(&mut self, at: Timestamp, happening: EventKind) -> Result<(), EngineError> {
        match happening {
            EventKind::ActionFinished(record) => self.finished(at, &record),
            EventKind::ActionSkipped { ref action, ref reason } => {
                // The results of a superseded action are judged, but never count.
                self.settle(at, action)?;
                self.ran.remove(action);
                self.skipped.insert(action.clone(), reason.clone());
                self.tell(at, happening)
            }
            EventKind::ActionStarted { action, phase, name, attempt } => {
                let name = self.stage.redact(&name);
                self.tell(at, EventKind::ActionStarted { action, phase, name, attempt })
            }
            EventKind::ServiceStopped(service) => {
                let service = self.stage.lock().redact_service(&service)?;
                self.services.push(service.clone());
                self.tell(at, EventKind::ServiceStopped(Box::new(service)))
            }
            EventKind::EvaluatorAnswered(record) => self.answered(at, &record),
            other => self.tell(at, other),
        }
    }

    /// Stores and reports the record of the evaluator's run.
    fn answered(&mut self, at: Timestamp, record: &Record) -> Result<(), EngineError> {
        let plan = self.plan;
        let Some(action) = plan.evaluator.as_ref().map(Evaluator::action) else {
            return Err(EngineError::internal(format!("{} is not in the plan", record.action)));
        };
        let record = self.stage.lock().redact_record(record)?;
        let document = referee_model::record::attempt_record::document(&action, &record);
        let bytes = referee_model::document::to_bytes(&document).map_err(EngineError::internal)?;
        self.stage.lock().put(&evidence_name::record(&action, record.attempt), &bytes)?;
        self.tell(at, EventKind::EvaluatorAnswered(Box::new(record.clone())))?;
        self.evaluator = Some(record);
        Ok(())
    }

    /// Settles the actions whose retries did not happen, and marks as skipped the actions that were never
    /// reached because the engine failed.
    pub(crate) fn end(&mut self, at: Timestamp) -> Result<(), EngineError> {
        let open: Vec<ActionId> = self.open.keys().cloned().collect();
        for action in open {
            self.settle(at, &action)?;
        }
        let is_unreached = |id: &ActionId| !self.ran.contains_key(id) && !self.skipped.contains_key(id);
        let unreached: Vec<ActionId> =
            self.plan.actions.iter().map(|action| &action.id).filter(|id| is_unreached(id)).cloned().collect();
        for action in unreached {
            self.take(at, EventKind::ActionSkipped { action, reason: SkipReason::EngineFailed })?;
        }
        let mut services = std::mem::take(&mut self.services);
        services.sort_by_key(|service| (self.place(&service.action), service.attempt));
        self.services = services;
        Ok(())
    }

    fn tell(&mut self, at: Timestamp, happening: EventKind) -> Result<(), EngineError> {
        let event = self.stage.lock().append(at, happening)?;
        self.events.on_event(&event);
        Ok(())
    }

    /// Stores and reports a record, and judges it from the stored output. An attempt that is to be retried stays open.
    fn finished(&mut self, at: Timestamp, record: &Record) -> Result<(), EngineError> {
        let plan = self.plan;
        let action = self
            .action(&record.action)
            .ok_or_else(|| EngineError::internal(format!("{} is not in the plan", record.action)))?;
        let record = self.stage.lock().redact_record(record)?;
        let document = referee_model::record::attempt_record::document(action, &record);
        let bytes = referee_model::document::to_bytes(&document).map_err(EngineError::internal)?;
        self.stage.lock().put(&evidence_name::record(action, record.attempt), &bytes)?;
        self.tell(at, EventKind::ActionFinished(Box::new(record.clone())))?;

        let tried = judgement::judge_attempt(plan, action, record, self.beside.held, |log| self.stage.lock().log(log))?;
        let again = classify::retry(action, &tried.judgement, tried.record.attempt);
        self.open.entry(action.id.clone()).or_default().push(tried);
        if again { Ok(()) } else { self.settle(at, &action.id) }
    }

    /// Judges an action from all of its attempts, and reports the judgement.
    fn settle(&mut self, at: Timestamp, id: &ActionId) -> Result<(), EngineError> {
        let (Some(action), Some(mut tries)) = (self.action(id), self.open.remove(id)) else { return Ok(()) };
        let Some(last) = tries.pop() else { return Ok(()) };
        let earlier = tries.into_iter().map(|tried| Attempt { record: tried.record, judgement: tried.judgement });
        let ran = judgement::settle(self.plan, action, earlier.collect(), last);
        let ran = waivers::lift(self.plan, action, ran, self.beside.held, self.beside.waivers);
        for (name, bytes) in judgement::readings(action, &ran)? {
            self.stage.lock().put(&name, &bytes)?;
        }
        self.tell(at, EventKind::ActionJudged(Box::new(ran.judgement.clone())))?;
        if ran.judgement.blocking && stops(action) {
            let place = self.place(id);
            if self.stop.as_ref().is_none_or(|(earlier, _)| place < *earlier) {
                self.stop = Some((place, id.clone()));
            }
        }
        if *id == Setup::id() && ran.judgement.outcome == Outcome::Success {
            // Nothing else has run yet that could have changed the dependencies.
            self.unkept = self.room.and_then(ReadyRoom::set_up);
        }
        self.ran.insert(id.clone(), ran);
        Ok(())
    }

    /// Returns the index of an action in the plan. An unknown one comes after all others.
    pub(crate) fn place(&self, id: &ActionId) -> usize {
        self.places.get(id).copied().unwrap_or(usize::MAX)
    }

    pub(crate) fn action(&self, id: &ActionId) -> Option<&'run Action> {
        self.plan.actions.get(self.place(id))
    }

    fn blocks(&self, id: &ActionId) -> bool {
        self.ran.get(id).is_none_or(|ran| ran.judgement.blocking)
    }

    /// Returns why an action does not run after an earlier failure. `None`: it may run.
    fn stopped(&self, action: &Action) -> Option<Go> {
        let (place, failed) = self.stop.as_ref()?;
        if action.phase == Phase::Cleanup {
            return None;
        }
        let failed_in = self.plan.actions[*place].phase;
        match failed_in {
            Phase::Prerequisite => Some(Go::Stop(SkipReason::PrerequisiteFailed(failed.clone()))),
            // With parallel steps, those before the failed one still run: sequentially they would have run already.
            _ if self.place(&action.id) < *place => None,
            _ => Some(Go::Skip(SkipReason::EarlierFailure(failed.clone()))),
        }
    }
}

/// Returns whether only cleanup may run after this action, if it blocks (rulings 6 and 8).
fn stops(action: &Action) -> bool {
    match action.phase {
        Phase::Prerequisite => true,
        Phase::Step => !action.continue_on_failure,
        Phase::Cleanup => false,
    }
}

impl referee_exec::Observer for RunRecorder<'_> {
    fn due(&mut self, action: &Action) -> Go {
        if let Some(reason) = self.left_out.get(&action.id) {
            return Go::Skip(SkipReason::LeftOut(*reason));
        }
        if let Some(stopped) = self.stopped(action) {
            return stopped;
        }
        match action.needs.iter().find(|need| self.blocks(need)) {
            Some(need) => Go::Skip(SkipReason::NeedNotMet(need.clone())),
            None => Go::GoOn,
        }
    }

    fn happened(&mut self, at: Timestamp, happening: EventKind) -> Result<(), ObserverError> {
        self.take(at, happening).map_err(|failure| {
            let error = ObserverError::new(failure.to_string());
            self.failure = Some(failure);
            error
        })
    }

    fn again(&mut self, action: &Action, _: u32) -> bool {
        self.open.contains_key(&action.id)
    }

    fn stopped_at(&mut self) -> Option<ActionId> {
        let (place, failed) = self.stop.as_ref()?;
        (self.plan.actions[*place].phase == Phase::Step).then(|| failed.clone())
    }

    fn silent(&mut self, silence: &referee_exec::Silence) {
        self.events.on_silence(silence);
    }

    fn idle(&mut self) {
        self.events.on_idle();
    }
}

/// Adapts captures of the ledger to `exec`: the two crates are connected only here.
pub(crate) struct StagingSink<'run> {
    pub(crate) plan: &'run Plan,
    pub(crate) stage: &'run Stage,
}

impl referee_exec::Sink for StagingSink<'_> {
    fn begin(&self, action: &Action, attempt: u32) -> Result<Box<dyn referee_exec::Capture>, SinkError> {
        // Files are named after the stored, redacted plan, since a name may contain a secret.
        let action = self.plan.action(&action.id).unwrap_or(action);
        let capture = self.stage.lock().capture(&evidence_name::log(action, attempt)).map_err(sink_error)?;
        Ok(Box::new(StagingCapture(capture)))
    }

    fn begin_container(&self, action: &Action, attempt: u32) -> Result<Box<dyn referee_exec::Capture>, SinkError> {
        let action = self.plan.action(&action.id).unwrap_or(action);
        let capture = self.stage.lock().capture(&evidence_name::container_log(action, attempt)).map_err(sink_error)?;
        Ok(Box::new(StagingCapture(capture)))
    }

    fn picture(&self, action: &Action, attempt: u32, number: usize, bytes: &[u8]) -> Result<Log, SinkError> {
        let action = self.plan.action(&action.id).unwrap_or(action);
        let file = evidence_name::picture(action, attempt, number);
        self.stage.lock().put(&file, bytes).map_err(sink_error)?;
        let mut streams = StreamMap::default();
        streams.push(Stream::Stdout, bytes.len() as u64);
        Ok(Log::of(file, bytes.len() as u64, Digest::of(bytes), streams))
    }

    fn learn(&self, name: &CaptureName, value: &str) -> Result<(), SinkError> {
        self.stage.lock().learn(name.as_str(), value);
        Ok(())
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

/// Returns the record of an action that was not executed because the plan has a problem with it.
pub(crate) fn not_executed(action: &Action, at: Timestamp) -> Record {
    Record {
        action: action.id.clone(),
        attempt: 1,
        span: Span { started: at, ended: at, duration_ms: 0 },
        facts: Facts::NotExecuted,
        notices: Vec::new(),
    }
}
