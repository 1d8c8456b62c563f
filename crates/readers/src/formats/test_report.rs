//! Test reports: the common steps of all formats, and those of the dialects of XML, from the bytes of a document to
//! counts and failures.
//!
//! Counts come from the tests that a document lists, because runners disagree on the meaning of its count
//! attributes. A log may contain several documents (`cat TEST-*.xml`), which are summed. A truncated document
//! alone is not proof of a failure.

use std::io::{self, BufRead};

use crate::candidate::add_tests;
use crate::prelude::*;
use crate::shapes::dotnet;
use crate::shapes::results::{case, counts};
use crate::xml::{self, Element, Elements};

/// Maximum length of a stack, in bytes.
const STACK_BYTES: usize = 16 * 1024;

/// Interprets the elements of one format.
pub(super) trait Dialect: Default {
    /// Name of the tool, the framework and the format.
    const NAME: &'static str;

    /// Begins a document. Returns false if its root is not that of this format.
    fn begin(&mut self, root: &Element) -> bool;

    /// Handles an element that begins.
    fn open(&mut self, _element: &Element, _around: &[Element]) {}

    /// Handles an element that is closed; `at` is its position in the stream.
    fn close(&mut self, element: Element, around: &[Element], at: Origin, tests: &mut Tests);
}

/// A test in a document.
#[derive(Debug, Default)]
pub(super) struct Test {
    /// Names of the enclosing groups.
    pub(super) ancestors: Vec<String>,
    pub(super) title: String,
    pub(super) file: Option<String>,
    pub(super) duration_ms: Option<u64>,
}

/// A failure in a document.
#[derive(Debug, Default)]
pub(super) struct Failed {
    /// Full name of the test, or the part of a suite that did not run.
    pub(super) name: String,
    pub(super) suite: bool,
    pub(super) message: String,
    pub(super) stack: String,
    pub(super) file: Option<String>,
    pub(super) line: Option<u32>,
    pub(super) duration_ms: Option<u64>,
}

impl Failed {
    /// Creates a failure from the message and stack of a .NET test, with the location named in the stack.
    pub(super) fn of_dotnet(name: String, message: &mut String, stack: &mut String) -> Self {
        let (message, stack) = (std::mem::take(message), std::mem::take(stack));
        let (file, line) = dotnet::place(&stack).unzip();
        Self { name, message, stack, file, line, ..Self::default() }
    }
}

/// The tests of one document.
#[derive(Debug, Default)]
pub(super) struct Tests {
    results: Runs,
    /// Number of failures that the document counts but does not list.
    unlisted: u64,
    /// The document's own counts, if they and not the listed tests count.
    pub(super) told: Option<TestCounts>,
    notes: Vec<String>,
}

impl Tests {
    /// Adds a test.
    pub(super) fn test(&mut self, test: &Test, status: TestStatus) {
        let ancestors: Vec<&str> = test.ancestors.iter().map(String::as_str).collect();
        let mut named = case(&ancestors, &test.title, test.file.as_deref(), status);
        named.duration_ms = test.duration_ms;
        self.results.case(named);
    }

    /// Adds a failure; the test itself is counted by [`Tests::test`].
    pub(super) fn failure(&mut self, failed: Failed, at: Origin) {
        let message = ansi::strip(failed.message.trim());
        let stack = ansi::strip(failed.stack.trim_matches(['\r', '\n']).trim_end()).into_owned();
        self.results.failure(TestFailure {
            name: name(failed.name.trim()),
            suite: failed.suite,
            file: failed.file.map(|file| name(&text::path(&file))),
            line: failed.line,
            message: cut::head(&message, limit::MESSAGE_BYTES).to_owned(),
            stack: (!stack.is_empty()).then(|| cut::head(&stack, STACK_BYTES).to_owned()),
            duration_ms: failed.duration_ms,
            origin: Some(at),
            ..TestFailure::default()
        });
    }

