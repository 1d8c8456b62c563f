//! A workflow's directory. Links in it are never followed.

use std::io;
use std::path::{Path, PathBuf};

use referee_model::limit;
use referee_model::stage::path::StagePath;

use crate::read;

/// A workflow's directory, by its canonical path.
#[derive(Debug)]
pub(super) struct Directory {
    path: PathBuf,
}

/// Reason why a file or directory cannot be used, to follow "it".
#[derive(Debug, thiserror::Error)]
pub(super) enum Unusable {
    #[error("does not exist")]
    Absent,
    #[error("is behind the symbolic link `{0}`: links are not followed")]
    Link(String),
    #[error("is not a regular file")]
    NotAFile,
    #[error("is not a directory")]
    NotADirectory,
    #[error("is larger than {} MiB", limit::STAGE_FILE_BYTES / (1024 * 1024))]
    TooLarge,
    #[error("contains an invalid name: {0}")]
    Name(String),
    #[error("contains more than {} files and directories", limit::COMPOSED_FILES)]
    TooMany,
    #[error("cannot be read: {0}")]
    System(io::Error),
}

impl From<io::Error> for Unusable {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::NotFound { Self::Absent } else { Self::System(error) }
    }
}

impl Directory {
    pub(super) fn open(path: &Path) -> Result<Self, Unusable> {
        let path = path.canonicalize()?;
        if path.is_dir() { Ok(Self { path }) } else { Err(Unusable::NotADirectory) }
    }

    /// Returns the absolute path of a file.
    pub(super) fn join(&self, path: &StagePath) -> PathBuf {
        self.path.join(path.as_str())
    }

    pub(super) fn file(&self, path: &StagePath) -> Result<Vec<u8>, Unusable> {
        let place = self.place(path)?;
        if !place.symlink_metadata()?.is_file() {
            return Err(Unusable::NotAFile);
        }
        let bytes = read::file(&place, limit::STAGE_FILE_BYTES)?;
        if bytes.len() as u64 > limit::STAGE_FILE_BYTES { Err(Unusable::TooLarge) } else { Ok(bytes) }
    }

    /// Returns all files below a directory, in order, as paths relative to it.
    pub(super) fn files(&self, directory: &StagePath) -> Result<Vec<StagePath>, Unusable> {
        let place = self.place(directory)?;
        if !place.symlink_metadata()?.is_dir() {
            return Err(Unusable::NotADirectory);
        }
        let mut files = Vec::new();
        let mut waiting = vec![String::new()];
        let mut seen = 0;
        while let Some(below) = waiting.pop() {
            for entry in std::fs::read_dir(place.join(&below))? {
                seen += 1;
                if seen > limit::COMPOSED_FILES {
                    return Err(Unusable::TooMany);
                }
                let entry = entry?;
                let name = entry.file_name();
                let name = name.to_str().ok_or_else(|| Unusable::Name(format!("{} is not UTF-8", name.display())))?;
                let path = if below.is_empty() { name.to_owned() } else { format!("{below}/{name}") };
                let kind = entry.file_type()?;
                let parsed = StagePath::parse(&path).map_err(|fault| Unusable::Name(format!("{path:?}: {fault}")))?;
                if kind.is_dir() {
                    waiting.push(path);
                } else {
                    // A link or a pipe is included: reading it reports the error.
                    files.push(parsed);
                }
            }
        }
        files.sort();
        Ok(files)
    }

    /// Resolves a path through real directories only.
    fn place(&self, path: &StagePath) -> Result<PathBuf, Unusable> {
        let mut place = self.path.clone();
        for part in path.parts() {
            place.push(part);
            match place.symlink_metadata() {
                Ok(facts) if facts.is_symlink() => {
                    let link = place.strip_prefix(&self.path).unwrap_or(&place);
                    return Err(Unusable::Link(link.display().to_string()));
                }
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Err(Unusable::Absent),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(place)
    }
}
