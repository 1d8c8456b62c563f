//! Why there is no plan.

use std::io;
use std::path::PathBuf;

use referee_syntax::count;

use crate::complaint::{Complaint, Level};

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
pub enum SpecError {
    /// The specification is wrong: at least one of these is an error.
    #[error("{}", count(.0))]
    Complaints(Vec<Complaint>),
    /// There is no specification.
    #[error("no specification found in {} or its parent directories: run `referee init`, or pass a file", .start.display())]
    NotFound {
        /// The directory where the search began.
        start: PathBuf,
    },
    /// A file was named that does not exist.
    #[error("specification not found: {}", .path.display())]
    NoFile {
        /// As it was named.
        path: PathBuf,
    },
    /// A directory was named, and there is no specification in it.
    #[error("no specification in {} or its subdirectories: pass a file, or run `referee init` there", .start.display())]
    NotBelow {
        /// The directory where the search began.
        start: PathBuf,
    },
    /// A file or directory could not be used.
    #[error("cannot use {}", .path.display())]
    Io { path: PathBuf, source: io::Error },
}

impl SpecError {
    pub(crate) fn io(path: impl Into<PathBuf>, source: io::Error) -> Self {
        Self::Io { path: path.into(), source }
    }
}

fn count(complaints: &[Complaint]) -> String {
    let errors = complaints.iter().filter(|complaint| complaint.level == Level::Error).count();
    let file = complaints.first().map_or("the specification", |complaint| &complaint.file);
    format!("{} in {file}", count::count(errors, "error"))
}
