//! Compilers that print like GCC: a heading with location, severity and message, then the source line with a
//! caret below it, then related notes.
//!
//! ```text
//! a.c:13:19: warning: comparison of integer expressions of different signedness [-Wsign-compare]
//!    13 |     for (i = 0; i < n; i++) {
//!       |                   ^
//! ```

mod frame;
mod heading;

use referee_model::limit;
use referee_model::reading::{Diagnostic, RelatedPlace};
use referee_syntax::cut;

use self::frame::{gutter, is_caret_line, mark_end};
#[cfg(test)]
pub(crate) use self::heading::EXTENSIONS;
pub(crate) use self::heading::{Heading, is_c_file, names_flag, split_code};
use crate::candidate::{Findings, RELATED_KEPT, Use, name, place, relate};
use crate::pattern::{Groups, Pattern};
use crate::scan::Line;

/// Maximum number of notes held back until their finding is complete.
const NOTES_HELD: usize = 64;

/// The context of a finding: how a header was included, or a template or function instantiated.
static CONTEXT: Pattern = Pattern::new(
    r"^(?:In (?:file|module) (?:included|imported) from |                 from |(?<file>[^\s:][^:]*):(?:(?<line>\d+):(?:(?<column>\d+):)?)? +)(?<rest>\S.*)$",
);

/// A location in an include chain: `a.h:3:1,` or `a.c:1:`.
static INCLUDED: Pattern = Pattern::new(r"^(?<file>[^:]+):(?<line>\d+)(?::(?<column>\d+))?[,:]$");

