//! Renders events and reports as text and documents.
//!
//! This crate opens no file and reads neither environment nor clock: everything is written to a given writer, in a
//! given [`style::Style`]. Text for people passes through the private module `page`, which escapes text of tools
//! and specifications before it reaches a terminal.

// The attribute that makes a struct a document.
#[macro_use]
extern crate referee_document;

pub mod diagnostics;

pub mod parse;

pub mod test_results;

pub mod technical_debt;

pub mod execution_report;

pub mod suite_report;

pub mod explanation;

pub mod waiver_list;

pub mod doctor;

pub mod initial;

pub mod selftest_report;

pub mod untrusted;

pub mod style;

mod source;

mod page;

mod wording;

pub mod debt;

pub mod gate;

pub mod hook;

pub mod hosts;

pub mod agent_run;

pub mod stage;

pub mod protocol;

pub mod human;

pub mod formats;

pub mod comparison;

pub mod run_comparison;

pub use source::SourceLines;

pub mod incident_shown;

pub mod incident_explanation;

pub mod incident_captured;

pub mod remediation_plan;

pub mod handoff;

pub mod lock_report;

pub mod probe_report;

pub mod evidence_files;

pub mod evidence_verification;

pub mod run_list;

pub mod action_log;

pub mod status;
