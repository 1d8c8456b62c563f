//! Facts become judgement: pure functions.
//!
//! Nothing in here looks at the world: no file, no clock, no environment, no randomness. The same plan, records and
//! readings always give the same judgement, which is what makes replay possible. Modules stand in the order in which
//! the data passes: a command's [`role`] says how it is judged, [`fingerprint`] what makes two failures one, [`policy`] weighs what its tool found, [`classify`]
//! gives each action its outcome, [`condition`] evaluates what the specification asks beyond that, and [`criteria`] judges
//! the task, with [`build_error`] for whatever is no pass.
#![warn(missing_docs)]

mod wording;

mod skip;

pub mod role;

pub mod fingerprint;

pub mod policy;

pub mod classify;

pub mod build_error;

pub mod condition;

pub mod criteria;

#[cfg(test)]
mod fixture;
