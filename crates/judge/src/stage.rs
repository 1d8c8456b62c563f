//! Stages (seed 5; ruling 28): transitions, checks, and the validity of an executor's claim.

pub mod checks;
pub mod ending;
pub mod query;
pub mod standing;
pub mod transition;
