//! Plants defects in programs of every language and runs the real tools.
#![expect(clippy::disallowed_methods, reason = "tests read this workspace and ask compilers")]
#![expect(clippy::print_stdout, reason = "a test that is skipped says so")]
#![expect(clippy::unwrap_used, reason = "what a test needs and does not get fails the test")]

mod defects;
mod edits;
mod hollow;
mod operators;
mod samples;
