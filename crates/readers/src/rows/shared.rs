//! What a heading says of the findings below it.

use referee_model::limit;
use referee_model::reading::{Diagnostic, Level};
use referee_syntax::cut;

use super::open::append;
use crate::pattern::Groups;

/// Values shared by the findings below a heading.
#[derive(Default)]
pub(super) struct Shared {
    pub(super) file: Option<String>,
    pub(super) code: Option<String>,
    pub(super) line: Option<u32>,
    pub(super) level: Option<Level>,
    pub(super) message: String,
    pub(super) source: Option<String>,
    /// Where the heading begins.
    pub(super) start: u64,
}

impl Shared {
    /// Adds the values of a further line.
    pub(super) fn add(&mut self, found: &Groups<'_, '_>) {
        self.line = found.position("line").or(self.line);
        if let Some(message) = found.get("message") {
            append(&mut self.message, message, true);
        }
        self.source = found.get("source").map(|source| cut::head(source, limit::MESSAGE_BYTES).to_owned());
    }

    /// Completes a finding below the heading.
    pub(super) fn complete(&self, made: &mut Diagnostic, found: &Groups<'_, '_>) {
        if self.line.is_some() {
            made.line = made.line.or(self.line);
            found.locate(made);
        }
        if made.message.is_empty() && !self.message.is_empty() {
            made.message.clone_from(&self.message);
            made.origin.start = self.start;
        }
        if !found.has("source") {
            made.source.clone_from(&self.source);
        }
    }
}
