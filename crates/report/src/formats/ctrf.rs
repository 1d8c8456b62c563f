//! Common Test Report Format, CTRF (ctrf.io): a test for each check, followed by the tests that the outputs of test
//! runners name.

use std::io::{self, Write};

use referee_model::reading::TestStatus;
use referee_model::report::Report;
use referee_model::time::Timestamp;
use referee_model::verdict::Decision;
use referee_syntax::ansi;
use serde::Serialize;

use super::check::{self, Check, NamedTest, Status};

/// Version of the specification that the document follows.
const SPEC_VERSION: &str = "0.0.0";

const NAME: &str = "referee";

/// Writes the runs as one document.
pub(crate) fn write(reports: &[&Report], out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &document(reports))?;
    out.write_all(b"\n")
}

#[document(unpublished)]
struct Document<'r> {
    report_format: &'static str,
    spec_version: &'static str,
    /// Time at which the last run ended, so that the same runs give the same document.
    timestamp: Option<Timestamp>,
    generated_by: &'static str,
    results: Results<'r>,
    extra: Extra<Decisions<'r>>,
}

#[document(unpublished)]
struct Results<'r> {
    tool: Tool<'r>,
    summary: Summary,
    tests: Vec<Test<'r>>,
    environment: Option<Environment<'r>>,
}

#[document(unpublished)]
struct Tool<'r> {
    name: &'static str,
    version: Option<&'r str>,
}

/// Numbers of tests by status, and the time of all runs in milliseconds since the epoch.
#[derive(Debug, Serialize)]
struct Summary {
    tests: usize,
    passed: usize,
    failed: usize,
    skipped: usize,
    pending: usize,
    other: usize,
    flaky: usize,
    start: i64,
    stop: i64,
}

#[document(unpublished)]
struct Environment<'r> {
    report_name: String,
    /// Title of the task. None: there are several.
    app_name: Option<String>,
    os_platform: &'r str,
}

#[document(unpublished)]
struct Test<'r> {
    name: String,
    status: CtrfStatus,
    /// Duration in milliseconds; 0 where it is not known.
    duration: u64,
    start: Option<i64>,
    stop: Option<i64>,
    /// Names of the enclosing groups, outermost first.
    suite: Vec<String>,
    message: Option<String>,
    trace: Option<String>,
    raw_status: Option<&'static str>,
    file_path: Option<String>,
    line: Option<u32>,
    retries: Option<usize>,
    flaky: bool,
    extra: Option<Extra<CheckFacts<'r>>>,
}

/// Status of a test in the format, which also has `pending`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum CtrfStatus {
    Passed,
    Failed,
    Skipped,
    /// A test failed in a check that does not block.
    Other,
}

/// The object in which the format allows fields of other programs.
#[derive(Debug, Serialize)]
struct Extra<T> {
    referee: T,
}

#[derive(Debug, Serialize)]
struct Decisions<'r> {
    runs: Vec<RunDecision<'r>>,
}

#[document(unpublished)]
struct RunDecision<'r> {
    task_id: &'r str,
    execution_id: &'r str,
    decision: Decision,
}

#[document(unpublished)]
struct CheckFacts<'r> {
    action_id: &'r str,
    blocking: bool,
    outcome: &'static str,
    /// Id of the rule that decided. None: the check did not run.
    rule: Option<&'static str>,
}

fn document<'r>(reports: &[&'r Report]) -> Document<'r> {
    let tests: Vec<Test<'r>> = reports.iter().flat_map(|report| tests(report)).collect();
    let runs = reports.iter().map(|report| RunDecision {
        task_id: report.plan.task.as_str(),
        execution_id: report.run.execution.as_str(),
        decision: report.verdict.decision,
    });
    let first = reports.first();
    Document {
        report_format: "CTRF",
        spec_version: SPEC_VERSION,
        timestamp: reports.iter().map(|report| report.run.ended).max(),
        generated_by: NAME,
        results: Results {
            tool: Tool { name: NAME, version: first.map(|report| report.run.host.version.as_str()) },
            summary: Summary::of(&tests, reports),
            tests,
            environment: first.map(|report| Environment {
                report_name: plain(&report.plan.specification.file),
                app_name: (reports.len() == 1).then(|| plain(&report.plan.title)),
                os_platform: &report.run.host.platform,
            }),
        },
        extra: Extra { referee: Decisions { runs: runs.collect() } },
    }
}

