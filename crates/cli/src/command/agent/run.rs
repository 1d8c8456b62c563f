//! `referee agent run`: starts or continues a run.

use std::collections::BTreeSet;

use referee_engine::agent_loop::Standby;
use referee_engine::context::Context;
use referee_engine::depot;
use referee_engine::error::EngineError;
use referee_engine::keys::{self, SigningOptions};
use referee_engine::repair::{
    self, Ended, PreparedRepair, RepairOptions, RepairRequest, TakeoverRequest, UnfinishedRun,
};
use referee_exec::Cancellation;
use referee_model::agent_run::RunStep;
use referee_model::enrolment::FleetSettings;
use referee_model::exit_code;
use referee_model::limit::PROMPT_BYTES;

use super::{follow, settings, stored_runs};
use crate::args::PlainFormat;
use crate::args::agent::AgentRun;
use crate::command::evidence::depot::agent_workers;
use crate::follower::notes;
use crate::{input, output, resolve};

/// Starts or continues a run.
pub(super) fn execute(context: &Context, arguments: &AgentRun) -> Result<u8, EngineError> {
    let style = context.terminal.stderr;
    let told = &mut |step: RunStep<'_>| follow::step(step, style);
    let ended = match &arguments.resume {
        Some(run) => {
            settings::resumes_alone(arguments.from.is_some())?;
            let cancellation = resolve::signals()?;
            if let Some(depot) = &arguments.from {
                take_over(context, arguments, (run, depot), &cancellation)?;
            }
            resume(context, run, &cancellation, told)
        }
        None => begin(context, arguments, told),
    }?;
    answer(context, arguments, &ended)
}

fn begin(context: &Context, arguments: &AgentRun, told: &mut dyn FnMut(RunStep<'_>)) -> Result<Ended, EngineError> {
    if arguments.command.is_empty() {
        return Err(EngineError::usage(
            "missing agent command: pass it after `--`, such as `-- claude -p 'Fix it'`".to_owned(),
        ));
    }
    let prompt = arguments.prompt.as_ref().map(|path| input::text(context, path, PROMPT_BYTES as u64)).transpose()?;
    let cancellation = resolve::signals()?;
    let agent_workers = agent_workers(context, &arguments.workers)?;
    let request = RepairRequest {
        context,
        options: RepairOptions { agent_workers, ..arguments.options() },
        prompt,
        live: follow::live(context.terminal.stderr),
        notes: notes(context),
        cancellation: &cancellation,
    };
    let repair = PreparedRepair::new(request)?;
    repair.begin(settings::words(&settings::settled(arguments, &repair.options))?, told)
}

fn resume(
    context: &Context,
    run: &str,
    cancellation: &Cancellation,
    told: &mut dyn FnMut(RunStep<'_>),
) -> Result<Ended, EngineError> {
    let run = UnfinishedRun::find(context, run)?;
    let ordered = settings::read(&run.order)?;
    let there = run.context(context);
    let agent_workers = agent_workers(&there, &ordered.workers)?;
    let request = RepairRequest {
        context: &there,
        options: RepairOptions { agent_workers, ..ordered.options() },
        prompt: run.order.prompt.clone(),
        live: follow::live(context.terminal.stderr),
        notes: notes(&there),
        cancellation,
    };
    repair::resume(request, run, told)
}

/// Makes a run of another machine one of this machine.
fn take_over(
    context: &Context,
    arguments: &AgentRun,
    (run, depot): (&str, &str),
    cancellation: &Cancellation,
) -> Result<(), EngineError> {
    let depot = depot::address(context, depot)?;
    let project = arguments.workers.project.project.clone();
    let signing = SigningOptions { key: arguments.asked.gate.run.signing.key.clone(), key_fd: None };
    let key = signing.named(context).map(|key| if keys::is_of_agent(&key) { key } else { context.directory.join(key) });
    let standby = arguments.standby.standby;
    repair::take_over(&TakeoverRequest {
        context,
        run,
        settings: FleetSettings { labels: BTreeSet::new(), depot: depot.clone(), project, parts: None },
        signing,
        arguments: &|order, place| settings::moved(order, place, (&depot, key.as_deref())),
        standby: standby.map(|silence_ms| Standby { silence_ms, cancellation, notes: notes(context) }),
        notes: notes(context),
    })
}

/// Prints the finished run.
fn answer(context: &Context, arguments: &AgentRun, ended: &Ended) -> Result<u8, EngineError> {
    let text = match arguments.format {
        PlainFormat::Json => referee_model::document::to_bytes(&ended.kept.run)?,
        PlainFormat::Human => stored_runs::shown(context, &ended.kept)?,
    };
    output::answer(&text)?;
    Ok(exit_code::of(ended.exit))
}