/// Reads the findings of one tool.
pub(crate) struct Carets {
    tool: &'static str,
    rule: &'static str,
    /// Returns whether a heading other than a note is the tool's.
    takes: fn(&Heading<'_>) -> bool,
    /// Whether notes are also findings of their own, as in compilers, rather than only related locations.
    pub(crate) lists_notes: bool,
    findings: Findings,
    /// The finding whose lines are being read, followed by its notes.
    open: Vec<Open>,
    /// Whether the last heading belonged to another tool.
    is_other_open: bool,
    /// Context of the next heading.
    context: Vec<RelatedPlace>,
    frame: Frame,
    /// Whether an unrelated line followed: then code frames do not belong to the open finding.
    is_left: bool,
    /// Number of numbered source lines and lines naming a function that were read, as GCC prints them.
    pub(crate) frames: u64,
}

/// A finding whose last line may not be read yet.
enum Open {
    /// It is counted when it is complete, and kept if there is room.
    Whole(Box<Diagnostic>),
    /// It was counted, and there is no room for it.
    Counted { is_fixable: bool },
    /// It is quoted text, and there is no room for it.
    Quoted,
}

/// Position within a code frame.
enum Frame {
    /// Outside of a code frame.
    None,
    Source,
    /// A possible source line, of a finding that is kept; a caret below it confirms that.
    Caret(Option<String>),
    /// Below the caret, where a suggested replacement may follow.
    Insertion,
}

impl Carets {
    /// Creates a reader; `takes` decides which headings are the tool's.
    pub(crate) fn new(tool: &'static str, rule: &'static str, takes: fn(&Heading<'_>) -> bool) -> Self {
        Self {
            tool,
            rule,
            takes,
            lists_notes: true,
            findings: Findings::default(),
            open: Vec::new(),
            is_other_open: false,
            context: Vec::new(),
            frame: Frame::None,
            is_left: false,
            frames: 0,
        }
    }

    pub(crate) fn line(&mut self, line: &Line<'_>) -> Use {
        if let Some(heading) = Heading::in_line(line) {
            return if self.heading(&heading, line) { Use::Line } else { Use::None };
        }
        if self.fix_it(line) {
            return Use::Line;
        }
        let used = self.frame(line);
        if used == Use::None && self.context(&line.text) {
            return Use::Line;
        }
        self.is_left |= used == Use::None && !line.is_blank && !line.text.starts_with(' ');
        used
    }

    /// Adds a finding without a heading.
    pub(crate) fn add(&mut self, found: Diagnostic) {
        self.close();
        self.findings.add(found);
    }

    /// Returns whether nothing is open that the next line may belong to.
    pub(crate) fn is_idle(&self) -> bool {
        let is_closed = self.open.is_empty() || self.is_left && matches!(self.frame, Frame::None);
        is_closed && self.context.is_empty()
    }

    pub(crate) fn finish(&mut self) -> Findings {
        self.close();
        std::mem::take(&mut self.findings)
    }

    pub(crate) fn close(&mut self) {
        for open in self.open.drain(..) {
            match open {
                Open::Whole(found) => self.findings.add(*found),
                Open::Counted { is_fixable } => self.findings.counts.fixable += u64::from(is_fixable),
                Open::Quoted => {}
            }
        }
        self.frame = Frame::None;
    }

    fn heading(&mut self, heading: &Heading<'_>, line: &Line<'_>) -> bool {
        // A note belongs to the finding above it; it may also stand alone, like the message of a pragma.
        let is_note = heading.is_note() && !self.open.is_empty();
        let has_foreign_code = heading.code.is_some_and(|code| !code.starts_with('-')) && !(self.takes)(heading);
        let is_of_other = heading.is_note() && self.is_other_open;
        if has_foreign_code || !is_note && (is_of_other || !(self.takes)(heading)) {
            self.close();
            self.context.clear();
            self.is_other_open = true;
            return false;
        }
        (self.is_other_open, self.is_left) = (false, false);
        if !is_note {
            self.close();
        }
        // A finding that is not kept is only counted, and its lines are recognized.
        let is_counted = self.findings.kept.is_full() && (!is_note || self.lists_notes);
        if is_counted {
            let is_finding = heading.count(&mut self.findings);
            if !is_note {
                self.context.clear();
            } else if NOTES_HELD < self.open.len() {
                self.close();
            }
            self.open.push(if is_finding { Open::Counted { is_fixable: false } } else { Open::Quoted });
            self.frame = Frame::Source;
            return true;
        }
        let mut found = heading.diagnostic(self.tool, self.rule, line);
        if is_note {
            if let Some(Open::Whole(finding)) = self.open.first_mut() {
                relate(finding, [place(&found)]);
                finding.origin.end = if self.lists_notes { finding.origin.end } else { line.end };
            }
            if !self.lists_notes {
                self.frame = Frame::None;
                return true;
            }
            if NOTES_HELD < self.open.len() {
                self.close();
            }
        } else {
            relate(&mut found, std::mem::take(&mut self.context));
        }
        self.open.push(Open::Whole(Box::new(found)));
        self.frame = Frame::Source;
        true
    }

    /// Handles `fix-it:"a.c":{7:25-7:29}:"Gamma"`, as printed with `-fdiagnostics-parseable-fixits`.
    fn fix_it(&mut self, line: &Line<'_>) -> bool {
        let Some(rest) = line.text.strip_prefix("fix-it:\"") else { return false };
        let replacement = rest.rsplit_once("}:\"").and_then(|(_, text)| text.strip_suffix('"'));
        match (self.open.first_mut(), replacement) {
            (Some(Open::Whole(finding)), Some(replacement)) => {
                finding.fixable = true;
                finding.suggestion = finding.suggestion.take().or_else(|| Some(name(replacement)));
            }
            (Some(Open::Counted { is_fixable }), Some(_)) => *is_fixable = true,
            _ => {}
        }
        replacement.is_some()
    }

    /// Processes a line that may belong to the code frame below a heading.
    fn frame(&mut self, line: &Line<'_>) -> Use {
        let found = match self.open.last_mut() {
            Some(Open::Whole(found)) => Some(found),
            Some(Open::Counted { .. } | Open::Quoted) => None,
            None => return Use::None,
        };
        if let Some((number, source)) = gutter(&line.text).filter(|_| !self.is_left) {
            self.frames += 1;
            self.frame = Frame::None;
            let Some(found) = found else { return Use::Line };
            found.origin.end = line.end;
            match number {
                Some(number) if found.source.is_none() && found.line == Some(number) => {
                    found.source = Some(cut::head(source, limit::MESSAGE_BYTES).to_owned());
                }
                None if found.source.is_some() => mark_end(found, source),
                _ => {}
            }
            return Use::Line;
        }
        match std::mem::replace(&mut self.frame, Frame::None) {
            Frame::Source if !line.is_blank => {
                let source = found.map(|_| cut::head(&line.text, limit::MESSAGE_BYTES).to_owned());
                self.frame = Frame::Caret(source);
                Use::None
            }
            Frame::Caret(source) if is_caret_line(&line.text) => {
                if let Some(found) = found {
                    found.source = source;
                    found.origin.end = line.end;
                    mark_end(found, &line.text);
                }
                self.frame = Frame::Insertion;
                Use::WithPrevious
            }
            Frame::Insertion if line.text.starts_with(' ') && !line.is_blank => {
                if let Some(found) = found {
                    found.suggestion = Some(name(line.text.trim()));
                    found.origin.end = line.end;
                }
                Use::Line
            }
            _ => Use::None,
        }
    }

    fn context(&mut self, text: &str) -> bool {
        let may_follow = |at: usize| [" In ", " At ", "  "].iter().any(|word| text[at + 1..].starts_with(word));
        let may_be = text.starts_with("In ")
            || text.starts_with("                 from ")
            || memchr::memchr_iter(b':', text.as_bytes()).any(may_follow);
        let Some(captures) = may_be.then(|| CONTEXT.find(text)).flatten() else { return false };
        let rest = captures.text("rest");
        let place = |found: &Groups<'_, '_>, said: &str| RelatedPlace { message: said.to_owned(), ..found.related() };
        let place = match (captures.get("file"), captures.get("line")) {
            (None, _) => match INCLUDED.find(rest) {
                Some(included) => place(&included, "included from here"),
                None => return false,
            },
            (Some(_), Some(_)) if is_instantiation(rest) => place(&captures, rest),
            (Some(_), None) if is_scope(rest) => {
                self.close();
                self.context.clear();
                self.frames += 1;
                return true;
            }
            _ => return false,
        };
        self.close();
        if self.context.len() < RELATED_KEPT {
            self.context.push(place);
        }
        true
    }
}

/// `In function ‘main’:`, `At top level:`, `In instantiation of ‘…’:`.
fn is_scope(rest: &str) -> bool {
    const SCOPES: &str = "In function|In member function|In static member function|In constructor|In destructor|In copy constructor|\
        In lambda function|In instantiation of|In substitution of|At top level|At global scope|In copy assignment|\
        In expansion of|In the global module|In member";
    rest.ends_with([':', ',']) && SCOPES.split('|').any(|scope| rest.starts_with(scope))
}

/// `required from here`, `required by substitution of ‘…’`, `in ‘constexpr’ expansion of ‘…’`.
fn is_instantiation(rest: &str) -> bool {
    let rest = rest.strip_prefix("recursively ").unwrap_or(rest);
    ["required from", "required by", "in ‘constexpr’", "in 'constexpr'", "required for", "in requirements"]
        .iter()
        .any(|words| rest.starts_with(words))
}

#[cfg(test)]
mod tests {
    use referee_model::reading::Level;
    use referee_model::record::Stream;

