//! Reads the names in a directory.

use std::os::fd::BorrowedFd;

use rustix::fs::FileType;
use rustix::io::Errno;

use crate::tree::rules;

/// The names in one directory at a time, in reused memory.
#[derive(Debug, Default)]
pub(super) struct Names {
    block: Vec<u8>,
    /// All names, those of directories with a trailing slash.
    text: Vec<u8>,
    all: Vec<Name>,
    is_work_tree: bool,
    has_rules: bool,
}

#[derive(Debug, Clone, Copy)]
struct Name {
    start: usize,
    end: usize,
    kind: FileType,
    /// The first bytes after the common prefix of all names, as a number that sorts as they do.
    key: u64,
}

/// Calls a function for each entry of a directory, with the file type that the directory lists.
#[cfg(all(target_os = "linux", not(feature = "portable")))]
fn each_entry(
    directory: BorrowedFd<'_>,
    block: &mut Vec<u8>,
    mut entry: impl FnMut(&[u8], FileType),
) -> Result<(), Errno> {
    /// Number of bytes requested from the kernel at a time: some hundreds of names.
    const BLOCK: usize = 32 * 1024;

    block.reserve(BLOCK);
    let mut entries = rustix::fs::RawDir::new(directory, block.spare_capacity_mut());
    while let Some(found) = entries.next() {
        let found = found?;
        entry(found.file_name().to_bytes(), found.file_type());
    }
    Ok(())
}

/// Calls a function for each entry of a directory, with the file type that the directory lists. The system's library
/// has its own memory for them.
#[cfg(not(all(target_os = "linux", not(feature = "portable"))))]
fn each_entry(
    directory: BorrowedFd<'_>,
    _block: &mut Vec<u8>,
    mut entry: impl FnMut(&[u8], FileType),
) -> Result<(), Errno> {
    for found in rustix::fs::Dir::read_from(directory)? {
        let found = found?;
        entry(found.file_name().to_bytes(), found.file_type());
    }
    Ok(())
}

impl Names {
    /// Reads the names in a directory, replacing those before.
    pub(super) fn read(&mut self, directory: BorrowedFd<'_>) -> Result<(), Errno> {
        let Self { block, text, all, is_work_tree, has_rules } = self;
        text.clear();
        all.clear();
        (*is_work_tree, *has_rules) = (false, false);
        each_entry(directory, block, |name, kind| {
            match name {
                b"." | b".." => return,
                // Nothing in it is ever listed.
                b".git" => {
                    *is_work_tree = true;
                    return;
                }
                rules::FILE_NAME => *has_rules = true,
                _ => {}
            }
            let start = text.len();
            text.extend_from_slice(name);
            if kind == FileType::Directory {
                text.push(b'/');
            }
            all.push(Name { start, end: text.len(), kind, key: 0 });
        })?;
        self.sort();
        Ok(())
    }

    /// Sorts the names so that the paths of everything in them are sorted.
    fn sort(&mut self) {
        let Self { text, all, .. } = self;
        let name = |name: &Name| text.get(name.start..name.end).unwrap_or_default();
        let Some((first, rest)) = all.split_first() else { return };
        let mut common = name(first);
        for other in rest {
            let shared = common.iter().zip(name(other)).take_while(|(one, other)| one == other).count();
            common = common.get(..shared).unwrap_or_default();
        }
        let common = common.len();
        for one in all.iter_mut() {
            let mut key = [0; 8];
            let behind = text.get(one.start + common..one.end).unwrap_or_default();
            key.iter_mut().zip(behind).for_each(|(key, byte)| *key = *byte);
            one.key = u64::from_be_bytes(key);
        }
        all.sort_unstable_by(|one, other| one.key.cmp(&other.key).then_with(|| name(one).cmp(name(other))));
    }

    /// Returns whether there is a `.git` entry: the directory may be a work tree.
    pub(super) fn is_work_tree(&self) -> bool {
        self.is_work_tree
    }

    /// Returns whether there is a `.gitignore` file.
    pub(super) fn has_rules(&self) -> bool {
        self.has_rules
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns all names, sorted so that the paths of everything in them are, each with the file type that the
    /// directory lists.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&[u8], FileType)> {
        let name = |name: &Name| {
            let text = self.text.get(name.start..name.end).unwrap_or_default();
            (text.strip_suffix(b"/").unwrap_or(text), name.kind)
        };
        self.all.iter().map(name)
    }
}
