//! What Deno prints for people.
//!
//! | command       | a finding is                                                                                  |
//! |---------------|-----------------------------------------------------------------------------------------------|
//! | `check`       | `TS2322 [ERROR]: message`, the code, and `    at file:///project/a.ts:2:7`                     |
//! | `lint`        | `error[no-var]: message`, below it ` --> /project/a.ts:3:1` and the code                       |
//! | old `lint`    | `(no-var) message`, the code, and `    at /project/a.ts:3:1`                                   |
//! | `--compact`   | `file:///project/a.ts: line 3, col 1 - message (no-var)`                                       |
//! | `fmt --check` | `from /project/a.ts:` and what differs                                                         |
//! | all           | `Error linting: /project/a.ts` and, indented, the syntax error                                 |

use referee_model::limit;
use referee_model::reading::{Diagnostic, Level, RelatedPlace};
use referee_syntax::cut;

use crate::claim::{Claim, LineReader, Standing, Use, diagnostic, name};
use crate::pattern::Pattern;
use crate::scan::Line;
use crate::shapes::tally::{Sum, Tally};
use crate::text;
use crate::tools::deno::{is_module, path};

/// Lines that one finding may have before its place comes.
const LINES: u32 = 60;

/// Places that are kept of those that belong to one finding.
const RELATED_KEPT: usize = 8;

/// `TS2322 [ERROR]: message`, in old versions with `error: ` before it.
static CHECKED: Pattern =
    Pattern::new(r"^(?:error: )?(?<code>TS\d+) \[(?<level>ERROR|WARN|WARNING|INFO|SUGGESTION)\]: (?<message>.*)$");

static LINTED: Pattern = Pattern::new(r"^(?<level>error|warning)\[(?<code>[a-z][a-z0-9/_-]+)\]: (?<message>\S.*)$");

static OLD_LINTED: Pattern = Pattern::new(r"^\((?<code>[a-z][a-z0-9/-]+)\) (?<message>\S.*)$");

static COMPACT: Pattern = Pattern::new(
    r"^(?<file>file://\S.*?): line (?<line>\d+), col (?<column>\d+) - (?<message>.*) \((?<code>[a-z][a-z0-9/-]+)\)$",
);

/// What could not be read.
static BROKEN: Pattern = Pattern::new(r"^Error (?:linting|checking|formatting): (?<file>\S.*)$");

static SYNTAX: Pattern = Pattern::new(
    r"^error: (?:SyntaxError: |The module's source code could not be parsed: )(?<message>.*?)(?: at (?<file>file://\S+?):(?<line>\d+):(?<column>\d+))?$",
);

static AT: Pattern =
    Pattern::new(r"^ +at (?<file>(?:file://|asset://|https?://|/|[A-Za-z]:\\)\S.*?):(?<line>\d+):(?<column>\d+)$");

static ARROW: Pattern = Pattern::new(r"^ *--> (?<file>\S.*?):(?<line>\d+):(?<column>\d+)$");

/// A file that `fmt` would change.
static FROM: Pattern = Pattern::new(r"^from (?<file>(?:/|file://|[A-Za-z]:\\)\S.*):$");

static FOUND: Pattern = Pattern::new(
    r"^(?:error: )?Found (?<number>\d+) (?<what>errors?|problems?|not formatted files?)(?: in \d+ files?)?\.?$",
);

/// Which command's finding is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Check,
    Lint,
    Format,
    Syntax,
}

/// Reads what Deno prints for people.
pub(crate) struct Lines {
    is_hinted: bool,
    tally: Tally,
    open: Option<Open>,
    was_checked: bool,
}

/// The finding whose lines are being read.
struct Open {
    diagnostic: Diagnostic,
    kind: Kind,
    has_place: bool,
    /// Whether lines of the message may follow.
    is_message: bool,
    lines: u32,
}

impl Lines {
    pub(crate) fn new(is_hinted: bool) -> Self {
        Self { is_hinted, tally: Tally::new("deno"), open: None, was_checked: false }
    }

    /// Ends the open finding. What has no place is none.
    fn close(&mut self) {
        if let Some(open) = self.open.take()
            && open.has_place
        {
            self.tally.add(open.diagnostic);
        }
    }

    fn open(&mut self, kind: Kind, found: Diagnostic, has_place: bool) -> bool {
        self.close();
        let is_message = kind == Kind::Check;
        self.open = Some(Open { diagnostic: found, kind, has_place, is_message, lines: 0 });
        true
    }

