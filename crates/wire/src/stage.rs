//! The keys of a workflow (seed 5).

pub mod workflow;
