//! Runs steps in parallel: each starts when the steps that it needs are over, in plan order while there are
//! free jobs.
//!
//! The observer is called on this thread only; the attempts run on others. When a blocking step fails after
//! which nothing may run, later steps that were started are stopped and do not count, because one by one they
//! would not have run. Earlier ones continue, and still start; if one of them fails, it becomes the step from
//! which on later ones do not count. So the same steps count as in a sequential run, in whatever order they
//! finish.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

use referee_model::id::ActionId;
use referee_model::plan::{Action, CaptureName, Phase};
use referee_model::record::SkipReason;
use rustix::event::{PollFd, PollFlags};

use super::attempt_runner::{AttemptRunner, Performed};
use super::dispatcher::{Beginning, Dispatcher, wait_for};
use crate::attempt::{Bounds, Demand, ExecError, StopRequest, TICK, Turn, Watcher};
use crate::signal::Bell;

/// Runs steps, given by their indexes in the plan, up to `jobs` in parallel.
pub(super) fn run(
    dispatcher: &mut Dispatcher<'_>,
    crew: &AttemptRunner<'_>,
    steps: &[(usize, &Action)],
    jobs: usize,
) -> Result<(), ExecError> {
    let bell = Bell::new().map_err(system)?;
    let (answer, done) = channel();
    std::thread::scope(|scope| {
        let places = steps.iter().enumerate().map(|(at, (_, action))| (&action.id, at)).collect();
        let mut floor = Floor {
            steps: steps.iter().map(|(place, action)| Step { place: *place, action, state: State::Waiting }).collect(),
            places,
            hands: Hands { scope, crew: *crew, bell: &bell, answer, jobs, all: Vec::new(), idle: Vec::new() },
            done,
            stopper: None,
        };
        let ended = floor.run(dispatcher);
        if ended.is_err() {
            floor.abandon(dispatcher);
        }
        ended
    })
}

fn system(source: std::io::Error) -> ExecError {
    ExecError::System { what: "run several commands at once", source }
}

/// A step and its state.
struct Step<'run> {
    place: usize,
    action: &'run Action,
    state: State,
}

enum State {
    Waiting,
    Running {
        order: Arc<StopRequest>,
        hand: usize,
        attempt: u32,
        beginning: Beginning,
    },
    Pausing {
        until: Instant,
        attempt: u32,
    },
    /// The step has finished, or was skipped without having begun.
    Over {
        begun: bool,
    },
}

/// All steps, and the threads that run them.
struct Floor<'scope, 'env, 'run> {
    steps: Vec<Step<'run>>,
    /// Index in `steps` of each action.
    places: BTreeMap<&'run ActionId, usize>,
    hands: Hands<'scope, 'env>,
    done: Receiver<Done>,
    /// Index in `steps` of the first step in plan order that failed, blocks, and stops all later steps.
    stopper: Option<usize>,
}

