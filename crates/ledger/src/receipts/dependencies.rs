//! Markers of the state of installed dependencies: git ignores their files, so no digest of the inputs covers
//! them (design, "Tree digest": "dependency markers").

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use referee_model::id::{Digest, WorkspacePath};
use referee_model::limit;
use rustix::fs::{CWD, OFlags};

use crate::directory;
use crate::error::LedgerError;

/// Files that package managers write on every installation, and files that tools load and projects ignore.
const MARKERS: [&str; 19] = [
    "node_modules/.package-lock.json",
    "node_modules/.yarn-state.yml",
    "node_modules/.yarn-integrity",
    "node_modules/.modules.yaml",
    "node_modules/.pnpm/lock.yaml",
    ".pnp.cjs",
    ".pnp.data.json",
    ".venv/pyvenv.cfg",
    "venv/pyvenv.cfg",
    "env/pyvenv.cfg",
    "vendor/modules.txt",
    "vendor/composer/installed.json",
    ".bundle/config",
    ".npmrc",
    ".env",
    ".env.local",
    ".env.test",
    ".env.test.local",
    ".envrc",
];

/// Directories whose existence alone is a marker.
const PACKAGE_DIRECTORIES: [&str; 6] = ["node_modules", ".venv", "venv", "vendor", "vendor/bundle", "__pypackages__"];

/// Directories of Python virtual environments.
const ENVIRONMENTS: [&str; 3] = [".venv", "venv", "env"];

/// Maximum number of directories in which markers are searched.
const DIRECTORIES: usize = 64;

/// Maximum number of names read from one directory.
const NAMES: usize = 100_000;

/// Returns the digests of the dependency markers in the directories that checks run in, and in their ancestors
/// up to the workspace, by path relative to the workspace. Missing markers are left out.
///
/// # Errors
/// Fails if a marker cannot be read or is larger than [`limit::DEPENDENCY_MARKER_BYTES`], and if checks run in
/// too many directories.
pub fn dependencies<'path>(
    workspace: &Path,
    directories: impl IntoIterator<Item = &'path WorkspacePath>,
) -> Result<BTreeMap<String, Digest>, LedgerError> {
    let mut found = BTreeMap::new();
    let searched = with_ancestors(directories);
    if searched.len() > DIRECTORIES {
        let reason =
            format!("checks run in more than {DIRECTORIES} directories: what is installed there is not looked at");
        return Err(LedgerError::Unreadable { path: workspace.to_path_buf(), reason });
    }
    for directory in searched {
        let at = workspace.join(&directory);
        let mut put = |name: &str, digest| found.insert(directory.join(name).to_string_lossy().into_owned(), digest);
        for name in MARKERS {
            if let Some(bytes) = marker(&at.join(name))? {
                put(name, Digest::of(&bytes));
            }
        }
        for name in PACKAGE_DIRECTORIES.iter().filter(|name| at.join(name).is_dir()) {
            put(name, Digest::of(b"a directory"));
        }
        for name in ENVIRONMENTS {
            for packages in site_packages(&at.join(name)) {
                let below = packages.strip_prefix(&at).unwrap_or(&packages).to_string_lossy().into_owned();
                put(&below, installed(&packages)?);
            }
        }
    }
    Ok(found)
}

/// Returns the directories and their ancestors, up to the workspace.
fn with_ancestors<'path>(directories: impl IntoIterator<Item = &'path WorkspacePath>) -> BTreeSet<PathBuf> {
    let mut searched = BTreeSet::from([PathBuf::new()]);
    for directory in directories {
        let above = Path::new(directory.as_str()).ancestors().map(Path::to_path_buf);
        searched.extend(above);
        if searched.len() > DIRECTORIES {
            break;
        }
    }
    searched
}

/// Reads a marker. None: it does not exist. Links to files are followed: some package managers create them.
fn marker(path: &Path) -> Result<Option<Vec<u8>>, LedgerError> {
    match path.canonicalize() {
        Ok(real) if real.is_file() => {
            let file = directory::open_file(CWD, &real, &real, OFlags::RDONLY, 0)?;
            directory::read_bounded(&file, &real, limit::DEPENDENCY_MARKER_BYTES).map(Some)
        }
        // Named pipes and directories are no markers.
        Ok(_) => Ok(None),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => Ok(None),
        Err(error) => Err(LedgerError::io("look at", path)(error)),
    }
}

/// Returns the package directories of a Python environment: `lib/python3.12/site-packages`.
fn site_packages(environment: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(environment.join("lib")) else { return Vec::new() };
    let mut found: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path().join("site-packages"))
        .filter(|packages| packages.is_dir())
        .take(DIRECTORIES)
        .collect();
    found.sort();
    found
}

/// Returns the digest of the packages that are installed in a directory: the names `NAME-VERSION.dist-info`
/// hold name and version. Files that Python runs at startup are included with their content.
fn installed(packages: &Path) -> Result<Digest, LedgerError> {
    let wrong = |error: std::io::Error| LedgerError::io("list", packages)(error);
    let mut installed = BTreeSet::new();
    for entry in std::fs::read_dir(packages).map_err(wrong)?.take(NAMES) {
        let entry = entry.map_err(wrong)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_telling = [".dist-info", ".egg-info", ".egg-link", ".pth"].iter().any(|end| name.ends_with(end));
        let is_path_file = Path::new(&name).extension().is_some_and(|extension| extension == "pth");
        let is_run = is_path_file || name == "sitecustomize.py" || name == "usercustomize.py";
        if is_telling || is_run {
            let content = if is_run { marker(&entry.path())? } else { None };
            installed.insert(format!(
                "{name}\0{}",
                content.map_or_else(String::new, |bytes| Digest::of(&bytes).to_string())
            ));
        }
    }
    Ok(Digest::of(installed.into_iter().collect::<Vec<_>>().join("\n")))
}
