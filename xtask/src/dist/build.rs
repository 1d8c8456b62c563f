//! Builds the programs of a release.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use referee_model::id::Digest;

use super::archive::Entry;
use crate::process::{output, run};

/// Programs of a release.
pub(crate) const PROGRAMS: [&str; 4] = ["referee", "referee-database", "referee-fleet", "referee-mutants"];

/// The program that macOS can have only where Apple's SDK is: it asks a framework of the system for trusted certificates.
const FLEET: &str = "referee-fleet";

/// The packages of the programs, each with its manifest, which has a lock file beside it.
const PACKAGES: [(&str, &str); 2] = [("referee", "Cargo.toml"), (FLEET, "crates/fleet/Cargo.toml")];

/// The programs that are built for a target.
pub(crate) fn programs(target: &str) -> impl Iterator<Item = &'static str> {
    PROGRAMS.into_iter().filter(|program| *program != FLEET || !target.ends_with("-apple-darwin"))
}

/// The packages that are built for a target, each with its manifest.
pub(crate) fn packages(target: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    PACKAGES.into_iter().filter(|(package, _)| *package != FLEET || programs(target).any(|program| program == FLEET))
}

/// Targets of a release. Nobody has run the programs for macOS yet: what is published says so.
pub(crate) const TARGETS: [&str; 4] =
    ["x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl", "x86_64-apple-darwin", "aarch64-apple-darwin"];

/// Profile of a release, in the manifest of the workspace.
pub(crate) const PROFILE: &str = "dist";

/// What builds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Builder {
    /// cargo-zigbuild, which links for every target.
    Zig,
    /// Plain cargo, for this machine only.
    Cargo,
}

/// Builds the programs for a target, and returns the directory that they are in.
pub(crate) fn build(root: &Path, target: &str, builder: Builder) -> io::Result<PathBuf> {
    // Paths of this machine must not stand in the programs.
    let places = [(root.to_owned(), "/referee"), (cargo_home()?, "/cargo")];
    for (package, manifest) in packages(target) {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.current_dir(root);
        cargo.arg(match builder {
            Builder::Zig => "zigbuild",
            Builder::Cargo => "build",
        });
        cargo.args(["--locked", "--profile", PROFILE, "--manifest-path", manifest, "--package", package]);
        cargo.args(["--bins", "--target", target]);
        cargo.env("CARGO_ENCODED_RUSTFLAGS", flags("--remap-path-prefix=", &places, "\u{1f}"));
        cargo.env("CFLAGS", flags("-ffile-prefix-map=", &places, " "));
        cargo.env("CARGO_TARGET_DIR", root.join("target"));
        run(&mut cargo)?;
    }
    Ok(root.join("target").join(target).join(PROFILE))
}

/// The lock file beside a manifest.
pub(crate) fn lock(manifest: &str) -> PathBuf {
    Path::new(manifest).with_file_name("Cargo.lock")
}

/// The digests of all lock files, by their paths in the repository.
pub(crate) fn locks(root: &Path) -> io::Result<BTreeMap<String, Digest>> {
    let digest = |(_, manifest)| {
        let lock = lock(manifest);
        Ok((lock.display().to_string(), Digest::of(std::fs::read(root.join(&lock))?)))
    };
    PACKAGES.into_iter().map(digest).collect()
}

/// Flags of a compiler that writes other names for these directories.
fn flags(option: &str, places: &[(PathBuf, &str)], separator: &str) -> OsString {
    let mut flags = OsString::new();
    for (path, name) in places {
        if !flags.is_empty() {
            flags.push(separator);
        }
        flags.push(option);
        flags.push(path);
        flags.push("=");
        flags.push(name);
    }
    flags
}

fn cargo_home() -> io::Result<PathBuf> {
    if let Some(home) = std::env::var_os("CARGO_HOME") {
        return Ok(home.into());
    }
    let home = std::env::var_os("HOME").ok_or_else(|| io::Error::other("neither CARGO_HOME nor HOME is set"))?;
    Ok(Path::new(&home).join(".cargo"))
}

/// Whether a program for a target runs on a machine whose own target is `host`.
pub(crate) fn runs_on(target: &str, host: &str) -> bool {
    let machine = |triple: &str| {
        let mut parts = triple.split('-');
        (parts.next().map(str::to_owned), parts.any(|part| part == "linux"), triple.ends_with("-apple-darwin"))
    };
    machine(target) == machine(host)
}

/// The manual pages and completions that a program prints, by their names in an archive.
pub(crate) fn printed(program: &Path) -> io::Result<BTreeMap<String, Entry>> {
    let directory = std::env::temp_dir().join(format!("referee-man-{}", std::process::id()));
    std::fs::create_dir_all(&directory)?;
    let written = run(Command::new(program).args(["man", "--output"]).arg(&directory)).and_then(|()| pages(&directory));
    std::fs::remove_dir_all(&directory)?;
    let mut files = written?;
    if files.is_empty() {
        return Err(io::Error::other(format!("{} writes no manual page", program.display())));
    }
    let names = [
        ("bash", "referee.bash"),
        ("zsh", "_referee"),
        ("fish", "referee.fish"),
        ("powershell", "_referee.ps1"),
        ("elvish", "referee.elv"),
    ];
    for (shell, name) in names {
        let script = output(Command::new(program).args(["completions", shell]))?;
        files.insert(format!("completions/{name}"), Entry::text(script));
    }
    Ok(files)
}

fn pages(directory: &Path) -> io::Result<BTreeMap<String, Entry>> {
    let mut pages = BTreeMap::new();
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        let name = format!("man/man1/{}", entry.file_name().to_string_lossy());
        pages.insert(name, Entry::text(std::fs::read(entry.path())?));
    }
    Ok(pages)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_static_program_runs_on_the_same_processor_and_system_and_on_no_other() {
        let host = "x86_64-unknown-linux-gnu";
        let running: Vec<&str> = TARGETS.into_iter().filter(|target| runs_on(target, host)).collect();
        assert_eq!(running, ["x86_64-unknown-linux-musl"]);
        assert!(runs_on("aarch64-apple-darwin", "aarch64-apple-darwin"));
        assert!(!runs_on("aarch64-apple-darwin", "aarch64-unknown-linux-gnu"));
    }

    #[test]
    fn a_program_that_prints_no_manual_fails_the_release() {
        let error = printed(Path::new("/bin/false")).unwrap_err().to_string();
        assert!(error.contains("/bin/false man --output"), "{error}");
    }
}
