use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use proptest::prelude::*;
use referee_model::event::{Event, EventKind};

use super::*;
use crate::sample::{self, at, plan_digest};
use crate::store::Store;

/// Seals a run with these documents.
fn sealed(documents: &BTreeMap<String, Vec<u8>>) -> (tempfile::TempDir, PathBuf) {
    let root = tempfile::tempdir().unwrap();
    let mut staging = sample::begin(&Store::open(root.path()).unwrap(), 1).unwrap();
    sample::start(&mut staging, 1).unwrap();
    for (name, bytes) in documents {
        staging.put(name, bytes).unwrap();
    }
    sample::finish(&mut staging, 1).unwrap();
    let directory = staging.publish(plan_digest(), at(2)).unwrap().directory;
    (root, directory)
}

fn kinds(directory: &Path) -> Vec<(String, FindingKind)> {
    integrity(directory).unwrap().findings.into_iter().map(|finding| (finding.file, finding.kind)).collect()
}

fn finding(file: &str, kind: FindingKind) -> (String, FindingKind) {
    (file.to_owned(), kind)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_done_to_a_file_is_found_and_named(
        documents in proptest::collection::btree_map("[a-z]{1,8}", proptest::collection::vec(any::<u8>(), 1..2_000), 2..8),
        chosen in any::<[proptest::sample::Index; 3]>(),
        bit in 0_u8..8,
    ) {
        let (_root, directory) = sealed(&documents);
        prop_assert_eq!(kinds(&directory), []);
        let names: Vec<&String> = documents.keys().collect();
        let first = chosen[0].get(&names).as_str();
        let second = chosen[1].get(&names).as_str();
        let path = |name: &str| directory.join(name);
        let restore = || fs::write(path(first), &documents[first]).unwrap();

        let mut flipped = documents[first].clone();
        let place = chosen[2].index(flipped.len());
        flipped[place] ^= 1 << bit;
        fs::write(path(first), &flipped).unwrap();
        prop_assert_eq!(kinds(&directory), [finding(first, FindingKind::Changed)]);
        fs::write(path(first), &flipped[..place]).unwrap();
        prop_assert_eq!(kinds(&directory), [finding(first, FindingKind::Changed)]);
        restore();

        fs::write(path("NEW"), "").unwrap();
        prop_assert_eq!(kinds(&directory), [finding("NEW", FindingKind::Added)]);
        fs::remove_file(path("NEW")).unwrap();

        fs::rename(path(first), path("NEW")).unwrap();
        prop_assert_eq!(kinds(&directory), [finding("NEW", FindingKind::Added), finding(first, FindingKind::Missing)]);
        fs::remove_file(path("NEW")).unwrap();
        prop_assert_eq!(kinds(&directory), [finding(first, FindingKind::Missing)]);
        restore();

        fs::write(path(first), &documents[second]).unwrap();
        fs::write(path(second), &documents[first]).unwrap();
        let mut swapped = vec![finding(first, FindingKind::Changed), finding(second, FindingKind::Changed)];
        swapped.sort();
        let expected = if documents[first] == documents[second] { Vec::new() } else { swapped };
        prop_assert_eq!(kinds(&directory), expected);
    }
}

#[test]
fn what_is_no_file_is_named() {
    let (_root, directory) = sealed(&BTreeMap::from([("a".to_owned(), b"a".to_vec())]));
    fs::create_dir(directory.join("folder")).unwrap();
    symlink("a", directory.join("link")).unwrap();
    fs::rename(directory.join("a"), directory.join("b")).unwrap();
    symlink("b", directory.join("a")).unwrap();
    let expected = [
        ("a", FindingKind::NotAFile),
        ("b", FindingKind::Added),
        ("folder", FindingKind::NotAFile),
        ("link", FindingKind::NotAFile),
    ];
    assert_eq!(kinds(&directory), expected.map(|(file, kind)| finding(file, kind)));
}

