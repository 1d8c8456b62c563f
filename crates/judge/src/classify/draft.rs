//! A judgement in the making: the result of the rules for one kind of work, before the phase is applied.

use referee_model::baseline::BaselineStanding;
use referee_model::debt::DebtCategory;
use referee_model::outcome::{AgentAction, Outcome, PolicyApplied, Rule};
use referee_model::reading::TestCounts;
use referee_model::severity::Severity;

/// Details for a debt item, known to the rules for one kind of work. Missing ones are derived from the outcome.
#[derive(Debug, Clone, Default)]
pub(super) struct Item {
    pub(super) category: Option<DebtCategory>,
    /// Failed part and cause, in the words of a title: `Dev Server`, `Port Already in Use`.
    pub(super) failed: Option<(String, String)>,
    pub(super) title: Option<String>,
    pub(super) fix: Option<String>,
    pub(super) file: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deadline {
    /// The deadline of the action: that the action takes longer may be the expected failure.
    OfAction,
    /// The rest of the deadline of the task, which says nothing about the action.
    OfTask,
}

impl Deadline {
    pub(super) fn told(of_task: bool) -> Self {
        if of_task { Self::OfTask } else { Self::OfAction }
    }

    /// Returns the owner, to be followed by `of 10 s`.
    pub(super) fn whose(self) -> &'static str {
        match self {
            Self::OfAction => "its deadline",
            Self::OfTask => "the rest of the task's time",
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Draft {
    pub(super) outcome: Outcome,
    pub(super) cause: Option<Outcome>,
    pub(super) blocking: bool,
    pub(super) severity: Severity,
    pub(super) rule: Rule,
    pub(super) reason: String,
    pub(super) policy: Option<PolicyApplied>,
    pub(super) exit_code_only: bool,
    pub(super) counted_tests: Option<TestCounts>,
    /// Whether a failure is declared as expected (ruling 12).
    pub(super) expected: bool,
    /// Whether the run was interrupted, which says nothing about the project.
    pub(super) interrupted: bool,
    /// Owner of the deadline that was hit.
    pub(super) deadline: Option<Deadline>,
    /// Whether something other than failed tests could be the cause: a failed build, a suite that cannot be
    /// loaded, a tool that did only part of its work. Never an expected outcome.
    pub(super) may_be_build: bool,
    /// Action for the agent, where the rules know it better than the outcome alone.
    pub(super) remedy: Option<AgentAction>,
    /// Details for the debt item, where the rules know them better than the outcome alone.
    pub(super) item: Item,
    pub(super) causes: Vec<String>,
    pub(super) advice: String,
    pub(super) notes: Vec<String>,
    /// Comparison with the baseline, if it excused something.
    pub(super) baseline: Option<BaselineStanding>,
}

impl Draft {
    pub(super) fn success(rule: Rule, reason: impl Into<String>) -> Self {
        Self::new(Outcome::Success, rule, reason, false, Severity::None)
    }

    /// Returns the draft for a tool that did not work, which blocks under every policy (ruling 9).
    pub(super) fn execution_error(rule: Rule, reason: impl Into<String>) -> Self {
        Self::new(Outcome::ExecutionError, rule, reason, true, Severity::High)
    }

    pub(super) fn timeout(deadline: Deadline, reason: impl Into<String>) -> Self {
        let draft = Self::new(Outcome::Timeout, Rule::Deadline, reason, true, Severity::Medium);
        Self { deadline: Some(deadline), ..draft }
    }

    pub(super) fn test_failure(rule: Rule, reason: impl Into<String>) -> Self {
        Self::new(Outcome::TestFailure, rule, reason, true, Severity::High)
    }

    pub(super) fn validation_failure(
        rule: Rule,
        reason: impl Into<String>,
        blocking: bool,
        severity: Severity,
    ) -> Self {
        Self::new(Outcome::ValidationFailure, rule, reason, blocking, severity)
    }

    /// Returns the draft for a specification that asks for the impossible, which says nothing about the code,
    /// and blocks (ruling 19).
    pub(super) fn specification_error(rule: Rule, reason: impl Into<String>) -> Self {
        Self::new(Outcome::SpecificationError, rule, reason, true, Severity::High)
    }

    fn new(outcome: Outcome, rule: Rule, reason: impl Into<String>, blocking: bool, severity: Severity) -> Self {
        Self {
            outcome,
            cause: None,
            blocking,
            severity,
            rule,
            reason: reason.into(),
            policy: None,
            exit_code_only: false,
            counted_tests: None,
            expected: false,
            interrupted: rule == Rule::Interrupted,
            deadline: None,
            may_be_build: false,
            remedy: None,
            item: Item::default(),
            causes: Vec::new(),
            advice: String::new(),
            notes: Vec::new(),
            baseline: None,
        }
    }

    pub(super) fn under(mut self, policy: Option<PolicyApplied>) -> Self {
        self.policy = policy;
        self
    }

    pub(super) fn standing(mut self, baseline: Option<BaselineStanding>) -> Self {
        self.baseline = baseline;
        self
    }

    pub(super) fn because_of(mut self, causes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.causes.extend(causes.into_iter().map(Into::into));
        self
    }

    pub(super) fn ask(mut self, remedy: AgentAction) -> Self {
        self.remedy = Some(remedy);
        self
    }

    pub(super) fn leaving(mut self, item: Item) -> Self {
        self.item = item;
        self
    }

    pub(super) fn grave(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    pub(super) fn advise(mut self, advice: impl Into<String>) -> Self {
        self.advice = advice.into();
        self
    }

    /// Sets the advice, unless there is one already.
    pub(super) fn advise_if_silent(&mut self, advice: &str) {
        if self.advice.is_empty() {
            advice.clone_into(&mut self.advice);
        }
    }

    pub(super) fn note(mut self, note: Option<String>) -> Self {
        self.notes.extend(note);
        self
    }
}
