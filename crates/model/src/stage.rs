//! Stages: work that is handed to an executor in a folder of its own, and handed back (seed 5; ruling 28).
//!
//! A [`workflow`] declares stages in an order; [`path`] says which files of a stage may be named; a stage's life is [`life`].
//! What was looked at of a stage is held in [`check`], and what an executor's claim is worth in [`standing`].

pub mod check;
pub mod id;
pub mod life;
pub mod path;
pub mod query;
pub mod standing;
pub mod workflow;
