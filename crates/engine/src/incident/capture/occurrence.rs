//! Decides whether a failure is a new incident or a known one, and writes it (rulings 23 and 26).

use referee_judge::incident::grouping::{Fate, Peer, fate};
use referee_judge::incident::signature::error_signature;
use referee_ledger::incidents::{Change, IncidentDir, Part, PartFile, Stored};
use referee_model::incident::grouping::{
    GROUPING, IncidentGroupingDocument, KIND, RelationDocument, RelationKind, SightingDocument,
};
use referee_model::incident::id::IncidentId;
use referee_model::incident::status::IncidentStatus;
use referee_model::incident::{self, IncidentDocument, SourcePaths, seconds};
use referee_model::limit;
use referee_model::time::Timestamp;
use referee_report::incident_explanation::IncidentExplanationDocument;

use super::bundle::file;
use super::failure::Failure;
use super::{CaptureRequest, CaptureResult};
use crate::incident::{IncidentContext, IncidentError};

/// Number of attempts if an incident is closed while an occurrence is being added to it.
const LOOKS: usize = 4;

/// Largest number that is appended to an id that is taken.
const NUMBERS: u32 = 10_000;

/// Stores a failure. The caller holds the capture lock.
pub(super) fn keep(
    context: IncidentContext<'_>,
    request: &CaptureRequest,
    failure: Failure,
    files: Vec<PartFile>,
    at: Timestamp,
) -> Result<CaptureResult, IncidentError> {
    let keeping = Keeping { context, request, failure, files, at };
    match &request.id {
        Some(id) => keeping.named(id),
        None => keeping.grouped(),
    }
}

struct Keeping<'capture> {
    context: IncidentContext<'capture>,
    request: &'capture CaptureRequest,
    failure: Failure,
    files: Vec<PartFile>,
    at: Timestamp,
}

