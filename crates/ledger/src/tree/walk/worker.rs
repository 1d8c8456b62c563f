//! What one thread of a walk does: folder by folder, name by name.

use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;

use referee_model::limit;
use rustix::fs::{FileType, Stat};
use rustix::io::Errno;

use super::folder::{Folder, ListSelection};
use super::names::Names;
use super::queue::Queue;
use super::repository_scope::RepositoryScope;
use super::{Walk, Walked};
use crate::error::LedgerError;
use crate::tree::exclusions::Exclusions;
use crate::tree::index::Tracking;
use crate::tree::{Entry, Listed, open};

/// What one thread has at hand.
pub(super) struct Worker<'walk> {
    pub(super) walk: &'walk Walk<'walk>,
    pub(super) walked: Walked,
    /// Directories that it found, to be visited.
    pub(super) waiting: Vec<Arc<Folder>>,
    /// The inputs of the directory that it visits, since the last directory in it.
    run: Vec<Entry>,
    path: Vec<u8>,
    /// What of the index may still come in the directory that it visits.
    tracked: Range<usize>,
    /// What is left out of the inputs of that directory. None: nothing.
    exclusions: Option<&'walk Exclusions>,
}

impl<'walk> Worker<'walk> {
    pub(super) fn new(walk: &'walk Walk<'walk>) -> Self {
        Self {
            walk,
            walked: Walked::default(),
            waiting: Vec::new(),
            run: Vec::new(),
            path: Vec::new(),
            tracked: 0..0,
            exclusions: None,
        }
    }

    /// Visits directories until none is left and nobody can find another.
    pub(super) fn work(mut self, queue: &Queue) -> Walked {
        let mut names = Names::default();
        while let Some(folder) = queue.next() {
            let visited = self.visit(folder, &mut names);
            queue.done(&mut self.waiting, visited.err());
        }
        self.walked
    }

    /// Lists one directory: its files, and the directories that are to be visited next.
    pub(super) fn visit(&mut self, folder: Arc<Folder>, names: &mut Names) -> Result<(), LedgerError> {
        let handle = match open::folder(self.walk.root.as_fd(), &folder.path) {
            Ok(handle) => handle,
            // Gone, or something else by now.
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) if !folder.path.is_empty() => return Ok(()),
            // Of all files half a list would hide what is not in it.
            Err(Errno::ACCESS | Errno::PERM | Errno::NAMETOOLONG) if !folder.path.is_empty() && !folder.wanted.file => {
                self.walked.unlisted.push(open::path(&folder.path).to_path_buf());
                return Ok(());
            }
            Err(error) => return Err(self.walk.wrong(&folder.path, "list", error)),
        };
        names.read(handle.as_fd()).map_err(|error| self.walk.wrong(&folder.path, "list", error))?;
        let folder = if names.is_work_tree() { self.entered(folder) } else { folder };
        let _ = folder.has_rules.set(names.has_rules());
        self.tracked = folder.range.clone();
        self.exclusions = self.walk.sought.inputs.filter(|exclusions| exclusions.speak_of(&folder.path));
        self.run.reserve(if folder.wanted.input { names.len() } else { 0 });
        for (name, kind) in names.iter() {
            self.take(&folder, handle.as_fd(), (name, kind))?;
        }
        self.end_run();
        Ok(())
    }

    /// A directory with a repository of its own is walked by that one's rules, unless the one around it tracks what lies there:
    /// nobody hides tracked files by making a repository over them.
    fn entered(&mut self, folder: Arc<Folder>) -> Arc<Folder> {
        if folder.path.is_empty() || !folder.range.is_empty() {
            return folder;
        }
        let parent = folder.parent.as_deref();
        let is_submodule = parent.and_then(|parent| parent.tracks(&folder.path)) == Some(Tracking::Repository);
        // What is ignored stays so, whatever lies in it.
        if !is_submodule && self.walk.facts(&folder).ignored {
            return folder;
        }
        let (walk, skipped) = (self.walk, folder.path.len() + 1);
        let territory =
            RepositoryScope::of_repository(&folder.at(walk.workspace), skipped, walk.workspace, &mut self.walked);
        match territory {
            Some(territory) => Arc::new(Folder::first(folder.path.clone(), territory, folder.wanted)),
            None => folder,
        }
    }

    /// Ends a run of inputs: what comes next may not follow on it.
    fn end_run(&mut self) {
        if !self.run.is_empty() {
            self.walked.runs.push(std::mem::take(&mut self.run));
        }
    }

    /// Takes what stands under one name.
    fn take(
        &mut self,
        folder: &Arc<Folder>,
        handle: BorrowedFd<'_>,
        (name, kind): (&[u8], FileType),
    ) -> Result<(), LedgerError> {
        let walk = self.walk;
        folder.inside(name, &mut self.path);
        let is_left_out = self.exclusions.is_some_and(|exclusions| exclusions.leave_out(&self.path));
        let wanted = ListSelection { input: folder.wanted.input && !is_left_out, ..folder.wanted };
        if wanted.is_nothing() {
            return Ok(());
        }
        let mut stat = None;
        let mut is_folder = kind == FileType::Directory;
        if kind == FileType::Unknown {
            let Some(seen) = self.look(handle, name, !wanted.file)? else { return Ok(()) };
            is_folder = open::kind(&seen).is_none();
            stat = Some(seen);
        }
        if is_folder {
            self.end_run();
            self.waiting.extend(walk.folder(folder, &self.path, wanted));
            return Ok(());
        }
        let tracked = folder.territory.tracks_next(&mut self.tracked, &self.path);
        let ignored = tracked.is_none() && walk.ignores(folder, &self.path, false);
        if wanted.file {
            walk.count(&walk.files, limit::WORKSPACE_FILES)?;
            let path = String::from_utf8_lossy(&self.path).into_owned();
            self.walked.files.push(Listed { path, ignored: ignored && folder.territory.is_repository() });
        }
        if wanted.input && !ignored {
            let stat = if stat.is_some() { stat } else { self.look(handle, name, true)? };
            return stat.map_or(Ok(()), |stat| self.input(folder, &stat, tracked));
        }
        Ok(())
    }

    /// Takes the name that is being taken as an input.
    fn input(&mut self, folder: &Arc<Folder>, stat: &Stat, tracked: Option<Tracking>) -> Result<(), LedgerError> {
        let walk = self.walk;
        let Some(kind) = open::kind(stat) else {
            // It was a file when the folder was listed.
            self.waiting.extend(walk.folder(folder, &self.path, ListSelection { input: true, file: false }));
            return Ok(());
        };
        walk.count(&walk.inputs, limit::TREE_FILES)?;
        let tracked = folder.territory.knows_tracked().then_some(tracked.is_some());
        self.run.push(Entry::new(&self.path, kind, tracked, open::stamp(stat)));
        Ok(())
    }

    /// Looks at the name that is being taken. None: it is gone, or its directory may be listed and not entered, which is an
    /// error where more than facts about it would be lost.
    fn look(
        &mut self,
        handle: BorrowedFd<'_>,
        name: &[u8],
        may_be_unlisted: bool,
    ) -> Result<Option<Stat>, LedgerError> {
        match open::look(handle, name) {
            Ok(stat) => Ok(Some(stat)),
            Err(Errno::NOENT) => Ok(None),
            Err(Errno::ACCESS) if may_be_unlisted => {
                self.walked.unlisted.push(open::path(&self.path).to_path_buf());
                Ok(None)
            }
            Err(error) => Err(self.walk.wrong(&self.path, "look at", error)),
        }
    }
}
