//! Errors of loading a specification.

use std::io;
use std::path::PathBuf;

use referee_syntax::count;

use crate::complaint::{Complaint, Level};

/// Reason why there is no plan.
#[derive(Debug, thiserror::Error)]
pub enum SpecError {
    /// The specification is invalid: at least one of these complaints is an error.
    #[error("{}", count(.0))]
    Complaints(Vec<Complaint>),
    /// No specification was found.
    #[error("no specification found in {} or its parent directories: run `referee init`, or pass a file", .start.display())]
    NotFound {
        /// Directory where the search began.
        start: PathBuf,
    },
    /// The named file does not exist.
    #[error("specification not found: {}", .path.display())]
    NoFile {
        /// Path as it was given.
        path: PathBuf,
    },
    /// The named directory contains no specification.
    #[error("no specification in {} or its subdirectories: pass a file, or run `referee init` there", .start.display())]
    NotBelow {
        /// Directory where the search began.
        start: PathBuf,
    },
    /// A file or directory could not be read.
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
