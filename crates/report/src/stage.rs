//! Documents about stages of workflows: composed, prepared, accepted, checked, handed back, finalized (seed 5).

pub mod changes;
pub mod checks;
pub mod composed;
pub mod handed_back;
pub mod standing;
