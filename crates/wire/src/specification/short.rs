//! The short form for people, `referee.yaml` (ruling 2).

mod evaluator;
mod setup;

use referee_model::limit;

use super::http::{
    BODY_LIMIT, CAPTURES, HEADER_ASSERTIONS, HEADERS, JSON_ASSERTIONS, PORT, READY, SCHEMA, STATUS, URL,
};
use super::incidents;
use super::shape::{Field, Kind, Map, Object, Others, Shape, Text, Value, Variants};
use super::terms::{
    ALLOW_IMPLICIT_ANY, ANY_TEXT, COMMAND_LINE, COUNT, CRITICAL_SEVERITIES, ENVIRONMENT, LINE, RETRIES, RULES,
    SEVERITIES, STRATEGY, STRICT_MODE, optional,
};

/// The whole document.
pub static SHORT_FORM: Object = Object {
    name: "specification",
    what: "a specification",
    doc: "A task and the checks that decide whether it is done.",
    fields: TOP,
    others: Others::WarnedUnlessNear,
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
    optional(
        "validationPolicyRationale",
        "Why the policies are as they are: free text that stands in the report.",
        Shape::Text(ANY_TEXT),
    ),
    optional("completion", "When the task counts as complete.", Shape::Object(&COMPLETION)),
    optional("services", "Servers that run while the checks do; they are started after the prerequisites.", SERVICES),
    optional("conditions", "Conditions over the checks, each of which must be met.", CONDITIONS),
    optional("failureConditions", "Conditions over the checks, none of which may be met.", CONDITIONS),
    optional("profile", "How much runs where nothing is said at the prompt. Default strict.", keyword(PROFILES)),
    optional(
        "parallel",
        "Whether checks run at once, as far as their needs allow, where nothing is said at the prompt. Default false.",
        Shape::Boolean,
    ),
    optional(
        "flaky",
        "What a pass after a failure counts for: `fail` blocks. Default allow.",
        keyword(&["fail", "allow"]),
    ),
    optional(
        "tddPhase",
        "RED: the tests are expected to fail. Default GREEN.",
        Shape::Keyword { words: &["RED", "GREEN"], also: &["red", "green"] },
    ),
    optional("debt", "How technical debt is kept.", Shape::Object(&DEBT)),
    optional("incidents", incidents::DOC, Shape::Object(&incidents::INCIDENTS)),
    optional(
        "evaluator",
        "A program that is asked for its word on the judged run, which it can make worse and never better.",
        Shape::Either(EVALUATOR),
    ),
    optional(
        "setup",
        "A command that installs dependencies. It runs in a clean room alone (`referee run --clean-room`), before all else.",
        Shape::Either(setup::SETUP),
    ),
    optional(
        "pins",
        "Programs that must be these very files, by name: their SHA-256. Where one is another file nothing is started.",
        setup::PINS,
    ),
    optional("limits", "What each command may use.", Shape::Object(&LIMITS)),
    optional(
        "outputs",
        "Files and folders that the checks write, as patterns relative to the workspace: what lies there is no input.",
        Shape::List { item: &Shape::Text(OUTPUT), min: 0 },
    ),
    optional("protect", "Files that must not change, beside those that are protected anyway.", Shape::Object(&PROTECT)),
    optional(
        "suppressions",
        "What is done about ways to silence a tool or a test that a change adds, and about fewer tests than in the best \
         run. Default: report; and under a lock or a trusted commit, fewer tests block.",
        keyword(&["report", "block", "ignore"]),
    ),
    unsupported("expect", "Failures that are expected, of every check."),
    unsupported("retries", "How often every failed check is tried again."),
    unsupported("tasks", "Several tasks in one document."),
    unsupported("jobs", "How many checks run at once."),
];

/// An evaluator: a command line, or a command written as a mapping.
const EVALUATOR: &[Shape] = &[Shape::Text(COMMAND_LINE), Shape::Variants(&evaluator::EVALUATOR)];

/// Protected files, by how they are protected (design, "Lock").
static PROTECT: Object = Object {
    name: "protect",
    what: "a set of protected files",
    doc: "Protected files, by how they are: paths, patterns, or one value of a JSON or TOML file as `package.json#/scripts`.",
    fields: &[
        optional("frozen", "They must stay as they are.", PROTECTED),
        optional("additive", "What is there must stay, new files are free, edits are listed: tests.", PROTECTED),
        optional("review", "Changes are reported, and do not block.", PROTECTED),
    ],
    others: Others::Refused,
};

