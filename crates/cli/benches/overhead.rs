//! What a sealed run costs beside its floor, measured in the same run, in turns: `cargo bench -p referee`.

#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measurement starts processes, makes files and prints"
)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ROUNDS: usize = 7;
const ACTIONS: usize = 1_000;

fn main() {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let program = Path::new(env!("CARGO_BIN_EXE_referee"));

    let many = workspace(folder.path(), "many", ACTIONS);
    let (run, floor) = in_turns(|| timed(|| referee(program, &many, "1")), || timed(spawn_loop));
    println!("{ACTIONS} x true, whole run, sealed: {:.0} ms", milliseconds(run));
    println!("bare spawn-and-wait loop:         {:.0} ms", milliseconds(floor));
    println!("ratio: {:.2} (to reach: 1.50)", run.as_secs_f64() / floor.as_secs_f64());
    let (two, one) = in_turns(|| timed(|| referee(program, &many, "2")), || timed(|| referee(program, &many, "1")));
    println!("the same with 2 jobs, of the time with one: {:.2}", two.as_secs_f64() / one.as_secs_f64());

    let one = workspace(folder.path(), "one", 1);
    let (run, floor) = in_turns(|| timed(|| referee(program, &one, "1")), || timed(shell));
    println!("start, load and run one check:    {:.1} ms", milliseconds(run));
    println!("sh -c true:                       {:.1} ms", milliseconds(floor));
    println!("more: {:.1} ms (to reach: 10)", milliseconds(run) - milliseconds(floor));
}

fn workspace(folder: &Path, name: &str, actions: usize) -> PathBuf {
    let workspace = folder.join(name);
    std::fs::create_dir(&workspace).expect("a directory can be made");
    let checks: Vec<String> = (0..actions).map(|number| format!("  c{number}: {{ argv: ['true'] }}\n")).collect();
    std::fs::write(workspace.join("referee.yaml"), format!("checks:\n{}", checks.concat()))
        .expect("a file can be written");
    workspace
}

fn referee(program: &Path, workspace: &Path, jobs: &str) {
    let status = Command::new(program)
        .args(["run", "-q", "--jobs", jobs])
        .current_dir(workspace)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .expect("the program starts");
    assert!(status.success(), "the run passes");
}

fn spawn_loop() {
    for _ in 0..ACTIONS {
        assert!(Command::new("true").stdin(Stdio::null()).status().expect("true starts").success());
    }
}

fn shell() {
    assert!(Command::new("sh").args(["-c", "true"]).status().expect("sh starts").success());
}

fn timed(work: impl FnOnce()) -> Duration {
    let began = Instant::now();
    work();
    began.elapsed()
}

/// The medians of both, measured in turns after one round that does not count, so that a drifting machine hits both.
fn in_turns(mut one: impl FnMut() -> Duration, mut other: impl FnMut() -> Duration) -> (Duration, Duration) {
    one();
    other();
    let (mut ones, mut others): (Vec<_>, Vec<_>) = (0..ROUNDS).map(|_| (one(), other())).unzip();
    ones.sort();
    others.sort();
    (ones[ROUNDS / 2], others[ROUNDS / 2])
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}
