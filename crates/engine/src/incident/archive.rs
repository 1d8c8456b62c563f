//! Closes and reopens incidents.
//!
//! | status               | archive as resolved                      | archive as escalated       | reopen    |
//! |----------------------|------------------------------------------|----------------------------|-----------|
//! | new … handed_off     | refused: its checks resolve it           | moved                      | refused   |
//! | running              | moved, by a person; not while locked     | moved                      | refused   |
//! | resolved, in inbox   | moved; by a person if not by its loop    | refused: it was resolved   | refused   |
//! | escalated, in inbox  | refused: it was escalated                | moved                      | back, new |
//! | in the archive       | refused                                  | refused                    | if escalated: new |

use referee_judge::incident::transition;
use referee_ledger::approvals;
use referee_ledger::incidents::{Change, IncidentDir, Part, PartFile, Stored};
use referee_ledger::redness::Redness;
use referee_model::document::from_bytes;
use referee_model::incident::archive::{ArchiveBasis, ArchiveDocument};
use referee_model::incident::id::IncidentId;
use referee_model::incident::remediation::{PLAN, RemediationPlan};
use referee_model::incident::status::{Closing, IncidentEvent, IncidentStatus};
use referee_model::incident::{ARCHIVE_META, IncidentDocument, RESOLUTION_NOTE};
use referee_model::limit;
use referee_model::time::Timestamp;

use super::plan::{APPROVAL, void_approval};
use super::{IncidentContext, IncidentError, part_file};

/// Maximum size of a note, in bytes.
const NOTE: usize = 256 * 1024;

/// How an incident is closed.
#[derive(Debug, Clone, Copy)]
pub struct ArchiveRequest<'request> {
    /// Resolved or escalated.
    pub result: Closing,
    /// Reason, in a sentence.
    pub reason: &'request str,
    /// Text that is stored beside the incident. `None`: nothing.
    pub note: Option<&'request str>,
}

/// Closes an incident and moves its directory into the archive. Returns its new path, relative to the root. An
/// incident that is worked on cannot be resolved by a person, since its checks are about to decide; it can be
/// escalated, which ends the work on it.
///
/// # Errors
/// Fails if the status does not allow it (ruling 26), if it is worked on, or if the result cannot be stored.
pub fn archive(
    context: IncidentContext<'_>,
    id: &IncidentId,
    request: ArchiveRequest<'_>,
) -> Result<String, IncidentError> {
    let held = match context.find(id)?.incident.status {
        // Whoever resolved it has decided, and ends in a moment.
        IncidentStatus::Resolved => Some(context.incidents.wait_to_hold(id)?),
        _ => context.incidents.hold(id)?,
    };
    if held.is_none() && request.result == Closing::Resolved {
        return Err(IncidentError::Busy(id.clone()));
    }
    // An incident that its checks resolved can be archived without a person.
    if request.result == Closing::Resolved && !is_resolved_by_loop(context, id)? {
        context.needs_a_person("say that it is resolved")?;
    }
    archive_held(context, id, request)
}

/// As [`archive`], for a caller that works on the incident.
///
/// # Errors
/// As [`archive`].
pub(super) fn archive_held(
    context: IncidentContext<'_>,
    id: &IncidentId,
    request: ArchiveRequest<'_>,
) -> Result<String, IncidentError> {
    let ArchiveRequest { result, reason, note } = request;
    let reason = reason_of(context, reason)?;
    if note.is_some_and(|note| note.len() > NOTE) {
        return Err(IncidentError::Invalid(format!("the note is larger than {} KiB", NOTE >> 10)));
    }
    let now = context.now();
    let is_loops = is_resolved_by_loop(context, id)?;
    let closed = context.change(id, "archive", now, |stored, change| {
        let basis = basis(stored, result, is_loops)?;
        close(context, (stored, change), (result, basis, now), &reason, note)
    })?;
    Ok(closed.path())
}

/// Whether the loop of an incident resolved it. The status file alone does not prove it: anything could write it.
///
/// # Errors
/// Fails if the stored state cannot be read.
pub fn is_resolved_by_loop(context: IncidentContext<'_>, id: &IncidentId) -> Result<bool, IncidentError> {
    let is_marked = Redness::read(context.state, context.incidents.root(), id)?.is_resolved();
    Ok(is_marked && context.find(id)?.incident.status == IncidentStatus::Resolved)
}

