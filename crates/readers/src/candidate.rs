//! What one reader makes of one stream, and the bounds that hold while it does.

use std::io::{self, BufRead};

use crate::document::Extent;
use crate::scan::Line;
use crate::text;
use referee_model::limit;
use referee_model::reading::{
    CountAuthority, Counts, Diagnostic, FixEdit, Level, Origin, RelatedPlace, TestCase, TestCounts, TestFailure,
    TestResults,
};
use referee_model::record::Stream;
use referee_syntax::cut;

/// Findings that one reader keeps of one stream, in bytes of memory; more are counted.
const FINDINGS_BYTES: usize = 1024 * 1024;

/// Failed tests that one reader keeps of one stream, in bytes of memory; more are counted.
const FAILURES_BYTES: usize = 2 * 1024 * 1024;

/// Named tests that one reader keeps of one stream, in bytes of memory; more are counted.
const CASES_BYTES: usize = 5 * 1024 * 1024;

/// Longest name, title or path that is kept.
pub(crate) const NAME_BYTES: usize = 2 * 1024;

/// Longest code or rule that is kept: findings are counted by it.
const CODE_BYTES: usize = 200;

/// What a reader did with a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// The line says nothing to it.
    None,
    /// It is part of what the reader reads.
    Line,
    /// It is, and so is the line before it.
    WithPrevious,
}

impl From<bool> for Use {
    fn from(is_read: bool) -> Self {
        if is_read { Self::Line } else { Self::None }
    }
}

/// Reads one format, line by line: a small state machine of one stream.
pub(crate) trait LineReader {
    fn line(&mut self, line: &Line<'_>) -> Use;

    /// Whether the reader waits for nothing: then it is shown no line until one holds what wakes it.
    fn sleeps(&self) -> bool {
        false
    }

    /// Ends what was begun, for another reader took the line.
    fn reset(&mut self) {}

    /// Tells what was found. None: this is not the reader's format.
    fn finish(self: Box<Self>) -> Option<Candidate>;
}

/// Reads the documents of one format in one stream.
pub(crate) trait DocumentReader {
    /// Reads the document that begins at the next byte, which is at the offset `start` in the stream.
    fn document(&mut self, reader: &mut dyn BufRead, start: u64) -> io::Result<Extent>;

    /// Tells what was found. `are_all`: no place where a document may begin was left out.
    fn finish(self: Box<Self>, are_all: bool) -> Option<Candidate>;
}

/// How surely what was read is the tool's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Confidence {
    /// It has a shape that many tools share: it counts only where no other tool claims anything.
    LastResort,
    /// Other tools print so, too: it gives way to a tool that is certain.
    Likely,
    #[default]
    Certain,
}

/// What a reader found in one stream.
#[derive(Debug, Default)]
pub(crate) struct Candidate {
    /// The format that was read, such as `stylish`.
    pub(crate) format: &'static str,
    pub(crate) confidence: Confidence,
    pub(crate) findings: Findings,
    pub(crate) tests: Option<TestResults>,
    pub(crate) notes: Vec<String>,
    /// Where in its stream the runner's own summing-up ends, where there is one.
    pub(crate) summary_end: Option<u64>,
    /// Errors that the tool sums up in this stream and may list in the other.
    pub(crate) errors_summed_up: u64,
    /// Whether it counts only beside a candidate of the same format in the other stream.
    pub(crate) is_tentative: bool,
}

impl Candidate {
    pub(crate) fn of(format: &'static str, findings: Findings) -> Self {
        Self { format, findings, ..Self::default() }
    }

    pub(crate) fn confidence(self, confidence: Confidence) -> Self {
        Self { confidence, ..self }
    }

    pub(crate) fn notes(self, notes: Vec<String>) -> Self {
        Self { notes, ..self }
    }

    /// Adds what was found elsewhere.
    pub(crate) fn add(&mut self, other: Self) {
        self.findings.append(other.findings);
        match (&mut self.tests, other.tests) {
            (Some(tests), Some(of_other)) => add_tests(tests, of_other),
            (tests, of_other) => *tests = tests.take().or(of_other),
        }
        self.notes.extend(other.notes);
        self.confidence = self.confidence.max(other.confidence);
        self.summary_end = self.summary_end.max(other.summary_end);
        self.errors_summed_up += other.errors_summed_up;
        self.is_tentative &= other.is_tentative;
    }

