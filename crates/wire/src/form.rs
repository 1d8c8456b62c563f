//! The forms of values in published schemas: what `referee-model` checks when a value is read, said as JSON Schema.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

macro_rules! patterns {
    ($($(#[$doc:meta])* $name:ident: $format:literal, $pattern:literal;)*) => {
        $(
            $(#[$doc])*
            pub(crate) struct $name;

            impl JsonSchema for $name {
                fn schema_name() -> Cow<'static, str> {
                    stringify!($name).into()
                }

                fn inline_schema() -> bool {
                    true
                }

                fn json_schema(_: &mut SchemaGenerator) -> Schema {
                    if $format.is_empty() {
                        json_schema!({ "type": "string", "pattern": $pattern })
                    } else {
                        json_schema!({ "type": "string", "format": $format, "pattern": $pattern })
                    }
                }
            }
        )*
    };
}

patterns! {
    /// A version of a document.
    Version: "", r"^[0-9]+\.[0-9]+\.[0-9]+$";
    /// The id of a task.
    TaskId: "", r"^T[0-9]{3,31}$";
    /// The id of an action.
    ActionId: "", r"^[A-Z][A-Z0-9_]*\.[0-9]+$";
    /// The id of a run.
    ExecutionId: "", r"^exec-[A-Za-z0-9-]+$";
    /// The id of an item of debt.
    DebtId: "", r"^DEBT-T[0-9]{3,31}-[0-9]{3,9}$";
    /// The number of an item of debt in the inventory: the day on which its run ended, and a number.
    InventoryId: "", r"^DEBT-INV-[0-9]{4}-[0-9]{2}-[0-9]{2}-[0-9]{3,9}$";
    /// What makes a failure the same in another run: the version of the rule, and a digest.
    Fingerprint: "", r"^v[1-9][0-9]*:[0-9a-f]{64}$";
    /// A SHA-256 digest.
    Sha256: "", r"^[0-9a-f]{64}$";
    /// The name of a value that one action captures and later ones use.
    CaptureName: "", r"^[A-Za-z0-9_.-]{1,128}$";
    /// A point in time in UTC, to the millisecond.
    Time: "date-time", r"^-?[0-9]{4,6}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$";
    /// A point in time in any form of RFC 3339, as documents of seed 5 have it: other programs write fractions and zones.
    Moment: "date-time", r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt]";
    /// A point in time in UTC, to the second, as documents of incidents have it (seed 3).
    Seconds: "date-time", r"^-?[0-9]{4,6}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\+00:00$";
}

macro_rules! words {
    ($($name:ident of $word:ty { $($variant:ident),* $(,)? })*) => {
        $(
            #[doc = concat!("The words of `", stringify!($word), "`.")]
            pub(crate) struct $name;

            impl $name {
                /// All words, as the model spells them.
                fn all() -> Vec<$word> {
                    // A word that is added to the model is missed here by the compiler.
                    let _known = |word: $word| match word {
                        $(<$word>::$variant)|* => {}
                    };
                    vec![$(<$word>::$variant),*]
                }
            }

            impl JsonSchema for $name {
                fn schema_name() -> Cow<'static, str> {
                    stringify!($name).into()
                }

                fn inline_schema() -> bool {
                    true
                }

                fn json_schema(_: &mut SchemaGenerator) -> Schema {
                    json_schema!({ "type": "string", "enum": Self::all() })
                }
            }
        )*
    };
}

