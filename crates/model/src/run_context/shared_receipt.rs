//! Receipts of orders: earlier runs by workers that may answer whoever asks the same later (design, "Fleet").

use serde::{Deserialize, Serialize};

use crate::id::{Digest, ExecutionId};
use crate::time::Timestamp;

/// What became of the receipt of an order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum SharedReceipt {
    /// The earlier run answered; no worker ran the checks for this run.
    Taken {
        /// The run on the worker.
        execution_id: ExecutionId,
        /// When it began, by the clock of the worker.
        started: Timestamp,
        /// When it ended, by the clock of the worker.
        ended: Timestamp,
        /// The key that signed it: SHA-256 of the public key, as SPKI.
        signer: Digest,
    },
    /// A worker ran the checks.
    NotTaken {
        /// Why the receipt did not answer, as the end of a sentence.
        reason: String,
    },
}

impl SharedReceipt {
    /// Returns what became of it, as a sentence.
    pub fn sentence(&self) -> String {
        match self {
            Self::Taken { execution_id, ended, signer, .. } => format!(
                "answered by an earlier run of the same order: {execution_id} ended at {ended}, signed by {signer}; nothing ran \
                 for this one"
            ),
            Self::NotTaken { reason } => format!("no earlier run of the same order answers: {reason}"),
        }
    }
}
