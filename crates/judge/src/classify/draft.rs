//! A judgement in the making: what the rules of one kind of work say, before the phase has its word.

use referee_model::outcome::{Outcome, PolicyApplied, Rule};
use referee_model::reading::TestCounts;
use referee_model::severity::Severity;

/// A judgement in the making.
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
    pub(super) causes: Vec<String>,
    pub(super) advice: String,
    pub(super) notes: Vec<String>,
}

impl Draft {
    pub(super) fn success(rule: Rule, reason: impl Into<String>) -> Self {
        Self::new(Outcome::Success, rule, reason, false, Severity::None)
    }

    /// A tool that did not work blocks under every policy (ruling 9).
    pub(super) fn execution_error(rule: Rule, reason: impl Into<String>) -> Self {
        Self::new(Outcome::ExecutionError, rule, reason, true, Severity::High)
    }

    pub(super) fn timeout(reason: impl Into<String>) -> Self {
        Self::new(Outcome::Timeout, Rule::Deadline, reason, true, Severity::Medium)
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
            causes: Vec::new(),
            advice: String::new(),
            notes: Vec::new(),
        }
    }

    pub(super) fn under(mut self, policy: Option<PolicyApplied>) -> Self {
        self.policy = policy;
        self
    }

    pub(super) fn because_of(mut self, causes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.causes.extend(causes.into_iter().map(Into::into));
        self
    }

    pub(super) fn advise(mut self, advice: impl Into<String>) -> Self {
        self.advice = advice.into();
        self
    }

    pub(super) fn note(mut self, note: Option<String>) -> Self {
        self.notes.extend(note);
        self
    }
}
