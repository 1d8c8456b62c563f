//! Enrolment: whether hooks gate a directory.

use std::path::{Path, PathBuf};

use referee_exec::git::{GitError, Repository, Worktree};
use referee_ledger::{State, enrolment, real_path};
use referee_model::enrolment::{EnrolledBy, Enrolment, EnrolmentRecord};
use referee_spec::discover::FILE_NAMES;

use crate::context::Context;
use crate::error::EngineError;

/// Returns the enrolment of the nearest project that contains a directory: enrolled by a person, or by a
/// committed specification. An enrolment that a commit implied once is recorded, so removing the specification
/// does not undo it. `None`: the directory was never enrolled.
///
/// # Errors
/// Fails if the enrolment cannot be determined. The caller then blocks.
pub fn standing(
    context: &Context,
    directory: &Path,
    state: Option<&State>,
    notes: &mut Vec<String>,
) -> Result<Option<Enrolment>, EngineError> {
    Ok(match look(context, directory, state)? {
        EnrolmentState::Nothing => None,
        EnrolmentState::Recorded(enrolment) => Some(enrolment),
        EnrolmentState::Implied(enrolment) => Some(keep(enrolment, state, notes)),
    })
}

/// Enrolment state of a directory.
#[derive(Debug)]
pub enum EnrolmentState {
    /// The directory was never enrolled, or is no longer enrolled.
    Nothing,
    /// The directory is enrolled, and the enrolment is recorded.
    Recorded(Enrolment),
    /// A committed specification enrols the directory, and that is not recorded yet.
    Implied(Enrolment),
}

/// Looks up the enrolment of a directory without recording anything.
///
/// | in this order | result |
/// |---|---|
/// | a record of a project that was moved, with a link in its place that leads here | that project, by its old path |
/// | a record of the directory, or of one above it up to the root of its worktree | that project |
/// | in a linked worktree: a record of the same directory in the main one | that project, in this worktree |
/// | a record of a directory further up | that project |
/// | a specification that HEAD tracks, in the nearest directory of the repository | its directory, implied |
///
/// Git is asked only for the last row.
///
/// # Errors
/// Fails if a record exists and cannot be read, or if a specification exists and git cannot tell whether it is
/// committed.
pub fn look(context: &Context, directory: &Path, state: Option<&State>) -> Result<EnrolmentState, EngineError> {
    let directory = real_path(&context.directory.join(directory));
    if let Some(found) = everywhere(context, &directory, state)?.into_iter().next() {
        return Ok(EnrolmentState::Recorded(found));
    }
    let committed = committed(context, &directory)?;
    Ok(committed.map_or(EnrolmentState::Nothing, EnrolmentState::Implied))
}

/// Returns the recorded enrolment of the project that contains a directory, without starting a process. `None`:
/// there is no record.
///
/// # Errors
/// Fails if a record exists and cannot be read.
pub fn kept(directory: &Path, state: Option<&State>) -> Result<Option<Enrolment>, EngineError> {
    let directory = real_path(directory);
    state.map_or(Ok(None), |state| recorded(state, &directory, Worktree::of(&directory).as_ref()))
}

/// Returns the recorded enrolments of a directory in all state directories, the one in `state` first. An
/// unreadable record in another state directory is ignored.
///
/// # Errors
/// Fails as [`kept`] does.
pub fn everywhere(context: &Context, directory: &Path, state: Option<&State>) -> Result<Vec<Enrolment>, EngineError> {
    let mut found: Vec<Enrolment> = kept(directory, state)?.into_iter().collect();
    for other in context.other_states(state, directory) {
        let elsewhere = kept(directory, Some(&other)).ok().flatten();
        found.extend(elsewhere.filter(|elsewhere| !found.contains(elsewhere)).into_iter().collect::<Vec<_>>());
    }
    Ok(found)
}

/// Returns how the nearest project was taken out of the gate, one sentence, even if it was enrolled again since.
/// `None`: it never was.
pub fn told_of_removal(state: Option<&State>, directory: &Path) -> Option<String> {
    let records = enrolment::above(state?, &real_path(directory)).ok()?;
    let nearest = records.iter().find(|record| record.removal().is_some())?;
    Some(removal_of(nearest))
}

/// Returns a sentence that says how a project was taken out of the gate.
pub fn removal_of(record: &EnrolmentRecord) -> String {
    let Some(removal) = record.removal() else { return String::new() };
    let by = removal.agent.as_ref().map_or_else(String::new, |agent| format!(", in a shell of {agent}"));
    let since = if record.is_enrolled() { "; it is enrolled again" } else { ", and has no gate at its hooks since" };
    format!("{} was taken out of the gate on {}{by}{since}", record.enrolment.project.display(), removal.at)
}

