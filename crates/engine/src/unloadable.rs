//! Seals a run for a specification that cannot be loaded, as the last run of its tasks: an earlier pass no
//! longer counts for them.

use std::path::{Path, PathBuf};

use referee_exec::signal::Cancellation;
use referee_ledger::chain_head::ChainHead;
use referee_ledger::{State, chain_heads, real_path};
use referee_model::id::TaskId;
use referee_model::suite::Suite;
use referee_spec::Remains;

use crate::context::{Context, RemainingSpecification, SpecificationNames};
use crate::earlier;
use crate::error::EngineError;
use crate::event_sink::{EventSink, Note};
use crate::keys::SigningOptions;
use crate::run::{GateOptions, RunBuilder};
use crate::suite::SuiteAnswer;

/// Seals a run of SPECIFICATION_ERROR for every task of the specifications that cannot be loaded, and adds notes
/// about it.
///
/// # Errors
/// Fails if the evidence cannot be stored: then an earlier pass may still count.
pub fn seal(
    context: &Context,
    names: &SpecificationNames,
    tasks: &[TaskId],
    signing: &SigningOptions,
    cancellation: &Cancellation,
    events: &mut dyn EventSink,
) -> Result<Vec<SuiteAnswer>, EngineError> {
    let options = GateOptions { signing: signing.clone(), ..GateOptions::default() };
    let found = suites(context, names, tasks)?;
    for note in found.notes {
        events.on_note(&Note::Text(note));
    }
    let mut answers = Vec::new();
    for suite in &found.suites {
        let builder = RunBuilder::new(context, &options, std::slice::from_ref(suite), cancellation)?;
        let prepared = builder.unprotected(suite);
        let answer = prepared.run(&mut Notes(events))?;
        for task in &answer.answers {
            let (id, directory) = (&task.report.plan.task, context.shown(&task.directory).display());
            events.on_note(&Note::Text(format!(
                "{id}: SPECIFICATION_ERROR is sealed in {directory}; earlier verdicts there no longer count"
            )));
        }
        prepared.record_status(&mut Notes(events))?;
        answers.push(answer);
    }
    Ok(answers)
}

/// Reports only the notes of such a run.
struct Notes<'events>(&'events mut dyn EventSink);

impl EventSink for Notes<'_> {
    fn on_event(&mut self, _: &referee_model::event::Event) {}

    fn on_note(&mut self, note: &Note<'_>) {
        self.0.on_note(note);
    }
}

/// What is known of specifications that cannot be loaded.
#[derive(Debug, Default)]
pub struct UnloadableSuites {
    /// Their tasks, as plans that cannot run.
    pub suites: Vec<Suite>,
    /// Notes about specifications without a recorded run, so that an earlier verdict may still count. One
    /// sentence each.
    pub notes: Vec<String>,
}

/// Finds what is known of the named specifications that cannot be loaded.
///
/// # Errors
/// Fails if the state directory or the evidence cannot be read.
pub fn suites(
    context: &Context,
    names: &SpecificationNames,
    asked: &[TaskId],
) -> Result<UnloadableSuites, EngineError> {
    let left = context.remains(names);
    let is_guessed = left.iter().all(|left| left.is_guess);
    let mut found = UnloadableSuites::default();
    let mut nearest: Option<&Path> = None;
    for RemainingSpecification { remains, is_guess } in &left {
        let directory = remains.path.parent().unwrap_or(&remains.path);
        // Of the directories above, the nearest one counts, as for a specification that exists.
        let is_searched = *is_guess && names.files.is_empty();
        if is_searched && nearest.is_some_and(|nearest| nearest != directory) {
            break;
        }
        let places = places(context, remains)?;
        if !remains.is_whole && !places.is_recorded && !is_guess {
            let sealed = if remains.is_there { "" } else { "no evidence was written: " };
            let root = context.shown(&remains.evidence_root).display().to_string();
            found.notes.push(unrecorded(context, sealed, &context.told(&remains.path), &root));
        }
        let suites = places.all.iter().filter_map(|(remains, tasks)| remains.suite(&wanted(tasks, asked)));
        let before = found.suites.len();
        found.suites.extend(suites);
        if before < found.suites.len() {
            nearest = Some(directory);
        }
    }
    if found.suites.is_empty() && is_guessed && !left.is_empty() {
        found.notes.push(unrecorded(context, "no evidence was written: ", "a specification that was here", "evidence"));
    }
    Ok(found)
}

