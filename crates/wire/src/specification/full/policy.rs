//! Policies and criteria.

use crate::specification::shape::{Map, Object, Others, Shape, Text};
use crate::specification::terms::{
    ALLOW_IMPLICIT_ANY, ANY_TEXT, CRITICAL_SEVERITIES, RULES, SEVERITIES, STRATEGY, STRICT_MODE, optional, required,
};

/// How findings of tools are judged (ruling 10).
pub(super) static VALIDATION_POLICY: Object = Object {
    name: "validationPolicy",
    what: "a validation policy",
    doc: "How findings of tools are judged. A tool's own policy goes before its category's.",
    fields: &[
        optional("linting", "Linters. Default ERRORS_ONLY.", Shape::Object(&CATEGORY_POLICY)),
        optional("typeChecking", "Type checkers. Default ERRORS_ALWAYS.", Shape::Object(&CATEGORY_POLICY)),
        optional("compilation", "Compilers. Default ERRORS_ALWAYS.", Shape::Object(&CATEGORY_POLICY)),
        optional("formatting", "Formatters. Default WARN_ONLY.", Shape::Object(&CATEGORY_POLICY)),
        optional("criticalSeverities", CRITICAL_SEVERITIES, SEVERITIES),
        optional(
            "flaky",
            "What a pass after a failure counts for. Default ALLOW.",
            Shape::Keyword { words: &["FAIL", "ALLOW"], also: &[] },
        ),
    ],
    others: Others::Refused,
};

static CATEGORY_POLICY: Object = Object {
    name: "categoryPolicy",
    what: "a category's policy",
    doc: "How findings of a category's tools are judged.",
    fields: &[
        optional("strategy", "What blocks.", STRATEGY),
        optional("tools", "Policies of tools, by their names.", Shape::Map(&TOOLS)),
    ],
    others: Others::Refused,
};

static TOOLS: Map = Map {
    what: "a mapping of tools to policies",
    key: Text { what: "the name of a tool (letters, digits, - and _)", pattern: Some("^[A-Za-z0-9_-]{1,64}$") },
    value: Shape::Object(&TOOL_POLICY),
    min: 0,
};

static TOOL_POLICY: Object = Object {
    name: "toolPolicy",
    what: "a tool's policy",
    doc: "How the findings of one tool are judged.",
    fields: &[
        optional("enabled", "False: reported, never blocking. Default true.", Shape::Boolean),
        optional("blockOn", "What blocks. Default: the category's strategy.", STRATEGY),
        optional("treatWarningsAsErrors", "Whether every warning counts as an error. Default false.", Shape::Boolean),
        optional(
            "maxWarnings",
            "Warnings allowed; one more blocks. Default: no limit.",
            Shape::Either(&[Shape::Integer { min: 0, max: (1 << 53) - 1 }, Shape::Null]),
        ),
        optional("ignoredRules", "Rules whose findings do not count.", RULES),
        optional("errorOnRules", "Rules whose warnings count as errors.", RULES),
        optional("strictMode", STRICT_MODE, Shape::Boolean),
        optional("allowImplicitAny", ALLOW_IMPLICIT_ANY, Shape::Boolean),
    ],
    others: Others::Refused,
};

/// Conditions over the actions of a task (ruling 14).
pub(super) static VALIDATION_CRITERIA: Object = Object {
    name: "validationCriteria",
    what: "a set of validation criteria",
    doc: "Conditions over the actions of a task.",
    fields: &[
        optional("successConditions", "Each must be met.", CONDITIONS),
        optional("failureConditions", "None may be triggered.", CONDITIONS),
        optional("expectedOutput", "What the last command must have printed.", Shape::Object(&EXPECTED_OUTPUT)),
    ],
    others: Others::Refused,
};

const CONDITIONS: Shape = Shape::List { item: &Shape::Object(&CONDITION), min: 0 };

static CONDITION: Object = Object {
    name: "condition",
    what: "a condition",
    doc: "A condition over the actions of a task.",
    fields: &[
        required("condition", "What must hold, such as `STEP.1.exitCode === 0`.", Shape::Text(ANY_TEXT)),
        required("description", "A line for people.", Shape::Text(ANY_TEXT)),
    ],
    others: Others::Refused,
};

static EXPECTED_OUTPUT: Object = Object {
    name: "expectedOutput",
    what: "an expected output",
    doc: "What the last step that runs a command must have printed and exited with.",
    fields: &[
        optional(
            "stdoutContains",
            "Texts that must occur in its standard output.",
            Shape::List { item: &Shape::Text(ANY_TEXT), min: 0 },
        ),
        optional("stderrEmpty", "Whether its standard error must be empty. False asks for nothing.", Shape::Boolean),
        optional("exitCode", "Its exit code.", Shape::Integer { min: i32::MIN as i64, max: i32::MAX as i64 }),
    ],
    others: Others::Refused,
};

/// When a task counts as complete.
pub(super) static COMPLETION: Object = Object {
    name: "completionCriteria",
    what: "a set of completion criteria",
    doc: "When the task counts as complete.",
    fields: &[
        optional(
            "allStepsMustPass",
            "Whether every step must pass, or fail without blocking. Default true.",
            Shape::Boolean,
        ),
        optional(
            "minimumPassRate",
            "Least pass rate in percent, where not all must pass. Default 100.",
            Shape::Number { min: 0.0, max: 100.0 },
        ),
        optional(
            "requiredEvidence",
            "Kinds of evidence that must have been collected. Default: none.",
            Shape::List {
                item: &Shape::Keyword {
                    words: &[
                        "test-execution-log",
                        "terminal-output",
                        "screenshots",
                        "api-responses",
                        "error-logs",
                        "performance-metrics",
                    ],
                    also: &[],
                },
                min: 0,
            },
        ),
        optional(
            "taskStatusLock",
            "Whether the status may only be changed by a judged run. Default true.",
            Shape::Boolean,
        ),
    ],
    others: Others::Refused,
};
