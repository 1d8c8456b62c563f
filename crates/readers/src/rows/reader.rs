//! Reads the lines of one stream with the rows of a format.

use std::borrow::Cow;
use std::cell::LazyCell;
use std::collections::HashSet;

use referee_model::limit;
use referee_model::reading::{Diagnostic, Level};

use super::batch::Batch;
use super::open::{Open, add};
use super::row::{Kind, Row, When};
use super::shared::Shared;
use super::{LEAD_LINES, Rows};
use crate::candidate::{Candidate, Confidence, LineReader, Use, diagnostic};
use crate::pattern::{Groups, Pattern};
use crate::scan::Line;
use crate::shapes::repeats::{self, Repeats};
use crate::shapes::tally::{Sum, Tally};

/// Maximum number of findings remembered; later ones are never recognized as repetitions.
const REMEMBERED: usize = 100_000;

pub(super) struct Reader {
    format: &'static Rows,
    /// The rule that findings are attributed to, unless their row has its own.
    rule: Cow<'static, str>,
    is_hinted: bool,
    tally: Tally,
    /// The findings of earlier cycles, if the tool watches files.
    earlier: Option<Tally>,
    /// The findings of consecutive lines, if they count in batches.
    batch: Batch,
    /// Findings that count only with a sum.
    unconfirmed: Vec<Diagnostic>,
    /// Findings that count only without errors.
    consequences: Vec<Diagnostic>,
    shared: Shared,
    /// File named by the previous line, which counts if a finding follows.
    header: Option<String>,
    open: Option<Open>,
    section: &'static str,
    /// Hashes of listed findings, if repetitions are recognized.
    listed: HashSet<u64>,
    /// Whether a finding identified the format.
    has_told: bool,
    is_known: bool,
    /// Whether the tool named itself in a line that no other prints.
    is_named: bool,
    /// Whether a line showed that findings beside it are the tool's, which is not output of the tool by itself.
    is_vouched: bool,
    /// Number of errors in a sum whose findings may be listed in the other stream.
    summed_up: Option<u64>,
    /// Whether findings begin only at lines that wake the reader.
    may_sleep: bool,
    /// Whether findings are compared with those listed before.
    compares: bool,
    has_sign: bool,
    has_failed: bool,
    repeats: Repeats,
    /// A sum of the findings that follow.
    ahead: Option<Sum>,
}

impl Reader {
    pub(super) fn new(format: &'static Rows, is_hinted: bool) -> Self {
        let begins_finding = |row: &Row| matches!(row.kind, Kind::Finding | Kind::Head | Kind::Part | Kind::Related);
        Self {
            format,
            rule: format.origin(),
            is_hinted,
            tally: Tally::new(format.tool),
            earlier: None,
            batch: Batch::default(),
            unconfirmed: Vec::new(),
            consequences: Vec::new(),
            shared: Shared::default(),
            header: None,
            open: None,
            section: "",
            listed: HashSet::new(),
            has_told: false,
            is_known: false,
            is_named: false,
            is_vouched: false,
            summed_up: None,
            may_sleep: format.sleeps || !format.wakeful && format.all().all(begins_finding),
            compares: format.once || format.all().any(|row| row.repeats || row.again || row.afresh),
            has_sign: is_hinted || format.signs.is_none_or(<[_]>::is_empty),
            has_failed: false,
            repeats: Repeats::default(),
            ahead: None,
        }
    }

    fn admits(&self, row: &Row) -> bool {
        let is_told = || self.is_known || self.is_vouched || self.shared.file.is_some() || 0 < self.tally.read;
        if row.inside.is_some_and(|sections| sections.split('|').all(|section| section != self.section)) {
            return false;
        }
        match (row.applies(), row.kind) {
            (When::Hinted, _) if !self.is_hinted => false,
            (_, Kind::Subheading) if self.shared.file.is_none() => false,
            (_, Kind::Rest) => self.open.as_ref().is_some_and(|open| open.is_lead),
            (When::Always | When::Hinted, _) => true,
            (When::Known, _) => self.is_hinted || is_told() || self.open.is_some(),
            (When::Open, _) => self.open.is_some(),
            (When::First, _) => self.tally.findings.counts.errors == 0,
            (When::Among, _) => self.is_hinted || self.open.is_some() || 0 < self.tally.listed(),
        }
    }

