//! The result of one reader on one stream, and the limits that bound it.

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

/// Memory limit, in bytes, for the findings that one reader keeps of one stream; further ones are only counted.
const FINDINGS_BYTES: usize = 1024 * 1024;

/// Memory limit, in bytes, for the failed tests that one reader keeps of one stream; further ones are only
/// counted.
const FAILURES_BYTES: usize = 2 * 1024 * 1024;

/// Memory limit, in bytes, for the named tests that one reader keeps of one stream; further ones are only
/// counted.
const CASES_BYTES: usize = 5 * 1024 * 1024;

/// Maximum length of a stored name, title or path, in bytes.
pub(crate) const NAME_BYTES: usize = 2 * 1024;

/// Maximum length of a stored code or rule, in bytes; findings are counted by it.
const CODE_BYTES: usize = 200;

/// How a reader used a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// The line means nothing to the reader.
    None,
    /// The reader used the line.
    Line,
    /// The reader used the line and the one before it.
    WithPrevious,
}

impl From<bool> for Use {
    fn from(is_read: bool) -> Self {
        if is_read { Self::Line } else { Self::None }
    }
}

/// Reads one format line by line: a small state machine over one stream.
pub(crate) trait LineReader {
    fn line(&mut self, line: &Line<'_>) -> Use;

    /// Returns whether the reader is idle. An idle reader is shown no further line until one contains a text
    /// that wakes it.
    fn sleeps(&self) -> bool {
        false
    }

    /// Discards unfinished state because another reader took the line.
    fn reset(&mut self) {}

    /// Returns the result, or `None` if the stream is not in this reader's format.
    fn finish(self: Box<Self>) -> Option<Candidate>;
}

/// Reads the documents of one format in one stream.
pub(crate) trait DocumentReader {
    /// Reads the document that begins at the next byte, which is at offset `start` of the stream.
    fn document(&mut self, reader: &mut dyn BufRead, start: u64) -> io::Result<Extent>;

    /// Returns the result. `are_all` is true if no possible start of a document was skipped.
    fn finish(self: Box<Self>, are_all: bool) -> Option<Candidate>;
}

/// How certain it is that the output comes from the tool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Confidence {
    /// The format is shared by many tools: it counts only where no other tool claims anything.
    LastResort,
    /// Other tools print this format too: it yields to a tool that is certain.
    Likely,
    #[default]
    Certain,
}

/// Everything that a reader found in one stream.
#[derive(Debug, Default)]
pub(crate) struct Candidate {
    /// Name of the format, such as `stylish`.
    pub(crate) format: &'static str,
    pub(crate) confidence: Confidence,
    pub(crate) findings: Findings,
    pub(crate) tests: Option<TestResults>,
    pub(crate) notes: Vec<String>,
    /// Offset in the stream at which the test runner's own summary ends, if there is one.
    pub(crate) summary_end: Option<u64>,
    /// Number of errors that the tool counts in this stream but may list in the other.
    pub(crate) errors_summed_up: u64,
    /// Whether the candidate counts only together with one of the same format in the other stream.
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

    /// Adds the contents of another candidate.
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

    /// Returns the number of errors and failures, then that of all other findings and tests. Of two candidates,
    /// the more severe one is chosen.
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

/// Merges candidates of formats that complement one another, such as a compiler's findings and a test runner's
/// results.
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

/// Returns the weaker of two count authorities.
fn less_sure(one: CountAuthority, other: CountAuthority) -> CountAuthority {
    [CountAuthority::Lines, CountAuthority::Unnumbered]
        .into_iter()
        .find(|authority| [one, other].contains(authority))
        .unwrap_or(one)
}

/// Adds the results of one test run to those of another. A part that reports failures on more than lines
/// decides the authority of the sum; otherwise the weaker authority does.
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

/// Merges candidates of several formats and both streams: findings of one format are added up, and of several
/// formats the most severe is chosen.
pub(crate) fn most_severe(candidates: Vec<(Stream, Candidate)>) -> Option<Candidate> {
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
    // On a tie, the first one is taken.
    let (index, _) = formats.iter().enumerate().rev().max_by_key(|(_, candidate)| candidate.gravity())?;
    let mut taken = formats.swap_remove(index);
    for rejected in formats {
        let total = rejected.findings.counts.total();
        taken.notes.push(format!("{total} findings in the format `{}` were left out", rejected.format));
    }
    Some(taken)
}

/// The first items of a kind, bounded in number and in memory.
#[derive(Debug)]
pub(crate) struct Kept<T> {
    items: Vec<T>,
    room: usize,
    bytes: usize,
}

/// Approximate memory use of an item.
pub(crate) trait Weight {
    fn weight(&self) -> usize;
}

impl<T: Weight> Kept<T> {
    /// Adds an item if there is room.
    pub(crate) fn push(&mut self, item: T) {
        let weight = size_of::<T>() + item.weight();
        if self.items.len() < self.room && weight <= self.bytes {
            self.bytes -= weight;
            self.items.push(item);
        } else {
            // An item kept after a gap would look as if it followed the previous one directly.
            self.room = self.items.len();
        }
    }

