//! The state of a run in progress: events, stop requests and deadlines.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use referee_model::event::EventKind;
use referee_model::limit;
use referee_model::plan::{Action, CaptureName, Phase, Plan};
use referee_model::record::{Ending, Record, RunEnding, ServiceRecord, SkipReason, Span};
use referee_model::signal;
use referee_model::time::Timestamp;
use rustix::event::{PollFd, PollFlags, Timespec};

use super::Schedule;
use super::attempt_runner::{AttemptRunner, Performed};
use super::lost::{Audience, Discarded};
use crate::attempt::{Bounds, Demand, ExecError, TICK, Turn, Watcher};
use crate::container::Farewell;
use crate::host::Clock;
use crate::notice;
use crate::observer::{Answer, Observer, ObserverError};
use crate::service::Live;
use crate::signal::Cancellation;
use crate::silence::Silences;
use crate::spawn::retry;

/// Interval between calls of [`Observer::idle`].
const IDLE: Duration = Duration::from_millis(100);

/// The pause before the second attempt; each further pause is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(250);

/// The longest pause between two attempts.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

pub(super) struct Dispatcher<'run> {
    plan: &'run Plan,
    /// Reports about commands that print nothing.
    silences: &'run Silences,
    clock: Clock,
    audience: Audience<'run>,
    cancellation: &'run Cancellation,
    begun: Instant,
    /// Deadline for all prerequisites and steps together, in milliseconds. None: there is no deadline.
    timeout_ms: Option<u64>,
    /// Number of stop requests that were reported to the observer; a third one changes nothing.
    requests_told: usize,
    idled: Instant,
    /// Index in the plan from which on prerequisites and steps are skipped, with the reason.
    stopped: Option<(usize, SkipReason)>,
    cleanup: Option<Instant>,
    /// Number of cleanup actions that were run or skipped.
    cleaned: usize,
    captured: Arc<BTreeMap<CaptureName, String>>,
    /// Services that became ready, in that order.
    services: Vec<Live>,
}

/// The beginning of an attempt, as wall-clock and as monotonic time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Beginning {
    pub(super) at: Timestamp,
    pub(super) when: Instant,
}

impl<'run> Dispatcher<'run> {
    pub(super) fn new(
        (plan, silences): (&'run Plan, &'run Silences),
        schedule: &Schedule,
        clock: Clock,
        observer: &'run mut dyn Observer,
        cancellation: &'run Cancellation,
    ) -> Self {
        Self {
            plan,
            silences,
            clock,
            audience: Audience::new(observer),
            cancellation,
            begun: Instant::now(),
            timeout_ms: plan.timeout_ms.into_iter().chain(schedule.time_left_ms).min(),
            requests_told: 0,
            idled: Instant::now(),
            stopped: None,
            cleanup: None,
            cleaned: 0,
            captured: Arc::default(),
            services: Vec::new(),
        }
    }

    /// Records that a phase begins.
    pub(super) fn enter(&mut self, phase: Phase) {
        if phase == Phase::Cleanup && self.cleanup.is_none() {
            self.cleanup = Some(Instant::now());
        }
    }

    /// Runs an action, including its retries, or skips it.
    pub(super) fn take(&mut self, place: usize, action: &Action, crew: &AttemptRunner<'_>) -> Result<(), ExecError> {
        if let Some(reason) = self.forbids(place, action)? {
            self.cleaned += usize::from(action.phase == Phase::Cleanup);
            return Ok(self.skip(action, reason)?);
        }
        let mut attempt = 1;
        loop {
            let beginning = self.start(action, attempt)?;
            let performed = self.perform(action, attempt, beginning, crew)?;
            self.cleaned += usize::from(action.phase == Phase::Cleanup && attempt == 1);
            self.finish(action, attempt, beginning, performed)?;
            if !self.is_tried_again(action, attempt) || !self.rest_before(action, attempt)? {
                return Ok(());
            }
            attempt += 1;
        }
    }

