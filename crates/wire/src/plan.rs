//! `plan.json`: what was to run, whole. Evidence binds to the digest of its canonical form.

use referee_model::id::Digest;
use referee_model::plan::Plan;
use serde::{Deserialize, Serialize};

use referee_model::document::{DocumentError, Kind};
use referee_syntax::canonical::{self, CanonicalError};

mod check;

const KIND: Kind = Kind { name: "plan.json", key: "planVersion", version: "2.0.0" };

/// A plan with the version of its format.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlanDocument {
    /// Version of this format.
    plan_version: String,
    #[serde(flatten)]
    plan: Plan,
}

/// Returns a plan as a document. Paths that are not UTF-8 lose what is not.
pub fn document(plan: &Plan) -> PlanDocument {
    PlanDocument { plan_version: KIND.version.to_owned(), plan: plan.clone() }
}

/// Returns the SHA-256 of a plan's canonical document.
///
/// # Errors
/// Fails for a plan that holds a number above 2^53 - 1, which no limit of a specification needs.
pub fn digest(plan: &Plan) -> Result<Digest, CanonicalError> {
    canonical::bytes(&document(plan)).map(Digest::of)
}

/// Reads a plan. It may have been tampered with, so all that a checked specification guarantees is checked again.
pub fn read(bytes: &[u8]) -> Result<Plan, DocumentError> {
    let PlanDocument { plan, .. } = KIND.read(bytes)?;
    check::check(&plan).map_err(|problem| KIND.content(problem))?;
    Ok(plan)
}
