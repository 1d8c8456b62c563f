//! The register of debt over runs, its commands and its pages.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::support::{Finished, Workspace, finish, wait_until};

/// A type checker that says what stands in a file, and exits as another file says.
const TYPES: &str =
    "checks:\n  types: { run: 'cat types.out; exit $(cat types.code)', role: typecheck }\n  speak: echo hello\n";

const TWO_ERRORS: &str =
    "src/a.ts(1,2): error TS1005: x expected.\nsrc/b.ts(3,4): error TS2345: Argument of type [x](y).\n";

const REGISTER: &str = "evidence/.registers/technical-debt.json";

const BY: [&str; 4] = ["--by", "Ada", "--reason", "so it is planned"];

fn project() -> Workspace {
    let workspace = Workspace::with(TYPES);
    broken(&workspace);
    workspace
}

fn broken(workspace: &Workspace) {
    workspace.write("types.out", TWO_ERRORS);
    workspace.write("types.code", "2");
}

fn fixed(workspace: &Workspace) {
    workspace.write("types.out", "");
    workspace.write("types.code", "0");
}

fn run(workspace: &Workspace, code: i32) -> Finished {
    workspace.referee(&["run"]).exits(code)
}

/// Id, status, and how many runs showed it, of every item.
fn items(workspace: &Workspace) -> Vec<(String, String, u64)> {
    let document = workspace.referee(&["debt", "list", "--format", "json"]).exits(0).json();
    let of = |item: &Value| {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        (text(&item["item"]["debtId"]), text(&item["item"]["status"]), item["runs"].as_u64().unwrap())
    };
    document["items"].as_array().unwrap().iter().map(of).collect()
}

fn item(id: &str, status: &str, runs: u64) -> (String, String, u64) {
    (id.to_owned(), status.to_owned(), runs)
}

