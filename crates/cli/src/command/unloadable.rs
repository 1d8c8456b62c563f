//! A specification that cannot be loaded is sealed as the last run of its tasks: an earlier pass stands for it no longer.

use std::io;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use referee_engine::clean_room::Ground;
use referee_engine::context::RemainingSpecification;
use referee_engine::earlier;
use referee_engine::sandboxing::Sandboxing;
use referee_engine::selection::Selection;
use referee_engine::suite::{self, SuiteAnswer, SuiteRequest};
use referee_exec::signal::Cancellation;
use referee_model::id::TaskId;
use referee_model::suite::Suite;
use referee_spec::Remains;

use self::recorded::Recorded;
use super::gating::Silent;
use crate::args::Run;
use crate::error::Problem;
use crate::output;
use crate::resolve::World;

mod recorded;

/// Why an earlier verdict may stand although its specification cannot be loaded.
pub(super) enum Unrecorded<'a> {
    /// No specification was found, and none was here.
    Nothing,
    /// No run of this one is recorded where it was looked for.
    Run(&'a Remains),
}

/// Seals a run of SPECIFICATION_ERROR for every task of the specifications that cannot be loaded, and says so.
///
/// # Errors
/// Fails where the evidence cannot be kept: then an earlier pass may still stand.
pub(super) fn seal(world: &World, arguments: &Run, cancellation: &Cancellation) -> Result<Vec<SuiteAnswer>, Problem> {
    let mut answers = Vec::new();
    let suites = suites(world, arguments, |unrecorded| tell(world, &unrecorded))?;
    for suite in &suites {
        let state = world.state(suite.tasks.iter().map(|plan| plan.workspace.as_path()))?;
        let request = SuiteRequest {
            suite,
            tasks: &[],
            selection: &Selection::default(),
            baseline: None,
            ground: &Ground::Workspace,
            state: state.as_ref(),
            sandbox: Sandboxing::default(),
            signer: arguments.signing.options().signer(world, std::slice::from_ref(suite))?,
            protection: None,
            jobs: None,
            processors: NonZeroUsize::MIN,
            executions: suite.tasks.iter().map(|_| world.new_execution()).collect::<Result<_, _>>()?,
            world: world.for_exec()?,
            host: world.host(),
            cancellation,
        };
        let answer = suite::run(&request, &mut Silent)?;
        for task in &answer.answers {
            let (id, folder) = (&task.report.plan.task, world.shown(&task.folder).display());
            let note =
                format!("note: {id}: SPECIFICATION_ERROR is sealed in {folder}; no earlier verdict there stands\n");
            output::aside(note.as_bytes())?;
        }
        super::status::after_run(world, suite)?;
        answers.push(answer);
    }
    Ok(answers)
}

/// Says that an earlier verdict may stand, and where it was looked for.
fn tell(world: &World, unrecorded: &Unrecorded<'_>) -> io::Result<()> {
    let (sealed, what, place) = match unrecorded {
        Unrecorded::Nothing => {
            ("nothing is sealed: ", "a specification that was here".to_owned(), "evidence".to_owned())
        }
        Unrecorded::Run(remains) => {
            let sealed = if remains.is_there { "" } else { "nothing is sealed: " };
            (sealed, world.told(&remains.path), world.shown(&remains.evidence_root).display().to_string())
        }
    };
    let state = world.state_folder().map(|state| format!(" or the state folder {}", state.display()));
    let state = state.unwrap_or_default();
    let note = format!(
        "note: {sealed}no run of {what} is recorded in {place}{state}; an earlier verdict that lies elsewhere still stands\n"
    );
    output::aside(note.as_bytes())
}

/// What can be told of specifications that cannot be loaded. Those of which no run is recorded are told of.
pub(super) fn suites(
    world: &World,
    arguments: &Run,
    unknown: impl Fn(Unrecorded<'_>) -> io::Result<()>,
) -> Result<Vec<Suite>, Problem> {
    let left = world.remains(&(&arguments.specification).into());
    let is_guessed = left.iter().all(|left| left.is_guess);
    let mut suites: Vec<(PathBuf, Suite)> = Vec::new();
    for RemainingSpecification { remains, is_guess } in &left {
        let folder = remains.path.parent().unwrap_or(&remains.path);
        // Of the folders above the nearest counts, as it does for a specification that is there.
        let is_searched = *is_guess && arguments.specification.files.is_empty();
        if is_searched && suites.last().is_some_and(|(nearest, _)| nearest != folder) {
            break;
        }
        let places = places(world, remains)?;
        if !remains.is_whole && !places.is_recorded && !is_guess {
            unknown(Unrecorded::Run(remains))?;
        }
        let found = places.all.iter().filter_map(|(remains, tasks)| remains.suite(&wanted(tasks, &arguments.tasks)));
        suites.extend(found.map(|suite| (folder.to_owned(), suite)));
    }
    if suites.is_empty() && is_guessed && !left.is_empty() {
        unknown(Unrecorded::Nothing)?;
    }
    Ok(suites.into_iter().map(|(_, suite)| suite).collect())
}

/// The tasks that are asked for; where none of them is there, all.
fn wanted(tasks: &[TaskId], asked: &[TaskId]) -> Vec<TaskId> {
    let named: Vec<TaskId> = tasks.iter().filter(|task| asked.contains(task)).cloned().collect();
    if named.is_empty() { tasks.to_vec() } else { named }
}

/// Where runs are sealed of a specification, and of which tasks.
struct Places {
    all: Vec<(Remains, Vec<TaskId>)>,
    /// Whether a run of it is recorded in one of them. What is whole was not looked for.
    is_recorded: bool,
}

/// The tasks are those that the text names; where it is no document, those too of which the last run was made from it, where
/// these lie; where there is none, one without a name.
fn places(world: &World, remains: &Remains) -> Result<Places, Problem> {
    let read: Vec<TaskId> = remains.tasks.iter().map(|(task, _)| task.clone()).collect();
    if remains.is_whole {
        return Ok(Places { all: vec![(remains.clone(), read)], is_recorded: false });
    }
    let mut here = earlier::tasks_of(&remains.evidence_root, &remains.specification.file)?;
    let mut all = elsewhere(world, remains, &here)?;
    let is_recorded = !here.is_empty() || !all.is_empty();
    if all.is_empty() || remains.is_placed || !here.is_empty() {
        here.extend(read);
    } else {
        for (_, tasks) in &mut all {
            tasks.extend(read.iter().cloned());
        }
    }
    if here.is_empty() && all.is_empty() && remains.is_there {
        here.push(Remains::no_task());
    }
    all.push((remains.clone(), here));
    for (_, tasks) in &mut all {
        tasks.sort();
        tasks.dedup();
    }
    Ok(Places { all, is_recorded })
}

/// Where else last runs of a specification lie, by the user's state folder.
fn elsewhere(world: &World, remains: &Remains, here: &[TaskId]) -> Result<Vec<(Remains, Vec<TaskId>)>, Problem> {
    let Some(state) = world.state_if_any()? else { return Ok(Vec::new()) };
    let root = remains.evidence_root.canonicalize().unwrap_or_else(|_| remains.evidence_root.clone());
    let place = |mut recorded: Recorded| {
        recorded.tasks.retain(|task| recorded.root != root || !here.contains(task));
        let remains = remains.at(&recorded.workspace, &recorded.root)?;
        (!recorded.tasks.is_empty()).then_some((remains, recorded.tasks))
    };
    Ok(recorded::of(&state, &remains.path)?.into_iter().filter_map(place).collect())
}
