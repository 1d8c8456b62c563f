//! How commands end, and how those that could not start are reported.

use referee_exec::Answer;
use referee_model::event::EventKind;
use referee_model::id::{ActionId, WorkspacePath};
use referee_model::plan::{FileCheck, FileContent, FileExpectation, FileRoot, Phase};
use referee_model::record::{Ending, Facts, FileState, NoticeCode, RunEnding, SkipReason, StartFailure, Stream};

use crate::world::{Failing, Fixture, command_of, tool};

#[test]
fn exit_codes_and_signals_are_told_as_they_are_with_and_without_a_terminal_to_take_away() {
    for controlling_terminal in [false, true] {
        let mut world = Fixture::new();
        world.host.controlling_terminal = controlling_terminal;
        for script in ["exit=0", "exit=3", "exit=255", "die=9", "die=15"] {
            world.tool(Phase::Step, &[script]);
        }
        let log = world.run();
        let endings: Vec<&Ending> = (1..=5).map(|number| log.ending(&format!("STEP.{number}"))).collect();
        let exited = |code| Ending::Exited { code };
        let signaled = |signal| Ending::Signaled { signal };
        assert_eq!(endings, [&exited(0), &exited(3), &exited(255), &signaled(9), &signaled(15)]);
        assert_eq!(log.ending, RunEnding::Finished);
        assert!(log.records().iter().all(|record| record.notices.is_empty()));
    }
}

#[test]
fn what_cannot_start_is_told_by_kind_with_and_without_a_terminal_to_take_away() {
    for controlling_terminal in [false, true] {
        let mut world = Fixture::new();
        world.host.controlling_terminal = controlling_terminal;
        world.file("plain", "#!/bin/sh\n", 0o644);
        world.file("text", "exit 0\n", 0o755);
        world.file("orphan", "#!/nowhere/interpreter\n", 0o755);
        let cases = [
            ("no-such-program", StartFailure::NotFound),
            ("./no-such-program", StartFailure::NotFound),
            ("./plain", StartFailure::NotExecutable),
            (".", StartFailure::NotFound),
            ("./", StartFailure::NotExecutable),
            ("./text", StartFailure::BadFormat),
            ("./orphan", StartFailure::BadFormat),
        ];
        for (program, _) in cases {
            world.argv(Phase::Step, &[program, "argument"]);
        }
        command_of(world.argv(Phase::Step, &["true"])).directory = WorkspacePath::parse("gone").unwrap();
        world.argv(Phase::Step, &["true", "nul\0byte"]);
        let log = world.run();
        let expected = cases.map(|(_, cause)| cause).into_iter();
        let expected = expected.chain([StartFailure::BadDirectory, StartFailure::System]);
        for (number, expected) in (1..).zip(expected) {
            let facts = log.facts(&format!("STEP.{number}"));
            let Ending::CouldNotStart { cause, message } = &facts.ending else {
                panic!("STEP.{number}: {:?}", facts.ending)
            };
            assert_eq!(*cause, expected, "STEP.{number}: {message}");
            assert!(!message.is_empty() && facts.log.is_none() && !facts.argv.is_empty());
        }
    }
}

#[test]
fn the_longest_times_that_can_be_written_overflow_nothing() {
    let mut world = Fixture::new();
    world.plan.timeout_ms = Some(u64::MAX);
    let action = world.tool(Phase::Step, &["exit=1"]);
    (action.timeout_ms, action.grace_ms) = (u64::MAX, u64::MAX);
    assert_eq!(*world.run().ending("STEP.1"), Ending::Exited { code: 1 });
}

#[test]
fn a_missing_shim_is_no_start_and_no_hang() {
    let mut world = Fixture::new();
    world.host.controlling_terminal = true;
    world.host.shim = "/nowhere/shim".into();
    world.tool(Phase::Step, &[]);
    let log = world.run();
    assert!(matches!(log.ending("STEP.1"), Ending::CouldNotStart { cause: StartFailure::System, .. }));
}

#[test]
fn a_failing_command_inside_a_pipe_fails_the_line_unless_it_is_not_to() {
    let mut world = Fixture::new();
    world.line("false | true", true);
    world.line("false | true", false);
    world.line("yes | head -n 1", true);
    let log = world.run();
    assert_eq!(*log.ending("STEP.1"), Ending::Exited { code: 1 });
    assert_eq!(*log.ending("STEP.2"), Ending::Exited { code: 0 });
    assert_eq!(*log.ending("STEP.3"), Ending::Exited { code: 141 });
    assert_eq!(log.notices("STEP.3"), [NoticeCode::BrokenPipe]);
    assert_eq!(log.facts("STEP.1").argv, ["bash", "-o", "pipefail", "-c", "false | true"]);
}

