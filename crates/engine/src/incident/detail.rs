//! All stored data of one incident, read for display.

pub use referee_judge::incident::finding::{Finding, read as findings};
use referee_ledger::incidents::{Part, Stored};
use referee_model::incident::attempt;
use referee_model::incident::id::IncidentId;
use serde_json::Value;

use super::{IncidentContext, IncidentError};

/// All stored data of one incident.
#[derive(Debug, Clone)]
pub struct Detail {
    /// The incident and its location.
    pub stored: Stored,
    /// Files of the incident.
    pub files: Vec<IncidentFile>,
}

/// A file of an incident: part (directory), name and content.
pub type IncidentFile = (Part, String, Vec<u8>);

/// Returns the content of a file of an incident. `None` if there is no such file.
pub fn file<'file>(files: &'file [IncidentFile], part: Part, name: &str) -> Option<&'file [u8]> {
    files.iter().find(|(of, named, _)| *of == part && named == name).map(|(_, _, bytes)| bytes.as_slice())
}

/// Parses the files of an incident on demand, and remembers those that could not be parsed.
pub struct Documents<'files> {
    files: &'files [IncidentFile],
    /// Names of files that are no JSON, each with the reason.
    pub unreadable: Vec<(String, String)>,
}

impl<'files> Documents<'files> {
    /// Wraps the files of an incident.
    pub fn of(detail: &'files Detail) -> Self {
        Self { files: &detail.files, unreadable: Vec::new() }
    }

    /// Returns a file as text. Bytes that are not UTF-8 are replaced.
    pub fn text(&self, part: Part, name: &str) -> Option<String> {
        file(self.files, part, name).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    /// Returns a file as JSON.
    pub fn json(&mut self, part: Part, name: &str) -> Option<Value> {
        match serde_json::from_slice(file(self.files, part, name)?) {
            Ok(value) => Some(value),
            Err(error) => {
                self.unreadable.push((name.to_owned(), error.to_string()));
                None
            }
        }
    }

    /// Returns the last `last` attempts of the incident's loop, in the order of their numbers.
    pub fn attempts(&mut self, last: usize) -> Vec<Value> {
        let of_loop = self.files.iter().filter(|(part, ..)| *part == Part::Run);
        let mut names: Vec<_> = of_loop.filter_map(|(_, name, _)| Some((attempt::number(name)?, name))).collect();
        names.sort_unstable();
        let from = names.len().saturating_sub(last);
        names.into_iter().skip(from).filter_map(|(_, name)| self.json(Part::Run, name)).collect()
    }
}

/// Reads all stored data of an incident.
///
/// # Errors
/// Fails if there is none, or if it cannot be read.
pub fn detail(context: IncidentContext<'_>, id: &IncidentId) -> Result<Detail, IncidentError> {
    let stored = context.find(id)?;
    let mut files = Vec::new();
    for part in [Part::Incident, Part::Plan, Part::Handoff, Part::Run] {
        for name in context.incidents.files(id, part)? {
            if let Some(bytes) = context.incidents.file(id, part, &name)? {
                files.push((part, name, bytes));
            }
        }
    }
    Ok(Detail { stored, files })
}
