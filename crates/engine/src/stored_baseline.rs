//! The baseline that a run is compared with, as evidence.
//!
//! The judge sees only evidence, so the part of a baseline that belongs to a task is stored in the directory of
//! its run before anything is judged, and is read back from there, both live and on replay.

use referee_model::baseline::{Baseline, TaskBaseline};
use referee_model::evidence_name;
use referee_model::id::{Digest, TaskId};

use crate::error::EngineError;

/// The baseline that a run is compared with, as stored in its evidence.
#[derive(Debug)]
pub(crate) struct StoredBaseline {
    pub(crate) baseline: TaskBaseline,
    /// SHA-256 of the stored document.
    pub(crate) digest: Digest,
}

/// Returns the redacted document that a run of a task stores.
pub(crate) fn stored(
    task: &TaskId,
    known: &TaskBaseline,
    redact: &dyn Fn(&str) -> String,
) -> Result<Vec<u8>, EngineError> {
    let mut known = known.clone();
    known.specification = redact(&known.specification);
    for action in &mut known.actions {
        action.name = redact(&action.name);
        for finding in action.findings.values_mut() {
            finding.message = redact(&finding.message);
            finding.file = finding.file.as_deref().map(redact);
        }
        for test in action.tests.iter_mut().flat_map(|tests| &mut tests.failed) {
            test.name = redact(&test.name);
            test.message = redact(&test.message);
            test.file = test.file.as_deref().map(redact);
        }
    }
    let baseline = Baseline { tasks: [(task.clone(), known)].into() };
    referee_model::baseline::baseline_document::KIND.encode(&baseline).map_err(EngineError::internal)
}

/// Reads the document that a run of a task stored.
pub(crate) fn read(task: &TaskId, bytes: &[u8]) -> Result<StoredBaseline, EngineError> {
    let mut baseline = referee_model::baseline::baseline_document::read(bytes).map_err(EngineError::internal)?;
    let digest = Digest::of(bytes);
    match (baseline.tasks.remove(task), baseline.tasks.is_empty()) {
        (Some(baseline), true) => Ok(StoredBaseline { baseline, digest }),
        _ => Err(EngineError::internal(format!("{} is not that of {task} alone", evidence_name::BASELINE))),
    }
}
