//! Reads the lines of one stream with the rows of a format.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use referee_model::limit;
use referee_model::reading::{Diagnostic, Level, RelatedPlace};
use referee_syntax::cut;

use super::row::{Kind, Row, When};
use super::{ListsEnd, Rows, Sleep};
use crate::candidate::{Candidate, Confidence, LineReader, Use};
use crate::pattern::Groups;
use crate::scan::Line;
use crate::shapes::repeats;
use crate::shapes::tally::{Sum, Tally};
use crate::text;

/// Maximum number of related locations kept per finding.
const RELATED_KEPT: usize = 16;

/// Maximum number of lines between a lead and the row that completes it.
const LEAD_LINES: u32 = 60;

/// Maximum number of findings remembered; later ones are never recognized as repetitions.
const REMEMBERED: usize = 100_000;

pub(super) struct Reader {
    format: &'static Rows,
    is_hinted: bool,
    tally: Tally,
    /// File and code shared by the findings below the heading.
    file: Option<String>,
    code: Option<String>,
    /// File named by the previous line, which counts if a finding follows.
    header: Option<String>,
    open: Option<Open>,
    section: &'static str,
    /// Hashes of listed findings, if repetitions are recognized.
    listed: HashSet<u64>,
    /// Whether a finding identified the format.
    has_told: bool,
    is_known: bool,
    /// Whether a line showed that findings beside it are the tool's, which is not output of the tool by itself.
    is_vouched: bool,
    /// Number of errors in a sum whose findings may be listed in the other stream.
    summed_up: Option<u64>,
    /// Whether findings begin only at lines that wake the reader.
    may_sleep: bool,
}

/// A finding that further lines may continue.
struct Open {
    found: Diagnostic,
    has_level: bool,
    is_lead: bool,
    is_tentative: bool,
    tells: bool,
    lines: u32,
}

impl Reader {
    pub(super) fn new(format: &'static Rows, is_hinted: bool) -> Self {
        let begins_finding = |row: &Row| matches!(row.kind, Kind::Finding | Kind::Head | Kind::Part | Kind::Related);
        Self {
            format,
            is_hinted,
            tally: Tally::new(format.tool),
            file: None,
            code: None,
            header: None,
            open: None,
            section: "",
            listed: HashSet::new(),
            has_told: false,
            is_known: false,
            is_vouched: false,
            summed_up: None,
            may_sleep: match format.sleep {
                Sleep::Derived => format.list.iter().all(begins_finding),
                sleep => sleep == Sleep::Outside,
            },
        }
    }

    fn admits(&self, row: &Row) -> bool {
        let is_told = || self.is_known || self.is_vouched || self.file.is_some() || 0 < self.tally.read;
        if row.inside.is_some_and(|section| section != self.section) {
            return false;
        }
        match (row.when, row.kind) {
            (When::Hinted, _) if !self.is_hinted => false,
            (_, Kind::Rest) => self.open.as_ref().is_some_and(|open| open.is_lead),
            (When::Always | When::Hinted, _) => true,
            (When::Known, _) => self.is_hinted || is_told() || self.open.is_some(),
            (When::Open, _) => self.open.is_some(),
        }
    }

    /// Ends the open finding; a lead without a rest is dropped.
    fn close(&mut self) {
        if let Some(Open { mut found, is_lead: false, tells, .. }) = self.open.take()
            && (self.format.complete)(&mut found)
        {
            self.has_told |= tells;
            if self.is_new(&found) {
                self.tally.add(found);
            }
        }
    }

    /// Remembers a finding. Returns false if it was listed before and must not be counted again.
    fn is_new(&mut self, found: &Diagnostic) -> bool {
        if self.listed.len() < REMEMBERED && self.format.list.iter().any(|row| row.repeats) {
            self.listed.insert(place(found));
        }
        !self.format.is_once || REMEMBERED <= self.listed.len() || self.listed.insert(repeats::key(found))
    }

    /// Ends a list: its heading and section no longer apply.
    fn end_list(&mut self) {
        if self.format.lists_end != ListsEnd::Never {
            (self.file, self.code, self.section) = (None, None, "");
        }
    }

