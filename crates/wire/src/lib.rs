//! Every document that leaves the process, versioned, with its schema.
//!
//! A document is a contract with its own spelling, so it is made by hand from the words of `referee-model`, and read by
//! hand back into them: version first, then shape, then whatever a shape cannot say. Nothing in here opens a file,
//! reads a clock or judges. [`schema`] publishes the JSON Schema of each.
#![warn(missing_docs)]

pub mod validator;

pub mod specification;

pub mod exit_code;

pub mod canonical;

mod document;
pub use document::{DocumentError, to_bytes};

mod form;

mod number;

pub mod plan;

pub mod evidence_name;

mod skip_reason;

mod ending;

pub mod record;

pub mod run;

pub mod event;

pub mod diagnostics;

pub mod test_results;

pub mod parse;

pub mod sarif;

pub mod rdjson;

pub mod build_error;

pub mod execution_report;

pub mod suite_report;

pub mod seal;

pub mod schema;
