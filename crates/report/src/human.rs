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

pub mod summary;

pub mod suite;

pub mod complaint;

pub mod verification;

pub mod diagnostics;
pub mod explanation;

pub mod reading;

pub mod build_error;
pub mod debt;
pub mod initial;

#[cfg(test)]
mod fixture;
