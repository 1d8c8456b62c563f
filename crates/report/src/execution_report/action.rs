//! An action that ran, in the report.

use referee_model::debt::{DebtCategory, DebtGeneration, DebtSummary};
use referee_model::id::ActionId;
use referee_model::outcome::{AgentAction, Judgement, Outcome};
use referee_model::plan::{Action, ActionType, Phase};
use referee_model::reading::ReaderChoice;
use referee_model::record::{Facts, Notice, SkipReason};
use referee_model::report::{ActionHistory, Ran, Report};
use referee_model::severity::Severity;

use referee_model::number::Count;

use super::attempt::{self, AttemptDocument};
use super::classification::Classification;
use super::evidence::EvidenceFiles;
use super::result::ResultDocument;

/// An action that ran. Keys that do not apply are left out.
#[document]
pub(crate) struct ActionDocument<'report> {
    /// Id of the action in the plan, such as `STEP.1`.
    action_id: &'report ActionId,
    /// Type of the action: command, request, or check of a file or a service.
    #[serde(rename = "type")]
    kind: ActionType,
    /// Outcome of the action.
    status: Outcome,
    /// Whether the action keeps the run from passing.
    blocking: bool,
    /// Severity of the outcome; `NONE` for a success.
    severity: Severity,
    /// Name of the check in the specification.
    description: &'report str,
    /// Duration of the last attempt in milliseconds.
    duration: Count,
    /// Number of attempts.
    attempt_count: u32,
    /// Every attempt in order, the last one included. Left out where there was only one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    attempts: Vec<AttemptDocument>,
    /// Whether the action succeeded after a failed attempt. Left out where there was only one attempt.
    flaky: Option<bool>,
    /// File to look at first, relative to the workspace where it lies inside it.
    evidence: String,
    /// All evidence files of the action.
    evidence_files: EvidenceFiles,
    /// Facts observed while the action ran, and results read from its output.
    result: ResultDocument<'report>,
    /// Outcome of the action, with the rule that decided it and the reason.
    classification: Classification<'report>,
    /// Effect on other actions, or on this one. Left out for outcomes that keep nothing from running.
    impact: Option<Impact>,
    /// Task of the agent for this action. Left out where there is none.
    agent_action: Option<AgentActionDocument>,
    /// Whether the outcome leaves an item of technical debt.
    debt_generation: DebtDocument,
    /// Notices about the action, in addition to its facts.
    notices: &'report [Notice],
    /// Reader that read the output.
    reader: Option<&'report ReaderChoice>,
    /// Remarks on how the output was read.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    reading_notes: &'report [String],
}

/// What a failure kept from running: the steps after a prerequisite, or an action that is itself wrongly specified.
#[document]
#[derive(Default)]
struct Impact {
    /// Number of steps skipped because this prerequisite failed. Left out for other outcomes.
    subsequent_steps_skipped: Option<Count>,
    /// Whether any step was skipped because this prerequisite failed. Left out for other outcomes.
    test_execution_aborted: Option<bool>,
    /// Whether the action itself was not executed.
    action_skipped: Option<bool>,
    /// What was kept from running and why, in one sentence.
    reason: String,
}

#[document]
struct AgentActionDocument {
    /// Whether the task cannot pass before this is done.
    required: bool,
    /// Action that the agent is asked to take next.
    action: AgentAction,
    /// What to do, in one sentence; where there is no advice, the reason of the outcome.
    message: String,
}

#[document]
#[derive(Default)]
struct DebtDocument {
    /// Whether the outcome leaves an item of technical debt.
    should_generate: bool,
    /// Category of the item. Left out where there is none.
    category: Option<DebtCategory>,
    /// Severity of the item, equal to that of the outcome. Left out where there is no item.
    severity: Option<Severity>,
    /// Title of the item, one line. Left out where there is none.
    title: Option<String>,
    /// Why the outcome leaves an item of debt, or why it leaves none.
    reason: String,
    /// Suggested fix for the item. Left out where there is none.
    suggested_fix: Option<String>,
    /// First file to look at. Left out where no file is known.
    specific_file: Option<String>,
    /// 1-based line in `specificFile`. Left out where no line is known.
    specific_line: Option<u32>,
}

impl<'report> ActionDocument<'report> {
    pub(super) fn new(report: &'report Report, action: &'report Action, ran: &'report Ran) -> Self {
        let files = EvidenceFiles::new(report, action, ran);
        let judgement = &ran.judgement;
        let is_retried = !ran.earlier.is_empty();
        Self {
            action_id: &action.id,
            kind: action.work.action_type(),
            status: judgement.outcome,
            blocking: judgement.blocking,
            severity: judgement.severity,
            description: &action.name,
            duration: ran.record.span.duration_ms.into(),
            attempt_count: ran.record.attempt,
            attempts: if is_retried { attempt::all(&report.plan, action, ran) } else { Vec::new() },
            flaky: is_retried.then_some(judgement.flaky),
            evidence: files.first().to_owned(),
            evidence_files: files,
            result: ResultDocument::new(report, action, ran),
            classification: Classification::new(&report.plan, action, ran),
            impact: Impact::new(report, action, ran),
            agent_action: agent_action(&ran.judgement),
            debt_generation: (&judgement.debt).into(),
            notices: &ran.record.notices,
            reader: ran.reading.reader.as_ref(),
            reading_notes: &ran.reading.notes,
        }
    }
}

impl Impact {
    /// Returns what an outcome kept from running. None: nothing.
    fn new(report: &Report, action: &Action, ran: &Ran) -> Option<Self> {
        let specification = ran.judgement.cause.unwrap_or(ran.judgement.outcome) == Outcome::SpecificationError;
        let action_skipped = specification.then_some(matches!(ran.record.facts, Facts::NotExecuted));
        match ran.judgement.outcome {
            Outcome::PrerequisiteFailure => Some(Self { action_skipped, ..Self::of_prerequisite(report, action) }),
            _ if specification => Some(Self {
                action_skipped,
                reason: match action_skipped {
                    Some(true) => "It was not executed: what the specification asks for cannot be done.",
                    _ => "What the specification asks for could not be checked.",
                }
                .to_owned(),
                ..Self::default()
            }),
            _ => None,
        }
    }

    fn of_prerequisite(report: &Report, action: &Action) -> Self {
        let because_of_it = ActionHistory::Skipped(SkipReason::PrerequisiteFailed(action.id.clone()));
        let steps = report.actions.iter().filter(|report| report.action.phase == Phase::Step);
        let skipped = steps.filter(|report| report.history == because_of_it).count();
        let reason = match skipped {
            0 => format!("No step was skipped because {} does not hold.", action.id),
            1 => format!("1 step was skipped because {} does not hold.", action.id),
            _ => format!("{skipped} steps were skipped because {} does not hold.", action.id),
        };
        Self {
            subsequent_steps_skipped: Some(Count::of(skipped)),
            test_execution_aborted: Some(skipped > 0),
            reason,
            ..Self::default()
        }
    }
}

/// Returns what the agent is asked to do about one action. None: nothing.
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
            DebtGeneration::Item(DebtSummary { category, severity, title, reason, suggested_fix, file, line }) => {
                Self {
                    should_generate: true,
                    category: Some(*category),
                    severity: Some(*severity),
                    title: Some(title.clone()),
                    reason: reason.clone(),
                    suggested_fix: Some(suggested_fix.clone()),
                    specific_file: file.clone(),
                    specific_line: *line,
                }
            }
            DebtGeneration::None { reason } => Self { reason: reason.clone(), ..Self::default() },
        }
    }
}
