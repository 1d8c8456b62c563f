//! Shape of actions.

use super::ACTION_DEADLINE;
use super::parameters::{BROWSER, DATABASE, DOCKER, FILE, HTTP, SCRIPT, TERMINAL};
use super::texts::ACTION_ID;
use crate::form::keys::{fields, object};
use crate::form::shape::{Case, Field, Shape, Tagged};
use crate::form::terms::{LINE, RETRIES, TEXTS, keyword, optional, required, unsupported};

/// Action types of the form.
pub(super) const ACTION_TYPES: &[&str] = &[
    "TERMINAL_COMMAND",
    "MCP_BROWSER_COMMAND",
    "DOCKER_COMMAND",
    "DATABASE_QUERY",
    "HTTP_REQUEST",
    "CUSTOM_SCRIPT",
    "FILE_VALIDATION",
];

/// An action; its type determines its parameters.
pub(super) static ACTION: Tagged = Tagged {
    name: "action",
    what: "an action",
    doc: "One thing to do.",
    tag: TYPE,
    tag_doc: "What is done.",
    cases: &[
        Case { word: "TERMINAL_COMMAND", fields: &[parameters(Shape::Variants(&TERMINAL))] },
        Case { word: "MCP_BROWSER_COMMAND", fields: &[parameters(Shape::Object(&BROWSER))] },
        Case { word: "DOCKER_COMMAND", fields: &[parameters(Shape::Object(&DOCKER))] },
        Case { word: "DATABASE_QUERY", fields: &[parameters(Shape::Object(&DATABASE))] },
        Case { word: "HTTP_REQUEST", fields: &[parameters(Shape::Object(&HTTP))] },
        Case { word: "CUSTOM_SCRIPT", fields: &[parameters(Shape::Object(&SCRIPT))] },
        Case { word: "FILE_VALIDATION", fields: &[parameters(Shape::Object(&FILE))] },
    ],
    fields: ACTION_FIELDS,
};

fields! {
    ACTION_FIELDS: Action {
        /// Its id, unique in the task.
        action_id: required(Shape::Text(ACTION_ID)),
        /// One-line summary of the action, for people.
        description: required(Shape::Text(LINE)),
        /// What is kept as evidence.
        evidence_capture: optional(Shape::Object(&EVIDENCE_CAPTURE)),
        /// Milliseconds after which it is stopped.
        timeout: optional(ACTION_DEADLINE),
        /// How often it is tried again after a failure. Default 0.
        retry_attempts: optional(RETRIES),
        /// Another spelling of `retryAttempts`.
        retries: optional(RETRIES),
        /// Whether later steps run although this one failed and blocks. Default false.
        continue_on_failure: optional(Shape::Boolean),
        /// Ids of actions of the same phase or an earlier one that must have passed before.
        depends_on: optional(
            Shape::Either(&[Shape::Text(ACTION_ID), Shape::List { item: &Shape::Text(ACTION_ID), min: 0 }]),
        ),
        /// The failure that is expected, and the tests that are.
        expect: optional(Shape::Object(&EXPECT)),
        /// The smallest profile that it runs under. Default: told from what it does.
        profile: optional(keyword(&["smoke", "fast", "strict"])),
        /// What must come of it; conditions of the task say that.
        _success_criteria: unsupported(),
    } also { kind: TYPE, parameters: "parameters", name: "name", grace: "grace" }
}

const TYPE: &str = "type";

const fn parameters(shape: Shape) -> Field {
    required("parameters", "What is done, in detail; told by `type`.", shape)
}

object! {
    /// What of an action is kept as evidence.
    EVIDENCE_CAPTURE: EvidenceCapture = "evidenceCapture", "a selection of evidence" {
        /// Standard output of a command. Default true.
        stdout: optional(Shape::Boolean),
        /// Standard error of a command. Default true.
        stderr: optional(Shape::Boolean),
        /// The exit code; always kept.
        _exit_code: optional(Shape::Boolean),
        /// How long it took, as a metric of performance; reports tell it always. Default true.
        duration: optional(Shape::Boolean),
        /// The body of an HTTP answer. Default true.
        request_response: optional(Shape::Boolean),
        /// Another spelling of `requestResponse`.
        response_body: optional(Shape::Boolean),
        /// The content of a file. Default false.
        file_contents: optional(Shape::Boolean),
        /// Pictures of a browser; always kept.
        _screenshots: optional(Shape::Boolean),
        /// The page in a browser; without effect.
        _dom_snapshot: optional(Shape::Boolean),
    }
}

object! {
    /// What is expected of an action beside success.
    EXPECT: Expect = "expect", "an expectation" {
        /// The outcome that it must have. SUCCESS by word lets no policy excuse a failure.
        outcome: optional(
            keyword(&[
                "SUCCESS",
                "TEST_FAILURE",
                "EXECUTION_ERROR",
                "VALIDATION_FAILURE",
                "TIMEOUT",
                "PREREQUISITE_FAILURE",
                "SPECIFICATION_ERROR",
            ]),
        ),
        /// Tests that must run and pass.
        tests: optional(Shape::Object(&EXPECTED_TESTS)),
    }
}

object! {
    /// Tests that must run and pass; one that is absent is a failure.
    EXPECTED_TESTS: ExpectedTests = "expectedTests", "a selection of tests" {
        /// Tests that failed before and must pass now; in a red phase they must still fail.
        fail_to_pass: optional(TEXTS),
        /// Tests that passed before and must still pass.
        pass_to_pass: optional(TEXTS),
    }
}
