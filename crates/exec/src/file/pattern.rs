//! Finds the files that match a glob pattern.
//!
//! Patterns work as in shells: `*` and `?` stay within a name, `**` spans directories, hidden names match only
//! a pattern that has a name beginning with a dot, and `.git` and `node_modules` only one that names them.
//! Links to directories are followed only if the pattern bounds the depth, and never out of the root.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fs::DirEntry;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use referee_model::limit;
use referee_model::record::FileState;

use super::MustEnd;
use super::root::Root;

/// Maximum number of directory entries that are examined for one pattern.
const ENTRIES: usize = 2_000_000;

/// Number of entries between two checks whether to stop.
const ENTRIES_AT_ONCE: usize = 512;

/// Directories that are entered only if the pattern names them.
const PASSED_OVER: [&str; 2] = [".git", "node_modules"];

/// The files that match a pattern.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Named {
    /// Paths relative to the root, sorted.
    pub(super) paths: Vec<PathBuf>,
    pub(super) truncated: bool,
    /// Why not all files could be found. None: all were.
    pub(super) failure: Option<String>,
}

/// Finds the files below a root that match a pattern.
pub(super) fn find(root: &Root, pattern: &str, must_end: MustEnd<'_>) -> Named {
    let matcher = match GlobBuilder::new(pattern).literal_separator(true).backslash_escape(true).build() {
        Ok(glob) => glob.compile_matcher(),
        Err(error) => return failed(format!("it is not a pattern: {}", error.kind())),
    };
    let (start, open) = split(pattern);
    match std::fs::canonicalize(root.path().join(start)) {
        Ok(real) if !real.starts_with(root.path()) => {
            return failed(format!("{start} leads outside, to {}", real.display()));
        }
        Ok(real) if real.is_dir() => {}
        // Nothing exists there, so nothing matches.
        Ok(_) => return Named::default(),
        Err(error) if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {
            return Named::default();
        }
        Err(error) => return failed(format!("{start}: {error}")),
    }
    let walk = Walk {
        root,
        matcher,
        hidden_directories: has_hidden(open, true),
        hidden_files: has_hidden(open, false),
        passed_over: PASSED_OVER.into_iter().filter(|name| !open.contains(name)).collect(),
        depth: (!open.contains("**")).then(|| open.matches('/').count()),
        seen: 0,
        named: Named::default(),
    };
    walk.run(Path::new(start), must_end)
}

fn failed(failure: String) -> Named {
    Named { failure: Some(failure), ..Named::default() }
}

/// Splits a pattern into its literal directory prefix and the rest.
fn split(pattern: &str) -> (&str, &str) {
    let first = pattern.find(['*', '?', '[', '{', '\\']).unwrap_or(pattern.len());
    match pattern[..first].rfind('/') {
        Some(at) => (&pattern[..at], &pattern[at + 1..]),
        None => ("", pattern),
    }
}

/// Returns whether a name in a pattern begins with a dot: that of a directory, or that of a file.
fn has_hidden(pattern: &str, of_directory: bool) -> bool {
    let names = pattern.split(['/', '{', ',']).scan(0, |start, name| {
        let end = *start + name.len();
        *start = end + 1;
        Some((name, end))
    });
    names.filter(|(name, _)| name.starts_with('.')).any(|(_, end)| pattern[end..].contains('/') == of_directory)
}

struct Walk<'walk> {
    root: &'walk Root,
    matcher: GlobMatcher,
    hidden_directories: bool,
    hidden_files: bool,
    passed_over: Vec<&'static str>,
    /// Number of directory levels below its start that the pattern reaches. None: any number.
    depth: Option<usize>,
    seen: usize,
    named: Named,
}

/// Entries still to be visited, in order.
enum Next {
    File(PathBuf),
    Directory { path: PathBuf, depth: usize },
}

