//! Benchmark of the state of a workspace's inputs when nothing has changed, compared with `git status` on the
//! same tree, alternating in the same run: `cargo bench -p referee-ledger`.

#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measurement starts git, makes files and prints"
)]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use referee_ledger::State;
use referee_ledger::tree::{Cache, Exclusions, Snapshot, digest_now, list};

const ROUNDS: usize = 25;

/// Shortest duration of each part of an observation.
#[derive(Clone, Copy)]
struct Parts {
    cache: Duration,
    list: Duration,
    take: Duration,
    read: Duration,
    whole: Duration,
}

fn main() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let state = State::open(&directory.path().join("state")).expect("a state directory can be made");
    println!(
        "{:<8} {:>8} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>7} {:>7}",
        "files", "directories", "cache", "list", "take", "read", "whole", "now", "git status", "ratio", "of work"
    );
    for (files, directories) in [(1, 1), (100, 100), (10_000, 100), (10_000, 1_000)] {
        let workspace = directory.path().join(format!("{files}-{directories}"));
        repository(&workspace, files, directories);
        let longest = Duration::MAX;
        let mut best = Parts { cache: longest, list: longest, take: longest, read: longest, whole: longest };
        let (mut now, mut status) = (longest, longest);
        // From the second time on there is a cache.
        observe(&workspace, &state, files);
        for _ in 0..ROUNDS {
            let parts = observe(&workspace, &state, files);
            best.cache = best.cache.min(parts.cache);
            best.list = best.list.min(parts.list);
            best.take = best.take.min(parts.take);
            best.read = best.read.min(parts.read);
            best.whole = best.whole.min(parts.whole);
            now = now.min(timed(|| digest(&workspace, &state)).1);
            status = status.min(timed(|| git(&workspace, &["status", "--porcelain"])).1);
        }
        // If other programs run at the same time, processor time is more meaningful than elapsed time.
        let before = processor_time();
        for _ in 0..ROUNDS {
            digest(&workspace, &state);
            git(&workspace, &["status", "--porcelain"]);
        }
        let after = processor_time();
        let (ours, theirs) = (after.0 - before.0, after.1 - before.1);
        let shown = |time: Duration| format!("{:.2} ms", time.as_secs_f64() * 1_000.0);
        println!(
            "{files:<8} {directories:>8} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>7.2} {:>7.2}",
            shown(best.cache),
            shown(best.list),
            shown(best.take),
            shown(best.read),
            shown(best.whole),
            shown(now),
            shown(status),
            now.as_secs_f64() / status.as_secs_f64(),
            ours / theirs
        );
    }
}

fn repository(workspace: &Path, files: usize, directories: usize) {
    for number in 0..files {
        let path = workspace.join(format!("directory{}/part{}/file{number}.ts", number % 20, number % directories));
        std::fs::create_dir_all(path.parent().expect("it has a directory")).expect("a directory can be made");
        std::fs::write(path, format!("export const value = {number};\n")).expect("a file can be written");
    }
    std::fs::write(workspace.join(".gitignore"), "node_modules/\n*.log\ndist/\n").expect("a file can be written");
    git(workspace, &["init", "-q"]);
    git(workspace, &["add", "."]);
    // Neither git nor the cache may consider an entry racy.
    std::thread::sleep(Duration::from_millis(1_100));
    git(workspace, &["update-index", "-q", "--refresh"]);
}

/// Observes the inputs as a run does, and returns the duration of each part.
fn observe(workspace: &Path, state: &State, files: usize) -> Parts {
    let began = Instant::now();
    let exclusions = Exclusions::new(workspace, &[state.path()], &[]).expect("no patterns");
    let (mut cache, opened) = timed(|| Cache::open(Some(state), workspace));
    let (listing, listed) = timed(|| list(workspace, &exclusions).expect("it can be listed"));
    let (found, taken) = timed(|| Snapshot::take(&listing, &mut cache).state());
    cache.save().expect("it can be written");
    assert_eq!(found.files, files as u64 + 1);
    let whole = began.elapsed();
    let (all, read) = timed(|| Snapshot::read(&listing, &mut cache).state());
    assert_eq!(all, found);
    Parts { cache: opened, list: listed, take: taken, read, whole }
}

/// Computes the digest that a hook asks for.
fn digest(workspace: &Path, state: &State) {
    let exclusions = Exclusions::new(workspace, &[state.path()], &[]).expect("no patterns");
    assert!(digest_now(workspace, &exclusions, Some(state)).expect("it can be listed").is_some());
}

fn git(workspace: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.args(arguments).current_dir(workspace).stdin(Stdio::null()).stdout(Stdio::null());
    assert!(command.status().expect("git starts").success(), "{arguments:?}");
}

/// Returns the processor time of this process and of its children so far, in ticks.
fn processor_time() -> (f64, f64) {
    let text = std::fs::read_to_string("/proc/self/stat").expect("the system tells of processes");
    let fields: Vec<f64> = text
        .rsplit_once(')')
        .expect("a name in brackets comes first")
        .1
        .split_whitespace()
        .map(|field| field.parse().unwrap_or(0.0))
        .collect();
    (fields[11] + fields[12], fields[13] + fields[14])
}

fn timed<Done>(work: impl FnOnce() -> Done) -> (Done, Duration) {
    let began = Instant::now();
    let done = work();
    (done, began.elapsed())
}
