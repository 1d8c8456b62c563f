//! The file in which a host of coding agents keeps its hooks, in a project or in a user's home directory. It
//! belongs to the user: it is written only on request and atomically, and a copy of the previous content is
//! kept beside it. Links are not followed, neither at the file nor on the way to it.

use std::path::{Path, PathBuf};

use crate::directory::PRIVATE;
use crate::document;
use crate::error::LedgerError;

/// Suffix of the copy of a file before a change. No host reads a file with this suffix as configuration.
pub const BEFORE: &str = ".before-referee";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    pub file: PathBuf,
    /// Path of the copy of the previous content. None: the file did not exist.
    pub before: Option<PathBuf>,
}

/// Reads a file below a directory. None: it does not exist.
///
/// # Errors
/// Fails if the file or a directory on the way is a link, if it is not a regular file, and on I/O errors.
pub fn read(base: &Path, relative: &str) -> Result<Option<Vec<u8>>, LedgerError> {
    document::read_below(base, relative)
}

/// Writes a file below a directory, creating missing directories. `before` is the content that was read from
/// it: if the file has other content now, nothing is written.
///
/// # Errors
/// As [`read`], and if the file was changed in the meantime.
pub fn write(base: &Path, relative: &str, before: Option<&[u8]>, bytes: &[u8]) -> Result<Written, LedgerError> {
    let (directory, name) = document::place_below(base, relative)?;
    let there = directory.read(name)?;
    if there.as_deref() != before {
        let reason = "it was just changed by another process: try again".to_owned();
        return Err(LedgerError::Unusable { path: directory.path().join(name), reason });
    }
    // The user chose the file's permissions, so they are kept; the copy may hold secrets that have been removed
    // since, so it is private.
    let mode = directory.mode(name)?;
    let copy = mode.map_or(PRIVATE, |mode| mode.intersection(PRIVATE));
    let before =
        before.map(|before| directory.replace_as(&format!("{name}{BEFORE}"), before, Some(copy))).transpose()?;
    Ok(Written { file: directory.replace_as(name, bytes, mode)?, before })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    const FILE: &str = ".claude/settings.json";

    #[test]
    fn a_file_is_written_below_its_directory_and_what_was_there_lies_beside_it() {
        let base = tempfile::tempdir().unwrap();
        assert_eq!(read(base.path(), FILE).unwrap(), None);
        let written = write(base.path(), FILE, None, b"one").unwrap();
        assert_eq!((fs::read(&written.file).unwrap(), written.before), (b"one".to_vec(), None));
        let written = write(base.path(), FILE, Some(b"one"), b"two").unwrap();
        assert_eq!(read(base.path(), FILE).unwrap().unwrap(), b"two");
        let before = written.before.unwrap();
        assert!(before.ends_with("settings.json.before-referee") && fs::read(before).unwrap() == b"one");
        assert_eq!(fs::read_dir(base.path().join(".claude")).unwrap().count(), 2, "nothing unfinished is left");
    }

    #[test]
    fn who_may_read_the_file_stays_as_it_was_and_nobody_else_reads_the_copy() {
        use std::os::unix::fs::PermissionsExt;
        let base = tempfile::tempdir().unwrap();
        let file = write(base.path(), FILE, None, b"one").unwrap().file;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
        for (number, wanted) in (0_u8..).zip([0o600, 0o644, 0o640]) {
            fs::set_permissions(&file, fs::Permissions::from_mode(wanted)).unwrap();
            let there = fs::read(&file).unwrap();
            let written = write(base.path(), FILE, Some(&there), &[b'a' + number]).unwrap();
            assert_eq!((mode(&file), mode(&written.before.unwrap())), (wanted, 0o600));
        }
    }

    #[test]
    fn what_was_changed_in_the_meantime_is_not_overwritten() {
        let base = tempfile::tempdir().unwrap();
        write(base.path(), FILE, None, b"theirs").unwrap();
        for before in [None, Some(&b"older"[..])] {
            assert!(matches!(write(base.path(), FILE, before, b"ours"), Err(LedgerError::Unusable { .. })));
        }
        assert_eq!(read(base.path(), FILE).unwrap().unwrap(), b"theirs");
    }

    #[test]
    fn links_are_not_followed_and_nothing_is_written_elsewhere() {
        let (base, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        symlink(elsewhere.path(), base.path().join(".claude")).unwrap();
        assert!(write(base.path(), FILE, None, b"ours").is_err() && read(base.path(), FILE).is_err());
        fs::create_dir(base.path().join(".cursor")).unwrap();
        let theirs = elsewhere.path().join("hooks.json");
        fs::write(&theirs, "theirs").unwrap();
        symlink(&theirs, base.path().join(".cursor/hooks.json")).unwrap();
        assert!(write(base.path(), ".cursor/hooks.json", None, b"ours").is_err());
        assert!(write(base.path(), ".cursor/hooks.json", Some(b"theirs"), b"ours").is_err());
        assert_eq!(fs::read_to_string(&theirs).unwrap(), "theirs");
        for wrong in ["../a.json", "/etc/a.json", "", "a//b"] {
            assert!(write(base.path(), wrong, None, b"").is_err() && read(base.path(), wrong).is_err(), "{wrong}");
        }
    }
}
