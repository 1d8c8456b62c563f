//! Facts become judgement: pure functions.
//!
//! Nothing in here looks at the world: no file, no clock, no environment, no randomness. The same plan, records and
//! readings always give the same judgement, which is what makes replay possible. Modules stand in the order in which
//! the data passes: a command's [`role`] says how it is judged, [`fingerprint`] what makes two failures one, [`mod@baseline`] what of them is new, [`policy`] weighs what its tool found, [`classify`]
//! gives each action its outcome, [`condition`] evaluates what the specification asks beyond that, and [`criteria`] judges
//! the task, with [`build_error`] for whatever is no pass. What each action shows is listed once, in `finding`: [`diagnostics`] and
//! [`debt`] are views of it.
//!
//! Around a loop of repairs: [`agent_loop`] says what follows after a turn, [`run_state`] what follows from what in a run of an
//! agent, and [`retry`] what is tried again.
//! the task, with [`build_error`] for whatever is no pass. What failures leave to be done is [`debt`].
//! the task, with [`build_error`] for whatever is no pass. [`diagnostics`] tells what went wrong finding by finding, over one
//! run and over many, and [`progress`] whether trying again gets anywhere.

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

pub mod comparison;
pub mod doctor;
pub mod repair;

#[cfg(test)]
mod fixture;

#[cfg(test)]
mod fail_closed;
