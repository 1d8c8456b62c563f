//! An incident as lists have it, read from its folder.

use std::collections::BTreeSet;

use referee_model::incident::id::IncidentId;
use referee_syntax::cut::characters;
use referee_wire::incident;
use referee_wire::incident_list::IncidentRow;
use rustix::fs::{AtFlags, Stat};

use super::ground::Ground;
use super::journal::Pending;
use super::query::Cursor;
use super::reading;
use super::shelf::Shelf;
use crate::error::LedgerError;
use crate::folder::{Folder, Kind};

/// Characters of a message that a list has.
const MESSAGE_CHARACTERS: usize = 1_000;

/// Characters of anything else that a list has.
const FIELD_CHARACTERS: usize = 200;

/// An incident in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) incident: IncidentRow,
    /// Where its folder is.
    pub(super) lies: Shelf,
    /// Where it is to be: the same, but while it is moved.
    pub(super) shelf: Shelf,
}

impl Row {
    /// Its place among all.
    pub(super) fn cursor(&self) -> Cursor {
        Cursor {
            updated_ms: self.incident.updated_at.as_millisecond(),
            name: self.incident.incident_id.to_string(),
            lies: self.lies.number(),
        }
    }

    /// What words are looked for in.
    pub(super) fn words(&self) -> String {
        let row = &self.incident;
        let fields = [row.incident_id.as_str(), &row.step, &row.failure_class, &row.message, &row.run_id];
        fields.join("\n").to_lowercase()
    }
}

/// What stands under a name on a shelf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// The incident, or why there is none, as a sentence.
    pub(super) row: Result<Row, String>,
    /// What tells its files from any later ones. None: they are being changed.
    pub(super) stamp: Option<i64>,
}

/// Reads what stands under a name on a shelf. None: nothing that is meant to be an incident.
pub(super) fn read(
    ground: &Ground,
    shelf: &Folder,
    lies: Shelf,
    name: &str,
    under_way: &BTreeSet<String>,
) -> Option<Found> {
    if name.starts_with('.') {
        return None;
    }
    let told = |reason: String| format!("{} is passed over: {reason}", lies.path_of_name(name));
    let stamp = stamp(shelf, name);
    match folder_of(shelf, name) {
        Ok(None) => None,
        Ok(Some(folder)) => {
            let is_under_way = under_way.contains(name);
            let row = read_folder(ground, &folder, lies, name, is_under_way).map_err(told);
            Some(Found { row, stamp: if is_under_way { None } else { stamp } })
        }
        Err(reason) => Some(Found { row: Err(told(reason)), stamp }),
    }
}

fn folder_of(shelf: &Folder, name: &str) -> Result<Option<Folder>, String> {
    match shelf.child(name) {
        Ok(Some(_)) if IncidentId::parse(name).is_ok_and(|id| id.as_str() == name) => {
            shelf.child(name).map_err(|error| error.to_string())
        }
        Ok(Some(_)) => Err("its name is no id of an incident".to_owned()),
        Ok(None) => Ok(None),
        Err(error) => match shelf.kind(name) {
            // A file is nobody's incident.
            Ok(None | Some(Kind::File)) => Ok(None),
            _ => Err(error.to_string()),
        },
    }
}

fn read_folder(ground: &Ground, folder: &Folder, lies: Shelf, name: &str, under_way: bool) -> Result<Row, String> {
    let text = |error: LedgerError| error.to_string();
    let id = IncidentId::parse(name).map_err(|error| error.to_string())?;
    let pending = if under_way { Pending::find(ground, &id).map_err(text)? } else { None };
    let content = reading::content(Some(folder), pending.as_ref()).map_err(text)?;
    let document = reading::parse(name, content.incident.as_deref(), content.status.as_deref())
        .map_err(|reason| format!("`{}`: {reason}", incident::INCIDENT))?;
    let shelf = pending.map_or(lies, |pending| Shelf::of(pending.intent.to));
    let mut row = IncidentRow::of(&document, shelf.path_of(&id));
    row.message = characters(&row.message, MESSAGE_CHARACTERS);
    for field in [&mut row.failure_class, &mut row.step, &mut row.ym, &mut row.run_id] {
        *field = characters(field, FIELD_CHARACTERS);
    }
    Ok(Row { incident: row, lies, shelf })
}

/// Tells the files of an incident from any other ones, without reading them: another file, a write, a replacement gives another
/// stamp. None: nothing of this name can be looked at.
pub(super) fn stamp(shelf: &Folder, name: &str) -> Option<i64> {
    let look = |path: &str| rustix::fs::statat(shelf, path, AtFlags::SYMLINK_NOFOLLOW);
    let files = [incident::INCIDENT, incident::STATUS].map(|file| look(&format!("{name}/{file}")));
    if files.iter().all(Result::is_err) {
        return look(name).ok().map(|found| hash(facts(&found).as_flattened()));
    }
    let facts = files.map(|found| found.map(|found| facts(&found)).unwrap_or_default());
    Some(hash(facts.as_flattened().as_flattened()))
}

fn facts(found: &Stat) -> [[u8; 8]; 5] {
    #[expect(clippy::cast_possible_wrap, reason = "any number will do as long as it is the same one")]
    let inode = found.st_ino as i64;
    #[expect(clippy::useless_conversion, reason = "these are of other types on other machines")]
    [
        inode,
        found.st_ctime.into(),
        i64::try_from(found.st_ctime_nsec).unwrap_or(-1),
        found.st_size.into(),
        found.st_mtime.into(),
    ]
    .map(i64::to_le_bytes)
}

/// FNV-1a, as a number that SQLite holds. Nobody's word depends on it: it tells what must be looked at again.
pub(super) fn hash(bytes: &[u8]) -> i64 {
    let fold = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    i64::from_le_bytes(bytes.iter().fold(0xcbf2_9ce4_8422_2325, fold).to_le_bytes())
}
