//! The one file of a project that is written into the project itself: a specification that somebody asked for.

use std::path::{Path, PathBuf};

use crate::error::LedgerError;
use crate::folder::Folder;

/// Writes a file into a folder that is there, in one step: whoever reads it finds all of it or the one before. Returns
/// where it lies. A link of that name is replaced, never followed.
///
/// # Errors
/// Fails where the folder is a link or is not there, and where the system refuses.
pub fn write(folder: &Path, name: &str, bytes: &[u8]) -> Result<PathBuf, LedgerError> {
    let is_plain = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', '\0']);
    if !is_plain {
        return Err(LedgerError::Name { name: name.to_owned() });
    }
    Folder::open(folder)?.replace(name, bytes)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_is_written_whole_and_a_link_is_replaced_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let outside = folder.path().join("outside");
        fs::write(&outside, "theirs").unwrap();
        std::os::unix::fs::symlink(&outside, folder.path().join("referee.yaml")).unwrap();
        let path = write(folder.path(), "referee.yaml", b"ours").unwrap();
        assert_eq!(fs::read_to_string(path).unwrap(), "ours");
        assert_eq!(fs::read_to_string(outside).unwrap(), "theirs");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing unfinished is left");
        assert!(write(folder.path(), "../referee.yaml", b"").is_err());
    }
}
