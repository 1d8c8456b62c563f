//! Reads the lines of one stream by the rows of a format.

use referee_model::limit;
use referee_model::reading::{Diagnostic, Level, RelatedPlace};
use referee_syntax::cut;

use super::Rows;
use super::row::{Kind, Row, When};
use crate::claim::{Claim, LineReader, Standing, Use};
use crate::pattern::Found;
use crate::scan::Line;
use crate::shapes::tally::{Sum, Tally};
use crate::text;

/// Places that are kept of those that belong to one finding.
const RELATED_KEPT: usize = 16;

/// Lines that may stand between what comes before a finding and what makes it one.
const LEAD_LINES: u32 = 60;

/// Reads one stream.
pub(super) struct Reader {
    format: &'static Rows,
    is_hinted: bool,
    tally: Tally,
    /// What the findings of the heading have in common.
    file: Option<String>,
    open: Option<Open>,
    section: &'static str,
    /// Whether a finding showed whose format it is.
    has_told: bool,
    is_known: bool,
    /// Whether only lines that wake it begin anything.
    may_sleep: bool,
}

/// A finding that further lines belong to.
struct Open {
    found: Diagnostic,
    has_level: bool,
    is_lead: bool,
    is_tentative: bool,
    tells: bool,
    /// Lines below its first.
    lines: u32,
}

impl Reader {
    pub(super) fn new(format: &'static Rows, is_hinted: bool) -> Self {
        let begins_finding = |row: &Row| !matches!(row.kind, Kind::Heading | Kind::Sum | Kind::Known | Kind::Within);
        Self {
            format,
            is_hinted,
            tally: Tally::new(format.tool),
            file: None,
            open: None,
            section: "",
            has_told: false,
            is_known: false,
            may_sleep: format.rows.iter().all(begins_finding),
        }
    }

    fn admits(&self, row: &Row) -> bool {
        let is_known = || self.is_hinted || self.is_known || self.file.is_some() || 0 < self.tally.read;
        let is_here = row.inside.is_none_or(|section| section == self.section);
        is_here
            && match (row.when, row.kind) {
                (_, Kind::Rest) => self.open.as_ref().is_some_and(|open| open.is_lead),
                (When::Always, _) => true,
                (When::Hinted, _) => self.is_hinted,
                (When::Known, _) => is_known() || self.open.is_some(),
                (When::Open, _) => self.open.is_some(),
            }
    }

    /// Ends the open finding; a lead that nothing followed is none.
    fn close(&mut self) {
        if let Some(Open { mut found, is_lead: false, tells, .. }) = self.open.take()
            && (self.format.complete)(&mut found)
        {
            self.has_told |= tells;
            self.tally.add(found);
        }
    }

    /// Takes a line that a row matches. None: it is none of this row after all.
    fn take(&mut self, row: &Row, found: &Found<'_, '_>, line: &Line<'_>) -> Option<Use> {
        self.is_known |= row.names_tool;
        match row.kind {
            Kind::Finding | Kind::Head | Kind::Lead => return self.begin(row, found, line),
            Kind::Rest | Kind::Part => return self.go_on(row, found, line),
            Kind::Related => return self.relate(row, found, line),
            Kind::Sum => return self.sum_up(row, found),
            Kind::Heading => {
                self.close();
                self.file = found.file("file").or(self.file.take());
            }
            Kind::Known => {
                self.close();
                self.is_known = true;
            }
            Kind::Within => {}
        }
        Some(Use::Line)
    }

