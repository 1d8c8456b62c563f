//! Copies a repository's history, for tools in a clean room that ask git for a version or for changes.
//!
//! Only objects and names are copied: all commits up to the checked-out one, its files, and the tags of these
//! commits. Files of earlier commits are not copied; neither are remotes, hooks, configuration, attributes, or
//! anything else in a repository that names programs or other locations. Objects are packed again and named by
//! their content, so nothing in the copy refers to the repository.

use std::collections::BTreeSet;
use std::path::Path;

use super::process::Output;
use super::{GitError, Repository, is_object};

/// Maximum number of commits in a history that is copied.
const COMMITS: usize = 200_000;

const TAGS: usize = 20_000;

/// Maximum size of the packed objects, in bytes.
const BYTES: usize = 256 * 1024 * 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct History {
    pub commits: u64,
    pub tags: u64,
    /// Commits whose parents the repository does not have: the content of the copy's `shallow` file.
    pub shallow: Vec<String>,
}

/// A tag of a commit in the history.
struct Tag {
    name: String,
    object: String,
    is_annotated: bool,
}

impl Repository {
    /// Copies the history to a new repository in the empty directory `into`, with an index for the files in
    /// `files`.
    ///
    /// # Errors
    /// Fails if there is no commit, if the workspace is only a part of the repository, if the history exceeds
    /// the limits, and if git fails.
    pub fn copy_history(&self, into: &Path, files: &Path) -> Result<History, GitError> {
        let prefix = self.said("looks for its files", &["rev-parse", "--show-prefix"])?;
        if !prefix.is_empty() {
            return Err(GitError::NoHistory("the workspace is a part of its repository"));
        }
        let head = self.head()?.ok_or(GitError::NoHistory("the repository has no commit yet"))?;
        let commits = self.said("lists commits", &["rev-list", &head])?;
        let commits: BTreeSet<&str> = commits.lines().filter(|id| is_object(id)).collect();
        let tags = self.tags(&head)?;
        if commits.len() > COMMITS || tags.len() > TAGS {
            return Err(GitError::NoHistory("its history is too long"));
        }
        let content = self.said("lists files", &["rev-list", "--objects", "--no-walk", "--no-object-names", &head])?;
        let annotated = tags.iter().filter(|tag| tag.is_annotated).map(|tag| tag.object.as_str());
        let objects: BTreeSet<&str> = commits.iter().copied().chain(content.lines()).chain(annotated).collect();
        let objects: Vec<&str> = objects.into_iter().filter(|id| is_object(id)).collect();
        let pack = self.packed(&objects)?;
        let branch = self.ask("looks for its branch", &["symbolic-ref", "--quiet", "HEAD"], None)?;
        let branch = String::from_utf8_lossy(&branch.stdout).trim().to_owned();

        let format = self.said("looks for the length of its ids", &["rev-parse", "--show-object-format"])?;
        let make = |arguments: &[&str], input: Option<&[u8]>| self.make(into, arguments, input);
        make(&["init", "--quiet", "--template=", &format!("--object-format={format}")], None)?;
        make(&["index-pack", "--stdin"], Some(&pack))?;
        let mut names: Vec<String> = tags.iter().map(|tag| format!("create {}\0{}\0", tag.name, tag.object)).collect();
        if branch.is_empty() {
            make(&["update-ref", "--no-deref", "HEAD", &head], None)?;
        } else {
            make(&["symbolic-ref", "HEAD", &branch], None)?;
            names.push(format!("create {branch}\0{head}\0"));
        }
        make(&["update-ref", "-z", "--stdin"], Some(names.concat().as_bytes()))?;
        self.index(into, files)?;
        let shallow = self.shallow()?.into_iter().filter(|id| commits.contains(id.as_str())).collect();
        Ok(History { commits: commits.len() as u64, tags: tags.len() as u64, shallow })
    }

