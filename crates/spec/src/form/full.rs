//! The full form, `schemaVersion` 2.0.0, with the dialect of its prototype (ruling 2).
//!
//! Parts that the original schema leaves open stay open, with a warning; keys of an action, its parameters, a
//! policy or a criterion are closed (ruling 1), and so is a key that looks like a misspelled section.

mod action;
mod evaluator;
mod parameters;
mod policy;
mod texts;

use referee_model::limit;

use self::action::{ACTION, ACTION_TYPES};
pub use self::action::{Action, EvidenceCapture, Expect, ExpectedTests};
pub use self::evaluator::Evaluator;
pub use self::parameters::{
    Browser, BrowserStep, Database, Docker, File, Http, Script, Terminal, ValidateResponse, ValidateResults,
};
use self::parameters::{FILE_DIRECTORIES, INTERPRETER, SHELL};
use self::policy::VALIDATION_POLICY;
pub use self::policy::{CategoryPolicy, Completion, Condition, ExpectedOutput, ValidationCriteria, ValidationPolicy};
use self::texts::{ACTION_ID, PATH};
use super::http;
use super::incidents;
pub use super::incidents::Incidents;
use super::keys::object;
pub use super::policy::ToolPolicy;
use super::report;
use super::shape::{Map, Object, Others, Shape, Text};
use super::terms::{ANY_MAPPING, ANY_TEXT, COMMAND_LINE, ENVIRONMENT, HOST, LINE, keyword, optional, required};

object!(pub FULL_FORM: Specification {
    name: "specification",
    what: "a specification",
    doc: "Tasks, and the actions that decide whether each is done.",
    fields: &[
        _schema = "$schema": optional("The schema that an editor holds it against.", Shape::Text(ANY_TEXT)),
        schema_version: required("The version of the form.", keyword(&["2.0.0"])),
        metadata: optional("Where the document comes from.", Shape::Object(&METADATA)),
        global_configuration: optional("What holds for all tasks.", Shape::Object(&GLOBAL_CONFIGURATION)),
        execution_engine: optional("Defaults and limits for running actions.", Shape::Object(&EXECUTION_ENGINE)),
        tasks: required("The tasks, by their ids.", Shape::Map(&TASKS)),
        technical_debt_configuration: optional("How debt is kept and routed.", Shape::Object(&DEBT_CONFIGURATION)),
    ],
    others: Others::WarnedUnlessNear,
});

object!(METADATA: Metadata {
    name: "metadata",
    what: "the metadata",
    doc: "Where the document comes from. Only `projectName`, `sprintId` and `validationPolicyRationale` have an effect: they stand in reports.",
    fields: &[
        project_name: optional("Name of the project, shown in reports.", Shape::Text(ANY_TEXT)),
        sprint_id: optional("Id of the sprint, shown in reports.", Shape::Text(ANY_TEXT)),
        _generated_at: optional("When the specification was written; without effect.", Shape::Text(ANY_TEXT)),
        _generated_by: optional("Program that wrote the specification; without effect.", Shape::Text(ANY_TEXT)),
        _description: optional("Purpose of the specification; without effect.", Shape::Text(ANY_TEXT)),
        _author: optional("Author of the specification; without effect.", Shape::Any),
        _task_id: optional("The task it was made for.", Shape::Any),
        _task_title: optional("Title of the task that the specification is for; without effect.", Shape::Any),
        _references: optional("Documents that the specification refers to; without effect.", Shape::Any),
        validation_policy_rationale: optional("Why the policies are as they are.", Shape::Any),
    ],
    others: Others::Warned,
});

