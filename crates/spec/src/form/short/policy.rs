//! Policies, completion and debt in the short form.

use crate::form::keys::object;
use crate::form::policy::{self, CRITICAL_SEVERITIES, SEVERITIES, STRATEGY};
use crate::form::shape::{Map, Shape};
use crate::form::terms::{TOOL, keyword, optional, required};

object! {
    /// How technical debt is kept and routed.
    pub(super) DEBT: Debt = "debt", "a way to keep technical debt" {
        /// Whether failures leave items at all. Default true.
        enabled: optional(Shape::Boolean),
        /// How items find their place. Default CAPACITY_BASED.
        routing: optional(keyword(&["CAPACITY_BASED", "SEVERITY_BASED", "MANUAL"])),
        /// Most items in the sprint. Default 6.
        sprint_items: optional(SPRINT_ITEMS),
        /// Most critical items in the sprint. Default 4.
        sprint_critical: optional(SPRINT_ITEMS),
        /// Severities that leave items. Default all.
        severities: optional(Shape::List { item: &keyword(&["CRITICAL", "HIGH", "MEDIUM", "LOW"]), min: 1 }),
    }
}

object! {
    /// A tool's own policy goes before its category's.
    pub(super) POLICY = "policy", "a set of policies", Named(&TOOLS) {
        /// Policy for findings of linters.
        linting: optional(Shape::Either(CATEGORY)),
        /// Policy for findings of type checkers.
        type_checking: optional(Shape::Either(CATEGORY)),
        /// Policy for findings of compilers.
        compilation: optional(Shape::Either(CATEGORY)),
        /// Policy for formatters. Default WARN_ONLY.
        formatting: optional(Shape::Either(CATEGORY)),
        critical_severities: optional(CRITICAL_SEVERITIES, SEVERITIES),
    }
}

/// Policy of a category: its strategy.
const CATEGORY: &[Shape] = &[STRATEGY, Shape::Object(&CATEGORY_POLICY)];

object! {
    /// What of the findings of a category's tools blocks.
    CATEGORY_POLICY = "categoryPolicy", "a category's policy" {
        /// Which findings prevent a pass.
        strategy: required(STRATEGY),
    }
}

/// Policies by name of the tool.
static TOOLS: Map = Map {
    what: "a mapping of tools to policies",
    key: TOOL,
    value: Shape::Either(&[STRATEGY, Shape::Object(&policy::TOOL_POLICY)]),
    min: 0,
};

object! {
    /// When the task counts as complete.
    pub(super) COMPLETION = "completion", "a set of completion criteria" {
        /// Whether every check must pass, or fail without blocking. Default true.
        all_steps_must_pass: optional(Shape::Boolean),
        /// Least pass rate in percent, where not all must pass. Default 100.
        minimum_pass_rate: optional(Shape::Number { min: 0.0, max: 100.0 }),
        /// Kinds of evidence that must have been collected. Default: terminal-output, if there is a command.
        required_evidence: optional(
            Shape::List {
                item: &keyword(&[
                    "terminal-output",
                    "test-execution-log",
                    "api-responses",
                    "error-logs",
                    "performance-metrics",
                    "screenshots",
                ]),
                min: 0,
            },
        ),
    }
}

const SPRINT_ITEMS: Shape = Shape::Integer { min: 0, max: 1_000_000 };
