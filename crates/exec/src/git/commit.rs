//! Commits and pushes, where a person asked for them: files that are named, and nothing else that is staged.
//!
//! Unlike questions about baselines this is done as the person would do it: with their name, their configuration and their
//! credentials. But no hook of the repository runs, since whoever works in it can write one, and nothing is ever forced.

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

/// How the variables of git begin that say who commits and how a server is reached; any other of git's is passed over, since
/// it may lead to another repository or another index.
const KEPT: [&str; 5] = ["GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_SSH", "GIT_ASKPASS", "GIT_CONFIG_GLOBAL"];

/// A repository that is committed to.
#[derive(Debug)]
pub struct Committer {
    repository: Repository,
    root: PathBuf,
    environment: BTreeMap<OsString, OsString>,
}

impl Committer {
    /// Finds git, and the repository that a workspace lies in. `environment` is the person's.
    ///
    /// # Errors
    /// Fails where there is no git or no repository with files.
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

    /// Returns the directory of its files.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the commit that is checked out. None: there is none yet.
    ///
    /// # Errors
    /// Fails where git cannot be asked.
    pub fn head(&self) -> Result<Option<String>, GitError> {
        self.repository.head()
    }

    /// Returns the branch that is checked out. None: no branch is.
    ///
    /// # Errors
    /// Fails where git cannot be asked.
    pub fn branch(&self) -> Result<Option<String>, GitError> {
        let found = self.call("looks for the branch", &["symbolic-ref", "--quiet", "--short", "HEAD"], None)?;
        let name = String::from_utf8_lossy(&found.stdout).trim().to_owned();
        Ok((found.code == Some(0) && is_name(&name)).then_some(name))
    }

    /// Returns the files at these places or below that differ from the commit, staged or not, and those that are new and not
    /// ignored: relative to [`Committer::root`], sorted. The places are absolute, and lie below it.
    ///
    /// # Errors
    /// Fails where git does.
    pub fn changed(&self, places: &[PathBuf]) -> Result<Vec<String>, GitError> {
        if places.is_empty() {
            return Ok(Vec::new());
        }
        let deed = "looks for changed files";
        let words = ["status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--"];
        let mut arguments: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        for place in places {
            arguments.push(place.to_str().ok_or_else(|| failed(deed, "a path is not text"))?.to_owned());
        }
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let found = self.must(deed, &arguments, None)?;
        let mut paths = Vec::new();
        for line in found.stdout.split(|byte| *byte == 0).filter(|line| !line.is_empty()) {
            // Two letters and a space before the path.
            let path = line.get(3..).and_then(|path| std::str::from_utf8(path).ok());
            paths.push(path.ok_or_else(|| failed(deed, "a file's name is not text"))?.to_owned());
        }
        paths.sort_unstable();
        paths.dedup();
        Ok(paths)
    }

    /// Whether the repository ignores something at a place or below it.
    ///
    /// # Errors
    /// Fails where git cannot be asked.
    pub fn is_ignored(&self, place: &Path) -> Result<bool, GitError> {
        let Some(place) = place.to_str() else { return Ok(false) };
        let words = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--", place];
        Ok(!self.must("looks for what it ignores", &words, None)?.stdout.is_empty())
    }

    /// Commits these files as they are, relative to [`Committer::root`], and nothing else: what else is staged stays staged.
    /// Returns the commit's id. None: they are as they were.
    ///
    /// # Errors
    /// Fails where git does: nobody is named as author, a merge is under way.
    pub fn commit(&self, paths: &[String], message: &str) -> Result<Option<String>, GitError> {
        if paths.is_empty() {
            return Ok(None);
        }
        let before = self.head()?;
        let list = paths.join("\0").into_bytes();
        let from_input = ["--pathspec-from-file=-", "--pathspec-file-nul"];
        // New files must be known before they can be named. What is ignored was never listed.
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
                // As it was: a file that is only announced would stand in the way of the person.
                let back = [&["reset", "--quiet"][..], &from_input].concat();
                self.call("takes new files back", &back, Some(new.join("\0").as_bytes()))?;
            }
            return Err(failed("commits", &committed.complaint()));
        }
        let after = self.head()?;
        Ok(after.filter(|after| before.as_ref() != Some(after)))
    }

    /// Pushes a commit to a branch of a configured remote. Never forced: a branch that has gone on elsewhere stays as it is.
    ///
    /// # Errors
    /// Fails where there is no such remote, and where it does not take the commit.
    pub fn push(&self, remote: &str, commit: &str, branch: &str) -> Result<(), GitError> {
        let deed = "pushes";
        let remotes = self.must("looks for its remotes", &["remote"], None)?;
        let is_known = String::from_utf8_lossy(&remotes.stdout).lines().any(|line| line == remote);
        if !is_known || !is_name(remote) {
            return Err(failed(deed, &format!("there is no remote `{remote}`")));
        }
        if !is_object(commit) || !is_name(branch) {
            return Err(failed(deed, "neither commit nor branch is one"));
        }
        let target = format!("{commit}:refs/heads/{branch}");
        self.must(deed, &["push", "--quiet", "--no-recurse-submodules", remote, &target], None).map(drop)
    }

    /// Returns where a push to a remote goes. None: git does not say.
    pub fn address(&self, remote: &str) -> Option<String> {
        let arguments = ["remote", "get-url", "--push", remote];
        let found =
            self.call("looks where a remote is", &arguments, None).ok().filter(|found| found.code == Some(0))?;
        Some(String::from_utf8_lossy(&found.stdout).trim().to_owned())
    }

    /// Those of these paths that the index knows: a file that is gone, or one that is changed.
    fn not_there(&self, paths: &[String]) -> Result<Vec<String>, GitError> {
        let deed = "looks for known files";
        let mut known = Vec::new();
        // Arguments have a bound, so they are asked for in parts.
        for part in paths.chunks(256) {
            let words = ["ls-files", "-z", "--cached", "--"].into_iter();
            let arguments: Vec<&str> = words.chain(part.iter().map(String::as_str)).collect();
            let found = self.must(deed, &arguments, None)?;
            let names = found.stdout.split(|byte| *byte == 0).filter_map(|name| std::str::from_utf8(name).ok());
            known.extend(names.filter(|name| !name.is_empty()).map(str::to_owned));
        }
        Ok(known)
    }

    fn must(&self, deed: &'static str, arguments: &[&str], input: Option<&[u8]>) -> Result<Output, GitError> {
        let found = self.call(deed, arguments, input)?;
        if found.code == Some(0) { Ok(found) } else { Err(failed(deed, &found.complaint())) }
    }

    fn call(&self, deed: &'static str, arguments: &[&str], input: Option<&[u8]>) -> Result<Output, GitError> {
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
        call.run().map_err(|message| GitError::Failed { deed, message })
    }
}

fn failed(deed: &'static str, message: &str) -> GitError {
    GitError::Failed { deed, message: message.to_owned() }
}

fn is_kept(name: &OsString) -> bool {
    let name = name.to_string_lossy();
    if name.starts_with("GIT_") {
        KEPT.iter().any(|kept| name.starts_with(kept))
    } else {
        !name.starts_with("REFEREE_")
    }
}

/// Whether a text can be the name of a branch or a remote: nothing that git would take for an option, an address or a pattern.
pub fn is_name(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./@+#".contains(&byte) || !byte.is_ascii();
    !text.is_empty()
        && text.len() <= REFERENCE_BYTES
        && !text.starts_with(['-', '/', '.'])
        && !text.contains("..")
        && !text.ends_with(['/', '.'])
        && text.bytes().all(is_allowed)
}
