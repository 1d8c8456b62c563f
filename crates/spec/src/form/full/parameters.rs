//! Parameters of actions, by action type.

use super::ACTION_DEADLINE;
use super::texts::PATH;
use crate::form::http;
use crate::form::keys::{object, variants};
use crate::form::shape::{Field, Map, Others, Shape, Text};
use crate::form::terms::{
    ANY_TEXT, COMMAND_LINE, COUNT, ENVIRONMENT, LINE, TEXTS, argv, exit_code_only, keyword, no_tests, optional,
    pipefail, required, role,
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

object!(pub(super) BROWSER: Browser {
    name: "mcpBrowserParameters",
    what: "a browser action",
    doc: "What is done in the browser of the task: one command, or several under `steps`.",
    fields: &[
        action: optional("What is done, such as `browser_navigate`.", Shape::Text(LINE)),
        url: optional("URL of the page to open.", Shape::Text(http::URL)),
        selector: optional("CSS selector of the element in the page.", Shape::Text(ANY_TEXT)),
        script: optional("JavaScript that is evaluated in the page.", Shape::Text(ANY_TEXT)),
        form_data: optional("Values of form fields, by CSS selector or name.", FORM_DATA),
        text: optional("A text to fill in, or to wait for.", Shape::Text(ANY_TEXT)),
        name: optional("Name of a screenshot.", Shape::Text(LINE)),
        wait_timeout: optional("Milliseconds after which it is given up. Default 30000.", ACTION_DEADLINE),
        steps: optional(
            "Several commands, in order; the first failure ends them.",
            Shape::List { item: &Shape::Object(&BROWSER_STEP), min: 1 },
        ),
    ],
    also: &[executor: "executor"],
    others: Others::Warned,
});

object!(BROWSER_STEP: BrowserStep {
    name: "browserStep",
    what: "a browser command",
    doc: "One command for the browser.",
    fields: &[
        action: required("What is done, such as `browser_click`.", Shape::Text(LINE)),
        url: optional("URL of the page to open.", Shape::Text(http::URL)),
        selector: optional("CSS selector of the element in the page.", Shape::Text(ANY_TEXT)),
        script: optional("JavaScript that is evaluated in the page.", Shape::Text(ANY_TEXT)),
        form_data: optional("Values of form fields, by CSS selector or name.", FORM_DATA),
        text: optional("A text to fill in, or to wait for.", Shape::Text(ANY_TEXT)),
        name: optional("Name of a screenshot.", Shape::Text(LINE)),
        wait_timeout: optional("Milliseconds after which it is given up. Default 30000.", ACTION_DEADLINE),
    ],
    others: Others::Refused,
});

const FORM_DATA: Shape = Shape::Map(&Map {
    what: "a mapping of form fields to values",
    key: LINE,
    value: Shape::Either(&[Shape::Text(ANY_TEXT), Shape::Number { min: f64::MIN, max: f64::MAX }, Shape::Boolean]),
    min: 1,
});

object!(pub(super) DOCKER: Docker {
    name: "dockerCommandParameters",
    what: "a docker command",
    doc: "A command of docker or podman.",
    fields: &[
        docker_command: required(
            "The subcommand of docker or podman.",
            keyword(&["run", "exec", "build", "compose", "ps", "logs", "inspect"]),
        ),
        container_or_image: optional(
            "The container or image; for `build`, the directory that it is built of.",
            Shape::Text(LINE),
        ),
        volumes: optional("Volumes to mount, as docker writes them.", TEXTS),
        ports: optional("Ports to publish, as docker writes them.", TEXTS),
        environment: optional("Variables in the container, or of `build` and `compose` themselves.", ENVIRONMENT),
        command: optional(
            "What is run in it, or the subcommand of `compose`. A text is split into words, and given to no shell.",
            Shape::Either(&[
                Shape::Text(COMMAND_LINE),
                Shape::List { item: &Shape::Text(ANY_TEXT), min: 1 },
            ]),
        ),
        detached: optional("Whether it runs on until the end of the task. Default false.", Shape::Boolean),
        arguments: optional("Further options of the subcommand, in order.", TEXTS),
        working_directory: directory(),
        expected_exit_codes: exit_codes(),
        role: role(),
        allow_no_tests: no_tests(),
        exit_code_only: exit_code_only(),
    ],
    also: &[executor: "executor"],
    others: Others::Refused,
});

object!(pub(super) DATABASE: Database {
    name: "databaseQueryParameters",
    what: "a database query",
    doc: "A query to a database, and what its rows must hold to.",
    fields: &[
        connection_string: required(
            "URL of the database: `postgres:`, `mysql:`, `mariadb:` or `sqlite:`.",
            Shape::Text(ANY_TEXT),
        ),
        query: optional("The statement that is sent. Exactly one of `query` and `file`.", Shape::Text(COMMAND_LINE)),
        file: optional("A file in the workspace with the statement.", Shape::Text(PATH)),
        query_type: optional(
            "What kind of statement it is. Default: told from its first word.",
            keyword(&["SELECT", "INSERT", "UPDATE", "DELETE", "DDL", "PROCEDURE"]),
        ),
        expected_row_count: optional("How many rows are returned, or changed.", COUNT),
        validate_results: optional("What the rows must hold to.", Shape::Object(&VALIDATE_RESULTS)),
        connection_timeout: optional("Milliseconds to connect in. Default 5000.", ACTION_DEADLINE),
        query_timeout: optional("Milliseconds that the statement may take. Default 30000.", ACTION_DEADLINE),
        transaction_mode: optional(
            "What becomes of its changes. Default: read-only for a query that reads, else rollback.",
            keyword(&["read-only", "rollback", "commit"]),
        ),
    ],
    others: Others::Refused,
});

object!(VALIDATE_RESULTS: ValidateResults {
    name: "validateResults",
    what: "a validation of rows",
    doc: "What the rows of a query must hold to.",
    fields: &[
        row_schema: optional("A JSON Schema for each row, or the path of one.", http::SCHEMA),
        contains_values: optional(
            "Values that must occur: a mapping in the columns of one row, any other value in a cell.",
            Shape::List { item: &Shape::Any, min: 1 },
        ),
    ],
    others: Others::Refused,
});

const ONE_OR_MORE: Shape =
    Shape::Either(&[Shape::Text(ANY_TEXT), Shape::List { item: &Shape::Text(ANY_TEXT), min: 1 }]);
