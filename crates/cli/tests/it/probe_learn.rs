//! Defects that are planted on a trusted tree, and asked again at the gate: a check that went hollow blocks, however that was done.

use serde_json::Value;

use crate::probe::Project;
use crate::support::{Finished, Workspace, finish, git, program, words};

/// Code of which every defect is noticed by one of its tests.
const CART: &str = "function total(items, discount) {\n  let sum = 0;\n  for (const item of items) sum += item.price * item.count;\n  return sum - discount;\n}\nmodule.exports = { total };\n";
/// Code that no test looks at.
const LABEL: &str = "function label(name) {\n  if (name === '') return 'none';\n  return 'item ' + name;\n}\nmodule.exports = { label };\n";
const CART_TEST: &str = "const test = require('node:test');\nconst assert = require('node:assert');\nconst { total } = require('../cart.js');\n\
     test('sums', () => assert.strictEqual(total([{ price: 2, count: 3 }, { price: 5, count: 1 }], 0), 11));\n\
     test('discount', () => assert.strictEqual(total([{ price: 20, count: 1 }], 10), 10));\n";
/// As many tests of the same names that look at nothing.
const EMPTIED: &str = "const test = require('node:test');\nconst { total } = require('../cart.js');\n\
     test('sums', () => { total([], 0); });\ntest('discount', () => { total([], 0); });\n";

/// The runs of a defect that was reported by the tests that reported it when it was learned, run alone.
const SELECTED: &[&str] = &["planted-selected failed", "neutral-selected passed"];

/// What is said of a check that passes over a planted defect.
const HOLLOW: &str = "unit no longer notices a planted defect in cart.js";

fn cart(said: &str, check: &str) -> Project {
    let specification = format!("{said}checks:\n  unit: {check}\n");
    Project::of(&[
        ("referee.yaml", &specification),
        ("cart.js", CART),
        ("test/cart.test.js", CART_TEST),
        ("Makefile", ".PHONY: test\ntest:\n\t@node --test test/\n"),
    ])
}

fn learned(said: &str, check: &str) -> Project {
    let project = cart(said, check);
    project.workspace.referee(&["probe", "learn", "--budget", "60s"]).exits(0);
    project
}

fn run(workspace: &Workspace, variables: &[(&str, &str)], arguments: &[&str]) -> Finished {
    let mut command = workspace.command(arguments);
    command.envs(variables.iter().copied());
    finish(command.spawn().unwrap())
}

/// What is printed by a program that does not pass.
#[track_caller]
fn fails(finished: &Finished) -> String {
    assert_ne!(finished.code, Some(0), "{finished:?}");
    words(finished)
}

/// The trees that were run for each defect that was planted at the gate, with what each came to.
fn attempts(project: &Project) -> Vec<Vec<String>> {
    let run: Value = serde_json::from_slice(&project.workspace.evidence("T001")["run.json"]).unwrap();
    let checks = run["circumstances"]["probeAudit"]["checks"].as_array().cloned().unwrap_or_default();
    let attempts = checks.iter().flat_map(|check| check["attempts"].as_array().unwrap().clone());
    let word = |run: &Value| format!("{} {}", run["tree"].as_str().unwrap(), run["result"]["kind"].as_str().unwrap());
    attempts.map(|attempt| attempt["runs"].as_array().unwrap().iter().map(word).collect()).collect()
}

#[test]
fn what_checks_report_and_what_they_do_not_watch_is_learned_and_shown() {
    let project = cart("", "node --test test/");
    project.workspace.write("label.js", LABEL);
    let told = fails(&project.workspace.referee(&["probe", "report"]));
    assert!(told.contains("referee probe learn"), "{told}");
    let learned = project.workspace.referee(&["probe", "learn", "--budget", "20s", "--jobs", "2"]).exits(0).told();
    assert!(learned.contains("not watched: label.js: label") && !learned.contains("cart.js"), "{learned}");
    let shown = |format: &str| project.workspace.referee(&["probe", "report", "--format", format]).exits(0).stdout;
    let json: Value = serde_json::from_str(&shown("json")).unwrap();
    let check = &json["tasks"][0]["checks"][0];
    assert_eq!((check["name"].as_str(), check["hollow"].as_bool()), (Some("unit"), Some(false)), "{json}");
    assert!(check["kept"].as_u64().unwrap() >= 3 && check["tried"].as_u64() > check["reported"].as_u64(), "{check}");
    assert_eq!(check["unwatched"][0]["function"], "label");
    let sarif: Value = serde_json::from_str(&shown("sarif")).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len() as u64, check["tried"].as_u64().unwrap() - check["reported"].as_u64().unwrap());
    assert_eq!(results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "label.js");
    let page = shown("html");
    assert!(page.contains("<code>label.js</code> label, line 2") && !page.contains("http"), "{page}");
    // Nothing of it lies where an agent works.
    assert_eq!(git(&project.workspace.path(""), &["status", "--porcelain", "--ignored"]), "?? label.js");
}

