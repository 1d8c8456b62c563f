//! Chooses the tool whose reading of a log counts.
//!
//! | of two tools that claim the log       | result                                                         |
//! |---------------------------------------|----------------------------------------------------------------|
//! | one has the role of the command       | that one is chosen                                             |
//! | one is more certain                   | that one is chosen                                             |
//! | equally certain, about the same bytes | the stricter one is chosen: that with more errors and failures |
//! | both certain, about different bytes   | both count: the log contains the output of both                |
//!
//! Rejected claims are listed in the notes.

use std::collections::{BTreeMap, VecDeque};
use std::io;

use referee_model::limit;
use referee_model::reading::{
    ChosenBecause, CountAuthority, Counts, Diagnostic, Excerpts, Leftovers, Origin, ReaderChoice, Reading, TestResults,
};
use referee_model::record::Stream;
use referee_syntax::cut;

use crate::candidate::{Candidate, Confidence, add_tests};
use crate::document::Extent;
use crate::hint::Hint;
use crate::scan::Lines;
use crate::seen::{LongLines, Seen, long_line_notes};
use crate::source::Source;
use crate::tool::Tool;
use crate::used::Used;

/// Number of unrecognized lines that are shown.
const LEFTOVERS_SHOWN: usize = 20;

/// Maximum length of each of them, in bytes.
const LEFTOVER_BYTES: usize = 1024;

/// Maximum number of notes on rejected tools.
const NOTES: usize = 8;

/// The same limit where no tool claims the output.
const NOTES_UNCLAIMED: usize = 2;

/// A candidate, with the prefix and the stream that it was read from.
pub(crate) struct PrefixedCandidate {
    pub(crate) prefix: Option<String>,
    pub(crate) stream: Stream,
    pub(crate) candidate: Candidate,
}

/// The candidates of one tool.
pub(crate) struct ToolCandidates {
    pub(crate) tool: &'static Tool,
    pub(crate) candidates: Vec<PrefixedCandidate>,
    /// Bytes of each stream that the tool's readers used.
    pub(crate) used: [Used; 2],
    /// Documents that were read completely, with their stream.
    pub(crate) documents: Vec<(Stream, Extent)>,
    pub(crate) notes: Vec<String>,
}

impl ToolCandidates {
    pub(crate) fn new(tool: &'static Tool) -> Self {
        Self { tool, candidates: Vec::new(), used: Default::default(), documents: Vec::new(), notes: Vec::new() }
    }

    /// Merges the candidates of each prefix, then those of all prefixes.
    fn merge(&mut self) -> Option<Candidate> {
        let mut prefixes: Vec<Option<String>> = Vec::new();
        let mut candidates: Vec<Vec<(Stream, Candidate)>> = Vec::new();
        for PrefixedCandidate { prefix, stream, candidate } in self.candidates.drain(..) {
            let at = prefixes.iter().position(|name| *name == prefix).unwrap_or_else(|| {
                prefixes.push(prefix);
                candidates.push(Vec::new());
                prefixes.len() - 1
            });
            candidates[at].push((stream, candidate));
        }
        let candidates = candidates.into_iter().filter_map(self.tool.merge);
        candidates.reduce(|mut sum, candidate| {
            sum.add(candidate);
            sum
        })
    }
}

/// A tool that claims the log.
struct Contender {
    tool: &'static Tool,
    candidate: Candidate,
    used: [Used; 2],
    documents: Vec<(Stream, Extent)>,
    notes: Vec<String>,
}

/// The tools that claim the log, and notes of those that do not.
#[derive(Default)]
pub(crate) struct Claims {
    contenders: Vec<Contender>,
    notes: Vec<String>,
}

impl Claims {
    pub(crate) fn of(tools: Vec<ToolCandidates>) -> Self {
        let mut claims = Self::default();
        claims.extend(tools);
        claims
    }

    pub(crate) fn extend(&mut self, tools: Vec<ToolCandidates>) {
        for mut of_tool in tools {
            match of_tool.merge() {
                Some(candidate) => {
                    let ToolCandidates { tool, used, documents, notes, .. } = of_tool;
                    self.contenders.push(Contender { tool, candidate, used, documents, notes });
                }
                None => self.notes.append(&mut of_tool.notes),
            }
        }
    }

    /// Returns whether a tool of last resort may outrank all that claim the log.
    pub(crate) fn need_last_resort(&self, hint: &Hint) -> bool {
        let is_first = |contender: &Contender| Confidence::LastResort < contender.candidate.confidence;
        hint.role.is_some() || !self.contenders.iter().any(is_first)
    }