    /// Processes a line that a row matches. Returns `None` if the row rejects the line after all.
    fn take(&mut self, row: &Row, found: &Groups<'_, '_>, line: &Line<'_>, header: Option<&str>) -> Option<Use> {
        let uses = match row.kind {
            Kind::Finding | Kind::Head | Kind::Lead => self.begin(row, found, line, header)?,
            Kind::Rest | Kind::Part => self.go_on(row, found, line)?,
            Kind::Related => self.relate(row, found, line)?,
            Kind::Sum => self.sum_up(row, found)?,
            Kind::Heading => self.head(row, found),
            Kind::Known => {
                self.close();
                self.is_known = true;
                Use::Line
            }
            Kind::Within => {
                let fixable = found.number("fixable_errors") + found.number("fixable_warnings");
                self.tally.findings.counts.fixable += fixable;
                Use::Line
            }
        };
        self.is_known |= row.names_tool;
        self.is_vouched |= row.vouches;
        Some(uses)
    }

    fn head(&mut self, row: &Row, found: &Groups<'_, '_>) -> Use {
        self.close();
        let file = found.file("file");
        if row.is_tentative {
            self.header = file;
            return Use::None;
        }
        self.file = file.or(self.file.take());
        self.code = found.code();
        Use::Line
    }

    fn begin(&mut self, row: &Row, found: &Groups<'_, '_>, line: &Line<'_>, header: Option<&str>) -> Option<Use> {
        let format = self.format;
        let said = row.says_level(found);
        let otherwise = row.level.unwrap_or(format.level);
        let is_kept = !self.tally.findings.kept.is_full();
        let (tool, rule) = if is_kept { (format.tool, row.rule.unwrap_or(&format.rule)) } else { ("", "") };
        let mut made = found.diagnostic(tool, rule, line, otherwise);
        made.level = said.unwrap_or(otherwise);
        made.file = made.file.or_else(|| header.map(str::to_owned)).or_else(|| self.file.clone());
        made.code = made.code.or_else(|| self.code.clone());
        add(&mut made, row, found, false);
        if row.check.is_some_and(|check| !check(&mut made, found)) {
            return None;
        }
        self.close();
        if row.repeats && self.listed.contains(&place(&made)) {
            return Some(Use::Line);
        }
        self.file = header.map(str::to_owned).or(self.file.take());
        let is_lead = row.kind == Kind::Lead;
        let has_level = said.is_some() || row.level.is_some();
        let is_tentative = row.is_tentative;
        self.open = Some(Open { found: made, has_level, is_lead, is_tentative, tells: row.tells, lines: 0 });
        if row.kind == Kind::Finding {
            self.close();
        }
        Some(match header {
            _ if is_tentative => Use::None,
            Some(_) => Use::WithPrevious,
            None => Use::Line,
        })
    }

    fn go_on(&mut self, row: &Row, found: &Groups<'_, '_>, line: &Line<'_>) -> Option<Use> {
        let most = self.format.most_lines;
        let open =
            self.open.as_mut().filter(|open| open.lines < if open.is_lead { most.min(LEAD_LINES) } else { most })?;
        open.lines += 1;
        let made = &mut open.found;
        if row.check.is_some_and(|check| !check(made, found)) {
            return None;
        }
        if let Some(level) = row.says_level(found).or(row.level).filter(|_| !open.has_level) {
            (made.level, open.has_level) = (level, true);
        }
        found.locate(made);
        made.code = made.code.take().or_else(|| found.code());
        made.fixable |= found.has("fix");
        add(made, row, found, true);
        made.origin.end = if row.is_tentative { made.origin.end } else { line.end };
        let was_tentative = std::mem::replace(&mut open.is_tentative, row.is_tentative);
        open.is_lead &= row.kind != Kind::Rest;
        open.tells |= row.tells && row.kind == Kind::Rest;
        if row.is_last {
            self.close();
        }
        Some(match (row.is_tentative, was_tentative) {
            (true, _) => Use::None,
            (false, true) => Use::WithPrevious,
            (false, false) => Use::Line,
        })
    }

