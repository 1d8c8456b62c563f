//! The repository whose rules apply to a part of the workspace, or none.

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

/// A part of the workspace with ignore rules of its own.
#[derive(Debug)]
pub(super) enum RepositoryScope {
    Repository {
        /// The repository's index. None: it cannot be read, so no file is known to be tracked.
        index: Option<Index>,
        position: Position,
        /// Rules for paths of the repository, from the weakest to the strongest: those of `info/exclude`, and
        /// of the directories above the workspace.
        above: Vec<(usize, Rules)>,
    },
    /// Not a work tree.
    Plain,
}

/// Converts a path of the workspace to a path of its repository.
#[derive(Debug)]
pub(super) enum Position {
    /// The workspace is in the repository: this prefix is added, which has a trailing slash unless it is empty.
    Above(Vec<u8>),
    /// The repository is in the workspace: this number of bytes is removed from the beginning.
    Below(usize),
}

impl RepositoryScope {
    /// Returns the scope that a workspace is in. A workspace that its repository ignores, and in which it
    /// tracks nothing, is a plain directory: the repository's rules do not apply to it.
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

    /// Returns the scope of a repository inside the workspace, whose path has `skipped` bytes including the
    /// trailing slash. None: there is no repository.
    pub(super) fn of_repository(path: &Path, skipped: usize, workspace: &Path, walked: &mut Walked) -> Option<Self> {
        let found = repository::open(path)?;
        let above = Rules::parse(&found.exclude).map(|rules| (0, rules)).into_iter().collect();
        let shown = path.strip_prefix(workspace).unwrap_or(path);
        walked.rules.extend(rule(&found, shown));
        let index = known(found, shown, shown, walked);
        Some(Self::Repository { index, position: Position::Below(skipped), above })
    }

    /// Returns whether this is a git work tree, so that ignore rules apply.
    pub(super) fn is_repository(&self) -> bool {
        matches!(self, Self::Repository { .. })
    }

    /// Returns whether tracked files are known in this scope.
    pub(super) fn knows_tracked(&self) -> bool {
        matches!(self, Self::Repository { index: Some(_), .. })
    }

    /// Returns the index entries that are in the workspace.
    pub(super) fn all(&self) -> Range<usize> {
        match self {
            Self::Repository { index: Some(index), position: Position::Above(prefix), .. } if !prefix.is_empty() => {
                index.below(index.all(), prefix)
            }
            Self::Repository { index: Some(index), .. } => index.all(),
            _ => 0..0,
        }
    }

    /// Returns the entries of a range that are below a directory of the workspace.
    pub(super) fn below(&self, range: Range<usize>, directory: &[u8]) -> Range<usize> {
        match self {
            Self::Repository { index: Some(index), position, .. } if !range.is_empty() => {
                index.below(range, &[position.place(directory).as_ref(), b"/".as_slice()].concat())
            }
            _ => 0..0,
        }
    }

    /// Returns how a path of the workspace is tracked.
    pub(super) fn tracks(&self, range: Range<usize>, path: &[u8]) -> Option<Tracking> {
        match self {
            Self::Repository { index: Some(index), position, .. } if !range.is_empty() => {
                index.tracks(range, &position.place(path))
            }
            _ => None,
        }
    }

    /// Like [`Self::tracks`], for paths that are queried in sorted order: the range is reduced to the entries
    /// that later queries can match.
    pub(super) fn tracks_next(&self, range: &mut Range<usize>, path: &[u8]) -> Option<Tracking> {
        match self {
            Self::Repository { index: Some(index), position, .. } if range.start < range.end => {
                index.tracks_next(range, &position.place(path))
            }
            _ => None,
        }
    }

    /// Returns whether the rules above the directories of the walk ignore a path of the workspace.
    pub(super) fn ignores(&self, path: &[u8], is_directory: bool) -> bool {
        match self {
            Self::Repository { position, above, .. } if !above.is_empty() => {
                ignored_by(above, &position.place(path), is_directory)
            }
            _ => false,
        }
    }

    /// Returns whether the rules above the workspace ignore its directory.
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

/// Applies several rules to a path of the repository; the strongest that matches decides.
fn ignored_by(rules: &[(usize, Rules)], path: &[u8], is_directory: bool) -> bool {
    let says = |(skipped, rules): &(usize, Rules)| rules.ignore(path.get(*skipped..)?, is_directory);
    rules.iter().rev().find_map(says).unwrap_or(false)
}

/// Returns the rules of the directories from the work tree down to the parent of the workspace.
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

/// Returns the `info/exclude` of a repository in the workspace as an input, because changing it changes which
/// files are examined. None: it has no rules.
fn rule(found: &Repository, directory: &Path) -> Option<(Entry, Hash)> {
    Rules::parse(&found.exclude)?;
    let path = directory.join(".git/info/exclude");
    let entry = Entry::new(path.as_os_str().as_encoded_bytes(), EntryKind::File, Some(false), found.exclude_stamp);
    Some((entry, Sha256::digest(&found.exclude).into()))
}

/// Returns the index of a repository in the workspace. None: it cannot be read; the reason is recorded in
/// `walked`.
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
