//! How one action came out.

use serde::{Deserialize, Serialize, Serializer};

use crate::baseline::BaselineStanding;
use crate::debt::DebtGeneration;
use crate::id::ActionId;
use crate::plan::{Category, Role, Strategy};
use crate::reading::TestCounts;
use crate::severity::Severity;

pub use crate::taxonomy::Outcome;

/// What the agent is asked to do next (seed 1, "Agent response protocol" and "Error handling coverage").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum AgentAction {
    /// Ask for the task to be marked complete.
    RequestStatusUpdate,
    /// Mend nothing, ask for another run.
    RequestRetest,
    /// Mend the specification.
    FixSpecification,
    /// Implement what the failed tests ask for.
    ImplementFix,
    /// Mend the types.
    FixTypes,
    /// Mend the code that the linter or formatter names.
    FixCode,
    /// Install the tool that is missing.
    InstallTool,
    /// Make the prerequisite hold (start the server, install dependencies).
    FixPrerequisite,
    /// Make it faster, or give it more time.
    OptimizeOrIncreaseTimeout,
}

/// One action, judged.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// The action.
    pub action: ActionId,
    /// How it came out.
    pub outcome: Outcome,
    /// Under a prerequisite failure, what went wrong underneath (ruling 8).
    pub cause: Option<Outcome>,
    /// Whether it stands against a pass.
    pub blocking: bool,
    /// How grave it is; [`Severity::None`] for a success.
    pub severity: Severity,
    /// One sentence: why this outcome.
    pub reason: String,
    /// The rule that decided it.
    pub rule: Rule,
    /// The role by which a command was judged.
    pub role: Option<Role>,
    /// The tool that ran, by its canonical name, where it is known.
    pub tool: Option<String>,
    /// The policy that was applied, where findings were weighed.
    pub policy: Option<PolicyApplied>,
    /// Whether a test run's success rests on the exit code alone, because nothing told how many tests ran (ruling 9).
    pub exit_code_only: bool,
    /// The tests of a test run, as far as this judgement counted them: where its own runner summed them up, or where the
    /// runner is not known and its output accounts for a non-zero exit code (ruling 9). None: it is not known how many
    /// tests ran, whatever the output looks like.
    pub counted_tests: Option<TestCounts>,
    /// What may have caused it.
    pub possible_causes: Vec<String>,
    /// What to do next, in a sentence; empty for a success.
    pub advice: String,
    /// What the agent is asked to do about it. None: nothing, or its failure is expected.
    pub remedy: Option<AgentAction>,
    /// Whether this outcome is what the specification expects (ruling 12). Never blocks, never makes debt.
    pub expected: bool,
    /// Whether it succeeded after an attempt that did not (ruling 13).
    pub flaky: bool,
    /// What it means for the register of debt.
    pub debt: DebtGeneration,
    /// How it stands to the baseline, where that excused something of it.
    pub baseline: Option<BaselineStanding>,
    /// The ids of the waivers without which it would block; none where it would not.
    pub waived: Vec<String>,
    /// Further sentences: notices of the record that bear on the outcome.
    pub notes: Vec<String>,
}

/// The policy that was applied to findings, and what it came to (ruling 10).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PolicyApplied {
    /// Blocking strategy that was applied to the findings.
    #[serde(serialize_with = "blocking_strategy")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::BlockingStrategy"))]
    pub strategy: Strategy,
    /// Where the strategy came from.
    pub source: PolicySource,
    /// The tool it was applied to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Category of the tool, such as linting or compilation.
    pub category: Category,
    /// Whether the findings block a pass.
    pub blocking: bool,
    /// The option that decided: the last applied one without which, and without all after it, the findings would have come
    /// to something else. Where there is none, where the strategy came from.
    pub decided_by: PolicyOption,
    /// Findings as they were read, before any option.
    pub read: FindingCounts,
    /// What each option that is set made of them, in the order in which options apply.
    pub steps: Vec<PolicyStep>,
    /// Number of errors that remain after all options.
    #[serde(serialize_with = "crate::serial::exact")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::number::Count"))]
    pub effective_errors: u64,
    /// Number of warnings that remain after all options.
    #[serde(serialize_with = "crate::serial::exact")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::number::Count"))]
    pub effective_warnings: u64,
    /// Findings that options took away: errors and warnings as read are these, the effective errors and the effective
    /// warnings together.
    #[serde(serialize_with = "crate::serial::exact")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::number::Count"))]
    pub ignored: u64,
    /// The limit of warnings. Null: there is none.
    #[serde(serialize_with = "crate::serial::exact")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::number::Count>"))]
    pub max_warnings: Option<u64>,
    /// Reason for the result, with the numbers.
    pub reason: String,
}

/// Findings that can count: remarks never do.
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

