//! Parameters of actions, by their types.

use referee_model::limit;

use super::texts::PATH;
use crate::specification::http;
use crate::specification::keys::{object, variants};
use crate::specification::shape::{Field, Map, Object, Others, Shape, Text};
use crate::specification::terms::{
    ANY_MAPPING, ANY_TEXT, COMMAND_LINE, COUNT, ENVIRONMENT, LINE, TEXTS, optional, required,
};

/// What a command line is given to.
pub(super) const SHELL: Shape =
    Shape::Keyword { words: &["powershell", "bash", "cmd", "sh"], also: &["powershell.exe", "pwsh", "cmd.exe"] };

/// What runs a script.
pub(super) const INTERPRETER: Shape =
    Shape::Keyword { words: &["node", "python", "python3", "bash", "sh", "powershell", "ruby", "perl"], also: &[] };

/// Folders outside the workspace.
pub(super) const FILE_DIRECTORIES: Shape = Shape::List { item: &Shape::Text(PATH), min: 0 };

variants!(pub(super) TERMINAL: Terminal {
    name: "terminalCommandParameters",
    what: "a command",
    doc: "A command line, or a command as a list.",
    kinds: &[
        command: optional("command", "A command line, given to a shell.", Shape::Text(COMMAND_LINE)) => [
            shell: optional("shell", "The shell; without it there the command cannot start.", SHELL),
            pipefail: optional(
                "pipefail",
                "Whether a failing command inside a pipe fails the line. Default true.",
                Shape::Boolean,
            ),
        ],
        argv: optional(
            "argv",
            "A program and its arguments, run as they are.",
            Shape::List { item: &Shape::Text(ANY_TEXT), min: 1 },
        ) => [],
    ],
    shared: &[
        working_directory: DIRECTORY,
        environment: VARIABLES,
        expected_exit_codes: EXIT_CODES,
        role: ROLE,
        allow_no_tests: NO_TESTS,
        exit_code_only: EXIT_CODE_ONLY,
        background: optional(
            "background",
            "Whether it is a service that runs while the others do. Default false.",
            Shape::Boolean,
        ),
        ready: optional("ready", "How a service shows that it is ready.", http::READY),
        port: optional("port", "The port that a service listens on, or `auto` for a free one.", http::PORT),
        external: optional(
            "external",
            "Whether somebody outside a service's tree of processes may hold its port. Default false.",
            Shape::Boolean,
        ),
    ],
    also: &[service: "service", alias: "alias"],
});

const DIRECTORY: Field = optional("workingDirectory", "Folder to run in. Default: the workspace.", Shape::Text(PATH));
const VARIABLES: Field = optional("environment", "Variables for this command alone.", ENVIRONMENT);
const EXIT_CODES: Field = optional(
    "expectedExitCodes",
    "Exit codes that count as success. Default 0 alone.",
    Shape::List { item: &Shape::Integer { min: i32::MIN as i64, max: i32::MAX as i64 }, min: 1 },
);
const ROLE: Field = optional(
    "role",
    "What the command is for. Default: told from the command.",
    Shape::Keyword { words: &["test", "typecheck", "lint", "format", "compile", "other"], also: &[] },
);
const NO_TESTS: Field =
    optional("allowNoTests", "Whether a test run in which no test ran is accepted. Default false.", Shape::Boolean);
const EXIT_CODE_ONLY: Field = optional(
    "exitCodeOnly",
    "Whether the exit code alone may say that the tests passed, where their known runner leaves no summary. Default false.",
    Shape::Boolean,
);

object!(pub(super) SCRIPT: Script {
    name: "customScriptParameters",
    what: "a script",
    doc: "A script and its interpreter.",
    fields: &[
        script_path: required("scriptPath", "The script.", Shape::Text(PATH)),
        interpreter: required("interpreter", "What runs it.", INTERPRETER),
        arguments: optional(
            "arguments",
            "Arguments for the script.",
            Shape::List { item: &Shape::Text(ANY_TEXT), min: 0 },
        ),
        working_directory: DIRECTORY,
        environment: VARIABLES,
        expected_exit_codes: EXIT_CODES,
        role: ROLE,
        allow_no_tests: NO_TESTS,
        exit_code_only: EXIT_CODE_ONLY,
    ],
    others: Others::Refused,
});

object!(pub(super) HTTP: Http {
    name: "httpRequestParameters",
    what: "an HTTP request",
    doc: "A request, and what its answer must hold to.",
    fields: &[
        url: required("url", "The URL, `http` or `https`.", Shape::Text(http::URL)),
        method: required(
            "method",
            "The method.",
            Shape::Keyword { words: &["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"], also: &[] },
        ),
        headers: optional("headers", "Headers to send.", http::HEADERS),
        body: optional(
            "body",
            "What is sent: a mapping or list as JSON, a text as it is.",
            Shape::Either(&[
                Shape::Text(ANY_TEXT),
                Shape::Map(&Map { what: "a mapping", key: ANY_TEXT, value: Shape::Any, min: 0 }),
                Shape::List { item: &Shape::Any, min: 0 },
            ]),
        ),
        expected_status: optional(
            "expectedStatus",
            "The statuses that are expected. Default: 200 to 399.",
            http::STATUS,
        ),
        validate_response: optional(
            "validateResponse",
            "What else the answer must hold to.",
            Shape::Object(&VALIDATE_RESPONSE),
        ),
        capture: optional("capture", "What is taken from the answer for later actions.", http::CAPTURES),
        follow_redirects: optional("followRedirects", "Whether redirects are followed. Default true.", Shape::Boolean),
        validate_ssl: optional("validateSSL", "Whether certificates are checked. Default true.", Shape::Boolean),
        ca_file: optional(
            "caFile",
            "A file of certificates that are trusted beside the well-known ones.",
            Shape::Text(PATH),
        ),
        body_limit: optional("bodyLimit", "Most bytes of the answer's body that are taken.", http::BODY_LIMIT),
    ],
    others: Others::Refused,
});