    /// Runs an attempt on this thread.
    fn perform(
        &mut self,
        action: &Action,
        attempt: u32,
        beginning: Beginning,
        crew: &AttemptRunner<'_>,
    ) -> Result<Performed, ExecError> {
        let captured = Arc::clone(&self.captured);
        let bounds = self.bounds(action, beginning.when);
        let turn = Turn { action, attempt, began: beginning.when, bounds, captured: &captured };
        let wake = self.cancellation.wake();
        let mut tick = || self.look(action.phase);
        let performed = crew.perform(&turn, &mut Watcher { wake, tick: &mut tick })?;
        self.check_services()?;
        Ok(performed)
    }

    /// Reports that an attempt begins.
    pub(super) fn start(&mut self, action: &Action, attempt: u32) -> Result<Beginning, ObserverError> {
        let beginning = Beginning { at: self.clock.now(), when: Instant::now() };
        let started = EventKind::ActionStarted {
            action: action.id.clone(),
            phase: action.phase,
            name: action.name.clone(),
            attempt,
        };
        self.audience.happened(beginning.at, started)?;
        Ok(beginning)
    }

    /// Reports that an attempt has finished, and takes over its captured values and its service.
    pub(super) fn finish(
        &mut self,
        action: &Action,
        attempt: u32,
        beginning: Beginning,
        performed: Performed,
    ) -> Result<(), ObserverError> {
        let Performed { facts, mut notices, captured, live } = performed;
        // The service belongs to the run from here on, even if the record cannot be stored.
        self.services.extend(live);
        if !captured.is_empty() {
            Arc::make_mut(&mut self.captured).extend(captured);
        }
        // A cleanup action may deliberately stop a service.
        let watched = if action.phase == Phase::Cleanup { &mut [][..] } else { &mut self.services[..] };
        for service in watched {
            let (id, name) = (service.action.id.clone(), service.action.name.clone());
            notices.extend(service.unannounced_ending().map(|ending| notice::service_ended(&id, &name, &how(ending))));
        }
        let record = Record {
            action: action.id.clone(),
            attempt,
            span: Span {
                started: beginning.at,
                ended: self.clock.now(),
                duration_ms: u64::try_from(beginning.when.elapsed().as_millis()).unwrap_or(u64::MAX),
            },
            facts,
            notices,
        };
        self.audience.happened(record.span.ended, EventKind::ActionFinished(Box::new(record)))
    }

    /// Reports that an action is skipped, or that its result does not count.
    pub(super) fn skip(&mut self, action: &Action, reason: SkipReason) -> Result<(), ObserverError> {
        let skipped = EventKind::ActionSkipped { action: action.id.clone(), reason };
        self.audience.happened(self.clock.now(), skipped)
    }

    /// Returns whether a finished attempt is followed by another one, unless the run is stopped.
    pub(super) fn is_tried_again(&mut self, action: &Action, attempt: u32) -> bool {
        attempt <= action.retries && self.audience.again(action, attempt)
    }

    /// Returns when the next attempt may begin. None: not before the task's deadline.
    pub(super) fn next_attempt(&self, action: &Action, attempt: u32) -> Option<Instant> {
        let doubled = FIRST_PAUSE.saturating_mul(1 << (attempt - 1).min(8));
        let pause = doubled.min(LONGEST_PAUSE);
        let in_time = action.phase == Phase::Cleanup || self.rest().is_none_or(|rest| pause < rest);
        in_time.then(|| Instant::now() + pause)
    }

    /// Waits before the next attempt; returns whether it is still to begin.
    fn rest_before(&mut self, action: &Action, attempt: u32) -> Result<bool, ExecError> {
        let Some(until) = self.next_attempt(action, attempt) else { return Ok(false) };
        loop {
            if self.look(action.phase)? != Demand::GoOn {
                self.check_services()?;
                return Ok(false);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(true);
            }
            let wake = self.cancellation.wake();
            wait_for(&mut [PollFd::from_borrowed_fd(wake, PollFlags::IN)], left.min(TICK))?;
        }
    }

