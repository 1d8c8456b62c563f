//! webpack, and plugins that report through it (ts-loader, fork-ts-checker, eslint-webpack-plugin): a heading
//! for every error and warning, followed by its lines up to a blank one, and at the end the counts.
//!
//! ```text
//! ERROR in ./src/index.js 4:25
//! Module parse failed: Unexpected token (4:25)
//!
//! webpack 5.112.2 compiled with 1 error in 105 ms
//! ```
//!
//! Columns in modules are 0-based, those of TypeScript 1-based.

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("webpack", &["rspack"], Role::Compile)
    .lines(&[LineFormat::new(&["ERROR in ", "WARNING in ", "compiled with ", "compiled successfully"], |is_hinted| {
        Box::new(Webpack::new(is_hinted))
    })]);

static HEADING: Pattern = Pattern::new(r"^(?:×|⚠)? ?(?<level>ERROR|WARNING) in (?<rest>\S.*)$");

/// The subject of a heading: a module, with its loaders, and a location in it.
static MODULE: Pattern = Pattern::new(
    r"^(?<file>\S*[./\\][^\s?]*?)(?:\?\S*)?(?: \(.*\))?(?:(?<sign>:| )(?<line>\d+):(?<column>\d+)(?:-(?:(?<end_line>\d+):)?(?<end_column>\d+))?|\((?<line2>\d+),(?<column2>\d+)\):?)?$",
);

/// The location on the second line of a finding of ts-loader: `./src/t.ts 1:18-30`, `2:13-14`.
static SPAN: Pattern = Pattern::new(r"^(?:\S+ )?\d+:\d+(?:-\d+)?(?::\d+)?$");

/// Its third line: `[tsl] ERROR in /project/src/t.ts(1,19)`.
static LOADER: Pattern =
    Pattern::new(r"^\[tsl\] (?:ERROR|WARNING|INFO) in (?<file>.*)\((?<line>\d+),(?<column>\d+)\)$");

/// A message preceded by a code of TypeScript.
static CODED: Pattern = Pattern::new(r"^(?<code>TS\d+): (?<message>.*)$");

static SYNTAX_ERROR: Pattern = Pattern::new(r"^ *\w*Error: .* \((?<line>\d+):(?<column>\d+)\)$");

/// `webpack 5.112.2 compiled with 1 error and 2 warnings in 105 ms`.
static COMPILED: Pattern = Pattern::new(
    r"^(?:.{0,80}[ (])?(?:webpack|rspack|Rspack)(?: [\w.-]+)?\)? compiled (?:successfully|with (?:(?<errors>\d+) errors?)?(?: and )?(?:(?<warnings>\d+) warnings?)?)(?: in .*)?$",
);

pub(crate) struct Webpack {
    is_hinted: bool,
    tally: Tally,
    open: Option<Open>,
    /// Whether a finding named a module in webpack's own notation, `./src/a.js`.
    has_module: bool,
}

/// The finding whose lines are being read.
struct Open {
    diagnostic: Diagnostic,
    /// Whether the location is printed as a module's, with a space before it: its columns are then 0-based.
    has_module_place: bool,
    /// Whether the message was read.
    is_said: bool,
}

impl Webpack {
    fn new(is_hinted: bool) -> Self {
        Self { is_hinted, tally: Tally::new("webpack"), open: None, has_module: false }
    }

    fn close(&mut self) {
        if let Some(Open { mut diagnostic, has_module_place, .. }) = self.open.take() {
            if has_module_place && diagnostic.code.is_none() {
                diagnostic.column = diagnostic.column.map(|column| column.saturating_add(1));
                diagnostic.end_column = diagnostic.end_column.map(|column| column.saturating_add(1));
            }
            diagnostic.column = diagnostic.column.filter(|column| 0 < *column);
            self.has_module |= diagnostic.file.as_deref().is_some_and(|file| file.starts_with("./"));
            self.tally.add(diagnostic);
        }
    }

    fn heading(&mut self, line: &Line<'_>) -> bool {
        let Some(captures) = HEADING.find(line.text.trim_end()) else { return false };
        self.close();
        let level = if captures.text("level") == "ERROR" { Level::Error } else { Level::Warning };
        self.open = Some(Open::new(captures.text("rest"), level, line));
        true
    }

    fn closing(&mut self, text: &str) -> bool {
        let Some(captures) = COMPILED.find(text) else { return false };
        self.close();
        let (errors, warnings) = (captures.count("errors"), captures.count("warnings"));
        self.tally.sum_up(Sum { errors, warnings, ..Sum::default() });
        true
    }
}

impl LineReader for Webpack {
    fn line(&mut self, line: &Line<'_>) -> Use {
        if line.is_blank() {
            // A blank line ends a finding, including one with only a heading and one of ESLint.
            self.close();
            return Use::None;
        }
        let text = line.text.trim_end();
        if self.heading(line) || self.closing(text) {
            return Use::Line;
        }
        let Some(open) = &mut self.open else { return Use::None };
        open.line(text);
        open.diagnostic.origin.end = line.end;
        Use::Line
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        let is_sure = self.is_hinted || 0 < self.tally.sums;
        // Versions before 5 print no counts: there only a module identifies the tool.
        let says_something = if is_sure { 0 < self.tally.read + self.tally.sums } else { self.has_module };
        let confidence = if is_sure { Confidence::Certain } else { Confidence::Likely };
        says_something.then(|| self.tally.candidate("text", confidence))
    }
}

