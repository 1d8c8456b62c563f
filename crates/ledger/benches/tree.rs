//! How fast the state of a workspace's inputs is known where nothing changed, beside `git status` over the same tree, in
//! turns in the same run: `cargo bench -p referee-ledger`.

#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measurement starts git, makes files and prints"
)]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use referee_ledger::State;
use referee_ledger::tree::{Cache, Exclusions, Snapshot, list};

const ROUNDS: usize = 15;

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let state = State::open(&folder.path().join("state")).expect("a state folder can be made");
    println!("{:<10} {:>12} {:>12} {:>7}", "files", "known", "git status", "ratio");
    for files in [1, 100, 10_000] {
        let workspace = folder.path().join(files.to_string());
        repository(&workspace, files);
        let (mut known, mut status) = (Duration::MAX, Duration::MAX);
        for _ in 0..ROUNDS {
            known = known.min(timed(|| observe(&workspace, &state, files)));
            status = status.min(timed(|| git(&workspace, &["status", "--porcelain"])));
        }
        let ratio = known.as_secs_f64() / status.as_secs_f64();
        let milliseconds = |time: Duration| format!("{:.2} ms", time.as_secs_f64() * 1_000.0);
        println!("{files:<10} {:>12} {:>12} {ratio:>7.2}", milliseconds(known), milliseconds(status));
    }
}

fn repository(workspace: &Path, files: usize) {
    for number in 0..files {
        let path = workspace.join(format!("folder{}/part{}/file{number}.ts", number % 50, number % 20));
        std::fs::create_dir_all(path.parent().expect("it has a folder")).expect("a folder can be made");
        std::fs::write(path, format!("export const value = {number};\n")).expect("a file can be written");
    }
    std::fs::write(workspace.join(".gitignore"), "node_modules/\n*.log\ndist/\n").expect("a file can be written");
    git(workspace, &["init", "-q"]);
    git(workspace, &["add", "."]);
    // Neither git nor the cache may take an entry for racy.
    std::thread::sleep(Duration::from_millis(1_100));
    git(workspace, &["update-index", "-q", "--refresh"]);
}

fn observe(workspace: &Path, state: &State, files: usize) {
    let exclusions = Exclusions::new(workspace, &[state.path()], &[]).expect("no patterns");
    let mut cache = Cache::open(Some(state), workspace);
    let listing = list(workspace, &exclusions).expect("it can be listed");
    let found = Snapshot::take(&listing, &mut cache).state();
    cache.save().expect("it can be written");
    assert_eq!(found.files, files as u64 + 1);
}

fn git(workspace: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.args(arguments).current_dir(workspace).stdin(Stdio::null()).stdout(Stdio::null());
    assert!(command.status().expect("git starts").success(), "{arguments:?}");
}

fn timed(work: impl FnOnce()) -> Duration {
    let began = Instant::now();
    work();
    began.elapsed()
}
