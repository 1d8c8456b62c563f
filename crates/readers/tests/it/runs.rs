//! Commands that run a tool more than once, or print more than its report.

use referee_model::reading::{CountAuthority, Reading, TestCounts};
use referee_readers::source::MemorySource;
use referee_readers::{Hint, read};

use crate::fixtures::{self, hint};

fn read_as(tool: &str, stdout: &str, stderr: &str) -> Reading {
    read(&MemorySource::new(stdout.into(), stderr.into()), &hint(tool)).unwrap()
}

/// Returns authority and counts.
fn jest(stdout: &str, stderr: &str) -> (CountAuthority, u64, u64, u64) {
    let tests = read_as("jest", stdout, stderr).tests.unwrap();
    let TestCounts { passed, failed, skipped, .. } = tests.counts;
    (tests.authority, passed, failed, skipped)
}

fn fixture(name: &str) -> String {
    let fixture = &fixtures::all()[name];
    String::from_utf8([fixture.stdout.as_slice(), &fixture.stderr].concat()).unwrap()
}

#[test]
fn a_failing_run_is_not_forgotten() {
    use CountAuthority::{Lines, MachineReport, Summary};
    let (two, passing, exit) = (fixture("jest/two-runs"), fixture("jest/late-log"), fixture("jest/exit"));
    assert_eq!(jest("", &two), (Summary, 1, 1, 0));
    assert_eq!(jest("", &format!("{two}{passing}")), (Summary, 2, 1, 0));
    assert_eq!(jest("", &format!("{two}done\n")), (Summary, 1, 1, 0));
    // The first of two runs went to standard output, or a test ended the last one.
    assert_eq!(jest(&two, &passing), (Summary, 2, 1, 0));
    assert_eq!(jest("", &format!("{two}{exit}")), (Summary, 1, 1, 0));
    for output in [format!("{passing}{exit}"), format!("{exit}{passing}")] {
        let ended = read_as("jest", "", &output).tests.unwrap();
        assert_eq!((ended.authority, ended.failures.len(), ended.suites.unwrap().failed), (Lines, 1, 1), "{output}");
    }
    let document = |failed: u64, passed: u64| {
        format!(
            "{{\"numFailedTestSuites\":{failed},\"numFailedTests\":{failed},\"numPassedTestSuites\":{passed},\"numPassedTests\":{passed},\"numPendingTestSuites\":0,\"numPendingTests\":0,\"numRuntimeErrorTestSuites\":0,\"numTodoTests\":0,\"numTotalTestSuites\":1,\"numTotalTests\":1,\"testResults\":[]}}\n"
        )
    };
    assert_eq!(jest(&format!("{}{}", document(1, 0), document(0, 1)), ""), (MachineReport, 1, 1, 0));
    assert_eq!(jest(&format!("{}{}", document(0, 1), document(0, 1)), ""), (MachineReport, 1, 0, 0));
}

#[test]
fn a_run_without_tests_is_not_hidden_by_another() {
    let (none, passing) = (fixture("jest/no-tests"), fixture("jest/late-log"));
    for (stdout, stderr) in [
        (none.as_str(), passing.as_str()),
        ("", &format!("{none}{passing}")),
        ("", &format!("{passing}{none}")),
        ("", &fixture("jest/two-runs-one-empty")),
    ] {
        let reading = read_as("jest", stdout, stderr);
        assert_eq!(reading.notes, ["jest ran no test in one of its runs"], "{stdout}{stderr}");
        assert_eq!(reading.tests.unwrap().authority, CountAuthority::Summary, "{stdout}{stderr}");
    }
}

#[test]
fn passes_that_foreign_lines_follow_have_no_authority() {
    let passing = fixture("jest/late-log");
    assert_eq!(jest("", &format!("{passing}done\n")).0, CountAuthority::Lines);
    assert_eq!(jest("", "PASS ./a.test.js\n").0, CountAuthority::Lines);
    assert_eq!(jest("", "PASS ./a.test.js\n  ✓ a (1 ms)\n"), (CountAuthority::Lines, 1, 0, 0));
}

/// A run that a test ended is recognized as Jest's only with a hint.
#[test]
fn an_ended_run_alone_does_not_tell_the_tool() {
    let exit = MemorySource::new(Vec::new(), fixture("jest/exit").into());
    assert!(read(&exit, &Hint::default()).unwrap().reader.is_none());
}

#[test]
fn only_a_finished_watch_cycle_replaces_what_was_found() {
    let error = "a.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.\n";
    let begin = "[12:00:00 AM] File change detected. Starting incremental compilation...\n";
    let end = "[12:00:01 AM] Found 0 errors. Watching for file changes.\n";
    for (text, errors) in [
        (format!("{error}{begin}"), 1),
        (format!("{error}{begin}{error}"), 2),
        (format!("{error}{begin}Found 0 errors.\n"), 1),
        (format!("{error}{begin}{end}"), 0),
        (format!("{error}{end}{begin}"), 1),
    ] {
        assert_eq!(read_as("tsc", &text, "").counts.errors, errors, "{text}");
    }
}

#[test]
fn names_of_unformatted_files_and_errors_belong_together() {
    let (names, errors) = ("a.js\n", "[error] b.js: SyntaxError: Unexpected token (2:1)\n[error] > 2 |\n");
    for (stdout, stderr) in [
        (names, errors),
        (&format!("npm warn Unknown user config\n{names}{errors}"), ""),
        (&format!("{errors}{names}"), ""),
    ] {
        let reading = read_as("prettier", stdout, stderr);
        assert_eq!((reading.counts.errors, reading.counts.warnings), (1, 1), "{stdout}{stderr}");
        assert_eq!(reading.reader.unwrap().format, "list-different");
        assert!(reading.notes.is_empty());
    }
}

/// Node's output after another runner's summary is not part of that runner's dots.
#[test]
fn the_tap_of_the_next_runner_is_its_own() {
    let node = "TAP version 13\n# Subtest: b\nok 1 - b\n  ---\n  duration_ms: 1.08\n  ...\n# Subtest: c\nnot ok 2 - c\n  ---\n  \
                duration_ms: 0.2\n  error: |-\n    \n      - one\n  ...\n1..2\n# tests 2\n# suites 0\n# pass 1\n# fail 1\n\
                # cancelled 0\n# skipped 0\n# todo 0\n# duration_ms 127.4\n";
    let mocha = "\n\n  \u{2714} m1\n  \u{2714} m2\n\n  2 passing (3ms)\n\n";
    let jest = fixture("jest/late-log");
    for (stdout, stderr, passed) in [(format!("{mocha}{node}"), "", 3), (node.to_owned(), jest.as_str(), 2)] {
        let reading = read(&MemorySource::new(stdout.clone().into(), stderr.into()), &Hint::default()).unwrap();
        let tests = reading.tests.unwrap();
        assert_eq!((tests.authority, tests.counts.passed, tests.counts.failed), (CountAuthority::Summary, passed, 1));
    }
    let passing = node.replace("not ok", "ok").replace("pass 1", "pass 2").replace("fail 1", "fail 0");
    for (stdout, stderr, passed) in [(format!("{mocha}{passing}"), "", 4), (passing.clone(), jest.as_str(), 3)] {
        let reading = read(&MemorySource::new(stdout.clone().into(), stderr.into()), &Hint::default()).unwrap();
        let tests = reading.tests.unwrap();
        assert_eq!((tests.authority, tests.counts.passed, tests.counts.failed), (CountAuthority::Summary, passed, 0));
    }
    assert_eq!(read_as("mocha", &format!("{mocha}{passing}"), "").tests.unwrap().authority, CountAuthority::Summary);
}
