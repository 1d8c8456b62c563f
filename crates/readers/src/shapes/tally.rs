//! Findings that a tool lists one by one and then counts. Findings in the closing count that were not listed
//! are counted too, because a tool may list only the first ones. A log may contain several runs, each with its
//! own count.

use referee_model::reading::{Diagnostic, Level};

use crate::candidate::{Candidate, Confidence, Findings};

const NOTES: usize = 20;

/// A closing count. `None` means that it gives no number for that level.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Sum {
    pub(crate) errors: Option<u64>,
    pub(crate) warnings: Option<u64>,
    pub(crate) infos: Option<u64>,
    /// Number of all findings, if the count does not separate levels.
    pub(crate) all: Option<u64>,
    /// Level of findings in `all` that were not listed; error if `None`.
    pub(crate) unlisted: Option<Level>,
}

impl Sum {
    /// Creates a count of errors and warnings.
    pub(crate) const fn errors_and_warnings(errors: u64, warnings: u64) -> Self {
        Self { errors: Some(errors), warnings: Some(warnings), infos: None, all: None, unlisted: None }
    }

    /// Returns the sum of all levels that are counted.
    pub(crate) fn total(self) -> u64 {
        [self.errors, self.warnings, self.infos, self.all].into_iter().flatten().sum()
    }
}

/// Findings of one format in one stream.
pub(crate) struct Tally {
    tool: &'static str,
    pub(crate) findings: Findings,
    /// Errors, warnings and infos listed since the last closing count of each.
    listed: [u64; 3],
    /// Number of closing counts that were read.
    pub(crate) sums: u64,
    /// Number of findings that were read one by one, without quoted ones.
    pub(crate) read: u64,
    notes: Vec<String>,
}

impl Tally {
    pub(crate) fn new(tool: &'static str) -> Self {
        Self { tool, findings: Findings::default(), listed: [0; 3], sums: 0, read: 0, notes: Vec::new() }
    }

    pub(crate) fn add(&mut self, diagnostic: Diagnostic) {
        self.listed[diagnostic.level as usize] += 1;
        let before = self.findings.counts.total();
        self.findings.add(diagnostic);
        self.read += self.findings.counts.total() - before;
    }

    /// Adds findings that were read one by one.
    pub(crate) fn take(&mut self, findings: Findings) {
        let counts = &findings.counts;
        self.list(Level::Error, counts.errors);
        self.list(Level::Warning, counts.warnings);
        self.list(Level::Info, counts.infos);
        self.read += counts.total();
        self.findings.append(findings);
    }

    /// Counts findings as listed that are none: the tool has fixed them, or they were summed up before.
    pub(crate) fn list(&mut self, level: Level, number: u64) {
        self.listed[level as usize] += number;
    }

    /// Counts and notes what the tool counts among its findings but is no finding.
    pub(crate) fn count(&mut self, level: Level, message: &str) {
        self.note(format!("{} {message}", self.tool));
        self.list(level, 1);
        self.findings.add_unlisted(level, 1);
    }

    /// Returns the number of findings since the last closing count.
    pub(crate) fn listed(&self) -> u64 {
        self.listed.iter().sum()
    }

    pub(crate) fn sum_up(&mut self, sum: Sum) {
        self.sums += 1;
        let of_levels = [(Level::Error, sum.errors), (Level::Warning, sum.warnings), (Level::Info, sum.infos)];
        for (level, number) in of_levels {
            if let Some(number) = number {
                let listed = std::mem::take(&mut self.listed[level as usize]);
                self.hold(level, number, listed);
            }
        }
        if let Some(all) = sum.all {
            let listed = self.listed();
            self.listed = [0; 3];
            self.hold(sum.unlisted.unwrap_or(Level::Error), all, listed);
        }
    }

    /// Adds the count of a tool that counts all it lists. If more findings were listed, a message contained lines
    /// that look like findings, which is noted.
    pub(crate) fn sum_up_exactly(&mut self, sum: Sum) {
        let (listed, summed_up) = (self.listed(), sum.total());
        if summed_up < listed {
            self.note(format!("{} sums up {summed_up} findings; {listed} were read one by one", self.tool));
        }
        self.sum_up(sum);
    }

    /// Counts findings that were in the closing count but not listed.
    fn hold(&mut self, level: Level, number: u64, listed: u64) {
        if listed < number {
            self.note(format!("{} sums up {number} findings of one kind; {listed} were read one by one", self.tool));
            self.findings.add_unlisted(level, number - listed);
        }
    }

    /// Adds the findings of a later part of the output.
    pub(crate) fn and(mut self, later: Self) -> Self {
        self.findings.append(later.findings);
        self.sums += later.sums;
        self.read += later.read;
        later.notes.into_iter().for_each(|note| self.note(note));
        self
    }

    /// Adds a note.
    pub(crate) fn note(&mut self, note: String) {
        if self.notes.len() < NOTES {
            self.notes.push(note);
        }
    }

    pub(crate) fn candidate(self, format: &'static str, confidence: Confidence) -> Candidate {
        Candidate::of(format, self.findings).confidence(confidence).notes(self.notes)
    }
}

#[cfg(test)]
mod tests {
    use referee_model::record::Stream;

    use super::*;
    use crate::candidate::diagnostic;
    use crate::scan::Line;

    fn add(tally: &mut Tally, level: Level) {
        let stream = Stream::Stdout;
        let line = Line::new("x", stream, 0..1);
        tally.add(diagnostic("tool", "tool/text", &line, level, "wrong"));
    }

    #[test]
    fn what_is_summed_up_and_not_listed_counts() {
        let mut tally = Tally::new("tool");
        add(&mut tally, Level::Error);
        tally.sum_up(Sum { errors: Some(3), ..Sum::default() });
        tally.sum_up(Sum { warnings: Some(2), ..Sum::default() });
        add(&mut tally, Level::Warning);
        tally.sum_up(Sum { all: Some(2), ..Sum::default() });
        let candidate = tally.candidate("text", Confidence::Certain);
        let counts = &candidate.findings.counts;
        assert_eq!((counts.errors, counts.warnings, candidate.notes.len()), (4, 3, 3));
    }

    #[test]
    fn a_count_of_what_was_listed_adds_nothing() {
        let mut tally = Tally::new("tool");
        for _ in 0..2 {
            add(&mut tally, Level::Error);
            add(&mut tally, Level::Info);
            tally.sum_up(Sum { errors: Some(1), infos: Some(1), ..Sum::default() });
        }
        let candidate = tally.candidate("text", Confidence::Certain);
        assert_eq!((candidate.findings.counts.total(), candidate.notes.len()), (4, 0));
    }
}
