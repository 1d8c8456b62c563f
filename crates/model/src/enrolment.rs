//! Enrolled projects, in which hooks enforce the gate.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::depot::DepotAddress;
use crate::id::{ProjectName, WorkerLabel};
use crate::time::Timestamp;

/// An enrolled project: hooks enforce the gate in it, and a missing or broken specification blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enrolment {
    /// Absolute path of the project's directory, with links resolved.
    pub project: PathBuf,
    /// Absolute path of the specification. It may no longer exist, which blocks.
    pub specification: PathBuf,
    /// Who or what enrolled the project.
    pub by: EnrolledBy,
    /// Time of the enrollment.
    pub since: Timestamp,
    /// Absolute path of the held-out specification, which agents never see; outside the project.
    pub held_out: Option<PathBuf>,
    /// The commit that protected files are compared with instead of the lock.
    pub trusted: Option<TrustedCommit>,
    /// Workers that run the checks that hooks ask for. None: they run on this machine.
    pub fleet: Option<FleetSettings>,
}

/// Workers that perform runs, and the depot through which files go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FleetSettings {
    /// Labels that a worker must have.
    pub labels: BTreeSet<WorkerLabel>,
    /// Address of the depot, as text; a directory by its absolute path.
    #[serde(with = "crate::depot::address_text")]
    pub depot: DepotAddress,
    /// Name of the project in the depot. None: that of the directory that holds the evidence.
    pub project: Option<ProjectName>,
    /// Maximum number of parts that a task is split into, where its plan lets it. None: it is one run.
    pub parts: Option<NonZeroUsize>,
}

/// The trusted commit of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedCommit {
    /// Commit id; a name in a record written by an earlier version.
    pub id: String,
    /// Name by which the commit was given when the project was enrolled. None: it was given by its id.
    pub name: Option<String>,
}

document_words! {
    /// Who or what enrolled a project.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum EnrolledBy {
        /// A person, by `referee enroll`.
        Person = "person",
        /// An agent, by `referee enroll` in its shell.
        Agent = "agent",
        /// A specification committed in the project.
        CommittedSpecification = "committed-specification",
    }
}

/// The record of a project that was enrolled at some time. Kept after the enrollment ends, so that the end can be
/// detected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnrolmentRecord {
    /// The enrollment; for one that was ended, its last state.
    pub enrolment: Enrolment,
    /// Whether the enrollment is in force.
    pub standing: EnrolmentStanding,
}

/// Whether an enrollment is in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EnrolmentStanding {
    /// The enrollment is in force.
    Enrolled {
        /// The last end of an earlier enrollment. None: it was never ended.
        ended_before: Option<Removal>,
    },
    /// The enrollment was ended.
    Removed(Removal),
}

/// The end of an enrollment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Removal {
    /// Time of the end.
    pub at: Timestamp,
    /// The agent in whose shell the command was typed, as detected from environment variables. None: no agent was
    /// detected.
    pub agent: Option<String>,
}

impl EnrolmentRecord {
    /// Returns whether the enrollment is in force.
    pub fn is_enrolled(&self) -> bool {
        matches!(self.standing, EnrolmentStanding::Enrolled { .. })
    }

    /// Returns the last end of the enrollment, even if the project was enrolled again. None: it was never ended.
    pub fn removal(&self) -> Option<&Removal> {
        match &self.standing {
            EnrolmentStanding::Enrolled { ended_before } => ended_before.as_ref(),
            EnrolmentStanding::Removed(removal) => Some(removal),
        }
    }
}