object!(GLOBAL_CONFIGURATION: GlobalConfiguration {
    name: "globalConfiguration",
    what: "the global configuration",
    doc: "What holds for all tasks.",
    fields: &[
        workspace_root: optional(
            "Directory that all relative paths start from. Default: this file's directory. What is named at the prompt goes \
             before it.",
            Shape::Text(PATH),
        ),
        evidence_directory: optional(
            "Directory for the evidence, relative to the workspace. Default `evidence`.",
            Shape::Text(PATH),
        ),
        dev_server: optional("A server that tasks need.", Shape::Object(&DEV_SERVER)),
        environment: optional("Environment variables of every command, by name.", ENVIRONMENT),
        timeout: optional("Deadline over all tasks, in milliseconds.", TASK_DEADLINE),
        validation_policy: optional("How findings of tools are judged.", Shape::Object(&VALIDATION_POLICY)),
        evaluator: optional(
            "A program that is asked for its word on every judged task, which it can make worse and never better.",
            Shape::Variants(&evaluator::EVALUATOR),
        ),
        incidents: optional(incidents::DOC, Shape::Object(&incidents::INCIDENTS)),
        report: optional(report::DOC, report::REPORT),
    ],
    others: Others::WarnedUnlessNear,
});

object!(DEV_SERVER: DevServer {
    name: "devServer",
    what: "a dev server",
    doc: "A server that is started where a prerequisite names its command, or where a task needs it.",
    fields: &[
        command: optional("The command line that starts it.", Shape::Text(COMMAND_LINE)),
        working_directory: optional("Directory that it runs in. Default: the workspace.", Shape::Text(PATH)),
        health_check_url: optional("A URL that must answer.", Shape::Text(http::URL)),
        startup_timeout: optional("Milliseconds in which it must be ready. Default 30000.", ACTION_DEADLINE),
        port: optional("The port that it listens on, or `auto` for a free one, given to it in `PORT`.", http::PORT),
        environment: optional("Variables for this command alone.", ENVIRONMENT),
        external: optional(
            "Whether somebody outside its tree of processes may hold the port. Default false.",
            Shape::Boolean,
        ),
    ],
    others: Others::Warned,
});

object!(EXECUTION_ENGINE: ExecutionEngine {
    name: "executionEngine",
    what: "the execution engine",
    doc: "How actions are run.",
    fields: &[
        available_action_types: optional(
            "The types that actions may have. Default: all.",
            Shape::List { item: &keyword(ACTION_TYPES), min: 1 },
        ),
        executor_configurations: optional("Defaults, by type of action.", Shape::Object(&EXECUTORS)),
    ],
    others: Others::Warned,
});

object!(EXECUTORS: Executors {
    name: "executorConfigurations",
    what: "the executor configurations",
    doc: "Defaults, by type of action.",
    fields: &[
        terminal_command = "TERMINAL_COMMAND": optional(
            "Defaults for actions of type `TERMINAL_COMMAND`.",
            Shape::Object(&TERMINAL_EXECUTOR),
        ),
        http_request = "HTTP_REQUEST": optional("Settings of HTTP requests.", Shape::Object(&HTTP_EXECUTOR)),
        custom_script = "CUSTOM_SCRIPT": optional(
            "Defaults for actions of type `CUSTOM_SCRIPT`.",
            Shape::Object(&SCRIPT_EXECUTOR),
        ),
        file_validation = "FILE_VALIDATION": optional(
            "Defaults for actions of type `FILE_VALIDATION`.",
            Shape::Object(&FILE_EXECUTOR),
        ),
        mcp_browser_command = "MCP_BROWSER_COMMAND": optional("The browser.", Shape::Object(&BROWSER_EXECUTOR)),
        docker_command = "DOCKER_COMMAND": optional("Settings of docker commands.", Shape::Object(&DOCKER_EXECUTOR)),
        database_query = "DATABASE_QUERY": optional("Settings of queries.", Shape::Object(&DATABASE_EXECUTOR)),
    ],
    others: Others::Warned,
});

