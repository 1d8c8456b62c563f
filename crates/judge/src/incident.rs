//! Incidents (seed 3): transitions, evidence, and the plans derived from it.

pub mod automatic;
pub mod cause;
pub mod evidence;
pub mod finding;
pub mod grouping;
pub mod plan;
pub mod quality;
pub mod signal;
pub mod signature;
pub mod transition;
