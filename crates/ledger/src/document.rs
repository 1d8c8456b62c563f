//! A document that a person asks for by its path: no evidence, and written as carefully.

use std::path::Path;

use crate::error::LedgerError;
use crate::folder::Folder;
use crate::paths;

/// Writes a document whole and in one step: whoever reads it finds the old one or the new one. Its folder must be there.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), LedgerError> {
    let unnamed = || LedgerError::Name { name: path.display().to_string() };
    let name = path.file_name().and_then(|name| name.to_str()).ok_or_else(unnamed)?;
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = std::fs::canonicalize(parent).map_err(LedgerError::io("find the folder", parent))?;
    Folder::open(&folder)?.replace(paths::component(name)?, bytes)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_document_is_written_whole_over_what_was_there_and_never_through_a_link() {
        let root = tempfile::tempdir().unwrap();
        let (file, elsewhere) = (root.path().join("a.json"), root.path().join("elsewhere"));
        fs::write(&elsewhere, "untouched").unwrap();
        std::os::unix::fs::symlink(&elsewhere, &file).unwrap();
        for text in ["one", "another"] {
            write(&file, text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&file).unwrap(), text);
        }
        assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "untouched");
        for wrong in [root.path().join("missing/a.json"), root.path().join(".."), Path::new("/").to_path_buf()] {
            assert!(write(&wrong, b"x").is_err(), "{}", wrong.display());
        }
    }
}