    /// Chooses the tool, and returns its reading with the bytes that it explains.
    pub(crate) fn choose(
        self,
        source: &dyn Source,
        hint: &Hint,
        because: ChosenBecause,
        long_lines: &[LongLines],
    ) -> (Reading, [Used; 2]) {
        let Self { mut contenders, mut notes } = self;
        let rank = |contender: &Contender| {
            (hint.role == Some(contender.tool.role), contender.candidate.confidence, contender.candidate.gravity())
        };
        // The sort is stable: on a tie, the first in the registry is chosen.
        contenders.sort_by_key(|contender| std::cmp::Reverse(rank(contender)));
        let mut contenders = contenders.into_iter();
        let Some(mut chosen) = contenders.next() else {
            // Documents of many tools begin alike, so each of them may note the same broken document.
            notes.truncate(NOTES_UNCLAIMED);
            notes.extend(long_line_notes(long_lines, &[]));
            return (Reading { notes, ..Reading::default() }, Default::default());
        };
        for other in contenders {
            chosen.weigh(other);
        }
        chosen.into_reading(source, because, long_lines)
    }
}

impl Contender {
    /// Adds the findings and tests of another tool that rest on bytes which this tool did not use, and notes
    /// what is rejected.
    fn weigh(&mut self, mut other: Self) {
        let overlaps = Stream::ALL.iter().any(|stream| {
            let at = *stream as usize;
            self.used[at].overlaps(&other.used[at])
        });
        let said = other.candidate.gravity();
        if overlaps {
            other.give_up(&self.used);
        }
        let says_something = 0 < other.candidate.findings.counts.total() || other.candidate.tests.is_some();
        if !says_something && !overlaps && other.candidate.confidence == Confidence::Certain {
            // The other tool only reports success, in addition to this one.
            for (used, of_other) in self.used.iter_mut().zip(&other.used) {
                used.add(of_other);
            }
            return;
        }
        if other.candidate.confidence == Confidence::Certain
            && says_something
            && !(overlaps && other.candidate.tests.is_some())
        {
            self.take(other);
            return;
        }
        // A format shared by many tools means nothing next to a known tool.
        if other.candidate.confidence == Confidence::LastResort || NOTES <= self.notes.len() {
            return;
        }
        self.notes.push(format!(
            "the output also looks like that of {}, with {} errors and failures and {} other findings or tests",
            other.tool.name, said.0, said.1,
        ));
    }

    /// Drops findings in bytes used by a higher-ranked tool. If only some of the findings were kept, all are
    /// dropped.
    fn give_up(&mut self, used: &[Used; 2]) {
        let findings = &mut self.candidate.findings;
        let are_all_kept = findings.counts.total() == findings.kept.len() as u64;
        let findings = std::mem::take(findings);
        if !are_all_kept {
            return;
        }
        for diagnostic in findings.kept.into_items() {
            let Origin { stream, start, end, .. } = diagnostic.origin;
            if !used[stream as usize].meets(start, end) {
                self.candidate.findings.add(diagnostic);
            }
        }
    }

    /// Adds the claim of another tool.
    fn take(&mut self, other: Self) {
        let counts = &other.candidate.findings.counts;
        let tests =
            other.candidate.tests.as_ref().map_or(String::new(), |tests| format!(" and {} tests", tests.counts.total));
        self.notes.push(format!("the output of {} was read, too: {} findings{tests}", other.tool.name, counts.total()));
        self.notes.extend(other.notes);
        self.documents.extend(other.documents);
        for (used, of_other) in self.used.iter_mut().zip(&other.used) {
            used.add(of_other);
        }
        self.candidate.findings.append(other.candidate.findings);
        self.candidate.notes.extend(other.candidate.notes);
        match (&mut self.candidate.tests, other.candidate.tests) {
            (Some(tests), Some(of_other)) if tells_again(tests, &of_other) => {
                self.notes
                    .push(format!("the tests of {} are those of {}, told again", other.tool.name, self.tool.name));
            }
            (Some(tests), Some(of_other)) => add_tests(tests, of_other),
            (tests, of_other) => *tests = tests.take().or(of_other),
        }
    }

