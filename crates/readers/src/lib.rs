//! Turns raw tool output into readings: what a tool reported about the code, with exact counts and the byte
//! ranges that it was read from.
//!
//! A reader never fails because of the content: every log yields a
//! [`Reading`](referee_model::reading::Reading), whose leftovers hold the lines that no reader recognized. The
//! only errors are those of the [`source::Source`]. Memory use is bounded whatever the size of a log: lines are
//! read one at a time, and documents are streamed.

/// The stored bytes of one attempt.
pub mod source;

mod text;

mod scan;

mod prefix;

mod document;

mod json;

mod xml;

mod used;

mod seen;

mod hint;

mod candidate;

mod level;

mod pattern;

mod group_values;

mod row_declaration;

mod rows;

mod test_rows;

mod shapes;

mod tool;

mod prelude;

mod tools;

mod formats;

mod registry;

mod prefilter;

mod pass;

pub mod custom;

mod choose;

mod recognize;

#[cfg(test)]
mod trial;

pub use hint::Hint;
pub use recognize::read;
pub use registry::{Known, known, tools};
