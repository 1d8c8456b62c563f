//! `diagnostics.json` of an incident: what was judged of its failure, gravest first, in the order of the report that it was
//! captured from. A list, in the spelling of the other files of an incident.

use referee_model::diagnostic_log::{DiagnosticEntry, DiagnosticSource};
use referee_model::fingerprint::Fingerprint;
use referee_model::id::ActionId;
use referee_model::limit;
use referee_model::reading::Level;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document::{self, DocumentError};
use crate::form;
use crate::incident::DIAGNOSTICS;

/// The diagnostics of an incident.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(title = "Referee diagnostics of an incident")]
pub struct IncidentDiagnosticsDocument(pub Vec<IncidentDiagnosticDocument>);

/// A judged diagnostic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IncidentDiagnosticDocument {
    /// How bad it is.
    #[schemars(with = "form::Level")]
    pub severity: Level,
    /// Whether it stands against a pass.
    pub blocking: bool,
    /// Where it comes from: a test run or request, a linter or formatter, a compiler or type checker, or any other action.
    #[schemars(with = "form::DiagnosticSource")]
    pub source: DiagnosticSource,
    /// The action that showed it.
    #[schemars(with = "form::ActionId")]
    pub action_id: ActionId,
    /// The action's name.
    pub step: String,
    /// What ran, as one line.
    pub command: String,
    /// The tool that said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Relative to the workspace where it lies in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// For a failed test the file under test: the innermost frame in the project that is no test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_under_test: Option<String>,
    /// 1-based.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// 1-based.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// Code or rule; for a failed test its name, for an action itself the rule that decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// What it says.
    pub message: String,
    /// How often the run showed it.
    pub occurrences: u64,
    /// What makes it the same one in another run.
    #[schemars(with = "form::Fingerprint")]
    pub fingerprint: Fingerprint,
}

/// Lays the diagnostics of an incident out, with their texts as `redact` leaves them: the gravest, as many as are kept.
///
/// # Errors
/// Fails only for what JSON cannot hold.
pub fn render(entries: &[DiagnosticEntry], redact: &dyn Fn(&str) -> String) -> Result<Vec<u8>, serde_json::Error> {
    let kept = entries.iter().take(limit::INCIDENT_DIAGNOSTICS);
    document::to_bytes(&IncidentDiagnosticsDocument::of(kept, redact))
}

impl IncidentDiagnosticsDocument {
    /// Lays diagnostics out, with their texts as `redact` leaves them.
    pub fn of<'entry>(
        entries: impl IntoIterator<Item = &'entry DiagnosticEntry>,
        redact: &dyn Fn(&str) -> String,
    ) -> Self {
        Self(entries.into_iter().map(|entry| one(entry, redact)).collect())
    }
}

/// Reads the diagnostics of an incident.
///
/// # Errors
/// Fails for bytes that are none.
pub fn read(bytes: &[u8]) -> Result<IncidentDiagnosticsDocument, DocumentError> {
    serde_json::from_slice(bytes).map_err(|source| DocumentError::Shape { document: DIAGNOSTICS, source })
}

fn one(entry: &DiagnosticEntry, redact: &dyn Fn(&str) -> String) -> IncidentDiagnosticDocument {
    let text = |text: &Option<String>| text.as_deref().map(redact);
    IncidentDiagnosticDocument {
        severity: entry.severity,
        blocking: entry.blocking,
        source: entry.source,
        action_id: entry.action.clone(),
        step: redact(&entry.action_name),
        command: redact(&entry.command),
        tool: text(&entry.tool),
        file: text(&entry.file),
        file_under_test: text(&entry.under_test),
        line: entry.line,
        column: entry.column,
        code: text(&entry.code),
        message: redact(&entry.message),
        occurrences: entry.occurrences,
        fingerprint: entry.fingerprint,
    }
}