#[test]
fn a_check_that_reports_nothing_is_hollow_at_once() {
    let project = cart("", "node --test test/");
    project.workspace.write("test/cart.test.js", EMPTIED);
    let told = project.workspace.referee(&["probe", "learn", "--budget", "20s"]).exits(1).told();
    assert!(told.contains("unit: hollow: it reported none of"), "{told}");
    // A check that does not pass on the tree teaches nothing.
    project.workspace.write("test/cart.test.js", CART_TEST.replace("11", "12"));
    let told = fails(&project.workspace.referee(&["probe", "learn", "--budget", "20s"]));
    assert!(told.contains("no check of T001 passes in a clean room"), "{told}");
}

#[test]
fn honest_changes_pass_and_are_asked_only_where_more_than_sources_changed() {
    let project = learned("", "node --test test/");
    project.workspace.referee(&["run"]).exits(0);
    assert!(attempts(&project).is_empty(), "nothing changed");
    project.workspace.write("cart.js", CART.replace("let sum", "// The sum.\n  let sum"));
    project.workspace.write("test/more.test.js", "require('node:test')('more', () => {});\n");
    project.workspace.referee(&["run"]).exits(0);
    assert!(attempts(&project).is_empty(), "a source and a new file of tests");
    // The file of the defects moved by a line: they are found again by their syntax.
    project.workspace.write("test/cart.test.js", CART_TEST.replace("'sums'", "'adds'"));
    project.workspace.referee(&["run"]).exits(0);
    // Of the tests by their names those alone are run that reported the defect, and then all: another name reports it as well.
    let [runs] = attempts(&project).try_into().unwrap();
    assert!(runs[0].starts_with("planted-selected ") && !runs.contains(&"planted passed".to_owned()), "{runs:?}");
    assert!(runs.last().unwrap().starts_with("neutral") && runs.last().unwrap().ends_with("passed"), "{runs:?}");
    project.replays(0);
    // The function is gone with its tests: no defect fits, and nobody is convicted.
    project.workspace.write("cart.js", "exports.one = () => 1;\n");
    project.workspace.write(
        "test/cart.test.js",
        "require('node:test')('one', () => require('node:assert').equal(require('../cart.js').one(), 1));\n",
    );
    let told = project.workspace.referee(&["run"]).exits(0).told();
    assert!(told.contains("no probe that was learned fits the tree"), "{told}");
}

#[test]
fn code_that_is_called_no_more_convicts_nobody() {
    let project = learned("probeSchedule: always\n", "node --test test/");
    // The tests stay; what they call is another function now, and the old one only lies there.
    let kept = CART.replace("function total(", "function former(").replace("{ total }", "{ total: sum }");
    let sum = "function sum(items, discount) {\n  return items.reduce((all, item) => all + item.price * item.count, 0) - discount;\n}\n";
    project.workspace.write("cart.js", format!("{sum}{kept}"));
    project.workspace.referee(&["run"]).exits(0);
    let unmoved = format!("{sum}{}", CART.replace("{ total }", "{ total: sum }"));
    project.workspace.write("cart.js", unmoved);
    let told = project.workspace.referee(&["run"]).exits(0).told();
    assert!(!told.contains("no longer notices"), "{told}");
    assert!(
        attempts(&project).iter().any(|runs| runs.last().unwrap() == "planted-before passed"),
        "{:?}",
        attempts(&project)
    );
}

