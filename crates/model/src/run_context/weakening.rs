//! Ways in which a change can weaken a specification (design, "Lock"; attacks, rows 5, 13 and 14).

use serde::{Deserialize, Serialize};

macro_rules! kinds {
    ($($(#[doc = $doc:literal])* $name:ident = $word:literal, blocks: $blocks:literal,)*) => {
        /// Way in which a specification became weaker.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum WeakeningKind {
            $($(#[doc = $doc])* #[serde(rename = $word)] $name,)*
        }

        impl WeakeningKind {
            /// All kinds.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// Returns the kind as documents spell it.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)*
                }
            }

            /// Returns whether the weakening lowers the requirements of the gate, and thus blocks unless it is
            /// waived. Other kinds are only reported, and may be harmless.
            pub fn blocks(self) -> bool {
                match self {
                    $(Self::$name => $blocks,)*
                }
            }
        }
    };
}

kinds! {
    /// A task was removed.
    TaskRemoved = "task-removed", blocks: true,
    /// A check was removed.
    CheckRemoved = "check-removed", blocks: true,
    /// A check became a cleanup, whose failure does not affect the decision (ruling 8).
    CheckDemoted = "check-demoted", blocks: true,
    /// A check does something else: it inspects a file instead of running a command, or requests another page.
    CheckReplaced = "check-replaced", blocks: true,
    /// A command covers less than before.
    CommandNarrowed = "command-narrowed", blocks: true,
    /// A command runs another program.
    CommandReplaced = "command-replaced", blocks: true,
    /// A command changed, but nothing shows that it covers less.
    CommandChanged = "command-changed", blocks: false,
    /// A failure is masked: `|| true`, `; exit 0`, a pipe (ruling 4).
    FailureMasked = "failure-masked", blocks: true,
    /// The declared role of a command changed to one that is judged less strictly (ruling 9).
    RoleLowered = "role-lowered", blocks: true,
    /// The declared role of a command changed to one that may be judged less strictly.
    RoleChanged = "role-changed", blocks: false,
    /// The default profile runs less (ruling 17).
    ProfileLowered = "profile-lowered", blocks: true,
    /// The timeout of a check was raised.
    TimeoutRaised = "timeout-raised", blocks: true,
    /// The number of retries of a check was raised.
    RetriesRaised = "retries-raised", blocks: true,
    /// An additional exit code counts as success.
    ExitCodeAccepted = "exit-code-accepted", blocks: true,
    /// A test run without tests is accepted.
    NoTestsAccepted = "no-tests-accepted", blocks: true,
    /// A test run may pass by its exit code alone, without a summary of the runner (ruling 9).
    SummaryNotRequired = "summary-not-required", blocks: true,
    /// A check was added whose tests may pass by their exit code alone.
    CheckByExitCodeAdded = "check-by-exit-code-added", blocks: false,
    /// A test is no longer expected to exist.
    ExpectedTestRemoved = "expected-test-removed", blocks: true,
    /// A failure is expected, or all tests are expected to fail (ruling 12).
    FailureExpected = "failure-expected", blocks: true,
    /// Fewer findings of a tool block.
    StrategyLoosened = "strategy-loosened", blocks: true,
    /// Findings of a tool never block.
    ToolDisabled = "tool-disabled", blocks: true,
    /// Findings of an additional rule are ignored.
    RuleIgnored = "rule-ignored", blocks: true,
    /// Warnings of a rule no longer count as errors.
    RuleNoError = "rule-no-error", blocks: true,
    /// More warnings are allowed.
    WarningsAllowed = "warnings-allowed", blocks: true,
    /// Warnings no longer count as errors.
    WarningsNoErrors = "warnings-no-errors", blocks: true,
    /// Findings that only a type checker's strict mode raises are ignored.
    StrictnessOff = "strictness-off", blocks: true,
    /// A pass after a failed attempt no longer blocks (ruling 13).
    FlakyAllowed = "flaky-allowed", blocks: true,
    /// A condition or an expected output was removed.
    CriterionRemoved = "criterion-removed", blocks: true,
    /// The task is complete with fewer requirements met.
    CompletionLoosened = "completion-loosened", blocks: true,
    /// A kind of evidence need no longer be collected.
    RequiredEvidenceRemoved = "required-evidence-removed", blocks: true,
    /// The task's status may be changed without a judged run.
    StatusLockOff = "status-lock-off", blocks: true,
    /// The evaluator was removed.
    EvaluatorRemoved = "evaluator-removed", blocks: true,
    /// The evaluator changed.
    EvaluatorChanged = "evaluator-changed", blocks: true,
    /// Failures, or some severities of failure, are no longer recorded as debt. No verdict depends on this.
    DebtOff = "debt-off", blocks: false,
    /// The expectation for a file is weaker.
    FileLoosened = "file-loosened", blocks: true,
    /// The expectation for a response is weaker.
    AnswerLoosened = "answer-loosened", blocks: true,
    /// The readiness of a service, or its identity with the started process, is checked less strictly.
    ServiceLoosened = "service-loosened", blocks: true,
    /// TLS certificates are no longer verified, or another authority is trusted.
    TlsLoosened = "tls-loosened", blocks: true,
    /// A variable that makes programs load code or changes their behavior was set or changed.
    EnvironmentInjected = "environment-injected", blocks: true,
    /// Another variable was set, changed or removed.
    EnvironmentChanged = "environment-changed", blocks: false,
    /// Some output is no longer kept as evidence.
    EvidenceOff = "evidence-off", blocks: true,
    /// Paths are relative to another directory.
    WorkspaceChanged = "workspace-changed", blocks: true,
    /// A file is no longer protected, or is protected less strictly.
    ProtectionLowered = "protection-lowered", blocks: true,
    /// More files are excluded from the inputs.
    OutputsWidened = "outputs-widened", blocks: true,
    /// Suppressions that a change adds are treated less strictly.
    SuppressionsAllowed = "suppressions-allowed", blocks: true,
    /// Tests of a change that pass without the change are treated less strictly.
    ProbeLowered = "probe-lowered", blocks: true,
    /// Dependencies are installed differently.
    SetupChanged = "setup-changed", blocks: true,
    /// The pin of a program was removed or changed.
    PinRemoved = "pin-removed", blocks: true,
    /// A limit on the resources of commands was raised.
    LimitRaised = "limit-raised", blocks: true,
}
