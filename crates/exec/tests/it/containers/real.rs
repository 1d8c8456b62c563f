//! Containers that podman runs, from an image that holds busybox.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;

use referee_exec::sandbox::{Kernel, Sandbox, probe};
use referee_exec::{Cancellation, Confines};
use referee_model::id::ExecutionId;
use referee_model::plan::{Phase, StepOrder};
use referee_model::record::{Ending, NoticeCode, RunEnding, Stream};
use tempfile::TempDir;

use super::{container, messages, prefer};
use crate::world::{Fixture, eventually};

/// Number of SIGTERM.
const SIGTERM: i32 = 15;

/// Variable with podman's directory, for a run that is killed.
const DIRECTORY: &str = "REFEREE_TEST_PODMAN";

/// What a machine that is a container itself needs.
const OPTIONS: [&str; 7] = [
    "--cgroups=disabled",
    "--network=host",
    "--ulimit",
    "nofile=1024:1024",
    "--ulimit",
    "nproc=1000:1000",
    "--log-driver=k8s-file",
];

/// podman with storage of its own.
struct Podman {
    directory: TempDir,
}

impl Podman {
    /// Installs podman for a fixture. None, with a message: it is not there, or may not run here.
    fn new(world: &mut Fixture) -> Option<Self> {
        let is_there = |name: &str| ["/usr/bin", "/bin"].iter().any(|bin| Path::new(bin).join(name).exists());
        let may = || Command::new("unshare").args(["-m", "true"]).output().is_ok_and(|output| output.status.success());
        if !(is_there("podman") && is_there("busybox") && may()) {
            std::io::stderr().write_all(b"skipped: no podman\n").unwrap();
            return None;
        }
        let podman = Self { directory: tempfile::tempdir().unwrap() };
        let (bin, root) = (podman.path("bin"), podman.path("rootfs/bin"));
        fs::create_dir_all(&bin).unwrap();
        fs::create_dir_all(&root).unwrap();
        let store = podman.directory.path().display();
        let script = format!(
            "#!/bin/sh\nexec unshare -m sh -c '\nmount --make-rprivate /\numount -R /sys/fs/cgroup 2>/dev/null\n\
             mount -t cgroup2 none /sys/fs/cgroup\nexec /usr/bin/podman --root {store}/root --runroot {store}/runroot \
             --tmpdir {store}/run --storage-driver vfs --cgroup-manager=cgroupfs \"$@\"' podman \"$@\"\n"
        );
        fs::write(format!("{bin}/podman"), script).unwrap();
        fs::set_permissions(format!("{bin}/podman"), fs::Permissions::from_mode(0o755)).unwrap();
        // A docker that is installed, too, is not what is tried here.
        prefer(world, &bin);
        let busybox = ["/usr/bin/busybox", "/bin/busybox"].into_iter().find(|path| Path::new(path).exists()).unwrap();
        fs::copy(busybox, format!("{root}/busybox")).unwrap();
        for name in ["sh", "sleep", "echo"] {
            std::os::unix::fs::symlink("busybox", format!("{root}/{name}")).unwrap();
        }
        let archive = podman.path("image.tar");
        let made = Command::new("tar").args(["-C", &podman.path("rootfs"), "-cf", &archive, "."]).status().unwrap();
        assert!(made.success());
        podman.succeeds(&["import", &archive, "box"]);
        Some(podman)
    }

    fn path(&self, name: &str) -> String {
        self.directory.path().join(name).to_str().unwrap().to_owned()
    }

    fn run(&self, words: &[&str]) -> Output {
        Command::new(self.path("bin/podman")).args(words).output().unwrap()
    }

