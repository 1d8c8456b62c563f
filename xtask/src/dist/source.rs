//! What a release is made from.

use std::io;
use std::path::Path;
use std::process::Command;

use super::build::Builder;
use crate::process::output;

/// The commit that is built.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) commit: String,
    /// Seconds since 1970 that stand in everything that is written: SOURCE_DATE_EPOCH, or else the commit's time.
    pub(crate) time: u64,
    /// Files that differ from the commit.
    pub(crate) changed: Vec<String>,
    /// First lines of the versions of what builds it.
    pub(crate) tools: Vec<(String, String)>,
}

impl Source {
    pub(crate) fn inspect(root: &Path, builder: Builder) -> io::Result<Self> {
        let git = |arguments: &[&str]| output(Command::new("git").current_dir(root).args(arguments));
        let time = match std::env::var("SOURCE_DATE_EPOCH") {
            Ok(time) => time,
            Err(_) => git(&["log", "-1", "--format=%ct"])?,
        };
        let time = time.trim().parse().map_err(|_| io::Error::other(format!("not a time in seconds: {time:?}")))?;
        let changed = git(&["status", "--porcelain"])?.lines().map(str::to_owned).collect();
        Ok(Self { commit: git(&["rev-parse", "HEAD"])?.trim().to_owned(), time, changed, tools: tools(root, builder)? })
    }
}

fn tools(root: &Path, builder: Builder) -> io::Result<Vec<(String, String)>> {
    let version = |program: &str| {
        let text = output(Command::new(program).current_dir(root).arg("--version"))?;
        Ok((program.to_owned(), text.lines().next().unwrap_or_default().to_owned()))
    };
    let linker = match builder {
        Builder::Zig => Some("cargo-zigbuild"),
        Builder::Cargo => None,
    };
    ["rustc", "cargo", "gzip"].into_iter().chain(linker).map(version).collect()
}

/// The target of this machine.
pub(crate) fn host() -> io::Result<String> {
    let told = output(Command::new("rustc").arg("-vV"))?;
    let host = told.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| io::Error::other("`rustc -vV` names no host"))
}
