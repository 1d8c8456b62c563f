//! `referee watch`: runs follow changes, and a signal ends it.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::support::{Workspace, program};

const WAITING: &str = "watch: waiting for changes";

/// A started watch, and the lines of its standard error as they come.
struct Watch {
    child: Child,
    lines: Receiver<String>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        // Where a test failed before it was interrupted.
        drop(self.child.kill());
    }
}

impl Watch {
    fn start(workspace: &Workspace, options: &[&str]) -> Self {
        // Whoever runs the tests may have these ignored, and then they would stay ignored.
        let mut child = workspace
            .tool("env")
            .args(["--default-signal=INT,TERM", program().to_str().unwrap(), "watch", "--interval", "50ms"])
            .args(options)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let (sender, lines) = channel();
        let errors = BufReader::new(child.stderr.take().unwrap());
        std::thread::spawn(move || errors.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { child, lines }
    }

    /// Waits for a line that begins so, and returns it. The bound only ends tests that would hang.
    #[track_caller]
    fn line(&self, beginning: &str) -> String {
        let mut before = Vec::new();
        loop {
            match self.lines.recv_timeout(Duration::from_mins(1)) {
                Ok(line) if line.starts_with(beginning) => return line,
                Ok(line) => before.push(line),
                Err(error) => panic!("{beginning}: {error}: {before:#?}"),
            }
        }
    }

    /// Interrupts it, and returns its exit code.
    fn interrupt(mut self) -> Option<i32> {
        kill_process(Pid::from_child(&self.child), Signal::INT).unwrap();
        self.child.wait().unwrap().code()
    }
}

#[test]
fn a_change_of_an_input_starts_a_sealed_run_and_a_signal_ends_with_the_last_verdict() {
    let workspace = Workspace::with("checks: { good: { run: 'test ! -e bad', role: other } }\noutputs: [made]\n");
    let watch = Watch::start(&workspace, &[]);
    assert!(watch.line("watch: run 1 at ").ends_with(": started"));
    watch.line(WAITING);
    let first = workspace.report("T001");
    assert_eq!(first["executionSummary"]["decision"], "PASS");

    // What is no input starts nothing: the next header is that of the input that changes after it.
    workspace.write("made", "1");
    workspace.write("bad", "");
    assert!(watch.line("watch: run ").starts_with("watch: run 2 at "));
    watch.line(WAITING);
    assert_ne!(workspace.report("T001")["executionSummary"]["decision"], "PASS");
    std::fs::remove_file(workspace.path("bad")).unwrap();
    assert!(watch.line("watch: run 3 at ").ends_with(": inputs changed"));
    watch.line(WAITING);
    assert_eq!(watch.interrupt(), Some(0));
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(0);
    assert_eq!(std::fs::read_dir(workspace.path("evidence/.history/T001")).unwrap().count(), 2);
}

#[test]
fn the_exit_code_is_that_of_the_last_verdict_also_of_a_run_that_is_interrupted() {
    let workspace = Workspace::with("checks: { bad: 'false' }\n");
    let watch = Watch::start(&workspace, &["-q"]);
    watch.line(WAITING);
    let code = workspace.referee(&["run", "-q"]).code;
    assert_eq!(watch.interrupt(), code);
    assert_ne!(code, Some(0));

    let workspace = Workspace::with("checks: { slow: 'touch made; sleep 600' }\noutputs: [made]\n");
    let watch = Watch::start(&workspace, &[]);
    crate::support::wait_until("the check has started", || workspace.path("made").exists());
    assert_eq!(watch.interrupt(), Some(130));
    assert_eq!(workspace.report("T001")["executionSummary"]["overallStatus"], "INTERRUPTED");
}

#[test]
fn a_change_during_a_run_starts_another_one_after_it() {
    let workspace = Workspace::with(
        "checks: { slow: 'touch made; while [ ! -e made2 ] && [ ! -e seen ]; do sleep 0.05; done' }\noutputs: ['made*']\n",
    );
    let watch = Watch::start(&workspace, &[]);
    watch.line("watch: run 1 at ");
    crate::support::wait_until("the check has started", || workspace.path("made").exists());
    workspace.write("seen", "");
    assert!(watch.line("watch: run 2 at ").ends_with(": inputs changed during the run"));
    watch.line(WAITING);
    watch.interrupt();
    assert_eq!(std::fs::read_dir(workspace.path("evidence/.history/T001")).unwrap().count(), 1);
}

#[test]
fn checks_that_write_their_own_inputs_do_not_run_for_ever() {
    let workspace = Workspace::with("checks: { restless: 'echo x >> log' }\n");
    let watch = Watch::start(&workspace, &[]);
    assert!(watch.line("note: inputs changed during each of the last runs").contains("`outputs`"));
    watch.line(WAITING);
    watch.interrupt();
    assert_eq!(std::fs::read_to_string(workspace.path("log")).unwrap(), "x\n".repeat(4));
}

#[test]
fn a_specification_is_an_input_whether_it_can_be_loaded_or_not() {
    let workspace = Workspace::with("checks: { a: 'true' }\n");
    let watch = Watch::start(&workspace, &[]);
    watch.line(WAITING);
    workspace.write("referee.yaml", "checks: [\n");
    watch.line("watch: run 2 at ");
    watch.line("error: ");
    watch.line(WAITING);
    workspace.write("referee.yaml", "checks: { a: 'true', b: 'true' }\n");
    watch.line("watch: run 3 at ");
    watch.line(WAITING);
    assert_eq!(watch.interrupt(), Some(0));

    // A command line that cannot be run is an error at once.
    let wrong = workspace.referee(&["watch", "--task", "T999"]).exits(2);
    assert!(wrong.stderr.contains("task not found: T999"), "{}", wrong.stderr);
}
