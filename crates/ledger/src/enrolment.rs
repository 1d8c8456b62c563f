//! Projects enrolled for hooks, recorded where changes of the workspace cannot reach (design, "Evidence and trust";
//! attack 9). The record persists, so that removing the specification changes nothing. When an enrolment is ended, its
//! record stays and says so.
//!
//! ```text
//! <state>/enrolled/<sha256 of the project's path>.json   one project
//! <state>/enrolled/enrolled.lock                          lock for changes of records
//! ```
//!
//! A record that cannot be read is an error: it must not look like none.

use std::path::Path;

use referee_model::enrolment::{Enrolment, EnrolmentRecord, EnrolmentStanding, Removal};
use referee_model::limit;

use crate::directory::{Directory, Kind};
use crate::error::LedgerError;
use crate::lock;
use crate::state::{Area, State, place_name};

pub mod enrolment_document;

/// The lock over all records.
const LOCK: &str = "enrolled.lock";

/// File extension of records.
const ENDING: &str = ".json";

/// Returns the records of a directory and of all its ancestors, nearest first, including those of ended
/// enrolments. The path must be absolute, with its links resolved. Nothing is created.
///
/// # Errors
/// Fails if a record exists and cannot be read.
pub fn above(state: &State, directory: &Path) -> Result<Vec<EnrolmentRecord>, LedgerError> {
    let Some(area) = state.look_into(Area::Enrolled)? else { return Ok(Vec::new()) };
    let records = directory.ancestors().map(|project| read(&area, project));
    records.filter_map(Result::transpose).collect()
}

/// Returns all records, sorted by project.
///
/// # Errors
/// Fails if one of them cannot be read, and if there are too many.
pub fn all(state: &State) -> Result<Vec<EnrolmentRecord>, LedgerError> {
    let Some(area) = state.look_into(Area::Enrolled)? else { return Ok(Vec::new()) };
    let mut records = Vec::new();
    for name in names(&area)? {
        records.extend(read_file(&area, &name)?);
    }
    records.sort_by(|one, other| one.enrolment.project.cmp(&other.enrolment.project));
    Ok(records)
}

/// Returns all readable records. An unreadable one only affects the directory that it is named after, see
/// [`above`].
///
/// # Errors
/// Fails if the records cannot be listed.
pub fn readable(state: &State) -> Result<Vec<EnrolmentRecord>, LedgerError> {
    let Some(area) = state.look_into(Area::Enrolled)? else { return Ok(Vec::new()) };
    let names = names(&area)?;
    Ok(names.iter().filter_map(|name| read_file(&area, name).ok().flatten()).collect())
}

/// Enrols a project at a person's request, replacing any earlier enrolment.
///
/// # Errors
/// Fails if the previous record cannot be read, if the record cannot be written, and if a path is not UTF-8.
pub fn enroll(state: &State, enrolment: Enrolment) -> Result<EnrolmentRecord, LedgerError> {
    let project = enrolment.project.clone();
    change(state, &project, |before| {
        let ended_before = before.and_then(|before| before.removal().cloned());
        EnrolmentRecord { enrolment, standing: EnrolmentStanding::Enrolled { ended_before } }
    })
}

/// Records an enrolment implied by a committed specification. An enrolment in effect stays as it is. An ended one is
/// renewed, with the held-out checks, the trusted commit and the workers that a person chose before.
///
/// # Errors
/// Same as [`enroll`].
pub fn imply(state: &State, implied: Enrolment) -> Result<EnrolmentRecord, LedgerError> {
    let project = implied.project.clone();
    change(state, &project, |before| match before {
        Some(before) if before.is_enrolled() => before,
        Some(before) => {
            let ended_before = before.removal().cloned();
            let Enrolment { held_out, trusted, fleet, .. } = before.enrolment;
            let enrolment = Enrolment { held_out, trusted, fleet, ..implied };
            EnrolmentRecord { enrolment, standing: EnrolmentStanding::Enrolled { ended_before } }
        }
        None => EnrolmentRecord { enrolment: implied, standing: EnrolmentStanding::Enrolled { ended_before: None } },
    })
}

/// Ends the enrolment of a project. Its record stays. Returns `false` if the project was not enrolled.
///
/// # Errors
/// Same as [`enroll`].
pub fn remove(state: &State, project: &Path, removal: Removal) -> Result<bool, LedgerError> {
    let area = state.open_area(Area::Enrolled)?;
    let _lock = lock::of_file(&area, LOCK)?;
    let Some(before) = read(&area, project)?.filter(EnrolmentRecord::is_enrolled) else { return Ok(false) };
    write(&area, &EnrolmentRecord { standing: EnrolmentStanding::Removed(removal), ..before })?;
    Ok(true)
}

/// Changes the record of a project, under the lock.
fn change(
    state: &State,
    project: &Path,
    change: impl FnOnce(Option<EnrolmentRecord>) -> EnrolmentRecord,
) -> Result<EnrolmentRecord, LedgerError> {
    let area = state.open_area(Area::Enrolled)?;
    let _lock = lock::of_file(&area, LOCK)?;
    let before = read(&area, project)?;
    let after = change(before.clone());
    if before.as_ref() != Some(&after) {
        write(&area, &after)?;
    }
    Ok(after)
}

fn write(area: &Directory, record: &EnrolmentRecord) -> Result<(), LedgerError> {
    let name = name(&record.enrolment.project);
    let unusable = |reason: String| LedgerError::Unusable { path: area.path().join(&name), reason };
    let bytes = enrolment_document::render(record)
        .ok_or_else(|| unusable("a path of the project is not text (UTF-8), so it cannot be kept".to_owned()))?
        .map_err(|error| unusable(error.to_string()))?;
    if area.kind(&name)?.is_none() && names(area)?.len() >= limit::ENROLMENTS {
        return Err(unusable(format!("{} projects are enrolled already", limit::ENROLMENTS)));
    }
    area.replace(&name, &bytes).map(drop)
}

/// Reads the record of a project.
fn read(area: &Directory, project: &Path) -> Result<Option<EnrolmentRecord>, LedgerError> {
    read_file(area, &name(project))
}

fn read_file(area: &Directory, name: &str) -> Result<Option<EnrolmentRecord>, LedgerError> {
    let Some(bytes) = area.read_at_most(name, limit::ENROLMENT_BYTES)? else { return Ok(None) };
    let unusable = |reason: String| LedgerError::Unusable {
        path: area.path().join(name),
        reason: format!("{reason}; until it is fixed, or moved away, hooks block below that project"),
    };
    let record = enrolment_document::read(&bytes).map_err(|error| unusable(error.to_string()))?;
    let project = &record.enrolment.project;
    if name != self::name(project) {
        return Err(unusable(format!("it is about {}, which has another name", project.display())));
    }
    Ok(Some(record))
}

/// Returns the names of all records.
fn names(area: &Directory) -> Result<Vec<String>, LedgerError> {
    let names = area.names_of(Kind::File)?.into_iter();
    Ok(names.filter(|name| name.ends_with(ENDING) && !name.starts_with('.')).take(limit::ENROLMENTS).collect())
}

/// Returns the name of a project's record.
fn name(project: &Path) -> String {
    format!("{}{ENDING}", place_name(project))
}

#[cfg(test)]
mod tests;
