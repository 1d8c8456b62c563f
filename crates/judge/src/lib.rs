//! Judges facts by pure functions.
//!
//! Nothing in this crate depends on the environment: no file, no clock, no environment variable, no randomness.
//! The same plan, records and readings always give the same judgement, which makes replay possible. In order of
//! the data flow: the [`role`] of a command determines how it is judged, [`fingerprint`] which failures are the
//! same, [`mod@baseline`] which of them are new, [`policy`] weighs the findings of its tool, [`classify`]
//! determines the outcome of each action, [`condition`] evaluates further conditions of the specification, and
//! [`criteria`] judges the task, with [`build_error`] for everything that is not a pass. What each action shows
//! is listed once, in `finding`: [`diagnostics`] and [`debt`] are views of it.
//!
//! For repair loops, [`agent_loop`] decides what follows a turn, [`run_state`] has the transitions of an
//! agent's run, [`retry`] decides about retries, and [`progress`] measures whether trying again helps.

pub mod wording;

mod skip;

mod hang;

mod own_files;

pub mod source_file;

mod lenient;

pub mod role;

pub mod fingerprint;

mod frames;

pub mod baseline;

pub mod policy;

pub mod classify;

mod finding;

pub mod waiver;

pub mod build_error;

pub mod condition;

pub mod criteria;

pub mod probe;

pub mod retry;

pub mod run_state;

#[cfg(test)]
mod agent_vectors;
pub mod debt;
pub mod diagnostics;

pub mod explain;
pub mod progress;

pub mod loop_guard;

pub mod agent_loop;

pub mod incident;

pub mod stage;

pub mod gate;

pub mod gate_guard;
pub mod held_out;
pub mod hook;

pub mod claim;

pub mod suppressions;

pub mod comparison;
pub mod doctor;
pub mod repair;

#[cfg(test)]
mod fixture;

#[cfg(test)]
mod fail_closed;