    fn begin(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        if text.contains("]: ") && text.contains('[') {
            let (captures, kind, rule) = match CHECKED.captures(text) {
                Some(captures) => (Some(captures), Kind::Check, "deno/check"),
                None => (LINTED.captures(text), Kind::Lint, "deno/lint"),
            };
            let Some(captures) = captures else {
                return false;
            };
            let level = match &captures["level"] {
                "ERROR" | "error" => Level::Error,
                "WARN" | "WARNING" | "warning" => Level::Warning,
                _ => Level::Info,
            };
            let mut found = diagnostic("deno", rule, line, level, &captures["message"]);
            found.code = Some(name(&captures["code"]));
            return self.open(kind, found, false);
        }
        if text.starts_with('(')
            && self.is_hinted
            && let Some(captures) = OLD_LINTED.captures(text)
        {
            let mut found = diagnostic("deno", "deno/lint", line, Level::Error, &captures["message"]);
            found.code = Some(name(&captures["code"]));
            return self.open(Kind::Lint, found, false);
        }
        self.compact(text, line) || self.broken(text, line) || self.unformatted(text, line)
    }

    fn compact(&mut self, text: &str, line: &Line<'_>) -> bool {
        if !text.starts_with("file://") {
            return false;
        }
        let Some(captures) = COMPACT.captures(text) else {
            return false;
        };
        self.close();
        let mut found = diagnostic("deno", "deno/compact", line, Level::Error, &captures["message"]);
        found.code = Some(name(&captures["code"]));
        set_place(&mut found, &captures);
        self.tally.add(found);
        true
    }

    fn broken(&mut self, text: &str, line: &Line<'_>) -> bool {
        if let Some(captures) = BROKEN.captures(text).filter(|_| text.starts_with("Error ")) {
            let mut found = diagnostic("deno", "deno/syntax", line, Level::Error, "");
            found.file = Some(name(&path(&captures["file"])));
            return self.open(Kind::Syntax, found, false);
        }
        if !text.starts_with("error: ") {
            return false;
        }
        let Some(captures) = SYNTAX.captures(text) else {
            return false;
        };
        let mut found = diagnostic("deno", "deno/syntax", line, Level::Error, &captures["message"]);
        let has_place = captures.name("file").is_some();
        if has_place {
            set_place(&mut found, &captures);
        }
        self.open(Kind::Syntax, found, has_place)
    }

    fn unformatted(&mut self, text: &str, line: &Line<'_>) -> bool {
        if !text.starts_with("from ") {
            return false;
        }
        let Some(captures) = FROM.captures(text).filter(|captures| self.is_hinted || is_module(&captures["file"]))
        else {
            return false;
        };
        let mut found = diagnostic("deno", "deno/fmt", line, Level::Error, "not formatted");
        found.file = Some(name(&path(&captures["file"])));
        found.fixable = true;
        self.open(Kind::Format, found, false)
    }

    fn closing(&mut self, text: &str) -> bool {
        if text == "error: Type checking failed." || text == "Type checking failed." {
            self.close();
            return 0 < self.tally.read;
        }
        if text.starts_with("Checked ") && (text.ends_with(" file") || text.ends_with(" files")) {
            self.close();
            self.was_checked = true;
            return self.is_hinted || 0 < self.tally.read;
        }
        if !text.contains("Found ") {
            return false;
        }
        let Some(captures) = FOUND.captures(text) else {
            return false;
        };
        self.close();
        let is_sure = captures["what"].starts_with("not formatted");
        if self.tally.listed() == 0 && !(is_sure && self.is_hinted) {
            return false;
        }
        let Some(number) = text::count(&captures["number"]) else {
            return false;
        };
        self.tally.sum_up(Sum::all(number));
        true
    }
}

impl LineReader for Lines {
    fn line(&mut self, line: &Line<'_>) -> Use {
        if self.begin(line) {
            return Use::Line;
        }
        let text = line.text.trim_end();
        if self.closing(text) {
            return Use::Line;
        }
        let Some(open) = &mut self.open else {
            return Use::None;
        };
        if !text.is_empty() {
            open.lines += 1;
        }
        if LINES < open.lines || !open.line(text) {
            self.close();
            return Use::None;
        }
        if text.is_empty() {
            return Use::None;
        }
        open.diagnostic.origin.end = line.end;
        Use::Line
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        let says_something = 0 < self.tally.read || (self.is_hinted && self.was_checked);
        says_something.then(|| self.tally.claim("text", Standing::Certain))
    }
}