impl Keeping<'_> {
    /// Captures under a given id: always an incident of its own, whatever others exist.
    fn named(&self, id: &IncidentId) -> Result<CaptureResult, IncidentError> {
        if self.context.incidents.find(id)?.is_some() {
            return self.anew(id);
        }
        let relation = match fate(&self.peers()?) {
            Fate::New => None,
            Fate::Occurrence(id) => Some((id, RelationKind::Beside)),
            Fate::Regression(id) => Some((id, RelationKind::Regression)),
            Fate::Again(id) => Some((id, RelationKind::AfterEscalation)),
        };
        if self.add(id, relation.as_ref())? {
            Ok(captured(id.clone(), relation))
        } else {
            Err(IncidentError::Exists(id.clone()))
        }
    }

    fn grouped(&self) -> Result<CaptureResult, IncidentError> {
        for _ in 0..LOOKS {
            let peers = self.peers()?;
            if let Some(id) = self.that_has_this_run(&peers)? {
                return Ok(CaptureResult::Known(id));
            }
            let relation = match fate(&peers) {
                Fate::New => None,
                Fate::Occurrence(id) if self.see(&id)? => return Ok(CaptureResult::Occurrence(id)),
                // It was closed meanwhile: look again.
                Fate::Occurrence(_) => continue,
                Fate::Regression(id) => Some((id, RelationKind::Regression)),
                Fate::Again(id) => Some((id, RelationKind::AfterEscalation)),
            };
            return self.add_new(relation);
        }
        // A failure is never lost, whatever else happens to these incidents.
        self.add_new(None)
    }

    /// Generates an id, with a number appended if it is taken, and adds the incident.
    fn add_new(&self, relation: Option<(IncidentId, RelationKind)>) -> Result<CaptureResult, IncidentError> {
        let base = made_id(self.at, &self.failure.run_id);
        for number in 1..=NUMBERS {
            let id = if number == 1 { base.clone() } else { format!("{base}_{number}") };
            let id = IncidentId::parse(&id).map_err(|error| IncidentError::Internal(error.to_string()))?;
            if self.add(&id, relation.as_ref())? {
                return Ok(captured(id, relation));
            }
        }
        Err(IncidentError::Internal(format!("all ids that begin with {base} are taken")))
    }

    /// Returns the incidents with the same fingerprint.
    fn peers(&self) -> Result<Vec<Peer>, IncidentError> {
        let same = self.context.incidents.find_by_fingerprint(&self.failure.identified.fingerprint)?;
        let peer = |stored: Stored| Peer {
            status: standing(&stored),
            updated_at: stored.incident.updated_at,
            id: stored.incident.incident_id,
        };
        Ok(same.into_iter().map(peer).collect())
    }

    /// Returns the incident that this very run was captured as: one run is one sighting, however often it is
    /// captured. `None` if it was not captured, or is not a run of Referee's, whose id is unique.
    fn that_has_this_run(&self, peers: &[Peer]) -> Result<Option<IncidentId>, IncidentError> {
        if self.request.report.is_none() || !self.request.run_id.is_empty() {
            return Ok(None);
        }
        for peer in peers {
            let sightings = grouping(self.context, &peer.id)?.ok().flatten().map(|grouping| grouping.sightings);
            if sightings.into_iter().flatten().any(|sighting| sighting.run_id == self.failure.run_id) {
                return Ok(Some(peer.id.clone()));
            }
        }
        Ok(None)
    }

    fn add(&self, id: &IncidentId, relation: Option<&(IncidentId, RelationKind)>) -> Result<bool, IncidentError> {
        let incident = self.incident(id, relation);
        let mut files = self.files.clone();
        files.push(grouping_file(&self.grouping(relation))?);
        let note = match relation {
            Some((other, RelationKind::Regression)) => format!("a regression of {other}"),
            Some((other, RelationKind::AfterEscalation)) => format!("as {other}, which was left to a person"),
            Some((other, RelationKind::Beside)) => format!("as {other}, under an id of its own"),
            None => String::new(),
        };
        let change = Change { files, note, ..Change::of(incident, "capture", self.context.by) };
        Ok(self.context.incidents.add(change, self.at)?)
    }

    /// Overwrites an incident on which no work has begun. Its time of capture is kept (IN-17).
    fn anew(&self, id: &IncidentId) -> Result<CaptureResult, IncidentError> {
        if !self.request.force {
            return Err(IncidentError::Exists(id.clone()));
        }
        self.context.change(id, "capture", self.at, |stored, change| {
            let status = stored.incident.status;
            if stored.shelf != IncidentDir::Inbox || status != IncidentStatus::New {
                let why = format!(
                    "incident {id} is {}: only one that is new can be captured again, since nothing rests on its evidence",
                    status.as_str()
                );
                return Err(IncidentError::Refused(why));
            }
            change.incident = IncidentDocument {
                created_at: stored.incident.created_at,
                regression_of: stored.incident.regression_of.clone(),
                other: stored.incident.other.clone(),
                ..self.incident(id, None)
            };
            change.files.clone_from(&self.files);
            change.files.push(grouping_file(&self.grouping(None))?);
            "captured again".clone_into(&mut change.note);
            Ok(())
        })?;
        Ok(CaptureResult::New(id.clone()))
    }

    /// Adds an occurrence to an open incident. Returns false if it is no longer open.
    ///
    /// While it is new, nothing rests on its evidence, which is replaced by the latest. Later the evidence stays,
    /// and the end of the latest log is kept beside it.
    fn see(&self, id: &IncidentId) -> Result<bool, IncidentError> {
        let before = grouping(self.context, id)?.ok().flatten();
        let changed = self.context.change(id, "occurrence", self.at, |stored, change| {
            if stored.shelf != IncidentDir::Inbox || stored.incident.status.is_closed() {
                return Err(IncidentError::Unknown(id.clone()));
            }
            self.occurrence(change, before)
        });
        match changed {
            Ok(_) => Ok(true),
            Err(IncidentError::Unknown(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn occurrence(&self, change: &mut Change, before: Option<IncidentGroupingDocument>) -> Result<(), IncidentError> {
        let incident = &mut change.incident;
        incident.occurrences = incident.occurrences.saturating_add(1);
        incident.last_seen_at = Some(self.at);
        change.note = format!("seen {} times", incident.occurrences);
        if incident.status == IncidentStatus::New {
            incident.source_paths = self.source_paths();
            change.files.clone_from(&self.files);
        } else {
            change.files = vec![file(incident::LAST_LOG_TAIL, self.failure.log.clone().into_bytes())];
        }
        // A document of another failure, put there from outside, says nothing about this one.
        let before = before.filter(|before| before.fingerprint == self.failure.identified.fingerprint);
        let grouping = match before {
            Some(mut before) => {
                before.see(self.sighting());
                before
            }
            None => self.grouping(None),
        };
        change.files.push(grouping_file(&grouping)?);
        Ok(())
    }

    fn incident(&self, id: &IncidentId, relation: Option<&(IncidentId, RelationKind)>) -> IncidentDocument {
        let Failure { run_id, step, message, document, identified, .. } = &self.failure;
        let regression_of = relation.filter(|(_, kind)| *kind == RelationKind::Regression).map(|(id, _)| id.clone());
        IncidentDocument {
            run_id: run_id.clone(),
            year: self.request.year,
            month: self.request.month,
            ym: year_and_month(self.request.year, self.request.month),
            step: step.clone(),
            failure_class: document.name.clone(),
            message: message.clone(),
            error_signature: error_signature(&document.name, step, message),
            regression_of,
            source_paths: self.source_paths(),
            ..IncidentDocument::new(id.clone(), identified.fingerprint, self.at)
        }
    }

    fn source_paths(&self) -> SourcePaths {
        let path = |taken: &Option<super::CapturedFile>| {
            let path = taken.as_ref().map(|taken| taken.path.as_str()).unwrap_or_default();
            self.context.clean(path)
        };
        SourcePaths {
            log_path: path(&self.request.log),
            audit_path: path(&self.request.audit),
            context_path: path(&self.request.context),
        }
    }

    fn grouping(&self, relation: Option<&(IncidentId, RelationKind)>) -> IncidentGroupingDocument {
        let identified = &self.failure.identified;
        IncidentGroupingDocument {
            fingerprint: identified.fingerprint,
            class: self.failure.document.clone(),
            parts: identified.parts.clone(),
            relation: relation.map(|(id, kind)| RelationDocument { incident_id: id.clone(), kind: *kind }),
            sightings: vec![self.sighting()],
            sightings_left_out: 0,
        }
    }

    fn sighting(&self) -> SightingDocument {
        let Failure { run_id, said, source, line, .. } = &self.failure;
        SightingDocument {
            seen_at: self.at,
            run_id: run_id.clone(),
            message: said.clone(),
            line: *line,
            source: source.clone(),
        }
    }
}

fn captured(id: IncidentId, relation: Option<(IncidentId, RelationKind)>) -> CaptureResult {
    match relation {
        Some((of, RelationKind::Regression)) => CaptureResult::Regression { id, of },
        _ => CaptureResult::New(id),
    }
}

/// Reads the grouping of an incident. The inner error says why it cannot be read.
fn grouping(
    context: IncidentContext<'_>,
    id: &IncidentId,
) -> Result<Result<Option<IncidentGroupingDocument>, String>, IncidentError> {
    let file = context.incidents.file(id, Part::Incident, GROUPING)?;
    Ok(file.map(|bytes| KIND.decode(&bytes).map_err(|error| error.to_string())).transpose())
}

/// Explains why failures were grouped as one incident or as a regression, and why it has its class.
///
/// # Errors
/// Fails if there is no such incident, or if it cannot be read.
pub fn explain(context: IncidentContext<'_>, id: &IncidentId) -> Result<IncidentExplanationDocument, IncidentError> {
    let incident = context.find(id)?.incident;
    Ok(IncidentExplanationDocument::of(&incident, grouping(context, id)?))
}

fn grouping_file(document: &IncidentGroupingDocument) -> Result<PartFile, IncidentError> {
    Ok(file(GROUPING, KIND.encode(document)?))
}

/// Returns the effective status of an incident: in the archive it is closed, whatever its status file says.
fn standing(stored: &Stored) -> IncidentStatus {
    match stored.shelf {
        IncidentDir::Archive(closed) => closed.status(),
        IncidentDir::Inbox => stored.incident.status,
    }
}

/// Returns the month as `2026-01`; empty if a part is missing or out of range (IN-18).
fn year_and_month(year: Option<i32>, month: Option<i64>) -> String {
    match (year, month) {
        (Some(year @ 1..=9999), Some(month @ 1..=12)) => format!("{year:04}-{month:02}"),
        _ => String::new(),
    }
}

/// Returns `incident_<date>_<time>_<run>` in UTC, without characters that an id cannot have (IN-20).
fn made_id(at: Timestamp, run_id: &str) -> String {
    let is_kept = |character: char| character.is_ascii_alphanumeric() || ".-_".contains(character);
    let run: String = run_id
        .trim()
        .chars()
        .map(|character| if is_kept(character) { character } else { '_' })
        .take(limit::INCIDENT_RUN_CHARACTERS)
        .collect();
    let run = if run.trim_matches('_').is_empty() { "manual" } else { &run };
    let digits: String = seconds::text(at).chars().filter(char::is_ascii_digit).take(14).collect();
    let (day, time) = digits.split_at(digits.len().min(8));
    format!("incident_{day}_{time}_{run}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// IN-20.
    #[test]
    fn an_id_is_made_of_the_time_and_the_run() {
        let at = Timestamp::parse("2026-02-17T12:00:00.900Z").unwrap();
        for (run, id) in [
            ("run_abc", "incident_20260217_120000_run_abc"),
            ("", "incident_20260217_120000_manual"),
            (" / ", "incident_20260217_120000_manual"),
            ("../x y", "incident_20260217_120000_.._x_y"),
            ("é", "incident_20260217_120000_manual"),
        ] {
            assert_eq!(made_id(at, run), id);
            assert!(IncidentId::parse(&made_id(at, run)).is_ok());
        }
        let long = made_id(at, &"x".repeat(300));
        assert_eq!(long.len(), "incident_20260217_120000_".len() + 48);
    }

    /// IN-18.
    #[test]
    fn there_is_no_thirteenth_month() {
        assert_eq!(year_and_month(Some(2026), Some(1)), "2026-01");
        for (year, month) in
            [(Some(2026), Some(13)), (Some(2026), Some(0)), (None, Some(1)), (Some(2026), None), (Some(-1), Some(1))]
        {
            assert_eq!(year_and_month(year, month), "");
        }
    }
}
