//! Files are copied from one tree into another: never by hard links, which would let one tree change the other, and by
//! reference where the file system can. What is read is reached from an open directory without following links.

use std::fs::{File, Permissions};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use referee_model::limit;

use crate::tree::open;

/// Opens a regular file below a directory; a link anywhere on the way is refused.
pub(super) fn open_below(directory: impl AsFd, path: &str) -> io::Result<File> {
    let file = File::from(open::file(directory.as_fd(), path.as_bytes())?);
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is not a regular file any more")) }
}

/// Makes a new file with the content of another one, which is read as far as it goes.
pub(super) fn copy(source: &mut dyn io::Read, target: &Path, mode: u32) -> io::Result<()> {
    let mut file = create(target)?;
    io::copy(source, &mut file)?;
    set_mode(&file, mode)
}

/// Makes a new file with the content of another file; the system copies, where it can.
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

/// The owner may always read and write: the room must be removed and its files be written by the tools.
fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    file.set_permissions(Permissions::from_mode(mode & 0o777 | 0o600))
}
