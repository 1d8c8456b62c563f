//! Opens an entry below a directory without following links on the way, and without leaving the directory.
//!
//! Linux does both in one call. Elsewhere, and where the call is not to be had, the path is walked name by name.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

const STEP: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Opens the entry at a relative path. `flags` hold `NOFOLLOW`.
#[cfg(all(target_os = "linux", not(feature = "portable")))]
pub(crate) fn open_below(root: BorrowedFd<'_>, path: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
    use rustix::fs::ResolveFlags;

    let resolve = ResolveFlags::BENEATH.union(ResolveFlags::NO_SYMLINKS);
    match rustix::fs::openat2(root, path, flags, Mode::empty(), resolve) {
        // Old kernels, and sandboxes that do not know the call.
        Err(Errno::NOSYS | Errno::PERM) => by_name(root, path, flags),
        other => other,
    }
}

/// Opens the entry at a relative path. `flags` hold `NOFOLLOW`.
#[cfg(not(all(target_os = "linux", not(feature = "portable"))))]
pub(crate) fn open_below(root: BorrowedFd<'_>, path: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
    by_name(root, path, flags)
}

fn by_name(root: BorrowedFd<'_>, path: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
    let names: Vec<&[u8]> = path.split(|byte| *byte == b'/').filter(|name| !matches!(*name, b"" | b".")).collect();
    if path.first() == Some(&b'/') || names.contains(&&b".."[..]) {
        return Err(Errno::XDEV);
    }
    let Some((last, directories)) = names.split_last() else {
        return if path.is_empty() { Err(Errno::NOENT) } else { rustix::fs::openat(root, ".", flags, Mode::empty()) };
    };
    let mut reached: Option<OwnedFd> = None;
    for name in directories {
        let next = rustix::fs::openat(reached.as_ref().map_or(root, AsFd::as_fd), *name, STEP, Mode::empty())?;
        reached = Some(next);
    }
    rustix::fs::openat(reached.as_ref().map_or(root, AsFd::as_fd), *last, flags, Mode::empty())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Read;
    use std::os::unix::fs::symlink;

    use super::*;

    const FILE: OFlags = OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

    #[test]
    fn no_path_leads_through_a_link_or_out_of_the_directory_whichever_way_it_is_walked() {
        let ground = tempfile::tempdir().unwrap();
        let root_path = ground.path().join("root");
        fs::create_dir_all(root_path.join("a/b")).unwrap();
        fs::write(root_path.join("a/b/file"), "kept").unwrap();
        fs::write(ground.path().join("outside"), "").unwrap();
        symlink("a", root_path.join("link")).unwrap();
        symlink("file", root_path.join("a/b/alias")).unwrap();
        let root = fs::File::open(&root_path).unwrap();
        for open in [open_below, by_name] {
            let opened = |path: &str| open(root.as_fd(), path.as_bytes(), FILE);
            for path in ["a/b/file", "./a//b/./file"] {
                let mut text = String::new();
                fs::File::from(opened(path).unwrap()).read_to_string(&mut text).unwrap();
                assert_eq!(text, "kept", "{path}");
            }
            assert!(opened(".").is_ok() && opened("a/b").is_ok());
            let absolute = ground.path().join("outside");
            for path in
                ["link/b/file", "a/b/alias", "../outside", "a/../../outside", absolute.to_str().unwrap(), "", "a/gone"]
            {
                assert!(opened(path).is_err(), "{path}");
            }
        }
    }
}
