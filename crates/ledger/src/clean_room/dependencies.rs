//! A cache of installed dependencies, kept between runs.
//!
//! ```text
//! <state>/caches/<project>/<key>/entry.json    the paths of the entry, and a digest over all of it
//! <state>/caches/<project>/<key>/content/<n>   the n-th of these paths
//! ```
//!
//! An entry is built beside the room that it comes from and renamed into place. Its content is digested while
//! it is restored; if the digest does not match, the entry is removed and none of its files stay in the room.

use std::fs::{File, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use referee_model::id::{Digest, WorkspacePath};
use referee_model::limit;
use rustix::fs::{CWD, OFlags};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::room::{GIT, Room, project};
use crate::content_check::{self, Buffer};
use crate::contents::Stamp;
use crate::directory;
use crate::error::LedgerError;
use crate::state::{Area, State};

/// Largest entry description that is read, in bytes.
const ENTRY_BYTES: u64 = 16 * 1024 * 1024;

/// The cached dependencies of one project.
#[derive(Debug)]
pub struct Dependencies {
    directory: PathBuf,
}

/// Result of restoring dependencies from the cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Restored {
    Whole,
    /// The cache has no entry under this key.
    Nothing,
    /// The entry cannot be used; a damaged one was removed. The room is unchanged.
    Unusable {
        why: String,
    },
}

/// Result of storing dependencies in the cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    Whole,
    Nothing { why: String },
}

impl Dependencies {
    /// Opens the cache of a project, identified by its workspace.
    ///
    /// # Errors
    /// Fails if the state directory is not writable.
    pub fn of(state: &State, candidate: &Path) -> Result<Self, LedgerError> {
        let directory = state.area(Area::Caches)?.join(project(candidate));
        std::fs::create_dir_all(&directory).map_err(LedgerError::io("make the directory", &directory))?;
        Ok(Self { directory })
    }

    /// Copies the entry with this key into a room.
    pub fn restore(&self, key: &Digest, room: &Room) -> Restored {
        let place = self.directory.join(key.to_string());
        let Some(entry) = read_entry(&place) else {
            if !place.exists() {
                return Restored::Nothing;
            }
            return drop_entry(&place, "its description is missing or damaged");
        };
        let targets: Vec<PathBuf> = entry.paths.iter().map(|path| room.tree().join(path.as_str())).collect();
        if targets.iter().any(|target| target.symlink_metadata().is_ok()) {
            return Restored::Unusable { why: "the candidate has files of its own in that place".to_owned() };
        }
        let why = match restore_all(&place, &entry, &targets) {
            Ok(found) if found == entry.digest => return Restored::Whole,
            Ok(_) => "its content was changed".to_owned(),
            Err(error) => error.to_string(),
        };
        for target in &targets {
            drop(remove(target));
        }
        drop_entry(&place, &why)
    }

    /// Stores the files that were created in a room since it was built, and removes the oldest entries.
    pub fn keep(&self, key: &Digest, room: &Room) -> Kept {
        let kept = self.try_to_keep(key, room).unwrap_or_else(|error| Kept::Nothing { why: error.to_string() });
        drop(remove(&room.staging()));
        if kept == Kept::Whole {
            self.drop_oldest();
        }
        kept
    }

    fn try_to_keep(&self, key: &Digest, room: &Room) -> io::Result<Kept> {
        let nothing = |why: &str| Ok(Kept::Nothing { why: why.to_owned() });
        let Made { paths, changed } = made(room)?;
        if let Some(changed) = changed.first() {
            return nothing(&format!("it changed {changed}, which is a file of the candidate"));
        }
        if paths.is_empty() {
            return nothing("it made nothing in the tree");
        }
        let staging = room.staging();
        drop(remove(&staging));
        std::fs::create_dir_all(staging.join("content"))?;
        let mut copier = Copier::new();
        for (number, path) in paths.iter().enumerate() {
            copier.part("path", 0, path.as_str().as_bytes());
            copier.copy(&room.tree().join(path.as_str()), &staging.join("content").join(number.to_string()))?;
        }
        let entry = json!({
            "version": 2,
            "digest": copier.digest().to_string(),
            "paths": paths.iter().map(WorkspacePath::as_str).collect::<Vec<_>>(),
        });
        let mut file = File::create_new(staging.join("entry.json"))?;
        file.write_all(entry.to_string().as_bytes())?;
        file.sync_all()?;
        match std::fs::rename(&staging, self.directory.join(key.to_string())) {
            // Another run stored the entry first.
            Err(error) if matches!(error.kind(), io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::AlreadyExists) => {}
            moved => moved?,
        }
        Ok(Kept::Whole)
    }