    /// Runs the remaining cleanup actions after a failure; an action that the failure interrupted is run again.
    /// If evidence could not be stored, nothing more is reported or stored.
    pub(super) fn clean_up_after(&mut self, failure: &ExecError, crew: &AttemptRunner<'_>) {
        if !matches!(failure, ExecError::System { .. }) {
            self.audience.lose();
        }
        self.enter(Phase::Cleanup);
        let plan = self.plan;
        let unseen = AttemptRunner { sink: &Discarded, ..*crew };
        let cleanup: Vec<(usize, &Action)> =
            plan.actions.iter().enumerate().filter(|(_, action)| action.phase == Phase::Cleanup).collect();
        while let Some((place, action)) = cleanup.get(self.cleaned).copied() {
            let (before, was_lost) = (self.cleaned, self.audience.is_lost());
            // The first failure is the one that is reported.
            let taken = self.take(place, action, if was_lost { &unseen } else { crew });
            if let Err(ExecError::Sink(_) | ExecError::Observer(_)) = taken
                && !was_lost
            {
                self.audience.lose();
            } else if self.cleaned == before {
                self.cleaned += 1;
            }
        }
    }

    /// Returns the reason to skip an action. None: it runs.
    pub(super) fn forbids(&mut self, place: usize, action: &Action) -> Result<Option<SkipReason>, ExecError> {
        let demand = self.look(action.phase)?;
        self.check_services()?;
        if demand != Demand::GoOn {
            return Ok(Some(SkipReason::Interrupted));
        }
        let is_cleanup = action.phase == Phase::Cleanup;
        if !is_cleanup {
            if let Some((from, reason)) = &self.stopped
                && place >= *from
            {
                return Ok(Some(reason.clone()));
            }
            if self.is_out_of_time() {
                return Ok(Some(SkipReason::DeadlinePassed));
            }
        }
        Ok(match self.audience.due(action) {
            Answer::GoOn => None,
            Answer::Skip(reason) => Some(reason),
            Answer::Stop(reason) => {
                if !is_cleanup && self.stopped.as_ref().is_none_or(|(from, _)| place < *from) {
                    self.stopped = Some((place, reason.clone()));
                }
                Some(reason)
            }
        })
    }

    /// Checks for stop requests, reports them, and calls the observer's idle function when it is due.
    pub(super) fn look(&mut self, phase: Phase) -> Result<Demand, ObserverError> {
        let level = self.cancellation.level();
        while self.requests_told < level.min(2) {
            let signal = self.cancellation.requests()[self.requests_told];
            self.requests_told += 1;
            self.audience.happened(self.clock.now(), EventKind::Interrupting { signal })?;
        }
        if self.idled.elapsed() >= IDLE {
            self.idled = Instant::now();
            for silence in self.silences.take() {
                self.audience.silent(&silence);
            }
            self.audience.idle();
        }
        // A failed run needs no evidence of its services, but is cleaned up all the same.
        if !self.audience.is_lost() && self.services.iter_mut().any(Live::has_failed) {
            return Ok(Demand::Kill);
        }
        Ok(match (level, phase) {
            (0, _) | (1, Phase::Cleanup) => Demand::GoOn,
            (1, Phase::Prerequisite | Phase::Step) => Demand::Stop,
            _ => Demand::Kill,
        })
    }

    /// Fails if the output of a service could not be stored, or if the service could not be watched.
    pub(super) fn check_services(&mut self) -> Result<(), ExecError> {
        if self.audience.is_lost() {
            return Ok(());
        }
        let Some(at) = self.services.iter_mut().position(Live::has_failed) else { return Ok(()) };
        self.services.remove(at).into_outcome().map_or(Ok(()), |outcome| outcome.map(drop))
    }

    /// Stops the services that still run, the last one first, then all containers, and reports the outcome of each, in plan order.
    pub(super) fn stop_services(&mut self, crew: &AttemptRunner<'_>) -> Result<(), ExecError> {
        self.enter(Phase::Cleanup);
        let mut services = std::mem::take(&mut self.services);
        let mut failure = None;
        for service in services.iter_mut().rev() {
            service.raise(Demand::Stop);
            while !service.wait(TICK) {
                let demand = self.look(Phase::Cleanup).unwrap_or_else(|error| {
                    failure = failure.take().or(Some(ExecError::Observer(error)));
                    Demand::Kill
                });
                service.raise(demand);
            }
        }
        let mut records: Vec<ServiceRecord> = Vec::new();
        for service in services {
            match service.into_record(self.cleanup) {
                Some(Ok(record)) => records.push(record),
                Some(Err(error)) => failure = failure.or(Some(error)),
                None => {}
            }
        }
        let sink = if self.audience.is_lost() { &Discarded } else { crew.sink };
        let farewell = Farewell { sink, cleanup: self.cleanup, at_once: self.cancellation.level() > 1 };
        let (of_containers, ended) = crew.commands.containers.end(&crew.commands.launcher, &farewell);
        records.extend(of_containers);
        if let Some(failure) = failure {
            return Err(failure);
        }
        ended?;
        let plan = self.plan;
        let place = |record: &ServiceRecord| plan.actions.iter().position(|action| action.id == record.action);
        records.sort_by_key(|record| (place(record), record.attempt));
        for record in records {
            self.audience.happened(self.clock.now(), EventKind::ServiceStopped(Box::new(record)))?;
        }
        Ok(())
    }

