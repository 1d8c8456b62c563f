//! Checks in the short form.

use super::browser_shape::{BROWSER, BROWSER_FIELDS};
use super::container_shape::{DOCKER, DOCKER_FIELDS};
use super::query_shape::{QUERY_FIELDS, SQL, SQL_FILE};
use super::{ACTION_DEADLINE, GRACE, PATH};
use crate::form::http::{
    BODY_LIMIT, CAPTURES, HEADER_ASSERTIONS, HEADERS, JSON_ASSERTIONS, METHODS, SCHEMA, STATUS, URL,
};
use crate::form::keys::{fields, object};
use crate::form::shape::{Field, Kind, Map, Shape, Text, Variants};
use crate::form::terms::{
    ANY_TEXT, COMMAND_LINE, COUNT, ENVIRONMENT, LINE, ONE_OR_MORE, RETRIES, argv, exit_code_only, keyword, no_tests,
    optional, pipefail, role, unsupported,
};

/// A check written as a mapping.
pub(super) static CHECK: Variants = Variants {
    name: "check",
    what: "a check",
    doc: "A command line, a command as a list, a file to look at, a request to make, a database to ask, a container, or \
          a page in a browser.",
    kinds: &[
        Kind { tag: RUN, fields: &[COMMAND, &[PIPEFAIL]] },
        Kind { tag: ARGV, fields: &[COMMAND] },
        Kind { tag: FILE, fields: &[FILE_FIELDS] },
        Kind { tag: HTTP, fields: &[HTTP_FIELDS] },
        Kind { tag: SQL, fields: &[QUERY_FIELDS] },
        Kind { tag: SQL_FILE, fields: &[QUERY_FIELDS] },
        Kind { tag: DOCKER, fields: &[COMMAND, DOCKER_FIELDS] },
        Kind { tag: BROWSER, fields: &[BROWSER_FIELDS] },
    ],
    shared: SHARED,
};

const RUN: Field = optional("run", "A command line, given to a shell.", Shape::Text(COMMAND_LINE));
const ARGV: Field = argv("argv");
const FILE: Field = optional(
    "file",
    "A file or directory, relative to the workspace; or a pattern (`*`, `**`, `?`, `[a-z]`, `{a,b}`) that names several files.",
    Shape::Text(PATH),
);
const HTTP: Field = optional("http", "A URL to make a request to.", Shape::Text(URL));

const PIPEFAIL: Field = pipefail("pipefail");

fields! {
    SHARED: Check {
        /// What the check is for.
        _description: optional(Shape::Text(ANY_TEXT)),
        /// Checks of the same phase or an earlier one, and services, that must have passed before.
        needs: optional(ANY_NUMBER_OF_TEXTS),
        /// Time after which it is stopped. Default 5m; 10s for a request; 30s for a statement.
        timeout: optional(ACTION_DEADLINE),
        /// Whether later checks run although this one failed and blocks.
        continue_on_failure: optional(Shape::Boolean),
        /// How often it is tried again after a failure that blocks. Default 0.
        retries: optional(RETRIES),
        /// The outcome that it must have, and tests that must pass.
        expect: optional(Shape::Object(&EXPECT)),
        /// The smallest profile that it runs under. Default: told from what it does.
        profile: optional(keyword(&["smoke", "fast", "strict"])),
        /// A check is run to its end: what runs on belongs under `services`.
        background: optional(Shape::Boolean),
        /// What a pass after a failure of this one counts for.
        _flaky: unsupported(),
    }
}

fields! {
    COMMAND: Command {
        /// Directory to run in, relative to the workspace. Default: the workspace.
        cwd: optional(Shape::Text(PATH)),
        /// Variables for this command alone.
        env: optional(ENVIRONMENT),
        /// Time between the polite signal and the final one. Default 2s.
        grace: optional(GRACE),
        role: role(),
        /// Exit codes that count as success. Default 0 alone.
        expected_exit_codes: optional(Shape::List { item: &Shape::Integer { min: 0, max: 255 }, min: 1 }),
        allow_no_tests: no_tests(),
        exit_code_only: exit_code_only(),
        /// What of it is kept as evidence.
        evidence: optional(Shape::Object(&OUTPUT_EVIDENCE)),
    } also { run: RUN.name, argv: ARGV.name, pipefail: PIPEFAIL.name }
}

object! {
    /// What of a command's output is kept as evidence.
    pub(super) OUTPUT_EVIDENCE: OutputEvidence = "outputEvidence", "a choice of evidence" {
        /// Whether standard output is kept. Default true.
        stdout: optional(Shape::Boolean),
        /// Whether standard error is kept. Default true.
        stderr: optional(Shape::Boolean),
    }
}

