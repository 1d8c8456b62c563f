//! Processes that commands leave behind, however well they hide.

use std::fs;
use std::process::{Command, Stdio};

use referee_exec::sweep_orphans;
use referee_model::id::ExecutionId;
use referee_model::plan::Phase;
use referee_model::record::{Ending, NoticeCode, Stream};

use crate::world::{Fixture, IS_PORTABLE, eventually, gets_away, is_alive, marked, tool};

/// How a child is started, and whether it holds the output open.
const CHILDREN: [(&str, bool); 9] = [
    ("child=:", true),
    ("child=cleared:", true),
    ("child=closed:", false),
    ("child=closed:ignore-term;", false),
    ("child=:session;ignore-term;", true),
    ("child=detached:", true),
    ("child=detached,closed:", false),
    ("child=detached,cleared:ignore-term;", true),
    ("child=detached,closed,cleared:ignore-term;", false),
];

#[test]
fn what_outlives_its_command_is_listed_and_ended_and_changes_no_outcome() {
    for (child, held_output) in CHILDREN {
        if gets_away(child) {
            continue;
        }
        let mut world = Fixture::new();
        let pid = world.path("pid");
        let child = format!("{child}write={pid}:%p;sleep=60000");
        world.tool(Phase::Step, &[&child, &format!("wait={pid}"), "out=done", "exit=7"]);
        world.tool(Phase::Step, &["out=next"]);
        let log = world.run();
        let pid: u32 = fs::read_to_string(&pid).unwrap().parse().unwrap();
        let facts = log.facts("STEP.1");
        assert_eq!(facts.ending, Ending::Exited { code: 7 }, "{child}");
        assert_eq!(log.text("STEP.1", Stream::Stdout), "done", "{child}");
        assert_eq!(facts.leaked.len(), 1, "{child}: {:?}", facts.leaked);
        assert_eq!((facts.leaked[0].pid, facts.leaked[0].held_output), (pid, held_output && !IS_PORTABLE), "{child}");
        assert!(facts.leaked[0].command.contains("fake-tool"), "{child}");
        assert!(!is_alive(pid), "{child}");
        assert_eq!(log.notices("STEP.1"), [NoticeCode::LeakedProcess], "{child}");
        // The next command is not blamed for it.
        assert!(log.facts("STEP.2").leaked.is_empty() && log.notices("STEP.2").is_empty(), "{child}");
    }
}

/// Leaves a process behind whose first thread has ended, and whose second keeps running.
const HEADLESS: &str = "
import ctypes, os, sys, threading, time
def go_on():
    open(sys.argv[1], 'w').write(str(os.getpid()))
    time.sleep(60)
if os.fork() == 0:
    os.setsid()
    nothing = os.open('/dev/null', os.O_RDWR)
    for stream in (0, 1, 2): os.dup2(nothing, stream)
    threading.Thread(target=go_on).start()
    ctypes.CDLL(None).syscall(60, 0)
while not os.path.exists(sys.argv[1]) or not open(sys.argv[1]).read(): time.sleep(0.002)
";

#[test]
fn what_lives_on_without_its_first_thread_is_ended_too() {
    if IS_PORTABLE
        || !cfg!(target_arch = "x86_64")
        || Command::new("/usr/bin/python3").arg("--version").output().is_err()
    {
        println!(
            "skipped: no python3 here that can end its first thread, or such a process is not told from an ended one"
        );
        return;
    }
    let mut world = Fixture::new();
    let pid = world.path("pid");
    world.argv(Phase::Step, &["/usr/bin/python3", "-c", HEADLESS, &pid]);
    let log = world.run();
    let pid: u32 = fs::read_to_string(&pid).unwrap().parse().unwrap();
    let leaked: Vec<u32> = log.facts("STEP.1").leaked.iter().map(|process| process.pid).collect();
    assert_eq!((leaked, log.ending("STEP.1")), (vec![pid], &Ending::Exited { code: 0 }));
    eventually("it is gone", || !is_alive(pid));
}

