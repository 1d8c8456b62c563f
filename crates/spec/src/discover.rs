//! Finds specifications.

use std::path::{Path, PathBuf};

use crate::error::SpecError;

/// Names of specification files, in order of priority within a directory.
pub const FILE_NAMES: [&str; 4] = ["referee.yaml", "referee.yml", "referee.json", "referee.jsonc"];

/// Directories of third-party code, build output or evidence: no specification is searched in them.
const PASSED_OVER: [&str; 6] = ["node_modules", "target", "dist", "vendor", "evidence", "__pycache__"];

/// Maximum number of directories that are searched.
const DIRECTORIES: usize = 100_000;

/// A specification file that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discovered {
    pub file: PathBuf,
    /// Further specification files of the same directory. They are ignored, which should be reported.
    pub beside: Vec<&'static str>,
}

/// Finds the specification of a directory: the one in it, or in the nearest directory above that has one.
///
/// # Errors
/// Fails if there is none, or the directory cannot be read.
pub fn find(start: &Path) -> Result<Discovered, SpecError> {
    let start = start.canonicalize().map_err(|source| SpecError::io(start, source))?;
    start.ancestors().find_map(in_directory).ok_or(SpecError::NotFound { start })
}

/// Returns the directories that are searched for the specification of a directory: itself and those above,
/// nearest first.
pub fn places(start: &Path) -> Vec<PathBuf> {
    let start = start.canonicalize().unwrap_or_else(|_| start.to_owned());
    start.ancestors().flat_map(|directory| FILE_NAMES.map(|name| directory.join(name))).collect()
}

/// Finds the specifications of a directory and of all directories below it, sorted by path. Links to
/// directories are not followed; hidden directories, and those of dependencies, builds or evidence, are
/// skipped.
///
/// # Errors
/// Fails if there is none, if a directory cannot be read, or if there are more than 100 000 directories.
pub fn below(start: &Path) -> Result<Vec<Discovered>, SpecError> {
    let start = start.canonicalize().map_err(|source| SpecError::io(start, source))?;
    let mut found = Vec::new();
    let mut directories = vec![start.clone()];
    let mut looked_into = 0;
    while let Some(directory) = directories.pop() {
        looked_into += 1;
        if looked_into > DIRECTORIES {
            return Err(SpecError::io(&start, std::io::Error::other("too many directories to look into")));
        }
        found.extend(in_directory(&directory));
        let entries = std::fs::read_dir(&directory).map_err(|source| SpecError::io(&directory, source))?;
        for entry in entries {
            let entry = entry.map_err(|source| SpecError::io(&directory, source))?;
            let kind = entry.file_type().map_err(|source| SpecError::io(&directory, source))?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if kind.is_dir() && !is_passed_over(&name) {
                directories.push(entry.path());
            }
        }
    }
    found.sort_by(|one, other| one.file.cmp(&other.file));
    if found.is_empty() { Err(SpecError::NotBelow { start }) } else { Ok(found) }
}

/// Returns whether a path below a directory is excluded from the search.
pub fn passes_over(path: &Path) -> bool {
    path.components().any(|component| is_passed_over(&component.as_os_str().to_string_lossy()))
}

fn is_passed_over(name: &str) -> bool {
    name.starts_with('.') || PASSED_OVER.contains(&name)
}

fn in_directory(directory: &Path) -> Option<Discovered> {
    let mut names = FILE_NAMES.into_iter().filter(|name| directory.join(name).is_file());
    let file = directory.join(names.next()?);
    Some(Discovered { file, beside: names.collect() })
}
