//! The JSON Schemas of all documents (draft 2020-12), derived from the very types that write and read them.

use referee_model::build_error::BuildError;
use referee_model::debt::DebtStanding;
use referee_model::diagnostic_log::{DiagnosticRegister, Finding};
use referee_model::incident::remediation::RemediationPlan;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::Value;

use crate::action_log::ActionLogDocument;
use crate::agent_result::AgentResultDocument;
use crate::agent_run::{AgentRunDocument, AgentRunListDocument, IterationDocument};
use crate::api::ServingDocument;
use crate::approval::{ApprovalPayload, ApprovalRecordDocument};
use crate::attempt::{AttemptDocument, GivenTurnDocument, LoopFileDocument, RunResultDocument};
use crate::attestation::test_result::TestResultPredicate;
use crate::attestation::verdict::VerdictPredicate;
use crate::comparison::ComparisonDocument;
use crate::debt_register::{DebtListDocument, RegisterDocument as DebtRegisterDocument};
use crate::diagnostics::DiagnosticsDocument;
use crate::diagnostics_register::ListDocument;
use crate::doctor::DoctorDocument;
use crate::enrolment::{EnrolmentDocument, EnrolmentListDocument};
use crate::event::EventDocument;
use crate::evidence_files::EvidenceFilesDocument;
use crate::evidence_list::EvidenceListDocument;
use crate::evidence_verification::EvidenceVerificationDocument;
use crate::execution_report::ReportDocument;
use crate::explanation::ExplanationDocument;
use crate::gate::GateDocument;
use crate::handback::{AcceptDocument, HandbackDocument, HandbackResultDocument};
use crate::handoff::HandoffDocument;
use crate::incident::IncidentDocument;
use crate::incident_archive::ArchiveDocument;
use crate::incident_captured::IncidentCapturesDocument;
use crate::incident_event::EventLine;
use crate::incident_explanation::IncidentExplanationDocument;
use crate::incident_grouping::IncidentGroupingDocument;
use crate::incident_list::IncidentListDocument;
use crate::incident_shown::IncidentShownDocument;
use crate::initial::InitialDocument;
use crate::lock::LockDocument;
use crate::lock_report::{LockCheckDocument, LockExplanationDocument};
use crate::parse::{ParseDocument, ParseLine, ParsedInputsDocument};
use crate::plan::PlanDocument;
use crate::planner::{PlannerAnswer, PlannerQuestion};
use crate::record::RecordDocument;
use crate::run::RunDocument;
use crate::run_list::{RunDetailDocument, RunListDocument};
use crate::seal::Seal;
use crate::selftest_report::SelftestDocument;
use crate::specification;
use crate::stage::checks::StageChecksDocument;
use crate::stage::composed::ComposedDocument;
use crate::stage::deeds::{
    StageAcceptedDocument, StageAnsweredDocument, StageFinalizedDocument, StagePreparedDocument,
};
use crate::stage::error_codes::ErrorCodesDocument;
use crate::stage::handed_back::StageHandbackDocument;
use crate::stage::log::WrittenLine;
use crate::stage::message::MessageDocument;
use crate::stage::parameters::{OutputParametersDocument, ParametersDocument};
use crate::stage::result::WfResultDocument;
use crate::stage::run::WfRunDocument;
use crate::stage::standing::StageStatusDocument;
use crate::stage::workflow;
use crate::status_lock::{StatusDocument, StatusLockDocument, ViolationsDocument};
use crate::suite_report::SuiteReportDocument;
use crate::technical_debt::TechnicalDebtDocument;
use crate::test_results::TestResultsDocument;
use crate::trust::{KeyDocument, TrustDocument};
use crate::verification_policy::VerificationPolicy;
use crate::verification_report::VerificationReportDocument;
use crate::waiver::WaiverPayload;
use crate::waiver_list::WaiverListDocument;

/// Makes the schema of a document.
type Made = fn() -> Schema;

