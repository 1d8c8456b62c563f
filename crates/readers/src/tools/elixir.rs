//! Elixir and `mix compile`. Since 1.16 a finding is `    warning: variable "x" is unused`, its code, and
//! `    └─ lib/a.ex:5:3: A.f/0`; before, `warning: …` with `  lib/a.ex:5: A.f/0` on the next line. Errors that
//! stop the compilation are exceptions: `** (SyntaxError) lib/a.ex:5:1: …`.

use crate::level::level as level_of;
use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("elixir", &["elixirc", "mix", "mix-compile"], Role::Compile).lines(&[FORMAT]);

pub(crate) const FORMAT: LineFormat = LineFormat::new(&[".ex:", ".exs:", ".eex:", ".heex:", "Error) "], |is_hinted| {
    Box::new(Elixir { is_hinted, ..Elixir::default() })
});

/// Maximum number of lines of a finding within which its location must appear.
const LINES_TO_PLACE: usize = 40;

/// `warning: variable "x" is unused`, indented since 1.16.
static HEADING: Pattern = Pattern::new(r"^(?: {4})?(?<level>warning|error): (?<message>\S.*)$");

/// `  lib/a.ex:5: A.f/0`, `    └─ lib/a.ex:5:3: A.f/0`, `  lib/a.ex:5`.
static PLACE: Pattern = Pattern::new(
    r"^ +(?:└─ )?(?<file>[^\s:]\S*?\.(?:exs?|l?eex|heex|erl)):(?<line>\d+)(?::(?<column>\d+))?(?::? .*|:)?$",
);

/// `** (SyntaxError) lib/a.ex:5:1: unexpected token: end`, `** (TokenMissingError) token missing on a.ex:5:1:`.
static EXCEPTION: Pattern = Pattern::new(
    r"^\*\* \((?<code>(?:Syntax|TokenMissing|Compile|MismatchedDelimiter|EEx\.Syntax|Phoenix\.LiveView\.Tokenizer\.Parse)Error)\) (?:(?:\w+ )+on )?(?:(?<file>\S+?\.\w+):(?:(?<line>\d+):(?:(?<column>\d+):)?)? ?)?(?<message>.*)$",
);

/// Before 1.4: `lib/a.ex:5: warning: unused`.
static INLINE: Pattern = Pattern::new(r"^(?<file>\S+\.exs?):(?<line>\d+): (?<level>warning|error): (?<message>\S.*)$");

#[derive(Default)]
struct Elixir {
    is_hinted: bool,
    findings: Findings,
    open: Option<Open>,
    /// Number of errors listed so far, which a later exception may summarize.
    listed_errors: u64,
}

struct Open {
    found: Diagnostic,
    lines: usize,
    is_exception: bool,
}

impl Elixir {
    fn close(&mut self) {
        let Some(Open { found, is_exception, .. }) = self.open.take() else { return };
        // `** (CompileError) lib/a.ex: cannot compile module A (errors have been logged)`.
        let repeats = is_exception && 0 < self.listed_errors && found.line.is_none();
        let is_whole = found.file.is_some() || is_exception && self.is_hinted;
        if is_whole && !repeats {
            self.listed_errors += u64::from(found.level == Level::Error);
            self.findings.add(found);
        }
    }

    fn begin(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        if let Some(captures) = text.starts_with("** (").then(|| EXCEPTION.find(text)).flatten() {
            self.close();
            let mut found = captures.diagnostic("elixir", "elixir/exception", line, Level::Error);
            if captures.get("file").is_none_or(|file| file.contains('(')) {
                found.file = None;
            }
            self.open = Some(Open { found, lines: 0, is_exception: true });
            return true;
        }
        if let Some(captures) = INLINE.find(text) {
            self.close();
            self.findings.add(captures.diagnostic("elixir", "elixir/text", line, Level::Warning));
            return true;
        }
        let in_exception = self.open.as_ref().is_some_and(|open| open.is_exception && open.found.message.is_empty());
        let Some(captures) = HEADING.find(text) else { return false };
        if let Some(open) = self.open.as_mut().filter(|_| in_exception) {
            captures.text("message").clone_into(&mut open.found.message);
            return true;
        }
        self.close();
        let level = level_of(captures.text("level")).unwrap_or(Level::Warning);
        let found = diagnostic("elixir", "elixir/text", line, level, captures.text("message"));
        self.open = Some(Open { found, lines: 0, is_exception: false });
        true
    }
}

