//! The full form: what cannot lie in a directory of documents, because it depends on where it lies or how large it is.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::needless_pass_by_value,
    reason = "tests make the files that they load, and the values in them on the way"
)]

use std::path::Path;

use referee_model::id::{ActionId, TaskId};
use referee_model::plan::service::{Port, PrerequisiteKind, Probe};
use referee_model::plan::{FileRoot, Plan, Service, Shell, StepOrder, Work};
use referee_model::suite::Suite;
use referee_spec::complaint::{Code, Complaint, Level, render_plain};
use referee_spec::error::SpecError;
use referee_spec::plan::{Loaded, Options, load};
use serde_json::{Value, json};

fn load_in(directory: &Path, document: &Value, workspace: Option<&Path>) -> Result<Loaded, Vec<Complaint>> {
    let file = directory.join("referee.json");
    std::fs::write(&file, document.to_string()).unwrap();
    match load(&file, &Options { workspace: workspace.map(Path::to_owned) }) {
        Ok(loaded) => Ok(loaded),
        Err(SpecError::Complaints(complaints)) => {
            assert!(complaints.iter().any(|complaint| complaint.level == Level::Error));
            Err(complaints)
        }
        Err(error) => panic!("{error}"),
    }
}

fn loaded(document: &Value) -> Loaded {
    let directory = tempfile::tempdir().unwrap();
    load_in(directory.path(), document, None)
        .unwrap_or_else(|complaints| panic!("{}", complaints.iter().map(render_plain).collect::<String>()))
}

fn suite(document: &Value) -> Suite {
    loaded(document).suite
}

/// What is wrong with a document, and worth a warning: codes and messages.
fn said(document: &Value) -> Vec<(Code, Level, String)> {
    let directory = tempfile::tempdir().unwrap();
    let complaints = match load_in(directory.path(), document, None) {
        Ok(loaded) => loaded.warnings,
        Err(complaints) => complaints,
    };
    complaints.into_iter().map(|complaint| (complaint.code, complaint.level, complaint.message)).collect()
}

fn action(id: &str, kind: &str, parameters: Value) -> Value {
    json!({ "actionId": id, "type": kind, "description": id, "parameters": parameters })
}

fn command(id: &str, line: &str) -> Value {
    action(id, "TERMINAL_COMMAND", json!({ "command": line }))
}

fn request(id: &str, url: &str) -> Value {
    action(id, "HTTP_REQUEST", json!({ "url": url, "method": "GET" }))
}

fn task(steps: Value) -> Value {
    json!({
        "title": "A task",
        "testExecution": { "steps": steps },
        "validationCriteria": { "successConditions": [{ "condition": "success", "description": "d" }] },
    })
}

fn document(task: Value) -> Value {
    json!({ "schemaVersion": "2.0.0", "globalConfiguration": {}, "tasks": { "T001": task } })
}

fn with(mut document: Value, pointer: &str, value: Value) -> Value {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    document.pointer_mut(parent).unwrap()[key] = value;
    document
}

fn service<'a>(plan: &'a Plan, id: &str) -> &'a Service {
    let action = plan.actions.iter().find(|action| action.id.as_str() == id).unwrap();
    let Work::Service(service) = &action.work else { panic!("{id} is not a service") };
    service
}

fn ids(plan: &Plan) -> Vec<&str> {
    plan.actions.iter().map(|action| action.id.as_str()).collect()
}

