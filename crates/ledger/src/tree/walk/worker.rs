//! The work of one thread of a walk: directory by directory, name by name.

use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;

use referee_model::limit;
use rustix::fs::{FileType, Stat};
use rustix::io::Errno;

use super::directory::{Directory, ListSelection};
use super::names::Names;
use super::queue::Queue;
use super::repository_scope::RepositoryScope;
use super::{Walk, Walked};
use crate::error::LedgerError;
use crate::tree::exclusions::Exclusions;
use crate::tree::index::Tracking;
use crate::tree::{Entry, Listed, open};

/// State of one thread.
pub(super) struct Worker<'walk> {
    pub(super) walk: &'walk Walk<'walk>,
    pub(super) walked: Walked,
    /// Directories that this thread found and that are to be visited.
    pub(super) waiting: Vec<Arc<Directory>>,
    /// Inputs of the current directory, since its last subdirectory.
    run: Vec<Entry>,
    path: Vec<u8>,
    /// The index entries that later names of the current directory can match.
    tracked: Range<usize>,
    /// Exclusions that apply to the inputs of the current directory. None: nothing is excluded.
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

    /// Visits directories until none is left and no thread can find another.
    pub(super) fn work(mut self, queue: &Queue) -> Walked {
        let mut names = Names::default();
        while let Some(directory) = queue.next() {
            let visited = self.visit(directory, &mut names);
            queue.done(&mut self.waiting, visited.err());
        }
        self.walked
    }

    /// Lists one directory: its files, and the directories to visit next.
    pub(super) fn visit(&mut self, directory: Arc<Directory>, names: &mut Names) -> Result<(), LedgerError> {
        let handle = match open::directory(self.walk.root.as_fd(), &directory.path) {
            Ok(handle) => handle,
            // It was removed or replaced meanwhile.
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) if !directory.path.is_empty() => return Ok(()),
            // When all files are requested, an incomplete list would hide files.
            Err(Errno::ACCESS | Errno::PERM | Errno::NAMETOOLONG)
                if !directory.path.is_empty() && !directory.wanted.file =>
            {
                self.walked.unlisted.push(open::path(&directory.path).to_path_buf());
                return Ok(());
            }
            Err(error) => return Err(self.walk.wrong(&directory.path, "list", error)),
        };
        names.read(handle.as_fd()).map_err(|error| self.walk.wrong(&directory.path, "list", error))?;
        let directory = if names.is_work_tree() { self.entered(directory) } else { directory };
        let _ = directory.has_rules.set(names.has_rules());
        self.tracked = directory.range.clone();
        self.exclusions = self.walk.sought.inputs.filter(|exclusions| exclusions.speak_of(&directory.path));
        self.run.reserve(if directory.wanted.input { names.len() } else { 0 });
        for (name, kind) in names.iter() {
            self.take(&directory, handle.as_fd(), (name, kind))?;
        }
        self.end_run();
        Ok(())
    }

    /// Returns the directory in the scope of its own repository, if it has one, unless the surrounding
    /// repository tracks files there: otherwise tracked files could be hidden by creating a repository over
    /// them.
    fn entered(&mut self, directory: Arc<Directory>) -> Arc<Directory> {
        if directory.path.is_empty() || !directory.range.is_empty() {
            return directory;
        }
        let parent = directory.parent.as_deref();
        let is_submodule = parent.and_then(|parent| parent.tracks(&directory.path)) == Some(Tracking::Repository);
        // An ignored directory stays ignored, even if it has a repository of its own.
        if !is_submodule && self.walk.facts(&directory).ignored {
            return directory;
        }
        let (walk, skipped) = (self.walk, directory.path.len() + 1);
        let territory =
            RepositoryScope::of_repository(&directory.at(walk.workspace), skipped, walk.workspace, &mut self.walked);
        match territory {
            Some(territory) => Arc::new(Directory::first(directory.path.clone(), territory, directory.wanted)),
            None => directory,
        }
    }

    /// Ends a run of inputs: the following entries may not be adjacent to it.
    fn end_run(&mut self) {
        if !self.run.is_empty() {
            self.walked.runs.push(std::mem::take(&mut self.run));
        }
    }

    /// Processes one name in a directory.
    fn take(
        &mut self,
        directory: &Arc<Directory>,
        handle: BorrowedFd<'_>,
        (name, kind): (&[u8], FileType),
    ) -> Result<(), LedgerError> {
        let walk = self.walk;
        directory.inside(name, &mut self.path);
        let is_left_out = self.exclusions.is_some_and(|exclusions| exclusions.leave_out(&self.path));
        let wanted = ListSelection { input: directory.wanted.input && !is_left_out, ..directory.wanted };
        if wanted.is_nothing() {
            return Ok(());
        }
        let mut stat = None;
        let mut is_directory = kind == FileType::Directory;
        if kind == FileType::Unknown {
            let Some(seen) = self.look(handle, name, !wanted.file)? else { return Ok(()) };
            is_directory = open::kind(&seen).is_none();
            stat = Some(seen);
        }
        if is_directory {
            self.end_run();
            self.waiting.extend(walk.directory(directory, &self.path, wanted));
            return Ok(());
        }
        let tracked = directory.territory.tracks_next(&mut self.tracked, &self.path);
        let ignored = tracked.is_none() && walk.ignores(directory, &self.path, false);
        if wanted.file {
            walk.count(&walk.files, limit::WORKSPACE_FILES)?;
            let path = String::from_utf8_lossy(&self.path).into_owned();
            self.walked.files.push(Listed { path, ignored: ignored && directory.territory.is_repository() });
        }
        if wanted.input && !ignored {
            let stat = if stat.is_some() { stat } else { self.look(handle, name, true)? };
            return stat.map_or(Ok(()), |stat| self.input(directory, &stat, tracked));
        }
        Ok(())
    }

    /// Adds the current name to the inputs.
    fn input(&mut self, directory: &Arc<Directory>, stat: &Stat, tracked: Option<Tracking>) -> Result<(), LedgerError> {
        let walk = self.walk;
        let Some(kind) = open::kind(stat) else {
            // It was a file when the directory was listed.
            self.waiting.extend(walk.directory(directory, &self.path, ListSelection { input: true, file: false }));
            return Ok(());
        };
        walk.count(&walk.inputs, limit::TREE_FILES)?;
        let tracked = directory.territory.knows_tracked().then_some(tracked.is_some());
        self.run.push(Entry::new(&self.path, kind, tracked, open::stamp(stat)));
        Ok(())
    }

    /// Returns the metadata of the current name. None: it is gone, or its directory may be listed but not
    /// entered, which is an error unless only metadata would be lost.
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
