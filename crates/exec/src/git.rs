//! Commits as trusted baselines: the content of a repository at a commit, read through git.
//!
//! The repository is under the control of the one who is judged. So git is searched outside of the workspace, gets
//! none of the caller's variables, reads no configuration except the repository's own, and is instructed to run no
//! hook, monitor, pager or helper, to fetch nothing, and to ignore replacement objects. The repository's objects
//! are verified against their ids before any is trusted, because a file in `.git/objects` can be overwritten like
//! any other.
//!
//! Contents are blobs as committed: no filter runs, so a file that git-lfs stores elsewhere is its pointer, and
//! line ends are those of the repository.

mod commit;
mod history;
mod process;
mod worktree;

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

pub use self::commit::{Committer, is_name};
pub use self::history::History;
pub use self::worktree::{Worktree, is_root};

use self::process::Output;

/// Maximum output of git that is read, in bytes.
const OUTPUT_BYTES: usize = 512 * 1024 * 1024;

/// Maximum number of files of a commit.
const FILES: usize = 1_000_000;

/// Maximum length of a commit name, in bytes.
const REFERENCE_BYTES: usize = 1024;

/// Arguments of every git call.
const GUARDED: [&str; 18] = [
    "--no-replace-objects",
    "--literal-pathspecs",
    "--no-optional-locks",
    "--no-pager",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "protocol.allow=never",
    "-c",
    "credential.helper=",
    "-c",
    "core.alternateRefsCommand=",
    "-c",
    "advice.detachedHead=false",
    "-c",
    "core.pager=cat",
];

/// Environment variables passed to git, in addition to the search path.
const VARIABLES: [(&str, &str); 9] = [
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_SYSTEM", "/dev/null"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("LC_ALL", "C"),
    ("HOME", "/nonexistent"),
];

/// Reason why a commit cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// There is no git outside the workspace.
    #[error("git not found on PATH outside the workspace: install git")]
    NoGit,
    /// The workspace is not in a repository.
    #[error("the workspace is not in a readable git repository: {0}")]
    NoRepository(String),
    /// There is no such commit.
    #[error("`{reference}` is not a commit of this repository{}", if *.shallow { ": the repository is shallow, fetch more of it" } else { "" })]
    NoCommit {
        reference: String,
        /// Whether the repository holds only part of the history.
        shallow: bool,
    },
    /// An object of a commit does not match its id, or is missing.
    #[error("the objects of {commit} are damaged or missing: {message}")]
    Damaged { commit: String, message: String },
    /// There is no history that can be copied.
    #[error("{0}")]
    NoHistory(&'static str),
    /// Git failed unexpectedly.
    #[error("git {operation}: {message}")]
    Failed { operation: &'static str, message: String },
}

/// A repository, and the git program to read it with.
#[derive(Debug)]
pub struct Repository {
    program: PathBuf,
    path: std::ffi::OsString,
    workspace: PathBuf,
}

/// A commit of a repository whose objects were verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// Commit id, in hexadecimal digits.
    pub id: String,
}

/// A file or symbolic link of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Path relative to the workspace.
    pub path: String,
    /// Whether it is a symbolic link, whose content is its target.
    pub is_link: bool,
    pub object: String,
}

impl Repository {
    /// Finds git, and the repository that contains a workspace. `path` is the search path of the caller.
    ///
    /// # Errors
    /// Fails where there is no git or no repository.
    pub fn open(workspace: &Path, path: Option<&OsStr>) -> Result<Self, GitError> {
        let workspace = std::fs::canonicalize(workspace).map_err(|error| GitError::NoRepository(error.to_string()))?;
        let directories: Vec<PathBuf> = std::env::split_paths(path.unwrap_or_default())
            .filter_map(|directory| if directory.is_absolute() { std::fs::canonicalize(directory).ok() } else { None })
            .filter(|directory| !directory.starts_with(&workspace))
            .collect();
        let program = directories.iter().map(|directory| directory.join("git")).find_map(|program| {
            let real = std::fs::canonicalize(program).ok()?;
            (real.is_file() && !real.starts_with(&workspace)).then_some(real)
        });
        let program = program.ok_or(GitError::NoGit)?;
        let path = std::env::join_paths(&directories).unwrap_or_default();
        let repository = Self { program, path, workspace };
        let found = repository.ask("looks for a repository", &["rev-parse", "--git-dir"], None)?;
        if found.code == Some(0) { Ok(repository) } else { Err(GitError::NoRepository(found.complaint())) }
    }

