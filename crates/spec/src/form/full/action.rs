//! Shape of actions.

use super::ACTION_DEADLINE;
use super::parameters::{BROWSER, DATABASE, DOCKER, FILE, HTTP, SCRIPT, TERMINAL};
use super::texts::ACTION_ID;
use crate::form::keys::{fields, object};
use crate::form::shape::{Case, Field, Others, Shape, Tagged};
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

fields!(ACTION_FIELDS: Action {
    fields: &[
        action_id: required("Its id, unique in the task.", Shape::Text(ACTION_ID)),
        description: required("One-line summary of the action, for people.", Shape::Text(LINE)),
        evidence_capture: optional("What is kept as evidence.", Shape::Object(&EVIDENCE_CAPTURE)),
        timeout: optional("Milliseconds after which it is stopped.", ACTION_DEADLINE),
        retry_attempts: optional("How often it is tried again after a failure. Default 0.", RETRIES),
        retries: optional("Another spelling of `retryAttempts`.", RETRIES),
        continue_on_failure: optional(
            "Whether later steps run although this one failed and blocks. Default false.",
            Shape::Boolean,
        ),
        depends_on: optional(
            "Ids of actions of the same phase or an earlier one that must have passed before.",
            Shape::Either(&[Shape::Text(ACTION_ID), Shape::List { item: &Shape::Text(ACTION_ID), min: 0 }]),
        ),
        expect: optional("The failure that is expected, and the tests that are.", Shape::Object(&EXPECT)),
        profile: optional(
            "The smallest profile that it runs under. Default: told from what it does.",
            keyword(&["smoke", "fast", "strict"]),
        ),
        _success_criteria: unsupported("What must come of it; conditions of the task say that."),
    ],
    also: &[kind: TYPE, parameters: "parameters", name: "name", grace: "grace"],
});

const TYPE: &str = "type";

const fn parameters(shape: Shape) -> Field {
    required("parameters", "What is done, in detail; told by `type`.", shape)
}

object!(EVIDENCE_CAPTURE: EvidenceCapture {
    name: "evidenceCapture",
    what: "a selection of evidence",
    doc: "What of an action is kept as evidence.",
    fields: &[
        stdout: optional("Standard output of a command. Default true.", Shape::Boolean),
        stderr: optional("Standard error of a command. Default true.", Shape::Boolean),
        _exit_code: optional("The exit code; always kept.", Shape::Boolean),
        duration: optional(
            "How long it took, as a metric of performance; reports tell it always. Default true.",
            Shape::Boolean,
        ),
        request_response: optional("The body of an HTTP answer. Default true.", Shape::Boolean),
        response_body: optional("Another spelling of `requestResponse`.", Shape::Boolean),
        file_contents: optional("The content of a file. Default false.", Shape::Boolean),
        _screenshots: optional("Pictures of a browser; always kept.", Shape::Boolean),
        _dom_snapshot: optional("The page in a browser; without effect.", Shape::Boolean),
    ],
    others: Others::Refused,
});

object!(EXPECT: Expect {
    name: "expect",
    what: "an expectation",
    doc: "What is expected of an action beside success.",
    fields: &[
        outcome: optional(
            "The outcome that it must have. SUCCESS by word lets no policy excuse a failure.",
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
        tests: optional("Tests that must run and pass.", Shape::Object(&EXPECTED_TESTS)),
    ],
    others: Others::Refused,
});

object!(EXPECTED_TESTS: ExpectedTests {
    name: "expectedTests",
    what: "a selection of tests",
    doc: "Tests that must run and pass; one that is absent is a failure.",
    fields: &[
        fail_to_pass: optional(
            "Tests that failed before and must pass now; in a red phase they must still fail.",
            TEXTS,
        ),
        pass_to_pass: optional("Tests that passed before and must still pass.", TEXTS),
    ],
    others: Others::Refused,
});
