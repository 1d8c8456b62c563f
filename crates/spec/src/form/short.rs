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
use super::shape::{Map, Shape, Text};
use super::terms::{
    ANY_TEXT, COMMAND_LINE, ENVIRONMENT, LINE, RETRIES, argv, keyword, optional, required, unsupported,
};

object! {
    /// A task and the checks that decide whether it is done.
    pub SHORT_FORM: Specification = "specification", "a specification", WarnedUnlessNear {
        /// The task's id; it names the evidence directory. Default T001.
        task: optional(Shape::Text(TASK)),
        /// A line for people. Default: the task's id.
        title: optional(Shape::Text(LINE)),
        /// What the task is about.
        _description: optional(Shape::Text(ANY_TEXT)),
        /// Directory that all relative paths start from, relative to this file. Default: this file's directory.
        workspace: optional(Shape::Text(PATH)),
        /// Directory for the evidence, relative to the workspace. Default `evidence`.
        evidence: optional(Shape::Text(PATH)),
        /// Environment variables of every command, by name.
        env: optional(ENVIRONMENT),
        /// Deadline over all prerequisites and checks.
        timeout: optional(TASK_DEADLINE),
        /// Whether later checks run although one failed and blocks. Default true.
        continue_on_failure: optional(Shape::Boolean),
        /// What must hold before anything is checked.
        prerequisites: optional(Shape::Map(&CHECKS)),
        /// The checks, in the order in which they run.
        checks: required(Shape::Map(&CHECKS)),
        /// What is done afterwards, always.
        cleanup: optional(Shape::Map(&CHECKS)),
        /// How findings of tools are judged, by tool or by category.
        policy: optional(Shape::Object(&POLICY)),
        /// Why the policies are as they are: free text that stands in the report.
        validation_policy_rationale: optional(Shape::Text(ANY_TEXT)),
        /// When the task counts as complete.
        completion: optional(Shape::Object(&COMPLETION)),
        /// Servers that run while the checks do; they are started after the prerequisites.
        services: optional(SERVICES),
        /// Conditions over the checks, each of which must be met.
        conditions: optional(CONDITIONS),
        /// Conditions over the checks, none of which may be met.
        failure_conditions: optional(CONDITIONS),
        /// How much runs where nothing is said at the prompt. Default strict.
        profile: optional(keyword(PROFILES)),
        /// Whether checks run at once, as far as their needs allow, where nothing is said at the prompt. Default false.
        parallel: optional(Shape::Boolean),
        /// What a pass after a failure counts for: `fail` blocks. Default allow.
        flaky: optional(keyword(&["fail", "allow"])),
        /// RED: the tests are expected to fail. Default GREEN.
        tdd_phase: optional(Shape::Keyword { words: &["RED", "GREEN"], also: &["red", "green"] }),
        /// How technical debt is kept.
        debt: optional(Shape::Object(&DEBT)),
        incidents: optional(incidents::DOC, Shape::Object(&incidents::INCIDENTS)),
        report: optional(report::DOC, report::REPORT),
        /// A program that is asked for its word on the judged run, which it can make worse and never better.
        evaluator: optional(Shape::Either(EVALUATOR)),
        /// A command that installs dependencies. It runs in a clean room alone (`referee run --clean-room`), before all
        /// else.
        setup: optional(Shape::Either(setup::SETUP)),
        /// Programs that must be these very files, by name: their SHA-256. Where one is another file nothing is
        /// started.
        pins: optional(setup::PINS),
        /// What each command may use.
        limits: optional(Shape::Object(&LIMITS)),
        /// Files and directories that the checks write, as patterns relative to the workspace: what is there is no
        /// input.
        outputs: optional(Shape::List { item: &Shape::Text(OUTPUT), min: 0 }),
        /// Files that must not change, beside those that are protected anyway.
        protect: optional(Shape::Object(&PROTECT)),
        /// What is done about ways to silence a tool or a test that a change adds, and about fewer tests than in the
        /// best run. Default: report; and under a lock or a trusted commit, fewer tests block.
        suppressions: optional(keyword(&["report", "block", "ignore"])),
        /// Whether what makes a pass worth less blocks: `suppressions` and `probe` are `block` where they are not
        /// written. Default false.
        strict: optional(Shape::Boolean),
        /// What is done where the tests that a change adds or edits pass without the rest of it, under a trusted
        /// commit: `off` asks nothing. Default report.
        probe: optional(keyword(&["report", "block", "off"])),
        /// When checks are asked whether they still report planted defects that `referee probe learn` found:
        /// `on-change` where more changed since than sources and new files of tests, `ci` where the variable CI is set.
        /// Default on-change.
        probe_schedule: optional(keyword(&["on-change", "always", "ci", "never"])),
        /// Planted defects that a check must report when it is asked; each costs about one more run of the check.
        /// Default 1.
        probe_count: optional(Shape::Integer { min: 1, max: 50 }),
        /// Failures that are expected, of every check.
        _expect: unsupported(),
        /// How often every failed check is tried again.
        _retries: unsupported(),
        /// Several tasks in one document.
        _tasks: unsupported(),
        /// How many checks run at once.
        _jobs: unsupported(),
    }
}