    /// Ends the open finding; a lead without a rest is dropped.
    fn close(&mut self) {
        let Some(open) = self.open.take().filter(|open| !open.is_lead) else { return };
        let (is_fixed, tells) = (open.is_fixed, open.tells);
        let mut found = open.close();
        if is_fixed {
            self.tally.list(found.level, 1);
        } else if self.format.complete.is_none_or(|complete| complete(&mut found)) {
            if self.format.in_batches {
                self.batch.tells |= tells;
                self.batch.findings.add(found);
                return;
            }
            self.has_told |= tells;
            if self.is_new(&found) {
                self.tally.add(found);
            }
        }
    }

    /// Ends a batch of findings, with the sum below it and whether that shows the findings to be another tool's.
    fn end_batch(&mut self, sum: Option<(u64, bool)>) {
        self.close();
        if !self.format.in_batches {
            return;
        }
        let batch = std::mem::take(&mut self.batch);
        if self.is_hinted || batch.counts(sum, self.tally.listed()) {
            self.has_told |= 0 < batch.findings.counts.total();
            self.tally.take(batch.findings);
        }
    }

    /// Remembers a finding. Returns false if it was listed before and must not be counted again.
    fn is_new(&mut self, found: &Diagnostic) -> bool {
        if !self.compares {
            return true;
        }
        if self.listed.len() < REMEMBERED && self.format.all().any(|row| row.repeats) {
            self.listed.insert(repeats::place(found));
        }
        if self.format.all().any(|row| row.again || row.afresh) && self.repeats.has(found) {
            return false;
        }
        !self.format.once || REMEMBERED <= self.listed.len() || self.listed.insert(repeats::key(found))
    }

    /// Takes the findings so far, of all cycles.
    fn take_tally(&mut self) -> Tally {
        let tally = std::mem::replace(&mut self.tally, Tally::new(self.format.tool));
        match self.earlier.take() {
            Some(earlier) => earlier.and(tally),
            None => tally,
        }
    }

    /// Ends a list: its heading and section no longer apply.
    fn end_list(&mut self) {
        if self.format.lists || self.format.lists_to_blank_lines {
            (self.shared, self.section) = (Shared::default(), "");
        }
    }

    /// Processes a line that a row matches. Returns `None` if the row rejects the line after all.
    fn take(&mut self, row: &Row, found: &Groups<'_, '_>, line: &Line<'_>, header: Option<&str>) -> Option<Use> {
        let uses = match row.kind {
            Kind::Finding | Kind::Head | Kind::Lead => self.begin(row, found, line, header)?,
            Kind::Rest | Kind::Part => {
                let most = self.format.most_lines;
                let otherwise = |open: &Open| if open.is_lead { LEAD_LINES } else { u32::MAX };
                let open = self.open.as_mut().filter(|open| open.lines < most.unwrap_or(otherwise(open)))?;
                let uses = open.go_on(row, found, line)?;
                if row.last {
                    self.close();
                }
                uses
            }
            Kind::Related => self.open.as_mut()?.relate(row, found, line)?,
            Kind::Sum => self.sum_up(row, found)?,
            Kind::Heading => self.head(row, found, line, header),
            Kind::Subheading => self.add_shared(found),
            Kind::Known => {
                self.end_batch(None);
                self.is_known = true;
                self.is_named |= !row.common;
                Use::Line
            }
            Kind::Within => {
                if let Some(open) = self.open.as_mut().filter(|_| row.confirms) {
                    open.tells = true;
                }
                self.end_batch(None);
                let fixable = found.number("fixable_errors") + found.number("fixable_warnings");
                self.tally.findings.counts.fixable += fixable;
                (!row.tentative).into()
            }
        };
        if row.again {
            self.repeats.begin();
        } else if row.afresh {
            self.repeats.end();
        }
        if row.again || row.afresh {
            self.close();
        }
        if row.begins_cycle {
            self.earlier = Some(self.take_tally());
        } else if row.replaces_cycles {
            self.earlier = None;
        }
        self.has_failed |= row.fails;
        self.is_known |= row.names_tool;
        self.is_named |= row.names_tool;
        self.batch.is_of_other |= row.of_other && row.kind != Kind::Sum;
        self.is_vouched |= row.vouches;
        Some(if row.with_previous { Use::WithPrevious } else { uses })
    }

