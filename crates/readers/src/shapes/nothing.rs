//! The reader of nothing, for a format that a tool has only where the command is known: a compiler's findings in the log
//! of a runner of tests are the runner's with a hint, and without one the compiler's own tool reads them.

use crate::candidate::{Candidate, LineReader, Use};
use crate::scan::Line;

/// Returns the reader where there is a hint, else one that reads nothing.
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