object!(TERMINAL_EXECUTOR: TerminalExecutor {
    name: "terminalConfiguration",
    what: "a configuration for commands",
    doc: "Defaults for commands.",
    fields: &[
        default_shell: optional(
            "The shell for command lines. powershell and cmd are taken where they are there; bash and sh must be.",
            SHELL,
        ),
        default_timeout: optional("Milliseconds after which a command is stopped.", ACTION_DEADLINE),
    ],
    others: Others::Warned,
});

object!(HTTP_EXECUTOR: HttpExecutor {
    name: "httpConfiguration",
    what: "a configuration for HTTP requests",
    doc: "Defaults for HTTP requests.",
    fields: &[
        default_timeout: optional("Milliseconds after which a request is given up. Default 10000.", ACTION_DEADLINE),
        follow_redirects: optional("Whether redirects are followed. Default true.", Shape::Boolean),
        validate_ssl = "validateSSL": optional("Whether certificates are checked. Default true.", Shape::Boolean),
    ],
    others: Others::Warned,
});

object!(SCRIPT_EXECUTOR: ScriptExecutor {
    name: "scriptConfiguration",
    what: "a configuration for scripts",
    doc: "What holds for scripts.",
    fields: &[
        allowed_interpreters: optional(
            "The interpreters that scripts may have. Default: all.",
            Shape::List { item: &INTERPRETER, min: 0 },
        ),
        script_directory: optional("Directory that relative paths of scripts start from.", Shape::Text(PATH)),
    ],
    others: Others::Warned,
});

object!(FILE_EXECUTOR: FileExecutor {
    name: "fileConfiguration",
    what: "a configuration for file checks",
    doc: "What holds for file checks.",
    fields: &[allowed_directories: optional(
        "Directories outside the workspace whose files may be looked at.",
        FILE_DIRECTORIES,
    )],
    others: Others::Warned,
});

object!(BROWSER_EXECUTOR: BrowserExecutor {
    name: "browserConfiguration",
    what: "a configuration for browsers",
    doc: "The browser, and the server that drives it.",
    fields: &[
        mcp_server_command: optional(
            "The MCP server that drives the browser. Default: Playwright's, from `node_modules`.",
            Shape::Either(&[Shape::Text(COMMAND_LINE), Shape::List { item: &Shape::Text(ANY_TEXT), min: 1 }]),
        ),
        browser_type: optional("Kind of browser. Default chromium.", keyword(&["chromium", "firefox", "webkit"])),
        headless: optional("Whether it runs without a window. Default true.", Shape::Boolean),
    ],
    others: Others::Warned,
});

object!(DOCKER_EXECUTOR: DockerExecutor {
    name: "dockerConfiguration",
    what: "a configuration for docker",
    doc: "What holds for docker commands.",
    fields: &[
        docker_host: optional("URL of the daemon. Default: that of docker.", Shape::Text(http::URL)),
        registry_auth: optional("Only `authFile`, the path of a file with logins.", ANY_MAPPING),
        program: optional("The program. Default: docker, or else podman.", keyword(&["docker", "podman"])),
    ],
    others: Others::Warned,
});

object!(DATABASE_EXECUTOR: DatabaseExecutor {
    name: "databaseConfiguration",
    what: "a configuration for queries",
    doc: "Defaults for queries.",
    fields: &[
        connection_timeout: optional("Milliseconds to connect in. Default 5000.", ACTION_DEADLINE),
        query_timeout: optional("Milliseconds that a statement may take. Default 30000.", ACTION_DEADLINE),
    ],
    others: Others::Warned,
});

static TASKS: Map = Map {
    what: "a mapping of ids to tasks",
    key: Text { what: "a task's id, such as `T001`", pattern: Some(r"^[^\x00-\x1f\x7f]{1,200}$") },
    value: Shape::Object(&TASK),
    min: 1,
};

