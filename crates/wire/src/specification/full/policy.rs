//! Policies and criteria.

use crate::specification::keys::object;
use crate::specification::shape::{Map, Others, Shape, Text};
use crate::specification::terms::{
    ALLOW_IMPLICIT_ANY, ANY_TEXT, CRITICAL_SEVERITIES, RULES, SEVERITIES, STRATEGY, STRICT_MODE, optional, required,
};

object!(pub(super) VALIDATION_POLICY: ValidationPolicy {
    name: "validationPolicy",
    what: "a validation policy",
    doc: "How findings of tools are judged. A tool's own policy goes before its category's.",
    fields: &[
        linting: optional("linting", "Linters. Default ERRORS_ONLY.", Shape::Object(&CATEGORY_POLICY)),
        type_checking: optional(
            "typeChecking",
            "Type checkers. Default ERRORS_ALWAYS.",
            Shape::Object(&CATEGORY_POLICY),
        ),
        compilation: optional("compilation", "Compilers. Default ERRORS_ALWAYS.", Shape::Object(&CATEGORY_POLICY)),
        formatting: optional("formatting", "Formatters. Default WARN_ONLY.", Shape::Object(&CATEGORY_POLICY)),
        critical_severities: optional("criticalSeverities", CRITICAL_SEVERITIES, SEVERITIES),
        flaky: optional(
            "flaky",
            "What a pass after a failure counts for. Default ALLOW.",
            Shape::Keyword { words: &["FAIL", "ALLOW"], also: &[] },
        ),
    ],
    also: &[tools: "tools"],
    others: Others::Refused,
});

object!(CATEGORY_POLICY: CategoryPolicy {
    name: "categoryPolicy",
    what: "a category's policy",
    doc: "How findings of a category's tools are judged.",
    fields: &[
        strategy: optional("strategy", "What blocks.", STRATEGY),
        tools: optional("tools", "Policies of tools, by their names.", Shape::Map(&TOOLS)),
    ],
    others: Others::Refused,
});

static TOOLS: Map = Map {
    what: "a mapping of tools to policies",
    key: Text { what: "the name of a tool (letters, digits, - and _)", pattern: Some("^[A-Za-z0-9_-]{1,64}$") },
    value: Shape::Object(&TOOL_POLICY),
    min: 0,
};

object!(TOOL_POLICY: ToolPolicy {
    name: "toolPolicy",
    what: "a tool's policy",
    doc: "How the findings of one tool are judged.",
    fields: &[
        enabled: optional("enabled", "False: reported, never blocking. Default true.", Shape::Boolean),
        block_on: optional("blockOn", "What blocks. Default: the category's strategy.", STRATEGY),
        treat_warnings_as_errors: optional(
            "treatWarningsAsErrors",
            "Whether every warning counts as an error. Default false.",
            Shape::Boolean,
        ),
        max_warnings: optional(
            "maxWarnings",
            "Warnings allowed; one more blocks. Default: no limit.",
            Shape::Either(&[Shape::Integer { min: 0, max: (1 << 53) - 1 }, Shape::Null]),
        ),
        ignored_rules: optional("ignoredRules", "Rules whose findings do not count.", RULES),
        error_on_rules: optional("errorOnRules", "Rules whose warnings count as errors.", RULES),
        strict_mode: optional("strictMode", STRICT_MODE, Shape::Boolean),
        allow_implicit_any: optional("allowImplicitAny", ALLOW_IMPLICIT_ANY, Shape::Boolean),
    ],
    others: Others::Refused,
});

object!(pub(super) VALIDATION_CRITERIA: ValidationCriteria {
    name: "validationCriteria",
    what: "a set of validation criteria",
    doc: "Conditions over the actions of a task.",
    fields: &[
        success_conditions: optional("successConditions", "Each must be met.", CONDITIONS),
        failure_conditions: optional("failureConditions", "None may be triggered.", CONDITIONS),
        expected_output: optional(
            "expectedOutput",
            "What the last command must have printed.",
            Shape::Object(&EXPECTED_OUTPUT),
        ),
    ],
    others: Others::Refused,
});

const CONDITIONS: Shape = Shape::List { item: &Shape::Object(&CONDITION), min: 0 };

object!(CONDITION: Condition {
    name: "condition",
    what: "a condition",
    doc: "A condition over the actions of a task.",
    fields: &[
        condition: required("condition", "What must hold, such as `STEP.1.exitCode === 0`.", Shape::Text(ANY_TEXT)),
        description: required("description", "A line for people.", Shape::Text(ANY_TEXT)),
    ],
    others: Others::Refused,
});

object!(EXPECTED_OUTPUT: ExpectedOutput {
    name: "expectedOutput",
    what: "an expected output",
    doc: "What the last step that runs a command must have printed and exited with.",
    fields: &[
        stdout_contains: optional(
            "stdoutContains",
            "Texts that must occur in its standard output.",
            Shape::List { item: &Shape::Text(ANY_TEXT), min: 0 },
        ),
        stderr_empty: optional(
            "stderrEmpty",
            "Whether its standard error must be empty. False asks for nothing.",
            Shape::Boolean,
        ),
        exit_code: optional(
            "exitCode",
            "Its exit code.",
            Shape::Integer { min: i32::MIN as i64, max: i32::MAX as i64 },
        ),
    ],
    others: Others::Refused,
});

object!(pub(super) COMPLETION: Completion {
    name: "completionCriteria",
    what: "a set of completion criteria",
    doc: "When the task counts as complete.",
    fields: &[
        all_steps_must_pass: optional(
            "allStepsMustPass",
            "Whether every step must pass, or fail without blocking. Default true.",
            Shape::Boolean,
        ),
        minimum_pass_rate: optional(
            "minimumPassRate",
            "Least pass rate in percent, where not all must pass. Default 100.",
            Shape::Number { min: 0.0, max: 100.0 },
        ),
        required_evidence: optional(
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
        task_status_lock: optional(
            "taskStatusLock",
            "Whether the status may only be changed by a judged run. Default true.",
            Shape::Boolean,
        ),
    ],
    others: Others::Refused,
});
