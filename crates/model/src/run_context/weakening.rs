//! Ways in which a change can weaken a specification (design, "Lock"; attacks, rows 5, 13 and 14).

use serde::{Deserialize, Serialize};

document_words! {
    /// Way in which a specification became weaker.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum WeakeningKind {
        /// A task was removed.
        TaskRemoved = "task-removed",
        /// A check was removed.
        CheckRemoved = "check-removed",
        /// A check became a cleanup, whose failure does not affect the decision (ruling 8).
        CheckDemoted = "check-demoted",
        /// A check does something else: it inspects a file instead of running a command, or requests another page.
        CheckReplaced = "check-replaced",
        /// A command covers less than before.
        CommandNarrowed = "command-narrowed",
        /// A command runs another program.
        CommandReplaced = "command-replaced",
        /// A command changed, but nothing shows that it covers less.
        CommandChanged = "command-changed",
        /// A failure is masked: `|| true`, `; exit 0`, a pipe (ruling 4).
        FailureMasked = "failure-masked",
        /// The declared role of a command changed to one that is judged less strictly (ruling 9).
        RoleLowered = "role-lowered",
        /// The declared role of a command changed to one that may be judged less strictly.
        RoleChanged = "role-changed",
        /// The default profile runs less (ruling 17).
        ProfileLowered = "profile-lowered",
        /// The timeout of a check was raised.
        TimeoutRaised = "timeout-raised",
        /// The number of retries of a check was raised.
        RetriesRaised = "retries-raised",
        /// An additional exit code counts as success.
        ExitCodeAccepted = "exit-code-accepted",
        /// A test run without tests is accepted.
        NoTestsAccepted = "no-tests-accepted",
        /// A test run may pass by its exit code alone, without a summary of the runner (ruling 9).
        SummaryNotRequired = "summary-not-required",
        /// A check was added whose tests may pass by their exit code alone.
        CheckByExitCodeAdded = "check-by-exit-code-added",
        /// A test is no longer expected to exist.
        ExpectedTestRemoved = "expected-test-removed",
        /// A failure is expected, or all tests are expected to fail (ruling 12).
        FailureExpected = "failure-expected",
        /// Fewer findings of a tool block.
        StrategyLoosened = "strategy-loosened",
        /// Findings of a tool never block.
        ToolDisabled = "tool-disabled",
        /// Findings of an additional rule are ignored.
        RuleIgnored = "rule-ignored",
        /// Warnings of a rule no longer count as errors.
        RuleNoError = "rule-no-error",
        /// More warnings are allowed.
        WarningsAllowed = "warnings-allowed",
        /// Warnings no longer count as errors.
        WarningsNoErrors = "warnings-no-errors",
        /// Findings that only a type checker's strict mode raises are ignored.
        StrictnessOff = "strictness-off",
        /// A pass after a failed attempt no longer blocks (ruling 13).
        FlakyAllowed = "flaky-allowed",
        /// A condition or an expected output was removed.
        CriterionRemoved = "criterion-removed",
        /// The task is complete with fewer requirements met.
        CompletionLoosened = "completion-loosened",
        /// A kind of evidence need no longer be collected.
        RequiredEvidenceRemoved = "required-evidence-removed",
        /// The task's status may be changed without a judged run.
        StatusLockOff = "status-lock-off",
        /// The evaluator was removed.
        EvaluatorRemoved = "evaluator-removed",
        /// The evaluator changed.
        EvaluatorChanged = "evaluator-changed",
        /// Failures, or some severities of failure, are no longer recorded as debt. No verdict depends on this.
        DebtOff = "debt-off",
        /// The expectation for a file is weaker.
        FileLoosened = "file-loosened",
        /// The expectation for a response is weaker.
        AnswerLoosened = "answer-loosened",
        /// The readiness of a service, or its identity with the started process, is checked less strictly.
        ServiceLoosened = "service-loosened",
        /// TLS certificates are no longer verified, or another authority is trusted.
        TlsLoosened = "tls-loosened",
        /// A variable that makes programs load code or changes their behavior was set or changed.
        EnvironmentInjected = "environment-injected",
        /// Another variable was set, changed or removed.
        EnvironmentChanged = "environment-changed",
        /// Some output is no longer kept as evidence.
        EvidenceOff = "evidence-off",
        /// Paths are relative to another directory.
        WorkspaceChanged = "workspace-changed",
        /// A file is no longer protected, or is protected less strictly.
        ProtectionLowered = "protection-lowered",
        /// More files are excluded from the inputs.
        OutputsWidened = "outputs-widened",
        /// Suppressions that a change adds are treated less strictly.
        SuppressionsAllowed = "suppressions-allowed",
        /// Tests of a change that pass without the change are treated less strictly.
        ProbeLowered = "probe-lowered",
        /// Dependencies are installed differently.
        SetupChanged = "setup-changed",
        /// The pin of a program was removed or changed.
        PinRemoved = "pin-removed",
        /// A limit on the resources of commands was raised.
        LimitRaised = "limit-raised",
    }
}

impl WeakeningKind {
    /// Returns whether the weakening lowers the requirements of the gate, and thus blocks unless it is
    /// waived. Other kinds are only reported, and may be harmless.
    pub fn blocks(self) -> bool {
        !matches!(
            self,
            Self::CommandChanged
                | Self::RoleChanged
                | Self::CheckByExitCodeAdded
                | Self::DebtOff
                | Self::EnvironmentChanged
        )
    }
}
