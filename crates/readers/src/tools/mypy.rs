//! mypy: text, plain or pretty, and `--output json`.
//!
//! ```text
//! app.py:33: error: Argument 1 to "add" has incompatible type "str"; expected "int"  [arg-type]
//! app.py:5: note: See https://mypy.readthedocs.io/…
//! Found 2 errors in 1 file (checked 2 source files)
//! ```
//!
//! With `--show-column-numbers` and `--show-error-end` a column and an end follow the line. Pretty output wraps
//! messages and shows the source line below, with carets.

use crate::prelude::*;
use crate::shapes::python::is_source;

pub(crate) static TOOL: Tool = Tool::new("mypy", &["mypy-json", "dmypy"], Role::Typecheck)
    .lines(&[
        LineFormat::new(
            &[
                ": error: ",
                ": note: ",
                ": warning: ",
                ": info: ",
                "Success: no issues found in ",
                " source file)",
                " source files)",
                "errors prevented further checking",
            ],
            |is_hinted| Box::new(Mypy::new(is_hinted)),
        ),
        LineFormat::new(&["\"hint\":"], |_| JSON.reader()),
    ])
    .merge(candidate::together);

const RULE: &str = "mypy/text";

/// Maximum number of lines read of one wrapped message.
const WRAPPED_KEPT: usize = 40;

/// A finding, with as much of its location as is printed; it may be only a file.
static LOCATED: Pattern = Pattern::new(
    r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*?)(?::(?<line>\d+)(?::(?<column>\d+)(?::(?<end_line>\d+):(?<last_column>\d+))?)?)?: (?<level>error|warning|note|info): (?<message>.*)$",
);

static CLOSING: Pattern = Pattern::new(
    r"^Found (?<errors>\d+) errors? in \d+ files? \((?:checked \d+ source files?|errors prevented further checking)\)$",
);

/// The success message, which may count notes.
static ALL_CLEAR: Pattern = Pattern::new(r"^Success: no issues found in \d+ source files?$");

/// The code at the end of a wrapped message.
static CODE: Pattern = Pattern::new(r"^(?<message>.*?)(?:^|  ?)\[(?<code>[a-z][a-z0-9-]*)\]$");

/// Columns are 0-based:
/// `{"file": …, "line": 165, "column": 4, "message": …, "hint": null, "code": …, "severity": "error"}`.
static JSON: JsonLines = JsonLines {
    format: "json",
    rule: "mypy/json",
    keys: &["\"file\":", "\"severity\":", "\"hint\":"],
    record: |record| MEMBERS.told(record),
};

const MEMBERS: Members = Members {
    tool: "mypy",
    file: "file",
    line: "line",
    column: "column+1",
    end_line: "end_line",
    end_column: "end_column+1",
    code: "code",
    suggestion: "hint",
    level: "severity",
    needs: &["severity"],
    ..Members::MESSAGE
};

struct Mypy {
    is_hinted: bool,
    tally: Tally,
    open: Option<Open>,
    /// Whether a line was read that only mypy prints.
    is_certain: bool,
    is_clean: bool,
}

/// A finding that may have further lines, in pretty output.
struct Open {
    diagnostic: Diagnostic,
    /// Lines that may continue its message.
    wrapped: Vec<String>,
    /// Whether no further line can belong to the finding.
    is_over: bool,
}

impl Mypy {
    fn new(is_hinted: bool) -> Self {
        Self { is_hinted, tally: Tally::new("mypy"), open: None, is_certain: false, is_clean: false }
    }

    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            self.tally.add(open.diagnostic);
        }
    }

    fn begin(&mut self, line: &Line<'_>) -> bool {
        let may_be_own = || FILES.iter().any(|part| line.text.contains(part));
        if !self.is_hinted && !may_be_own() {
            return false;
        }
        let Some(captures) = LOCATED.find(&line.text) else { return false };
        let (message, code) = split_code(captures.text("message"));
        if !captures.has("line") && is_context(message) {
            // `--show-error-context` prints the context above findings.
            self.close();
            return true;
        }
        let is_python = is_read(captures.text("file"));
        if !is_python && !self.is_hinted {
            return false;
        }
        self.close();
        let mut found = captures.diagnostic("mypy", RULE, line, Level::Error);
        if code.is_some() {
            (found.message, found.code) =
                (cut::head(message.trim_end(), limit::MESSAGE_BYTES).to_owned(), code.map(name));
        }
        self.is_certain |= is_python && found.code.is_some();
        self.open = Some(Open { diagnostic: found, wrapped: Vec::new(), is_over: false });
        true
    }

    fn closes(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        if text.starts_with("Success: ") && ALL_CLEAR.is_match(text) {
            self.close();
            self.is_clean = true;
            return true;
        }
        let Some(errors) = CLOSING.find(text).and_then(|captures| captures.count("errors")) else { return false };
        self.close();
        self.is_certain = true;
        self.tally.sum_up(Sum::errors(errors));
        true
    }
}

