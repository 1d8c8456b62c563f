//! Parameters of actions, by action type.

use super::ACTION_DEADLINE;
use super::texts::PATH;
use crate::form::http;
use crate::form::keys::{object, variants};
use crate::form::shape::{Field, Map, Shape, Text};
use crate::form::terms::{
    ANY_TEXT, COMMAND, COMMAND_LINE, COUNT, ENVIRONMENT, FORM_FIELDS, LINE, ONE_OR_MORE, TEXTS, argv, exit_code_only,
    keyword, no_tests, optional, pipefail, required, role,
};

/// Shell that runs a command line.
pub(super) const SHELL: Shape =
    Shape::Keyword { words: &["powershell", "bash", "cmd", "sh"], also: &["powershell.exe", "pwsh", "cmd.exe"] };

/// Interpreter that runs a script.
pub(super) const INTERPRETER: Shape =
    keyword(&["node", "python", "python3", "bash", "sh", "powershell", "ruby", "perl"]);

/// Directories outside of the workspace.
pub(super) const FILE_DIRECTORIES: Shape = Shape::List { item: &Shape::Text(PATH), min: 0 };

variants! {
    /// A command line, or a command as a list.
    pub(super) TERMINAL: Terminal = "terminalCommandParameters", "a command" {
        /// A command line, given to a shell.
        command: optional(Shape::Text(COMMAND_LINE)) => {
            /// The shell; without it there the command cannot start.
            shell: optional(SHELL),
            pipefail: pipefail(),
        }
        argv: argv() => {}
    } shared {
        working_directory: directory(),
        environment: variables(),
        expected_exit_codes: exit_codes(),
        role: role(),
        allow_no_tests: no_tests(),
        exit_code_only: exit_code_only(),
        /// Whether it is a service that runs while the others do. Default false.
        background: optional(Shape::Boolean),
        /// How a service shows that it is ready.
        ready: optional(http::READY),
        /// The port that a service listens on, or `auto` for a free one.
        port: optional(http::PORT),
        /// Whether somebody outside a service's tree of processes may hold its port. Default false.
        external: optional(Shape::Boolean),
    } also { service: "service", alias: "alias" }
}

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

object! {
    /// A script and its interpreter.
    pub(super) SCRIPT: Script = "customScriptParameters", "a script" {
        /// Path of the script that is run.
        script_path: required(Shape::Text(PATH)),
        /// Program that runs the script.
        interpreter: required(INTERPRETER),
        /// Arguments of the script, in order.
        arguments: optional(Shape::List { item: &Shape::Text(ANY_TEXT), min: 0 }),
        working_directory: directory(),
        environment: variables(),
        expected_exit_codes: exit_codes(),
        role: role(),
        allow_no_tests: no_tests(),
        exit_code_only: exit_code_only(),
    }
}

object! {
    /// A request, and what its answer must hold to.
    pub(super) HTTP: Http = "httpRequestParameters", "an HTTP request" {
        /// The URL, `http` or `https`.
        url: required(Shape::Text(http::URL)),
        /// HTTP method of the request.
        method: required(keyword(http::METHODS)),
        /// Headers of the request, by name.
        headers: optional(http::HEADERS),
        /// What is sent: a mapping or list as JSON, a text as it is.
        body: optional(
            Shape::Either(&[
                Shape::Text(ANY_TEXT),
                Shape::Map(&Map { what: "a mapping", key: ANY_TEXT, value: Shape::Any, min: 0 }),
                Shape::List { item: &Shape::Any, min: 0 },
            ]),
        ),
        /// The statuses that are expected. Default: 200 to 399.
        expected_status: optional(http::STATUS),
        /// What else the answer must hold to.
        validate_response: optional(Shape::Object(&VALIDATE_RESPONSE)),
        /// What is taken from the answer for later actions.
        capture: optional(http::CAPTURES),
        /// Whether redirects are followed. Default true.
        follow_redirects: optional(Shape::Boolean),
        /// Whether certificates are checked. Default true.
        validate_ssl = "validateSSL": optional(Shape::Boolean),
        /// A file of certificates that are trusted beside the well-known ones.
        ca_file: optional(Shape::Text(PATH)),
        /// Most bytes of the answer's body that are taken.
        body_limit: optional(http::BODY_LIMIT),
    }
}

object! {
    /// What an answer must hold to beside its status.
    VALIDATE_RESPONSE: ValidateResponse = "validateResponse", "a validation of an answer" {
        /// A JSON Schema for the body, or the path of one.
        json_schema: optional(http::SCHEMA),
        /// Texts that must occur in the body.
        contains_text: optional(ONE_OR_MORE),
        /// Regular expressions that must match the body.
        matches_regex: optional(ONE_OR_MORE),
        /// JSON paths, and what is expected of what they find.
        json_path: optional(http::JSON_ASSERTIONS),
        /// Headers, and what is expected of them.
        headers: optional(http::HEADER_ASSERTIONS),
        /// Milliseconds in which the whole answer must be there.
        max_duration: optional(ACTION_DEADLINE),
    }
}

