//! `referee selftest --format json`: what came of each fault that was made on purpose.

use serde::Serialize;

use referee_model::document::Kind;

const KIND: Kind = Kind { name: "the report of a selftest", key: "selftestVersion", version: "1.0.0" };

/// What came of all faults, as a document.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SelftestDocument {
    selftest_version: &'static str,
    program_version: String,
    /// Whether every fault that could be staged was answered as it must be.
    holds: bool,
    /// In the order in which they were made.
    faults: Vec<FaultDocument>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FaultDocument {
    pub name: String,
    pub fault: String,
    /// What must hold.
    pub must: String,
    pub state: FaultState,
    /// What was seen instead, or why it could not be staged. Null: it holds.
    pub found: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultState {
    /// What must hold does.
    Holds,
    Fails,
    /// This machine cannot stage it: nothing is said.
    NotPossible,
}

/// Returns what came of all faults as a document.
pub fn document(program_version: &str, faults: Vec<FaultDocument>) -> SelftestDocument {
    SelftestDocument {
        selftest_version: KIND.version,
        program_version: program_version.to_owned(),
        holds: faults.iter().all(|fault| fault.state != FaultState::Fails),
        faults,
    }
}
