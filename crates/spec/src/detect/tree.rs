//! Files of a directory that identify the project, read once and within limits.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;

use super::TOOLS;
use super::text::has_extension;
use crate::read;
use crate::source::quote;

/// Maximum depth of directories that are listed. Packages of Java are deep.
const DEPTH: usize = 24;
/// Maximum depth of directories that may be projects.
const PROJECT_DEPTH: usize = 5;
/// Maximum number of files and directories.
const ENTRIES: usize = 20_000;
/// Maximum size of a file that is read, in bytes.
const FILE_BYTES: u64 = 1024 * 1024;
/// Maximum total size of files that are read, in bytes.
const ALL_BYTES: usize = 32 * 1024 * 1024;
/// Maximum number of sources that are searched for tests.
const SOURCES: usize = 400;

/// Listing of a directory, with the texts of informative files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tree {
    /// All files, by path relative to the root.
    files: BTreeSet<String>,
    /// All directories, whether or not they were entered.
    directories: BTreeSet<String>,
    /// Directories that were entered; the root is the empty string.
    entered: BTreeSet<String>,
    /// Texts of informative files, by path.
    texts: BTreeMap<String, String>,
    notes: Vec<String>,
}

impl Tree {
    /// Lists a directory on disk. Links are not followed; unreadable files are recorded.
    pub fn look(root: &Path) -> Self {
        let mut tree = Self::default();
        tree.entered.insert(String::new());
        let mut walk = Walk { root, sources: 0, bytes: 0, full: false };
        // Upper directories first: they identify the project, in case there are too many.
        let mut waiting = VecDeque::from([(String::new(), 0)]);
        while let Some((directory, depth)) = waiting.pop_front() {
            let within = walk.directory(&directory, depth, &mut tree);
            waiting.extend(within.into_iter().map(|inner| (inner, depth + 1)));
        }
        if walk.full {
            tree.notes.push(format!("the directory holds more than {ENTRIES} files; the others were not looked at"));
        }
        tree
    }

    /// Creates a tree from files and their texts, without a disk.
    pub fn of<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut tree = Self::default();
        tree.entered.insert(String::new());
        for (path, text) in files {
            for (at, _) in path.match_indices('/') {
                let directory = &path[..at];
                tree.directories.insert(directory.to_owned());
                if directory.split('/').all(is_entered) {
                    tree.entered.insert(directory.to_owned());
                }
            }
            tree.files.insert(path.to_owned());
            tree.texts.insert(path.to_owned(), text.to_owned());
        }
        tree
    }

    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.texts.get(path).map(String::as_str)
    }

    pub(super) fn has_file(&self, path: &str) -> bool {
        self.files.contains(path)
    }

    pub(super) fn has_directory(&self, path: &str) -> bool {
        self.directories.contains(path)
    }

    pub(super) fn files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(String::as_str)
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.texts.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// Returns the directories that may be projects, upper ones first.
    pub(super) fn directories(&self) -> Vec<&str> {
        let depth = |directory: &str| if directory.is_empty() { 0 } else { directory.matches('/').count() + 1 };
        let mut directories: Vec<&str> =
            self.entered.iter().map(String::as_str).filter(|directory| depth(directory) <= PROJECT_DEPTH).collect();
        directories.sort_by_key(|directory| (depth(directory), directory.to_owned()));
        directories
    }

    pub(super) fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Returns whether the directory is empty, except for hidden files.
    pub fn is_empty(&self) -> bool {
        self.files.iter().chain(&self.directories).all(|path| path.starts_with('.'))
    }
}

/// One walk over a directory.
struct Walk<'a> {
    root: &'a Path,
    sources: usize,
    bytes: usize,
    full: bool,
}

