//! The judged result of an action.

use serde::{Deserialize, Serialize, Serializer};

use crate::baseline::BaselineStanding;
use crate::debt::DebtGeneration;
use crate::id::ActionId;
use crate::plan::{Category, Role, Strategy};
use crate::reading::TestCounts;
use crate::severity::Severity;

pub use crate::taxonomy::Outcome;

/// Next action for the agent (seed 1, "Agent response protocol" and "Error handling coverage").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum AgentAction {
    /// Request that the task be marked complete.
    RequestStatusUpdate,
    /// Fix nothing; request another run.
    RequestRetest,
    /// Fix the specification.
    FixSpecification,
    /// Implement what the failed tests require.
    ImplementFix,
    /// Fix the types.
    FixTypes,
    /// Fix the code reported by the linter or formatter.
    FixCode,
    /// Install the missing tool.
    InstallTool,
    /// Meet the prerequisite (start the server, install dependencies).
    FixPrerequisite,
    /// Make it faster, or increase the time limit.
    OptimizeOrIncreaseTimeout,
}

/// The judgement of an action.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// Id of the action.
    pub action: ActionId,
    /// Outcome of the action.
    pub outcome: Outcome,
    /// For a prerequisite failure, the underlying outcome (ruling 8).
    pub cause: Option<Outcome>,
    /// Whether the action prevents a pass.
    pub blocking: bool,
    /// Severity of the outcome; [`Severity::None`] for a success.
    pub severity: Severity,
    /// Reason for the outcome, in one sentence.
    pub reason: String,
    /// The rule that decided.
    pub rule: Rule,
    /// Role by which the command was judged.
    pub role: Option<Role>,
    /// Canonical name of the tool that ran, where known.
    pub tool: Option<String>,
    /// The policy applied, if findings were weighed.
    pub policy: Option<PolicyApplied>,
    /// Whether the success of a test run rests on the exit code alone, because the number of tests is not known
    /// (ruling 9).
    pub exit_code_only: bool,
    /// Test counts that this judgement relies on: those that the known runner stated, or, for an unknown runner,
    /// those in output that accounts for a non-zero exit code (ruling 9). None: the number of tests is not known,
    /// whatever the output looks like.
    pub counted_tests: Option<TestCounts>,
    /// Possible causes of the outcome.
    pub possible_causes: Vec<String>,
    /// Next step, in one sentence; empty for a success.
    pub advice: String,
    /// Action requested from the agent. None: nothing to do, or the failure is expected.
    pub remedy: Option<AgentAction>,
    /// Whether the specification expects this outcome (ruling 12). An expected outcome never blocks or generates
    /// debt.
    pub expected: bool,
    /// Whether the action succeeded after a failed attempt (ruling 13).
    pub flaky: bool,
    /// The debt item generated, or the reason for generating none.
    pub debt: DebtGeneration,
    /// Comparison with the baseline, if the baseline excused any findings or tests.
    pub baseline: Option<BaselineStanding>,
    /// Ids of the waivers without which the action would block; empty if it would not.
    pub waived: Vec<String>,
    /// Further sentences: notices of the record that concern the outcome.
    pub notes: Vec<String>,
}

/// The policy applied to findings, and its result (ruling 10).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PolicyApplied {
    /// Blocking strategy that was applied to the findings.
    #[serde(serialize_with = "blocking_strategy")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::BlockingStrategy"))]
    pub strategy: Strategy,
    /// Origin of the strategy.
    pub source: PolicySource,
    /// Tool that the policy was applied to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Category of the tool, such as linting or compilation.
    pub category: Category,
    /// Whether the findings block a pass.
    pub blocking: bool,
    /// The deciding option: the last applied option such that the result would differ without it and all later
    /// ones. If there is none, the origin of the strategy.
    pub decided_by: PolicyOption,
    /// Number of findings as read, before any option.
    pub read: FindingCounts,
    /// Effect of each option that is set, in order of application.
    pub steps: Vec<PolicyStep>,
    /// Number of errors that remain after all options.
    #[serde(serialize_with = "crate::serial::exact")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::number::Count"))]
    pub effective_errors: u64,
    /// Number of warnings that remain after all options.
    #[serde(serialize_with = "crate::serial::exact")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::number::Count"))]
    pub effective_warnings: u64,
    /// Number of findings removed by options: the errors and warnings as read are the sum of these, the effective
    /// errors and the effective warnings.
    #[serde(serialize_with = "crate::serial::exact")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::number::Count"))]
    pub ignored: u64,
    /// Maximum number of warnings. Null: no limit.
    #[serde(serialize_with = "crate::serial::exact")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::number::Count>"))]
    pub max_warnings: Option<u64>,
    /// Reason for the result, with the numbers.
    pub reason: String,
}

