//! An approved incident is handed to an executor, and the executor hands it back.
//!
//! Nothing is handed off that is not approved, and there is no way around that. What an executor says when it hands back is a
//! claim: an incident is resolved by checks that ran, and by nothing else.

use std::path::{Path, PathBuf};

use referee_judge::incident::transition::next;
use referee_ledger::incidents::{Change, Hold, Part, PartFile};
use referee_model::incident::id::IncidentId;
use referee_model::incident::status::{IncidentEvent, IncidentStatus};
use referee_model::limit;
use referee_wire::handback::{self, ACCEPT, HANDBACK};
use referee_wire::handoff::{HANDOFF, HANDOFF_TEXT};
use serde_json::Value;

use self::queue::Placed;
use super::{Desk, IncidentError, Stored, approval};

mod package;
mod queue;
mod result;

/// A handoff that is asked for.
#[derive(Debug, Clone, Default)]
pub struct HandoffRequest {
    /// Who is to carry it out.
    pub executor: String,
    /// Where it is put for the executor: an absolute path. None: nowhere.
    pub queue: Option<PathBuf>,
    /// Whether another package of this incident in the queue is replaced.
    pub force: bool,
}

/// Hands an approved incident off. Returns the package, as `handoff.json` has it. Asked again for the same it answers the same.
///
/// # Errors
/// Fails where it is not approved, where the queue holds another package of it (nothing is changed then), and where it cannot be
/// kept.
pub fn hand_off(desk: Desk<'_>, id: &IncidentId, request: &HandoffRequest) -> Result<Value, IncidentError> {
    let executor = executor_name(&request.executor)?;
    let _hold = hold(desk, id)?;
    let stored = desk.find(id)?;
    let is_again = is_handed_off_so(&stored, executor, request.queue.as_deref());
    if !is_again {
        next(stored.incident.status, IncidentEvent::HandedOff)?;
    }
    let approval = approval::standing(desk, id)?
        .map_err(|reason| IncidentError::Refused(format!("incident {id} cannot be handed off: {reason}")))?;
    if is_again && let Some(bytes) = desk.incidents.file(id, Part::Handoff, HANDOFF)? {
        return package::value(&bytes);
    }
    let now = desk.host.clock.now();
    let package = package::package(desk, &stored, executor, &approval)?;
    let placed = match &request.queue {
        Some(folder) => queue::place(folder, &package, request.force)?,
        None => Placed::nowhere(&package)?,
    };
    let text = package::text(desk, &placed.package, &approval);
    let changed = desk.incidents.change(id, now, |stored| {
        let mut incident = stored.incident.clone();
        incident.status = next(incident.status, IncidentEvent::HandedOff)?;
        incident.handoff_at = Some(placed.package.prepared_at);
        incident.handoff_path = Some(placed.package.paths.handoff_json.clone());
        incident.handoff_executor = Some(executor.to_owned());
        incident.handoff_queue_path = placed.path.as_ref().map(|path| path.display().to_string());
        incident.updated_at = now;
        let files = vec![file(HANDOFF, placed.bytes.clone()), file(HANDOFF_TEXT, text.clone().into_bytes())];
        let removed = [ACCEPT, HANDBACK].map(|name| (Part::Handoff, name.to_owned())).to_vec();
        let change = Change::of(incident, "handoff", desk.by);
        Ok::<_, IncidentError>(Change { files, removed, note: format!("to {executor}"), ..change })
    });
    match changed {
        Ok(Some(_)) => package::value(&placed.bytes),
        failed => {
            placed.undo(id)?;
            Err(failed.err().unwrap_or_else(|| IncidentError::Unknown(id.clone())))
        }
    }
}

