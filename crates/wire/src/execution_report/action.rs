//! One action, executed or skipped.

use std::path::Path;

use referee_model::debt::{DebtCategory, DebtGeneration};
use referee_model::id::ActionId;
use referee_model::outcome::{AgentAction, Judgement, Outcome};
use referee_model::plan::{Action, Phase, Plan, Work};
use referee_model::record::{Facts, Log, Record, SkipReason};
use referee_model::report::{ActionReport, Course, Ran, Report};
use referee_model::severity::Severity;
use schemars::JsonSchema;
use serde::Serialize;

use crate::diagnostics::ReaderDocument;
use crate::evidence_name;
use crate::form;
use crate::number::Count;
use crate::record::{self, NoticeDocument};
use crate::skip_reason::{self, SkipReasonDocument};

use super::classification::Classification;
use super::result::ResultDocument;

/// An action that ran. What does not apply is left out.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub(super) struct ActionDocument {
    #[schemars(with = "form::ActionId")]
    action_id: ActionId,
    #[serde(rename = "type")]
    kind: ActionType,
    #[schemars(with = "form::Outcome")]
    status: Outcome,
    /// Whether it stands against a pass.
    blocking: bool,
    #[schemars(with = "form::Severity")]
    severity: Severity,
    /// The check's name.
    description: String,
    /// Milliseconds.
    duration: Count,
    attempts: u32,
    /// The file to look at first, relative to the workspace where it lies below it.
    evidence: String,
    /// All files of the action.
    evidence_files: EvidenceFiles,
    result: ResultDocument,
    classification: Classification,
    #[serde(skip_serializing_if = "Option::is_none")]
    impact: Option<Impact>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_action: Option<AgentActionDocument>,
    debt_generation: DebtDocument,
    /// What was noticed beside the facts.
    notices: Vec<NoticeDocument>,
    /// The reader of its output.
    #[serde(skip_serializing_if = "Option::is_none")]
    reader: Option<ReaderDocument>,
    /// What a person should know of the reading itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reading_notes: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum ActionType {
    TerminalCommand,
    FileValidation,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
struct EvidenceFiles {
    /// The output.
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<String>,
    /// The facts.
    record: String,
    /// What was found in the output.
    #[serde(skip_serializing_if = "Option::is_none")]
    diagnostics: Option<String>,
    /// The test results that were read from the output.
    #[serde(skip_serializing_if = "Option::is_none")]
    test_results: Option<String>,
}