#[test]
fn at_its_deadline_a_command_is_asked_then_killed_and_what_it_printed_is_kept() {
    let mut world = Fixture::new();
    world.tool(Phase::Step, &["out=before", "sleep=60000"]).timeout_ms = 1_000;
    world.tool(Phase::Step, &["ignore-term", "err=before", "sleep=60000"]).timeout_ms = 1_000;
    let log = world.run();
    let exceeded = |killed| Ending::DeadlineExceeded { timeout_ms: 1_000, of_task: false, killed };
    assert_eq!(*log.ending("STEP.1"), exceeded(false));
    assert_eq!(*log.ending("STEP.2"), exceeded(true));
    assert_eq!(log.text("STEP.1", Stream::Stdout), "before");
    assert_eq!(log.text("STEP.2", Stream::Stderr), "before");
    assert!(log.record("STEP.1").span.duration_ms >= 1_000);
}

#[test]
fn the_deadline_of_the_task_stops_what_runs_and_skips_the_rest_but_not_cleanup() {
    let mut world = Fixture::new();
    world.plan.timeout_ms = Some(1_000);
    world.tool(Phase::Prerequisite, &[]);
    world.tool(Phase::Step, &["sleep=60000"]);
    world.tool(Phase::Step, &[]);
    world.tool(Phase::Cleanup, &["out=cleaned"]);
    let log = world.run();
    assert_eq!(*log.ending("PREREQ.1"), Ending::Exited { code: 0 });
    assert_eq!(*log.ending("STEP.1"), Ending::DeadlineExceeded { timeout_ms: 1_000, of_task: true, killed: false });
    assert_eq!(log.skipped(), [("STEP.2", SkipReason::DeadlinePassed)]);
    assert_eq!(log.text("CLEANUP.1", Stream::Stdout), "cleaned");
    assert_eq!(log.ending, RunEnding::Finished);
}

#[test]
fn answers_skip_one_action_or_all_later_ones_but_cleanup() {
    let mut world = Fixture::new();
    let failed = SkipReason::EarlierFailure(ActionId::parse("STEP.1").unwrap());
    let unmet = SkipReason::NeedNotMet(ActionId::parse("PREREQ.1").unwrap());
    for phase in [Phase::Cleanup, Phase::Step, Phase::Step, Phase::Step, Phase::Prerequisite, Phase::Cleanup] {
        world.tool(phase, &[]);
    }
    world.answers = [
        ("STEP.1".to_owned(), Answer::Skip(unmet.clone())),
        ("STEP.2".to_owned(), Answer::Stop(failed.clone())),
        ("CLEANUP.1".to_owned(), Answer::Stop(unmet.clone())),
    ]
    .into();
    let log = world.run();
    let expected = [("STEP.1", unmet.clone()), ("STEP.2", failed.clone()), ("STEP.3", failed), ("CLEANUP.1", unmet)];
    assert_eq!(log.skipped(), expected);
    let ran: Vec<&str> = log.records().into_iter().map(|record| record.action.as_str()).collect();
    assert_eq!(ran, ["PREREQ.1", "CLEANUP.2"]);
}