impl Summary {
    fn of(tests: &[Test<'_>], reports: &[&Report]) -> Self {
        let number = |status: CtrfStatus| tests.iter().filter(|test| test.status == status).count();
        let started = reports.iter().map(|report| report.run.started).min();
        let ended = reports.iter().map(|report| report.run.ended).max();
        Self {
            tests: tests.len(),
            passed: number(CtrfStatus::Passed),
            failed: number(CtrfStatus::Failed),
            skipped: number(CtrfStatus::Skipped),
            pending: 0,
            other: number(CtrfStatus::Other),
            flaky: tests.iter().filter(|test| test.flaky).count(),
            start: started.map_or(0, Timestamp::as_millisecond),
            stop: ended.map_or(0, Timestamp::as_millisecond),
        }
    }
}

/// Returns the checks of a run in plan order, then the tests that they ran.
fn tests(report: &Report) -> Vec<Test<'_>> {
    let checks = check::all(report);
    let task = plain(&check::task_name(report));
    let of_checks = checks.iter().map(|check| of_check(&task, check));
    of_checks.chain(checks.iter().flat_map(|check| of_runner(&task, check))).collect()
}

fn of_check<'r>(task: &str, check: &Check<'r>) -> Test<'r> {
    let (status, message, trace) = match &check.status {
        Status::Passed => (CtrfStatus::Passed, "", String::new()),
        Status::PassedWithRemark => (CtrfStatus::Passed, check.message, check.detail()),
        Status::Failed | Status::Errored => (CtrfStatus::Failed, check.message, check.detail()),
        Status::Skipped(reason) => (CtrfStatus::Skipped, reason.as_str(), String::new()),
    };
    Test {
        name: check_name(check),
        status,
        duration: check.duration_ms(),
        start: check.span.map(|span| span.started.as_millisecond()),
        stop: check.span.map(|span| span.ended.as_millisecond()),
        suite: vec![task.to_owned()],
        message: text(message),
        trace: text(&trace),
        raw_status: Some(check.outcome()),
        file_path: None,
        line: None,
        retries: check.attempts.checked_sub(1),
        // In this format, a flaky test is one that passed.
        flaky: status == CtrfStatus::Passed && check.is_flaky(),
        extra: Some(Extra {
            referee: CheckFacts {
                action_id: check.id,
                blocking: check.status.is_failure(),
                outcome: check.outcome(),
                rule: check.judgement.map(|judgement| judgement.rule.as_str()),
            },
        }),
    }
}

/// Returns the tests that the output of a check names: those that are listed, and failed ones that are not among them.
fn of_runner<'r>(task: &str, check: &Check<'r>) -> Vec<Test<'r>> {
    let Some(results) = check.reading.and_then(|reading| reading.tests.as_ref()) else { return Vec::new() };
    let suite = [task.to_owned(), check_name(check), plain(&results.framework)];
    let failed = if check.status.is_failure() { CtrfStatus::Failed } else { CtrfStatus::Other };
    let status = |test: NamedTest<'_>| match test.status() {
        TestStatus::Passed => CtrfStatus::Passed,
        TestStatus::Failed => failed,
        TestStatus::Skipped => CtrfStatus::Skipped,
    };
    check::tests(results).into_iter().map(|test| of_test(&suite, status(test), test)).collect()
}

