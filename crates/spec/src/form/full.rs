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
use super::shape::{Map, Shape, Text};
use super::terms::{
    ANY_MAPPING, ANY_TEXT, COMMAND, COMMAND_LINE, ENVIRONMENT, HOST, LINE, keyword, optional, required,
};

object! {
    /// Tasks, and the actions that decide whether each is done.
    pub FULL_FORM: Specification = "specification", "a specification", WarnedUnlessNear {
        /// The schema that an editor holds it against.
        _schema = "$schema": optional(Shape::Text(ANY_TEXT)),
        /// The version of the form.
        schema_version: required(keyword(&["2.0.0"])),
        /// Where the document comes from.
        metadata: optional(Shape::Object(&METADATA)),
        /// What holds for all tasks.
        global_configuration: optional(Shape::Object(&GLOBAL_CONFIGURATION)),
        /// Defaults and limits for running actions.
        execution_engine: optional(Shape::Object(&EXECUTION_ENGINE)),
        /// The tasks, by their ids.
        tasks: required(Shape::Map(&TASKS)),
        /// How debt is kept and routed.
        technical_debt_configuration: optional(Shape::Object(&DEBT_CONFIGURATION)),
    }
}

object! {
    /// Where the document comes from. Only `projectName`, `sprintId` and `validationPolicyRationale` have an effect:
    /// they stand in reports.
    METADATA: Metadata = "metadata", "the metadata", Warned {
        /// Name of the project, shown in reports.
        project_name: optional(Shape::Text(ANY_TEXT)),
        /// Id of the sprint, shown in reports.
        sprint_id: optional(Shape::Text(ANY_TEXT)),
        /// When the specification was written; without effect.
        _generated_at: optional(Shape::Text(ANY_TEXT)),
        /// Program that wrote the specification; without effect.
        _generated_by: optional(Shape::Text(ANY_TEXT)),
        /// Purpose of the specification; without effect.
        _description: optional(Shape::Text(ANY_TEXT)),
        /// Author of the specification; without effect.
        _author: optional(Shape::Any),
        /// The task it was made for.
        _task_id: optional(Shape::Any),
        /// Title of the task that the specification is for; without effect.
        _task_title: optional(Shape::Any),
        /// Documents that the specification refers to; without effect.
        _references: optional(Shape::Any),
        /// Why the policies are as they are.
        validation_policy_rationale: optional(Shape::Any),
    }
}

object! {
    /// What holds for all tasks.
    GLOBAL_CONFIGURATION: GlobalConfiguration = "globalConfiguration", "the global configuration", WarnedUnlessNear {
        /// Directory that all relative paths start from. Default: this file's directory. What is named at the prompt
        /// goes before it.
        workspace_root: optional(Shape::Text(PATH)),
        /// Directory for the evidence, relative to the workspace. Default `evidence`.
        evidence_directory: optional(Shape::Text(PATH)),
        /// A server that tasks need.
        dev_server: optional(Shape::Object(&DEV_SERVER)),
        /// Environment variables of every command, by name.
        environment: optional(ENVIRONMENT),
        /// Deadline over all tasks, in milliseconds.
        timeout: optional(TASK_DEADLINE),
        /// How findings of tools are judged.
        validation_policy: optional(Shape::Object(&VALIDATION_POLICY)),
        /// A program that is asked for its word on every judged task, which it can make worse and never better.
        evaluator: optional(Shape::Variants(&evaluator::EVALUATOR)),
        incidents: optional(incidents::DOC, Shape::Object(&incidents::INCIDENTS)),
        report: optional(report::DOC, report::REPORT),
    }
}

object! {
    /// A server that is started where a prerequisite names its command, or where a task needs it.
    DEV_SERVER: DevServer = "devServer", "a dev server", Warned {
        /// The command line that starts it.
        command: optional(Shape::Text(COMMAND_LINE)),
        /// Directory that it runs in. Default: the workspace.
        working_directory: optional(Shape::Text(PATH)),
        /// A URL that must answer.
        health_check_url: optional(Shape::Text(http::URL)),
        /// Milliseconds in which it must be ready. Default 30000.
        startup_timeout: optional(ACTION_DEADLINE),
        /// The port that it listens on, or `auto` for a free one, given to it in `PORT`.
        port: optional(http::PORT),
        /// Variables for this command alone.
        environment: optional(ENVIRONMENT),
        /// Whether somebody outside its tree of processes may hold the port. Default false.
        external: optional(Shape::Boolean),
    }
}

