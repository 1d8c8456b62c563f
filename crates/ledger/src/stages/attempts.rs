//! The files of earlier attempts at a stage: one directory each, complete or absent.

use std::fs::File;

use referee_model::stage::path::StagePath;

use super::stream;
use crate::directory::{self, Directory};
use crate::error::LedgerError;

/// Name of the directory of attempts, in a stage's directory.
pub(super) const ATTEMPTS: &str = "attempts";

/// Stores files as an attempt.
pub(super) fn keep(attempts: &Directory, attempt: u32, files: Vec<(&StagePath, File)>) -> Result<(), LedgerError> {
    let name = format!("{attempt:03}");
    if let Some(kept) = attempts.child(&name)? {
        // Each file is written atomically, so the stored attempt is complete at any time.
        return files.into_iter().try_for_each(|(path, file)| put(&kept, path, file));
    }
    let unfinished = format!(".{name}.partial");
    let left = attempts.path().join(&unfinished);
    directory::remove_tree(&left).map_err(LedgerError::io("remove", &left))?;
    let directory = attempts.make(&unfinished)?;
    files.into_iter().try_for_each(|(path, file)| put(&directory, path, file))?;
    if attempts.move_to(&unfinished, attempts, &name)? {
        return attempts.sync();
    }
    let what = format!("{name} came into being while it was written");
    Err(LedgerError::Meddled { path: attempts.path().to_path_buf(), what })
}

fn put(directory: &Directory, path: &StagePath, file: File) -> Result<(), LedgerError> {
    let parts: Vec<&str> = path.parts().collect();
    let (name, directories) = parts.split_last().unwrap_or((&"", &[]));
    stream::copy(file, &directory.make_below(directories)?, name).map(drop)
}