/// Takes an incident back from an executor who has not begun. Its package leaves the queue, unless somebody changed it there.
///
/// # Errors
/// Fails where it does not stand so, and where it cannot be kept.
pub fn recall(desk: Desk<'_>, id: &IncidentId) -> Result<(), IncidentError> {
    let _hold = hold(desk, id)?;
    let stored = desk.find(id)?;
    next(stored.incident.status, IncidentEvent::Recalled)?;
    let package = desk.incidents.file(id, Part::Handoff, HANDOFF)?;
    // First, so that nobody takes a package that is recalled; asked again after a crash it is gone already.
    if let (Some(path), Some(package)) = (&stored.incident.handoff_queue_path, &package) {
        queue::take_back(Path::new(path), id, package)?;
    }
    let now = desk.host.clock.now();
    let changed = desk.incidents.change(id, now, |stored| {
        let mut incident = stored.incident.clone();
        incident.status = next(incident.status, IncidentEvent::Recalled)?;
        let executor = incident.handoff_executor.take().unwrap_or_default();
        incident.handoff_at = None;
        incident.handoff_path = None;
        incident.handoff_queue_path = None;
        incident.updated_at = now;
        let removed = [HANDOFF, HANDOFF_TEXT].map(|name| (Part::Handoff, name.to_owned())).to_vec();
        let change = Change::of(incident, "recall", desk.by);
        Ok::<_, IncidentError>(Change { removed, note: format!("from {executor}"), ..change })
    })?;
    changed.ok_or_else(|| IncidentError::Unknown(id.clone()))?;
    // A plan that was changed while somebody else had it is no longer approved, and that is said now.
    approval::standing(desk, id).map(drop)
}

/// An executor takes an incident: `accept.json`.
///
/// # Errors
/// Fails where it was not handed off, or to somebody else, and where its plan is not the approved one any more.
pub fn acknowledge(desk: Desk<'_>, id: &IncidentId, executor: &str, note: &str) -> Result<(), IncidentError> {
    let executor = executor_name(executor)?;
    let _hold = hold(desk, id)?;
    let stored = desk.find(id)?;
    next(stored.incident.status, IncidentEvent::Acknowledged)?;
    is_for(&stored, executor)?;
    if let Err(reason) = approval::standing(desk, id)? {
        return Err(IncidentError::Refused(format!(
            "incident {id} cannot be taken: {reason} (`referee incident recall {id}` takes it back)"
        )));
    }
    let now = desk.host.clock.now();
    let accept = handback::render_accept(now).map_err(|error| IncidentError::Internal(error.to_string()))?;
    let files = kept(desk, id, ACCEPT, &accept)?;
    let note = desk.redactor.text_strictly(note.trim());
    let note = if note.is_empty() { format!("by {executor}") } else { format!("by {executor}: {note}") };
    let note = bounded(&note);
    let changed = desk.incidents.change(id, now, |stored| {
        is_for(stored, executor)?;
        let mut incident = stored.incident.clone();
        incident.status = next(incident.status, IncidentEvent::Acknowledged)?;
        incident.updated_at = now;
        let removed = vec![(Part::Handoff, HANDBACK.to_owned())];
        Ok::<_, IncidentError>(Change { files, removed, note, ..Change::of(incident, "acknowledge", desk.by) })
    })?;
    changed.map(drop).ok_or_else(|| IncidentError::Unknown(id.clone()))
}

