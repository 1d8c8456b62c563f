//! By whose word a part of the workspace is walked: a repository's, or nobody's.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::Walked;
use crate::tree::content::Hash;
use crate::tree::index::{Index, Tracking};
use crate::tree::open;
use crate::tree::repository::{self, Repository};
use crate::tree::rules::Rules;
use crate::tree::{Entry, EntryKind};

/// A part of the workspace with rules of its own.
#[derive(Debug)]
pub(super) enum RepositoryScope {
    Repository {
        /// None: it cannot be read, so that nothing is known to be tracked.
        index: Option<Index>,
        position: Position,
        /// Rules for paths of the repository, from the weakest to the strongest: those of `info/exclude`, and of the
        /// directories above the workspace.
        above: Vec<(usize, Rules)>,
    },
    /// No work tree.
    Plain,
}

/// How a path of the workspace becomes one of its repository.
#[derive(Debug)]
pub(super) enum Position {
    /// The workspace lies in the repository: this, with a slash at its end unless empty, comes before it.
    Above(Vec<u8>),
    /// The repository lies in the workspace: so many bytes are left out.
    Below(usize),
}

impl RepositoryScope {
    /// The territory that a workspace lies in. A workspace that its repository ignores, and of which it tracks nothing,
    /// is a plain directory: the repository has no say in it.
    pub(super) fn of_workspace(workspace: &Path, walked: &mut Walked) -> Self {
        let Ok(resolved) = workspace.canonicalize() else { return Self::Plain };
        let Some(work_tree) = repository::work_tree(&resolved) else { return Self::Plain };
        let Some(found) = repository::open(work_tree) else { return Self::Plain };
        let inside = resolved.strip_prefix(work_tree).unwrap_or(Path::new(""));
        let mut prefix = inside.as_os_str().as_encoded_bytes().to_vec();
        let is_part = !prefix.is_empty();
        if is_part {
            prefix.push(b'/');
        }
        let mut above: Vec<(usize, Rules)> = Rules::parse(&found.exclude).map(|rules| (0, rules)).into_iter().collect();
        if is_part {
            above.extend(rules_above(work_tree, inside));
        }
        let rule = rule(&found, Path::new(""));
        let index = known(found, workspace, Path::new(""), walked);
        let territory = Self::Repository { index, position: Position::Above(prefix), above };
        if is_part && territory.all().is_empty() && territory.is_ignored(inside) {
            return Self::Plain;
        }
        walked.rules.extend(rule);
        territory
    }

    /// The territory of a repository that lies in the workspace, at a path of so many bytes with the slash. None: it is
    /// none.
    pub(super) fn of_repository(path: &Path, skipped: usize, workspace: &Path, walked: &mut Walked) -> Option<Self> {
        let found = repository::open(path)?;
        let above = Rules::parse(&found.exclude).map(|rules| (0, rules)).into_iter().collect();
        let shown = path.strip_prefix(workspace).unwrap_or(path);
        walked.rules.extend(rule(&found, shown));
        let index = known(found, shown, shown, walked);
        Some(Self::Repository { index, position: Position::Below(skipped), above })
    }

    /// Whether it is a git work tree, so that there is one who ignores.
    pub(super) fn is_repository(&self) -> bool {
        matches!(self, Self::Repository { .. })
    }

    /// Whether this territory tells tracked files from others.
    pub(super) fn knows_tracked(&self) -> bool {
        matches!(self, Self::Repository { index: Some(_), .. })
    }

    /// The entries of the index that lie in the workspace.
    pub(super) fn all(&self) -> Range<usize> {
        match self {
            Self::Repository { index: Some(index), position: Position::Above(prefix), .. } if !prefix.is_empty() => {
                index.below(index.all(), prefix)
            }
            Self::Repository { index: Some(index), .. } => index.all(),
            _ => 0..0,
        }
    }

    /// The entries of a range that lie below a directory of the workspace.
    pub(super) fn below(&self, range: Range<usize>, directory: &[u8]) -> Range<usize> {
        match self {
            Self::Repository { index: Some(index), position, .. } if !range.is_empty() => {
                index.below(range, &[position.place(directory).as_ref(), b"/".as_slice()].concat())
            }
            _ => 0..0,
        }
    }