#[test]
fn the_workspace_is_the_callers_then_the_documents_then_its_directory() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    for name in ["spec", "other/web", "spec/inner/web"] {
        std::fs::create_dir_all(root.join(name)).unwrap();
    }
    let absolute = root.join("other").to_string_lossy().into_owned();
    let below = format!("{absolute}/web");
    let rows: &[(Option<&str>, Option<&str>, &str, &str)] = &[
        // What the document names, what the caller names, the workspace, a directory in it.
        (None, None, "spec", "web"),
        (Some("inner"), None, "spec/inner", "web"),
        (Some("${WORKSPACE_ROOT}"), None, "spec", "${WORKSPACE_ROOT}/web"),
        (Some("${WORKSPACE_ROOT}/inner"), None, "spec/inner", "${WORKSPACE_ROOT}/inner/web"),
        (Some(&absolute), None, "other", "${WORKSPACE_ROOT}/web"),
        (Some(&absolute), Some("spec"), "spec", &below),
        (Some("D:/gone"), Some("other"), "other", "D:/gone/web"),
        (Some(r"D:\gone"), Some("other"), "other", r"d:\gone\web"),
        (Some("D:/gone"), Some("other"), "other", "web"),
    ];
    for (named, given, workspace, directory) in rows {
        let steps = json!([action(
            "STEP.1",
            "TERMINAL_COMMAND",
            json!({ "argv": ["echo", "${WORKSPACE_ROOT}"], "workingDirectory": directory })
        )]);
        let mut document = document(task(steps));
        if let Some(named) = named {
            document["globalConfiguration"]["workspaceRoot"] = json!(named);
        }
        let given = given.map(|given| root.join(given));
        let loaded = load_in(&root.join("spec"), &document, given.as_deref()).unwrap_or_else(|complaints| {
            panic!("{named:?} {directory}: {}", complaints.iter().map(render_plain).collect::<String>())
        });
        let plan = &loaded.suite.tasks[0];
        assert_eq!(plan.workspace, root.join(workspace), "{named:?} {given:?}");
        assert_eq!(plan.evidence_root, root.join(workspace).join("evidence"), "{named:?} {given:?}");
        assert!(plan.problems.is_empty(), "{named:?} {given:?}");
        let Work::Command(command) = &plan.actions[0].work else { panic!("a command") };
        assert_eq!(command.directory.as_str(), "web", "{named:?} {given:?}");
    }
}

