//! A run in CI beside the attestation that came along from elsewhere. `judge::comparison` holds one against the other.

use serde::{Deserialize, Serialize};

use crate::gate::CheckStanding;
use crate::id::{ActionId, Digest, ExecutionId, TaskId};
use crate::time::Timestamp;
use crate::verdict::{Decision, Exit};

/// What is compared of one run of a task, whoever made it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunFacts {
    /// The task.
    #[serde(skip)]
    pub task: TaskId,
    /// The run.
    #[serde(rename = "executionId")]
    pub execution: ExecutionId,
    /// How it came out.
    pub decision: Decision,
    /// Whether something was left out.
    pub reduced: bool,
    /// The inputs that it saw from its beginning to its end. None: that is not known, or they changed meanwhile.
    #[serde(rename = "treeDigest")]
    pub tree: Option<Digest>,
    /// SHA-256 of the specification's file.
    #[serde(rename = "specificationDigest")]
    pub specification: Digest,
    /// Digest of the plan without the places where it was run. None: the plan did not come along.
    #[serde(skip)]
    pub plan: Option<Digest>,
    /// The checks that are known, in plan order.
    #[serde(skip)]
    pub checks: Vec<CheckFact>,
    /// When it was over.
    #[serde(rename = "endedAt")]
    pub ended: Timestamp,
    /// Where it was read: a directory of evidence, or a file of statements.
    pub place: String,
}

/// One check of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckFact {
    /// The action.
    pub action: ActionId,
    /// Its name, where it is known.
    pub name: String,
    /// How it stood.
    pub standing: CheckStanding,
}

/// What came along of one task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Brought {
    /// Nothing.
    Nothing,
    /// Something that is as it was sealed.
    Run {
        /// What it says.
        facts: RunFacts,
        /// Who says it.
        provenance: Provenance,
        /// Why it is believed, or is not; one sentence.
        reason: String,
    },
    /// Something that cannot be verified.
    Unverifiable {
        /// Where it lies.
        place: String,
        /// Why not.
        reasons: Vec<String>,
    },
    /// Something that was changed after it was sealed or signed.
    Tampered {
        /// Where it lies.
        place: String,
        /// What shows it.
        reasons: Vec<String>,
    },
}

/// Who says what an attestation says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Provenance {
    /// Somebody whose key is believed here.
    Trusted,
    /// Whoever holds a key that nobody here knows.
    UnknownKey,
    /// Whoever could write the files: it is unsigned.
    SelfAsserted,
}

/// What is asked of attestations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Demand {
    /// Whether each task must have one of this very tree and specification.
    pub required: bool,
    /// Whether somebody named what is to be compared, or whose signature is asked for: then what cannot be verified blocks.
    pub named: bool,
}

/// How what came along stands to what ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Agreement {
    /// Decision and checks came out alike.
    Agrees,
    /// They did not.
    Differs,
    /// It is of another tree, so nothing was compared.
    OtherTree,
    /// It is of another specification or plan, so nothing was compared.
    OtherSpecification,
    /// It cannot be verified, so nothing was compared.
    Unverifiable,
    /// It was changed, so nothing was compared.
    Tampered,
    /// Nothing came along.
    Missing,
}

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    /// An attestation was changed after it was sealed or signed.
    Tampered,
    /// It says PASS, and the run here says something else.
    PassedOnlyThere,
    /// A check passed there, and fails here.
    CheckPassedOnlyThere,
    /// It says no PASS, and the run here does.
    PassedOnlyHere,
    /// A check did not pass there, and does here.
    CheckPassedOnlyHere,
    /// It cannot be verified.
    Unverifiable,
    /// It is of another tree.
    Stale,
    /// It is of another specification or plan.
    OtherSpecification,
    /// There is none.
    Missing,
    /// It left something out.
    Reduced,
}

/// Something that was found in a comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// What.
    pub kind: FindingKind,
    /// Whether it stands against a pass.
    pub blocking: bool,
    /// The task.
    #[serde(rename = "taskId")]
    pub task: TaskId,
    /// The check that it is about. None: the task as a whole.
    #[serde(rename = "actionId")]
    pub check: Option<ActionId>,
    /// What is so, in one sentence.
    pub message: String,
}

/// One task: what ran here, what came along, and how the two stand to one another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskComparison {
    /// What ran here.
    pub here: RunFacts,
    /// What came along.
    pub there: Brought,
    /// How the two stand to one another.
    pub agreement: Agreement,
}

/// What a run in CI comes to, attestations considered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// The run's decision, or a worse one where a finding blocks. Never a better one.
    pub decision: Decision,
    /// What a program exits with.
    pub exit: Exit,
    /// The tasks, in the order in which they ran.
    pub tasks: Vec<TaskComparison>,
    /// What was found, what blocks first.
    pub findings: Vec<Finding>,
}
