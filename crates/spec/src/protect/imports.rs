//! Files of a workspace that a source names: by imports, and by quoted paths.

use std::collections::BTreeSet;
use std::ops::Bound;

use referee_model::id::WorkspacePath;
use referee_syntax::quotation::quoted;

/// Extensions of code in the supported languages.
const CODE: [&str; 22] = [
    "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "py", "go", "rs", "java", "kt", "c", "h", "cc", "cpp", "hpp",
    "rb", "php", "cs", "sh",
];

/// Extensions of compiled code with those of its sources.
const COMPILED: [(&str, &str); 4] = [(".js", ".ts"), (".js", ".tsx"), (".mjs", ".mts"), (".cjs", ".cts")];

/// Maximum length of a quoted text that may be a path, in bytes.
const PATH_BYTES: usize = 300;

/// Maximum number of files in a named directory.
const FILES_OF_DIRECTORY: usize = 1_000;

pub(super) fn is_code(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, ending)| CODE.contains(&ending))
}

/// Index of the files of a workspace by the names that sources use.
pub(super) struct Workspace<'a, 'b> {
    files: &'b BTreeSet<&'a str>,
    /// Paths of Go modules, with their directories.
    modules: Vec<(String, &'a str)>,
}

impl<'a, 'b> Workspace<'a, 'b> {
    pub(super) fn new(files: &'b BTreeSet<&'a str>, text: &dyn Fn(&str) -> Option<String>) -> Self {
        let of_go = |path: &&&str| super::is_named(path, "go.mod");
        let module = |path: &&'a str| {
            let text = text(path)?;
            let name = text.lines().find_map(|line| line.strip_prefix("module "))?.trim().to_owned();
            Some((name, path.strip_suffix("go.mod")?.trim_end_matches('/')))
        };
        Self { files, modules: files.iter().filter(of_go).filter_map(module).collect() }
    }

