//! Objects of a depot as files below a directory, with what object storage promises: an object is created once, and a head
//! moves only from the version that was read.
//!
//! An object is written under a name that begins with a dot and linked to its own name, so that it is whole or not there.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use referee_model::id::Digest;
use rustix::fs::AtFlags;
use rustix::io::Errno;

use crate::chance::chance;
use crate::directory::{Directory, Kind};
use crate::error::LedgerError;
use crate::fault;
use crate::lock;
use crate::paths;

/// The lock over all heads.
const LOCK: &str = ".lock";

/// Largest object that is read whole, in bytes.
const OBJECT_BYTES: u64 = 256 * 1024 * 1024;

/// A depot in a directory.
#[derive(Debug)]
pub struct FileDepot {
    root: Directory,
}

/// An object of a depot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileObject {
    /// Its name, with `/` between its parts.
    pub name: String,
    /// Its size in bytes.
    pub bytes: u64,
}

impl FileDepot {
    /// Opens a depot. Its directory must exist, so that one that is not mounted is noticed; a link is followed.
    ///
    /// # Errors
    /// Fails if there is no such directory.
    pub fn open(directory: &Path) -> Result<Self, LedgerError> {
        let whole = std::fs::canonicalize(directory).map_err(LedgerError::io("open the directory", directory))?;
        Ok(Self { root: Directory::open(&whole)? })
    }

    /// Writes an object whose name is free, with the bytes that `fill` writes. Returns false if the name is taken;
    /// the object then stays as it is. The object is on disk when this returns.
    ///
    /// # Errors
    /// Fails on an I/O error, and if `fill` fails; then nothing is written.
    pub fn create(&self, name: &str, fill: impl FnOnce(&mut File) -> io::Result<()>) -> Result<bool, LedgerError> {
        let (parents, last) = parts(name)?;
        let directory = self.root.make_below(&parents)?;
        let path = directory.path().join(last);
        if directory.kind(last)?.is_some() {
            return Ok(false);
        }
        let unfinished = format!(".{:016x}", u64::from_be_bytes(chance(&path)?));
        let written = write(&directory, &unfinished, &path, fill);
        let linked = written.and_then(|()| {
            fault::point().map_err(LedgerError::io("write", &path))?;
            match rustix::fs::linkat(&directory, &unfinished, &directory, last, AtFlags::empty()) {
                Ok(()) => Ok(true),
                Err(Errno::EXIST) => Ok(false),
                // The file system has no hard links.
                Err(Errno::PERM | Errno::OPNOTSUPP | Errno::NOSYS | Errno::MLINK) => {
                    let _lock = lock::of_file(&self.root, LOCK)?;
                    directory.move_to(&unfinished, &directory, last)
                }
                Err(error) => Err(LedgerError::io("write", &path)(error)),
            }
        });
        directory.discard(&unfinished)?;
        directory.sync()?;
        linked
    }

    /// Opens an object for reading. None: there is none of this name.
    ///
    /// # Errors
    /// Fails on an I/O error, and if the name leads to something else than a file.
    pub fn find(&self, name: &str) -> Result<Option<File>, LedgerError> {
        let (parents, last) = parts(name)?;
        self.root.descend(&parents)?.map_or(Ok(None), |directory| directory.find_file(last))
    }

