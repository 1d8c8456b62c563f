//! Raw tool output becomes readings: what a tool said of the code, with exact counts and the bytes it was read from.
//!
//! A reader never fails for content: whatever stands in a log, there is a [`Reading`](referee_model::reading::Reading),
//! and what nobody understood is in its leftovers. The only errors are those of the [`source::Source`].
//! Memory is bounded whatever a log's size; lines are read one at a time and documents as they stream by.

/// The stored bytes of one attempt.
pub mod source;

mod text;

mod scan;

mod lane;

mod document;

mod json;

mod xml;

mod locate;

mod used;

mod seen;

mod hint;

mod claim;

mod results;

mod pattern;

mod counted;

mod tally;

mod runs;

mod failing;

mod reported;

mod python;

mod coded;

mod framed;

mod recorded;

mod nothing;

mod ant;

mod caret;

mod clr;

mod dotty;

mod jvm;

mod repeats;

mod gnu;

mod extension;

mod listed;

mod tool;

mod tools;

mod formats;

mod registry;

mod wake;

/// Readers that users bring.
pub mod custom;

mod choose;

mod pass;

pub use hint::Hint;
pub use pass::read;
pub use registry::{Known, known, tools};
