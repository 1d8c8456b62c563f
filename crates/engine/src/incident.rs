//! Incidents, from capture to archive: the operations behind commands, API and pages (seed 3; rulings 23 to 27).

use std::path::{Path, PathBuf};

use referee_exec::Host;
pub use referee_exec::signal::Cancellation;
use referee_judge::incident::transition;
use referee_ledger::incidents::{Change, Hold, Incidents, PartFile};
pub use referee_ledger::incidents::{IncidentDir, Part, Query, Stored};
use referee_ledger::redact::Redactor;
use referee_ledger::redness::Redness;
use referee_ledger::{LedgerError, State};
use referee_model::incident::IncidentDocument;
use referee_model::incident::id::IncidentId;
use referee_model::incident::status::{Illegal, IncidentEvent, IncidentStatus};
use referee_model::time::Timestamp;
use referee_spec::discover;

use crate::context::Context;
use crate::error::{EngineError, ErrorKind};
use crate::person;

pub mod approval;
pub mod archive;
pub mod backend;
pub mod capture;
pub mod detail;
mod difference;
pub mod handoff;
pub mod plan;
pub mod repair_loop;
pub mod shown;
pub mod steps;
pub mod verification;

#[cfg(test)]
mod sample;

/// Directory of incidents below a project (ruling 26).
pub const ROOT: [&str; 2] = [".referee", "reports"];

/// The incidents below one root, with the environment that operations on them need. Kept for the lifetime of a program.
pub struct IncidentService {
    incidents: Incidents,
    state: State,
    host: Host,
    redactor: Redactor,
    agent: Option<String>,
}

impl IncidentService {
    /// Opens the incidents below a root, on behalf of a person.
    ///
    /// # Errors
    /// Fails as [`Incidents::open`] does.
    pub fn open(root: &Path, state: State, host: Host, redactor: Redactor) -> Result<Self, LedgerError> {
        let incidents = Incidents::open(root, Some(&state))?;
        Ok(Self { incidents, state, host, redactor, agent: None })
    }

    /// Opens the incidents in the named directory, or those of the project.
    ///
    /// # Errors
    /// Fails if there is no state directory, and as [`Incidents::open`] does.
    pub fn of_project(context: &Context, named: Option<&Path>) -> Result<Self, EngineError> {
        let root = root(context, named);
        let state = context.state([root.as_path()])?.ok_or_else(|| {
            EngineError::usage("incidents need a state directory: set REFEREE_STATE_DIR, or HOME".to_owned())
        })?;
        let opened = Self::open(&root, state, context.for_exec()?, context.redactor());
        Ok(Self { agent: person::agent(context), ..opened.map_err(IncidentError::from)? })
    }

    /// Adapts the service for a server. If the server was started from an agent's shell, its requests count as
    /// the agent's. The incidents are kept in memory between lists.
    pub fn served(self) -> Self {
        let agent = self.agent.map(|whose| format!("a server that was started from {whose}"));
        Self { agent, incidents: self.incidents.kept_in_memory(), ..self }
    }

    /// Returns a context for operations by `by`.
    pub fn context<'run>(&'run self, by: &'run str) -> IncidentContext<'run> {
        IncidentContext {
            incidents: &self.incidents,
            state: &self.state,
            host: &self.host,
            redactor: &self.redactor,
            agent: self.agent.as_deref(),
            by,
        }
    }
}

/// Returns the directory of incidents: the named one, otherwise the one below the directory of the nearest
/// specification, otherwise the one below the current directory.
pub fn root(context: &Context, named: Option<&Path>) -> PathBuf {
    if let Some(root) = named {
        return context.directory.join(root);
    }
    let found = discover::find(&context.directory).ok();
    below(found.as_ref().and_then(|found| found.file.parent()).unwrap_or(&context.directory))
}

/// Returns the directory of incidents below a project.
pub fn below(project: &Path) -> PathBuf {
    ROOT.iter().fold(project.to_path_buf(), |directory, name| directory.join(name))
}

/// Environment of an operation on incidents.
#[derive(Clone, Copy)]
pub struct IncidentContext<'run> {
    /// The store of incidents.
    pub incidents: &'run Incidents,
    /// The user's state directory, which has the keys whose approvals are trusted.
    pub state: &'run State,
    /// Host for `exec`, including its clock.
    pub host: &'run Host,
    /// Removes secrets from everything that is written.
    pub redactor: &'run Redactor,
    /// Whose shell this is, as the end of a sentence that begins with "this is". `None`: a person's.
    pub agent: Option<&'run str>,
    /// Who acts, as recorded in events: a person's name, `api`, or `loop`.
    pub by: &'run str,
}

