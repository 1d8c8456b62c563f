//! An incident as shown in lists, read from its directory.

use std::collections::BTreeSet;

use referee_model::incident;
use referee_model::incident::id::IncidentId;
use referee_model::incident::list::IncidentRow;
use referee_syntax::cut::characters;

use super::incident_dir::IncidentDir;
use super::incident_root::IncidentRoot;
use super::journal::Pending;
use super::query::Cursor;
use super::reading::{self, Content};
use crate::directory::Directory;

/// Maximum length of a message in a list, in characters.
const MESSAGE_CHARACTERS: usize = 1_000;

/// Maximum length of any other field in a list, in characters.
const FIELD_CHARACTERS: usize = 200;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) incident: IncidentRow,
    pub(super) lies: IncidentDir,
    /// The directory that the incident belongs in: differs from `lies` only while it is moved.
    pub(super) shelf: IncidentDir,
}

impl Row {
    pub(super) fn cursor(&self) -> Cursor {
        Cursor {
            updated_ms: self.incident.updated_at.as_millisecond(),
            name: self.incident.incident_id.to_string(),
            lies: self.lies.number(),
        }
    }

    /// Returns the lower-case text that search words are matched against.
    pub(super) fn words(&self) -> String {
        let row = &self.incident;
        let fields = [row.incident_id.as_str(), &row.step, &row.failure_class, &row.message, &row.run_id];
        fields.join("\n").to_lowercase()
    }
}

/// Reads the entry with this name in the inbox or the archive. None: the entry is not meant to be an incident.
/// Errors are sentences.
pub(super) fn read(
    ground: &IncidentRoot,
    shelf: &Directory,
    lies: IncidentDir,
    name: &str,
    under_way: &BTreeSet<IncidentId>,
) -> Option<Result<Row, String>> {
    let id = IncidentId::parse(name).ok().filter(|id| id.as_str() == name);
    let quiet = id.as_ref().filter(|id| !under_way.contains(*id));
    let read = match quiet.and_then(|id| Some((id, reading::content_at_once(shelf, id)?))) {
        Some((id, content)) => row(&content, lies, id, None),
        None => shelf.child(name).map_err(|error| error.to_string()).transpose()?.and_then(|directory| {
            let id = id.as_ref().ok_or("its name is not an id of an incident")?;
            let pending = if under_way.contains(id) { Pending::find(ground, id) } else { Ok(None) };
            let pending = pending.map_err(|error| error.to_string())?;
            let content = reading::content(Some(&directory), pending.as_ref()).map_err(|error| error.to_string())?;
            row(&content, lies, id, pending.as_ref())
        }),
    };
    Some(read.map_err(|reason| format!("{} is passed over: {reason}", lies.path_of_name(name))))
}

fn row(content: &Content, lies: IncidentDir, id: &IncidentId, pending: Option<&Pending>) -> Result<Row, String> {
    let document = reading::parse(id, content.incident.as_deref(), content.status.as_deref())
        .map_err(|reason| format!("`{}`: {reason}", incident::INCIDENT))?;
    let shelf = pending.map_or(lies, |pending| IncidentDir::from(pending.intent.to));
    let mut row = IncidentRow::of(&document, shelf.path_of(id));
    let short =
        [&mut row.failure_class, &mut row.step, &mut row.ym, &mut row.run_id].map(|field| (field, FIELD_CHARACTERS));
    for (field, most) in short.into_iter().chain([(&mut row.message, MESSAGE_CHARACTERS)]) {
        // A character has at least one byte, so this never cuts too early.
        if field.len() > most {
            *field = characters(field, most);
        }
    }
    Ok(Row { incident: row, lies, shelf })
}
