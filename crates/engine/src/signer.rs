//! Signing of runs when they are sealed.

use std::sync::Arc;

use referee_ledger::attest::{Attestation, Signer};
use referee_ledger::attestation::draft::Draft;
use referee_ledger::staging::Staging;
use referee_model::id::Digest;
use referee_model::report::Report;

use crate::error::EngineError;

/// Returns the digest of the key that is to sign a run, for the run header: if the signature is missing later,
/// the evidence was tampered with.
pub(crate) fn key(signer: Option<&Signer>) -> Option<Digest> {
    signer.map(|signer| signer.public().id().digest())
}

/// Prepares the signed statements of a run, if there is a signer.
///
/// # Errors
/// Fails if the plan or the report document cannot be digested.
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