    /// Returns how many errors and failures it holds: of two candidates the more severe is believed.
    pub(crate) fn gravity(&self) -> (u64, u64) {
        let counts = &self.findings.counts;
        let failed = self.tests.as_ref().map_or(0, |tests| {
            let suites = tests.suites.as_ref().map_or(0, |suites| suites.failed);
            tests.counts.failed.max(suites).max(tests.failures.len() as u64)
        });
        let read = self.tests.as_ref().map_or(0, |tests| tests.counts.total);
        (counts.errors + failed, counts.warnings + counts.infos + read)
    }
}

/// Makes one candidate of formats that complete one another, as a compiler's findings and a runner's results do.
pub(crate) fn together(candidates: Vec<(Stream, Candidate)>) -> Option<Candidate> {
    let format = candidates
        .iter()
        .map(|(_, candidate)| candidate)
        .find(|candidate| candidate.tests.is_some())
        .map(|candidate| candidate.format);
    let mut sum = candidates.into_iter().map(|(_, candidate)| candidate).reduce(|mut sum, candidate| {
        sum.add(candidate);
        sum
    })?;
    sum.format = format.unwrap_or(sum.format);
    Some(sum)
}

pub(crate) fn add_counts(sum: &mut TestCounts, other: TestCounts) {
    sum.passed += other.passed;
    sum.failed += other.failed;
    sum.skipped += other.skipped;
    sum.total += other.total;
}

/// Returns the one of two authorities that says less.
fn less_sure(one: CountAuthority, other: CountAuthority) -> CountAuthority {
    [CountAuthority::Lines, CountAuthority::Unnumbered]
        .into_iter()
        .find(|authority| [one, other].contains(authority))
        .unwrap_or(one)
}

/// Adds the results of one run of tests to those of another. What only lines tell makes the whole no better.
pub(crate) fn add_tests(sum: &mut TestResults, other: TestResults) {
    let has_failed = |tests: &TestResults| 0 < tests.counts.failed + tests.suites.map_or(0, |suites| suites.failed);
    let convicts = |tests: &TestResults| tests.authority != CountAuthority::Lines && has_failed(tests);
    sum.authority = match (convicts(sum), convicts(&other)) {
        (true, _) => sum.authority,
        (_, true) => other.authority,
        _ => less_sure(sum.authority, other.authority),
    };
    add_counts(&mut sum.counts, other.counts);
    if let Some(suites) = other.suites {
        add_counts(sum.suites.get_or_insert_default(), suites);
    }
    sum.failures.extend(other.failures);
    sum.failures.truncate(limit::FINDINGS_KEPT);
    sum.cases.extend(other.cases);
    sum.cases.truncate(limit::TEST_CASES_KEPT);
}

/// Joins tests that were read one by one with what a build says of all of them at its end, where the runner sums up
/// nothing: that they passed. It says nothing of tests that failed.
pub(crate) fn or_said(tests: Option<TestResults>, said: Option<TestResults>) -> Option<TestResults> {
    match (tests, said) {
        (Some(tests), Some(_)) if tests.authority == CountAuthority::Lines && tests.counts.failed == 0 => {
            Some(TestResults { authority: CountAuthority::Unnumbered, ..tests })
        }
        (tests, said) => tests.or(said),
    }
}

/// Makes one candidate of what was found in several formats and both streams: findings of one format are added up, and of
/// several formats the graver is believed.
pub(crate) fn gravest(candidates: Vec<(Stream, Candidate)>) -> Option<Candidate> {
    let mut formats: Vec<Candidate> = Vec::new();
    for (_, candidate) in candidates {
        match formats.iter_mut().find(|known| known.format == candidate.format) {
            Some(known) => known.add(candidate),
            None => formats.push(candidate),
        }
    }
    formats.retain(|candidate| !candidate.is_tentative);
    for candidate in &mut formats {
        let listed = candidate.findings.counts.errors;
        if listed < candidate.errors_summed_up {
            candidate
                .notes
                .push(format!("{} errors are summed up; {listed} were read one by one", candidate.errors_summed_up));
        }
        candidate.findings.add_unlisted(Level::Error, candidate.errors_summed_up.saturating_sub(listed));
    }
    // Of equals the first is taken.
    let (index, _) = formats.iter().enumerate().rev().max_by_key(|(_, candidate)| candidate.gravity())?;
    let mut taken = formats.swap_remove(index);
    for rejected in formats {
        let total = rejected.findings.counts.total();
        taken.notes.push(format!("{total} findings in the format `{}` were left out", rejected.format));
    }
    Some(taken)
}

/// The first things of a kind: at most so many, and in at most so much memory.
#[derive(Debug)]
pub(crate) struct Kept<T> {
    items: Vec<T>,
    room: usize,
    bytes: usize,
}

/// How much memory a thing takes, roughly.
pub(crate) trait Weight {
    fn weight(&self) -> usize;
}