/// Records the enrolment that a commit implies. If that fails, the project is still enrolled, as long as the
/// commit exists.
fn keep(implied: Enrolment, state: Option<&State>, notes: &mut Vec<String>) -> Enrolment {
    let why = match state {
        None => "there is no state directory".to_owned(),
        Some(state) => match enrolment::imply(state, implied.clone()) {
            Ok(record) => return record.enrolment,
            Err(error) => error.to_string(),
        },
    };
    let project = implied.project.display();
    notes.push(format!("{project} is enrolled by its committed specification, and that is not kept: {why}"));
    implied
}

fn recorded(state: &State, directory: &Path, worktree: Option<&Worktree>) -> Result<Option<Enrolment>, EngineError> {
    let direct = in_place(state, directory, worktree)?;
    // An enrolment below the target of the link is nearer.
    let is_nearer = |place: &Path| direct.as_ref().is_none_or(|direct| place.starts_with(&direct.project));
    match through_link(state, directory)? {
        Some((place, linked)) if is_nearer(&place) => Ok(Some(linked)),
        _ => Ok(direct),
    }
}

/// Finds an enrolled project whose path is now a symbolic link that leads to a parent of this directory: the
/// project was moved after it was enrolled. Returns the link's target, too.
fn through_link(state: &State, directory: &Path) -> Result<Option<(PathBuf, Enrolment)>, EngineError> {
    let records = enrolment::readable(state)?;
    let enrolled = records.into_iter().filter(EnrolmentRecord::is_enrolled).map(|record| record.enrolment);
    let places = enrolled.map(|enrolment| (real_path(&enrolment.project), enrolment));
    let leads_here = |(place, enrolment): &(PathBuf, Enrolment)| {
        place != &enrolment.project && directory.starts_with(place) && !directory.starts_with(&enrolment.project)
    };
    Ok(places.filter(leads_here).max_by_key(|(place, _)| place.components().count()))
}

fn in_place(state: &State, directory: &Path, worktree: Option<&Worktree>) -> Result<Option<Enrolment>, EngineError> {
    let enrolled = |directory: &Path| -> Result<Option<Enrolment>, EngineError> {
        let records = enrolment::above(state, directory)?;
        Ok(records.into_iter().find(EnrolmentRecord::is_enrolled).map(|record| record.enrolment))
    };
    let direct = enrolled(directory)?;
    let Some(worktree) = worktree else { return Ok(direct) };
    if let Some(direct) = direct.as_ref().filter(|direct| direct.project.starts_with(&worktree.root)) {
        return Ok(Some(direct.clone()));
    }
    let Some(counterpart) = worktree.in_main(directory) else { return Ok(direct) };
    let in_main = enrolled(&counterpart)?.filter(|found| found.project.starts_with(&worktree.main));
    Ok(in_main.map(|found| in_worktree(found, worktree)).or(direct))
}

/// Maps an enrolment of the main worktree to a linked one: its paths are replaced by those in the linked worktree.
fn in_worktree(enrolment: Enrolment, worktree: &Worktree) -> Enrolment {
    let here = |path: PathBuf| worktree.in_linked(&path).unwrap_or(path);
    Enrolment { project: here(enrolment.project), specification: here(enrolment.specification), ..enrolment }
}

/// Finds the nearest directory whose specification the current commit tracks, whether or not the file still exists.
fn committed(context: &Context, directory: &Path) -> Result<Option<Enrolment>, EngineError> {
    let Some(root) = directory.ancestors().find(|directory| directory.join(".git").symlink_metadata().is_ok()) else {
        return Ok(None);
    };
    let places: Vec<PathBuf> = directory
        .ancestors()
        .take_while(|place| place.starts_with(root))
        .flat_map(|place| FILE_NAMES.iter().map(|name| place.join(name)))
        .collect();
    let below = |place: &PathBuf| Some(place.strip_prefix(root).ok()?.to_str()?.to_owned());
    let asked: Vec<String> = places.iter().filter_map(below).collect();
    let tracked = Repository::open(root, context.search_path()).and_then(|repository| repository.tracked(&asked));
    let tracked = match tracked {
        Ok(tracked) => tracked,
        Err(error) if places.iter().any(|place| place.is_file()) => return Err(untold(root, &error)),
        // A directory without a specification, in a repository that cannot be read, is not enrolled.
        Err(_) => return Ok(None),
    };
    let is_tracked = |place: &&PathBuf| below(place).is_some_and(|below| tracked.contains(&below));
    Ok(places.iter().find(is_tracked).and_then(|specification| {
        Some(Enrolment {
            project: specification.parent()?.to_path_buf(),
            specification: specification.clone(),
            by: EnrolledBy::CommittedSpecification,
            since: context.now(),
            held_out: None,
            trusted: None,
            fleet: None,
        })
    }))
}

fn untold(root: &Path, error: &GitError) -> EngineError {
    EngineError::specification(format!(
        "there is a specification in {}, and whether it is committed cannot be determined ({error}): enrol the project by \
             `referee enroll`, or fix the repository",
        root.display()
    ))
}

#[cfg(test)]
mod tests;
