//! Files without a name, which a child process can read or fill while nobody attends to it.
//!
//! On Linux they are in memory. Elsewhere they are files in `/tmp` that only this user can read, and that lose their name
//! as soon as they are open.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::os::fd::OwnedFd;

/// Creates an empty file. `what` says what it is for, and is not its name.
#[cfg(all(target_os = "linux", not(feature = "portable")))]
pub(crate) fn empty(what: &str) -> io::Result<File> {
    Ok(File::from(rustix::fs::memfd_create(what, rustix::fs::MemfdFlags::CLOEXEC)?))
}

/// Creates an empty file. `what` says what it is for.
#[cfg(any(not(target_os = "linux"), feature = "portable"))]
pub(crate) fn empty(what: &str) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};

    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    let path = format!("/tmp/.referee-{what}-{}", referee_syntax::hex::encode(&bytes));
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = rustix::fs::open(&path, flags, Mode::RUSR | Mode::WUSR)?;
    rustix::fs::unlink(&path)?;
    Ok(File::from(file))
}

/// Creates a file that holds a text, to be read from its start.
pub(crate) fn holding(what: &str, text: &[u8]) -> io::Result<OwnedFd> {
    let mut file = empty(what)?;
    file.write_all(text)?;
    file.rewind()?;
    Ok(file.into())
}