/// Reopens an escalated incident with fresh budgets.
///
/// # Errors
/// Fails if it was not escalated, or if the result cannot be stored.
pub fn reopen(context: IncidentContext<'_>, id: &IncidentId, reason: &str) -> Result<(), IncidentError> {
    context.needs_a_person("open an incident again")?;
    let reason = reason_of(context, reason)?;
    let seen = context.find(id)?;
    reopened(&seen)?;
    let history = History::read(context, &seen)?;
    let now = context.now();
    // Earlier approvals no longer count, wherever a copy of them is.
    approvals::void(context.state, context.incidents.root(), id, now)?;
    context.change(id, "reopen", now, |stored, change| {
        if stored.shelf != seen.shelf || stored.incident.archived_at != seen.incident.archived_at {
            return Err(IncidentError::Refused(format!("incident {id} was changed meanwhile: look at it again")));
        }
        fresh(&mut change.incident, reopened(stored)?);
        (change.files, change.removed) = (history.kept, history.removed);
        (change.shelf, change.note) = (Some(IncidentDir::Inbox), reason);
        Ok(())
    })?;
    Ok(())
}

/// Returns the status of an incident after it is reopened.
fn reopened(stored: &Stored) -> Result<IncidentStatus, IncidentError> {
    let id = &stored.incident.incident_id;
    // The location of its directory takes precedence over what a file in it says.
    let from = match stored.shelf {
        IncidentDir::Archive(closed) => closed.status(),
        IncidentDir::Inbox => stored.incident.status,
    };
    transition::next(from, IncidentEvent::Reopened).map_err(|illegal| match from {
        IncidentStatus::Resolved => IncidentError::Refused(format!(
            "incident {id} was resolved, and stays so: where it happens again, a new incident is captured as its regression"
        )),
        _ if !from.is_closed() => IncidentError::Refused(format!("incident {id} is open: it is {}", from.as_str())),
        _ => illegal.into(),
    })
}

/// Returns the redacted reason. Fails if it is empty or too long.
fn reason_of(context: IncidentContext<'_>, reason: &str) -> Result<String, IncidentError> {
    let reason = context.clean(reason.trim());
    if reason.is_empty() {
        return Err(IncidentError::Invalid("missing reason".to_owned()));
    }
    let most = limit::APPROVAL_TEXT_CHARACTERS;
    if reason.chars().count() > most {
        return Err(IncidentError::Invalid(format!("the reason is longer than {most} characters: put it into a note")));
    }
    Ok(reason)
}

/// Returns the basis on which an incident may be closed this way; an error if it may not.
fn basis(stored: &Stored, result: Closing, is_loops: bool) -> Result<ArchiveBasis, IncidentError> {
    let (id, from) = (&stored.incident.incident_id, stored.incident.status);
    if let IncidentDir::Archive(closed) = stored.shelf {
        return Err(IncidentError::Refused(format!("incident {id} is archived already, as {}", closed.as_str())));
    }
    if from.is_closed() {
        return if from == result.status() {
            let is_word = from == IncidentStatus::Resolved && !is_loops;
            Ok(if is_word { ArchiveBasis::Word } else { ArchiveBasis::Loop })
        } else {
            Err(IncidentError::Refused(format!(
                "incident {id} ended as {}, and is archived as that alone: --result {}",
                from.as_str(),
                from.as_str()
            )))
        };
    }
    let event = match result {
        Closing::Resolved => IncidentEvent::Resolved,
        Closing::Escalated => IncidentEvent::Escalated,
    };
    match transition::next(from, event) {
        Ok(_) => Ok(ArchiveBasis::Word),
        Err(_) if result == Closing::Resolved => Err(IncidentError::Refused(format!(
            "incident {id} is {}, and only one that is worked at can be resolved. Where it was fixed by hand, have its checks say \
             so: plan it, approve the plan, and `referee incident run {id}` without an agent runs them. Or leave it to a \
             person: --result escalated",
            from.as_str()
        ))),
        Err(illegal) => Err(illegal.into()),
    }
}

fn close(
    context: IncidentContext<'_>,
    (stored, change): (&Stored, &mut Change),
    (result, basis, now): (Closing, ArchiveBasis, Timestamp),
    reason: &str,
    note: Option<&str>,
) -> Result<(), IncidentError> {
    let shelf = IncidentDir::Archive(result);
    let incident = &mut change.incident;
    incident.status = result.status();
    incident.archive_result = Some(result);
    incident.archive_reason = Some(reason.to_owned());
    incident.archived_at = Some(now);
    let meta = ArchiveDocument {
        incident_id: incident.incident_id.clone(),
        result,
        archived_at: now,
        reason: reason.to_owned(),
        source: stored.path(),
        destination: shelf.path_of(&incident.incident_id),
        basis: Some(basis),
    };
    let text = note.map_or_else(|| format!("{reason}\n"), |note| context.clean(note));
    change.files = vec![
        part_file(Part::Incident, ARCHIVE_META, referee_model::document::to_bytes(&meta)?),
        part_file(Part::Incident, RESOLUTION_NOTE, text.into_bytes()),
    ];
    change.shelf = Some(shelf);
    change.note =
        format!("{}, {}", result.as_str(), if basis == ArchiveBasis::Loop { "by the loop" } else { "by word" });
    Ok(())
}

/// Files of an incident's life before it was reopened: kept beside the new ones, and never used in a decision.
struct History {
    kept: Vec<PartFile>,
    removed: Vec<(Part, String)>,
}

