//! Seed 1's tables, row by row and by their names; if a ruling differs, the row says which.

use referee_model::plan::service::Port;
use referee_model::reading::TestResults;
use referee_model::record::http::NoAnswerCause;

use super::*;

/// One row: name, work, and expected judgement.
struct Row {
    name: &'static str,
    action: Action,
    record: Record,
    reading: Reading,
    change: fn(&mut Plan),
    expected: &'static str,
}

fn row(name: &'static str, action: Action, record: Record, reading: Reading, expected: &'static str) -> Row {
    Row { name, action, record, reading, change: |_| {}, expected }
}

/// Returns a row for a command line that exited.
fn ran(name: &'static str, text: &str, code: i32, reading: Reading, expected: &'static str) -> Row {
    let action = line("STEP.1", text);
    let record = exited(&action, code);
    row(name, action, record, reading, expected)
}

fn came(row: &Row) -> String {
    let mut plan = plan(vec![row.action.clone()]);
    (row.change)(&mut plan);
    if matches!(row.record.facts, Facts::NotExecuted) {
        plan.problems.push(problem(Some(&row.action), "`filePath` is missing"));
    }
    let judgement = judge(&plan, &row.action, &row.record, &row.reading);
    let cause = judgement.cause.map_or_else(String::new, |cause| format!(" by {}", cause.as_str()));
    let decision = if judgement.blocking { "blocks" } else { "passes" };
    let expected = if judgement.expected { ", expected" } else { "" };
    let debt = match &judgement.debt {
        DebtGeneration::Item(DebtSummary { category, severity, .. }) => format!("{category:?} {severity:?}"),
        DebtGeneration::None { .. } => "no debt".to_owned(),
    };
    let remedy = judgement.remedy.map_or_else(|| "go on".to_owned(), |remedy| format!("{remedy:?}"));
    format!("{}{cause}{expected}: {decision}, {debt}, {remedy}", judgement.outcome.as_str())
}

fn hold(rows: Vec<Row>) {
    for row in rows {
        assert_eq!(came(&row), row.expected, "{}", row.name);
    }
}

fn deadline() -> Ending {
    Ending::DeadlineExceeded { timeout_ms: 10_000, of_task: false, killed: false }
}

fn not_found() -> Ending {
    Ending::CouldNotStart { cause: StartFailure::NotFound, message: "not found".to_owned() }
}

fn red(plan: &mut Plan) {
    plan.red_phase = true;
}

fn present() -> FileExpectation {
    FileExpectation::Present(FileContent::default())
}

fn watching() -> Reading {
    words("Waiting for file changes...\n")
}

fn idle(action: &Action) -> Record {
    let message = "for the last 12 s it printed nothing".to_owned();
    let mut record = ended(action, deadline());
    record.notices.push(Notice { code: NoticeCode::Idle, message });
    record
}

#[test]
fn the_decision_tree_up_to_the_execution() {
    let before = file("PREREQ.1", present());
    let step = line("STEP.1", "./deploy");
    hold(vec![
        row(
            "prerequisite check: fail",
            before.clone(),
            found(&before, FileState::Missing),
            nothing(),
            "PREREQUISITE_FAILURE by VALIDATION_FAILURE: blocks, IntegrationFailure Critical, FixPrerequisite",
        ),
        row(
            "prerequisite check: pass",
            before.clone(),
            found(&before, FileState::File(observed(1))),
            nothing(),
            "SUCCESS: passes, no debt, go on",
        ),
        row(
            "parameter validation: invalid",
            step.clone(),
            not_executed(&step),
            nothing(),
            "SPECIFICATION_ERROR: blocks, no debt, FixSpecification",
        ),
        row(
            "tool execution: timeout",
            step.clone(),
            ended(&step, deadline()),
            nothing(),
            "TIMEOUT: blocks, PerformanceIssue Medium, OptimizeOrIncreaseTimeout",
        ),
        row(
            "tool execution: tool crash",
            step.clone(),
            ended(&step, Ending::Signaled { signal: 11 }),
            nothing(),
            "EXECUTION_ERROR: blocks, IntegrationFailure High, ImplementFix",
        ),
    ]);
}

