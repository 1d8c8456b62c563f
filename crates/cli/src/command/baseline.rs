//! `referee baseline`: what stands now; and what `run --baseline` is given.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use referee_engine::baseline::{self, Refused};
use referee_engine::suite;
use referee_ledger::document;
use referee_model::baseline::{Baseline, Tally, TaskBaseline};
use referee_model::id::TaskId;
use referee_model::limit;
use referee_model::plan::Plan;
use referee_model::suite::Suite;
use referee_wire::{evidence_name, exit_code};

use crate::args;
use crate::error::Problem;
use crate::output;
use crate::resolve::{self, World};

/// Takes a baseline of the last sealed runs, and writes it down.
pub(super) fn execute(world: &World, arguments: &args::Baseline) -> Result<u8, Problem> {
    let folders = match &arguments.evidence {
        Some(root) => in_evidence(world, root, &arguments.tasks)?,
        None => of_specification(world, arguments)?,
    };
    let taken = take(world, &folders)?;
    let bytes = referee_wire::baseline::render(&taken)?;
    match &arguments.output {
        Some(file) => document::write(&world.directory.join(file), &bytes)
            .map_err(|error| Problem::usage(format!("the baseline was not written: {error}")))?,
        None => output::answer(&bytes)?,
    }
    for (task, known) in &taken.tasks {
        output::aside(format!("{}\n", summed_up(task, known)).as_bytes())?;
    }
    Ok(exit_code::PASSED)
}

/// Reads the baseline that a run is to be held against. What cannot be used is a problem, and nothing runs: a baseline that
/// is asked for is never passed over.
pub(super) fn given(world: &World, path: &Path, suites: &[Suite], asked: &[TaskId]) -> Result<Baseline, Problem> {
    let [suite] = suites else {
        return Err(Problem::usage("a baseline is one of one specification: run them one by one".to_owned()));
    };
    let plans: Vec<Plan> =
        suite::wanted(suite, asked).into_iter().map(|plan| suite::shown(plan, &world.environment)).collect();
    let whole = world.directory.join(path);
    let baseline = if whole.is_dir() {
        let tasks: Vec<TaskId> = plans.iter().map(|plan| plan.task.clone()).collect();
        take(world, &sealed_in(&whole, &tasks, path)?)?
    } else {
        let bytes = read(&whole).map_err(|error| unusable(path, error))?;
        referee_wire::baseline::read(&bytes).map_err(|error| unusable(path, error))?
    };
    let plans: Vec<&Plan> = plans.iter().collect();
    for note in baseline::fit(&baseline, &plans).map_err(|refused| refusal(path, refused))? {
        output::aside(format!("note: {note}\n").as_bytes())?;
    }
    Ok(baseline)
}

fn unusable(path: &Path, error: impl std::fmt::Display) -> Problem {
    Problem::usage(format!("the baseline {} cannot be used: {error}", path.display()))
}

fn refusal(path: &Path, refused: Refused) -> Problem {
    match refused {
        Refused::Failure(failure) => failure.into(),
        Refused::Evidence(_) | Refused::Elsewhere(_) => unusable(path, refused),
    }
}

