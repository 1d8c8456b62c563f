//! `referee lock`: writes, checks and explains the lock, which protects what the gate depends on.

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::protection::{Baseline, RuleBook};
use referee_engine::protection_source;
use referee_judge::criteria;
use referee_ledger::State;
use referee_model::exit_code;
use referee_model::plan::Plan;
use referee_model::run_context::RunContext;
use referee_model::run_context::protection::{Drift, Protection};
use referee_model::suite::Suite;
use referee_report::human;
use referee_report::lock_report::{self, Explained};

use crate::args::Specification;
use crate::args::lock::{Lock, LockCheck, LockCommand, LockExplain};
use crate::output;
use crate::resolve;

mod accept;
mod forget;
mod write;

/// Executes a subcommand on the lock.
pub(super) fn execute(context: &Context, arguments: &Lock) -> Result<u8, EngineError> {
    match arguments.command() {
        LockCommand::Accept(arguments) => accept::execute(context, &arguments),
        LockCommand::Write(arguments) => write::execute(context, &arguments),
        LockCommand::Check(arguments) => check(context, &arguments),
        LockCommand::Explain(arguments) => explain(context, &arguments),
        LockCommand::Forget(arguments) => forget::execute(context, &arguments),
    }
}

/// Plans covered by a lock, all of one workspace.
struct Locked {
    suites: Vec<Suite>,
    state: Option<State>,
}

impl Locked {
    fn load(context: &Context, specification: &Specification) -> Result<Self, EngineError> {
        let loaded = resolve::load(context, specification)?.into_iter().collect::<Result<Vec<_>, _>>()?;
        let suites: Vec<Suite> = loaded.into_iter().map(|loaded| loaded.suite).collect();
        let plans = || suites.iter().flat_map(|suite| &suite.tasks);
        let first = plans().next().map(|plan| plan.workspace.clone());
        if let Some(other) = plans().find(|plan| Some(&plan.workspace) != first.as_ref()) {
            let other = context.shown(&other.workspace).display();
            return Err(EngineError::usage(format!(
                "a lock is of one workspace, and {other} is another: lock it by itself"
            )));
        }
        let state = context.state(plans().map(|plan| plan.workspace.as_path()))?;
        Ok(Self { suites, state })
    }

    fn plans(&self) -> Vec<Plan> {
        self.suites.iter().flat_map(|suite| &suite.tasks).cloned().collect()
    }

    fn first(&self) -> Result<(&Suite, &Plan), EngineError> {
        let suite = self.suites.first();
        let found = suite.and_then(|suite| Some((suite, suite.tasks.first()?)));
        found.ok_or_else(|| EngineError::usage("there is no task to lock".to_owned()))
    }

    fn baseline(&self, context: &Context, from: Option<&str>) -> Result<Option<Baseline>, EngineError> {
        protection_source::one(context, self.first()?.0, self.state.as_ref(), from)
    }

    /// Compares every specification with the baseline, and combines their drift.
    fn observe(&self, baseline: &Baseline) -> Result<Protection, EngineError> {
        let mut all: Option<Protection> = None;
        for plan in self.suites.iter().filter_map(|suite| suite.tasks.first()) {
            let found = baseline.observe(plan)?;
            match &mut all {
                None => all = Some(found),
                Some(all) => {
                    let new: Vec<Drift> = found.drift.into_iter().filter(|drift| !all.drift.contains(drift)).collect();
                    all.drift.extend(new);
                }
            }
        }
        all.ok_or_else(|| EngineError::usage("there is no task to lock".to_owned()))
    }
}

fn check(context: &Context, arguments: &LockCheck) -> Result<u8, EngineError> {
    let locked = Locked::load(context, &arguments.specification)?;
    let protection = match locked.baseline(context, arguments.from.as_deref())? {
        Some(baseline) => Some(locked.observe(&baseline)?),
        None => None,
    };
    let holds = protection.as_ref().is_some_and(|protection| !protection.drift.iter().any(blocks));
    let code = if holds { exit_code::PASSED } else { exit_code::SPECIFICATION };
    output::document(
        arguments.format,
        || referee_model::document::to_bytes(&lock_report::check(protection.as_ref(), holds, code)),
        |out| human::lock::checked(protection.as_ref(), &blocks, &context.terminal.stdout, out),
    )?;
    Ok(code)
}

/// Returns whether a drift would prevent a run from being judged now.
fn blocks(drift: &Drift) -> bool {
    criteria::stands(drift, &RunContext::default(), resolve::now())
}

fn explain(context: &Context, arguments: &LockExplain) -> Result<u8, EngineError> {
    let specification = Specification { files: Vec::new(), workspace: None };
    let locked = Locked::load(context, &specification)?;
    let (_, plan) = locked.first()?;
    let Some(baseline) = locked.baseline(context, arguments.from.as_deref())? else {
        return Err(EngineError::usage(
            "no referee.lock, so nothing is protected: run `referee lock` to write one".to_owned(),
        ));
    };
    let protection = locked.observe(&baseline)?;
    let asked = arguments.path.as_ref().map(|path| {
        let whole = context.directory.join(path);
        let below = whole.strip_prefix(&plan.workspace).unwrap_or(path);
        below.to_string_lossy().trim_start_matches("./").to_owned()
    });
    let explained = explained(&baseline, &protection, asked.as_deref())?;
    output::document(
        arguments.format,
        || referee_model::document::to_bytes(&lock_report::explanation(&explained, &protection.notes)),
        |out| {
            human::lock::explained(
                &explained,
                &protection.notes,
                asked.is_some(),
                &blocks,
                &context.terminal.stdout,
                out,
            )
        },
    )?;
    Ok(exit_code::PASSED)
}

/// Explains the files of a lock and the drifted ones, or one file.
fn explained(baseline: &Baseline, protection: &Protection, asked: Option<&str>) -> Result<Vec<Explained>, EngineError> {
    let book = RuleBook::new(&baseline.lock.rules).map_err(EngineError::internal)?;
    let mut paths: Vec<&str> = if let Some(path) = asked {
        vec![path]
    } else {
        let locked = baseline.lock.files.iter().map(|file| file.path.as_str());
        locked.chain(protection.drift.iter().map(|drift| drift.path.as_str())).collect()
    };
    paths.sort_unstable();
    paths.dedup();
    let explain = |path: &str| {
        let drift: Vec<Drift> = protection.drift.iter().filter(|drift| drift.path == path).cloned().collect();
        let applied = book.of(path);
        Explained {
            path: path.to_owned(),
            mode: applied.as_ref().map(|applied| applied.mode).or_else(|| Some(drift.first()?.mode)),
            values: applied
                .iter()
                .flat_map(|applied| &applied.values)
                .map(|(pointer, _)| (*pointer).to_owned())
                .filter(|pointer| !pointer.is_empty())
                .collect(),
            source: applied.as_ref().map(|applied| applied.source),
            reason: applied.map_or_else(|| "no rule names it".to_owned(), |applied| applied.reason.to_owned()),
            drift,
        }
    };
    Ok(paths.into_iter().map(explain).collect())
}