/// An evaluator: a command line, or a command written as a mapping.
const EVALUATOR: &[Shape] = &[Shape::Text(COMMAND_LINE), Shape::Variants(&evaluator::EVALUATOR)];

object! {
    /// Protected files, by how they are: paths, patterns, or one value of a JSON or TOML file as
    /// `package.json#/scripts`.
    PROTECT: Protect = "protect", "a set of protected files" {
        /// They must stay as they are.
        frozen: optional(PROTECTED),
        /// What is there must stay, new files are free, edits are listed: tests.
        additive: optional(PROTECTED),
        /// Changes are reported, and do not block.
        review: optional(PROTECTED),
    }
}

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

object! {
    /// Something that runs while the checks do: a command that is started, or, without one, what somebody else runs.
    SERVICE: Service = "service", "a service" {
        /// A command line, given to a shell.
        run: optional(Shape::Text(COMMAND_LINE)),
        argv: argv(),
        /// Whether a failing command inside a pipe fails the line of `run`. Default true.
        pipefail: optional(Shape::Boolean),
        /// What the service is for.
        _description: optional(Shape::Text(ANY_TEXT)),
        /// What tells that it is ready; all must hold.
        ready: optional(READY),
        /// The port that it listens on; `auto` for a free one, which it is given in `PORT`.
        port: optional(PORT),
        /// Time within which it must be ready. Default 30s.
        timeout: optional(ACTION_DEADLINE),
        /// Whether its port may be held by somebody else than itself. Default false.
        external: optional(Shape::Boolean),
        /// Variables for this service alone.
        env: optional(ENVIRONMENT),
        /// Directory to run in, relative to the workspace. Default: the workspace.
        cwd: optional(Shape::Text(PATH)),
        /// Time between the polite signal and the final one. Default 2s.
        grace: optional(GRACE),
        /// How often it is started again when it does not get ready. Default 0.
        retries: optional(RETRIES),
        /// What of its output is kept as evidence.
        evidence: optional(Shape::Object(&OUTPUT_EVIDENCE)),
    }
}

/// Conditions: as strings, or with their purpose.
const CONDITIONS: Shape =
    Shape::List { item: &Shape::Either(&[Shape::Text(CONDITION), Shape::Object(&CONDITION_OBJECT)]), min: 1 };

object! {
    /// A condition over the checks, and what it is for.
    CONDITION_OBJECT: Condition = "condition", "a condition" {
        /// The condition, such as `unit.exitCode === 0`.
        condition: required(Shape::Text(CONDITION)),
        /// Meaning of the condition, for people. Default: the condition itself.
        description: optional(Shape::Text(ANY_TEXT)),
    }
}

object! {
    /// What each command may use, with all that it starts. A command that exceeds one is stopped.
    LIMITS: Limits = "limits", "a set of limits" {
        /// Processes at once. Default: no limit.
        processes: optional(Shape::Integer { min: 1, max: 1_000_000 }),
        /// Memory, such as 2GiB. Default: no limit.
        memory: optional(SIZE),
        /// Output of one action, such as 100MiB; 16 GiB at most, which is the default.
        output: optional(SIZE),
    }
}

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
