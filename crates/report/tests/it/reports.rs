//! The report: one golden file per outcome, counts that add up, and a hash that can be recomputed.

use std::fmt::Write as _;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use referee_model::id::ActionId;
use referee_model::outcome::Outcome;
use referee_model::reading::{CountAuthority, Excerpt, Level};
use referee_model::record::{Ending, Facts, FileFacts, FileObservation, FileState, SkipReason};
use referee_model::report::report_document::{self, Sealed, verify_hash};
use referee_model::report::{ActionHistory, ActionReport, Report};
use referee_model::verdict::{ConditionResult, CriteriaEvaluation, Decision, Truth};
use referee_report::execution_report;
use referee_report::suite_report;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::arbitrary;
use crate::fixture::{self, run_context};
use crate::schemas::assert_fits;

fn rendered(report: &Report) -> Value {
    serde_json::from_slice(&execution_report::render(report).unwrap()).unwrap()
}

#[test]
fn there_is_a_golden_report_for_each_outcome() {
    for (outcome, report) in fixture::of_each_outcome() {
        let bytes = execution_report::render(&report).unwrap();
        assert_fits("execution-report", &serde_json::from_slice::<Value>(&bytes).unwrap());
        assert!(verify_hash(&bytes).unwrap());
        let text = String::from_utf8(bytes).unwrap();
        insta::assert_snapshot!(outcome.as_str().to_lowercase(), text);
    }
}

/// Returns further runs beside those of single outcomes, by name.
fn of_circumstances() -> Vec<(&'static str, Report)> {
    vec![
        ("requests", run_context::requests()),
        ("services", run_context::services()),
        ("misspecified", run_context::misspecified()),
        ("files", run_context::files()),
        ("reduced", run_context::reduced()),
    ]
}

#[test]
fn there_is_a_golden_report_for_servers_files_specification_errors_and_reduced_runs() {
    for (name, report) in of_circumstances() {
        let bytes = execution_report::render(&report).unwrap();
        assert_fits("execution-report", &serde_json::from_slice::<Value>(&bytes).unwrap());
        assert!(verify_hash(&bytes).unwrap());
        insta::assert_snapshot!(name, String::from_utf8(bytes).unwrap());
    }
}

/// Panics where a document lacks one of these keys.
#[track_caller]
fn assert_keys(document: &Value, pointers: &[&str]) {
    for pointer in pointers {
        assert!(document.pointer(pointer).is_some(), "{pointer} is missing in {document:#}");
    }
}

#[test]
fn each_outcome_has_the_keys_of_its_detailed_structure() {
    let steps = |report: &Report| rendered(report)["stepExecution"]["results"].as_array().unwrap().clone();
    let requests = steps(&run_context::requests());
    let everywhere = ["/actionId", "/type", "/status", "/description", "/duration", "/evidence", "/debtGeneration"];
    for step in &requests {
        assert_keys(step, &everywhere);
    }
    let answered =
        ["/statusCode", "/expectedStatus", "/headers", "/responseTime", "/redirects", "/assertions", "/captures"];
    assert_keys(&requests[1]["result"], &answered);
    let failure = ["/toolSucceeded", "/testsRan", "/isExpectedFailure", "/isTDDRedPhase"];
    assert_keys(&requests[1]["classification"], &failure);
    let no_answer = [
        "/classification/toolFailed",
        "/classification/errorType",
        "/classification/recoverableAction",
        "/classification/possibleCauses",
        "/result/error/code",
        "/result/error/errno",
        "/result/error/syscall",
        "/result/error/address",
        "/result/error/port",
        "/result/error/message",
        "/result/diagnostics/serverHealthCheck/attempted",
        "/result/diagnostics/portCheck/inUse",
        "/result/diagnostics/portCheck/process",
        "/debtGeneration/suggestedFix",
    ];
    assert_keys(&requests[2], &no_answer);
    assert_keys(&requests[3]["classification"], &["/timeoutValue", "/actualDuration"]);
    let timeout = steps(&fixture::of_each_outcome()[4].1);
    assert_keys(&timeout[0]["result"], &["/killed", "/signal", "/partialOutput", "/lastUpdate"]);

    let service = &rendered(&run_context::services())["prerequisiteExecution"]["results"][1];
    let not_ready = [
        "/classification/prerequisiteType",
        "/classification/canContinue",
        "/result/timeout",
        "/result/actualDuration",
        "/result/serverOutput",
        "/result/healthCheck/attempted",
        "/result/healthCheck/url",
        "/result/healthCheck/result",
        "/result/healthCheck/duration",
        "/result/diagnostics/portCheck/process/pid",
        "/result/diagnostics/portCheck/process/name",
        "/result/diagnostics/portCheck/process/command",
        "/impact/subsequentStepsSkipped",
        "/impact/testExecutionAborted",
        "/impact/reason",
    ];
    assert_keys(service, &not_ready);
    assert_eq!(service["result"]["diagnostics"]["portCheck"]["process"]["pid"], 9_876, "who stands in the way");

    let wrong = &steps(&run_context::misspecified())[0];
    let misspecified = [
        "/classification/validationErrors/1",
        "/result/schemaValidation/errors/0/instancePath",
        "/result/schemaValidation/errors/0/keyword",
        "/result/schemaValidation/errors/0/params",
        "/result/schemaValidation/errors/0/message",
        "/impact/reason",
        "/debtGeneration/reason",
        "/agentAction/required",
        "/agentAction/action",
        "/agentAction/message",
    ];
    assert_keys(wrong, &misspecified);
    let [executed, valid, skipped] =
        ["/result/executed", "/result/schemaValidation/valid", "/impact/actionSkipped"].map(|key| wrong.pointer(key));
    let [no, yes] = [Value::Bool(false), Value::Bool(true)];
    assert_eq!((executed, valid, skipped), (Some(&no), Some(&no), Some(&yes)));
}