const PROTECTED: Shape =
    Shape::Either(&[Shape::Text(PROTECTED_ENTRY), Shape::List { item: &Shape::Text(PROTECTED_ENTRY), min: 1 }]);
const PROTECTED_ENTRY: Text =
    Text { what: "a path, a pattern, or `file.json#/pointer`", pattern: Some(r"^[^\x00-\x1f\x7f]+$") };

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
    doc: "A command line, a command as a list, a file to look at, or a request to make.",
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
            tag: optional(
                "file",
                "A file or folder, relative to the workspace; or a pattern (`*`, `**`, `?`, `[a-z]`, `{a,b}`) that names \
                 several files.",
                Shape::Text(PATH),
            ),
            fields: &[FILE],
        },
        Kind { tag: optional("http", "A URL to make a request to.", Shape::Text(URL)), fields: &[HTTP] },
    ],
    shared: SHARED,
};

/// Keys of every check.
const SHARED: &[Field] = &[
    optional("description", "What the check is for.", Shape::Text(ANY_TEXT)),
    optional(
        "needs",
        "Checks of the same phase or an earlier one, and services, that must have passed before.",
        ANY_NUMBER_OF_TEXTS,
    ),
    optional("timeout", "Time after which it is stopped. Default 5m; 10s for a request.", ACTION_DEADLINE),
    optional("continueOnFailure", "Whether later checks run although this one failed and blocks.", Shape::Boolean),
    optional("retries", "How often it is tried again after a failure that blocks. Default 0.", RETRIES),
    optional("expect", "The outcome that it must have, and tests that must pass.", Shape::Object(&EXPECT)),
    optional(
        "profile",
        "The smallest profile that it runs under. Default: told from what it does.",
        keyword(&["smoke", "fast", "strict"]),
    ),
    optional("background", "A check is run to its end: what runs on belongs under `services`.", Shape::Boolean),
    unsupported("flaky", "What a pass after a failure of this one counts for."),
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
    optional(
        "exitCodeOnly",
        "Whether the exit code alone may say that the tests passed, where their known runner leaves no summary. Default false.",
        Shape::Boolean,
    ),
    optional("evidence", "What of it is kept as evidence.", Shape::Object(&OUTPUT_EVIDENCE)),
];

static OUTPUT_EVIDENCE: Object = Object {
    name: "outputEvidence",
    what: "a choice of evidence",
    doc: "What of a command's output is kept as evidence.",
    fields: &[
        optional("stdout", "Standard output. Default true.", Shape::Boolean),
        optional("stderr", "Standard error. Default true.", Shape::Boolean),
    ],
    others: Others::Refused,
};

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
    optional("valid", "A data format that it must be well-formed in.", keyword(&["json", "yaml"])),
    optional("schema", "A JSON Schema that it must hold to: as it is, or the path of one.", SCHEMA),
    optional("glob", "Whether the path is a pattern. Default: told from its characters.", Shape::Boolean),
    optional("evidence", "What of it is kept as evidence.", Shape::Object(&CONTENT_EVIDENCE)),
];

static CONTENT_EVIDENCE: Object = Object {
    name: "contentEvidence",
    what: "a choice of evidence",
    doc: "What of a file is kept as evidence.",
    fields: &[optional("content", "Its content. Default false.", Shape::Boolean)],
    others: Others::Refused,
};

/// Keys of requests.
const HTTP: &[Field] = &[
    optional(
        "method",
        "The method. Default GET.",
        Shape::Keyword {
            words: &["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"],
            also: &["get", "post", "put", "patch", "delete", "head", "options"],
        },
    ),
    optional("headers", "Headers to send.", HEADERS),
    optional(
        "body",
        "The body to send: a mapping or a list is sent as JSON, a text as it is.",
        Shape::Either(&[
            Shape::Text(ANY_TEXT),
            Shape::List { item: &Shape::Any, min: 0 },
            Shape::Map(&Map { what: "a JSON body", key: ANY_TEXT, value: Shape::Any, min: 0 }),
        ]),
    ),
    optional("status", "The status that is expected: `200`, `2xx`, `200-299`, or several. Default 200 to 399.", STATUS),
    optional("json", "What is expected in a JSON answer, by JSON path (RFC 9535).", JSON_ASSERTIONS),
    optional("header", "What is expected of the answer's headers.", HEADER_ASSERTIONS),
    optional("contains", "Texts that must occur in the answer's body.", ONE_OR_MORE_TEXTS),
    optional("matches", "Regular expressions that the answer's body must match.", ONE_OR_MORE_TEXTS),
    optional("schema", "A JSON Schema that the answer must hold to: as it is, or the path of one.", SCHEMA),
    optional("maxDuration", "Time within which the answer must be there whole.", ACTION_DEADLINE),
    optional("capture", "What is taken from the answer for later checks, which use it as `${name}`.", CAPTURES),
    optional("redirects", "Whether redirects are followed. Default true.", Shape::Boolean),
    optional("tls", "How certificates are checked; false: not at all.", Shape::Either(TLS_FORMS)),
    optional("bodyLimit", "Most bytes of the answer's body that are taken. Default 16 MiB.", BODY_LIMIT),
    optional("evidence", "What of it is kept as evidence.", Shape::Object(&BODY_EVIDENCE)),
];

