//! Findings that a build tool prints a second time: Maven and Gradle where they say why the build failed, `MSBuild` where
//! it sums up.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use referee_model::reading::Diagnostic;

/// Findings that are remembered; what is beyond them is never taken for a repetition.
const REMEMBERED: usize = 50_000;

/// What was listed so far, and whether it is being repeated.
#[derive(Debug, Default)]
pub(crate) struct Repeats {
    listed: HashMap<u64, u32>,
    is_repeating: bool,
}

impl Repeats {
    /// From here on findings may be repetitions.
    pub(crate) fn begin(&mut self) {
        self.is_repeating = true;
    }

    /// From here on findings are new again.
    pub(crate) fn end(&mut self) {
        self.is_repeating = false;
    }

    /// Whether findings may be repetitions now.
    pub(crate) fn is_repeating(&self) -> bool {
        self.is_repeating
    }

    /// Whether a finding only repeats one that was listed. Each is repeated once at most.
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

/// Returns what tells findings apart: place, code, and the first line of what is said.
pub(crate) fn key(found: &Diagnostic) -> u64 {
    let mut hasher = DefaultHasher::new();
    let said = found.message.lines().next().unwrap_or_default().trim_end();
    (&found.file, found.line, found.column, &found.code, said).hash(&mut hasher);
    hasher.finish()
}