impl Open {
    fn new(rest: &str, level: Level, line: &Line<'_>) -> Self {
        let mut found = diagnostic("webpack", "webpack/text", line, level, "");
        let Some(captures) = MODULE.find(rest) else {
            // The heading names no module: it is the message, or the message follows.
            cut::head(rest, limit::MESSAGE_BYTES).clone_into(&mut found.message);
            let is_said = rest.contains(": ");
            return Self { diagnostic: found, has_module_place: false, is_said };
        };
        let number = |group: &str| captures.get(group).and_then(|digits| digits.parse::<u32>().ok());
        found.file = captures.file("file");
        found.line = captures.position("line");
        found.column = number("column");
        found.end_column = number("end_column");
        found.end_line = found.end_column.and_then(|_| number("end_line").or(found.line));
        Self { diagnostic: found, has_module_place: captures.text("sign") == " ", is_said: false }
    }

    fn line(&mut self, text: &str) {
        let found = &mut self.diagnostic;
        if let Some(captures) = LOADER.find(text) {
            found.file = captures.file("file");
            found.line = captures.position("line");
            found.column = captures.position("column");
            (found.end_line, found.end_column) = (None, None);
            self.has_module_place = false;
            return;
        }
        if self.is_said {
            self.syntax_error(text);
            let found = &mut self.diagnostic;
            if !text.starts_with(" @ ") && !is_code(text) {
                text::add_line(&mut found.message, text, limit::MESSAGE_BYTES);
            }
            return;
        }
        // The next line of ts-loader only repeats the location.
        if found.line.is_none() && SPAN.is_match(text) {
            return;
        }
        let said = text.trim_start();
        let (code, said) = match CODED.find(said) {
            Some(captures) => (captures.code(), captures.text("message")),
            None => (None, said),
        };
        found.code = code;
        cut::head(said, limit::MESSAGE_BYTES).clone_into(&mut found.message);
        self.is_said = true;
    }
}

impl Open {
    /// Takes the location from a syntax error reported by a loader:
    /// `SyntaxError: /project/src/a.js: Unexpected token (3:5)`.
    fn syntax_error(&mut self, text: &str) {
        let found = &mut self.diagnostic;
        if found.line.is_some() || found.file.is_none() || !text.contains("Error: ") {
            return;
        }
        if let Some(captures) = SYNTAX_ERROR.find(text) {
            found.line = captures.position("line");
            found.column = captures.text("column").parse().ok();
            self.has_module_place = true;
        }
    }
}

/// Whether a line shows source code: `> 4 | source`.
fn is_code(text: &str) -> bool {
    let text = text.trim_start_matches(['>', ' ']);
    let text = text.trim_start_matches(|first: char| first.is_ascii_digit());
    text.trim_start().starts_with('|')
}

#[cfg(test)]
mod tests {
    use referee_model::record::Stream;

    use super::*;

    fn first(text: &str) -> Diagnostic {
        let mut reader = Box::new(Webpack::new(true));
        for text in text.lines() {
            let stream = Stream::Stdout;
            reader.line(&Line::new(text, stream, 0..0));
        }
        reader.finish().unwrap().findings.kept.into_items().remove(0)
    }

    #[test]
    fn places_are_read_in_their_forms() {
        for (text, file, line, column, code) in [
            ("ERROR in ./a.js 1:0-32\nModule not found", Some("./a.js"), Some(1), Some(1), None),
            ("ERROR in ./a.css (./node_modules/css-loader/cjs.js!./a.css)\nNo", Some("./a.css"), None, None, None),
            (
                "ERROR in ./a.vue?vue&type=script (./b.js??x!./a.vue?vue) 3:4\nNo",
                Some("./a.vue"),
                Some(3),
                Some(5),
                None,
            ),
            (
                "ERROR in ./a.js\nModule build failed (x):\nSyntaxError: /p/a.js: No (3:5)",
                Some("./a.js"),
                Some(3),
                Some(6),
                None,
            ),
            ("ERROR in ./src/t.ts:2:7\nTS2322: No", Some("./src/t.ts"), Some(2), Some(7), Some("TS2322")),
            ("ERROR in src/t.ts 2:7-9\nTS2322: No", Some("src/t.ts"), Some(2), Some(7), Some("TS2322")),
            ("ERROR in /p/t.ts(2,7):\nTS2322: No", Some("/p/t.ts"), Some(2), Some(7), Some("TS2322")),
            ("WARNING in configuration\nThe 'mode' option", None, None, None, None),
            ("WARNING in asset size limit: The following asset(s) exceed", None, None, None, None),
        ] {
            let found = first(text);
            let facts = (found.file.as_deref(), found.line, found.column, found.code.as_deref());
            assert_eq!(facts, (file, line, column, code), "{text}");
        }
    }

    #[test]
    fn what_names_no_module_is_said_by_the_heading_or_below() {
        assert_eq!(first("WARNING in configuration\nThe 'mode' option").message, "The 'mode' option");
        assert!(first("ERROR in Conflict: No\nmore").message.starts_with("Conflict: No"));
    }

    #[test]
    fn closing_lines_are_read_in_their_forms() {
        for text in [
            "webpack 5.112.2 compiled with 2 errors and 1 warning in 158 ms",
            "webpack compiled with 1 warning",
            "main (webpack 5.1.0) compiled with 3 errors",
            "webpack 5.112.2 compiled successfully in 125 ms",
            "Rspack compiled with 1 error in 12 ms",
        ] {
            assert!(COMPILED.is_match(text), "{text}");
        }
        assert!(!COMPILED.is_match("the file was compiled with 3 errors"));
    }
}
