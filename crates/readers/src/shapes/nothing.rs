//! An empty reader, for formats that a tool has only with a hint: findings of a compiler in the log of a test
//! runner belong to the runner if it is hinted, and otherwise to the compiler's own tool.

use crate::candidate::{Candidate, LineReader, Use};
use crate::scan::Line;

/// Returns the reader if there is a hint, and otherwise one that reads nothing.
pub(crate) fn with_hint(is_hinted: bool, reader: fn() -> Box<dyn LineReader>) -> Box<dyn LineReader> {
    if is_hinted { reader() } else { Box::new(Nothing) }
}

pub(crate) struct Nothing;

impl LineReader for Nothing {
    fn line(&mut self, _: &Line<'_>) -> Use {
        Use::None
    }

    fn sleeps(&self) -> bool {
        true
    }

    fn finish(self: Box<Self>) -> Option<Candidate> {
        None
    }
}
