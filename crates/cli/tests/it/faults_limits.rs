//! The program where there is not enough of something: disk, descriptors, memory, processes, length of files. It may fail, and
//! must not pass what it could not keep; and with enough, the next run works.

use std::path::Path;
use std::process::Command;

use crate::support::{Finished, Workspace, finish, program, skipped};

const SPECIFICATION: &str = "checks:\n  flood: 'seq 20000'\n  work: 'echo good'\n";

/// Runs a line of the shell in the workspace, with the program as `$0`.
fn shell(workspace: &Workspace, around: &[&str], line: &str) -> Finished {
    let words: Vec<&str> = [around, &["sh", "-c", line]].concat();
    finish(workspace.tool(words[0]).args(&words[1..]).arg(program()).spawn().unwrap())
}

/// Runs under a limit of the shell, and then without one.
fn limited(limit: &str) -> Option<i32> {
    let workspace = Workspace::with(SPECIFICATION);
    let finished = shell(&workspace, &[], &format!("{limit} && \"$0\" run"));
    let verified = workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).code;
    let at = format!("{limit}: {:?}\n{}\n{}", finished.code, finished.stdout, finished.stderr);
    match finished.code {
        Some(0) => assert_eq!(verified, Some(0), "what is told to pass is sealed: {at}"),
        _ => {
            assert!(
                matches!(verified, Some(1..=3)),
                "what did not pass is no pass, and no forgery: {verified:?}: {at}"
            );
        }
    }
    workspace.referee(&["run"]).exits(0);
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(0);
    assert_eq!(workspace.staged("T001"), Vec::<std::path::PathBuf>::new(), "{at}");
    finished.code
}

/// Tries limits from too little to enough: the least must not pass, and the most must.
fn from_too_little_to_enough(limits: &[String]) {
    let codes: Vec<_> = limits.iter().map(|limit| limited(limit)).collect();
    assert_ne!(codes.first(), Some(&Some(0)), "{limits:?}: {codes:?}");
    assert_eq!(codes.last(), Some(&Some(0)), "{limits:?}: {codes:?}");
}

#[test]
fn without_enough_descriptors_nothing_passes_that_is_not_sealed() {
    from_too_little_to_enough(&[4, 6, 8, 10, 12, 16, 256].map(|count| format!("ulimit -n {count}")));
}

#[test]
fn without_enough_memory_nothing_passes_that_is_not_sealed() {
    // Of the address space, in KiB: threads and allocations fail, and the program may not even be loaded.
    from_too_little_to_enough(
        &[20_000, 90_000, 120_000, 160_000, 240_000, 8_000_000].map(|size| format!("ulimit -v {size}")),
    );
}

#[test]
fn where_files_may_not_be_long_enough_nothing_passes_that_is_not_sealed() {
    // In blocks of 512 bytes; the flood is more than 100 KiB.
    from_too_little_to_enough(&[0, 1, 4, 16, 64, 100_000].map(|blocks| format!("ulimit -f {blocks}")));
}

/// Exit codes of a run with too little of something, of verifying it, and of the same with enough.
#[derive(Debug)]
struct Codes {
    run: i32,
    verify: i32,
    again: i32,
    verified: i32,
}

impl Codes {
    /// Reads them from lines such as `verify 3`, and asserts what holds however much there was.
    fn honest(finished: &Finished) -> Self {
        let code = |name: &str| {
            let line = finished.stdout.lines().rev().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
            let code = line.and_then(|code| code.parse().ok());
            code.unwrap_or_else(|| panic!("{name}: {}\n{}", finished.stdout, finished.stderr))
        };
        let codes = Self { run: code("run"), verify: code("verify"), again: code("again"), verified: code("verified") };
        let at = format!("{codes:?}: {}\n{}", finished.stdout, finished.stderr);
        assert_eq!(codes.run == 0, codes.verify == 0, "what is told to pass is sealed, and nothing else: {at}");
        assert!(matches!(codes.verify, 0..=3), "no forgery: {at}");
        assert_eq!((codes.again, codes.verified), (0, 0), "{at}");
        codes
    }
}

#[test]
fn on_a_disk_that_fills_up_nothing_passes_that_is_not_sealed() {
    const SCRIPT: &str = "
        mkdir -p disk && mount -t tmpfs -o size=$SIZE tmpfs disk && cd disk && mkdir work state &&
        export REFEREE_STATE_DIR=\"$PWD/state\" && cp ../referee.yaml work/ && cd work || exit 99
        \"$0\" run > /dev/null 2>&1; echo run $?
        \"$0\" evidence verify evidence/T001 --replay > /dev/null 2>&1; echo verify $?
        mount -o remount,size=64m tmpfs \"$PWD/..\"
        \"$0\" run; echo again $?
        \"$0\" evidence verify evidence/T001 --replay; echo verified $?";
    let mut runs = Vec::new();
    for kibibytes in [16, 40, 64, 100, 150, 200, 260, 4_096] {
        let workspace = Workspace::with(SPECIFICATION);
        let script = SCRIPT.replace("$SIZE", &format!("{kibibytes}k"));
        let finished = shell(&workspace, &["unshare", "--map-root-user", "--mount"], &script).exits(0);
        runs.push(Codes::honest(&finished).run);
    }
    assert_ne!(runs.first(), Some(&0), "{runs:?}");
    assert_eq!(runs.last(), Some(&0), "{runs:?}");
}

/// A user without other processes: no limit of processes holds for root, and the tests' own user has many of them.
const LONELY: &str = "61184";

#[test]
fn without_enough_processes_nothing_passes_that_is_not_sealed() {
    const SCRIPT: &str = "
        export XDG_STATE_HOME=\"$REFEREE_STATE_DIR/usual\"
        prlimit --nproc=$COUNT \"$PROGRAM\" run > \"$REFEREE_STATE_DIR/run.txt\" 2>&1; echo run $?
        \"$PROGRAM\" evidence verify evidence/T001 --replay > /dev/null 2>&1; echo verify $?
        \"$PROGRAM\" run; echo again $?
        \"$PROGRAM\" evidence verify evidence/T001 --replay; echo verified $?
        cat \"$REFEREE_STATE_DIR/run.txt\" >&2";
    // Shells name this limit differently.
    let enter = ["setpriv", "--reuid", LONELY, "--regid", LONELY, "--clear-groups"];
    if !Command::new(enter[0]).args(&enter[1..]).arg("true").status().is_ok_and(|status| status.success()) {
        skipped("not root, or no setpriv");
        return;
    }
    // The user may not reach the build directory.
    let reachable = tempfile::tempdir().unwrap();
    let copy = reachable.path().join("referee");
    std::fs::copy(program(), &copy).unwrap();
    give(&[reachable.path()]);
    let mut runs = Vec::new();
    for count in [1, 2, 3, 4, 6, 10, 200] {
        let workspace = Workspace::with(SPECIFICATION);
        give(&[&workspace.path(""), &workspace.state()]);
        let script = SCRIPT.replace("$COUNT", &count.to_string()).replace("$PROGRAM", &copy.display().to_string());
        let finished = shell(&workspace, &enter, &script).exits(0);
        runs.push(Codes::honest(&finished).run);
    }
    assert_ne!(runs.first(), Some(&0), "{runs:?}");
    assert_eq!(runs.last(), Some(&0), "{runs:?}");
}

/// Makes the lonely user the owner of directories.
fn give(directories: &[&Path]) {
    let mut command = Command::new("chown");
    assert!(command.args(["-R", &format!("{LONELY}:{LONELY}")]).args(directories).status().unwrap().success());
}
