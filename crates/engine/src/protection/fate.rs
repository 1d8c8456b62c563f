//! The fate of the tests that a lock knows by name, determined from the text of the tests.

use std::collections::{BTreeMap, BTreeSet};

use referee_model::id::TaskId;
use referee_model::limit;
use referee_model::lock::{Lock, LockedFile};
use referee_model::run_context::protection::{KnownTest, TestFate, TestHome};

/// Fates of removed declarations, by file and title.
pub(super) type Fates = BTreeMap<String, BTreeMap<String, TestFate>>;

/// The titles of tests that the files of a lock declare.
pub(super) struct Declared<'a>(BTreeSet<&'a str>);

impl<'a> Declared<'a> {
    pub(super) fn of(files: &'a [LockedFile]) -> Self {
        Self(files.iter().flat_map(|file| &file.tests).map(String::as_str).collect())
    }

    /// Returns the declared title that a full name ends with. `None` if the title is computed.
    pub(super) fn title<'name>(&self, name: &'name str) -> Option<&'name str> {
        titles(name).find(|title| self.0.contains(title))
    }
}

/// Returns the candidates for the title in a full name, longest first: groups and modules come before the title,
/// parameters after it.
fn titles(name: &str) -> impl Iterator<Item = &str> {
    let last = name.rsplit(" > ").next().unwrap_or(name);
    let bare = last.split_once(['[', '(']).map_or(last, |(bare, _)| bare).trim_end();
    let after = |separator: &'static str| bare.rsplit(separator).next().unwrap_or(bare);
    [last, bare, after("::"), after("."), after("$")].into_iter()
}

/// Returns the tests that a lock requires of a task, with the fate of each.
pub(super) fn known(lock: &Lock, task: &TaskId, fates: &Fates) -> Vec<KnownTest> {
    let declared = Declared::of(&lock.files);
    let of_files = lock.files.iter().flat_map(|file| {
        let fates = OfFile::new(file, fates.get(&file.path));
        let test = move |name: &String| KnownTest {
            home: TestHome::File(file.path.clone()),
            name: name.clone(),
            fate: fates.of(name),
        };
        file.passed.iter().map(test)
    });
    let checks = lock.named_tests.get(task).into_iter().flatten();
    let of_checks = checks.flat_map(|(check, names)| {
        names.iter().map(|name| KnownTest {
            home: TestHome::Check(check.clone()),
            name: name.clone(),
            fate: declared.title(name).map_or(TestFate::Computed, |title| of_any(title, fates)),
        })
    });
    of_files.chain(of_checks).take(limit::LOCKED_TESTS).collect()
}

/// The fates of the tests of one file.
struct OfFile<'a> {
    declared: Declared<'a>,
    gone: Option<&'a BTreeMap<String, TestFate>>,
    /// Whether all declared tests of the file were dropped. A table of tests is dropped together with the last of
    /// them.
    is_dropped: bool,
}

impl<'a> OfFile<'a> {
    fn new(file: &'a LockedFile, gone: Option<&'a BTreeMap<String, TestFate>>) -> Self {
        let drops = |title: &String| gone.and_then(|gone| gone.get(title)) == Some(&TestFate::Dropped);
        let is_dropped = !file.tests.is_empty() && file.tests.iter().all(drops);
        Self { declared: Declared::of(std::slice::from_ref(file)), gone, is_dropped }
    }

    fn of(&self, name: &str) -> TestFate {
        match self.declared.title(name) {
            None if self.is_dropped => TestFate::Dropped,
            None => TestFate::Computed,
            Some(title) => self.gone.and_then(|gone| gone.get(title)).cloned().unwrap_or(TestFate::Stays),
        }
    }
}

/// Returns the fate of a title in any file. If several files declare it, the existing ones are found by their name.
fn of_any(title: &str, fates: &Fates) -> TestFate {
    fates.values().find_map(|fates| fates.get(title)).cloned().unwrap_or(TestFate::Stays)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_title_in_a_name_is_found_as_runners_write_it() {
        for (declared, name, title) in [
            ("adds", "sums > adds", Some("adds")),
            ("adds a > b", "adds a > b", None),
            ("uses std::vec", "sums > uses std::vec", Some("uses std::vec")),
            ("test_adds", "tests.test_sum.Sums > test_adds", Some("test_adds")),
            ("test_adds", "test_sum.Sums.test_adds", Some("test_adds")),
            ("test_adds", "TestSums > test_adds[1-2]", Some("test_adds")),
            ("adds", "sum::tests::adds", Some("adds")),
            ("adds", "com.shop.SumTest > adds()", Some("adds")),
            ("TestAdds", "TestAdds/small", None),
            ("adds", "adds 2", None),
        ] {
            assert_eq!(Declared(BTreeSet::from([declared])).title(name), title, "{name}");
        }
    }
}
