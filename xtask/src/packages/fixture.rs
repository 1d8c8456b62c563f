//! A release for tests, whose programs are scripts.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use referee_model::id::Digest;

use crate::dist::archive::{self, Entry};
use crate::dist::{SUMS, programs};

/// Says what the real program says, and fails where it is told to.
const SCRIPT: &str = "#!/bin/sh\n[ \"$1\" != fail ] || exit 3\necho referee 1.2.3\n";

/// The directory of a release of version 1.2.3, removed in the end.
pub(super) struct Release {
    pub(super) dist: PathBuf,
}

impl Release {
    pub(super) fn new(name: &str) -> Self {
        Self::of(name, &["x86_64-unknown-linux-musl", "aarch64-apple-darwin"])
    }

    pub(super) fn of(name: &str, targets: &[&str]) -> Self {
        let dist = std::env::temp_dir().join(format!("referee-xtask-{name}-{}", std::process::id()));
        fs::create_dir_all(&dist).unwrap();
        let release = Self { dist };
        let lines = targets.iter().map(|target| release.put_archive(target));
        release.write_sums(&lines.collect::<Vec<_>>().concat());
        release
    }

    /// Writes the archive of a target, and returns its line of SHA256SUMS.
    fn put_archive(&self, target: &str) -> String {
        let directory = format!("referee-1.2.3-{target}");
        let licenses = [("LICENSE-APACHE", Entry::text("a")), ("LICENSE-MIT", Entry::text("m"))];
        let programs = programs(target).map(|program| (program, Entry::program(SCRIPT)));
        let files: BTreeMap<String, Entry> =
            licenses.into_iter().chain(programs).map(|(name, entry)| (name.to_owned(), entry)).collect();
        let path = self.dist.join(format!("{directory}.tar.gz"));
        archive::write(&path, &directory, &files, 0).unwrap();
        format!("{}  {directory}.tar.gz\n", Digest::of(fs::read(&path).unwrap()))
    }

    pub(super) fn write_sums(&self, sums: &str) {
        fs::write(self.dist.join(SUMS), sums).unwrap();
    }
}

impl Drop for Release {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.dist));
    }
}
