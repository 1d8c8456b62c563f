//! What a heading says of the findings below it.

use referee_model::limit;
use referee_model::reading::Level;
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
}
