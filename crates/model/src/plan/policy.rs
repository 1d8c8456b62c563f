//! Policies: how findings of tools are judged.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// How findings of tools are judged: a tool's own policy goes before its category's (ruling 10).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Policies {
    /// Strategy of a category.
    pub categories: BTreeMap<Category, Strategy>,
    /// Policy of a tool, by the tool's canonical name (`eslint`, `tsc`, `prettier`).
    pub tools: BTreeMap<String, ToolPolicy>,
    /// Which findings are critical beside errors.
    #[serde(rename = "criticalSeverities")]
    pub critical: CriticalSeverities,
    /// Why they are as they are: free text for people (seed 1, `metadata.validationPolicyRationale`).
    pub rationale: Option<String>,
}

/// Which findings count as errors beside errors, whatever the tool (ruling 22, `criticalSeverities`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CriticalSeverities {
    /// Warnings.
    pub warnings: bool,
    /// Notes, hints and the like.
    pub infos: bool,
}

/// The categories of validation tools that a policy can speak of (seed 1, `validationPolicy`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Category {
    /// Linters.
    Linting,
    /// Type checkers.
    TypeChecking,
    /// Compilers.
    Compilation,
    /// Formatters. Not in seed 1's schema, where they stand among the linters; their default is WARN_ONLY, so a strategy
    /// of the linters is never applied to them.
    Formatting,
}

/// What of a tool's findings blocks (seed 1, "Blocking strategies", without their `BLOCK_ON_` prefix).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Strategy {
    /// Any error blocks, with the highest severity.
    ErrorsAlways,
    /// Errors block, warnings do not.
    ErrorsOnly,
    /// Errors and warnings block.
    ErrorsAndWarnings,
    /// Nothing blocks, everything is reported.
    WarnOnly,
    /// Findings are ignored.
    Never,
}

impl Strategy {
    /// All strategies.
    pub const ALL: [Self; 5] =
        [Self::ErrorsAlways, Self::ErrorsOnly, Self::ErrorsAndWarnings, Self::WarnOnly, Self::Never];

    /// Returns it as seed 1 spells blocking strategies.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ErrorsAlways => "BLOCK_ON_ERRORS_ALWAYS",
            Self::ErrorsOnly => "BLOCK_ON_ERRORS_ONLY",
            Self::ErrorsAndWarnings => "BLOCK_ON_ERRORS_AND_WARNINGS",
            Self::WarnOnly => "WARN_ONLY",
            Self::Never => "NEVER",
        }
    }
}

/// The policy of one tool (seed 1, "ESLint-specific configuration").
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolPolicy {
    /// False: reported, never blocking, severity LOW.
    pub enabled: bool,
    /// The strategy; without it the category's holds.
    pub block_on: Option<Strategy>,
    /// Whether every warning counts as an error.
    pub treat_warnings_as_errors: bool,
    /// Warnings allowed; one more blocks.
    pub max_warnings: Option<u64>,
    /// Rules whose findings do not count.
    pub ignored_rules: Vec<String>,
    /// Rules whose warnings count as errors.
    pub error_on_rules: Vec<String>,
    /// False: what only a type checker's strictness raises does not count, see [`crate::strictness`].
    #[serde(default = "yes")]
    pub strict_mode: bool,
    /// Whether an implicit `any` is allowed: what it raises does not count, see [`crate::strictness`].
    #[serde(default)]
    pub allow_implicit_any: bool,
}

/// Plans that were stored before the option was known are judged as they were.
fn yes() -> bool {
    true
}

impl Default for ToolPolicy {
    fn default() -> Self {
        Self {
            enabled: true,
            block_on: None,
            treat_warnings_as_errors: false,
            max_warnings: None,
            ignored_rules: Vec::new(),
            error_on_rules: Vec::new(),
            strict_mode: true,
            allow_implicit_any: false,
        }
    }
}
