//! Runs the evaluator: a command that receives a question on its standard input (seed 4; ruling 25).

use std::collections::BTreeMap;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use referee_model::event::EventKind;
use referee_model::id::ExecutionId;
use referee_model::limit;
use referee_model::plan::{Evaluator, Plan};
use referee_model::record::{Facts, Record, RunEnding, Span};

use crate::attempt::{Bounds, Demand, ExecError, Turn, Watcher};
use crate::capture::Sink;
use crate::command::{Commands, Extent};
use crate::host::Host;
use crate::memory_file;
use crate::observer::Observer;
use crate::signal::Cancellation;

/// Interval between two calls of [`Observer::idle`].
const IDLE: Duration = Duration::from_millis(100);

/// Runs an evaluator once, after everything else of a run. It runs like any other command: with a process group of
/// its own, a timeout, and output that goes to the sink, which is limited by [`limit::EVALUATOR_OUTPUT_BYTES`].
///
/// The first request to stop asks the evaluator to end, the second kills it; the run counts as interrupted then.
///
/// # Errors
/// As for [`crate::run`].
pub fn ask(
    plan: &Plan,
    (evaluator, question): (&Evaluator, &[u8]),
    execution: &ExecutionId,
    host: &Host,
    sink: &dyn Sink,
    observer: &mut dyn Observer,
    cancellation: &Cancellation,
) -> Result<RunEnding, ExecError> {
    let commands = Commands::begin(plan, execution, host)?;
    let input = memory_file::holding("question", question)
        .map_err(|source| ExecError::System { what: "keep a question", source })?;
    let action = evaluator.action();
    let (started, began) = (host.clock.now(), Instant::now());
    observer.happened(started, EventKind::EvaluatorAsked)?;
    let bounded = |milliseconds: u64| Duration::from_millis(milliseconds.min(limit::ACTION_DEADLINE_MS_MAX));
    let bounds = Bounds {
        deadline: began + bounded(evaluator.timeout_ms),
        timeout_ms: evaluator.timeout_ms,
        of_task: false,
        grace: bounded(evaluator.grace_ms),
    };
    let captured = BTreeMap::new();
    let turn = Turn { action: &action, attempt: 1, began, bounds, captured: &captured };
    let (mut told, mut idled) = (0, Instant::now());
    let mut tick = || {
        let level = cancellation.level();
        while told < level.min(2) {
            let signal = cancellation.requests()[told];
            told += 1;
            observer.happened(host.clock.now(), EventKind::Interrupting { signal })?;
        }
        if idled.elapsed() >= IDLE {
            idled = Instant::now();
            observer.idle();
        }
        Ok(match level {
            0 => Demand::GoOn,
            1 => Demand::Stop,
            _ => Demand::Kill,
        })
    };
    let mut watcher = Watcher { wake: cancellation.wake(), tick: &mut tick };
    let extent = Extent { input: Some(input.as_fd()), output_bytes: limit::EVALUATOR_OUTPUT_BYTES };
    let (facts, notices) = commands.run(&turn, &evaluator.command, extent, sink, &mut watcher)?;
    let record = Record {
        action: action.id.clone(),
        attempt: 1,
        span: Span {
            started,
            ended: host.clock.now(),
            duration_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        },
        facts: Facts::Command(facts),
        notices,
    };
    observer.happened(record.span.ended, EventKind::EvaluatorAnswered(Box::new(record)))?;
    let first = cancellation.requests().first().copied();
    Ok(first.map_or(RunEnding::Finished, |signal| RunEnding::Interrupted { signal }))
}