#[test]
fn a_workspace_on_another_machine_is_a_problem_of_the_task_and_no_error() {
    for (named, workspace, inner) in [
        ("D:/x", "/D:/x", "d:/x/sub"),
        (r"C:\proj\app", "/C:/proj/app", r"C:\proj\app\sub"),
        (r"\\server\share", "//server/share", "//server/share/sub"),
        ("/gone/away", "/gone/away", "/gone/away/sub"),
    ] {
        let file = |id: &str, path: &str| {
            action(id, "FILE_VALIDATION", json!({ "filePath": path, "validationType": "EXISTS" }))
        };
        let steps = json!([file("STEP.1", inner), file("STEP.2", "E:/tools/a")]);
        let document = with(document(task(steps)), "/globalConfiguration/workspaceRoot", json!(named));
        let directories = json!({ "FILE_VALIDATION": { "allowedDirectories": ["E:/tools"] } });
        let document = with(document, "/executionEngine", json!({ "executorConfigurations": directories }));
        let loaded = loaded(&document);
        let plan = &loaded.suite.tasks[0];
        assert_eq!(plan.workspace, Path::new(workspace));
        assert!(plan.workspace.is_absolute(), "a plan names absolute directories, or it cannot be read again");
        assert!(plan.evidence_root.is_absolute(), "evidence is never written relative to wherever this runs");
        let [problem] = plan.problems.as_slice() else { panic!("one problem") };
        assert_eq!((problem.action.as_ref(), problem.keyword.as_str()), (None, "workspace"));
        assert_eq!(problem.pointer, "/globalConfiguration/workspaceRoot");
        assert!(problem.message.contains(named), "{}", problem.message);
        assert!(loaded.warnings.iter().any(|warning| warning.code == Code::NoWorkspace));
        let paths: Vec<(FileRoot, &str)> = plan
            .actions
            .iter()
            .map(|action| match &action.work {
                Work::File(check) => (check.root.clone(), check.path.as_str()),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(paths, [(FileRoot::Workspace, "sub"), (FileRoot::Listed("/E:/tools".into()), "a")], "{named}");
    }
}

#[test]
fn the_base_url_is_the_dev_servers_unless_it_is_declared() {
    let rows = [
        (json!({}), "http://localhost:3000/a", true),
        (
            json!({ "devServer": { "healthCheckUrl": "https://me@localhost:4000/health?x" } }),
            "https://localhost:4000/a",
            false,
        ),
        (json!({ "devServer": { "port": 4000 } }), "http://localhost:4000/a", false),
        (
            json!({ "devServer": { "port": 4000, "healthCheckUrl": "${API_BASE_URL}/h" } }),
            "http://localhost:4000/a",
            false,
        ),
        (
            json!({ "devServer": { "healthCheckUrl": "http://${HOST}/h" }, "environment": { "HOST": "app.test" } }),
            "http://app.test/a",
            false,
        ),
        (json!({ "devServer": { "command": "npm start", "port": "auto" } }), "http://localhost:${PORT}/a", false),
        (
            json!({ "devServer": {
                "command": "npm start", "port": "auto", "healthCheckUrl": "http://127.0.0.1:${PORT}/health" } }),
            "http://127.0.0.1:${PORT}/a",
            false,
        ),
        (
            json!({ "devServer": { "port": 4000 }, "environment": { "API_BASE_URL": "http://b.test" } }),
            "http://b.test/a",
            false,
        ),
        (json!({ "environment": { "API_BASE_URL": "http://b.test" } }), "http://b.test/a", false),
    ];
    for (global, expected, warned) in rows {
        let steps = json!([
            request("STEP.1", "${API_BASE_URL}/a"),
            command("STEP.2", "test ! -e \"${WORKSPACE_ROOT}/bad.txt\""),
            command("STEP.3", "curl $API_BASE_URL/a"),
            command("STEP.4", "echo WORKSPACE_ROOT"),
        ]);
        let loaded = loaded(&with(document(task(steps)), "/globalConfiguration", global.clone()));
        let plan = &loaded.suite.tasks[0];
        let action = |id: &str| plan.actions.iter().find(|action| action.id.as_str() == id).unwrap();
        let Work::Http(request) = &action("STEP.1").work else { panic!("a request") };
        assert_eq!(request.url.to_string(), expected, "{global}");
        let warnings = loaded.warnings.iter().filter(|warning| warning.code == Code::DefaultBaseUrl).count();
        assert_eq!(warnings, if warned { 2 } else { 0 }, "{global}");
        let given = |id: &str| {
            let Work::Command(command) = &action(id).work else { panic!("a command") };
            let late = command.late_environment.iter().map(|(name, value)| (name.clone(), value.to_string()));
            let known = command.environment.iter().map(|(name, value)| (name.clone(), value.clone()));
            known.chain(late).collect::<Vec<_>>()
        };
        assert_eq!(given("STEP.2"), [("WORKSPACE_ROOT".to_owned(), plan.workspace.to_string_lossy().into_owned())]);
        let base = expected.trim_end_matches("/a").to_owned();
        let declared = plan.environment.contains_key("API_BASE_URL");
        let shell = if declared { vec![] } else { vec![("API_BASE_URL".to_owned(), base)] };
        assert_eq!(given("STEP.3"), shell, "{global}");
        assert_eq!(given("STEP.4"), []);
        if expected.contains("${PORT}") {
            for id in ["STEP.1", "STEP.3"] {
                let needs: Vec<&str> = action(id).needs.iter().map(ActionId::as_str).collect();
                assert_eq!(needs, ["DEVSERVER.1"], "{global}");
            }
        }
        assert!(plan.problems.is_empty(), "{global}");
    }
}

#[test]
fn a_base_url_whose_port_is_not_yet_found_keeps_its_user_from_running() {
    let document = document(task(json!([command("STEP.1", "curl $API_BASE_URL")])));
    let server = json!({ "command": "npm start", "port": "auto" });
    let document = with(document, "/globalConfiguration/devServer", server);
    let early = json!([command("PREREQ.1", "curl ${API_BASE_URL}/a")]);
    let loaded = loaded(&with(document, "/tasks/T001/testExecution/prerequisites", early));
    let [problem] = loaded.suite.tasks[0].problems.as_slice() else { panic!("one problem") };
    assert_eq!(problem.action.as_ref().map(ActionId::as_str), Some("PREREQ.1"));
}

#[test]
fn a_variable_used_before_its_declaration_is_told_from_an_unknown_one() {
    let document = document(task(json!([command("STEP.1", "true")])));
    let environment = json!({ "A": "${B}", "B": "1", "C": "${NOWHERE_AT_ALL}" });
    let loaded = loaded(&with(document, "/globalConfiguration/environment", environment));
    let help: Vec<bool> = loaded
        .warnings
        .iter()
        .map(|warning| {
            warning.suggestion.as_deref().is_some_and(|help| help.starts_with("declare it before the value"))
        })
        .collect();
    assert_eq!(help, [true, false]);
}

#[test]
fn standard_error_that_need_not_be_empty_is_not_looked_at() {
    let document = document(task(json!([command("STEP.1", "true")])));
    for (written, expected) in [
        (json!({ "stderrEmpty": false }), None),
        (json!({ "stderrEmpty": true }), Some(Some(true))),
        (json!({ "stderrEmpty": false, "exitCode": 0 }), Some(None)),
    ] {
        let document = with(document.clone(), "/tasks/T001/validationCriteria/expectedOutput", written.clone());
        let suite = suite(&document);
        let found = suite.tasks[0].criteria.expected_output.as_ref().map(|expected| expected.stderr_empty);
        assert_eq!(found, expected, "{written}");
    }
}

#[test]
fn output_that_is_not_kept_cannot_be_expected() {
    for (kept, expected, errors) in [
        (json!({ "stdout": false }), json!({ "stdoutContains": ["a"] }), 1),
        (json!({ "stdout": false }), json!({ "stderrEmpty": true }), 0),
        (json!({ "stderr": false }), json!({ "stderrEmpty": true }), 1),
        (json!({ "stderr": false }), json!({ "stderrEmpty": false, "exitCode": 0 }), 0),
    ] {
        let mut step = command("STEP.1", "true");
        step["evidenceCapture"] = kept.clone();
        let document = with(document(task(json!([step]))), "/tasks/T001/validationCriteria/expectedOutput", expected);
        let found = said(&document).iter().filter(|(code, ..)| *code == Code::NotKept).count();
        assert_eq!(found, errors, "{kept}");
    }
}

#[test]
fn what_looks_like_a_misspelt_section_is_an_error_and_what_does_not_is_a_warning() {
    let plain = || document(task(json!([command("STEP.1", "true")])));
    for (pointer, level) in [
        ("/globalConfigurations", Level::Error),
        ("/somethingOfTheirs", Level::Warning),
        ("/tasks/T001/validationCriterias", Level::Error),
        ("/tasks/T001/storyPoints", Level::Warning),
        ("/tasks/T001/testExecution/cleanups", Level::Error),
        ("/tasks/T001/testExecution/teardown", Level::Warning),
        ("/globalConfiguration/enviroment", Level::Error),
        ("/tasks/T001/executionWorkflow/executionOder", Level::Error),
        ("/tasks/T001/mcpValidation/enabeld", Level::Error),
        ("/tasks/T001/validationCriteria/failureCondition", Level::Error),
        ("/metadata/projectNam", Level::Warning),
    ] {
        let mut document = plain();
        for section in ["/tasks/T001/executionWorkflow", "/tasks/T001/mcpValidation", "/metadata"] {
            document = with(document, section, json!({}));
        }
        let said = said(&with(document, pointer, json!([])));
        let levels: Vec<Level> = said.iter().map(|(_, level, _)| *level).collect();
        assert_eq!(levels, [level], "{pointer}: {said:?}");
    }
}

#[test]
fn the_dev_server_is_started_where_it_is_needed_and_only_there() {
    let server = json!({ "command": "npm run dev", "healthCheckUrl": "http://localhost:3000/health" });
    let base = |steps: Value| with(document(task(steps)), "/globalConfiguration/devServer", server.clone());
    let prerequisite = json!([{ "type": "DEV_SERVER_RUNNING", "description": "It runs" }]);
    let workflow =
        |document: Value| with(document, "/tasks/T001/executionWorkflow", json!({ "prerequisites": prerequisite }));
    let first = |document: Value, node: Value| with(document, "/tasks/T001/testExecution/prerequisites", json!([node]));
    let quiet = || base(json!([command("STEP.1", "true")]));
    let asking = |url: &str| base(json!([request("STEP.1", url)]));
    let rows: Vec<(&str, Value, Vec<&str>)> = vec![
        ("nobody needs it", quiet(), vec!["STEP.1"]),
        ("a request asks it", asking("http://127.0.0.1:3000/a"), vec!["DEVSERVER.1", "STEP.1"]),
        ("a request asks another port", asking("http://localhost:3001/a"), vec!["STEP.1"]),
        ("a request asks another machine", asking("http://example.com:3000/a"), vec!["STEP.1"]),
        ("the workflow asks for it", workflow(quiet()), vec!["DEVSERVER.1", "STEP.1"]),
        (
            "a prerequisite starts it",
            workflow(first(asking("http://localhost:3000/"), command("PREREQ.1", "npm run dev  "))),
            vec!["PREREQ.1", "STEP.1"],
        ),
    ];
    for (what, document, expected) in rows {
        let suite = suite(&document);
        assert_eq!(ids(&suite.tasks[0]), expected, "{what}");
        if expected.len() == 2 {
            let service = service(&suite.tasks[0], expected[0]);
            assert_eq!(service.kind, PrerequisiteKind::DevServerRunning, "{what}");
            assert_eq!(service.port, Some(Port::Fixed(3000)), "{what}");
            assert!(matches!(service.ready.as_slice(), [Probe::Url { .. }]), "{what}");
        }
    }
    let elsewhere =
        action("PREREQ.1", "TERMINAL_COMMAND", json!({ "command": "npm run dev", "workingDirectory": "web" }));
    let suite = suite(&first(asking("http://localhost:3000/"), elsewhere));
    assert_eq!(ids(&suite.tasks[0]), ["PREREQ.1", "DEVSERVER.1", "STEP.1"]);
    assert!(
        matches!(suite.tasks[0].actions[0].work, Work::Command(_)),
        "the same line in another directory is another command"
    );
}

#[test]
fn a_dev_server_without_a_command_is_waited_for() {
    let steps = || document(task(json!([request("STEP.1", "http://localhost:3000/")])));
    let workflow = json!({ "prerequisites": [{ "type": "DEV_SERVER_RUNNING", "description": "It runs" }] });
    let with_server = |server: Value| {
        let document = with(steps(), "/globalConfiguration/devServer", server);
        with(document, "/tasks/T001/executionWorkflow", workflow.clone())
    };
    let suite = suite(&with_server(json!({ "port": 3000, "startupTimeout": 7 })));
    let plan = &suite.tasks[0];
    assert_eq!(ids(plan), ["DEVSERVER.1", "STEP.1"]);
    let service = service(plan, "DEVSERVER.1");
    assert_eq!((&service.command, service.external), (&None, true));
    assert_eq!(service.ready, [Probe::Port(Port::Fixed(3000))]);
    assert_eq!(plan.actions[0].timeout_ms, 7);
    let said = said(&with_server(json!({ "startupTimeout": 7 })));
    assert!(said.iter().any(|(code, level, _)| (*code, *level) == (Code::Vacuous, Level::Error)), "{said:?}");
}

#[test]
fn a_service_that_says_nothing_of_its_readiness_is_warned_of() {
    let document = with(
        document(task(json!([command("STEP.1", "true")]))),
        "/tasks/T001/testExecution/prerequisites",
        json!([action("PREREQ.1", "TERMINAL_COMMAND", json!({ "command": "npm run watch", "background": true }))]),
    );
    let said = said(&document);
    assert!(matches!(said.as_slice(), [(Code::NoReadiness, Level::Warning, _)]), "{said:?}");
}

#[test]
fn a_free_port_is_known_to_everything_after_its_service() {
    let document = json!({
        "schemaVersion": "2.0.0",
        "globalConfiguration": {
            "devServer": { "command": "npm start", "port": "auto" },
            "environment": { "PORT": 1 },
        },
        "tasks": { "T001": task(json!([
            request("STEP.1", "http://localhost:${PORT}/"),
            command("STEP.2", "curl localhost:$PORT"),
            command("STEP.3", "curl localhost:$PORTS"),
        ])) },
    });
    let suite = suite(&document);
    let plan = &suite.tasks[0];
    assert_eq!(ids(plan), ["DEVSERVER.1", "STEP.1", "STEP.2", "STEP.3"]);
    let needs: Vec<Vec<&str>> =
        plan.actions.iter().map(|action| action.needs.iter().map(ActionId::as_str).collect()).collect();
    assert_eq!(needs, [vec![], vec!["DEVSERVER.1"], vec!["DEVSERVER.1"], vec![]]);
    assert!(matches!(service(plan, "DEVSERVER.1").ready.as_slice(), [Probe::Port(Port::Auto(_))]));
}

#[test]
fn conditions_are_placed_to_the_column() {
    let text = "{ schemaVersion: 2.0.0, globalConfiguration: {}, tasks: { T001: { title: A task,\n\
                testExecution: { steps: [{ actionId: STEP.1, type: TERMINAL_COMMAND, description: a,\n\
                parameters: { command: a } }] },\n\
                validationCriteria: { successConditions: [\n\
                { condition: 'STEP.1.exitCode = 0', description: a },\n\
                { condition: exitCode = 0, description: b }] } } } }";
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("referee.yaml");
    std::fs::write(&file, text).unwrap();
    let Err(SpecError::Complaints(complaints)) = load(&file, &Options::default()) else { panic!("it loads") };
    let places: Vec<(usize, usize)> = complaints.iter().map(|complaint| (complaint.line, complaint.column)).collect();
    assert_eq!(places, [(5, 31), (6, 23)], "{complaints:?}");
    assert!(complaints.iter().all(|complaint| complaint.code == Code::InvalidCondition));
}

#[test]
fn shells_and_deadlines_come_from_the_action_then_its_type() {
    let engine = |shell: &str| {
        json!({ "executorConfigurations": {
            "TERMINAL_COMMAND": { "defaultShell": shell, "defaultTimeout": 1234 },
            "HTTP_REQUEST": { "defaultTimeout": 567 },
        } })
    };
    let mut own = action("STEP.2", "TERMINAL_COMMAND", json!({ "command": "a", "shell": "cmd" }));
    own["timeout"] = json!(99);
    let steps = json!([command("STEP.1", "a"), own, request("STEP.3", "http://localhost/")]);
    for (word, shell) in
        [("powershell", Shell::PreferPowerShell), ("cmd", Shell::PreferCmd), ("bash", Shell::Bash), ("sh", Shell::Sh)]
    {
        let mut document = document(task(steps.clone()));
        document["executionEngine"] = engine(word);
        let suite = suite(&document);
        let shells: Vec<Shell> = suite.tasks[0]
            .actions
            .iter()
            .filter_map(|action| match &action.work {
                Work::Command(command) => match &command.invocation {
                    referee_model::plan::Invocation::Shell { shell, .. } => Some(*shell),
                    _ => None,
                },
                _ => None,
            })
            .collect();
        assert_eq!(shells, [shell, Shell::Cmd]);
        let deadlines: Vec<u64> = suite.tasks[0].actions.iter().map(|action| action.timeout_ms).collect();
        assert_eq!(deadlines, [1234, 99, 567]);
    }
}

#[test]
fn steps_are_free_where_something_says_what_they_need() {
    let plain = || document(task(json!([command("STEP.1", "a"), command("STEP.2", "b")])));
    let depends = with(plain(), "/tasks/T001/testExecution/steps/1/dependsOn", json!("STEP.1"));
    let parallel = with(plain(), "/tasks/T001/executionWorkflow", json!({ "parallelExecution": true }));
    let ordered = with(plain(), "/tasks/T001/executionWorkflow", json!({ "executionOrder": ["STEP.2", "STEP.1"] }));
    for (document, order, at_once, first) in [
        (plain(), StepOrder::Listed, false, "STEP.1"),
        (depends, StepOrder::Free, false, "STEP.1"),
        (parallel, StepOrder::Free, true, "STEP.1"),
        (ordered, StepOrder::Listed, false, "STEP.2"),
    ] {
        let suite = suite(&document);
        let plan = &suite.tasks[0];
        assert_eq!((plan.step_order, plan.parallel, ids(plan)[0]), (order, at_once, first));
    }
}

#[test]
fn tasks_keep_their_order_wherever_dependencies_allow_and_names_of_their_own_where_they_have_none() {
    let on = |names: Value| {
        let mut task = task(json!([command("STEP.1", "a")]));
        task["dependencies"] = names;
        task
    };
    let document = json!({
        "schemaVersion": "2.0.0",
        "globalConfiguration": {},
        "metadata": { "projectName": "Quotes" },
        "tasks": { "T002": on(json!(["last", "last"])), "T900": on(json!([])), "last": on(json!(["T900"])) },
    });
    let loaded = loaded(&document);
    let tasks: Vec<(&str, Vec<&str>)> = loaded
        .suite
        .tasks
        .iter()
        .map(|plan| (plan.task.as_str(), plan.depends_on.iter().map(TaskId::as_str).collect()))
        .collect();
    assert_eq!(tasks, [("T900", vec![]), ("T901", vec!["T900"]), ("T002", vec!["T901"])]);
    assert_eq!(loaded.suite.title, "Quotes");
    assert!(loaded.warnings.iter().all(|warning| warning.code == Code::DerivedTaskId));
}

#[test]
fn a_dependency_on_a_task_of_another_document_is_warned_of_where_there_is_one_task() {
    let document = with(document(task(json!([command("STEP.1", "a")]))), "/tasks/T001/dependencies", json!(["T004"]));
    assert!(matches!(said(&document).as_slice(), [(Code::UnknownDependency, Level::Warning, _)]));
    let loaded = loaded(&document);
    assert!(loaded.suite.tasks[0].depends_on.is_empty());
}

#[test]
fn more_tasks_than_there_may_be_are_refused_and_so_is_a_configuration_too_large_for_them() {
    let tasks = |count: usize| {
        let task = task(json!([command("STEP.1", "a")]));
        (0..count).map(|number| (format!("T{number:04}"), task.clone())).collect::<serde_json::Map<_, _>>()
    };
    let document = |count: usize, environment: Value| {
        json!({
            "schemaVersion": "2.0.0",
            "globalConfiguration": { "environment": environment },
            "tasks": tasks(count),
        })
    };
    assert_eq!(suite(&document(300, json!({}))).tasks.len(), 300);
    for (count, environment) in [(1_001, json!({})), (300, json!({ "A": "x".repeat(300_000) }))] {
        let said = said(&document(count, environment));
        assert!(said.iter().any(|(code, level, _)| (*code, *level) == (Code::TooManyTasks, Level::Error)), "{count}");
    }
}

#[test]
fn a_long_text_repeated_by_aliases_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("referee.yaml");
    std::fs::write(&file, format!("a: &a {}\nb: [{}]\n", "x".repeat(1_000_000), "*a,".repeat(5_000))).unwrap();
    let Err(SpecError::Complaints(complaints)) = load(&file, &Options::default()) else { panic!("it loads") };
    assert!(complaints.iter().any(|complaint| complaint.code == Code::AliasExpansion), "{complaints:?}");
}

#[test]
fn variables_that_multiply_each_other_are_refused() {
    let mut environment = serde_json::Map::new();
    environment.insert("V0".to_owned(), json!("x".repeat(1000)));
    for level in 1..10 {
        environment.insert(format!("V{level}"), json!(format!("${{V{}}}", level - 1).repeat(20)));
    }
    let document = with(
        document(task(json!([command("STEP.1", "a")]))),
        "/globalConfiguration/environment",
        Value::Object(environment),
    );
    let said = said(&document);
    assert!(
        said.iter().any(|(code, level, _)| (*code, *level) == (Code::UnresolvedVariable, Level::Error)),
        "{said:?}"
    );
}

#[test]
fn a_misspelt_variable_is_named_with_the_right_one_and_keeps_its_action_from_running() {
    let document =
        document(task(json!([request("STEP.1", "${API_BASE_ULR}/quotes"), command("STEP.2", "echo ${ANY}")])));
    let loaded = loaded(&document);
    let [warning] = loaded.warnings.as_slice() else { panic!("{:?}", loaded.warnings) };
    assert_eq!(warning.suggestion.as_deref(), Some("did you mean `API_BASE_URL`?"));
    let [problem] = loaded.suite.tasks[0].problems.as_slice() else { panic!("one problem") };
    assert_eq!(problem.action.as_ref().map(ActionId::as_str), Some("STEP.1"));
    assert_eq!(problem.pointer, "/tasks/T001/testExecution/steps/0/parameters/url");
}

#[test]
fn reports_of_the_configuration_are_those_of_the_suite() {
    let steps = json!([command("STEP.1", "true")]);
    let suite = suite(&with(document(task(steps)), "/globalConfiguration/report", json!({ "junit": "out/junit.xml" })));
    assert_eq!((suite.reports[0].format.as_str(), suite.reports[0].path.as_str()), ("junit", "out/junit.xml"));
    assert_eq!(suite.tasks[0].guard.outputs, ["out/junit.xml"]);
}