impl<T: Weight> Kept<T> {
    /// Keeps a thing while there is room.
    pub(crate) fn push(&mut self, item: T) {
        let weight = size_of::<T>() + item.weight();
        if self.items.len() < self.room && weight <= self.bytes {
            self.bytes -= weight;
            self.items.push(item);
        } else {
            // What follows a gap would look as if it followed directly.
            self.room = self.items.len();
        }
    }

    /// Whether nothing more is kept.
    pub(crate) fn is_full(&self) -> bool {
        self.room <= self.items.len()
    }

    pub(crate) fn extend(&mut self, items: impl IntoIterator<Item = T>) {
        items.into_iter().for_each(|item| self.push(item));
    }

    pub(crate) fn items_mut(&mut self) -> &mut [T] {
        &mut self.items
    }

    pub(crate) fn into_items(self) -> Vec<T> {
        self.items
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }
}

impl Default for Kept<Diagnostic> {
    fn default() -> Self {
        Self { items: Vec::new(), room: limit::FINDINGS_KEPT, bytes: FINDINGS_BYTES }
    }
}

impl Default for Kept<TestFailure> {
    fn default() -> Self {
        Self { items: Vec::new(), room: limit::FINDINGS_KEPT, bytes: FAILURES_BYTES }
    }
}

impl Default for Kept<TestCase> {
    fn default() -> Self {
        Self { items: Vec::new(), room: limit::TEST_CASES_KEPT, bytes: CASES_BYTES }
    }
}

fn length(text: Option<&String>) -> usize {
    text.map_or(0, String::len)
}

impl Weight for Diagnostic {
    fn weight(&self) -> usize {
        let related: usize =
            self.related.iter().map(|place| size_of::<RelatedPlace>() + length(place.file.as_ref())).sum();
        self.message.len()
            + length(self.file.as_ref())
            + length(self.code.as_ref())
            + length(self.suggestion.as_ref())
            + length(self.source.as_ref())
            + related
    }
}

impl Weight for TestFailure {
    fn weight(&self) -> usize {
        self.name.len()
            + self.message.len()
            + length(self.file.as_ref())
            + length(self.stack.as_ref())
            + length(self.expected.as_ref())
            + length(self.received.as_ref())
    }
}

impl Weight for TestCase {
    fn weight(&self) -> usize {
        let ancestors: usize = self.ancestors.iter().map(|name| size_of::<String>() + name.len()).sum();
        self.title.len() + ancestors + length(self.file.as_ref())
    }
}

/// Findings: the first of them, and exact counts of all.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) kept: Kept<Diagnostic>,
    pub(crate) counts: Counts,
}

impl Findings {
    /// Makes a candidate of what one reader found in one stream; none of nothing.
    pub(crate) fn candidate(self, format: &'static str) -> Option<Candidate> {
        (0 < self.counts.total()).then(|| Candidate::of(format, self))
    }

    /// Counts a finding, and keeps it while there is room. One that is quoted where no tool ran is none.
    pub(crate) fn add(&mut self, mut diagnostic: Diagnostic) {
        if let Some(code) = &mut diagnostic.code {
            code.truncate(code.floor_char_boundary(CODE_BYTES));
        }
        let Diagnostic { file, code, level, fixable, .. } = &diagnostic;
        if self.count(file.as_deref(), code.as_deref(), *level, *fixable) {
            self.kept.push(diagnostic);
        }
    }

    /// Counts a finding; returns whether it is one.
    pub(crate) fn count(&mut self, file: Option<&str>, code: Option<&str>, level: Level, fixable: bool) -> bool {
        let is_one = !file.is_some_and(text::is_quotation);
        if is_one {
            self.counts.add(code.map(|code| cut::head(code, CODE_BYTES)), level, fixable);
        }
        is_one
    }

    /// Counts findings that a tool summed up and that were not among those read.
    pub(crate) fn add_unlisted(&mut self, level: Level, number: u64) {
        if number == 0 {
            return;
        }
        // The first goes the way of all findings, which bounds the number of rules; the others stand beside it.
        self.counts.add(None, level, false);
        let others = number - 1;
        let unnamed = self.counts.by_rule.entry(String::new()).or_default();
        let (total, of_rule) = match level {
            Level::Error => (&mut self.counts.errors, &mut unnamed.errors),
            Level::Warning => (&mut self.counts.warnings, &mut unnamed.warnings),
            Level::Info => (&mut self.counts.infos, &mut unnamed.infos),
        };
        *total += others;
        *of_rule += others;
    }

