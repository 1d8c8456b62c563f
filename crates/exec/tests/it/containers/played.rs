//! A program that plays docker: it writes down what it is asked, and behaves as the test says.

use std::fs;

use referee_exec::Cancellation;
use referee_model::id::Digest;
use referee_model::plan::{ContainerProgram, Invocation, Phase, StepOrder};
use referee_model::record::{ContainerFacts, Ending, NoticeCode, RunEnding, StartFailure, Stream};

use super::{container, lines, messages, prefer};
use crate::world::{Fixture, command_of, is_alive};

/// Number of SIGTERM.
const SIGTERM: i32 = 15;

const ID: &str = "05e28ad98394ce96e08201f604956f005c4cd6359da4232d7ee8c70a615b465c";
const IMAGE: &str = "79176180c3e850f1c182cfac468e86a7bfb1fe5836c8fc853a4287cbd6aad510";

/// Writes down its words, finds the file for the id, and does what the file named like its subcommand says.
const DOCKER: &str = r#"#!/bin/sh
dir=${0%/*}
printf '%s\n' "$*" >> "$dir/asked"
sub=$1 all=$* cid=
for word; do
    [ "$last" = --cidfile ] && cid=$word
    last=$word
done
[ -f "$dir/on-$sub" ] && . "$dir/on-$sub"
exit 0
"#;

struct Docker {
    bin: String,
}

impl Docker {
    /// Installs the program, which at first runs containers that exit with 0.
    fn new(world: &mut Fixture) -> Self {
        world.file("bin/docker", DOCKER, 0o755);
        let docker = Self { bin: world.path("bin") };
        prefer(world, &docker.bin);
        docker.plays("run", &format!("printf %s {ID} > \"$cid\"; echo started"));
        docker.plays("inspect", &Self::shown(ID, r#"{"Status":"exited","ExitCode":0}"#, "{}"));
        docker
    }

    /// Has a subcommand do what these lines of sh say.
    fn plays(&self, subcommand: &str, lines: &str) {
        fs::write(format!("{}/on-{subcommand}", self.bin), lines).unwrap();
    }

    /// Returns the line of sh that shows a container.
    fn shown(id: &str, state: &str, labels: &str) -> String {
        format!(
            r#"echo '[{{"Id":"{id}","Image":"sha256:{IMAGE}","Config":{{"Image":"busybox","Labels":{labels}}},"State":{state}}}]'"#
        )
    }

    fn asked(&self) -> Vec<String> {
        lines(&format!("{}/asked", self.bin))
    }

    /// Returns the first words that it was asked, in order.
    fn subcommands(&self) -> Vec<String> {
        self.asked().iter().map(|line| line.split(' ').next().unwrap().to_owned()).collect()
    }
}

fn task_label(world: &Fixture) -> String {
    Digest::of(world.plan.evidence_root.join("T001").to_str().unwrap()).to_string()
}

#[test]
fn a_container_is_labelled_inspected_and_removed() {
    let mut world = Fixture::new();
    let docker = Docker::new(&mut world);
    docker.plays("inspect", &Docker::shown(ID, r#"{"Status":"exited","ExitCode":3}"#, "{}"));
    docker.plays("run", &format!("printf %s {ID} > \"$cid\"; echo started; exit 3"));
    container(&mut world, Phase::Step, &["run", "busybox", "echo", "a b"], false);
    let log = world.run();
    let facts = log.facts("STEP.1");
    let (run, task) = (world.execution.to_string(), task_label(&world));
    let expected = [
        "docker",
        "run",
        "--label",
        &format!("referee.run={run}"),
        "--label",
        &format!("referee.task={task}"),
        "--cidfile",
        &facts.argv[7],
        "busybox",
        "echo",
        "a b",
    ];
    assert_eq!(facts.argv, expected);
    assert!(!fs::exists(&facts.argv[7]).unwrap() && facts.argv[7].starts_with("/tmp/"));
    assert_eq!(facts.ending, Ending::Exited { code: 3 });
    let inspected = ContainerFacts {
        id: ID.to_owned(),
        image: "busybox".to_owned(),
        image_digest: Some(format!("sha256:{IMAGE}")),
        state: "exited".to_owned(),
        exit_code: Some(3),
    };
    assert_eq!(facts.container, Some(inspected));
    assert_eq!(docker.asked()[1], facts.argv[1..].join(" "));
    assert_eq!(docker.subcommands(), ["ps", "run", "inspect", "rm", "ps"]);
    assert_eq!(log.text("STEP.1", Stream::Stdout), "started\n");
    assert!(messages(&log, "STEP.1").is_empty() && log.stopped().is_empty());
}

#[test]
fn only_what_starts_containers_is_changed() {
    for line in [&["build", "."][..], &["exec", "web", "true"], &["ps"], &["logs", "web"], &["inspect", "web"]] {
        let mut world = Fixture::new();
        let docker = Docker::new(&mut world);
        container(&mut world, Phase::Step, line, false);
        let log = world.run();
        assert_eq!(log.facts("STEP.1").argv[1..], *line);
        assert_eq!(log.facts("STEP.1").container, None);
        assert!(docker.asked().contains(&line.join(" ")));
    }
}

#[test]
fn a_container_that_stays_ends_after_cleanup_and_its_output_is_kept() {
    #[derive(Debug, PartialEq)]
    enum How {
        Plain,
        Failing,
        Interrupted,
    }
    for how in [How::Plain, How::Failing, How::Interrupted] {
        let mut world = Fixture::new();
        let docker = Docker::new(&mut world);
        docker.plays("inspect", &Docker::shown(ID, r#"{"Status":"running","ExitCode":0}"#, "{}"));
        docker.plays("logs", "echo served; echo aside >&2");
        docker.plays("stop", &format!("cp \"$dir/stopped\" \"$dir/on-inspect\"; echo {ID}"));
        docker.plays("exec", "exit 1");
        fs::write(format!("{}/stopped", docker.bin), Docker::shown(ID, r#"{"Status":"exited","ExitCode":137}"#, "{}"))
            .unwrap();
        container(&mut world, Phase::Prerequisite, &["run", "--detach", "busybox"], true);
        let (waits, there) = (world.path("waits"), world.path("there"));
        match how {
            How::Plain => world.argv(Phase::Step, &["true"]),
            How::Failing => world.argv(Phase::Step, &["false"]),
            How::Interrupted => world.tool(Phase::Step, &[&format!("write={waits}:x"), "sleep=60000"]),
        }
        .continue_on_failure = false;
        container(&mut world, Phase::Cleanup, &["exec", "web", "bye"], false);
        let mut asks = |cancellation: &Cancellation| {
            if fs::exists(&waits).unwrap() && !fs::exists(&there).unwrap() {
                fs::write(&there, "").unwrap();
                cancellation.request(SIGTERM);
            }
        };
        let log = world.run_with(&mut asks).unwrap();
        assert_eq!(log.ending != RunEnding::Finished, how == How::Interrupted);
        let facts = log.facts("PREREQ.1").container.as_ref().unwrap();
        assert_eq!((facts.state.as_str(), facts.exit_code), ("running", None));
        let [stopped] = log.stopped()[..] else { panic!("{how:?}: one container ended") };
        assert_eq!((stopped.action.as_str(), stopped.attempt), ("PREREQ.1", 1));
        assert_eq!((&stopped.ending, stopped.in_cleanup), (&Ending::Interrupted { killed: true }, true));
        assert!(stopped.leaked.is_empty() && stopped.notices.is_empty(), "{stopped:?}");
        let output = "PREREQ.1 container";
        assert_eq!(
            (log.text(output, Stream::Stdout), log.text(output, Stream::Stderr)),
            ("served\n".into(), "aside\n".into())
        );
        assert_eq!(stopped.log.as_ref().unwrap().bytes, 13);
        let after = ["ps", "run", "inspect", "exec", "inspect", "stop", "inspect", "logs", "rm", "ps"];
        assert_eq!(docker.subcommands(), after, "{how:?}");
        assert_eq!(docker.asked()[5], format!("stop --time 1 {ID}"));
        assert_eq!(docker.asked()[8], format!("rm --force --volumes {ID}"));
    }
}

#[test]
fn a_container_that_ended_by_itself_is_told_from_one_that_was_stopped() {
    let mut world = Fixture::new();
    let docker = Docker::new(&mut world);
    docker.plays("inspect", &Docker::shown(ID, r#"{"Status":"exited","ExitCode":7}"#, "{}"));
    container(&mut world, Phase::Step, &["run", "--detach", "busybox"], true);
    let log = world.run();
    assert_eq!(log.stopped()[0].ending, Ending::Exited { code: 7 });
    assert!(!docker.subcommands().contains(&"stop".to_owned()));
}

#[test]
fn a_container_goes_on_after_its_command_only_if_it_is_to_stay() {
    let mut world = Fixture::new();
    let docker = Docker::new(&mut world);
    docker.plays("inspect", &Docker::shown(ID, r#"{"Status":"running","ExitCode":0}"#, "{}"));
    docker.plays("run", &format!("printf %s {ID} > \"$cid\"; trap '' TERM; while :; do sleep 0.1; done"));
    docker.plays("stop", &format!("cp \"$dir/stopped\" \"$dir/on-inspect\"; echo {ID}"));
    fs::write(format!("{}/stopped", docker.bin), Docker::shown(ID, r#"{"Status":"exited","ExitCode":137}"#, "{}"))
        .unwrap();
    container(&mut world, Phase::Step, &["run", "busybox"], false).timeout_ms = 500;
    let log = world.run();
    let facts = log.facts("STEP.1");
    assert_eq!(facts.ending, Ending::DeadlineExceeded { timeout_ms: 500, of_task: false, killed: true });
    assert_eq!(facts.container.as_ref().unwrap().exit_code, Some(137));
    assert_eq!(docker.asked()[3], format!("stop --time 0 {ID}"));
}

#[test]
fn what_a_killed_run_left_behind_is_removed_once_and_nothing_else() {
    let mut world = Fixture::new();
    let docker = Docker::new(&mut world);
    let [ours, others, own, plain] = ["a", "b", "c", "d"].map(|letter| letter.repeat(64));
    let (run, task) = (world.execution.to_string(), task_label(&world));
    docker.plays(
        "ps",
        &format!("case $all in *referee.task*) echo {ours}; echo {others}; echo {own}; echo {plain};; esac"),
    );
    let labels = |run: &str, task: &str| format!(r#"{{"referee.run":"{run}","referee.task":"{task}"}}"#);
    let state = r#"{"Status":"running","ExitCode":0}"#;
    let shown: Vec<String> = [
        (&ours, labels("exec-dead", &task)),
        (&others, labels("exec-dead", "another")),
        (&own, labels(&run, &task)),
        (&plain, "null".to_owned()),
    ]
    .iter()
    .map(|(id, labels)| format!("*{id}) {};;", Docker::shown(id, state, labels)))
    .collect();
    let exited = Docker::shown(ID, r#"{"Status":"exited","ExitCode":0}"#, "{}");
    docker.plays("inspect", &format!("case $all in {} *) {exited};; esac", shown.join(" ")));
    container(&mut world, Phase::Step, &["run", "busybox"], false);
    container(&mut world, Phase::Step, &["run", "busybox"], false);
    let log = world.run();
    let removed: Vec<String> = docker.asked().into_iter().filter(|line| line.starts_with("rm ")).collect();
    let [first, ..] = &removed[..] else { panic!("{removed:?}") };
    assert_eq!(*first, format!("rm --force --volumes {ours}"));
    assert_eq!(removed[1..], [format!("rm --force --volumes {ID}"), format!("rm --force --volumes {ID}")]);
    assert_eq!(log.notices("STEP.1"), [NoticeCode::Container]);
    let message = &messages(&log, "STEP.1")[0];
    assert!(
        message.starts_with("a container that a run of this task had left behind (exec-dead) was removed"),
        "{message}"
    );
    assert!(log.notices("STEP.2").is_empty());
    assert_eq!(docker.subcommands().iter().filter(|word| *word == "ps").count(), 2);
}

#[test]
fn a_program_that_does_not_answer_is_asked_nothing_more() {
    let mut world = Fixture::new();
    let docker = Docker::new(&mut world);
    docker.plays("inspect", "trap '' TERM; while :; do sleep 1; done");
    container(&mut world, Phase::Step, &["run", "--detach", "busybox"], true);
    world.argv(Phase::Step, &["true"]);
    let log = world.run();
    assert_eq!(*log.ending("STEP.1"), Ending::Exited { code: 0 });
    assert_eq!(log.facts("STEP.1").container, None);
    let message = &messages(&log, "STEP.1")[0];
    assert!(message.ends_with("could not be inspected: the program did not answer in time"), "{message}");
    assert_eq!(docker.subcommands(), ["ps", "run", "inspect"]);
    let [stopped] = log.stopped()[..] else { panic!("one container was to stay") };
    assert!(stopped.notices.iter().any(|notice| notice.message.contains("could not be removed")), "{stopped:?}");
}

#[test]
fn a_service_that_cannot_be_reached_is_a_failed_command() {
    let mut world = Fixture::new();
    let docker = Docker::new(&mut world);
    for subcommand in ["run", "ps", "inspect", "rm"] {
        docker.plays(subcommand, "echo 'Cannot connect to the Docker daemon at unix:///x.' >&2; exit 125");
    }
    container(&mut world, Phase::Step, &["run", "busybox"], false);
    let log = world.run();
    assert_eq!(*log.ending("STEP.1"), Ending::Exited { code: 125 });
    assert_eq!(log.facts("STEP.1").container, None);
    let told = messages(&log, "STEP.1");
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].ends_with("docker: Cannot connect to the Docker daemon at unix:///x."), "{told:?}");
    assert_eq!(docker.subcommands(), ["ps", "run", "ps"]);
}

#[test]
fn a_missing_program_is_a_command_that_cannot_start() {
    for (program, expected) in [
        (ContainerProgram::Any, "neither docker nor podman is in PATH: install one of them"),
        (ContainerProgram::Podman, "`podman` was not found in PATH: install it, or correct its name"),
    ] {
        let mut world = Fixture::new();
        let nothing = world.path("nothing");
        world.host.environment = vec![("PATH".into(), nothing.into())];
        let action = container(&mut world, Phase::Step, &["run", "busybox"], false);
        let Invocation::Container(container) = &mut command_of(action).invocation else { unreachable!() };
        container.program = program;
        let log = world.run();
        let message = expected.to_owned();
        assert_eq!(*log.ending("STEP.1"), Ending::CouldNotStart { cause: StartFailure::NotFound, message });
    }
}

#[test]
fn a_program_that_is_not_the_pinned_one_is_asked_nothing() {
    let mut world = Fixture::new();
    let docker = Docker::new(&mut world);
    world.plan.guard.pins.insert("docker".to_owned(), Digest::from_bytes([1; 32]));
    container(&mut world, Phase::Step, &["run", "busybox"], false);
    let log = world.run();
    assert!(matches!(log.ending("STEP.1"), Ending::CouldNotStart { cause: StartFailure::NotPinned, .. }));
    assert!(docker.asked().is_empty());
}

#[test]
fn a_container_that_stays_and_is_gone_in_the_end_is_told_of() {
    let mut world = Fixture::new();
    let docker = Docker::new(&mut world);
    for subcommand in ["inspect", "rm"] {
        docker.plays(subcommand, "echo 'Error: No such container' >&2; exit 1");
    }
    container(&mut world, Phase::Step, &["run", "--detach", "busybox"], true);
    let log = world.run();
    let [stopped] = log.stopped()[..] else { panic!("one container was to stay") };
    let [notice] = &stopped.notices[..] else { panic!("{stopped:?}") };
    assert!(notice.message.contains("how it ended is not known: Error: No such container"), "{}", notice.message);
    assert_eq!(stopped.log, None);
}

#[test]
fn a_container_that_removes_itself_is_told_of() {
    let mut world = Fixture::new();
    let docker = Docker::new(&mut world);
    docker.plays("inspect", "echo 'Error: No such container' >&2; exit 1");
    docker.plays("rm", "echo 'Error: no such container' >&2; exit 1");
    container(&mut world, Phase::Step, &["run", "--rm", "busybox"], false);
    let log = world.run();
    assert!(log.facts("STEP.1").argv.contains(&"--rm".to_owned()));
    let message = &messages(&log, "STEP.1")[0];
    assert!(message.starts_with("with `--rm` the container was gone when it had ended"), "{message}");
    assert!(log.stopped().is_empty());
}

#[test]
fn an_answer_that_is_none_leaves_no_facts() {
    for answer in ["echo '[]'", "echo '[{\"Id\":1}]'", "head -c 9000000 /dev/zero", "exit 3"] {
        let mut world = Fixture::new();
        let docker = Docker::new(&mut world);
        docker.plays("inspect", answer);
        container(&mut world, Phase::Step, &["run", "busybox"], false);
        let log = world.run();
        assert_eq!((log.facts("STEP.1").container.clone(), log.notices("STEP.1")), (None, vec![NoticeCode::Container]));
    }
}

#[test]
fn a_name_is_free_again_for_another_attempt() {
    let mut world = Fixture::new();
    let docker = Docker::new(&mut world);
    docker.plays("run", &format!("printf %s {ID} > \"$cid\"; exit 1"));
    container(&mut world, Phase::Step, &["run", "--name", "web", "busybox"], false).retries = 1;
    world.run();
    assert_eq!(docker.subcommands(), ["ps", "run", "inspect", "rm", "run", "inspect", "rm", "ps"]);
}

#[test]
fn what_tells_no_id_is_found_by_its_label_and_removed() {
    let mut world = Fixture::new();
    let docker = Docker::new(&mut world);
    let run = world.execution.to_string();
    docker.plays("run", "kill -9 $$");
    docker.plays("ps", &format!("case $all in *referee.run={run}*) echo {ID};; esac"));
    let labels = format!(r#"{{"referee.run":"{run}"}}"#);
    docker.plays("inspect", &Docker::shown(ID, r#"{"Status":"running","ExitCode":0}"#, &labels));
    container(&mut world, Phase::Step, &["run", "busybox"], false);
    let log = world.run();
    assert_eq!(*log.ending("STEP.1"), Ending::Signaled { signal: 9 });
    assert_eq!(docker.asked().last().unwrap(), &format!("rm --force --volumes {ID}"));
}

#[test]
fn processes_of_a_container_are_no_leaks_and_do_not_outlive_it() {
    for jobs in [1, 2] {
        let mut world = Fixture::new();
        let docker = Docker::new(&mut world);
        let (pid, seen) = (world.path("pid"), world.path("seen"));
        let monitor = format!("echo $$ > {pid}.new; mv {pid}.new {pid}; while :; do sleep 0.1; done");
        docker.plays("inspect", &Docker::shown(ID, r#"{"Status":"running","ExitCode":0}"#, "{}"));
        docker.plays(
            "run",
            &format!(
                "printf %s {ID} > \"$cid\"\nenv -i /bin/sh -c 'setsid sh -c \"$0\" monitor {ID} >/dev/null 2>&1 &' '{monitor}'\n\
                 while ! [ -f {pid} ]; do sleep 0.01; done"
            ),
        );
        container(&mut world, Phase::Step, &["run", "--detach", "busybox"], true);
        world.tool(Phase::Step, &[&format!("wait={pid}"), &format!("wait={seen}")]);
        world.tool(Phase::Step, &[]);
        world.plan.step_order = StepOrder::Free;
        world.jobs = jobs;
        let mut lived = false;
        let log = world
            .run_with(&mut |_| {
                if docker.subcommands().contains(&"inspect".to_owned()) {
                    lived = is_alive(fs::read_to_string(&pid).unwrap().trim().parse().unwrap());
                    fs::write(&seen, "").unwrap();
                }
            })
            .unwrap();
        assert!(lived, "the container's process goes on while others run");
        for step in ["STEP.1", "STEP.2", "STEP.3"] {
            assert!(log.facts(step).leaked.is_empty() && log.notices(step).is_empty(), "{step}");
        }
        let pid: u32 = fs::read_to_string(&pid).unwrap().trim().parse().unwrap();
        assert!(!is_alive(pid));
        assert!(log.stopped()[0].leaked.iter().any(|process| process.pid == pid));
    }
}

#[test]
fn a_project_is_taken_down_only_if_the_run_brought_it_up() {
    for existing in [false, true] {
        let mut world = Fixture::new();
        let docker = Docker::new(&mut world);
        let found = if existing { ID } else { "" };
        docker.plays("compose", &format!("case $all in *' ps '*) echo {found};; *' logs '*) echo up;; esac"));
        container(&mut world, Phase::Step, &["compose", "-f", "a.yaml", "up", "--detach"], true);
        container(&mut world, Phase::Step, &["compose", "-f", "a.yaml", "run", "web"], false);
        let log = world.run();
        let asked: Vec<String> = docker.asked().into_iter().filter(|line| line.starts_with("compose")).collect();
        let labels = format!("--label referee.run={} --label referee.task={}", world.execution, task_label(&world));
        let mut expected = vec![
            "compose -f a.yaml ps --all --quiet".to_owned(),
            "compose -f a.yaml up --detach".to_owned(),
            format!("compose -f a.yaml run {labels} web"),
        ];
        if !existing {
            expected.push("compose -f a.yaml logs --no-color".to_owned());
            expected.push("compose -f a.yaml down --timeout 1".to_owned());
            assert_eq!(log.text("STEP.1 container", Stream::Stdout), "up\n");
        }
        assert_eq!(asked, expected);
        assert_eq!(log.notices("STEP.1").len(), usize::from(existing));
        assert_eq!(log.stopped().len(), usize::from(!existing));
    }
}
