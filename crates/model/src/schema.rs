//! Forms of values in published schemas: the rules checked when a value is parsed, as JSON Schema. Only the
//! generator of the published schemas uses them, never a shipped program.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

/// Version of a document, `major.minor.patch`.
pub struct Version;

/// Blocking strategy, with the spelling of reports.
pub struct BlockingStrategy;

/// Inventory number of a debt item: the day on which its run ended, and a number.
pub struct InventoryId;

/// A point in time in any form of RFC 3339, as in documents of seed 5: other programs write fractions and time zones.
pub struct Moment;

/// A point in time in UTC to the second, as in incident documents (seed 3).
pub struct Seconds;

macro_rules! forms {
    ($($word:ty: $schema:tt;)*) => {
        $(
            impl JsonSchema for $word {
                fn schema_name() -> Cow<'static, str> {
                    stringify!($word).into()
                }

                fn inline_schema() -> bool {
                    true
                }

                fn json_schema(_: &mut SchemaGenerator) -> Schema {
                    json_schema!($schema)
                }
            }
        )*
    };
}

forms! {
    crate::number::Percent: { "type": "number", "minimum": 0, "maximum": 100 };
    crate::number::Count: { "type": "integer", "minimum": 0, "maximum": 9_007_199_254_740_991_u64 };
    Version: { "type": "string", "pattern": r"^[0-9]+\.[0-9]+\.[0-9]+$" };
    crate::id::TaskId: { "type": "string", "pattern": r"^T[0-9]{3,31}$" };
    crate::id::ActionId: { "type": "string", "pattern": r"^[A-Z][A-Z0-9_]*\.[0-9]+$" };
    crate::id::ExecutionId: { "type": "string", "pattern": r"^exec-[A-Za-z0-9-]+$" };
    crate::id::DebtId: { "type": "string", "pattern": r"^DEBT-T[0-9]{3,31}-[0-9]{3,9}$" };
    BlockingStrategy: {
        "type": "string",
        "enum": (crate::plan::Strategy::ALL.map(crate::plan::Strategy::as_str)),
    };
    InventoryId: { "type": "string", "pattern": r"^DEBT-INV-[0-9]{4}-[0-9]{2}-[0-9]{2}-[0-9]{3,9}$" };
    crate::fingerprint::Fingerprint: { "type": "string", "pattern": r"^v[1-9][0-9]*:[0-9a-f]{64}$" };
    crate::id::Digest: { "type": "string", "pattern": r"^[0-9a-f]{64}$" };
    crate::id::ProjectName: { "type": "string", "pattern": r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$" };
    crate::id::WorkerLabel: { "type": "string", "pattern": r"^[a-z0-9][a-z0-9-]{0,49}$" };
    crate::id::WorkspacePath: { "type": "string" };
    crate::incident::id::IncidentId: { "type": "string" };
    crate::incident::status::IncidentStatus: { "type": "string" };
    crate::incident::status::Closing: { "type": "string" };
    crate::incident::evidence::EvidenceSource: { "type": "string" };
    crate::incident::evidence::EvidenceKind: { "type": "string" };
    crate::build_error::FailedPhase: { "type": "string" };
    crate::stage::id::StageId: { "type": "string" };
    crate::record::StreamMap: { "type": "string", "pattern": r"^((out|err) [1-9][0-9]*(, (out|err) [1-9][0-9]*)*)?$" };
    crate::plan::CaptureName: { "type": "string", "pattern": r"^[A-Za-z0-9_.-]{1,128}$" };
    crate::time::Timestamp: {
        "type": "string",
        "format": "date-time",
        "pattern": r"^-?[0-9]{4,6}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$",
    };
    Moment: { "type": "string", "format": "date-time", "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt]" };
    Seconds: {
        "type": "string",
        "format": "date-time",
        "pattern": r"^-?[0-9]{4,6}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\+00:00$",
    };
}

/// Forms of enums that hold their words themselves.
macro_rules! of_words {
    ($($word:ty;)*) => {
        $(
            forms! {
                $word: { "type": "string", "enum": (<$word>::ALL.as_slice()) };
            }
        )*
    };
}

macro_rules! listed {
    ($($word:ty { $($variant:ident),* $(,)? })*) => {
        $(
            impl $word {
                /// Returns all values of the type.
                fn words() -> Vec<Self> {
                    // The compiler reports a value that was added and is missing here.
                    let _known = |word: Self| match word {
                        $(Self::$variant)|* => {}
                    };
                    vec![$(Self::$variant),*]
                }
            }

            forms! {
                $word: { "type": "string", "enum": (<$word>::words()) };
            }
        )*
    };
}

of_words! {
    crate::plan::Shell;
    crate::record::NoticeCode;
    crate::record::http::NoAnswerCause;
    crate::plan::http::JsonType;
    crate::run_context::tree::TreeChangeKind;
    crate::selection::Level;
    crate::record::StartFailure;
    crate::run_context::protection::DriftChange;
    crate::run_context::protection::Mode;
    crate::plan::EvidenceKind;
    crate::diagnostic_log::DiagnosticSource;
    crate::verdict::Decision;
    crate::status::TaskState;
    crate::status::ViolationKind;
    crate::run_context::waiver::WaiverState;
    crate::run_context::weakening::WeakeningKind;
    crate::build_error::BuildErrorType;
    crate::run_state::RunState;
    crate::run_state::RunResult;
    crate::agent_run::CiStatus;
    crate::debt::DebtCategory;
    crate::debt::DebtStatus;
    crate::debt::Destination;
    crate::outcome::Outcome;
    crate::outcome::PolicyOption;
    crate::plan::ActionType;
    crate::plan::http::Method;
    crate::plan::service::PrerequisiteKind;
    crate::selection::Profile;
    crate::plan::Role;
    crate::reading::Level;
    crate::severity::Severity;
    crate::verdict::EvaluatorStatus;
    crate::run_context::suppression::SuppressionKind;
}

listed! {
    crate::lock::Newcomers { Free, Refused, Governing, Never }
    crate::lock::RuleSource { Fixed, Declared, Default }
    crate::lock::LockedKind { File, Link }
    crate::comparison::Agreement {
        Agrees, Differs, OtherTree, OtherSpecification, Unverifiable, Tampered, Missing,
    }
    crate::comparison::Provenance { Trusted, UnknownKey, SelfAsserted }
    crate::comparison::FindingKind {
        Tampered, PassedOnlyThere, CheckPassedOnlyThere, PassedOnlyHere, CheckPassedOnlyHere, Unverifiable, Stale,
        OtherSpecification, Missing, Reduced,
    }
    crate::run_context::confinement::Resource { Processes, Memory, Output }
    crate::run_context::confinement::Enforcement { ControlGroup, Sampled, Counted }
    crate::plan::guard::Answer { Default, Report, Block, Ignore }
    crate::debt::RoutedBy { Rules, Person }
    crate::debt::FailedKind { Test, Suite, Request }
    crate::outcome::PolicySource { Tool, Category, Default, Disabled }
    crate::plan::Form { Short, Full }
    crate::plan::StepOrder { Listed, Free }
    crate::plan::DataSyntax { Json, Yaml }
    crate::plan::http::BodyKind { Json, Text }
    crate::plan::DebtRouting { CapacityBased, SeverityBased, Manual }
    crate::selection::LeftOut { Profile, NotNamed, Named, NeedLeftOut, PassedBefore }
    crate::plan::Phase { Prerequisite, Step, Cleanup }
    crate::plan::Category { Linting, TypeChecking, Compilation, Formatting }
    crate::plan::Strategy { ErrorsAlways, ErrorsOnly, ErrorsAndWarnings, WarnOnly, Never }
    crate::reading::ChosenBecause { Command, Content }
    crate::reading::CountAuthority { Summary, MachineReport, Unnumbered, Lines }
    crate::reading::TestStatus { Passed, Failed, Skipped }
    crate::record::Stream { Stdout, Stderr }
    crate::verdict::OverallStatus {
        Success, PartialSuccess, Failure, SpecificationError, Interrupted, InternalError,
    }
    crate::outcome::AgentAction {
        RequestStatusUpdate, RequestRetest, FixSpecification, ImplementFix, FixTypes, FixCode, InstallTool,
        FixPrerequisite, OptimizeOrIncreaseTimeout,
    }
    crate::verdict::Truth { True, False, Unknown, NotJudged }
    crate::verdict::Next { Done, Planner }
}

/// Values of `errorType` of an agent's turn, including `none`.
pub struct IterationErrorType;

impl JsonSchema for IterationErrorType {
    fn schema_name() -> Cow<'static, str> {
        "IterationErrorType".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        use crate::agent_run::IterationErrorType as Kind;
        let words: Vec<&str> = std::iter::once("none").chain(Kind::ALL.map(Kind::as_str)).collect();
        json_schema!({ "type": "string", "enum": words })
    }
}
