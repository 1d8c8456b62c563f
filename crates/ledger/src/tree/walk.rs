//! The walk through a workspace: folder by folder, on several threads where there is much to do.

use std::ops::Range;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use referee_model::limit;
use rustix::fs::{Dir, FileType};
use rustix::io::Errno;

use self::territory::Territory;
use super::exclusions::Exclusions;
use super::index::Tracking;
use super::rules::Rules;
use super::{Entry, place};
use crate::error::LedgerError;

mod territory;

/// Folders that wait before further threads are started: a small workspace is walked before one would begin.
const FOLDERS_WAITING: usize = 24;

/// What a walk found, in no order.
#[derive(Debug, Default)]
pub(super) struct Walked {
    pub(super) entries: Vec<Entry>,
    /// Folders that cannot be listed.
    pub(super) unlisted: Vec<PathBuf>,
    /// What is to be known of how it was found.
    pub(super) notes: Vec<String>,
}

/// Walks through a workspace.
pub(super) fn walk(root: &OwnedFd, workspace: &Path, exclusions: &Exclusions) -> Result<Walked, LedgerError> {
    let walk = Walk { root, workspace, exclusions, found: AtomicUsize::new(0) };
    let mut walked = Walked::default();
    let territory = Territory::of_workspace(workspace, &mut walked.notes);
    let range = territory.all();
    let first =
        Folder { path: Vec::new(), parent: None, territory: Arc::new(territory), range, facts: OnceLock::new() };
    let mut waiting = vec![Arc::new(first)];
    while let Some(folder) = waiting.pop() {
        walk.visit(&folder, &mut walked, &mut waiting)?;
        if waiting.len() >= FOLDERS_WAITING {
            return walk.at_once(waiting, walked);
        }
    }
    Ok(walked)
}

/// A folder on the way.
#[derive(Debug)]
struct Folder {
    /// Relative to the workspace; empty for the workspace itself.
    path: Vec<u8>,
    parent: Option<Arc<Folder>>,
    territory: Arc<Territory>,
    /// The entries of the territory's index that lie in it.
    range: Range<usize>,
    /// What is ignored in it, looked up when first asked.
    facts: OnceLock<Facts>,
}

#[derive(Debug)]
struct Facts {
    /// Whether it is ignored itself, and with it all that is not tracked.
    ignored: bool,
    rules: Option<Rules>,
}

struct Walk<'walk> {
    root: &'walk OwnedFd,
    workspace: &'walk Path,
    exclusions: &'walk Exclusions,
    found: AtomicUsize,
}

/// One name in a folder.
struct Name {
    name: Vec<u8>,
    kind: FileType,
}

