//! The order of a run: phase by phase, each action asked about, told of, bounded and cut short where it must be.

mod attempt_runner;
mod dispatcher;
mod lost;
mod parallel;

use std::num::NonZeroUsize;

use referee_model::id::ExecutionId;
use referee_model::limit;
use referee_model::plan::{Action, Phase, Plan, StepOrder};
use referee_model::record::RunEnding;

use self::attempt_runner::AttemptRunner;
use self::dispatcher::Dispatcher;
use crate::attempt::ExecError;
use crate::capture::Sink;
use crate::command::Commands;
use crate::host::Host;
use crate::observer::Observer;
use crate::signal::Cancellation;

/// How a run is laid out beside its plan.
#[derive(Debug, Clone, Copy)]
pub struct Schedule {
    /// Most steps that run at once, where the plan allows it; never more than [`limit::JOBS`].
    pub jobs: NonZeroUsize,
    /// Time left of a deadline that is not the plan's own (the suite's), in milliseconds.
    pub time_left_ms: Option<u64>,
}

/// Runs a plan: prerequisites, steps, cleanup. Prerequisites and cleanup run one by one in the plan's order, and so do the
/// steps, unless their order is free and several may run at once: then each starts when what it needs is over.
///
/// Tells the observer of each attempt's start and end, of what is skipped, of services that are over, and of requests to
/// stop. The first request stops what runs and skips what is left but cleanup; the second stops everything at once.
///
/// # Errors
/// Fails where output or events cannot be kept, or the system refuses what no run can do without. Whatever ran is dead
/// then, services too, and cleanup has run all the same (ruling 8); unseen where something could not be kept: nothing more
/// is kept or told then. A command that fails, and one that cannot be started, are facts and no errors.
pub fn run(
    plan: &Plan,
    schedule: &Schedule,
    execution: &ExecutionId,
    host: &Host,
    sink: &dyn Sink,
    observer: &mut dyn Observer,
    cancellation: &Cancellation,
) -> Result<RunEnding, ExecError> {
    let commands = Commands::begin(plan, execution, host)?;
    let crew = AttemptRunner { plan, commands: &commands, sink, clock: host.clock };
    let mut dispatcher = Dispatcher::new((plan, &commands.silences), schedule, host.clock, observer, cancellation);
    let mut done = phases(&mut dispatcher, &crew, schedule);
    if let Err(failure) = &done {
        dispatcher.clean_up_after(failure, &crew);
    }
    let stopped = dispatcher.stop_services();
    if done.is_ok() {
        done = stopped;
    }
    done.map(|()| dispatcher.ending())
}

fn phases(dispatcher: &mut Dispatcher<'_>, crew: &AttemptRunner<'_>, schedule: &Schedule) -> Result<(), ExecError> {
    for phase in [Phase::Prerequisite, Phase::Step, Phase::Cleanup] {
        let actions: Vec<(usize, &Action)> =
            crew.plan.actions.iter().enumerate().filter(|(_, action)| action.phase == phase).collect();
        let jobs = schedule.jobs.get().min(limit::JOBS).min(actions.len());
        if phase == Phase::Step && crew.plan.step_order == StepOrder::Free && jobs > 1 {
            parallel::run(dispatcher, crew, &actions, jobs)?;
            continue;
        }
        dispatcher.enter(phase);
        for (place, action) in actions {
            dispatcher.take(place, action, crew)?;
        }
    }
    Ok(())
}