impl LineReader for Mypy {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        if text.starts_with("Found ") || text.starts_with("Success: ") {
            return if self.closes(line) { Use::Line } else { Use::None };
        }
        if self.begin(line) {
            return Use::Line;
        }
        match self.open.as_mut().map(|open| open.line(line)) {
            Some(Use::None) | None => {
                self.close();
                Use::None
            }
            Some(used) => used,
        }
    }

    fn sleeps(&self) -> bool {
        self.open.is_none()
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        let is_clean = self.is_clean;
        let counts = &self.tally.findings.counts;
        let is_certain = self.is_certain || self.is_hinted || is_clean;
        let confidence = if is_certain { Confidence::Certain } else { Confidence::Likely };
        // Notes without an error could be from any tool.
        let says_something = is_clean || 0 < counts.errors || is_certain && 0 < counts.total();
        says_something.then(|| self.tally.candidate("text", confidence))
    }
}

impl Open {
    /// Reads a line of pretty output: the rest of a wrapped message, the source line, or its carets.
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        let trimmed = text.trim();
        if trimmed.is_empty() || self.is_over {
            return Use::None;
        }
        self.diagnostic.origin.end = line.end;
        if text::indent(text) >= 4 {
            return self.frame(trimmed);
        }
        // A message is wrapped to the width of the terminal; the code ends it.
        let goes_on = self.diagnostic.source.is_none() && self.diagnostic.code.is_none();
        if !goes_on || WRAPPED_KEPT <= self.wrapped.len() {
            return Use::None;
        }
        if let Some(captures) = CODE.find(trimmed) {
            self.wrapped.push(captures.text("message").to_owned());
            self.unwrap();
            self.diagnostic.code = Some(name(captures.text("code")));
            return Use::WithPrevious;
        }
        self.wrapped.push(name(trimmed));
        Use::Line
    }

    /// Reads a line below the message: the source line, or marks below it.
    fn frame(&mut self, trimmed: &str) -> Use {
        let is_mark = trimmed.starts_with('^') && trimmed.bytes().all(|byte| matches!(byte, b'^' | b'~' | b'.'));
        if is_mark {
            self.is_over = true;
            return if self.diagnostic.source.is_some() { Use::Line } else { Use::None };
        }
        if self.diagnostic.source.is_some() {
            return Use::None;
        }
        self.unwrap();
        self.diagnostic.source = Some(cut::head(trimmed, limit::MESSAGE_BYTES).to_owned());
        Use::Line
    }

    /// Joins the lines of a wrapped message.
    fn unwrap(&mut self) {
        for words in self.wrapped.drain(..) {
            add_word(&mut self.diagnostic.message, words.trim());
        }
    }
}

/// Splits a message from the code in brackets after two spaces.
fn split_code(said: &str) -> (&str, Option<&str>) {
    let is_code = |code: &str| {
        code.starts_with(|first: char| first.is_ascii_lowercase())
            && code.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    };
    let split = said.strip_suffix(']').and_then(|rest| rest.rsplit_once("  [")).filter(|(_, code)| is_code(code));
    split.map_or((said, None), |(message, code)| (message, Some(code)))
}

fn add_word(message: &mut String, words: &str) {
    if !words.is_empty() && message.len() + words.len() < limit::MESSAGE_BYTES {
        message.push(' ');
        message.push_str(words);
    }
}

/// Whether a note only gives the context of the findings below it, as with `--show-error-context`.
fn is_context(message: &str) -> bool {
    (message.starts_with("In ") && message.ends_with(':')) || message == "At top level:"
}

/// What is in every line that is mypy's without a hint: the end of a file that it reads, or of a context.
const FILES: &[&str] = &[".py", ".ipynb:", ".toml:", "setup.cfg:", "mypy.ini:", ": note: In ", ": note: At top level:"];

/// Whether mypy reads a file: a module, or its configuration.
fn is_read(file: &str) -> bool {
    is_source(file) || [".toml", "setup.cfg", "mypy.ini"].iter().any(|end| file.ends_with(end))
}