/// Numbers of errors and warnings. Remarks are never counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FindingCounts {
    /// Number of findings that count as errors.
    #[serde(serialize_with = "crate::serial::exact")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::number::Count"))]
    pub errors: u64,
    /// Number of findings that count as warnings.
    #[serde(serialize_with = "crate::serial::exact")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::number::Count"))]
    pub warnings: u64,
}

/// Effect of one option of a policy on the findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PolicyStep {
    /// Option of the validation policy that was applied in this step.
    pub option: PolicyOption,
    /// Number of findings removed, or of warnings turned into errors.
    #[serde(serialize_with = "crate::serial::exact")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::number::Count"))]
    pub findings: u64,
    /// Numbers of findings that remain after this step.
    pub left: FindingCounts,
}

/// Serializes a strategy with the seed's spelling.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn blocking_strategy<S: Serializer>(strategy: &Strategy, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(strategy.as_str())
}

document_words! {
    /// An option of a validation policy, with the spelling of documents (seed 1, "Configurable validation policies").
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum PolicyOption {
        /// `enabled: false` of the tool: findings are reported and never block.
        Enabled = "enabled",
        /// Removes the findings of the given rules.
        IgnoredRules = "ignoredRules",
        /// Removes findings that are only raised because implicit `any` is forbidden.
        AllowImplicitAny = "allowImplicitAny",
        /// `strictMode: false` removes findings that are only raised by a type checker's strict mode.
        StrictMode = "strictMode",
        /// Turns warnings of the given rules into errors.
        ErrorOnRules = "errorOnRules",
        /// Turns all warnings into errors.
        TreatWarningsAsErrors = "treatWarningsAsErrors",
        /// Turns all findings of the given severities into errors, whatever the tool.
        CriticalSeverities = "criticalSeverities",
        /// Blocks if the number of warnings exceeds a limit.
        MaxWarnings = "maxWarnings",
        /// The strategy of the tool.
        BlockOn = "blockOn",
        /// The strategy of the tool's category.
        Strategy = "strategy",
        /// The table of defaults.
        Default = "default",
    }
}

/// Origin of a strategy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PolicySource {
    /// `blockOn` of the tool.
    Tool,
    /// `strategy` of the category.
    Category,
    /// The table of defaults.
    Default,
    /// The tool is disabled by `enabled: false`.
    Disabled,
}

