//! What is read of an evidence root, and what is refused there.

use std::fs;
use std::os::unix::fs::symlink;

use referee_engine::library::{DebtQuery, DiagnosticQuery, Library, LibraryError, Lines, RunQuery, SealedRun, Which};
use referee_ledger::State;
use referee_model::id::{ActionId, ExecutionId, TaskId};
use referee_model::limit;
use referee_model::time::Timestamp;
use referee_model::verdict::Decision;
use serde_json::{Value, json};

use super::{project, run};
use crate::support::{Workspace, wait_until};

const LOG: &str = "STEP.1-types.log";

fn library(workspace: &Workspace) -> Library {
    Library::new(workspace.path("evidence"), State::find(&workspace.state()).unwrap())
}

fn task() -> TaskId {
    TaskId::parse("T001").unwrap()
}

fn types() -> ActionId {
    ActionId::parse("STEP.1").unwrap()
}

fn latest(workspace: &Workspace) -> SealedRun {
    library(workspace).open(&task(), &Which::Latest).unwrap()
}

/// A document as a program reads it.
macro_rules! shown {
    ($document:expr) => {
        serde_json::to_value($document).unwrap()
    };
}

fn listed(workspace: &Workspace, query: &RunQuery) -> Value {
    shown!(library(workspace).runs(query).unwrap())
}

fn states(list: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let state = |run: &Value| {
        format!("{} {} {}", text(&run["state"]), text(&run["evidence"]), text(&run["report"]["decision"]))
    };
    list["runs"].as_array().unwrap().iter().map(state).collect()
}

#[test]
fn runs_are_listed_the_latest_first_a_page_at_a_time() {
    let workspace = project();
    run(&workspace, 1);
    workspace.write("types.txt", "");
    run(&workspace, 0);
    run(&workspace, 0);
    let all = listed(&workspace, &RunQuery::default());
    assert_eq!(states(&all), ["latest as-sealed PASS", "earlier as-sealed PASS", "earlier as-sealed FAIL"]);
    assert_eq!((&all["kept"], &all["next"]), (&json!(3), &Value::Null));
    let first = &all["runs"][2]["report"];
    assert_eq!(first["actionCounts"], json!({ "total": 2, "executed": 2, "skipped": 0 }));
    assert_eq!(first["actionResults"]["VALIDATION_FAILURE"], 1);
    assert_eq!(first["scope"], json!({ "profile": "strict", "reduced": false }));

    let page = listed(&workspace, &RunQuery { limit: 2, ..RunQuery::default() });
    assert_eq!(states(&page).len(), 2);
    let after = page["next"].as_str().map(str::to_owned);
    let rest = listed(&workspace, &RunQuery { after, ..RunQuery::default() });
    assert_eq!(states(&rest), ["earlier as-sealed FAIL"]);

    let failed = RunQuery { decision: Some(Decision::Fail), ..RunQuery::default() };
    assert_eq!(states(&listed(&workspace, &failed)), ["earlier as-sealed FAIL"]);
    let elsewhere = RunQuery { task: Some(TaskId::parse("T002").unwrap()), ..RunQuery::default() };
    assert_eq!(states(&listed(&workspace, &elsewhere)).len(), 0);
    let junk = RunQuery { after: Some("../../T001".to_owned()), ..RunQuery::default() };
    assert!(matches!(library(&workspace).runs(&junk), Err(LibraryError::Invalid(_))));
}

#[test]
fn a_run_is_shown_with_its_actions_and_read_byte_for_byte() {
    let workspace = project();
    run(&workspace, 1);
    let detail = shown!(library(&workspace).run(&task(), &Which::Latest).unwrap());
    let expected = json!([
        { "actionId": "STEP.1", "name": "types", "attempts": 1, "hasDiagnostics": true },
        { "actionId": "STEP.2", "name": "speak", "attempts": 1, "hasDiagnostics": false },
    ]);
    assert_eq!((&detail["actions"], &detail["later"]), (&expected, &json!([])));
    let sealed = latest(&workspace);
    let evidence = workspace.evidence("T001");
    assert_eq!(sealed.report(), evidence["execution-report.json"]);
    assert_eq!(sealed.diagnostics(&types()).unwrap(), evidence["STEP.1-diagnostics.json"]);
    assert_eq!(sealed.part(LOG, 0, 1 << 40).unwrap().bytes, evidence[LOG]);
    assert_eq!(sealed.part(LOG, 4, 3).unwrap().bytes, evidence[LOG][4..7]);
    assert_eq!(sealed.part(LOG, 1 << 40, 3).unwrap().bytes, b"");
    // What no seal lists cannot be asked for, whatever lies there.
    for name in ["seal.json", "../T001/STEP.1-types.log", "/etc/passwd", "", ".", "..", "STEP.1-types.log\0"] {
        assert!(matches!(sealed.part(name, 0, 1), Err(LibraryError::Unknown(_))), "{name}");
    }
    let speak = ActionId::parse("STEP.2").unwrap();
    assert!(matches!(sealed.diagnostics(&speak), Err(LibraryError::Unknown(_))));
    let verified =
        shown!(library(&workspace).verify(&task(), &Which::Latest, true, Timestamp::from_millisecond(0)).unwrap());
    assert_eq!((&verified["exitCode"], &verified["decision"]), (&json!(1), &json!("FAIL")), "{verified:#}");
}

