//! Pages for people that a command is asked to write, outside the evidence.

use std::path::{Path, PathBuf};

use crate::error::LedgerError;
use crate::folder::{Folder, Kind};
use crate::paths;

/// Writes a page whole and in one step, making the folder where it is missing. Returns where it lies. What stands under
/// the name and is no regular file, such as a link, is refused and stays as it is.
pub fn write(folder: &Path, file_name: &str, bytes: &[u8]) -> Result<PathBuf, LedgerError> {
    let name = paths::component(file_name)?;
    std::fs::create_dir_all(folder).map_err(LedgerError::io("make the folder", folder))?;
    // Whoever names a folder means what a link of that name leads to.
    let folder = Folder::open(&std::fs::canonicalize(folder).map_err(LedgerError::io("find", folder))?)?;
    match folder.kind(name)? {
        None | Some(Kind::File) => folder.replace(name, bytes),
        Some(Kind::Folder | Kind::Other) => Err(LedgerError::NotAFile { path: folder.path().join(name) }),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_page_is_replaced_whole_and_nothing_but_a_file_is() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("docs/debt");
        write(&folder, "tasks.md", b"one").unwrap();
        let path = write(&folder, "tasks.md", b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);

        let elsewhere = root.path().join("elsewhere.md");
        fs::write(&elsewhere, "theirs").unwrap();
        symlink(&elsewhere, folder.join("link.md")).unwrap();
        fs::create_dir(folder.join("folder.md")).unwrap();
        for refused in ["link.md", "folder.md"] {
            assert!(matches!(write(&folder, refused, b"ours"), Err(LedgerError::NotAFile { .. })), "{refused}");
        }
        assert!(matches!(write(&folder, "../out.md", b"ours"), Err(LedgerError::Name { .. })));
        assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "theirs");
    }
}
