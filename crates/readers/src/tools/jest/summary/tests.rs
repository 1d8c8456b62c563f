//! Tests of the reader of Jest's summary.

use referee_model::record::Stream;

use super::*;

fn counts(passed: u64, failed: u64, skipped: u64) -> TestCounts {
    TestCounts { passed, failed, skipped, total: passed + failed + skipped }
}

fn read(text: &str) -> Summaries {
    let mut summaries = Summaries::default();
    for (number, line) in text.lines().enumerate() {
        let start = number as u64;
        let (text_start, stream) = (Some(start), Stream::Stderr);
        let line = Line { text_start, ..Line::new(line, stream, start..start + 1) };
        summaries.line(&line);
    }
    summaries
}

const WHOLE: &str = "Test Suites: 1 failed, 1 passed, 2 total\nTests:       1 failed, 1 skipped, 1 todo, 2 passed, 5 total\nSnapshots:   0 total\nTime:        1.2 s\n";

#[test]
fn counts_are_read_in_their_forms() {
    assert_eq!(test_counts("1 failed, 1 skipped, 1 todo, 2 passed, 5 total"), Some(counts(2, 1, 2)));
    assert_eq!(test_counts("0 total"), Some(counts(0, 0, 0)));
    assert_eq!(suite_counts("1 failed, 1 of 3 total"), Some(counts(0, 1, 2)));
    assert_eq!(suite_counts("1 skipped, 0 of 1 total"), Some(counts(0, 0, 1)));
    for wrong in
        ["", "5 passed", "5 passed, 6 total", "5 passed, total", "1 of 2 total", "5 total, 5 passed", "-1 total"]
    {
        assert_eq!(test_counts(wrong), None, "{wrong}");
    }
    assert_eq!(suite_counts("3 failed, 2 total"), None);
}

#[test]
fn a_summary_is_four_lines_in_the_first_column() {
    let summaries = read(WHOLE);
    let sum = summaries.sum().unwrap();
    assert_eq!((sum.tests, sum.suites, summaries.end()), (counts(2, 1, 2), Some(counts(1, 1, 0)), Some(4)));
    for broken in [
        WHOLE.replace("Snapshots:   0 total\n", ""),
        WHOLE.replace("Tests:", " Tests:"),
        WHOLE.replace("Snapshots", "\nSnapshots"),
        WHOLE.replace("5 total", "6 total"),
        WHOLE.replace('T', "    T").replace('S', "    S"),
        "Tests:       5 passed, 5 total\n".to_owned(),
    ] {
        assert_eq!(read(&broken).sum(), None, "{broken}");
    }
}

#[test]
fn what_follows_a_summary_is_told_from_what_belongs_to_it() {
    for trailer in [
        "",
        "Ran all test suites matching /x/i.\n",
        "Ran all test suites.\nJest did not exit one second after the test run has completed.\n\n'This usually means that there are asynchronous operations that weren't stopped in your tests.\n",
        "\nJest has detected the following 1 open handle potentially keeping Jest from exiting:\n\n  ●  Timeout\n\n    > 1 | x\n",
        "Ran all test suites.\n\n  ●  Cannot log after tests are done. Did you forget?\n    Attempted to log \"late\".\n\n      1 | x\n\n      at a.test.js:1:2\n\n",
        "npm error Lifecycle script `test` failed with error:\nnpm error code 1\n",
    ] {
        assert!(!read(&format!("{WHOLE}{trailer}")).is_followed(), "{trailer}");
    }
    for foreign in [
        "done\n",
        "  ●  Cannot log after tests are done.\n  done\n",
        "  ●  Cannot log after tests are done.\n  ●  process.exit called with \"0\"\n",
    ] {
        assert!(read(&format!("{WHOLE}{foreign}")).is_followed(), "{foreign}");
    }
}

/// Parses a sequence of parts: `h` the heading of a suite, `p` a summary of one passed suite, `P` of two, `f`
/// of one failed, `z` of none, `n` the message that there are no tests.
fn sum_of(parts: &str) -> (TestCounts, bool) {
    let suite = |counts: &str| {
        format!("Test Suites: {counts}\nTests:       {counts}\nSnapshots:   0 total\nTime:        1 s\n")
    };
    let mut summaries = Summaries::default();
    let feed = |text: &str, summaries: &mut Summaries| {
        for text in text.lines() {
            let line = Line::new(text, Stream::Stderr, 0..0);
            summaries.line(&line);
        }
    };
    for part in parts.chars() {
        match part {
            'h' => {
                summaries.run_goes_on();
                summaries.heading();
            }
            'p' => feed(&suite("1 passed, 1 total"), &mut summaries),
            'P' => feed(&suite("2 passed, 2 total"), &mut summaries),
            'f' => feed(&suite("1 failed, 1 total"), &mut summaries),
            'z' => feed(&suite("1 skipped, 1 total"), &mut summaries),
            _ => feed("No tests found, exiting with code 1\nIn /project\n", &mut summaries),
        }
    }
    (summaries.sum().unwrap().tests, summaries.hide_an_empty_run())
}

#[test]
fn runs_are_summed_and_prints_within_one_are_not() {
    for (parts, sum, hides) in [
        ("hphf", counts(1, 1, 0), false),
        ("hfhp", counts(1, 1, 0), false),
        ("hphp", counts(2, 0, 0), false),
        // A summary printed before any suite, or between two suites of one run.
        ("phf", counts(0, 1, 0), false),
        ("php", counts(1, 0, 0), false),
        ("hphP", counts(2, 0, 0), false),
        // A summary printed at the end, or one with failures.
        ("hfp", counts(1, 1, 0), false),
        ("hfhP", counts(2, 1, 0), false),
        ("fhp", counts(1, 1, 0), false),
        // Runs without tests.
        ("zhp", counts(1, 0, 1), true),
        ("hpn", counts(1, 0, 0), true),
        ("nhp", counts(1, 0, 0), true),
        ("zz", counts(0, 0, 2), false),
        ("n", counts(0, 0, 0), false),
    ] {
        assert_eq!(sum_of(parts), (sum, hides), "{parts}");
    }
}

#[test]
fn more_runs_than_are_told_apart_still_count() {
    let parts = "hf".repeat(RUNS_KEPT + 20);
    assert_eq!(sum_of(&parts).0.failed, RUNS_KEPT as u64 + 20);
}
