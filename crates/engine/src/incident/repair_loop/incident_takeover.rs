//! Loops of incidents whose machine is gone: what a checkpoint has of an incident, and how the incident comes to this machine.
//!
//! Nothing of it counts because a checkpoint says so: the approval is opened by the keys that are trusted here, and the plan's
//! checks must fail here, in the workspace as it was when the loop began.

use std::path::Path;

use referee_exec::Cancellation;
use referee_ledger::incidents::{Change, Part, PartFile};
use referee_ledger::private_directory::{self, PrivateDirectory};
use referee_model::agent_checkpoint::AgentLoopId;
use referee_model::document::{from_bytes, to_bytes};
use referee_model::incident::approval::APPROVAL;
use referee_model::incident::attempt::{LOOP_STATE, LoopFileDocument};
use referee_model::incident::id::IncidentId;
use referee_model::incident::remediation::{PLAN, Verification};
use referee_model::incident::status::IncidentStatus;
use referee_model::incident::{self, IncidentDocument};
use referee_model::limit;
use referee_model::suite::Suite;
use referee_model::tree_manifest::ContentLink;
use referee_model::verdict::Exit;

use super::checks::answered;
use super::loop_record::{lock, name};
use super::{Verify, approved_plan, first_look, results};
use crate::agent_loop::{AgentWorkers, CheckpointGround, Standby, Takeover, marker, put_documents};
use crate::error::EngineError;
use crate::incident::approval::judge;
use crate::incident::{IncidentContext, IncidentError};

/// Name of the evidence of the checks before a takeover.
const LOOK: &str = "before_takeover";

/// Action of a takeover, in events.
const ACTION: &str = "take_over";

/// Stores the documents of an incident in the depot, without its evidence.
pub(super) fn put_incident(
    context: IncidentContext<'_>,
    id: &IncidentId,
    workers: &AgentWorkers,
) -> Result<ContentLink, EngineError> {
    let incident = context.find(id)?.incident;
    let execution = marker(&name(context, id)).map_err(EngineError::internal)?;
    let room = PrivateDirectory::make(context.state, &execution)?;
    for part in Part::ALL {
        let directory = room.path().join(part.as_str());
        private_directory::nested(&directory)?;
        for name in context.incidents.files(id, part)? {
            if let Some(bytes) = context.incidents.file(id, part, &name)? {
                private_directory::write(&directory, &name, &bytes)?;
            }
        }
    }
    let own = room.path().join(Part::Incident.as_str());
    private_directory::write(&own, incident::INCIDENT, &to_bytes(&incident)?)?;
    put_documents(workers, room.path())
}

/// An incident that this machine is to go on with.
pub(in crate::incident) struct IncidentTakeover<'run> {
    pub(in crate::incident) context: IncidentContext<'run>,
    pub(in crate::incident) id: &'run IncidentId,
    pub(in crate::incident) workers: &'run AgentWorkers,
    /// The specification, and its file in the workspace.
    pub(in crate::incident) specification: (&'run Suite, &'run str),
    /// The checks of the specification, as plans name them.
    pub(in crate::incident) checks: &'run [Verification],
    pub(in crate::incident) workspace: &'run Path,
    /// Private directory for what is fetched.
    pub(in crate::incident) room: &'run Path,
    /// Waits until the other machine is gone. `None`: it is.
    pub(in crate::incident) standby: Option<&'run Standby<'run>>,
    pub(in crate::incident) cancellation: &'run Cancellation,
}

/// The documents of an incident in a checkpoint.
struct ArrivingIncident {
    incident: IncidentDocument,
    files: Vec<PartFile>,
}