/// An executor hands an incident back: `handback.json`, read from these bytes. Returns what becomes of it.
///
/// | it says | the incident |
/// |---|---|
/// | error | is escalated, with code and message |
/// | question | stays running; the question is kept and shown |
/// | success | stays running: the claim proves nothing until the plan's checks ran |
///
/// # Errors
/// Fails where nobody took it, and for bytes that are no handback.
pub fn hand_back(desk: Desk<'_>, id: &IncidentId, handback: &[u8]) -> Result<Value, IncidentError> {
    let said = handback::read(handback).map_err(|error| IncidentError::Invalid(error.to_string()))?;
    let said = result::without_secrets(desk.redactor, said)?;
    let _hold = hold(desk, id)?;
    let stored = desk.find(id)?;
    let accept = desk.incidents.file(id, Part::Handoff, ACCEPT)?;
    let is_taken = accept.is_some_and(|accept| handback::read_accept(&accept).is_ok());
    if stored.incident.status != IncidentStatus::Running || !is_taken {
        let status = stored.incident.status.as_str();
        return Err(IncidentError::Refused(format!(
            "nobody has taken incident {id}, which is {status}, so nobody can hand it back: an executor that it was handed to \
             takes it by `referee incident ack {id} --executor NAME`"
        )));
    }
    let now = desk.host.clock.now();
    let bytes = handback::render(&said).map_err(|error| IncidentError::Internal(error.to_string()))?;
    let files = kept(desk, id, HANDBACK, &bytes)?;
    let result = result::result(id, &said, result::status_after(stored.incident.status, &said)?);
    let note = bounded(&result::note(&said));
    let changed = desk.incidents.change(id, now, |stored| {
        let mut incident = stored.incident.clone();
        incident.status = result::status_after(incident.status, &said)?;
        incident.updated_at = now;
        Ok::<_, IncidentError>(Change { files, note, ..Change::of(incident, "result", desk.by) })
    })?;
    changed.ok_or_else(|| IncidentError::Unknown(id.clone()))?;
    serde_json::to_value(&result).map_err(|error| IncidentError::Internal(error.to_string()))
}

/// Takes an incident to work at.
fn hold(desk: Desk<'_>, id: &IncidentId) -> Result<Hold, IncidentError> {
    desk.find(id)?;
    desk.incidents.hold(id)?.ok_or_else(|| IncidentError::Busy(id.clone()))
}

/// Reads the name of an executor.
fn executor_name(text: &str) -> Result<&str, IncidentError> {
    let name = text.trim();
    if name.is_empty() || name.chars().count() > limit::EXECUTOR_CHARACTERS || name.chars().any(char::is_control) {
        let most = limit::EXECUTOR_CHARACTERS;
        return Err(IncidentError::Invalid(format!(
            "an executor's name is needed: one line of at most {most} characters"
        )));
    }
    Ok(name)
}

/// Refuses an executor that an incident was not handed to.
fn is_for(stored: &Stored, executor: &str) -> Result<(), IncidentError> {
    let id = &stored.incident.incident_id;
    match stored.incident.handoff_executor.as_deref() {
        Some(meant) if meant == executor => Ok(()),
        Some(meant) => {
            Err(IncidentError::Refused(format!("incident {id} was handed to {meant:?}, and not to {executor:?}")))
        }
        None => Err(IncidentError::Refused(format!("incident {id} was handed to nobody: hand it off again"))),
    }
}

fn is_handed_off_so(stored: &Stored, executor: &str, queue: Option<&Path>) -> bool {
    let incident = &stored.incident;
    let lies = queue.map(|folder| queue::path_of(folder, &incident.incident_id).display().to_string());
    incident.status == IncidentStatus::HandedOff
        && incident.handoff_executor.as_deref() == Some(executor)
        && incident.handoff_queue_path == lies
}

/// Returns a document as it is written: under its name, and under its name with a number, which stays.
fn kept(desk: Desk<'_>, id: &IncidentId, name: &str, bytes: &[u8]) -> Result<Vec<PartFile>, IncidentError> {
    let stem = name.trim_end_matches(".json");
    let is_earlier = |other: &String| other.starts_with(&format!("{stem}_"));
    let earlier = desk.incidents.files(id, Part::Handoff)?.iter().filter(|name| is_earlier(name)).count();
    let mut files = vec![file(name, bytes.to_vec())];
    if earlier < limit::HANDBACKS_KEPT {
        files.push(file(&format!("{stem}_{:02}.json", earlier + 1), bytes.to_vec()));
    }
    Ok(files)
}

fn file(name: &str, bytes: Vec<u8>) -> PartFile {
    PartFile { part: Part::Handoff, name: name.to_owned(), bytes }
}

/// Returns as much of a text as an event says.
fn bounded(text: &str) -> String {
    text.chars().take(limit::APPROVAL_TEXT_CHARACTERS).collect()
}

#[cfg(test)]
mod tests;