    /// Returns the tags of the commit and of its ancestors.
    fn tags(&self, head: &str) -> Result<Vec<Tag>, GitError> {
        let format = "--format=%(objecttype) %(*objecttype) %(objectname) %(refname)";
        let listed = self.said("lists tags", &["for-each-ref", &format!("--merged={head}"), format, "refs/tags"])?;
        let tag = |line: &str| {
            let mut words = line.split(' ');
            let (kind, of, object, name) = (words.next()?, words.next()?, words.next()?, words.next()?);
            let leads_to_commit = kind == "commit" || (kind == "tag" && of == "commit");
            (leads_to_commit && is_object(object)).then(|| Tag {
                name: name.to_owned(),
                object: object.to_owned(),
                is_annotated: kind == "tag",
            })
        };
        Ok(listed.lines().filter_map(tag).collect())
    }

    /// Packs objects without computing new deltas.
    fn packed(&self, objects: &[&str]) -> Result<Vec<u8>, GitError> {
        let operation = "packs its history";
        let question = objects.join("\n") + "\n";
        let arguments = ["pack-objects", "-q", "--stdout", "--window=0"];
        let packed = self.ask_in(&self.workspace, operation, &arguments, Some(question.as_bytes()), BYTES)?;
        succeeded(operation, packed).map(|packed| packed.stdout)
    }

    /// Creates the index: the files of the commit, with the timestamps of the files in `files`.
    fn index(&self, into: &Path, files: &Path) -> Result<(), GitError> {
        let operation = "makes an index";
        let not_text = || GitError::Failed { operation, message: "a directory's name is not text".to_owned() };
        let git = format!("--git-dir={}", into.join(".git").to_str().ok_or_else(not_text)?);
        let tree = format!("--work-tree={}", files.to_str().ok_or_else(not_text)?);
        let ask = |arguments: &[&str]| {
            let arguments: Vec<&str> = [git.as_str(), &tree].into_iter().chain(arguments.iter().copied()).collect();
            self.ask_in(files, operation, &arguments, None, BYTES)
        };
        succeeded(operation, ask(&["read-tree", "HEAD"])?)?;
        // The command fails for files that differ, too.
        ask(&["update-index", "-q", "--refresh"])?;
        Ok(())
    }

    /// Returns the commits at which a shallow repository ends.
    fn shallow(&self) -> Result<Vec<String>, GitError> {
        let operation = "looks where its history ends";
        if !self.is_shallow() {
            return Ok(Vec::new());
        }
        let path = self.said(operation, &["rev-parse", "--git-path", "shallow"])?;
        let text = std::fs::read_to_string(self.workspace.join(path))
            .map_err(|error| GitError::Failed { operation, message: error.to_string() })?;
        Ok(text.lines().filter(|line| is_object(line)).map(str::to_owned).collect())
    }

    /// Returns git's output without the final line break.
    fn said(&self, operation: &'static str, arguments: &[&str]) -> Result<String, GitError> {
        let found = succeeded(operation, self.ask(operation, arguments, None)?)?;
        let text = String::from_utf8(found.stdout)
            .map_err(|_| GitError::Failed { operation, message: "a name is not text".to_owned() })?;
        Ok(text.trim_end_matches('\n').to_owned())
    }

    fn make(&self, directory: &Path, arguments: &[&str], input: Option<&[u8]>) -> Result<(), GitError> {
        let operation = "copies its history";
        let arguments: Vec<&str> =
            ["-c", "core.logAllRefUpdates=false"].into_iter().chain(arguments.iter().copied()).collect();
        succeeded(operation, self.ask_in(directory, operation, &arguments, input, BYTES)?).map(drop)
    }
}

