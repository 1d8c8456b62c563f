//! Python itself: uncaught exceptions, and files that it cannot parse.
//!
//! ```text
//! Traceback (most recent call last):
//!   File "/project/main.py", line 12, in <module>
//!     main()
//! RuntimeError: config broken
//! ```
//!
//! Any program may print a traceback, even of handled exceptions: without a hint it counts only if no tool is
//! recognized.

use crate::prelude::*;
use crate::shapes::python::{Frame, TRACEBACK, frame, is_chained, is_in_project};

pub(crate) static TOOL: Tool = Tool::new("python", &["python3", "py_compile", "compileall"], Role::Compile)
    .lines(&[LineFormat::new(&[TRACEBACK, "SyntaxError: ", "IndentationError: ", "TabError: "], |is_hinted| {
        Box::new(Python { is_hinted, ..Python::default() })
    })])
    .merge(candidate::together);

const RULE: &str = "python/traceback";

/// The exception: its name, with the module unless it is built in, and its message.
static EXCEPTION: Pattern = Pattern::new(r"^(?:[A-Za-z_]\w*\.)*(?<code>[A-Za-z_]\w*)(?:: (?<message>.*))?$");

#[derive(Default)]
struct Python {
    is_hinted: bool,
    findings: Findings,
    open: Option<Open>,
    /// The last exception, which may be the cause of the next one.
    last: Option<Diagnostic>,
}

/// A traceback that is being read.
struct Open {
    start: u64,
    /// The innermost frame in the project.
    own: Option<Frame>,
    /// The innermost frame of all.
    innermost: Option<Frame>,
    /// Whether a line announced the traceback. Without one, only a syntax error counts.
    has_heading: bool,
}

impl Open {
    fn new(start: u64, has_heading: bool) -> Self {
        Self { start, own: None, innermost: None, has_heading }
    }

    fn push(&mut self, found: Frame) {
        if is_in_project(&found.file) {
            self.own = Some(found.clone());
        }
        self.innermost = Some(found);
    }
}

impl Python {
    fn keep(&mut self) {
        if let Some(found) = self.last.take() {
            self.findings.add(found);
        }
    }

    /// Ends a traceback with its exception.
    fn raise(&mut self, open: Open, line: &Line<'_>, text: &str) -> bool {
        let Some(captures) = EXCEPTION.find(text) else { return false };
        let code = captures.text("code");
        let is_syntax = matches!(code, "SyntaxError" | "IndentationError" | "TabError");
        if !open.has_heading && !is_syntax {
            return false;
        }
        let message = captures.get("message").unwrap_or(code);
        let mut found = diagnostic("python", RULE, line, Level::Error, message);
        found.code = Some(name(code));
        let place = if is_syntax { open.innermost } else { open.own.or(open.innermost) };
        found.line = place.as_ref().and_then(|frame| frame.line);
        found.file = place.map(|frame| frame.file);
        found.origin = origin(RULE, line);
        found.origin.start = open.start;
        self.keep();
        self.last = Some(found);
        true
    }
}

impl LineReader for Python {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if text == TRACEBACK {
            self.open = Some(Open::new(line.start, true));
            return Use::Line;
        }
        // `compileall` marks a file that it cannot parse with `***`.
        if let Some(found) = frame(text.strip_prefix("***").unwrap_or(text)) {
            self.open.get_or_insert_with(|| Open::new(line.start, false)).push(found);
            return Use::Line;
        }
        if self.last.is_some() && is_chained(text) {
            // The later exception replaces the one that caused it.
            self.last = None;
            return Use::Line;
        }
        if text.is_empty() {
            return Use::None;
        }
        let Some(open) = self.open.take() else {
            self.keep();
            return Use::None;
        };
        if text.starts_with(' ') {
            self.open = Some(open);
            return Use::Line;
        }
        let is_first = open.innermost.is_none();
        if !is_first && self.raise(open, line, text) { Use::Line } else { Use::None }
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.keep();
        let confidence = if self.is_hinted { Confidence::Certain } else { Confidence::LastResort };
        let has_findings = 0 < self.findings.counts.total();
        has_findings.then(|| Candidate::of("traceback", self.findings).confidence(confidence))
    }
}

#[cfg(test)]
mod tests {
    use referee_model::record::Stream;

    use super::*;

    fn read(text: &str) -> Vec<Diagnostic> {
        let mut reader = Box::new(Python { is_hinted: true, ..Python::default() });
        for line in text.lines() {
            let text = line;
            reader.line(&Line::new(text, Stream::Stderr, 0..1));
        }
        reader.finish().map(|candidate| candidate.findings.kept.into_items()).unwrap_or_default()
    }

    #[test]
    fn the_innermost_place_in_the_project_is_told() {
        let text = "Traceback (most recent call last):\n  File \"main.py\", line 3, in <module>\n    run()\n  File \"/usr/lib/python3.11/json/decoder.py\", line 1, in decode\njson.decoder.JSONDecodeError: bad\n";
        let found = read(text);
        assert_eq!(
            (found[0].file.as_deref(), found[0].line, found[0].code.as_deref()),
            (Some("main.py"), Some(3), Some("JSONDecodeError"))
        );
    }

    #[test]
    fn what_came_of_an_exception_stands_for_it() {
        let one = "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nValueError: x\n";
        let chained = format!("{one}\nDuring handling of the above exception, another exception occurred:\n\n{one}");
        assert_eq!(read(&chained).len(), 1);
        assert_eq!(read(&format!("{one}{one}")).len(), 2);
    }

    #[test]
    fn without_a_heading_only_a_syntax_error_is_one() {
        assert_eq!(read("  File \"a.py\", line 1\n    def f(:\n          ^\nSyntaxError: invalid syntax\n").len(), 1);
        assert!(read("  File \"a.py\", line 1\nsomething else\n").is_empty());
    }
}
