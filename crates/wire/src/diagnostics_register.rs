//! `.registers/diagnostics.json`: the diagnostics of all runs below an evidence root (seed 4, ruling 22), and what
//! `referee diagnostics --format json` prints of them.
//!
//! The register follows from sealed runs and is no evidence: no verdict looks at it, and one that is lost or forged costs
//! memory, not truth. It is read as if somebody had changed it.

use std::collections::BTreeSet;

use referee_model::diagnostic_log::{DiagnosticRegister, RegisteredDiagnostic, RegisteredRun, Sighting};
use referee_model::id::{ExecutionId, TaskId};
use referee_model::limit::{DIAGNOSTICS_REGISTERED, REGISTERED_RUNS};
use referee_model::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::canonical::INTEGER_MAX;
use crate::diagnostic_entry::EntryDocument;
use crate::document::{self, DocumentError, Kind};
use crate::form;
use crate::number::Count;

pub use self::list::{ListDocument, Listing, list};

mod list;

const KIND: Kind = Kind { name: "diagnostics.json", key: "diagnosticsRegisterVersion", version: "1.0.0" };

/// All diagnostics of all tasks, as far as they are remembered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(title = "Referee register of diagnostics")]
pub struct RegisterDocument {
    /// Version of this format.
    #[schemars(with = "form::Version")]
    diagnostics_register_version: String,
    /// The runs that were taken in, in that order; the oldest are forgotten beyond 1 000, but never the last of a task.
    runs: Vec<RunDocument>,
    /// How many diagnostics were forgotten because there were more than 10 000: first those that were cleared longest ago,
    /// then those that stand, the least grave first.
    #[schemars(with = "Count")]
    dropped: u64,
    /// By task and fingerprint; each pair stands once.
    diagnostics: Vec<RegisteredDocument>,
}

/// A run that was taken in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RunDocument {
    #[schemars(with = "form::TaskId")]
    task_id: TaskId,
    #[schemars(with = "form::ExecutionId")]
    execution_id: ExecutionId,
    #[schemars(with = "form::Time")]
    ended_at: Timestamp,
    /// Whether it left something out: such a run proves nothing gone.
    reduced: bool,
}

/// A diagnostic over all runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct RegisteredDocument {
    #[schemars(with = "form::TaskId")]
    task_id: TaskId,
    /// As the last run that showed it did.
    diagnostic: EntryDocument,
    /// The run that first showed it.
    first_seen: SightingDocument,
    /// The run that last showed it.
    last_seen: SightingDocument,
    /// How often all runs together showed it.
    #[schemars(with = "Count")]
    count: u64,
    /// How many runs showed it.
    #[schemars(with = "Count")]
    runs: u64,
    /// The run that proved it gone. Null: it stands, as far as is known.
    cleared: Option<SightingDocument>,
}

/// A run, and when it was over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SightingDocument {
    #[schemars(with = "form::ExecutionId")]
    execution_id: ExecutionId,
    #[schemars(with = "form::Time")]
    at: Timestamp,
}

/// Returns the register as a document.
pub fn document(register: &DiagnosticRegister) -> RegisterDocument {
    RegisterDocument {
        diagnostics_register_version: KIND.version.to_owned(),
        runs: register.runs.iter().map(RunDocument::from).collect(),
        dropped: register.dropped.min(INTEGER_MAX),
        diagnostics: register.entries.iter().map(RegisteredDocument::from).collect(),
    }
}

/// Returns the bytes of the register: the same for the same register.
///
/// # Errors
/// Fails only for values that JSON cannot hold.
pub fn render(register: &DiagnosticRegister) -> Result<Vec<u8>, serde_json::Error> {
    document::to_bytes(&document(register))
}

/// Reads a register.
///
/// # Errors
/// Fails for bytes that are none, for a version that is not known, and for one that no program of this version writes: too
/// much in it, or a diagnostic or run twice.
pub fn read(bytes: &[u8]) -> Result<DiagnosticRegister, DocumentError> {
    let document: RegisterDocument = KIND.read(bytes)?;
    if document.diagnostics.len() > DIAGNOSTICS_REGISTERED {
        return Err(KIND.content(format!("it holds more than {DIAGNOSTICS_REGISTERED} diagnostics")));
    }
    let mut tasks = BTreeSet::new();
    let mut runs = BTreeSet::new();
    for run in &document.runs {
        tasks.insert(&run.task_id);
        if !runs.insert((&run.task_id, &run.execution_id)) {
            return Err(KIND.content(format!("{} of {} stands twice", run.execution_id, run.task_id)));
        }
    }
    if document.runs.len() > REGISTERED_RUNS.saturating_add(tasks.len()) {
        return Err(KIND.content(format!("it holds more than {REGISTERED_RUNS} runs and the last one of each task")));
    }
    let entries: Vec<RegisteredDiagnostic> = document.diagnostics.into_iter().map(Into::into).collect();
    let mut known = BTreeSet::new();
    for entry in &entries {
        if !known.insert((&entry.task, entry.entry.fingerprint)) {
            return Err(KIND.content(format!("{} of {} stands twice", entry.entry.fingerprint, entry.task)));
        }
        if entry.runs == 0 || entry.count < entry.runs {
            return Err(KIND.content(format!("{} was seen less often than in every run", entry.entry.fingerprint)));
        }
    }
    let runs = document.runs.into_iter().map(Into::into).collect();
    Ok(DiagnosticRegister { runs, entries, dropped: document.dropped })
}

impl From<&RegisteredRun> for RunDocument {
    fn from(run: &RegisteredRun) -> Self {
        Self {
            task_id: run.task.clone(),
            execution_id: run.sighting.execution.clone(),
            ended_at: run.sighting.at,
            reduced: run.reduced,
        }
    }
}

impl From<RunDocument> for RegisteredRun {
    fn from(run: RunDocument) -> Self {
        let sighting = Sighting { execution: run.execution_id, at: run.ended_at };
        Self { task: run.task_id, sighting, reduced: run.reduced }
    }
}

impl From<&RegisteredDiagnostic> for RegisteredDocument {
    fn from(known: &RegisteredDiagnostic) -> Self {
        Self {
            task_id: known.task.clone(),
            diagnostic: (&known.entry).into(),
            first_seen: (&known.first_seen).into(),
            last_seen: (&known.last_seen).into(),
            count: known.count.min(INTEGER_MAX),
            runs: known.runs.min(INTEGER_MAX),
            cleared: known.cleared.as_ref().map(Into::into),
        }
    }
}

impl From<RegisteredDocument> for RegisteredDiagnostic {
    fn from(document: RegisteredDocument) -> Self {
        Self {
            task: document.task_id,
            entry: document.diagnostic.into(),
            first_seen: document.first_seen.into(),
            last_seen: document.last_seen.into(),
            count: document.count,
            runs: document.runs,
            cleared: document.cleared.map(Into::into),
        }
    }
}

impl From<&Sighting> for SightingDocument {
    fn from(sighting: &Sighting) -> Self {
        Self { execution_id: sighting.execution.clone(), at: sighting.at }
    }
}

impl From<SightingDocument> for Sighting {
    fn from(document: SightingDocument) -> Self {
        Self { execution: document.execution_id, at: document.at }
    }
}
