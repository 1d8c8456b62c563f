//! Errors of evidence on disk. A caller that gets one must not report anything as passed.

use std::io;
use std::path::{Path, PathBuf};

use crate::key::KeyError;

/// Error of writing or reading evidence.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    #[error("cannot {operation} `{}`: {source}", path.display())]
    Io {
        /// The operation that failed, as a verb.
        operation: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    /// A link or a file is where an evidence directory is expected. It was left untouched.
    #[error("`{}` is a link or a file, not a directory: move it away, or choose another evidence directory", path.display())]
    NotADirectory { path: PathBuf },
    /// A link, directory or device is where a file is expected.
    #[error("`{}` is not a regular file: move it away", path.display())]
    NotAFile { path: PathBuf },
    /// A text that cannot be the name of an evidence file.
    #[error("`{name}` is not a name for an evidence file: expected one path component that is not reserved")]
    Name { name: String },
    /// Another run holds the task's lock and did not release it in time.
    #[error("`{}` has been locked by another run for {seconds} s: stop that run, then try again", path.display())]
    Locked {
        path: PathBuf,
        /// How long the lock was waited for, in seconds.
        seconds: u64,
    },
    /// The journal or a log could not be written completely before, so nothing may be appended.
    #[error("`{}` is incomplete after an earlier error: start a new run", path.display())]
    CutShort { path: PathBuf },
    /// A run that is not finished cannot be sealed.
    #[error("cannot seal `{}`: {missing}", path.display())]
    NotOver {
        path: PathBuf,
        /// What has to happen first.
        missing: String,
    },
    /// A directory no longer holds what a run wrote to it, or was replaced by another one.
    #[error("`{}` was changed by another process ({what}): start a new run", path.display())]
    Meddled {
        path: PathBuf,
        /// The change that was found, with the name of the file.
        what: String,
    },
    /// The state directory is writable by users other than its owner.
    #[error("`{}` is writable by other users: run `chmod go-w` on it, or use another state directory", path.display())]
    NotPrivate { path: PathBuf },
    /// The workspace has more input files than the limit.
    #[error("`{}` has more than {limit} files that git does not ignore: add generated files to .gitignore, or list them under `outputs`", path.display())]
    TooManyFiles { path: PathBuf, limit: usize },
    /// A document of the ledger's own that does not have the ledger's format.
    #[error("cannot read `{}` ({reason}): move it away; its contents are lost", path.display())]
    Unreadable { path: PathBuf, reason: String },
    /// A key cannot be used.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// A document of the ledger's own has content that cannot be used.
    #[error("cannot use `{}`: {reason}", path.display())]
    Unusable { path: PathBuf, reason: String },
    /// An incident query that cannot be answered.
    #[error("the question cannot be answered: {reason}")]
    Question { reason: String },
    /// After secrets were redacted the observations are no longer a valid record.
    #[error("cannot redact secrets from the observations ({0}): rename the file or key that contains a secret")]
    Redaction(serde_json::Error),
    /// A document is larger than anything that the ledger writes.
    #[error("`{}` is too large: the limit for a document is {limit_bytes} bytes", path.display())]
    TooLarge { path: PathBuf, limit_bytes: u64 },
}

impl LedgerError {
    /// Returns the closure that turns an I/O error into a [`LedgerError`].
    pub(crate) fn io<E: Into<io::Error>>(operation: &'static str, path: &Path) -> impl FnOnce(E) -> Self {
        move |source| Self::Io { operation, path: path.to_path_buf(), source: source.into() }
    }

    /// Returns whether the error says that a file or directory does not exist.
    pub(crate) fn is_absence(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}
