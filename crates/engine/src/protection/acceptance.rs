//! Everything that a new lock would accept: every way in which it is weaker than the lock before it.

use std::collections::BTreeSet;

use referee_judge::suppressions;
use referee_model::id::TaskId;
use referee_model::lock::{Lock, LockRule, LockedFile, Newcomers, RuleSource};
use referee_model::run_context::protection::{Drift, DriftChange, KnownTest, Mode, TestFate, TestHome};

use super::compare::differing;

/// The differences that a new lock would accept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Acceptance {
    /// Drift from the lock before, by path.
    pub drift: Vec<Drift>,
    /// Tests that had passed under the lock before, and are not known to pass now.
    pub forgotten: Vec<KnownTest>,
}

impl Acceptance {
    /// Whether the new lock requires everything that the lock before it required.
    pub fn is_nothing(&self) -> bool {
        self.drift.is_empty() && self.forgotten.is_empty()
    }
}

/// Compares a new lock with the one before it, as documents: the compared document is the one that is written.
/// `drift` is the drift of the workspace from the lock before, whose descriptions are more detailed.
pub fn accepted(before: &Lock, after: &Lock, mut drift: Vec<Drift>) -> Acceptance {
    let told: BTreeSet<String> = drift.iter().map(|drift| drift.path.clone()).collect();
    let mut forgotten = Vec::new();
    for file in &before.files {
        let now = after.file(&file.path);
        if !told.contains(&file.path) {
            drift.extend(now.map_or_else(|| Some(unprotected(file)), |now| changed(file, now)));
        }
        let passes = |name: &String| now.is_some_and(|now| now.passed.contains(name));
        let lost = file.passed.iter().filter(|name| !passes(name));
        forgotten.extend(lost.map(|name| known_test(TestHome::File(file.path.clone()), name)));
    }
    for (task, check, name, count) in named(before) {
        let now = after.named_tests.get(task).and_then(|checks| checks.get(check));
        if now.map_or(0, |now| now.iter().filter(|other| *other == name).count()) < count {
            forgotten.push(known_test(TestHome::Check(check.clone()), name));
        }
    }
    let lost = before
        .rules
        .iter()
        .filter(|rule| !stands_before_others(rule) && !after.rules.iter().any(|other| is_as_strict(other, rule)));
    drift.extend(lost.filter(|rule| !told.contains(&rule.pattern)).map(lifted));
    let told: BTreeSet<String> = drift.iter().map(|drift| drift.path.clone()).collect();
    drift.extend(silenced(before, after).into_iter().filter(|drift| !told.contains(&drift.path)));
    drift.sort_by(|one, other| (&one.path, &one.pointer).cmp(&(&other.path, &other.pointer)));
    Acceptance { drift, forgotten }
}

fn known_test(home: TestHome, name: &str) -> KnownTest {
    KnownTest { home, name: name.to_owned(), fate: TestFate::Stays }
}

/// Returns the names of tests without files, each once with its number of occurrences.
fn named(lock: &Lock) -> impl Iterator<Item = (&TaskId, &String, &String, usize)> {
    let checks = lock.named_tests.iter().flat_map(|(task, checks)| checks.iter().map(move |check| (task, check)));
    checks.flat_map(|(task, (check, names))| {
        names.chunk_by(PartialEq::eq).map(move |same| (task, check, &same[0], same.len()))
    })
}

/// Whether two locks protect the same, regardless of when they were made.
pub fn is_same(one: &Lock, other: &Lock) -> bool {
    (&one.plans, &one.rules, &one.files, &one.test_counts, &one.named_tests, &one.sources)
        == (&other.plans, &other.rules, &other.files, &other.test_counts, &other.named_tests, &other.sources)
}

fn unprotected(file: &LockedFile) -> Drift {
    let detail = format!("it would not be protected any more ({})", file.reason);
    Drift { detail, ..differing(&file.path, file.mode, DriftChange::Removed) }
}

/// Returns the sources with more suppressions than the lock before lists.
fn silenced(before: &Lock, after: &Lock) -> Vec<Drift> {
    let (Some(before), Some(after)) = (&before.sources, &after.sources) else { return Vec::new() };
    let drift = |(path, count): (String, usize)| {
        let detail = format!("{count} more that silences a tool or a test there would be accepted");
        Drift { detail, ..differing(&path, Mode::Review, DriftChange::Modified) }
    };
    suppressions::grown(before, after).into_iter().map(drift).collect()
}

fn changed(before: &LockedFile, now: &LockedFile) -> Option<Drift> {
    let drift = |detail: String| Drift { detail, ..differing(&before.path, before.mode, DriftChange::Modified) };
    if now.mode.strictness() < before.mode.strictness() {
        return Some(drift(format!("it would be {} only", word(now.mode))));
    }
    if before.values.is_empty() {
        let holds_all = |now: &LockedFile| now.values.is_empty() || before.mode == Mode::Review;
        let is_same = before.kind == now.kind && before.sha256 == now.sha256 && holds_all(now);
        return (!is_same).then(|| drift("its content is another one".to_owned()));
    }
    let value = before.values.iter().find(|value| {
        let kept = now.values.iter().find(|other| other.pointer == value.pointer);
        let holds =
            kept.is_some_and(|kept| kept.digest == value.digest && kept.mode.strictness() >= value.mode.strictness());
        // If the whole file is protected now, so is the value; its content was compared when the drift was computed.
        !holds && !now.values.is_empty()
    })?;
    let pointer = Some(value.pointer.clone()).filter(|pointer| !pointer.is_empty());
    Some(Drift { pointer, ..drift("its value would be another one, or free".to_owned()) })
}

