//! Policies in both forms: which findings block, and how the findings of one tool are judged.

use super::keys::object;
use super::shape::Shape;
use super::terms::{COUNT, LINE, keyword, optional};

object! {
    /// How the findings of one tool are judged.
    pub(super) TOOL_POLICY: ToolPolicy = "toolPolicy", "a tool's policy" {
        /// False: reported, never blocking. Default true.
        enabled: optional(Shape::Boolean),
        /// What blocks. Default: the category's strategy.
        block_on: optional(STRATEGY),
        /// Whether every warning counts as an error. Default false.
        treat_warnings_as_errors: optional(Shape::Boolean),
        /// Warnings allowed; one more blocks. Default: no limit.
        max_warnings: optional(Shape::Either(&[COUNT, Shape::Null])),
        /// Rules whose findings do not count.
        ignored_rules: optional(RULES),
        /// Rules whose warnings count as errors.
        error_on_rules: optional(RULES),
        strict_mode: optional(STRICT_MODE, Shape::Boolean),
        allow_implicit_any: optional(ALLOW_IMPLICIT_ANY, Shape::Boolean),
    }
}

const RULES: Shape = Shape::List { item: &Shape::Text(LINE), min: 0 };

const STRICT_MODE: &str = "False: what only a type checker's strictness raises does not count. For tsc, deno, svelte-check, mypy and pyright. \
     Default true.";

const ALLOW_IMPLICIT_ANY: &str =
    "Whether what an implicit `any` raises does not count. For the same tools. Default false.";

pub(super) const CRITICAL_SEVERITIES: &str =
    "Severities whose findings count as errors, whatever the tool; `error` must be among them. Default: errors alone.";

pub(super) const SEVERITIES: Shape = Shape::List { item: &keyword(&["error", "warning", "info"]), min: 1 };

/// Strategy: which findings of a tool block, with or without the prefix of seed 1.
pub(super) const STRATEGY: Shape = Shape::Keyword {
    words: &["ERRORS_ALWAYS", "ERRORS_ONLY", "ERRORS_AND_WARNINGS", "WARN_ONLY", "NEVER"],
    also: &[
        "BLOCK_ON_ERRORS_ALWAYS",
        "BLOCK_ON_ERRORS_ONLY",
        "BLOCK_ON_ERRORS_AND_WARNINGS",
        "BLOCK_ON_WARN_ONLY",
        "BLOCK_ON_NEVER",
    ],
};
