//! The walk through a workspace: directory by directory, on several threads if there is much to do. One walk
//! finds the inputs, or all files among which protected ones are searched, or both.

use std::collections::BTreeSet;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use referee_model::limit;
use rustix::io::Errno;

use self::directory::{Directory, Facts, ListSelection};
use self::names::Names;
use self::queue::Queue;
use self::repository_scope::RepositoryScope;
use self::worker::Worker;
use super::content::Hash;
use super::exclusions::Exclusions;
use super::index::Tracking;
use super::rules::Rules;
use super::{Entry, Listed, open};
use crate::error::LedgerError;
use crate::excluded_dirs::{self, Sign};

mod directory;
mod names;
mod queue;
mod repository_scope;
mod worker;

/// Number of waiting directories from which on further threads are started: a small workspace is finished
/// before a thread would begin.
const DIRECTORIES_WAITING: usize = 24;

#[derive(Debug, Clone, Copy)]
pub(super) struct Sought<'walk> {
    /// Finds the inputs, without these exclusions. None: the inputs are not requested.
    pub(super) inputs: Option<&'walk Exclusions>,
    /// Finds all files, except those in these directories, relative to the workspace. None: they are not
    /// requested.
    pub(super) files: Option<&'walk BTreeSet<Vec<u8>>>,
}

#[derive(Debug, Default)]
pub(super) struct Walked {
    /// Inputs, in runs that are each sorted by path: no entry of another run comes between those of one.
    runs: Vec<Vec<Entry>>,
    /// All files, in no particular order.
    pub(super) files: Vec<Listed>,
    /// Directories that cannot be listed.
    pub(super) unlisted: Vec<PathBuf>,
    /// Files that determine which files are inputs and that cannot be read, with the reason.
    pub(super) unknown: Vec<(PathBuf, String)>,
    /// Rules files outside the directories of the walk that exclude files, with the hash of their content.
    pub(super) rules: Vec<(Entry, Hash)>,
    /// Remarks about the walk for the user.
    pub(super) notes: Vec<String>,
}

impl Walked {
    pub(super) fn entries(&mut self) -> Vec<Entry> {
        let mut runs = std::mem::take(&mut self.runs);
        runs.sort_unstable_by(|one, other| one.first().map(by_path).cmp(&other.first().map(by_path)));
        let mut entries = Vec::with_capacity(runs.iter().map(Vec::len).sum());
        for run in &mut runs {
            entries.append(run);
        }
        // A file that became a directory, or a directory that was not listed as one, is at a position where no
        // run was split.
        if !entries.is_sorted_by_key(by_path) {
            entries.sort_by(|one, other| by_path(one).cmp(by_path(other)));
        }
        entries
    }

    fn append(&mut self, mut other: Self) {
        self.runs.append(&mut other.runs);
        self.files.append(&mut other.files);
        self.unlisted.append(&mut other.unlisted);
        self.unknown.append(&mut other.unknown);
        self.rules.append(&mut other.rules);
        self.notes.append(&mut other.notes);
    }
}

fn by_path(entry: &Entry) -> &[u8] {
    entry.path.as_os_str().as_bytes()
}

/// Walks through a workspace.
pub(super) fn walk(root: &OwnedFd, workspace: &Path, sought: Sought<'_>) -> Result<Walked, LedgerError> {
    let walk = Walk { root, workspace, sought, inputs: AtomicUsize::new(0), files: AtomicUsize::new(0) };
    let mut worker = Worker::new(&walk);
    let territory = RepositoryScope::of_workspace(workspace, &mut worker.walked);
    let wanted = ListSelection { input: sought.inputs.is_some(), file: sought.files.is_some() };
    worker.waiting.push(Arc::new(Directory::first(Vec::new(), territory, wanted)));
    let mut names = Names::default();
    while let Some(directory) = worker.waiting.pop() {
        worker.visit(directory, &mut names)?;
        if worker.waiting.len() >= DIRECTORIES_WAITING {
            return at_once(worker);
        }
    }
    Ok(worker.walked)
}