    fn succeeds(&self, words: &[&str]) -> String {
        let output = self.run(words);
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Returns the names of all containers.
    fn names(&self) -> Vec<String> {
        let names = self.succeeds(&["ps", "--all", "--format", "{{.Names}}"]);
        let mut names: Vec<String> = names.lines().map(str::to_owned).collect();
        names.sort();
        names
    }
}

impl Drop for Podman {
    /// Removes what a test leaves, also where it fails.
    fn drop(&mut self) {
        self.run(&["kill", "--all"]);
        self.run(&["rm", "--force", "--all"]);
    }
}

/// Returns the words of a `run`.
fn run<'a>(options: &[&'a str], command: &[&'a str]) -> Vec<&'a str> {
    [&["run"][..], &OPTIONS, options, &["box"], command].concat()
}

fn use_podman(world: &mut Fixture) {
    for action in &mut world.plan.actions {
        if let referee_model::plan::Work::Command(command) = &mut action.work
            && let referee_model::plan::Invocation::Container(container) = &mut command.invocation
        {
            container.program = referee_model::plan::ContainerProgram::Podman;
        }
    }
}

#[test]
fn a_container_runs_and_is_recorded_with_its_image_and_exit_code() {
    let mut world = Fixture::new();
    let Some(podman) = Podman::new(&mut world) else { return };
    container(&mut world, Phase::Step, &run(&[], &["sh", "-c", "echo hello; echo aside >&2; exit 3"]), false);
    container(&mut world, Phase::Step, &["ps"], false);
    use_podman(&mut world);
    let log = world.run();
    let facts = log.facts("STEP.1");
    assert_eq!(facts.ending, Ending::Exited { code: 3 }, "{}", log.text("STEP.1", Stream::Stderr));
    assert_eq!(log.text("STEP.1", Stream::Stdout), "hello\n");
    let inspected = facts.container.as_ref().expect("the container is inspected");
    assert_eq!((inspected.state.as_str(), inspected.exit_code), ("exited", Some(3)));
    let image = podman.succeeds(&["image", "inspect", "--format", "{{.Id}}", "box"]);
    assert_eq!(inspected.image_digest.as_deref(), Some(format!("sha256:{}", image.trim()).as_str()));
    assert!(inspected.image.contains("box"));
    for step in ["STEP.1", "STEP.2"] {
        assert!(log.facts(step).leaked.is_empty() && log.notices(step).is_empty(), "{:?}", log.record(step));
    }
    assert_eq!(podman.names(), Vec::<String>::new());
}

#[test]
fn a_container_that_stays_serves_later_steps_and_ends_whatever_it_does() {
    for jobs in [1, 2] {
        let mut world = Fixture::new();
        let Some(podman) = Podman::new(&mut world) else { return };
        let script = "trap '' TERM; echo up; while :; do sleep 1; done";
        container(&mut world, Phase::Prerequisite, &run(&["--detach", "--name", "web"], &["sh", "-c", script]), true);
        container(&mut world, Phase::Step, &["exec", "web", "echo", "inside"], false);
        world.tool(Phase::Step, &["sleep=500"]);
        container(&mut world, Phase::Cleanup, &["logs", "web"], false);
        use_podman(&mut world);
        (world.jobs, world.plan.step_order) = (jobs, StepOrder::Free);
        let log = world.run();
        for action in ["PREREQ.1", "STEP.1", "STEP.2", "CLEANUP.1"] {
            let facts = log.facts(action);
            assert_eq!(facts.ending, Ending::Exited { code: 0 }, "{action}");
            assert!(facts.leaked.is_empty() && log.notices(action).is_empty(), "{:?}", log.record(action));
        }
        assert_eq!(log.text("STEP.1", Stream::Stdout), "inside\n");
        assert_eq!(log.text("CLEANUP.1", Stream::Stdout), "up\n");
        assert_eq!(log.facts("PREREQ.1").container.as_ref().unwrap().state, "running");
        let [stopped] = log.stopped()[..] else { panic!("one container was to stay") };
        assert_eq!(stopped.ending, Ending::Interrupted { killed: true });
        assert!(stopped.leaked.is_empty() && stopped.notices.is_empty(), "{stopped:?}");
        assert_eq!(log.text("PREREQ.1 container", Stream::Stdout), "up\n");
        assert_eq!(podman.names(), Vec::<String>::new());
    }
}

#[test]
fn a_container_beyond_its_deadline_ends_with_its_command() {
    let mut world = Fixture::new();
    let Some(podman) = Podman::new(&mut world) else { return };
    let script = "trap '' TERM; echo up; while :; do sleep 1; done";
    container(&mut world, Phase::Step, &run(&["--name", "deaf"], &["sh", "-c", script]), false).timeout_ms = 2_000;
    container(&mut world, Phase::Step, &["ps", "--format", "{{.Names}}"], false);
    use_podman(&mut world);
    let log = world.run();
    let facts = log.facts("STEP.1");
    assert_eq!(facts.ending, Ending::DeadlineExceeded { timeout_ms: 2_000, of_task: false, killed: true });
    let inspected = facts.container.as_ref().expect("the container is inspected");
    assert_eq!((inspected.state.as_str(), inspected.exit_code), ("exited", Some(137)));
    assert_eq!(log.text("STEP.2", Stream::Stdout), "", "it does not run on");
    assert!(log.notices("STEP.1").is_empty(), "{:?}", messages(&log, "STEP.1"));
    assert_eq!(podman.names(), Vec::<String>::new());
}

#[test]
fn an_interrupted_run_leaves_no_container() {
    let mut world = Fixture::new();
    let Some(podman) = Podman::new(&mut world) else { return };
    container(&mut world, Phase::Prerequisite, &run(&["--detach"], &["sleep", "600"]), true);
    container(&mut world, Phase::Step, &run(&[], &["sh", "-c", "echo up; exec sleep 600"]), false);
    use_podman(&mut world);
    let mut asked = false;
    let log = world
        .run_with(&mut |cancellation: &Cancellation| {
            let is_up = || podman.succeeds(&["ps", "--quiet"]).lines().count() == 2;
            if !asked && is_up() {
                asked = true;
                cancellation.request(SIGTERM);
            }
        })
        .unwrap();
    assert_eq!(log.ending, RunEnding::Interrupted { signal: SIGTERM });
    assert!(matches!(log.ending("STEP.1"), Ending::Interrupted { .. }), "{:?}", log.ending("STEP.1"));
    assert_eq!(podman.names(), Vec::<String>::new());
}

#[test]
fn containers_of_a_killed_run_are_removed_and_those_of_others_are_not() {
    let mut world = Fixture::new();
    let Some(podman) = Podman::new(&mut world) else { return };
    world.plan.evidence_root = podman.path("evidence").into();
    let options =
        ["--detach", "--name", "others", "--label", "referee.run=exec-dead", "--label", "referee.task=another"];
    podman.succeeds(&run(&options, &["sleep", "600"]));
    podman.succeeds(&run(&["--detach", "--name", "plain"], &["sleep", "600"]));
    let mut killed = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "containers::real::probe_that_is_killed"])
        .env(DIRECTORY, podman.directory.path())
        .spawn()
        .unwrap();
    eventually("the run has got to its step", || fs::exists(podman.path("waits")).unwrap());
    killed.kill().unwrap();
    killed.wait().unwrap();
    let killed = ExecutionId::parse(fs::read_to_string(podman.path("execution")).unwrap()).unwrap();
    referee_exec::sweep_orphans(&killed);
    assert_eq!(podman.succeeds(&["ps", "--quiet"]).lines().count(), 3, "all of them run");
    container(&mut world, Phase::Step, &run(&["--name", "left"], &["echo", "hello"]), false);
    use_podman(&mut world);
    let log = world.run();
    assert_eq!(log.text("STEP.1", Stream::Stdout), "hello\n", "its name is free");
    let [message] = &messages(&log, "STEP.1")[..] else { panic!("{:?}", messages(&log, "STEP.1")) };
    assert!(message.contains(&format!("({killed}) was removed")), "{message}");
    assert_eq!(podman.names(), ["others", "plain"]);
    assert_eq!(podman.succeeds(&["ps", "--quiet"]).lines().count(), 2, "they still run");
}

