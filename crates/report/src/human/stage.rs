//! Stages of workflows, for people.

pub mod changes;
pub mod checks;
pub mod composition;
pub mod handed_back;
pub mod status;
