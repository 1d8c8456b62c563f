//! A directory held open. All files of the ledger are reached from such a directory by a single name, and links
//! are never followed, so no read or write can be redirected by replacing a directory with a link.

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::buffer::spare_capacity;
use rustix::fs::{AtFlags, CWD, Dev, Dir, FileType, Mode, OFlags, RawMode, RenameFlags, Stat};
use rustix::io::Errno;

use crate::contents::Stamp;
use crate::error::LedgerError;
use crate::fault;
use crate::open_below::open_below;

mod replacement;

/// Largest document that is read whole, in bytes.
const DOCUMENT_BYTES: u64 = 256 * 1024 * 1024;

/// Without `NONBLOCK`, opening a pipe in place of a file would block forever.
const FILE: OFlags = OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);

/// Initial buffer size, in bytes, in which most documents fit, so that they are read at once.
const MOST_DOCUMENTS_BYTES: usize = 8 * 1024;

/// A name that no entry of the ledger has.
const NO_ENTRY: &str = ".no-such-entry";

#[derive(Debug)]
pub(crate) struct Directory {
    handle: OwnedFd,
    path: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Directory,
    /// A link, a device and the like.
    Other,
}

/// Result of exchanging two directories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exchange {
    /// Each directory is now where the other was.
    Done,
    /// The file system does not support exchanging; nothing was changed.
    Unsupported,
}

const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

const CREATE: OFlags = OFlags::RDWR
    .union(OFlags::APPEND)
    .union(OFlags::CREATE)
    .union(OFlags::EXCL)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

const FILE_MODE: RawMode = 0o644;

/// Permissions of a file that only its owner may read and write.
pub(crate) const PRIVATE: Mode = Mode::RUSR.union(Mode::WUSR);

/// Identifies a file or directory for as long as it exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileId(Dev, u64);

impl FileId {
    fn new(found: &Stat) -> Self {
        Self(found.st_dev, found.st_ino)
    }

    /// Returns the id of an open file. None: it cannot be examined.
    pub(crate) fn of(file: impl AsFd) -> Option<Self> {
        rustix::fs::fstat(file).ok().as_ref().map(Self::new)
    }

    /// Returns the id of the entry at a path, without following links. None: no entry that can be examined.
    pub(crate) fn at(path: &Path) -> Option<Self> {
        rustix::fs::lstat(path).ok().as_ref().map(Self::new)
    }
}

/// Opens a regular file in a directory, or, with `CWD`, at a path. Links are not followed, and opening a pipe
/// does not block.
pub(crate) fn open_file(
    at: impl AsFd,
    name: &Path,
    path: &Path,
    access: OFlags,
    mode: RawMode,
) -> Result<File, LedgerError> {
    let not_a_file = || LedgerError::NotAFile { path: path.to_path_buf() };
    let file = match rustix::fs::openat(at, name, access | FILE, Mode::from_raw_mode(mode)) {
        Ok(handle) => File::from(handle),
        Err(Errno::LOOP | Errno::ISDIR | Errno::NXIO) => return Err(not_a_file()),
        Err(error) => return Err(LedgerError::io("open", path)(error)),
    };
    let is_file = file.metadata().map_err(LedgerError::io("look at", path))?.is_file();
    if is_file { Ok(file) } else { Err(not_a_file()) }
}

/// Reads an open file of at most `limit_bytes` bytes.
pub(crate) fn read_bounded(file: &File, path: &Path, limit_bytes: u64) -> Result<Vec<u8>, LedgerError> {
    let mut bytes = Vec::with_capacity(MOST_DOCUMENTS_BYTES);
    file.take(limit_bytes + 1).read_to_end(&mut bytes).map_err(LedgerError::io("read", path))?;
    if bytes.len() as u64 > limit_bytes {
        return Err(LedgerError::TooLarge { path: path.to_path_buf(), limit_bytes });
    }
    Ok(bytes)
}