    /// Returns how the run ended, if it did not fail.
    pub(super) fn ending(&self) -> RunEnding {
        let first = self.cancellation.requests().first().copied();
        first.filter(|_| self.requests_told > 0).map_or(RunEnding::Finished, |signal| RunEnding::Interrupted { signal })
    }

    /// Returns the observer's side of the run, which parallel steps ask after each action whether the run stops
    /// there.
    pub(super) fn audience(&mut self) -> &mut Audience<'run> {
        &mut self.audience
    }

    pub(super) fn captured(&self) -> Arc<BTreeMap<CaptureName, String>> {
        Arc::clone(&self.captured)
    }

    pub(super) fn cancellation(&self) -> &'run Cancellation {
        self.cancellation
    }

    /// Takes over the service of an attempt that is not reported.
    pub(super) fn adopt(&mut self, live: Option<Live>) {
        self.services.extend(live);
    }

    /// Returns whether the deadline of the run has passed.
    pub(super) fn is_out_of_time(&self) -> bool {
        self.rest().is_some_and(|rest| rest.is_zero())
    }

    /// Returns the time left until the deadline of the run. None: there is no deadline.
    fn rest(&self) -> Option<Duration> {
        let deadline = Duration::from_millis(self.timeout_ms?);
        Some(deadline.saturating_sub(self.begun.elapsed()))
    }

    pub(super) fn bounds(&self, action: &Action, began: Instant) -> Bounds {
        // Bounded, so that no duration in a plan overflows the clock.
        let bounded = |milliseconds: u64| Duration::from_millis(milliseconds.min(limit::ACTION_DEADLINE_MS_MAX));
        let own = bounded(action.timeout_ms);
        let rest = self.rest().filter(|rest| action.phase != Phase::Cleanup && *rest < own);
        let of_task = rest.is_some();
        Bounds {
            deadline: began + rest.unwrap_or(own),
            timeout_ms: self.timeout_ms.filter(|_| of_task).unwrap_or(action.timeout_ms),
            of_task,
            grace: bounded(action.grace_ms),
        }
    }
}

/// Waits until one of these descriptors is ready, for at most `longest`, which is less than a second.
pub(super) fn wait_for(waiting: &mut [PollFd<'_>], longest: Duration) -> Result<(), ExecError> {
    let timeout = Timespec { tv_sec: 0, tv_nsec: i64::from(longest.subsec_nanos()) };
    retry(|| rustix::event::poll(waiting, Some(&timeout)))
        .map(drop)
        .map_err(|error| ExecError::System { what: "wait for what happens next", source: error.into() })
}

/// Describes how a service ended.
fn how(ending: &Ending) -> String {
    match ending {
        Ending::Exited { code } => format!("exited with {code}"),
        Ending::Signaled { signal } => format!("was ended by {}", signal::shown(*signal)),
        Ending::OutputLimitExceeded { limit_bytes } => {
            format!("was stopped for printing more than {limit_bytes} bytes")
        }
        Ending::ProcessLimitExceeded { limit } => format!("was stopped for running more than {limit} processes"),
        Ending::MemoryLimitExceeded { limit_bytes } => {
            format!("was stopped for taking more than {limit_bytes} bytes of memory")
        }
        Ending::Interrupted { .. } | Ending::DeadlineExceeded { .. } | Ending::CouldNotStart { .. } => {
            "was stopped".to_owned()
        }
    }
}
