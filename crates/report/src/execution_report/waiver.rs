//! The waivers that a run found, each with what became of it.

use referee_model::id::Digest;
use referee_model::run_context::waiver::{WaiverStanding, WaiverState, WaiverTerms, WaiverUse};
use serde::Serialize;

/// A waiver that the run found. A decision in which one was applied is not that of the project alone.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct WaiverUseDocument {
    /// Its id; of what is no waiver the name of its file.
    id: String,
    /// What became of it. Only an applied one changed anything.
    state: WaiverState,
    /// What it was applied to, an entry for each thing that does not block because of it.
    applied_to: Vec<String>,
    /// What it says. Null: it is refused, so what it says is nobody's word.
    terms: Option<WaiverTerms>,
    /// Whose key signed it, by the trust store. Null: it is refused.
    approver: Option<String>,
    /// The id of that key. Null: it is refused.
    key: Option<String>,
    /// Why it is refused. Null: it is not.
    refused: Option<String>,
    /// SHA-256 of its file. Null: it could not be read.
    digest: Option<Digest>,
}

impl From<&WaiverUse> for WaiverUseDocument {
    fn from(used: &WaiverUse) -> Self {
        let (signed, refused) = match &used.waiver.standing {
            WaiverStanding::Signed { key, approver, terms } => (Some((key, approver, terms)), None),
            WaiverStanding::Refused { reason } => (None, Some(reason.clone())),
        };
        Self {
            id: used.waiver.id.clone(),
            state: used.state,
            applied_to: used.applied_to.clone(),
            terms: signed.map(|(_, _, terms)| terms.clone()),
            approver: signed.map(|(_, approver, _)| approver.clone()),
            key: signed.map(|(key, ..)| key.clone()),
            refused,
            digest: used.waiver.digest,
        }
    }
}
