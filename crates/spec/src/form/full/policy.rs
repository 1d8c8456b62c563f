//! Shape of policies and criteria.

use crate::form::keys::object;
use crate::form::policy::{self, CRITICAL_SEVERITIES, SEVERITIES, STRATEGY};
use crate::form::shape::{Map, Shape};
use crate::form::terms::{ANY_TEXT, TOOL, keyword, optional, required};

object! {
    /// How findings of tools are judged. A tool's own policy goes before its category's.
    pub(super) VALIDATION_POLICY: ValidationPolicy = "validationPolicy", "a validation policy" {
        /// Policy for linters. Default ERRORS_ONLY.
        linting: optional(Shape::Object(&CATEGORY_POLICY)),
        /// Policy for type checkers. Default ERRORS_ALWAYS.
        type_checking: optional(Shape::Object(&CATEGORY_POLICY)),
        /// Policy for compilers. Default ERRORS_ALWAYS.
        compilation: optional(Shape::Object(&CATEGORY_POLICY)),
        /// Policy for formatters. Default WARN_ONLY.
        formatting: optional(Shape::Object(&CATEGORY_POLICY)),
        critical_severities: optional(CRITICAL_SEVERITIES, SEVERITIES),
        /// What a pass after a failure counts for. Default ALLOW.
        flaky: optional(keyword(&["FAIL", "ALLOW"])),
    } also { tools: "tools" }
}

object! {
    /// How findings of a category's tools are judged.
    CATEGORY_POLICY: CategoryPolicy = "categoryPolicy", "a category's policy" {
        /// Which findings prevent a pass.
        strategy: optional(STRATEGY),
        /// Policies of tools, by their names.
        tools: optional(Shape::Map(&TOOLS)),
    }
}

static TOOLS: Map =
    Map { what: "a mapping of tools to policies", key: TOOL, value: Shape::Object(&policy::TOOL_POLICY), min: 0 };

object! {
    /// Conditions over the actions of a task.
    pub(super) VALIDATION_CRITERIA: ValidationCriteria = "validationCriteria", "a set of validation criteria" {
        /// Conditions that must all hold for a pass.
        success_conditions: optional(CONDITIONS),
        /// Conditions of which none may hold for a pass.
        failure_conditions: optional(CONDITIONS),
        /// What the last command must have printed.
        expected_output: optional(Shape::Object(&EXPECTED_OUTPUT)),
    }
}

const CONDITIONS: Shape = Shape::List { item: &Shape::Object(&CONDITION), min: 0 };

object! {
    /// A condition over the actions of a task.
    CONDITION: Condition = "condition", "a condition" {
        /// What must hold, such as `STEP.1.exitCode === 0`.
        condition: required(Shape::Text(ANY_TEXT)),
        /// Meaning of the condition, for people.
        description: required(Shape::Text(ANY_TEXT)),
    }
}

object! {
    /// What the last step that runs a command must have printed and exited with.
    EXPECTED_OUTPUT: ExpectedOutput = "expectedOutput", "an expected output" {
        /// Texts that must occur in its standard output.
        stdout_contains: optional(Shape::List { item: &Shape::Text(ANY_TEXT), min: 0 }),
        /// Whether its standard error must be empty. False asks for nothing.
        stderr_empty: optional(Shape::Boolean),
        /// Exit code of the task's last command.
        exit_code: optional(Shape::Integer { min: i32::MIN as i64, max: i32::MAX as i64 }),
    }
}

object! {
    /// When the task counts as complete.
    pub(super) COMPLETION: Completion = "completionCriteria", "a set of completion criteria" {
        /// Whether every step must pass, or fail without blocking. Default true.
        all_steps_must_pass: optional(Shape::Boolean),
        /// Least pass rate in percent, where not all must pass. Default 100.
        minimum_pass_rate: optional(Shape::Number { min: 0.0, max: 100.0 }),
        /// Kinds of evidence that must have been collected. Default: none.
        required_evidence: optional(
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
        /// Whether the status may only be changed by a judged run. Default true.
        task_status_lock: optional(Shape::Boolean),
    }
}
