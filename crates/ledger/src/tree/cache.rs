//! What is known of the inputs of a workspace, so that only what changed is read again.
//!
//! A file is the same where size, times, inode and mode are, and it was last changed before its content was read by more
//! than the file system can tell apart (git's rule for racy entries). The cache lies in the user's state folder. One that is
//! junk, cut short or of another workspace is no cache.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use sha2::{Digest as _, Sha256};

use super::content::{self, Hash};
use super::snapshot::{Held, Mode, Snapshot};
use super::{Entry, Moment, Stamp, place};
use crate::error::LedgerError;
use crate::state::{Area, State};

const MAGIC: &[u8] = b"referee tree cache 1\n";

/// Largest cache that is read, in bytes.
const CACHE_BYTES: u64 = 1024 * 1024 * 1024;

/// What a file system with whole seconds may hide, and one with even ones.
const COARSE_SECONDS: i64 = 2;

/// What is known of the inputs of a workspace.
#[derive(Debug)]
pub struct Cache {
    /// Where it is kept. None: nowhere, so that nothing is known beyond a moment.
    file: Option<PathBuf>,
    files: Vec<Held>,
    /// When the reading of its files began, by the clock of the file system. Whatever was changed since may have been
    /// changed again without a trace.
    began: Option<Moment>,
    changed: bool,
}

/// Tells files of one process that are written at once apart.
static WRITTEN: AtomicU64 = AtomicU64::new(0);

impl Cache {
    /// Opens the cache of a workspace; an empty one where there is none that can be believed.
    pub fn open(state: Option<&State>, workspace: &Path) -> Self {
        let area = state.and_then(|state| state.area(Area::Trees).ok());
        let file = area.map(|area| {
            let mut name = Vec::new();
            content::push_hex(&Sha256::digest(workspace.as_os_str().as_bytes()).into(), &mut name);
            area.join(place::path(&name))
        });
        let read = file.as_deref().and_then(load);
        let (files, began) = read.unwrap_or_default();
        Self { file, files, began, changed: false }
    }

    /// The state that the cache was last kept for, with what each of its files held. None: there is none.
    pub fn last(&self) -> Option<Snapshot> {
        (!self.files.is_empty()).then(|| Snapshot::of_files(self.files.clone()))
    }

    /// Writes it down, where something is new. Whoever reads it meanwhile finds the old one or the new one.
    ///
    /// # Errors
    /// Fails where it cannot be written; then only time is lost.
    pub fn save(&mut self) -> Result<(), LedgerError> {
        let Some(path) = self.file.as_deref().filter(|_| self.changed) else { return Ok(()) };
        let (unfinished, mut file) = create_beside(path)?;
        let written = file.write_all(&self.bytes()).and_then(|()| std::fs::rename(&unfinished, path));
        self.changed = false;
        written.map_err(|error| {
            let _ = std::fs::remove_file(&unfinished);
            LedgerError::io("write", path)(error)
        })
    }

    /// What is known of these inputs, in their order.
    pub(super) fn known(&self, entries: &[Entry]) -> Vec<Option<Hash>> {
        let mut files = self.files.iter().peekable();
        let known = |entry: &Entry| {
            while files.next_if(|file| file.path.as_os_str() < entry.path.as_os_str()).is_some() {}
            let file = files.next_if(|file| file.path == entry.path)?;
            let same = file.stamp == entry.stamp && file.mode == Mode::of(entry);
            file.hash.filter(|_| same && self.is_older(entry.stamp))
        };
        entries.iter().map(known).collect()
    }

    /// Whether a file was last changed so long before the cache that no later change can look the same.
    fn is_older(&self, stamp: Stamp) -> bool {
        let Some(began) = self.began else { return false };
        let latest = stamp.modified.max(stamp.changed);
        if stamp.changed.nanoseconds == 0 {
            return latest.seconds.saturating_add(COARSE_SECONDS) < began.seconds;
        }
        latest < began
    }

    /// Whether it holds files that a state does not.
    pub(super) fn holds_more_than(&self, snapshot: &Snapshot) -> bool {
        self.files.len() != snapshot.files.len()
    }