    /// Returns whether no further item is kept.
    pub(crate) fn is_full(&self) -> bool {
        self.room <= self.items.len()
    }

    pub(crate) fn extend(&mut self, items: impl IntoIterator<Item = T>) {
        items.into_iter().for_each(|item| self.push(item));
    }

    /// Adds the items of another list; if that one had no room for all of its own, nothing is kept behind them.
    pub(crate) fn append(&mut self, other: Self) {
        let is_full = other.is_full();
        self.extend(other.items);
        if is_full {
            self.room = self.items.len();
        }
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

/// The first findings, and exact counts of all findings.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) kept: Kept<Diagnostic>,
    pub(crate) counts: Counts,
}

impl Findings {
    /// Returns the candidate of one reader for one stream, or `None` if there are no findings.
    pub(crate) fn candidate(self, format: &'static str) -> Option<Candidate> {
        (0 < self.counts.total()).then(|| Candidate::of(format, self))
    }

    /// Counts a finding, and keeps it if there is room. A finding in quoted text, which no tool printed, is
    /// ignored.
    pub(crate) fn add(&mut self, mut diagnostic: Diagnostic) {
        if let Some(code) = &mut diagnostic.code {
            code.truncate(code.floor_char_boundary(CODE_BYTES));
        }
        let Diagnostic { file, code, level, fixable, .. } = &diagnostic;
        if self.count(file.as_deref(), code.as_deref(), *level, *fixable) {
            self.kept.push(diagnostic);
        }
    }

    /// Counts a finding. Returns false if it is only quoted text, which is not counted.
    pub(crate) fn count(&mut self, file: Option<&str>, code: Option<&str>, level: Level, fixable: bool) -> bool {
        let is_one = !file.is_some_and(text::is_quotation);
        if is_one {
            self.counts.add(code.map(|code| cut::head(code, CODE_BYTES)), level, fixable);
        }
        is_one
    }

    /// Counts findings that a tool included in its total but that were not read one by one.
    pub(crate) fn add_unlisted(&mut self, level: Level, number: u64) {
        if number == 0 {
            return;
        }
        // The first is added like any finding, which bounds the number of rules; the rest go to the same rule.
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

    /// Adds the findings of another candidate.
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

/// Creates a finding read from a line. Its offsets refer to the stream and are mapped to the log at the end.
pub(crate) fn diagnostic(tool: &str, rule: &str, line: &Line<'_>, level: Level, message: &str) -> Diagnostic {
    diagnostic_at(tool, origin(rule, line), level, message)
}

/// Creates a finding read from a range of bytes; the message is cut to the stored length.
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

/// Maximum number of related locations kept per finding.
pub(crate) const RELATED_KEPT: usize = 16;

/// Adds related locations to a finding while there is room; their messages are cut to the stored length.
pub(crate) fn relate(found: &mut Diagnostic, places: impl IntoIterator<Item = RelatedPlace>) {
    let room = RELATED_KEPT.saturating_sub(found.related.len());
    found.related.extend(places.into_iter().take(room).map(|place| {
        let message = cut::head(&place.message, limit::MESSAGE_BYTES / RELATED_KEPT).to_owned();
        RelatedPlace { message, ..place }
    }));
}

/// Returns the location and message of a note, to relate it to a finding.
pub(crate) fn place(note: &Diagnostic) -> RelatedPlace {
    RelatedPlace { file: note.file.clone(), line: note.line, column: note.column, message: note.message.clone() }
}

/// Creates a failed test that a line names.
pub(crate) fn failure(test: &str, rule: &str, line: &Line<'_>) -> TestFailure {
    TestFailure { name: name(test.trim()), origin: Some(origin(rule, line)), ..TestFailure::default() }
}

/// Limits for the edits of one fix: their number, and the bytes of each. A fix is kept whole or not at all.
const EDITS_KEPT: usize = 16;
const EDIT_BYTES: usize = 4 * 1024;

/// Returns the edits of a fix if all of them could be read and they are within the limits; otherwise an empty
/// list.
pub(crate) fn edits(of_fix: Option<Vec<FixEdit>>) -> Vec<FixEdit> {
    let fits =
        |edits: &Vec<FixEdit>| edits.len() <= EDITS_KEPT && edits.iter().all(|edit| edit.text.len() <= EDIT_BYTES);
    of_fix.filter(fits).unwrap_or_default()
}

/// Returns the origin of a line within its stream.
pub(crate) fn origin(rule: &str, line: &Line<'_>) -> Origin {
    Origin { rule: rule.to_owned(), stream: line.stream, start: line.start, end: line.end }
}

/// Returns a path in its stored form.
pub(crate) fn path(printed: &str) -> String {
    if printed.contains('\\') { name(&text::path(printed)) } else { name(printed) }
}

/// Cuts a name, title or path to the stored length.
pub(crate) fn name(printed: &str) -> String {
    cut::head(printed, NAME_BYTES).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, start: u64) -> Line<'_> {
        let end = start + text.len() as u64;
        Line { text_start: Some(start), ..Line::new(text, Stream::Stdout, start..end) }
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
