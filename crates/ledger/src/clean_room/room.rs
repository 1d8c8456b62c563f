//! A clean room on disk.
//!
//! ```text
//! <state>/rooms/<project>-<n>.lock            held by the run that uses the room, as long as it does
//! <state>/rooms/<project>-<n>.kept            the room is to be kept (`--keep-room`)
//! <state>/rooms/<project>-<n>/<name>/         the tree; <name> is the name of the candidate's directory
//! <state>/rooms/<project>-<n>/staging/        dependencies that are being stored in the cache
//! <state>/rooms/<project>-<n>/history/        the repository of the tree, while it is being created
//! ```
//!
//! A project's room has the same path in every run, unless two are in use concurrently: tools write absolute
//! paths into installed files. A lock ends with its holder, however it ends; a room whose lock is free is a
//! leftover and is removed.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use referee_model::id::WorkspacePath;

use super::error::RoomError;
use super::layout::{self, Content};
use super::{candidate, copy};
use crate::contents::Stamp;
use crate::directory::{self, Directory, Kind};
use crate::error::LedgerError;
use crate::lock::{self, FileLock};
use crate::state::{Area, State, place_name};

/// The directory of a repository in the tree: not a file of the candidate, and never cached.
pub(super) const GIT: &str = ".git";

/// Maximum number of concurrent rooms of one project.
const PLACES: u32 = 64;

/// Inputs that a room is built from.
#[derive(Debug, Clone, Copy)]
pub struct Blueprint<'run> {
    /// Absolute path of the workspace, with symbolic links resolved.
    pub candidate: &'run Path,
    /// Directories that are not copied, such as that of the evidence.
    pub excluded: &'run [WorkspacePath],
    /// Patterns of the files that checks write.
    pub outputs: &'run [String],
    /// Protected files: their bytes at the baseline, or None for a file that the baseline does not have and
    /// that must not exist.
    pub protected: &'run BTreeMap<WorkspacePath, Option<Vec<u8>>>,
}

/// A source tree built for one run. Removed on drop, unless it is to be kept.
#[derive(Debug)]
pub struct Room {
    /// Directory of the room, which contains the tree.
    place: PathBuf,
    tree: PathBuf,
    candidate: PathBuf,
    inputs: BTreeMap<WorkspacePath, Stamp>,
    restored: Vec<WorkspacePath>,
    notes: Vec<String>,
    keep: bool,
    _lock: FileLock,
}

impl Room {
    /// Builds a room, after removing leftovers of killed runs.
    ///
    /// # Errors
    /// Fails if the candidate has files that cannot be copied, or if the state directory cannot be written to.
    /// Nothing is left then.
    pub fn build(state: &State, blueprint: &Blueprint<'_>) -> Result<Self, RoomError> {
        let rooms = state.open_area(Area::Rooms)?;
        let notes = remove_leftovers(&rooms)?;
        let mut room = Self::take_place(&rooms, blueprint.candidate)?;
        room.notes = notes;
        let mut layout = candidate::files(blueprint.candidate, blueprint.excluded, blueprint.outputs)?;
        let mut gone = layout::protect(&mut layout, blueprint.protected);
        layout::check_links(&layout)?;
        room.restored.append(&mut gone);
        let source = Directory::open(blueprint.candidate)?;
        for (path, content) in &layout {
            room.furnish(&source, path, content)?;
        }
        // Links come last, so that nothing is written through one.
        for (path, content) in &layout {
            if let Content::Link(target) = content {
                let failed = |source| RoomError::Copy { path: path.clone(), source };
                let at = room.make_way(path).map_err(failed)?;
                std::os::unix::fs::symlink(target, &at).map_err(failed)?;
                room.inputs.insert(path.clone(), Stamp::at(&at).map_err(failed)?);
            }
        }
        room.restored.sort();
        room.restored.dedup();
        Ok(room)
    }

    /// Returns the path of the tree, which is the workspace of the run.
    pub fn tree(&self) -> &Path {
        &self.tree
    }

    /// Returns the workspace that the room was built from.
    pub fn candidate(&self) -> &Path {
        &self.candidate
    }

    /// Returns the number of files and links in the tree when it was built.
    pub fn files(&self) -> u64 {
        self.inputs.len() as u64
    }

    /// Returns the protected files that the candidate had changed, or had added to the baseline; by path.
    pub fn restored(&self) -> &[WorkspacePath] {
        &self.restored
    }

    /// Returns notes about building the room, one sentence each.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Adds a note about building the room, one sentence.
    pub fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// Creates the empty directory in which a repository for the tree is built, beside the tree.
    ///
    /// # Errors
    /// Fails if the directory cannot be created.
    pub fn make_history(&self) -> Result<PathBuf, LedgerError> {
        let directory = self.place.join("history");
        std::fs::create_dir(&directory).map_err(LedgerError::io("make the directory", &directory))?;
        Ok(directory)
    }

    /// Moves the repository that was built into the tree. `shallow` are the commits at which its history ends,
    /// if it is incomplete.
    ///
    /// # Errors
    /// Fails if there is no repository, or if it cannot be moved.
    pub fn take_history(&self, shallow: &[String]) -> Result<(), LedgerError> {
        let made = self.place.join("history").join(GIT);
        if !shallow.is_empty() {
            let file = made.join("shallow");
            let text = shallow.join("\n") + "\n";
            std::fs::write(&file, text).map_err(LedgerError::io("write", &file))?;
        }
        std::fs::rename(&made, self.tree.join(GIT)).map_err(LedgerError::io("move", &made))
    }

