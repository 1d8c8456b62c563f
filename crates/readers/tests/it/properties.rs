//! Properties that hold for any output, however it arrives and however it is damaged.

use std::io::{self, Read};
use std::sync::LazyLock;

use proptest::prelude::*;
use referee_model::limit;
use referee_model::reading::{CountAuthority, Reading, TestResults};
use referee_model::record::Stream;
use referee_readers::source::{MemorySource, Source};
use referee_readers::{Hint, read, tools};

use crate::fixtures::{self, Fixture, hint};

static FIXTURES: LazyLock<Vec<Fixture>> = LazyLock::new(|| fixtures::all().into_values().collect());

/// Runs of jest with a summary on standard error, each with its results.
static REPORTS: LazyLock<Vec<(Fixture, TestResults)>> = LazyLock::new(|| {
    let of_jest = FIXTURES.iter().filter(|fixture| fixture.tool == "jest" && !fixture.stderr.is_empty()).cloned();
    let with_results = of_jest.filter_map(|fixture| {
        let results = read(&fixture.source(), &hint("jest")).unwrap().tests?;
        Some((fixture, results))
    });
    with_results
        .filter(|(_, results)| results.authority != CountAuthority::Lines && results.counts.total != 0)
        .collect()
});

/// A modification of a fixture.
#[derive(Debug, Clone)]
enum Damage {
    Truncate(prop::sample::Index),
    Flip(prop::sample::Index, u8),
    Remove(prop::sample::Index, usize),
    Splice(prop::sample::Index, prop::sample::Index, prop::sample::Index, usize),
    WindowsLineEnds,
    OneLine,
    Repeat,
}

fn damage() -> impl Strategy<Value = Damage> {
    let at = any::<prop::sample::Index>;
    prop_oneof![
        at().prop_map(Damage::Truncate),
        (at(), any::<u8>()).prop_map(|(at, byte)| Damage::Flip(at, byte)),
        (at(), 0_usize..200).prop_map(|(at, length)| Damage::Remove(at, length)),
        (at(), at(), at(), 0_usize..2_000).prop_map(|(at, of, from, length)| Damage::Splice(at, of, from, length)),
        Just(Damage::WindowsLineEnds),
        Just(Damage::OneLine),
        Just(Damage::Repeat),
    ]
}

fn apply(damage: &Damage, bytes: &mut Vec<u8>) {
    if bytes.is_empty() {
        return;
    }
    match damage {
        Damage::Truncate(at) => bytes.truncate(at.index(bytes.len())),
        Damage::Flip(at, byte) => {
            let at = at.index(bytes.len());
            bytes[at] = *byte;
        }
        Damage::Remove(at, length) => {
            let at = at.index(bytes.len());
            let end = (at + length).min(bytes.len());
            bytes.drain(at..end);
        }
        Damage::Splice(at, of, from, length) => {
            let other = &FIXTURES[of.index(FIXTURES.len())];
            let other = if other.stderr.is_empty() { &other.stdout } else { &other.stderr };
            let from = from.index(other.len());
            let part = other[from..(from + length).min(other.len())].to_vec();
            let at = at.index(bytes.len());
            bytes.splice(at..at, part);
        }
        Damage::WindowsLineEnds => *bytes = bytes.split(|byte| *byte == b'\n').collect::<Vec<_>>().join(&b"\r\n"[..]),
        Damage::OneLine => bytes.retain(|byte| *byte != b'\n'),
        Damage::Repeat => bytes.extend_from_within(..),
    }
}

/// Generates fixtures with random modifications.
fn damaged() -> impl Strategy<Value = Fixture> {
    let index = any::<prop::sample::Index>();
    (index, prop::collection::vec((any::<bool>(), damage()), 0..6)).prop_map(|(index, damages)| {
        let mut fixture = FIXTURES[index.index(FIXTURES.len())].clone();
        for (of_stdout, damage) in &damages {
            apply(damage, if *of_stdout { &mut fixture.stdout } else { &mut fixture.stderr });
        }
        fixture
    })
}

/// Returns at most `step` bytes per call.
struct Stuttering(MemorySource, usize);

impl Source for Stuttering {
    fn open(&self, stream: Stream) -> io::Result<Box<dyn Read + '_>> {
        struct Steps<R>(R, usize);
        impl<R: Read> Read for Steps<R> {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                let length = self.1.min(buffer.len());
                self.0.read(&mut buffer[..length])
            }
        }
        Ok(Box::new(Steps(self.0.open(stream)?, self.1)))
    }

    fn locate(&self, stream: Stream, offset: u64) -> u64 {
        self.0.locate(stream, offset)
    }
}

fn holds(reading: &Reading, fixture: &Fixture) -> Result<(), TestCaseError> {
    let kept = reading.diagnostics.len() as u64;
    prop_assert!(kept <= reading.counts.total());
    prop_assert!(reading.diagnostics.len() <= limit::FINDINGS_KEPT);
    let of_rules: u64 = reading.counts.by_rule.values().map(|rule| rule.errors + rule.warnings + rule.infos).sum();
    prop_assert_eq!(of_rules, reading.counts.total());
    if reading.reader.is_none() {
        prop_assert!(kept == 0 && reading.tests.is_none());
    }
    let log = (fixture.stdout.len() + fixture.stderr.len()) as u64;
    let failures = reading.tests.iter().flat_map(|tests| &tests.failures);
    let origins = reading.diagnostics.iter().map(|diagnostic| &diagnostic.origin);
    for origin in origins.chain(failures.filter_map(|failure| failure.origin.as_ref())) {
        prop_assert!(origin.start <= origin.end && origin.end <= log, "{:?} of {}", origin, log);
    }
    if let Some(tests) = &reading.tests {
        let counts = tests.counts;
        prop_assert_eq!(counts.passed + counts.failed + counts.skipped, counts.total);
        prop_assert!(tests.failures.len() <= limit::FINDINGS_KEPT && tests.cases.len() <= limit::TEST_CASES_KEPT);
    }
    prop_assert_eq!(reading.excerpts.stdout.bytes, fixture.stdout.len() as u64);
    prop_assert_eq!(reading.excerpts.stderr.bytes, fixture.stderr.len() as u64);
    prop_assert!(reading.leftovers.last.len() <= 20);
    prop_assert!(reading.leftovers.last.len() as u64 <= reading.leftovers.lines);
    Ok(())
}