/// Prefix of files of an earlier life: `before_1_loop_state.json`.
const BEFORE: &str = "before_";

/// Returns the name that a file had in the life that it belongs to.
pub(super) fn name_in_its_life(name: &str) -> &str {
    name.strip_prefix(BEFORE).and_then(|rest| rest.split_once('_')).map_or(name, |(_, name)| name)
}

impl History {
    fn read(context: IncidentContext<'_>, stored: &Stored) -> Result<Self, IncidentError> {
        let id = &stored.incident.incident_id;
        let mut names: Vec<(Part, String)> = Vec::new();
        for part in [Part::Incident, Part::Handoff, Part::Run] {
            names.extend(context.incidents.files(id, part)?.into_iter().map(|name| (part, name)));
        }
        let lives =
            names.iter().filter_map(|(_, name)| name.strip_prefix(BEFORE)?.split('_').next()?.parse::<u32>().ok());
        let life = lives.max().unwrap_or(0).saturating_add(1);
        let of_life = |(part, name): &(Part, String)| match part {
            Part::Run | Part::Handoff => !name.starts_with(BEFORE),
            _ => name == ARCHIVE_META || name == RESOLUTION_NOTE,
        };
        let mut history = Self { kept: Vec::new(), removed: Vec::new() };
        for (part, name) in names.into_iter().filter(of_life) {
            if let Some(bytes) = context.incidents.file(id, part, &name)? {
                history.kept.push(PartFile { part, name: format!("{BEFORE}{life}_{name}"), bytes });
                history.removed.push((part, name));
            }
        }
        if let Some(bytes) = context.incidents.file(id, Part::Plan, APPROVAL)? {
            let plan = context.incidents.file(id, Part::Plan, PLAN)?;
            let read = plan.and_then(|bytes| from_bytes::<RemediationPlan>(PLAN, &bytes).ok());
            let revision = read.map_or(stored.incident.plan_revision, |plan| plan.revision);
            history.kept.push(PartFile { part: Part::Plan, name: void_approval(revision), bytes });
            history.removed.push((Part::Plan, APPROVAL.to_owned()));
        }
        Ok(history)
    }
}

fn fresh(incident: &mut IncidentDocument, status: IncidentStatus) {
    incident.status = status;
    incident.replans = 0;
    incident.plan_state = None;
    (incident.approved_at, incident.approved_by) = (None, None);
    (incident.handoff_at, incident.handoff_path) = (None, None);
    (incident.handoff_executor, incident.handoff_queue_path) = (None, None);
    incident.execution_requested_at = None;
    (incident.archive_result, incident.archive_reason, incident.archived_at) = (None, None, None);
}

#[cfg(test)]
mod tests {
    use super::super::sample::{IncidentFixture, id};
    use super::*;

    #[test]
    fn turns_are_numbered_on_over_all_lives() {
        let names = ["attempt_02.json", "before_1_attempt_07.json", "before_12_loop_state.json", "before_x"];
        assert_eq!(names.map(name_in_its_life), ["attempt_02.json", "attempt_07.json", "loop_state.json", "before_x"]);
    }

    #[test]
    fn whoever_archives_what_a_loop_resolved_waits_for_its_end() {
        let place = IncidentFixture::with(IncidentStatus::Resolved);
        let service = place.service(10);
        let hold = service.context("loop").incidents.hold(&id()).unwrap().unwrap();
        std::thread::scope(|scope| {
            let person = scope.spawn(|| {
                let service = place.service(10);
                let request = ArchiveRequest { result: Closing::Resolved, reason: "enough", note: None };
                archive(service.context("Ada"), &id(), request).unwrap()
            });
            std::thread::sleep(std::time::Duration::from_millis(200));
            drop(hold);
            assert_eq!(person.join().unwrap(), "error_archive/resolved/incident_1");
        });
    }

    #[test]
    fn what_somebody_works_at_is_not_resolved_by_word_and_can_be_escalated() {
        let place = IncidentFixture::with(IncidentStatus::Running);
        let service = place.service(10);
        let close =
            |result| archive(service.context("Ada"), &id(), ArchiveRequest { result, reason: "enough", note: None });
        let hold = service.context("loop").incidents.hold(&id()).unwrap().unwrap();
        assert!(matches!(close(Closing::Resolved), Err(IncidentError::Busy(_))));
        assert_eq!(place.status(), IncidentStatus::Running);
        assert_eq!(close(Closing::Escalated).unwrap(), "error_archive/escalated/incident_1");
        drop(hold);

        let place = IncidentFixture::with(IncidentStatus::Running);
        let moved = archive(
            place.service(10).context("Ada"),
            &id(),
            ArchiveRequest { result: Closing::Resolved, reason: "seen to pass", note: None },
        );
        assert_eq!(moved.unwrap(), "error_archive/resolved/incident_1");
    }
}
