//! File checks as part of a run.

use std::os::unix::fs::symlink;

use referee_model::id::WorkspacePath;
use referee_model::plan::{DataSyntax, FileCheck, FileContent, FileExpectation, FileRoot};
use referee_model::record::{Facts, FileState, Overrun, Stream, SyntaxObservation};

use crate::world::{Fixture, RunLog};

fn present(path: &str, glob: bool, content: FileContent) -> FileCheck {
    FileCheck {
        root: FileRoot::Workspace,
        path: WorkspacePath::parse(path).unwrap(),
        glob,
        expectation: FileExpectation::Present(content),
    }
}

fn found<'course>(log: &'course RunLog, action: &str) -> &'course FileState {
    match &log.record(action).facts {
        Facts::File(facts) => &facts.found,
        other => panic!("{action} is a file: {other:?}"),
    }
}

#[test]
fn content_that_is_asked_for_as_evidence_is_kept() {
    let mut world = Fixture::new();
    world.file("report.txt", "all is well", 0o644);
    world.check(present("report.txt", false, FileContent::default())).evidence.file_contents = true;
    world.check(present("report.txt", false, FileContent::default()));
    world.check(present("gone.txt", false, FileContent::default())).evidence.file_contents = true;
    let log = world.run();
    assert_eq!(log.text("STEP.1", Stream::Stdout), "all is well");
    let kept = ["STEP.1", "STEP.2"].map(|action| match found(&log, action) {
        FileState::File(observation) => observation.content.is_some(),
        other => panic!("a file: {other:?}"),
    });
    assert_eq!(kept, [true, false]);
    assert_eq!(*found(&log, "STEP.3"), FileState::Missing);
}

#[test]
fn a_look_that_comes_to_its_deadline_says_so() {
    let mut world = Fixture::new();
    world.file("data/a.json", "{}", 0o644);
    let json = || FileContent { syntax: Some(DataSyntax::Json), ..FileContent::default() };
    for (path, glob) in [("data/a.json", false), ("data/*.json", true), ("gone.json", false)] {
        world.check(present(path, glob, json())).timeout_ms = 0;
    }
    let log = world.run();
    let overrun = Overrun { timeout_ms: 0, of_task: false };
    assert_eq!(*found(&log, "STEP.1"), FileState::DeadlineExceeded(overrun));
    let Facts::Glob(facts) = &log.record("STEP.2").facts else { panic!("the facts of a pattern") };
    assert_eq!(facts.overrun, Some(overrun));
    // What is available at once needs no time.
    assert_eq!(*found(&log, "STEP.3"), FileState::Missing);
}

#[test]
fn a_pattern_looks_at_each_file_and_at_none_outside() {
    let mut world = Fixture::new();
    world.file("data/a.json", "{}", 0o644);
    world.file("data/b.json", "{", 0o644);
    symlink("/etc/passwd", world.path("data/c.json")).unwrap();
    let json = FileContent { syntax: Some(DataSyntax::Json), ..FileContent::default() };
    world.check(present("data/*.json", true, json));
    let log = world.run();
    let Facts::Glob(facts) = &log.record("STEP.1").facts else { panic!("the facts of a pattern") };
    let seen: Vec<(&str, &str)> = facts
        .files
        .iter()
        .map(|file| {
            let found = match &file.found {
                FileState::File(observation) if observation.syntax == Some(SyntaxObservation::WellFormed) => {
                    "well-formed"
                }
                FileState::File(_) => "malformed",
                FileState::Outside { .. } => "outside",
                _ => "something else",
            };
            (file.path.as_str(), found)
        })
        .collect();
    assert_eq!(seen, [("data/a.json", "well-formed"), ("data/b.json", "malformed"), ("data/c.json", "outside")]);
    assert_eq!((facts.truncated, &facts.failure), (false, &None));
}