impl Floor<'_, '_, '_> {
    fn run(&mut self, dispatcher: &mut Dispatcher<'_>) -> Result<(), ExecError> {
        loop {
            let demand = dispatcher.look(Phase::Step)?;
            dispatcher.check_services()?;
            self.pass_on(demand);
            self.start_what_is_due(dispatcher, demand)?;
            if self.steps.iter().all(|step| matches!(step.state, State::Over { .. })) {
                return self.supersede(dispatcher);
            }
            let waiting = [dispatcher.cancellation().wake(), self.hands.bell.wake()];
            let mut waiting = waiting.map(|wake| PollFd::from_borrowed_fd(wake, PollFlags::IN));
            wait_for(&mut waiting, self.until_next_start().min(TICK))?;
            self.hands.bell.silence();
            self.take_what_is_done(dispatcher)?;
        }
    }

    /// Passes the run's stop demand to the running steps, and stops those after the step that stops the run.
    fn pass_on(&mut self, demand: Demand) {
        let stopper = self.stopper;
        for (at, step) in self.steps.iter_mut().enumerate() {
            let is_superseded = stopper.is_some_and(|stopper| at > stopper);
            match &step.state {
                State::Running { order, .. } => {
                    order.raise(demand);
                    if is_superseded {
                        order.raise(Demand::Stop);
                    }
                }
                State::Pausing { .. } if is_superseded || demand != Demand::GoOn => {
                    step.state = State::Over { begun: true };
                }
                State::Pausing { .. } | State::Waiting | State::Over { .. } => {}
            }
        }
    }

    /// Starts steps while there are free jobs, and skips those that do not run.
    fn start_what_is_due(&mut self, dispatcher: &mut Dispatcher<'_>, demand: Demand) -> Result<(), ExecError> {
        let mut from = 0;
        while self.hands.have_room() {
            let settled = self.is_settled();
            let mut due = (from..self.steps.len()).filter(|at| self.is_due(*at, demand, settled));
            let Some(at) = due.next() else { return Ok(()) };
            from = at + 1;
            let Step { place, action, state } = &self.steps[at];
            let (place, action) = (*place, *action);
            let attempt = match state {
                State::Pausing { attempt, .. } => *attempt,
                _ => 1,
            };
            if attempt == 1
                && let Some(reason) = self.forbids(at, place, dispatcher)?
            {
                self.steps[at].state = State::Over { begun: false };
                dispatcher.skip(action, reason)?;
                // A later step that needs this one may be due now.
                continue;
            }
            if attempt > 1 && dispatcher.is_out_of_time() {
                self.steps[at].state = State::Over { begun: true };
                continue;
            }
            let order = Arc::new(StopRequest::new().map_err(system)?);
            let beginning = dispatcher.start(action, attempt)?;
            let bounds = dispatcher.bounds(action, beginning.when);
            let task = Task {
                at,
                action: action.clone(),
                attempt,
                began: beginning.when,
                bounds,
                captured: dispatcher.captured(),
                order: Arc::clone(&order),
            };
            let hand = self.hands.give(task)?;
            self.steps[at].state = State::Running { order, hand, attempt, beginning };
        }
        Ok(())
    }

    /// Returns the reason to skip a step. None: it runs. After the step that stops the run, none does.
    fn forbids(
        &self,
        at: usize,
        place: usize,
        dispatcher: &mut Dispatcher<'_>,
    ) -> Result<Option<SkipReason>, ExecError> {
        let stopper = self.stopper.filter(|stopper| at > *stopper);
        let earlier = stopper.map(|stopper| SkipReason::EarlierFailure(self.steps[stopper].action.id.clone()));
        Ok(dispatcher.forbids(place, self.steps[at].action)?.or(earlier))
    }

    /// Returns whether it is certain which step stops the run: only then is the reason for skipping later steps
    /// known.
    fn is_settled(&self) -> bool {
        let is_over = |step: &Step<'_>| matches!(step.state, State::Over { .. });
        self.stopper.is_none_or(|stopper| self.steps[..stopper].iter().all(is_over))
    }

    /// Returns whether a step may now start, or be skipped.
    fn is_due(&self, at: usize, demand: Demand, settled: bool) -> bool {
        let step = &self.steps[at];
        match &step.state {
            State::Waiting => {
                let mut needs = step.action.needs.iter().filter_map(|need| self.places.get(need));
                let waits_for_stopper = !settled && self.stopper.is_some_and(|stopper| at > stopper);
                demand != Demand::GoOn
                    || (!waits_for_stopper && needs.all(|need| matches!(self.steps[*need].state, State::Over { .. })))
            }
            State::Pausing { until, .. } => *until <= Instant::now(),
            State::Running { .. } | State::Over { .. } => false,
        }
    }

    fn until_next_start(&self) -> Duration {
        let untils = self.steps.iter().filter_map(|step| match &step.state {
            State::Pausing { until, .. } => Some(*until),
            _ => None,
        });
        untils.min().map_or(TICK, |until| until.saturating_duration_since(Instant::now()))
    }

    fn take_what_is_done(&mut self, dispatcher: &mut Dispatcher<'_>) -> Result<(), ExecError> {
        while let Ok(done) = self.done.try_recv() {
            self.finish(done, dispatcher)?;
        }
        if self.hands.has_broken_down(&self.steps) {
            return Err(system(std::io::Error::other("what runs them has broken down")));
        }
        Ok(())
    }

    fn finish(&mut self, done: Done, dispatcher: &mut Dispatcher<'_>) -> Result<(), ExecError> {
        let Done { at, result } = done;
        let State::Running { hand, attempt, beginning, .. } = self.steps[at].state else { return Ok(()) };
        self.hands.idle.push(hand);
        self.steps[at].state = State::Over { begun: true };
        let action = self.steps[at].action;
        dispatcher.finish(action, attempt, beginning, result?)?;
        if self.stopper.is_none_or(|stopper| at <= stopper)
            && dispatcher.is_tried_again(action, attempt)
            && let Some(until) = dispatcher.next_attempt(action, attempt)
        {
            self.steps[at].state = State::Pausing { until, attempt: attempt + 1 };
            return Ok(());
        }
        if let Some(id) = dispatcher.audience().stopped_at() {
            self.stopper = self.places.get(&id).copied().into_iter().chain(self.stopper).min();
        }
        Ok(())
    }

    /// Reports that steps started after the one that stopped the run do not count.
    fn supersede(&self, dispatcher: &mut Dispatcher<'_>) -> Result<(), ExecError> {
        let Some(stopper) = self.stopper else { return Ok(()) };
        for step in &self.steps[stopper + 1..] {
            if let State::Over { begun: true } = step.state {
                dispatcher.skip(step.action, SkipReason::Superseded(self.steps[stopper].action.id.clone()))?;
            }
        }
        Ok(())
    }

    /// Kills the running steps of a failed run, and waits for them.
    fn abandon(&mut self, dispatcher: &mut Dispatcher<'_>) {
        self.pass_on(Demand::Kill);
        while self.steps.iter().any(|step| matches!(step.state, State::Running { .. })) {
            if self.hands.has_broken_down(&self.steps) {
                return;
            }
            let Ok(Done { at, result }) = self.done.recv_timeout(TICK) else { continue };
            self.steps[at].state = State::Over { begun: true };
            dispatcher.adopt(result.ok().and_then(|performed| performed.live));
        }
    }
}

