//! Policies by which the findings of tools are judged.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Policies by which the findings of tools are judged. The policy of a tool takes precedence over that of its
/// category (ruling 10).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Policies {
    /// Strategies by category.
    pub categories: BTreeMap<Category, Strategy>,
    /// Policies by the canonical name of the tool (`eslint`, `tsc`, `prettier`).
    pub tools: BTreeMap<String, ToolPolicy>,
    /// Severities that count as errors in addition to errors themselves.
    #[serde(rename = "criticalSeverities")]
    pub critical: CriticalSeverities,
    /// Reason for the policies, as free text for people (seed 1, `metadata.validationPolicyRationale`).
    pub rationale: Option<String>,
}

/// Severities that count as errors in addition to errors themselves, for all tools (ruling 22, `criticalSeverities`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CriticalSeverities {
    /// Whether warnings count as errors.
    pub warnings: bool,
    /// Whether notes, hints and similar findings count as errors.
    pub infos: bool,
}

/// Categories of validation tools that a policy can apply to (seed 1, `validationPolicy`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Category {
    /// Linters.
    Linting,
    /// Type checkers.
    TypeChecking,
    /// Compilers.
    Compilation,
    /// Formatters. Seed 1's schema counts them as linters. Their default is WARN_ONLY, so the strategy for
    /// linters never applies to them.
    Formatting,
}

impl Category {
    /// Returns what the tools of the category are called.
    pub fn tools(self) -> &'static str {
        match self {
            Self::Linting => "linters",
            Self::TypeChecking => "type checkers",
            Self::Compilation => "compilers",
            Self::Formatting => "formatters",
        }
    }
}

words! {
    /// Rule for which findings of a tool block (seed 1, "Blocking strategies", without their `BLOCK_ON_` prefix).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
    pub enum Strategy {
        /// Any error blocks, with the highest severity.
        ErrorsAlways = "BLOCK_ON_ERRORS_ALWAYS",
        /// Errors block, warnings do not.
        ErrorsOnly = "BLOCK_ON_ERRORS_ONLY",
        /// Errors and warnings block.
        ErrorsAndWarnings = "BLOCK_ON_ERRORS_AND_WARNINGS",
        /// Nothing blocks; all findings are reported.
        WarnOnly = "WARN_ONLY",
        /// Findings are ignored.
        Never = "NEVER",
    }
}

/// The policy of one tool (seed 1, "ESLint-specific configuration").
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolPolicy {
    /// Whether the tool's findings can block. If not, they are reported with severity LOW.
    pub enabled: bool,
    /// Strategy of the tool. None: the strategy of its category applies.
    pub block_on: Option<Strategy>,
    /// Whether every warning counts as an error.
    pub treat_warnings_as_errors: bool,
    /// Maximum number of warnings; one more blocks. None: no limit.
    pub max_warnings: Option<u64>,
    /// Rules whose findings are ignored.
    pub ignored_rules: Vec<String>,
    /// Rules whose warnings count as errors.
    pub error_on_rules: Vec<String>,
    /// Whether findings that only a type checker's strict mode raises count, see [`crate::strictness`].
    #[serde(default = "yes")]
    pub strict_mode: bool,
    /// Whether an implicit `any` is allowed, so that findings about it do not count, see [`crate::strictness`].
    #[serde(default)]
    pub allow_implicit_any: bool,
}

/// Plans stored before the option existed are judged as they were then.
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
