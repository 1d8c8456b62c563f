//! The short form for people, `referee.yaml` (ruling 2).

mod browser_shape;
mod check;
mod container_shape;
mod evaluator;
mod policy;
mod query_shape;
mod setup;

use referee_model::limit;

pub use self::browser_shape::{Browser, BrowserStep, PageEvidence};
pub use self::check::{BodyEvidence, Check, Command, ContentEvidence, File, Http, OutputEvidence, Tls};
use self::check::{CHECK, OUTPUT_EVIDENCE};
pub use self::container_shape::Docker;
pub use self::evaluator::Evaluator;
pub use self::policy::Debt;
use self::policy::{COMPLETION, DEBT, POLICY};
pub use self::query_shape::{Query, RowEvidence};
pub use self::setup::Setup;
use super::http::{PORT, READY};
use super::incidents;
use super::keys::object;
use super::report;
use super::shape::{Map, Others, Shape, Text};
use super::terms::{
    ANY_TEXT, COMMAND_LINE, ENVIRONMENT, LINE, RETRIES, argv, keyword, optional, required, unsupported,
};

object!(pub SHORT_FORM: Specification {
    name: "specification",
    what: "a specification",
    doc: "A task and the checks that decide whether it is done.",
    fields: &[
        task: optional("The task's id; it names the evidence directory. Default T001.", Shape::Text(TASK)),
        title: optional("A line for people. Default: the task's id.", Shape::Text(LINE)),
        _description: optional("What the task is about.", Shape::Text(ANY_TEXT)),
        workspace: optional(
            "Directory that all relative paths start from, relative to this file. Default: this file's directory.",
            Shape::Text(PATH),
        ),
        evidence: optional(
            "Directory for the evidence, relative to the workspace. Default `evidence`.",
            Shape::Text(PATH),
        ),
        env: optional("Environment variables of every command, by name.", ENVIRONMENT),
        timeout: optional("Deadline over all prerequisites and checks.", TASK_DEADLINE),
        continue_on_failure: optional(
            "Whether later checks run although one failed and blocks. Default true.",
            Shape::Boolean,
        ),
        prerequisites: optional("What must hold before anything is checked.", Shape::Map(&CHECKS)),
        checks: required("The checks, in the order in which they run.", Shape::Map(&CHECKS)),
        cleanup: optional("What is done afterwards, always.", Shape::Map(&CHECKS)),
        policy: optional("How findings of tools are judged, by tool or by category.", Shape::Object(&POLICY)),
        validation_policy_rationale: optional(
            "Why the policies are as they are: free text that stands in the report.",
            Shape::Text(ANY_TEXT),
        ),
        completion: optional("When the task counts as complete.", Shape::Object(&COMPLETION)),
        services: optional("Servers that run while the checks do; they are started after the prerequisites.", SERVICES),
        conditions: optional("Conditions over the checks, each of which must be met.", CONDITIONS),
        failure_conditions: optional("Conditions over the checks, none of which may be met.", CONDITIONS),
        profile: optional("How much runs where nothing is said at the prompt. Default strict.", keyword(PROFILES)),
        parallel: optional(
            "Whether checks run at once, as far as their needs allow, where nothing is said at the prompt. Default false.",
            Shape::Boolean,
        ),
        flaky: optional(
            "What a pass after a failure counts for: `fail` blocks. Default allow.",
            keyword(&["fail", "allow"]),
        ),
        tdd_phase: optional(
            "RED: the tests are expected to fail. Default GREEN.",
            Shape::Keyword { words: &["RED", "GREEN"], also: &["red", "green"] },
        ),
        debt: optional("How technical debt is kept.", Shape::Object(&DEBT)),
        incidents: optional(incidents::DOC, Shape::Object(&incidents::INCIDENTS)),
        report: optional(report::DOC, report::REPORT),
        evaluator: optional(
            "A program that is asked for its word on the judged run, which it can make worse and never better.",
            Shape::Either(EVALUATOR),
        ),
        setup: optional(
            "A command that installs dependencies. It runs in a clean room alone (`referee run --clean-room`), before all else.",
            Shape::Either(setup::SETUP),
        ),
        pins: optional(
            "Programs that must be these very files, by name: their SHA-256. Where one is another file nothing is started.",
            setup::PINS,
        ),
        limits: optional("What each command may use.", Shape::Object(&LIMITS)),
        outputs: optional(
            "Files and directories that the checks write, as patterns relative to the workspace: what is there is no input.",
            Shape::List { item: &Shape::Text(OUTPUT), min: 0 },
        ),
        protect: optional(
            "Files that must not change, beside those that are protected anyway.",
            Shape::Object(&PROTECT),
        ),
        suppressions: optional(
            "What is done about ways to silence a tool or a test that a change adds, and about fewer tests than in the best \
             run. Default: report; and under a lock or a trusted commit, fewer tests block.",
            keyword(&["report", "block", "ignore"]),
        ),
        strict: optional(
            "Whether what makes a pass worth less blocks: `suppressions` and `probe` are `block` where they are not written. Default \
             false.",
            Shape::Boolean,
        ),
        probe: optional(
            "What is done where the tests that a change adds or edits pass without the rest of it, under a trusted commit: \
             `off` asks nothing. Default report.",
            keyword(&["report", "block", "off"]),
        ),
        probe_schedule: optional(
            "When checks are asked whether they still report planted defects that `referee probe learn` found: `on-change` where \
             more changed since than sources and new files of tests, `ci` where the variable CI is set. Default on-change.",
            keyword(&["on-change", "always", "ci", "never"]),
        ),
        probe_count: optional(
            "Planted defects that a check must report when it is asked; each costs about one more run of the check. Default 1.",
            Shape::Integer { min: 1, max: 50 },
        ),
        _expect: unsupported("Failures that are expected, of every check."),
        _retries: unsupported("How often every failed check is tried again."),
        _tasks: unsupported("Several tasks in one document."),
        _jobs: unsupported("How many checks run at once."),
    ],
    others: Others::WarnedUnlessNear,
});