/// One attempt, for a worker thread.
struct Task {
    at: usize,
    action: Action,
    attempt: u32,
    began: Instant,
    bounds: Bounds,
    captured: Arc<BTreeMap<CaptureName, String>>,
    order: Arc<StopRequest>,
}

struct Done {
    at: usize,
    result: Result<Performed, ExecError>,
}

/// The threads that run attempts; one is created when there is work and none is idle.
struct Hands<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    crew: AttemptRunner<'env>,
    bell: &'env Bell,
    answer: Sender<Done>,
    jobs: usize,
    all: Vec<(Sender<Task>, ScopedJoinHandle<'scope, ()>)>,
    idle: Vec<usize>,
}

impl Hands<'_, '_> {
    fn have_room(&self) -> bool {
        !self.idle.is_empty() || self.all.len() < self.jobs
    }

    /// Gives a task to an idle thread, creating one if needed, and returns its index.
    fn give(&mut self, task: Task) -> Result<usize, ExecError> {
        let hand = match self.idle.pop() {
            Some(hand) => hand,
            None => self.hire()?,
        };
        let broken = |_| system(std::io::Error::other("what runs them has broken down"));
        self.all[hand].0.send(task).map_err(broken)?;
        Ok(hand)
    }

    fn hire(&mut self) -> Result<usize, ExecError> {
        let (sender, tasks) = channel::<Task>();
        let (crew, bell, answer) = (self.crew, self.bell, self.answer.clone());
        let thread = std::thread::Builder::new().name("steps".to_owned()).spawn_scoped(self.scope, move || {
            for task in tasks {
                let done = Done { at: task.at, result: perform(crew, &task) };
                // If the receiver is gone, the result is no longer needed.
                let _ = answer.send(done);
                bell.ring();
            }
        });
        self.all.push((sender, thread.map_err(system)?));
        Ok(self.all.len() - 1)
    }

    /// Returns whether a thread that runs a step has ended without reporting a result.
    fn has_broken_down(&self, steps: &[Step<'_>]) -> bool {
        let runs = |step: &Step<'_>| match &step.state {
            State::Running { hand, .. } => self.all[*hand].1.is_finished(),
            _ => false,
        };
        steps.iter().any(runs)
    }
}

fn perform(crew: AttemptRunner<'_>, task: &Task) -> Result<Performed, ExecError> {
    let Task { action, attempt, began, bounds, captured, order, .. } = task;
    let turn = Turn { action, attempt: *attempt, began: *began, bounds: *bounds, captured };
    let mut tick = || Ok(order.demand());
    crew.perform(&turn, &mut Watcher { wake: order.wake(), tick: &mut tick })
}