object!(VALIDATE_RESPONSE: ValidateResponse {
    name: "validateResponse",
    what: "a validation of an answer",
    doc: "What an answer must hold to beside its status.",
    fields: &[
        json_schema: optional("jsonSchema", "A JSON Schema for the body, or the path of one.", http::SCHEMA),
        contains_text: optional("containsText", "Texts that must occur in the body.", ONE_OR_MORE),
        matches_regex: optional("matchesRegex", "Regular expressions that must match the body.", ONE_OR_MORE),
        json_path: optional("jsonPath", "JSON paths, and what is expected of what they find.", http::JSON_ASSERTIONS),
        headers: optional("headers", "Headers, and what is expected of them.", http::HEADER_ASSERTIONS),
        max_duration: optional(
            "maxDuration",
            "Milliseconds in which the whole answer must be there.",
            Shape::Integer { min: 1, max: limit::ACTION_DEADLINE_MS_MAX.cast_signed() },
        ),
    ],
    others: Others::Refused,
});

object!(pub(super) FILE: File {
    name: "fileValidationParameters",
    what: "a file check",
    doc: "A file, and what is expected of it. Whatever is given is checked, whichever the type.",
    fields: &[
        file_path: required("filePath", "The file; `*`, `?`, `[` and `{` make it a pattern.", Shape::Text(PATH)),
        validation_type: required(
            "validationType",
            "What is expected of it.",
            Shape::Keyword {
                words: &[
                    "EXISTS",
                    "NOT_EXISTS",
                    "CONTENT_MATCH",
                    "CONTENT_PATTERN",
                    "SCHEMA_VALID",
                    "JSON_VALID",
                    "HASH_MATCH",
                    "SIZE_CHECK",
                ],
                also: &[],
            },
        ),
        expected_content: optional("expectedContent", "Texts that must occur.", ONE_OR_MORE),
        content_regex: optional("contentRegex", "Regular expressions that must match.", ONE_OR_MORE),
        content_pattern: optional("contentPattern", "Another spelling of `contentRegex`.", ONE_OR_MORE),
        schema: optional("schema", "A JSON Schema that the content must hold to, or the path of one.", http::SCHEMA),
        expected_hash: optional(
            "expectedHash",
            "SHA-256 of the whole content.",
            Shape::Text(Text { what: "64 hexadecimal digits", pattern: Some("^([sS][hH][aA]256:)?[0-9a-fA-F]{64}$") }),
        ),
        min_size: optional("minSize", "Smallest size in bytes.", COUNT),
        max_size: optional("maxSize", "Largest size in bytes.", COUNT),
        _encoding: optional("encoding", "The encoding of the file; without effect.", Shape::Text(LINE)),
    ],
    also: &[syntax: "syntax", absent: "absent", glob: "glob", content: "content"],
    others: Others::Refused,
});

/// Something in a browser. The prototype's own actions have further keys.
pub(super) static BROWSER: Object = Object {
    name: "mcpBrowserParameters",
    what: "a browser action",
    doc: "Something in a browser. It cannot be run by this version.",
    fields: &[
        required("action", "What is done.", Shape::Text(LINE)),
        optional("url", "The page.", Shape::Text(ANY_TEXT)),
        optional("selector", "The element.", Shape::Text(ANY_TEXT)),
        optional("script", "What is run in the page.", Shape::Text(ANY_TEXT)),
        optional("formData", "What is filled in.", ANY_MAPPING),
        optional("waitTimeout", "Milliseconds to wait.", Shape::Integer { min: 0, max: 86_400_000 }),
    ],
    others: Others::Warned,
};

/// Something with docker.
pub(super) static DOCKER: Object = Object {
    name: "dockerCommandParameters",
    what: "a docker command",
    doc: "Something with docker. It cannot be run by this version.",
    fields: &[
        required(
            "dockerCommand",
            "What is done.",
            Shape::Keyword { words: &["run", "exec", "build", "compose", "ps", "logs", "inspect"], also: &[] },
        ),
        optional("containerOrImage", "The container or image.", Shape::Text(ANY_TEXT)),
        optional("volumes", "What is mounted.", TEXTS),
        optional("ports", "Which ports are mapped.", TEXTS),
        optional("environment", "Variables for the container.", ENVIRONMENT),
        optional("command", "What is run in it.", Shape::Text(ANY_TEXT)),
        optional("detached", "Whether it runs in the background.", Shape::Boolean),
    ],
    others: Others::Refused,
};

/// A query to a database.
pub(super) static DATABASE: Object = Object {
    name: "databaseQueryParameters",
    what: "a database query",
    doc: "A query to a database. It cannot be run by this version.",
    fields: &[
        required("connectionString", "The database.", Shape::Text(ANY_TEXT)),
        required("query", "The query.", Shape::Text(COMMAND_LINE)),
        optional(
            "queryType",
            "What kind of query it is.",
            Shape::Keyword { words: &["SELECT", "INSERT", "UPDATE", "DELETE", "DDL", "PROCEDURE"], also: &[] },
        ),
        optional("expectedRowCount", "How many rows are expected.", COUNT),
        optional("validateResults", "What the rows must hold to.", ANY_MAPPING),
    ],
    others: Others::Refused,
};

const ONE_OR_MORE: Shape =
    Shape::Either(&[Shape::Text(ANY_TEXT), Shape::List { item: &Shape::Text(ANY_TEXT), min: 1 }]);