impl Open {
    /// Takes a line that may belong to the finding; returns whether it does.
    fn line(&mut self, text: &str) -> bool {
        if self.kind == Kind::Format {
            return self.difference(text);
        }
        if text.is_empty() {
            // In `lint` a blank line stands before the link to the rule; in `check` before related places.
            self.is_message = false;
            return true;
        }
        if let Some(captures) = AT.captures(text).or_else(|| ARROW.captures(text)) {
            return self.place(&captures);
        }
        if let Some(hint) = text.trim_start().strip_prefix("= hint: ").or_else(|| text.strip_prefix("    hint: ")) {
            self.diagnostic.suggestion = Some(cut::head(hint, limit::MESSAGE_BYTES).to_owned());
            return true;
        }
        match self.kind {
            Kind::Check if self.has_place => self.related(text),
            Kind::Check => {
                self.is_message &= text.starts_with("  ");
                if self.is_message {
                    text::add_line(&mut self.diagnostic.message, text, limit::MESSAGE_BYTES);
                } else if self.diagnostic.source.is_none()
                    && !text.trim().bytes().all(|byte| matches!(byte, b'~' | b'^'))
                {
                    self.diagnostic.source = Some(cut::head(text, limit::MESSAGE_BYTES).to_owned());
                }
                true
            }
            Kind::Syntax => {
                let said = text.trim_start();
                if self.diagnostic.message.is_empty() {
                    let said = said.strip_prefix("SyntaxError: ").unwrap_or(said);
                    cut::head(said, limit::MESSAGE_BYTES).clone_into(&mut self.diagnostic.message);
                }
                !self.has_place
            }
            Kind::Lint => self.frame(text),
            Kind::Format => false,
        }
    }

    fn place(&mut self, captures: &regex::Captures<'_>) -> bool {
        if self.has_place {
            if let Some(related) = self.diagnostic.related.last_mut() {
                related.file = Some(name(&path(&captures["file"])));
                related.line = text::position(&captures["line"]);
                related.column = text::position(&captures["column"]);
            }
            return true;
        }
        let file = &captures["file"];
        let is_its = match self.kind {
            Kind::Lint => is_module(file),
            // Others speak of syntax errors, too, but not of URLs.
            Kind::Syntax => file.starts_with("file://"),
            Kind::Check | Kind::Format => true,
        };
        if !is_its {
            return false;
        }
        self.has_place = true;
        set_place(&mut self.diagnostic, captures);
        true
    }

    /// Takes a line of what belongs to a finding of `check`: its message, below that code and place.
    fn related(&mut self, text: &str) -> bool {
        let is_message = text::indent(text) == 4;
        if is_message && self.diagnostic.related.len() < RELATED_KEPT {
            let message = cut::head(text.trim(), limit::MESSAGE_BYTES / RELATED_KEPT).to_owned();
            self.diagnostic.related.push(RelatedPlace { file: None, line: None, column: None, message });
        }
        text.starts_with("    ")
    }

    /// Takes a line of the code below a finding of `lint`.
    fn frame(&mut self, text: &str) -> bool {
        let trimmed = text.trim_start();
        if let Some((number, source)) = trimmed.split_once(" | ")
            && self.diagnostic.source.is_none()
            && text::position(number) == self.diagnostic.line
        {
            self.diagnostic.source = Some(cut::head(source, limit::MESSAGE_BYTES).to_owned());
        }
        trimmed.starts_with(['|', '='])
            || trimmed.starts_with(|first: char| first.is_ascii_digit())
            || trimmed.starts_with("docs: ")
            || trimmed.starts_with("info: ")
            || trimmed.starts_with("help: ")
            || !self.has_place
    }

    /// Takes a line that shows what `fmt` would change: `1 | -const x=1`.
    fn difference(&mut self, text: &str) -> bool {
        let rest = text.trim_start_matches(|first: char| first.is_ascii_digit() || first == ' ');
        let is_difference = rest != text && rest.starts_with('|');
        self.has_place |= is_difference;
        is_difference || text.trim() == "..."
    }
}

fn set_place(found: &mut Diagnostic, captures: &regex::Captures<'_>) {
    found.file = Some(name(&path(&captures["file"])));
    found.line = text::position(&captures["line"]);
    found.column = text::position(&captures["column"]);
}