    fn begin(&mut self, row: &Row, found: &Found<'_, '_>, line: &Line<'_>) -> Option<Use> {
        let format = self.format;
        let said = row.says_level(found);
        let otherwise = row.level.unwrap_or(format.level);
        let mut made = found.diagnostic(format.tool, row.rule.unwrap_or(&format.rule), line, otherwise);
        made.level = said.unwrap_or(otherwise);
        made.file = made.file.or_else(|| self.file.clone());
        add(&mut made, row, found, false);
        if row.check.is_some_and(|check| !check(&mut made, found)) {
            return None;
        }
        self.close();
        let is_lead = row.kind == Kind::Lead;
        let has_level = said.is_some() || row.level.is_some();
        let is_tentative = row.is_tentative;
        self.open = Some(Open { found: made, has_level, is_lead, is_tentative, tells: row.tells, lines: 0 });
        if row.kind == Kind::Finding {
            self.close();
        }
        Some(if is_tentative { Use::None } else { Use::Line })
    }

    fn go_on(&mut self, row: &Row, found: &Found<'_, '_>, line: &Line<'_>) -> Option<Use> {
        let open = self.open.as_mut().filter(|open| !open.is_lead || open.lines < LEAD_LINES)?;
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
        made.origin.end = line.end;
        let was_tentative = std::mem::take(&mut open.is_tentative);
        open.is_lead &= row.kind != Kind::Rest;
        open.tells |= row.tells && row.kind == Kind::Rest;
        if row.is_last {
            self.close();
        }
        Some(if was_tentative { Use::WithPrevious } else { Use::Line })
    }

    fn relate(&mut self, row: &Row, found: &Found<'_, '_>, line: &Line<'_>) -> Option<Use> {
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

    /// Takes a closing count. It means something only below what it counts: other formats of the tool may have it, too.
    fn sum_up(&mut self, row: &Row, found: &Found<'_, '_>) -> Option<Use> {
        self.close();
        if self.tally.listed() == 0 && !self.is_known && !(self.is_hinted && row.is_clean) {
            return None;
        }
        let all = found.count("all");
        let of_level = |level| all.filter(|_| row.level == Some(level));
        self.tally.sum_up(Sum {
            errors: found.count("errors").or(of_level(Level::Error)),
            warnings: found.count("warnings").or(of_level(Level::Warning)),
            infos: found.count("infos").or(of_level(Level::Info)),
            all: all.filter(|_| row.level.is_none()),
        });
        self.is_known |= self.is_hinted && row.is_clean;
        Some(Use::Line)
    }
}

/// Adds what a line says beside its place; `more`: of a finding whose message has begun.
fn add(made: &mut Diagnostic, row: &Row, found: &Found<'_, '_>, more: bool) {
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

/// Takes the columns that a mark stands under, where nobody said them. A tab counts as one.
fn point(made: &mut Diagnostic, caret: &str) {
    let before = caret.chars().take_while(|sign| sign.is_whitespace()).count();
    let under = caret.trim().chars().count();
    let (Ok(before), Ok(under)) = (u32::try_from(before), u32::try_from(under)) else {
        return;
    };
    let column = *made.column.get_or_insert(before + 1);
    if made.end_column.is_none() && made.line.is_some() {
        made.end_line = made.end_line.or(made.line);
        made.end_column = Some(column.saturating_add(under));
    }
}

impl LineReader for Reader {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = (self.format.without)(&line.text).trim_end();
        if text.is_empty() {
            if !self.format.spans_blank_lines {
                self.close();
            }
            return Use::None;
        }
        for row in &self.format.rows {
            if self.admits(row)
                && let Some(found) = row.pattern.find(text)
                && let Some(uses) = self.take(row, &found, line)
            {
                self.section = row.enters.unwrap_or(self.section);
                return uses;
            }
        }
        if self.format.ends {
            self.close();
        }
        Use::None
    }

    fn sleeps(&self) -> bool {
        self.may_sleep && self.open.is_none()
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        let Self { format, is_hinted, tally, has_told, is_known, .. } = *self;
        let is_sure = is_known || is_hinted || 0 < tally.sums;
        let says_something = is_known || (0 < tally.read && (has_told || is_hinted));
        let standing = if is_sure { Standing::Certain } else { format.standing };
        says_something.then(|| tally.claim(format.format, standing))
    }
}