/// What one option of a policy made of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PolicyStep {
    /// Option of the validation policy that was applied in this step.
    pub option: PolicyOption,
    /// Findings that it took away, or warnings that it made errors of.
    #[serde(serialize_with = "crate::serial::exact")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::number::Count"))]
    pub findings: u64,
    /// What is left after it.
    pub left: FindingCounts,
}

/// Writes a strategy as the seed spells it.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn blocking_strategy<S: Serializer>(strategy: &Strategy, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(strategy.as_str())
}

/// An option of a policy, as documents spell it (seed 1, "Configurable validation policies").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PolicyOption {
    /// The tool's own `enabled: false`: reported, never blocking.
    Enabled,
    /// Takes the findings of some rules away.
    IgnoredRules,
    /// Takes away what only a forbidden implicit `any` raises.
    AllowImplicitAny,
    /// `strictMode: false` takes away what only a type checker's strictness raises.
    StrictMode,
    /// Makes errors of the warnings of some rules.
    ErrorOnRules,
    /// Makes errors of all warnings.
    TreatWarningsAsErrors,
    /// Makes errors of all findings of some severities, whatever the tool.
    CriticalSeverities,
    /// Blocks where there are more warnings.
    MaxWarnings,
    /// The tool's own strategy.
    BlockOn,
    /// The strategy of the tool's category.
    Strategy,
    /// The default table.
    Default,
}

impl PolicyOption {
    /// Returns the option as documents spell it; the default table has no option, and is called `default`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Enabled => "enabled",
            Self::IgnoredRules => "ignoredRules",
            Self::AllowImplicitAny => "allowImplicitAny",
            Self::StrictMode => "strictMode",
            Self::ErrorOnRules => "errorOnRules",
            Self::TreatWarningsAsErrors => "treatWarningsAsErrors",
            Self::CriticalSeverities => "criticalSeverities",
            Self::MaxWarnings => "maxWarnings",
            Self::BlockOn => "blockOn",
            Self::Strategy => "strategy",
            Self::Default => "default",
        }
    }
}

/// Where a strategy came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PolicySource {
    /// The tool's own `blockOn`.
    Tool,
    /// The category's `strategy`.
    Category,
    /// The default table.
    Default,
    /// The tool is disabled by `enabled: false`.
    Disabled,
}

