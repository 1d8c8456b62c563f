//! Clean rooms on disk.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use referee_model::id::{Digest, WorkspacePath};
use tempfile::TempDir;

use super::*;
use crate::state::State;

struct Fixture {
    candidate: TempDir,
    _state: TempDir,
    state: State,
    protected: BTreeMap<WorkspacePath, Option<Vec<u8>>>,
}

impl Fixture {
    fn with(files: &[(&str, &str)]) -> Self {
        let outside = tempfile::tempdir().unwrap();
        let state = State::open(&outside.path().join("state")).unwrap();
        let world =
            Self { candidate: tempfile::tempdir().unwrap(), _state: outside, state, protected: BTreeMap::new() };
        for (path, text) in files {
            world.write(path, text);
        }
        world
    }

    fn path(&self, path: &str) -> PathBuf {
        self.candidate.path().canonicalize().unwrap().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn protect(&mut self, path: &str, text: Option<&str>) {
        let bytes = text.map(|text| text.as_bytes().to_vec());
        self.protected.insert(WorkspacePath::parse(path).unwrap(), bytes);
    }

    fn build(&self) -> Result<Room, RoomError> {
        let candidate = self.path("");
        let blueprint = Blueprint { candidate: &candidate, excluded: &[], outputs: &[], protected: &self.protected };
        Room::build(&self.state, &blueprint)
    }
}

fn text(room: &Room, path: &str) -> Option<String> {
    fs::read_to_string(room.tree().join(path)).ok()
}

fn names(paths: &[WorkspacePath]) -> Vec<&str> {
    paths.iter().map(WorkspacePath::as_str).collect()
}

#[test]
fn protected_files_are_the_baselines_and_the_rest_is_the_candidates() {
    let mut world = Fixture::with(&[
        ("src/a.js", "fixed"),
        ("tests/a.test.js", "weakened"),
        ("tests/b.test.js", "same"),
        ("conftest.py", "cheat"),
        ("fake/c.test.js", "fake"),
    ]);
    symlink("fake", world.path("more")).unwrap();
    world.protect("tests/a.test.js", Some("honest"));
    world.protect("tests/b.test.js", Some("same"));
    world.protect("tests/gone.test.js", Some("deleted by the candidate"));
    world.protect("more/c.test.js", Some("honest"));
    world.protect("conftest.py", None);
    let room = world.build().unwrap();
    for (path, content) in [
        ("src/a.js", Some("fixed")),
        ("tests/a.test.js", Some("honest")),
        ("tests/b.test.js", Some("same")),
        ("tests/gone.test.js", Some("deleted by the candidate")),
        ("more/c.test.js", Some("honest")),
        ("fake/c.test.js", Some("fake")),
        ("conftest.py", None),
    ] {
        assert_eq!(text(&room, path).as_deref(), content, "{path}");
    }
    let restored = ["conftest.py", "more", "more/c.test.js", "tests/a.test.js", "tests/gone.test.js"];
    assert_eq!(names(room.restored()), restored);
    assert_eq!(room.files(), 6);
    assert_eq!(fs::read_to_string(world.path("tests/a.test.js")).unwrap(), "weakened", "the candidate is left alone");
}

#[test]
fn a_room_shares_nothing_with_the_candidate_and_goes_when_it_is_dropped() {
    let world = Fixture::with(&[("run.sh", "#!/bin/sh"), ("data", "1")]);
    fs::set_permissions(world.path("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(world.path("data"), fs::Permissions::from_mode(0o444)).unwrap();
    let room = world.build().unwrap();
    let mode = |path: &str| room.tree().join(path).metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("run.sh"), mode("data")), (0o755, 0o644));
    fs::write(room.tree().join("data"), "2").unwrap();
    assert_eq!(fs::read_to_string(world.path("data")).unwrap(), "1");
    let tree = room.tree().to_path_buf();
    let sealed = tree.join("read-only/deep");
    fs::create_dir_all(&sealed).unwrap();
    fs::set_permissions(tree.join("read-only"), fs::Permissions::from_mode(0o500)).unwrap();
    drop(room);
    assert!(!tree.exists());
}

#[test]
fn two_rooms_at_once_have_places_of_their_own_and_one_after_another_the_same() {
    let world = Fixture::with(&[("a", "")]);
    let (first, second) = (world.build().unwrap(), world.build().unwrap());
    let (first_tree, second_tree) = (first.tree().to_path_buf(), second.tree().to_path_buf());
    assert_ne!(first_tree, second_tree);
    assert!(first_tree.exists() && second_tree.exists(), "a room in use is not taken for a leftover");
    drop(first);
    assert_eq!(world.build().unwrap().tree(), first_tree);
    drop(second);
}

#[test]
fn what_was_left_is_removed_and_what_was_kept_stays_until_it_is_removed_by_hand() {
    let world = Fixture::with(&[("a", "")]);
    let mut kept = world.build().unwrap();
    let kept_tree = kept.keep().unwrap().to_path_buf();
    drop(kept);
    assert!(kept_tree.exists());
    let left = kept_tree.parent().unwrap().parent().unwrap().join("0123456789abcdef-0");
    fs::create_dir_all(left.join("tree")).unwrap();
    let room = world.build().unwrap();
    assert_ne!(room.tree(), kept_tree);
    assert_eq!(room.notes().len(), 1, "{:?}", room.notes());
    assert!(!left.exists());
    drop(room);
    fs::remove_dir_all(kept_tree.parent().unwrap()).unwrap();
    assert_eq!(world.build().unwrap().tree(), kept_tree);
}

#[test]
fn a_link_out_of_the_tree_is_refused_by_name_and_nothing_is_left() {
    let world = Fixture::with(&[("a", "")]);
    symlink("../outside", world.path("link")).unwrap();
    let error = world.build().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the symbolic link `link` points outside the tree, to `../outside`: replace it with a copy of its target"
    );
    let rooms = world.state.path().join("rooms");
    let left = fs::read_dir(rooms).unwrap().filter(|entry| entry.as_ref().unwrap().path().is_dir()).count();
    assert_eq!(left, 0);
}

