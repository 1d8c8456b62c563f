//! Policies, completion and debt in the short form.

use crate::form::keys::object;
use crate::form::policy::{self, CRITICAL_SEVERITIES, SEVERITIES, STRATEGY};
use crate::form::shape::{Map, Object, Others, Shape, Text};
use crate::form::terms::{keyword, optional, required};

object!(pub(super) DEBT: Debt {
    name: "debt",
    what: "a way to keep technical debt",
    doc: "How technical debt is kept and routed.",
    fields: &[
        enabled: optional("Whether failures leave items at all. Default true.", Shape::Boolean),
        routing: optional(
            "How items find their place. Default CAPACITY_BASED.",
            keyword(&["CAPACITY_BASED", "SEVERITY_BASED", "MANUAL"]),
        ),
        sprint_items: optional("Most items in the sprint. Default 6.", SPRINT_ITEMS),
        sprint_critical: optional("Most critical items in the sprint. Default 4.", SPRINT_ITEMS),
        severities: optional(
            "Severities that leave items. Default all.",
            Shape::List { item: &keyword(&["CRITICAL", "HIGH", "MEDIUM", "LOW"]), min: 1 },
        ),
    ],
    others: Others::Refused,
});

/// Policies by category and by tool (ruling 10).
pub(super) static POLICY: Object = Object {
    name: "policy",
    what: "a set of policies",
    doc: "A tool's own policy goes before its category's.",
    fields: &[
        optional("linting", "Policy for findings of linters.", Shape::Either(CATEGORY)),
        optional("typeChecking", "Policy for findings of type checkers.", Shape::Either(CATEGORY)),
        optional("compilation", "Policy for findings of compilers.", Shape::Either(CATEGORY)),
        optional("formatting", "Policy for formatters. Default WARN_ONLY.", Shape::Either(CATEGORY)),
        optional("criticalSeverities", CRITICAL_SEVERITIES, SEVERITIES),
    ],
    others: Others::Named(&TOOLS),
};

/// Policy of a category: its strategy.
const CATEGORY: &[Shape] = &[STRATEGY, Shape::Object(&CATEGORY_POLICY)];

static CATEGORY_POLICY: Object = Object {
    name: "categoryPolicy",
    what: "a category's policy",
    doc: "What of the findings of a category's tools blocks.",
    fields: &[required("strategy", "Which findings prevent a pass.", STRATEGY)],
    others: Others::Refused,
};

/// Policies by name of the tool.
static TOOLS: Map = Map {
    what: "a mapping of tools to policies",
    key: Text { what: "the name of a tool (letters, digits, - and _)", pattern: Some("^[A-Za-z0-9_-]{1,64}$") },
    value: Shape::Either(&[STRATEGY, Shape::Object(&policy::TOOL_POLICY)]),
    min: 0,
};

/// Conditions for a complete task.
pub(super) static COMPLETION: Object = Object {
    name: "completion",
    what: "a set of completion criteria",
    doc: "When the task counts as complete.",
    fields: &[
        optional(
            "allStepsMustPass",
            "Whether every check must pass, or fail without blocking. Default true.",
            Shape::Boolean,
        ),
        optional(
            "minimumPassRate",
            "Least pass rate in percent, where not all must pass. Default 100.",
            Shape::Number { min: 0.0, max: 100.0 },
        ),
        optional(
            "requiredEvidence",
            "Kinds of evidence that must have been collected. Default: terminal-output, if there is a command.",
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
    ],
    others: Others::Refused,
};

const SPRINT_ITEMS: Shape = Shape::Integer { min: 0, max: 1_000_000 };
