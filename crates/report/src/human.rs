//! Text for people, at a terminal or in a log.

pub mod plan;

pub mod progress;

mod excerpt;

mod finding;

mod failure;

mod criteria;

mod scope;

pub mod summary;

pub mod suite;

pub mod complaint;

pub mod verification;

pub mod reading;

#[cfg(test)]
mod fixture;
