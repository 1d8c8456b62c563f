#![expect(clippy::disallowed_methods, reason = "tests make repositories with git, and hash them with other programs")]

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Stdio};

use referee_model::circumstances::tree::TreeChangeKind;

use super::*;
use crate::state::State;

/// A folder with a workspace in it, and the user's state beside it.
struct Place {
    _folder: tempfile::TempDir,
    workspace: PathBuf,
    state: State,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let workspace = root.join("work");
        std::fs::create_dir(&workspace).unwrap();
        let state = State::open(&root.join("state")).unwrap();
        Self { _folder: folder, workspace, state }
    }

    /// A repository with nothing in it.
    fn repository() -> Self {
        let place = Self::new();
        place.git(&["init", "-q"]);
        place
    }

    fn git(&self, arguments: &[&str]) {
        self.git_in("", arguments);
    }

    fn git_in(&self, folder: &str, arguments: &[&str]) {
        let done = Command::new("git")
            .args(["-c", "user.name=t", "-c", "user.email=t@t", "-c", "protocol.file.allow=always"])
            .args(arguments)
            .current_dir(self.workspace.join(folder))
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

    /// The paths, with a mark before those that are known to be tracked.
    fn names(&self) -> Vec<String> {
        names(&self.list())
    }

    fn snapshot(&self) -> Snapshot {
        let mut cache = Cache::open(Some(&self.state), &self.workspace);
        let snapshot = Snapshot::take(&self.list(), &mut cache);
        cache.save().unwrap();
        snapshot
    }

    /// What git itself says: tracked files that are there, and untracked ones that it does not ignore.
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
    let place = Place::repository();
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
    let place = Place::repository();
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
    assert!(listing.notes().concat().contains("split over two files"), "{:?}", listing.notes());
    place.file(".git/index", "DIRC\0\0\0\x02\0\0\0\x01junk");
    assert!(place.list().notes().concat().contains("damaged"));
}

#[test]
fn a_repository_of_the_longer_ids_is_read_too() {
    let place = Place::new();
    place.git(&["init", "-q", "--object-format=sha256"]);
    place.files(&["a", "b/c"]);
    place.git(&["add", "."]);
    assert_eq!(place.names(), ["+a", "+b/c"]);
}

#[test]
fn renamed_removed_and_conflicting_files_are_listed_as_they_stand() {
    let place = Place::repository();
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
    let place = Place::repository();
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

    let outer = Place::repository();
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
    let place = Place::repository();
    place.files(&["tests/a", "tests/b"]);
    place.git(&["add", "."]);
    place.git(&["init", "-q", "tests"]);
    place.file("tests/.git/info/exclude", "*\n");
    assert_eq!(place.names(), ["+tests/a", "+tests/b"]);
}

#[test]
fn a_workspace_in_a_part_of_a_repository_holds_that_part_alone() {
    let mut place = Place::repository();
    place.file(".gitignore", "*.log\n/packages/a/out\n/ignored/\n");
    place.files(&["packages/a/in", "packages/b/in", "packages/a/.gitignore"]);
    place.git(&["add", "."]);
    place.files(&["packages/a/x.log", "packages/a/out/y", "packages/a/z", "ignored/w/one", "ignored/w/two.log"]);
    let top = place.workspace.clone();
    place.workspace = top.join("packages/a");
    assert_eq!(place.names(), ["+.gitignore", "+in", "z"]);
    // The repository has no say in what it ignores whole.
    place.workspace = top.join("ignored/w");
    assert_eq!(place.names(), ["one", "two.log"]);
}

#[test]
fn without_a_repository_dependencies_are_left_out_and_ignore_files_hold() {
    let place = Place::new();
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
    let place = Place::repository();
    place.files(&["src/a", "dist/b", "packages/x/build/c", "packages/x/d", "notes.snap"]);
    place.git(&["add", "."]);
    let listing = place.list_without(&["dist", "packages/*/build", "*.snap"]);
    assert_eq!(names(&listing), ["+packages/x/d", "+src/a"]);
}

#[test]
fn links_are_listed_and_not_followed_and_other_kinds_are_listed_by_kind() {
    let place = Place::new();
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
fn the_digest_is_what_is_documented() {
    let place = Place::new();
    place.file("a.txt", "hello\n");
    place.file("run.sh", "#!/bin/sh\n");
    std::fs::set_permissions(place.workspace.join("run.sh"), PermissionsExt::from_mode(0o755)).unwrap();
    symlink("a.txt", place.workspace.join("link")).unwrap();
    let state = place.snapshot().state();
    assert_eq!(state.files, 3);
    let script = r#"
set -e
line() { printf '%s %s\0%s\n' "$1" "$2" "$3"; }
{
  line 100644 a.txt "$(sha256sum < a.txt | cut -d' ' -f1)"
  line 120000 link "$(printf %s "$(readlink link)" | sha256sum | cut -d' ' -f1)"
  line 100755 run.sh "$(sha256sum < run.sh | cut -d' ' -f1)"
} | sha256sum | cut -d' ' -f1
"#;
    let output = Command::new("sh").args(["-c", script]).current_dir(&place.workspace).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), state.digest.to_string());
    assert_eq!(state.digest.to_string(), VECTOR);
    assert_eq!(Snapshot::of_files(Vec::new()).state().digest.to_string(), EMPTY);
}

