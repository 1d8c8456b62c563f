//! Findings that a build tool prints a second time: Maven and Gradle when they explain why the build failed,
//! `MSBuild` in its summary.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use referee_model::reading::Diagnostic;

/// Maximum number of findings remembered; later ones are never recognized as repetitions.
const REMEMBERED: usize = 50_000;

/// The findings listed so far, and whether they are being repeated.
#[derive(Debug, Default)]
pub(crate) struct Repeats {
    listed: HashMap<u64, u32>,
    is_repeating: bool,
}

impl Repeats {
    /// Starts a part of the log in which findings may be repetitions.
    pub(crate) fn begin(&mut self) {
        self.is_repeating = true;
    }

    /// Ends such a part; further findings are new.
    pub(crate) fn end(&mut self) {
        self.is_repeating = false;
    }

    /// Returns whether findings may be repetitions now.
    pub(crate) fn is_repeating(&self) -> bool {
        self.is_repeating
    }

    /// Returns whether a finding repeats a listed one. Each finding is repeated at most once.
    pub(crate) fn has(&mut self, found: &Diagnostic) -> bool {
        let key = key(found);
        if self.is_repeating {
            let Some(left) = self.listed.get_mut(&key).filter(|left| 0 < **left) else { return false };
            *left -= 1;
            return true;
        }
        if self.listed.len() < REMEMBERED || self.listed.contains_key(&key) {
            *self.listed.entry(key).or_default() += 1;
        }
        false
    }
}

/// Returns a hash of the location of a finding.
pub(crate) fn place(found: &Diagnostic) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&found.file, found.line, found.column).hash(&mut hasher);
    hasher.finish()
}

/// Returns a hash that identifies a finding: location, code, and the first line of the message.
pub(crate) fn key(found: &Diagnostic) -> u64 {
    let mut hasher = DefaultHasher::new();
    let said = found.message.lines().next().unwrap_or_default().trim_end();
    (&found.file, found.line, found.column, &found.code, said).hash(&mut hasher);
    hasher.finish()
}
