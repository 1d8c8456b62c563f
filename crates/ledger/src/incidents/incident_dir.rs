//! Where incidents lie.

use referee_model::incident::IncidentDocument;
use referee_model::incident::id::IncidentId;
use referee_model::incident::status::Closing;

/// Where the directory of an incident lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IncidentDir {
    Inbox,
    Archive(Closing),
}

impl IncidentDir {
    pub const ALL: [Self; 3] = [Self::Inbox, Self::Archive(Closing::Resolved), Self::Archive(Closing::Escalated)];

    /// Returns the directories that lead to it from the root.
    pub fn directories(self) -> &'static [&'static str] {
        match self {
            Self::Inbox => &["error_inbox"],
            Self::Archive(Closing::Resolved) => &["error_archive", "resolved"],
            Self::Archive(Closing::Escalated) => &["error_archive", "escalated"],
        }
    }

    /// Returns where an incident on it lies, relative to the root.
    pub fn path_of(self, id: &IncidentId) -> String {
        self.path_of_name(id.as_str())
    }

    /// As [`Self::path_of`], for a name that need not be an id.
    pub(super) fn path_of_name(self, name: &str) -> String {
        format!("{}/{name}", self.directories().join("/"))
    }

    /// The part of the archive that it is. None: it is none.
    pub(super) fn closing(self) -> Option<Closing> {
        match self {
            Self::Inbox => None,
            Self::Archive(closing) => Some(closing),
        }
    }

    /// Its place in [`Self::ALL`], as cursors have it.
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

/// An incident, and where it lies.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    /// The incident. Its status is what `status.txt` says.
    pub incident: IncidentDocument,
    pub shelf: IncidentDir,
}

impl Stored {
    /// Returns where its directory lies, relative to the root.
    pub fn path(&self) -> String {
        self.shelf.path_of(&self.incident.incident_id)
    }
}