words_with_meanings! {
    /// A rule of judgement, with its id. A report states the deciding rule of each action.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
    pub enum Rule {
        /// The command could not be started: EXECUTION_ERROR.
        CouldNotStart = "execution/could-not-start",
        /// The command was ended by a signal that Referee did not send: EXECUTION_ERROR.
        Signaled = "execution/signaled",
        /// The output exceeded the limit: EXECUTION_ERROR.
        OutputLimit = "execution/output-limit",
        /// The command exceeded the limit on processes or memory: EXECUTION_ERROR.
        ResourceLimit = "execution/resource-limit",
        /// The command line names a command that does not exist or is not executable (exit code 126 or 127 of a
        /// shell): EXECUTION_ERROR.
        CommandNotFound = "execution/command-not-found",
        /// The recorded facts do not belong to the action, or are incomplete: EXECUTION_ERROR.
        FactsUnusable = "execution/facts-unusable",
        /// The run was interrupted during the action: EXECUTION_ERROR.
        Interrupted = "execution/interrupted",
        /// The time limit was exceeded: TIMEOUT.
        Deadline = "timeout/deadline",
        /// The runner reported failed tests, and its exit code agrees: TEST_FAILURE.
        TestsFailed = "test/failed",
        /// The runner reported failed tests although it exited with 0: TEST_FAILURE.
        TestsFailedExitZero = "test/failed-exit-zero",
        /// All tests passed, but the runner exited with a failure: TEST_FAILURE.
        RunnerFailed = "test/runner-failed",
        /// No test ran: TEST_FAILURE.
        NoTests = "test/none-ran",
        /// The runner exited with its code for failed tests, without a summary: TEST_FAILURE.
        TestsFailedByExitCode = "test/failed-by-exit-code",
        /// The runner exited with a non-zero code without a summary: EXECUTION_ERROR.
        TestRunnerBroken = "test/no-summary",
        /// A known runner exited with 0 without a summary or a report of its own: EXECUTION_ERROR.
        EndedWithoutSummary = "test/ended-without-summary",
        /// The runner's exit code is declared as expected, but tests failed: TEST_FAILURE, expected.
        TestsFailedExpected = "test/failed-expected",
        /// Every failed test is in the baseline: TEST_FAILURE, not blocking.
        TestsFailedKnown = "test/failed-known",
        /// All tests passed: SUCCESS.
        TestsPassed = "test/passed",
        /// The runner exited with 0, and the number of tests is not known, because the runner is unknown, states no
        /// number or needs no summary: SUCCESS by exit code only.
        TestsPassedByExitCode = "test/passed-by-exit-code",
        /// The tool found something: VALIDATION_FAILURE, by policy.
        Findings = "validation/findings",
        /// The tool exited with 0 although it printed errors: VALIDATION_FAILURE.
        FindingsExitZero = "validation/findings-exit-zero",
        /// The tool exited with a non-zero code for findings whose level does not block, and no policy allows that:
        /// VALIDATION_FAILURE.
        FindingsNotForgiven = "validation/exit-not-forgiven",
        /// Every finding that counts is in the baseline: VALIDATION_FAILURE, not blocking.
        FindingsKnown = "validation/findings-known",
        /// The policy ignores the findings: SUCCESS.
        FindingsIgnored = "validation/findings-ignored",
        /// A linter failed because of remarks only, which never count, and the policy allows that: SUCCESS.
        OnlyRemarks = "validation/only-remarks",
        /// The tool exited with a non-zero code, and nothing in its output explains that: EXECUTION_ERROR.
        ToolBroken = "validation/nothing-read",
        /// The tool reported no findings: SUCCESS.
        Clean = "validation/clean",
        /// The exit code is an expected one: SUCCESS.
        ExitExpected = "command/exit-expected",
        /// A command line with several tools failed because of the findings of one: TEST_FAILURE or
        /// VALIDATION_FAILURE, blocking.
        ToolOfLineFailed = "command/tool-failed",
        /// The exit code is not an expected one: EXECUTION_ERROR.
        ExitUnexpected = "command/exit-unexpected",
        /// The file is as expected: SUCCESS.
        FileAsExpected = "file/as-expected",
        /// The file is missing, exists although it must not, or differs: VALIDATION_FAILURE.
        FileDiffers = "file/differs",
        /// The file could not be read: EXECUTION_ERROR.
        FileUnreadable = "file/unreadable",
        /// A pattern matches no file: SPECIFICATION_ERROR.
        GlobEmpty = "file/glob-without-match",
        /// The schema for a file or a response is missing or not a valid schema: SPECIFICATION_ERROR.
        SchemaUnusable = "specification/schema-unusable",
        /// No complete response was received: EXECUTION_ERROR.
        HttpNoAnswer = "http/no-answer",
        /// The status of the response is not an expected one: TEST_FAILURE.
        HttpStatus = "http/status",
        /// The status is an expected one, but the response differs otherwise: TEST_FAILURE.
        HttpAnswerDiffers = "http/answer-differs",
        /// The response is as expected: SUCCESS.
        HttpAsExpected = "http/as-expected",
        /// The database or the browser could not be asked: EXECUTION_ERROR.
        InteractionUnavailable = "interaction/unavailable",
        /// The database or the page refused what was asked: TEST_FAILURE.
        InteractionRefused = "interaction/refused",
        /// The rows are not as expected: TEST_FAILURE.
        InteractionDiffers = "interaction/differs",
        /// The answer of the database or the browser is as expected: SUCCESS.
        InteractionAsExpected = "interaction/as-expected",
        /// The service did not become ready: EXECUTION_ERROR, or TIMEOUT if its time limit was exceeded.
        ServiceNotReady = "service/not-ready",
        /// Another process uses the service's port: EXECUTION_ERROR.
        ServicePortTaken = "service/port-taken",
        /// The service is ready: SUCCESS.
        ServiceReady = "service/ready",
        /// The specification asks for what cannot be done: SPECIFICATION_ERROR.
        NotExecutable = "specification/not-executable",
        /// The action failed as expected: expected.
        ExpectedFailure = "expect/failed-as-expected",
        /// The action was expected to fail and did not: TEST_FAILURE.
        UnexpectedSuccess = "expect/did-not-fail",
        /// The outcome differs from the expected one.
        UnexpectedOutcome = "expect/other-outcome",
        /// A named test did not have its expected result, or was missing: TEST_FAILURE.
        NamedTests = "expect/named-tests",
        /// The action succeeded after a failed attempt, and the policy blocks that: TEST_FAILURE.
        Flaky = "retry/flaky",
        /// A prerequisite failed: PREREQUISITE_FAILURE.
        PrerequisiteFailed = "prerequisite/failed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_an_id_of_its_own_and_a_sentence() {
        for rule in Rule::ALL {
            assert_eq!(Rule::parse(rule.as_str()), Some(rule));
            let meaning = rule.meaning();
            assert!(meaning.ends_with('.') && meaning.starts_with(char::is_uppercase), "{meaning}");
            assert!(!meaning.contains('\n') && !meaning.contains("  "), "{meaning}");
        }
        assert_eq!(Rule::parse("validation/nothing"), None);
        assert_eq!(Rule::parse(""), None);
    }
}
