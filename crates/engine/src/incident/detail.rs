//! Everything that is kept of one incident, read for whoever shows it.

pub use referee_judge::incident::finding::{Finding, read as findings};
use referee_ledger::incidents::{Part, Stored};
use referee_model::incident::id::IncidentId;

use super::{IncidentContext, IncidentError};

/// Everything that is kept of one incident.
#[derive(Debug, Clone)]
pub struct Detail {
    /// The incident, and where it lies.
    pub stored: Stored,
    /// Its files: the folder, the name, the bytes.
    pub files: Vec<(Part, String, Vec<u8>)>,
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