    fn into_reading(
        self,
        source: &dyn Source,
        because: ChosenBecause,
        long_lines: &[LongLines],
    ) -> (Reading, [Used; 2]) {
        let Self { tool, candidate, used, documents, mut notes } = self;
        notes.extend(candidate.notes);
        notes.extend(long_line_notes(long_lines, &documents));
        let counts: Counts = candidate.findings.counts;
        let mut diagnostics: Vec<Diagnostic> = candidate.findings.kept.into_items();
        let mut tests = candidate.tests;
        for diagnostic in &mut diagnostics {
            to_log(source, &mut diagnostic.origin);
        }
        diagnostics.truncate(limit::FINDINGS_KEPT);
        let failures = tests.iter_mut().flat_map(|tests| &mut tests.failures);
        for origin in failures.filter_map(|failure| failure.origin.as_mut()) {
            to_log(source, origin);
        }
        let reader = ReaderChoice { tool: tool.name.to_owned(), format: candidate.format.to_owned(), because };
        let reading = Reading {
            reader: Some(reader),
            diagnostics,
            counts,
            tests,
            leftovers: Leftovers::default(),
            excerpts: Excerpts::default(),
            notes,
            log_lines: BTreeMap::new(),
        };
        (reading, used)
    }
}

/// Returns whether two results describe the same run, once in the runner's own lines and once in a printed
/// machine report: the counts are equal, and the same tests fail.
fn tells_again(one: &TestResults, other: &TestResults) -> bool {
    let is_report = |tests: &TestResults| tests.authority == CountAuthority::MachineReport;
    let last_word = |name: &str| {
        let is_part = |character: char| character.is_alphanumeric() || character == '_';
        let end = name.trim_end_matches(|character| !is_part(character));
        end.rsplit(|character| !is_part(character)).next().unwrap_or_default().to_owned()
    };
    let words = |tests: &TestResults| tests.failures.iter().map(|failure| last_word(&failure.name)).collect::<Vec<_>>();
    let (mut of_one, mut of_other) = (words(one), words(other));
    of_one.sort_unstable();
    of_other.sort_unstable();
    is_report(one) != is_report(other) && one.counts == other.counts && of_one == of_other
}

/// Maps an origin from stream offsets to log offsets.
pub(crate) fn to_log(source: &dyn Source, origin: &mut Origin) {
    let start = source.locate(origin.stream, origin.start);
    origin.end = match origin.end.checked_sub(1).filter(|last| origin.start <= *last) {
        Some(last) => source.locate(origin.stream, last) + 1,
        None => start,
    };
    origin.start = start;
}

/// Fills in the unrecognized lines: their number in each stream, and the last of them.
pub(crate) fn fill_leftovers(
    source: &dyn Source,
    reading: &mut Reading,
    used: &[Used],
    seen: &[Seen],
) -> io::Result<()> {
    for stream in Stream::ALL {
        let (used, seen) = (&used[stream as usize], &seen[stream as usize]);
        let unused = seen.number.saturating_sub(used.lines());
        reading.leftovers.lines += unused;
        if 0 < unused {
            let shown = usize::try_from(unused).map_or(LEFTOVERS_SHOWN, |unused| unused.min(LEFTOVERS_SHOWN));
            let known = seen.last.iter().rev().filter(|line| !used.meets(line.start, line.end));
            // If too few of the last lines are unused, the stream is searched from the start.
            let from = known.take(shown).enumerate().last().filter(|(number, _)| number + 1 == shown);
            let from = from.map_or(0, |(_, line)| line.start);
            reading.leftovers.last.extend(last_unused(source, stream, used, from)?);
        }
    }
    let surplus = reading.leftovers.last.len().saturating_sub(LEFTOVERS_SHOWN);
    reading.leftovers.last.drain(..surplus);
    Ok(())
}

/// Reads a stream again, from an offset on, and returns its last unused lines.
fn last_unused(source: &dyn Source, stream: Stream, used: &Used, from: u64) -> io::Result<Vec<String>> {
    let mut lines = Lines::new_at(source.open_at(stream, from)?, stream, from);
    let mut last: VecDeque<String> = VecDeque::with_capacity(LEFTOVERS_SHOWN);
    while let Some(line) = lines.next()? {
        if line.is_blank || used.meets(line.start, line.end) {
            continue;
        }
        let is_full = last.len() == LEFTOVERS_SHOWN;
        let mut shown = if is_full { last.pop_front().unwrap_or_default() } else { String::new() };
        shown.clear();
        shown.push_str(cut::head(&line.text, LEFTOVER_BYTES));
        last.push_back(shown);
    }
    Ok(last.into())
}