    /// As what a path of the workspace is tracked.
    pub(super) fn tracks(&self, range: Range<usize>, path: &[u8]) -> Option<Tracking> {
        match self {
            Self::Repository { index: Some(index), position, .. } if !range.is_empty() => {
                index.tracks(range, &position.place(path))
            }
            _ => None,
        }
    }

    /// As what a path of the workspace is tracked, where those asked for before come before it: what of a range may come
    /// for the next one is left.
    pub(super) fn tracks_next(&self, range: &mut Range<usize>, path: &[u8]) -> Option<Tracking> {
        match self {
            Self::Repository { index: Some(index), position, .. } if range.start < range.end => {
                index.tracks_next(range, &position.place(path))
            }
            _ => None,
        }
    }

    /// Whether the rules that lie above the directories of the walk ignore a path of the workspace.
    pub(super) fn ignores(&self, path: &[u8], is_directory: bool) -> bool {
        match self {
            Self::Repository { position, above, .. } if !above.is_empty() => {
                ignored_by(above, &position.place(path), is_directory)
            }
            _ => false,
        }
    }

    /// Whether the directory of the workspace is ignored by the rules above it.
    fn is_ignored(&self, inside: &Path) -> bool {
        let Self::Repository { above, .. } = self else { return false };
        let mut directories = inside.ancestors().filter(|directory| !directory.as_os_str().is_empty());
        directories.any(|directory| ignored_by(above, directory.as_os_str().as_encoded_bytes(), true))
    }
}

impl Position {
    fn place<'path>(&self, path: &'path [u8]) -> Cow<'path, [u8]> {
        match self {
            Self::Above(prefix) if prefix.is_empty() => Cow::Borrowed(path),
            Self::Above(prefix) => Cow::Owned([prefix, path].concat()),
            Self::Below(skipped) => Cow::Borrowed(path.get(*skipped..).unwrap_or_default()),
        }
    }
}

/// What the strongest of several rules says of a path of the repository.
fn ignored_by(rules: &[(usize, Rules)], path: &[u8], is_directory: bool) -> bool {
    let says = |(skipped, rules): &(usize, Rules)| rules.ignore(path.get(*skipped..)?, is_directory);
    rules.iter().rev().find_map(says).unwrap_or(false)
}

/// The rules of the directories from the work tree down to the one above the workspace.
fn rules_above(work_tree: &Path, inside: &Path) -> Vec<(usize, Rules)> {
    let mut directories: Vec<&Path> = inside.ancestors().skip(1).collect();
    directories.reverse();
    let mut found = Vec::new();
    for directory in directories {
        let skipped = if directory.as_os_str().is_empty() { 0 } else { directory.as_os_str().len() + 1 };
        let Ok(opened) = open::root(&work_tree.join(directory)) else { continue };
        let rules = Rules::of_directory(std::os::fd::AsFd::as_fd(&opened), b"");
        found.extend(rules.map(|rules| (skipped, rules)));
    }
    found
}

/// What `info/exclude` of a repository in a directory of the workspace leaves out of the inputs, as one of them: who
/// changes it changes what is looked at. None: nothing.
fn rule(found: &Repository, directory: &Path) -> Option<(Entry, Hash)> {
    Rules::parse(&found.exclude)?;
    let path = directory.join(".git/info/exclude");
    let entry = Entry::new(path.as_os_str().as_encoded_bytes(), EntryKind::File, Some(false), found.exclude_stamp);
    Some((entry, Sha256::digest(&found.exclude).into()))
}

/// Takes the index of a repository in a directory of the workspace, or says why it cannot be read.
fn known(found: Repository, shown: &Path, directory: &Path, walked: &mut Walked) -> Option<Index> {
    match found.index {
        Ok(index) => Some(index),
        Err(reason) => {
            walked.unknown.push((directory.join(".git/index"), format!("git's index cannot be read: {reason}")));
            walked.notes.push(format!(
                "which files git tracks in `{}` is not known, because its index cannot be read ({reason}): files that \
                 are tracked and ignored are no inputs of this run",
                shown.display()
            ));
            None
        }
    }
}
