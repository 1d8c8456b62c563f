//! The document of `referee explain --format json`: why an action, a task or a rule has its result, and what a word means.
//!
//! Outcome, numbers and policy of an action are the very object of `execution-report.json`, so that an explanation
//! cannot contradict the report.

use referee_model::explanation::{ActionExplanation, TaskExplanation};
use referee_model::id::{ExecutionId, TaskId};
use referee_model::outcome::{AgentAction, Rule};
use referee_model::report::Report;
use referee_model::verdict::{Decision, Next, OverallStatus};
use serde::Serialize;

use crate::execution_report::{ActionDocument, SkippedDocument, action_document, skipped_document};
use referee_model::document::Kind;

const KIND: Kind = Kind { name: "explanation", key: "explanationVersion", version: "1.1.0" };

/// A word with a meaning of its own, whatever ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Term {
    /// What the word is, such as an exit code.
    pub kind: TermKind,
    pub id: String,
    pub meaning: String,
}

referee_model::words! {
    /// What a word is.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum TermKind {
        /// Outcome of an action.
        Outcome = "outcome",
        /// Decision on a task.
        Decision = "decision",
        /// Exit code of a command, by number and by name.
        ExitCode = "exit code",
        /// Problem of a specification or of a workflow.
        SpecificationProblem = "problem of a specification",
        /// Type of a structured error.
        ErrorType = "type of a structured error",
        /// Class of an incident's failure.
        FailureClass = "class of a failure",
        /// Error code of a stage's handback.
        HandbackCode = "code of a handback",
        /// Topic of `referee help`; its meaning is the whole text.
        Topic = "help topic",
    }
}

/// Explanation of an action, a task, a rule or a word.
#[document(unpublished)]
pub struct ExplanationDocument<'report> {
    explanation_version: &'static str,
    about: About,
    /// Run that is explained. Left out for a rule.
    run: Option<RunDocument<'report>>,
    action: Option<ActionExplained<'report>>,
    task: Option<TaskExplained<'report>>,
    /// Rule that is explained, or that decided the outcome of the action.
    rule: Option<RuleDocument>,
    /// Meanings of the word that is explained.
    #[serde(skip_serializing_if = "<[Term]>::is_empty")]
    terms: &'report [Term],
    /// Notes to consider before relying on the explanation.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'report [String],
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum About {
    Action,
    Task,
    Rule,
    Term,
}

#[document(unpublished)]
struct RunDocument<'report> {
    task_id: &'report TaskId,
    execution_id: &'report ExecutionId,
    decision: Decision,
    overall_status: OverallStatus,
    next: Next,
    agent_action: AgentAction,
}

#[document(unpublished)]
struct RuleDocument {
    id: &'static str,
    meaning: &'static str,
}

#[document(unpublished)]
struct ActionExplained<'report> {
    #[serde(flatten)]
    explained: &'report ActionExplanation,
    /// Action as it appears in the report. Left out where it never ran.
    result: Option<ActionDocument<'report>>,
    /// Why the action never ran, as it appears in the report.
    skipped: Option<SkippedDocument>,
}

#[document(unpublished)]
struct TaskExplained<'report> {
    reasons: &'report [String],
    #[serde(flatten)]
    explained: &'report TaskExplanation,
}

pub fn of_action<'report>(
    report: &'report Report,
    explained: &'report ActionExplanation,
    notes: &'report [String],
) -> ExplanationDocument<'report> {
    let found = report.actions.iter().find(|found| found.action.id == explained.action);
    ExplanationDocument {
        rule: explained.rule.map(RuleDocument::from),
        action: Some(ActionExplained {
            explained,
            result: found.and_then(|found| action_document(report, found)),
            skipped: found.and_then(|found| skipped_document(report, found)),
        }),
        ..about(About::Action, Some(report), notes)
    }
}

pub fn of_task<'report>(
    report: &'report Report,
    explained: &'report TaskExplanation,
    notes: &'report [String],
) -> ExplanationDocument<'report> {
    ExplanationDocument {
        task: Some(TaskExplained { reasons: &report.verdict.reasons, explained }),
        ..about(About::Task, Some(report), notes)
    }
}

pub fn of_rule(rule: Rule) -> ExplanationDocument<'static> {
    ExplanationDocument { rule: Some(rule.into()), ..about(About::Rule, None, &[]) }
}

pub fn of_terms(terms: &[Term]) -> ExplanationDocument<'_> {
    ExplanationDocument { terms, ..about(About::Term, None, &[]) }
}

fn about<'report>(
    about: About,
    report: Option<&'report Report>,
    notes: &'report [String],
) -> ExplanationDocument<'report> {
    let run = report.map(|report| RunDocument {
        task_id: &report.plan.task,
        execution_id: &report.run.execution,
        decision: report.verdict.decision,
        overall_status: report.verdict.overall,
        next: report.verdict.next,
        agent_action: report.verdict.agent_action,
    });
    let (action, task, rule) = (None, None, None);
    ExplanationDocument { explanation_version: KIND.version, about, run, action, task, rule, terms: &[], notes }
}

impl From<Rule> for RuleDocument {
    fn from(rule: Rule) -> Self {
        Self { id: rule.as_str(), meaning: rule.meaning() }
    }
}
