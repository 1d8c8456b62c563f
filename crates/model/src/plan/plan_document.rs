//! `plan.json`: what was to run, whole. Evidence binds to the digest of its canonical form.

use super::Plan;
use crate::canonical::{self, CanonicalError};
use crate::document::{DocumentError, Kind};
use crate::id::Digest;

mod check;

/// The document, of a [`Plan`]. Paths that are not UTF-8 lose what is not.
pub const KIND: Kind = Kind { name: "plan.json", key: "planVersion", version: "2.0.0" };

/// Returns the SHA-256 of a plan's canonical document.
///
/// # Errors
/// Fails for a plan that holds a number above 2^53 - 1, which no limit of a specification needs.
pub fn digest(plan: &Plan) -> Result<Digest, CanonicalError> {
    canonical::bytes(&KIND.versioned(plan)).map(Digest::of)
}

/// Reads a plan. It may have been tampered with, so all that a checked specification guarantees is checked again.
pub fn read(bytes: &[u8]) -> Result<Plan, DocumentError> {
    let plan = KIND.decode(bytes)?;
    check::check(&plan).map_err(|problem| KIND.content(problem))?;
    Ok(plan)
}
