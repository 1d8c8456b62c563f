//! Result of the evaluator program (seed 4; VF-10 and VF-11).

use referee_model::plan::Evaluator;
use referee_model::report::Report;
use referee_model::verdict::{Evaluation, EvaluatorStatus, Next};

use super::evidence::shown;
use referee_model::evidence_name;

/// Result of the evaluator program, which can only make the decision worse.
#[document(nulls)]
#[derive(Default)]
pub(super) struct EvaluatorDocument {
    /// Status that the evaluator gives the run. Null: it was not asked, or gave no valid answer.
    status: Option<EvaluatorStatus>,
    /// Reason for the status, in the evaluator's words.
    summary: Option<String>,
    /// Further remarks of the evaluator.
    notes: Vec<String>,
    /// Who should act next, in the evaluator's opinion.
    next: Option<Next>,
    /// Whether the evaluator's status was better than the rules allow, so that the rules prevailed.
    overridden: bool,
    /// Why the evaluator gave no valid answer: an internal fault, never a pass. Null: it gave one, or was not
    /// asked.
    fault: Option<String>,
    /// Why the evaluator was not asked. Null: it was.
    not_asked: Option<String>,
    /// Record of the evaluator's run. Null: it was not asked, or left none.
    record: Option<String>,
}

impl EvaluatorDocument {
    /// Returns the evaluator's result. None: the specification names no evaluator.
    pub(super) fn new(report: &Report) -> Option<Self> {
        let evaluated = report.verdict.evaluator.as_ref()?;
        let nothing = Self { overridden: evaluated.overridden, ..Self::default() };
        let planned = report.plan.evaluator.as_ref().map(Evaluator::action);
        let record = planned.map(|action| shown(&report.plan, &evidence_name::record(&action, 1)));
        Some(match &evaluated.evaluation {
            Evaluation::NotAsked { reason } => Self { not_asked: Some(reason.clone()), ..nothing },
            Evaluation::Fault { reason } => Self { fault: Some(reason.clone()), record, ..nothing },
            Evaluation::Said(answer) => Self {
                status: Some(answer.status),
                summary: Some(answer.summary.clone()),
                notes: answer.notes.clone(),
                next: Some(answer.next),
                record,
                ..nothing
            },
        })
    }
}
