//! The published JSON Schemas (draft 2020-12), derived from the very types that write and read the documents.

use referee_ledger::attestation::verdict::VerdictPredicate;
use referee_ledger::locks;
use referee_model::build_error::BuildError;
use referee_model::document::Kind;
use referee_model::event::journal::EventDocument;
use referee_model::handback::HandbackDocument;
use referee_model::incident::IncidentDocument;
use referee_model::incident::attempt::AttemptDocument;
use referee_model::incident::handoff::HandoffDocument;
use referee_model::incident::planner::{PlannerAnswer, PlannerQuestion};
use referee_model::incident::remediation::RemediationPlan;
use referee_model::lock::Lock;
use referee_model::schema::Version;
use referee_model::stage::result::WfResultDocument;
use referee_model::verification_policy::VerificationPolicy;
use referee_report::diagnostics::DiagnosticsDocument;
use referee_report::execution_report::ReportDocument;
use referee_report::gate::gate_document::GateDocument;
use referee_report::status::StatusDocument;
use referee_report::suite_report::SuiteReportDocument;
use referee_report::technical_debt::TechnicalDebtDocument;
use referee_report::test_results::TestResultsDocument;
use referee_spec::form;
use referee_spec::workflow::keys;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;

/// Makes the schema of this name. None: no type is published under it.
pub(crate) fn made(name: &str) -> Option<Value> {
    let schema = match name {
        "specification" => return Some(form::schema()),
        "specification-2.0.0" => return Some(form::full_schema()),
        "wf" => return Some(keys::schema()),
        "stage-config" => return Some(keys::stage_schema()),
        "handback" => of::<HandbackDocument>(),
        "wf-result" => of::<WfResultDocument>(),
        "execution-report" => of::<ReportDocument<'_>>(),
        "suite-report" => of::<SuiteReportDocument>(),
        "build-error" => of::<BuildError>(),
        "technical-debt" => of::<TechnicalDebtDocument<'_>>(),
        "diagnostics" => of::<DiagnosticsDocument<'_>>(),
        "test-results" => of::<TestResultsDocument>(),
        "incident" => of::<IncidentDocument>(),
        "remediation-plan" => of::<RemediationPlan>(),
        "planner-question" => of::<PlannerQuestion<'_>>(),
        "planner-answer" => read::<PlannerAnswer>(),
        "handoff" => of::<HandoffDocument>(),
        "incident-attempt" => of::<AttemptDocument>(),
        "gate" => of::<GateDocument<'_>>(),
        "event" => of::<EventDocument<'_>>(),
        "lock" => versioned::<Lock>(&locks::lock_document::KIND),
        "status" => of::<StatusDocument<'_>>(),
        "attestation-verdict" => of::<VerdictPredicate>(),
        "verification-policy" => read::<VerificationPolicy>(),
        _ => return None,
    };
    Some(identified(schema, name))
}

/// Derives the schema of what is written: every key that is always written is required.
fn of<Document: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<Document>()
}

/// Derives the schema of a value that its kind writes behind a version.
fn versioned<Document: JsonSchema>(kind: &Kind) -> Schema {
    let mut schema = of::<Document>();
    let mut version = Version::json_schema(&mut SchemaGenerator::default());
    version.insert("description".to_owned(), "Version of this format.".into());
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.insert(kind.key.to_owned(), version.into());
    }
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.insert(0, kind.key.into());
    }
    schema
}

/// Derives the schema of what others write: what may be left out is not required.
fn read<Document: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Document>()
}

/// Says where a schema is published. The number is the major version of the documents that it describes.
fn identified(mut schema: Schema, name: &str) -> Value {
    let major = if name == "execution-report" { 2 } else { 1 };
    schema.insert("$id".to_owned(), format!("https://referee.dev/schema/{name}/{major}.json").into());
    schema.into()
}
