//! Commits and pushes that a person requested: only the named files, whatever else is staged.
//!
//! Unlike the queries about baselines, these run as the person would run them: with their name, configuration
//! and credentials. But no hook of the repository runs, since an agent that works in it could write one, and
//! nothing is ever forced.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::environment::search_path;

use super::process::{Call, Output};
use super::{GitError, OUTPUT_BYTES, REFERENCE_BYTES, Repository, is_object};

const GUARDED: [&str; 8] = [
    "--literal-pathspecs",
    "--no-pager",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "push.followTags=false",
];

/// Prefixes of git's environment variables that are passed on: they set the committer and how a server is
/// reached. All others are removed, since they may select another repository or index.
const KEPT: [&str; 5] = ["GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_SSH", "GIT_ASKPASS", "GIT_CONFIG_GLOBAL"];

/// A repository for commits and pushes.
#[derive(Debug)]
pub struct Committer {
    repository: Repository,
    root: PathBuf,
    environment: BTreeMap<OsString, OsString>,
}

impl Committer {
    /// Finds git, and the repository that contains a workspace. `environment` is the person's.
    ///
    /// # Errors
    /// Fails if there is no git, or no repository with a work tree.
    pub fn open(workspace: &Path, environment: &[(OsString, OsString)]) -> Result<Self, GitError> {
        let repository = Repository::open(workspace, search_path(environment))?;
        let found = repository.ask("looks for its files", &["rev-parse", "--show-toplevel"], None)?;
        let root = String::from_utf8(found.stdout.clone()).unwrap_or_default();
        let root = root.strip_suffix('\n').unwrap_or(&root);
        if found.code != Some(0) || root.is_empty() {
            return Err(GitError::NoRepository(found.complaint()));
        }
        let root = PathBuf::from(root);
        Ok(Self {
            repository,
            root,
            environment: environment.iter().filter(|(name, _)| is_kept(name)).cloned().collect(),
        })
    }

    /// Returns the root of the work tree.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the path of the workspace in the work tree.
    pub fn workspace(&self) -> &Path {
        self.repository.workspace.strip_prefix(&self.root).unwrap_or(Path::new(""))
    }

    /// Returns the id of the checked-out commit. None: there is no commit yet.
    ///
    /// # Errors
    /// Fails if git cannot be run.
    pub fn head(&self) -> Result<Option<String>, GitError> {
        self.repository.head()
    }

    /// Returns the checked-out branch. None: HEAD is detached.
    ///
    /// # Errors
    /// Fails if git cannot be run.
    pub fn branch(&self) -> Result<Option<String>, GitError> {
        let found = self.call("looks for the branch", &["symbolic-ref", "--quiet", "--short", "HEAD"], None)?;
        let name = String::from_utf8_lossy(&found.stdout).trim().to_owned();
        Ok((found.code == Some(0) && is_name(&name)).then_some(name))
    }

    /// Returns the files at or below these paths that differ from the commit, staged or not, and new files that
    /// are not ignored: relative to [`Committer::root`], sorted. The given paths are absolute, and inside the
    /// root.
    ///
    /// # Errors
    /// Fails if git fails.
    pub fn changed(&self, places: &[PathBuf]) -> Result<Vec<String>, GitError> {
        if places.is_empty() {
            return Ok(Vec::new());
        }
        let operation = "looks for changed files";
        let words = ["status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--"];
        let mut arguments: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        for place in places {
            arguments.push(text(operation, place)?.to_owned());
        }
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let found = self.must(operation, &arguments, None)?;
        let mut paths = Vec::new();
        for line in found.stdout.split(|byte| *byte == 0).filter(|line| !line.is_empty()) {
            // Two status letters and a space precede the path.
            let path = line.get(3..).and_then(|path| std::str::from_utf8(path).ok());
            paths.push(path.ok_or_else(|| failed(operation, "a file's name is not text"))?.to_owned());
        }
        paths.sort_unstable();
        paths.dedup();
        Ok(paths)
    }

    /// Checks a commit out to a new directory, as a linked worktree without a branch. One that was there before, linked to this
    /// repository, is removed.
    ///
    /// # Errors
    /// Fails if the repository does not have the commit, or not whole, and if the directory is something else.
    pub fn add_worktree(&self, directory: &Path, commit: &str) -> Result<(), GitError> {
        let commit = self.repository.commit(commit)?;
        if directory.symlink_metadata().is_ok() {
            self.remove_worktree(directory)?;
        }
        let operation = "checks a commit out";
        let place = text(operation, directory)?;
        // Forced, since one that somebody removed with its directory is still known.
        self.must(operation, &["worktree", "add", "--quiet", "--force", "--detach", place, &commit.id], None).map(drop)
    }

    /// Removes a linked worktree with all that is in it.
    ///
    /// # Errors
    /// Fails if the directory is no linked worktree of this repository.
    pub fn remove_worktree(&self, directory: &Path) -> Result<(), GitError> {
        let operation = "removes a worktree";
        let place = text(operation, directory)?;
        self.must(operation, &["worktree", "remove", "--force", place], None).map(drop)
    }

    /// Returns whether the repository ignores any file at or below a path.
    ///
    /// # Errors
    /// Fails if git cannot be run.
    pub fn is_ignored(&self, place: &Path) -> Result<bool, GitError> {
        let Some(place) = place.to_str() else { return Ok(false) };
        let words = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--", place];
        Ok(!self.must("looks for what it ignores", &words, None)?.stdout.is_empty())
    }