fn data(workspace: &Workspace, task: &str) -> Value {
    let path = workspace.path(&format!("evidence/{task}/technical-debt-data.json"));
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn ids(data: &Value) -> BTreeSet<String> {
    data["debtItems"].as_array().unwrap().iter().map(|item| item["debtId"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn an_item_names_the_lines_of_the_log_that_show_it() {
    let workspace = project();
    workspace.write("types.out", format!("checking\n\n{TWO_ERRORS}"));
    run(&workspace, 1);
    let items = data(&workspace, "T001")["debtItems"].clone();
    let log = String::from_utf8(workspace.evidence("T001")["STEP.1-types.log"].clone()).unwrap();
    for item in items.as_array().unwrap() {
        let lines = item["evidence"]["relevantLogLines"].as_array().unwrap();
        let place = |line: &Value| usize::try_from(line.as_u64().unwrap()).unwrap() - 1;
        let shown: Vec<&str> = lines.iter().map(|line| log.lines().nth(place(line)).unwrap()).collect();
        let code = item["errorDetails"]["originalError"]["type"].as_str().unwrap();
        assert!(shown.len() == 1 && shown[0].contains(code), "{code}: {shown:?}");
    }
    assert_eq!(items.as_array().unwrap().len(), 2);
}

#[test]
fn items_keep_their_ids_from_run_to_run_are_resolved_when_mended_and_reopened_when_broken_again() {
    let workspace = project();
    let first = run(&workspace, 1);
    assert!(first.stdout.contains("2 new: evidence/T001/technical-debt-data.json"), "{}", first.stdout);
    assert_eq!(items(&workspace), [item("DEBT-T001-001", "OPEN", 1), item("DEBT-T001-002", "OPEN", 1)]);
    let again = run(&workspace, 1);
    assert!(again.stdout.contains("2 known: evidence"), "{}", again.stdout);
    assert_eq!(items(&workspace), [item("DEBT-T001-001", "OPEN", 2), item("DEBT-T001-002", "OPEN", 2)]);

    fixed(&workspace);
    let green = run(&workspace, 0);
    assert!(green.stdout.contains("2 resolved: evidence"), "{}", green.stdout);
    assert_eq!(items(&workspace), [item("DEBT-T001-001", "RESOLVED", 2), item("DEBT-T001-002", "RESOLVED", 2)]);
    assert!(!run(&workspace, 0).stdout.contains("technical-debt-data"), "nothing happened to any item");

    broken(&workspace);
    let worse = run(&workspace, 1);
    assert!(worse.stdout.contains("2 reopened: evidence"), "{}", worse.stdout);
    assert_eq!(items(&workspace), [item("DEBT-T001-001", "REOPENED", 3), item("DEBT-T001-002", "REOPENED", 3)]);
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(1);
}

#[test]
fn a_run_that_did_not_look_resolves_nothing() {
    let workspace = project();
    run(&workspace, 1);
    fixed(&workspace);
    workspace.referee(&["run", "--only", "speak"]).exits(0);
    assert_eq!(items(&workspace), [item("DEBT-T001-001", "OPEN", 1), item("DEBT-T001-002", "OPEN", 1)]);
}

#[test]
fn the_debt_of_a_run_follows_from_its_evidence_and_a_change_of_it_is_found() {
    for (file, from, to) in [
        ("technical-debt-data.json", "CRITICAL", "LOW"),
        ("debt-standing.json", "\"sprintItems\": 0", "\"sprintItems\": 5"),
    ] {
        let workspace = project();
        run(&workspace, 1);
        workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(1);
        let path = workspace.path(&format!("evidence/T001/{file}"));
        let before = fs::read_to_string(&path).unwrap();
        let after = before.replace(from, to);
        assert_ne!(before, after, "{file}: {before}");
        fs::write(&path, after).unwrap();
        let verified = workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(4);
        assert!(verified.stdout.contains(file), "{}", verified.stdout);
    }
}

#[test]
fn evidence_without_the_standing_of_the_register_says_so() {
    let workspace = project();
    run(&workspace, 1);
    fs::remove_file(workspace.path("evidence/T001/debt-standing.json")).unwrap();
    let verified = workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(4);
    assert!(verified.stdout.contains("debt-standing.json is missing"), "{}", verified.stdout);
}

#[test]
fn a_specification_that_keeps_no_debt_leaves_no_files_of_it() {
    let workspace = Workspace::with(&format!("{TYPES}debt: {{ enabled: false }}\n"));
    broken(&workspace);
    run(&workspace, 1);
    let names = workspace.evidence("T001");
    assert!(!names.contains_key("technical-debt-data.json") && !names.contains_key("debt-standing.json"));
    assert!(!workspace.path(REGISTER).exists());
    let debt = &workspace.report("T001")["technicalDebtGenerated"];
    assert_eq!((&debt["enabled"], &debt["debtDataFile"]), (&Value::Bool(false), &Value::Null));
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(1);
    let listed = workspace.referee(&["debt", "list"]).exits(0);
    assert!(listed.stderr.contains("no debt is recorded"), "{}", listed.stderr);
}

#[test]
fn tasks_share_the_capacity_of_the_sprint_and_its_numbers() {
    let workspace = Workspace::new();
    let specification = |task: &str| {
        format!(
            "task: {task}\nchecks:\n  lint: {{ run: 'cat lint.out; exit 1', role: lint }}\n\
             debt: {{ sprintItems: 3 }}\n"
        )
    };
    let lint = "\n/w/a.js\n  1:2  error  'x' is not defined  no-undef\n\n/w/b.js\n  3:4  error  'y' is not defined  no-undef\n\n\
                ✖ 2 problems (2 errors, 0 warnings)\n";
    workspace.write("lint.out", lint);
    workspace.write("one.yaml", specification("T001"));
    workspace.write("two.yaml", specification("T002"));
    workspace.referee(&["run", "one.yaml"]).exits(1);
    workspace.referee(&["run", "two.yaml"]).exits(1);
    let register: Value = serde_json::from_slice(&fs::read(workspace.path(REGISTER)).unwrap()).unwrap();
    let of = |key: &str| -> Vec<String> {
        let items = register["items"].as_array().unwrap().iter();
        items.map(|item| item["item"]["routing"][key].as_str().unwrap_or("none").to_owned()).collect()
    };
    assert_eq!(of("destination"), ["SPRINT_TASKS", "SPRINT_TASKS", "SPRINT_TASKS", "INVENTORY"], "{register:#}");
    assert_eq!(of("sprintTaskId").iter().filter(|task| *task != "none").collect::<BTreeSet<_>>().len(), 3);
    assert_eq!(of("inventoryCorrelationId").iter().collect::<BTreeSet<_>>().len(), 4, "no number is given twice");
    for task in ["T001", "T002"] {
        workspace.referee(&["evidence", "verify", &format!("evidence/{task}"), "--replay"]).exits(1);
    }
}

#[test]
fn an_item_of_the_sprint_takes_no_number_that_the_list_of_tasks_has() {
    let workspace = project().file("tasks.md", "- [ ] **T001**: types\n- [x] T050 something else\n");
    run(&workspace, 1);
    let numbers: Vec<String> = data(&workspace, "T001")["debtItems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["routing"]["sprintTaskId"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(numbers, ["T051", "T052"]);
    workspace.write("tasks.md", "- [ ] T001 types\n- [ ] T050 x\n- [ ] T060 y\n");
    let taken =
        workspace.referee(&[&["debt", "route", "DEBT-T001-001", "sprint", "--as", "T060"], &BY[..]].concat()).exits(2);
    assert!(taken.stderr.contains("T060 is taken already"), "{}", taken.stderr);
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(1);
}

#[test]
fn runs_at_once_give_no_id_twice() {
    let workspace = Workspace::with(
        "checks: {types: {run: 'touch started.$$; until [ -e go ]; do sleep 0.02; done; \
         echo \"src/f$$.ts(1,2): error TS1005: x expected.\"; exit 2', role: typecheck}}\n",
    );
    let runs = [(); 3].map(|()| workspace.command(&["run", "-q"]).spawn().unwrap());
    wait_until("all runs are under way", || {
        let names = fs::read_dir(workspace.path("")).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter(|name| name.to_string_lossy().starts_with("started.")).count() == 3
    });
    workspace.write("go", "");
    for run in runs {
        finish(run).exits(1);
    }
    let register: Value = serde_json::from_slice(&fs::read(workspace.path(REGISTER)).unwrap()).unwrap();
    let items = register["items"].as_array().unwrap();
    let ids: BTreeSet<&str> = items.iter().map(|item| item["item"]["debtId"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), items.len(), "{register:#}");
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(1);
}

#[test]
fn what_the_register_lacks_is_added_from_sealed_evidence() {
    let workspace = project();
    run(&workspace, 1);
    let after_one = fs::read(workspace.path(REGISTER)).unwrap();
    workspace.write("types.out", format!("{TWO_ERRORS}src/c.ts(5,6): error TS2304: Cannot find name.\n"));
    run(&workspace, 1);
    assert_eq!(items(&workspace).len(), 3);

    // As if the second run had died between its publication and the register, and as if the register had been deleted.
    for register in [Some(&after_one), None] {
        match register {
            Some(bytes) => fs::write(workspace.path(REGISTER), bytes).unwrap(),
            None => fs::remove_file(workspace.path(REGISTER)).unwrap(),
        }
        let before: BTreeSet<String> = ids(&data(&workspace, "T001"));
        let next = run(&workspace, 1);
        assert_eq!(ids(&data(&workspace, "T001")), before, "{}", next.stderr);
        let told = register.is_some() || next.stderr.contains("made again from");
        assert!(told, "{}", next.stderr);
        workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(1);
    }
    assert_eq!(items(&workspace).iter().map(|(_, _, runs)| *runs).max(), Some(4));
    assert_eq!(items(&workspace).len(), 3);
}

#[test]
fn a_register_that_cannot_be_read_is_kept_told_of_and_made_anew_and_changes_no_verdict() {
    for junk in ["{ junk", "", "[]", "{\"debtRegisterVersion\": \"9.0.0\", \"items\": []}"] {
        let workspace = project();
        run(&workspace, 1);
        workspace.write(REGISTER, junk);
        workspace.referee(&["debt", "list"]).exits(74);
        fixed(&workspace);
        let green = run(&workspace, 0);
        assert!(green.stderr.contains("the register of debt could not be read"), "{}", green.stderr);
        let aside = workspace.path("evidence/.registers/technical-debt.json.unreadable-1");
        assert_eq!(fs::read_to_string(aside).unwrap(), junk);
        assert_eq!(items(&workspace), [item("DEBT-T001-001", "RESOLVED", 1), item("DEBT-T001-002", "RESOLVED", 1)]);
        workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(0);
    }
}

#[test]
fn tampered_evidence_is_not_taken_into_a_new_register() {
    let workspace = project();
    run(&workspace, 1);
    fs::remove_file(workspace.path(REGISTER)).unwrap();
    workspace.write("evidence/T001/STEP.2-speak.log", "hullo\n");
    fixed(&workspace);
    let green = run(&workspace, 0);
    assert!(green.stderr.contains("its evidence does not match its seal"), "{}", green.stderr);
    assert_eq!(items(&workspace), []);
}

#[test]
fn people_decide_where_items_go_and_when() {
    let workspace = project();
    run(&workspace, 1);
    let with = |arguments: &[&str]| workspace.referee(&[&["debt"], arguments, &BY].concat());
    let shown =
        |id: &str| workspace.referee(&["debt", "show", id, "--format", "json"]).exits(0).json()["items"][0].clone();

    let routed = with(&["route", "DEBT-T001-001", "inventory"]).exits(0);
    assert!(routed.stdout.contains("DEBT-T001-001 is now OPEN, inventory"), "{}", routed.stdout);
    with(&["route", "debt-t001-001", "sprint", "--as", "T099"]).exits(0);
    assert_eq!(shown("DEBT-T001-001")["item"]["routing"]["sprintTaskId"], "T099");
    for taken in ["T099", "T001"] {
        let refused = with(&["route", "DEBT-T001-002", "sprint", "--as", taken]).exits(2);
        assert!(refused.stderr.contains("is taken already"), "{}", refused.stderr);
    }
    with(&["start", "DEBT-T001-001"]).exits(0);
    let refused = with(&["start", "DEBT-T001-001"]).exits(2);
    assert!(refused.stderr.contains("it is in progress already"), "{}", refused.stderr);
    with(&["defer", "DEBT-T001-002", "--until", "2001-01-01"]).exits(2);
    with(&["defer", "DEBT-T001-002", "--until", "tomorrow"]).exits(2);
    with(&["defer", "DEBT-T001-002", "--until", "2999-12-24"]).exits(0);
    // What people decided stands through the next run.
    run(&workspace, 1);
    assert_eq!(items(&workspace), [item("DEBT-T001-001", "IN_PROGRESS", 2), item("DEBT-T001-002", "DEFERRED", 2)]);
    assert_eq!(shown("DEBT-T001-001")["item"]["routing"]["sprintTaskId"], "T099");
    let told = workspace.referee(&["debt", "show", "DEBT-T001-002"]).exits(0).stdout;
    assert!(told.contains("DEFERRED until 2999-12-24") && told.contains("Ada: so it is planned"), "{told}");
}

#[test]
fn items_are_listed_by_status_task_severity_and_place() {
    let workspace = project();
    run(&workspace, 1);
    workspace.referee(&[&["debt", "route", "DEBT-T001-002", "inventory"], &BY[..]].concat()).exits(0);
    for (filter, expected) in [
        (["--status", "open"], 2),
        (["--status", "resolved,in-progress"], 0),
        (["--task", "T001"], 2),
        (["--task", "T002"], 0),
        (["--severity", "CRITICAL"], 2),
        (["--severity", "low"], 0),
        (["--destination", "inventory"], 1),
        (["--destination", "sprint"], 1),
    ] {
        let listed = workspace.referee(&[&["debt", "list"], &filter[..]].concat()).exits(0).stdout;
        assert_eq!(listed.matches("DEBT-T001-").count(), expected, "{filter:?}: {listed}");
    }
}

#[test]
fn what_is_not_there_is_said_with_what_is() {
    let workspace = project();
    let listed = workspace.referee(&["debt", "list"]).exits(0);
    assert!(listed.stderr.contains("no debt is recorded"), "{}", listed.stderr);
    assert_eq!(
        workspace.referee(&["debt", "list", "--format", "json"]).exits(0).json()["items"],
        serde_json::json!([])
    );
    assert!(!workspace.path("evidence").exists(), "looking makes nothing");
    workspace.referee(&[&["debt", "start", "DEBT-T001-001"], &BY[..]].concat()).exits(2);
    assert!(!workspace.path("evidence").exists(), "a change of nothing makes nothing");
    run(&workspace, 1);
    for unknown in ["DEBT-T001-009", "T001", "..", "\u{1b}[2J"] {
        let refused = workspace.referee(&["debt", "show", unknown]).exits(2);
        assert!(refused.stderr.contains("DEBT-T001-001") && !refused.stderr.contains('\u{1b}'), "{}", refused.stderr);
    }
    let nameless = workspace.referee(&["debt", "start", "DEBT-T001-001", "--reason", "now"]).exits(2);
    assert!(nameless.stderr.contains("--by <NAME>"), "{}", nameless.stderr);
    let mut named = workspace.command(&["debt", "start", "DEBT-T001-001", "--reason", "now"]);
    finish(named.env("USER", "grace").spawn().unwrap()).exits(0);
    let elsewhere = workspace.referee(&["debt", "list", "--evidence", "evidence"]).exits(0);
    assert!(elsewhere.stdout.contains("IN_PROGRESS"), "{}", elsewhere.stdout);
}

#[test]
fn pages_are_written_around_what_people_wrote_and_checked() {
    let workspace = project();
    run(&workspace, 1);
    workspace.referee(&[&["debt", "route", "DEBT-T001-002", "inventory"], &BY[..]].concat()).exits(0);
    workspace.write("docs/tasks.md", "# Our sprint\n\n- [x] **T001**: ours\n");
    let written = workspace.referee(&["debt", "export", "docs"]).exits(0).stdout;
    assert_eq!(written, "docs/tasks.md\ndocs/technical-debt.md\ndocs/debt-inventory.md\n");
    let read = |name: &str| fs::read_to_string(workspace.path(&format!("docs/{name}"))).unwrap();
    let tasks = read("tasks.md");
    assert!(tasks.starts_with("# Our sprint\n\n- [x] **T001**: ours\n"), "{tasks}");
    assert!(tasks.contains("(../evidence/T001/STEP.1-types.log)"), "{tasks}");
    assert!(!read("technical-debt.md").contains("[x](y)"), "the tool's text is not a link");
    workspace.referee(&["debt", "export", "docs", "--check"]).exits(0);
    workspace.write("docs/tasks.md", format!("before\n{tasks}\n- [ ] after\n"));
    workspace.referee(&["debt", "export", "docs", "--check"]).exits(0);
    workspace.referee(&["debt", "export", "docs"]).exits(0);
    assert_eq!(read("tasks.md"), format!("before\n{tasks}\n- [ ] after\n"));

    fixed(&workspace);
    run(&workspace, 0);
    let stale = workspace.referee(&["debt", "export", "docs", "--check"]).exits(1);
    assert!(stale.stdout.contains("is not ticked, and it is resolved"), "{}", stale.stdout);
    workspace.referee(&["debt", "export", "docs"]).exits(0);
    workspace.referee(&["debt", "export", "docs", "--check"]).exits(0);
    assert!(read("tasks.md").contains("- [x] **T002**"), "{}", read("tasks.md"));
}

#[test]
fn every_way_of_changing_a_page_is_named_with_file_and_line() {
    let workspace = project();
    run(&workspace, 1);
    for (page, from, to, kind) in [
        ("tasks.md", "- [ ] **T002**", "- [x] **T002**", "CLASSIFICATION_MODIFIED"),
        ("tasks.md", "Severity: CRITICAL", "Severity: LOW", "CLASSIFICATION_MODIFIED"),
        ("tasks.md", "STEP.1-types.log", "STEP.2-speak.log", "TASK_CONTENT_MISMATCH"),
        ("tasks.md", " <!-- referee:debt:item DEBT-T001-001 -->", "", "MISSING_SPRINT_TASK"),
        ("technical-debt.md", " <!-- referee:debt:item DEBT-T001-001 -->", "", "MISSING_DEBT_DOCUMENTATION"),
        ("debt-inventory.md", "Correlation: DEBT-INV-", "Correlation: DEBT-INV-1", "MISSING_INVENTORY_CORRELATION"),
        ("debt-inventory.md", "Place: IN_SPRINT", "Place: IN_INVENTORY", "CLASSIFICATION_MODIFIED"),
    ] {
        workspace.referee(&["debt", "export", "docs"]).exits(0);
        let name = format!("docs/{page}");
        let before = fs::read_to_string(workspace.path(&name)).unwrap();
        let after = before.replacen(from, to, 1);
        assert_ne!(before, after, "{page}: {from}\n{before}");
        workspace.write(&name, after);
        let found = workspace.referee(&["debt", "export", "docs", "--check"]).exits(1).stdout;
        let named = found.lines().any(|line| line.starts_with(&format!("{name}:")) && line.contains(kind));
        assert!(named, "{page}: {from}: {found}");
        let document = workspace.referee(&["debt", "export", "docs", "--check", "--format", "json"]).exits(1).json();
        let kinds: Vec<_> = document["violations"].as_array().unwrap().iter().map(|each| &each["type"]).collect();
        assert!(kinds.contains(&&Value::from(kind)), "{document:#}");
    }
    for page in ["tasks.md", "technical-debt.md", "debt-inventory.md"] {
        workspace.referee(&["debt", "export", "docs"]).exits(0);
        fs::remove_file(workspace.path(&format!("docs/{page}"))).unwrap();
        let found = workspace.referee(&["debt", "export", "docs", "--check"]).exits(1).stdout;
        assert!(found.contains("there is no such page"), "{found}");
    }
}

#[test]
fn a_page_that_cannot_be_ours_is_left_alone_and_so_are_the_others() {
    let workspace = project();
    run(&workspace, 1);
    let broken = "mine\n<!-- referee:debt:begin inventory -->\nno end\n";
    workspace.write("docs/debt-inventory.md", broken);
    let refused = workspace.referee(&["debt", "export", "docs"]).exits(2);
    assert!(refused.stderr.contains("docs/debt-inventory.md:2: "), "{}", refused.stderr);
    assert_eq!(fs::read_to_string(workspace.path("docs/debt-inventory.md")).unwrap(), broken);
    assert!(!workspace.path("docs/tasks.md").exists());

    fs::remove_file(workspace.path("docs/debt-inventory.md")).unwrap();
    workspace.write("elsewhere.md", "theirs");
    std::os::unix::fs::symlink(workspace.path("elsewhere.md"), workspace.path("docs/tasks.md")).unwrap();
    workspace.referee(&["debt", "export", "docs"]).exits(2);
    assert_eq!(fs::read_to_string(workspace.path("elsewhere.md")).unwrap(), "theirs");
    workspace.write("docs/technical-debt.md", [0xff, 0xfe]);
    workspace.referee(&["debt", "export", "docs", "--check"]).exits(2);
}
