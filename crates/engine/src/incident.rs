//! Incidents, from capture to archive: what commands, the API and the page do with them (seed 3; rulings 23 to 27).

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
pub mod steps;
pub mod verification;

#[cfg(test)]
mod sample;

/// Where incidents are kept, below a project (ruling 26).
pub const ROOT: [&str; 2] = [".referee", "reports"];

/// The incidents of one root, and all that work at them needs of the world, held for as long as a program needs it.
pub struct IncidentService {
    incidents: Incidents,
    state: State,
    host: Host,
    redactor: Redactor,
    agent: Option<String>,
}

impl IncidentService {
    /// Opens the incidents of a root, for a person.
    ///
    /// # Errors
    /// As [`Incidents::open`].
    pub fn open(root: &Path, state: State, host: Host, redactor: Redactor) -> Result<Self, LedgerError> {
        let incidents = Incidents::open(root, Some(&state))?;
        Ok(Self { incidents, state, host, redactor, agent: None })
    }

    /// Opens the incidents that are meant: those of the directory that is named, or of the project.
    ///
    /// # Errors
    /// Fails where there is no state directory, and as [`Incidents::open`].
    pub fn of_project(context: &Context, named: Option<&Path>) -> Result<Self, EngineError> {
        let root = root(context, named);
        let state = context.state([root.as_path()])?.ok_or_else(|| {
            EngineError::usage("incidents need a state directory: set REFEREE_STATE_DIR, or HOME".to_owned())
        })?;
        let opened = Self::open(&root, state, context.for_exec()?, context.redactor());
        Ok(Self { agent: person::agent(context), ..opened.map_err(IncidentError::from)? })
    }

    /// The same for a server: whoever asks it does so through what an agent started, where one did.
    pub fn served(self) -> Self {
        let agent = self.agent.map(|whose| format!("a server that was started from {whose}"));
        Self { agent, ..self }
    }

    /// Sits somebody down at it.
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

/// Returns the directory of incidents: as named, or below the directory of the nearest specification, or below this
/// one.
pub fn root(context: &Context, named: Option<&Path>) -> PathBuf {
    if let Some(root) = named {
        return context.directory.join(root);
    }
    let found = discover::find(&context.directory).ok();
    below(found.as_ref().and_then(|found| found.file.parent()).unwrap_or(&context.directory))
}

/// Returns where incidents are kept below a project's directory.
pub fn below(project: &Path) -> PathBuf {
    ROOT.iter().fold(project.to_path_buf(), |directory, name| directory.join(name))
}

/// What work at incidents needs of the world.
#[derive(Clone, Copy)]
pub struct IncidentContext<'run> {
    /// The incidents.
    pub incidents: &'run Incidents,
    /// The user's state directory: whose approvals are believed is kept there.
    pub state: &'run State,
    /// The world as `exec` needs it; its clock is the clock.
    pub host: &'run Host,
    /// Cuts secrets out of whatever is written.
    pub redactor: &'run Redactor,
    /// Whose shell asks, as the end of a sentence that begins with "this is". None: a person's.
    pub agent: Option<&'run str>,
    /// Who does it, as events say it: a person's name, `api`, `loop`.
    pub by: &'run str,
}

/// Why something was not done with an incident.
#[derive(Debug, thiserror::Error)]
pub enum IncidentError {
    /// There is none of this id.
    #[error("no such incident: {0}")]
    Unknown(IncidentId),
    /// There is one of this id already.
    #[error("incident {0} already exists: choose another id, or pass --force")]
    Exists(IncidentId),
    /// It does not follow from where it stands.
    #[error("{illegal}: {advice}", illegal = .0, advice = standing_at(.0.from))]
    Illegal(#[from] Illegal),
    /// Something that must be there first is missing, or stands against it.
    #[error("{0}")]
    Refused(String),
    /// The word of a person is needed, and none was given that counts.
    #[error("{0}")]
    Unheard(String),
    /// What was given is wrong.
    #[error("{0}")]
    Invalid(String),
    /// Somebody else works at it.
    #[error("incident {0} is locked by another process")]
    Busy(IncidentId),
    /// The store could not be read or written.
    #[error(transparent)]
    Store(LedgerError),
    /// Referee itself failed.
    #[error("{0}")]
    Internal(String),
}

impl From<IncidentError> for EngineError {
    fn from(error: IncidentError) -> Self {
        let kind = match &error {
            IncidentError::Unknown(_)
            | IncidentError::Exists(_)
            | IncidentError::Illegal(_)
            | IncidentError::Refused(_)
            | IncidentError::Unheard(_)
            | IncidentError::Busy(_) => ErrorKind::Refused,
            IncidentError::Invalid(_) => ErrorKind::Usage,
            IncidentError::Store(_) => ErrorKind::Store,
            IncidentError::Internal(_) => ErrorKind::Internal,
        };
        Self::new(kind, error.to_string())
    }
}

/// What is to be known of an incident that stands so, by whoever wanted something else of it.
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

/// What Referee writes itself can be laid out as JSON.
impl From<serde_json::Error> for IncidentError {
    fn from(error: serde_json::Error) -> Self {
        Self::Internal(error.to_string())
    }
}

impl From<LedgerError> for IncidentError {
    fn from(error: LedgerError) -> Self {
        match error {
            // Who asked can ask otherwise; the store is well.
            LedgerError::Question { .. } => Self::Invalid(error.to_string()),
            error => Self::Store(error),
        }
    }
}

impl IncidentContext<'_> {
    /// Finds an incident.
    ///
    /// # Errors
    /// Fails where there is none, and where it cannot be read.
    pub fn find(&self, id: &IncidentId) -> Result<Stored, IncidentError> {
        self.incidents.find(id)?.ok_or_else(|| IncidentError::Unknown(id.clone()))
    }

    /// Refuses an agent what is a person's to do.
    ///
    /// # Errors
    /// Fails where an agent asks.
    pub fn needs_a_person(&self, deed: &str) -> Result<(), IncidentError> {
        self.agent.map_or(Ok(()), |whose| Err(IncidentError::Unheard(person::only_a_person(whose, deed))))
    }

    /// Takes an incident to work at.
    fn hold(&self, id: &IncidentId) -> Result<Hold, IncidentError> {
        self.find(id)?;
        self.incidents.hold(id)?.ok_or_else(|| IncidentError::Busy(id.clone()))
    }

    /// Changes an incident as it stands when nobody else does. What is not set stays as it was.
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

    /// Changes what is known to have been red for an incident, out of reach of whoever works at it.
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

/// Sets where an incident stands after something happened to it.
fn take_step(change: &mut Change, event: IncidentEvent) -> Result<(), IncidentError> {
    change.incident.status = transition::next(change.incident.status, event)?;
    Ok(())
}

fn part_file(part: Part, name: &str, bytes: Vec<u8>) -> PartFile {
    PartFile { part, name: name.to_owned(), bytes }
}
