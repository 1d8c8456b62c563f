//! The order of a run: phase by phase, action by action, each asked about, told of, bounded and cut short where it must be.

use std::time::{Duration, Instant};

use referee_model::event::Happening;
use referee_model::id::ExecutionId;
use referee_model::limit;
use referee_model::plan::{Action, FileCheck, Phase, Plan, Work};
use referee_model::record::{Facts, Log, Notice, Record, RunEnding, SkipReason, Stream};
use referee_model::time::Timestamp;

use crate::attempt::{Bounds, Demand, ExecError, Watcher};
use crate::capture::{Capture, Sink, SinkError};
use crate::command::{Commands, FIRST_ATTEMPT};
use crate::file;
use crate::group;
use crate::host::{Clock, Host};
use crate::observer::{Answer, Observer, ObserverError};
use crate::signal::Cancellation;

/// Time between two calls of [`Observer::idle`].
const IDLE: Duration = Duration::from_millis(100);

/// Runs a plan: prerequisites, steps, cleanup, in the plan's order.
///
/// Tells the observer of each action's start, end or skipping, and of requests to stop. The first request stops the action
/// that runs and skips what is left but cleanup; the second stops everything at once.
///
/// # Errors
/// Fails where output or events cannot be kept, or the system refuses what no run can do without. Whatever ran is dead
/// then, and cleanup has run all the same (ruling 8); unseen where something could not be kept: nothing more is kept or
/// told then. A command that fails, and one that cannot be started, are facts and no errors.
pub fn run(
    plan: &Plan,
    execution: &ExecutionId,
    host: &Host,
    sink: &mut dyn Sink,
    observer: &mut dyn Observer,
    cancellation: &Cancellation,
) -> Result<RunEnding, ExecError> {
    group::adopt_orphans()
        .map_err(|source| ExecError::System { what: "let this process see and adopt orphans", source })?;
    let mut commands = Commands::new(plan, execution, host);
    let mut course = Course {
        plan,
        clock: host.clock,
        observer,
        cancellation,
        begun: Instant::now(),
        requests_told: 0,
        idled: Instant::now(),
        stopped: None,
        cleaned: 0,
    };
    for phase in [Phase::Prerequisite, Phase::Step, Phase::Cleanup] {
        for action in plan.actions.iter().filter(|action| action.phase == phase) {
            if let Err(error) = course.take(action, &mut commands, sink) {
                course.clean_up_after(&error, &mut commands, sink);
                return Err(error);
            }
        }
    }
    let first = cancellation.requests().first().copied();
    Ok(first
        .filter(|_| course.requests_told > 0)
        .map_or(RunEnding::Finished, |signal| RunEnding::Interrupted { signal }))
}

/// Asks the observer of a run that is lost, and tells it nothing.
struct Unheard<'run>(&'run mut dyn Observer);

impl Observer for Unheard<'_> {
    fn due(&mut self, action: &Action) -> Answer {
        self.0.due(action)
    }

    fn happened(&mut self, _: Timestamp, _: Happening) -> Result<(), ObserverError> {
        Ok(())
    }

    fn idle(&mut self) {
        self.0.idle();
    }
}

/// Takes the output of a run that is lost, and keeps none.
struct Discarded;

impl Sink for Discarded {
    fn begin(&mut self, _: &Action, _: u32) -> Result<Box<dyn Capture>, SinkError> {
        Ok(Box::new(Self))
    }
}

impl Capture for Discarded {
    fn append(&mut self, _: Stream, _: &[u8]) -> Result<(), SinkError> {
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Log, SinkError> {
        Err(SinkError::new("the run is lost, and its output with it"))
    }
}

/// A run as it goes.
struct Course<'run> {
    plan: &'run Plan,
    clock: Clock,
    observer: &'run mut dyn Observer,
    cancellation: &'run Cancellation,
    begun: Instant,
    /// Requests to stop that the observer was told of; a third changes nothing.
    requests_told: usize,
    idled: Instant,
    /// Why no further prerequisite or step runs.
    stopped: Option<SkipReason>,
    /// Cleanup actions that have been done or skipped.
    cleaned: usize,
}