/// Continues the walk with several threads.
fn at_once(mut worker: Worker<'_>) -> Result<Walked, LedgerError> {
    let walk = worker.walk;
    let queue = Queue::new(std::mem::take(&mut worker.waiting));
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(limit::TREE_THREADS);
    let walked = std::thread::scope(|scope| {
        let spawn = |_| std::thread::Builder::new().spawn_scoped(scope, || Worker::new(walk).work(&queue)).ok();
        // Without another thread, those that are there do all of it.
        let others: Vec<_> = (1..threads).map_while(spawn).collect();
        let mut walked = worker.work(&queue);
        for other in others {
            match other.join() {
                Ok(part) => walked.append(part),
                // Its results are lost, so the listing would lack files.
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        walked
    });
    if let Some(failure) = queue.failure() {
        return Err(failure);
    }
    Ok(walked)
}

struct Walk<'walk> {
    root: &'walk OwnedFd,
    workspace: &'walk Path,
    sought: Sought<'walk>,
    /// Number of inputs found by all threads.
    inputs: AtomicUsize,
    files: AtomicUsize,
}

impl Walk<'_> {
    /// Returns the directory of this path if it is to be visited: for inputs, it must contain something tracked
    /// or not be ignored.
    fn directory(&self, parent: &Arc<Directory>, path: &[u8], mut wanted: ListSelection) -> Option<Arc<Directory>> {
        let range = parent.territory.below(parent.range.clone(), path);
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        if wanted.input && range.is_empty() && parent.tracks(path) != Some(Tracking::Repository) {
            wanted.input = !self.ignores(parent, path, true)
                && !excluded_dirs::is_no_input(name, |sign| self.is_there(&parent.path, path, sign));
        }
        if wanted.file {
            wanted.file = !self.sought.files.is_some_and(|beside| beside.contains(path))
                && !excluded_dirs::is_unprotected(name, |sign| self.is_there(&parent.path, path, sign));
        }
        (!wanted.is_nothing()).then(|| Arc::new(Directory::below(parent, path, range, wanted)))
    }

    /// Returns whether a directory has its sign: a file in it or beside it.
    fn is_there(&self, above: &[u8], path: &[u8], sign: Sign) -> bool {
        let (directory, file) = match sign {
            Sign::Name => return true,
            Sign::Beside(file) => (above, file),
            Sign::Inside(file) => (path, file),
        };
        let place = if directory.is_empty() { file.into() } else { [directory, b"/", file.as_bytes()].concat() };
        open::look(self.root.as_fd(), &place).is_ok_and(|stat| open::kind(&stat).is_some())
    }

    /// Returns whether git would ignore a path in a directory.
    fn ignores(&self, directory: &Directory, path: &[u8], is_directory: bool) -> bool {
        self.facts(directory).ignored || self.ruled_out(directory, path, is_directory)
    }

    fn facts<'directory>(&self, directory: &'directory Directory) -> &'directory Facts {
        directory.facts.get_or_init(|| {
            let has_rules = directory.has_rules.get().copied().unwrap_or(true);
            Facts {
                ignored: directory.parent.as_deref().is_some_and(|parent| self.ignores(parent, &directory.path, true)),
                rules: has_rules.then(|| Rules::of_directory(self.root.as_fd(), &directory.path)).flatten(),
            }
        })
    }

    /// Returns whether the rules of the directory, of those above it, or of the repository ignore a path: the
    /// nearest rules that match it decide.
    fn ruled_out(&self, directory: &Directory, path: &[u8], is_directory: bool) -> bool {
        let mut at = Some(directory);
        while let Some(directory) = at {
            let skipped = if directory.path.is_empty() { 0 } else { directory.path.len() + 1 };
            let inside = path.get(skipped..).unwrap_or_default();
            let rules = self.facts(directory).rules.as_ref();
            if let Some(ignored) = rules.and_then(|rules| rules.ignore(inside, is_directory)) {
                return ignored;
            }
            at = directory.parent.as_deref();
        }
        directory.territory.ignores(path, is_directory)
    }

    fn wrong(&self, path: &[u8], doing: &'static str, error: Errno) -> LedgerError {
        LedgerError::io(doing, &self.workspace.join(open::path(path)))(error)
    }

    /// Counts one more file; returns an error if there are too many.
    fn count(&self, counter: &AtomicUsize, limit: usize) -> Result<(), LedgerError> {
        if counter.fetch_add(1, Ordering::Relaxed) < limit {
            return Ok(());
        }
        Err(LedgerError::TooManyFiles { path: self.workspace.to_path_buf(), limit })
    }
}
