//! A project for which hooks have an opinion.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::time::Timestamp;

/// A project for which hooks have an opinion: once it is enrolled, a missing or broken specification blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enrolment {
    /// The project's directory, absolute, links resolved.
    pub project: PathBuf,
    /// The specification, absolute. It need not be there any more: then it is missing, which blocks.
    pub specification: PathBuf,
    /// What enrolled it.
    pub by: EnrolledBy,
    /// Since when.
    pub since: Timestamp,
    /// The specification of checks that agents never see, absolute, outside the project.
    pub held_out: Option<PathBuf>,
    /// The commit that protected files are held against instead of the lock.
    pub trusted: Option<TrustedCommit>,
}

/// The commit that a project was enrolled with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedCommit {
    /// Its id; a name in a record that an earlier version wrote.
    pub id: String,
    /// What it was called when the project was enrolled. None: its id was given.
    pub name: Option<String>,
}

/// What enrolled a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EnrolledBy {
    /// A person, by `referee enroll`.
    Person,
    /// An agent, by `referee enroll` in its shell.
    Agent,
    /// A specification that is committed in it.
    CommittedSpecification,
}

impl EnrolledBy {
    /// Returns it as documents spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Agent => "agent",
            Self::CommittedSpecification => "committed-specification",
        }
    }
}

/// What is kept of a project that was enrolled once. It outlives its enrolment, so that an end of it can be seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnrolmentRecord {
    /// The enrolment; where it was ended, as it was last.
    pub enrolment: Enrolment,
    /// Whether it holds.
    pub standing: EnrolmentStanding,
}

/// Whether an enrolment holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EnrolmentStanding {
    /// It holds.
    Enrolled {
        /// How it was ended before. None: it never was.
        ended_before: Option<Removal>,
    },
    /// Somebody ended it.
    Removed(Removal),
}

/// How an enrolment was ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Removal {
    /// When.
    pub at: Timestamp,
    /// The agent in whose shell it was typed, where its variables told. None: none was seen.
    pub agent: Option<String>,
}

impl EnrolmentRecord {
    /// Whether it holds.
    pub fn is_enrolled(&self) -> bool {
        matches!(self.standing, EnrolmentStanding::Enrolled { .. })
    }

    /// Returns how it was ended last, whether it holds again or not. None: it never was.
    pub fn removal(&self) -> Option<&Removal> {
        match &self.standing {
            EnrolmentStanding::Enrolled { ended_before } => ended_before.as_ref(),
            EnrolmentStanding::Removed(removal) => Some(removal),
        }
    }
}