impl Walk<'_> {
    /// Lists one folder: its files, and the folders that are to be visited next.
    fn visit(
        &self,
        folder: &Arc<Folder>,
        walked: &mut Walked,
        waiting: &mut Vec<Arc<Folder>>,
    ) -> Result<(), LedgerError> {
        let path = self.workspace.join(place::path(&folder.path));
        let wrong = |error: Errno| LedgerError::io("list", &path)(error);
        let handle = match place::folder(self.root.as_fd(), &folder.path) {
            Ok(handle) => handle,
            // Gone, or something else by now.
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) if !folder.path.is_empty() => return Ok(()),
            Err(Errno::ACCESS | Errno::PERM | Errno::NAMETOOLONG) if !folder.path.is_empty() => {
                walked.unlisted.push(place::path(&folder.path).to_path_buf());
                return Ok(());
            }
            Err(error) => return Err(wrong(error)),
        };
        let mut names = Vec::new();
        for entry in Dir::read_from(&handle).map_err(wrong)? {
            let entry = entry.map_err(wrong)?;
            let name = entry.file_name().to_bytes();
            if !matches!(name, b"." | b"..") {
                names.push(Name { name: name.to_vec(), kind: entry.file_type() });
            }
        }
        let is_repository = names.iter().any(|name| name.name == b".git");
        let folder = match self.entered(folder, is_repository, &path, &mut walked.notes) {
            Some(entered) => Arc::new(entered),
            None => Arc::clone(folder),
        };
        for name in names.iter().filter(|name| name.name != b".git") {
            let inside = folder.inside(&name.name);
            if self.exclusions.leave_out(&inside) {
                continue;
            }
            let found = match name.kind {
                FileType::Directory => Found::Folder,
                FileType::Unknown => Found::Unknown,
                _ => Found::File,
            };
            self.take(&folder, (handle.as_fd(), &name.name), (inside, found), walked, waiting)?;
        }
        Ok(())
    }

    /// A folder with a repository of its own is walked by that one's rules, unless the one around it tracks what lies there:
    /// nobody hides tracked files by making a repository over them.
    fn entered(
        &self,
        folder: &Arc<Folder>,
        is_repository: bool,
        path: &Path,
        notes: &mut Vec<String>,
    ) -> Option<Folder> {
        if !is_repository || folder.path.is_empty() || !folder.range.is_empty() {
            return None;
        }
        let territory = Territory::of_repository(path, folder.path.len() + 1, self.workspace, notes)?;
        let range = territory.all();
        Some(Folder {
            path: folder.path.clone(),
            parent: None,
            territory: Arc::new(territory),
            range,
            facts: OnceLock::new(),
        })
    }

    /// Takes what stands under one name.
    fn take(
        &self,
        folder: &Arc<Folder>,
        (handle, name): (rustix::fd::BorrowedFd<'_>, &[u8]),
        (path, found): (Vec<u8>, Found),
        walked: &mut Walked,
        waiting: &mut Vec<Arc<Folder>>,
    ) -> Result<(), LedgerError> {
        if found == Found::Folder {
            waiting.extend(self.folder(folder, path));
            return Ok(());
        }
        let tracked = folder.tracks(&path);
        if found == Found::File && tracked.is_none() && self.ignores(folder, &path, false) {
            return Ok(());
        }
        let stat = match place::look(handle, name) {
            Ok(stat) => stat,
            Err(Errno::NOENT) => return Ok(()),
            // Its folder may be listed, and not entered.
            Err(Errno::ACCESS) => {
                walked.unlisted.push(place::path(&path).to_path_buf());
                return Ok(());
            }
            Err(error) => return Err(LedgerError::io("look at", &self.workspace.join(place::path(&path)))(error)),
        };
        let Some(kind) = place::kind(&stat) else {
            waiting.extend(self.folder(folder, path));
            return Ok(());
        };
        if found == Found::Unknown && tracked.is_none() && self.ignores(folder, &path, false) {
            return Ok(());
        }
        if self.found.fetch_add(1, Ordering::Relaxed) >= limit::TREE_FILES {
            return Err(LedgerError::TooManyFiles { path: self.workspace.to_path_buf(), limit: limit::TREE_FILES });
        }
        let stamp = place::stamp(&stat);
        walked.entries.push(Entry {
            path: place::path(&path).to_path_buf(),
            kind,
            executable: kind == super::EntryKind::File && stamp.mode & 0o100 != 0,
            tracked: folder.territory.knows_tracked().then_some(tracked.is_some()),
            stamp,
        });
        Ok(())
    }

    /// The folder of this path, where it is to be visited: it holds something tracked, or is not ignored.
    fn folder(&self, parent: &Arc<Folder>, path: Vec<u8>) -> Option<Arc<Folder>> {
        let territory = &parent.territory;
        let range = territory.below(parent.range.clone(), &path);
        let is_ours = !range.is_empty() || parent.tracks(&path) == Some(Tracking::Repository);
        if !is_ours && (self.ignores(parent, &path, true) || Territory::is_dependencies(self.root.as_fd(), &path)) {
            return None;
        }
        let (parent, territory) = (Some(Arc::clone(parent)), Arc::clone(territory));
        Some(Arc::new(Folder { path, parent, territory, range, facts: OnceLock::new() }))
    }

    /// Whether git would ignore a path in a folder.
    fn ignores(&self, folder: &Folder, path: &[u8], is_folder: bool) -> bool {
        self.facts(folder).ignored || self.ruled_out(folder, path, is_folder)
    }

    fn facts<'folder>(&self, folder: &'folder Folder) -> &'folder Facts {
        folder.facts.get_or_init(|| Facts {
            ignored: folder.parent.as_deref().is_some_and(|parent| self.ignores(parent, &folder.path, true)),
            rules: Rules::of_folder(self.root.as_fd(), &folder.path),
        })
    }

    /// Whether the rules of the folder, of those above it, or of the repository say that a path is ignored: the nearest
    /// that speak of it decide.
    fn ruled_out(&self, folder: &Folder, path: &[u8], is_folder: bool) -> bool {
        let mut at = Some(folder);
        while let Some(folder) = at {
            let skipped = if folder.path.is_empty() { 0 } else { folder.path.len() + 1 };
            let inside = path.get(skipped..).unwrap_or_default();
            let rules = self.facts(folder).rules.as_ref();
            if let Some(ignored) = rules.and_then(|rules| rules.ignore(inside, is_folder)) {
                return ignored;
            }
            at = folder.parent.as_deref();
        }
        folder.territory.ignores(path, is_folder)
    }

    /// Goes on with several threads.
    fn at_once(&self, waiting: Vec<Arc<Folder>>, mut walked: Walked) -> Result<Walked, LedgerError> {
        let queue =
            Queue { state: Mutex::new(Waiting { folders: waiting, busy: 0, failure: None }), changed: Condvar::new() };
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(limit::TREE_THREADS);
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(|| self.work(&queue))).collect();
            let mut parts = vec![self.work(&queue)];
            for thread in others {
                match thread.join() {
                    Ok(part) => parts.push(part),
                    // What it found is lost, so that the listing would lack files.
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            for part in parts {
                walked.entries.extend(part.entries);
                walked.unlisted.extend(part.unlisted);
                walked.notes.extend(part.notes);
            }
        });
        match queue.lock().failure.take() {
            Some(failure) => Err(failure),
            None => Ok(walked),
        }
    }

    /// What one thread does: visits folders until none is left and nobody can find another.
    fn work(&self, queue: &Queue) -> Walked {
        let mut walked = Walked::default();
        let mut found = Vec::new();
        while let Some(folder) = queue.next() {
            let visited = self.visit(&folder, &mut walked, &mut found);
            queue.done(&mut found, visited.err());
        }
        walked
    }
}

