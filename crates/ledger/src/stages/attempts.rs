//! What earlier attempts at a stage left: a folder each, complete or not there.

use std::fs::File;

use referee_model::stage::path::StagePath;

use super::stream;
use crate::error::LedgerError;
use crate::folder::{self, Folder};

/// Where attempts are kept, in a stage's directory.
pub(super) const ATTEMPTS: &str = "attempts";

/// Keeps files as an attempt.
pub(super) fn keep(attempts: &Folder, attempt: u32, files: Vec<(&StagePath, File)>) -> Result<(), LedgerError> {
    let name = format!("{attempt:03}");
    if let Some(kept) = attempts.child(&name)? {
        // Each file is put there in one step, so that what is kept is complete at any time.
        return files.into_iter().try_for_each(|(path, file)| put(&kept, path, file));
    }
    let unfinished = format!(".{name}.partial");
    let left = attempts.path().join(&unfinished);
    folder::remove_tree(&left).map_err(LedgerError::io("remove", &left))?;
    let folder = attempts.make(&unfinished)?;
    files.into_iter().try_for_each(|(path, file)| put(&folder, path, file))?;
    if attempts.move_to(&unfinished, attempts, &name)? {
        return attempts.sync();
    }
    let what = format!("{name} came into being while it was written");
    Err(LedgerError::Meddled { path: attempts.path().to_path_buf(), what })
}

fn put(folder: &Folder, path: &StagePath, file: File) -> Result<(), LedgerError> {
    let parts: Vec<&str> = path.parts().collect();
    let (name, folders) = parts.split_last().unwrap_or((&"", &[]));
    stream::copy(file, &folder.make_below(folders)?, name).map(drop)
}