/// What a failed prerequisite kept from running.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
struct Impact {
    subsequent_steps_skipped: Count,
    test_execution_aborted: bool,
    reason: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
struct AgentActionDocument {
    /// Whether the task cannot pass without it.
    required: bool,
    #[schemars(with = "form::AgentAction")]
    action: AgentAction,
    message: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
struct DebtDocument {
    should_generate: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<form::DebtCategory>")]
    category: Option<DebtCategory>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<form::Severity>")]
    severity: Option<Severity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    suggested_fix: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    specific_file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    specific_line: Option<u32>,
}

/// An action that never ran: it has no outcome (ruling 7).
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub(super) struct Skipped {
    #[schemars(with = "form::ActionId")]
    action_id: ActionId,
    #[schemars(with = "form::Phase")]
    phase: Phase,
    #[serde(rename = "type")]
    kind: ActionType,
    /// The check's name.
    description: String,
    reason: SkipReasonDocument,
    /// The reason as a sentence.
    message: String,
}

impl ActionDocument {
    pub(super) fn new(report: &Report, action: &Action, ran: &Ran) -> Self {
        let files = EvidenceFiles::new(&report.plan, action, ran);
        let judgement = &ran.judgement;
        Self {
            action_id: action.id.clone(),
            kind: (&action.work).into(),
            status: judgement.outcome,
            blocking: judgement.blocking,
            severity: judgement.severity,
            description: action.name.clone(),
            duration: ran.record.duration_ms.into(),
            attempts: ran.record.attempt,
            evidence: files.log.as_ref().unwrap_or(&files.record).clone(),
            evidence_files: files,
            result: ResultDocument::new(ran),
            classification: Classification::new(action, ran),
            impact: (judgement.outcome == Outcome::PrerequisiteFailure).then(|| Impact::new(report, action)),
            agent_action: agent_action(&ran.judgement),
            debt_generation: (&judgement.debt).into(),
            notices: record::notices(&ran.record),
            reader: ran.reading.reader.as_ref().map(ReaderDocument::from),
            reading_notes: ran.reading.notes.clone(),
        }
    }
}

impl Skipped {
    pub(super) fn new(report: &ActionReport) -> Option<Self> {
        let Course::Skipped(reason) = &report.course else { return None };
        let action = &report.action;
        Some(Self {
            action_id: action.id.clone(),
            phase: action.phase,
            kind: (&action.work).into(),
            description: action.name.clone(),
            reason: reason.into(),
            message: skip_reason::sentence(reason),
        })
    }
}

impl From<&Work> for ActionType {
    fn from(work: &Work) -> Self {
        match work {
            Work::Command(_) => Self::TerminalCommand,
            Work::File(_) => Self::FileValidation,
        }
    }
}

impl EvidenceFiles {
    fn new(plan: &Plan, action: &Action, ran: &Ran) -> Self {
        let path = |name: String| shown(plan, &name);
        let reading = &ran.reading;
        Self {
            log: log(&ran.record).map(|log| path(log.file.clone())),
            record: path(evidence_name::record(action, ran.record.attempt)),
            diagnostics: (reading.counts.total() > 0).then(|| path(evidence_name::diagnostics(&action.id))),
            test_results: reading.tests.as_ref().map(|_| path(evidence_name::test_results(&action.id))),
        }
    }
}

/// Returns where a file of the task lies: relative to the workspace where it is below it. The texts of both folders are
/// compared, as they stand in the plan's document, so that a replay shows the same.
fn shown(plan: &Plan, name: &str) -> String {
    let (workspace, root) = (plan.workspace.to_string_lossy(), plan.evidence_root.to_string_lossy());
    let folder = match Path::new(&*root).strip_prefix(&*workspace) {
        Ok(below) => below.join(plan.task.as_str()),
        Err(_) => Path::new(&*root).join(plan.task.as_str()),
    };
    folder.join(name).to_string_lossy().into_owned()
}

fn log(record: &Record) -> Option<&Log> {
    match &record.facts {
        Facts::Command(facts) => facts.log.as_ref(),
        Facts::File(_) => None,
    }
}

impl Impact {
    fn new(report: &Report, action: &Action) -> Self {
        let because_of_it = Course::Skipped(SkipReason::PrerequisiteFailed(action.id.clone()));
        let steps = report.actions.iter().filter(|report| report.action.phase == Phase::Step);
        let skipped = steps.filter(|report| report.course == because_of_it).count();
        let reason = match skipped {
            0 => format!("No step was skipped because {} does not hold.", action.id),
            1 => format!("1 step was skipped because {} does not hold.", action.id),
            _ => format!("{skipped} steps were skipped because {} does not hold.", action.id),
        };
        Self { subsequent_steps_skipped: Count::of(skipped), test_execution_aborted: skipped > 0, reason }
    }
}

/// Returns what is to be done about one action, where something is.
fn agent_action(judgement: &Judgement) -> Option<AgentActionDocument> {
    judgement.remedy.map(|action| AgentActionDocument {
        required: judgement.blocking,
        action,
        message: if judgement.advice.is_empty() { judgement.reason.clone() } else { judgement.advice.clone() },
    })
}

impl From<&DebtGeneration> for DebtDocument {
    fn from(debt: &DebtGeneration) -> Self {
        match debt {
            DebtGeneration::Item { category, severity, title, reason, suggested_fix, file, line } => Self {
                should_generate: true,
                category: Some(*category),
                severity: Some(*severity),
                title: Some(title.clone()),
                reason: reason.clone(),
                suggested_fix: Some(suggested_fix.clone()),
                specific_file: file.clone(),
                specific_line: *line,
            },
            DebtGeneration::None { reason } => Self {
                should_generate: false,
                category: None,
                severity: None,
                title: None,
                reason: reason.clone(),
                suggested_fix: None,
                specific_file: None,
                specific_line: None,
            },
        }
    }
}
