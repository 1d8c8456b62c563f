//! The meaning of a JSON record to a reader.

use referee_model::reading::{Diagnostic, Level, Origin};
use referee_model::record::Stream;
use referee_syntax::ansi;

use crate::candidate::diagnostic_at;

pub(crate) enum RecordKind {
    Finding(Box<Diagnostic>),
    Findings(Vec<Diagnostic>),
    /// A record of the tool that is not a finding, such as one that was fixed.
    Nothing,
    /// A record that is not the tool's.
    Stranger,
}

impl From<Option<Diagnostic>> for RecordKind {
    fn from(found: Option<Diagnostic>) -> Self {
        found.map_or(Self::Stranger, |found| Self::Finding(Box::new(found)))
    }
}

/// Begins a finding; the reader fills in its origin.
pub(crate) fn finding(tool: &str, level: Level, message: &str) -> Diagnostic {
    let origin = Origin { rule: String::new(), stream: Stream::Stdout, start: 0, end: 0 };
    diagnostic_at(tool, origin, level, ansi::strip(message).trim())
}