#[test]
fn at_the_deadline_the_whole_tree_ends() {
    for (child, _) in CHILDREN {
        if gets_away(child) {
            continue;
        }
        let mut world = Fixture::new();
        let pid = world.path("pid");
        let child = format!("{child}write={pid}:%p;sleep=60000");
        world.tool(Phase::Step, &[&child, "sleep=60000"]).timeout_ms = 1_000;
        let log = world.run();
        let pid: u32 = fs::read_to_string(&pid).unwrap().parse().unwrap();
        let facts = log.facts("STEP.1");
        let killed = child.contains("ignore-term");
        assert_eq!(facts.ending, Ending::DeadlineExceeded { timeout_ms: 1_000, of_task: false, killed }, "{child}");
        assert!(facts.leaked.is_empty() && !is_alive(pid), "{child}");
    }
}

#[test]
fn a_child_that_ends_by_itself_soon_after_its_command_is_no_leak() {
    let mut world = Fixture::new();
    world.tool(Phase::Step, &["child=:out=late"]);
    world.tool(Phase::Step, &["child=detached,closed:sleep=1"]);
    let log = world.run();
    assert_eq!(log.text("STEP.1", Stream::Stdout), "late");
    assert!(log.records().iter().all(|record| record.notices.is_empty()));
}

#[test]
fn output_that_somebody_outside_the_tree_holds_open_is_waited_for_only_shortly() {
    let mut world = Fixture::new();
    let (pid, held) = (world.path("pid"), world.path("held"));
    world.tool(Phase::Step, &[&format!("write={pid}:%p"), &format!("wait={held}"), "out=all of it", "exit=5"]);
    let mut end = None;
    let log = world
        .run_with(&mut |_| {
            if let (None, Ok(pid)) = (&end, fs::read_to_string(&pid)) {
                end = Some(fs::File::options().append(true).open(format!("/proc/{pid}/fd/1")).unwrap());
                fs::write(&held, "").unwrap();
            }
        })
        .unwrap();
    assert!(end.is_some());
    assert_eq!(*log.ending("STEP.1"), Ending::Exited { code: 5 });
    assert_eq!(log.text("STEP.1", Stream::Stdout), "all of it");
    assert!(log.facts("STEP.1").leaked.is_empty());
}

#[test]
fn what_carries_the_marker_of_a_run_inside_the_run_is_ended_too() {
    if IS_PORTABLE {
        println!("skipped: orphans are not adopted");
        return;
    }
    let mut world = Fixture::new();
    let pid = world.path("pid");
    let tool = tool();
    let line = format!(
        "REFEREE_EXECUTION=exec-inner REFEREE_ACTION=STEP.1 {tool} 'child=detached,closed:write={pid}:%p;sleep=60000'; \
         {tool} wait={pid}"
    );
    world.line(&line, true);
    let log = world.run();
    let pid: u32 = fs::read_to_string(&pid).unwrap().parse().unwrap();
    assert_eq!(log.facts("STEP.1").leaked.len(), 1);
    assert!(!is_alive(pid));
}

#[test]
fn what_a_dead_engine_left_behind_is_found_by_its_marker_and_ended() {
    let world = Fixture::new();
    let execution = ExecutionId::parse(format!("{}-dead", world.execution)).unwrap();
    for script in ["", "ignore-term;"] {
        let pid = world.path("pid");
        let mut engine = Command::new(tool());
        engine.arg(format!("child=detached,closed:{script}write={pid}:%p;sleep=60000")).stdin(Stdio::null());
        engine.env("REFEREE_EXECUTION", execution.as_str()).env("REFEREE_ACTION", "STEP.1");
        assert!(engine.status().unwrap().success());
        eventually("the orphan runs", || fs::exists(&pid).unwrap());
        let orphan: u32 = fs::read_to_string(&pid).unwrap().parse().unwrap();
        fs::remove_file(&pid).unwrap();

        assert!(sweep_orphans(&world.execution).is_empty());
        assert!(marked(&execution).contains(&orphan));
        let swept = sweep_orphans(&execution);
        assert_eq!(swept.iter().map(|process| process.pid).collect::<Vec<_>>(), [orphan]);
        assert!(marked(&execution).is_empty());
    }
    assert!(sweep_orphans(&execution).is_empty());
}
