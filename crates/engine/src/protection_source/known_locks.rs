//! Records of locks in state directories, independent of the workspace: where there was a lock, of which
//! specification, and who signed it. If something locked is gone or was moved, work is not judged.

use std::path::{Path, PathBuf};

use referee_exec::git::{self, Worktree};
use referee_ledger::locks::Locked;
use referee_ledger::locks::history::{LockHistory, SignedLock};
use referee_ledger::locks::lock_document::FILE_NAME;
use referee_ledger::{State, locks, real_path};
use referee_model::enrolment::EnrolledBy;
use referee_model::plan::Plan;
use referee_model::run_context::protection::TrustedBaseline;
use referee_model::suite::Suite;
use referee_spec::discover;

use crate::context::Context;
use crate::enrolment;
use crate::error::EngineError;
use crate::protection::Baseline;

/// The variable that names a specification.
const SPECIFICATION: &str = "REFEREE_SPECIFICATION";

/// Verifies that a specification is used with the workspace that it was locked or enrolled for, and that nothing
/// locked below is gone.
///
/// # Errors
/// Fails if that is not so, with advice.
pub fn hold(context: &Context, suite: &Suite, plan: &Plan, state: Option<&State>) -> Result<(), EngineError> {
    let histories = all(context, state, &plan.workspace);
    let named = &suite.specification.file;
    let file = real_path(&plan.workspace.join(named));
    let is_here = |history: &LockHistory| real_path(Path::new(&history.workspace)) == plan.workspace;
    let is_locked_here = histories.iter().any(|history| is_here(history) && history.specifications.contains(named));
    let others = if is_locked_here { Vec::new() } else { workspaces_of(context, &histories, &file, state)? };
    for other in others {
        if real_path(&other) != real_path(&plan.workspace) {
            return Err(EngineError::specification(format!(
                "{} is the specification of {}, and says that it is about {} now: put `workspace` back, or let a person enrol \
                 and lock it again at a terminal",
                file.display(),
                other.display(),
                plan.workspace.display()
            )));
        }
    }
    by_variable(context, plan, &file, state)?;
    let is_below = |place: &Path, directory: &Path| place != directory && place.starts_with(directory);
    missing(&histories, &plan.workspace, is_below)
}

/// Verifies that the variable does not name a specification other than the one that the project is enrolled with.
fn by_variable(context: &Context, plan: &Plan, file: &Path, state: Option<&State>) -> Result<(), EngineError> {
    let named = context.variable(SPECIFICATION);
    let is_by_variable = named.is_some_and(|value| real_path(&context.directory.join(value)) == file);
    let enrolments = if is_by_variable { enrolment::everywhere(context, &plan.workspace, state)? } else { Vec::new() };
    let of_project = enrolments.iter().filter(|enrolment| enrolment.project == plan.workspace);
    let mut others = of_project.map(|enrolment| &enrolment.specification).filter(|known| real_path(known) != file);
    others.next().map_or(Ok(()), |known| {
        Err(EngineError::specification(format!(
            "{SPECIFICATION} names {}, and the project is enrolled with {}: unset it, or name the specification as an argument",
            file.display(),
            known.display()
        )))
    })
}

/// Verifies that nothing that was locked in or below a directory is gone.
///
/// # Errors
/// As [`hold`].
pub fn hold_below(context: &Context, directory: &Path, state: Option<&State>) -> Result<(), EngineError> {
    let directory = real_path(&context.directory.join(directory));
    missing(&all(context, state, &directory), &directory, |place, directory| place.starts_with(directory))
}

/// Returns the lock histories of all state directories.
fn all(context: &Context, state: Option<&State>, workspace: &Path) -> Vec<LockHistory> {
    let others = context.other_states(state, workspace);
    state.into_iter().chain(&others).filter_map(|state| locks::all(state).ok()).flatten().collect()
}