impl Course<'_> {
    /// Runs an action, or skips it.
    fn take(&mut self, action: &Action, commands: &mut Commands<'_>, sink: &mut dyn Sink) -> Result<(), ExecError> {
        if let Some(reason) = self.forbids(action)? {
            self.cleaned += usize::from(action.phase == Phase::Cleanup);
            let skipped = Happening::ActionSkipped { action: action.id.clone(), reason };
            return Ok(self.observer.happened(self.clock.now(), skipped)?);
        }
        let (started, began) = (self.clock.now(), Instant::now());
        self.observer.happened(
            started,
            Happening::ActionStarted {
                action: action.id.clone(),
                phase: action.phase,
                name: action.name.clone(),
                attempt: FIRST_ATTEMPT,
            },
        )?;
        let (facts, notices) = self.work(action, began, commands, sink)?;
        self.cleaned += usize::from(action.phase == Phase::Cleanup);
        let record = Record {
            action: action.id.clone(),
            attempt: FIRST_ATTEMPT,
            started,
            ended: self.clock.now(),
            duration_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
            facts,
            notices,
        };
        Ok(self.observer.happened(record.ended, Happening::ActionFinished(Box::new(record)))?)
    }

    /// Does what is left of cleanup after a failure; an action that the failure cut short is done again.
    fn clean_up_after(mut self, failure: &ExecError, commands: &mut Commands<'_>, sink: &mut dyn Sink) {
        if let ExecError::System { .. } = failure {
            let cleanup = self.plan.actions.iter().filter(|action| action.phase == Phase::Cleanup);
            for action in cleanup.skip(self.cleaned) {
                if let Err(ExecError::Sink(_) | ExecError::Observer(_)) = self.take(action, commands, sink) {
                    return self.clean_up_unseen(commands);
                }
            }
        } else {
            self.clean_up_unseen(commands);
        }
    }

    /// Does what is left of cleanup in a run that is lost: nobody is told, and nothing is kept.
    fn clean_up_unseen(self, commands: &mut Commands<'_>) {
        let mut unseen = Course { observer: &mut Unheard(self.observer), ..self };
        let cleanup = self.plan.actions.iter().filter(|action| action.phase == Phase::Cleanup);
        for action in cleanup.skip(self.cleaned) {
            // The failure that came first is the one that is told.
            let _ = unseen.take(action, commands, &mut Discarded);
        }
    }

    /// Why an action does not run; none where it does.
    fn forbids(&mut self, action: &Action) -> Result<Option<SkipReason>, ObserverError> {
        let demand = self.look(action.phase)?;
        if demand != Demand::GoOn {
            return Ok(Some(SkipReason::Interrupted));
        }
        let is_cleanup = action.phase == Phase::Cleanup;
        if !is_cleanup {
            if let Some(reason) = &self.stopped {
                return Ok(Some(reason.clone()));
            }
            if self.rest().is_some_and(|rest| rest.is_zero()) {
                return Ok(Some(SkipReason::DeadlinePassed));
            }
        }
        Ok(match self.observer.due(action) {
            Answer::GoOn => None,
            Answer::Skip(reason) => Some(reason),
            Answer::Stop(reason) => {
                if !is_cleanup {
                    self.stopped = Some(reason.clone());
                }
                Some(reason)
            }
        })
    }

    fn work(
        &mut self,
        action: &Action,
        began: Instant,
        commands: &mut Commands<'_>,
        sink: &mut dyn Sink,
    ) -> Result<(Facts, Vec<Notice>), ExecError> {
        let bounds = self.bounds(action, began);
        match &action.work {
            Work::Command(command) => {
                let wake = self.cancellation.wake();
                let mut tick = || self.look(action.phase);
                let mut watcher = Watcher { wake, tick: &mut tick };
                let (facts, notices) = commands.run(action, command, &bounds, sink, &mut watcher)?;
                Ok((Facts::Command(facts), notices))
            }
            Work::File(check) => Ok((self.look_at_file(action.phase, check, &bounds)?, Vec::new())),
        }
    }

    fn look_at_file(&mut self, phase: Phase, check: &FileCheck, bounds: &Bounds) -> Result<Facts, ObserverError> {
        let workspace = &self.plan.workspace;
        let mut failure = None;
        let facts = file::observe(workspace, check, &mut || match self.look(phase) {
            Ok(Demand::GoOn) if Instant::now() < bounds.deadline => None,
            Ok(Demand::GoOn) => Some(format!("it could not be read within {} ms", bounds.limit_ms)),
            Ok(Demand::Stop | Demand::Kill) => Some("the run was interrupted".to_owned()),
            Err(error) => {
                let message = error.to_string();
                failure = Some(error);
                Some(message)
            }
        });
        failure.map_or(Ok(Facts::File(facts)), Err)
    }

    /// Sees what is asked for, tells of it, and lets the observer do what it does while nothing happens.
    fn look(&mut self, phase: Phase) -> Result<Demand, ObserverError> {
        let level = self.cancellation.level();
        while self.requests_told < level.min(2) {
            let signal = self.cancellation.requests()[self.requests_told];
            self.requests_told += 1;
            self.observer.happened(self.clock.now(), Happening::Interrupting { signal })?;
        }
        if self.idled.elapsed() >= IDLE {
            self.idled = Instant::now();
            self.observer.idle();
        }
        Ok(match (level, phase) {
            (0, _) | (1, Phase::Cleanup) => Demand::GoOn,
            (1, Phase::Prerequisite | Phase::Step) => Demand::Stop,
            _ => Demand::Kill,
        })
    }

    /// What is left of the task's time; none where it has no deadline.
    fn rest(&self) -> Option<Duration> {
        let deadline = Duration::from_millis(self.plan.deadline_ms?);
        Some(deadline.saturating_sub(self.begun.elapsed()))
    }

    fn bounds(&self, action: &Action, began: Instant) -> Bounds {
        // Bounded, so that no time that a plan may hold overflows the clock.
        let bounded = |milliseconds: u64| Duration::from_millis(milliseconds.min(limit::ACTION_DEADLINE_MS_MAX));
        let own = bounded(action.deadline_ms);
        let rest = self.rest().filter(|rest| action.phase != Phase::Cleanup && *rest < own);
        let of_task = rest.is_some();
        Bounds {
            deadline: began + rest.unwrap_or(own),
            limit_ms: self.plan.deadline_ms.filter(|_| of_task).unwrap_or(action.deadline_ms),
            of_task,
            grace: bounded(action.grace_ms),
        }
    }
}