impl Directory {
    /// Opens the directory at a path; the last component must not be a link.
    pub(crate) fn open(path: &Path) -> Result<Self, LedgerError> {
        match rustix::fs::open(path, DIRECTORY, Mode::empty()) {
            Ok(handle) => Ok(Self { handle, path: path.to_path_buf() }),
            Err(Errno::NOTDIR | Errno::LOOP) => Err(LedgerError::NotADirectory { path: path.to_path_buf() }),
            Err(error) => Err(LedgerError::io("open the directory", path)(error)),
        }
    }

    /// Like [`Directory::open`]; returns None if nothing exists at the path.
    pub(crate) fn find(path: &Path) -> Result<Option<Self>, LedgerError> {
        match Self::open(path) {
            Err(error) if error.is_absence() => Ok(None),
            opened => opened.map(Some),
        }
    }

    /// Opens a subdirectory. None: no entry has this name.
    pub(crate) fn child(&self, name: &str) -> Result<Option<Self>, LedgerError> {
        let path = self.path.join(name);
        match rustix::fs::openat(&self.handle, name, DIRECTORY, Mode::empty()) {
            Ok(handle) => Ok(Some(Self { handle, path })),
            Err(Errno::NOENT) => Ok(None),
            Err(Errno::NOTDIR | Errno::LOOP) => Err(LedgerError::NotADirectory { path }),
            Err(error) => Err(LedgerError::io("open the directory", &path)(error)),
        }
    }

    /// Creates a subdirectory. Returns false if an entry of this name exists already.
    pub(crate) fn make_new(&self, name: &str) -> Result<bool, LedgerError> {
        let path = self.path.join(name);
        fault::point().map_err(LedgerError::io("make the directory", &path))?;
        match rustix::fs::mkdirat(&self.handle, name, Mode::from_raw_mode(0o755)) {
            Ok(()) => Ok(true),
            Err(Errno::EXIST) => Ok(false),
            Err(error) => Err(LedgerError::io("make the directory", &path)(error)),
        }
    }

    /// Opens a subdirectory, creating it if it is missing.
    pub(crate) fn make(&self, name: &str) -> Result<Self, LedgerError> {
        if self.make_new(name)? {
            self.sync()?;
        }
        self.made(name)
    }

    /// Like [`Directory::make`]; the new entry is on disk after the next sync of a directory.
    pub(crate) fn make_unsynced(&self, name: &str) -> Result<Self, LedgerError> {
        self.make_new(name)?;
        self.made(name)
    }

    fn made(&self, name: &str) -> Result<Self, LedgerError> {
        let path = self.path.join(name);
        self.child(name)?.ok_or_else(|| LedgerError::io("open the directory", &path)(Errno::NOENT))
    }

    /// Opens a directory further down, name by name. None: one of them is missing.
    pub(crate) fn descend(&self, names: &[&str]) -> Result<Option<Self>, LedgerError> {
        let mut directory = self.again()?;
        for name in names {
            match directory.child(name)? {
                Some(child) => directory = child,
                None => return Ok(None),
            }
        }
        Ok(Some(directory))
    }

    /// Like [`Directory::descend`], creating the missing directories.
    pub(crate) fn make_below(&self, names: &[&str]) -> Result<Self, LedgerError> {
        names.iter().try_fold(self.again()?, |directory, name| directory.make(name))
    }

    /// Opens this directory once more, with a separate handle that has its own locks.
    pub(crate) fn again(&self) -> Result<Self, LedgerError> {
        let handle = rustix::fs::openat(&self.handle, ".", DIRECTORY, Mode::empty())
            .map_err(LedgerError::io("open the directory", &self.path))?;
        Ok(Self { handle, path: self.path.clone() })
    }

    /// Creates a file that must not exist yet, for appending and reading.
    pub(crate) fn create(&self, name: &str) -> Result<File, LedgerError> {
        let path = self.path.join(name);
        fault::point().map_err(LedgerError::io("create", &path))?;
        rustix::fs::openat(&self.handle, name, CREATE, Mode::from_raw_mode(FILE_MODE))
            .map(File::from)
            .map_err(LedgerError::io("create", &path))
    }

