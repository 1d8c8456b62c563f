//! The environment that commands run in.

use std::collections::BTreeMap;

use referee_model::id::WorkspacePath;
use referee_model::plan::Phase;
use referee_model::record::{Ending, NoticeCode, StartFailure, Stream};

use crate::world::{Fixture, command_of};

#[test]
fn a_command_sees_the_variables_that_its_record_names_and_no_others() {
    let mut world = Fixture::new();
    for (name, value) in [("HOME", "/home/x"), ("NODE_OPTIONS", "--require=x"), ("SECRET_TOKEN", "s")] {
        world.host.environment.push((name.into(), value.into()));
    }
    world.plan.environment.insert("PLAN".into(), "1".into());
    command_of(world.tool(Phase::Step, &["env"])).environment.insert("OWN".into(), "2".into());
    let log = world.run();
    let facts = log.facts("STEP.1");
    let seen: BTreeMap<String, String> = log
        .text("STEP.1", Stream::Stdout)
        .lines()
        .map(|line| line.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned())).unwrap())
        .collect();
    assert_eq!(seen, facts.environment);
    let names: Vec<&str> = seen.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        ["CI", "HOME", "OWN", "PATH", "PLAN", "PWD", "REFEREE_ACTION", "REFEREE_EXECUTION", "TERM", "npm_config_yes"]
    );
    assert_eq!(seen["REFEREE_EXECUTION"], world.execution.as_str());
    assert_eq!(seen["REFEREE_ACTION"], "STEP.1");
    assert_eq!(facts.dropped_variables, ["NODE_OPTIONS", "SECRET_TOKEN"]);
}

#[test]
fn a_command_runs_in_its_directory() {
    let mut world = Fixture::new();
    world.file("web/file", "", 0o644);
    command_of(world.tool(Phase::Step, &["directory"])).directory = WorkspacePath::parse("web").unwrap();
    let log = world.run();
    let facts = log.facts("STEP.1");
    assert_eq!(log.text("STEP.1", Stream::Stdout), format!("{}\n", facts.directory));
    assert_eq!(facts.environment["PWD"], facts.directory);
    assert!(facts.directory.ends_with("/web"));
}

#[test]
fn a_dropped_variable_that_a_failing_command_names_is_told_of() {
    let mut world = Fixture::new();
    world.host.environment.push(("DATABASE_URL".into(), "postgres://".into()));
    world.tool(Phase::Step, &["err=DATABASE_URL is not set\\n", "exit=1"]);
    world.tool(Phase::Step, &["err=DATABASE_URL is not set\\n"]);
    world.tool(Phase::Step, &["err=MY_DATABASE_URL is not set\\n", "exit=1"]);
    let log = world.run();
    assert_eq!(log.notices("STEP.1"), [NoticeCode::DroppedVariable]);
    assert!(log.record("STEP.1").notices[0].message.starts_with("`DATABASE_URL` is set in your environment"));
    assert!(log.notices("STEP.2").is_empty() && log.notices("STEP.3").is_empty());
}

#[test]
fn a_script_is_recorded_by_hash_and_a_missing_one_is_not_started() {
    let mut world = Fixture::new();
    world.file("check.sh", "echo checked\n", 0o644);
    world.file("dir/x", "", 0o644);
    for script in ["check.sh", "gone.sh", "dir"] {
        command_of(world.argv(Phase::Step, &["sh", script])).script = Some(WorkspacePath::parse(script).unwrap());
    }
    std::os::unix::fs::symlink("/bin/sh", world.path("out.sh")).unwrap();
    command_of(world.argv(Phase::Step, &["sh", "out.sh"])).script = Some(WorkspacePath::parse("out.sh").unwrap());
    let log = world.run();
    assert_eq!(log.text("STEP.1", Stream::Stdout), "checked\n");
    let names: Vec<_> = log.facts("STEP.1").executables.iter().map(|known| known.name.as_str()).collect();
    assert_eq!(names, ["sh", "check.sh"]);
    assert!(log.facts("STEP.1").executables[1].sha256.is_some());
    for (number, part) in [(2, "`gone.sh` cannot be found"), (3, "`dir` is not a file"), (4, "leads outside")] {
        let Ending::CouldNotStart { cause: StartFailure::NotFound, message } = log.ending(&format!("STEP.{number}"))
        else {
            panic!("STEP.{number} was started")
        };
        assert!(message.contains(part), "{message}");
    }
}