    fn head(&mut self, row: &Row, found: &Groups<'_, '_>, line: &Line<'_>, header: Option<&str>) -> Use {
        self.end_batch(None);
        self.settle();
        let file = found.file("file");
        if row.tentative {
            self.header = file;
            return Use::None;
        }
        self.shared = Shared {
            file: file.or_else(|| header.map(str::to_owned)).or(self.shared.file.take()),
            code: found.code(),
            level: row.says_level(found).or(row.level),
            start: line.start,
            ..Shared::default()
        };
        self.add_shared(found);
        if header.is_some() { Use::WithPrevious } else { Use::Line }
    }

    fn add_shared(&mut self, found: &Groups<'_, '_>) -> Use {
        self.close();
        self.shared.add(found);
        Use::Line
    }

    /// Adds a sum that preceded its findings.
    fn settle(&mut self) {
        if let Some(sum) = self.ahead.take() {
            self.tally.sum_up(sum);
        }
    }

    fn begin(&mut self, row: &Row, found: &Groups<'_, '_>, line: &Line<'_>, header: Option<&str>) -> Option<Use> {
        let format = self.format;
        let said = row.says_level(found);
        let otherwise = row.level.or(format.level).unwrap_or(Level::Error);
        let is_kept = !self.tally.findings.kept.is_full();
        let (tool, rule) = if is_kept { (format.tool, row.rule.unwrap_or(&self.rule)) } else { ("", "") };
        // What is only counted needs no text, unless the text decides whether it counts.
        let is_read =
            is_kept || row.check.is_some() || row.then.is_some() || format.complete.is_some() || self.compares;
        let message = if is_read { found.text("message").trim_end() } else { "" };
        let shared = &self.shared;
        let mut made = diagnostic(tool, rule, line, said.or(shared.level).unwrap_or(otherwise), message);
        let file = found.file("file").or_else(|| header.map(str::to_owned));
        made.file = file.or_else(|| shared.file.clone());
        made.code = found.code().or_else(|| row.code.map(str::to_owned)).or_else(|| shared.code.clone());
        made.fixable = found.has("fix");
        if is_read {
            found.locate(&mut made);
            shared.complete(&mut made, found);
            add(&mut made, row, found, false);
        }
        if !row.accepts(&mut made, found) {
            return None;
        }
        self.close();
        if row.awaits_sum || row.unless_errors {
            let list = if row.awaits_sum { &mut self.unconfirmed } else { &mut self.consequences };
            if list.len() < limit::FINDINGS_KEPT {
                list.push(made);
            }
            return Some((!row.tentative).into());
        }
        if let Some(level) = row.unlisted {
            self.tally.count(level, &made.message);
            return Some(Use::Line);
        }
        if row.repeats && self.listed.contains(&repeats::place(&made)) {
            return Some(Use::Line);
        }
        self.shared.file = header.map(str::to_owned).or(self.shared.file.take());
        let has_level = said.is_some() || row.level.is_some();
        self.open = Some(Open::new(made, row, has_level));
        if row.kind == Kind::Finding {
            self.close();
        }
        Some(match header {
            _ if row.tentative => Use::None,
            Some(_) => Use::WithPrevious,
            None => Use::Line,
        })
    }

    /// Processes a sum. It counts only below the findings that it counts, because other formats of the tool may
    /// print it too.
    fn sum_up(&mut self, row: &Row, found: &Groups<'_, '_>) -> Option<Use> {
        let all = found.count("all");
        self.end_batch(Some((all.or(found.count("errors")).unwrap_or_default(), row.of_other)));
        self.settle();
        if row.of_other {
            return None;
        }
        if let Some(all) = all {
            let unconfirmed = std::mem::take(&mut self.unconfirmed);
            if self.tally.listed() == 0 && unconfirmed.len() as u64 == all {
                for found in unconfirmed {
                    self.tally.add(found);
                }
            }
        }
        if self.repeats.is_repeating() {
            return Some(Use::Line);
        }
        let shown = found.number("shown");
        let is_told = self.is_known || self.is_vouched || (self.is_hinted && row.clean);
        let is_told = is_told || row.ahead || row.names_tool || 0 < shown && 0 < self.tally.read;
        if self.tally.read == 0 && !self.is_known && self.format.sums_across_streams {
            *self.summed_up.get_or_insert_default() += found.number("errors") + found.number("all");
            return Some(Use::Line);
        }
        if self.tally.listed() == 0 && !is_told {
            return None;
        }
        self.tally.list(if found.has("errors") { Level::Error } else { Level::Warning }, shown);
        let failed = found.count("failed");
        let errors = found.count("errors").or(failed.and(Some(0))).map(|errors| errors + failed.unwrap_or_default());
        let of_level = |level| all.filter(|_| row.level == Some(level));
        let sum = Sum {
            errors: errors.or(of_level(Level::Error)),
            warnings: found.count("warnings").or(of_level(Level::Warning)),
            infos: found.count("infos").or(of_level(Level::Info)),
            all: all.filter(|_| row.level.is_none()),
            unlisted: row.unlisted,
        };
        if row.ahead {
            self.ahead = Some(sum);
        } else if row.exact {
            self.tally.sum_up_exactly(sum);
        } else {
            self.tally.sum_up(sum);
        }
        self.is_known |= self.is_hinted && row.clean;
        Some(Use::Line)
    }
}

