//! Locations of incidents.

use referee_model::incident::IncidentDocument;
use referee_model::incident::id::IncidentId;
use referee_model::incident::status::Closing;

/// The directory that an incident's directory is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IncidentDir {
    Inbox,
    Archive(Closing),
}

impl IncidentDir {
    pub const ALL: [Self; 3] = [Self::Inbox, Self::Archive(Closing::Resolved), Self::Archive(Closing::Escalated)];

    /// Returns the path components from the root to this directory.
    pub fn directories(self) -> &'static [&'static str] {
        match self {
            Self::Inbox => &["error_inbox"],
            Self::Archive(Closing::Resolved) => &["error_archive", "resolved"],
            Self::Archive(Closing::Escalated) => &["error_archive", "escalated"],
        }
    }

    /// Returns the path of an incident in this directory, relative to the root.
    pub fn path_of(self, id: &IncidentId) -> String {
        self.path_of_name(id.as_str())
    }

    /// Like [`Self::path_of`], for a name that need not be an id.
    pub(super) fn path_of_name(self, name: &str) -> String {
        format!("{}/{name}", self.directories().join("/"))
    }

    /// Returns the part of the archive that this is. None: it is the inbox.
    pub(super) fn closing(self) -> Option<Closing> {
        match self {
            Self::Inbox => None,
            Self::Archive(closing) => Some(closing),
        }
    }

    /// Returns the index in [`Self::ALL`], as used in cursors.
    pub(super) fn number(self) -> u8 {
        match self {
            Self::Inbox => 0,
            Self::Archive(Closing::Resolved) => 1,
            Self::Archive(Closing::Escalated) => 2,
        }
    }
}

impl From<Option<Closing>> for IncidentDir {
    fn from(closing: Option<Closing>) -> Self {
        closing.map_or(Self::Inbox, Self::Archive)
    }
}

/// An incident and its location.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    /// The incident. Its status is the content of `status.txt`.
    pub incident: IncidentDocument,
    pub shelf: IncidentDir,
}

impl Stored {
    /// Returns the path of the incident's directory, relative to the root.
    pub fn path(&self) -> String {
        self.shelf.path_of(&self.incident.incident_id)
    }
}
