//! Every document that leaves the process, versioned, with its schema.
//!
//! A document is a contract with its own spelling, so it is made by hand from the words of `referee-model`, and read by
//! hand back into them: version first, then shape, then whatever a shape cannot say. Nothing in here opens a file,
//! reads a clock or judges. [`schema`] publishes the JSON Schema of each.
#![warn(missing_docs)]

mod foreign;
pub use foreign::ForeignError;

pub mod build_error;

pub mod agent_result;

pub mod agent_answer;

pub mod verification_report;

pub mod agent_run;

pub mod agent_order;

pub mod agent_loop;

pub mod run_file;

pub mod markdown;

pub mod system_error;

pub mod status_lock;

pub mod hook;

pub mod session;

pub mod enrolment;

pub mod handback;

pub mod stage;