/// Returns the workspaces that a specification inside them was locked or enrolled for.
fn workspaces_of(
    context: &Context,
    histories: &[LockHistory],
    file: &Path,
    state: Option<&State>,
) -> Result<Vec<PathBuf>, EngineError> {
    let is_of = |history: &&LockHistory| {
        let workspace = real_path(Path::new(&history.workspace));
        history.specifications.iter().any(|name| Path::new(name).is_relative() && workspace.join(name) == file)
    };
    let locked = histories.iter().filter(is_of).map(|history| PathBuf::from(&history.workspace));
    let directory = file.parent().unwrap_or(file);
    let enrolled = enrolment::everywhere(context, directory, state)?.into_iter().filter(|enrolment| {
        enrolment.by != EnrolledBy::CommittedSpecification
            && file.starts_with(&enrolment.project)
            && real_path(&enrolment.specification) == file
    });
    Ok(locked.chain(enrolled.map(|enrolment| enrolment.project)).collect())
}

/// Fails for the first locked workspace of a directory whose lock or specification is gone.
fn missing(
    histories: &[LockHistory],
    directory: &Path,
    is_meant: impl Fn(&Path, &Path) -> bool,
) -> Result<(), EngineError> {
    for history in histories.iter().filter(|history| !history.linked_worktree) {
        let before = Path::new(&history.workspace);
        let place = real_path(before);
        // A link in the directory leads to a workspace that was moved out of it.
        let Some(within) = [before, place.as_path()].into_iter().find(|place| is_meant(place, directory)) else {
            continue;
        };
        if discover::passes_over(within.strip_prefix(directory).unwrap_or(within)) {
            continue;
        }
        let names = std::iter::once(FILE_NAME).chain(history.specifications.iter().map(String::as_str));
        let gone = names.map(|name| place.join(name)).find(|path| path.symlink_metadata().is_err());
        if let Some(gone) = gone {
            return Err(EngineError::specification(format!(
                "{} was locked, and {} is gone: put it back; where it is gone for good, a person types `referee lock forget {}` \
                 at a terminal",
                before.display(),
                gone.display(),
                before.display()
            )));
        }
    }
    Ok(())
}

/// Records that a workspace has a lock written elsewhere, and who signed it. A failure to record it is ignored.
pub fn remember(state: &State, suite: &Suite, plan: &Plan, found: &[Baseline]) {
    let of_lock = |baseline: &Baseline| match &baseline.trusted {
        TrustedBaseline::Lock { digest, approved_by } if !baseline.is_missed() => {
            Some((baseline.is_kept(), approved_by.clone().map(|approver| SignedLock { digest: *digest, approver })))
        }
        _ => None,
    };
    let locks: Vec<_> = found.iter().filter_map(of_lock).collect();
    let signed = locks.iter().find_map(|(_, signed)| signed.clone());
    let is_seen = locks.iter().any(|(is_kept, _)| !is_kept) && plan.workspace.join(FILE_NAME).is_file();
    if is_seen || signed.is_some() {
        let specifications = vec![suite.specification.file.clone()];
        drop(locks::remember(state, &plan.workspace, &locked(&plan.workspace, specifications, signed)));
    }
}

/// Records all locks of a project and of its sub-projects.
///
/// # Errors
/// Fails if they cannot be stored.
pub fn remember_below(state: &State, project: &Path) -> Result<(), EngineError> {
    let found = discover::below(project).unwrap_or_default();
    for (directory, name) in found.iter().filter_map(|found| Some((found.file.parent()?, found.file.file_name()?))) {
        let is_others = directory.ancestors().take_while(|above| *above != project).any(git::is_root);
        if is_others || !directory.join(FILE_NAME).is_file() {
            continue;
        }
        let specifications = vec![name.to_string_lossy().into_owned()];
        locks::remember(state, directory, &locked(directory, specifications, None))?;
    }
    Ok(())
}

/// Returns the last signer of a workspace's lock, from all state directories. `None` if none signed it.
pub fn signer(context: &Context, state: Option<&State>, plan: &Plan) -> Option<String> {
    let main = Worktree::counterpart(&plan.workspace);
    let is_of = |history: &&LockHistory| {
        let place = real_path(Path::new(&history.workspace));
        place == plan.workspace || main.as_ref() == Some(&place)
    };
    let histories = all(context, state, &plan.workspace);
    histories.iter().filter(is_of).find_map(|history| history.signed.as_ref()).map(|signed| signed.approver.clone())
}

fn locked(workspace: &Path, specifications: Vec<String>, signed: Option<SignedLock>) -> Locked {
    Locked { specifications, signed, linked_worktree: Worktree::counterpart(workspace).is_some() }
}