#[test]
fn what_was_left_out_makes_a_run_a_reduced_one_whatever_its_header_says() {
    let mut report = run_context::reduced();
    report.run.scope.reduced = false;
    let scope = &rendered(&report)["executionSummary"]["scope"];
    assert_eq!(scope["reduced"], true);
    assert_eq!(scope["leftOut"], serde_json::json!([{ "actionId": "STEP.3", "reason": "profile" }]));
}

#[test]
fn a_suite_report_counts_its_tasks_and_fits_its_schema() {
    let bytes = suite_report::render(&run_context::suite()).unwrap();
    let document: Value = serde_json::from_slice(&bytes).unwrap();
    assert_fits("suite-report", &document);
    assert_eq!(document["taskCounts"], serde_json::json!({ "total": 3, "PASS": 1, "FAIL": 1, "BLOCKED": 1 }));
    insta::assert_snapshot!("suite", String::from_utf8(bytes).unwrap());
}

/// Independent implementation of RFC 8785: keys ordered by UTF-16 units, no white space, numbers as in JavaScript.
fn canonical(value: &Value, out: &mut String) {
    match value {
        Value::Object(members) => {
            let mut keys: Vec<&String> = members.keys().collect();
            keys.sort_by_key(|key| key.encode_utf16().collect::<Vec<_>>());
            for (index, key) in keys.into_iter().enumerate() {
                out.push(if index == 0 { '{' } else { ',' });
                write!(out, "{}:", Value::from(key.as_str())).unwrap();
                canonical(&members[key], out);
            }
            out.push_str(if members.is_empty() { "{}" } else { "}" });
        }
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { "," });
                canonical(item, out);
            }
            out.push(']');
        }
        Value::Number(number) if number.is_f64() => write!(out, "{}", number.as_f64().unwrap()).unwrap(),
        other => write!(out, "{other}").unwrap(),
    }
}

#[test]
fn the_report_hash_is_that_of_the_whole_report_without_it() {
    let outcomes = fixture::of_each_outcome().into_iter().map(|(_, report)| report);
    for report in outcomes.chain(of_circumstances().into_iter().map(|(_, report)| report)) {
        let mut document = rendered(&report);
        let stated = document["authenticity"].as_object_mut().unwrap().remove("reportHash").unwrap();
        let mut text = String::new();
        canonical(&document, &mut text);
        let hash: String = Sha256::digest(text).iter().fold(String::new(), |hash, byte| hash + &format!("{byte:02x}"));
        assert_eq!(stated, hash);
    }
}

#[test]
fn any_change_breaks_the_report_hash() {
    let bytes = execution_report::render(&fixture::of_each_outcome()[1].1).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    for (from, to) in [
        ("\"decision\": \"FAIL\"", "\"decision\": \"PASS\""),
        ("\"failed\": 2", "\"failed\": 0"),
        ("\"overallResult\": \"FAILED\"", "\"overallResult\": \"PASSED\""),
        ("\"signed\": false", "\"signed\": true"),
        ("\"actualPassRate\": 66.6", "\"actualPassRate\": 66.7"),
    ] {
        assert!(text.contains(from), "{from}");
        assert!(!verify_hash(text.replace(from, to).as_bytes()).unwrap(), "{from}");
    }
    // The same content in another layout is the same report.
    let compact = serde_json::from_str::<Value>(&text).unwrap().to_string();
    assert!(verify_hash(compact.as_bytes()).unwrap());
}