    fn relate(&mut self, row: &Row, found: &Groups<'_, '_>, line: &Line<'_>) -> Option<Use> {
        let made = &mut self.open.as_mut()?.found;
        if row.check.is_some_and(|check| !check(made, found)) {
            return None;
        }
        let message = cut::head(found.text("message").trim(), limit::MESSAGE_BYTES / RELATED_KEPT).to_owned();
        let column = found.position("column").or_else(|| found.successor("column0"));
        let place = RelatedPlace { file: found.file("file"), line: found.position("line"), column, message };
        let is_full = RELATED_KEPT <= made.related.len();
        match made.related.last_mut().filter(|last| last.file.is_none() && place.message.is_empty()) {
            Some(last) => *last = RelatedPlace { message: std::mem::take(&mut last.message), ..place },
            None if is_full => {}
            None => made.related.push(place),
        }
        made.origin.end = line.end;
        Some(Use::Line)
    }

    /// Processes a sum. It counts only below the findings that it counts, because other formats of the tool may
    /// print it too.
    fn sum_up(&mut self, row: &Row, found: &Groups<'_, '_>) -> Option<Use> {
        self.close();
        let is_told = self.is_known || self.is_vouched || (self.is_hinted && row.is_clean);
        if self.tally.listed() == 0 && self.format.sums_across_streams {
            *self.summed_up.get_or_insert_default() += found.number("errors") + found.number("all");
            return Some(Use::Line);
        }
        if self.tally.listed() == 0 && !is_told {
            return None;
        }
        let all = found.count("all");
        let of_level = |level| all.filter(|_| row.level == Some(level));
        let sum = Sum {
            errors: found.count("errors").or(of_level(Level::Error)),
            warnings: found.count("warnings").or(of_level(Level::Warning)),
            infos: found.count("infos").or(of_level(Level::Info)),
            all: all.filter(|_| row.level.is_none()),
            unlisted: row.unlisted,
        };
        if row.is_exact {
            self.tally.sum_up_exactly(sum);
        } else {
            self.tally.sum_up(sum);
        }
        self.is_known |= self.is_hinted && row.is_clean;
        Some(Use::Line)
    }
}

/// Returns a hash of the location of a finding.
fn place(found: &Diagnostic) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&found.file, found.line, found.column).hash(&mut hasher);
    hasher.finish()
}

/// Adds the values of a line other than its location; `more` is true if the message of the finding has already
/// begun.
fn add(made: &mut Diagnostic, row: &Row, found: &Groups<'_, '_>, more: bool) {
    if let Some(message) = found.get("message").filter(|_| more) {
        append(&mut made.message, message, row.is_joined);
    }
    if let Some(source) = found.get("source") {
        append(made.source.get_or_insert_default(), source, row.is_joined);
    }
    if let Some(suggestion) = found.get("suggestion") {
        append(made.suggestion.get_or_insert_default(), suggestion, row.is_joined);
    }
    if let Some(caret) = found.get("caret") {
        point(made, caret);
    }
}

fn append(text: &mut String, more: &str, is_joined: bool) {
    let more = more.trim_end();
    if !is_joined || text.is_empty() {
        text::append_line(text, more, limit::MESSAGE_BYTES);
    } else if text.len() + more.len() < limit::MESSAGE_BYTES {
        text.push(' ');
        text.push_str(more.trim_start());
    }
}

/// Sets the columns from a marker line, unless they are set already. A tab counts as one column.
fn point(made: &mut Diagnostic, caret: &str) {
    let before = caret.chars().take_while(|sign| sign.is_whitespace()).count();
    let under = caret.trim().chars().count();
    let (Ok(before), Ok(under)) = (u32::try_from(before), u32::try_from(under)) else { return };
    let column = *made.column.get_or_insert(before + 1);
    if made.end_column.is_none() && made.line.is_some() {
        made.end_line = made.end_line.or(made.line);
        made.end_column = Some(column.saturating_add(under));
    }
}

