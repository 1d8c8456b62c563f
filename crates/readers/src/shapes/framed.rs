//! Findings with a head, a place below it, and the source in a frame, as rustc made them common; here those of ty and
//! pyrefly:
//!
//! ```text
//! error[unresolved-reference]: Name `x` used when not defined
//!  --> app.py:36:15
//!   |
//! 36 |     print(x)
//! ```
//!
//! Both print a finding on one line, too, where they are told to be short.

use referee_model::limit;
use referee_model::reading::{Diagnostic, Level, RelatedPlace};
use referee_syntax::cut;

use crate::claim::{Claim, Findings, LineReader, Standing, Use, name};
use crate::pattern::Pattern;
use crate::scan::Line;
use crate::shapes::python::is_source;
use crate::text;

/// Places that are kept of those that belong to one finding.
const RELATED_KEPT: usize = 16;

/// The place: ` --> app.py:36:15`.
static PLACE: Pattern = Pattern::new(r"^ *(?:-->|:::) (?<file>\S.*?):(?<line>\d+)(?::(?<column>\d+))?$");

/// A line of the frame.
static FRAME: Pattern = Pattern::new(r"^ *(?:\d+ *)?(?:\||\.\.\.)");

/// What closes a run.
pub(crate) enum Closing {
    /// So many findings of any level.
    Findings(u64),
    /// So many errors.
    Errors(u64),
    /// A line of the tool's that says nothing more.
    Line,
}

/// A format of this kind.
pub(crate) struct Framed {
    pub(crate) tool: &'static str,
    pub(crate) rule: &'static str,
    /// The head, with the groups of [`crate::pattern::Found::diagnostic`].
    pub(crate) head: &'static Pattern,
    /// A finding on one line.
    pub(crate) short: &'static Pattern,
    /// Reads a line that closes a run.
    pub(crate) closing: fn(&str) -> Option<Closing>,
}

impl Framed {
    /// Makes the reader.
    pub(crate) fn reader(&'static self, is_hinted: bool) -> Box<dyn LineReader> {
        Box::new(Reader {
            format: self,
            is_hinted,
            findings: Findings::default(),
            head: None,
            is_open: false,
            remark: None,
            is_clean: false,
            is_own: false,
            summed_up: 0,
            notes: Vec::new(),
        })
    }
}

struct Reader {
    format: &'static Framed,
    is_hinted: bool,
    findings: Findings,
    /// A head whose place must follow.
    head: Option<Diagnostic>,
    /// Whether lines may belong to the last finding.
    is_open: bool,
    /// What is said of a place that may follow.
    remark: Option<String>,
    is_clean: bool,
    /// Whether a line came that nobody else prints.
    is_own: bool,
    /// Findings that are summed up, in a stream that lists none.
    summed_up: u64,
    notes: Vec<String>,
}

impl Reader {
    fn place(&mut self, line: &Line<'_>, text: &str) -> Option<Use> {
        let place = PLACE.find(text)?;
        if let Some(mut found) = self.head.take() {
            if !self.is_hinted && !is_source(place.text("file")) {
                return None;
            }
            place.locate(&mut found);
            found.origin.end = line.end;
            self.findings.add(found);
            self.is_open = true;
            return Some(Use::WithPrevious);
        }
        let last = self.findings.kept.items_mut().last_mut().filter(|_| self.is_open)?;
        if last.related.len() < RELATED_KEPT {
            let message = self.remark.take().unwrap_or_default();
            last.related.push(RelatedPlace {
                file: place.file("file"),
                line: place.position("line"),
                column: place.position("column"),
                message,
            });
        }
        last.origin.end = line.end;
        Some(Use::Line)
    }

    fn begin(&mut self, line: &Line<'_>, text: &str) -> Option<Use> {
        let (tool, rule) = (self.format.tool, self.format.rule);
        if let Some(captures) = self.format.short.find(text)
            && (self.is_hinted || is_source(captures.text("file")))
        {
            self.is_open = false;
            self.findings.add(captures.diagnostic(tool, rule, line, Level::Error));
            return Some(Use::Line);
        }
        let captures = self.format.head.find(text)?;
        self.is_open = false;
        self.head = Some(captures.diagnostic(tool, rule, line, Level::Error));
        Some(Use::None)
    }

    /// Takes a line below a place.
    fn continues(&mut self, line: &Line<'_>, text: &str) -> bool {
        if !self.is_open {
            return false;
        }
        let remark = ["info: ", "help: ", "note: "].iter().find_map(|word| text.strip_prefix(word));
        let is_indented = text.starts_with(' ') || text.starts_with('\t');
        if remark.is_none() && !is_indented && !FRAME.is_match(text) {
            self.is_open = false;
            return false;
        }
        let Some(last) = self.findings.kept.items_mut().last_mut() else {
            return false;
        };
        last.origin.end = line.end;
        if let Some(remark) = remark {
            self.remark = Some(name(remark));
        }
        let said = if last.related.is_empty() { annotation(text) } else { None };
        if let Some(said) = said
            && !last.message.contains('\n')
        {
            text::add_line(&mut last.message, said, limit::MESSAGE_BYTES);
        }
        if let Some((number, source)) = text.split_once('|')
            && last.source.is_none()
            && last.line.is_some()
            && text::position(number.trim()) == last.line
        {
            let source = source.strip_prefix(' ').unwrap_or(source);
            last.source = Some(cut::head(source, limit::MESSAGE_BYTES).to_owned());
        }
        true
    }

    fn closes(&mut self, text: &str) -> bool {
        let Some(closing) = (self.format.closing)(text) else {
            return false;
        };
        self.is_open = false;
        let counts = &self.findings.counts;
        let (summed_up, listed) = match closing {
            Closing::Findings(number) => (number, counts.total()),
            Closing::Errors(number) => (number, counts.errors),
            Closing::Line => {
                self.is_own = true;
                return true;
            }
        };
        self.is_clean = true;
        let unlisted = summed_up.saturating_sub(listed);
        if listed == 0 {
            // What is summed up may be listed in the other stream.
            self.summed_up += unlisted;
        } else if 0 < unlisted {
            self.notes
                .push(format!("{} sums up {summed_up} findings; {listed} were read one by one", self.format.tool));
            self.notes.truncate(20);
            self.findings.add_unlisted(Level::Error, unlisted);
        }
        true
    }
}

impl LineReader for Reader {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if let Some(used) = self.place(line, text) {
            return used;
        }
        self.head = None;
        if let Some(used) = self.begin(line, text) {
            return used;
        }
        if self.closes(text) || (!text.is_empty() && self.continues(line, text)) { Use::Line } else { Use::None }
    }

    fn finish(self: Box<Self>) -> Option<Claim> {
        let has_findings = 0 < self.findings.counts.total();
        let is_clean = self.is_clean && (self.is_hinted || self.is_own);
        (has_findings || is_clean).then(|| Claim {
            format: "text",
            standing: Standing::Certain,
            findings: self.findings,
            notes: self.notes,
            errors_summed_up: self.summed_up,
            ..Claim::default()
        })
    }
}

/// Returns what is said of a part of the source, behind the carets that mark it.
fn annotation(text: &str) -> Option<&str> {
    let marked = text.trim_start().strip_prefix('|')?.trim_start();
    let said = marked.trim_start_matches('^');
    (said.len() < marked.len() && said.starts_with(' ')).then(|| said.trim()).filter(|said| !said.is_empty())
}
