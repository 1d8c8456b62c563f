//! The JSON Schemas of all documents (draft 2020-12), derived from the very types that write and read them.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::Value;

use crate::agent_result::AgentResultDocument;
use crate::agent_run::{AgentRunDocument, IterationDocument};
use crate::baseline::BaselineDocument;
use crate::build_error::BuildErrorDocument;
use crate::debt_register::RegisterDocument as DebtRegisterDocument;
use crate::debt_standing::StandingDocument;
use crate::diagnostics::DiagnosticsDocument;
use crate::diagnostics_register::{ListDocument, RegisterDocument as DiagnosticsRegisterDocument};
use crate::event::EventDocument;
use crate::execution_report::ReportDocument;
use crate::explanation::ExplanationDocument;
use crate::initial::InitialDocument;
use crate::parse::{ParseDocument, ParseLine, ParsedInputsDocument};
use crate::plan::PlanDocument;
use crate::record::RecordDocument;
use crate::run::RunDocument;
use crate::seal::Seal;
use crate::specification;
use crate::suite_report::SuiteReportDocument;
use crate::technical_debt::TechnicalDebtDocument;
use crate::test_results::TestResultsDocument;
use crate::verification_report::VerificationReportDocument;

const NAMES: &[&str] = &[
    "specification",
    "specification-2.0.0",
    "execution-report",
    "suite-report",
    "technical-debt",
    "debt-standing",
    "debt-register",
    "plan",
    "record",
    "run",
    "event",
    "diagnostics",
    "diagnostics-register",
    "diagnostics-list",
    "test-results",
    "parse",
    "parse-results",
    "parse-line",
    "build-error",
    "agent-result",
    "verification-report",
    "agent-run",
    "agent-iteration",
    "explanation",
    "seal",
    "baseline",
    "initial",
];

/// Returns the names of all schemas.
pub fn names() -> &'static [&'static str] {
    NAMES
}

/// Returns the schema of this name.
pub fn schema(name: &str) -> Option<Value> {
    let schema = match name {
        "specification" => return Some(specification::schema()),
        "specification-2.0.0" => return Some(specification::full_schema()),
        "execution-report" => of::<ReportDocument>(),
        "suite-report" => of::<SuiteReportDocument>(),
        "technical-debt" => of::<TechnicalDebtDocument>(),
        "debt-standing" => of::<StandingDocument>(),
        "debt-register" => of::<DebtRegisterDocument>(),
        "plan" => of::<PlanDocument>(),
        "record" => of::<RecordDocument>(),
        "run" => of::<RunDocument>(),
        "event" => of::<EventDocument>(),
        "diagnostics" => of::<DiagnosticsDocument>(),
        "diagnostics-register" => of::<DiagnosticsRegisterDocument>(),
        "diagnostics-list" => of::<ListDocument>(),
        "test-results" => of::<TestResultsDocument>(),
        "parse" => of::<ParseDocument>(),
        "parse-results" => of::<ParsedInputsDocument>(),
        "parse-line" => of::<ParseLine>(),
        "build-error" => of::<BuildErrorDocument>(),
        "agent-result" => of::<AgentResultDocument>(),
        "verification-report" => of::<VerificationReportDocument>(),
        "agent-run" => of::<AgentRunDocument>(),
        "agent-iteration" => of::<IterationDocument>(),
        "explanation" => of::<ExplanationDocument>(),
        "seal" => of::<Seal>(),
        "baseline" => of::<BaselineDocument>(),
        "initial" => of::<InitialDocument>(),
        _ => return None,
    };
    Some(identified(schema, name))
}

/// Derives the schema of what is written: every key that is always written is required.
fn of<Document: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<Document>()
}

/// Says where a schema is published. The number is the major version of the documents that it describes.
fn identified(mut schema: Schema, name: &str) -> Value {
    let major = if name == "execution-report" { 2 } else { 1 };
    schema.insert("$id".to_owned(), format!("https://referee.dev/schema/{name}/{major}.json").into());
    schema.into()
}
