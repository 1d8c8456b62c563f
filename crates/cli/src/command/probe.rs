//! `referee probe`: whether checks report planted defects, and what they do not watch.

use std::sync::Mutex;

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::person;
use referee_engine::probe::learning::{self, LearningObserver, LearningOptions};
use referee_engine::run::{GateOptions, RunBuilder};
use referee_model::exit_code;
use referee_model::id::TaskId;
use referee_model::plan::Plan;
use referee_model::probe_set::{CheckProbes, ProbeSet, ProbeTrial, TrialVerdict};
use referee_model::suite::Suite;
use referee_report::human;
use referee_report::probe_report::{self, html, sarif};
use referee_report::style::Verbosity;
use referee_syntax::count::count;

use crate::args::Specification;
use crate::args::probe::{Probe, ProbeFormat, ProbeLearn, ProbeReport};
use crate::complaints;
use crate::follower::notes;
use crate::output;
use crate::resolve;

/// Does what is asked about probes.
pub(super) fn execute(context: &Context, arguments: &Probe) -> Result<u8, EngineError> {
    match arguments {
        Probe::Learn(arguments) => learn(context, arguments),
        Probe::Report(arguments) => report(context, arguments),
    }
}

/// Learns what checks report. An agent may not: a set that was learned on a weaker tree would ask for less.
fn learn(context: &Context, arguments: &ProbeLearn) -> Result<u8, EngineError> {
    person::refuse_to_move_the_gate(context, "say that a tree is trusted")?;
    let cancellation = resolve::signals()?;
    let suites = load(context, &arguments.specification)?;
    let sandbox = arguments.confinement.sandbox.mode();
    let options = GateOptions { sandbox, ..GateOptions::default() };
    let builder = RunBuilder::new(context, &options, &suites, &cancellation)?;
    let builder = builder.select(&arguments.tasks, referee_engine::selection::Selection::default())?;
    let learning = LearningOptions { budget_ms: arguments.budget, jobs: arguments.jobs };
    let mut sets = Vec::new();
    for suite in builder.suites() {
        let prepared = builder.prepare(suite, &mut notes(context))?;
        refuse_drift(&prepared)?;
        for plan in wanted(&prepared.suite, &arguments.tasks) {
            let observer = Progress::new(context);
            let set = learning::learn(&prepared.request()?, plan, learning, &observer, &mut notes(context))?;
            sets.push((plan.task.clone(), Some(set)));
        }
    }
    if !cancellation.requests().is_empty() {
        output::aside(b"note: interrupted; what was learned until then is kept\n")?;
    }
    show(context, arguments.format, &sets)?;
    let is_hollow = sets.iter().filter_map(|(_, set)| set.as_ref()).any(has_hollow_check);
    Ok(if is_hollow { exit_code::FAILED } else { exit_code::PASSED })
}

/// Refuses a tree that a lock or a trusted commit does not know as it is.
fn refuse_drift(prepared: &referee_engine::run::PreparedRun<'_>) -> Result<(), EngineError> {
    match prepared.drift()? {
        Some(drift) => Err(EngineError::refused(format!(
            "the tree is not the trusted one: {drift}; put it back, or have it accepted by `referee lock`"
        ))),
        None => Ok(()),
    }
}

fn has_hollow_check(set: &ProbeSet) -> bool {
    set.checks.iter().any(CheckProbes::is_hollow)
}

/// Shows what is kept.
fn report(context: &Context, arguments: &ProbeReport) -> Result<u8, EngineError> {
    let suites = load(context, &arguments.specification)?;
    let plans: Vec<Plan> = suites.iter().flat_map(|suite| wanted(suite, &arguments.tasks)).cloned().collect();
    let Some(state) = context.state_if_any()? else { return Err(nothing_learned()) };
    let sets = learning::sets(&state, &plans)?;
    if sets.iter().all(|(_, set)| set.is_none()) {
        return Err(nothing_learned());
    }
    show(context, arguments.format, &sets)?;
    Ok(exit_code::PASSED)
}

fn nothing_learned() -> EngineError {
    EngineError::usage("no probes were learned for these tasks: run `referee probe learn`".to_owned())
}

fn load(context: &Context, specification: &Specification) -> Result<Vec<Suite>, EngineError> {
    let mut suites = Vec::new();
    for loaded in resolve::load(context, specification)? {
        let loaded = loaded?;
        output::aside(&complaints::rendered(context, &loaded.warnings)?)?;
        suites.push(loaded.suite);
    }
    Ok(suites)
}

fn wanted<'suite>(suite: &'suite Suite, tasks: &[TaskId]) -> Vec<&'suite Plan> {
    suite.tasks.iter().filter(|plan| tasks.is_empty() || tasks.contains(&plan.task)).collect()
}

fn show(context: &Context, format: ProbeFormat, sets: &[(TaskId, Option<ProbeSet>)]) -> Result<(), EngineError> {
    let sets: Vec<&ProbeSet> = sets.iter().filter_map(|(_, set)| set.as_ref()).collect();
    let bytes = match format {
        ProbeFormat::Human => {
            let mut text = Vec::new();
            human::probe::report(&sets, &context.terminal.stdout, &mut text)?;
            text
        }
        ProbeFormat::Json => referee_model::document::to_bytes(&probe_report::document(&sets))?,
        ProbeFormat::Sarif => sarif(&sets)?,
        ProbeFormat::Html => html(&sets).into_bytes(),
    };
    Ok(output::answer(&bytes)?)
}

/// Tells on standard error how far it is.
struct Progress<'a> {
    context: &'a Context,
    told: Mutex<usize>,
}

/// Defects after which a line tells how far it is.
const TOLD_EVERY: usize = 10;

impl<'a> Progress<'a> {
    fn new(context: &'a Context) -> Self {
        Self { context, told: Mutex::new(0) }
    }

    fn tell(&self, line: &str) {
        if self.context.terminal.stderr.verbosity != Verbosity::Quiet {
            // Where standard error is closed there is nobody to tell.
            let _ = output::aside(format!("{line}\n").as_bytes());
        }
    }
}

impl LearningObserver for Progress<'_> {
    fn on_checks(&self, checks: &[CheckProbes], sources: usize) {
        let names: Vec<&str> = checks.iter().map(|check| check.name.as_str()).collect();
        self.tell(&format!("planting defects in {} for {}", count(sources, "source"), names.join(", ")));
    }

    fn on_trial(&self, check: &str, trial: &ProbeTrial) {
        let planted = {
            let mut told = self.told.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            *told += 1;
            *told
        };
        if self.context.terminal.stderr.verbosity == Verbosity::Quiet {
            return;
        }
        let came_to = match trial.verdict() {
            TrialVerdict::Noticed => "reported",
            TrialVerdict::Unnoticed => "not reported",
            TrialVerdict::Unusable => "cannot be told",
        };
        if self.context.terminal.stderr.verbosity == Verbosity::Verbose {
            self.tell(&format!("{check}: {} in {}: {came_to}", trial.defect.words(), trial.path));
        } else if planted % TOLD_EVERY == 0 {
            self.tell(&format!("{} planted", count(planted, "defect")));
        }
    }
}