object!(TASK: Task {
    name: "task",
    what: "a task",
    doc: "Actions, and what must come of them.",
    fields: &[
        task_id: optional("The task's id once more.", Shape::Text(texts::TASK_ID)),
        title: required("One-line summary of the task, for people.", Shape::Text(LINE)),
        _description: optional("What the task is about.", Shape::Text(ANY_TEXT)),
        _priority: optional("How urgent it is; without effect.", SEVERITY),
        dependencies: optional(
            "Tasks of this document that must have passed before.",
            Shape::List { item: &Shape::Text(LINE), min: 0 },
        ),
        test_execution: required("Actions of the task, by phase.", Shape::Object(&TEST_EXECUTION)),
        mcp_validation: optional("More steps, where it is enabled.", Shape::Object(&MCP_VALIDATION)),
        validation_criteria: required(
            "Conditions on results of actions that decide the task.",
            Shape::Object(&policy::VALIDATION_CRITERIA),
        ),
        completion_criteria: optional("When the task counts as complete.", Shape::Object(&policy::COMPLETION)),
        execution_workflow: optional("What must hold before, and in which order steps run.", Shape::Object(&WORKFLOW)),
        _technical_debt_expectations: optional(
            "Failures that the author thinks likely; without effect.",
            Shape::Object(&DEBT_EXPECTATIONS),
        ),
        tdd_phase: optional(
            "RED: the tests are expected to fail. GREEN: they are expected to pass, as without it.",
            keyword(&["RED", "GREEN"]),
        ),
        profile: optional(
            "How much runs where nothing is said about it at the prompt. Default strict.",
            keyword(&["strict", "fast", "smoke", "yolo"]),
        ),
    ],
    others: Others::WarnedUnlessNear,
});

object!(TEST_EXECUTION: TestExecution {
    name: "testExecution",
    what: "a list of actions by phase",
    doc: "The actions of a task.",
    fields: &[
        prerequisites: optional("What must hold before anything is checked.", ACTIONS),
        steps: required("Actions that check the work.", Shape::List { item: &Shape::Tagged(&ACTION), min: 1 }),
        cleanup: optional("What is done afterwards, always.", ACTIONS),
    ],
    others: Others::WarnedUnlessNear,
});

object!(MCP_VALIDATION: McpValidation {
    name: "mcpValidation",
    what: "a browser validation",
    doc: "Steps that come after the others.",
    fields: &[
        enabled: optional("Whether the steps count. Default false.", Shape::Boolean),
        steps: optional("Actions that run after the other steps, where `enabled` is true.", ACTIONS),
    ],
    others: Others::WarnedUnlessNear,
});

object!(WORKFLOW: Workflow {
    name: "executionWorkflow",
    what: "an execution workflow",
    doc: "What must hold before, and in which order steps run.",
    fields: &[
        prerequisites: optional(
            "What must hold before, beside the prerequisites among the actions.",
            Shape::List { item: &Shape::Object(&PREREQUISITE), min: 0 },
        ),
        execution_order: optional(
            "Ids of actions in the order in which they run; those that are missing come after.",
            Shape::List { item: &Shape::Text(ACTION_ID), min: 0 },
        ),
        parallel_execution: optional(
            "Whether steps that do not depend on one another may run at once. Default false.",
            Shape::Boolean,
        ),
    ],
    others: Others::WarnedUnlessNear,
});

object!(PREREQUISITE: Prerequisite {
    name: "prerequisite",
    what: "a prerequisite of the workflow",
    doc: "Something that must hold before anything is checked.",
    fields: &[
        kind = "type": required(
            "Kind of the prerequisite.",
            keyword(&["DEV_SERVER_RUNNING", "DATABASE_AVAILABLE", "SERVICE_HEALTHY", "FILE_EXISTS"]),
        ),
        description: required("One-line summary of the prerequisite, for people.", Shape::Text(LINE)),
        check_command: optional("A command line that succeeds where it holds.", Shape::Text(COMMAND_LINE)),
        connection_string: optional("URL of a database that must answer a query.", Shape::Text(ANY_TEXT)),
        url: optional("A URL that must answer.", Shape::Text(http::URL)),
        host: optional("The machine whose port must accept connections. Default: this one.", Shape::Text(HOST)),
        port: optional("A port that must accept connections.", Shape::Integer { min: 1, max: 65_535 }),
        path: optional("A file that must exist.", Shape::Text(PATH)),
        file_path: optional("Another spelling of `path`.", Shape::Text(PATH)),
        timeout: optional("Milliseconds in which it must hold. Default 30000.", ACTION_DEADLINE),
    ],
    others: Others::Refused,
});

