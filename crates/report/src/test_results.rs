//! `<ACTION>-test-results.json`: the results of a test run, in the shape of Jest's report (seed 1, "Test Results
//! Evidence").

use std::collections::{BTreeSet, HashMap, VecDeque};

use referee_model::id::{ActionId, Digest};
use referee_model::plan::Action;
use referee_model::reading::{CountAuthority, TestCase, TestCounts, TestFailure, TestResults, TestStatus};
use referee_model::record::{Facts, Record};
use referee_model::time::Timestamp;
use serde::Serialize;

use referee_model::number::Count;
use referee_model::record::attempt_record::CAPTURED_BY;

const VERSION: &str = "1.0.0";

/// Results of a test run.
#[document(nulls)]
#[derive(Clone)]
#[cfg_attr(feature = "schema", schemars(title = "Referee test results"))]
pub struct TestResultsDocument {
    /// Version of this format.
    #[cfg_attr(feature = "schema", schemars(with = "referee_model::schema::Version"))]
    test_results_version: &'static str,
    /// Id of the action that ran the tests.
    action_id: ActionId,
    /// Always a command: only commands run tests.
    #[serde(rename = "type")]
    kind: CommandType,
    /// Name of the test runner, such as `jest`.
    test_framework: String,
    /// Path of the test file. Null: there are several, or none is named.
    test_file: Option<String>,
    /// When the runner's process ran, and how it exited.
    execution: Execution,
    /// Counts and tests, with the keys of Jest's report.
    results: Jest,
    /// Always null: coverage is not read.
    coverage: (),
    /// Program that captured the results, version of the test runner, and hash of the log that was read.
    authenticity: Authenticity,
}

#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
enum CommandType {
    #[serde(rename = "TERMINAL_COMMAND")]
    TerminalCommand,
}

#[document(nulls)]
#[derive(Clone)]
struct Execution {
    /// When the attempt started, in UTC.
    start_time: Timestamp,
    /// When the attempt ended, in UTC.
    end_time: Timestamp,
    /// Duration of the attempt in milliseconds.
    duration: Count,
    /// Exit code of the runner. Null: it did not exit by itself.
    exit_code: Option<i32>,
}

