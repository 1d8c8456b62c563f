//! Paths in the workspace that are not inputs: Referee's own directories, and the outputs of checks.

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::open;
use crate::real_path::real_path;

/// Referee's own directories in a workspace, which are always excluded: incidents, waivers and task status are
/// written between runs, and no check depends on them.
const OURS: [&str; 3] = [".referee/reports", ".referee/waivers", ".specify/state"];

/// Entries of an evidence root that is the workspace itself.
const IN_ROOT: [&str; 6] = [".history", ".staging", ".locks", ".registers", "suite-report.json", "T[0-9][0-9][0-9]*"];

/// Paths in the workspace that are not inputs.
#[derive(Debug, Clone)]
pub struct Exclusions {
    /// Paths relative to the workspace; everything below them is excluded as well.
    paths: BTreeSet<Vec<u8>>,
    patterns: GlobSet,
}

/// An invalid output pattern.
#[derive(Debug, thiserror::Error)]
#[error("invalid pattern `{pattern}` in `outputs`: {reason}")]
pub struct PatternError {
    pub pattern: String,
    pub reason: String,
}

impl Exclusions {
    /// Excludes Referee's own directories (those of `ours` that are in the workspace; relative to it or
    /// absolute) and the paths that match the output patterns, with everything below them.
    ///
    /// # Errors
    /// Fails if a pattern is invalid.
    pub fn new(workspace: &Path, ours: &[&Path], outputs: &[String]) -> Result<Self, PatternError> {
        let mut paths: BTreeSet<Vec<u8>> = OURS.iter().map(|path| path.as_bytes().to_vec()).collect();
        let mut patterns = GlobSetBuilder::new();
        for directory in ours {
            match relative(workspace, directory) {
                Some(inside) if inside.as_os_str().is_empty() => {
                    for pattern in IN_ROOT {
                        patterns.add(glob(pattern)?);
                    }
                }
                Some(inside) => {
                    paths.insert(inside.as_os_str().as_bytes().to_vec());
                }
                None => {}
            }
        }
        for output in outputs {
            let output = output.trim_end_matches('/');
            if output.contains(['*', '?', '[', '{', '\\']) {
                patterns.add(glob(output)?);
            } else {
                paths.insert(output.as_bytes().to_vec());
            }
        }
        let patterns = patterns
            .build()
            .map_err(|error| PatternError { pattern: outputs.join(", "), reason: error.kind().to_string() })?;
        Ok(Self { paths, patterns })
    }

    /// Returns whether a path is excluded. Not called for paths below an excluded one.
    pub(super) fn leave_out(&self, path: &[u8]) -> bool {
        self.paths.contains(path) || (!self.patterns.is_empty() && self.patterns.is_match(open::path(path)))
    }

    /// Returns whether a path below this directory, at any depth, may be excluded.
    pub(super) fn speak_of(&self, directory: &[u8]) -> bool {
        let inside = [directory, b"/"].concat();
        let next = self.paths.range(inside.clone()..).next();
        directory.is_empty() || !self.patterns.is_empty() || next.is_some_and(|path| path.starts_with(&inside))
    }

    /// Returns whether this path, or a directory above it, is excluded.
    pub fn covers(&self, path: &Path) -> bool {
        let is_named = |path: &Path| !path.as_os_str().is_empty() && self.leave_out(path.as_os_str().as_bytes());
        path.ancestors().any(is_named)
    }
}

/// Returns a directory's path relative to the workspace, even if one of the two is reached through links. None:
/// it is elsewhere.
pub(super) fn relative(workspace: &Path, directory: &Path) -> Option<PathBuf> {
    let directory = workspace.join(directory);
    if let Ok(inside) = directory.strip_prefix(workspace) {
        return Some(inside.to_path_buf());
    }
    let workspace = workspace.canonicalize().ok()?;
    // A directory that does not exist yet is resolved from its nearest existing ancestor.
    real_path(&directory).strip_prefix(workspace).ok().map(Path::to_path_buf)
}

fn glob(pattern: &str) -> Result<globset::Glob, PatternError> {
    GlobBuilder::new(pattern)
        .literal_separator(true)
        .backslash_escape(true)
        .build()
        .map_err(|error| PatternError { pattern: pattern.to_owned(), reason: error.kind().to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_directories_and_outputs_are_left_out_with_all_below() {
        let outputs = ["dist/", "packages/*/build", "**/*.snap"].map(str::to_owned);
        let exclusions =
            Exclusions::new(Path::new("/w"), &[Path::new("/w/evidence"), Path::new("/s")], &outputs).unwrap();
        for path in
            ["evidence/T001/seal.json", "dist", "dist/a/b", "packages/x/build/y", "a/b.snap", ".referee/waivers/x"]
        {
            assert!(exclusions.covers(Path::new(path)), "{path}");
        }
        for path in
            ["evidence2", "src/dist", "packages/build", "packages/x/y/build", "s", ".referee/lock.json", "T001/x"]
        {
            assert!(!exclusions.covers(Path::new(path)), "{path}");
        }
        let plain = Exclusions::new(Path::new("/w"), &[Path::new("/w/evidence"), Path::new("/w/a/b/c")], &[]).unwrap();
        for (directory, spoken_of) in
            [("", true), ("a", true), ("a/b", true), ("a/b/c", false), ("a/x", false), ("b", false)]
        {
            assert_eq!(plain.speak_of(directory.as_bytes()), spoken_of, "{directory}");
        }
        let root = Exclusions::new(Path::new("/w"), &[Path::new("/w")], &[]).unwrap();
        assert!(root.covers(Path::new("T001/seal.json")) && !root.covers(Path::new("src/T001")));
        assert!(Exclusions::new(Path::new("/w"), &[], &["a[".to_owned()]).is_err());
    }
}
