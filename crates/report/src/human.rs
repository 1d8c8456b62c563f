//! Text for people, at a terminal or in a log.

pub mod plan;

pub mod progress;

mod excerpt;

mod finding;

mod failure;

mod criteria;

mod evaluator;

mod scope;

mod baseline;

mod protection;

pub mod incident_run;

pub mod lock;
pub mod probe;
pub mod stage;
mod waiver;
mod weaker;

pub mod summary;

pub mod suite;

pub mod complaint;

pub mod verification;

pub mod executables;
pub mod keys;

pub mod diagnostics;
pub mod explanation;
pub mod incident;

pub mod reading;

pub mod agent_run;
pub mod approval;
pub mod build_error;
pub mod debt;
pub mod doctor;
pub mod enrolment;
pub mod initial;
pub mod kept;
pub mod loops;
pub mod orders;
pub mod remediation;
pub mod run_comparison;
pub mod server_access;
pub mod status;
pub mod waivers;

#[cfg(test)]
pub(crate) mod fixture;
