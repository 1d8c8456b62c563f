//! The document of `referee selftest --format json`: the result of each staged fault.

use serde::Serialize;

use referee_model::document::Kind;

const KIND: Kind = Kind { name: "the report of a selftest", key: "selftestVersion", version: "1.0.0" };

/// Results of all staged faults.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SelftestDocument {
    selftest_version: &'static str,
    program_version: String,
    /// Whether Referee answered every fault that could be staged as it must.
    holds: bool,
    /// Faults, in the order in which they were staged.
    faults: Vec<FaultDocument>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FaultDocument {
    pub name: String,
    pub fault: String,
    /// Required behavior under the fault.
    pub must: String,
    pub state: FaultState,
    /// Observed behavior, or why the fault could not be staged. Null: the behavior was as required.
    pub found: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultState {
    /// The behavior was as required.
    Holds,
    Fails,
    /// The fault cannot be staged on this machine, so nothing is known.
    NotPossible,
}

pub fn document(program_version: &str, faults: Vec<FaultDocument>) -> SelftestDocument {
    SelftestDocument {
        selftest_version: KIND.version,
        program_version: program_version.to_owned(),
        holds: faults.iter().all(|fault| fault.state != FaultState::Fails),
        faults,
    }
}
