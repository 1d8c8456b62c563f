#![expect(clippy::disallowed_methods, reason = "tests make repositories with the real git, and files in them")]

use std::fs;
use std::process::Command;

use tempfile::TempDir;

use super::*;
use crate::context::sample::context;

const SPECIFICATION: &str = "checks:\n  one: { argv: [\"true\"] }\n";

/// A directory for projects, and a state directory beside it.
struct Fixture {
    directory: TempDir,
    state: State,
    world: Context,
}

impl Fixture {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let state = State::open(&directory.path().join("state")).unwrap();
        Self { world: context(directory.path()), directory, state }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Creates a repository with a committed specification.
    fn project(&self, name: &str) -> PathBuf {
        self.write(&format!("{name}/referee.yaml"), SPECIFICATION);
        self.write(&format!("{name}/src/lib.rs"), "");
        git(&self.path(name), &["init", "-q"]);
        self.commit(name);
        self.path(name)
    }

    fn commit(&self, name: &str) {
        git(&self.path(name), &["add", "-A"]);
        git(&self.path(name), &["commit", "-q", "-m", "all"]);
    }

    /// Returns the enrolled project that a directory belongs to, as hooks see it.
    fn enrolled(&self, name: &str) -> Option<PathBuf> {
        standing(&self.world, &self.path(name), Some(&self.state), &mut Vec::new())
            .unwrap()
            .map(|enrolment| enrolment.project)
    }

    fn records(&self) -> usize {
        enrolment::all(&self.state).unwrap().len()
    }

    fn by_person(&self, project: &Path) -> Enrolment {
        let enrolment = Enrolment {
            project: project.to_path_buf(),
            specification: project.join("referee.yaml"),
            by: EnrolledBy::Person,
            since: self.world.now(),
            held_out: Some(self.path("held-out.yaml")),
            trusted: None,
            fleet: None,
        };
        enrolment::enroll(&self.state, enrolment).unwrap().enrolment
    }
}