    /// Adds what was found in another stream.
    pub(crate) fn append(&mut self, other: Self) {
        let counts = other.counts;
        self.kept.extend(other.kept.into_items());
        self.counts.errors += counts.errors;
        self.counts.warnings += counts.warnings;
        self.counts.infos += counts.infos;
        self.counts.fixable += counts.fixable;
        for (rule, of_rule) in counts.by_rule {
            let known = self.counts.by_rule.contains_key(&rule) || self.counts.by_rule.len() < limit::RULES_COUNTED;
            let name = if known { rule } else { limit::OTHER_RULES.to_owned() };
            let sum = self.counts.by_rule.entry(name).or_default();
            sum.errors += of_rule.errors;
            sum.warnings += of_rule.warnings;
            sum.infos += of_rule.infos;
        }
    }
}

/// Begins a finding that was read from a line: its place within the stream, which becomes one in the log at the end.
pub(crate) fn diagnostic(tool: &str, rule: &str, line: &Line<'_>, level: Level, message: &str) -> Diagnostic {
    diagnostic_at(tool, origin(rule, line), level, message)
}

/// Begins a finding that was read from some bytes; its message is cut to what is kept.
pub(crate) fn diagnostic_at(tool: &str, origin: Origin, level: Level, message: &str) -> Diagnostic {
    Diagnostic {
        tool: tool.to_owned(),
        file: None,
        line: None,
        column: None,
        end_line: None,
        end_column: None,
        code: None,
        level,
        message: cut::head(message, limit::MESSAGE_BYTES).to_owned(),
        fixable: false,
        suggestion: None,
        source: None,
        edits: Vec::new(),
        related: Vec::new(),
        origin,
    }
}

/// Edits of one fix that are kept, and bytes of each. A fix is kept whole, or not at all.
const EDITS_KEPT: usize = 16;
const EDIT_BYTES: usize = 4 * 1024;

/// Keeps the edits of a fix, where all of them could be read and they are not too many or too long.
pub(crate) fn edits(of_fix: Option<Vec<FixEdit>>) -> Vec<FixEdit> {
    let fits =
        |edits: &Vec<FixEdit>| edits.len() <= EDITS_KEPT && edits.iter().all(|edit| edit.text.len() <= EDIT_BYTES);
    of_fix.filter(fits).unwrap_or_default()
}

/// Returns the place of a line within its stream.
pub(crate) fn origin(rule: &str, line: &Line<'_>) -> Origin {
    Origin { rule: rule.to_owned(), stream: line.stream, start: line.start, end: line.end }
}

/// Returns a name, title or path as it is kept.
pub(crate) fn name(printed: &str) -> String {
    cut::head(printed, NAME_BYTES).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, start: u64) -> Line<'_> {
        let end = start + text.len() as u64;
        Line { text: text.into(), text_start: Some(start), stream: Stream::Stdout, start, end, is_cut: false }
    }

    #[test]
    fn counts_stay_exact_beyond_what_is_kept() {
        let mut findings = Findings::default();
        for _ in 0..limit::FINDINGS_KEPT + 7 {
            findings.add(diagnostic("tsc", "tsc/plain", &line("x", 0), Level::Error, "wrong"));
        }
        assert_eq!((findings.kept.len(), findings.counts.errors), (limit::FINDINGS_KEPT, 1_007));
        findings.add_unlisted(Level::Error, 2_000);
        findings.add_unlisted(Level::Warning, 0);
        assert_eq!((findings.counts.errors, findings.counts.total()), (3_007, 3_007));
    }

    #[test]
    fn long_messages_do_not_fill_the_memory() {
        let mut findings = Findings::default();
        let long = "x".repeat(2 * limit::MESSAGE_BYTES);
        for _ in 0..limit::FINDINGS_KEPT {
            findings.add(diagnostic("tsc", "tsc/plain", &line("x", 0), Level::Warning, &long));
        }
        assert_eq!(findings.counts.warnings, 1_000);
        let bytes: usize = findings.kept.into_items().iter().map(|diagnostic| diagnostic.message.len()).sum();
        assert!((FINDINGS_BYTES / 2..=FINDINGS_BYTES).contains(&bytes), "{bytes}");
    }

    #[test]
    fn streams_are_summed_rule_by_rule() {
        let mut one = Findings::default();
        one.counts.add(Some("semi"), Level::Error, true);
        let mut other = Findings::default();
        other.counts.add(Some("semi"), Level::Warning, false);
        other.counts.add(None, Level::Info, false);
        one.append(other);
        assert_eq!((one.counts.total(), one.counts.fixable, one.counts.by_rule.len()), (3, 1, 2));
        assert_eq!((one.counts.by_rule["semi"].errors, one.counts.by_rule["semi"].warnings), (1, 1));
    }
}
