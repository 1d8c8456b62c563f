//! Compiler errors that a linter passes on where a package does not compile: one problem of several lines, with
//! the package's name in the first and, in text output, the linter's code for it at the end of the last.
//!
//! ```text
//! -: # example.com/demo/broken
//! broken/broken.go:3:23: undefined: missing
//! broken/broken.go:5:26: cannot use 1 as string value in return statement (compile)
//! ```

use crate::prelude::*;

static LINE: Pattern =
    Pattern::new(r"^(?<file>[^\s:][^:]*\.(?:go|mod|s|c|h)):(?<line>\d+)(?::(?<column>\d+))?: (?<message>\S.*)$");

/// Reads the lines below the first line of such a problem.
pub(crate) struct Quotation {
    /// The linter's code for compile errors.
    code: &'static str,
    is_open: bool,
}

impl Quotation {
    pub(crate) fn new(code: &'static str) -> Self {
        Self { code, is_open: false }
    }

    pub(crate) fn begin(&mut self) {
        self.is_open = true;
    }

    pub(crate) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Reads a line while the quotation is open. Returns `None` once it is over or the line is something else.
    pub(crate) fn line(&mut self, line: &Line<'_>, tool: &str, rule: &str, findings: &mut Findings) -> Option<Use> {
        if !std::mem::take(&mut self.is_open) {
            return None;
        }
        let text = &*line.text;
        let unmarked = text.strip_suffix(')').and_then(|text| text.strip_suffix(self.code)?.strip_suffix(" ("));
        let said = unmarked.unwrap_or(text);
        if let Some(captures) = LINE.find(said) {
            let mut found = captures.diagnostic(tool, rule, line, Level::Error);
            found.code = Some(self.code.to_owned());
            findings.add(found);
        } else {
            // A line that begins with a tab continues the message.
            let last = findings.kept.items_mut().last_mut().filter(|_| said.starts_with('\t'))?;
            text::add_line(&mut last.message, said.trim(), limit::MESSAGE_BYTES);
            last.origin.end = line.end;
        }
        self.is_open = unmarked.is_none();
        Some(Use::Line)
    }
}