#[test]
fn the_decision_tree_from_the_exit_code_on() {
    let jest = line("STEP.1", "npx jest");
    let check = file("STEP.1", present());
    hold(vec![
        row(
            "exit code: non-zero and test command",
            jest.clone(),
            exited(&jest, 1),
            tests("jest", 3, 2, 0),
            "TEST_FAILURE: blocks, ValidationMissing High, ImplementFix",
        ),
        // Ruling 9: without a test summary, a non-zero exit means that the runner did not work.
        row(
            "exit code: non-zero and test command, without a summary",
            jest.clone(),
            exited(&jest, 1),
            nothing(),
            "EXECUTION_ERROR: blocks, IntegrationFailure High, ImplementFix",
        ),
        ran(
            "exit code: non-zero and non-test",
            "./deploy",
            1,
            nothing(),
            "EXECUTION_ERROR: blocks, IntegrationFailure High, ImplementFix",
        ),
        ran(
            "output: errors, by the tool's own reader",
            "npx tsc",
            0,
            findings("tsc", 1, 0, 0),
            "VALIDATION_FAILURE: blocks, ValidationMissing Critical, FixTypes",
        ),
        // Ruling 9: output that only looks like errors never fails an exit 0.
        ran(
            "output: errors, of a command without a role",
            "./deploy",
            0,
            by_content(findings("tsc", 1, 0, 0)),
            "SUCCESS: passes, no debt, go on",
        ),
        // Ruling 11 and the matrix: warnings are a failure that does not block.
        ran(
            "output: warnings only",
            "npx eslint .",
            0,
            findings("eslint", 0, 8, 0),
            "VALIDATION_FAILURE: passes, Refactor Medium, FixCode",
        ),
        ran("output: clean", "npx eslint .", 0, findings("eslint", 0, 0, 0), "SUCCESS: passes, no debt, go on"),
        row(
            "success criteria: met",
            check.clone(),
            found(&check, FileState::File(observed(1))),
            nothing(),
            "SUCCESS: passes, no debt, go on",
        ),
        row(
            "success criteria: not met",
            check.clone(),
            found(&check, FileState::Missing),
            nothing(),
            "VALIDATION_FAILURE: blocks, ValidationMissing High, ImplementFix",
        ),
    ]);
}

#[test]
fn the_classification_matrix_of_tools_that_worked() {
    let jest = line("STEP.1", "npx jest");
    let strict = |plan: &mut Plan| {
        plan.policies.categories.insert(Category::Linting, Strategy::ErrorsAndWarnings);
    };
    hold(vec![
        Row {
            change: red,
            ..row(
                "TDD Red Phase",
                jest.clone(),
                exited(&jest, 1),
                tests("jest", 0, 2, 0),
                "TEST_FAILURE, expected: passes, no debt, go on",
            )
        },
        // Ruling 19: VALIDATION_MISSING, where the matrix says FEATURE / BUG_FIX.
        row(
            "Actual Test Failure",
            jest.clone(),
            exited(&jest, 1),
            tests("jest", 3, 2, 0),
            "TEST_FAILURE: blocks, ValidationMissing High, ImplementFix",
        ),
        ran(
            "TypeScript Errors",
            "npx tsc",
            2,
            findings("tsc", 1, 0, 0),
            "VALIDATION_FAILURE: blocks, ValidationMissing Critical, FixTypes",
        ),
        ran(
            "ESLint Errors",
            "npx eslint .",
            1,
            findings("eslint", 5, 12, 0),
            "VALIDATION_FAILURE: blocks, Refactor High, FixCode",
        ),
        ran(
            "ESLint Warnings",
            "npx eslint .",
            0,
            findings("eslint", 0, 8, 0),
            "VALIDATION_FAILURE: passes, Refactor Medium, FixCode",
        ),
        Row {
            change: strict,
            ..ran(
                "ESLint (Strict)",
                "npx eslint . --max-warnings 0",
                1,
                findings("eslint", 0, 1, 0),
                "VALIDATION_FAILURE: blocks, Refactor High, FixCode",
            )
        },
        ran(
            "Prettier Issues",
            "npx prettier --check .",
            1,
            findings("prettier", 0, 3, 0),
            "VALIDATION_FAILURE: passes, Refactor Low, FixCode",
        ),
    ]);
}