#[test]
#[ignore = "needs podman's directory: it is run with one, and killed, by the test above"]
fn probe_that_is_killed() {
    let directory = Path::new(&std::env::var_os(DIRECTORY).unwrap()).to_owned();
    let path = |name: &str| directory.join(name).to_str().unwrap().to_owned();
    let mut world = Fixture::new();
    prefer(&mut world, &path("bin"));
    world.plan.evidence_root = path("evidence").into();
    // A killed run leaves the file with the container's id.
    world.plan.environment.insert("TMPDIR".to_owned(), path(""));
    fs::write(path("execution"), world.execution.as_str()).unwrap();
    container(&mut world, Phase::Prerequisite, &run(&["--detach", "--name", "left"], &["sleep", "600"]), true);
    world.tool(Phase::Step, &[&format!("write={}:x", path("waits")), "sleep=600000"]);
    use_podman(&mut world);
    world.run();
}

/// Confines a run to its workspace and a temporary directory. None: this kernel cannot.
fn confine(world: &mut Fixture, is_required: bool) -> Option<tempfile::TempDir> {
    let Kernel::Landlock { abi } = probe() else {
        std::io::stderr().write_all(b"skipped: this kernel has no Landlock\n").unwrap();
        return None;
    };
    let directory = tempfile::tempdir().unwrap();
    let temporary = directory.path().canonicalize().unwrap();
    let workspace = fs::canonicalize(&world.plan.workspace).unwrap();
    let sandbox = Sandbox { abi, writable: vec![workspace, temporary.clone()], temporary, is_required };
    world.host.confines = Confines { sandbox: Some(Arc::new(sandbox)), groups: None, home: None };
    Some(directory)
}

#[test]
fn podman_is_not_started_where_nothing_may_run_outside_of_the_sandbox() {
    let mut world = Fixture::new();
    let Some(podman) = Podman::new(&mut world) else { return };
    let Some(_temporary) = confine(&mut world, true) else { return };
    container(&mut world, Phase::Step, &run(&[], &["echo", "hello"]), false);
    use_podman(&mut world);
    let log = world.run();
    let ending = log.ending("STEP.1");
    let Ending::CouldNotStart { message, .. } = ending else { panic!("{ending:?}") };
    assert!(message.contains("`--sandbox=require` forbids that"), "{message}");
    assert_eq!(podman.names(), Vec::<String>::new());
}

#[test]
fn podman_runs_outside_of_a_sandbox_and_says_so() {
    let mut world = Fixture::new();
    let Some(podman) = Podman::new(&mut world) else { return };
    let Some(_temporary) = confine(&mut world, false) else { return };
    container(&mut world, Phase::Step, &run(&[], &["echo", "hello"]), false);
    use_podman(&mut world);
    let log = world.run();
    assert_eq!(*log.ending("STEP.1"), Ending::Exited { code: 0 }, "{}", log.text("STEP.1", Stream::Stderr));
    assert_eq!(log.notices("STEP.1"), [NoticeCode::Container]);
    assert!(messages(&log, "STEP.1")[0].contains("ran outside of the sandbox"));
    assert_eq!(podman.names(), Vec::<String>::new());
}