words! {
    TreeChangeKind of referee_model::circumstances::tree::TreeChangeKind { Modified, Removed, Added }
    Newcomers of referee_model::lock::Newcomers { Free, Refused, Governing, Never }
    RuleSource of referee_model::lock::RuleSource { Fixed, Declared, Default }
    LockedKind of referee_model::lock::LockedKind { File, Link }
    ProtectionMode of referee_model::circumstances::protection::Mode { Frozen, Additive, Review }
    DriftChange of referee_model::circumstances::protection::DriftChange { Modified, Removed, Added, Unreadable }
    SuppressionKind of referee_model::circumstances::suppression::SuppressionKind {
        EslintDisable, BiomeIgnore, OxlintDisable, PrettierIgnore, StylelintDisable, TsIgnore, TsExpectError,
        TsNocheck, AsAny, CoverageIgnore, SkippedTest, FocusedTest, ExpectedFailure, TypeIgnore, Noqa, PylintDisable,
        FormatOff, Nosec, AllowAttribute, NeverCompiled, Nolint, SuppressWarnings, Nosonar, CheckstyleOff,
        PragmaWarning, PhpstanIgnore, PhpcsIgnore, RubocopDisable, ShellcheckDisable, HadolintIgnore, YamllintDisable,
        AnyType, TypesLeft, BuildCondition, TestImport, TestAwareness, PatchedAssertion,
    }
    WeakeningKind of referee_model::circumstances::weakening::WeakeningKind {
        TaskRemoved, CheckRemoved, CheckDemoted, CheckReplaced, CommandNarrowed, CommandReplaced, CommandChanged,
        FailureMasked, RoleLowered, RoleChanged, ProfileLowered, TimeoutRaised, RetriesRaised, ExitCodeAccepted,
        NoTestsAccepted, SummaryNotRequired, CheckByExitCodeAdded, ExpectedTestRemoved, FailureExpected, StrategyLoosened, ToolDisabled, RuleIgnored,
        RuleNoError, WarningsAllowed, WarningsNoErrors, StrictnessOff, FlakyAllowed, CriterionRemoved,
        CompletionLoosened, RequiredEvidenceRemoved, StatusLockOff, EvaluatorRemoved, EvaluatorChanged, DebtOff,
        FileLoosened, AnswerLoosened, ServiceLoosened, TlsLoosened, EnvironmentInjected, EnvironmentChanged,
        EvidenceOff, WorkspaceChanged, ProtectionLowered, OutputsWidened, SuppressionsAllowed, SetupChanged,
        PinRemoved, LimitRaised,
    }
    Agreement of referee_model::comparison::Agreement {
        Agrees, Differs, OtherTree, OtherSpecification, Unverifiable, Tampered, Missing,
    }
    Provenance of referee_model::comparison::Provenance { Trusted, UnknownKey, SelfAsserted }
    ComparisonFinding of referee_model::comparison::FindingKind {
        Tampered, PassedOnlyThere, CheckPassedOnlyThere, PassedOnlyHere, CheckPassedOnlyHere, Unverifiable, Stale,
        OtherSpecification, Missing, Reduced,
    }
    TaskState of referee_model::status::TaskState { Complete, Partial, Failed }
    ViolationKind of referee_model::status::ViolationKind { UnauthorizedCompletion, EvidenceTampering, LockFileTampered }
    WaiverState of referee_model::circumstances::waiver::WaiverState { Applied, Unused, NotYet, Expired, Refused }
    Resource of referee_model::circumstances::confinement::Resource { Processes, Memory, Output }
    Enforcement of referee_model::circumstances::confinement::Enforcement { ControlGroup, Sampled, Counted }
    Answer of referee_model::plan::guard::Answer { Default, Report, Block, Ignore }
    BuildErrorType of referee_model::build_error::BuildErrorType {
        AgentCrash, AgentTimeout, AgentTaskFailure, TypecheckFailed, LintFailed, TestFailed, BlackboxFailed, CiFailed,
        WorkspaceError, SnapshotError, GithubError, SystemError, Unknown,
    }
    RunState of referee_model::run_state::RunState {
        Queued, Leased, Building, Snapshotting, Verifying, Feedback, PrCreated, CiPolling, Succeeded, Failed, Canceled,
    }
    RunResult of referee_model::run_state::RunResult {
        Passed, FailedVerification, FailedBuild, FailedTimeout, FailedError, Canceled,
    }
    CiStatus of referee_model::agent_run::CiStatus { Pending, Polling, Passed, Failed, Timeout }
    DebtCategory of referee_model::debt::DebtCategory {
        ApiEndpointMissing, ValidationMissing, ErrorHandlingMissing, BusinessLogicError, DatabaseSchemaIssue,
        IntegrationFailure, PerformanceIssue, SecurityVulnerability, Refactor,
    }
    DebtStatus of referee_model::debt::DebtStatus { Open, InProgress, Resolved, Deferred, Reopened }
    Destination of referee_model::debt::Destination { SprintTasks, Inventory, Undecided }
    RoutedBy of referee_model::debt::RoutedBy { Rules, Person }
    FailedKind of referee_model::debt::FailedKind { Test, Suite, Request }
    DiagnosticSource of referee_model::diagnostic_log::DiagnosticSource { Test, Lint, Build, Runtime }
    Outcome of referee_model::outcome::Outcome {
        Success, TestFailure, ExecutionError, ValidationFailure, Timeout, PrerequisiteFailure, SpecificationError,
    }
    PolicySource of referee_model::outcome::PolicySource { Tool, Category, Default, Disabled }
    PolicyOption of referee_model::outcome::PolicyOption {
        Enabled, IgnoredRules, AllowImplicitAny, StrictMode, ErrorOnRules, TreatWarningsAsErrors, CriticalSeverities,
        MaxWarnings, BlockOn, Strategy, Default,
    }
    SpecificationForm of referee_model::plan::Form { Short, Full }
    StepOrder of referee_model::plan::StepOrder { Listed, Free }
    ActionType of referee_model::plan::ActionType {
        TerminalCommand, McpBrowserCommand, DockerCommand, DatabaseQuery, HttpRequest, CustomScript, FileValidation,
        ServiceCheck,
    }
    Shell of referee_model::plan::Shell { Posix, Bash, Sh, PowerShell, Cmd, PreferPowerShell, PreferCmd }
    DataSyntax of referee_model::plan::DataSyntax { Json, Yaml }
    Method of referee_model::plan::http::Method { Get, Post, Put, Patch, Delete, Head, Options }
    BodyKind of referee_model::plan::http::BodyKind { Json, Text }
    JsonType of referee_model::plan::http::JsonType { String, Number, Integer, Boolean, Array, Object, Null }
    PrerequisiteKind of referee_model::plan::service::PrerequisiteKind {
        DevServerRunning, DatabaseAvailable, ServiceHealthy, FileExists,
    }
    DebtRouting of referee_model::plan::DebtRouting { CapacityBased, SeverityBased, Manual }
    Profile of referee_model::selection::Profile { Strict, Fast, Smoke, Yolo }
    Selection of referee_model::selection::Level { Smoke, Fast, Strict }
    LeftOut of referee_model::selection::LeftOut { Profile, NotNamed, Named, NeedLeftOut, PassedBefore }
    Phase of referee_model::plan::Phase { Prerequisite, Step, Cleanup }
    Role of referee_model::plan::Role { Test, Typecheck, Lint, Format, Compile, Other }
    Category of referee_model::plan::Category { Linting, TypeChecking, Compilation, Formatting }
    Strategy of referee_model::plan::Strategy { ErrorsAlways, ErrorsOnly, ErrorsAndWarnings, WarnOnly, Never }
    EvidenceKind of referee_model::plan::EvidenceKind {
        TerminalOutput, TestExecutionLog, ApiResponses, ErrorLogs, PerformanceMetrics, Screenshots,
    }
    ChosenBecause of referee_model::reading::ChosenBecause { Command, Content }
    Level of referee_model::reading::Level { Error, Warning, Info }
    CountAuthority of referee_model::reading::CountAuthority { Summary, MachineReport, Unnumbered, Lines }
    TestStatus of referee_model::reading::TestStatus { Passed, Failed, Skipped }
    Stream of referee_model::record::Stream { Stdout, Stderr }
    StartFailure of referee_model::record::StartFailure { NotFound, NotExecutable, BadFormat, BadDirectory, NotPinned, System }
    NoticeCode of referee_model::record::NoticeCode {
        LeakedProcess, DroppedVariable, WantedTerminal, Redacted, Idle, BrokenPipe, NoPipefail, ShellReplaced, ServiceEnded,
        UncheckedTls,
    }
    NoAnswerCause of referee_model::record::http::NoAnswerCause {
        BadRequest, UnknownHost, Refused, Unreachable, Tls, Reset, Truncated, Protocol, RedirectLoop, BadRedirect,
        BodyTooLarge, Other,
    }
    Severity of referee_model::severity::Severity { None, Low, Medium, High, Critical }
    Decision of referee_model::verdict::Decision { Pass, Fail, Blocked }
    OverallStatus of referee_model::verdict::OverallStatus {
        Success, PartialSuccess, Failure, SpecificationError, Interrupted, InternalError,
    }
    AgentAction of referee_model::outcome::AgentAction {
        RequestStatusUpdate, RequestRetest, FixSpecification, ImplementFix, FixTypes, FixCode, InstallTool,
        FixPrerequisite, OptimizeOrIncreaseTimeout,
    }
    Truth of referee_model::verdict::Truth { True, False, Unknown, NotJudged }
    Next of referee_model::verdict::Next { Done, Planner }
    EvaluatorStatus of referee_model::verdict::EvaluatorStatus { Passed, Failed, Blocked }
}

/// The words for what went wrong in a turn of an agent, `none` included.
pub(crate) struct IterationErrorType;

impl JsonSchema for IterationErrorType {
    fn schema_name() -> Cow<'static, str> {
        "IterationErrorType".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        use referee_model::agent_run::IterationErrorType as Kind;
        let words: Vec<&str> = std::iter::once("none").chain(Kind::ALL.map(Kind::as_str)).collect();
        json_schema!({ "type": "string", "enum": words })
    }
}