/// Reads a regular file of a bounded size.
fn read(path: &Path) -> Result<Vec<u8>, String> {
    let about = std::fs::metadata(path).map_err(|error| error.to_string())?;
    if !about.is_file() {
        return Err("it is neither a file nor a folder of evidence".to_owned());
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| error.to_string())?;
    file.take(limit::BASELINE_BYTES + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > limit::BASELINE_BYTES {
        return Err(format!("it is larger than {} bytes", limit::BASELINE_BYTES));
    }
    Ok(bytes)
}

/// The folders of the tasks of the specification that is meant.
fn of_specification(world: &World, arguments: &args::Baseline) -> Result<Vec<PathBuf>, Problem> {
    let loaded = resolve::load(world, &arguments.specification)?.into_iter().collect::<Result<Vec<_>, _>>()?;
    let [loaded] = loaded.as_slice() else {
        return Err(Problem::usage("a baseline is one of one specification: name one of them".to_owned()));
    };
    let suite = &loaded.suite;
    if let Some(unknown) = arguments.tasks.iter().find(|task| suite.task(task).is_none()) {
        return Err(Problem::usage(format!("there is no task {unknown} in {}", suite.specification.file)));
    }
    let is_asked = |plan: &&Plan| arguments.tasks.is_empty() || arguments.tasks.contains(&plan.task);
    let plans: Vec<&Plan> = suite.tasks.iter().filter(is_asked).collect();
    plans.into_iter().map(|plan| sealed(world, &plan.evidence_root.join(plan.task.as_str()), &plan.task)).collect()
}

fn sealed(world: &World, folder: &Path, task: &TaskId) -> Result<PathBuf, Problem> {
    if is_sealed(folder) {
        return Ok(folder.to_owned());
    }
    let shown = world.shown(folder).display();
    Err(Problem::usage(format!("there is no sealed run of {task} in {shown}: run it first")))
}

/// The folders of tasks in a folder of evidence that was named: itself, or those in it.
fn in_evidence(world: &World, root: &Path, asked: &[TaskId]) -> Result<Vec<PathBuf>, Problem> {
    let whole = world.directory.join(root);
    if !asked.is_empty() && !is_sealed(&whole) {
        return asked.iter().map(|task| sealed(world, &whole.join(task.as_str()), task)).collect();
    }
    let entries = std::fs::read_dir(&whole)
        .map_err(|error| Problem::usage(format!("{} is no folder of evidence: {error}", root.display())))?;
    let names = entries.filter_map(Result::ok).filter_map(|entry| entry.file_name().into_string().ok());
    let mut tasks: Vec<TaskId> = names.filter_map(|name| TaskId::parse(name).ok()).collect();
    tasks.sort();
    sealed_in(&whole, &tasks, root)
}

/// The sealed folders of these tasks, or the one that was named where it is one itself.
fn sealed_in(whole: &Path, tasks: &[TaskId], named: &Path) -> Result<Vec<PathBuf>, Problem> {
    if is_sealed(whole) {
        return Ok(vec![whole.to_owned()]);
    }
    let folders: Vec<PathBuf> =
        tasks.iter().map(|task| whole.join(task.as_str())).filter(|folder| is_sealed(folder)).collect();
    if folders.is_empty() {
        return Err(Problem::usage(format!("there is no sealed run in {}", named.display())));
    }
    Ok(folders)
}

fn is_sealed(folder: &Path) -> bool {
    folder.join(evidence_name::SEAL).is_file()
}

fn take(world: &World, folders: &[PathBuf]) -> Result<Baseline, Problem> {
    let mut baseline = Baseline::default();
    let state = world.state_if_any()?;
    for folder in folders {
        let (task, taken) =
            baseline::take(folder, state.as_ref()).map_err(|refused| refusal(world.shown(folder), refused))?;
        for note in taken.notes {
            output::aside(format!("note: {task}: {note}\n").as_bytes())?;
        }
        baseline.tasks.insert(task, taken.baseline);
    }
    Ok(baseline)
}

/// Says what a baseline of a task knows.
fn summed_up(task: &TaskId, known: &TaskBaseline) -> String {
    let mut sum = Tally::default();
    for action in &known.actions {
        let listed = action.findings.values().map(|finding| (finding.errors, finding.warnings));
        let unlisted = action.unlisted.values().map(|counts| (counts.errors, counts.warnings));
        for (errors, warnings) in listed.chain(unlisted) {
            sum = sum.plus(Tally { errors, warnings, failed_tests: 0 });
        }
        let failed_tests = action.tests.as_ref().map_or(0, |tests| tests.failed.len() as u64);
        sum = sum.plus(Tally { failed_tests, ..Tally::default() });
    }
    let stood = sum.said().unwrap_or_else(|| "nothing".to_owned());
    format!("{task}: {stood} stood in {} at {}", known.execution, known.made)
}