#[test]
fn a_seal_that_is_gone_or_junk_is_a_finding() {
    let (_root, directory) = sealed(&BTreeMap::new());
    let seal = fs::read(directory.join("seal.json")).unwrap();
    for (bytes, kind) in [
        (Some(&b""[..]), FindingKind::SealUnreadable),
        (Some(&b"\xff\xfe"[..]), FindingKind::SealUnreadable),
        (Some(&seal[..seal.len() / 2]), FindingKind::SealUnreadable),
        (None, FindingKind::SealMissing),
    ] {
        fs::remove_file(directory.join("seal.json")).unwrap();
        if let Some(bytes) = bytes {
            fs::write(directory.join("seal.json"), bytes).unwrap();
        } else {
            fs::write(directory.join("elsewhere"), "").unwrap();
        }
        let integrity = integrity(&directory).unwrap();
        assert_eq!(integrity.seal, None);
        assert_eq!(integrity.findings[0].kind, kind);
        if bytes.is_none() {
            break;
        }
    }
    assert!(super::integrity(&directory.join("nowhere")).is_err());
}

#[test]
fn a_seal_that_names_a_file_twice_or_one_elsewhere_contradicts_itself() {
    let (_root, directory) = sealed(&BTreeMap::from([("a".to_owned(), b"a".to_vec())]));
    let text = fs::read_to_string(directory.join("seal.json")).unwrap();
    let path = directory.join("seal.json");
    fs::write(&path, text.replace("\"a\"", "\"../a\"")).unwrap();
    assert_eq!(kinds(&directory), [finding("../a", FindingKind::SealUnreadable), finding("a", FindingKind::Added)]);
    fs::write(&path, text.replace("\"a\"", "\"journal.jsonl\"")).unwrap();
    assert_eq!(kinds(&directory), [finding("seal.json", FindingKind::SealUnreadable)]);
    fs::write(&path, text.replace("journal.jsonl", "seal.json")).unwrap();
    let expected = [finding("journal.jsonl", FindingKind::Added), finding("seal.json", FindingKind::SealUnreadable)];
    assert_eq!(kinds(&directory), expected);
}

#[test]
fn a_journal_must_be_numbered_begin_and_end() {
    let event =
        |sequence, happening| referee_model::event::journal::line(&Event { sequence, at: at(1), happening }) + "\n";
    let started = |sequence, run| {
        let execution = sample::execution(run);
        event(sequence, EventKind::RunStarted { execution, task: sample::task(), title: String::new(), actions: 0 })
    };
    let middle = |sequence| event(sequence, EventKind::Interrupting { signal: 15 });
    let ended = |sequence| event(sequence, EventKind::RunFinished { decision: referee_model::verdict::Decision::Pass });
    let rows = [
        (started(1, 1) + &middle(2) + &ended(3), None),
        (started(1, 1) + &ended(3), Some("line 2 is not event 2")),
        (started(1, 1) + &ended(2) + &middle(3), Some("event 3 comes after the end")),
        (started(1, 1) + &middle(2), Some("does not end with the end")),
        (middle(1) + &ended(2), Some("does not begin with the start")),
        (started(1, 2) + &ended(2), Some("it belongs to exec-2, the seal to exec-1")),
        (started(1, 1) + "junk\n" + &ended(3), Some("line 2: ")),
        (started(1, 1) + ended(2).trim_end(), Some("line 2: the line is cut off")),
        (String::new(), Some("does not end with the end")),
    ];
    let (_root, directory) = sealed(&BTreeMap::new());
    for (journal, expected) in rows {
        fs::write(directory.join("journal.jsonl"), &journal).unwrap();
        let findings = integrity(&directory).unwrap().findings;
        let found = findings.iter().find(|finding| finding.kind == FindingKind::JournalBroken);
        match expected {
            None => assert_eq!(found, None, "{journal}"),
            Some(text) => assert!(found.unwrap().detail.contains(text), "{journal}: {found:?}"),
        }
    }
}

#[test]
fn a_file_of_another_size_is_found_without_being_read() {
    let (_root, directory) = sealed(&BTreeMap::from([("a".to_owned(), b"a".to_vec())]));
    // Reading so much would take most of an hour.
    let bytes = 1 << 40;
    let file = fs::OpenOptions::new().write(true).open(directory.join("a")).unwrap();
    if let Err(error) = file.set_len(bytes) {
        println!("skipped: no file of 1 TiB: {error}");
        return;
    }
    let findings = integrity(&directory).unwrap().findings;
    let details: Vec<_> = findings.iter().map(|finding| finding.detail.as_str()).collect();
    assert_eq!(details, ["it has 1099511627776 bytes; 1 bytes were sealed"]);
}
