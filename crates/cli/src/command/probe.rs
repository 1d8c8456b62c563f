//! `referee probe`: tests whether checks report planted defects, and shows code that no check covers.

use std::sync::atomic::{AtomicUsize, Ordering};

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::person;
use referee_engine::probe::discovery::{self, DiscoveryObserver, DiscoveryOptions};
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

use crate::args::probe::{Probe, ProbeFormat, ProbeLearn, ProbeReport};
use crate::follower::notes;
use crate::output;
use crate::resolve;

/// Executes a subcommand on probes.
pub(super) fn execute(context: &Context, arguments: &Probe) -> Result<u8, EngineError> {
    match arguments {
        Probe::Learn(arguments) => learn(context, arguments),
        Probe::Report(arguments) => report(context, arguments),
    }
}

/// Learns which defects checks report. Refused to agents: a set learned on a weaker tree would require less.
fn learn(context: &Context, arguments: &ProbeLearn) -> Result<u8, EngineError> {
    person::refuse_to_move_the_gate(context, "say that a tree is trusted")?;
    let cancellation = resolve::signals()?;
    let suites = resolve::load_suites(context, &arguments.specification)?;
    let sandbox = arguments.confinement.sandbox.mode();
    let options = GateOptions { sandbox, ..GateOptions::default() };
    let builder = RunBuilder::new(context, &options, &suites, &cancellation)?;
    let builder = builder.select(&arguments.tasks, referee_engine::selection::Selection::default())?;
    let discovery = DiscoveryOptions { budget_ms: arguments.budget, jobs: arguments.jobs };
    let mut sets = Vec::new();
    for suite in builder.suites() {
        let prepared = builder.prepare(suite, &mut notes(context))?;
        refuse_drift(&prepared)?;
        for plan in wanted(&prepared.suite, &arguments.tasks) {
            let observer = Progress::new(context);
            sets.push(discovery::learn(&prepared.request()?, plan, discovery, &observer, &mut notes(context))?);
        }
    }
    if !cancellation.requests().is_empty() {
        output::aside(b"note: interrupted; what was learned until then is kept\n")?;
    }
    show(context, arguments.format, &sets)?;
    let reported_none = sets.iter().any(|set| set.checks.iter().any(CheckProbes::reported_none));
    Ok(if reported_none { exit_code::FAILED } else { exit_code::PASSED })
}

/// Refuses a tree that differs from the lock or the trusted commit.
fn refuse_drift(prepared: &referee_engine::run::PreparedRun<'_>) -> Result<(), EngineError> {
    match prepared.drift()? {
        Some(drift) => Err(EngineError::refused(format!(
            "the tree is not the trusted one: {drift}; put it back, or have it accepted by `referee lock`"
        ))),
        None => Ok(()),
    }
}

/// Shows the stored results.
fn report(context: &Context, arguments: &ProbeReport) -> Result<u8, EngineError> {
    let suites = resolve::load_suites(context, &arguments.specification)?;
    let plans: Vec<&Plan> = suites.iter().flat_map(|suite| wanted(suite, &arguments.tasks)).collect();
    let sets = context.state_if_any()?.map(|state| discovery::sets(&state, &plans)).transpose()?.unwrap_or_default();
    if sets.is_empty() {
        let message = "no probes were learned for these tasks: run `referee probe learn`".to_owned();
        return Err(EngineError::usage(message));
    }
    show(context, arguments.format, &sets)?;
    Ok(exit_code::PASSED)
}

fn wanted<'suite>(suite: &'suite Suite, tasks: &[TaskId]) -> Vec<&'suite Plan> {
    suite.tasks.iter().filter(|plan| tasks.is_empty() || tasks.contains(&plan.task)).collect()
}

fn show(context: &Context, format: ProbeFormat, sets: &[ProbeSet]) -> Result<(), EngineError> {
    let bytes = match format {
        ProbeFormat::Human => {
            let mut text = Vec::new();
            human::probe::report(sets, &context.terminal.stdout, &mut text)?;
            text
        }
        ProbeFormat::Json => referee_model::document::to_bytes(&probe_report::document(sets))?,
        ProbeFormat::Sarif => sarif(sets)?,
        ProbeFormat::Html => html(sets).into_bytes(),
    };
    Ok(output::answer(&bytes)?)
}

/// Reports progress on standard error.
struct Progress<'a> {
    context: &'a Context,
    planted: AtomicUsize,
}

/// Number of defects between two progress lines.
const TOLD_EVERY: usize = 10;

impl<'a> Progress<'a> {
    fn new(context: &'a Context) -> Self {
        Self { context, planted: AtomicUsize::new(0) }
    }

    fn tell(&self, line: &str) {
        if self.context.terminal.stderr.verbosity != Verbosity::Quiet {
            // If standard error is closed, progress is not reported.
            let _ = output::aside(format!("{line}\n").as_bytes());
        }
    }
}

impl DiscoveryObserver for Progress<'_> {
    fn on_checks(&self, checks: &[CheckProbes], sources: usize) {
        let names: Vec<&str> = checks.iter().map(|check| check.name.as_str()).collect();
        self.tell(&format!("planting defects in {} for {}", count(sources, "source"), names.join(", ")));
    }

    fn on_trial(&self, check: &str, trial: &ProbeTrial) {
        let planted = self.planted.fetch_add(1, Ordering::Relaxed) + 1;
        if self.context.terminal.stderr.verbosity == Verbosity::Verbose {
            let came_to = match trial.verdict() {
                TrialVerdict::Noticed => "reported",
                TrialVerdict::Unnoticed => "not reported",
                TrialVerdict::Unusable => "cannot be told",
            };
            self.tell(&format!("{check}: {} in {}: {came_to}", trial.defect.words(), trial.path));
        } else if planted.is_multiple_of(TOLD_EVERY) {
            self.tell(&format!("{} planted", count(planted, "defect")));
        }
    }
}
