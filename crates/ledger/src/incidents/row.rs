//! An incident as lists know it, read from its directory.

use std::collections::BTreeSet;

use referee_model::incident::id::IncidentId;
use referee_model::incident::status::IncidentStatus;
use referee_model::incident::{self, IncidentDocument};
use referee_syntax::cut::characters;

use super::incident_dir::IncidentDir;
use super::incident_root::IncidentRoot;
use super::journal::Pending;
use super::reading::{self, Content};
use crate::directory::Directory;
use crate::tree::Stamp;

/// Maximum length of a message in a list, in characters.
const MESSAGE_CHARACTERS: usize = 1_000;

/// Maximum length of any other field in a list, in characters.
const FIELD_CHARACTERS: usize = 200;

/// An incident, without its texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) lies: IncidentDir,
    /// The directory that the incident belongs in: differs from `lies` only while it is moved.
    pub(super) shelf: IncidentDir,
    pub(super) status: IncidentStatus,
    pub(super) occurrences: u64,
    pub(super) created_ms: i64,
    pub(super) updated_ms: i64,
    /// Stamps of `incident.json` and `status.txt`. None: later changes of these files could have the same ones.
    pub(super) stamps: Option<[Stamp; 2]>,
    /// Where the texts begin among those of all rows, and where each ends after that.
    pub(super) start: usize,
    pub(super) ends: [u32; Text::COUNT],
}

/// A text of a row, in the order in which they are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Text {
    Name,
    Step,
    FailureClass,
    Message,
    RunId,
    Ym,
    Fingerprint,
}

impl Text {
    pub(super) const COUNT: usize = Self::Fingerprint as usize + 1;

    /// The texts that are searched for words.
    pub(super) const SEARCHED: [Self; 5] = [Self::Name, Self::Step, Self::FailureClass, Self::Message, Self::RunId];
}

/// A row that was read from an incident's directory, and its texts.
#[derive(Debug)]
pub(super) struct ReadRow {
    pub(super) row: Row,
    pub(super) texts: String,
}

/// Reads the entry with this name in the inbox or the archive. None: the entry is not meant to be an incident.
/// Errors are sentences.
pub(super) fn read(
    ground: &IncidentRoot,
    shelf: &Directory,
    lies: IncidentDir,
    name: &str,
    under_way: &BTreeSet<String>,
) -> Option<Result<ReadRow, String>> {
    let id = IncidentId::parse(name).ok().filter(|id| id.as_str() == name);
    let quiet = id.as_ref().filter(|_| !under_way.contains(name));
    let read = match quiet.and_then(|id| Some((id, reading::content_at_once(shelf, id)?))) {
        Some((id, content)) => row(&content, lies, id, None),
        None => shelf.child(name).map_err(|error| error.to_string()).transpose()?.and_then(|directory| {
            let id = id.as_ref().ok_or("its name is not an id of an incident")?;
            let pending = if under_way.contains(name) { Pending::find(ground, id) } else { Ok(None) };
            let pending = pending.map_err(|error| error.to_string())?;
            let content = reading::content(Some(&directory), pending.as_ref()).map_err(|error| error.to_string())?;
            row(&content, lies, id, pending.as_ref())
        }),
    };
    Some(read.map_err(|reason| format!("{} is passed over: {reason}", lies.path_of_name(name))))
}

fn row(content: &Content, lies: IncidentDir, id: &IncidentId, pending: Option<&Pending>) -> Result<ReadRow, String> {
    let document = reading::parse(id, content.incident.as_deref(), content.status.as_deref())
        .map_err(|reason| format!("`{}`: {reason}", incident::INCIDENT))?;
    let (texts, ends) = texts(&document);
    let row = Row {
        lies,
        shelf: pending.map_or(lies, |pending| IncidentDir::from(pending.intent.to)),
        status: document.status,
        occurrences: document.occurrences,
        created_ms: document.created_at.as_millisecond(),
        updated_ms: document.updated_at.as_millisecond(),
        stamps: content.stamps,
        start: 0,
        ends,
    };
    Ok(ReadRow { row, texts })
}

/// Returns the texts of an incident one after the other, and where each ends.
fn texts(document: &IncidentDocument) -> (String, [u32; Text::COUNT]) {
    let fingerprint = document.fingerprint.map(|fingerprint| fingerprint.to_string()).unwrap_or_default();
    let (mut texts, mut ends) = (String::new(), [0; Text::COUNT]);
    let all = [
        (document.incident_id.as_str(), FIELD_CHARACTERS),
        (&document.step, FIELD_CHARACTERS),
        (&document.failure_class, FIELD_CHARACTERS),
        (&document.message, MESSAGE_CHARACTERS),
        (&document.run_id, FIELD_CHARACTERS),
        (&document.ym, FIELD_CHARACTERS),
        (&fingerprint, FIELD_CHARACTERS),
    ];
    for ((text, most), end) in all.into_iter().zip(&mut ends) {
        // A character has at least one byte, so this never cuts too early.
        if text.len() > most {
            texts.push_str(&characters(text, most));
        } else {
            texts.push_str(text);
        }
        *end = u32::try_from(texts.len()).unwrap_or(u32::MAX);
    }
    (texts, ends)
}