#[test]
fn what_is_no_report_is_refused_with_the_reason() {
    let text = String::from_utf8(execution_report::render(&fixture::of_each_outcome()[0].1).unwrap()).unwrap();
    let hash = rendered(&fixture::of_each_outcome()[0].1)["authenticity"]["reportHash"].as_str().unwrap().to_owned();
    for (bytes, part) in [
        (String::new(), "cannot read execution-report.json"),
        ("[]".to_owned(), "cannot read execution-report.json"),
        ("{}".to_owned(), "add `reportVersion`"),
        (text.replace("\"reportVersion\": \"2.0.0\"", "\"reportVersion\": \"2.1.0\""), "use a newer Referee"),
        (text.replace("\"reportVersion\": \"2.0.0\"", "\"reportVersion\": \"3.0.0\""), "use a newer Referee"),
        (text.replace("\"reportVersion\": \"2.0.0\"", "\"reportVersion\": \"1.0.0\""), "use the Referee that wrote it"),
        (text.replace(&hash, "none"), "the report does not contain its own hash"),
        (text.replace("reportHash", "reportSum"), "the report does not contain its own hash"),
    ] {
        let error = verify_hash(bytes.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn a_sealed_report_says_task_decision_and_judge() {
    let (_, report) = &fixture::of_each_outcome()[5];
    let sealed = report_document::read(&execution_report::render(report).unwrap()).unwrap();
    let expected = Sealed {
        task: report.plan.task.clone(),
        decision: Decision::Blocked,
        judge_version: referee_model::report::JUDGE_VERSION.to_owned(),
    };
    assert_eq!(sealed, expected);
    assert!(report_document::read(b"{\"reportVersion\": \"2.0.0\"}").is_err());
}

#[test]
fn evidence_is_named_relative_to_the_workspace_where_it_lies_below() {
    for (workspace, root, shown) in [
        ("/work/quotes", "/work/quotes/evidence", "evidence/T030/STEP.1-unit-tests.log"),
        ("/work/quotes", "/work/quotes", "T030/STEP.1-unit-tests.log"),
        ("/work/quotes", "/work/quotes-evidence", "/work/quotes-evidence/T030/STEP.1-unit-tests.log"),
        ("/work/quotes", "/", "/T030/STEP.1-unit-tests.log"),
        ("/", "/evidence", "evidence/T030/STEP.1-unit-tests.log"),
    ] {
        let (_, mut report) = fixture::of_each_outcome().swap_remove(0);
        report.plan.workspace = workspace.into();
        report.plan.evidence_root = root.into();
        assert_eq!(rendered(&report)["stepExecution"]["results"][0]["evidence"], shown);
    }
}

#[test]
fn embedded_findings_and_failures_are_bounded_and_all_are_counted() {
    let many = fixture::ran("STEP.1", "unit", "npx jest", Ending::Exited { code: 1 }, |ran| {
        fixture::tested(ran, fixture::jest(0, 150, 0));
        for number in 0..250 {
            let found = fixture::diagnostic("jest", "rule", Level::Error, &format!("finding {number}"));
            ran.reading.counts.add(found.code.as_deref(), found.level, false);
            ran.reading.diagnostics.push(found);
        }
        // One more finding was counted than was kept.
        ran.reading.counts.add(Some("rule"), Level::Warning, true);
    });
    let report = fixture::report(vec![many]);
    let result = &rendered(&report)["stepExecution"]["results"][0]["result"];
    assert_eq!(result["diagnostics"].as_array().unwrap().len(), 100);
    assert_eq!(result["diagnosticsTotal"], 251);
    assert_eq!(result["summary"], serde_json::json!({ "errors": 250, "warnings": 1, "infos": 0, "fixable": 1 }));
    assert_eq!(result["testResults"]["failures"].as_array().unwrap().len(), 100);
    assert_eq!(result["testResults"]["failuresTotal"], 150);
}

#[test]
fn partial_output_is_cut_between_characters() {
    let ending = Ending::Interrupted { killed: false };
    let slow = fixture::ran("STEP.1", "slow", "slow", ending, |ran| {
        ran.reading.excerpts.stdout = Excerpt { head: " \n".to_owned(), tail: String::new(), bytes: 2 };
        ran.reading.excerpts.stderr = Excerpt { head: "é".repeat(5_000) + "!", tail: String::new(), bytes: 10_001 };
    });
    let result = &rendered(&fixture::report(vec![slow]))["stepExecution"]["results"][0]["result"];
    assert_eq!(result["partialOutput"], "é".repeat(1_023) + "!");
    assert_eq!((&result["signal"], &result["killed"]), (&"SIGTERM".into(), &true.into()));
}

#[test]
fn numbers_beyond_what_json_readers_hold_do_not_keep_a_report_from_being_made() {
    let mut huge = fixture::jest(0, 0, 0);
    huge.counts.passed = u64::MAX;
    huge.counts.total = u64::MAX;
    let tests =
        || fixture::ran("STEP.1", "unit", "jest", Ending::Exited { code: 0 }, |ran| fixture::tested(ran, huge.clone()));
    let sparse = fixture::ran("STEP.2", "sparse", "x", Ending::Exited { code: 0 }, |ran| {
        ran.record.span.duration_ms = u64::MAX;
        ran.record.facts = Facts::File(FileFacts {
            path: "disk.img".to_owned(),
            found: FileState::File(FileObservation {
                bytes: u64::MAX,
                sha256: None,
                modified: None,
                contains: None,
                matches: None,
                syntax: None,
                schema: None,
                content: None,
            }),
        });
    });
    let mut again = tests();
    again.action.id = ActionId::parse("STEP.3").unwrap();
    let document = rendered(&fixture::report(vec![tests(), sparse, again]));
    assert_fits("execution-report", &document);
    assert_eq!(document["executionSummary"]["testResults"]["passed"], 9_007_199_254_740_991_u64);
    assert_eq!(document["executionSummary"]["testResults"]["passRate"], 100.0);
    assert_eq!(document["stepExecution"]["results"][1]["result"]["fileSize"], 9_007_199_254_740_991_u64);
}

/// A possible result of an action.
#[derive(Debug, Clone)]
struct Fate {
    phase: &'static str,
    /// Outcome of the action. None: it never ran.
    outcome: Option<Outcome>,
    summed_up: bool,
    passed: u8,
    failed: u8,
    skipped: u8,
    reason: SkipReason,
}

fn fate() -> impl Strategy<Value = Fate> {
    let phases = select(vec!["PREREQ", "STEP", "CLEANUP"]);
    let outcomes = option::of(select(Outcome::ALL.to_vec()));
    (phases, outcomes, any::<(bool, u8, u8, u8)>(), arbitrary::skip_reason()).prop_map(
        |(phase, outcome, (summed_up, passed, failed, skipped), reason)| Fate {
            phase,
            outcome,
            summed_up,
            passed,
            failed,
            skipped,
            reason,
        },
    )
}

/// Returns a report of actions with these results, in plan order.
fn fated(fates: Vec<Fate>) -> Report {
    let mut actions: Vec<ActionReport> = Vec::new();
    for (index, fate) in fates.into_iter().enumerate() {
        let id = format!("{}.{index}", fate.phase);
        let Some(outcome) = fate.outcome else {
            actions.push(fixture::skipped(&id, "skipped", fate.reason));
            continue;
        };
        actions.push(fixture::ran(&id, "ran", "npx jest", Ending::Exited { code: 0 }, |ran| {
            let mut tests = fixture::jest(fate.passed.into(), fate.failed.into(), fate.skipped.into());
            tests.authority = if fate.summed_up { CountAuthority::Summary } else { CountAuthority::Lines };
            fixture::tested(ran, tests);
            ran.judgement.outcome = outcome;
            ran.judgement.blocking = outcome != Outcome::Success;
        }));
    }
    actions.sort_by_key(|report| report.action.phase);
    fixture::report(actions)
}

fn number(document: &Value, pointer: &str) -> u64 {
    document.pointer(pointer).and_then(Value::as_u64).unwrap_or_else(|| panic!("{pointer} in {document:#}"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn every_number_adds_up(fates in vec(fate(), 0..12)) {
        let report = fated(fates);
        let bytes = execution_report::render(&report).unwrap();
        prop_assert_eq!(&bytes, &execution_report::render(&report).unwrap());
        prop_assert!(verify_hash(&bytes).unwrap());
        let document: Value = serde_json::from_slice(&bytes).unwrap();
        assert_fits("execution-report", &document);

        let count = |key: &str| number(&document, &format!("/executionSummary/actionCounts/{key}"));
        let listed = |pointer: &str| document.pointer(pointer).unwrap().as_array().unwrap().len() as u64;
        let results = ["prerequisiteExecution", "stepExecution", "cleanupExecution"]
            .map(|key| listed(&format!("/{key}/results")));
        prop_assert_eq!(count("total"), report.actions.len() as u64);
        prop_assert_eq!(count("total"), count("executed") + count("skipped"));
        prop_assert_eq!(count("total"), count("prerequisites") + count("steps") + count("cleanup"));
        prop_assert_eq!(count("executed"), results.iter().sum::<u64>());
        prop_assert_eq!(count("skipped"), listed("/skippedActions"));
        let outcomes = document["executionSummary"]["actionResults"].as_object().unwrap();
        prop_assert_eq!(outcomes.len(), 7);
        prop_assert_eq!(count("executed"), outcomes.values().map(|count| count.as_u64().unwrap()).sum::<u64>());

        let in_steps = document["stepExecution"]["results"].as_array().unwrap().iter();
        let known = in_steps
            .map(|action| &action["result"]["testResults"])
            .filter(|tests| tests["authority"] == "summary");
        let (passed, total, tested) = known.fold((0, 0, false), |(passed, total, _), tests| {
            (passed + number(tests, "/passed"), total + number(tests, "/total"), true)
        });
        let tests = &document["executionSummary"]["testResults"];
        prop_assert_eq!(tests.is_object(), tested);
        if tested {
            prop_assert_eq!(number(tests, "/passed"), passed);
            prop_assert_eq!(number(tests, "/total"), total);
            let sum = number(tests, "/passed") + number(tests, "/failed") + number(tests, "/skipped");
            prop_assert_eq!(sum, total);
        }
        let met = report.actions.iter().filter(|report| report.action.id.as_str().starts_with("PREREQ")).all(|report| {
            matches!(&report.history, ActionHistory::Ran(ran) if ran.judgement.outcome == Outcome::Success)
        });
        prop_assert_eq!(document["prerequisiteExecution"]["allMet"].as_bool(), Some(met));
    }

    #[test]
    fn conditions_add_up_and_what_is_unknown_never_speaks_for_a_pass(
        success in vec(truth(), 0..6),
        failure in vec(truth(), 0..6),
        output in vec(truth(), 0..6),
    ) {
        let mut report = fixture::report(Vec::new());
        let results = |truths: &[Truth]| truths.iter().map(|truth| condition(*truth)).collect();
        report.verdict.criteria = CriteriaEvaluation {
            success: results(&success),
            failure: results(&failure),
            expected_output: results(&output),
        };
        let document = rendered(&report);
        assert_fits("execution-report", &document);
        let evaluation = &document["validationCriteriaEvaluation"];
        let count = |pointer: &str| usize::try_from(number(evaluation, pointer)).unwrap();
        let are = |truths: &[Truth], wanted: &[Truth]| truths.iter().filter(|truth| wanted.contains(truth)).count();
        for (key, truths) in [("successConditions", &success), ("expectedOutput", &output)] {
            let of = |name: &str| count(&format!("/{key}/{name}"));
            prop_assert_eq!(of("total"), truths.len());
            prop_assert_eq!(of("met"), are(truths, &[Truth::True]));
            prop_assert_eq!(of("failed"), are(truths, &[Truth::False, Truth::Unknown]));
            prop_assert_eq!(of("total"), of("met") + of("failed") + of("notJudged"));
            let details = evaluation[key]["details"].as_array().unwrap();
            prop_assert_eq!(details.iter().filter(|detail| detail["met"] == true).count(), of("met"));
        }
        let of = |name: &str| count(&format!("/failureConditions/{name}"));
        prop_assert_eq!(of("total"), failure.len());
        prop_assert_eq!(of("triggered"), are(&failure, &[Truth::True, Truth::Unknown]));
        prop_assert_eq!(of("total"), of("triggered") + of("notTriggered") + of("notJudged"));
        let details = evaluation["failureConditions"]["details"].as_array().unwrap();
        prop_assert_eq!(details.iter().filter(|detail| detail["triggered"] == true).count(), of("triggered"));
    }
}

fn truth() -> impl Strategy<Value = Truth> {
    select(vec![Truth::True, Truth::False, Truth::Unknown, Truth::NotJudged])
}

fn condition(truth: Truth) -> ConditionResult {
    ConditionResult {
        condition: "STEP.1.success".to_owned(),
        description: String::new(),
        truth,
        actual: None,
        reason: String::new(),
    }
}
