//! A CI run compared with an attestation of a run elsewhere; `judge::comparison` compares them.

use serde::{Deserialize, Serialize};

use crate::gate::CheckStanding;
use crate::id::{ActionId, Digest, ExecutionId, TaskId};
use crate::time::Timestamp;
use crate::verdict::{Decision, Exit};

/// The facts of one run of a task that are compared, wherever it ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunFacts {
    /// Id of the task.
    #[serde(skip)]
    pub task: TaskId,
    /// Id of the run.
    #[serde(rename = "executionId")]
    pub execution: ExecutionId,
    /// Decision of the run.
    pub decision: Decision,
    /// Whether the run left checks out.
    pub reduced: bool,
    /// Digest of the input files, unchanged from the start to the end of the run. None: not known, or the files
    /// changed during the run.
    #[serde(rename = "treeDigest")]
    pub tree: Option<Digest>,
    /// SHA-256 of the specification file.
    #[serde(rename = "specificationDigest")]
    pub specification: Digest,
    /// Digest of the plan without the paths of the machine it ran on. None: the plan is not part of the attestation.
    #[serde(skip)]
    pub plan: Option<Digest>,
    /// The known checks, in plan order.
    #[serde(skip)]
    pub checks: Vec<CheckFact>,
    /// Time at which the run ended.
    #[serde(rename = "endedAt")]
    pub ended: Timestamp,
    /// Where the facts were read: an evidence directory, or a file of attestation statements.
    pub place: String,
}

/// The standing of one check of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckFact {
    /// Id of the action.
    pub action: ActionId,
    /// Name of the action, where known.
    pub name: String,
    /// Standing of the check.
    pub standing: CheckStanding,
}

/// The attestation supplied for a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Brought {
    /// No attestation was supplied.
    Nothing,
    /// An attestation that is unchanged since it was sealed.
    Run {
        /// The facts it states.
        facts: RunFacts,
        /// Who vouches for it.
        provenance: Provenance,
        /// Reason why it is trusted or not, in one sentence.
        reason: String,
    },
    /// An attestation that cannot be verified.
    Unverifiable {
        /// Path of the attestation.
        place: String,
        /// Reasons why it cannot be verified.
        reasons: Vec<String>,
    },
    /// An attestation that was changed after it was sealed or signed.
    Tampered {
        /// Path of the attestation.
        place: String,
        /// The detected changes.
        reasons: Vec<String>,
    },
}

/// Who vouches for an attestation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Provenance {
    /// Signed by a key that is trusted here.
    Trusted,
    /// Signed by a key that is unknown here.
    UnknownKey,
    /// Unsigned: anyone with write access could have made it.
    SelfAsserted,
}

/// Requirements on attestations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Demand {
    /// Whether every task needs an attestation of this exact tree and specification.
    pub required: bool,
    /// Whether the user named the attestation or a required signer: then a missing or unverifiable one blocks.
    pub named: bool,
}

/// Result of comparing an attestation with the run here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Agreement {
    /// The decision and all checks match.
    Agrees,
    /// The decision or a check differs.
    Differs,
    /// The attestation is of another tree; not compared.
    OtherTree,
    /// The attestation is of another specification or plan; not compared.
    OtherSpecification,
    /// The attestation cannot be verified; not compared.
    Unverifiable,
    /// The attestation was changed; not compared.
    Tampered,
    /// No attestation was supplied.
    Missing,
}

/// Kind of finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    /// An attestation was changed after it was sealed or signed.
    Tampered,
    /// The attestation states PASS, and the run here does not pass.
    PassedOnlyThere,
    /// A check passed in the attestation and does not pass here.
    CheckPassedOnlyThere,
    /// The attestation does not state PASS, and the run here passes.
    PassedOnlyHere,
    /// A check did not pass in the attestation and passes here.
    CheckPassedOnlyHere,
    /// The attestation cannot be verified.
    Unverifiable,
    /// The attestation is of another tree.
    Stale,
    /// The attestation is of another specification or plan.
    OtherSpecification,
    /// There is no attestation.
    Missing,
    /// The attested run left checks out.
    Reduced,
}

/// A finding of a comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// Kind of the finding.
    pub kind: FindingKind,
    /// Whether the finding prevents a pass.
    pub blocking: bool,
    /// Id of the task.
    #[serde(rename = "taskId")]
    pub task: TaskId,
    /// Id of the check concerned. None: the finding concerns the task as a whole.
    #[serde(rename = "actionId")]
    pub check: Option<ActionId>,
    /// The fact, in one sentence.
    pub message: String,
}

/// The comparison of one task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskComparison {
    /// The run here.
    pub here: RunFacts,
    /// The supplied attestation.
    pub there: Brought,
    /// Result of comparing the two.
    pub agreement: Agreement,
}

/// The result of a CI run with attestations considered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// The run's decision, or a worse one where a finding blocks; never a better one.
    pub decision: Decision,
    /// Exit code category of the program.
    pub exit: Exit,
    /// The tasks, in execution order.
    pub tasks: Vec<TaskComparison>,
    /// The findings, blocking ones first.
    pub findings: Vec<Finding>,
}