object! {
    /// A file, and what is expected of it. Whatever is given is checked, whichever the type.
    pub(super) FILE: File = "fileValidationParameters", "a file check" {
        /// The file; `*`, `?`, `[` and `{` make it a pattern.
        file_path: required(Shape::Text(PATH)),
        /// What is expected of it.
        validation_type: required(
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
        /// Texts that must all occur in the file.
        expected_content: optional(ONE_OR_MORE),
        /// Regular expressions that must match.
        content_regex: optional(ONE_OR_MORE),
        /// Another spelling of `contentRegex`.
        content_pattern: optional(ONE_OR_MORE),
        /// A JSON Schema that the content must hold to, or the path of one.
        schema: optional(http::SCHEMA),
        /// SHA-256 of the whole content.
        expected_hash: optional(
            Shape::Text(Text { what: "64 hexadecimal digits", pattern: Some("^([sS][hH][aA]256:)?[0-9a-fA-F]{64}$") }),
        ),
        /// Smallest size of the file, in bytes.
        min_size: optional(COUNT),
        /// Largest size of the file, in bytes.
        max_size: optional(COUNT),
        /// The encoding of the file; without effect.
        _encoding: optional(Shape::Text(LINE)),
    } also { syntax: "syntax", absent: "absent", glob: "glob", content: "content" }
}

object! {
    /// What is done in the browser of the task: one command, or several under `steps`.
    pub(super) BROWSER: Browser = "mcpBrowserParameters", "a browser action", Warned {
        /// What is done, such as `browser_navigate`.
        action: optional(Shape::Text(LINE)),
        /// URL of the page to open.
        url: optional(Shape::Text(http::URL)),
        /// CSS selector of the element in the page.
        selector: optional(Shape::Text(ANY_TEXT)),
        /// JavaScript that is evaluated in the page.
        script: optional(Shape::Text(ANY_TEXT)),
        /// Values of form fields, by CSS selector or name.
        form_data: optional(FORM_FIELDS),
        /// A text to fill in, or to wait for.
        text: optional(Shape::Text(ANY_TEXT)),
        /// Name of a screenshot.
        name: optional(Shape::Text(LINE)),
        /// Milliseconds after which it is given up. Default 30000.
        wait_timeout: optional(ACTION_DEADLINE),
        /// Several commands, in order; the first failure ends them.
        steps: optional(Shape::List { item: &Shape::Object(&BROWSER_STEP), min: 1 }),
    } also { executor: "executor" }
}

object! {
    /// One command for the browser.
    BROWSER_STEP: BrowserStep = "browserStep", "a browser command" {
        /// What is done, such as `browser_click`.
        action: required(Shape::Text(LINE)),
        /// URL of the page to open.
        url: optional(Shape::Text(http::URL)),
        /// CSS selector of the element in the page.
        selector: optional(Shape::Text(ANY_TEXT)),
        /// JavaScript that is evaluated in the page.
        script: optional(Shape::Text(ANY_TEXT)),
        /// Values of form fields, by CSS selector or name.
        form_data: optional(FORM_FIELDS),
        /// A text to fill in, or to wait for.
        text: optional(Shape::Text(ANY_TEXT)),
        /// Name of a screenshot.
        name: optional(Shape::Text(LINE)),
        /// Milliseconds after which it is given up. Default 30000.
        wait_timeout: optional(ACTION_DEADLINE),
    }
}

object! {
    /// A command of docker or podman.
    pub(super) DOCKER: Docker = "dockerCommandParameters", "a docker command" {
        /// The subcommand of docker or podman.
        docker_command: required(keyword(&["run", "exec", "build", "compose", "ps", "logs", "inspect"])),
        /// The container or image; for `build`, the directory that it is built of.
        container_or_image: optional(Shape::Text(LINE)),
        /// Volumes to mount, as docker writes them.
        volumes: optional(TEXTS),
        /// Ports to publish, as docker writes them.
        ports: optional(TEXTS),
        /// Variables in the container, or of `build` and `compose` themselves.
        environment: optional(ENVIRONMENT),
        /// What is run in it, or the subcommand of `compose`. A text is split into words, and given to no shell.
        command: optional(COMMAND),
        /// Whether it runs on until the end of the task. Default false.
        detached: optional(Shape::Boolean),
        /// Further options of the subcommand, in order.
        arguments: optional(TEXTS),
        working_directory: directory(),
        expected_exit_codes: exit_codes(),
        role: role(),
        allow_no_tests: no_tests(),
        exit_code_only: exit_code_only(),
    } also { executor: "executor" }
}

object! {
    /// A query to a database, and what its rows must hold to.
    pub(super) DATABASE: Database = "databaseQueryParameters", "a database query" {
        /// URL of the database: `postgres:`, `mysql:`, `mariadb:` or `sqlite:`.
        connection_string: required(Shape::Text(ANY_TEXT)),
        /// The statement that is sent. Exactly one of `query` and `file`.
        query: optional(Shape::Text(COMMAND_LINE)),
        /// A file in the workspace with the statement.
        file: optional(Shape::Text(PATH)),
        /// What kind of statement it is. Default: told from its first word.
        query_type: optional(keyword(&["SELECT", "INSERT", "UPDATE", "DELETE", "DDL", "PROCEDURE"])),
        /// How many rows are returned, or changed.
        expected_row_count: optional(COUNT),
        /// What the rows must hold to.
        validate_results: optional(Shape::Object(&VALIDATE_RESULTS)),
        /// Milliseconds to connect in. Default 5000.
        connection_timeout: optional(ACTION_DEADLINE),
        /// Milliseconds that the statement may take. Default 30000.
        query_timeout: optional(ACTION_DEADLINE),
        /// What becomes of its changes. Default: read-only for a query that reads, else rollback.
        transaction_mode: optional(keyword(&["read-only", "rollback", "commit"])),
    }
}

object! {
    /// What the rows of a query must hold to.
    VALIDATE_RESULTS: ValidateResults = "validateResults", "a validation of rows" {
        /// A JSON Schema for each row, or the path of one.
        row_schema: optional(http::SCHEMA),
        /// Values that must occur: a mapping in the columns of one row, any other value in a cell.
        contains_values: optional(Shape::List { item: &Shape::Any, min: 1 }),
    }
}
