//! A commit as the trusted baseline: its own tree, by its own specification (design, "Lock").

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::Path;

use referee_exec::git::{Commit, Entry, GitError, Repository};
use referee_ledger::workspace::{self, Listed, Looked, WorkspaceFile};
use referee_model::lock::{Lock, LockRule};
use referee_model::plan::Plan;
use referee_model::run_context::protection::{Drift, TrustedBaseline};
use referee_model::time::Timestamp;

use super::book::RuleBook;
use super::{Baseline, Contents, ProtectionError, lock_snapshot};

/// The state of a workspace at a commit.
#[derive(Debug)]
pub struct Committed {
    repository: Repository,
    reference: String,
    commit: Commit,
    entries: BTreeMap<String, Entry>,
}

impl Committed {
    /// Finds a commit and lists its files below a workspace.
    ///
    /// # Errors
    /// Fails if there is no git, no repository or no such commit, or if the commit's objects are damaged.
    pub fn open(workspace: &Path, environment: &[(OsString, OsString)], reference: &str) -> Result<Self, GitError> {
        let repository = Repository::open(workspace, referee_exec::search_path(environment))?;
        let commit = repository.commit(reference)?;
        let entries = repository.list(&commit)?;
        let mut entries: BTreeMap<String, Entry> =
            entries.into_iter().map(|entry| (entry.path.clone(), entry)).collect();
        let is_passed_over = |path: &&String| workspace::is_passed_over(path, |other| entries.contains_key(other));
        let passed_over: Vec<String> = entries.keys().filter(is_passed_over).cloned().collect();
        for path in passed_over {
            entries.remove(&path);
        }
        Ok(Self { repository, reference: reference.to_owned(), commit, entries })
    }

    /// Returns the commit's id.
    pub fn id(&self) -> &str {
        &self.commit.id
    }

    /// Finds the commit at which HEAD and this commit diverged. `None` if it is this one.
    ///
    /// # Errors
    /// Returns the reason if it cannot be determined.
    pub(crate) fn fork(&self, workspace: &Path, environment: &[(OsString, OsString)]) -> Result<Option<Self>, String> {
        let id = self.repository.fork_point(&self.commit).map_err(|error| error.to_string())?;
        let id = id.ok_or_else(|| format!("git knows no commit that HEAD and {} have in common", self.reference))?;
        if id == self.commit.id {
            return Ok(None);
        }
        Self::open(workspace, environment, &id).map(Some).map_err(|error| error.to_string())
    }

    /// Whether the file at this path was a link. `None` if there was no file.
    pub(crate) fn holds(&self, path: &str) -> Option<bool> {
        self.entries.get(path).map(|entry| entry.is_link)
    }

    /// Returns the paths of all files, sorted.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// Returns the content of a file. `None` if there was none, or if it cannot be read.
    pub fn content(&self, path: &str) -> Option<Vec<u8>> {
        let entry = self.entries.get(path)?;
        self.repository.read(&[entry.object.as_str()]).ok()?.pop()
    }

    /// Returns the contents of several files, in order. `None` if there was no such file, or if none of them can
    /// be read.
    pub fn contents(&self, paths: &[String]) -> Vec<Option<Vec<u8>>> {
        let objects: BTreeSet<&str> =
            paths.iter().filter_map(|path| self.entries.get(path)).map(|entry| entry.object.as_str()).collect();
        let objects: Vec<&str> = objects.into_iter().collect();
        let read = self.repository.read(&objects).unwrap_or_default();
        let read: BTreeMap<&str, Vec<u8>> = objects.into_iter().zip(read).collect();
        let content = |path: &String| read.get(self.entries.get(path)?.object.as_str()).cloned();
        paths.iter().map(content).collect()
    }

    /// Returns the text of a file. `None` if there was none, or if it is not text.
    pub fn text(&self, path: &str) -> Option<String> {
        String::from_utf8(self.content(path)?).ok()
    }

    /// Returns a baseline of the commit, by rules that were derived from its own files and specification. `shown`
    /// has the plans of that specification as they are stored; empty if it had none.
    ///
    /// # Errors
    /// Fails if a protected file cannot be read.
    pub fn baseline(self, rules: Vec<LockRule>, shown: &[Plan], made: Timestamp) -> Result<Baseline, ProtectionError> {
        let book = RuleBook::new(&rules).map_err(ProtectionError::Content)?;
        let protected: Vec<&Entry> = self.entries.values().filter(|entry| book.of(&entry.path).is_some()).collect();
        let objects: BTreeSet<&str> = protected.iter().map(|entry| entry.object.as_str()).collect();
        let objects: Vec<&str> = objects.into_iter().collect();
        let contents = self.repository.read(&objects).map_err(|error| ProtectionError::Content(error.to_string()))?;
        let contents: BTreeMap<&str, Vec<u8>> = objects.into_iter().zip(contents).collect();
        let look = |path: &str| {
            let Some(entry) = self.entries.get(path) else { return Looked::Missing };
            let Some(content) = contents.get(entry.object.as_str()) else { return Looked::Missing };
            let held = WorkspaceFile::of(content.clone());
            if entry.is_link { Looked::Link(held) } else { Looked::File(held) }
        };
        let listed: Vec<Listed> = protected
            .iter()
            .filter(|entry| !super::is_our_own(&entry.path))
            .map(|entry| Listed { path: entry.path.clone(), ignored: false })
            .collect();
        let (files, _) = lock_snapshot::lock_files(&rules, &listed, &look, &BTreeMap::new())?;
        let plans = lock_snapshot::digests(shown)?;
        Ok(Baseline {
            trusted: TrustedBaseline::Git { reference: self.reference.clone(), commit: self.commit.id.clone() },
            lock: Lock {
                made,
                plans,
                rules,
                files,
                test_counts: BTreeMap::new(),
                named_tests: BTreeMap::new(),
                sources: None,
            },
            of_itself: Vec::<Drift>::new(),
            weakenings: BTreeMap::new(),
            notes: Vec::new(),
            doubt: None,
            vouched: None,
            beside: Vec::new(),
            contents: Contents::Committed(Box::new(self)),
        })
    }
}