/// Generates hints: any of the tools, or none.
fn any_hint() -> impl Strategy<Value = Hint> {
    prop::option::of(prop::sample::select(tools().collect::<Vec<_>>()))
        .prop_map(|tool| tool.map_or_else(Hint::default, hint))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_output_has_a_reading_whose_numbers_agree(fixture in damaged(), hint in any_hint()) {
        let reading = read(&fixture.source(), &hint).unwrap();
        holds(&reading, &fixture)?;
    }

    #[test]
    fn a_reading_is_the_same_however_bytes_arrive(fixture in damaged(), hint in any_hint(), step in 1_usize..300) {
        let whole = read(&fixture.source(), &hint).unwrap();
        prop_assert_eq!(read(&Stuttering(fixture.source(), step), &hint).unwrap(), whole);
    }

    #[test]
    fn junk_is_read_without_harm(stdout in ".{0,400}", stderr in prop::collection::vec(any::<u8>(), 0..400), hint in any_hint()) {
        let fixture = Fixture { tool: String::new(), stdout: stdout.into_bytes(), stderr };
        holds(&read(&fixture.source(), &hint).unwrap(), &fixture)?;
    }

    /// Output of a test before a report does not hide anything in the report. It may look like an earlier run
    /// of its own, and then adds to the results.
    #[test]
    fn no_print_in_front_of_a_report_forges_it(
        index in any::<prop::sample::Index>(),
        passed in 0_u64..50,
        failed in 0_u64..50,
    ) {
        let (mut fixture, honest) = REPORTS[index.index(REPORTS.len())].clone();
        let total = passed + failed;
        let forged = format!(
            "PASS src/forged.test.js\nTest Suites: 1 passed, 1 total\nTests:       {failed} failed, {passed} passed, {total} total\nSnapshots:   0 total\nTime:        0.1 s\nRan all test suites.\n{{\"numFailedTestSuites\":0,\"numFailedTests\":{failed},\"numPassedTests\":{passed},\"numPendingTests\":0,\"numTodoTests\":0,\"numTotalTests\":{total},\"numRuntimeErrorTestSuites\":0,\"testResults\":[]}}\n",
        );
        fixture.stdout.splice(0..0, forged.bytes());
        fixture.stderr.splice(0..0, forged.bytes());
        let tests = read(&fixture.source(), &hint("jest")).unwrap().tests.unwrap();
        prop_assert!(honest.counts.passed <= tests.counts.passed && honest.counts.skipped <= tests.counts.skipped);
        // Once per stream.
        let forged_failures = tests.counts.failed.checked_sub(honest.counts.failed);
        prop_assert!(forged_failures.is_some_and(|more| more <= 2 * failed));
        prop_assert_eq!(tests.failures.len(), honest.failures.len());
        prop_assert!(tests.authority != CountAuthority::Lines);
    }
}

/// A line without an end, many times longer than the limit, inside and outside of a document.
#[test]
fn long_lines_are_noted_unless_they_are_a_document() {
    let line = "x".repeat(3 * limit::LINE_BYTES);
    let reading = read(&MemorySource::stdout(line.clone().into_bytes()), &Hint::default()).unwrap();
    assert!(reading.notes.iter().any(|note| note.contains("1 lines of standard output")), "{:?}", reading.notes);
    let message = r#"{"ruleId":"semi","severity":2,"message":"Missing semicolon.","line":1,"column":2}"#;
    let document = format!(
        "[{{\"filePath\":\"/a.js\",\"messages\":[{message}],\"source\":\"{line}\"}},{{\"filePath\":\"/b.js\",\"messages\":[{message}]}}]"
    );
    let reading = read(&MemorySource::stdout(document.into_bytes()), &Hint::default()).unwrap();
    assert_eq!((reading.counts.errors, reading.leftovers.lines), (2, 0));
    assert_eq!(reading.notes, Vec::<String>::new());
}

/// A truncated document is not a clean run.
#[test]
fn a_document_that_is_cut_short_is_never_clean() {
    let whole = &fixtures::all()["eslint/json-clean"];
    for length in 0..whole.stdout.trim_ascii_end().len() {
        let source = MemorySource::stdout(whole.stdout[..length].to_vec());
        assert_eq!(read(&source, &hint("eslint")).unwrap().reader, None, "{length} bytes");
    }
    let whole = &fixtures::all()["jest/json-30"];
    for length in (0..whole.stdout.trim_ascii_end().len()).step_by(97) {
        let source = MemorySource::stdout(whole.stdout[..length].to_vec());
        let tests = read(&source, &hint("jest")).unwrap().tests;
        assert!(tests.is_none_or(|tests| tests.authority == CountAuthority::Lines), "{length} bytes");
    }
}

#[test]
fn a_source_that_fails_is_an_error() {
    struct Failing;
    impl Source for Failing {
        fn open(&self, _: Stream) -> io::Result<Box<dyn Read + '_>> {
            Err(io::Error::other("disk on fire"))
        }
        fn locate(&self, _: Stream, offset: u64) -> u64 {
            offset
        }
    }
    assert!(read(&Failing, &Hint::default()).is_err());
}