    /// Commits these files in their current state, given relative to [`Committer::root`], and nothing else:
    /// other staged changes stay staged. Returns the commit's id. None: the files are unchanged.
    ///
    /// # Errors
    /// Fails if git fails, for example because no author is configured or a merge is in progress.
    pub fn commit(&self, paths: &[String], message: &str) -> Result<Option<String>, GitError> {
        if paths.is_empty() {
            return Ok(None);
        }
        let before = self.head()?;
        let list = paths.join("\0").into_bytes();
        let from_input = ["--pathspec-from-file=-", "--pathspec-file-nul"];
        // New files must be in the index before they can be committed. Ignored files were never listed.
        let added = [&["add", "--intent-to-add", "--ignore-removal"][..], &from_input].concat();
        let known = self.not_there(paths)?;
        let new: Vec<String> = paths.iter().filter(|path| !known.contains(path)).cloned().collect();
        if !new.is_empty() {
            self.must("takes in new files", &added, Some(new.join("\0").as_bytes()))?;
        }
        let words = ["commit", "--quiet", "--only", "--no-verify", "--no-edit", "-m", message];
        let committed = self.call("commits", &[&words[..], &from_input].concat(), Some(&list))?;
        if committed.code != Some(0) {
            if !new.is_empty() {
                // Restores the index: a file that stays marked with intent-to-add would be in the person's way.
                let back = [&["reset", "--quiet"][..], &from_input].concat();
                self.call("takes new files back", &back, Some(new.join("\0").as_bytes()))?;
            }
            return Err(failed("commits", &committed.complaint()));
        }
        let after = self.head()?;
        Ok(after.filter(|after| before.as_ref() != Some(after)))
    }

    /// Pushes a commit to a branch of a configured remote. Never forced: a branch that has diverged stays as it
    /// is.
    ///
    /// # Errors
    /// Fails if there is no such remote, and if it rejects the commit.
    pub fn push(&self, remote: &str, commit: &str, branch: &str) -> Result<(), GitError> {
        let operation = "pushes";
        let remotes = self.must("looks for its remotes", &["remote"], None)?;
        let is_known = String::from_utf8_lossy(&remotes.stdout).lines().any(|line| line == remote);
        if !is_known || !is_name(remote) {
            return Err(failed(operation, &format!("there is no remote `{remote}`")));
        }
        if !is_object(commit) || !is_name(branch) {
            return Err(failed(operation, "neither commit nor branch is one"));
        }
        let target = format!("{commit}:refs/heads/{branch}");
        self.must(operation, &["push", "--quiet", "--no-recurse-submodules", remote, &target], None).map(drop)
    }

    /// Returns the URL that a push to a remote goes to. None: git does not say.
    pub fn address(&self, remote: &str) -> Option<String> {
        let arguments = ["remote", "get-url", "--push", remote];
        let found =
            self.call("looks where a remote is", &arguments, None).ok().filter(|found| found.code == Some(0))?;
        Some(String::from_utf8_lossy(&found.stdout).trim().to_owned())
    }

    /// Returns those of these paths that the index contains: files that were removed or changed.
    fn not_there(&self, paths: &[String]) -> Result<Vec<String>, GitError> {
        let operation = "looks for known files";
        let mut known = Vec::new();
        // The length of an argument list is limited, so they are queried in chunks.
        for part in paths.chunks(256) {
            let words = ["ls-files", "-z", "--cached", "--"].into_iter();
            let arguments: Vec<&str> = words.chain(part.iter().map(String::as_str)).collect();
            let found = self.must(operation, &arguments, None)?;
            let names = found.stdout.split(|byte| *byte == 0).filter_map(|name| std::str::from_utf8(name).ok());
            known.extend(names.filter(|name| !name.is_empty()).map(str::to_owned));
        }
        Ok(known)
    }

    fn must(&self, operation: &'static str, arguments: &[&str], input: Option<&[u8]>) -> Result<Output, GitError> {
        let found = self.call(operation, arguments, input)?;
        if found.code == Some(0) { Ok(found) } else { Err(failed(operation, &found.complaint())) }
    }

    fn call(&self, operation: &'static str, arguments: &[&str], input: Option<&[u8]>) -> Result<Output, GitError> {
        let mut variables = self.environment.clone();
        for (name, value) in [("GIT_TERMINAL_PROMPT", "0"), ("GIT_EDITOR", "true"), ("LC_ALL", "C")] {
            variables.insert(name.into(), value.into());
        }
        variables.insert("PATH".into(), self.repository.path.clone());
        let call = Call {
            program: &self.repository.program,
            arguments: GUARDED.iter().chain(arguments).map(|word| (*word).to_owned()).collect(),
            directory: &self.root,
            variables,
            input,
            output_bytes: OUTPUT_BYTES,
        };
        call.run().map_err(|message| GitError::Failed { operation, message })
    }
}

fn failed(operation: &'static str, message: &str) -> GitError {
    GitError::Failed { operation, message: message.to_owned() }
}

fn text<'path>(operation: &'static str, path: &'path Path) -> Result<&'path str, GitError> {
    path.to_str().ok_or_else(|| failed(operation, "a path is not text"))
}

fn is_kept(name: &OsString) -> bool {
    let name = name.to_string_lossy();
    if name.starts_with("GIT_") {
        KEPT.iter().any(|kept| name.starts_with(kept))
    } else {
        !name.starts_with("REFEREE_")
    }
}

/// Returns whether a text is a safe name of a branch or a remote: nothing that git could take for an option, a
/// URL or a pattern.
pub fn is_name(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./@+#".contains(&byte) || !byte.is_ascii();
    !text.is_empty()
        && text.len() <= REFERENCE_BYTES
        && !text.starts_with(['-', '/', '.'])
        && !text.contains("..")
        && !text.ends_with(['/', '.'])
        && text.bytes().all(is_allowed)
}
