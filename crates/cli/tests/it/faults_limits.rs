//! The program where there is not enough of something: disk, descriptors, memory, processes, length of files. It may fail, and
//! must not pass what it could not keep; and with enough, the next run works.

use std::process::{Command, Stdio};

use crate::support::{Finished, Workspace, finish};

const SPECIFICATION: &str = "checks:\n  flood: 'seq 20000'\n  work: 'echo good'\n";

/// Runs a line of the shell in the workspace, with the program as `$0`.
fn shell(workspace: &Workspace, around: &[&str], line: &str) -> Finished {
    let known = workspace.command(&[]);
    let words: Vec<&str> = [around, &["sh", "-c", line]].concat();
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).arg(known.get_program()).current_dir(workspace.path(""));
    command.env_clear().envs(known.get_envs().filter_map(|(name, value)| Some((name, value?))));
    finish(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
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
    let mut codes = Vec::new();
    for kibibytes in [16, 40, 64, 100, 150, 200, 260, 4_096] {
        let workspace = Workspace::with(SPECIFICATION);
        let script = SCRIPT.replace("$SIZE", &format!("{kibibytes}k"));
        let finished = shell(&workspace, &["unshare", "--map-root-user", "--mount"], &script).exits(0);
        let code = |name: &str| {
            let line = finished
                .stdout
                .lines()
                .find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse::<i32>().ok());
            line.unwrap_or_else(|| panic!("{name}: {}\n{}", finished.stdout, finished.stderr))
        };
        let at = format!("{kibibytes} KiB: {}\n{}", finished.stdout, finished.stderr);
        assert_eq!(code("run") == 0, code("verify") == 0, "what is told to pass is sealed, and nothing else: {at}");
        assert!(matches!(code("verify"), 0..=3), "no forgery: {at}");
        assert_eq!((code("again"), code("verified")), (0, 0), "{at}");
        codes.push(code("run"));
    }
    assert_ne!(codes.first(), Some(&0), "{codes:?}");
    assert_eq!(codes.last(), Some(&0), "{codes:?}");
}