    /// Returns the files that a source names.
    pub(super) fn named_in(&self, path: &str, text: &str) -> BTreeSet<&'a str> {
        let mut found = BTreeSet::new();
        let directory = super::parent_directory(path);
        let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
        for line in text.lines() {
            match ending {
                "py" => self.python(directory, line.trim(), &mut found),
                "rs" => self.rust(path, line.trim(), &mut found),
                _ => {}
            }
            let texts = quoted(line);
            for (at, first) in texts.iter().enumerate() {
                self.text(directory, first, &mut found);
                if ending == "go" {
                    self.go(first, &mut found);
                }
                // Handles `join(__dirname, 'fixtures', 'a.json')`.
                let mut joined = (*first).to_owned();
                for next in texts.iter().skip(at + 1).take(4) {
                    joined = format!("{joined}/{next}");
                    self.text(directory, &joined, &mut found);
                }
            }
        }
        found.remove(path);
        found
    }

    /// Adds the file or directory that a quoted text names, relative to the source's directory or one above it.
    fn text(&self, directory: &str, written: &str, found: &mut BTreeSet<&'a str>) {
        if written.is_empty()
            || written.len() > PATH_BYTES
            || written.contains(char::is_whitespace)
            || written.starts_with('/')
        {
            return;
        }
        let is_relative = written.starts_with('.');
        for base in around(directory).take(if is_relative { 1 } else { usize::MAX }) {
            let Some(path) = joined(base, written) else { continue };
            if let Some(file) = self.files.get(path.as_str()) {
                found.insert(file);
                return;
            }
            if is_relative && let Some(file) = self.module(&path) {
                found.insert(file);
                return;
            }
            let before = found.len();
            let inner = format!("{path}/");
            // A directory alone means all its files, unless it contains production code.
            if !path.is_empty() && tells_tests(&path) {
                let range = self.below(&inner);
                found.extend(range.take(FILES_OF_DIRECTORY));
            }
            if found.len() > before {
                return;
            }
        }
    }

    /// Returns the files below a directory, whose path ends with a slash.
    fn below<'c>(&'c self, directory: &'c str) -> impl Iterator<Item = &'a str> + 'c {
        let range = (Bound::Included(directory), Bound::Unbounded);
        self.files.range::<str, _>(range).copied().take_while(move |file| file.starts_with(directory))
    }

    /// Returns whether there are files below a directory.
    pub(super) fn holds(&self, directory: &str) -> bool {
        self.below(&format!("{directory}/")).next().is_some()
    }

    /// Returns the file for a path as written in a source of a directory; extensions may be omitted.
    pub(super) fn resolved(&self, directory: &str, written: &str) -> Option<&'a str> {
        let path = joined(directory, written)?;
        self.files.get(path.as_str()).copied().or_else(|| self.module(&path))
    }

    /// Returns the files that a Python program imports from the workspace.
    pub(super) fn imported(&self, directory: &str, text: &str) -> BTreeSet<&'a str> {
        let mut found = BTreeSet::new();
        text.lines().for_each(|line| self.python(directory, line.trim(), &mut found));
        found
    }

    /// Returns the file of a Python module that is named in a directory.
    pub(super) fn named_module(&self, directory: &str, module: &str) -> Option<&'a str> {
        let mut found = BTreeSet::new();
        self.python_module(directory, module, &mut found);
        found.into_iter().next()
    }

    fn module(&self, path: &str) -> Option<&'a str> {
        let written = |ending: &str| self.files.get(format!("{path}{ending}").as_str()).copied();
        let compiled =
            |(from, to): &(&str, &str)| self.files.get(format!("{}{to}", path.strip_suffix(from)?).as_str()).copied();
        super::NAMES.words("modules.left-out").find_map(written).or_else(|| COMPILED.iter().find_map(compiled))
    }

    /// Handles `from a.b import c`, `import a.b`, `from . import c`.
    fn python(&self, directory: &str, line: &str, found: &mut BTreeSet<&'a str>) {
        let (module, names) = match line.strip_prefix("from ").and_then(|rest| rest.split_once(" import ")) {
            Some((module, names)) => (module.trim(), names),
            None => match line.strip_prefix("import ") {
                Some(modules) => {
                    for module in modules.split(',') {
                        let module = module.split_whitespace().next().unwrap_or_default();
                        self.python_module(directory, module, found);
                    }
                    return;
                }
                None => return,
            },
        };
        self.python_module(directory, module, found);
        for name in names.split([',', '(', ')']).filter_map(|name| name.split_whitespace().next()) {
            let dot = if module.ends_with('.') { "" } else { "." };
            self.python_module(directory, &format!("{module}{dot}{name}"), found);
        }
    }

    fn python_module(&self, directory: &str, module: &str, found: &mut BTreeSet<&'a str>) {
        let inner = module.trim_start_matches('.');
        let dots = module.len() - inner.len();
        let path = inner.replace('.', "/");
        let bases: Vec<&str> = match dots {
            0 => around(directory).chain(["src"]).collect(),
            dots => around(directory).skip(dots - 1).take(1).collect(),
        };
        for base in bases {
            let Some(path) = joined(base, &path) else { continue };
            let file =
                [".py", "/__init__.py"].iter().find_map(|ending| self.files.get(format!("{path}{ending}").as_str()));
            if let Some(file) = file {
                found.insert(file);
                return;
            }
        }
    }

    /// Handles `mod helpers;`.
    fn rust(&self, path: &str, line: &str, found: &mut BTreeSet<&'a str>) {
        let Some(name) = line.trim_start_matches("pub ").strip_prefix("mod ").and_then(|name| name.strip_suffix(';'))
        else {
            return;
        };
        let stem = path.strip_suffix(".rs").unwrap_or(path);
        let directory = super::parent_directory(path);
        for base in [stem, directory] {
            for file in [format!("{base}/{name}.rs"), format!("{base}/{name}/mod.rs")] {
                found.extend(self.files.get(file.trim_start_matches('/')));
            }
        }
    }

    /// Adds the files of a Go package of the workspace.
    fn go(&self, written: &str, found: &mut BTreeSet<&'a str>) {
        for (module, directory) in &self.modules {
            let Some(rest) = written.strip_prefix(module.as_str()) else { continue };
            let Some(package) = rest.strip_prefix('/').or(rest.is_empty().then_some("")) else { continue };
            let inner = [*directory, package]
                .iter()
                .filter(|part| !part.is_empty())
                .fold(String::new(), |path, part| format!("{path}{part}/"));
            let files = self.below(&inner);
            found.extend(files.filter(|file| !file[inner.len()..].contains('/') && file.strip_suffix(".go").is_some()));
        }
    }
}

/// Returns a directory and those above it, innermost first.
fn around(directory: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(directory), |directory| match directory.rsplit_once('/') {
        Some((outer, _)) => Some(outer),
        None => (!directory.is_empty()).then_some(""),
    })
}

fn tells_tests(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    referee_model::test_file::is_of_tests(path)
        || ["fixture", "testdata", "test-data", "golden", "snapshot", "cassette", "mock"]
            .iter()
            .any(|word| name.contains(word))
}

/// Returns a path below a directory, without `.` and `..`. None: it leaves the workspace.
pub(super) fn joined(directory: &str, written: &str) -> Option<String> {
    WorkspacePath::from_directory(directory, written).map(String::from)
}
