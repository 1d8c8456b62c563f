//! The root directory of a file check, and the only way to open files in it: links are resolved first, and
//! paths that lead outside are never opened.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use referee_model::record::FileState;
use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

/// The state that is observed instead of a readable file; as valid an observation as any.
pub(super) type Unusual = Box<FileState>;

/// Access to a directory in which names are looked up, and which need not be readable for that.
#[cfg(target_os = "linux")]
const LOOK: OFlags = OFlags::PATH;
/// Access to a directory in which names are looked up.
#[cfg(not(target_os = "linux"))]
const LOOK: OFlags = OFlags::RDONLY;

/// A directory in which files are looked up.
#[derive(Debug)]
pub(crate) struct Root {
    path: PathBuf,
    directory: OwnedFd,
}

/// An entry below a root.
#[derive(Debug)]
pub(super) struct Seen {
    /// Path relative to the root, with links resolved.
    inside: PathBuf,
    /// Metadata of the entry.
    pub(super) stat: Stat,
}

/// Returns the state of an entry that cannot be examined, with the reason.
pub(super) fn unreadable(error: &dyn std::fmt::Display) -> Unusual {
    Box::new(FileState::Unreadable { message: error.to_string() })
}

impl Root {
    pub(super) fn open(path: &Path) -> Result<Self, Unusual> {
        let path = std::fs::canonicalize(path).map_err(|error| unreadable(&error))?;
        let directory = rustix::fs::open(&path, LOOK | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
            .map_err(|error| unreadable(&io::Error::from(error)))?;
        Ok(Self { path, directory })
    }

    /// Returns the directory's absolute path, with links resolved.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Looks up a relative path. An `Err` is an observation too.
    pub(super) fn look(&self, path: &Path) -> Result<Seen, Unusual> {
        let real = match std::fs::canonicalize(self.path.join(path)) {
            Ok(real) => real,
            Err(error) => return Err(self.unresolved(path, &error)),
        };
        let Ok(inside) = real.strip_prefix(&self.path) else {
            return Err(Box::new(FileState::Outside { target: real.to_string_lossy().into_owned() }));
        };
        let inside = if inside.as_os_str().is_empty() { Path::new(".") } else { inside };
        let stat =
            rustix::fs::statat(&self.directory, inside, AtFlags::SYMLINK_NOFOLLOW).map_err(gone_or_unreadable)?;
        Ok(Seen { inside: inside.to_owned(), stat })
    }

    /// Returns the state of a path that could not be resolved.
    fn unresolved(&self, path: &Path, error: &io::Error) -> Unusual {
        if !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) {
            return unreadable(error);
        }
        // Part of the path does not exist. Would it be inside the root?
        let joined = self.path.join(path);
        let existing = joined.ancestors().skip(1).find_map(|directory| directory.canonicalize().ok());
        let target =
            std::fs::read_link(&joined).ok().zip(joined.parent().and_then(|parent| parent.canonicalize().ok()));
        let target = target.map(|(target, parent)| without_dots(&parent.join(target)));
        match [existing, target].into_iter().flatten().find(|place| !place.starts_with(&self.path)) {
            Some(outside) => Box::new(FileState::Outside { target: outside.to_string_lossy().into_owned() }),
            None => Box::new(FileState::Missing),
        }
    }

    /// Opens exactly the regular file that was looked up: its path has no links left, so none may be followed.
    pub(super) fn open_file(&self, seen: &Seen) -> Result<File, Unusual> {
        match FileType::from_raw_mode(seen.stat.st_mode) {
            FileType::RegularFile => {}
            FileType::Directory => return Err(Box::new(FileState::Directory)),
            // Opening one of these could block forever or have side effects.
            _ => return Err(Box::new(FileState::Other)),
        }
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW;
        let file = self.open_inside(&seen.inside, flags).map_err(gone_or_unreadable)?;
        let opened = rustix::fs::fstat(&file).map_err(|error| unreadable(&io::Error::from(error)))?;
        if (opened.st_dev, opened.st_ino) != (seen.stat.st_dev, seen.stat.st_ino) {
            return Err(unreadable(&"it was exchanged while it was looked at"));
        }
        Ok(File::from(file))
    }
}

impl Root {
    #[cfg(all(target_os = "linux", not(feature = "portable")))]
    fn open_inside(&self, inside: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
        use rustix::fs::ResolveFlags;

        let strict = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        match rustix::fs::openat2(&self.directory, inside, flags, Mode::empty(), strict) {
            // Not supported by older kernels, or refused by a sandbox.
            Err(Errno::NOSYS | Errno::PERM) => rustix::fs::openat(&self.directory, inside, flags, Mode::empty()),
            other => other,
        }
    }

    /// Only the last name is kept from being a link here; whoever calls compares what was opened with what was seen.
    #[cfg(any(not(target_os = "linux"), feature = "portable"))]
    fn open_inside(&self, inside: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
        rustix::fs::openat(&self.directory, inside, flags, Mode::empty())
    }
}

/// Reads all of a small file that the specification refers to, such as a schema. An `Err` is a sentence with
/// the reason.
pub(crate) fn read_whole(directory: &Path, path: &str, limit_bytes: u64) -> Result<Vec<u8>, String> {
    let said = |found: Unusual| format!("{path} {}", phrase(&found));
    let root = Root::open(directory).map_err(said)?;
    let seen = root.look(Path::new(path)).map_err(said)?;
    let file = root.open_file(&seen).map_err(said)?;
    let mut bytes = Vec::new();
    file.take(limit_bytes.saturating_add(1)).read_to_end(&mut bytes).map_err(|error| said(unreadable(&error)))?;
    if bytes.len() as u64 > limit_bytes {
        return Err(format!("{path} is larger than {limit_bytes} bytes"));
    }
    Ok(bytes)
}

/// Describes what was found instead of a readable file.
pub(super) fn phrase(found: &FileState) -> String {
    match found {
        FileState::Missing => "does not exist".to_owned(),
        FileState::File(_) => "is a file".to_owned(),
        FileState::Directory => "is a directory".to_owned(),
        FileState::Other => "is not a regular file".to_owned(),
        FileState::Outside { target } => format!("leads outside the workspace, to {target}"),
        FileState::Unreadable { message } => format!("cannot be read: {message}"),
        FileState::DeadlineExceeded(_) => "was not looked at in time".to_owned(),
    }
}

fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

fn gone_or_unreadable(error: Errno) -> Unusual {
    if error == Errno::NOENT { Box::new(FileState::Missing) } else { unreadable(&io::Error::from(error)) }
}