    /// Writes a document that must not exist yet. It is on disk when this returns.
    pub(crate) fn write_new(&self, name: &str, bytes: &[u8]) -> Result<(), LedgerError> {
        self.fill_new(name, None, |file| file.write_all(bytes))
    }

    /// Like [`Directory::write_new`]; the document is on disk after it and the directory, or the whole file
    /// system, are synced.
    pub(crate) fn write_unsynced(&self, name: &str, bytes: &[u8]) -> Result<(), LedgerError> {
        self.fill_unsynced(name, None, |file| file.write_all(bytes)).map(drop)
    }

    fn fill_new<T>(
        &self,
        name: &str,
        mode: Option<Mode>,
        fill: impl FnOnce(&mut File) -> io::Result<T>,
    ) -> Result<T, LedgerError> {
        let (file, filled) = self.fill_unsynced(name, mode, fill)?;
        fault::point().and_then(|()| file.sync_all()).map_err(LedgerError::io("write", &self.path.join(name)))?;
        fault::landed(&file);
        Ok(filled)
    }

    fn fill_unsynced<T>(
        &self,
        name: &str,
        mode: Option<Mode>,
        fill: impl FnOnce(&mut File) -> io::Result<T>,
    ) -> Result<(File, T), LedgerError> {
        let mut file = self.create(name)?;
        let written = || {
            if let Some(mode) = mode {
                rustix::fs::fchmod(&file, mode)?;
            }
            fault::point()?;
            fill(&mut file)
        };
        let filled = written().map_err(LedgerError::io::<io::Error>("write", &self.path.join(name)))?;
        Ok((file, filled))
    }

    /// Opens a regular file with the given access flags.
    pub(crate) fn open_with(&self, name: &str, access: OFlags) -> Result<File, LedgerError> {
        open_file(&self.handle, Path::new(name), &self.path.join(name), access, FILE_MODE)
    }

    /// Opens a regular file for reading.
    pub(crate) fn open_file(&self, name: &str) -> Result<File, LedgerError> {
        self.open_with(name, OFlags::RDONLY)
    }

    /// Like [`Directory::open_file`]; returns None if no entry has this name.
    pub(crate) fn find_file(&self, name: &str) -> Result<Option<File>, LedgerError> {
        match self.open_file(name) {
            Err(error) if error.is_absence() => Ok(None),
            opened => opened.map(Some),
        }
    }

    /// Reads a whole document. None: no entry has this name.
    pub(crate) fn read(&self, name: &str) -> Result<Option<Vec<u8>>, LedgerError> {
        self.read_at_most(name, DOCUMENT_BYTES)
    }

    /// Like [`Directory::read`], for a document of at most `limit_bytes` bytes.
    pub(crate) fn read_at_most(&self, name: &str, limit_bytes: u64) -> Result<Option<Vec<u8>>, LedgerError> {
        Ok(self.read_open(name, limit_bytes)?.map(|(bytes, _)| bytes))
    }

    /// Like [`Directory::read_at_most`], also returning the file that was read: as long as it is open, no other
    /// file gets its inode number.
    pub(crate) fn read_open(&self, name: &str, limit_bytes: u64) -> Result<Option<(Vec<u8>, File)>, LedgerError> {
        let Some(file) = self.find_file(name)? else { return Ok(None) };
        Ok(Some((read_bounded(&file, &self.path.join(name), limit_bytes)?, file)))
    }