impl LineReader for Reader {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let header = self.header.take();
        let text = (self.format.without)(&line.text).trim_end();
        if text.is_empty() {
            let is_lead = self.open.as_ref().is_some_and(|open| open.is_lead);
            if !(self.format.spans_blank_lines || is_lead && self.format.waits_over_blank_lines) {
                self.close();
                self.end_list();
            }
            return Use::None;
        }
        for row in &self.format.list {
            if self.admits(row)
                && let Some(found) = row.pattern.find(text)
                && let Some(uses) = self.take(row, &found, line, header.as_deref())
            {
                self.section = row.enters.unwrap_or(self.section);
                return uses;
            }
        }
        self.close();
        if self.format.lists_end == ListsEnd::OtherLine {
            self.end_list();
        }
        Use::None
    }

    fn sleeps(&self) -> bool {
        self.may_sleep && self.open.is_none()
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        let Self { format, is_hinted, tally, has_told, is_known, is_vouched, summed_up, .. } = *self;
        let is_sure = is_known || is_vouched || is_hinted || 0 < tally.sums;
        let is_told = is_vouched || is_hinted;
        let says_something = is_known || (0 < tally.read && (has_told || is_told)) || (summed_up.is_some() && is_told);
        let confidence = if is_sure { Confidence::Certain } else { format.confidence };
        let errors_summed_up = summed_up.unwrap_or_default();
        says_something.then(|| Candidate { errors_summed_up, ..tally.candidate(format.format, confidence) })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

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
        static FORMAT: LazyLock<Rows> = LazyLock::new(|| {
            let line = finding(
                r"^(?<file>\S+):(?<line>\d+):(?<column>\d+): (?:(?<level>\w+): )?(?<message>.*) \((?<code>\S+)\)$",
            );
            let line = line.check(|made, _| made.code.as_deref() != Some("none"));
            Rows::new("tool", "text").level(Level::Warning).confidence(Confidence::Likely).rows([line])
        });
        let text = "src\\a.x:3:0: ERROR: bad  (X1)\na.x:4:5: worse (X2)\na.x:4:5: worse (none)\na.x:4: worse (X2)\n";
        let found = ["src/a.x [3, 0, 0] Error X1 bad", "a.x [4, 5, 0] Warning X2 worse"].map(str::to_owned);
        assert_eq!(read(&FORMAT, text, false), Some((Confidence::Likely, found.to_vec())));
        assert_eq!(read(&FORMAT, "a.x:4: worse (X2)\n", false), None);
    }

    #[test]
    fn a_finding_of_several_lines_ends_where_no_row_goes_on() {
        static FORMAT: LazyLock<Rows> = LazyLock::new(|| {
            let rows = [
                heading(r"^== (?<file>\S+)$"),
                head(r"^(?<line>\d+) (?<level>E|W) (?<message>.*)$"),
                part(r"^  (?<message>[^ ^].*)$").joined(),
                part(r"^  (?<caret> *\^+)$"),
            ];
            Rows::new("tool", "text").rows(rows)
        });
        let text = "== a.x\n3 E one\n  more\n   ^^\nprose\n  no more\n4 W two\n\n  no more\n== b.x\n5 E three\n";
        let found = ["a.x [3, 2, 4] Error  one more", "a.x [4, 0, 0] Warning  two", "b.x [5, 0, 0] Error  three"];
        assert_eq!(read(&FORMAT, text, false), Some((Confidence::Certain, found.map(str::to_owned).to_vec())));
    }

    #[test]
    fn a_lead_is_a_finding_only_where_the_rest_follows() {
        static FORMAT: LazyLock<Rows> = LazyLock::new(|| {
            let rows = [
                lead(r"^at (?<file>\S+):(?<line>\d+)$").tentative(),
                rest(r"^error: (?<message>.*)$"),
                part(r"^  (?<message>.*)$"),
            ];
            Rows::new("tool", "text").rows(rows)
        });
        let text = "at a.x:1\nprose\nat a.x:2\nerror: bad\n  and more\nerror: of nobody\n";
        let found = vec!["a.x [2, 0, 0] Error  bad|and more".to_owned()];
        assert_eq!(read(&FORMAT, text, false), Some((Confidence::Certain, found)));
    }

    #[test]
    fn a_sum_or_a_name_makes_it_sure_and_what_was_not_listed_counts() {
        static FORMAT: LazyLock<Rows> = LazyLock::new(|| {
            let rows = [
                finding(r"^(?<file>\S+):(?<line>\d+) (?<message>.*)$").common(),
                sum(r"^(?<errors>\d+|no) errors?, (?<warnings>\d+) warnings?$"),
                known(r"^tool 1\.0$"),
            ];
            Rows::new("tool", "text").confidence(Confidence::Likely).rows(rows)
        });
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