/// An evaluator: a command line, or a command written as a mapping.
const EVALUATOR: &[Shape] = &[Shape::Text(COMMAND_LINE), Shape::Variants(&evaluator::EVALUATOR)];

object!(PROTECT: Protect {
    name: "protect",
    what: "a set of protected files",
    doc: "Protected files, by how they are: paths, patterns, or one value of a JSON or TOML file as `package.json#/scripts`.",
    fields: &[
        frozen: optional("They must stay as they are.", PROTECTED),
        additive: optional("What is there must stay, new files are free, edits are listed: tests.", PROTECTED),
        review: optional("Changes are reported, and do not block.", PROTECTED),
    ],
    others: Others::Refused,
});

const PROTECTED: Shape =
    Shape::Either(&[Shape::Text(PROTECTED_ENTRY), Shape::List { item: &Shape::Text(PROTECTED_ENTRY), min: 1 }]);
const PROTECTED_ENTRY: Text =
    Text { what: "a path, a pattern, or `file.json#/pointer`", pattern: Some(r"^[^\x00-\x1f\x7f]+$") };

/// Checks by name; names appear in reports, and `needs` refers to them.
static CHECKS: Map = Map {
    what: "a mapping of names to checks",
    key: Text {
        what: "a name of 1 to 200 characters without line breaks",
        pattern: Some(r"^[^\x00-\x1f\x7f]{1,200}$"),
    },
    value: Shape::Either(&[Shape::Text(COMMAND_LINE), Shape::Variants(&CHECK)]),
    min: 1,
};

/// Services by name.
const SERVICES: Shape = Shape::Map(&Map {
    what: "a mapping of names to services",
    key: Text { what: "a name (letters, digits, - and _)", pattern: Some("^[A-Za-z0-9_-]{1,64}$") },
    value: Shape::Object(&SERVICE),
    min: 1,
});

