//! Hands an approved incident to an executor, and takes it back.
//!
//! An incident that is not approved is never handed off; there is no override. An executor's handback is a claim:
//! an incident is resolved only by checks that ran.

use std::path::{Path, PathBuf};

use referee_judge::incident::transition::next;
use referee_ledger::incidents::{Part, PartFile};
use referee_model::handback::{self, ACCEPT, HANDBACK};
use referee_model::incident::handoff::{HANDOFF, HANDOFF_TEXT};
use referee_model::incident::id::IncidentId;
use referee_model::incident::status::{IncidentEvent, IncidentStatus};
use referee_model::limit;
use serde_json::Value;

use self::queue::Placed;
use super::{IncidentContext, IncidentError, Stored, approval, part_file, take_step};
use crate::context::Context;

mod package;
mod queue;
mod result;

/// The variables that name the queue; Referee's own takes precedence over that of seed 3.
const QUEUES: [&str; 2] = ["REFEREE_HANDOFF_DIR", "AX_ANTIGRAVITY_HANDOFF_DIR"];

/// A requested handoff.
#[derive(Debug, Clone, Default)]
pub struct HandoffRequest {
    /// Name of the executor.
    pub executor: String,
    /// Queue directory for the package, as an absolute path. `None`: the package is put in no queue.
    pub queue: Option<PathBuf>,
    /// Whether a different package of this incident in the queue is replaced.
    pub force: bool,
}

/// Returns the directory that executors take packages from: the given one, else that of the environment. `None` if
/// there is neither.
pub fn queue(context: &Context, named: Option<&Path>) -> Option<PathBuf> {
    let of_variable = || QUEUES.iter().find_map(|name| context.variable(name)).map(Path::new);
    named.or_else(of_variable).map(|directory| context.directory.join(directory))
}

/// Hands an approved incident off. Returns the package, as in `handoff.json`. Repeating the same request returns
/// the same package.
///
/// # Errors
/// Fails if the incident is not approved, if the queue has a different package of it (nothing is changed then), or
/// if the result cannot be stored.
pub fn hand_off(
    context: IncidentContext<'_>,
    id: &IncidentId,
    request: &HandoffRequest,
) -> Result<Value, IncidentError> {
    let executor = executor_name(&request.executor)?;
    let _hold = context.hold(id)?;
    let stored = context.find(id)?;
    let is_again = is_handed_off_so(&stored, executor, request.queue.as_deref());
    if !is_again {
        next(stored.incident.status, IncidentEvent::HandedOff)?;
    }
    let approval = approval::standing(context, id)?
        .map_err(|reason| IncidentError::Refused(format!("incident {id} cannot be handed off: {reason}")))?;
    if is_again && let Some(bytes) = context.incidents.file(id, Part::Handoff, HANDOFF)? {
        return package::value(&bytes);
    }
    let now = context.now();
    let package = package::package(context, &stored, executor, &approval)?;
    let placed = match &request.queue {
        Some(directory) => queue::place(directory, &package, request.force)?,
        None => Placed::nowhere(&package)?,
    };
    let text = referee_report::handoff::markdown(&placed.package, &approval, &|text| context.clean(text));
    let changed = context.change(id, "handoff", now, |_, change| {
        take_step(change, IncidentEvent::HandedOff)?;
        change.incident.handoff_at = Some(placed.package.prepared_at);
        change.incident.handoff_path = Some(placed.package.paths.handoff_json.clone());
        change.incident.handoff_executor = Some(executor.to_owned());
        change.incident.handoff_queue_path = placed.path.as_ref().map(|path| path.display().to_string());
        change.files = vec![file(HANDOFF, placed.bytes.clone()), file(HANDOFF_TEXT, text.into_bytes())];
        change.removed = removed(&[ACCEPT, HANDBACK]);
        change.note = format!("to {executor}");
        Ok(())
    });
    if let Err(error) = changed {
        placed.undo(id)?;
        return Err(error);
    }
    package::value(&placed.bytes)
}

/// Recalls an incident from an executor that has not begun. Removes its package from the queue, unless it was
/// changed there.
///
/// # Errors
/// Fails if the status of the incident does not allow it, or if the result cannot be stored.
pub fn recall(context: IncidentContext<'_>, id: &IncidentId) -> Result<(), IncidentError> {
    let _hold = context.hold(id)?;
    let stored = context.find(id)?;
    next(stored.incident.status, IncidentEvent::Recalled)?;
    let package = context.incidents.file(id, Part::Handoff, HANDOFF)?;
    // First, so that no executor takes a recalled package. After a crash the package may be gone already.
    if let (Some(path), Some(package)) = (&stored.incident.handoff_queue_path, &package) {
        queue::take_back(Path::new(path), id, package)?;
    }
    let now = context.now();
    context.change(id, "recall", now, |_, change| {
        take_step(change, IncidentEvent::Recalled)?;
        let incident = &mut change.incident;
        change.note = format!("from {}", incident.handoff_executor.take().unwrap_or_default());
        (incident.handoff_at, incident.handoff_path, incident.handoff_queue_path) = (None, None, None);
        change.removed = removed(&[HANDOFF, HANDOFF_TEXT]);
        Ok(())
    })?;
    // A plan that was changed during the handoff is no longer approved, which this call records.
    approval::standing(context, id).map(drop)
}

