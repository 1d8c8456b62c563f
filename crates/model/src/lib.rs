//! The types of Referee and the documents made of them.
//!
//! Plain data: no files, no processes, no clock, no async. Modules are listed in data-flow order: running a
//! [`plan::Plan`] yields [`event`]s and [`record::Record`]s, output is read into [`reading::Reading`]s, each
//! action is judged to an [`outcome::Judgement`], the task to a [`verdict::Verdict`], and all of it forms one
//! [`report::Report`].
//!
//! A document that Referee writes and reads is serialized from its type by serde; its [`document::Kind`] holds
//! its version. A document of a seed with another shape is a projection in `referee-report`. JSON Schemas of
//! published types are derived behind the feature `schema`, which no shipped program enables.
#![warn(missing_docs)]

#[macro_use]
mod text;
#[macro_use]
mod word;

pub mod id;
pub mod limit;
pub mod signal;

pub mod canonical;
pub mod document;
pub mod number;
pub mod time;

pub mod severity;

pub mod access;

pub mod audit;

pub mod sandbox;

pub mod selection;

pub mod taxonomy;

pub mod fingerprint;

pub mod condition;

pub mod plan;

pub mod strictness;

pub mod suite;

pub mod evidence_name;

pub mod run_context;

pub mod lock;

pub mod record;

pub mod reading;

pub mod baseline;

pub mod condition_inputs;

pub mod diagnostic_log;

pub mod diagnostic_register;

pub mod test_file;

pub mod mutant;

pub mod database;

pub mod tree_manifest;

pub mod depot;

pub mod turn_order;

pub mod run_order;

pub mod order_protocol;

pub mod agent_checkpoint;

pub mod order_list;

pub mod probe_set;

pub mod debt;

pub mod debt_register;

pub mod debt_standing;

pub mod outcome;

pub mod build_error;

pub mod foreign;

pub mod agent_result;

pub mod trust;
pub mod verification;

pub mod seal;

pub mod evidence_list;

pub mod verification_policy;

pub mod retry;

pub mod run_overview;
pub mod run_state;

pub mod agent_run;

pub mod agent_order;

pub mod run_file;

pub mod verdict;

pub mod exit_code;

pub mod progress;

pub mod loop_guard;

pub mod loop_list;

pub mod incident;

pub mod handback;

pub mod stage;

pub mod claim;

pub mod held_out;

pub mod gate;

pub mod comparison;

pub mod hook;

mod serial;
pub mod session;

pub mod enrolment;

pub mod doctor;

pub mod status;

pub mod explanation;

pub mod event;

pub mod report;

#[cfg(feature = "schema")]
pub mod schema;
