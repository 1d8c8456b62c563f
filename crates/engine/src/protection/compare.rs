//! Compares current files with those of a baseline.

use std::collections::BTreeSet;

use referee_ledger::workspace::{Listed, Looked};
use referee_model::lock::{Lock, LockedFile, LockedKind, LockedValue};
use referee_model::run_context::protection::{Drift, DriftChange, Mode};

use super::book::RuleBook;
use super::fate::Fates;
use super::lost_tests::Others;
use super::newcomers::{self, Known};
use super::{Look, ProtectionError, lock_snapshot, switched};

#[derive(Debug)]
pub(super) struct Compared {
    pub(super) drift: Vec<Drift>,
    /// Explanations for removed declarations of tests.
    pub(super) fates: Fates,
}

/// Known data of the baseline.
#[derive(Clone, Copy)]
pub(super) struct Then<'a> {
    pub(super) lock: &'a Lock,
    /// Returns the content of a file. `None` if there was none, or if it is unknown.
    pub(super) content: &'a dyn Fn(&str) -> Option<Vec<u8>>,
    /// Returns the files that are known to have existed, protected or not.
    pub(super) paths: &'a dyn Fn() -> BTreeSet<String>,
}

/// Returns all drift.
///
/// | mode     | unchanged | modified                         | removed                   | new                   |
/// |----------|-----------|----------------------------------|---------------------------|-----------------------|
/// | frozen   | –         | blocks                           | blocks                    | blocks if not allowed |
/// | additive | –         | listed; blocks if a test is gone | blocks, unless only moved | free; `.only` blocks  |
/// | review   | –         | listed                           | listed                    | free                  |
///
/// Files that cannot be read block, except under review.
pub(super) fn compare(
    then: Then<'_>,
    known: &Known<'_>,
    listed: &[Listed],
    look: Look<'_>,
) -> Result<Compared, ProtectionError> {
    let lock = then.lock;
    let book = RuleBook::new(&lock.rules).map_err(ProtectionError::Content)?;
    let mut drift = Vec::new();
    let mut others = Others::new(then, listed, look, &book);
    for file in &lock.files {
        let found = look(&file.path);
        if file.values.is_empty() {
            drift.extend(whole(file, &found, &mut others));
        } else {
            drift.extend(of_values(file, &found));
        }
    }
    for newcomer in listed.iter().filter(|listed| lock.file(&listed.path).is_none()) {
        if let Some(detail) = newcomers::refusal(&book, known, newcomer, look) {
            drift.push(Drift { detail, ..differing(&newcomer.path, Mode::Frozen, DriftChange::Added) });
        } else if is_test(&book, newcomer)
            && let Looked::File(held) = look(&newcomer.path)
            && let Some(focus) = lock_snapshot::text_of(&held).and_then(|text| switched::focus(&newcomer.path, text))
        {
            let detail = format!("it is new, and {focus}");
            drift.push(Drift { detail, ..differing(&newcomer.path, Mode::Additive, DriftChange::Added) });
        }
    }
    Ok(Compared { drift, fates: others.fates })
}

/// Whether a file is a test file, to which other test files may be added.
pub(super) fn is_test(book: &RuleBook, listed: &Listed) -> bool {
    !listed.ignored && book.of(&listed.path).is_some_and(|applied| applied.mode == Mode::Additive)
}

/// Returns the drift for a specification that the baseline does not know.
pub(super) fn unknown_specification(file: &str) -> Drift {
    let detail = "it is not the specification that was locked: what it asks for was approved by nobody".to_owned();
    Drift { detail, ..differing(file, Mode::Frozen, DriftChange::Added) }
}

/// Returns a drift without its detail.
pub(super) fn differing(path: &str, mode: Mode, change: DriftChange) -> Drift {
    let (path, blocks) = (path.to_owned(), mode != Mode::Review);
    Drift { path, pointer: None, mode, change, detail: String::new(), removed: None, blocks }
}