fields! {
    FILE_FIELDS: File {
        /// Smallest size of the file, in bytes.
        min_size: optional(COUNT),
        /// Largest size of the file, in bytes.
        max_size: optional(COUNT),
        /// Texts that must all occur in the file.
        contains: optional(ONE_OR_MORE),
        /// Regular expressions that must match.
        matches: optional(ONE_OR_MORE),
        /// SHA-256 of the whole content.
        sha256: optional(Shape::Text(Text { what: "64 hexadecimal digits", pattern: Some("^[0-9a-fA-F]{64}$") })),
        /// Whether it must not exist. Default false.
        absent: optional(Shape::Boolean),
        /// A data format that it must be well-formed in.
        valid: optional(keyword(&["json", "yaml"])),
        /// A JSON Schema that it must hold to: as it is, or the path of one.
        schema: optional(SCHEMA),
        /// Whether the path is a pattern. Default: told from its characters.
        glob: optional(Shape::Boolean),
        /// What of it is kept as evidence.
        evidence: optional(Shape::Object(&CONTENT_EVIDENCE)),
    } also { file: FILE.name }
}

object! {
    /// What of a file is kept as evidence.
    CONTENT_EVIDENCE: ContentEvidence = "contentEvidence", "a choice of evidence" {
        /// Whether the file's content is kept. Default false.
        content: optional(Shape::Boolean),
    }
}

fields! {
    HTTP_FIELDS: Http {
        /// The method. Default GET.
        method: optional(
            Shape::Keyword { words: METHODS, also: &["get", "post", "put", "patch", "delete", "head", "options"] },
        ),
        /// Headers of the request, by name.
        headers: optional(HEADERS),
        /// The body to send: a mapping or a list is sent as JSON, a text as it is.
        body: optional(
            Shape::Either(&[
                Shape::Text(ANY_TEXT),
                Shape::List { item: &Shape::Any, min: 0 },
                Shape::Map(&Map { what: "a JSON body", key: ANY_TEXT, value: Shape::Any, min: 0 }),
            ]),
        ),
        /// The status that is expected: `200`, `2xx`, `200-299`, or several. Default 200 to 399.
        status: optional(STATUS),
        /// What is expected in a JSON answer, by JSON path (RFC 9535).
        json: optional(JSON_ASSERTIONS),
        /// What is expected of the answer's headers.
        header: optional(HEADER_ASSERTIONS),
        /// Texts that must occur in the answer's body.
        contains: optional(ONE_OR_MORE),
        /// Regular expressions that the answer's body must match.
        matches: optional(ONE_OR_MORE),
        /// A JSON Schema that the answer must hold to: as it is, or the path of one.
        schema: optional(SCHEMA),
        /// Time within which the answer must be there whole.
        max_duration: optional(ACTION_DEADLINE),
        /// What is taken from the answer for later checks, which use it as `${name}`.
        capture: optional(CAPTURES),
        /// Whether redirects are followed. Default true.
        redirects: optional(Shape::Boolean),
        /// How certificates are checked; false: not at all.
        tls: optional(Shape::Either(TLS_FORMS)),
        /// Most bytes of the answer's body that are taken. Default 16 MiB.
        body_limit: optional(BODY_LIMIT),
        /// What of it is kept as evidence.
        evidence: optional(Shape::Object(&BODY_EVIDENCE)),
    } also { http: HTTP.name }
}

const TLS_FORMS: &[Shape] = &[Shape::Boolean, Shape::Object(&TLS)];

object! {
    /// How certificates are checked.
    TLS: Tls = "tls", "a way to check certificates" {
        /// Whether they are checked. Default true.
        verify: optional(Shape::Boolean),
        /// A file of certificates (PEM) that are trusted beside the well-known ones, relative to the workspace.
        ca: optional(Shape::Text(PATH)),
    }
}

object! {
    /// What of an answer is kept as evidence.
    BODY_EVIDENCE: BodyEvidence = "bodyEvidence", "a choice of evidence" {
        /// Whether the body of the answer is kept. Default true.
        body: optional(Shape::Boolean),
    }
}

object! {
    /// The outcome that a check must have, and tests that must pass.
    EXPECT = "expect", "an expectation" {
        /// The outcome that it must have. SUCCESS by word lets no policy excuse a failure.
        outcome: optional(keyword(&["SUCCESS", "TEST_FAILURE", "VALIDATION_FAILURE", "EXECUTION_ERROR", "TIMEOUT"])),
        /// Names of tests that must run and pass.
        tests: optional(Shape::Object(&EXPECTED_TESTS)),
    }
}

object! {
    /// Tests that must run and pass; one that is absent is a failure.
    EXPECTED_TESTS = "expectedTests", "a choice of tests" {
        /// Tests that failed before and must pass now; in a red phase they must still fail.
        fail_to_pass: optional(ONE_OR_MORE_LINES),
        /// Tests that passed before and must still pass.
        pass_to_pass: optional(ONE_OR_MORE_LINES),
    }
}

const ONE_OR_MORE_LINES: Shape = Shape::Either(&[Shape::Text(LINE), Shape::List { item: &Shape::Text(LINE), min: 1 }]);
const ANY_NUMBER_OF_TEXTS: Shape =
    Shape::Either(&[Shape::Text(ANY_TEXT), Shape::List { item: &Shape::Text(ANY_TEXT), min: 0 }]);
