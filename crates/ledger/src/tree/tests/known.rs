//! Tests of the cache of inputs, and of the differences between snapshots.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use referee_model::run_context::tree::TreeChangeKind;

use super::Fixture;
use crate::state::Area;
use crate::tree::*;

#[test]
fn the_digest_is_what_is_documented() {
    let place = Fixture::new();
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
    assert_eq!(Snapshot::of(Vec::new().into(), Vec::new(), Vec::new()).state().digest.to_string(), EMPTY);
}

/// Computed by `printf '100644 a.txt\0%s\n120000 link\0%s\n100755 run.sh\0%s\n' … | sha256sum` with the hashes of
/// `hello\n`, `a.txt` and `#!/bin/sh\n`.
const VECTOR: &str = "e22245af9b4503ec53f9eb4ade29c31f03db0abe5aa9cf85ddc06f2977383931";

/// SHA-256 of the empty text.
const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

#[test]
fn changes_are_found_by_content_and_mode_and_added_files_come_last() {
    let place = Fixture::repository();
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
    let place = Fixture::new();
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
    let place = Fixture::new();
    place.file("a", "one");
    let listing = place.list();
    let mut cache = Cache::open(Some(&place.state), &place.workspace);
    // The file system's clock must have advanced since the file was written.
    while cache.begin().unwrap() <= listing.entries()[0].stamp.changed {}
    let first = Snapshot::take(&listing, &mut cache);
    cache.save().unwrap();
    let known =
        |place: &Fixture| Cache::open(Some(&place.state), &place.workspace).known(place.list().entries()).hashes;
    assert!(known(&place)[0].is_some(), "it is known now");
    assert_eq!(Cache::open(Some(&place.state), &place.workspace).last().unwrap().state(), first.state());
    // The same size and the same modification time: only the change time differs.
    let times = std::fs::metadata(place.workspace.join("a")).unwrap().modified().unwrap();
    place.file("a", "two");
    std::fs::File::options().write(true).open(place.workspace.join("a")).unwrap().set_modified(times).unwrap();
    assert_eq!(known(&place), [None]);
}

#[test]
fn a_cache_that_is_junk_is_no_cache() {
    let place = Fixture::new();
    place.files(&["a", "b/c"]);
    let state = place.snapshot().state();
    let directory = place.state.area(Area::Trees).unwrap();
    let file = std::fs::read_dir(&directory).unwrap().next().unwrap().unwrap().path();
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
    assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 1, "nothing unfinished is left");
}