/// By hand: `printf '100644 a.txt\0%s\n120000 link\0%s\n100755 run.sh\0%s\n' … | sha256sum` with the hashes of `hello\n`,
/// `a.txt` and `#!/bin/sh\n`.
const VECTOR: &str = "e22245af9b4503ec53f9eb4ade29c31f03db0abe5aa9cf85ddc06f2977383931";

/// SHA-256 of nothing.
const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

#[test]
fn changes_are_found_by_content_and_mode_and_added_files_come_last() {
    let place = Place::repository();
    place.files(&["same", "edited", "gone/x", "mode", "zz"]);
    let before = place.snapshot();
    assert_eq!(before, place.snapshot());
    place.file("edited", "other");
    place.file("same", "same");
    std::fs::remove_file(place.workspace.join("gone/x")).unwrap();
    std::fs::set_permissions(place.workspace.join("mode"), PermissionsExt::from_mode(0o755)).unwrap();
    place.file("added", "");
    let listing = place.list();
    let after = Snapshot::take(&listing, &mut Cache::open(None, &place.workspace));
    let found: Vec<_> = Changes::between(&before, &after, &listing)
        .files
        .into_iter()
        .map(|change| {
            assert!(change.at.is_some());
            (change.path.to_str().unwrap().to_owned(), change.kind)
        })
        .collect();
    let expected = [
        ("edited", TreeChangeKind::Modified),
        ("gone/x", TreeChangeKind::Removed),
        ("mode", TreeChangeKind::Modified),
        ("added", TreeChangeKind::Added),
    ];
    assert_eq!(found, expected.map(|(path, kind)| (path.to_owned(), kind)));
    assert_ne!(before.state(), after.state());
}

#[test]
fn a_change_of_the_same_size_right_after_a_reading_is_never_missed() {
    let place = Place::new();
    for round in 0..200 {
        place.file("racy", &format!("{round:03}a"));
        let before = place.snapshot();
        place.file("racy", &format!("{round:03}b"));
        let after = place.snapshot();
        assert_ne!(before.state(), after.state(), "round {round}");
    }
}

#[test]
fn an_old_file_is_not_read_again_and_one_that_only_looks_the_same_is() {
    let place = Place::new();
    place.file("a", "one");
    let listing = place.list();
    let mut cache = Cache::open(Some(&place.state), &place.workspace);
    // The file system's clock must have gone on since the file was written.
    while cache.begin().unwrap() <= listing.entries()[0].stamp.changed {}
    let first = Snapshot::take(&listing, &mut cache);
    cache.save().unwrap();
    let known = |place: &Place| Cache::open(Some(&place.state), &place.workspace).known(place.list().entries());
    assert!(known(&place)[0].is_some(), "it is known now");
    assert_eq!(Cache::open(Some(&place.state), &place.workspace).last().unwrap().state(), first.state());
    // The same size and the same time of modification: the time of change tells.
    let times = std::fs::metadata(place.workspace.join("a")).unwrap().modified().unwrap();
    place.file("a", "two");
    std::fs::File::options().write(true).open(place.workspace.join("a")).unwrap().set_modified(times).unwrap();
    assert_eq!(known(&place), [None]);
}

#[test]
fn a_cache_that_is_junk_is_no_cache() {
    let place = Place::new();
    place.files(&["a", "b/c"]);
    let state = place.snapshot().state();
    let folder = place.state.area(crate::state::Area::Trees).unwrap();
    let file = std::fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    let whole = std::fs::read(&file).unwrap();
    for at in 0..whole.len() {
        let mut flipped = whole.clone();
        flipped[at] ^= 0x40;
        std::fs::write(&file, &flipped).unwrap();
        assert!(Cache::open(Some(&place.state), &place.workspace).last().is_none(), "byte {at}");
    }
    for cut in [whole.len() - 1, whole.len() / 2, 10, 0] {
        std::fs::write(&file, &whole[..cut]).unwrap();
        assert_eq!(place.snapshot().state(), state);
    }
    std::fs::remove_file(&file).unwrap();
    symlink("/dev/zero", &file).unwrap();
    assert_eq!(place.snapshot().state(), state);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "nothing unfinished is left");
}

#[test]
fn what_cannot_be_read_is_told_and_never_equal_to_anything() {
    let place = Place::new();
    place.file("a", "x");
    let before = place.snapshot();
    let listing = place.list();
    // Listed as a file, and a folder by now.
    std::fs::remove_file(place.workspace.join("a")).unwrap();
    std::fs::create_dir(place.workspace.join("a")).unwrap();
    assert!(listing.digest(&listing.entries()[0]).is_err());
    let after = Snapshot::take(&listing, &mut Cache::open(None, &place.workspace));
    assert_eq!(after.unread().len(), 1);
    assert_ne!(after.state(), before.state());
    assert_eq!(Changes::between(&after, &after, &listing).files.len(), 1);
    std::fs::remove_dir(place.workspace.join("a")).unwrap();
    assert_eq!(listing.digest(&listing.entries()[0]).unwrap(), None);
    assert!(list(&place.workspace.join("nowhere"), &Exclusions::new(&place.workspace, &[], &[]).unwrap()).is_err());
}
