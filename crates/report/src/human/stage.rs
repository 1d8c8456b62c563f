//! Stages, for people.

pub mod checks;
pub mod composing;
pub mod deeds;
pub mod handed_back;
pub mod status;
