//! Reads files of other programs: with a size limit, and without blocking.

use std::io::Read;
use std::path::{Path, PathBuf};

use referee_model::limit;

/// Reads a file. None: it does not exist.
///
/// # Errors
/// Fails, with a message, if it is not a file, is too large, or cannot be read.
pub(super) fn read(path: &Path) -> Option<Result<Vec<u8>, String>> {
    match path.metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            // A dangling link is not the same as a missing file.
            path.symlink_metadata().is_ok().then(|| Err("it is a link that leads nowhere".to_owned()))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => None,
        Err(error) => Some(Err(error.to_string())),
        Ok(facts) if !facts.is_file() => Some(Err("it is not a file".to_owned())),
        Ok(facts) if facts.len() > limit::DOCTOR_FILE_BYTES => {
            Some(Err(format!("it is larger than {} bytes", limit::DOCTOR_FILE_BYTES)))
        }
        Ok(_) => {
            let mut bytes = Vec::new();
            let read = std::fs::File::open(path)
                .and_then(|file| file.take(limit::DOCTOR_FILE_BYTES).read_to_end(&mut bytes))
                .map_err(|error| error.to_string());
            Some(read.map(|_| bytes))
        }
    }
}

/// Lists the entries of a directory with this suffix, sorted; empty if it does not exist.
pub(super) fn entries(directory: &Path, ending: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let names = entries.flatten().map(|entry| entry.path());
    let is_meant = |path: &PathBuf| path.to_str().is_some_and(|path| path.ends_with(ending));
    let mut found: Vec<PathBuf> = names.filter(is_meant).take(limit::DOCTOR_FILES).collect();
    found.sort();
    found
}
