//! Stages, for people.

pub mod status;
pub mod composing;
pub mod checks;
pub mod handed_back;
pub mod deeds;
