//! `referee watch`: runs the checks, and again whenever their inputs change.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use referee_engine::context::{Context, SpecificationNames};
use referee_engine::error::{EngineError, ErrorKind};
use referee_engine::inputs;
use referee_exec::signal::Cancellation;
use referee_model::id::Digest;
use referee_model::plan::Plan;
use referee_spec::discover::{self, Discovered};

use super::run;
use crate::args::watch::Watch;
use crate::output;
use crate::resolve;

/// Time in which a signal is noticed.
const NOTICE: Duration = Duration::from_millis(20);

/// Number of runs in a row that start because inputs changed during the one before. Beyond that the checks themselves are
/// likely to write them.
const RESTLESS_MOST: u32 = 3;

/// Pause after a look at the inputs, in multiples of the time that the look took.
const REST: u32 = 4;

/// Runs until a signal ends it. Returns the exit code of the last run.
pub(super) fn execute(context: &Context, arguments: &Watch) -> Result<u8, EngineError> {
    let cancellation = resolve::signals()?;
    let mut inputs = WatchedInputs::new(context, arguments);
    let (mut number, mut restless, mut why) = (1_u64, 0, "started");
    loop {
        inputs.reload();
        let before = inputs.look();
        output::aside(format!("watch: run {number} at {}: {why}\n", context.now()).as_bytes())?;
        let code = run_once(context, arguments, &cancellation, number == 1)?;
        if is_stopped(&cancellation) {
            return Ok(code);
        }
        let after = inputs.look();
        if after != before && restless < RESTLESS_MOST {
            restless += 1;
            why = "inputs changed during the run";
            if inputs.settle(after, &cancellation).is_none() {
                return Ok(code);
            }
        } else {
            if after != before {
                output::notes([
                    "inputs changed during each of the last runs: declare under `outputs` what the checks write",
                ])?;
            }
            output::aside(b"watch: waiting for changes (Ctrl-C ends)\n")?;
            restless = 0;
            why = "inputs changed";
            if !inputs.wait(&after, &cancellation) {
                return Ok(code);
            }
        }
        number += 1;
    }
}

/// Runs the checks once. An error is a run without a verdict, and told as such, unless the command line itself is wrong.
fn run_once(
    context: &Context,
    arguments: &Watch,
    cancellation: &Cancellation,
    is_first: bool,
) -> Result<u8, EngineError> {
    match run::once(context, &arguments.run, cancellation) {
        Ok(code) => Ok(code),
        Err(problem) if is_first && problem.kind == ErrorKind::Usage => Err(problem),
        Err(problem) => {
            super::tell(context, &problem, &["referee", "watch"].map(OsString::from))?;
            Ok(problem.exit_code())
        }
    }
}

fn is_stopped(cancellation: &Cancellation) -> bool {
    !cancellation.requests().is_empty()
}

/// The inputs of the selected specifications, and the specifications themselves.
struct WatchedInputs<'watch> {
    context: &'watch Context,
    names: SpecificationNames,
    interval: Duration,
    /// Files that each run writes.
    written: Vec<PathBuf>,
    /// Plans as they were loaded last, one for each set of inputs.
    plans: Vec<Plan>,
}

/// The state of all inputs. None in it: it could not be determined.
#[derive(Debug, Clone, PartialEq, Eq)]
struct InputsState {
    specifications: Vec<(PathBuf, Option<Digest>)>,
    trees: Vec<Option<Digest>>,
}

impl<'watch> WatchedInputs<'watch> {
    fn new(context: &'watch Context, arguments: &Watch) -> Self {
        let written = arguments.run.reports.reports.iter().filter_map(|report| report.path.as_deref());
        Self {
            context,
            names: (&arguments.run.specification).into(),
            interval: Duration::from_millis(arguments.interval),
            written: written.map(|path| context.directory.join(path)).collect(),
            plans: Vec::new(),
        }
    }

    /// Loads the plans again. Those that cannot be loaded keep the inputs that they had.
    fn reload(&mut self) {
        let Ok(loaded) = self.context.load(&self.names) else { return };
        let Ok(loaded) = loaded.all.into_iter().collect::<Result<Vec<_>, _>>() else { return };
        let mut plans: Vec<Plan> = loaded.into_iter().flat_map(|loaded| loaded.suite.tasks).collect();
        plans.dedup_by(|one, other| {
            one.workspace == other.workspace
                && one.evidence_root == other.evidence_root
                && one.guard.outputs == other.guard.outputs
        });
        for plan in &mut plans {
            let inside = self.written.iter().filter_map(|path| path.strip_prefix(&plan.workspace).ok());
            plan.guard.outputs.extend(inside.map(|path| path.to_string_lossy().into_owned()).collect::<Vec<_>>());
        }
        self.plans = plans;
    }

    /// Determines the state of all inputs. Files with the stamp that the last run saw are not read.
    fn look(&self) -> InputsState {
        let state = self.context.state_if_any().ok().flatten();
        let content = |file: PathBuf| {
            let digest = std::fs::read(&file).ok().map(Digest::of);
            (file, digest)
        };
        InputsState {
            specifications: self.specifications().into_iter().map(content).collect(),
            trees: self.plans.iter().map(|plan| inputs::by_stamps(plan, state.as_ref()).ok().flatten()).collect(),
        }
    }

    fn specifications(&self) -> Vec<PathBuf> {
        let file = |found: Discovered| found.file;
        if self.names.files.is_empty() {
            return discover::find(&self.context.directory).map(file).into_iter().collect();
        }
        let named = |name: &Path| {
            let path = self.context.directory.join(name);
            if !path.is_dir() {
                return vec![path];
            }
            discover::below(&path).unwrap_or_default().into_iter().map(file).collect()
        };
        self.names.files.iter().flat_map(|name| named(name)).collect()
    }

    /// Waits until the inputs differ from this state and have come to rest. Returns false where a signal ends the wait.
    fn wait(&self, known: &InputsState, cancellation: &Cancellation) -> bool {
        loop {
            let began = Instant::now();
            let seen = self.look();
            if seen != *known {
                match self.settle(seen, cancellation) {
                    None => return false,
                    Some(settled) if settled != *known => return true,
                    Some(_) => {}
                }
            }
            if !self.pause(began.elapsed(), cancellation) {
                return false;
            }
        }
    }

    /// Waits until two looks in a row see the same state, and returns it. None: a signal ends the wait.
    fn settle(&self, mut seen: InputsState, cancellation: &Cancellation) -> Option<InputsState> {
        loop {
            if !self.pause(Duration::ZERO, cancellation) {
                return None;
            }
            let now = self.look();
            if now == seen {
                return Some(now);
            }
            seen = now;
        }
    }

    /// Pauses for the interval, or longer after a look that took long. Returns false where a signal ends the pause.
    fn pause(&self, look: Duration, cancellation: &Cancellation) -> bool {
        let until = Instant::now() + self.interval.max(look.saturating_mul(REST));
        while !is_stopped(cancellation) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            std::thread::sleep(left.min(NOTICE));
        }
        false
    }
}
