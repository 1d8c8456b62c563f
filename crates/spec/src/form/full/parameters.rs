//! Parameters of actions, by action type.

use super::ACTION_DEADLINE;
use super::texts::PATH;
use crate::form::http;
use crate::form::keys::{object, variants};
use crate::form::shape::{Field, Map, Object, Others, Shape, Text};
use crate::form::terms::{
    ANY_MAPPING, ANY_TEXT, COMMAND_LINE, COUNT, ENVIRONMENT, LINE, TEXTS, argv, exit_code_only, keyword, no_tests,
    optional, pipefail, required, role,
};

/// Shell that runs a command line.
pub(super) const SHELL: Shape =
    Shape::Keyword { words: &["powershell", "bash", "cmd", "sh"], also: &["powershell.exe", "pwsh", "cmd.exe"] };

/// Interpreter that runs a script.
pub(super) const INTERPRETER: Shape =
    keyword(&["node", "python", "python3", "bash", "sh", "powershell", "ruby", "perl"]);

/// Directories outside of the workspace.
pub(super) const FILE_DIRECTORIES: Shape = Shape::List { item: &Shape::Text(PATH), min: 0 };

variants!(pub(super) TERMINAL: Terminal {
    name: "terminalCommandParameters",
    what: "a command",
    doc: "A command line, or a command as a list.",
    kinds: &[
        command: optional("A command line, given to a shell.", Shape::Text(COMMAND_LINE)) => [
            shell: optional("The shell; without it there the command cannot start.", SHELL),
            pipefail: pipefail(),
        ],
        argv: argv() => [],
    ],
    shared: &[
        working_directory: directory(),
        environment: variables(),
        expected_exit_codes: exit_codes(),
        role: role(),
        allow_no_tests: no_tests(),
        exit_code_only: exit_code_only(),
        background: optional("Whether it is a service that runs while the others do. Default false.", Shape::Boolean),
        ready: optional("How a service shows that it is ready.", http::READY),
        port: optional("The port that a service listens on, or `auto` for a free one.", http::PORT),
        external: optional(
            "Whether somebody outside a service's tree of processes may hold its port. Default false.",
            Shape::Boolean,
        ),
    ],
    also: &[service: "service", alias: "alias"],
});

const fn directory(name: &'static str) -> Field {
    optional(name, "Directory to run in. Default: the workspace.", Shape::Text(PATH))
}

const fn variables(name: &'static str) -> Field {
    optional(name, "Variables for this command alone.", ENVIRONMENT)
}

const fn exit_codes(name: &'static str) -> Field {
    let item = &Shape::Integer { min: i32::MIN as i64, max: i32::MAX as i64 };
    optional(name, "Exit codes that count as success. Default 0 alone.", Shape::List { item, min: 1 })
}

object!(pub(super) SCRIPT: Script {
    name: "customScriptParameters",
    what: "a script",
    doc: "A script and its interpreter.",
    fields: &[
        script_path: required("Path of the script that is run.", Shape::Text(PATH)),
        interpreter: required("Program that runs the script.", INTERPRETER),
        arguments: optional("Arguments of the script, in order.", Shape::List { item: &Shape::Text(ANY_TEXT), min: 0 }),
        working_directory: directory(),
        environment: variables(),
        expected_exit_codes: exit_codes(),
        role: role(),
        allow_no_tests: no_tests(),
        exit_code_only: exit_code_only(),
    ],
    others: Others::Refused,
});

object!(pub(super) HTTP: Http {
    name: "httpRequestParameters",
    what: "an HTTP request",
    doc: "A request, and what its answer must hold to.",
    fields: &[
        url: required("The URL, `http` or `https`.", Shape::Text(http::URL)),
        method: required("HTTP method of the request.", keyword(http::METHODS)),
        headers: optional("Headers of the request, by name.", http::HEADERS),
        body: optional(
            "What is sent: a mapping or list as JSON, a text as it is.",
            Shape::Either(&[
                Shape::Text(ANY_TEXT),
                Shape::Map(&Map { what: "a mapping", key: ANY_TEXT, value: Shape::Any, min: 0 }),
                Shape::List { item: &Shape::Any, min: 0 },
            ]),
        ),
        expected_status: optional("The statuses that are expected. Default: 200 to 399.", http::STATUS),
        validate_response: optional("What else the answer must hold to.", Shape::Object(&VALIDATE_RESPONSE)),
        capture: optional("What is taken from the answer for later actions.", http::CAPTURES),
        follow_redirects: optional("Whether redirects are followed. Default true.", Shape::Boolean),
        validate_ssl = "validateSSL": optional("Whether certificates are checked. Default true.", Shape::Boolean),
        ca_file: optional("A file of certificates that are trusted beside the well-known ones.", Shape::Text(PATH)),
        body_limit: optional("Most bytes of the answer's body that are taken.", http::BODY_LIMIT),
    ],
    others: Others::Refused,
});

