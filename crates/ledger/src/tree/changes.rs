//! What differs between the inputs of two moments.

use std::cmp::Ordering;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use referee_model::run_context::tree::TreeChangeKind;
use referee_model::time::Timestamp;

use super::content::Hash;
use super::{Entry, EntryKind, Listing, Snapshot, generated, open};

/// What differs between the inputs of two moments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// Files that were modified or removed, by path; after them those that were added, by path.
    pub files: Vec<Change>,
    /// Files that hold what they held, by path, and were written in between, or are others by now: what they held
    /// meanwhile is not known.
    pub rewritten: Vec<Rewrite>,
}

/// An input that was written, and holds what it held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewrite {
    /// Where it lies, relative to the workspace.
    pub path: PathBuf,
    /// When the file system last changed it.
    pub at: Timestamp,
    /// Whether it says at its beginning that a tool writes it.
    pub generated: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Where it lies or lay, relative to the workspace.
    pub path: PathBuf,
    pub kind: TreeChangeKind,
    /// When the file system last changed it; for one that is gone, the nearest directory that is still there. None:
    /// that cannot be told.
    pub at: Option<Timestamp>,
}

impl Changes {
    /// Compares the inputs of two moments; `now` is the listing of the later one.
    pub fn between(before: &Snapshot, after: &Snapshot, now: &Listing) -> Self {
        let (mut old, mut new) = (before.files().peekable(), after.files().peekable());
        let (mut changed, mut added, mut rewritten) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            let order = match (old.peek(), new.peek()) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some((one, _)), Some((other, _))) => one.path.as_os_str().cmp(other.path.as_os_str()),
            };
            match order {
                Ordering::Less => changed.extend(old.next().map(|(entry, _)| removed(entry, now))),
                Ordering::Greater => added.extend(new.next().map(|(entry, _)| stands(entry, TreeChangeKind::Added))),
                Ordering::Equal => {
                    let Some((one, other)) = old.next().zip(new.next()) else { break };
                    if differ(one, other) {
                        changed.push(stands(other.0, TreeChangeKind::Modified));
                    } else if was_touched(one.0, other.0) {
                        rewritten.push(rewrite(other.0, now));
                    }
                }
            }
        }
        changed.append(&mut added);
        Self { files: changed, rewritten }
    }
}

/// What cannot be read is not known to be the same.
fn differ((old, before): (&Entry, Option<Hash>), (new, after): (&Entry, Option<Hash>)) -> bool {
    (old.kind, old.executable) != (new.kind, new.executable) || before.is_none() || before != after
}

/// Nobody sets the time of the last change of a file but the system.
fn was_touched(old: &Entry, new: &Entry) -> bool {
    (old.stamp.changed, old.stamp.inode) != (new.stamp.changed, new.stamp.inode)
}

fn rewrite(entry: &Entry, now: &Listing) -> Rewrite {
    let generated = entry.kind == EntryKind::File && generated::says_so(now, entry.path.as_os_str().as_bytes());
    Rewrite { path: entry.path.clone(), at: entry.stamp.changed.timestamp(), generated }
}

fn stands(entry: &Entry, kind: TreeChangeKind) -> Change {
    Change { path: entry.path.clone(), kind, at: Some(entry.stamp.changed.timestamp()) }
}

fn removed(entry: &Entry, now: &Listing) -> Change {
    Change { path: entry.path.clone(), kind: TreeChangeKind::Removed, at: removed_at(&entry.path, now) }
}

/// When the nearest directory that is still there was last changed.
fn removed_at(path: &Path, now: &Listing) -> Option<Timestamp> {
    let at = |directory: &Path| {
        let bytes = directory.as_os_str().as_bytes();
        let stat = open::look(now.root.as_fd(), if bytes.is_empty() { b"." } else { bytes }).ok()?;
        Some(open::stamp(&stat).changed.timestamp())
    };
    path.ancestors().skip(1).find_map(at)
}