    /// Removes the oldest entries beyond [`limit::DEPENDENCIES_KEPT`]. An entry that cannot be removed now is
    /// removed another time.
    fn drop_oldest(&self) {
        let Ok(entries) = std::fs::read_dir(&self.directory) else { return };
        let age = |place: &Path| place.join("entry.json").metadata().and_then(|facts| facts.modified());
        let mut kept: Vec<(SystemTime, PathBuf)> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .map(|place| (age(&place).unwrap_or(SystemTime::UNIX_EPOCH), place))
            .collect();
        kept.sort();
        let surplus = kept.len().saturating_sub(limit::DEPENDENCIES_KEPT);
        for (_, place) in kept.into_iter().take(surplus) {
            drop(directory::remove_tree(&place));
        }
    }
}

/// Description of an entry.
struct Entry {
    digest: Digest,
    paths: Vec<WorkspacePath>,
}

/// Reads the description of an entry. None: it is missing or malformed.
fn read_entry(place: &Path) -> Option<Entry> {
    let mut bytes = Vec::new();
    File::open(place.join("entry.json")).ok()?.take(ENTRY_BYTES).read_to_end(&mut bytes).ok()?;
    let entry: Value = serde_json::from_slice(&bytes).ok()?;
    if entry["version"] != 2 {
        return None;
    }
    let path = |path: &Value| {
        let text = path.as_str()?;
        WorkspacePath::parse(text).ok().filter(|path| path.as_str() == text && !text.is_empty())
    };
    Some(Entry {
        digest: Digest::parse(entry["digest"].as_str()?).ok()?,
        paths: entry["paths"].as_array()?.iter().map(path).collect::<Option<_>>()?,
    })
}

fn restore_all(place: &Path, entry: &Entry, targets: &[PathBuf]) -> io::Result<Digest> {
    let mut copier = Copier::new();
    for (number, (path, target)) in entry.paths.iter().zip(targets).enumerate() {
        copier.part("path", 0, path.as_str().as_bytes());
        if let Some(above) = target.parent() {
            std::fs::create_dir_all(above)?;
        }
        copier.copy(&place.join("content").join(number.to_string()), target)?;
    }
    Ok(copier.digest())
}

fn drop_entry(place: &Path, why: &str) -> Restored {
    let why = match directory::remove_tree(place) {
        Ok(()) => why.to_owned(),
        Err(error) => format!("{why}, and it could not be dropped: {error}"),
    };
    Restored::Unusable { why }
}

/// Removes a file, link or tree.
fn remove(path: &Path) -> io::Result<()> {
    match path.symlink_metadata() {
        Ok(facts) if facts.is_dir() => directory::remove_tree(path),
        Ok(_) => std::fs::remove_file(path),
        Err(_) => Ok(()),
    }
}

/// Changes in a room since it was built.
struct Made {
    /// New paths; of a new directory only the directory itself.
    paths: Vec<WorkspacePath>,
    /// Files of the candidate that were changed or removed.
    changed: Vec<WorkspacePath>,
}

fn made(room: &Room) -> io::Result<Made> {
    let mut made = Made { paths: Vec::new(), changed: Vec::new() };
    for (path, stamp) in room.inputs() {
        let is_same = Stamp::at(&room.tree().join(path.as_str())).is_ok_and(|now| now == *stamp);
        if !is_same {
            made.changed.push(path.clone());
        }
    }
    look(room, "", &mut made)?;
    Ok(made)
}

