//! `referee evidence list` and `show`: show the stored runs. Nothing is written.

use std::path::{Path, PathBuf};

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_ledger::evidence::Evidence;
use referee_ledger::{Store, retention};
use referee_model::evidence_list::{self, StoredRun};
use referee_model::evidence_name;
use referee_model::exit_code;
use referee_model::id::TaskId;
use referee_report::human;
use referee_report::style;

use crate::args::EvidenceRoot;
use crate::args::evidence::{List, Show};
use crate::output;
use crate::resolve;

/// Lists the stored runs.
pub(in crate::command) fn list(context: &Context, arguments: &List) -> Result<u8, EngineError> {
    let root = root(context, &arguments.root)?;
    let runs = runs(context, &root, arguments.task.as_ref())?;
    output::document(
        arguments.format,
        || referee_model::document::to_bytes(&evidence_list::document(root.display().to_string(), &runs)),
        |out| human::kept::list(&runs, &context.terminal.stdout, out),
    )?;
    Ok(exit_code::PASSED)
}

pub(in crate::command) fn show(context: &Context, arguments: &Show) -> Result<u8, EngineError> {
    let directory = context.directory.join(&arguments.run);
    let run = if directory.is_dir() {
        let found = retention::look_at(&directory)?;
        found
            .ok_or_else(|| EngineError::usage(format!("nothing in {} tells of a run", style::plain(&arguments.run))))?
    } else {
        find(context, &arguments.root, &arguments.run)?
    };
    let directory = Path::new(&run.directory);
    output::document(
        arguments.format,
        || {
            referee_model::document::to_bytes(&evidence_list::document(
                root_of(directory).display().to_string(),
                std::slice::from_ref(&run),
            ))
        },
        |out| {
            let sealed = Evidence::open(directory).and_then(|evidence| evidence.read(evidence_name::SEAL));
            let seal = sealed.ok().and_then(|bytes| referee_model::seal::read(&bytes).ok());
            let files = seal.map(|seal| seal.files).unwrap_or_default();
            human::kept::show(&run, &files, &context.terminal.stdout, out)
        },
    )?;
    Ok(exit_code::PASSED)
}

/// Returns the evidence root that contains a run's directory.
pub(in crate::command) fn root_of(directory: &Path) -> &Path {
    let depth = if directory.ancestors().nth(2).is_some_and(|above| above.ends_with(".history")) { 3 } else { 1 };
    directory.ancestors().nth(depth).unwrap_or(directory)
}

/// Finds a stored run by its id.
pub(in crate::command) fn find(context: &Context, root: &EvidenceRoot, id: &str) -> Result<StoredRun, EngineError> {
    let root = self::root(context, root)?;
    let mut runs = runs(context, &root, None)?;
    let is_meant = |run: &StoredRun| run.execution_id.as_ref().is_some_and(|execution| execution.as_str() == id);
    match runs.iter().position(is_meant) {
        Some(index) => Ok(runs.swap_remove(index)),
        None => Err(EngineError::usage(format!(
            "{} is neither an evidence directory nor a run stored in {} (see `referee evidence list`)",
            style::plain(id),
            context.shown(&root).display()
        ))),
    }
}

fn runs(context: &Context, root: &Path, task: Option<&TaskId>) -> Result<Vec<StoredRun>, EngineError> {
    let state = context.state_if_any()?;
    let Some(store) = Store::look(root, state.as_ref())? else { return Ok(Vec::new()) };
    let known = store.known_tasks()?;
    let mut runs = Vec::new();
    for known in known.iter().filter(|known| task.is_none_or(|task| task == *known)) {
        runs.extend(store.kept(known)?);
    }
    Ok(runs)
}

/// Returns the selected evidence root.
pub(super) fn root(context: &Context, root: &EvidenceRoot) -> Result<PathBuf, EngineError> {
    resolve::evidence_root(context, root.evidence.as_deref())
}