impl Folder {
    fn inside(&self, name: &[u8]) -> Vec<u8> {
        if self.path.is_empty() { name.to_vec() } else { [&self.path, b"/".as_slice(), name].concat() }
    }

    fn tracks(&self, path: &[u8]) -> Option<Tracking> {
        self.territory.tracks(self.range.clone(), path)
    }
}

/// What a name stands for, as far as the folder itself tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    Folder,
    File,
    Unknown,
}

/// Folders that wait for a thread.
struct Queue {
    state: Mutex<Waiting>,
    changed: Condvar,
}

struct Waiting {
    folders: Vec<Arc<Folder>>,
    /// Threads that visit one.
    busy: usize,
    failure: Option<LedgerError>,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a folder; waits while others may still find one. None: there is nothing more to do.
    fn next(&self) -> Option<Arc<Folder>> {
        let mut waiting = self.lock();
        loop {
            if waiting.failure.is_some() {
                return None;
            }
            if let Some(folder) = waiting.folders.pop() {
                waiting.busy += 1;
                return Some(folder);
            }
            if waiting.busy == 0 {
                return None;
            }
            waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Gives back what a visit found.
    fn done(&self, found: &mut Vec<Arc<Folder>>, failure: Option<LedgerError>) {
        let mut waiting = self.lock();
        waiting.folders.append(found);
        waiting.busy -= 1;
        if waiting.failure.is_none() {
            waiting.failure = failure;
        }
        self.changed.notify_all();
    }
}