#[test]
fn each_action_is_told_of_when_it_starts_and_when_it_has_ended() {
    let mut world = Fixture::new();
    world.file("built", "some text", 0o644);
    let content = FileContent { contains: vec!["text".into()], ..FileContent::default() };
    world.check(FileCheck {
        root: FileRoot::Workspace,
        glob: false,
        path: WorkspacePath::parse("built").unwrap(),
        expectation: FileExpectation::Present(content),
    });
    world.tool(Phase::Step, &["out=x"]);
    let log = world.run();
    let told: Vec<(&str, &str)> = log
        .happenings
        .iter()
        .map(|happening| match happening {
            EventKind::ActionStarted { action, attempt: 1, .. } => ("started", action.as_str()),
            EventKind::ActionFinished(record) => ("finished", record.action.as_str()),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(told, [("started", "STEP.1"), ("finished", "STEP.1"), ("started", "STEP.2"), ("finished", "STEP.2")]);
    let Facts::File(file) = &log.record("STEP.1").facts else { panic!("a file") };
    assert!(matches!(&file.found, FileState::File(observation) if observation.contains == Some(vec![true])));
    let record = log.record("STEP.2");
    assert!(record.span.started <= record.span.ended);
}

#[test]
fn a_run_whose_output_or_events_cannot_be_kept_ends_at_once_cleans_up_unseen_and_leaves_nothing_alive() {
    for failing in [Failing::Begin, Failing::Append, Failing::Finish, Failing::Started, Failing::Finished] {
        let mut world = Fixture::new();
        world.failing = failing;
        // Only a failure can end the first action early, unless the failure occurs at its end.
        let sleep = if matches!(failing, Failing::Begin | Failing::Append) { "sleep=60000" } else { "sleep=0" };
        let child = format!("child=detached,closed:write={}:%p;{sleep}", world.path("pid"));
        let ready = format!("wait={}", world.path("pid"));
        world.tool(Phase::Step, &["ignore-term", &child, &ready, "out=x", sleep]);
        let (later, first, second) = (world.path("later"), world.path("first"), world.path("second"));
        world.tool(Phase::Step, &[&format!("write={later}:x")]);
        world.tool(Phase::Cleanup, &["out=unseen", &format!("write={first}:x"), "exit=1"]);
        world.tool(Phase::Cleanup, &[&format!("write={second}:x")]);
        let error = world.run_with(&mut |_| ()).err().expect("the run fails").to_string();
        let exists = [&later, &first, &second].map(|file| std::path::Path::new(file).exists());
        assert_eq!(exists, [false, true, true], "{failing:?}");
        let cause = match failing {
            Failing::Begin | Failing::Append | Failing::Finish => "cannot store output: the disk is full",
            _ => "cannot write the journal: the journal is full",
        };
        assert_eq!(error, cause, "{failing:?}");
    }
}

#[test]
fn a_cleanup_that_is_done_but_not_kept_is_not_done_again_and_those_after_it_are() {
    let mut world = Fixture::new();
    world.failing = Failing::Finished;
    let done = world.path("done");
    for _ in 0..2 {
        let line = format!("echo x >> {done}");
        world.argv(Phase::Cleanup, &["sh", "-c", &line]);
    }
    let error = world.run_with(&mut |_| ()).err().expect("the run fails").to_string();
    assert_eq!(error, "cannot write the journal: the journal is full");
    assert_eq!(std::fs::read_to_string(&done).unwrap(), "x\nx\n");
}

#[test]
fn arguments_that_are_too_long_are_told_as_that_with_and_without_a_terminal_to_take_away() {
    for controlling_terminal in [false, true] {
        let mut world = Fixture::new();
        world.host.controlling_terminal = controlling_terminal;
        world.argv(Phase::Step, &["true", &"x".repeat(1024 * 1024)]);
        let log = world.run();
        let Ending::CouldNotStart { cause: StartFailure::System, message } = log.ending("STEP.1") else {
            panic!("{:?}", log.ending("STEP.1"))
        };
        assert!(message.starts_with("its arguments and environment together"), "{message}");
    }
}

#[test]
fn the_programs_that_ran_are_recorded_by_hash() {
    use sha2::Digest as _;
    let mut world = Fixture::new();
    world.tool(Phase::Step, &[]);
    let line = format!("cd . && {} out=x", tool());
    world.line(&line, true);
    let log = world.run();
    let real = std::fs::canonicalize(tool()).unwrap();
    let hash = sha2::Sha256::digest(std::fs::read(&real).unwrap());
    let hash = Some(referee_model::id::Digest::from_bytes(hash.into()));
    let executable = &log.facts("STEP.1").executables[0];
    assert_eq!((executable.path.as_str(), executable.sha256), (real.to_str().unwrap(), hash));
    let named: Vec<_> = log.facts("STEP.2").executables.iter().map(|executable| executable.sha256).collect();
    assert_eq!((named.len(), named[1]), (2, hash));
}

#[test]
fn npx_runs_the_installed_tool_and_never_fetches_one() {
    let mut world = Fixture::new();
    world.file("node_modules/.bin/hello", "#!/bin/sh\necho hello \"$@\"\n", 0o755);
    world.argv(Phase::Step, &["npx", "hello", "you"]);
    world.argv(Phase::Step, &["npx", "absent"]);
    world.line("echo $npm_config_yes", true);
    world.argv(Phase::Step, &["npm", "exec", "--yes", "--", "absent"]);
    world.line("npx --yes hello", true);
    let log = world.run();
    assert_eq!(log.text("STEP.1", Stream::Stdout), "hello you\n");
    assert!(matches!(log.ending("STEP.2"), Ending::CouldNotStart { cause: StartFailure::NotFound, .. }));
    assert_eq!(log.text("STEP.3", Stream::Stdout), "false\n");
    for number in [4, 5] {
        let Ending::CouldNotStart { cause, message } = log.ending(&format!("STEP.{number}")) else {
            panic!("STEP.{number} was started")
        };
        assert_eq!(*cause, StartFailure::NotFound);
        assert!(message.contains("Run npm ci first, and drop `--yes`"), "{message}");
    }
}