const EMPTY: &BTreeMap<String, String> = &BTreeMap::new();

fn circumstance(command: &str) -> Circumstance<'_> {
    Circumstance { command, environment: EMPTY, executables: &[], platform: "linux", architecture: "x86_64" }
}

fn key_of(world: &Fixture, command: &str) -> Option<Digest> {
    key(&world.build().unwrap(), &circumstance(command)).unwrap()
}

#[test]
fn dependencies_follow_from_lock_files_or_from_everything() {
    let files = [("package.json", "{}"), ("package-lock.json", "1"), ("src/a.js", "1"), ("web/.npmrc", "fund=false")];
    let world = Fixture::with(&files);
    let first = key_of(&world, "npm ci").unwrap();
    let all = key_of(&world, "npm ci && true").unwrap();
    assert_ne!(first, all);
    world.write("src/a.js", "2");
    assert_eq!(key_of(&world, "npm ci"), Some(first), "sources do not matter to an installer");
    assert_ne!(key_of(&world, "npm ci && true"), Some(all), "they may matter to anything else");
    for (path, text) in [
        ("package-lock.json", "2"),
        ("package.json", r#"{"name": "x"}"#),
        ("web/.npmrc", "fund=true"),
        ("deep/below/yarn.lock", ""),
    ] {
        let world = Fixture::with(&files);
        let before = key_of(&world, "npm ci");
        world.write(path, text);
        assert_ne!(key_of(&world, "npm ci"), before, "{path}");
    }
    let other = Circumstance { architecture: "aarch64", ..circumstance("npm ci") };
    assert_ne!(key(&world.build().unwrap(), &other).unwrap(), Some(first));
    let scripts = r#"{"scripts": {"postinstall": "node src/a.js"}}"#;
    world.write("package.json", scripts);
    let before = key_of(&world, "npm ci");
    world.write("src/a.js", "3");
    assert_ne!(key_of(&world, "npm ci"), before, "what is run when packages are installed matters");
    let without = Fixture::with(&[("package.json", "{}"), ("node_modules/x/package-lock.json", "")]);
    assert_eq!(key_of(&without, "npm ci"), None);
}

fn install(room: &Room) {
    for (path, content) in [("node_modules/a/index.js", "a"), ("web/node_modules/b/index.js", "b"), ("made.txt", "c")] {
        let path = room.tree().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    fs::create_dir_all(room.tree().join("node_modules/.bin")).unwrap();
    symlink("../a/index.js", room.tree().join("node_modules/.bin/a")).unwrap();
    let program = room.tree().join("node_modules/a/index.js");
    fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn what_a_set_up_made_comes_back_whole_or_not_at_all() {
    let world = Fixture::with(&[("web/a.js", ""), ("web-2/a.js", ""), ("package-lock.json", "")]);
    let key = key_of(&world, "npm ci").unwrap();
    let dependencies = Dependencies::of(&world.state, &world.path("")).unwrap();
    let room = world.build().unwrap();
    assert_eq!(dependencies.restore(&key, &room), Restored::Nothing);
    install(&room);
    assert_eq!(dependencies.keep(&key, &room), Kept::Whole);
    assert!(!room.staging().exists());
    drop(room);

    let room = world.build().unwrap();
    assert_eq!(dependencies.restore(&key, &room), Restored::Whole);
    for (path, content) in [
        ("node_modules/a/index.js", "a"),
        ("node_modules/.bin/a", "a"),
        ("web/node_modules/b/index.js", "b"),
        ("made.txt", "c"),
    ] {
        assert_eq!(text(&room, path).as_deref(), Some(content), "{path}");
    }
    let mode = room.tree().join("node_modules/a/index.js").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o755);
    drop(room);

    let entry = world.state.path().join("caches");
    let entry = fs::read_dir(entry).unwrap().next().unwrap().unwrap().path().join(key.to_string());
    let content = fs::read_dir(entry.join("content")).unwrap().count();
    assert_eq!(content, 3, "of a new directory the directory alone");
    let first = entry.join("content/1/.bin/a");
    fs::remove_file(&first).unwrap();
    symlink("/etc/passwd", &first).unwrap();
    let room = world.build().unwrap();
    assert!(matches!(dependencies.restore(&key, &room), Restored::Unusable { .. }));
    assert!(!room.tree().join("node_modules").exists() && !room.tree().join("made.txt").exists());
    assert_eq!(dependencies.restore(&key, &room), Restored::Nothing, "it was dropped");
}

#[test]
fn a_candidate_with_files_in_the_place_of_dependencies_keeps_them() {
    let world = Fixture::with(&[("package-lock.json", "")]);
    let key = key_of(&world, "npm ci").unwrap();
    let dependencies = Dependencies::of(&world.state, &world.path("")).unwrap();
    let room = world.build().unwrap();
    install(&room);
    assert_eq!(dependencies.keep(&key, &room), Kept::Whole);
    drop(room);
    world.write("made.txt", "own");
    let room = world.build().unwrap();
    assert!(matches!(dependencies.restore(&key, &room), Restored::Unusable { .. }));
    assert_eq!(text(&room, "made.txt").as_deref(), Some("own"));
    assert!(!room.tree().join("node_modules").exists());
}

#[test]
fn only_the_newest_sets_of_dependencies_are_kept() {
    let world = Fixture::with(&[("package-lock.json", "")]);
    let dependencies = Dependencies::of(&world.state, &world.path("")).unwrap();
    let room = world.build().unwrap();
    install(&room);
    for number in 0..u8::try_from(referee_model::limit::DEPENDENCIES_KEPT + 2).unwrap() {
        assert_eq!(dependencies.keep(&Digest::from_bytes([number; 32]), &room), Kept::Whole);
    }
    let kept = fs::read_dir(world.state.path().join("caches")).unwrap().next().unwrap().unwrap().path();
    assert_eq!(fs::read_dir(kept).unwrap().count(), referee_model::limit::DEPENDENCIES_KEPT);
}

#[test]
fn the_manifest_of_a_room_is_what_it_was_built_of_and_nothing_that_was_made_in_it() {
    use referee_model::tree_manifest::{TreeFileContent, TreeManifest};

    let world = Fixture::with(&[("run.sh", "#!/bin/sh\n"), ("a/b.txt", "text")]);
    fs::set_permissions(world.path("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    symlink("a/b.txt", world.path("link")).unwrap();
    let room = world.build().unwrap();
    fs::write(room.tree().join("made.txt"), "").unwrap();
    let manifest = room.manifest().unwrap();
    let shown: Vec<_> = manifest
        .files
        .iter()
        .map(|file| match &file.content {
            TreeFileContent::File { content, executable } => {
                (file.path.as_str(), content.sha256.to_string(), content.bytes, *executable)
            }
            TreeFileContent::Link { target } => (file.path.as_str(), target.clone(), 0, false),
        })
        .collect();
    let expected = [
        ("a/b.txt", Digest::of("text").to_string(), 4, false),
        ("link", "a/b.txt".to_owned(), 0, false),
        ("run.sh", Digest::of("#!/bin/sh\n").to_string(), 10, true),
    ];
    assert_eq!(shown, expected);
    assert_eq!(TreeManifest::decode(&manifest.encode().unwrap()).unwrap(), manifest);
    fs::remove_file(room.tree().join("run.sh")).unwrap();
    assert!(room.manifest().is_err(), "a file that is gone is not left out");
}
