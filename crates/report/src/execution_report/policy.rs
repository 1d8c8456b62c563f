//! The policy that was applied to findings, and how each option bears on the decision (ruling 10).

use referee_model::outcome::{FindingCounts, PolicyApplied, PolicyOption, PolicySource, PolicyStep};
use referee_model::plan::{Category, Strategy};
use serde::Serialize;

use referee_model::number::Count;

/// The policy that was applied to findings, and what it came to.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub(super) struct PolicyDocument {
    strategy: StrategyWord,
    /// Where the strategy came from.
    source: PolicySource,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    category: Category,
    blocking: bool,
    /// The option that decided.
    decided_by: PolicyOption,
    /// Findings as they were read, before any option.
    read: FindingCountsDocument,
    /// What each option that is set made of them, in the order in which options apply.
    steps: Vec<PolicyStepDocument>,
    /// Errors after all options.
    effective_errors: Count,
    /// Warnings after all options.
    effective_warnings: Count,
    /// Findings that options took away.
    ignored: Count,
    /// The limit of warnings. Null: there is none.
    max_warnings: Option<Count>,
    reason: String,
}

/// Findings that can count.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct FindingCountsDocument {
    errors: Count,
    warnings: Count,
}

/// What one option of a policy made of findings.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct PolicyStepDocument {
    option: PolicyOption,
    /// Findings that it took away, or warnings that it made errors of.
    findings: Count,
    /// What is left after it.
    left: FindingCountsDocument,
}

impl From<FindingCounts> for FindingCountsDocument {
    fn from(counts: FindingCounts) -> Self {
        Self { errors: counts.errors.into(), warnings: counts.warnings.into() }
    }
}

impl From<&PolicyStep> for PolicyStepDocument {
    fn from(step: &PolicyStep) -> Self {
        Self { option: step.option, findings: step.findings.into(), left: step.left.into() }
    }
}

/// A blocking strategy.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum StrategyWord {
    BlockOnErrorsAlways,
    BlockOnErrorsOnly,
    BlockOnErrorsAndWarnings,
    WarnOnly,
    Never,
}

impl From<&PolicyApplied> for PolicyDocument {
    fn from(policy: &PolicyApplied) -> Self {
        Self {
            strategy: match policy.strategy {
                Strategy::ErrorsAlways => StrategyWord::BlockOnErrorsAlways,
                Strategy::ErrorsOnly => StrategyWord::BlockOnErrorsOnly,
                Strategy::ErrorsAndWarnings => StrategyWord::BlockOnErrorsAndWarnings,
                Strategy::WarnOnly => StrategyWord::WarnOnly,
                Strategy::Never => StrategyWord::Never,
            },
            source: policy.source,
            tool: policy.tool.clone(),
            category: policy.category,
            blocking: policy.blocking,
            decided_by: policy.decided_by,
            read: policy.read.into(),
            steps: policy.steps.iter().map(PolicyStepDocument::from).collect(),
            effective_errors: policy.effective_errors.into(),
            effective_warnings: policy.effective_warnings.into(),
            ignored: policy.ignored.into(),
            max_warnings: policy.max_warnings.map(Count::from),
            reason: policy.reason.clone(),
        }
    }
}
