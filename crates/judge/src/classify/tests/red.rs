//! Suites that could not be loaded, if tests are expected to fail.

use super::*;

/// Returns a reading with only failed suites: file, message and frames of each.
fn suites(runner: &str, failed: &[(&str, &str, &str)], are_counted_as_tests: bool) -> Reading {
    let number = failed.len() as u64;
    let mut reading = tests(runner, 0, if are_counted_as_tests { number } else { 0 }, 0);
    let results = reading.tests.as_mut().unwrap();
    results.suites =
        (!are_counted_as_tests).then(|| TestCounts { failed: number, total: number, ..TestCounts::default() });
    results.failures = failed
        .iter()
        .map(|(file, message, stack)| TestFailure {
            name: (*file).to_owned(),
            suite: true,
            file: (!file.is_empty()).then(|| (*file).to_owned()),
            message: (*message).to_owned(),
            stack: (!stack.is_empty()).then(|| (*stack).to_owned()),
            ..TestFailure::default()
        })
        .collect();
    reading
}

fn red(text: &str, code: i32, reading: &Reading) -> Vec<Judgement> {
    let declared = {
        let mut action = line("STEP.1", text);
        action.expect = Some(referee_model::plan::Expectation {
            outcome: Some(Outcome::TestFailure),
            ..referee_model::plan::Expectation::default()
        });
        judge(&plan(vec![action.clone()]), &action, &exited(&action, code), reading)
    };
    let action = line("STEP.1", text);
    let mut plan = plan(vec![action.clone()]);
    plan.red_phase = true;
    vec![declared, judge(&plan, &action, &exited(&action, code), reading)]
}

#[test]
fn a_suite_that_cannot_be_loaded_is_red_only_where_its_file_imports_what_is_not_written_yet() {
    let (js, py) = ("src/sum.test.js", "tests/test_calc.py");
    let at_test = "test_calc.py:1: in <module>";
    let relative = "Cannot find module './sum' from 'src/sum.test.js'";
    let module = "ModuleNotFoundError: No module named 'calc'";
    let circular = "ImportError: cannot import name 'a' from partially initialized module 'b' (most likely due to a circular import)";
    for (text, code, reading, is_red) in [
        ("npx jest", 1, suites("jest", &[(js, relative, "")], false), true),
        (
            "npx jest",
            1,
            suites("jest", &[(js, "Could not locate module @/sum mapped as:\nsrc/sum.test.js", "")], false),
            true,
        ),
        (
            "npx jest",
            1,
            suites("jest", &[(js, "Cannot find module 'lodash' from 'src/sum.test.js'", "")], false),
            false,
        ),
        (
            "npx jest",
            1,
            suites("jest", &[(js, "Cannot find module './x' from 'node_modules/lib/index.js'", "")], false),
            false,
        ),
        ("npx jest", 1, suites("jest", &[(js, "Jest encountered an unexpected token", "")], false), false),
        ("npx jest", 1, suites("jest", &[(js, relative, ""), ("b.test.js", "SyntaxError", "")], false), false),
        (
            "npx vitest run",
            1,
            suites("vitest", &[("/w/a.test.ts", "Cannot find module './b' imported from '/w/a.test.ts'", "")], false),
            true,
        ),
        ("pytest", 2, suites("pytest", &[(py, module, at_test)], true), true),
        (
            "pytest",
            2,
            suites("pytest", &[(py, "ImportError: cannot import name 'add' from 'calc'", at_test)], true),
            true,
        ),
        ("pytest", 2, suites("pytest", &[(py, module, "src/calc.py:1: in <module>")], true), false),
        ("pytest", 2, suites("pytest", &[(py, circular, at_test)], true), false),
        ("pytest", 2, suites("pytest", &[(py, "SyntaxError: invalid syntax", at_test)], true), false),
        ("pytest", 2, suites("pytest", &[(py, "", "")], true), false),
        (
            "python3 -m unittest nosuchmod",
            1,
            suites("unittest", &[("", "ModuleNotFoundError: No module named 'nosuchmod'", "loader.py")], true),
            false,
        ),
    ] {
        for judgement in red(text, code, &reading) {
            assert_eq!((judgement.outcome, judgement.expected), (Outcome::TestFailure, is_red), "{text}: {reading:?}");
            assert_eq!(judgement.blocking, !is_red, "{text}");
            let says_why = judgement.notes.iter().any(|note| note.contains("cannot be loaded"));
            assert_eq!(says_why, !is_red, "{text}: {:?}", judgement.notes);
        }
    }
}

#[test]
fn node_names_what_a_test_file_imports_outside_of_the_failure() {
    let printed = |line: &str| {
        let mut reading = suites("node-test", &[("/w/a.test.mjs", "'test failed'", "")], true);
        reading.excerpts.stdout.head =
            format!("TAP version 13\n{line}\n    at finalizeResolution (node:internal:283:11)\n");
        reading
    };
    for (line, is_red) in [
        ("# Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/w/x.mjs' imported from /w/a.test.mjs", true),
        ("# Error: Cannot find module './x'\n# Require stack:\n# - /w/a.test.mjs", true),
        (
            "file:///w/a.test.mjs:1\nSyntaxError: The requested module './x.mjs' does not provide an export named 'a'",
            true,
        ),
        ("# Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'chai' imported from /w/a.test.mjs", false),
        ("# file:///w/a.test.mjs:3\n# SyntaxError: Unexpected token ';'", false),
    ] {
        for judgement in red("node --test", 1, &printed(line)) {
            assert_eq!((judgement.outcome, judgement.expected), (Outcome::TestFailure, is_red), "{line}");
        }
    }
}

#[test]
fn a_test_that_ran_and_failed_is_red_whatever_else_could_not_be_loaded() {
    let mut reading = tests("jest", 1, 1, 0);
    let results = reading.tests.as_mut().unwrap();
    results.suites = Some(TestCounts { failed: 2, total: 2, ..TestCounts::default() });
    results.failures = vec![TestFailure { name: "b.test.js".to_owned(), suite: true, ..TestFailure::default() }];
    assert!(red("npx jest", 1, &reading).iter().all(|judgement| judgement.expected));
}