fn lifted(rule: &LockRule) -> Drift {
    let detail = format!("no rule would make it {} any more ({})", word(rule.mode), rule.reason);
    let drift = differing(&rule.pattern, rule.mode, DriftChange::Removed);
    Drift { pointer: rule.pointer.clone(), detail, ..drift }
}

/// Whether a rule only refuses new files that would take precedence over an existing one. If that file is removed,
/// its own rule reports it.
fn stands_before_others(rule: &LockRule) -> bool {
    (rule.source, rule.mode, rule.newcomers) == (RuleSource::Default, Mode::Review, Newcomers::Never)
}

pub(super) fn is_as_strict(rule: &LockRule, before: &LockRule) -> bool {
    rule.pattern == before.pattern
        && (rule.pointer.is_none() || rule.pointer == before.pointer)
        && rule.newcomers >= before.newcomers.min(Newcomers::Governing)
        && rule.mode.strictness() >= before.mode.strictness()
}

fn word(mode: Mode) -> &'static str {
    match mode {
        Mode::Frozen => "frozen",
        Mode::Additive => "additive",
        Mode::Review => "under review",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use referee_model::id::Digest;
    use referee_model::lock::{LockedKind, LockedValue};
    use referee_model::time::Timestamp;

    use super::*;

    fn file(path: &str) -> LockedFile {
        LockedFile {
            path: path.to_owned(),
            mode: Mode::Frozen,
            kind: LockedKind::File,
            bytes: 1,
            sha256: Digest::from_bytes([1; 32]),
            values: Vec::new(),
            tests: Vec::new(),
            passed: vec!["one".to_owned()],
            reason: "why".to_owned(),
        }
    }

    fn with_value(path: &str) -> LockedFile {
        let digest = Some(Digest::from_bytes([2; 32]));
        let value = LockedValue { pointer: "/scripts".to_owned(), mode: Mode::Frozen, digest };
        LockedFile { values: vec![value], passed: Vec::new(), ..file(path) }
    }

    fn lock() -> Lock {
        let rule = LockRule {
            mode: Mode::Additive,
            pattern: "tests/**".to_owned(),
            pointer: None,
            newcomers: Newcomers::Free,
            source: RuleSource::Default,
            reason: "why".to_owned(),
        };
        let files = vec![file("a"), with_value("b")];
        Lock {
            made: Timestamp::from_millisecond(0),
            plans: BTreeMap::new(),
            rules: vec![rule],
            files,
            test_counts: BTreeMap::new(),
            named_tests: BTreeMap::new(),
            sources: None,
        }
    }

    type Change = fn(&mut Lock);

    #[test]
    fn every_way_in_which_a_lock_holds_to_less_is_named() {
        let ways: [(&str, Change, &str); 8] = [
            ("a", |lock| drop(lock.files.remove(0)), "not be protected any more"),
            ("a", |lock| lock.files[0].sha256 = Digest::from_bytes([9; 32]), "its content"),
            ("a", |lock| lock.files[0].kind = LockedKind::Link, "its content"),
            ("a", |lock| lock.files[0].mode = Mode::Review, "under review only"),
            ("a", |lock| lock.files[0].values = with_value("a").values, "its content"),
            ("b", |lock| lock.files[1].values[0].digest = None, "its value"),
            ("tests/**", |lock| lock.rules.clear(), "no rule would make it additive"),
            ("tests/**", |lock| lock.rules[0].mode = Mode::Review, "no rule would make it additive"),
        ];
        for (path, change, part) in ways {
            let mut after = lock();
            change(&mut after);
            let found = accepted(&lock(), &after, Vec::new());
            let [drift] = &found.drift[..] else { panic!("{part}: {found:?}") };
            assert!(drift.path == path && drift.detail.contains(part), "{part}: {drift:?}");
        }
    }

    #[test]
    fn what_is_added_what_is_stricter_and_what_no_value_holds_is_no_difference() {
        let mut after = lock();
        after.made = Timestamp::from_millisecond(7);
        after.files.push(file("c"));
        after.files[1].sha256 = Digest::from_bytes([9; 32]);
        after.rules[0].mode = Mode::Frozen;
        assert!(accepted(&lock(), &after, Vec::new()).is_nothing());
        assert!(!is_same(&lock(), &after));
        assert!(is_same(&lock(), &Lock { made: after.made, ..lock() }));
    }

    #[test]
    fn a_test_that_passed_is_forgotten_and_a_drift_that_is_known_is_told_once() {
        let mut after = lock();
        after.files[0].passed.clear();
        after.files[0].sha256 = Digest::from_bytes([9; 32]);
        let known = differing("a", Mode::Frozen, DriftChange::Modified);
        let found = accepted(&lock(), &after, vec![known.clone()]);
        assert_eq!(found.drift, [known]);
        assert_eq!(found.forgotten, [known_test(TestHome::File("a".to_owned()), "one")]);
    }

    #[test]
    fn of_names_without_a_file_as_many_must_be_left() {
        let with = |names: &[&str]| {
            let names = names.iter().map(|name| (*name).to_owned()).collect();
            let tests = BTreeMap::from([("unit".to_owned(), names)]);
            Lock { named_tests: BTreeMap::from([(TaskId::parse("T001").unwrap(), tests)]), ..lock() }
        };
        let before = with(&["adds", "adds", "lists"]);
        assert!(accepted(&before, &with(&["adds", "adds", "lists", "more"]), Vec::new()).is_nothing());
        let found = accepted(&before, &with(&["adds", "lists"]), Vec::new());
        assert_eq!(found.forgotten, [known_test(TestHome::Check("unit".to_owned()), "adds")]);
    }
}