#[test]
fn a_check_that_went_hollow_blocks_whatever_made_it_so() {
    type Attack = fn(&Project);
    let rows: [(&str, &str, Attack); 5] = [
        ("emptied tests", "node --test test/", |it| it.workspace.write("test/cart.test.js", EMPTIED)),
        ("a GNUmakefile before the Makefile, which prints what was printed", "make test", |it| {
            let printed = "TAP version 13\n# Subtest: sums\nok 1 - sums\n# Subtest: discount\nok 2 - discount\n1..2\n# tests 2\n# suites 0\n# pass 2\n# fail 0\n# cancelled 0\n# skipped 0\n# todo 0\n# duration_ms 50\n";
            it.workspace.write("printed.txt", printed);
            it.workspace.write("GNUmakefile", ".PHONY: test\ntest:\n\t@cat printed.txt\n");
        }),
        ("a library of assertions that asserts nothing", "node --test test/", |it| {
            it.workspace.write("test/assert.js", "exports.strictEqual = () => {};\n");
            it.workspace.write("test/cart.test.js", CART_TEST.replace("'node:assert'", "'./assert.js'"));
        }),
        ("a copy of the code beside the tests", "node --test test/", |it| {
            it.workspace.write("test/cart.js", CART);
            it.workspace.write("test/cart.test.js", CART_TEST.replace("'../cart.js'", "'./cart.js'"));
        }),
        ("another runner behind the same words", "make test", |it| {
            it.workspace.write("Makefile", ".PHONY: test\ntest:\n\t@node --test 'test/*.none.js' || true\n\t@node -e \"console.log('# tests 2\\n# suites 0\\n# pass 2\\n# fail 0\\n# cancelled 0\\n# skipped 0\\n# todo 0\\n# duration_ms 5')\"\n");
        }),
    ];
    for (what, check, attack) in rows {
        let project = learned("", check);
        attack(&project);
        let finished = project.workspace.referee(&["run"]);
        let told = fails(&finished);
        if !told.contains(HOLLOW) {
            // It did not even pass: nobody has to ask.
            assert!(attempts(&project).is_empty(), "{what}: {told}");
            continue;
        }
        assert!(!told.contains("cart.js:"), "{what}: the line is not told: {told}");
        let [mut runs] = attempts(&project).try_into().unwrap();
        runs.retain(|run| run != "planted-selected passed");
        assert_eq!(runs, ["planted passed", "planted passed", "planted-before failed", "before passed"], "{what}");
        project.replays(1);
    }
}

#[test]
fn one_thing_less_that_tests_look_at_is_found_where_all_defects_are_asked() {
    let project = learned("probeSchedule: always\nprobeCount: 50\n", "node --test test/");
    project.workspace.referee(&["run"]).exits(0);
    assert!(attempts(&project).len() >= 3 && attempts(&project).iter().all(|runs| runs == SELECTED));
    let less = CART_TEST.replace("assert.strictEqual(total([{ price: 20, count: 1 }], 10), 10)", "total([], 0)");
    project.workspace.write("test/cart.test.js", less);
    let told = project.workspace.referee(&["run"]).exits(3).told();
    assert!(told.contains(HOLLOW), "{told}");
}

#[test]
fn the_specification_says_when_checks_are_asked() {
    for (said, ci, is_asked) in
        [("always", "", true), ("never", "", false), ("ci", "", false), ("ci", "true", true), ("on-change", "", false)]
    {
        let project = learned(&format!("probeSchedule: {said}\n"), "node --test test/");
        run(&project.workspace, &[("CI", ci)], &["run"]).exits(0);
        assert_eq!(!attempts(&project).is_empty(), is_asked, "{said} {ci}");
    }
}

#[test]
fn only_a_person_learns_and_only_on_a_tree_that_is_as_it_is_locked() {
    let project = cart("", "node --test test/");
    let told = fails(&run(&project.workspace, &[("CLAUDECODE", "1")], &["probe", "learn"]));
    assert!(told.contains("only a person may"), "{told}");
    project.workspace.referee(&["lock"]).exits(0);
    project.workspace.write("test/cart.test.js", EMPTIED);
    let told = fails(&project.workspace.referee(&["probe", "learn", "--budget", "5s"]));
    assert!(told.contains("the tree is not the trusted one: test/cart.test.js"), "{told}");
}

#[test]
fn a_set_that_cannot_be_read_is_no_set_that_was_never_learned() {
    let project = learned("probeSchedule: always\n", "node --test test/");
    let sets = project.workspace.state().join("probe-sets");
    let set = std::fs::read_dir(sets).unwrap().next().unwrap().unwrap().path();
    for junk in ["", "{", "{\"probeSetVersion\":\"9.0.0\"}", "[1,2]"] {
        std::fs::write(&set, junk).unwrap();
        fails(&project.workspace.referee(&["run"]));
    }
    std::fs::remove_file(&set).unwrap();
    project.workspace.referee(&["run"]).exits(0);
}

