//! `.registers/diagnostics.json`: the diagnostics of all runs below an evidence root (seed 4, ruling 22), and the
//! list of them that `referee diagnostics --format json` prints.
//!
//! The register is derived from sealed runs and is not evidence: no verdict depends on it, and a lost or forged
//! register costs history, not correctness. It is parsed as untrusted input.

use std::collections::BTreeSet;

use crate::diagnostic_log::{DiagnosticRegister, RegisteredDiagnostic, RegisteredRun};
use crate::id::ExecutionId;
use crate::limit::{DIAGNOSTICS_REGISTERED, REGISTERED_RUNS};
use serde::Serialize;

use crate::document::{DocumentError, Kind};
use crate::number::Count;

const KIND: Kind =
    Kind { name: "diagnostics.json", key: "diagnosticsRegisterVersion", version: DiagnosticRegister::VERSION };

/// Version of the list format.
const LIST_VERSION: &str = "1.0.0";

/// The content of a list of diagnostics.
#[derive(Debug, Clone, Copy)]
pub struct Listing<'a> {
    /// Whether a register exists.
    pub is_registered: bool,
    /// The last run of each task.
    pub latest: &'a [&'a RegisteredRun],
    /// The run after which the listed diagnostics were first seen or cleared. None: no such restriction.
    pub since: Option<&'a ExecutionId>,
    /// The current diagnostics, most severe first.
    pub standing: &'a [&'a RegisteredDiagnostic],
    /// The cleared diagnostics, most recent first.
    pub cleared: &'a [&'a RegisteredDiagnostic],
    /// Maximum number of entries in each of the two lists.
    pub top: usize,
}

/// A list of diagnostics.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(title = "Referee list of diagnostics", deny_unknown_fields))]
pub struct ListDocument {
    /// Version of this format.
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Version"))]
    diagnostics_list_version: &'static str,
    /// Whether a register exists. False: nothing has run yet, or no history is kept.
    registered: bool,
    /// The last run of each listed task.
    latest_runs: Vec<RegisteredRun>,
    /// The run after which the listed diagnostics were first seen or cleared. Null: no such restriction.
    since: Option<ExecutionId>,
    /// Number of current diagnostics, including unlisted ones.
    standing: Count,
    /// Number of cleared diagnostics, including unlisted ones.
    cleared: Count,
    /// The current diagnostics, most severe first.
    diagnostics: Vec<RegisteredDiagnostic>,
    /// The cleared diagnostics, most recent first.
    cleared_diagnostics: Vec<RegisteredDiagnostic>,
}

/// Converts a listing to its document.
pub fn list(listing: &Listing<'_>) -> ListDocument {
    let listed = |all: &[&RegisteredDiagnostic]| all.iter().take(listing.top).copied().cloned().collect();
    ListDocument {
        diagnostics_list_version: LIST_VERSION,
        registered: listing.is_registered,
        latest_runs: listing.latest.iter().copied().cloned().collect(),
        since: listing.since.cloned(),
        standing: Count::of(listing.standing.len()),
        cleared: Count::of(listing.cleared.len()),
        diagnostics: listed(listing.standing),
        cleared_diagnostics: listed(listing.cleared),
    }
}

/// Parses a register.
///
/// # Errors
/// Fails for bytes that are not a register, for an unknown version, and for content that no program of this
/// version writes: too many entries, or a diagnostic or run twice.
pub fn read(bytes: &[u8]) -> Result<DiagnosticRegister, DocumentError> {
    let register: DiagnosticRegister = KIND.read(bytes)?;
    if register.entries.len() > DIAGNOSTICS_REGISTERED {
        return Err(KIND.content(format!("it holds more than {DIAGNOSTICS_REGISTERED} diagnostics")));
    }
    let mut tasks = BTreeSet::new();
    let mut runs = BTreeSet::new();
    for run in &register.runs {
        tasks.insert(&run.task);
        if !runs.insert((&run.task, &run.execution)) {
            return Err(KIND.content(format!("{} of {} appears twice", run.execution, run.task)));
        }
    }
    if register.runs.len() > REGISTERED_RUNS.saturating_add(tasks.len()) {
        return Err(KIND.content(format!("it holds more than {REGISTERED_RUNS} runs and the last one of each task")));
    }
    let mut known = BTreeSet::new();
    for entry in &register.entries {
        if !known.insert((&entry.task, entry.entry.fingerprint)) {
            return Err(KIND.content(format!("{} of {} appears twice", entry.entry.fingerprint, entry.task)));
        }
        if entry.runs == 0 || entry.count < entry.runs {
            return Err(KIND.content(format!("{} was seen less often than in every run", entry.entry.fingerprint)));
        }
    }
    Ok(register)
}