object!(VALIDATE_RESPONSE: ValidateResponse {
    name: "validateResponse",
    what: "a validation of an answer",
    doc: "What an answer must hold to beside its status.",
    fields: &[
        json_schema: optional("A JSON Schema for the body, or the path of one.", http::SCHEMA),
        contains_text: optional("Texts that must occur in the body.", ONE_OR_MORE),
        matches_regex: optional("Regular expressions that must match the body.", ONE_OR_MORE),
        json_path: optional("JSON paths, and what is expected of what they find.", http::JSON_ASSERTIONS),
        headers: optional("Headers, and what is expected of them.", http::HEADER_ASSERTIONS),
        max_duration: optional("Milliseconds in which the whole answer must be there.", ACTION_DEADLINE),
    ],
    others: Others::Refused,
});

object!(pub(super) FILE: File {
    name: "fileValidationParameters",
    what: "a file check",
    doc: "A file, and what is expected of it. Whatever is given is checked, whichever the type.",
    fields: &[
        file_path: required("The file; `*`, `?`, `[` and `{` make it a pattern.", Shape::Text(PATH)),
        validation_type: required(
            "What is expected of it.",
            keyword(&[
                "EXISTS",
                "NOT_EXISTS",
                "CONTENT_MATCH",
                "CONTENT_PATTERN",
                "SCHEMA_VALID",
                "JSON_VALID",
                "HASH_MATCH",
                "SIZE_CHECK",
            ]),
        ),
        expected_content: optional("Texts that must all occur in the file.", ONE_OR_MORE),
        content_regex: optional("Regular expressions that must match.", ONE_OR_MORE),
        content_pattern: optional("Another spelling of `contentRegex`.", ONE_OR_MORE),
        schema: optional("A JSON Schema that the content must hold to, or the path of one.", http::SCHEMA),
        expected_hash: optional(
            "SHA-256 of the whole content.",
            Shape::Text(Text { what: "64 hexadecimal digits", pattern: Some("^([sS][hH][aA]256:)?[0-9a-fA-F]{64}$") }),
        ),
        min_size: optional("Smallest size of the file, in bytes.", COUNT),
        max_size: optional("Largest size of the file, in bytes.", COUNT),
        _encoding: optional("The encoding of the file; without effect.", Shape::Text(LINE)),
    ],
    also: &[syntax: "syntax", absent: "absent", glob: "glob", content: "content"],
    others: Others::Refused,
});

/// A browser operation. The prototype's own actions have further keys.
pub(super) static BROWSER: Object = Object {
    name: "mcpBrowserParameters",
    what: "a browser action",
    doc: "Something in a browser. It cannot be run by this version.",
    fields: &[
        required("action", "Action in the browser, such as `navigate` or `click`.", Shape::Text(LINE)),
        optional("url", "URL of the page to open.", Shape::Text(ANY_TEXT)),
        optional("selector", "Selector of the element in the page.", Shape::Text(ANY_TEXT)),
        optional("script", "What is run in the page.", Shape::Text(ANY_TEXT)),
        optional("formData", "Values of form fields, by name.", ANY_MAPPING),
        optional(
            "waitTimeout",
            "Time to wait for the page, in milliseconds.",
            Shape::Integer { min: 0, max: 86_400_000 },
        ),
    ],
    others: Others::Warned,
};

/// A docker operation.
pub(super) static DOCKER: Object = Object {
    name: "dockerCommandParameters",
    what: "a docker command",
    doc: "Something with docker. It cannot be run by this version.",
    fields: &[
        required(
            "dockerCommand",
            "Docker subcommand to run.",
            keyword(&["run", "exec", "build", "compose", "ps", "logs", "inspect"]),
        ),
        optional("containerOrImage", "Name of the container or image.", Shape::Text(ANY_TEXT)),
        optional("volumes", "Volumes to mount, as docker writes them.", TEXTS),
        optional("ports", "Ports to publish, as docker writes them.", TEXTS),
        optional("environment", "Environment variables of the container, by name.", ENVIRONMENT),
        optional("command", "What is run in it.", Shape::Text(ANY_TEXT)),
        optional("detached", "Whether it runs in the background.", Shape::Boolean),
    ],
    others: Others::Refused,
};

/// A database query.
pub(super) static DATABASE: Object = Object {
    name: "databaseQueryParameters",
    what: "a database query",
    doc: "A query to a database. It cannot be run by this version.",
    fields: &[
        required("connectionString", "Connection string of the database.", Shape::Text(ANY_TEXT)),
        required("query", "Text of the query that is sent to the database.", Shape::Text(COMMAND_LINE)),
        optional(
            "queryType",
            "What kind of query it is.",
            keyword(&["SELECT", "INSERT", "UPDATE", "DELETE", "DDL", "PROCEDURE"]),
        ),
        optional("expectedRowCount", "How many rows are expected.", COUNT),
        optional("validateResults", "What the rows must hold to.", ANY_MAPPING),
    ],
    others: Others::Refused,
};

const ONE_OR_MORE: Shape =
    Shape::Either(&[Shape::Text(ANY_TEXT), Shape::List { item: &Shape::Text(ANY_TEXT), min: 1 }]);
