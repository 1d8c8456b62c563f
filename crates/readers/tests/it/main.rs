//! Checks the readers against real output.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests read their fixtures")]

mod corpus;
mod disguises;
mod fixtures;
mod properties;
mod runs;