    /// Returns the id of the checked-out commit as git reports it, without verifying any object. None: there is
    /// none yet.
    ///
    /// # Errors
    /// Fails if git cannot be run.
    pub fn head(&self) -> Result<Option<String>, GitError> {
        let name = ["rev-parse", "--verify", "--quiet", "--end-of-options", "HEAD^{commit}"];
        let found = self.ask("looks for the commit that is checked out", &name, None)?;
        let id = String::from_utf8_lossy(&found.stdout).trim().to_owned();
        Ok((found.code == Some(0) && is_object(&id)).then_some(id))
    }

    /// Finds a commit by any name that git accepts, and verifies its objects against their ids.
    ///
    /// # Errors
    /// Fails where there is no such commit, and where an object is missing or does not match its id.
    pub fn commit(&self, reference: &str) -> Result<Commit, GitError> {
        let no_commit = || GitError::NoCommit { reference: reference.to_owned(), shallow: self.is_shallow() };
        let is_name = !reference.is_empty()
            && reference.len() <= REFERENCE_BYTES
            && !reference.starts_with('-')
            && !reference.contains(char::is_control);
        if !is_name {
            return Err(no_commit());
        }
        let name = format!("{reference}^{{commit}}");
        let operation = "looks for a commit";
        let found = self.ask(operation, &["rev-parse", "--verify", "--quiet", "--end-of-options", &name], None)?;
        let id = String::from_utf8_lossy(&found.stdout).trim().to_owned();
        if found.code != Some(0) || !is_object(&id) {
            return Err(no_commit());
        }
        let listed = ["rev-list", "--verify-objects", "--no-walk", "--quiet", "--end-of-options", &id];
        let whole = self.ask("holds objects against their names", &listed, None)?;
        // Git reports a content that does not match its id, and continues.
        if whole.code != Some(0) || whole.complained() {
            return Err(GitError::Damaged { commit: id, message: whole.complaint() });
        }
        Ok(Commit { id })
    }

    /// Returns the id of the merge base of the checked-out commit and another one. None: they have none, or the
    /// repository does not hold it.
    ///
    /// # Errors
    /// Fails if git cannot be run.
    pub fn fork_point(&self, commit: &Commit) -> Result<Option<String>, GitError> {
        let arguments = ["merge-base", "--end-of-options", "HEAD", &commit.id];
        let found = self.ask("looks for the commit at which work began", &arguments, None)?;
        let id = String::from_utf8_lossy(&found.stdout).trim().to_owned();
        Ok((found.code == Some(0) && is_object(&id)).then_some(id))
    }

    /// Lists the files and symbolic links of a commit below the workspace, sorted by path. Submodules are skipped.
    ///
    /// # Errors
    /// Fails where git fails, for paths that are not UTF-8, and for more than a million files.
    pub fn list(&self, commit: &Commit) -> Result<Vec<Entry>, GitError> {
        let operation = "lists a commit";
        let failed = |message: String| GitError::Failed { operation, message };
        let found = self.ask(operation, &["ls-tree", "-r", "-z", &commit.id], None)?;
        if found.code != Some(0) {
            return Err(failed(found.complaint()));
        }
        let mut entries = Vec::new();
        for line in found.stdout.split(|byte| *byte == 0).filter(|line| !line.is_empty()) {
            let line = std::str::from_utf8(line).map_err(|_| failed("a file's name is not text".to_owned()))?;
            let (about, path) = line.split_once('\t').ok_or_else(|| failed(format!("cannot be read: {line}")))?;
            let mut about = about.split(' ');
            let (mode, kind, object) = (about.next(), about.next(), about.next().unwrap_or_default());
            if kind != Some("blob") || !is_object(object) {
                continue;
            }
            entries.push(Entry { path: path.to_owned(), is_link: mode == Some("120000"), object: object.to_owned() });
            if entries.len() > FILES {
                return Err(failed(format!("it holds more than {FILES} files")));
            }
        }
        entries.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(entries)
    }

