//! The directories that existed when a tree was copied: new entries of a workspace are named by their outermost
//! new directory, and removed with it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::LedgerError;
use crate::tree::Listing;

/// The directories of a workspace that contain inputs, and their direct subdirectories. Directories further
/// down are not known.
#[derive(Debug)]
pub(super) struct Directories {
    /// Directories that were listed; the workspace is the empty path.
    entered: BTreeSet<PathBuf>,
    there: BTreeSet<PathBuf>,
}

impl Directories {
    pub(super) fn look(workspace: &Path, listing: &Listing) -> Result<Self, LedgerError> {
        let above = listing.entries().iter().flat_map(|entry| entry.path.ancestors().skip(1));
        let mut entered: BTreeSet<PathBuf> = above.map(Path::to_path_buf).collect();
        entered.insert(PathBuf::new());
        let mut there = BTreeSet::new();
        for directory in &entered {
            there.extend(children(workspace, directory)?);
        }
        Ok(Self { entered, there })
    }

    pub(super) fn outermost_new<'path>(&self, path: &'path Path) -> &'path Path {
        let above: Vec<&Path> =
            path.ancestors().skip(1).filter(|directory| !directory.as_os_str().is_empty()).collect();
        above.into_iter().rev().find(|directory| !self.there.contains(*directory)).unwrap_or(path)
    }

    /// Removes new directories that contain no file. A directory that cannot be examined or removed stays.
    pub(super) fn remove_new_empty(&self, workspace: &Path) {
        for directory in &self.entered {
            for child in children(workspace, directory).unwrap_or_default() {
                let path = workspace.join(&child);
                if !self.there.contains(&child) && holds_no_file(&path) {
                    let _ = fs::remove_dir_all(path);
                }
            }
        }
    }
}

/// Returns the direct subdirectories of a directory, without following links.
fn children(workspace: &Path, directory: &Path) -> Result<Vec<PathBuf>, LedgerError> {
    let path = workspace.join(directory);
    let mut children = Vec::new();
    for entry in fs::read_dir(&path).map_err(LedgerError::io("list", &path))? {
        let entry = entry.map_err(LedgerError::io("list", &path))?;
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            children.push(directory.join(entry.file_name()));
        }
    }
    Ok(children)
}

fn holds_no_file(directory: &Path) -> bool {
    let Ok(entries) = fs::read_dir(directory) else { return false };
    entries.into_iter().all(|entry| {
        entry.is_ok_and(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()) && holds_no_file(&entry.path()))
    })
}
