//! The short form for people, `referee.yaml` (ruling 2).

use referee_model::limit;

use super::shape::{Field, Kind, Map, Object, Others, Shape, Text, Value, Variants};

/// The whole document.
pub static SHORT_FORM: Object = Object {
    name: "specification",
    what: "a specification",
    doc: "A task and the checks that decide whether it is done.",
    fields: TOP,
    others: Others::Warned,
};

/// Keys of the document.
const TOP: &[Field] = &[
    optional("task", "The task's id; it names the evidence folder. Default T001.", Shape::Text(TASK)),
    optional("title", "A line for people. Default: the task's id.", Shape::Text(LINE)),
    optional("description", "What the task is about.", Shape::Text(ANY_TEXT)),
    optional(
        "workspace",
        "Folder that all relative paths start from, relative to this file. Default: this file's folder.",
        Shape::Text(PATH),
    ),
    optional("evidence", "Folder for the evidence, relative to the workspace. Default `evidence`.", Shape::Text(PATH)),
    optional("env", "Variables for every command.", ENVIRONMENT),
    optional("timeout", "Deadline over all prerequisites and checks.", TASK_DEADLINE),
    optional(
        "continueOnFailure",
        "Whether later checks run although one failed and blocks. Default true.",
        Shape::Boolean,
    ),
    optional("prerequisites", "What must hold before anything is checked.", Shape::Map(&CHECKS)),
    Field {
        name: "checks",
        doc: "The checks, in the order in which they run.",
        required: true,
        value: Value::Shaped(Shape::Map(&CHECKS)),
    },
    optional("cleanup", "What is done afterwards, always.", Shape::Map(&CHECKS)),
    optional("policy", "How findings of tools are judged, by tool or by category.", Shape::Object(&POLICY)),
    optional("completion", "When the task counts as complete.", Shape::Object(&COMPLETION)),
    unsupported("services", "Servers that run while the checks do."),
    unsupported("setup", "A command that installs dependencies."),
    unsupported("protect", "Files that must not change."),
    unsupported("outputs", "Folders that the checks write."),
    unsupported("profile", "Which checks a reduced run leaves out."),
    unsupported("expect", "Failures that are expected."),
    unsupported("retries", "How often a failed check is tried again."),
    unsupported("flaky", "What a pass after a failure counts for."),
    unsupported("conditions", "Conditions over several checks."),
    unsupported("tasks", "Several tasks in one document."),
    unsupported("jobs", "How many checks run at once."),
];

/// Names to checks; a name is shown in reports, and `needs` refers to it.
static CHECKS: Map = Map {
    what: "a mapping of names to checks",
    key: Text {
        what: "a name of 1 to 200 characters without line breaks",
        pattern: Some(r"^[^\x00-\x1f\x7f]{1,200}$"),
    },
    value: Shape::Either(&[Shape::Text(COMMAND_LINE), Shape::Variants(&CHECK)]),
    min: 1,
};

/// One check written as a mapping.
static CHECK: Variants = Variants {
    name: "check",
    what: "a check",
    doc: "A command line, a command as a list, or a file to look at.",
    kinds: &[
        Kind {
            tag: optional("run", "A command line, given to a shell.", Shape::Text(COMMAND_LINE)),
            fields: &[
                COMMAND,
                &[optional(
                    "pipefail",
                    "Whether a failing command inside a pipe fails the line. Default true.",
                    Shape::Boolean,
                )],
            ],
        },
        Kind {
            tag: optional(
                "argv",
                "A program and its arguments, run as they are.",
                Shape::List { item: &Shape::Text(ANY_TEXT), min: 1 },
            ),
            fields: &[COMMAND],
        },
        Kind {
            tag: optional("file", "A file or folder, relative to the workspace.", Shape::Text(PATH)),
            fields: &[FILE],
        },
    ],
    shared: SHARED,
};