/// Finds new entries in a directory that existed before.
fn look(room: &Room, directory: &str, made: &mut Made) -> io::Result<()> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(room.tree().join(directory))? {
        let entry = entry?;
        let name = entry.file_name().into_string();
        let name = name.map_err(|name| io::Error::other(format!("{} is not valid UTF-8", name.to_string_lossy())))?;
        names.push((name, entry.file_type()?.is_dir()));
    }
    names.sort();
    for (name, is_directory) in names {
        let text = if directory.is_empty() { name } else { format!("{directory}/{name}") };
        let path = WorkspacePath::parse(&text).map_err(io::Error::other)?;
        if room.inputs().contains_key(&path) || text == GIT {
            continue;
        }
        if is_directory && holds_inputs(room, &text) {
            look(room, &text, made)?;
        } else {
            made.paths.push(path);
        }
    }
    Ok(())
}

fn holds_inputs(room: &Room, directory: &str) -> bool {
    let below = format!("{directory}/");
    let Ok(first) = WorkspacePath::parse(directory) else { return false };
    let mut later = room.inputs().range(first..).map(|(path, _)| path.as_str());
    // Names such as `a-b` sort between `a` and `a/b`.
    later.by_ref().take_while(|path| path.starts_with(directory)).any(|path| path.starts_with(&below))
}

/// Copies trees and digests them on the way: names, kinds, modes and contents, in the order of the names.
struct Copier {
    hasher: Sha256,
    files: u64,
    bytes: u64,
    buffer: Buffer,
}

impl Copier {
    fn new() -> Self {
        Self { hasher: Sha256::new(), files: 0, bytes: 0, buffer: Buffer::new() }
    }

    fn digest(self) -> Digest {
        Digest::from_bytes(self.hasher.finalize().into())
    }

    fn copy(&mut self, source: &Path, target: &Path) -> io::Result<()> {
        self.files += 1;
        if self.files > limit::ROOM_FILES || self.bytes > limit::DEPENDENCIES_BYTES {
            return Err(io::Error::other("it is more than is kept"));
        }
        let facts = source.symlink_metadata()?;
        let mode = facts.permissions().mode() & 0o777;
        if facts.is_symlink() {
            let leads_to = std::fs::read_link(source)?;
            self.part("link", 0, leads_to.as_os_str().as_bytes());
            std::os::unix::fs::symlink(leads_to, target)
        } else if facts.is_dir() {
            let mut names = Vec::new();
            for entry in std::fs::read_dir(source)? {
                names.push(entry?.file_name());
            }
            names.sort();
            self.part("folder", mode | 0o700, &(names.len() as u64).to_be_bytes());
            std::fs::create_dir(target)?;
            for name in names {
                self.part("name", 0, name.as_bytes());
                self.copy(&source.join(&name), &target.join(&name))?;
            }
            std::fs::set_permissions(target, Permissions::from_mode(mode | 0o700))
        } else if facts.is_file() {
            self.copy_file(source, target, mode)
        } else {
            Err(io::Error::other(format!("{} is neither a file nor a directory nor a link", source.display())))
        }
    }

    fn copy_file(&mut self, source: &Path, target: &Path, mode: u32) -> io::Result<()> {
        let from = directory::open_file(CWD, source, source, OFlags::RDONLY, 0).map_err(io::Error::other)?;
        let mut to = File::create_new(target)?;
        let written = content_check::read(from, &mut self.buffer, |piece| to.write_all(piece))?;
        self.bytes += written.bytes;
        to.set_permissions(Permissions::from_mode(mode | 0o600))?;
        self.part("file", mode | 0o600, written.sha256.to_string().as_bytes());
        Ok(())
    }

    fn part(&mut self, kind: &str, mode: u32, bytes: &[u8]) {
        for part in [kind.as_bytes(), &mode.to_be_bytes(), bytes] {
            self.hasher.update((part.len() as u64).to_be_bytes());
            self.hasher.update(part);
        }
    }
}
