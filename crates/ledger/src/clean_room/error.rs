//! Errors of building a clean room.

use std::path::PathBuf;

use referee_model::id::WorkspacePath;

use crate::error::LedgerError;

/// Reason why a clean room cannot be built. No check runs then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RoomError {
    /// A link of the candidate leads out of its tree, so its target would not be part of the room.
    #[error("the symbolic link `{path}` points outside the tree, to `{target}`: replace it with a copy of its target")]
    LinkLeaves { path: WorkspacePath, target: String },
    /// A file name is not UTF-8, so that no plan and no report could contain it.
    #[error("the file name `{path}` is not valid UTF-8: rename it, or add it to .gitignore")]
    Name {
        /// The name, with replacement characters.
        path: String,
    },
    /// A file that must be copied cannot be read, or changed its kind meanwhile.
    #[error("cannot copy `{path}`: {source}")]
    Copy { path: WorkspacePath, source: std::io::Error },
    /// The candidate's directory cannot be listed.
    #[error("cannot list `{}`: {message}", directory.display())]
    List { directory: PathBuf, message: String },
    /// A pattern of `outputs` is invalid.
    #[error("invalid pattern `{pattern}` in `outputs`: {message}")]
    Pattern { pattern: String, message: String },
    /// There are more files than a room may hold.
    #[error(
        "there are more than {limit} files to copy: name what the checks write under `outputs`, or have git ignore it"
    )]
    TooMany { limit: u64 },
    /// The maximum number of rooms of this project are in use or kept.
    #[error("{places} other clean rooms of this project are in use or were kept: remove the kept ones from `{}`", directory.display())]
    NoPlace {
        /// Maximum number of rooms of one project.
        places: u32,
        /// Directory that contains the rooms.
        directory: PathBuf,
    },
    /// The state directory cannot be written to.
    #[error(transparent)]
    State(#[from] LedgerError),
}