/// Keys of every check.
const SHARED: &[Field] = &[
    optional("description", "What the check is for.", Shape::Text(ANY_TEXT)),
    optional("needs", "Checks of the same phase that must have passed before.", ANY_NUMBER_OF_TEXTS),
    optional("timeout", "Time after which it is stopped. Default 5m.", ACTION_DEADLINE),
    optional("continueOnFailure", "Whether later checks run although this one failed and blocks.", Shape::Boolean),
    unsupported("http", "A request to make."),
    unsupported("method", "The request's method."),
    unsupported("headers", "The request's headers."),
    unsupported("body", "The request's body."),
    unsupported("status", "The status that is expected."),
    unsupported("json", "What is expected in a JSON answer."),
    unsupported("expect", "Outcome and tests that are expected."),
    unsupported("retries", "How often it is tried again."),
    unsupported("flaky", "What a pass after a failure counts for."),
    unsupported("background", "Whether it runs while the others do."),
    unsupported("ready", "How to know that it is ready."),
];

/// Keys of commands.
const COMMAND: &[Field] = &[
    optional("cwd", "Folder to run in, relative to the workspace. Default: the workspace.", Shape::Text(PATH)),
    optional("env", "Variables for this command alone.", ENVIRONMENT),
    optional("grace", "Time between the polite signal and the final one. Default 2s.", GRACE),
    optional(
        "role",
        "What the command is for. Default: told from the command.",
        Shape::Keyword { words: &["test", "typecheck", "lint", "format", "compile", "other"], also: &[] },
    ),
    optional(
        "expectedExitCodes",
        "Exit codes that count as success. Default 0 alone.",
        Shape::List { item: &Shape::Integer { min: 0, max: 255 }, min: 1 },
    ),
    optional("allowNoTests", "Whether a test run in which no test ran is accepted. Default false.", Shape::Boolean),
];

/// Keys of files.
const FILE: &[Field] = &[
    optional("minSize", "Smallest size in bytes.", COUNT),
    optional("maxSize", "Largest size in bytes.", COUNT),
    optional("contains", "Texts that must occur.", ONE_OR_MORE_TEXTS),
    optional("matches", "Regular expressions that must match.", ONE_OR_MORE_TEXTS),
    optional(
        "sha256",
        "SHA-256 of the whole content.",
        Shape::Text(Text { what: "64 hexadecimal digits", pattern: Some("^[0-9a-fA-F]{64}$") }),
    ),
    optional("absent", "Whether it must not exist. Default false.", Shape::Boolean),
];

/// Policies by category and by tool (ruling 10).
static POLICY: Object = Object {
    name: "policy",
    what: "a set of policies",
    doc: "A tool's own policy goes before its category's.",
    fields: &[
        optional("linting", "Linters.", Shape::Either(CATEGORY)),
        optional("typeChecking", "Type checkers.", Shape::Either(CATEGORY)),
        optional("compilation", "Compilers.", Shape::Either(CATEGORY)),
        optional("formatting", "Formatters. Default WARN_ONLY.", Shape::Either(CATEGORY)),
    ],
    others: Others::Named(&TOOLS),
};

/// A category's policy: its strategy.
const CATEGORY: &[Shape] = &[STRATEGY, Shape::Object(&CATEGORY_POLICY)];

static CATEGORY_POLICY: Object = Object {
    name: "categoryPolicy",
    what: "a category's policy",
    doc: "What of the findings of a category's tools blocks.",
    fields: &[Field { name: "strategy", doc: "What blocks.", required: true, value: Value::Shaped(STRATEGY) }],
    others: Others::Refused,
};

/// Policies of tools, by the tool's name.
static TOOLS: Map = Map {
    what: "a mapping of tools to policies",
    key: Text { what: "the name of a tool (letters, digits, - and _)", pattern: Some("^[A-Za-z0-9_-]{1,64}$") },
    value: Shape::Either(&[STRATEGY, Shape::Object(&TOOL_POLICY)]),
    min: 0,
};

static TOOL_POLICY: Object = Object {
    name: "toolPolicy",
    what: "a tool's policy",
    doc: "How the findings of one tool are judged.",
    fields: &[
        optional("enabled", "False: reported, never blocking. Default true.", Shape::Boolean),
        optional("blockOn", "What blocks. Default: the category's strategy.", STRATEGY),
        optional("treatWarningsAsErrors", "Whether every warning counts as an error. Default false.", Shape::Boolean),
        optional(
            "maxWarnings",
            "Warnings allowed; one more blocks. Default: no limit.",
            Shape::Either(&[COUNT, Shape::Null]),
        ),
        optional("ignoredRules", "Rules whose findings do not count.", RULES),
        optional("errorOnRules", "Rules whose warnings count as errors.", RULES),
    ],
    others: Others::Refused,
};

