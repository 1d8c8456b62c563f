//! `GET /api/runs/{task}/{execution}/evidence`: the files of a sealed run.

use referee_model::id::{Digest, ExecutionId, TaskId};

use referee_model::document::Kind;
use referee_model::seal::{Seal, SealedFile};

const KIND: Kind = Kind { name: "the list of evidence files", key: "evidenceFilesVersion", version: "1.0.0" };

/// The files of a sealed run. Only these can be requested.
#[document]
#[derive(Clone, PartialEq)]
#[cfg_attr(feature = "schema", schemars(title = "Referee list of evidence files"))]
pub struct EvidenceFilesDocument {
    /// Version of this format.
    #[cfg_attr(feature = "schema", schemars(with = "referee_model::schema::Version"))]
    evidence_files_version: &'static str,
    /// Id of the task.
    task_id: TaskId,
    /// Id of the run.
    execution_id: ExecutionId,
    /// SHA-256 of the seal.
    seal_digest: Digest,
    /// Sealed files, sorted by name.
    files: Vec<SealedFile>,
}

/// Returns the files that a seal lists as a document.
pub fn document(seal: &Seal, seal_digest: Digest) -> EvidenceFilesDocument {
    EvidenceFilesDocument {
        evidence_files_version: KIND.version,
        task_id: seal.task_id.clone(),
        execution_id: seal.execution_id.clone(),
        seal_digest,
        files: seal.files.clone(),
    }
}
