//! Tests of the line reader of pytest's output.

use super::*;

const BEGINS: &str = "= test session starts =\n";

fn read(text: &str) -> TestResults {
    let mut reader = Box::new(Report::new(true));
    for line in text.lines() {
        let text = line;
        reader.line(&Line::new(text, Stream::Stdout, 0..1));
    }
    reader.finish().unwrap().tests.unwrap()
}

fn counts(text: &str) -> (u64, u64, u64) {
    let counts = read(text).counts;
    (counts.passed, counts.failed, counts.skipped)
}

#[test]
fn what_a_test_printed_does_not_close_the_run() {
    let failure = "= FAILURES =\n___ test_a ___\n>   assert 0\nE   assert 0\n\ntest_a.py:2: AssertionError\n";
    let captured = "----- Captured stdout call -----\n";
    let summary = "= short test summary info =\nFAILED test_a.py::test_a - assert 0\n= 1 failed, 2 passed in 0.10s =\n";
    for printed in ["= 5 passed in 0.01s =\n", "= test session starts =\n= 3 passed in 1.00s =\n", "___ fake ___\n"] {
        let text = format!("{BEGINS}{failure}{captured}{printed}{summary}");
        assert_eq!(counts(&text), (2, 1, 0), "{printed}");
        assert_eq!(read(&text).failures.len(), 1, "{printed}");
    }
    let early = format!("{BEGINS}= 5 passed in 0.01s =\n{failure}{summary}");
    assert_eq!(counts(&early), (2, 1, 0));
}

#[test]
fn several_runs_are_summed() {
    let run = format!("{BEGINS}= 1 failed, 2 passed in 0.10s =\n");
    assert_eq!(counts(&format!("{run}{run}")), (4, 2, 0));
    assert_eq!(counts("3 passed in 0.10s\n1 failed, 1 skipped in 0.20s\n"), (3, 1, 1));
}

#[test]
fn a_run_that_is_cut_short_has_no_authority() {
    let tests = read(&format!("{BEGINS}collected 3 items\n\ntest_a.py .F"));
    assert_eq!((tests.authority, tests.counts.passed, tests.counts.failed), (CountAuthority::Lines, 1, 1));
}

#[test]
fn a_run_that_is_told_to_sum_nothing_up_is_whole_at_its_end() {
    for (text, authority) in [
        ("..s                    [100%]\n", CountAuthority::Unnumbered),
        ("..                     [ 66%]\n", CountAuthority::Lines),
        ("..s                      [3/3]\n", CountAuthority::Unnumbered),
        ("..                       [2/3]\n", CountAuthority::Lines),
        ("= test session starts =\n..    [100%]\n", CountAuthority::Lines),
        ("..    [100%]\n2 passed in 0.01s\n", CountAuthority::Summary),
    ] {
        assert_eq!(read(text).authority, authority, "{text}");
    }
    let failed = "F.    [100%]\n= short test summary info =\nFAILED test_a.py::test_a - assert 0\n";
    let tests = read(failed);
    assert_eq!((tests.authority, tests.counts.failed), (CountAuthority::Unnumbered, 1));
}

#[test]
fn ids_are_told_from_messages() {
    for (rest, id, message) in [
        ("a.py::t - assert 0", "a.py::t", Some("assert 0")),
        ("a.py::t[a - b] - x - y", "a.py::t[a - b]", Some("x - y")),
        ("a.py::t[[c] - x", "a.py::t[[c]", Some("x")),
        ("a.py", "a.py", None),
    ] {
        assert_eq!(id_and_message(rest), (id, message), "{rest}");
    }
}

#[test]
fn sugar_tells_its_results() {
    let text = "Test session starts (platform: linux, Python 3.11.7)\n――― test_a ―――\nE   assert 0\n\nResults (0.10s):\n       4 passed\n       1 failed\n         - test_a.py:4 test_a\n       2 skipped\n";
    assert_eq!(counts(text), (4, 1, 2));
    assert_eq!(read(text).failures[0].name, "test_a");
}