/// The documents, by the names of their schemas; those that are made of a declared shape come before them.
static DOCUMENTS: &[(&str, Made)] = &[
    ("execution-report", of::<ReportDocument>),
    ("suite-report", of::<SuiteReportDocument>),
    ("technical-debt", of::<TechnicalDebtDocument<'_>>),
    ("debt-standing", of::<DebtStanding>),
    ("debt-register", of::<DebtRegisterDocument>),
    ("debt-list", of::<DebtListDocument>),
    ("plan", of::<PlanDocument>),
    ("record", of::<RecordDocument<'_>>),
    ("run", of::<RunDocument>),
    ("event", of::<EventDocument>),
    ("diagnostics", of::<DiagnosticsDocument>),
    ("diagnostics-register", of::<DiagnosticRegister>),
    ("diagnostics-list", of::<ListDocument>),
    ("test-results", of::<TestResultsDocument>),
    ("parse", of::<ParseDocument>),
    ("parse-results", of::<ParsedInputsDocument>),
    ("parse-line", of::<ParseLine>),
    ("build-error", of::<BuildError>),
    ("agent-result", of::<AgentResultDocument>),
    ("verification-report", of::<VerificationReportDocument>),
    ("agent-run", of::<AgentRunDocument>),
    ("agent-iteration", of::<IterationDocument>),
    ("agent-run-list", of::<AgentRunListDocument>),
    ("explanation", of::<ExplanationDocument>),
    ("seal", of::<Seal>),
    ("evidence-list", of::<EvidenceListDocument>),
    ("run-list", of::<RunListDocument>),
    ("run-detail", of::<RunDetailDocument>),
    ("evidence-files", of::<EvidenceFilesDocument>),
    ("action-log", of::<ActionLogDocument>),
    ("evidence-verification", of::<EvidenceVerificationDocument>),
    ("attestation-verdict", of::<VerdictPredicate>),
    ("attestation-test-result", of::<TestResultPredicate>),
    ("trust", of::<TrustDocument>),
    ("key", of::<KeyDocument<'_>>),
    ("lock", of::<LockDocument>),
    ("lock-check", of::<LockCheckDocument>),
    ("lock-explanation", of::<LockExplanationDocument>),
    ("enrolment", of::<EnrolmentDocument>),
    ("enrolment-list", of::<EnrolmentListDocument>),
    ("doctor", of::<DoctorDocument>),
    ("ci-comparison", of::<ComparisonDocument>),
    ("initial", of::<InitialDocument>),
    ("selftest", of::<SelftestDocument>),
    ("task-status-lock", of::<StatusLockDocument>),
    ("status", of::<StatusDocument>),
    ("status-violations", of::<ViolationsDocument>),
    ("verification-policy", read_by::<VerificationPolicy>),
    ("waiver", of::<WaiverPayload>),
    ("waiver-list", of::<WaiverListDocument>),
    ("gate", of::<GateDocument>),
    ("remediation-plan", of::<RemediationPlan>),
    ("planner-question", of::<PlannerQuestion<'_>>),
    ("planner-answer", read_by::<PlannerAnswer>),
    ("incident-archive", of::<ArchiveDocument>),
    ("approval", of::<ApprovalPayload>),
    ("approval-record", of::<ApprovalRecordDocument>),
    ("handoff", of::<HandoffDocument>),
    ("accept", of::<AcceptDocument>),
    ("handback", of::<HandbackDocument>),
    ("handback-result", of::<HandbackResultDocument>),
    ("incident-event", of::<EventLine<'_>>),
    ("incident-attempt", of::<AttemptDocument>),
    ("incident-run-result", of::<RunResultDocument>),
    ("incident-loop-state", of::<LoopFileDocument>),
    ("incident-turn", of::<GivenTurnDocument>),
    ("serving", of::<ServingDocument>),
    ("incident", of::<IncidentDocument>),
    ("incident-list", of::<IncidentListDocument>),
    ("incident-diagnostics", incident_diagnostics),
    ("incident-grouping", of::<IncidentGroupingDocument>),
    ("incident-explanation", of::<IncidentExplanationDocument>),
    ("incident-captures", of::<IncidentCapturesDocument>),
    ("incident-show", of::<IncidentShownDocument>),
    ("wf-run", of::<WfRunDocument>),
    ("wf-log", of::<WrittenLine<'_>>),
    ("wf-result", of::<WfResultDocument>),
    ("output-params", of::<OutputParametersDocument>),
    ("params", of::<ParametersDocument>),
    ("error-codes", of::<ErrorCodesDocument>),
    ("stage-message", of::<MessageDocument>),
    ("stage-status", of::<StageStatusDocument>),
    ("stage-composed", of::<ComposedDocument>),
    ("stage-preflight", of::<StageChecksDocument>),
    ("stage-validation", of::<StageChecksDocument>),
    ("stage-handback", of::<StageHandbackDocument>),
    ("stage-prepared", of::<StagePreparedDocument>),
    ("stage-accepted", of::<StageAcceptedDocument>),
    ("stage-answered", of::<StageAnsweredDocument>),
    ("stage-finalized", of::<StageFinalizedDocument>),
];

/// The schemas that are made of one declared shape, and not of a type.
const DECLARED: [&str; 4] = ["specification", "specification-2.0.0", "wf", "stage-config"];

/// Returns the names of all schemas.
pub fn names() -> impl Iterator<Item = &'static str> {
    DECLARED.into_iter().chain(DOCUMENTS.iter().map(|(name, _)| *name))
}

/// Returns the schema of this name.
pub fn schema(name: &str) -> Option<Value> {
    match name {
        "specification" => Some(specification::schema()),
        "specification-2.0.0" => Some(specification::full_schema()),
        "wf" => Some(workflow::schema()),
        "stage-config" => Some(workflow::stage_schema()),
        name => {
            let (_, made) = DOCUMENTS.iter().find(|(known, _)| *known == name)?;
            Some(identified(made(), name))
        }
    }
}

/// Derives the schema of what is written: every key that is always written is required.
fn of<Document: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<Document>()
}

fn incident_diagnostics() -> Schema {
    let mut schema = of::<Vec<Finding>>();
    schema.insert("title".to_owned(), "Referee diagnostics of an incident".into());
    schema
}

/// Derives the schema of what people write: what may be left out is not required.
fn read_by<Document: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Document>()
}

/// Says where a schema is published. The number is the major version of the documents that it describes.
fn identified(mut schema: Schema, name: &str) -> Value {
    let major = if matches!(name, "execution-report" | "task-status-lock" | "plan" | "record" | "run") { 2 } else { 1 };
    schema.insert("$id".to_owned(), format!("https://referee.dev/schema/{name}/{major}.json").into());
    schema.into()
}
