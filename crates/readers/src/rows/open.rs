//! A finding that further lines may continue.

use referee_model::limit;
use referee_model::reading::{Diagnostic, RelatedPlace};
use referee_syntax::cut;

use super::row::{Kind, Row};
use crate::candidate::{Use, relate};
use crate::pattern::Groups;
use crate::scan::Line;
use crate::text;

/// Maximum number of lines held until a caret.
const HELD: usize = 40;

pub(super) struct Open {
    pub(super) found: Diagnostic,
    pub(super) has_level: bool,
    pub(super) is_lead: bool,
    pub(super) is_fixed: bool,
    pub(super) tells: bool,
    pub(super) lines: u32,
    is_tentative: bool,
    /// Lines kept until a caret follows, and the end of the last one.
    held: Vec<String>,
    held_end: u64,
    /// Where the source begins in the line that showed it.
    source_start: usize,
}

impl Open {
    pub(super) fn new(found: Diagnostic, row: &Row, has_level: bool) -> Self {
        Self {
            found,
            has_level,
            is_lead: row.kind == Kind::Lead,
            is_fixed: row.fixed,
            tells: !row.common,
            lines: 0,
            is_tentative: row.tentative,
            held: Vec::new(),
            held_end: 0,
            source_start: 0,
        }
    }

    /// Adds a further line. Returns `None` if the row rejects it after all.
    pub(super) fn go_on(&mut self, row: &Row, found: &Groups<'_, '_>, line: &Line<'_>) -> Option<Use> {
        let made = &mut self.found;
        if row.held {
            if HELD == self.held.len() || !row.accepts(made, found) {
                return None;
            }
            let text = found.get("source").unwrap_or_else(|| found.matched());
            self.held.push(cut::head(text, limit::MESSAGE_BYTES).to_owned());
            self.held_end = line.end;
            self.is_tentative |= row.tentative;
            return Some((!self.is_tentative).into());
        }
        self.lines += 1;
        if row.caret {
            if !found.has("source") && !found.has("code") {
                made.source = self.held.pop().or(made.source.take());
            }
            for line in self.held.drain(..) {
                append(&mut made.message, &line, row.joined);
            }
        }
        if !row.accepts(made, found) {
            return None;
        }
        if let Some(level) = row.says_level(found).or(row.level).filter(|_| !self.has_level) {
            (made.level, self.has_level) = (level, true);
        }
        found.locate(made);
        made.code = made.code.take().or_else(|| found.code());
        made.fixable |= found.has("fix");
        add(made, row, found, true);
        self.source_start = found.start("source").unwrap_or(self.source_start);
        if let Some(under) = found.get("under") {
            end_at(made, under, self.source_start);
        }
        made.origin.end = if row.tentative { made.origin.end } else { line.end };
        let was_tentative = std::mem::replace(&mut self.is_tentative, row.tentative);
        self.is_lead &= row.kind != Kind::Rest;
        self.tells |= !row.common && row.kind == Kind::Rest;
        Some(match (row.tentative, was_tentative) {
            (true, _) => Use::None,
            (false, true) => Use::WithPrevious,
            (false, false) => Use::Line,
        })
    }

    /// Adds a related location.
    pub(super) fn relate(&mut self, row: &Row, found: &Groups<'_, '_>, line: &Line<'_>) -> Option<Use> {
        let made = &mut self.found;
        if !row.accepts(made, found) {
            return None;
        }
        let place = found.related();
        match made.related.last_mut().filter(|last| last.file.is_none() && place.message.is_empty()) {
            Some(last) => *last = RelatedPlace { message: std::mem::take(&mut last.message), ..place },
            None => relate(made, [place]),
        }
        made.origin.end = line.end;
        Some(Use::Line)
    }

    /// Ends the finding.
    pub(super) fn close(self) -> Diagnostic {
        let Self { mut found, is_tentative, held, held_end, .. } = self;
        if !is_tentative && !held.is_empty() && held.iter().all(|line| line.starts_with(' ')) {
            for line in held {
                append(&mut found.message, &line, false);
            }
            found.origin.end = held_end;
        }
        found
    }
}

/// Adds the values of a line other than its location; `more` is true if the message of the finding has already
/// begun.
pub(super) fn add(made: &mut Diagnostic, row: &Row, found: &Groups<'_, '_>, more: bool) {
    if let Some(message) = found.get("message").filter(|_| more) {
        append(&mut made.message, message, row.joined);
    }
    if let Some(source) = found.get("source") {
        append(made.source.get_or_insert_default(), source, row.joined);
    }
    if let Some(suggestion) = found.get("suggestion") {
        append(made.suggestion.get_or_insert_default(), suggestion, row.joined);
    }
    if let Some(caret) = found.get("caret") {
        point(made, caret);
    }
}

/// Appends a line to a text.
pub(super) fn append(text: &mut String, more: &str, is_joined: bool) {
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

/// Sets the end from signs that stand below a source line, which begins at a column of the output.
fn end_at(made: &mut Diagnostic, under: &str, source_start: usize) {
    if let Some(end) = under.chars().count().checked_sub(source_start) {
        made.end_column = u32::try_from(end + 1).ok();
        made.end_line = made.end_line.or(made.line);
    }
}