fn succeeded(operation: &'static str, output: Output) -> Result<Output, GitError> {
    if output.code == Some(0) { Ok(output) } else { Err(GitError::Failed { operation, message: output.complaint() }) }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "tests make repositories with the real git")]

    use std::fs;

    use super::super::tests::{git, path};
    use super::*;

    struct Copied {
        _root: tempfile::TempDir,
        source: std::path::PathBuf,
        copy: std::path::PathBuf,
        history: Result<History, GitError>,
    }

    /// Creates a repository with `make`, and copies its history beside it.
    fn copied(make: impl FnOnce(&Path)) -> Copied {
        let root = tempfile::tempdir().unwrap();
        let directory = root.path().canonicalize().unwrap();
        let (source, copy) = (directory.join("source"), directory.join("copy"));
        fs::create_dir(&source).unwrap();
        fs::create_dir(&copy).unwrap();
        make(&source);
        let history = Repository::open(&source, Some(&path())).unwrap().copy_history(&copy, &source);
        Copied { _root: root, source, copy, history }
    }

    fn commit(directory: &Path, text: &str) {
        fs::write(directory.join("a.txt"), text).unwrap();
        git(directory, &["add", "."]);
        git(directory, &["commit", "-q", "-m", text]);
    }

    #[test]
    fn commits_and_tags_are_copied_and_nothing_that_names_programs_or_places() {
        let copied = copied(|source| {
            git(source, &["init", "-q"]);
            commit(source, "one");
            git(source, &["tag", "-a", "v1.0", "-m", "first"]);
            git(source, &["branch", "side"]);
            commit(source, "two");
            git(source, &["checkout", "-q", "side"]);
            git(source, &["commit", "-q", "--allow-empty", "-m", "beside"]);
            git(source, &["tag", "v9.0"]);
            git(source, &["checkout", "-q", "main"]);
            git(source, &["tag", "light\""]);
            git(source, &["remote", "add", "origin", "https://example.com/x"]);
            git(source, &["config", "core.fsmonitor", "/bin/false"]);
            git(source, &["config", "alias.x", "!sh"]);
            fs::create_dir_all(source.join(".git/hooks")).unwrap();
            fs::write(source.join(".git/hooks/post-checkout"), "#!/bin/sh\n").unwrap();
            fs::write(source.join(".git/info/attributes"), "* filter=x\n").unwrap();
        });
        let history = copied.history.unwrap();
        assert_eq!((history.commits, history.tags, history.shallow.len()), (2, 2, 0));
        let (source, copy) = (&copied.source, &copied.copy);
        for question in [&["describe", "--tags", "--match", "v*"][..], &["log", "-1", "--format=%H %s"], &["branch"]] {
            assert_eq!(git(copy, question), git(source, question).replace("  side\n", "").replace("\n  side", ""));
        }
        assert_eq!(git(copy, &["describe", "--match", "v*"]).split('-').next(), Some("v1.0"));
        assert_eq!(git(copy, &["remote"]), "");
        let configuration = fs::read_to_string(copy.join(".git/config")).unwrap();
        for absent in ["remote", "fsmonitor", "alias"] {
            assert!(!configuration.contains(absent), "{configuration}");
        }
        for absent in ["hooks", "info/attributes", "info/exclude", "objects/info/alternates", "logs"] {
            assert!(!copy.join(".git").join(absent).exists(), "{absent}");
        }
        fs::write(copy.join("a.txt"), "two").unwrap();
        assert_eq!(git(copy, &["status", "--porcelain"]), "");
    }

    #[test]
    fn shallow_detached_linked_and_unborn_repositories_are_told_apart() {
        let shallow = copied(|source| {
            let full = source.with_file_name("full");
            fs::create_dir(&full).unwrap();
            git(&full, &["init", "-q"]);
            for text in ["one", "two", "three"] {
                commit(&full, text);
            }
            let from = format!("file://{}", full.display());
            git(source, &["clone", "-q", "--depth", "2", &from, "."]);
        });
        let history = shallow.history.unwrap();
        assert_eq!((history.commits, history.shallow.len()), (2, 1));
        let linked = copied(|source| {
            let main = source.with_file_name("main");
            fs::create_dir(&main).unwrap();
            git(&main, &["init", "-q"]);
            commit(&main, "one");
            git(&main, &["tag", "v1"]);
            git(&main, &["worktree", "add", "-q", "--detach", source.to_str().unwrap()]);
        });
        assert_eq!(linked.history.unwrap().tags, 1);
        assert_eq!(git(&linked.copy, &["describe", "--tags"]), "v1");
        let unborn = copied(|source| drop(git(source, &["init", "-q"])));
        assert!(matches!(unborn.history, Err(GitError::NoHistory(why)) if why.contains("no commit")));
        let root = tempfile::tempdir().unwrap();
        let part = root.path().join("part");
        fs::create_dir(&part).unwrap();
        git(root.path(), &["init", "-q"]);
        commit(root.path(), "one");
        let history = Repository::open(&part, Some(&path())).unwrap().copy_history(root.path(), &part);
        assert!(matches!(history, Err(GitError::NoHistory(why)) if why.contains("part")));
    }
}