#[test]
fn a_check_that_reports_any_edit_notices_no_defect() {
    let project = learned("", "node --test test/");
    project.workspace.write("test/cart.test.js", EMPTIED);
    let same = "const test = require('node:test');\nconst assert = require('node:assert');\nconst { readFileSync } = require('node:fs');\n\
         test('is as it was', () => assert.deepStrictEqual(readFileSync(__dirname + '/../cart.js'), readFileSync(__dirname + '/cart.txt')));\n";
    project.workspace.write("test/same.test.js", same);
    project.workspace.write("test/cart.txt", CART);
    project.workspace.referee(&["gate"]).exits(3);
    let told = project.workspace.referee(&["run"]).exits(3).told();
    assert!(told.contains(HOLLOW), "{told}");
    let attempts = attempts(&project);
    assert_eq!(attempts.len(), 3, "{attempts:?}");
    let is_of_edit = |runs: &Vec<String>| runs.ends_with(&["planted failed".to_owned(), "neutral failed".to_owned()]);
    assert!(attempts.iter().all(is_of_edit), "{attempts:?}");
    project.replays(1);
}

#[test]
fn code_of_a_change_that_no_test_watches_is_told_and_blocks_where_the_specification_says_so() {
    for (said, is_watched, code) in [("", false, 0), ("probe: block\n", false, 3), ("probe: block\n", true, 0)] {
        let project = learned(&format!("probeSchedule: always\n{said}"), "node --test test/");
        let more = "function tax(sum) {\n  return sum * 2 + 1;\n}\nfunction net(sum) {\n  return sum - 3;\n}\nfunction gross(sum) {\n  return sum + 4;\n}\nmodule.exports = { tax, net, gross };\n";
        project.workspace.write("tax.js", more);
        if is_watched {
            let test = "const test = require('node:test');\nconst assert = require('node:assert');\nconst { tax, net, gross } = require('../tax.js');\n\
                 test('tax', () => assert.deepStrictEqual([tax(2), net(5), gross(1)], [5, 2, 5]));\n";
            project.workspace.write("test/tax.test.js", test);
        }
        let told = project.workspace.referee(&["run"]).exits(code).told();
        let sentence = "no test noticed 3 planted defects in the code of this change: tax.js:";
        assert_eq!(told.contains(sentence), !is_watched, "{said} {told}");
        project.replays(i32::from(code != 0));
    }
}

#[test]
fn tests_that_assert_less_are_named_in_every_answer_and_block_where_the_specification_is_strict() {
    for (said, code) in [("", 0), ("strict: true\n", 3), ("suppressions: ignore\n", 0)] {
        let project = cart(said, "node --test test/");
        let commit = git(&project.workspace.path(""), &["rev-parse", "HEAD"]);
        let less = CART_TEST.replace("assert.strictEqual(total([{ price: 20, count: 1 }], 10), 10)", "total([], 0)");
        project.workspace.write("test/cart.test.js", less.replace("() => total([], 0)", "() => {}"));
        let told = words(&project.workspace.referee(&["gate", "--trusted", &commit]).exits(code));
        let named = "test/cart.test.js:5: emptied-test was added: `discount` has nothing in it any more";
        assert_eq!(told.contains(named), said != "suppressions: ignore\n", "{said} {told}");
        let fewer = CART_TEST
            .replace("() => assert.strictEqual(total([{ price: 20", "() => total([{ price: 20")
            .replace("], 10), 10)", "], 10)");
        project.workspace.write("test/cart.test.js", fewer);
        let told = words(&project.workspace.referee(&["gate", "--trusted", &commit]).exits(code));
        let named = "fewer-assertions was added: `discount` has 0 assertions, 1 before";
        assert_eq!(told.contains(named), said != "suppressions: ignore\n", "{said} {told}");
        // The same is known of files that a lock protects.
        project.workspace.write("test/cart.test.js", CART_TEST);
        project.workspace.referee(&["lock"]).exits(0);
        project.workspace.write("test/cart.test.js", less.replace("() => total([], 0)", "() => {}"));
        let told = words(&project.workspace.referee(&["gate"]).exits(code));
        let named = "emptied-test was added: `discount` has nothing in it any more";
        assert_eq!(told.contains(named), said != "suppressions: ignore\n", "{said} {told}");
    }
}

#[test]
fn without_the_program_that_parses_it_is_told_what_was_not_looked_for() {
    let project = cart("", "node --test test/");
    let commit = git(&project.workspace.path(""), &["rev-parse", "HEAD"]);
    project.workspace.write("test/cart.test.js", EMPTIED);
    let elsewhere = tempfile::tempdir().unwrap();
    let alone = elsewhere.path().join("referee");
    std::fs::copy(program(), &alone).unwrap();
    let mut command = project.workspace.tool(&alone);
    finish(command.args(["gate", "--trusted", &commit]).spawn().unwrap()).exits(0);
    let run: Value = serde_json::from_slice(&project.workspace.evidence("T001")["run.json"]).unwrap();
    let notes = run["circumstances"]["protection"]["notes"].to_string();
    assert!(notes.contains("were not looked for") && notes.contains("referee-mutants is missing"), "{notes}");
}