    /// Reads the contents of objects, in the requested order.
    ///
    /// # Errors
    /// Fails where an object is missing or is not a blob, and where the contents are too large together.
    pub fn read(&self, objects: &[&str]) -> Result<Vec<Vec<u8>>, GitError> {
        if objects.is_empty() {
            return Ok(Vec::new());
        }
        let operation = "reads contents";
        let failed = |message: String| GitError::Failed { operation, message };
        let mut question = String::new();
        for object in objects {
            writeln!(question, "{object}").map_err(|error| failed(error.to_string()))?;
        }
        let found = self.ask(operation, &["cat-file", "--batch"], Some(question.as_bytes()))?;
        if found.code != Some(0) {
            return Err(failed(found.complaint()));
        }
        let mut rest = found.stdout.as_slice();
        let mut contents = Vec::with_capacity(objects.len());
        for object in objects {
            let (content, after) = content(object, rest).ok_or_else(|| failed(format!("{object} cannot be read")))?;
            contents.push(content.to_vec());
            rest = after;
        }
        Ok(contents)
    }

    /// Returns those of the paths that the current commit (HEAD) holds, in no particular order; a directory counts,
    /// where no path inside of it is requested. Before the first commit the result is empty. Objects are not
    /// verified against their ids, because only the paths matter and no content is trusted.
    ///
    /// # Errors
    /// Fails where git fails.
    pub fn tracked(&self, paths: &[String]) -> Result<Vec<String>, GitError> {
        let operation = "looks for tracked files";
        let words = ["ls-tree", "-z", "--name-only", "HEAD", "--"].into_iter();
        let arguments: Vec<&str> = words.chain(paths.iter().map(String::as_str)).collect();
        let found = self.ask(operation, &arguments, None)?;
        if found.code != Some(0) {
            let born = self.ask(operation, &["rev-parse", "--verify", "--quiet", "HEAD"], None)?;
            let names_a_branch = self.ask(operation, &["symbolic-ref", "--quiet", "HEAD"], None)?;
            let is_unborn = born.code != Some(0) && names_a_branch.code == Some(0);
            let failed = || GitError::Failed { operation, message: found.complaint() };
            return if is_unborn { Ok(Vec::new()) } else { Err(failed()) };
        }
        let names = found.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        Ok(names.filter_map(|name| std::str::from_utf8(name).ok()).map(str::to_owned).collect())
    }

    fn is_shallow(&self) -> bool {
        let found = self.ask("looks at its history", &["rev-parse", "--is-shallow-repository"], None);
        found.is_ok_and(|found| found.stdout.starts_with(b"true"))
    }

    fn ask(&self, operation: &'static str, arguments: &[&str], input: Option<&[u8]>) -> Result<Output, GitError> {
        self.ask_in(&self.workspace, operation, arguments, input, OUTPUT_BYTES)
    }

    fn ask_in(
        &self,
        directory: &Path,
        operation: &'static str,
        arguments: &[&str],
        input: Option<&[u8]>,
        output_bytes: usize,
    ) -> Result<Output, GitError> {
        let words = GUARDED.iter().chain(arguments).map(|word| (*word).to_owned()).collect();
        let variables = VARIABLES.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        let variables = variables.chain([("PATH".into(), self.path.clone())]).collect();
        let call =
            process::Call { program: &self.program, arguments: words, directory, variables, input, output_bytes };
        call.run().map_err(|message| GitError::Failed { operation, message })
    }
}

/// Whether a text is an object id, in either length that git uses.
fn is_object(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Splits one content off the output of `cat-file --batch`: `ID blob SIZE`, a line end, the content, a line end.
fn content<'a>(object: &str, printed: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
    let end = printed.iter().position(|byte| *byte == b'\n')?;
    let (header, rest) = (printed.get(..end)?, printed.get(end + 1..)?);
    let header = std::str::from_utf8(header).ok()?;
    let size = header.strip_prefix(object)?.strip_prefix(" blob ")?.parse::<usize>().ok()?;
    let content = rest.get(..size)?;
    Some((content, rest.get(size..)?.strip_prefix(b"\n")?))
}

#[cfg(test)]
mod tests;