    /// Reads a whole object. None: there is none of this name.
    ///
    /// # Errors
    /// Fails on an I/O error, and for an object that is larger than 256 MiB.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>, LedgerError> {
        let (parents, last) = parts(name)?;
        self.root.descend(&parents)?.map_or(Ok(None), |directory| directory.read_at_most(last, OBJECT_BYTES))
    }

    /// Replaces an object if its content has the expected digest; None: if there is none yet. Returns false if it is
    /// another one by now.
    ///
    /// # Errors
    /// Fails on an I/O error.
    pub fn exchange(&self, name: &str, expected: Option<Digest>, bytes: &[u8]) -> Result<bool, LedgerError> {
        let (parents, last) = parts(name)?;
        let directory = self.root.make_below(&parents)?;
        let _lock = lock::of_file(&self.root, LOCK)?;
        if directory.read_at_most(last, OBJECT_BYTES)?.map(Digest::of) != expected {
            return Ok(false);
        }
        directory.replace(last, bytes)?;
        Ok(true)
    }

    /// Lists the objects whose names begin with these parts, sorted by name.
    ///
    /// # Errors
    /// Fails on an I/O error.
    pub fn list(&self, prefix: &str) -> Result<Vec<FileObject>, LedgerError> {
        let parents = prefix.split('/').map(component).collect::<Result<Vec<&str>, _>>()?;
        let mut found = Vec::new();
        let mut left: Vec<_> =
            self.root.descend(&parents)?.into_iter().map(|below| (prefix.to_owned(), below)).collect();
        while let Some((prefix, directory)) = left.pop() {
            for (name, kind) in directory.entries()? {
                if name.starts_with('.') {
                    continue;
                }
                let whole = format!("{prefix}/{name}");
                match kind {
                    Kind::Directory => left.extend(directory.child(&name)?.map(|below| (whole, below))),
                    Kind::File => {
                        let bytes = directory.size(&name)?;
                        found.extend(bytes.map(|bytes| FileObject { name: whole, bytes }));
                    }
                    Kind::Other => {}
                }
            }
        }
        found.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(found)
    }

    /// Removes an object, if there is one of this name.
    ///
    /// # Errors
    /// Fails on an I/O error.
    pub fn remove(&self, name: &str) -> Result<(), LedgerError> {
        let (parents, last) = parts(name)?;
        self.root.descend(&parents)?.map_or(Ok(()), |directory| directory.discard(last))
    }
}

fn write(
    directory: &Directory,
    unfinished: &str,
    path: &Path,
    fill: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(), LedgerError> {
    let mut file = directory.create(unfinished)?;
    let written = || {
        fill(&mut file)?;
        file.flush()?;
        fault::point()?;
        file.sync_all()
    };
    written().map_err(LedgerError::io("write", path))
}

/// Returns the directories and the last part of an object's name.
fn parts(name: &str) -> Result<(Vec<&str>, &str), LedgerError> {
    let mut parts = name.split('/').map(component).collect::<Result<Vec<&str>, _>>()?;
    let last = parts.pop().ok_or_else(|| LedgerError::Name { name: name.to_owned() })?;
    Ok((parts, last))
}

/// Checks a part of a name. Those that begin with a dot are the depot's own.
fn component(part: &str) -> Result<&str, LedgerError> {
    if part.starts_with('.') { Err(LedgerError::Name { name: part.to_owned() }) } else { paths::component(part) }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn depot() -> (tempfile::TempDir, FileDepot) {
        let ground = tempfile::tempdir().unwrap();
        let depot = FileDepot::open(ground.path()).unwrap();
        (ground, depot)
    }

    #[test]
    fn an_object_that_cannot_be_written_whole_is_not_there_and_leaves_nothing() {
        let (ground, depot) = depot();
        let half = depot.create("blobs/a", |file| {
            file.write_all(b"half")?;
            Err(io::Error::other("the source ended"))
        });
        assert!(half.unwrap_err().to_string().contains("the source ended"));
        assert!(depot.read("blobs/a").unwrap().is_none());
        assert_eq!(fs::read_dir(ground.path().join("blobs")).unwrap().count(), 0);
    }

    #[test]
    fn names_lead_nowhere_else_and_through_no_link() {
        let (ground, depot) = depot();
        let elsewhere = tempfile::tempdir().unwrap();
        fs::write(elsewhere.path().join("secret"), "theirs").unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), ground.path().join("link")).unwrap();
        for name in ["../a", "a/../b", "/a", "a//b", ".lock", "a/.b", "link/secret", ""] {
            assert!(depot.read(name).is_err(), "{name}");
            assert!(depot.create(name, |file| file.write_all(b"ours")).is_err(), "{name}");
        }
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_directory_that_is_not_there_is_no_empty_depot() {
        let ground = tempfile::tempdir().unwrap();
        assert!(FileDepot::open(&ground.path().join("unmounted")).is_err());
    }
}