impl LineReader for Elixir {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        if self.begin(line) {
            return Use::Line;
        }
        let Some(Open { found, lines, is_exception }) = &mut self.open else { return Use::None };
        *lines += 1;
        if let Some(captures) = (found.file.is_none() || found.line.is_none()).then(|| PLACE.find(text)).flatten() {
            found.file = captures.file("file");
            found.line = captures.position("line");
            found.column = captures.position("column");
            found.origin.end = line.end;
            return Use::Line;
        }
        let is_frame = text.trim_start().starts_with(['│', '└']) || text.contains(" │ ");
        let goes_on = is_frame || text.starts_with("  ") || line.is_blank() && found.file.is_none() && !*is_exception;
        if !goes_on && found.file.is_none() && *lines < LINES_TO_PLACE && !*is_exception {
            // Old findings have explanatory paragraphs before the location.
            let is_of_finding = text.ends_with(':') || text.starts_with("Conflict found at");
            if is_of_finding {
                return Use::Line;
            }
        }
        if !goes_on || LINES_TO_PLACE < *lines {
            self.close();
            return Use::None;
        }
        if !is_frame && !line.is_blank() && found.file.is_none() {
            text::add_line(&mut found.message, text.trim(), limit::MESSAGE_BYTES);
        }
        found.origin.end = line.end;
        if line.is_blank() { Use::None } else { Use::Line }
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        self.findings.candidate("text")
    }
}

#[cfg(test)]
mod tests {
    use referee_model::record::Stream;

    use super::*;

    /// File, line, column, message.
    type Facts = (Option<String>, Option<u32>, Option<u32>, String);

    fn read(text: &str) -> Vec<Facts> {
        let mut reader = Box::new(Elixir::default());
        for text in text.lines() {
            let end = text.len() as u64;
            reader.line(&Line::new(text, Stream::Stderr, 0..end));
        }
        let found = reader.finish().map(|candidate| candidate.findings.kept.into_items()).unwrap_or_default();
        found.into_iter().map(|found| (found.file, found.line, found.column, found.message)).collect()
    }

    #[test]
    fn findings_are_read_in_all_wordings() {
        for (text, line, column, message) in [
            ("warning: variable \"x\" is unused\n  lib/a.ex:5: A.f/0\n", Some(5), None, "variable \"x\" is unused"),
            (
                "    warning: variable \"x\" is unused\n    │\n  5 │   x = 1\n    │   ~\n    │\n    └─ lib/a.ex:5:3: A.f/0\n",
                Some(5),
                Some(3),
                "variable \"x\" is unused",
            ),
            ("** (SyntaxError) lib/a.ex:5:1: unexpected\n", Some(5), Some(1), "unexpected"),
            (
                "** (TokenMissingError) token missing on lib/a.ex:5:1:\n    error: missing terminator: end\n    │\n    └─ lib/a.ex:5:1\n",
                Some(5),
                Some(1),
                "missing terminator: end",
            ),
            ("lib/a.ex:5: warning: unused\n", Some(5), None, "unused"),
        ] {
            let expected = (Some("lib/a.ex".to_owned()), line, column, message.to_owned());
            assert_eq!(read(text), [expected], "{text}");
        }
    }

    #[test]
    fn an_exception_below_its_findings_says_nothing_new() {
        let text = "    error: undefined function f/0\n    │\n    └─ lib/a.ex:3:5: A.g/0\n\n\n== Compilation error in file lib/a.ex ==\n** (CompileError) lib/a.ex: cannot compile module A (errors have been logged)\n";
        assert_eq!(read(text).len(), 1);
    }

    #[test]
    fn what_names_no_place_of_elixir_is_none() {
        assert!(read("warning: something\n\nerror: else\n  see a.c:3\n").is_empty());
    }
}