impl Walk<'_> {
    fn run(mut self, start: &Path, must_end: MustEnd<'_>) -> Named {
        let mut waiting = VecDeque::from([Next::Directory { path: start.to_owned(), depth: 0 }]);
        while let Some(next) = waiting.pop_front() {
            match next {
                Next::File(_) if self.named.paths.len() == limit::GLOB_FILES => {
                    self.named.truncated = true;
                    break;
                }
                Next::File(path) => self.named.paths.push(path),
                Next::Directory { path, depth } => match self.list(&path, depth, must_end) {
                    Ok(inside) => inside.into_iter().rev().for_each(|next| waiting.push_front(next)),
                    Err(reason) => {
                        self.named.failure = Some(reason);
                        break;
                    }
                },
            }
        }
        self.named
    }

    /// Returns the entries of a directory that are to be visited, in the order of their paths.
    fn list(&mut self, directory: &Path, depth: usize, must_end: MustEnd<'_>) -> Result<Vec<Next>, String> {
        let shown = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
        let said = |error: std::io::Error| format!("{}: {error}", shown.display());
        let mut inside: Vec<(Vec<u8>, Next)> = Vec::new();
        for entry in std::fs::read_dir(self.root.path().join(directory)).map_err(said)? {
            if self.seen.is_multiple_of(ENTRIES_AT_ONCE)
                && let Some(reason) = must_end()
            {
                return Err(reason);
            }
            self.seen += 1;
            if self.seen > ENTRIES {
                return Err(format!("there are more than {ENTRIES} files and directories to look through"));
            }
            if let Some(next) = self.consider(directory, &entry.map_err(said)?, depth) {
                let name = match &next {
                    Next::File(path) => path.as_os_str().as_bytes().to_owned(),
                    Next::Directory { path, .. } => [path.as_os_str().as_bytes(), b"/"].concat(),
                };
                inside.push((name, next));
            }
        }
        inside.sort_by(|(one, _), (other, _)| one.cmp(other));
        Ok(inside.into_iter().map(|(_, next)| next).collect())
    }

    fn consider(&self, directory: &Path, entry: &DirEntry, depth: usize) -> Option<Next> {
        let name = entry.file_name();
        let path = directory.join(&name);
        let kind = entry.file_type().ok()?;
        let is_link = kind.is_symlink();
        // A dangling link counts as a file, which is then found missing.
        let leads_to_directory = is_link && entry.path().metadata().is_ok_and(|target| target.is_dir());
        let hidden = name.as_bytes().starts_with(b".");
        if !kind.is_dir() && !leads_to_directory {
            let named = (!hidden || self.hidden_files) && self.matcher.is_match(&path);
            return named.then_some(Next::File(path));
        }
        let is_passed_over = self.passed_over.iter().any(|passed| name == OsStr::new(passed));
        let within = match self.depth {
            Some(bound) => depth < bound && (!is_link || self.stays_inside(&path)),
            None => !is_link,
        };
        let enters = within && !is_passed_over && (!hidden || self.hidden_directories);
        enters.then_some(Next::Directory { path, depth: depth + 1 })
    }

    fn stays_inside(&self, path: &Path) -> bool {
        !self.root.look(path).is_err_and(|found| matches!(*found, FileState::Outside { .. }))
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests make the files that are found")]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn workspace(files: &[&str]) -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        for file in files {
            let path = directory.path().join("workspace").join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        directory
    }

    fn named(directory: &tempfile::TempDir, pattern: &str) -> Named {
        find(&Root::open(&directory.path().join("workspace")).unwrap(), pattern, &mut || None)
    }

    fn found(directory: &tempfile::TempDir, pattern: &str) -> Vec<String> {
        let named = named(directory, pattern);
        assert_eq!((&named.failure, named.truncated), (&None, false), "{pattern}");
        named.paths.iter().map(|path| path.to_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn patterns_name_what_shells_would() {
        let directory = workspace(&[
            "a.js",
            "b.ts",
            "src/a.js",
            "src/deep/b.js",
            "src-x/a.js",
            ".env",
            ".github/ci.yml",
            ".github/.hidden/x.yml",
            "src/.cache/c.js",
            "node_modules/p/a.js",
            ".git/config.js",
        ]);
        for (pattern, expected) in [
            ("*.js", vec!["a.js"]),
            ("*", vec!["a.js", "b.ts"]),
            ("**/*.js", vec!["a.js", "src-x/a.js", "src/a.js", "src/deep/b.js"]),
            ("src/**", vec!["src/a.js", "src/deep/b.js"]),
            ("src/*", vec!["src/a.js"]),
            ("s?c/a.[jt]s", vec!["src/a.js"]),
            ("{src,src-x}/a.js", vec!["src-x/a.js", "src/a.js"]),
            ("{src/deep,src-x}/*.js", vec!["src-x/a.js", "src/deep/b.js"]),
            (".*", vec![".env"]),
            (".github/**/*.yml", vec![".github/ci.yml"]),
            ("**/.cache/*.js", vec!["src/.cache/c.js"]),
            ("node_modules/**/*.js", vec!["node_modules/p/a.js"]),
            ("**/node_modules/*/a.js", vec!["node_modules/p/a.js"]),
            ("src/a.js", vec!["src/a.js"]),
            ("gone/**", vec![]),
            ("a.js/*", vec![]),
            ("*.rs", vec![]),
        ] {
            assert_eq!(found(&directory, pattern), expected, "{pattern}");
        }
    }

    #[test]
    fn links_are_not_followed_in_circles_or_out() {
        let directory = workspace(&["src/a.js", "lib/b.js"]);
        let workspace = directory.path().join("workspace");
        fs::create_dir(directory.path().join("outside")).unwrap();
        fs::write(directory.path().join("outside/secret.js"), "x").unwrap();
        symlink("..", workspace.join("src/up")).unwrap();
        symlink("../outside", workspace.join("out")).unwrap();
        symlink("lib", workspace.join("linked")).unwrap();
        symlink("nothing", workspace.join("dangling.js")).unwrap();
        symlink("../outside/secret.js", workspace.join("secret.js")).unwrap();
        assert_eq!(found(&directory, "**/*.js"), ["dangling.js", "lib/b.js", "secret.js", "src/a.js"]);
        assert_eq!(found(&directory, "*/*.js"), ["lib/b.js", "linked/b.js", "src/a.js"]);
        assert_eq!(found(&directory, "linked/*.js"), ["linked/b.js"]);
        let failure = named(&directory, "out/*.js").failure.unwrap();
        assert!(failure.starts_with("out leads outside, to /"), "{failure}");
    }

    #[test]
    fn more_files_than_are_looked_at_are_told() {
        let names: Vec<String> = (0..=limit::GLOB_FILES).map(|number| format!("f/{number:04}")).collect();
        let directory = workspace(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let named = named(&directory, "f/*");
        assert_eq!((named.paths.len(), named.truncated, named.failure), (limit::GLOB_FILES, true, None));
        assert_eq!(named.paths.last().unwrap(), Path::new("f/0999"));
    }

    #[test]
    fn what_is_no_pattern_and_what_must_end_are_failures() {
        let directory = workspace(&["a"]);
        assert!(named(&directory, "[a").failure.unwrap().starts_with("it is not a pattern: "));
        let root = Root::open(&directory.path().join("workspace")).unwrap();
        let ended = find(&root, "*", &mut || Some("the deadline passed".to_owned()));
        assert_eq!(ended.failure.as_deref(), Some("the deadline passed"));
    }
}
