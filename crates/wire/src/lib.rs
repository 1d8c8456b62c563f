//! Every document that leaves the process, versioned, with its schema.
//!
//! A document is a contract with its own spelling, so it is made by hand from the words of `referee-model`, and read by
//! hand back into them: version first, then shape, then whatever a shape cannot say. Nothing in here opens a file,
//! reads a clock or judges. [`schema`] publishes the JSON Schema of each.
#![warn(missing_docs)]

mod foreign;
pub use foreign::ForeignError;

pub mod verification_policy;

pub mod waiver;

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
pub mod tombstone;

pub mod evidence_list;

pub mod run_list;

pub mod status_lock;

pub mod seal;

pub mod evidence_files;

pub mod action_log;

pub mod evidence_verification;

pub mod chain_head;

pub mod attestation;

pub mod lock;
pub mod trust;

pub mod lock_history;
pub mod lock_report;

pub mod receipt;

pub mod hook;

pub mod session;

pub mod enrolment;

pub mod incident;

pub mod incident_event;

pub mod incident_intent;

pub mod incident_list;

pub mod incident_grouping;

pub mod incident_explanation;

pub mod incident_captured;

pub mod incident_shown;

pub mod remediation_plan;

pub mod planner;

pub mod incident_archive;

pub mod approval;
pub mod redness;

pub mod handoff;

pub mod handback;

pub mod attempt;

pub mod stage;