    /// Counts a suite that broke outside of its tests. Several consecutive reports of one suite count once.
    pub(super) fn broken_suite(&mut self, failed: Failed, at: Origin) {
        let last = self.results.failures_mut().next_back();
        if last.is_some_and(|last| last.suite && last.name == failed.name.trim()) {
            return;
        }
        let broken = self.results.suites.get_or_insert_default();
        *broken = counts(broken.passed, broken.failed + 1, broken.skipped);
        self.failure(Failed { suite: true, ..failed }, at);
    }

    /// Counts the tests that a suite claims to have run without listing any.
    pub(super) fn summed_up(&mut self, told: TestCounts) {
        for (status, number) in
            [(TestStatus::Passed, told.passed), (TestStatus::Failed, told.failed), (TestStatus::Skipped, told.skipped)]
        {
            self.results.count(status, number);
        }
    }

    /// Checks the number of failures that a document counts against those that it lists: if it lists none, the
    /// number counts.
    pub(super) fn hold_against(&mut self, failed: u64) {
        if self.results.seen.failed == 0 && self.results.suites.is_none() && 0 < failed {
            self.unlisted = failed;
            self.notes.push(format!("the report counts {failed} failed tests and lists none"));
        }
    }

    /// Returns the counts of the listed tests.
    pub(super) fn seen(&self) -> TestCounts {
        self.results.seen
    }

    fn counts(&self) -> TestCounts {
        if let Some(told) = self.told {
            return told;
        }
        let seen = self.seen();
        let passed = seen.passed.saturating_sub(self.unlisted);
        counts(passed, seen.failed + self.unlisted, seen.skipped)
    }
}

/// The tests in the documents of one stream.
#[derive(Default)]
pub(super) struct Reports {
    whole: Runs,
    /// Offset at which the last complete document ends.
    whole_end: Option<u64>,
    /// The last truncated document, and its offset.
    broken: Option<(u64, Tests)>,
    notes: Vec<String>,
}

impl Reports {
    /// Adds a document; `is_known` is true if it has the format.
    pub(super) fn add(&mut self, tests: Tests, is_known: bool, mut extent: Extent) -> Extent {
        extent.is_complete &= is_known;
        if extent.is_complete {
            self.complete(tests);
            self.whole_end = Some(extent.end);
        } else if is_known {
            self.broken = Some((extent.start, tests));
        }
        extent
    }

    /// Adds a complete document to the previous ones.
    fn complete(&mut self, tests: Tests) {
        const NOTES: usize = 20;
        self.whole.add_up(tests.counts());
        let Tests { results, notes, .. } = tests;
        self.notes.extend(notes);
        self.notes.truncate(NOTES);
        let told = results.finish("", CountAuthority::MachineReport);
        if let Some(suites) = told.suites {
            crate::candidate::add_counts(self.whole.suites.get_or_insert_default(), suites);
        }
        told.failures.into_iter().for_each(|failure| self.whole.failure(failure));
        told.cases.into_iter().for_each(|case| self.whole.case(case));
    }

    pub(super) fn candidate(mut self, format: &'static str, are_all: bool) -> Option<Candidate> {
        let whole_end = self.whole_end.unwrap_or(0);
        // A truncated document that starts before the end of a complete one may contain that one.
        let broken = self.broken.take().filter(|(start, tests)| whole_end <= *start && !tests.results.is_empty());
        if self.whole_end.is_none() && broken.is_none() {
            return None;
        }
        let mut tests = self.whole.finish(format, CountAuthority::MachineReport);
        if let Some((_, broken)) = broken {
            self.notes.push(format!("a report of {format} is cut short"));
            add_tests(&mut tests, broken.results.finish(format, CountAuthority::Lines));
        } else if !are_all {
            tests.authority = CountAuthority::Lines;
        }
        let (tests, summary_end) = (Some(tests), self.whole_end);
        Some(Candidate { format, tests, notes: self.notes, summary_end, ..Candidate::default() })
    }
}