object!(SERVICE: Service {
    name: "service",
    what: "a service",
    doc: "Something that runs while the checks do: a command that is started, or, without one, what somebody else runs.",
    fields: &[
        run: optional("A command line, given to a shell.", Shape::Text(COMMAND_LINE)),
        argv: argv(),
        pipefail: optional(
            "Whether a failing command inside a pipe fails the line of `run`. Default true.",
            Shape::Boolean,
        ),
        _description: optional("What the service is for.", Shape::Text(ANY_TEXT)),
        ready: optional("What tells that it is ready; all must hold.", READY),
        port: optional("The port that it listens on; `auto` for a free one, which it is given in `PORT`.", PORT),
        timeout: optional("Time within which it must be ready. Default 30s.", ACTION_DEADLINE),
        external: optional("Whether its port may be held by somebody else than itself. Default false.", Shape::Boolean),
        env: optional("Variables for this service alone.", ENVIRONMENT),
        cwd: optional("Directory to run in, relative to the workspace. Default: the workspace.", Shape::Text(PATH)),
        grace: optional("Time between the polite signal and the final one. Default 2s.", GRACE),
        retries: optional("How often it is started again when it does not get ready. Default 0.", RETRIES),
        evidence: optional("What of its output is kept as evidence.", Shape::Object(&OUTPUT_EVIDENCE)),
    ],
    others: Others::Refused,
});

/// Conditions: as strings, or with their purpose.
const CONDITIONS: Shape =
    Shape::List { item: &Shape::Either(&[Shape::Text(CONDITION), Shape::Object(&CONDITION_OBJECT)]), min: 1 };

object!(CONDITION_OBJECT: Condition {
    name: "condition",
    what: "a condition",
    doc: "A condition over the checks, and what it is for.",
    fields: &[
        condition: required("The condition, such as `unit.exitCode === 0`.", Shape::Text(CONDITION)),
        description: optional("Meaning of the condition, for people. Default: the condition itself.", Shape::Text(ANY_TEXT)),
    ],
    others: Others::Refused,
});

object!(LIMITS: Limits {
    name: "limits",
    what: "a set of limits",
    doc: "What each command may use, with all that it starts. A command that exceeds one is stopped.",
    fields: &[
        processes: optional("Processes at once. Default: no limit.", Shape::Integer { min: 1, max: 1_000_000 }),
        memory: optional("Memory, such as 2GiB. Default: no limit.", SIZE),
        output: optional("Output of one action, such as 100MiB; 16 GiB at most, which is the default.", SIZE),
    ],
    others: Others::Refused,
});

/// A number of bytes, or a string with a unit.
const SIZE: Shape = Shape::Either(&[
    Shape::Integer { min: 1, max: i64::MAX },
    Shape::Text(Text {
        what: "a size such as `2GiB` (a bare number counts bytes)",
        pattern: Some(r"^[0-9]{1,15}(\.[0-9]{1,6})? ?(B|KB|MB|GB|TB|KiB|MiB|GiB|TiB)$"),
    }),
]);

const ACTION_DEADLINE: Shape = Shape::Duration { min_ms: 1, max_ms: limit::ACTION_DEADLINE_MS_MAX.cast_signed() };
const TASK_DEADLINE: Shape = Shape::Duration { min_ms: 1, max_ms: limit::TASK_DEADLINE_MS_MAX.cast_signed() };
const PROFILES: &[&str] = &["strict", "fast", "smoke", "yolo"];
const GRACE: Shape = Shape::Duration { min_ms: 0, max_ms: limit::GRACE_MS_MAX.cast_signed() };

const TASK: Text = Text { what: "a task id such as `T001`", pattern: Some("^T[0-9]{3,31}$") };
const CONDITION: Text = Text { what: "a condition", pattern: Some(r"^[^\x00]*[^\x00\s][^\x00]*$") };
const OUTPUT: Text =
    Text { what: "a relative pattern such as `dist` or `packages/*/dist`", pattern: Some(r"^[^/\x00][^\x00]*$") };
const PATH: Text = Text { what: "a relative path", pattern: Some(r"^[^\x00]+$") };
