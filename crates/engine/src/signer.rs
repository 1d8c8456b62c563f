//! A run is signed when it is sealed.

use std::sync::Arc;

use referee_ledger::attest::{Attestation, Signer};
use referee_ledger::attestation::draft::Draft;
use referee_ledger::staging::Staging;
use referee_model::id::Digest;
use referee_model::report::Report;

use crate::error::EngineError;

/// The key that is to sign a run, for its header: what was to be signed and is not, was tampered with.
pub(crate) fn key(signer: Option<&Signer>) -> Option<Digest> {
    signer.map(|signer| signer.public().id().digest())
}

/// Has the run's statements signed when it is sealed, where somebody signs it.
///
/// # Errors
/// Fails where there is nothing to be said of the report.
pub(crate) fn attest(
    signer: Option<&Arc<Signer>>,
    report: &Report,
    document: &[u8],
    staging: &mut Staging,
) -> Result<(), EngineError> {
    let Some(signer) = signer else { return Ok(()) };
    let plan = referee_model::plan::plan_document::digest(&report.plan).map_err(EngineError::internal)?;
    let hash = referee_model::report::report_document::stated_hash(document).map_err(EngineError::internal)?;
    let draft = Draft::new(report, plan, hash, signer.document());
    staging.attest(Attestation { draft, signer: Arc::clone(signer) });
    Ok(())
}