    use super::*;

    #[test]
    fn frames_and_notes_complete_a_finding() {
        let mut carets = Carets::new("gcc", "gcc/text", |heading| is_c_file(heading.file()));
        let mut start = 0;
        for text in [
            "In file included from a.h:2,",
            "                 from a.c:1:",
            "b.h:4:3: error: bad",
            "    4 |   value = 1;",
            "      |   ^~~~~",
            "b.h:1:1: note: declared here",
            "a.py:1:1: error: foreign",
            "a.py:1:1: note: foreign",
            "a.c:9:2: warning: old",
            "  call();",
            "  ^~~~",
        ] {
            let end = start + text.len() as u64;
            carets.line(&Line::new(text, Stream::Stderr, start..end));
            start = end;
        }
        let found = carets.finish().kept.into_items();
        let facts: Vec<_> = found
            .iter()
            .map(|it| (it.level, it.end_column, it.related.len(), it.source.as_deref().unwrap_or_default()))
            .collect();
        assert_eq!(
            facts,
            [
                (Level::Error, Some(8), 3, "  value = 1;"),
                (Level::Info, None, 0, ""),
                (Level::Warning, Some(6), 0, "  call();"),
            ]
        );
    }

    #[test]
    fn what_others_print_below_a_finding_is_theirs() {
        let mut carets = Carets::new("gcc", "gcc/text", |heading| is_c_file(heading.file()));
        let uses: Vec<Use> = [
            "a.c:4:3: error: bad",
            "    4 |   value = 1;",
            "a.sh:3:4: note: Double quote to prevent globbing. [SC2086]",
            "a.c:5:3: error: bad",
            "error[E0308]: mismatched types",
            " --> src/lib.rs:5:3",
            "5 |     absent()",
            "a.c:1:1: note: declared here",
            "    1 | int value;",
        ]
        .into_iter()
        .map(|text| carets.line(&Line::new(text, Stream::Stderr, 0..text.len() as u64)))
        .collect();
        let is_used: Vec<bool> = uses.iter().map(|used| *used != Use::None).collect();
        assert_eq!(is_used, [true, true, false, true, false, false, false, true, true]);
        assert_eq!(carets.finish().counts.total(), 3);
    }
}
