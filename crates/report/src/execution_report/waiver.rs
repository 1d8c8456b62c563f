//! The waivers that a run found, each with its state.

use referee_model::id::Digest;
use referee_model::run_context::waiver::{WaiverStanding, WaiverState, WaiverTerms, WaiverUse};

/// A waiver that the run found. A decision in which one was applied does not cover the whole project.
#[document(nulls)]
pub struct WaiverUseDocument {
    /// Id of the waiver; the file name where the file is not a valid waiver.
    id: String,
    /// State of the waiver. Only an applied waiver changed anything.
    state: WaiverState,
    /// Failures that the waiver was applied to, one entry for each that does not block because of it.
    applied_to: Vec<String>,
    /// Terms of the waiver. Null: it is refused, so its terms have no effect.
    terms: Option<WaiverTerms>,
    /// Owner of the key that signed the waiver, by the trust store. Null: it is refused.
    approver: Option<String>,
    /// Id of that key. Null: the waiver is refused.
    key: Option<String>,
    /// Why the waiver is refused. Null: it is not.
    refused: Option<String>,
    /// SHA-256 of the waiver's file. Null: it could not be read.
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