impl Walk<'_> {
    /// Lists a directory, and returns the subdirectories to enter.
    fn directory(&mut self, directory: &str, depth: usize, tree: &mut Tree) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.root.join(directory)) else {
            tree.notes
                .push(format!("{} cannot be looked into", quote(if directory.is_empty() { "." } else { directory })));
            return Vec::new();
        };
        let mut names: Vec<_> = entries.filter_map(Result::ok).take(ENTRIES).collect();
        names.sort_by_key(std::fs::DirEntry::file_name);
        let mut directories = Vec::new();
        for entry in names {
            if tree.files.len() + tree.directories.len() >= ENTRIES {
                self.full = true;
                return Vec::new();
            }
            let Ok(kind) = entry.file_type() else { continue };
            let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
            let path = if directory.is_empty() { name.clone() } else { format!("{directory}/{name}") };
            if kind.is_symlink() {
                self.link(&name, path, tree);
            } else if kind.is_dir() {
                tree.directories.insert(path.clone());
                directories.push((name, path));
            } else if kind.is_file() {
                self.file(&name, path, tree);
            }
        }
        let mut within = Vec::new();
        for (name, path) in directories {
            if !is_entered(&name) {
                self.environment(&name, &path, tree);
            } else if depth < DEPTH {
                tree.entered.insert(path.clone());
                within.push(path);
            }
        }
        within
    }

    /// Records a link, which counts as a file if it need not be read.
    fn link(&self, name: &str, path: String, tree: &mut Tree) {
        if is_telling(&path, name) {
            tree.notes.push(format!("{} is a link: it was not followed", quote(&path)));
        } else if self.root.join(&path).is_dir() {
            tree.directories.insert(path);
        } else {
            tree.files.insert(path);
        }
    }

    fn file(&mut self, name: &str, path: String, tree: &mut Tree) {
        let is_source = is_source(name);
        if is_telling(&path, name) || (is_source && self.sources < SOURCES) {
            self.sources += usize::from(is_source);
            match self.read(&path) {
                Ok(text) => drop(tree.texts.insert(path.clone(), text)),
                Err(_) if is_source => {}
                Err(why) => tree.notes.push(format!("{} was passed over: {why}", quote(&path))),
            }
        }
        tree.files.insert(path);
    }

    fn read(&mut self, path: &str) -> Result<String, &'static str> {
        if self.bytes >= ALL_BYTES {
            return Err("too much was read already");
        }
        let bytes = read::file(&self.root.join(path), FILE_BYTES).map_err(|_| "it cannot be read")?;
        self.bytes += bytes.len();
        if u64::try_from(bytes.len()).is_ok_and(|length| length > FILE_BYTES) {
            return Err("it is larger than 1 MiB");
        }
        let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text")?;
        if text.contains('\0') { Err("it is not text") } else { Ok(text) }
    }

    /// Records the programs of a Python virtual environment, which is not entered, and the tools installed for Node.
    fn environment(&self, name: &str, path: &str, tree: &mut Tree) {
        let programs: &[&str] = match name {
            "venv" | "env" => &["bin/python"],
            "vendor" => &["bin/phpunit", "bin/pest", "bin/phpstan", "bin/phpcs"],
            "build" => &["CMakeCache.txt", "build.ninja"],
            "bin" => &["rails"],
            _ => &[],
        };
        for program in programs {
            if self.root.join(path).join(program).exists() {
                tree.files.insert(format!("{path}/{program}"));
            }
        }
        let is_empty = || std::fs::read_dir(self.root.join(path)).is_ok_and(|mut entries| entries.next().is_none());
        if name == "build" && !is_empty() {
            tree.files.insert(format!("{path}/."));
        }
    }
}

/// Returns whether a directory of this name is entered. Only plain names are: they become part of command lines
/// and paths.
fn is_entered(name: &str) -> bool {
    let plain = |character: char| character.is_alphanumeric() || "._-@+ ".contains(character);
    if TOOLS.holds("directories.passed-over", name) || !name.chars().all(plain) || name.starts_with('-') {
        return false;
    }
    !name.starts_with('.') || matches!(name, ".github")
}

fn is_telling(path: &str, name: &str) -> bool {
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    let starts = |starts: &[&str]| starts.iter().any(|start| name.starts_with(start));
    if path.starts_with(".github/") {
        return path.starts_with(".github/workflows/") && ends(&[".yml", ".yaml"]);
    }
    TOOLS.holds("files.telling", name)
        || (starts(&["tsconfig"]) && ends(&[".json"]))
        || (starts(&["requirements"]) && ends(&[".txt"]))
        || starts(&["vite.config.", "vitest.config.", "playwright.config.", "cypress.config.", "astro.config."])
        || ends(&[".csproj", ".fsproj", ".vbproj", ".sln", ".slnx"])
}

/// Returns whether a file is a source that may contain tests, or be one.
fn is_source(name: &str) -> bool {
    let python = has_extension(name, "py") && (name.starts_with("test") || name.ends_with("_test.py"));
    let ruby = name.ends_with("_test.rb") || name.starts_with("test_") && has_extension(name, "rb");
    let script = [".test.js", ".test.mjs", ".test.cjs"].iter().any(|ending| name.ends_with(ending));
    python || ruby || script || has_extension(name, "rs") || name == "meson.build"
}
