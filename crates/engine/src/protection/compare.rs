//! Files as they are held against files as they were.

use std::collections::BTreeSet;

use referee_ledger::workspace::{Held, Listed, Looked};
use referee_model::circumstances::protection::{Drift, DriftChange, Mode};
use referee_model::lock::{Lock, LockedFile, LockedKind, LockedValue};

use super::book::RuleBook;
use super::newcomers::{self, Known};
use super::{Look, ProtectionError, switched, take};

/// Most names of tests that one sentence lists.
const NAMES: usize = 5;

/// Returns everything that differs.
///
/// | mode     | as it was | other content                   | removed                    | new                         |
/// |----------|-----------|---------------------------------|----------------------------|-----------------------------|
/// | frozen   | –         | blocks                          | blocks                     | blocks where nothing may be |
/// | additive | –         | listed; blocks if a test is gone | blocks, unless only moved | free; blocks with an `.only` |
/// | review   | –         | listed                          | listed                     | free                        |
///
/// What cannot be read blocks, but under review.
pub(super) fn compare(
    lock: &Lock,
    known: &Known<'_>,
    listed: &[Listed],
    look: Look<'_>,
) -> Result<Vec<Drift>, ProtectionError> {
    let book = RuleBook::new(&lock.rules).map_err(ProtectionError::Content)?;
    let mut drift = Vec::new();
    let mut others = Others { lock, listed, look, book: &book, known: None };
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
            && let Some(focus) = take::text_of(&held).and_then(|text| switched::focus(&newcomer.path, text))
        {
            let detail = format!("it is new, and {focus}");
            drift.push(Drift { detail, ..differing(&newcomer.path, Mode::Additive, DriftChange::Added) });
        }
    }
    Ok(drift)
}

/// Whether a file is among those of tests, to which others may be added.
fn is_test(book: &RuleBook, listed: &Listed) -> bool {
    !listed.ignored && book.of(&listed.path).is_some_and(|applied| applied.mode == Mode::Additive)
}

/// The drift of a specification that the baseline does not know.
pub(super) fn unknown_specification(file: &str) -> Drift {
    let detail = "it is not the specification that was locked: what it asks for was approved by nobody".to_owned();
    Drift { detail, ..differing(file, Mode::Frozen, DriftChange::Added) }
}

/// A drift without its detail.
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
    let gone = others.gone(file, held);
    if gone.is_empty() {
        let detail = format!("it was edited: {sizes}");
        return Some(Drift { blocks: false, ..drift(DriftChange::Modified, detail) });
    }
    Some(drift(
        DriftChange::Modified,
        format!("{} gone, or switched off: {}", tests_are(gone.len()), listed_names(&gone)),
    ))
}

fn removed(file: &LockedFile, others: &mut Others<'_>) -> Drift {
    let drift = differing(&file.path, file.mode, DriftChange::Removed);
    if file.mode == Mode::Additive
        && let Some(place) = others.moved_to(file)
    {
        return Drift { detail: format!("it was moved to {place}"), blocks: false, ..drift };
    }
    Drift { detail: format!("it was removed ({})", file.reason), ..drift }
}

pub(super) fn tests_are(count: usize) -> String {
    if count == 1 { "a test is".to_owned() } else { format!("{count} tests are") }
}

pub(super) fn listed_names(names: &[&String]) -> String {
    let quoted: Vec<String> = names.iter().take(NAMES).map(|name| format!("`{name}`")).collect();
    let more = names.len().saturating_sub(NAMES);
    if more == 0 { quoted.join(", ") } else { format!("{}, and {more} more", quoted.join(", ")) }
}

/// What differs in a file of which values alone are protected.
fn of_values(file: &LockedFile, found: &Looked) -> Vec<Drift> {
    let document = match found {
        Looked::Missing if file.values.iter().all(|value| value.digest.is_none()) => return Vec::new(),
        Looked::Missing => {
            let detail = format!("it was removed ({})", file.reason);
            return vec![Drift { detail, ..differing(&file.path, file.mode, DriftChange::Removed) }];
        }
        Looked::File(held) => take::document(&file.path, held),
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
        let (change, detail) = match (value.digest, take::digest_at(&document, &value.pointer)) {
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
    // All of it differs wherever a part does.
    if drift.is_empty() {
        drift.extend(all.into_iter().filter_map(differs));
    }
    drift
}

/// What other files of tests hold now; looked up only where something is missing.
struct Others<'a> {
    lock: &'a Lock,
    listed: &'a [Listed],
    look: Look<'a>,
    book: &'a RuleBook,
    known: Option<Vec<Other>>,
}

struct Other {
    path: String,
    held: Held,
    tests: BTreeSet<String>,
    /// Whether the baseline knows it as it is.
    is_new: bool,
}

impl Others<'_> {
    fn known(&mut self) -> &[Other] {
        let Self { lock, listed, look, book, known } = self;
        known.get_or_insert_with(|| {
            let other = |listed: &Listed| match look(&listed.path) {
                Looked::File(held) => {
                    let before = lock.file(&listed.path);
                    let is_new = before.is_none();
                    if before.is_some_and(|before| before.sha256 == held.sha256) {
                        return None;
                    }
                    let tests = take::declared_in(&listed.path, &held).into_iter().collect();
                    Some(Other { path: listed.path.clone(), held, tests, is_new })
                }
                _ => None,
            };
            listed.iter().filter(|listed| is_test(book, listed)).filter_map(other).collect()
        })
    }

    /// The tests that a file declared, and that no file of tests that is new or edited declares now.
    fn gone<'file>(&mut self, file: &'file LockedFile, held: &Held) -> Vec<&'file String> {
        let now: BTreeSet<String> = take::declared_in(&file.path, held).into_iter().collect();
        let gone: Vec<&String> = file.tests.iter().filter(|name| !now.contains(*name)).collect();
        if gone.is_empty() {
            return gone;
        }
        // A name that another file had before proves nothing.
        let before = self.lock;
        let known = self.known();
        let stands = |name: &String| {
            known.iter().any(|other| {
                let had = before.file(&other.path).is_some_and(|file| file.tests.contains(name));
                other.path != file.path && !had && other.tests.contains(name)
            })
        };
        gone.into_iter().filter(|name| !stands(name)).collect()
    }

    /// The new file that holds what a removed one held: its content, or else all of its tests.
    fn moved_to(&mut self, file: &LockedFile) -> Option<String> {
        let known = self.known();
        let same = |other: &&Other| other.is_new && other.held.sha256 == file.sha256;
        let holds = |other: &&Other| other.is_new && file.tests.iter().all(|name| other.tests.contains(name));
        let same = known.iter().find(same).map(|other| other.path.clone());
        let held = || known.iter().filter(|_| !file.tests.is_empty()).find(holds);
        same.or_else(|| held().map(|other| format!("{}, and edited", other.path)))
    }
}
