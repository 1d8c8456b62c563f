//! Commands have no terminal, wherever the run was started; and exit codes are known even if children are
//! ignored.

use std::process::{Command, Stdio};

use referee_model::plan::Phase;
use referee_model::record::{Ending, NoticeCode, Stream};

use crate::world::Fixture;

/// Runs one of this program's tests through a shell line in which `{}` stands for it.
pub(crate) fn run_probe(probe: &str, line: &str) {
    let own = std::env::current_exe().unwrap();
    let own = format!("{} --ignored --exact {probe}", own.display());
    let run = Command::new("sh").args(["-c", &line.replace("{}", &own)]).stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success() && text.contains("1 passed"), "{text}\n{}", String::from_utf8_lossy(&run.stderr));
}

#[test]
fn a_command_cannot_open_the_terminal_that_the_run_was_started_at() {
    if Command::new("script").arg("--version").stdout(Stdio::null()).status().is_err() {
        println!("skipped: no script(1) to make a terminal");
        return;
    }
    run_probe("terminal::probe_at_a_terminal", "script -qec '{}' /dev/null");
}

#[test]
#[ignore = "needs a terminal: it is run at one by the test above"]
fn probe_at_a_terminal() {
    for (controlling_terminal, answer) in [(false, "tty: opened\n"), (true, "")] {
        let mut world = Fixture::new();
        world.host.controlling_terminal = controlling_terminal;
        world.tool(Phase::Step, &["tty", "exit=1"]);
        let log = world.run();
        // Without the shim the terminal is accessible, so it is the shim that removes it.
        assert_eq!(log.text("STEP.1", Stream::Stdout), answer);
        let wanted: &[NoticeCode] = if controlling_terminal { &[NoticeCode::WantedTerminal] } else { &[] };
        assert_eq!(log.notices("STEP.1"), wanted);
    }
}

#[test]
fn exit_codes_are_known_even_where_this_process_was_told_to_ignore_its_children() {
    if !Command::new("env").args(["--ignore-signal=CHLD", "true"]).status().is_ok_and(|status| status.success()) {
        println!("skipped: no env(1) that can ignore a signal");
        return;
    }
    // A process that ignores its children cannot build the tool.
    referee_testkit::fake_tool();
    run_probe("terminal::probe_ignoring_children", "exec env --ignore-signal=CHLD {}");
}

#[test]
#[ignore = "needs an ignored SIGCHLD: it is run with one by the test above"]
fn probe_ignoring_children() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    assert_ne!(u64::from_str_radix(mask.trim(), 16).unwrap() & (1 << 16), 0, "this process ignores SIGCHLD");
    let mut world = Fixture::new();
    world.tool(Phase::Step, &["exit=3"]);
    assert_eq!(*world.run().ending("STEP.1"), Ending::Exited { code: 3 });
}