macro_rules! rules {
    ($($(#[doc = $doc:literal])* $name:ident = $id:literal,)*) => {
        /// The rules of judgement, by name. A report names for each action the one that decided.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
        pub enum Rule {
            $($(#[doc = $doc])* #[serde(rename = $id)] $name,)*
        }

        impl Rule {
            /// All rules.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// Returns the rule of an id. None: there is no such rule.
            pub fn of(id: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|rule| rule.id() == id)
            }

            /// Returns what the rule says, as a sentence: the very one that documents it here.
            pub fn meaning(self) -> &'static str {
                let sentence = match self {
                    $(Self::$name => concat!($($doc),*),)*
                };
                sentence.trim_start()
            }

            /// Returns the rule's id, as reports name it.
            pub fn id(self) -> &'static str {
                match self {
                    $(Self::$name => $id,)*
                }
            }
        }
    };
}

rules! {
    /// The command could not be started: EXECUTION_ERROR.
    CouldNotStart = "execution/could-not-start",
    /// A signal that is not ours ended it: EXECUTION_ERROR.
    Signaled = "execution/signaled",
    /// It printed more than can be kept: EXECUTION_ERROR.
    OutputLimit = "execution/output-limit",
    /// It ran more processes at once, or took more memory, than it may: EXECUTION_ERROR.
    ResourceLimit = "execution/resource-limit",
    /// The line names a command that is not there or may not be run (126, 127 of a shell): EXECUTION_ERROR.
    CommandNotFound = "execution/command-not-found",
    /// The recorded facts are not those of the action, or lack what every such record holds: EXECUTION_ERROR.
    FactsUnusable = "execution/facts-unusable",
    /// The run was interrupted while it ran: EXECUTION_ERROR.
    Interrupted = "execution/interrupted",
    /// The deadline was hit: TIMEOUT.
    Deadline = "timeout/deadline",
    /// The runner says that tests failed, and its exit code agrees: TEST_FAILURE.
    TestsFailed = "test/failed",
    /// The runner says that tests failed although it exited with 0: TEST_FAILURE.
    TestsFailedExitZero = "test/failed-exit-zero",
    /// All tests passed and the runner failed all the same: TEST_FAILURE.
    RunnerFailed = "test/runner-failed",
    /// It is known that no test ran: TEST_FAILURE.
    NoTests = "test/none-ran",
    /// The runner's own exit code for failed tests, without a summary: TEST_FAILURE.
    TestsFailedByExitCode = "test/failed-by-exit-code",
    /// Non-zero without a summary: EXECUTION_ERROR.
    TestRunnerBroken = "test/no-summary",
    /// A runner that is known exited with 0 and left neither a summary nor a report of its own: EXECUTION_ERROR.
    EndedWithoutSummary = "test/ended-without-summary",
    /// The runner's exit code is declared as expected although tests failed: TEST_FAILURE, expected.
    TestsFailedExpected = "test/failed-expected",
    /// Every failed test stood in the baseline: TEST_FAILURE, not blocking.
    TestsFailedKnown = "test/failed-known",
    /// All tests passed: SUCCESS.
    TestsPassed = "test/passed",
    /// Exit 0 and no known number of tests, of a runner that is not known, says no number, or needs no summary: SUCCESS by
    /// exit code only.
    TestsPassedByExitCode = "test/passed-by-exit-code",
    /// The tool found something: VALIDATION_FAILURE, by policy.
    Findings = "validation/findings",
    /// The tool exited with 0 and printed errors all the same: VALIDATION_FAILURE.
    FindingsExitZero = "validation/findings-exit-zero",
    /// The tool exited with another code than 0 for findings that would not block by their level, and no policy forgives
    /// that: VALIDATION_FAILURE.
    FindingsNotForgiven = "validation/exit-not-forgiven",
    /// Every finding that counts stood in the baseline: VALIDATION_FAILURE, not blocking.
    FindingsKnown = "validation/findings-known",
    /// Findings are ignored by policy: SUCCESS.
    FindingsIgnored = "validation/findings-ignored",
    /// A linter failed for remarks alone, which never count, and policy forgives that: SUCCESS.
    OnlyRemarks = "validation/only-remarks",
    /// Non-zero, and nothing that was read explains it: EXECUTION_ERROR.
    ToolBroken = "validation/nothing-read",
    /// Nothing found: SUCCESS.
    Clean = "validation/clean",
    /// The exit code is among the expected ones: SUCCESS.
    ExitExpected = "command/exit-expected",
    /// A line that runs several tools failed for what one of them found: TEST_FAILURE or VALIDATION_FAILURE, blocking.
    ToolOfLineFailed = "command/tool-failed",
    /// The exit code is not among the expected ones: EXECUTION_ERROR.
    ExitUnexpected = "command/exit-unexpected",
    /// The file is as expected: SUCCESS.
    FileAsExpected = "file/as-expected",
    /// The file is missing, there when it should not be, or different: VALIDATION_FAILURE.
    FileDiffers = "file/differs",
    /// The file could not be looked at: EXECUTION_ERROR.
    FileUnreadable = "file/unreadable",
    /// A pattern names no file: SPECIFICATION_ERROR.
    GlobEmpty = "file/glob-without-match",
    /// The schema that a file or an answer is to hold to is missing, or is none: SPECIFICATION_ERROR.
    SchemaUnusable = "specification/schema-unusable",
    /// There was no whole answer: EXECUTION_ERROR.
    HttpNoAnswer = "http/no-answer",
    /// The status is not an expected one: TEST_FAILURE.
    HttpStatus = "http/status",
    /// The status is expected, and something else in the answer is not: TEST_FAILURE.
    HttpAnswerDiffers = "http/answer-differs",
    /// The answer is as expected: SUCCESS.
    HttpAsExpected = "http/as-expected",
    /// The service did not become ready: EXECUTION_ERROR, or TIMEOUT where its time was used up.
    ServiceNotReady = "service/not-ready",
    /// Somebody else holds the service's port: EXECUTION_ERROR.
    ServicePortTaken = "service/port-taken",
    /// The service is ready: SUCCESS.
    ServiceReady = "service/ready",
    /// The specification asks for what cannot be done: SPECIFICATION_ERROR.
    NotExecutable = "specification/not-executable",
    /// It failed as it is expected to: expected.
    ExpectedFailure = "expect/failed-as-expected",
    /// It is expected to fail, and did not: TEST_FAILURE.
    UnexpectedSuccess = "expect/did-not-fail",
    /// It came out otherwise than is expected of it.
    UnexpectedOutcome = "expect/other-outcome",
    /// A named test did not come out as is expected of it, or was not there: TEST_FAILURE.
    NamedTests = "expect/named-tests",
    /// It succeeded after an attempt that did not, and policy blocks that: TEST_FAILURE.
    Flaky = "retry/flaky",
    /// Something went wrong in the prerequisite phase: PREREQUISITE_FAILURE.
    PrerequisiteFailed = "prerequisite/failed",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_an_id_of_its_own_and_a_sentence() {
        for rule in Rule::ALL {
            assert_eq!(Rule::of(rule.id()), Some(*rule));
            let meaning = rule.meaning();
            assert!(meaning.ends_with('.') && meaning.starts_with(char::is_uppercase), "{meaning}");
            assert!(!meaning.contains('\n') && !meaning.contains("  "), "{meaning}");
        }
        assert_eq!(Rule::of("validation/nothing"), None);
        assert_eq!(Rule::of(""), None);
    }
}