object! {
    /// How actions are run.
    EXECUTION_ENGINE: ExecutionEngine = "executionEngine", "the execution engine", Warned {
        /// The types that actions may have. Default: all.
        available_action_types: optional(Shape::List { item: &keyword(ACTION_TYPES), min: 1 }),
        /// Defaults, by type of action.
        executor_configurations: optional(Shape::Object(&EXECUTORS)),
    }
}

object! {
    /// Defaults, by type of action.
    EXECUTORS: Executors = "executorConfigurations", "the executor configurations", Warned {
        /// Defaults for actions of type `TERMINAL_COMMAND`.
        terminal_command = "TERMINAL_COMMAND": optional(Shape::Object(&TERMINAL_EXECUTOR)),
        /// Settings of HTTP requests.
        http_request = "HTTP_REQUEST": optional(Shape::Object(&HTTP_EXECUTOR)),
        /// Defaults for actions of type `CUSTOM_SCRIPT`.
        custom_script = "CUSTOM_SCRIPT": optional(Shape::Object(&SCRIPT_EXECUTOR)),
        /// Defaults for actions of type `FILE_VALIDATION`.
        file_validation = "FILE_VALIDATION": optional(Shape::Object(&FILE_EXECUTOR)),
        /// The browser.
        mcp_browser_command = "MCP_BROWSER_COMMAND": optional(Shape::Object(&BROWSER_EXECUTOR)),
        /// Settings of docker commands.
        docker_command = "DOCKER_COMMAND": optional(Shape::Object(&DOCKER_EXECUTOR)),
        /// Settings of queries.
        database_query = "DATABASE_QUERY": optional(Shape::Object(&DATABASE_EXECUTOR)),
    }
}

object! {
    /// Defaults for commands.
    TERMINAL_EXECUTOR: TerminalExecutor = "terminalConfiguration", "a configuration for commands", Warned {
        /// The shell for command lines. powershell and cmd are taken where they are there; bash and sh must be.
        default_shell: optional(SHELL),
        /// Milliseconds after which a command is stopped.
        default_timeout: optional(ACTION_DEADLINE),
    }
}

object! {
    /// Defaults for HTTP requests.
    HTTP_EXECUTOR: HttpExecutor = "httpConfiguration", "a configuration for HTTP requests", Warned {
        /// Milliseconds after which a request is given up. Default 10000.
        default_timeout: optional(ACTION_DEADLINE),
        /// Whether redirects are followed. Default true.
        follow_redirects: optional(Shape::Boolean),
        /// Whether certificates are checked. Default true.
        validate_ssl = "validateSSL": optional(Shape::Boolean),
    }
}

object! {
    /// What holds for scripts.
    SCRIPT_EXECUTOR: ScriptExecutor = "scriptConfiguration", "a configuration for scripts", Warned {
        /// The interpreters that scripts may have. Default: all.
        allowed_interpreters: optional(Shape::List { item: &INTERPRETER, min: 0 }),
        /// Directory that relative paths of scripts start from.
        script_directory: optional(Shape::Text(PATH)),
    }
}

object! {
    /// What holds for file checks.
    FILE_EXECUTOR: FileExecutor = "fileConfiguration", "a configuration for file checks", Warned {
        /// Directories outside the workspace whose files may be looked at.
        allowed_directories: optional(FILE_DIRECTORIES),
    }
}

object! {
    /// The browser, and the server that drives it.
    BROWSER_EXECUTOR: BrowserExecutor = "browserConfiguration", "a configuration for browsers", Warned {
        /// The MCP server that drives the browser. Default: Playwright's, from `node_modules`.
        mcp_server_command: optional(COMMAND),
        /// Kind of browser. Default chromium.
        browser_type: optional(keyword(&["chromium", "firefox", "webkit"])),
        /// Whether it runs without a window. Default true.
        headless: optional(Shape::Boolean),
    }
}