impl IncidentTakeover<'_> {
    /// Makes the incident one of this machine, as its last checkpoint has it. Does nothing if this machine went on with it before.
    ///
    /// # Errors
    /// Fails, before anything is changed, if the depot has no checkpoint of it that a trusted key signed, if the incident is closed, if
    /// one of this id is here, if its approval does not count here, if the project is another one, if its checks do not fail here,
    /// and if another machine takes it over at this moment.
    pub(in crate::incident) fn take_over(&self, verify: &mut Verify<'_>) -> Result<(), EngineError> {
        let (context, id) = (self.context, self.id);
        let _hold = context.incidents.hold(id)?.ok_or_else(|| IncidentError::Busy(id.clone()))?;
        let _lock = lock(context, self.workspace)?;
        let takeover = Takeover {
            of: AgentLoopId::Incident(id.clone()),
            workers: self.workers,
            ground: CheckpointGround {
                state: context.state,
                marker: marker(&name(context, id)).map_err(EngineError::internal)?,
            },
            specification: self.specification,
            workspace: self.workspace,
            standby: self.standby,
            now: context.now(),
        };
        if context.incidents.find(id)?.is_some() {
            return match takeover.last()? {
                (_, true) => Ok(()),
                (_, false) => Err(EngineError::refused(format!(
                    "an incident {id} is here already, in another state than in the depot: move it away to take the other one over"
                ))),
            };
        }
        let look = |room: &Path| {
            let fetched = takeover.fetch(room)?;
            let arriving = ArrivingIncident::read(&fetched.record, id)?;
            let verifications = self.approved(&arriving)?;
            Ok((arriving, verifications, takeover.fetch_workspace(&fetched, room)?, fetched))
        };
        let (arriving, verifications, workspace, fetched) = takeover.when_silent(self.room, &look)?;
        match verifications {
            Some(verifications) => {
                // What this machine saw before it was interrupted, in the middle of this, it has recorded.
                if !fetched.is_own {
                    self.look(&verifications, workspace.is_at_base(), verify)?;
                }
                takeover.claim(&fetched, &workspace)?;
            }
            None => takeover.claim_documents(&fetched)?,
        }
        self.keep(arriving, &fetched.origin())
    }

    /// Returns the plan's verifications, if its approval counts here. `None`: a person has yet to approve it.
    fn approved(&self, arriving: &ArrivingIncident) -> Result<Option<Vec<Verification>>, EngineError> {
        let (id, status) = (self.id, arriving.incident.status);
        match status {
            IncidentStatus::Approved | IncidentStatus::Running => {}
            IncidentStatus::Resolved | IncidentStatus::Escalated => {
                return Err(EngineError::refused(format!(
                    "incident {id} is closed ({}) on the other machine",
                    status.as_str()
                )));
            }
            IncidentStatus::New | IncidentStatus::PlanProposed | IncidentStatus::HandedOff => return Ok(None),
        }
        let files = (arriving.file(Part::Plan, APPROVAL), arriving.file(Part::Plan, PLAN));
        let refused = |reason: String| {
            EngineError::refused(format!(
                "incident {id} is not approved on this machine: {reason}. An approval that counts on several machines is signed \
                 (`referee incident approve {id} --key KEY`), by a key that each of them trusts (`referee key trust KEY.pub.pem \
                 --name NAME --as approver`)"
            ))
        };
        let (_, plan) = judge(self.context, id, files)?.map_err(|invalid| refused(invalid.reason()))?;
        let verifications = approved_plan::verifications(&plan, self.checks).map_err(EngineError::refused)?;
        if verifications.is_empty() {
            return Err(approved_plan::without_verification().into());
        }
        Ok(Some(verifications))
    }

    /// Runs the plan's checks in the workspace as it was when the loop began, and records which of them fail: that they did
    /// elsewhere counts for nothing here.
    fn look(
        &self,
        verifications: &[Verification],
        is_at_base: bool,
        verify: &mut Verify<'_>,
    ) -> Result<(), EngineError> {
        let id = self.id;
        if !is_at_base {
            return Err(EngineError::refused(format!(
                "the workspace is as agents left it, so that nothing shows that incident {id} is real: check out what its loop \
                 began with"
            )));
        }
        let asked = verify(verifications, LOOK);
        if self.cancellation.level() > 0 {
            return Err(EngineError::refused("interrupted: nothing was taken over".to_owned()));
        }
        let answer = answered(self.context, id, asked)?;
        if answer.exit == Exit::Specification {
            return Err(EngineError::refused(format!(
                "the checks of incident {id} cannot be run here: {}",
                answer.next
            )));
        }
        let red = first_look::red(&answer, &results::checked(self.context, &answer, verifications), verifications);
        if red.is_empty() {
            return Err(EngineError::refused(format!(
                "the checks of incident {id} pass here before any work on it: nothing shows on this machine that it is real"
            )));
        }
        Ok(self.context.change_redness(id, |redness| {
            redness.forget();
            redness.add(&red);
        })?)
    }

    /// Adds the incident with all its files, in one change.
    fn keep(&self, arriving: ArrivingIncident, origin: &str) -> Result<(), EngineError> {
        let (context, now) = (self.context, self.context.now());
        let incident = IncidentDocument { updated_at: now, ..arriving.incident };
        let change = Change {
            files: arriving.files,
            note: format!("from another machine: {origin}"),
            ..Change::of(incident, ACTION, context.by)
        };
        if context.incidents.add(change, now)? { Ok(()) } else { Err(IncidentError::Exists(self.id.clone()).into()) }
    }
}

impl ArrivingIncident {
    /// Reads the documents of an incident.
    fn read(record: &Path, id: &IncidentId) -> Result<Self, EngineError> {
        let (mut own, mut files) = (None, Vec::new());
        for part in Part::ALL {
            let directory = record.join(part.as_str());
            if !directory.is_dir() {
                continue;
            }
            for name in private_directory::names(&directory)? {
                let bytes = private_directory::read(&directory, &name, limit::INCIDENT_FILE_BYTES)?.unwrap_or_default();
                match (part, name.as_str()) {
                    (Part::Incident, incident::INCIDENT) => {
                        own = Some(incident::read(&bytes).map_err(EngineError::evidence)?);
                    }
                    // It follows from the incident.
                    (Part::Incident, incident::STATUS) => {}
                    (Part::Run, LOOP_STATE) => files.push(PartFile { part, bytes: without_reports(&bytes)?, name }),
                    _ => files.push(PartFile { part, name, bytes }),
                }
            }
        }
        match own.filter(|incident: &IncidentDocument| incident.incident_id == *id) {
            Some(incident) => Ok(Self { incident, files }),
            None => Err(EngineError::evidence(format!("the checkpoint does not have incident {id}"))),
        }
    }

    fn file(&self, part: Part, name: &str) -> Option<Vec<u8>> {
        let found = self.files.iter().find(|file| file.part == part && file.name == name);
        found.map(|file| file.bytes.clone())
    }
}

/// Returns the state of a loop without the reports of its last checks, which are on the other machine.
fn without_reports(bytes: &[u8]) -> Result<Vec<u8>, EngineError> {
    let state = from_bytes::<LoopFileDocument>(LOOP_STATE, bytes).map_err(EngineError::evidence)?;
    Ok(to_bytes(&LoopFileDocument { reports: Vec::new(), ..state })?)
}