/// Records that an executor accepts an incident, in `accept.json`.
///
/// # Errors
/// Fails if the incident was not handed off, or not to this executor, or if its plan is no longer the approved one.
pub fn acknowledge(
    context: IncidentContext<'_>,
    id: &IncidentId,
    executor: &str,
    note: &str,
) -> Result<(), IncidentError> {
    let executor = executor_name(executor)?;
    let _hold = context.hold(id)?;
    let stored = context.find(id)?;
    next(stored.incident.status, IncidentEvent::Acknowledged)?;
    is_for(&stored, executor)?;
    if let Err(reason) = approval::standing(context, id)? {
        return Err(IncidentError::Refused(format!(
            "incident {id} cannot be taken: {reason} (`referee incident recall {id}` takes it back)"
        )));
    }
    let now = context.now();
    let accept = handback::render_accept(now)?;
    let files = kept(context, id, ACCEPT, &accept)?;
    let note = context.clean(note.trim());
    let note = if note.is_empty() { format!("by {executor}") } else { format!("by {executor}: {note}") };
    let note = bounded(&note);
    context.change(id, "acknowledge", now, |stored, change| {
        is_for(stored, executor)?;
        take_step(change, IncidentEvent::Acknowledged)?;
        (change.files, change.note) = (files, note);
        change.removed = removed(&[HANDBACK]);
        Ok(())
    })?;
    Ok(())
}

/// Records an executor's handback, parsed from these bytes, in `handback.json`. Returns the result.
///
/// | handback | the incident |
/// |---|---|
/// | error | is escalated, with code and message |
/// | question | stays running; the question is stored and shown |
/// | success | stays running: the claim proves nothing until the plan's checks have run |
///
/// # Errors
/// Fails if no executor accepted the incident, or if the bytes are not a valid handback.
pub fn hand_back(context: IncidentContext<'_>, id: &IncidentId, handback: &[u8]) -> Result<Value, IncidentError> {
    let said = handback::read(handback).map_err(|error| IncidentError::Invalid(error.to_string()))?;
    let said = result::without_secrets(context.redactor, said)?;
    let _hold = context.hold(id)?;
    let stored = context.find(id)?;
    let accept = context.incidents.file(id, Part::Handoff, ACCEPT)?;
    let is_taken = accept.is_some_and(|accept| handback::read_accept(&accept).is_ok());
    if stored.incident.status != IncidentStatus::Running || !is_taken {
        let status = stored.incident.status.as_str();
        return Err(IncidentError::Refused(format!(
            "nobody has taken incident {id}, which is {status}, so nobody can hand it back: an executor that it was handed to \
             takes it by `referee incident ack {id} --executor NAME`"
        )));
    }
    let now = context.now();
    let bytes = handback::render(&said)?;
    let files = kept(context, id, HANDBACK, &bytes)?;
    let result = result::result(id, &said, result::status_after(stored.incident.status, &said)?);
    let note = bounded(&result::note(&said));
    context.change(id, "result", now, |stored, change| {
        change.incident.status = result::status_after(stored.incident.status, &said)?;
        (change.files, change.note) = (files, note);
        Ok(())
    })?;
    Ok(serde_json::to_value(&result)?)
}

/// Parses the name of an executor.
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

/// Fails if the incident was not handed to this executor.
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
    let lies = queue.map(|directory| queue::path_of(directory, &incident.incident_id).display().to_string());
    incident.status == IncidentStatus::HandedOff
        && incident.handoff_executor.as_deref() == Some(executor)
        && incident.handoff_queue_path == lies
}

/// Returns a document as two files: under its name, and under its name with a number, which is never overwritten.
fn kept(
    context: IncidentContext<'_>,
    id: &IncidentId,
    name: &str,
    bytes: &[u8],
) -> Result<Vec<PartFile>, IncidentError> {
    let stem = name.trim_end_matches(".json");
    let is_earlier = |other: &String| other.starts_with(&format!("{stem}_"));
    let earlier = context.incidents.files(id, Part::Handoff)?.iter().filter(|name| is_earlier(name)).count();
    let mut files = vec![file(name, bytes.to_vec())];
    if earlier < limit::HANDBACKS_KEPT {
        files.push(file(&format!("{stem}_{:02}.json", earlier + 1), bytes.to_vec()));
    }
    Ok(files)
}

fn file(name: &str, bytes: Vec<u8>) -> PartFile {
    part_file(Part::Handoff, name, bytes)
}

fn removed(names: &[&str]) -> Vec<(Part, String)> {
    names.iter().map(|name| (Part::Handoff, (*name).to_owned())).collect()
}

/// Cuts a text to the length that an event may have.
fn bounded(text: &str) -> String {
    text.chars().take(limit::APPROVAL_TEXT_CHARACTERS).collect()
}

#[cfg(test)]
mod tests;
