//! Everything that is kept of one incident, read for whoever shows it.

pub use referee_judge::incident::finding::{Finding, read as findings};
use referee_ledger::incidents::{Part, Stored};
use referee_model::incident::attempt;
use referee_model::incident::id::IncidentId;
use serde_json::Value;

use super::{IncidentContext, IncidentError};

/// Everything that is kept of one incident.
#[derive(Debug, Clone)]
pub struct Detail {
    /// The incident, and where it lies.
    pub stored: Stored,
    /// Its files.
    pub files: Vec<IncidentFile>,
}

/// A file of an incident: the directory, the name, the bytes.
pub type IncidentFile = (Part, String, Vec<u8>);

/// Returns what a file of an incident holds. None: there is no such file.
pub fn file<'file>(files: &'file [IncidentFile], part: Part, name: &str) -> Option<&'file [u8]> {
    files.iter().find(|(of, named, _)| *of == part && named == name).map(|(_, _, bytes)| bytes.as_slice())
}

/// The files of an incident, read as what they are. What is there and cannot be read is remembered.
pub struct Documents<'files> {
    files: &'files [IncidentFile],
    /// Names of files that are no JSON, each with the reason.
    pub unreadable: Vec<(String, String)>,
}

impl<'files> Documents<'files> {
    /// Reads the files of an incident.
    pub fn of(detail: &'files Detail) -> Self {
        Self { files: &detail.files, unreadable: Vec::new() }
    }

    /// Returns a text. Bytes that are no UTF-8 are replaced.
    pub fn text(&self, part: Part, name: &str) -> Option<String> {
        file(self.files, part, name).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    /// Returns a JSON document.
    pub fn json(&mut self, part: Part, name: &str) -> Option<Value> {
        match serde_json::from_slice(file(self.files, part, name)?) {
            Ok(value) => Some(value),
            Err(error) => {
                self.unreadable.push((name.to_owned(), error.to_string()));
                None
            }
        }
    }

    /// Returns the last so many attempts of its loop, in the order of their numbers.
    pub fn attempts(&mut self, last: usize) -> Vec<Value> {
        let of_loop = self.files.iter().filter(|(part, ..)| *part == Part::Run);
        let mut names: Vec<_> = of_loop.filter_map(|(_, name, _)| Some((attempt::number(name)?, name))).collect();
        names.sort_unstable();
        let from = names.len().saturating_sub(last);
        names.into_iter().skip(from).filter_map(|(_, name)| self.json(Part::Run, name)).collect()
    }
}

/// Reads everything that is kept of an incident.
///
/// # Errors
/// Fails where there is none, and where it cannot be read.
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
