//! What can go wrong with evidence on disk. Whoever gets one of these must not call anything passed.

use std::io;
use std::path::{Path, PathBuf};

use crate::key::KeyError;

/// Why evidence could not be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    #[error("cannot {deed} `{}`: {source}", path.display())]
    Io {
        /// What was tried, as a verb.
        deed: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    /// A link or a file stands where a directory of evidence must stand. It was left untouched.
    #[error("`{}` is a link or a file, not a directory: move it away, or choose another evidence directory", path.display())]
    NotADirectory { path: PathBuf },
    /// A link, directory or device stands where a file must stand.
    #[error("`{}` is not a regular file: move it away", path.display())]
    NotAFile { path: PathBuf },
    /// A text that cannot be the name of one evidence file.
    #[error("`{name}` is not a name for an evidence file: expected one path component that is not reserved")]
    Name { name: String },
    /// Another run holds the task's lock and does not let go.
    #[error("`{}` has been locked by another run for {seconds} s: stop that run, then try again", path.display())]
    Locked {
        path: PathBuf,
        /// How long it was waited for.
        seconds: u64,
    },
    /// The journal, or a log, could not be written to its end earlier on, so nothing may follow.
    #[error("`{}` is incomplete after an earlier error: start a new run", path.display())]
    CutShort { path: PathBuf },
    /// A run that is not over was to be sealed.
    #[error("cannot seal `{}`: {missing}", path.display())]
    NotOver {
        path: PathBuf,
        /// What must come first.
        missing: String,
    },
    /// A directory does not hold what a run wrote into it, or another one stands in its place.
    #[error("`{}` was changed by another process ({what}): start a new run", path.display())]
    Meddled {
        path: PathBuf,
        /// What was found, with the name of the file.
        what: String,
    },
    /// Others than its user may write to the state directory.
    #[error("`{}` is writable by other users: run `chmod go-w` on it, or use another state directory", path.display())]
    NotPrivate { path: PathBuf },
    /// A workspace with more inputs than can be kept track of.
    #[error("`{}` has more than {limit} files that git does not ignore: add generated files to .gitignore, or list them under `outputs`", path.display())]
    TooManyFiles { path: PathBuf, limit: usize },
    /// A document of the ledger's own that is not what the ledger writes.
    #[error("cannot read `{}` ({reason}): move it away; its contents are lost", path.display())]
    Unreadable { path: PathBuf, reason: String },
    /// A key cannot be used.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// A document of the ledger's own holds what it cannot hold.
    #[error("cannot use `{}`: {reason}", path.display())]
    Unusable { path: PathBuf, reason: String },
    /// A question about incidents that cannot be answered.
    #[error("the question cannot be answered: {reason}")]
    Question { reason: String },
    /// What was observed is no record any more once its secrets are cut out of it.
    #[error("cannot redact secrets from the observations ({0}): rename the file or key that contains a secret")]
    Redaction(serde_json::Error),
    /// A document larger than anything that the ledger writes.
    #[error("`{}` is too large: the limit for a document is {limit_bytes} bytes", path.display())]
    TooLarge { path: PathBuf, limit_bytes: u64 },
}

impl LedgerError {
    /// Makes the closure that turns a system error into this room's error.
    pub(crate) fn io<E: Into<io::Error>>(deed: &'static str, path: &Path) -> impl FnOnce(E) -> Self {
        move |source| Self::Io { deed, path: path.to_path_buf(), source: source.into() }
    }

    /// Whether it says that there is nothing of that name.
    pub(crate) fn is_absence(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}