#[test]
fn findings_stand_beside_the_lines_that_they_were_read_from() {
    let workspace = project();
    workspace.write(
        "types.txt",
        "checking\nsrc/a.ts(3,5): error TS2345: Not assignable.\nbetween\nsrc/b.ts(9,1): error TS2304: Cannot find it.\n",
    );
    run(&workspace, 1);
    let log = shown!(latest(&workspace).log(&types(), None, Lines::From(2, 2)).unwrap());
    let texts: Vec<_> = log["lines"].as_array().unwrap().iter().map(|line| (&line["number"], &line["text"])).collect();
    let second = json!("src/a.ts(3,5): error TS2345: Not assignable.");
    assert_eq!(texts, [(&json!(2), &second), (&json!(3), &json!("between"))]);
    assert_eq!((&log["lineCount"], &log["nextLine"], &log["findingCount"]), (&json!(4), &json!(4), &json!(2)));
    let found: Vec<_> =
        log["findings"].as_array().unwrap().iter().map(|found| (&found["code"], &found["logLine"])).collect();
    assert_eq!(found, [(&json!("TS2345"), &json!(2)), (&json!("TS2304"), &json!(4))]);
    for (attempt, action) in [(Some(2), "STEP.1"), (Some(0), "STEP.1"), (None, "STEP.9")] {
        let action = ActionId::parse(action).unwrap();
        let refused = latest(&workspace).log(&action, attempt, Lines::last(1));
        assert!(matches!(refused, Err(LibraryError::Unknown(_))), "{attempt:?} {action}");
    }
}

#[test]
fn what_is_shown_of_a_huge_log_is_bounded() {
    let workspace = Workspace::with("checks:\n  long: \"seq 1 5000; head -c 5000000 /dev/zero | tr '\\\\0' x\"\n");
    run(&workspace, 0);
    let (sealed, long) = (latest(&workspace), types());
    let part = sealed.part("STEP.1-long.log", 0, u64::MAX).unwrap();
    assert_eq!(part.bytes.len() as u64, limit::EVIDENCE_PART_BYTES);
    assert!(part.of > 5_000_000);
    let log = shown!(sealed.log(&long, None, Lines::From(1, usize::MAX)).unwrap());
    assert_eq!(log["lines"].as_array().unwrap().len(), limit::LOG_LINES_MAX);
    let last = shown!(sealed.log(&long, None, Lines::last(2)).unwrap());
    assert_eq!(last["lines"][0], json!({ "number": 5000, "text": "5000", "leftOut": 0 }));
    assert_eq!(last["lines"][1]["text"].as_str().unwrap().len(), limit::LOG_LINE_BYTES);
    assert_eq!(last["lines"][1]["leftOut"], 5_000_000 - limit::LOG_LINE_BYTES);
}

#[test]
fn a_file_that_is_not_what_was_sealed_is_refused_by_name_and_the_others_are_shown() {
    let workspace = project();
    run(&workspace, 1);
    let log = workspace.path(&format!("evidence/T001/{LOG}"));
    let mut bytes = fs::read(&log).unwrap();
    bytes[0] ^= 1;
    fs::write(&log, &bytes).unwrap();
    let is_refused = |answer: Result<(), LibraryError>| match answer {
        Err(LibraryError::Altered(why)) => assert!(why.contains(LOG), "{why}"),
        other => panic!("{other:?}"),
    };
    is_refused(latest(&workspace).part(LOG, 0, 1).map(drop));
    is_refused(latest(&workspace).log(&types(), None, Lines::last(1)).map(drop));
    assert!(latest(&workspace).part("run.json", 0, 1).is_ok());
    // A link is not followed, and a longer file is not read.
    fs::remove_file(&log).unwrap();
    symlink("/etc/passwd", &log).unwrap();
    is_refused(latest(&workspace).part(LOG, 0, 1).map(drop));
    fs::remove_file(&log).unwrap();
    is_refused(latest(&workspace).part(LOG, 0, 1).map(drop));
    fs::write(&log, [&bytes[..], b"more"].concat()).unwrap();
    is_refused(latest(&workspace).part(LOG, 0, 1).map(drop));
}