fn of_test(suite: &[String], status: CtrfStatus, test: NamedTest<'_>) -> Test<'static> {
    let failure = test.failure;
    Test {
        name: text(&test.name()).unwrap_or_else(|| "unnamed test".to_owned()),
        status,
        duration: test.duration_ms(),
        start: None,
        stop: None,
        suite: suite.to_vec(),
        message: failure.and_then(|failure| text(&failure.message)),
        trace: failure.and_then(|failure| text(failure.stack.as_deref()?)),
        raw_status: (status == CtrfStatus::Other).then_some("failed"),
        file_path: test.file().and_then(text),
        line: failure.and_then(|failure| failure.line),
        retries: None,
        flaky: false,
        extra: None,
    }
}

fn check_name(check: &Check<'_>) -> String {
    plain(&check.title())
}

/// Returns a text as it is written. None: it is empty.
fn text(value: &str) -> Option<String> {
    Some(plain(value)).filter(|plain| !plain.is_empty())
}

/// Returns a text without ANSI escape sequences and without blanks at its end.
fn plain(value: &str) -> String {
    ansi::strip(value).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use referee_model::reading::{TestCase, TestResults};
    use referee_model::report::ActionHistory;
    use serde_json::{Value, json};

    use super::*;
    use crate::human::fixture::{run_context, runs};

    fn written(reports: &[&Report]) -> Value {
        let mut out = Vec::new();
        write(reports, &mut out).unwrap();
        assert!(out.ends_with(b"}\n"));
        serde_json::from_slice(&out).unwrap()
    }

    fn tests_of(document: &Value) -> &[Value] {
        document["results"]["tests"].as_array().unwrap()
    }

    fn test<'d>(document: &'d Value, name: &str) -> &'d Value {
        tests_of(document).iter().find(|test| test["name"] == name).unwrap()
    }

    /// Returns the test results of an action that ran.
    fn results(report: &mut Report, action: usize) -> &mut TestResults {
        let ActionHistory::Ran(ran) = &mut report.actions[action].history else { panic!("the action ran") };
        ran.reading.tests.get_or_insert_default()
    }

    fn case(groups: &[&str], title: &str, status: TestStatus) -> TestCase {
        let ancestors = groups.iter().map(|&group| group.to_owned()).collect();
        TestCase { ancestors, title: title.to_owned(), file: None, status, duration_ms: Some(12) }
    }

    #[test]
    fn the_summary_counts_every_test() {
        let (failing, passing, retried) = (runs::failing(), runs::passing(), run_context::retried());
        let (blocked, timed_out) = (runs::blocked(), runs::timed_out());
        for reports in [&[&failing][..], &[&passing], &[&retried, &blocked], &[&failing, &passing, &timed_out], &[]] {
            let document = written(reports);
            let (summary, tests) = (&document["results"]["summary"], tests_of(&document));
            let mut sum = 0;
            for status in ["passed", "failed", "skipped", "pending", "other"] {
                let number = tests.iter().filter(|test| test["status"] == status).count();
                assert_eq!(summary[status], json!(number), "{status}: {document}");
                sum += number;
            }
            assert_eq!((&summary["tests"], tests.len()), (&json!(sum), sum));
        }
        let document = written(&[&failing]);
        let summary = &document["results"]["summary"];
        let numbers = ["tests", "passed", "failed", "skipped", "flaky"].map(|key| summary[key].as_u64().unwrap());
        // 7 checks, and 3 tests that the output of one of them names.
        assert_eq!(numbers, [10, 2, 7, 1, 0]);
        assert_eq!(summary["start"], json!(1_795_251_924_000_i64));
        assert_eq!(summary["stop"], json!(failing.run.ended.as_millisecond()));
    }

    #[test]
    fn what_blocks_is_failed_and_what_does_not_is_passed_with_a_message() {
        let document = written(&[&runs::failing()]);
        let types = test(&document, "STEP.1 types");
        assert_eq!((&types["status"], &types["rawStatus"]), (&json!("failed"), &json!("VALIDATION_FAILURE")));
        assert_eq!((&types["suite"], &types["duration"]), (&json!(["T001 Quote service"]), &json!(1240)));
        assert_eq!(types["message"], "1 tsc error (BLOCK_ON_ERRORS_ALWAYS)");
        assert!(types["trace"].as_str().unwrap().starts_with("src/routes.ts:39:84: error TS2345: "), "{types}");
        let facts = json!({
            "actionId": "STEP.1",
            "blocking": true,
            "outcome": "VALIDATION_FAILURE",
            "rule": referee_model::outcome::Rule::Findings.as_str(),
        });
        assert_eq!(types["extra"]["referee"], facts);
        let format = test(&document, "STEP.4 format");
        assert_eq!((&format["status"], &format["rawStatus"]), (&json!("passed"), &json!("VALIDATION_FAILURE")));
        assert_eq!(format["message"], "1 prettier warning (WARN_ONLY)");
        assert_eq!(format["extra"]["referee"]["blocking"], false);
        let bundle = test(&document, "STEP.5 bundle");
        assert_eq!((&bundle["status"], &bundle["rawStatus"]), (&json!("skipped"), &json!("SKIPPED")));
        assert_eq!(bundle["message"], "it needs STEP.1, which did not pass");
        assert!(bundle.get("start").is_none() && bundle.get("retries").is_none(), "{bundle}");
        assert!(test(&document, "PREREQ.1 install").get("message").is_none());
    }

    #[test]
    fn what_says_nothing_of_the_work_is_failed_with_its_outcome() {
        let document = written(&[&runs::timed_out()]);
        let contract = test(&document, "STEP.1 contract");
        assert_eq!((&contract["status"], &contract["rawStatus"]), (&json!("failed"), &json!("TIMEOUT")));
    }

    #[test]
    fn retries_are_counted_and_only_what_passed_is_flaky() {
        let mut report = run_context::retried();
        let document = written(&[&report]);
        let unit = test(&document, "STEP.1 unit");
        assert_eq!((&unit["retries"], &unit["flaky"]), (&json!(1), &json!(true)));
        let contract = test(&document, "STEP.2 contract");
        assert_eq!((&contract["retries"], &contract["flaky"]), (&json!(2), &json!(false)));
        assert_eq!(document["results"]["summary"]["flaky"], 1);
        if let ActionHistory::Ran(ran) = &mut report.actions[0].history {
            ran.judgement.blocking = true;
        }
        assert_eq!(written(&[&report])["results"]["summary"]["flaky"], 0);
    }

    #[test]
    fn a_failed_test_is_one_test_with_its_message_however_its_name_is_printed() {
        let mut report = runs::failing();
        results(&mut report, 2).cases = vec![
            case(&["GET /api/v1/quotes"], "lists all quotes", TestStatus::Failed),
            case(&["GET /api/v1/quotes"], "answers", TestStatus::Passed),
        ];
        let document = written(&[&report]);
        let tests = &tests_of(&document)[7..];
        let names: Vec<&str> = tests.iter().filter_map(|test| test["name"].as_str()).collect();
        let expected = [
            "GET /api/v1/quotes > lists all quotes",
            "GET /api/v1/quotes > answers",
            "GET /api/v1/customers/:id/quotes › lists the customer's quotes",
            "tests/server.test.ts",
        ];
        assert_eq!(names, expected);
        let listed = &tests[0];
        assert_eq!(listed["suite"], json!(["T001 Quote service", "STEP.2 contract", "jest"]));
        assert_eq!((&listed["status"], &listed["duration"]), (&json!("failed"), &json!(12)));
        assert_eq!((&listed["filePath"], &listed["line"]), (&json!("tests/quotes.contract.test.ts"), &json!(88)));
        assert!(listed["message"].as_str().unwrap().starts_with("expect(received).toBe(expected)"), "{listed}");
        assert_eq!((&tests[1]["status"], tests[1].get("message")), (&json!("passed"), None));
    }

    #[test]
    fn a_failed_test_of_a_check_that_does_not_block_is_no_failure() {
        let mut report = run_context::retried();
        let failed = written(&[&report])["results"]["summary"]["failed"].clone();
        results(&mut report, 2).cases = vec![case(&[], "adds a quote", TestStatus::Failed)];
        let document = written(&[&report]);
        let test = test(&document, "adds a quote");
        assert_eq!((&test["status"], &test["rawStatus"]), (&json!("other"), &json!("failed")));
        let summary = &document["results"]["summary"];
        assert_eq!((&summary["failed"], &summary["other"]), (&failed, &json!(1)));
    }

    #[test]
    fn the_document_names_format_tool_and_decisions() {
        let document = written(&[&runs::failing(), &runs::passing()]);
        assert_eq!((&document["reportFormat"], &document["specVersion"]), (&json!("CTRF"), &json!("0.0.0")));
        assert_eq!(document["results"]["tool"], json!({ "name": "referee", "version": "0.1.0" }));
        let environment = json!({ "reportName": "referee.yaml", "osPlatform": "linux" });
        assert_eq!(document["results"]["environment"], environment);
        assert_eq!(written(&[&runs::passing()])["results"]["environment"]["appName"], "Quote service");
        let runs = document["extra"]["referee"]["runs"].as_array().unwrap();
        let decisions: Vec<&Value> = runs.iter().map(|run| &run["decision"]).collect();
        assert_eq!(decisions, ["FAIL", "PASS"]);
    }

    #[test]
    fn text_of_tools_stays_in_its_string() {
        let evil = "\"}],\"x\":1\u{1b}[31m\n\u{0}</script>";
        let document = written(&[&runs::hostile(evil, &"x".repeat(1 << 20))]);
        let keys: Vec<&String> = document.as_object().unwrap().keys().collect();
        assert_eq!(keys.len(), 6, "{keys:?}");
        let shown = "\"}],\"x\":1\n\u{0}</script>";
        assert_eq!(tests_of(&document)[0]["name"], format!("STEP.1 lint {shown}"));
        assert_eq!(tests_of(&document)[2]["name"], shown);
        assert!(!document.to_string().contains("\\u001b"));
    }
}