    /// Asks the file system for the time, before files are read. None: it cannot be asked.
    pub(super) fn begin(&self) -> Option<Moment> {
        let (unfinished, file) = create_beside(self.file.as_deref()?).ok()?;
        let facts = file.metadata().ok();
        let _ = std::fs::remove_file(unfinished);
        let facts = facts?;
        Some(Moment { seconds: facts.mtime(), nanoseconds: u32::try_from(facts.mtime_nsec()).ok()? })
    }

    /// Takes a state whose unknown files were read after a moment. Those that were known stay known: they were older than
    /// an earlier one.
    pub(super) fn keep(&mut self, snapshot: &Snapshot, began: Option<Moment>) {
        self.files.clone_from(&snapshot.files);
        if began.is_some() {
            self.began = began;
        }
        self.changed = true;
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        let began = self.began.unwrap_or_default();
        put_moment(began, &mut bytes);
        let files = self.files.iter().filter_map(|file| Some((file, file.hash?)));
        for (file, hash) in files {
            let path = file.path.as_os_str().as_bytes();
            bytes.extend(u32::try_from(path.len()).unwrap_or(u32::MAX).to_le_bytes());
            bytes.extend(path);
            bytes.extend(file.mode.0.to_le_bytes());
            bytes.extend(file.stamp.size.to_le_bytes());
            put_moment(file.stamp.modified, &mut bytes);
            put_moment(file.stamp.changed, &mut bytes);
            bytes.extend(file.stamp.inode.to_le_bytes());
            bytes.extend(file.stamp.mode.to_le_bytes());
            bytes.extend(hash);
        }
        let sum: Hash = Sha256::digest(&bytes).into();
        bytes.extend(sum);
        bytes
    }
}

/// Makes a file of its own beside the cache, for this user alone.
fn create_beside(path: &Path) -> Result<(PathBuf, File), LedgerError> {
    let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
    let process = rustix::process::getpid().as_raw_nonzero();
    let unfinished = path.with_extension(format!("{process}-{number}"));
    let _ = std::fs::remove_file(&unfinished);
    let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&unfinished);
    let file = made.map_err(LedgerError::io("create", &unfinished))?;
    Ok((unfinished, file))
}

fn put_moment(moment: Moment, bytes: &mut Vec<u8>) {
    bytes.extend(moment.seconds.to_le_bytes());
    bytes.extend(moment.nanoseconds.to_le_bytes());
}

/// Reads a cache. None: there is none that can be believed.
fn load(path: &Path) -> Option<(Vec<Held>, Option<Moment>)> {
    let facts = path.symlink_metadata().ok()?;
    if !facts.is_file() {
        return None;
    }
    let mut bytes = Vec::with_capacity(usize::try_from(facts.len().min(CACHE_BYTES)).ok()?);
    File::open(path).ok()?.take(CACHE_BYTES).read_to_end(&mut bytes).ok()?;
    let (body, sum) = bytes.split_last_chunk::<32>()?;
    let found: Hash = Sha256::digest(body).into();
    if found != *sum {
        return None;
    }
    let mut rest = body.strip_prefix(MAGIC)?;
    let began = take_moment(&mut rest)?;
    let mut files: Vec<Held> = Vec::with_capacity(rest.len() / 128);
    while !rest.is_empty() {
        let file = take_file(&mut rest)?;
        let in_order = files.last().is_none_or(|last| last.path.as_os_str() < file.path.as_os_str());
        in_order.then(|| files.push(file))?;
    }
    Some((files, (began != Moment::default()).then_some(began)))
}

fn take_file(rest: &mut &[u8]) -> Option<Held> {
    let length = u32::from_le_bytes(take(rest)?) as usize;
    let path = rest.split_off(..length)?;
    Some(Held {
        path: place::path(path).to_path_buf(),
        mode: Mode(u32::from_le_bytes(take(rest)?)),
        stamp: Stamp {
            size: u64::from_le_bytes(take(rest)?),
            modified: take_moment(rest)?,
            changed: take_moment(rest)?,
            inode: u64::from_le_bytes(take(rest)?),
            mode: u32::from_le_bytes(take(rest)?),
        },
        hash: Some(take(rest)?),
    })
}

fn take_moment(rest: &mut &[u8]) -> Option<Moment> {
    let seconds = i64::from_le_bytes(take(rest)?);
    Some(Moment { seconds, nanoseconds: u32::from_le_bytes(take(rest)?) })
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, after) = rest.split_first_chunk::<N>()?;
    *rest = after;
    Some(*taken)
}
