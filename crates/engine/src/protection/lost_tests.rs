//! Tests that a file no longer declares: where they were moved, and what explains their removal.

use std::collections::{BTreeMap, BTreeSet};

use referee_ledger::workspace::{Listed, Looked, WorkspaceFile};
use referee_model::lock::LockedFile;
use referee_model::run_context::protection::TestFate;
use referee_model::test_file::is_collected_as;
use referee_syntax::count::list;

use super::book::RuleBook;
use super::compare::{self, Then};
use super::fate::Fates;
use super::subject::Subjects;
use super::{Look, explanation, lock_snapshot};

/// Maximum number of tests whose fate one sentence describes.
const SAID: usize = 5;

/// Current contents of the test files; read only if a test is missing.
pub(super) struct Others<'a> {
    then: Then<'a>,
    listed: &'a [Listed],
    look: Look<'a>,
    book: &'a RuleBook,
    known: Option<Vec<Other>>,
    subjects: Subjects<'a>,
    /// Fates of the tests that are gone for an explained reason.
    pub(super) fates: Fates,
}

/// A test file that is new or was edited.
struct Other {
    path: String,
    held: WorkspaceFile,
    tests: BTreeSet<String>,
    /// Whether the baseline does not have the file.
    is_new: bool,
}

/// The tests of a file that are gone.
pub(super) struct Gone<'file> {
    /// Tests whose removal nothing explains.
    pub(super) unexplained: Vec<&'file String>,
    /// Description of the fates of the others.
    pub(super) said: Option<String>,
}

impl Gone<'_> {
    /// Returns the advice for the unexplained tests.
    pub(super) fn remedy(&self) -> String {
        let name = self.unexplained.first().map_or("NAME", |name| name.as_str()).replace('\'', "'\\''");
        format!("put it back, or let a person accept it: `referee lock accept '{name}'`")
    }
}

impl<'a> Others<'a> {
    pub(super) fn new(then: Then<'a>, listed: &'a [Listed], look: Look<'a>, book: &'a RuleBook) -> Self {
        let subjects = Subjects::new(then.paths, listed, look);
        Self { then, listed, look, book, known: None, subjects, fates: Fates::new() }
    }

    fn known(&mut self) -> &[Other] {
        let Self { then, listed, look, book, known, .. } = self;
        known.get_or_insert_with(|| {
            let other = |listed: &Listed| match look(&listed.path) {
                Looked::File(held) => {
                    let before = then.lock.file(&listed.path);
                    let is_new = before.is_none();
                    if before.is_some_and(|before| before.sha256 == held.sha256) {
                        return None;
                    }
                    let tests = lock_snapshot::declared_in(&listed.path, &held).into_iter().collect();
                    Some(Other { path: listed.path.clone(), held, tests, is_new })
                }
                _ => None,
            };
            listed.iter().filter(|listed| compare::is_test(book, listed)).filter_map(other).collect()
        })
    }

    /// Returns the tests that a file declared, and that no new or edited test file declares now. `held` is its
    /// current content.
    pub(super) fn gone<'file>(&mut self, file: &'file LockedFile, held: Option<&WorkspaceFile>) -> Gone<'file> {
        let now: BTreeSet<String> =
            held.map(|held| lock_snapshot::declared_in(&file.path, held)).into_iter().flatten().collect();
        let gone: Vec<&String> = file.tests.iter().filter(|name| !now.contains(*name)).collect();
        if gone.is_empty() {
            return Gone { unexplained: gone, said: None };
        }
        // A name that another file had before proves nothing.
        let before = self.then.lock;
        let known = self.known();
        let stands = |name: &String| {
            known.iter().any(|other| {
                let had = before.file(&other.path).is_some_and(|file| file.tests.contains(name));
                other.path != file.path
                    && !had
                    && other.tests.contains(name)
                    && is_collected_as(&file.path, &other.path)
            })
        };
        let gone: Vec<&String> = gone.into_iter().filter(|name| !stands(name)).collect();
        let fates = self.explained(file, &gone, held);
        let said = said(&fates);
        let unexplained = gone.into_iter().filter(|name| !fates.contains_key(*name)).collect();
        self.fates.insert(file.path.clone(), fates);
        Gone { unexplained, said }
    }

    fn explained(
        &mut self,
        file: &LockedFile,
        gone: &[&String],
        held: Option<&WorkspaceFile>,
    ) -> BTreeMap<String, TestFate> {
        let before = (self.then.content)(&file.path).and_then(|content| String::from_utf8(content).ok());
        let now = held.map(lock_snapshot::text_of);
        let (Some(before), None | Some(Some(_))) = (before, now) else { return BTreeMap::new() };
        explanation::explain(&file.path, gone, &before, now.flatten(), &mut self.subjects)
    }

    /// Returns the new file with the content of a removed one, or else with all its tests. A test runner must
    /// collect it.
    pub(super) fn moved_to(&mut self, file: &LockedFile) -> Option<String> {
        let Self { book, .. } = self;
        let (book, has_tests) = (*book, !file.tests.is_empty());
        let is_place = |other: &&Other| {
            other.is_new
                && (!has_tests || is_collected_as(&file.path, &other.path) && book.share(&file.path, &other.path))
        };
        let known = self.known();
        let same = |other: &&Other| is_place(other) && other.held.sha256 == file.sha256;
        let holds = |other: &&Other| is_place(other) && file.tests.iter().all(|name| other.tests.contains(name));
        let same = known.iter().find(same).map(|other| other.path.clone());
        let held = || known.iter().filter(|_| has_tests).find(holds);
        same.or_else(|| held().map(|other| format!("{}, and edited", other.path)))
    }
}

fn said(fates: &BTreeMap<String, TestFate>) -> Option<String> {
    let all: Vec<String> = fates.iter().map(|(title, fate)| explanation::said(title, fate)).collect();
    (!all.is_empty()).then(|| list(all, SAID))
}
