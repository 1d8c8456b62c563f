#![expect(clippy::disallowed_methods, reason = "tests make repositories with git, and hash them with other programs")]

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use super::*;
use crate::state::State;

mod known;

/// A directory with a workspace, and the user's state directory beside it.
struct Fixture {
    _directory: tempfile::TempDir,
    workspace: PathBuf,
    state: State,
}

impl Fixture {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let workspace = root.join("work");
        std::fs::create_dir(&workspace).unwrap();
        let state = State::open(&root.join("state")).unwrap();
        Self { _directory: directory, workspace, state }
    }

    /// Creates an empty repository.
    fn repository() -> Self {
        let place = Self::new();
        place.git(&["init", "-q"]);
        place
    }

    fn git(&self, arguments: &[&str]) {
        self.git_in("", arguments);
    }

    fn git_in(&self, directory: &str, arguments: &[&str]) {
        let done = Command::new("git")
            .args(["-c", "user.name=t", "-c", "user.email=t@t", "-c", "protocol.file.allow=always"])
            .args(arguments)
            .current_dir(self.workspace.join(directory))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    }

    fn file(&self, name: &str, content: &str) {
        let path = self.workspace.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    fn files(&self, names: &[&str]) {
        for name in names {
            self.file(name, name);
        }
    }

    fn list(&self) -> Listing {
        self.list_without(&[])
    }

    fn list_without(&self, outputs: &[&str]) -> Listing {
        let outputs: Vec<String> = outputs.iter().map(|output| (*output).to_owned()).collect();
        list(&self.workspace, &Exclusions::new(&self.workspace, &[Path::new("evidence")], &outputs).unwrap()).unwrap()
    }

    /// Returns the paths, with a mark before those that are known to be tracked.
    fn names(&self) -> Vec<String> {
        names(&self.list())
    }

    fn snapshot(&self) -> Snapshot {
        let mut cache = Cache::open(Some(&self.state), &self.workspace);
        let snapshot = Snapshot::take(&self.list(), &mut cache);
        cache.save().unwrap();
        snapshot
    }

    /// Returns git's own list: existing tracked files, and untracked ones that it does not ignore.
    fn by_git(&self) -> BTreeSet<Vec<u8>> {
        let asked = Command::new("git")
            .args(["-c", "core.excludesFile=", "ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .current_dir(&self.workspace)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .unwrap();
        let there = |name: &&[u8]| !name.is_empty() && self.workspace.join(OsStr::from_bytes(name)).is_file();
        asked.stdout.split(|byte| *byte == 0).filter(there).map(<[u8]>::to_vec).collect()
    }
}

fn names(listing: &Listing) -> Vec<String> {
    let shown = |entry: &Entry| {
        let mark = if entry.tracked == Some(true) { "+" } else { "" };
        format!("{mark}{}", entry.path.to_string_lossy())
    };
    listing.entries().iter().map(shown).collect()
}

#[test]
fn inputs_are_tracked_files_and_untracked_ones_that_are_not_ignored() {
    let place = Fixture::repository();
    place.file(".gitignore", "*.log\nbuild/\n!keep.log\n");
    place.file("deep/.gitignore", "local.txt\n");
    place.file(".git/info/exclude", "secret.txt\n");
    place.files(&["a.txt", "forced.log", "build/forced.o"]);
    place.git(&["add", "-f", "."]);
    place.files(&["b.txt", "x.log", "keep.log", "build/y.o", "secret.txt", "deep/local.txt", "deep/z.txt"]);
    place.files(&["evidence/T001/seal.json", "local.txt", ".hidden"]);
    let expected = [
        "+.gitignore",
        ".hidden",
        "+a.txt",
        "b.txt",
        "+build/forced.o",
        "+deep/.gitignore",
        "deep/z.txt",
        "+forced.log",
        "keep.log",
        "local.txt",
    ];
    assert_eq!(place.names(), expected);
}

#[test]
fn every_version_of_the_index_gives_the_same_listing_and_a_form_that_cannot_be_read_is_told() {
    let place = Fixture::repository();
    for number in 0..2_000 {
        place.file(&format!("folder{}/sub{}/file{number}.txt", number % 40, number % 7), "x");
    }
    place.file(&"n".repeat(200), "long");
    place.git(&["add", "."]);
    place.file("untracked/one", "1");
    let expected: BTreeSet<Vec<u8>> = place.by_git();
    assert_eq!(expected.len(), 2_002);
    for version in ["2", "4", "3"] {
        if version == "3" {
            // An intent to add needs flags that only version 3 and later have.
            place.git(&["update-index", "--index-version", "2"]);
            place.git(&["add", "-N", "untracked/one"]);
        } else {
            place.git(&["update-index", "--index-version", version]);
        }
        let index = std::fs::read(place.workspace.join(".git/index")).unwrap();
        assert_eq!(index.get(7).unwrap().to_string(), version);
        let listing = place.list();
        let found: BTreeSet<Vec<u8>> =
            listing.entries().iter().map(|entry| entry.path.as_os_str().as_bytes().to_vec()).collect();
        assert_eq!(found, expected, "version {version}");
        assert!(listing.notes().is_empty() && listing.entries().iter().all(|entry| entry.tracked.is_some()));
    }
    place.git(&["update-index", "--split-index"]);
    let listing = place.list();
    assert_eq!(listing.entries().len(), expected.len());
    assert!(listing.entries().iter().all(|entry| entry.tracked.is_none()));
    assert!(listing.notes().concat().contains("split index"), "{:?}", listing.notes());
    place.file(".git/index", "DIRC\0\0\0\x02\0\0\0\x01junk");
    assert!(place.list().notes().concat().contains("damaged"));
}

#[test]
fn a_repository_of_the_longer_ids_is_read_too() {
    let place = Fixture::new();
    place.git(&["init", "-q", "--object-format=sha256"]);
    place.files(&["a", "b/c"]);
    place.git(&["add", "."]);
    assert_eq!(place.names(), ["+a", "+b/c"]);
}

#[test]
fn renamed_removed_and_conflicting_files_are_listed_as_they_stand() {
    let place = Fixture::repository();
    place.file("old", "one\n");
    place.file("gone", "x");
    place.file("both", "base\n");
    place.git(&["add", "."]);
    place.git(&["commit", "-qm", "a"]);
    place.git(&["mv", "old", "new"]);
    std::fs::remove_file(place.workspace.join("gone")).unwrap();
    place.git(&["checkout", "-qb", "side"]);
    place.file("both", "side\n");
    place.git(&["commit", "-qam", "b"]);
    place.git(&["checkout", "-q", "-"]);
    place.file("both", "main\n");
    place.git(&["commit", "-qam", "c"]);
    let merged = Command::new("git").args(["merge", "side"]).current_dir(&place.workspace).output().unwrap();
    assert!(!merged.status.success(), "the merge conflicts");
    assert_eq!(place.names(), ["+both", "+new"]);
}

#[test]
fn other_work_trees_submodules_and_nested_repositories_are_read_by_their_own_index() {
    let place = Fixture::repository();
    place.file(".gitignore", "*.log\n");
    place.files(&["a", "forced.log"]);
    place.git(&["add", "-f", "."]);
    place.git(&["commit", "-qm", "a"]);
    place.git(&["worktree", "add", "-q", "../other"]);
    let other = place.workspace.parent().unwrap().join("other");
    std::fs::write(other.join("untracked"), "").unwrap();
    std::fs::write(other.join("more.log"), "").unwrap();
    let listing = list(&other, &Exclusions::new(&other, &[], &[]).unwrap()).unwrap();
    assert_eq!(names(&listing), ["+.gitignore", "+a", "+forced.log", "untracked"]);

    let outer = Fixture::repository();
    outer.git(&["submodule", "--quiet", "add", place.workspace.to_str().unwrap(), "sub"]);
    outer.files(&["top", "sub/new.log", "sub/new.txt"]);
    outer.git(&["init", "-q", "nested"]);
    outer.files(&["nested/x", "nested/.gitignore"]);
    outer.file("nested/.gitignore", "y\n");
    outer.file("nested/y", "");
    let expected = [
        "+.gitmodules",
        "nested/.gitignore",
        "nested/x",
        "+sub/.gitignore",
        "+sub/a",
        "+sub/forced.log",
        "sub/new.txt",
        "top",
    ];
    assert_eq!(outer.names(), expected);
}

#[test]
fn a_repository_made_over_tracked_files_hides_none_of_them() {
    let place = Fixture::repository();
    place.files(&["tests/a", "tests/b"]);
    place.git(&["add", "."]);
    place.git(&["init", "-q", "tests"]);
    place.file("tests/.git/info/exclude", "*\n");
    assert_eq!(place.names(), ["+tests/a", "+tests/b"]);
}

#[test]
fn a_workspace_in_a_part_of_a_repository_holds_that_part_alone() {
    let mut place = Fixture::repository();
    place.file(".gitignore", "*.log\n/packages/a/out\n/ignored/\n");
    place.files(&["packages/a/in", "packages/b/in", "packages/a/.gitignore"]);
    place.git(&["add", "."]);
    place.files(&["packages/a/x.log", "packages/a/out/y", "packages/a/z", "ignored/w/one", "ignored/w/two.log"]);
    let top = place.workspace.clone();
    place.workspace = top.join("packages/a");
    assert_eq!(place.names(), ["+.gitignore", "+in", "z"]);
    // The repository's rules do not apply to a directory that it ignores as a whole.
    place.workspace = top.join("ignored/w");
    assert_eq!(place.names(), ["one", "two.log"]);
}

#[test]
fn without_a_repository_dependencies_are_left_out_and_ignore_files_hold() {
    let place = Fixture::new();
    place.file(".gitignore", "*.log\n");
    place.files(&[
        "Cargo.toml",
        "target/x",
        "sub/target/y",
        "node_modules/a/b",
        "a/__pycache__/c",
        "x.log",
        "src/main.rs",
    ]);
    place.files(&["venv/pyvenv.cfg", "venv/lib/x", ".git/junk"]);
    assert_eq!(place.names(), [".gitignore", "Cargo.toml", "src/main.rs", "sub/target/y"]);
    assert!(place.list().entries().iter().all(|entry| entry.tracked.is_none()));
}

#[test]
fn outputs_are_no_inputs_even_where_they_are_tracked() {
    let place = Fixture::repository();
    place.files(&["src/a", "dist/b", "packages/x/build/c", "packages/x/d", "notes.snap"]);
    place.git(&["add", "."]);
    let listing = place.list_without(&["dist", "packages/*/build", "*.snap"]);
    assert_eq!(names(&listing), ["+packages/x/d", "+src/a"]);
}

#[test]
fn links_are_listed_and_not_followed_and_other_kinds_are_listed_by_kind() {
    let place = Fixture::new();
    let outside = place.workspace.parent().unwrap().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("theirs"), "x").unwrap();
    symlink(&outside, place.workspace.join("folder")).unwrap();
    symlink("/nowhere", place.workspace.join("broken")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(place.workspace.join("socket")).unwrap();
    assert!(Command::new("mkfifo").arg(place.workspace.join("pipe")).status().unwrap().success());
    std::fs::write(place.workspace.join(OsStr::from_bytes(b"no\xfftext")), "n").unwrap();
    let listing = place.list();
    let kinds: Vec<_> = listing.entries().iter().map(|entry| entry.kind).collect();
    assert_eq!(kinds, [EntryKind::Link, EntryKind::Link, EntryKind::File, EntryKind::Pipe, EntryKind::Socket]);
    assert_eq!(listing.entries()[2].path.as_os_str().as_bytes(), b"no\xfftext");
    assert!(place.snapshot().unread().is_empty(), "a pipe is not waited for");
}

#[test]
fn one_walk_finds_the_inputs_and_all_files() {
    let place = Fixture::repository();
    place.file(".gitignore", "*.log\nmade/\nnode_modules/\n");
    place.files(&["a", "kept.log", "node_modules/tracked/x"]);
    place.git(&["add", "-f", "."]);
    place.files(&["x.log", "made/conftest.py", "node_modules/y", "out/z", "evidence/T001/seal.json", ".referee/w"]);
    place.git(&["init", "-q", "nested"]);
    place.file("nested/.gitignore", "own\n");
    place.files(&["nested/own", "nested/z"]);
    place.git(&["init", "-q", "made/clone"]);
    place.file("made/clone/jest.config.js", "");
    let exclusions = Exclusions::new(&place.workspace, &[Path::new("evidence")], &["out".to_owned()]).unwrap();
    let (listing, files) = list_both(&place.workspace, &exclusions, &[place.workspace.join("evidence")]).unwrap();
    let inputs =
        ["+.gitignore", ".referee/w", "+a", "+kept.log", "nested/.gitignore", "nested/z", "+node_modules/tracked/x"];
    assert_eq!(names(&listing), inputs);
    assert_eq!(names(&list(&place.workspace, &exclusions).unwrap()), inputs);
    let told: Vec<(&str, bool)> = files.iter().map(|file| (file.path.as_str(), file.ignored)).collect();
    let expected = [
        (".gitignore", false),
        ("a", false),
        ("kept.log", false),
        ("made/clone/jest.config.js", true),
        ("made/conftest.py", true),
        ("nested/.gitignore", false),
        ("nested/own", true),
        ("nested/z", false),
        // There is no package beside it, so it was put there deliberately.
        ("node_modules/tracked/x", false),
        ("node_modules/y", true),
        ("out/z", false),
        ("x.log", true),
    ];
    assert_eq!(told, expected);
    assert_eq!(list_files(&place.workspace, &[place.workspace.join("evidence")]).unwrap(), files);
}

#[test]
fn inputs_are_sorted_by_the_bytes_of_their_paths_however_directories_and_files_are_named() {
    let place = Fixture::repository();
    for number in 0..60 {
        for name in ["x", "x.a", "x/y", "x0", "x-/z", "x!"] {
            place.file(&format!("d{}/{name}{number}/f", number % 7), "1");
        }
        place.files(&[&format!("d{number}.txt"), &format!("d{}-{number}", number % 7)]);
        place.files(&[&format!("d{}/x.a{number}.txt", number % 7)]);
    }
    place.files(&["d1/é", "d1/very-long-name-of-a-file-1", "d1/very-long-name-of-a-file-10"]);
    let untracked = place.list();
    let paths = |listing: &Listing| -> Vec<Vec<u8>> {
        listing.entries().iter().map(|entry| entry.path.as_os_str().as_bytes().to_vec()).collect()
    };
    assert!(paths(&untracked).is_sorted() && untracked.entries().len() > 400);
    place.git(&["add", "."]);
    let tracked = place.list();
    assert_eq!(paths(&tracked), paths(&untracked));
    assert_eq!(paths(&tracked).into_iter().collect::<BTreeSet<_>>(), place.by_git());
    assert!(tracked.entries().iter().all(|entry| entry.tracked == Some(true)));
}