fn whole(file: &LockedFile, found: &Looked, others: &mut Others<'_>) -> Option<Drift> {
    let drift = |change, detail: String| Drift { detail, ..differing(&file.path, file.mode, change) };
    let (kind, held) = match found {
        Looked::Missing => return Some(removed(file, others)),
        Looked::Unreadable(why) => {
            return Some(drift(DriftChange::Unreadable, format!("it cannot be read: {why} ({})", file.reason)));
        }
        Looked::File(held) => (LockedKind::File, held),
        Looked::Link(held) => (LockedKind::Link, held),
    };
    if kind != file.kind {
        let now = if kind == LockedKind::Link { "a link" } else { "a file" };
        return Some(drift(DriftChange::Modified, format!("it is {now} now ({})", file.reason)));
    }
    if held.sha256 == file.sha256 {
        return None;
    }
    let sizes = if held.bytes == file.bytes {
        format!("{} bytes as before", held.bytes)
    } else {
        format!("{} bytes then, {} now", file.bytes, held.bytes)
    };
    if file.mode != Mode::Additive {
        return Some(drift(DriftChange::Modified, format!("its content is another one: {sizes} ({})", file.reason)));
    }
    let gone = others.gone(file, Some(held));
    if gone.unexplained.is_empty() {
        let detail = format!("it was edited: {sizes}");
        return Some(Drift { blocks: false, removed: gone.said, ..drift(DriftChange::Modified, detail) });
    }
    let many = tests_are(gone.unexplained.len());
    let detail = format!("{many} gone, or switched off: {}; {}", super::listed_names(&gone.unexplained), gone.remedy());
    Some(drift(DriftChange::Modified, detail))
}

fn removed(file: &LockedFile, others: &mut Others<'_>) -> Drift {
    let drift = differing(&file.path, file.mode, DriftChange::Removed);
    if file.mode != Mode::Additive {
        return Drift { detail: format!("it was removed ({})", file.reason), ..drift };
    }
    if let Some(place) = others.moved_to(file) {
        return Drift { detail: format!("it was moved to {place}"), blocks: false, ..drift };
    }
    let gone = others.gone(file, None);
    if !file.tests.is_empty() && gone.unexplained.is_empty() {
        let what = gone.said.unwrap_or_else(|| "other files declare its tests".to_owned());
        return Drift { detail: format!("it was removed: {what}"), blocks: false, ..drift };
    }
    let remedy = if file.tests.is_empty() { String::new() } else { format!("; {}", gone.remedy()) };
    Drift { detail: format!("it was removed ({}){remedy}", file.reason), ..drift }
}

pub(super) fn tests_are(count: usize) -> String {
    if count == 1 { "a test is".to_owned() } else { format!("{count} tests are") }
}

/// Returns the drift in a file of which only values are protected.
fn of_values(file: &LockedFile, found: &Looked) -> Vec<Drift> {
    let document = match found {
        Looked::Missing if file.values.iter().all(|value| value.digest.is_none()) => return Vec::new(),
        Looked::Missing => {
            let detail = format!("it was removed ({})", file.reason);
            return vec![Drift { detail, ..differing(&file.path, file.mode, DriftChange::Removed) }];
        }
        Looked::File(held) => lock_snapshot::document(&file.path, held),
        Looked::Link(_) => Err("it is a link now".to_owned()),
        Looked::Unreadable(why) => Err(why.clone()),
    };
    let unreadable = |why: String| {
        let detail = format!("what is protected in it cannot be looked at: {why}");
        Drift { detail, ..differing(&file.path, file.mode, DriftChange::Unreadable) }
    };
    let document = match document {
        Ok(document) => document,
        Err(why) => return vec![unreadable(why)],
    };
    let differs = |value: &LockedValue| {
        let (change, detail) = match (value.digest, lock_snapshot::digest_at(&document, &value.pointer)) {
            (_, Err(why)) => {
                return Some(Drift { mode: value.mode, blocks: value.mode != Mode::Review, ..unreadable(why) });
            }
            (before, Ok(now)) if before == now => return None,
            (None, Ok(_)) => (DriftChange::Added, "it holds a value that was not there"),
            (Some(_), Ok(None)) => (DriftChange::Removed, "its value was removed"),
            (Some(_), Ok(Some(_))) => (DriftChange::Modified, "its value is another one"),
        };
        let detail = format!("{detail} ({})", file.reason);
        let pointer = Some(value.pointer.clone()).filter(|pointer| !pointer.is_empty());
        Some(Drift { pointer, detail, ..differing(&file.path, value.mode, change) })
    };
    let (all, parts): (Vec<&LockedValue>, Vec<_>) = file.values.iter().partition(|value| value.pointer.is_empty());
    let mut drift: Vec<Drift> = parts.into_iter().filter_map(differs).collect();
    // The whole document differs wherever a part does.
    if drift.is_empty() {
        drift.extend(all.into_iter().filter_map(differs));
    }
    drift
}