#[test]
fn of_a_run_whose_report_or_place_was_changed_no_decision_is_told() {
    let workspace = project();
    workspace.write("types.txt", "");
    run(&workspace, 0);
    run(&workspace, 0);
    let report = workspace.path("evidence/T001/execution-report.json");
    let sealed = fs::read_to_string(&report).unwrap();
    fs::write(&report, sealed.replace("PASS", "FAIL")).unwrap();
    let all = listed(&workspace, &RunQuery::default());
    assert_eq!(states(&all), ["latest altered -", "earlier as-sealed PASS"]);
    let refused = library(&workspace).open(&task(), &Which::Latest).unwrap_err();
    assert!(matches!(&refused, LibraryError::Altered(why) if why.contains("execution-report.json")), "{refused}");
    let verified = library(&workspace).verify(&task(), &Which::Latest, false, Timestamp::from_millisecond(0)).unwrap();
    assert_eq!(shown!(verified)["exitCode"], 4);

    // An earlier run, whole, in the place of the latest one.
    let history = workspace.path("evidence/.history/T001");
    let earlier = fs::read_dir(&history).unwrap().next().unwrap().unwrap().path();
    fs::remove_dir_all(workspace.path("evidence/T001")).unwrap();
    fs::rename(earlier, workspace.path("evidence/T001")).unwrap();
    let all = listed(&workspace, &RunQuery::default());
    assert_eq!(states(&all), ["latest altered -"]);
    let refused = library(&workspace).open(&task(), &Which::Latest).unwrap_err();
    assert!(refused.to_string().contains("it was rolled back"), "{refused}");

    // The task's place leads elsewhere.
    fs::rename(workspace.path("evidence/T001"), workspace.path("aside")).unwrap();
    symlink(workspace.path("aside"), workspace.path("evidence/T001")).unwrap();
    assert!(matches!(library(&workspace).open(&task(), &Which::Latest), Err(LibraryError::Store(_))));
}

#[test]
fn a_run_that_was_never_sealed_is_named_and_gives_no_evidence() {
    let workspace = project();
    workspace.write("types.txt", "");
    run(&workspace, 0);
    workspace.write("referee.yaml", "checks:\n  wait: sleep 600\n");
    let mut dying = workspace.command(&["run"]).spawn().unwrap();
    wait_until("the run began", || !workspace.staged("T001").is_empty());
    let running = listed(&workspace, &RunQuery::default());
    assert_eq!(states(&running), ["running unsealed -", "latest as-sealed PASS"]);
    dying.kill().unwrap();
    dying.wait().unwrap();
    let all = listed(&workspace, &RunQuery::default());
    assert_eq!(states(&all), ["unfinished unsealed -", "latest as-sealed PASS"]);
    let dead = ExecutionId::parse(all["runs"][0]["executionId"].as_str().unwrap()).unwrap();
    let detail = shown!(library(&workspace).run(&task(), &Which::Latest).unwrap());
    assert_eq!(detail["later"], json!([dead]), "an old pass never stands alone for a dead run");
    let which = Which::Run(dead);
    let detail = shown!(library(&workspace).run(&task(), &which).unwrap());
    assert_eq!((&detail["run"]["state"], &detail["actions"]), (&json!("unfinished"), &json!([])));
    assert!(matches!(library(&workspace).open(&task(), &which), Err(LibraryError::NotSealed(_))));

    fs::remove_file(workspace.path("evidence/T001/seal.json")).unwrap();
    assert!(matches!(library(&workspace).open(&task(), &Which::Latest), Err(LibraryError::NotSealed(_))));
}

#[test]
fn a_run_whose_files_were_removed_on_purpose_says_so() {
    let workspace = project();
    run(&workspace, 1);
    run(&workspace, 1);
    workspace.referee(&["evidence", "prune", "--keep", "0"]).exits(0);
    let all = listed(&workspace, &RunQuery::default());
    assert_eq!(states(&all), ["latest as-sealed FAIL", "pruned pruned -"]);
    assert!(all["runs"][1]["pruned"]["reason"].as_str().unwrap().contains("evidence prune"));
    let pruned = Which::Run(ExecutionId::parse(all["runs"][1]["executionId"].as_str().unwrap()).unwrap());
    assert!(matches!(library(&workspace).open(&task(), &pruned), Err(LibraryError::Pruned(_))));
}

#[test]
fn where_nothing_is_kept_nothing_is_listed_and_a_junk_register_is_no_empty_one() {
    let workspace = project();
    assert_eq!(listed(&workspace, &RunQuery::default())["runs"], json!([]));
    assert!(matches!(library(&workspace).run(&task(), &Which::Latest), Err(LibraryError::Unknown(_))));
    let debt = || library(&workspace).debt(&DebtQuery::default());
    let diagnostics = || library(&workspace).diagnostics(&DiagnosticQuery::default());
    assert_eq!(shown!(debt().unwrap())["registered"], false);
    assert_eq!(shown!(diagnostics().unwrap())["registered"], false);
    run(&workspace, 1);
    assert_eq!(shown!(debt().unwrap())["matching"], 1);
    assert_eq!(shown!(diagnostics().unwrap())["diagnostics"][0]["diagnostic"]["code"], "TS2345");
    for (register, junk) in [("technical-debt.json", "[]"), ("diagnostics.json", "{\"half\":")] {
        workspace.write(&format!("evidence/.registers/{register}"), junk);
    }
    assert!(matches!(debt(), Err(LibraryError::Register(_))));
    assert!(matches!(diagnostics(), Err(LibraryError::Register(_))));
}