#[test]
fn the_classification_matrix_of_what_did_not_work() {
    let step = line("STEP.1", "./deploy");
    let server = service("PREREQ.1", referee_model::plan::Service { command: None, ..dev_server() });
    let late = Readiness::DeadlineExceeded { timeout_ms: 30_000, of_task: false };
    let down = serviced(&server, referee_model::record::ServiceFacts { started: None, ..service_facts(late) });
    let before = file("PREREQ.1", present());
    hold(vec![
        ran(
            "Tool Not FileState, by a shell",
            "tool",
            127,
            nothing(),
            "EXECUTION_ERROR: blocks, IntegrationFailure High, InstallTool",
        ),
        row(
            "Tool Not FileState, by itself",
            step.clone(),
            ended(&step, not_found()),
            nothing(),
            "EXECUTION_ERROR: blocks, IntegrationFailure High, InstallTool",
        ),
        // Ruling 19: an execution error is INTEGRATION_FAILURE; SPECIFICATION_ERROR is no category of debt.
        ran(
            "Invalid Command",
            "./deploy --wrong",
            1,
            nothing(),
            "EXECUTION_ERROR: blocks, IntegrationFailure High, ImplementFix",
        ),
        row(
            "Server Down",
            server,
            down,
            nothing(),
            "PREREQUISITE_FAILURE by TIMEOUT: blocks, IntegrationFailure Critical, FixPrerequisite",
        ),
        row(
            "Timeout",
            step.clone(),
            ended(&step, deadline()),
            nothing(),
            "TIMEOUT: blocks, PerformanceIssue Medium, OptimizeOrIncreaseTimeout",
        ),
        row(
            "Missing File",
            before.clone(),
            found(&before, FileState::Missing),
            nothing(),
            "PREREQUISITE_FAILURE by VALIDATION_FAILURE: blocks, IntegrationFailure Critical, FixPrerequisite",
        ),
        row(
            "Invalid Parameters",
            step.clone(),
            not_executed(&step),
            nothing(),
            "SPECIFICATION_ERROR: blocks, no debt, FixSpecification",
        ),
    ]);
}

#[test]
fn the_categories_of_debt_of_failed_checks() {
    let asked = http("STEP.1", request("http://localhost:3000/api/v1/quotes"));
    hold(vec![
        row(
            "TEST_FAILURE: 404",
            asked.clone(),
            answered(&asked, answer(404)),
            nothing(),
            "TEST_FAILURE: blocks, ApiEndpointMissing Critical, ImplementFix",
        ),
        row(
            "TEST_FAILURE: 500",
            asked.clone(),
            answered(&asked, answer(500)),
            nothing(),
            "TEST_FAILURE: blocks, BusinessLogicError Critical, ImplementFix",
        ),
        row(
            "TEST_FAILURE: default",
            asked.clone(),
            answered(&asked, answer(400)),
            nothing(),
            "TEST_FAILURE: blocks, ValidationMissing High, ImplementFix",
        ),
        ran(
            "VALIDATION_FAILURE: TypeScript",
            "npx tsc",
            2,
            findings("tsc", 1, 0, 0),
            "VALIDATION_FAILURE: blocks, ValidationMissing Critical, FixTypes",
        ),
        // Ruling 19: REFACTOR, as in the matrix, while the code says ERROR_HANDLING_MISSING.
        ran(
            "VALIDATION_FAILURE: ESLint",
            "npx eslint .",
            1,
            findings("eslint", 1, 0, 0),
            "VALIDATION_FAILURE: blocks, Refactor High, FixCode",
        ),
        ran(
            "VALIDATION_FAILURE: default",
            "gcc a.c",
            1,
            findings("gcc", 1, 0, 0),
            "VALIDATION_FAILURE: blocks, ValidationMissing Critical, FixTypes",
        ),
    ]);
}

