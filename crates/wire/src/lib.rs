//! Every document that leaves the process, versioned, with its schema.
//!
//! A document is a contract with its own spelling, so it is made by hand from the words of `referee-model`, and read by
//! hand back into them: version first, then shape, then whatever a shape cannot say. Nothing in here opens a file,
//! reads a clock or judges. [`schema`] publishes the JSON Schema of each.
#![warn(missing_docs)]

pub mod verification_policy;

pub mod waiver;

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

pub mod attempt;