    /// Reads a regular file further down with as few system calls as possible. None: the caller must descend
    /// name by name to read it, or to find out why it cannot be read. The metadata is older than what is read, never newer.
    pub(crate) fn read_below(&self, path: &str, limit_bytes: u64) -> Option<(Vec<u8>, Stat)> {
        let file = open_below(self.as_fd(), path.as_bytes(), FILE).ok()?;
        let found = rustix::fs::fstat(&file).ok()?;
        let length = usize::try_from(found.st_size).ok().filter(|length| *length as u64 <= limit_bytes)?;
        if Kind::of(FileType::from_raw_mode(found.st_mode)) != Kind::File {
            return None;
        }
        let mut bytes = Vec::with_capacity(length + 1);
        rustix::io::read(&file, spare_capacity(&mut bytes)).ok()?;
        (bytes.len() == length).then_some((bytes, found))
    }

    /// Returns the metadata of the entry at a path. A link at its end is not followed, but one on the way is. None:
    /// no entry can be examined.
    pub(crate) fn look_below(&self, path: &str) -> Option<Stat> {
        rustix::fs::statat(&self.handle, path, AtFlags::SYMLINK_NOFOLLOW).ok()
    }

    /// Returns the kind of the entry of this name, without following links. None: no entry has this name.
    pub(crate) fn kind(&self, name: &str) -> Result<Option<Kind>, LedgerError> {
        match rustix::fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => Ok(Some(Kind::of(FileType::from_raw_mode(found.st_mode)))),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(LedgerError::io("look at", &self.path.join(name))(error)),
        }
    }

    /// Returns the id of the entry of this name. None: there is no entry that can be examined.
    pub(crate) fn id_of(&self, name: &str) -> Option<FileId> {
        rustix::fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW).ok().as_ref().map(FileId::new)
    }

    /// Returns whether the entry of this name in another directory is this directory. An entry that cannot be
    /// examined is not.
    pub(crate) fn stands_in(&self, parent: &Self, name: &str) -> bool {
        FileId::of(self).is_some_and(|own| parent.id_of(name) == Some(own))
    }

    /// Returns whether the path by which this directory was opened still leads to it.
    pub(crate) fn stands_at_its_path(&self) -> bool {
        FileId::of(self).is_some_and(|own| FileId::at(&self.path) == Some(own))
    }

    /// Returns the names and kinds of all entries, sorted by name. Entries that disappear meanwhile are left
    /// out, since other processes may work in the directory. In a name that is not UTF-8 the replacement
    /// character stands for the invalid bytes; no name of the ledger contains it.
    pub(crate) fn entries(&self) -> Result<Vec<(String, Kind)>, LedgerError> {
        let wrong = |error: Errno| LedgerError::io("list", &self.path)(error);
        let mut entries = Vec::new();
        for entry in Dir::read_from(&self.handle).map_err(wrong)? {
            let entry = entry.map_err(wrong)?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            // Only where the directory does not say the kind is the entry itself examined.
            let kind = match entry.file_type() {
                FileType::Unknown => match rustix::fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW) {
                    Ok(found) => FileType::from_raw_mode(found.st_mode),
                    Err(Errno::NOENT) => continue,
                    Err(error) => return Err(wrong(error)),
                },
                known => known,
            };
            entries.push((name.to_string_lossy().into_owned(), Kind::of(kind)));
        }
        entries.sort_by(|one, other| one.0.cmp(&other.0));
        Ok(entries)
    }

    /// Returns the names of the entries of one kind, sorted.
    pub(crate) fn names_of(&self, wanted: Kind) -> Result<Vec<String>, LedgerError> {
        Ok(self.entries()?.into_iter().filter(|(_, kind)| *kind == wanted).map(|(name, _)| name).collect())
    }

    /// Returns whether entries can be moved from this directory to another: not between file systems, nor
    /// between mounts of one file system. Changes nothing.
    pub(crate) fn can_move_to(&self, target: &Self) -> bool {
        // The kernel checks the mounts before it looks for the entry, which does not exist.
        self.shares_file_system(target)
            && rustix::fs::renameat(&self.handle, NO_ENTRY, &target.handle, NO_ENTRY) == Err(Errno::NOENT)
    }

    /// Returns whether both directories are on the same file system; false if one cannot be examined.
    pub(crate) fn shares_file_system(&self, other: &Self) -> bool {
        let device = |directory: &Self| rustix::fs::fstat(&directory.handle).map(|found| found.st_dev);
        matches!((device(self), device(other)), (Ok(own), Ok(other)) if own == other)
    }

    /// Returns the size of a file in bytes. None: no file has this name.
    pub(crate) fn size(&self, name: &str) -> Result<Option<u64>, LedgerError> {
        match rustix::fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) if Kind::of(FileType::from_raw_mode(found.st_mode)) == Kind::File => {
                Ok(u64::try_from(found.st_size).ok())
            }
            Ok(_) | Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(LedgerError::io("look at", &self.path.join(name))(error)),
        }
    }

    /// Moves an entry to another directory under a new name that must be free. Returns false if the name is
    /// taken.
    pub(crate) fn move_to(&self, name: &str, target: &Self, target_name: &str) -> Result<bool, LedgerError> {
        let path = target.path.join(target_name);
        fault::point().map_err(LedgerError::io("move evidence to", &path))?;
        let moved = rustix::fs::renameat_with(&self.handle, name, &target.handle, target_name, RenameFlags::NOREPLACE);
        match moved {
            Ok(()) => Ok(true),
            Err(Errno::EXIST) => Ok(false),
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                // Every caller holds the task's lock, so the answer is still true when the entry is moved.
                if target.kind(target_name)?.is_some() {
                    return Ok(false);
                }
                rustix::fs::renameat(&self.handle, name, &target.handle, target_name)
                    .map(|()| true)
                    .map_err(LedgerError::io("move evidence to", &path))
            }
            Err(error) => Err(LedgerError::io("move evidence to", &path)(error)),
        }
    }

    /// Exchanges two entries atomically.
    pub(crate) fn exchange(&self, name: &str, target: &Self, target_name: &str) -> Result<Exchange, LedgerError> {
        let path = target.path.join(target_name);
        fault::point().map_err(LedgerError::io("publish evidence at", &path))?;
        if !fault::exchange_works() {
            return Ok(Exchange::Unsupported);
        }
        match rustix::fs::renameat_with(&self.handle, name, &target.handle, target_name, RenameFlags::EXCHANGE) {
            Ok(()) => Ok(Exchange::Done),
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => Ok(Exchange::Unsupported),
            Err(error) => Err(LedgerError::io("publish evidence at", &path)(error)),
        }
    }

    /// Returns the permissions of a file. None: it does not exist.
    pub(crate) fn mode(&self, name: &str) -> Result<Option<Mode>, LedgerError> {
        match rustix::fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(Mode::from_raw_mode(stat.st_mode & 0o777))),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(LedgerError::io("look at", &self.path.join(name))(error)),
        }
    }

    /// Removes a file if it exists.
    pub(crate) fn discard(&self, name: &str) -> Result<(), LedgerError> {
        match rustix::fs::unlinkat(&self.handle, name, AtFlags::empty()) {
            Err(error) if error != Errno::NOENT => Err(LedgerError::io("remove", &self.path.join(name))(error)),
            _ => Ok(()),
        }
    }

    /// Waits until the names in the directory are on disk.
    pub(crate) fn sync(&self) -> Result<(), LedgerError> {
        fault::point().map_err(LedgerError::io("sync", &self.path))?;
        // On macOS this also empties the disk's own cache, which `fsync` does not.
        let synced = self.handle.try_clone().and_then(|handle| File::from(handle).sync_all());
        synced.map_err(LedgerError::io("sync", &self.path))?;
        fault::landed(&self.handle);
        Ok(())
    }

    /// Waits until the content of a file is on disk.
    pub(crate) fn sync_file(&self, name: &str) -> Result<(), LedgerError> {
        let file = self.open_file(name)?;
        fault::point().and_then(|()| file.sync_data()).map_err(LedgerError::io("sync", &self.path.join(name)))?;
        fault::landed(&file);
        Ok(())
    }

    /// Waits until everything on the directory's file system is on disk.
    #[cfg(all(target_os = "linux", not(feature = "portable")))]
    pub(crate) fn sync_file_system(&self) -> Result<(), LedgerError> {
        fault::point().map_err(LedgerError::io("sync", &self.path))?;
        rustix::fs::syncfs(&self.handle).map_err(LedgerError::io("sync", &self.path))?;
        fault::all_landed();
        Ok(())
    }

    /// Returns the stamp of the directory itself, which changes when entries come or go.
    pub(crate) fn stamp(&self) -> Result<Stamp, LedgerError> {
        Stamp::of(&self.handle).map_err(LedgerError::io("look at", &self.path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// Removes a directory and everything in it, including directories that their owner cannot write to. A
/// directory that does not exist is no error. When an entry cannot be removed, the others still are; the first
/// error is returned.
pub(crate) fn remove_tree(directory: &Path) -> io::Result<()> {
    let name = CString::new(directory.as_os_str().as_bytes())?;
    Ok(remove_below(CWD, &name)?)
}

fn remove_below(parent: BorrowedFd<'_>, name: &CStr) -> Result<(), Errno> {
    match rustix::fs::unlinkat(parent, name, AtFlags::empty()) {
        Err(Errno::ISDIR) => {}
        Err(Errno::NOENT) => return Ok(()),
        removed => return removed,
    }
    let open = || rustix::fs::openat(parent, name, DIRECTORY, Mode::empty());
    let directory = match open() {
        Err(Errno::ACCESS) => rustix::fs::chmodat(parent, name, Mode::RWXU, AtFlags::empty()).and_then(|()| open())?,
        opened => opened?,
    };
    // Where this is refused, the operations that need it fail as well.
    let _ = rustix::fs::fchmod(&directory, Mode::RWXU);
    // All names are read first, so that a deep tree needs one descriptor per level.
    let names: Vec<_> =
        Dir::read_from(&directory)?.map(|entry| entry.map(|entry| entry.file_name().to_owned())).collect();
    let mut first = Ok(());
    for name in names {
        let removed = name.and_then(|name| match name.to_bytes() {
            b"." | b".." => Ok(()),
            _ => remove_below(directory.as_fd(), &name),
        });
        first = first.and(removed);
    }
    first?;
    match rustix::fs::unlinkat(parent, name, AtFlags::REMOVEDIR) {
        Err(Errno::NOENT) => Ok(()),
        removed => removed,
    }
}

impl AsFd for Directory {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }
}

impl Kind {
    fn of(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Directory,
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_tree_goes_with_what_was_closed_in_it_and_nothing_goes_through_a_link() {
        let ground = tempfile::tempdir().unwrap();
        let (tree, elsewhere) = (ground.path().join("tree"), ground.path().join("elsewhere"));
        fs::create_dir_all(tree.join("closed/inner")).unwrap();
        fs::create_dir(&elsewhere).unwrap();
        fs::write(elsewhere.join("kept"), "").unwrap();
        fs::write(tree.join("closed/inner/file"), "").unwrap();
        symlink(&elsewhere, tree.join("closed/link")).unwrap();
        fs::set_permissions(tree.join("closed/inner"), fs::Permissions::from_mode(0o500)).unwrap();
        fs::set_permissions(tree.join("closed"), fs::Permissions::from_mode(0o0)).unwrap();
        remove_tree(&tree).unwrap();
        assert!(!tree.exists() && elsewhere.join("kept").exists());
        remove_tree(&tree).unwrap();
    }

    #[test]
    fn what_is_there_keeps_its_name() {
        let ground = tempfile::tempdir().unwrap();
        let directory = Directory::open(ground.path()).unwrap();
        assert!(directory.put_new("a", b"one", Some(PRIVATE)).unwrap());
        assert!(!directory.put_new("a", b"two", Some(PRIVATE)).unwrap());
        assert_eq!(directory.read("a").unwrap().as_deref(), Some(&b"one"[..]));
        assert_eq!(directory.names_of(Kind::File).unwrap(), ["a"]);
    }
}