/// Reads the XML documents of one stream.
pub(super) struct Report<D> {
    stream: Stream,
    reports: Reports,
    dialect: std::marker::PhantomData<D>,
}

impl<D> Report<D> {
    pub(super) fn new(stream: Stream) -> Self {
        Self { stream, reports: Reports::default(), dialect: std::marker::PhantomData }
    }
}

impl<D: Dialect> DocumentReader for Report<D> {
    fn document(&mut self, reader: &mut dyn BufRead, start: u64) -> io::Result<Extent> {
        let mut document =
            Document::<D> { stream: self.stream, dialect: D::default(), tests: Tests::default(), is_known: false };
        let extent = xml::read(reader, start, &mut document)?;
        Ok(self.reports.add(document.tests, document.is_known, extent))
    }

    fn finish(self: Box<Self>, are_all: bool) -> Option<Candidate> {
        self.reports.candidate(D::NAME, are_all)
    }
}

/// State while one document is read.
struct Document<D> {
    stream: Stream,
    dialect: D,
    tests: Tests,
    /// Whether the root is that of the format.
    is_known: bool,
}

impl<D: Dialect> Elements for Document<D> {
    fn open(&mut self, element: &Element, around: &[Element]) {
        if around.is_empty() {
            self.is_known = self.dialect.begin(element);
        }
        if self.is_known {
            self.dialect.open(element, around);
        }
    }

    fn close(&mut self, element: Element, around: &[Element], end: u64) {
        if self.is_known {
            let rule = format!("{}/xml", D::NAME);
            let at = Origin { rule, stream: self.stream, start: element.start, end };
            self.dialect.close(element, around, at, &mut self.tests);
        }
    }
}

/// Parses a number of seconds, with or without thousands separators: `1,234.5`. Returns milliseconds.
pub(super) fn seconds(written: Option<&str>) -> Option<u64> {
    written?.replace(',', "").trim().parse().ok().and_then(results::seconds)
}

/// Joins the name of a group and that of a test, unless the latter already includes it: `demo.CalcTest` and
/// `adds`, `a group` and `a test`.
pub(super) fn full_name(group: &str, title: &str) -> String {
    let (group, title) = (group.trim(), title.trim());
    if group.is_empty() || title.starts_with(group) {
        return title.to_owned();
    }
    if title.is_empty() {
        return group.to_owned();
    }
    let is_path = !group.contains(char::is_whitespace);
    format!("{group}{}{title}", if is_path { "." } else { " " })
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::BufReader;

    use referee_model::reading::TestResults;

    use super::*;

    /// Reads documents in the same way as a pass over a log.
    pub(in crate::formats) fn told<D: Dialect + 'static>(documents: &[&str]) -> Option<TestResults> {
        let mut report: Report<D> = Report::new(Stream::Stdout);
        let mut start = 0;
        for document in documents {
            report.document(&mut BufReader::new(document.as_bytes()), start).unwrap();
            start += document.len() as u64;
        }
        Box::new(report).finish(true)?.tests
    }

    #[test]
    fn times_are_read_in_their_forms() {
        assert_eq!(seconds(Some("1,234.5")), Some(1_234_500));
        assert_eq!(seconds(Some("0.0015")), Some(2));
        for none in [None, Some(""), Some("-1"), Some("NaN"), Some("1e300"), Some("soon")] {
            assert_eq!(seconds(none), None, "{none:?}");
        }
    }

    #[test]
    fn names_are_joined_once() {
        assert_eq!(full_name("demo.CalcTest", "adds"), "demo.CalcTest.adds");
        assert_eq!(full_name("a group", "a test"), "a group a test");
        assert_eq!(full_name("a group", "a group a test"), "a group a test");
        assert_eq!((full_name("", "t"), full_name("g", "")), ("t".to_owned(), "g".to_owned()));
    }
}
