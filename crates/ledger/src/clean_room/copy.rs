//! Copies files from one tree to another: never by hard links, through which one tree could change the other,
//! and by reference where the file system supports it. Sources are opened from an open directory without
//! following links.

use std::fs::{File, Permissions};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use referee_model::limit;

use crate::tree::open;

/// Opens a regular file below a directory; fails if there is a link anywhere on the way.
pub(crate) fn open_below(directory: impl AsFd, path: &str) -> io::Result<File> {
    let file = File::from(open::file(directory.as_fd(), path.as_bytes())?);
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is not a regular file any more")) }
}

/// Creates a new file from a reader, which is read to its end.
pub(super) fn copy(source: &mut dyn io::Read, target: &Path, mode: u32) -> io::Result<()> {
    let mut file = create(target)?;
    io::copy(source, &mut file)?;
    set_mode(&file, mode)
}

/// Creates a new file with the content of another file; the kernel copies, if it can.
pub(super) fn copy_file(mut source: File, target: &Path, mode: u32) -> io::Result<()> {
    if source.metadata()?.len() > limit::TREE_FILE_BYTES {
        return Err(io::Error::other("it is larger than is read: have git ignore it, or declare it under `outputs`"));
    }
    let mut file = create(target)?;
    io::copy(&mut source, &mut file)?;
    set_mode(&file, mode)
}

fn create(target: &Path) -> io::Result<File> {
    File::options().write(true).create_new(true).mode(0o600).open(target)
}

/// The owner may always read and write: the room must be removable, and tools must be able to write its files.
fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    file.set_permissions(Permissions::from_mode(mode & 0o777 | 0o600))
}
