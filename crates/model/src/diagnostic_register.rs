//! `.registers/diagnostics.json`: the diagnostics of all runs below an evidence root (seed 4, ruling 22), and what
//! `referee diagnostics --format json` prints of them.
//!
//! The register follows from sealed runs and is no evidence: no verdict looks at it, and one that is lost or forged costs
//! memory, not truth. It is read as if somebody had changed it.

use std::collections::BTreeSet;

use crate::diagnostic_log::{DiagnosticRegister, RegisteredDiagnostic, RegisteredRun};
use crate::id::ExecutionId;
use crate::limit::{DIAGNOSTICS_REGISTERED, REGISTERED_RUNS};
use serde::Serialize;

use crate::document::{DocumentError, Kind};
use crate::number::Count;

const KIND: Kind =
    Kind { name: "diagnostics.json", key: "diagnosticsRegisterVersion", version: DiagnosticRegister::VERSION };

/// The version of a list.
const LIST_VERSION: &str = "1.0.0";

/// What is listed.
#[derive(Debug, Clone, Copy)]
pub struct Listing<'a> {
    /// Whether there is a register at all.
    pub is_registered: bool,
    /// The last run of each task.
    pub latest: &'a [&'a RegisteredRun],
    /// The run after which what is listed was first seen, or cleared. None: all of it.
    pub since: Option<&'a ExecutionId>,
    /// What stands, gravest first.
    pub standing: &'a [&'a RegisteredDiagnostic],
    /// What was cleared, the last first.
    pub cleared: &'a [&'a RegisteredDiagnostic],
    /// How many of each are listed at most.
    pub top: usize,
}

/// The diagnostics that were asked for.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(title = "Referee list of diagnostics", deny_unknown_fields))]
pub struct ListDocument {
    /// Version of this format.
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Version"))]
    diagnostics_list_version: &'static str,
    /// Whether there is a register. False: nothing was run yet, or nothing is remembered.
    registered: bool,
    /// The last run of each task that is spoken of.
    latest_runs: Vec<RegisteredRun>,
    /// The run after which what is listed was first seen, or cleared. Null: all of it.
    since: Option<ExecutionId>,
    /// How many stand, listed or not.
    standing: Count,
    /// How many were cleared, listed or not.
    cleared: Count,
    /// Those that stand, gravest first.
    diagnostics: Vec<RegisteredDiagnostic>,
    /// Those that were cleared, the last first.
    cleared_diagnostics: Vec<RegisteredDiagnostic>,
}

/// Returns what is listed as a document.
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

/// Reads a register.
///
/// # Errors
/// Fails for bytes that are none, for a version that is not known, and for one that no program of this version writes: too
/// much in it, or a diagnostic or run twice.
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
