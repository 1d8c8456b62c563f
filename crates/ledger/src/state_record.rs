//! Records in the state directory, each about one object below a root directory, where processes that write to
//! the root cannot reach it:
//!
//! ```text
//! <state>/<area>/<sha256 of the root and the id>.json
//! ```
//!
//! The file name depends on the location: after a move, nothing is kept for the new location. A record that
//! cannot be read is an error, never treated as absent.

use std::fmt::Display;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use referee_model::id::Digest;

use crate::error::LedgerError;
use crate::state::{Area, State};

#[derive(Debug, Clone, Copy)]
pub(crate) struct Key<'a> {
    pub(crate) area: Area,
    pub(crate) root: &'a Path,
    pub(crate) id: &'a str,
}

impl Key<'_> {
    /// Reads a record; `about` returns the id that a record is about. None: there is no record.
    pub(crate) fn read<Record, Reason: Display>(
        self,
        state: &State,
        parse: impl FnOnce(&[u8]) -> Result<Record, Reason>,
        about: fn(&Record) -> &str,
    ) -> Result<Option<Record>, LedgerError> {
        state.read(self.area, &self.name(), |bytes| {
            let record = parse(bytes).map_err(|error| error.to_string())?;
            if about(&record) == self.id { Ok(record) } else { Err(format!("it is about {}", about(&record))) }
        })
    }

    /// Writes a serialized record.
    pub(crate) fn write(self, state: &State, laid_out: serde_json::Result<Vec<u8>>) -> Result<(), LedgerError> {
        state.write(self.area, &self.name(), laid_out)
    }

    /// Returns the file name of the record.
    pub(crate) fn name(self) -> String {
        let root = std::fs::canonicalize(self.root).unwrap_or_else(|_| self.root.to_path_buf());
        format!("{}.json", Digest::of([root.as_os_str().as_bytes(), self.id.as_bytes()].join(&0)))
    }
}