#[test]
fn what_cannot_be_read_is_told_and_never_equal_to_anything() {
    let place = Fixture::new();
    place.file("a", "x");
    let before = place.snapshot();
    let listing = place.list();
    // It was listed as a file, and is a directory by now.
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

#[test]
fn an_unchanged_tree_has_the_digest_that_was_kept_and_any_change_makes_another() {
    let place = Fixture::repository();
    place.files(&["a", "b/c", "d"]);
    let known =
        |place: &Fixture| Cache::open(Some(&place.state), &place.workspace).known(place.list().entries()).digest;
    assert_eq!(known(&place), None);
    // The file system's clock must have advanced since the files were written.
    let written = place.list().entries().iter().map(|entry| entry.stamp.changed).max().unwrap();
    while Cache::open(Some(&place.state), &place.workspace).begin().unwrap() <= written {}
    let first = place.snapshot();
    assert_eq!(known(&place), Some(first.digest()));
    assert_eq!(place.snapshot(), first);
    place.file("b/e", "new");
    assert_eq!(known(&place), None, "a file more");
    assert_eq!(place.snapshot().state().files, 4);
    std::fs::remove_file(place.workspace.join("b/e")).unwrap();
    assert_eq!(known(&place), None, "a file less");
    assert_eq!(place.snapshot().state(), first.state());
    std::fs::set_permissions(place.workspace.join("d"), PermissionsExt::from_mode(0o755)).unwrap();
    assert_eq!(known(&place), None, "another mode");
    assert_ne!(place.snapshot().state(), first.state());
}

#[test]
fn the_digest_of_now_is_that_of_a_run_and_leaves_what_the_run_knew() {
    let place = Fixture::repository();
    place.files(&["a", "b/c"]);
    let exclusions = Exclusions::new(&place.workspace, &[Path::new("evidence")], &[]).unwrap();
    let now = || digest_now(&place.workspace, &exclusions, Some(&place.state)).unwrap();
    let left = place.snapshot();
    assert_eq!(now(), Some(left.state().digest));
    place.file("a", "edited");
    let edited = now();
    assert_ne!(edited, Some(left.state().digest));
    assert_eq!(edited, digest_now(&place.workspace, &exclusions, None).unwrap(), "with nothing known it is the same");
    assert_eq!(Cache::open(Some(&place.state), &place.workspace).last().unwrap().state(), left.state());
    for number in 0..100 {
        place.file(&format!("many/{number}"), "x");
    }
    assert_ne!(now(), edited);
    assert_eq!(Cache::open(Some(&place.state), &place.workspace).last().unwrap().state(), left.state());
    assert!(digest_now(&place.workspace.join("nowhere"), &exclusions, None).is_err());
}

#[test]
fn a_file_that_was_written_in_between_and_holds_the_same_is_told_apart() {
    let place = Fixture::new();
    place.files(&["kept", "replaced", "swapped"]);
    let before = place.snapshot();
    place.file("swapped", "another");
    place.file("swapped", "swapped");
    place.file("beside", "replaced");
    std::fs::rename(place.workspace.join("beside"), place.workspace.join("replaced")).unwrap();
    let after = place.snapshot();
    let changes = Changes::between(&before, &after, &place.list());
    assert_eq!(changes.files, []);
    let rewritten: Vec<_> =
        changes.rewritten.iter().map(|file| (file.path.to_str().unwrap(), file.generated)).collect();
    assert_eq!(rewritten, [("replaced", false), ("swapped", false)]);
    place.file("swapped", "// Code generated by x. DO NOT EDIT.\n");
    let generated = place.snapshot();
    place.file("swapped", "// Code generated by x. DO NOT EDIT.\n");
    let changes = Changes::between(&generated, &place.snapshot(), &place.list());
    assert!(changes.rewritten[0].generated);
    assert_eq!(before.state(), after.state());
}

#[test]
fn what_git_is_told_aside_to_leave_out_is_part_of_the_state() {
    let place = Fixture::repository();
    place.git_in("", &["init", "-q", "nested"]);
    place.file("a", "a");
    place.file(".git/info/exclude", "# a note\n");
    place.file("nested/.git/info/exclude", "\n");
    let plain = place.snapshot();
    for rules in [".git/info/exclude", "nested/.git/info/exclude"] {
        place.file(rules, "bad.txt\n");
        let ruled = place.snapshot();
        assert_ne!(ruled.state().digest, plain.state().digest, "{rules}");
        assert_eq!(place.snapshot().state(), ruled.state());
        assert_eq!(place.names(), ["a"], "it is not an input itself");
        place.file(rules, "");
        assert_eq!(place.snapshot().state(), plain.state());
    }
}

#[test]
fn where_it_is_not_known_what_git_tracks_the_state_equals_nothing() {
    let place = Fixture::repository();
    place.file("a", "a");
    assert!(place.snapshot().unread().is_empty(), "nothing was ever added");
    place.git(&["add", "."]);
    place.git(&["commit", "-qm", "start"]);
    let known = || {
        let without = Exclusions::new(&place.workspace, &[], &[]).unwrap();
        digest_now(&place.workspace, &without, Some(&place.state)).unwrap()
    };
    assert!(known().is_some());
    let index = place.workspace.join(".git/index");
    std::fs::rename(&index, place.workspace.join(".git/moved")).unwrap();
    assert_eq!((known(), place.snapshot().unknown().len()), (None, 1));
    place.git(&["pack-refs", "--all"]);
    assert_eq!(known(), None, "the commit is packed");
    std::fs::rename(place.workspace.join(".git/moved"), &index).unwrap();
    assert!(known().is_some());
    place.git(&["update-index", "--split-index"]);
    assert_eq!(known(), None);
    assert!(place.snapshot().unknown()[0].1.contains("split"));
}

/// Maps a file, writes to it once, reports that, and writes again on every request: the page is dirty by then,
/// so no timestamp of the file changes any more.
const MAPPED: &str = "
import mmap, sys
file = open(sys.argv[1], 'r+b')
memory = mmap.mmap(file.fileno(), 0)
for line in sys.stdin:
    memory[:4] = line.strip().encode()
    print('written', flush=True)
";

#[test]
#[expect(clippy::disallowed_methods, reason = "a test starts who writes")]
fn a_write_through_mapped_memory_is_seen_where_contents_are_read() {
    use std::io::{BufRead, BufReader, Write};
    let place = Fixture::new();
    place.file("a", "good");
    let mut child = std::process::Command::new("python3")
        .args(["-c", MAPPED])
        .arg(place.workspace.join("a"))
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    let mut write = |text: &str| {
        writeln!(stdin, "{text}").unwrap();
        stdout.read_line(&mut String::new()).unwrap();
    };
    write("evil");
    let written = place.list().entries()[0].stamp.changed;
    while Cache::open(Some(&place.state), &place.workspace).begin().unwrap() <= written {}
    let before = place.snapshot();
    write("good");
    let (known, read) =
        (place.snapshot(), Snapshot::read(&place.list(), &mut Cache::open(Some(&place.state), &place.workspace)));
    assert_eq!(known.state(), before.state(), "no stamp tells: else this stages nothing");
    assert_ne!(read.state(), before.state());
    drop(stdin);
    child.wait().unwrap();
}

#[test]
fn a_file_that_is_larger_than_is_read_is_not_begun() {
    let place = Fixture::new();
    let file = std::fs::File::create(place.workspace.join("huge")).unwrap();
    file.set_len(1 << 42).unwrap();
    let began = std::time::Instant::now();
    let snapshot = Snapshot::read(&place.list(), &mut Cache::open(None, &place.workspace));
    assert_eq!(snapshot.unread()[0].0, PathBuf::from("huge"));
    assert!(began.elapsed().as_secs() < 2);
}
