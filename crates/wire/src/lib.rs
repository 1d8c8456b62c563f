//! Every document that leaves the process, versioned, with its schema.
//!
//! A document is a contract with its own spelling, so it is made by hand from the words of `referee-model`, and read by
//! hand back into them: version first, then shape, then whatever a shape cannot say. Nothing in here opens a file,
//! reads a clock or judges. [`schema`] publishes the JSON Schema of each.
#![warn(missing_docs)]

pub mod specification;

mod foreign;
pub use foreign::ForeignError;

pub mod project_file;

pub mod plan;

pub mod record;

pub mod run;

pub mod event;

pub mod diagnostics;

pub mod test_results;

pub mod parse;

pub mod sarif;

pub mod rdjson;

pub mod build_error;

pub mod agent_result;

pub mod agent_answer;

pub mod selftest_report;

pub mod verification_report;

pub mod agent_run;

pub mod agent_order;

pub mod agent_loop;

pub mod run_file;

pub mod markdown;

pub mod technical_debt;

pub mod debt_standing;

pub mod debt_register;

pub mod baseline;
pub mod diagnostics_register;

pub mod execution_report;
pub mod system_error;

pub mod explanation;

pub mod suite_report;

pub mod gate;

pub mod hook;

pub mod session;

pub mod doctor;

pub mod comparison;

pub mod initial;

pub mod handback;

pub mod stage;

pub mod api;
