//! The origin of a report, as the report itself states it (seed 1, `authenticity`).

use referee_model::id::{Digest, ExecutionId};
use referee_model::report::Report;

/// Origin of the report. Anyone who can write the file could have written this part, too: only the attestation
/// beside it shows whether the report is signed, and by whom.
#[document]
pub(super) struct Authenticity {
    /// Id of the run that produced this report.
    execution_id: ExecutionId,
    /// Name and version of the program that ran the task, the same as `generatedBy`.
    generator_version: String,
    /// Operating system of the machine that ran the task.
    platform: String,
    /// Processor architecture of the machine that ran the task.
    architecture: String,
    /// Always null: Referee does not run on Node.js.
    node_version: (),
    /// Process id of Referee during the run.
    process_id: u32,
    /// Algorithm of `reportHash`, which is a plain hash and no signature: `SHA-256`.
    signature_algorithm: &'static str,
    /// Digest of the plan's canonical document.
    plan_digest: Digest,
    /// SHA-256 of the RFC 8785 bytes of the whole report without this key.
    #[cfg_attr(feature = "schema", schemars(with = "referee_model::id::Digest", required))]
    pub(super) report_hash: Option<Digest>,
    /// Always `sealed`: a seal beside the report lists every file of the run with size and hash.
    tamper_detection: &'static str,
    /// Whether a signed attestation belongs to the report.
    signed: bool,
    /// Whether the origin is stated by the run itself only.
    self_asserted: bool,
    /// Always false: a change made after the run shows in the seal or in `reportHash`, not here.
    agent_modification_detected: bool,
}

impl Authenticity {
    /// Returns everything except the hash, which is computed over the rest.
    pub(super) fn new(report: &Report, plan_digest: Digest) -> Self {
        let host = &report.run.host;
        Self {
            execution_id: report.run.execution.clone(),
            generator_version: generator(report),
            platform: host.platform.clone(),
            architecture: host.architecture.clone(),
            node_version: (),
            process_id: host.process_id,
            signature_algorithm: "SHA-256",
            plan_digest,
            report_hash: None,
            tamper_detection: "sealed",
            signed: report.run.run_context.signer.is_some(),
            self_asserted: report.run.run_context.signer.is_none(),
            agent_modification_detected: false,
        }
    }
}

/// Returns the program that ran the task, which may be another one than the program that judges it again.
pub(super) fn generator(report: &Report) -> String {
    format!("Referee {}", report.run.host.version)
}