#[test]
fn the_categories_of_debt_of_all_else() {
    let asked = http("STEP.1", request("http://localhost:3000/api/v1/quotes"));
    let step = line("STEP.1", "./deploy");
    let server = service("PREREQ.1", referee_model::plan::Service { port: Some(Port::Fixed(3_000)), ..dev_server() });
    hold(vec![
        row(
            "EXECUTION_ERROR: ECONNREFUSED",
            asked.clone(),
            unanswered(&asked, NoAnswerCause::Refused),
            nothing(),
            "EXECUTION_ERROR: blocks, IntegrationFailure High, FixPrerequisite",
        ),
        row(
            "EXECUTION_ERROR: ENOENT",
            step.clone(),
            ended(&step, not_found()),
            nothing(),
            "EXECUTION_ERROR: blocks, IntegrationFailure High, InstallTool",
        ),
        row(
            "EXECUTION_ERROR: default",
            asked.clone(),
            unanswered(&asked, NoAnswerCause::Reset),
            nothing(),
            "EXECUTION_ERROR: blocks, IntegrationFailure High, ImplementFix",
        ),
        row(
            "TIMEOUT",
            step.clone(),
            ended(&step, deadline()),
            nothing(),
            "TIMEOUT: blocks, PerformanceIssue Medium, OptimizeOrIncreaseTimeout",
        ),
        row(
            "PREREQUISITE_FAILURE",
            server.clone(),
            serviced(&server, service_facts(Readiness::PortTaken)),
            nothing(),
            "PREREQUISITE_FAILURE by EXECUTION_ERROR: blocks, IntegrationFailure Critical, FixPrerequisite",
        ),
        row(
            "SPECIFICATION_ERROR",
            step.clone(),
            not_executed(&step),
            nothing(),
            "SPECIFICATION_ERROR: blocks, no debt, FixSpecification",
        ),
        ran("SUCCESS", "./deploy", 0, nothing(), "SUCCESS: passes, no debt, go on"),
    ]);
}

#[test]
fn the_error_handling_coverage() {
    let jest = line("STEP.1", "npx jest");
    let step = line("STEP.1", "./deploy");
    let server = service("PREREQ.1", dev_server());
    let failed = || Reading {
        tests: Some(TestResults { framework: "jest".to_owned(), ..tests("jest", 3, 2, 0).tests.unwrap() }),
        ..tests("jest", 3, 2, 0)
    };
    let remedy = |row: Row| {
        let came = came(&row);
        let told = came.rsplit(", ").next().unwrap_or_default().to_owned();
        (row.name, told)
    };
    for (row, action) in [
        (Row { change: red, ..row("TDD Red Phase", jest.clone(), exited(&jest, 1), failed(), "") }, "go on"),
        (row("Test Failure", jest.clone(), exited(&jest, 1), failed(), ""), "ImplementFix"),
        (ran("Type Error", "npx tsc", 2, findings("tsc", 1, 0, 0), ""), "FixTypes"),
        (ran("Lint Error", "npx eslint .", 1, findings("eslint", 1, 0, 0), ""), "FixCode"),
        (ran("Tool Not FileState", "tool", 127, nothing(), ""), "InstallTool"),
        (
            row(
                "Server Down",
                server.clone(),
                serviced(&server, service_facts(Readiness::Ended { ending: Ending::Exited { code: 1 } })),
                nothing(),
                "",
            ),
            "FixPrerequisite",
        ),
        (row("Timeout", step.clone(), ended(&step, deadline()), nothing(), ""), "OptimizeOrIncreaseTimeout"),
        // More time does not help a hang: the document has no row for it.
        (row("Timeout, in watch mode", jest.clone(), ended(&jest, deadline()), watching(), ""), "FixSpecification"),
        (row("Timeout, doing nothing", step.clone(), idle(&step), nothing(), ""), "FixPrerequisite"),
        (row("Spec Error", step.clone(), not_executed(&step), nothing(), ""), "FixSpecification"),
    ] {
        let (name, told) = remedy(row);
        assert_eq!(told, action, "{name}");
    }
}
