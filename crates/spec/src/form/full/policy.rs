//! Shape of policies and criteria.

use crate::form::keys::object;
use crate::form::policy::{self, CRITICAL_SEVERITIES, SEVERITIES, STRATEGY};
use crate::form::shape::{Map, Others, Shape, Text};
use crate::form::terms::{ANY_TEXT, keyword, optional, required};

object!(pub(super) VALIDATION_POLICY: ValidationPolicy {
    name: "validationPolicy",
    what: "a validation policy",
    doc: "How findings of tools are judged. A tool's own policy goes before its category's.",
    fields: &[
        linting: optional("Policy for linters. Default ERRORS_ONLY.", Shape::Object(&CATEGORY_POLICY)),
        type_checking: optional("Policy for type checkers. Default ERRORS_ALWAYS.", Shape::Object(&CATEGORY_POLICY)),
        compilation: optional("Policy for compilers. Default ERRORS_ALWAYS.", Shape::Object(&CATEGORY_POLICY)),
        formatting: optional("Policy for formatters. Default WARN_ONLY.", Shape::Object(&CATEGORY_POLICY)),
        critical_severities: optional(CRITICAL_SEVERITIES, SEVERITIES),
        flaky: optional("What a pass after a failure counts for. Default ALLOW.", keyword(&["FAIL", "ALLOW"])),
    ],
    also: &[tools: "tools"],
    others: Others::Refused,
});

object!(CATEGORY_POLICY: CategoryPolicy {
    name: "categoryPolicy",
    what: "a category's policy",
    doc: "How findings of a category's tools are judged.",
    fields: &[
        strategy: optional("Which findings prevent a pass.", STRATEGY),
        tools: optional("Policies of tools, by their names.", Shape::Map(&TOOLS)),
    ],
    others: Others::Refused,
});

static TOOLS: Map = Map {
    what: "a mapping of tools to policies",
    key: Text { what: "the name of a tool (letters, digits, - and _)", pattern: Some("^[A-Za-z0-9_-]{1,64}$") },
    value: Shape::Object(&policy::TOOL_POLICY),
    min: 0,
};

object!(pub(super) VALIDATION_CRITERIA: ValidationCriteria {
    name: "validationCriteria",
    what: "a set of validation criteria",
    doc: "Conditions over the actions of a task.",
    fields: &[
        success_conditions: optional("Conditions that must all hold for a pass.", CONDITIONS),
        failure_conditions: optional("Conditions of which none may hold for a pass.", CONDITIONS),
        expected_output: optional("What the last command must have printed.", Shape::Object(&EXPECTED_OUTPUT)),
    ],
    others: Others::Refused,
});

const CONDITIONS: Shape = Shape::List { item: &Shape::Object(&CONDITION), min: 0 };

object!(CONDITION: Condition {
    name: "condition",
    what: "a condition",
    doc: "A condition over the actions of a task.",
    fields: &[
        condition: required("What must hold, such as `STEP.1.exitCode === 0`.", Shape::Text(ANY_TEXT)),
        description: required("Meaning of the condition, for people.", Shape::Text(ANY_TEXT)),
    ],
    others: Others::Refused,
});

object!(EXPECTED_OUTPUT: ExpectedOutput {
    name: "expectedOutput",
    what: "an expected output",
    doc: "What the last step that runs a command must have printed and exited with.",
    fields: &[
        stdout_contains: optional(
            "Texts that must occur in its standard output.",
            Shape::List { item: &Shape::Text(ANY_TEXT), min: 0 },
        ),
        stderr_empty: optional("Whether its standard error must be empty. False asks for nothing.", Shape::Boolean),
        exit_code: optional(
            "Exit code of the task's last command.",
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
            "Whether every step must pass, or fail without blocking. Default true.",
            Shape::Boolean,
        ),
        minimum_pass_rate: optional(
            "Least pass rate in percent, where not all must pass. Default 100.",
            Shape::Number { min: 0.0, max: 100.0 },
        ),
        required_evidence: optional(
            "Kinds of evidence that must have been collected. Default: none.",
            Shape::List {
                item: &keyword(&[
                    "test-execution-log",
                    "terminal-output",
                    "screenshots",
                    "api-responses",
                    "error-logs",
                    "performance-metrics",
                ]),
                min: 0,
            },
        ),
        task_status_lock: optional(
            "Whether the status may only be changed by a judged run. Default true.",
            Shape::Boolean,
        ),
    ],
    others: Others::Refused,
});
