//! Where the specification is.

use std::path::{Path, PathBuf};

use crate::error::SpecError;

/// The names that a specification is found by.
pub const FILE_NAMES: [&str; 4] = ["referee.yaml", "referee.yml", "referee.json", "referee.jsonc"];

/// Finds the specification of a folder: the one in it, or in the nearest folder above that has one.
///
/// Several in one folder are an error, since nothing says which is meant.
pub fn find(start: &Path) -> Result<PathBuf, SpecError> {
    let start = start.canonicalize().map_err(|source| SpecError::io(start, source))?;
    for folder in start.ancestors() {
        let files: Vec<&str> = FILE_NAMES.into_iter().filter(|name| folder.join(name).is_file()).collect();
        match files.as_slice() {
            [] => {}
            [file] => return Ok(folder.join(file)),
            several => {
                let files = several.iter().map(|&name| name.to_owned()).collect();
                return Err(SpecError::Several { folder: folder.to_owned(), files });
            }
        }
    }
    Err(SpecError::NotFound { start })
}
