//! Files that are written into the project itself on request: a specification, and lines added to small files.

use std::path::{Path, PathBuf};

use crate::directory::Directory;
use crate::error::LedgerError;
use crate::paths;

/// Largest file that lines are appended to, in bytes.
const APPENDED_BYTES: u64 = 1024 * 1024;

/// Writes a file to an existing directory atomically: a reader sees the old content or the new one. Returns its
/// path. A link of that name is replaced, never followed.
///
/// # Errors
/// Fails if the directory is a link or does not exist, and on I/O errors.
pub fn write(directory: &Path, name: &str, bytes: &[u8]) -> Result<PathBuf, LedgerError> {
    let is_plain = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', '\0']);
    if !is_plain {
        return Err(LedgerError::Name { name: name.to_owned() });
    }
    Directory::open(directory)?.replace(name, bytes)
}

/// Appends the lines that are missing to a small file of a project, creating it if needed. Its permissions stay
/// as they are.
///
/// # Errors
/// Fails if the directory or the file is a link, if the file is no small text file, and on I/O errors.
pub fn append(directory: &Path, name: &str, lines: &[String]) -> Result<(), LedgerError> {
    let directory = Directory::open(directory)?;
    let name = paths::component(name)?;
    let mut bytes = directory.read_at_most(name, APPENDED_BYTES)?.unwrap_or_default();
    let there = String::from_utf8_lossy(&bytes).into_owned();
    let missing: Vec<&String> = lines.iter().filter(|line| there.lines().all(|other| other.trim() != **line)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    if !bytes.is_empty() && !bytes.ends_with(b"\n") {
        bytes.push(b'\n');
    }
    for line in missing {
        bytes.extend(line.bytes());
        bytes.push(b'\n');
    }
    let mode = directory.mode(name)?;
    directory.replace_as(name, &bytes, mode).map(drop)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_is_written_whole_and_a_link_is_replaced_not_followed() {
        let directory = tempfile::tempdir().unwrap();
        let outside = directory.path().join("outside");
        fs::write(&outside, "theirs").unwrap();
        std::os::unix::fs::symlink(&outside, directory.path().join("referee.yaml")).unwrap();
        let path = write(directory.path(), "referee.yaml", b"ours").unwrap();
        assert_eq!(fs::read_to_string(path).unwrap(), "ours");
        assert_eq!(fs::read_to_string(outside).unwrap(), "theirs");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2, "nothing unfinished is left");
        assert!(write(directory.path(), "../referee.yaml", b"").is_err());
    }

    #[test]
    fn lines_are_added_once_and_what_is_there_stays() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(".prettierignore");
        let lines = ["evidence/".to_owned(), "referee.yaml".to_owned()];
        fs::write(&path, "dist/\nevidence/").unwrap();
        append(directory.path(), ".prettierignore", &lines).unwrap();
        append(directory.path(), ".prettierignore", &lines).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "dist/\nevidence/\nreferee.yaml\n");
        append(directory.path(), ".new", &lines).unwrap();
        assert_eq!(fs::read_to_string(directory.path().join(".new")).unwrap(), "evidence/\nreferee.yaml\n");
        fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/etc/hostname", &path).unwrap();
        assert!(append(directory.path(), ".prettierignore", &lines).is_err(), "a link is not followed");
    }
}
