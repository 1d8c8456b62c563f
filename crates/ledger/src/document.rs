//! Documents in directories that do not belong to the ledger: not evidence, but written as carefully. Links are
//! not followed.

use std::path::{Path, PathBuf};

use crate::directory::{Directory, Kind};
use crate::error::LedgerError;
use crate::paths;

/// Writes a document atomically: a reader sees the old one or the new one. Its directory must exist.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), LedgerError> {
    let unnamed = || LedgerError::Name { name: path.display().to_string() };
    let name = path.file_name().and_then(|name| name.to_str()).ok_or_else(unnamed)?;
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let directory = std::fs::canonicalize(parent).map_err(LedgerError::io("find the directory", parent))?;
    Directory::open(&directory)?.replace(paths::component(name)?, bytes)?;
    Ok(())
}

/// Reads a document below a directory. None: it does not exist.
pub(crate) fn read_below(base: &Path, relative: &str) -> Result<Option<Vec<u8>>, LedgerError> {
    let (directories, name) = parts(relative)?;
    Directory::open(base)?.descend(&directories)?.map_or(Ok(None), |directory| directory.read(name))
}

/// Writes a document below a directory atomically, creating missing directories, and returns its path.
pub(crate) fn write_below(base: &Path, relative: &str, bytes: &[u8]) -> Result<PathBuf, LedgerError> {
    let (directory, name) = place_below(base, relative)?;
    directory.replace(name, bytes)
}

/// Opens the directory of a document, creating it if it is missing. Fails if an entry with the document's name
/// is not a regular file, for example a link.
pub(crate) fn place_below<'name>(base: &Path, relative: &'name str) -> Result<(Directory, &'name str), LedgerError> {
    let (directories, name) = parts(relative)?;
    let directory = Directory::open(base)?.make_below(&directories)?;
    match directory.kind(name)? {
        None | Some(Kind::File) => Ok((directory, name)),
        Some(Kind::Directory | Kind::Other) => Err(LedgerError::NotAFile { path: directory.path().join(name) }),
    }
}

fn parts(relative: &str) -> Result<(Vec<&str>, &str), LedgerError> {
    let mut parts = relative.split('/').map(paths::component).collect::<Result<Vec<&str>, _>>()?;
    let name = parts.pop().ok_or_else(|| LedgerError::Name { name: relative.to_owned() })?;
    Ok((parts, name))
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
