//! Incidents: what may happen to one, what its evidence carries, and which plan follows from it (seed 3).

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
