//! The program while the system's clock is set: a step of the clock is neither a failure nor a deadline, what was recorded
//! stays whole, and the next run works at the right time.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Finished, Workspace, action, finish, skipped};

const SPECIFICATION: &str = "checks:
  first: 'sleep 0.1; echo first'
  work: { run: 'cat work.txt && grep -q good work.txt', timeout: 20s }
  last: 'sleep 0.1; echo last'
";

/// Steps the clock of the calendar by so many seconds when it was read so many times. The monotonic clock goes on.
const SHIM: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
static int reads;
int clock_gettime(clockid_t id, struct timespec *now) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(id, now);
    if (result == 0 && id == CLOCK_REALTIME && __sync_add_and_fetch(&reads, 1) > atoi(getenv("STEP_AFTER")))
        now->tv_sec += atol(getenv("STEP_SECONDS"));
    return result;
}
"#;

const HOUR: i64 = 3_600;
const YEAR: i64 = 365 * 24 * HOUR;

/// Builds the shim, where there is a compiler.
fn shim(directory: &Path) -> Option<PathBuf> {
    let (source, library) = (directory.join("clock.c"), directory.join("clock.so"));
    std::fs::write(&source, SHIM).unwrap();
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(&source).arg("-ldl");
    match compiler.status() {
        Ok(status) => {
            assert!(status.success(), "the shim is not compiled");
            Some(library)
        }
        Err(_) => None,
    }
}

struct Step {
    /// How many times the clock is read before.
    after: u32,
    seconds: i64,
}

fn stepped(workspace: &Workspace, shim: &Path, step: &Step, arguments: &[&str]) -> Finished {
    let mut command = workspace.command(arguments);
    command.env("LD_PRELOAD", shim);
    command.env("STEP_AFTER", step.after.to_string()).env("STEP_SECONDS", step.seconds.to_string());
    finish(command.spawn().unwrap())
}

#[test]
fn a_clock_that_is_set_while_checks_run_changes_no_verdict_and_spoils_no_evidence() {
    let tools = tempfile::tempdir().unwrap();
    let Some(shim) = shim(tools.path()) else {
        skipped("no cc");
        return;
    };
    for seconds in [-10 * YEAR, -HOUR, HOUR, 10 * YEAR] {
        for after in [0, 3, 10, 30] {
            let step = Step { after, seconds };
            let workspace = Workspace::with(SPECIFICATION).file("work.txt", "good\n");
            let at = format!("{seconds} s after {after} reads");
            let run = stepped(&workspace, &shim, &step, &["run"]);
            assert_eq!(run.code, Some(0), "{at}\n{}\n{}", run.stdout, run.stderr);
            let report = workspace.report("T001");
            for id in ["STEP.1", "STEP.2", "STEP.3"] {
                let duration = action(&report, id)["duration"].as_u64().unwrap();
                assert!(duration < 20_000, "{at}: a step is no time that passed: {duration} ms");
            }
            let verify = ["evidence", "verify", "evidence/T001", "--replay"];
            let verified = workspace.referee(&verify);
            assert_eq!(verified.code, Some(0), "{at}\n{}\n{}", verified.stdout, verified.stderr);

            workspace.write("work.txt", "bad\n");
            let run = stepped(&workspace, &shim, &step, &["run"]);
            assert_eq!(run.code, Some(6), "{at}\n{}\n{}", run.stdout, run.stderr);
            workspace.write("work.txt", "good\n");
            // A run of the future stays in the task's place; this one says where it is.
            let run = workspace.referee(&["run"]).exits(0);
            let report = run.stdout.lines().find_map(|line| line.strip_prefix("report")).unwrap();
            let evidence = report.trim().strip_suffix("/execution-report.json").unwrap();
            workspace.referee(&["evidence", "verify", evidence, "--replay"]).exits(0);
            let listed = workspace.referee(&["evidence", "list", "--format", "json"]).exits(0).json();
            assert_eq!(listed["runs"].as_array().unwrap().len(), 3, "{at}: nothing is lost: {listed:#}");
            workspace.referee(&["gate"]).exits(0);
        }
    }
}
