//! The files of a directory that say what it is, read once and within bounds.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;

use super::text::has_extension;
use crate::read;
use crate::source::quote;

/// Deepest directory that is looked into. Packages of Java lie deep.
const DEPTH: usize = 24;
/// Deepest directory that may be a project.
const PROJECT_DEPTH: usize = 5;
/// Most files and directories that are noted.
const ENTRIES: usize = 20_000;
/// Largest file that is read, in bytes.
const FILE_BYTES: u64 = 1024 * 1024;
/// Most that is read of all files, in bytes.
const ALL_BYTES: usize = 32 * 1024 * 1024;
/// Most sources that are read to see whether they hold tests.
const SOURCES: usize = 400;

/// Directories that hold what others wrote or what tools made. Their names are noted, and they are not entered.
const PASSED_OVER: &[&str] = &[
    "node_modules",
    "bower_components",
    "vendor",
    "target",
    "dist",
    "build",
    "out",
    "coverage",
    "evidence",
    "__pycache__",
    "venv",
    "env",
    "site-packages",
    "obj",
    "bin",
    "Pods",
    "DerivedData",
    "_build",
    "deps",
    "cmake-build-debug",
];

/// Files that say something, by name.
const TELLING: &[&str] = &[
    "package.json",
    "pnpm-workspace.yaml",
    "biome.json",
    "biome.jsonc",
    "bunfig.toml",
    "turbo.json",
    "nx.json",
    "angular.json",
    "lerna.json",
    "pyproject.toml",
    "setup.cfg",
    "tox.ini",
    "setup.py",
    "pytest.ini",
    "noxfile.py",
    "Pipfile",
    "mypy.ini",
    "ruff.toml",
    ".ruff.toml",
    ".eslintrc.json",
    ".pre-commit-config.yaml",
    "Cargo.toml",
    "go.mod",
    ".golangci.yml",
    ".golangci.yaml",
    ".golangci.json",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "settings.gradle",
    "settings.gradle.kts",
    "Makefile",
    "makefile",
    "GNUmakefile",
    "CMakeLists.txt",
    "CMakePresets.json",
    "meson.build",
    "composer.json",
    "Gemfile",
    "Rakefile",
    "rakefile",
    "justfile",
    "Justfile",
    ".gitlab-ci.yml",
    ".gitignore",
    ".prettierignore",
    ".node-version",
    "Taskfile.yml",
    "manage.py",
];

/// A directory, as far as it says what it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tree {
    /// All files that were seen, by path relative to the root.
    files: BTreeSet<String>,
    /// All directories that were seen, whether or not they were entered.
    directories: BTreeSet<String>,
    /// Directories that were entered; the root is the empty text.
    entered: BTreeSet<String>,
    /// What stands in the files that say something.
    texts: BTreeMap<String, String>,
    notes: Vec<String>,
}

impl Tree {
    /// Looks at a directory on disk. Links are not followed; what cannot be read is noted.
    pub fn look(root: &Path) -> Self {
        let mut tree = Self::default();
        tree.entered.insert(String::new());
        let mut walk = Walk { root, sources: 0, bytes: 0, full: false };
        // Nearer directories first: they say what the project is, should there be too many.
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

    /// Makes a tree of files and their texts, for those who have no disk.
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

    /// The directories that may be projects, nearer ones first.
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

    /// Whether nothing at all is in the directory, hidden files aside.
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
    /// Notes what is in a directory, and returns the directories that are to be entered.
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

    /// A link is a file like others where nothing has to be read from it.
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

    /// Notes the programs of a virtual environment of Python, which is not entered, and the tools installed for Node.
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

/// Whether a directory of this name is entered. Only plain names are: they go into command lines and paths.
fn is_entered(name: &str) -> bool {
    let plain = |character: char| character.is_alphanumeric() || "._-@+ ".contains(character);
    if PASSED_OVER.contains(&name) || !name.chars().all(plain) || name.starts_with('-') {
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
    TELLING.contains(&name)
        || (starts(&["tsconfig"]) && ends(&[".json"]))
        || (starts(&["requirements"]) && ends(&[".txt"]))
        || starts(&["vite.config.", "vitest.config.", "playwright.config.", "cypress.config.", "astro.config."])
        || ends(&[".csproj", ".fsproj", ".vbproj", ".sln", ".slnx"])
}

/// Whether a file is a source that may hold tests, or be one.
fn is_source(name: &str) -> bool {
    let python = has_extension(name, "py") && (name.starts_with("test") || name.ends_with("_test.py"));
    let ruby = name.ends_with("_test.rb") || name.starts_with("test_") && has_extension(name, "rb");
    let script = [".test.js", ".test.mjs", ".test.cjs"].iter().any(|ending| name.ends_with(ending));
    python || ruby || script || has_extension(name, "rs") || name == "meson.build"
}