fn git(directory: &Path, words: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main"])
        .args(words)
        .current_dir(directory)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn what_a_commit_implied_once_holds_whatever_becomes_of_the_specification() {
    let place = Fixture::new();
    let project = place.project("quotes");
    assert_eq!(
        place.enrolled("quotes/src/deep/er"),
        Some(project.clone()),
        "a directory that is not there is in it too"
    );
    assert_eq!(place.records(), 1);
    fs::remove_file(project.join("referee.yaml")).unwrap();
    assert_eq!(place.enrolled("quotes"), Some(project.clone()));
    place.commit("quotes");
    assert_eq!(place.enrolled("quotes"), Some(project.clone()));
    fs::rename(project.join(".git"), place.path("away")).unwrap();
    assert_eq!(place.enrolled("quotes/src"), Some(project.clone()));
    let found = standing(&place.world, &project, Some(&place.state), &mut Vec::new()).unwrap().unwrap();
    assert_eq!((found.specification, found.by), (project.join("referee.yaml"), EnrolledBy::CommittedSpecification));
}

#[test]
fn only_a_commit_or_a_person_enrolls() {
    let place = Fixture::new();
    place.write("plain/referee.yaml", SPECIFICATION);
    assert_eq!(place.enrolled("plain"), None, "there is no repository");
    git(&place.path("plain"), &["init", "-q"]);
    assert_eq!(place.enrolled("plain"), None, "nothing is committed");
    place.write("plain/readme", "");
    git(&place.path("plain"), &["add", "readme"]);
    git(&place.path("plain"), &["commit", "-q", "-m", "readme"]);
    assert_eq!(place.enrolled("plain"), None, "it is not tracked");
    assert_eq!(place.records(), 0);
    place.by_person(&place.path("plain"));
    assert_eq!(place.enrolled("plain"), Some(place.path("plain")));
    // A file that was deleted without a commit counts as committed.
    let project = place.project("deleted");
    fs::remove_file(project.join("referee.yaml")).unwrap();
    assert_eq!(place.enrolled("deleted"), Some(project));
}

#[test]
fn the_nearest_project_counts_and_a_new_one_within_does_not_take_over() {
    let place = Fixture::new();
    let outer = place.project("outer");
    place.write("outer/part/referee.yml", SPECIFICATION);
    place.commit("outer");
    assert_eq!(place.enrolled("outer/part"), Some(outer.join("part")), "the nearest that is committed");
    assert_eq!(place.enrolled("outer/src"), Some(outer.clone()));
    place.write("outer/easy/referee.yaml", SPECIFICATION);
    place.commit("outer");
    assert_eq!(place.enrolled("outer/easy"), Some(outer.clone()), "an agent may have made it");
    place.by_person(&outer.join("easy"));
    assert_eq!(place.enrolled("outer/easy"), Some(outer.join("easy")));
}

#[test]
fn a_linked_worktree_is_the_same_project_in_another_directory() {
    let place = Fixture::new();
    let project = place.project("quotes");
    place.by_person(&project);
    let inside = ".worktrees/two";
    git(&project, &["worktree", "add", "-q", place.path("one").to_str().unwrap()]);
    git(&project, &["worktree", "add", "-q", inside]);
    for (worktree, name) in [(place.path("one"), "one/src"), (project.join(inside), "quotes/.worktrees/two/src")] {
        let found = standing(&place.world, &place.path(name), Some(&place.state), &mut Vec::new()).unwrap().unwrap();
        assert_eq!((&found.project, found.specification), (&worktree, worktree.join("referee.yaml")));
        assert_eq!(found.held_out, Some(place.path("held-out.yaml")), "what a person said holds here too");
    }
    // A directory that claims to be a worktree, but is unknown to the repository, does not inherit a person's
    // decisions.
    place.write("fake/.git", &format!("gitdir: {}\n", project.join(".git/worktrees/one").display()));
    let fake = standing(&place.world, &place.path("fake"), Some(&place.state), &mut Vec::new()).unwrap().unwrap();
    assert_eq!((fake.by, fake.held_out), (EnrolledBy::CommittedSpecification, None));
}

#[test]
fn what_cannot_be_told_is_an_error_and_what_concerns_nobody_is_not() {
    let place = Fixture::new();
    place.write("broken/.git/HEAD", "junk");
    assert_eq!(place.enrolled("broken"), None, "there is no specification");
    place.write("broken/referee.yaml", SPECIFICATION);
    let error = standing(&place.world, &place.path("broken"), Some(&place.state), &mut Vec::new()).unwrap_err();
    assert!(error.message.contains("cannot be determined"), "{}", error.message);
    let project = place.project("quotes");
    place.enrolled("quotes");
    for entry in fs::read_dir(place.state.path().join("enrolled")).unwrap() {
        fs::write(entry.unwrap().path(), "{}").unwrap();
    }
    assert!(standing(&place.world, &project, Some(&place.state), &mut Vec::new()).is_err());
}

#[test]
fn an_enrolment_that_was_ended_comes_back_by_a_commit_with_what_a_person_said() {
    let place = Fixture::new();
    let project = place.project("quotes");
    place.by_person(&project);
    let removal = referee_model::enrolment::Removal { at: place.world.now(), agent: None };
    assert!(enrolment::remove(&place.state, &project, removal).unwrap());
    assert!(told_of_removal(Some(&place.state), &project).unwrap().contains("has no gate at its hooks since"));
    let found = standing(&place.world, &project, Some(&place.state), &mut Vec::new()).unwrap().unwrap();
    assert_eq!((found.by, found.held_out), (EnrolledBy::CommittedSpecification, Some(place.path("held-out.yaml"))));
    assert!(told_of_removal(Some(&place.state), &project).unwrap().contains("it is enrolled again"));
}

#[test]
fn without_a_state_directory_a_commit_enrolls_for_now() {
    let place = Fixture::new();
    let project = place.project("quotes");
    assert_eq!(standing(&place.world, &project, None, &mut Vec::new()).unwrap().unwrap().project, project);
    assert_eq!(place.records(), 0);
}