/// When the task counts as complete.
static COMPLETION: Object = Object {
    name: "completion",
    what: "a set of completion criteria",
    doc: "When the task counts as complete.",
    fields: &[
        optional(
            "allStepsMustPass",
            "Whether every check must pass, or fail without blocking. Default true.",
            Shape::Boolean,
        ),
        optional(
            "minimumPassRate",
            "Least pass rate in percent, where not all must pass. Default 100.",
            Shape::Number { min: 0.0, max: 100.0 },
        ),
        optional(
            "requiredEvidence",
            "Kinds of evidence that must have been collected. Default: terminal-output, if there is a command.",
            Shape::List {
                item: &Shape::Keyword {
                    words: &[
                        "terminal-output",
                        "test-execution-log",
                        "api-responses",
                        "error-logs",
                        "performance-metrics",
                        "screenshots",
                    ],
                    also: &[],
                },
                min: 0,
            },
        ),
    ],
    others: Others::Refused,
};

/// What of a tool's findings blocks, with seed 1's prefix or without it.
const STRATEGY: Shape = Shape::Keyword {
    words: &["ERRORS_ALWAYS", "ERRORS_ONLY", "ERRORS_AND_WARNINGS", "WARN_ONLY", "NEVER"],
    also: &[
        "BLOCK_ON_ERRORS_ALWAYS",
        "BLOCK_ON_ERRORS_ONLY",
        "BLOCK_ON_ERRORS_AND_WARNINGS",
        "BLOCK_ON_WARN_ONLY",
        "BLOCK_ON_NEVER",
    ],
};

/// Variables: texts, and what YAML takes for numbers and booleans, as written.
const ENVIRONMENT: Shape = Shape::Map(&Map {
    what: "a mapping of variables to values",
    key: Text {
        what: "a variable's name (letters, digits and _, no digit first)",
        pattern: Some("^[A-Za-z_][A-Za-z0-9_]{0,199}$"),
    },
    value: Shape::Either(&[Shape::Text(ANY_TEXT), Shape::Number { min: f64::MIN, max: f64::MAX }, Shape::Boolean]),
    min: 0,
});

const ONE_OR_MORE_TEXTS: Shape =
    Shape::Either(&[Shape::Text(ANY_TEXT), Shape::List { item: &Shape::Text(ANY_TEXT), min: 1 }]);
const ANY_NUMBER_OF_TEXTS: Shape =
    Shape::Either(&[Shape::Text(ANY_TEXT), Shape::List { item: &Shape::Text(ANY_TEXT), min: 0 }]);
const RULES: Shape = Shape::List { item: &Shape::Text(LINE), min: 0 };
/// Documents hold numbers that every reader of JSON takes exactly: below 2^53.
const COUNT: Shape = Shape::Integer { min: 0, max: (1 << 53) - 1 };
const ACTION_DEADLINE: Shape = Shape::Duration { min_ms: 1, max_ms: limit::ACTION_DEADLINE_MS_MAX.cast_signed() };
const TASK_DEADLINE: Shape = Shape::Duration { min_ms: 1, max_ms: limit::TASK_DEADLINE_MS_MAX.cast_signed() };
const GRACE: Shape = Shape::Duration { min_ms: 0, max_ms: limit::GRACE_MS_MAX.cast_signed() };

const TASK: Text = Text { what: "a task id such as `T001`", pattern: Some("^T[0-9]{3,31}$") };
const LINE: Text = Text { what: "a line of text", pattern: Some(r"^[^\x00-\x1f\x7f]+$") };
const ANY_TEXT: Text = Text { what: "a text", pattern: Some(r"^[^\x00]*$") };
const COMMAND_LINE: Text = Text { what: "a command line", pattern: Some(r"^[^\x00]*[^\x00\s][^\x00]*$") };
const PATH: Text = Text { what: "a relative path", pattern: Some(r"^[^\x00]+$") };

const fn optional(name: &'static str, doc: &'static str, shape: Shape) -> Field {
    Field { name, doc, required: false, value: Value::Shaped(shape) }
}

const fn unsupported(name: &'static str, doc: &'static str) -> Field {
    Field { name, doc, required: false, value: Value::NotSupported }
}
