//! Fake tools and servers for tests; never shipped.
//!
//! [`fake_tool`] is a small program that follows its arguments, one instruction each (listed in
//! `src/bin/fake-tool/script.rs`): it prints, floods, sleeps, exits, dies, ignores signals, leaves children.
//! [`server`] answers requests and can misbehave; [`client`] asks a server with TLS. [`temporal`] and [`object_storage`] are the
//! real servers of a fleet. A person types at a [`terminal`].

pub mod client;
pub mod object_storage;
pub mod port;
pub mod server;
pub mod temporal;
pub mod terminal;

use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::SystemTime;

/// Returns the path of the `fake-tool` program.
///
/// `cargo test --workspace` builds it in the directory above the test executables. When a single crate is tested,
/// it is built on the first call if it is missing or older than its sources.
///
/// # Panics
/// Panics if it cannot be built, since the calling test cannot run.
pub fn fake_tool() -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(build_if_stale).clone()
}

fn build_if_stale() -> PathBuf {
    let test = std::env::current_exe().expect("a running program has a path");
    // Unit and integration tests are in `deps`, examples in `examples`, programs in the directory above.
    let directory =
        test.ancestors().skip(1).find(|directory| !directory.ends_with("deps") && !directory.ends_with("examples"));
    let directory = directory.expect("a test executable is in a directory");
    let tool = directory.join("fake-tool");
    if changed(&tool).is_none_or(|built| newest(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))) > Some(built)) {
        let mut build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        build.args(["build", "--quiet", "--package", "referee-testkit", "--bin", "fake-tool"]);
        build.current_dir(env!("CARGO_MANIFEST_DIR"));
        if directory.ends_with("release") {
            build.arg("--release");
        }
        // In a process group of its own, and repeated if it was stopped, since concurrent tests end processes
        // that they find.
        build.process_group(0);
        let is_built = (0..3).any(|_| build.status().expect("cargo can be started where tests run").success());
        assert!(is_built, "fake-tool could not be built");
    }
    tool
}

fn changed(path: &Path) -> Option<SystemTime> {
    path.metadata().and_then(|metadata| metadata.modified()).ok()
}

fn newest(directory: &Path) -> Option<SystemTime> {
    let entries = directory.read_dir().ok()?.flatten();
    entries.filter_map(|entry| if entry.path().is_dir() { newest(&entry.path()) } else { changed(&entry.path()) }).max()
}