object!(DEBT_CONFIGURATION: DebtConfiguration {
    name: "technicalDebtConfiguration",
    what: "a configuration of debt",
    doc: "How debt is kept and routed.",
    fields: &[
        enabled: optional("Whether debt is kept. Default true.", Shape::Boolean),
        routing_strategy: optional(
            "How items find their place. Default CAPACITY_BASED.",
            keyword(&["CAPACITY_BASED", "SEVERITY_BASED", "MANUAL"]),
        ),
        capacity_thresholds: optional("How much the sprint holds.", Shape::Object(&CAPACITY)),
        severity_levels: optional(
            "Severities that leave items. Default: all.",
            Shape::List { item: &SEVERITY, min: 0 },
        ),
    ],
    others: Others::Warned,
});

object!(CAPACITY: Capacity {
    name: "capacityThresholds",
    what: "a sprint's capacity",
    doc: "How much the sprint holds.",
    fields: &[
        sprint_tasks_max_items: optional(
            "Largest number of debt items that become tasks of the sprint. Default 6.",
            Shape::Integer { min: 1, max: 1_000_000 },
        ),
        sprint_tasks_max_critical: optional(
            "Largest number of critical debt items that become tasks of the sprint. Default 4.",
            Shape::Integer { min: 1, max: 1_000_000 },
        ),
    ],
    others: Others::Warned,
});

static DEBT_EXPECTATIONS: Object = Object {
    name: "technicalDebtExpectations",
    what: "an expectation of debt",
    doc: "Failures that the author thinks likely.",
    fields: &[optional(
        "likelyFailures",
        "Failures that the author of the specification expects.",
        Shape::List { item: &Shape::Object(&LIKELY_FAILURE), min: 0 },
    )],
    others: Others::Warned,
};

static LIKELY_FAILURE: Object = Object {
    name: "likelyFailure",
    what: "a likely failure",
    doc: "A failure that the author thinks likely.",
    fields: &[
        required("scenario", "Situation in which the task may fail, for people.", Shape::Text(ANY_TEXT)),
        required(
            "expectedDebtCategory",
            "The category that its debt would have.",
            keyword(&[
                "API_ENDPOINT_MISSING",
                "VALIDATION_MISSING",
                "ERROR_HANDLING_MISSING",
                "BUSINESS_LOGIC_ERROR",
                "DATABASE_SCHEMA_ISSUE",
                "INTEGRATION_FAILURE",
                "PERFORMANCE_ISSUE",
                "SECURITY_VULNERABILITY",
                "REFACTOR",
            ]),
        ),
        required("expectedSeverity", "The severity that its debt would have.", SEVERITY),
        optional("suggestedFix", "Remedy for the failure, for people.", Shape::Text(ANY_TEXT)),
    ],
    others: Others::Warned,
};

const ACTIONS: Shape = Shape::List { item: &Shape::Tagged(&ACTION), min: 0 };
const SEVERITY: Shape = keyword(&["CRITICAL", "HIGH", "MEDIUM", "LOW"]);
/// Deadline of one action, in milliseconds.
const ACTION_DEADLINE: Shape = Shape::Integer { min: 1, max: limit::ACTION_DEADLINE_MS_MAX.cast_signed() };
/// Deadline of all tasks, in milliseconds.
const TASK_DEADLINE: Shape = Shape::Integer { min: 1, max: limit::TASK_DEADLINE_MS_MAX.cast_signed() };