    /// Marks the room to be kept after the run, and returns its path.
    ///
    /// # Errors
    /// Fails if the mark cannot be written.
    pub fn keep(&mut self) -> Result<&Path, LedgerError> {
        let mark = self.place.with_extension("kept");
        std::fs::write(&mark, "").map_err(LedgerError::io("write", &mark))?;
        self.keep = true;
        Ok(&self.tree)
    }

    pub(super) fn inputs(&self) -> &BTreeMap<WorkspacePath, Stamp> {
        &self.inputs
    }

    /// Returns a directory beside the tree, which is removed with it.
    pub(super) fn staging(&self) -> PathBuf {
        self.place.join("staging")
    }

    /// Takes the first free room of this project.
    fn take_place(rooms: &Directory, candidate: &Path) -> Result<Self, RoomError> {
        let project = project(candidate);
        for number in 0..PLACES {
            let name = format!("{project}-{number}");
            let Some(lock) = lock(rooms, &name)? else { continue };
            let place = rooms.path().join(name);
            if is_kept(&place) {
                continue;
            }
            let name = candidate.file_name().unwrap_or(OsStr::new("workspace"));
            let tree = place.join(if name == "staging" || name == "history" { OsStr::new("workspace") } else { name });
            // Drop removes everything that is created from here on.
            let room = Self {
                place,
                tree,
                candidate: candidate.to_path_buf(),
                inputs: BTreeMap::new(),
                restored: Vec::new(),
                notes: Vec::new(),
                keep: false,
                _lock: lock,
            };
            if directory::remove_tree(&room.place).is_err() {
                // A process that a killed run had started may still write to it.
                continue;
            }
            std::fs::create_dir_all(&room.tree).map_err(LedgerError::io("make the directory", &room.tree))?;
            return Ok(room);
        }
        Err(RoomError::NoPlace { places: PLACES, directory: rooms.path().to_path_buf() })
    }

    /// Writes one file to the tree. Links are created later.
    fn furnish(&mut self, source: &Directory, path: &WorkspacePath, content: &Content) -> Result<(), RoomError> {
        let failed = |source| RoomError::Copy { path: path.clone(), source };
        let at = match content {
            Content::Link(_) => return Ok(()),
            Content::Candidate { mode } => {
                let at = self.make_way(path).map_err(failed)?;
                let file = copy::open_below(source, path.as_str()).map_err(failed)?;
                copy::copy_file(file, &at, *mode).map_err(failed)?;
                at
            }
            Content::Protected { bytes, mode } => {
                let at = self.make_way(path).map_err(failed)?;
                copy::copy(&mut bytes.as_slice(), &at, *mode).map_err(failed)?;
                if !is_same(source, path, bytes) {
                    self.restored.push(path.clone());
                }
                at
            }
        };
        self.inputs.insert(path.clone(), Stamp::at(&at).map_err(failed)?);
        Ok(())
    }

    /// Creates the directories above a path.
    fn make_way(&self, path: &WorkspacePath) -> std::io::Result<PathBuf> {
        let at = self.tree.join(path.as_str());
        if let Some(above) = at.parent() {
            std::fs::create_dir_all(above)?;
        }
        Ok(at)
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        if !self.keep {
            // Leftovers that cannot be removed now are removed by the next run.
            drop(directory::remove_tree(&self.place));
        }
    }
}

/// Returns whether the candidate's file has exactly these bytes.
fn is_same(source: &Directory, path: &WorkspacePath, bytes: &[u8]) -> bool {
    use std::io::Read;

    let Ok(file) = copy::open_below(source, path.as_str()) else { return false };
    let mut found = Vec::new();
    file.take(bytes.len() as u64 + 1).read_to_end(&mut found).is_ok() && found == bytes
}

/// Returns a short name for a project: a digest of its workspace.
pub(super) fn project(candidate: &Path) -> String {
    place_name(candidate).chars().take(16).collect()
}

/// Acquires the lock of a room. Returns `None` if another process holds it.
fn lock(rooms: &Directory, name: &str) -> Result<Option<FileLock>, LedgerError> {
    lock::of_file_within(rooms, &format!("{name}.lock"), lock::MOMENT)
}

/// Returns whether a room was kept on purpose. If the kept room was removed by hand, its mark is removed, too.
fn is_kept(place: &Path) -> bool {
    let mark = place.with_extension("kept");
    if !mark.exists() {
        return false;
    }
    let stands = place.exists();
    if !stands {
        drop(std::fs::remove_file(mark));
    }
    stands
}

/// Removes the rooms that are neither in use nor kept.
fn remove_leftovers(rooms: &Directory) -> Result<Vec<String>, LedgerError> {
    let mut notes = Vec::new();
    for name in rooms.names_of(Kind::Directory)? {
        let place = rooms.path().join(&name);
        if place.extension().is_some() || is_kept(&place) {
            continue;
        }
        let Some(_held) = lock(rooms, &name)? else { continue };
        match directory::remove_tree(&place) {
            Ok(()) => notes.push("a clean room that a killed run had left was removed".to_owned()),
            Err(error) => notes.push(format!("a clean room that was left at {} stays: {error}", place.display())),
        }
    }
    Ok(notes)
}