#[document]
#[derive(Clone)]
struct Jest {
    /// Source of the counts; `lines` means that the runner printed no summary.
    authority: CountAuthority,
    /// Number of all tests, pending ones included.
    num_total_tests: Count,
    /// Number of tests that passed.
    num_passed_tests: Count,
    /// Number of tests that failed, errors included.
    num_failed_tests: Count,
    /// Number of tests that were skipped, pending or todo.
    num_pending_tests: Count,
    /// Number of tests that are marked as todo; they are included in the pending ones.
    num_todo_tests: Count,
    /// Counts of test suites (files), where the runner prints them.
    #[serde(flatten)]
    suites: Option<SuiteCounts>,
    /// Tests by name, as far as the output names them.
    test_results: Vec<Test>,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct SuiteCounts {
    /// Number of all test suites (files). Absent: the runner does not count suites.
    #[serde(rename = "numTotalTestSuites")]
    total: Count,
    /// Number of test suites that passed. Absent: the runner does not count suites.
    #[serde(rename = "numPassedTestSuites")]
    passed: Count,
    /// Number of test suites that failed. Absent: the runner does not count suites.
    #[serde(rename = "numFailedTestSuites")]
    failed: Count,
    /// Number of test suites that were skipped. Absent: the runner does not count suites.
    #[serde(rename = "numPendingTestSuites")]
    pending: Count,
}

#[document]
#[derive(Clone)]
struct Test {
    /// Names of the enclosing groups, outermost first.
    ancestor_titles: Vec<String>,
    /// Name of the test with the names of its groups in front of it.
    full_name: String,
    /// `passed`, `failed`, or `pending` for a skipped test.
    status: Status,
    /// Name of the test without the names of its groups.
    title: String,
    /// Duration of the test in milliseconds. Absent: the runner does not print it.
    duration: Option<Count>,
    /// Whether a whole suite failed to run; then the names are the suite's.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    suite: bool,
    /// Messages of the failure, with stack traces. Empty: the test did not fail, or printed none.
    failure_messages: Vec<String>,
    /// File of the test, with the place of its failure. Absent: the output names no file.
    location: Option<Location>,
}

#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
enum Status {
    Passed,
    Failed,
    Pending,
}

#[document]
#[derive(Clone)]
struct Location {
    /// Path of the file, as the runner printed it.
    file: String,
    /// 1-based line of the innermost stack frame in the project. Absent: not known.
    line: Option<u32>,
    /// 1-based column in `line`. Absent: not known.
    column: Option<u32>,
}

#[document(nulls)]
#[derive(Clone)]
struct Authenticity {
    /// Name of the program that captured the output; always `Referee`.
    captured_by: &'static str,
    /// Version of the test runner, from the package that holds its program. Null: not known.
    runner_version: Option<String>,
    /// Version of the test runner, where it is Jest.
    #[serde(skip_serializing_if = "Option::is_none")]
    jest_version: Option<String>,
    /// SHA-256 of the log that was read.
    output_hash: Option<Digest>,
}

pub fn document(action: &Action, record: &Record, tests: &TestResults) -> TestResultsDocument {
    let (exit_code, output_hash) = match &record.facts {
        Facts::Command(facts) => (facts.ending.exit_code(), facts.log.as_ref().map(|log| log.sha256)),
        Facts::File(_)
        | Facts::Glob(_)
        | Facts::Http(_)
        | Facts::Service(_)
        | Facts::Interaction(_)
        | Facts::NotExecuted => (None, None),
    };
    let runner_version = runner_version(record, &tests.framework);
    TestResultsDocument {
        test_results_version: VERSION,
        action_id: action.id.clone(),
        kind: CommandType::TerminalCommand,
        test_framework: tests.framework.clone(),
        test_file: only_file(tests),
        execution: Execution {
            start_time: record.span.started,
            end_time: record.span.ended,
            duration: record.span.duration_ms.into(),
            exit_code,
        },
        results: Jest {
            authority: tests.authority,
            num_total_tests: tests.counts.total.into(),
            num_passed_tests: tests.counts.passed.into(),
            num_failed_tests: tests.counts.failed.into(),
            num_pending_tests: tests.counts.skipped.into(),
            num_todo_tests: Count::default(),
            suites: tests.suites.map(SuiteCounts::from),
            test_results: by_name(tests),
        },
        coverage: (),
        authenticity: Authenticity {
            captured_by: CAPTURED_BY,
            jest_version: runner_version.clone().filter(|_| tests.framework == "jest"),
            runner_version,
            output_hash,
        },
    }
}

/// Returns the version of the runner from the action's record.
fn runner_version(record: &Record, framework: &str) -> Option<String> {
    let Facts::Command(facts) = &record.facts else { return None };
    let is_runner = |name: &str| name.rsplit('/').next() == Some(framework);
    facts.executables.iter().find(|program| is_runner(&program.name))?.version.clone()
}

fn only_file(tests: &TestResults) -> Option<String> {
    let of_cases = tests.cases.iter().filter_map(|case| case.file.as_ref());
    let of_failures = tests.failures.iter().filter_map(|failure| failure.file.as_ref());
    let files: BTreeSet<&String> = of_cases.chain(of_failures).collect();
    if files.len() == 1 { files.first().map(|file| (*file).clone()) } else { None }
}

/// Lists the tests that the output names. A failure provides the details of the test with the same name; a failure
/// without such a test is listed itself.
fn by_name(tests: &TestResults) -> Vec<Test> {
    let mut unclaimed: HashMap<String, VecDeque<usize>> = HashMap::new();
    for (index, failure) in tests.failures.iter().enumerate().filter(|(_, failure)| !failure.suite) {
        unclaimed.entry(bare(&failure.name)).or_default().push_back(index);
    }
    let mut claimed = BTreeSet::new();
    let mut listed = Vec::with_capacity(tests.cases.len());
    for case in &tests.cases {
        let full_name = full_name(case);
        let failure = (case.status == TestStatus::Failed)
            .then(|| unclaimed.get_mut(&bare(&full_name))?.pop_front())
            .flatten()
            .inspect(|index| {
                claimed.insert(*index);
            })
            .map(|index| &tests.failures[index]);
        listed.push(of_case(case, full_name, failure));
    }
    let rest = tests.failures.iter().enumerate().filter(|(index, _)| !claimed.contains(index));
    listed.extend(rest.map(|(_, failure)| of_failure(failure)));
    listed
}

/// Returns the letters and digits of a name, by which names are compared, since runners join the names of groups
/// and tests in many ways.
fn bare(name: &str) -> String {
    name.chars().filter(|character| character.is_alphanumeric()).collect()
}

fn full_name(case: &TestCase) -> String {
    let names: Vec<&str> = case.ancestors.iter().chain([&case.title]).map(String::as_str).collect();
    names.join(" ")
}

fn of_case(case: &TestCase, full_name: String, failure: Option<&TestFailure>) -> Test {
    let file = case.file.clone().or_else(|| failure.and_then(|failure| failure.file.clone()));
    Test {
        ancestor_titles: case.ancestors.clone(),
        full_name,
        status: match case.status {
            TestStatus::Passed => Status::Passed,
            TestStatus::Failed => Status::Failed,
            TestStatus::Skipped => Status::Pending,
        },
        title: case.title.clone(),
        duration: case.duration_ms.or_else(|| failure.and_then(|failure| failure.duration_ms)).map(Count::from),
        suite: false,
        failure_messages: failure.map(message).into_iter().collect(),
        location: file.map(|file| Location {
            file,
            line: failure.and_then(|failure| failure.line),
            column: failure.and_then(|failure| failure.column),
        }),
    }
}

fn of_failure(failure: &TestFailure) -> Test {
    Test {
        ancestor_titles: Vec::new(),
        full_name: failure.name.clone(),
        status: Status::Failed,
        title: failure.name.clone(),
        duration: failure.duration_ms.map(Count::from),
        suite: failure.suite,
        failure_messages: vec![message(failure)],
        location: failure.file.clone().map(|file| Location { file, line: failure.line, column: failure.column }),
    }
}

fn message(failure: &TestFailure) -> String {
    match &failure.stack {
        Some(stack) => format!("{}\n{stack}", failure.message),
        None => failure.message.clone(),
    }
}

impl From<TestCounts> for SuiteCounts {
    fn from(counts: TestCounts) -> Self {
        Self {
            total: counts.total.into(),
            passed: counts.passed.into(),
            failed: counts.failed.into(),
            pending: counts.skipped.into(),
        }
    }
}