impl LineReader for Reader {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let header = self.header.take();
        let text = self.format.matched(&line.text);
        self.has_sign = self.has_sign || self.format.signs.into_iter().flatten().any(|sign| line.text.contains(sign));
        if text.is_empty() {
            let is_lead = self.open.as_ref().is_some_and(|open| open.is_lead);
            let mut sections = self.format.at_blank_lines.into_iter().flatten().filter(|_| self.open.is_some());
            if let Some((_, below)) = sections.find(|(section, _)| *section == self.section) {
                self.section = below;
            } else if !(self.format.spans_blank_lines || is_lead && self.format.waits_over_blank_lines) {
                self.close();
                self.end_list();
            }
            return Use::None;
        }
        let format = self.format;
        // Rows that follow one another may have the same pattern.
        let mut last: Option<(&Pattern, Option<Groups<'_, '_>>)> = None;
        let table = format.table();
        let names_file = LazyCell::new(|| table.names_file(text));
        for (row, pattern) in table.rows.admitted(text) {
            if row.needs_file() && !*names_file || !self.admits(row) {
                continue;
            }
            if !last.as_ref().is_some_and(|(other, _)| other.is(pattern)) {
                last = Some((pattern, pattern.find(text)));
            }
            if let Some((_, Some(found))) = &last
                && let Some(uses) = self.take(row, found, line, header.as_deref())
            {
                self.section = row.enters.unwrap_or(self.section);
                return uses;
            }
        }
        self.end_batch(None);
        if self.format.lists {
            self.end_list();
        }
        Use::None
    }

    fn sleeps(&self) -> bool {
        let is_in_list = (self.format.lists || self.format.lists_to_blank_lines) && !self.section.is_empty();
        self.may_sleep && self.open.is_none() && !is_in_list && self.batch.findings.counts.total() == 0
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.end_batch(None);
        self.settle();
        if self.tally.findings.counts.errors == 0 {
            for found in std::mem::take(&mut self.consequences) {
                self.has_told = true;
                self.tally.add(found);
            }
        }
        let tally = self.take_tally();
        let Self {
            format, is_hinted, is_named, has_told, has_sign, has_failed, is_known, is_vouched, summed_up, ..
        } = *self;
        let is_sure = is_named
            || is_vouched
            || is_hinted && !format.yields
            || 0 < tally.sums
            || format.sure_from.is_some_and(|from| from <= tally.read);
        let is_told = is_vouched || is_hinted;
        let says_something =
            is_known && !has_failed || (0 < tally.read && (has_told || is_told)) || (summed_up.is_some() && is_told);
        let confidence = if is_sure { Confidence::Certain } else { format.confidence.unwrap_or_default() };
        // A sum of errors in another stream may include warnings.
        let errors_summed_up = summed_up.unwrap_or_default().saturating_sub(tally.findings.counts.warnings);
        (says_something && has_sign)
            .then(|| Candidate { errors_summed_up, ..tally.candidate(format.format, confidence) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::{finding, head, heading, known, lead, part, rest, sum};
    use crate::trial;

    /// Reads a text with a format, and returns the confidence and, for each finding, location, level, code and
    /// message.
    fn read(format: &'static Rows, text: &str, is_hinted: bool) -> Option<(Confidence, Vec<String>)> {
        let candidate = trial::claimed(format.reader(is_hinted), text)?;
        let shown = candidate.findings.kept.into_items().into_iter().map(|found| {
            let place = [found.line, found.column, found.end_column].map(|at| at.unwrap_or(0));
            let (file, code) = (found.file.unwrap_or_default(), found.code.unwrap_or_default());
            format!("{file} {place:?} {:?} {code} {}", found.level, found.message.replace('\n', "|"))
        });
        Some((candidate.confidence, shown.collect()))
    }

    #[test]
    fn groups_fill_a_finding_on_one_line() {
        static FORMAT: Rows =
            Rows::new("tool", "text").level(Level::Warning).confidence(Confidence::Likely).rows(&[finding(
                r"^(?<file>\S+):(?<line>\d+):(?<column>\d+): (?:(?<level>\w+): )?(?<message>.*) \((?<code>\S+)\)$",
            )
            .check(|made, _| made.code.as_deref() != Some("none"))]);
        let text = "src\\a.x:3:0: ERROR: bad  (X1)\na.x:4:5: worse (X2)\na.x:4:5: worse (none)\na.x:4: worse (X2)\n";
        let found = ["src/a.x [3, 0, 0] Error X1 bad", "a.x [4, 5, 0] Warning X2 worse"].map(str::to_owned);
        assert_eq!(read(&FORMAT, text, false), Some((Confidence::Likely, found.to_vec())));
        assert_eq!(read(&FORMAT, "a.x:4: worse (X2)\n", false), None);
    }

    #[test]
    fn a_finding_of_several_lines_ends_where_no_row_goes_on() {
        static FORMAT: Rows = Rows::new("tool", "text").rows(&[
            heading(r"^== (?<file>\S+)$"),
            head(r"^(?<line>\d+) (?<level>E|W) (?<message>.*)$"),
            part(r"^  (?<message>[^ ^].*)$").joined(),
            part(r"^  (?<caret> *\^+)$"),
        ]);
        let text = "== a.x\n3 E one\n  more\n   ^^\nprose\n  no more\n4 W two\n\n  no more\n== b.x\n5 E three\n";
        let found = ["a.x [3, 2, 4] Error  one more", "a.x [4, 0, 0] Warning  two", "b.x [5, 0, 0] Error  three"];
        assert_eq!(read(&FORMAT, text, false), Some((Confidence::Certain, found.map(str::to_owned).to_vec())));
    }

    #[test]
    fn a_lead_is_a_finding_only_where_the_rest_follows() {
        static FORMAT: Rows = Rows::new("tool", "text").rows(&[
            lead(r"^at (?<file>\S+):(?<line>\d+)$").tentative(),
            rest(r"^error: (?<message>.*)$"),
            part(r"^  (?<message>.*)$"),
        ]);
        let text = "at a.x:1\nprose\nat a.x:2\nerror: bad\n  and more\nerror: of nobody\n";
        let found = vec!["a.x [2, 0, 0] Error  bad|and more".to_owned()];
        assert_eq!(read(&FORMAT, text, false), Some((Confidence::Certain, found)));
    }

    #[test]
    fn a_sum_or_a_name_makes_it_sure_and_what_was_not_listed_counts() {
        static FORMAT: Rows = Rows::new("tool", "text").confidence(Confidence::Likely).rows(&[
            finding(r"^(?<file>\S+):(?<line>\d+) (?<message>.*)$").common(),
            sum(r"^(?<errors>\d+|no) errors?, (?<warnings>\d+) warnings?$"),
            known(r"^tool 1\.0$"),
        ]);
        let counts = |text: &str, is_hinted| {
            let candidate = trial::claimed(FORMAT.reader(is_hinted), text)?;
            Some((candidate.confidence, candidate.findings.counts.errors, candidate.findings.counts.warnings))
        };
        for (text, is_hinted, expected) in [
            ("a.x:1 bad\n", false, None),
            ("a.x:1 bad\n", true, Some((Confidence::Certain, 1, 0))),
            ("a.x:1 bad\n3 errors, 2 warnings\n", true, Some((Confidence::Certain, 3, 2))),
            ("3 errors, 2 warnings\n", true, None),
            ("tool 1.0\nno errors, 0 warnings\n", false, Some((Confidence::Certain, 0, 0))),
            ("tool 1.0\n", false, Some((Confidence::Certain, 0, 0))),
        ] {
            assert_eq!(counts(text, is_hinted), expected, "{text} {is_hinted}");
        }
    }
}
