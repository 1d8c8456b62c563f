//! `plan.json`: the complete plan of a run. Evidence is bound to the digest of its canonical form.

use super::Plan;
use crate::canonical::{self, CanonicalError};
use crate::document::{DocumentError, Kind};
use crate::id::Digest;

mod check;

/// The document that holds a [`Plan`]. Parts of paths that are not UTF-8 are lost.
pub const KIND: Kind = Kind { name: "plan.json", key: "planVersion", version: "2.0.0" };

/// Returns the SHA-256 of a plan's canonical document.
///
/// # Errors
/// Fails for a plan that contains a number above 2^53 - 1, which no limit of a specification needs.
pub fn digest(plan: &Plan) -> Result<Digest, CanonicalError> {
    canonical::bytes(&KIND.versioned(plan)).map(Digest::of)
}

/// Parses a plan. The document may have been tampered with, so everything that a checked specification
/// guarantees is checked again.
pub fn read(bytes: &[u8]) -> Result<Plan, DocumentError> {
    let plan = KIND.decode(bytes)?;
    check::check(&plan).map_err(|problem| KIND.content(problem))?;
    Ok(plan)
}
