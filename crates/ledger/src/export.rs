//! Files that a command writes outside the evidence: pages for people, outputs of CI steps, copies of evidence.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use referee_model::evidence_name;

use crate::directory::{Directory, Kind};
use crate::document;
use crate::error::LedgerError;
use crate::paths;

/// Writes a page atomically, creating the directory if it is missing, and returns its path. Fails if an entry
/// of that name is not a regular file, for example a link; the entry is left as it is.
pub fn write(directory: &Path, file_name: &str, bytes: &[u8]) -> Result<PathBuf, LedgerError> {
    let name = paths::component(file_name)?;
    std::fs::create_dir_all(directory).map_err(LedgerError::io("make the directory", directory))?;
    // A link that is given as the directory is followed deliberately.
    document::write_below(&std::fs::canonicalize(directory).map_err(LedgerError::io("find", directory))?, name, bytes)
}

/// Appends to a file that another program keeps, such as the outputs of a CI step; creates it if it is missing.
pub fn append(path: &Path, bytes: &[u8]) -> Result<(), LedgerError> {
    let write = || OpenOptions::new().append(true).create(true).open(path)?.write_all(bytes);
    write().map_err(LedgerError::io("write to", path))
}

/// Copies the files of an evidence directory to a new directory, the seal last: a copy that is interrupted is
/// unsealed. Links are not followed.
pub fn copy(from: &Path, to: &Path) -> Result<(), LedgerError> {
    let source = Directory::open(from)?;
    if let Some(parent) = to.parent() {
        std::fs::create_dir_all(parent).map_err(LedgerError::io("make the directory", parent))?;
    }
    std::fs::create_dir(to).map_err(LedgerError::io("make the directory", to))?;
    let files = source.names_of(Kind::File)?.into_iter();
    let (seal, others): (Vec<String>, Vec<String>) = files.partition(|name| name == evidence_name::SEAL);
    for name in others.iter().chain(&seal) {
        let path = to.join(name);
        std::fs::copy(from.join(name), &path).map_err(LedgerError::io("write", &path))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_page_is_replaced_whole_and_nothing_but_a_file_is() {
        let root = tempfile::tempdir().unwrap();
        let directory = root.path().join("docs/debt");
        write(&directory, "tasks.md", b"one").unwrap();
        let path = write(&directory, "tasks.md", b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 1);

        let elsewhere = root.path().join("elsewhere.md");
        fs::write(&elsewhere, "theirs").unwrap();
        symlink(&elsewhere, directory.join("link.md")).unwrap();
        fs::create_dir(directory.join("folder.md")).unwrap();
        for refused in ["link.md", "folder.md"] {
            assert!(matches!(write(&directory, refused, b"ours"), Err(LedgerError::NotAFile { .. })), "{refused}");
        }
        assert!(matches!(write(&directory, "../out.md", b"ours"), Err(LedgerError::Name { .. })));
        assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "theirs");
    }

    #[test]
    fn a_copy_is_whole_takes_nobodys_place_and_what_is_appended_stands_behind_what_was_there() {
        let root = tempfile::tempdir().unwrap();
        let (from, to) = (root.path().join("evidence/T001"), root.path().join("out/T001"));
        fs::create_dir_all(from.join("folder")).unwrap();
        fs::write(from.join("seal.json"), "seal").unwrap();
        fs::write(from.join("run.json"), "run").unwrap();
        symlink("/etc/passwd", from.join("link")).unwrap();
        copy(&from, &to).unwrap();
        let mut names: Vec<_> = fs::read_dir(&to).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["run.json", "seal.json"]);
        assert!(copy(&from, &to).is_err(), "it already exists");

        let file = root.path().join("outputs");
        append(&file, b"a=1\n").unwrap();
        append(&file, b"b=2\n").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "a=1\nb=2\n");
        assert!(append(&root.path().join("none/outputs"), b"x").is_err());
    }
}