object! {
    /// What holds for docker commands.
    DOCKER_EXECUTOR: DockerExecutor = "dockerConfiguration", "a configuration for docker", Warned {
        /// URL of the daemon. Default: that of docker.
        docker_host: optional(Shape::Text(http::URL)),
        /// Only `authFile`, the path of a file with logins.
        registry_auth: optional(ANY_MAPPING),
        /// The program. Default: docker, or else podman.
        program: optional(keyword(&["docker", "podman"])),
    }
}

object! {
    /// Defaults for queries.
    DATABASE_EXECUTOR: DatabaseExecutor = "databaseConfiguration", "a configuration for queries", Warned {
        /// Milliseconds to connect in. Default 5000.
        connection_timeout: optional(ACTION_DEADLINE),
        /// Milliseconds that a statement may take. Default 30000.
        query_timeout: optional(ACTION_DEADLINE),
    }
}

static TASKS: Map = Map {
    what: "a mapping of ids to tasks",
    key: Text { what: "a task's id, such as `T001`", pattern: Some(r"^[^\x00-\x1f\x7f]{1,200}$") },
    value: Shape::Object(&TASK),
    min: 1,
};

object! {
    /// Actions, and what must come of them.
    TASK: Task = "task", "a task", WarnedUnlessNear {
        /// The task's id once more.
        task_id: optional(Shape::Text(texts::TASK_ID)),
        /// One-line summary of the task, for people.
        title: required(Shape::Text(LINE)),
        /// What the task is about.
        _description: optional(Shape::Text(ANY_TEXT)),
        /// How urgent it is; without effect.
        _priority: optional(SEVERITY),
        /// Tasks of this document that must have passed before.
        dependencies: optional(Shape::List { item: &Shape::Text(LINE), min: 0 }),
        /// Actions of the task, by phase.
        test_execution: required(Shape::Object(&TEST_EXECUTION)),
        /// More steps, where it is enabled.
        mcp_validation: optional(Shape::Object(&MCP_VALIDATION)),
        /// Conditions on results of actions that decide the task.
        validation_criteria: required(Shape::Object(&policy::VALIDATION_CRITERIA)),
        /// When the task counts as complete.
        completion_criteria: optional(Shape::Object(&policy::COMPLETION)),
        /// What must hold before, and in which order steps run.
        execution_workflow: optional(Shape::Object(&WORKFLOW)),
        /// Failures that the author thinks likely; without effect.
        _technical_debt_expectations: optional(Shape::Object(&DEBT_EXPECTATIONS)),
        /// RED: the tests are expected to fail. GREEN: they are expected to pass, as without it.
        tdd_phase: optional(keyword(&["RED", "GREEN"])),
        /// How much runs where nothing is said about it at the prompt. Default strict.
        profile: optional(keyword(&["strict", "fast", "smoke", "yolo"])),
    }
}

object! {
    /// The actions of a task.
    TEST_EXECUTION: TestExecution = "testExecution", "a list of actions by phase", WarnedUnlessNear {
        /// What must hold before anything is checked.
        prerequisites: optional(ACTIONS),
        /// Actions that check the work.
        steps: required(Shape::List { item: &Shape::Tagged(&ACTION), min: 1 }),
        /// What is done afterwards, always.
        cleanup: optional(ACTIONS),
    }
}

object! {
    /// Steps that come after the others.
    MCP_VALIDATION: McpValidation = "mcpValidation", "a browser validation", WarnedUnlessNear {
        /// Whether the steps count. Default false.
        enabled: optional(Shape::Boolean),
        /// Actions that run after the other steps, where `enabled` is true.
        steps: optional(ACTIONS),
    }
}

object! {
    /// What must hold before, and in which order steps run.
    WORKFLOW: Workflow = "executionWorkflow", "an execution workflow", WarnedUnlessNear {
        /// What must hold before, beside the prerequisites among the actions.
        prerequisites: optional(Shape::List { item: &Shape::Object(&PREREQUISITE), min: 0 }),
        /// Ids of actions in the order in which they run; those that are missing come after.
        execution_order: optional(Shape::List { item: &Shape::Text(ACTION_ID), min: 0 }),
        /// Whether steps that do not depend on one another may run at once. Default false.
        parallel_execution: optional(Shape::Boolean),
    }
}

