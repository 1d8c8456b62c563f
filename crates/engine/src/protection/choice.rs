//! Single differences that a person accepts: the resulting lock differs from the one before it in these alone.

use std::collections::{BTreeMap, BTreeSet};

use referee_model::id::{Digest, TaskId};
use referee_model::lock::{Lock, LockedFile};
use referee_model::run_context::protection::{Drift, TestHome};

use super::Baseline;
use super::acceptance::{Acceptance, is_as_strict};
use super::lock_snapshot::LockSnapshot;

/// Prefix of a check's name, for accepting that it runs fewer tests.
const FEWER_TESTS: &str = "fewer-tests:";

/// Numbers of tests, by task and name of the check.
pub type TestCounts = BTreeMap<TaskId, BTreeMap<String, u64>>;

/// All differences from a lock, some of which are to be accepted.
#[derive(Debug, Clone, Copy)]
pub struct Choice<'a> {
    /// The lock before.
    pub before: &'a Baseline,
    /// The workspace as it is now.
    pub now: &'a LockSnapshot,
    /// The differences that a lock of the workspace would accept.
    pub acceptance: &'a Acceptance,
    /// The highest number of tests that each check ran since the lock before.
    pub earlier: &'a TestCounts,
    /// The locked specifications.
    pub specifications: &'a [String],
}

impl Choice<'_> {
    /// Returns the names of all differences that can be accepted individually, as reports print them.
    pub fn names(&self) -> BTreeSet<String> {
        let drift = self.acceptance.drift.iter().map(name_of);
        let tests = self.acceptance.forgotten.iter().map(|test| test.name.clone());
        let fewer = self.fewer().map(|(_, check, _)| format!("{FEWER_TESTS}{check}"));
        drift.chain(tests).chain(fewer).collect()
    }

    /// Returns the lock that accepts exactly these differences. All of them must be among the names.
    pub fn accept(&self, names: &BTreeSet<String>) -> LockSnapshot {
        let mut lock = self.before.lock.clone();
        lock.made = self.now.lock.made;
        // A new lock starts its own test counts, so the known ones are carried over.
        for (task, counts) in self.earlier {
            lock.test_counts.entry(task.clone()).or_default().extend(counts.clone());
        }
        for drift in self.acceptance.drift.iter().filter(|drift| names.contains(&name_of(drift))) {
            self.accept_drift(drift, &mut lock);
        }
        for test in self.acceptance.forgotten.iter().filter(|test| names.contains(&test.name)) {
            let of_file = lock.files.iter_mut().filter(|file| test.home == TestHome::File(file.path.clone()));
            let of_file = of_file.map(|file| &mut file.passed);
            let checks = lock.named_tests.values_mut().flat_map(BTreeMap::iter_mut);
            let of_check = checks.filter(|(check, _)| test.home == TestHome::Check((*check).clone()));
            of_file.chain(of_check.map(|(_, names)| names)).for_each(|names| names.retain(|name| *name != test.name));
        }
        for (task, check, now) in self.fewer().filter(|(_, check, _)| names.contains(&format!("{FEWER_TESTS}{check}")))
        {
            lock.test_counts.entry(task.clone()).or_default().insert(check.clone(), now);
        }
        let contents = lock.files.iter().filter_map(|file| self.content(file)).collect();
        LockSnapshot { lock, contents }
    }

    /// Returns the checks that ran fewer tests on the current work than before, with the number of tests.
    fn fewer(&self) -> impl Iterator<Item = (&TaskId, &String, u64)> {
        let now = |task: &TaskId, check: &String| self.now.lock.test_counts.get(task)?.get(check).copied();
        let of_each = self.earlier.iter().flat_map(|(task, counts)| counts.iter().map(move |count| (task, count)));
        of_each.filter_map(move |(task, (check, best))| {
            now(task, check).filter(|now| now < best).map(|now| (task, check, now))
        })
    }

    fn accept_drift(&self, drift: &Drift, lock: &mut Lock) {
        let now = self.now.lock.file(&drift.path);
        self.accept_rules(drift, lock);
        if let Some(pointer) = &drift.pointer {
            accept_value(drift, pointer, now, lock);
            return;
        }
        let place = lock.files.binary_search_by(|file| file.path.cmp(&drift.path));
        match (place, now) {
            // Tests that passed are differences of their own.
            (Ok(at), Some(now)) => {
                lock.files[at] = LockedFile { passed: std::mem::take(&mut lock.files[at].passed), ..now.clone() };
            }
            (Ok(at), None) => drop(lock.files.remove(at)),
            (Err(at), Some(now)) => lock.files.insert(at, now.clone()),
            (Err(_), None) => {}
        }
        if let (Some(before), Some(now)) = (&mut lock.sources, &self.now.lock.sources) {
            match now.get(&drift.path) {
                Some(known) => drop(before.insert(drift.path.clone(), known.clone())),
                None => drop(before.remove(&drift.path)),
            }
        }
        if self.specifications.contains(&drift.path) {
            self.accept_specification(lock);
        }
    }

    /// Accepts rules that were removed or weakened, if their pattern is the named one.
    fn accept_rules(&self, drift: &Drift, lock: &mut Lock) {
        let now = &self.now.lock.rules;
        lock.rules.retain_mut(|rule| {
            let is_meant = rule.pattern == drift.path && rule.pointer == drift.pointer;
            if !is_meant || now.iter().any(|other| is_as_strict(other, rule)) {
                return true;
            }
            let other = now.iter().find(|other| other.pattern == rule.pattern && other.pointer == rule.pointer);
            other.is_some_and(|other| {
                rule.clone_from(other);
                true
            })
        });
    }

    /// Accepts a specification with its tasks and rules. Files that these protect for the first time are locked as
    /// they are, except those that also differ from the lock before.
    fn accept_specification(&self, lock: &mut Lock) {
        let now = &self.now.lock;
        lock.plans.clone_from(&now.plans);
        lock.rules.clone_from(&now.rules);
        let differs = |path: &String| self.acceptance.drift.iter().any(|drift| drift.path == *path);
        let is_known = |path: &str| lock.file(path).is_some();
        let new: Vec<LockedFile> =
            now.files.iter().filter(|file| !is_known(&file.path) && !differs(&file.path)).cloned().collect();
        lock.files.extend(new);
        lock.files.sort_by(|one, other| one.path.cmp(&other.path));
    }

    fn content(&self, file: &LockedFile) -> Option<(Digest, Vec<u8>)> {
        let now = || self.now.contents.get(&file.sha256).cloned();
        Some((file.sha256, now().or_else(|| self.before.content_of(&file.sha256))?))
    }
}

/// Returns the name of a difference, such as `package.json#/scripts/test`.
fn name_of(drift: &Drift) -> String {
    match &drift.pointer {
        Some(pointer) => format!("{}#{pointer}", drift.path),
        None => drift.path.clone(),
    }
}

/// Accepts the current state of one value. A file without any protected value is removed from the lock.
fn accept_value(drift: &Drift, pointer: &str, now: Option<&LockedFile>, lock: &mut Lock) {
    let Some(file) = lock.files.iter_mut().find(|file| file.path == drift.path) else { return };
    match now.and_then(|now| now.values.iter().find(|value| value.pointer == pointer)) {
        Some(now) => {
            for value in file.values.iter_mut().filter(|value| value.pointer == pointer) {
                *value = now.clone();
            }
        }
        None => file.values.retain(|value| value.pointer != pointer),
    }
    if file.values.is_empty() {
        lock.files.retain(|file| file.path != drift.path);
    }
}