/// Error of an operation on an incident.
#[derive(Debug, thiserror::Error)]
pub enum IncidentError {
    /// There is no incident with this id.
    #[error("no such incident: {0}")]
    Unknown(IncidentId),
    /// There already is an incident with this id.
    #[error("incident {0} already exists: choose another id, or pass --force")]
    Exists(IncidentId),
    /// The operation is not allowed in the incident's current status.
    #[error("{illegal}: {advice}", illegal = .0, advice = standing_at(.0.from))]
    Illegal(#[from] Illegal),
    /// A precondition is not met.
    #[error("{0}")]
    Refused(String),
    /// A valid approval by a person is required, and there is none.
    #[error("{0}")]
    Forbidden(String),
    /// The input is wrong.
    #[error("{0}")]
    Invalid(String),
    /// Another process holds the lock of the incident.
    #[error("incident {0} is locked by another process")]
    Busy(IncidentId),
    /// The store could not be read or written.
    #[error(transparent)]
    Store(LedgerError),
    /// A depot could not be read or written.
    #[error("{0}")]
    Depot(String),
    /// Referee itself failed.
    #[error("{0}")]
    Internal(String),
}

impl From<EngineError> for IncidentError {
    fn from(error: EngineError) -> Self {
        match error.kind {
            ErrorKind::Usage | ErrorKind::Refused | ErrorKind::Specification => Self::Refused(error.message),
            ErrorKind::Evidence | ErrorKind::Store | ErrorKind::Run => Self::Depot(error.message),
            ErrorKind::Internal => Self::Internal(error.message),
        }
    }
}

impl From<IncidentError> for EngineError {
    fn from(error: IncidentError) -> Self {
        let kind = match &error {
            IncidentError::Unknown(_)
            | IncidentError::Exists(_)
            | IncidentError::Illegal(_)
            | IncidentError::Refused(_)
            | IncidentError::Forbidden(_)
            | IncidentError::Busy(_) => ErrorKind::Refused,
            IncidentError::Invalid(_) => ErrorKind::Usage,
            IncidentError::Store(_) => ErrorKind::Store,
            IncidentError::Depot(_) => ErrorKind::Evidence,
            IncidentError::Internal(_) => ErrorKind::Internal,
        };
        Self::new(kind, error.to_string())
    }
}

/// Returns advice on the next step for an incident in this status.
fn standing_at(status: IncidentStatus) -> &'static str {
    match status {
        IncidentStatus::New => "it needs a plan first (`referee incident plan`)",
        IncidentStatus::PlanProposed => "its plan must be approved first (`referee incident approve`, or `reject`)",
        IncidentStatus::Approved => {
            "its loop may run, or it may be handed off; another plan (`plan --force`) voids the approval"
        }
        IncidentStatus::HandedOff => "its executor takes it (`referee incident ack`), or it is taken back (`recall`)",
        IncidentStatus::Running => "it is being worked on (`referee incident run` goes on where a loop stopped)",
        IncidentStatus::Resolved => "it is over; where it happens again, capture it again",
        IncidentStatus::Escalated => "it was left to a person, who may open it again (`referee incident reopen`)",
    }
}

/// Documents that Referee writes can always be serialized, so this is an internal error.
impl From<serde_json::Error> for IncidentError {
    fn from(error: serde_json::Error) -> Self {
        Self::Internal(error.to_string())
    }
}

impl From<LedgerError> for IncidentError {
    fn from(error: LedgerError) -> Self {
        match error {
            // The query is wrong; the store is intact.
            LedgerError::Question { .. } => Self::Invalid(error.to_string()),
            error => Self::Store(error),
        }
    }
}

impl IncidentContext<'_> {
    /// Returns an incident.
    ///
    /// # Errors
    /// Fails if there is none with this id, or if it cannot be read.
    pub fn find(&self, id: &IncidentId) -> Result<Stored, IncidentError> {
        self.incidents.find(id)?.ok_or_else(|| IncidentError::Unknown(id.clone()))
    }

    /// Refuses an operation that only a person may do.
    ///
    /// # Errors
    /// Fails if an agent asks.
    pub fn needs_a_person(&self, operation: &str) -> Result<(), IncidentError> {
        self.agent.map_or(Ok(()), |whose| Err(IncidentError::Forbidden(person::only_a_person(whose, operation))))
    }

    /// Locks an incident.
    fn hold(&self, id: &IncidentId) -> Result<Hold, IncidentError> {
        self.find(id)?;
        self.incidents.hold(id)?.ok_or_else(|| IncidentError::Busy(id.clone()))
    }

    /// Changes an incident under its lock. Fields that `set` leaves alone keep their values.
    fn change(
        &self,
        id: &IncidentId,
        action: &'static str,
        now: Timestamp,
        set: impl FnOnce(&Stored, &mut Change) -> Result<(), IncidentError>,
    ) -> Result<Stored, IncidentError> {
        let changed = self.incidents.change(id, now, |stored| {
            let incident = IncidentDocument { updated_at: now, ..stored.incident.clone() };
            let mut change = Change::of(incident, action, self.by);
            set(stored, &mut change)?;
            Ok::<_, IncidentError>(change)
        })?;
        changed.ok_or_else(|| IncidentError::Unknown(id.clone()))
    }

    /// Changes the record of what was red for an incident. It is kept in the state directory, out of reach of an
    /// executor.
    fn change_redness(&self, id: &IncidentId, set: impl FnOnce(&mut Redness)) -> Result<(), IncidentError> {
        let root = self.incidents.root();
        let mut redness = Redness::read(self.state, root, id)?;
        set(&mut redness);
        Ok(redness.keep(self.state, root)?)
    }

    fn now(&self) -> Timestamp {
        self.host.clock.now()
    }

    fn clean(&self, text: &str) -> String {
        self.redactor.text_strictly(text)
    }
}

/// Moves an incident to the status that follows from an event.
fn take_step(change: &mut Change, event: IncidentEvent) -> Result<(), IncidentError> {
    change.incident.status = transition::next(change.incident.status, event)?;
    Ok(())
}

fn part_file(part: Part, name: &str, bytes: Vec<u8>) -> PartFile {
    PartFile { part, name: name.to_owned(), bytes }
}
