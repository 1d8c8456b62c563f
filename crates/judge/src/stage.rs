//! Stages: what may happen to one, what is looked at of it, and what an executor's claim is worth (seed 5; ruling 28).

pub mod checks;
pub mod ending;
pub mod query;
pub mod standing;
pub mod transition;
