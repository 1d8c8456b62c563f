//! The order of a run: phase by phase, each action approved by the observer, reported, limited in time, and stopped
//! where it must be.

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
use crate::browser::sessions::BrowserSessions;
use crate::capture::Sink;
use crate::command::Commands;
use crate::host::Host;
use crate::observer::Observer;
use crate::signal::Cancellation;

/// Options of a run beyond its plan.
#[derive(Debug, Clone, Copy)]
pub struct Schedule {
    /// Maximum number of steps that run in parallel, where the plan allows it; never more than [`limit::JOBS`].
    pub jobs: NonZeroUsize,
    /// Remaining time of a deadline outside of the plan (the suite's), in milliseconds. None: there is none.
    pub time_left_ms: Option<u64>,
}

/// Runs a plan: prerequisites, steps, cleanup. Prerequisites and cleanup run one by one in plan order, and so do
/// the steps, unless their order is free and several may run in parallel: then each starts when those that it needs
/// are over.
///
/// Reports to the observer the start and end of each attempt, skipped actions, ended services, and requests to
/// stop. The first request stops running actions and skips all others except cleanup; the second stops everything
/// at once.
///
/// # Errors
/// Fails where output or events cannot be stored, or the system refuses something that no run can do without. All
/// processes have ended then, services included, and cleanup has run nevertheless (ruling 8), but without events or
/// output where one of these could not be stored. A command that fails, or cannot be started, is a fact and not an
/// error.
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
    let browsers = BrowserSessions::default();
    let crew = AttemptRunner { plan, commands: &commands, sink, clock: host.clock, browsers: &browsers };
    let mut dispatcher = Dispatcher::new((plan, &commands.silences), schedule, host.clock, observer, cancellation);
    let mut done = phases(&mut dispatcher, &crew, schedule);
    if let Err(failure) = &done {
        dispatcher.clean_up_after(failure, &crew);
    }
    browsers.close();
    let stopped = dispatcher.stop_services(&crew);
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
