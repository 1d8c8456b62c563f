//! Every document that leaves the process, versioned, with its schema.
//!
//! A document is a contract with its own spelling, so it is made by hand from the words of `referee-model`, and read by
//! hand back into them: version first, then shape, then whatever a shape cannot say. Nothing in here opens a file,
//! reads a clock or judges. [`schema`] publishes the JSON Schema of each.
#![warn(missing_docs)]

pub mod system_error;

pub mod status_lock;

pub mod enrolment;