/// Returns a note that an earlier verdict may still count, and where it was looked for.
fn unrecorded(context: &Context, sealed: &str, what: &str, place: &str) -> String {
    let state = context.state_directory().map(|state| format!(" or the state directory {}", state.display()));
    let state = state.unwrap_or_default();
    format!("{sealed}no run of {what} is recorded in {place}{state}; verdicts stored elsewhere stay valid")
}

/// Returns the requested tasks, or all tasks if none of the requested ones exists.
fn wanted(tasks: &[TaskId], asked: &[TaskId]) -> Vec<TaskId> {
    let named: Vec<TaskId> = tasks.iter().filter(|task| asked.contains(task)).cloned().collect();
    if named.is_empty() { tasks.to_vec() } else { named }
}

/// The evidence roots that runs of a specification are sealed in, with their tasks.
struct Places {
    all: Vec<(Remains, Vec<TaskId>)>,
    /// Whether a run of the specification is recorded in one of them. Not determined if the text is complete.
    is_recorded: bool,
}

/// Returns the tasks that the text names. If the text is no document, also the tasks whose last run was made
/// from the specification, in their evidence roots; if there is none, a task without a name.
fn places(context: &Context, remains: &Remains) -> Result<Places, EngineError> {
    let read: Vec<TaskId> = remains.tasks.iter().map(|(task, _)| task.clone()).collect();
    if remains.is_whole {
        return Ok(Places { all: vec![(remains.clone(), read)], is_recorded: false });
    }
    let mut here = earlier::tasks_of(&remains.evidence_root, &remains.specification.file)?;
    let mut all = elsewhere(context, remains, &here)?;
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

/// Finds further evidence roots with last runs of a specification, from the heads of chains in the user's state
/// directory. A change of the specification cannot remove them.
fn elsewhere(
    context: &Context,
    remains: &Remains,
    here: &[TaskId],
) -> Result<Vec<(Remains, Vec<TaskId>)>, EngineError> {
    let Some(state) = context.state_if_any()? else { return Ok(Vec::new()) };
    let root = real_path(&remains.evidence_root);
    let place = |mut recorded: Recorded| {
        recorded.tasks.retain(|task| recorded.root != root || !here.contains(task));
        let remains = remains.at(&recorded.workspace, &recorded.root)?;
        (!recorded.tasks.is_empty()).then_some((remains, recorded.tasks))
    };
    Ok(recorded(&state, &remains.path)?.into_iter().filter_map(place).collect())
}

/// An evidence root with last runs of a specification.
struct Recorded {
    root: PathBuf,
    workspace: PathBuf,
    tasks: Vec<TaskId>,
}

/// Finds the evidence roots with last runs of a specification. An unreadable run counts as made from none.
fn recorded(state: &State, specification: &Path) -> Result<Vec<Recorded>, EngineError> {
    let mut recorded: Vec<Recorded> = Vec::new();
    for head in chain_heads::all(state)? {
        let Some((root, workspace, task)) = run_of(head, specification) else { continue };
        if root.starts_with(state.path()) {
            continue;
        }
        match recorded.iter_mut().find(|known| known.root == root && known.workspace == workspace) {
            Some(known) => known.tasks.push(task),
            None => recorded.push(Recorded { root, workspace, tasks: vec![task] }),
        }
    }
    Ok(recorded)
}

/// Returns the evidence root, the workspace and the task of a chain. `None`: its last run was of another specification.
fn run_of(head: ChainHead, specification: &Path) -> Option<(PathBuf, PathBuf, TaskId)> {
    let root = PathBuf::from(head.evidence_root);
    let plan = earlier::plan_of(&root, &head.task_id)?;
    let is_its = plan.task == head.task_id && plan.workspace.join(&plan.specification.file) == specification;
    (is_its && plan.workspace.is_dir()).then_some((root, plan.workspace, head.task_id))
}
