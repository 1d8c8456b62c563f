//! Checks in the short form.

use super::browser_shape::{BROWSER, BROWSER_FIELDS};
use super::container_shape::{DOCKER, DOCKER_FIELDS};
use super::query_shape::{QUERY_FIELDS, SQL, SQL_FILE};
use super::{ACTION_DEADLINE, GRACE, PATH};
use crate::form::http::{
    BODY_LIMIT, CAPTURES, HEADER_ASSERTIONS, HEADERS, JSON_ASSERTIONS, METHODS, SCHEMA, STATUS, URL,
};
use crate::form::keys::{fields, object};
use crate::form::shape::{Field, Kind, Map, Object, Others, Shape, Text, Variants};
use crate::form::terms::{
    ANY_TEXT, COMMAND_LINE, COUNT, ENVIRONMENT, LINE, RETRIES, argv, exit_code_only, keyword, no_tests, optional,
    pipefail, role, unsupported,
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

fields!(SHARED: Check {
    fields: &[
        _description: optional("What the check is for.", Shape::Text(ANY_TEXT)),
        needs: optional(
            "Checks of the same phase or an earlier one, and services, that must have passed before.",
            ANY_NUMBER_OF_TEXTS,
        ),
        timeout: optional("Time after which it is stopped. Default 5m; 10s for a request; 30s for a statement.", ACTION_DEADLINE),
        continue_on_failure: optional("Whether later checks run although this one failed and blocks.", Shape::Boolean),
        retries: optional("How often it is tried again after a failure that blocks. Default 0.", RETRIES),
        expect: optional("The outcome that it must have, and tests that must pass.", Shape::Object(&EXPECT)),
        profile: optional(
            "The smallest profile that it runs under. Default: told from what it does.",
            keyword(&["smoke", "fast", "strict"]),
        ),
        background: optional("A check is run to its end: what runs on belongs under `services`.", Shape::Boolean),
        _flaky: unsupported("What a pass after a failure of this one counts for."),
    ],
});

fields!(COMMAND: Command {
    fields: &[
        cwd: optional("Directory to run in, relative to the workspace. Default: the workspace.", Shape::Text(PATH)),
        env: optional("Variables for this command alone.", ENVIRONMENT),
        grace: optional("Time between the polite signal and the final one. Default 2s.", GRACE),
        role: role(),
        expected_exit_codes: optional(
            "Exit codes that count as success. Default 0 alone.",
            Shape::List { item: &Shape::Integer { min: 0, max: 255 }, min: 1 },
        ),
        allow_no_tests: no_tests(),
        exit_code_only: exit_code_only(),
        evidence: optional("What of it is kept as evidence.", Shape::Object(&OUTPUT_EVIDENCE)),
    ],
    also: &[run: RUN.name, argv: ARGV.name, pipefail: PIPEFAIL.name],
});

object!(pub(super) OUTPUT_EVIDENCE: OutputEvidence {
    name: "outputEvidence",
    what: "a choice of evidence",
    doc: "What of a command's output is kept as evidence.",
    fields: &[
        stdout: optional("Whether standard output is kept. Default true.", Shape::Boolean),
        stderr: optional("Whether standard error is kept. Default true.", Shape::Boolean),
    ],
    others: Others::Refused,
});

fields!(FILE_FIELDS: File {
    fields: &[
        min_size: optional("Smallest size of the file, in bytes.", COUNT),
        max_size: optional("Largest size of the file, in bytes.", COUNT),
        contains: optional("Texts that must all occur in the file.", ONE_OR_MORE_TEXTS),
        matches: optional("Regular expressions that must match.", ONE_OR_MORE_TEXTS),
        sha256: optional(
            "SHA-256 of the whole content.",
            Shape::Text(Text { what: "64 hexadecimal digits", pattern: Some("^[0-9a-fA-F]{64}$") }),
        ),
        absent: optional("Whether it must not exist. Default false.", Shape::Boolean),
        valid: optional("A data format that it must be well-formed in.", keyword(&["json", "yaml"])),
        schema: optional("A JSON Schema that it must hold to: as it is, or the path of one.", SCHEMA),
        glob: optional("Whether the path is a pattern. Default: told from its characters.", Shape::Boolean),
        evidence: optional("What of it is kept as evidence.", Shape::Object(&CONTENT_EVIDENCE)),
    ],
    also: &[file: FILE.name],
});

object!(CONTENT_EVIDENCE: ContentEvidence {
    name: "contentEvidence",
    what: "a choice of evidence",
    doc: "What of a file is kept as evidence.",
    fields: &[content: optional("Whether the file's content is kept. Default false.", Shape::Boolean)],
    others: Others::Refused,
});

fields!(HTTP_FIELDS: Http {
    fields: &[
        method: optional(
            "The method. Default GET.",
            Shape::Keyword {
                words: METHODS,
                also: &["get", "post", "put", "patch", "delete", "head", "options"],
            },
        ),
        headers: optional("Headers of the request, by name.", HEADERS),
        body: optional(
            "The body to send: a mapping or a list is sent as JSON, a text as it is.",
            Shape::Either(&[
                Shape::Text(ANY_TEXT),
                Shape::List { item: &Shape::Any, min: 0 },
                Shape::Map(&Map { what: "a JSON body", key: ANY_TEXT, value: Shape::Any, min: 0 }),
            ]),
        ),
        status: optional(
            "The status that is expected: `200`, `2xx`, `200-299`, or several. Default 200 to 399.",
            STATUS,
        ),
        json: optional("What is expected in a JSON answer, by JSON path (RFC 9535).", JSON_ASSERTIONS),
        header: optional("What is expected of the answer's headers.", HEADER_ASSERTIONS),
        contains: optional("Texts that must occur in the answer's body.", ONE_OR_MORE_TEXTS),
        matches: optional("Regular expressions that the answer's body must match.", ONE_OR_MORE_TEXTS),
        schema: optional("A JSON Schema that the answer must hold to: as it is, or the path of one.", SCHEMA),
        max_duration: optional("Time within which the answer must be there whole.", ACTION_DEADLINE),
        capture: optional("What is taken from the answer for later checks, which use it as `${name}`.", CAPTURES),
        redirects: optional("Whether redirects are followed. Default true.", Shape::Boolean),
        tls: optional("How certificates are checked; false: not at all.", Shape::Either(TLS_FORMS)),
        body_limit: optional("Most bytes of the answer's body that are taken. Default 16 MiB.", BODY_LIMIT),
        evidence: optional("What of it is kept as evidence.", Shape::Object(&BODY_EVIDENCE)),
    ],
    also: &[http: HTTP.name],
});

const TLS_FORMS: &[Shape] = &[Shape::Boolean, Shape::Object(&TLS)];

object!(TLS: Tls {
    name: "tls",
    what: "a way to check certificates",
    doc: "How certificates are checked.",
    fields: &[
        verify: optional("Whether they are checked. Default true.", Shape::Boolean),
        ca: optional(
            "A file of certificates (PEM) that are trusted beside the well-known ones, relative to the workspace.",
            Shape::Text(PATH),
        ),
    ],
    others: Others::Refused,
});

object!(BODY_EVIDENCE: BodyEvidence {
    name: "bodyEvidence",
    what: "a choice of evidence",
    doc: "What of an answer is kept as evidence.",
    fields: &[body: optional("Whether the body of the answer is kept. Default true.", Shape::Boolean)],
    others: Others::Refused,
});

/// Expectations of a check other than success (ruling 12).
static EXPECT: Object = Object {
    name: "expect",
    what: "an expectation",
    doc: "The outcome that a check must have, and tests that must pass.",
    fields: &[
        optional(
            "outcome",
            "The outcome that it must have. SUCCESS by word lets no policy excuse a failure.",
            keyword(&["SUCCESS", "TEST_FAILURE", "VALIDATION_FAILURE", "EXECUTION_ERROR", "TIMEOUT"]),
        ),
        optional("tests", "Names of tests that must run and pass.", Shape::Object(&EXPECTED_TESTS)),
    ],
    others: Others::Refused,
};

static EXPECTED_TESTS: Object = Object {
    name: "expectedTests",
    what: "a choice of tests",
    doc: "Tests that must run and pass; one that is absent is a failure.",
    fields: &[
        optional(
            "failToPass",
            "Tests that failed before and must pass now; in a red phase they must still fail.",
            ONE_OR_MORE_LINES,
        ),
        optional("passToPass", "Tests that passed before and must still pass.", ONE_OR_MORE_LINES),
    ],
    others: Others::Refused,
};

const ONE_OR_MORE_TEXTS: Shape =
    Shape::Either(&[Shape::Text(ANY_TEXT), Shape::List { item: &Shape::Text(ANY_TEXT), min: 1 }]);
const ONE_OR_MORE_LINES: Shape = Shape::Either(&[Shape::Text(LINE), Shape::List { item: &Shape::Text(LINE), min: 1 }]);
const ANY_NUMBER_OF_TEXTS: Shape =
    Shape::Either(&[Shape::Text(ANY_TEXT), Shape::List { item: &Shape::Text(ANY_TEXT), min: 0 }]);
