//! Raw tool output becomes readings: what a tool said of the code, with exact counts and the bytes it was read from.
//!
//! A reader never fails for content: whatever stands in a log, there is a [`Reading`](referee_model::reading::Reading),
//! and what nobody understood is in its leftovers. The only errors are those of the [`source::Source`].
//! Memory is bounded whatever a log's size; lines are read one at a time and documents as they stream by.

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

mod rows;

mod shapes;

mod tool;

mod prelude;

mod tools;

mod formats;

mod registry;

mod prefilter;

mod pass;

/// What hosts of coding agents tell a hook.
pub mod hook;

/// What agents print as data.
pub mod agent_answer;

/// What an agent's process left.
pub mod agent_result;

/// Runs of agents and their turns.
pub mod agent_run;

/// What checked an agent's work.
pub mod verification_report;

/// Errors that programs threw.
pub mod system_error;

pub mod custom;

mod choose;

mod recognize;

#[cfg(test)]
mod trial;

pub use hint::Hint;
pub use recognize::read;
pub use registry::{Known, known, tools};
