//! Ways in which a specification can ask for less than it did (design, "Lock"; attacks, rows 5, 13 and 14).

use serde::{Deserialize, Serialize};

macro_rules! kinds {
    ($($(#[doc = $doc:literal])* $name:ident = $word:literal, blocks: $blocks:literal,)*) => {
        /// In which way a specification asks for less.
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

            /// Whether the gate asks for less by it, so that it blocks unless it is waived. What does not is worth
            /// knowing, and may be harmless.
            pub fn blocks(self) -> bool {
                match self {
                    $(Self::$name => $blocks,)*
                }
            }
        }
    };
}

kinds! {
    /// A task is gone.
    TaskRemoved = "task-removed", blocks: true,
    /// A check is gone.
    CheckRemoved = "check-removed", blocks: true,
    /// A check became a cleanup, whose failure turns no decision (ruling 8).
    CheckDemoted = "check-demoted", blocks: true,
    /// A check does something else: a file is looked at where a command ran, another page is asked for.
    CheckReplaced = "check-replaced", blocks: true,
    /// A command looks at less than it did.
    CommandNarrowed = "command-narrowed", blocks: true,
    /// Another program runs.
    CommandReplaced = "command-replaced", blocks: true,
    /// A command is another, and nothing tells that it asks for less.
    CommandChanged = "command-changed", blocks: false,
    /// A failure no longer shows: `|| true`, `; exit 0`, a pipe (ruling 4).
    FailureMasked = "failure-masked", blocks: true,
    /// What a command is for is said to be something that is judged less strictly (ruling 9).
    RoleLowered = "role-lowered", blocks: true,
    /// What a command is for is said to be something else, and that may be judged less strictly.
    RoleChanged = "role-changed", blocks: false,
    /// Less runs where nothing is said at the prompt (ruling 17).
    ProfileLowered = "profile-lowered", blocks: true,
    /// A check may take longer.
    TimeoutRaised = "timeout-raised", blocks: true,
    /// A check is tried again more often.
    RetriesRaised = "retries-raised", blocks: true,
    /// One more exit code counts as success.
    ExitCodeAccepted = "exit-code-accepted", blocks: true,
    /// A run of no test at all is accepted.
    NoTestsAccepted = "no-tests-accepted", blocks: true,
    /// A test run may pass by its exit code alone, without a summary by its runner (ruling 9).
    SummaryNotRequired = "summary-not-required", blocks: true,
    /// A new check is one whose tests may pass by their exit code alone.
    CheckByExitCodeAdded = "check-by-exit-code-added", blocks: false,
    /// A test need not be there any more.
    ExpectedTestRemoved = "expected-test-removed", blocks: true,
    /// A failure is expected, or all tests are expected to fail (ruling 12).
    FailureExpected = "failure-expected", blocks: true,
    /// Less of what a tool finds blocks.
    StrategyLoosened = "strategy-loosened", blocks: true,
    /// What a tool finds never blocks.
    ToolDisabled = "tool-disabled", blocks: true,
    /// Findings of one more rule do not count.
    RuleIgnored = "rule-ignored", blocks: true,
    /// Warnings of a rule no longer count as errors.
    RuleNoError = "rule-no-error", blocks: true,
    /// More warnings are allowed.
    WarningsAllowed = "warnings-allowed", blocks: true,
    /// Warnings no longer count as errors.
    WarningsNoErrors = "warnings-no-errors", blocks: true,
    /// What only a type checker's strictness raises does not count.
    StrictnessOff = "strictness-off", blocks: true,
    /// A pass after a failure no longer blocks (ruling 13).
    FlakyAllowed = "flaky-allowed", blocks: true,
    /// A condition, or an expected output, is no longer asked for.
    CriterionRemoved = "criterion-removed", blocks: true,
    /// Less makes the task complete.
    CompletionLoosened = "completion-loosened", blocks: true,
    /// A kind of evidence need not be collected any more.
    RequiredEvidenceRemoved = "required-evidence-removed", blocks: true,
    /// The task's status may be changed without a judged run.
    StatusLockOff = "status-lock-off", blocks: true,
    /// The evaluator is gone.
    EvaluatorRemoved = "evaluator-removed", blocks: true,
    /// The evaluator is another.
    EvaluatorChanged = "evaluator-changed", blocks: true,
    /// Failures leave no debt, or fewer severities do. No verdict rests on it.
    DebtOff = "debt-off", blocks: false,
    /// Less is expected of a file.
    FileLoosened = "file-loosened", blocks: true,
    /// Less is expected of an answer.
    AnswerLoosened = "answer-loosened", blocks: true,
    /// Less tells that a service is ready, or that it is the service that was started.
    ServiceLoosened = "service-loosened", blocks: true,
    /// Certificates are no longer checked, or another authority is trusted.
    TlsLoosened = "tls-loosened", blocks: true,
    /// A variable that makes programs load code, or change what they do, is set or is another.
    EnvironmentInjected = "environment-injected", blocks: true,
    /// Another variable is set, is another or is gone.
    EnvironmentChanged = "environment-changed", blocks: false,
    /// Something is no longer kept as evidence.
    EvidenceOff = "evidence-off", blocks: true,
    /// Paths start from another directory.
    WorkspaceChanged = "workspace-changed", blocks: true,
    /// A file is no longer protected, or less.
    ProtectionLowered = "protection-lowered", blocks: true,
    /// More files are no inputs.
    OutputsWidened = "outputs-widened", blocks: true,
    /// Suppressions that a change adds matter less.
    SuppressionsAllowed = "suppressions-allowed", blocks: true,
    /// Tests of a change that pass without it matter less.
    ProbeLowered = "probe-lowered", blocks: true,
    /// Dependencies are installed otherwise.
    SetupChanged = "setup-changed", blocks: true,
    /// A program is no longer pinned, or to another file.
    PinRemoved = "pin-removed", blocks: true,
    /// Commands may use more.
    LimitRaised = "limit-raised", blocks: true,
}