const TLS_FORMS: &[Shape] = &[Shape::Boolean, Shape::Object(&TLS)];

static TLS: Object = Object {
    name: "tls",
    what: "a way to check certificates",
    doc: "How certificates are checked.",
    fields: &[
        optional("verify", "Whether they are checked. Default true.", Shape::Boolean),
        optional(
            "ca",
            "A file of certificates (PEM) that are trusted beside the well-known ones, relative to the workspace.",
            Shape::Text(PATH),
        ),
    ],
    others: Others::Refused,
};

static BODY_EVIDENCE: Object = Object {
    name: "bodyEvidence",
    what: "a choice of evidence",
    doc: "What of an answer is kept as evidence.",
    fields: &[optional("body", "Its body. Default true.", Shape::Boolean)],
    others: Others::Refused,
};

/// What is expected of a check beside success (ruling 12).
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
        optional("tests", "Tests by name.", Shape::Object(&EXPECTED_TESTS)),
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

/// Names to services.
const SERVICES: Shape = Shape::Map(&Map {
    what: "a mapping of names to services",
    key: Text { what: "a name (letters, digits, - and _)", pattern: Some("^[A-Za-z0-9_-]{1,64}$") },
    value: Shape::Object(&SERVICE),
    min: 1,
});

static SERVICE: Object = Object {
    name: "service",
    what: "a service",
    doc: "Something that runs while the checks do: a command that is started, or, without one, what somebody else runs.",
    fields: &[
        optional("run", "A command line, given to a shell.", Shape::Text(COMMAND_LINE)),
        optional(
            "argv",
            "A program and its arguments, run as they are.",
            Shape::List { item: &Shape::Text(ANY_TEXT), min: 1 },
        ),
        optional(
            "pipefail",
            "Whether a failing command inside a pipe fails the line of `run`. Default true.",
            Shape::Boolean,
        ),
        optional("description", "What the service is for.", Shape::Text(ANY_TEXT)),
        optional("ready", "What tells that it is ready; all must hold.", READY),
        optional("port", "The port that it listens on; `auto` for a free one, which it is given in `PORT`.", PORT),
        optional("timeout", "Time within which it must be ready. Default 30s.", ACTION_DEADLINE),
        optional(
            "external",
            "Whether its port may be held by somebody else than itself. Default false.",
            Shape::Boolean,
        ),
        optional("env", "Variables for this service alone.", ENVIRONMENT),
        optional("cwd", "Folder to run in, relative to the workspace. Default: the workspace.", Shape::Text(PATH)),
        optional("grace", "Time between the polite signal and the final one. Default 2s.", GRACE),
        optional("retries", "How often it is started again when it does not get ready. Default 0.", RETRIES),
        optional("evidence", "What of its output is kept as evidence.", Shape::Object(&OUTPUT_EVIDENCE)),
    ],
    others: Others::Refused,
};

/// Conditions: as they are, or with what they are for.
const CONDITIONS: Shape =
    Shape::List { item: &Shape::Either(&[Shape::Text(CONDITION), Shape::Object(&CONDITION_OBJECT)]), min: 1 };

static CONDITION_OBJECT: Object = Object {
    name: "condition",
    what: "a condition",
    doc: "A condition over the checks, and what it is for.",
    fields: &[
        Field {
            name: "condition",
            doc: "The condition, such as `unit.exitCode === 0`.",
            required: true,
            value: Value::Shaped(Shape::Text(CONDITION)),
        },
        optional("description", "What it is for. Default: the condition itself.", Shape::Text(ANY_TEXT)),
    ],
    others: Others::Refused,
};

