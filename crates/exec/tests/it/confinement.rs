//! Capabilities and limits of confined commands, and the fate of those that exceed their limits.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use referee_exec::sandbox::{Kernel, Sandbox, probe};
use referee_exec::{Confines, ControlGroups};
use referee_model::plan::Phase;
use referee_model::plan::guard::Limits;
use referee_model::record::{Ending, Stream};

use crate::world::{Fixture, is_alive};

/// Confines a fixture to its workspace and a temporary directory. None, with a message: the kernel does not
/// support it.
fn confined(world: &mut Fixture) -> Option<tempfile::TempDir> {
    let Kernel::Landlock { abi } = probe() else {
        std::io::stderr().write_all(b"skipped: this kernel has no Landlock\n").unwrap();
        return None;
    };
    let temporary = tempfile::tempdir().unwrap();
    let workspace = fs::canonicalize(&world.plan.workspace).unwrap();
    let sandbox = Sandbox {
        abi,
        writable: vec![workspace, temporary.path().canonicalize().unwrap()],
        temporary: temporary.path().canonicalize().unwrap(),
        is_required: false,
    };
    world.host.confines = Confines { sandbox: Some(Arc::new(sandbox)), groups: None, home: None };
    Some(temporary)
}

fn sh(world: &mut Fixture, script: &str) {
    world.argv(Phase::Step, &["sh", "-c", script]);
}

#[test]
fn a_confined_command_writes_to_the_workspace_and_its_temporary_directory_and_nowhere_else() {
    let mut world = Fixture::new();
    let Some(_temporary) = confined(&mut world) else { return };
    let outside = tempfile::tempdir().unwrap();
    let kept = outside.path().join("kept");
    fs::write(&kept, "kept").unwrap();
    let kept = kept.to_str().unwrap().to_owned();
    for may in [
        "echo a > new && mkdir -p deep/er && mv new deep/er/new && rm -r deep",
        "echo a > \"$TMPDIR/file\" && test \"$TMPDIR\" = \"$TMP\" && test \"$TMPDIR\" = \"$TEMP\"",
        "echo a > /dev/null && cat /etc/passwd > /dev/null && ls / > /dev/null",
        "mkfifo pipe && ln -s nowhere link && (sleep 1 & kill $!)",
        "echo a > /dev/stderr",
    ] {
        sh(&mut world, may);
    }
    let may_not = [
        format!("echo a > {kept}"),
        format!("echo a >> {kept}"),
        format!("rm {kept}"),
        format!("mv {kept} {kept}2"),
        format!("touch {kept}-new"),
        format!("mkdir {kept}-folder"),
        format!("ln -s {kept} way-out && echo a > way-out"),
        format!("ln {kept} hard && echo a > hard"),
        format!("cp /bin/true own && mv own {kept}-own"),
        format!("sh -c 'setsid sh -c \"echo a > {kept}\"'"),
        format!("test -w /tmp && python3 -c \"import os; os.truncate('{kept}', 0)\""),
        format!("kill -0 {}", std::process::id()),
        format!("kill -KILL {}", std::process::id()),
        format!("echo 1 > /proc/{}/oom_score_adj", std::process::id()),
    ];
    for script in &may_not {
        sh(&mut world, script);
    }
    let log = world.run();
    for step in 1..=5 {
        let id = format!("STEP.{step}");
        assert_eq!(log.ending(&id), &Ending::Exited { code: 0 }, "{id}: {}", log.text(&id, Stream::Stderr));
    }
    for (number, script) in (6..).zip(&may_not) {
        let ending = log.ending(&format!("STEP.{number}"));
        assert!(matches!(ending, Ending::Exited { code } if *code != 0), "{script}: {ending:?}");
    }
    assert_eq!(fs::read_to_string(&kept).unwrap(), "kept");
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
}

#[test]
fn a_command_that_cannot_be_confined_is_not_started() {
    let mut world = Fixture::new();
    let Some(temporary) = confined(&mut world) else { return };
    let sandbox = Sandbox {
        abi: 3,
        writable: vec![PathBuf::from("/no/such/folder")],
        temporary: temporary.path().to_owned(),
        is_required: false,
    };
    world.host.confines.sandbox = Some(Arc::new(sandbox));
    sh(&mut world, "echo ran > ran");
    let ran = world.path("ran");
    let log = world.run();
    let Ending::CouldNotStart { message, .. } = log.ending("STEP.1") else { panic!("{:?}", log.ending("STEP.1")) };
    assert!(message.contains("could not be confined") && message.contains("/no/such/folder"), "{message}");
    assert!(!fs::exists(ran).unwrap());
}

#[test]
fn what_the_loader_acts_on_reaches_the_command_and_not_what_confines_it() {
    let mut world = Fixture::new();
    let Some(_temporary) = confined(&mut world) else { return };
    world.plan.environment.insert("LD_LIBRARY_PATH".to_owned(), "/odd=place".to_owned());
    sh(&mut world, "echo $LD_LIBRARY_PATH");
    assert_eq!(world.run().text("STEP.1", Stream::Stdout), "/odd=place\n");
}

/// Runs scripts within limits, with and without control groups if there are any, and checks how each ended.
fn limited(limits: Limits, script: &str, check: impl Fn(&Fixture, &Ending)) {
    for with_groups in [false, true] {
        let mut world = Fixture::new();
        world.plan.guard.limits = limits;
        if with_groups {
            let Some(groups) = ControlGroups::find(&world.execution, &limits) else {
                std::io::stderr().write_all(b"skipped: no control group can be made here\n").unwrap();
                return;
            };
            world.host.confines.groups = Some(Arc::new(groups));
        }
        sh(&mut world, script);
        let log = world.run();
        check(&world, log.ending("STEP.1"));
    }
}

#[test]
fn a_command_that_forks_without_end_is_ended_with_all_of_it() {
    let limits = Limits { processes: Some(50), ..Limits::default() };
    let script = "i=0; while [ $i -lt 300 ]; do sleep 600 & echo $! >> pids; i=$((i+1)); done; wait";
    limited(limits, script, |world, ending| {
        assert_eq!(ending, &Ending::ProcessLimitExceeded { limit: 50 });
        let pids = fs::read_to_string(world.path("pids")).unwrap();
        let alive: Vec<u32> = pids.lines().map(|pid| pid.parse().unwrap()).filter(|pid| is_alive(*pid)).collect();
        assert!(alive.is_empty(), "{alive:?}");
    });
}

#[test]
fn a_command_that_takes_too_much_memory_is_ended() {
    let limits = Limits { memory_bytes: Some(200 << 20), ..Limits::default() };
    let script = "exec python3 -c 'import time; held = bytearray(1 << 30); time.sleep(600)'";
    limited(limits, script, |_, ending| {
        assert_eq!(ending, &Ending::MemoryLimitExceeded { limit_bytes: 200 << 20 });
    });
}

#[test]
fn a_command_within_its_limits_is_left_alone() {
    let limits = Limits { processes: Some(50), memory_bytes: Some(1 << 30), output_bytes: Some(100) };
    limited(limits, "sleep 0.5 & sleep 0.5 & wait; echo done", |_, ending| {
        assert_eq!(ending, &Ending::Exited { code: 0 });
    });
}

#[test]
fn a_lower_bound_on_output_holds() {
    let limits = Limits { output_bytes: Some(100), ..Limits::default() };
    limited(limits, "head -c 101 /dev/zero", |_, ending| {
        assert_eq!(ending, &Ending::OutputLimitExceeded { limit_bytes: 100 });
    });
}
