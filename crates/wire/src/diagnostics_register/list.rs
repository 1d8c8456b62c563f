//! What of the register is asked for.

use referee_model::diagnostic_log::{RegisteredDiagnostic, RegisteredRun};
use referee_model::id::ExecutionId;
use schemars::JsonSchema;
use serde::Serialize;

use crate::form;
use crate::number::Count;

use super::{RegisteredDocument, RunDocument};

/// The version that is written.
const VERSION: &str = "1.0.0";

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
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(title = "Referee list of diagnostics", deny_unknown_fields)]
pub struct ListDocument {
    /// Version of this format.
    #[schemars(with = "form::Version")]
    diagnostics_list_version: &'static str,
    /// Whether there is a register. False: nothing was run yet, or nothing is remembered.
    registered: bool,
    /// The last run of each task that is spoken of.
    latest_runs: Vec<RunDocument>,
    /// The run after which what is listed was first seen, or cleared. Null: all of it.
    #[schemars(with = "Option<form::ExecutionId>")]
    since: Option<ExecutionId>,
    /// How many stand, listed or not.
    standing: Count,
    /// How many were cleared, listed or not.
    cleared: Count,
    /// Those that stand, gravest first.
    diagnostics: Vec<RegisteredDocument>,
    /// Those that were cleared, the last first.
    cleared_diagnostics: Vec<RegisteredDocument>,
}

/// Returns what is listed as a document.
pub fn list(listing: &Listing<'_>) -> ListDocument {
    let listed = |all: &[&RegisteredDiagnostic]| all.iter().take(listing.top).map(|known| (*known).into()).collect();
    ListDocument {
        diagnostics_list_version: VERSION,
        registered: listing.is_registered,
        latest_runs: listing.latest.iter().map(|run| (*run).into()).collect(),
        since: listing.since.cloned(),
        standing: Count::of(listing.standing.len()),
        cleared: Count::of(listing.cleared.len()),
        diagnostics: listed(listing.standing),
        cleared_diagnostics: listed(listing.cleared),
    }
}