/// What each command may use, with all that it starts.
static LIMITS: Object = Object {
    name: "limits",
    what: "a set of limits",
    doc: "What each command may use, with all that it starts. A command that exceeds one is stopped.",
    fields: &[
        optional("processes", "Processes at once. Default: no limit.", Shape::Integer { min: 1, max: 1_000_000 }),
        optional("memory", "Memory, such as 2GiB. Default: no limit.", SIZE),
        optional("output", "Output of one action, such as 100MiB; 16 GiB at most, which is the default.", SIZE),
    ],
    others: Others::Refused,
};

/// A number of bytes, or a text with its unit.
const SIZE: Shape = Shape::Either(&[
    Shape::Integer { min: 1, max: i64::MAX },
    Shape::Text(Text {
        what: "a size such as `2GiB` (a bare number counts bytes)",
        pattern: Some(r"^[0-9]{1,15}(\.[0-9]{1,6})? ?(B|KB|MB|GB|TB|KiB|MiB|GiB|TiB)$"),
    }),
]);

/// How technical debt is kept and routed (ruling 20).
static DEBT: Object = Object {
    name: "debt",
    what: "a way to keep technical debt",
    doc: "How technical debt is kept and routed.",
    fields: &[
        optional("enabled", "Whether failures leave items at all. Default true.", Shape::Boolean),
        optional(
            "routing",
            "How items find their place. Default CAPACITY_BASED.",
            keyword(&["CAPACITY_BASED", "SEVERITY_BASED", "MANUAL"]),
        ),
        optional("sprintItems", "Most items in the sprint. Default 6.", SPRINT_ITEMS),
        optional("sprintCritical", "Most critical items in the sprint. Default 4.", SPRINT_ITEMS),
        optional(
            "severities",
            "Severities that leave items. Default all.",
            Shape::List { item: &keyword(&["CRITICAL", "HIGH", "MEDIUM", "LOW"]), min: 1 },
        ),
    ],
    others: Others::Refused,
};

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
        optional("criticalSeverities", CRITICAL_SEVERITIES, SEVERITIES),
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
        optional("strictMode", STRICT_MODE, Shape::Boolean),
        optional("allowImplicitAny", ALLOW_IMPLICIT_ANY, Shape::Boolean),
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

const ONE_OR_MORE_TEXTS: Shape =
    Shape::Either(&[Shape::Text(ANY_TEXT), Shape::List { item: &Shape::Text(ANY_TEXT), min: 1 }]);
const ONE_OR_MORE_LINES: Shape = Shape::Either(&[Shape::Text(LINE), Shape::List { item: &Shape::Text(LINE), min: 1 }]);
const ANY_NUMBER_OF_TEXTS: Shape =
    Shape::Either(&[Shape::Text(ANY_TEXT), Shape::List { item: &Shape::Text(ANY_TEXT), min: 0 }]);
const ACTION_DEADLINE: Shape = Shape::Duration { min_ms: 1, max_ms: limit::ACTION_DEADLINE_MS_MAX.cast_signed() };
const TASK_DEADLINE: Shape = Shape::Duration { min_ms: 1, max_ms: limit::TASK_DEADLINE_MS_MAX.cast_signed() };
const SPRINT_ITEMS: Shape = Shape::Integer { min: 0, max: 1_000_000 };
const PROFILES: &[&str] = &["strict", "fast", "smoke", "yolo"];
const GRACE: Shape = Shape::Duration { min_ms: 0, max_ms: limit::GRACE_MS_MAX.cast_signed() };

const TASK: Text = Text { what: "a task id such as `T001`", pattern: Some("^T[0-9]{3,31}$") };
const CONDITION: Text = Text { what: "a condition", pattern: Some(r"^[^\x00]*[^\x00\s][^\x00]*$") };
const OUTPUT: Text =
    Text { what: "a relative pattern such as `dist` or `packages/*/dist`", pattern: Some(r"^[^/\x00][^\x00]*$") };
const PATH: Text = Text { what: "a relative path", pattern: Some(r"^[^\x00]+$") };

const fn keyword(words: &'static [&'static str]) -> Shape {
    Shape::Keyword { words, also: &[] }
}

const fn unsupported(name: &'static str, doc: &'static str) -> Field {
    Field { name, doc, required: false, value: Value::NotSupported }
}