object! {
    /// Something that must hold before anything is checked.
    PREREQUISITE: Prerequisite = "prerequisite", "a prerequisite of the workflow" {
        /// Kind of the prerequisite.
        kind = "type": required(
            keyword(&["DEV_SERVER_RUNNING", "DATABASE_AVAILABLE", "SERVICE_HEALTHY", "FILE_EXISTS"]),
        ),
        /// One-line summary of the prerequisite, for people.
        description: required(Shape::Text(LINE)),
        /// A command line that succeeds where it holds.
        check_command: optional(Shape::Text(COMMAND_LINE)),
        /// URL of a database that must answer a query.
        connection_string: optional(Shape::Text(ANY_TEXT)),
        /// A URL that must answer.
        url: optional(Shape::Text(http::URL)),
        /// The machine whose port must accept connections. Default: this one.
        host: optional(Shape::Text(HOST)),
        /// A port that must accept connections.
        port: optional(Shape::Integer { min: 1, max: 65_535 }),
        /// A file that must exist.
        path: optional(Shape::Text(PATH)),
        /// Another spelling of `path`.
        file_path: optional(Shape::Text(PATH)),
        /// Milliseconds in which it must hold. Default 30000.
        timeout: optional(ACTION_DEADLINE),
    }
}

object! {
    /// How debt is kept and routed.
    DEBT_CONFIGURATION: DebtConfiguration = "technicalDebtConfiguration", "a configuration of debt", Warned {
        /// Whether debt is kept. Default true.
        enabled: optional(Shape::Boolean),
        /// How items find their place. Default CAPACITY_BASED.
        routing_strategy: optional(keyword(&["CAPACITY_BASED", "SEVERITY_BASED", "MANUAL"])),
        /// How much the sprint holds.
        capacity_thresholds: optional(Shape::Object(&CAPACITY)),
        /// Severities that leave items. Default: all.
        severity_levels: optional(Shape::List { item: &SEVERITY, min: 0 }),
    }
}

object! {
    /// How much the sprint holds.
    CAPACITY: Capacity = "capacityThresholds", "a sprint's capacity", Warned {
        /// Largest number of debt items that become tasks of the sprint. Default 6.
        sprint_tasks_max_items: optional(Shape::Integer { min: 1, max: 1_000_000 }),
        /// Largest number of critical debt items that become tasks of the sprint. Default 4.
        sprint_tasks_max_critical: optional(Shape::Integer { min: 1, max: 1_000_000 }),
    }
}

object! {
    /// Failures that the author thinks likely.
    DEBT_EXPECTATIONS = "technicalDebtExpectations", "an expectation of debt", Warned {
        /// Failures that the author of the specification expects.
        likely_failures: optional(Shape::List { item: &Shape::Object(&LIKELY_FAILURE), min: 0 }),
    }
}

object! {
    /// A failure that the author thinks likely.
    LIKELY_FAILURE = "likelyFailure", "a likely failure", Warned {
        /// Situation in which the task may fail, for people.
        scenario: required(Shape::Text(ANY_TEXT)),
        /// The category that its debt would have.
        expected_debt_category: required(
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
        /// The severity that its debt would have.
        expected_severity: required(SEVERITY),
        /// Remedy for the failure, for people.
        suggested_fix: optional(Shape::Text(ANY_TEXT)),
    }
}

const ACTIONS: Shape = Shape::List { item: &Shape::Tagged(&ACTION), min: 0 };
const SEVERITY: Shape = keyword(&["CRITICAL", "HIGH", "MEDIUM", "LOW"]);
/// Deadline of one action, in milliseconds.
const ACTION_DEADLINE: Shape = Shape::Integer { min: 1, max: limit::ACTION_DEADLINE_MS_MAX.cast_signed() };
/// Deadline of all tasks, in milliseconds.
const TASK_DEADLINE: Shape = Shape::Integer { min: 1, max: limit::TASK_DEADLINE_MS_MAX.cast_signed() };
