//! CMake, where it configures.
//!
//! ```text
//! CMake Error at CMakeLists.txt:5 (find_package):
//!   Could not find a package configuration file …
//!
//! Call Stack (most recent call first):
//!   cmake/all.cmake:3 (include)
//! ```

use std::sync::LazyLock;

use referee_model::limit;
use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level, RelatedPlace};
use referee_syntax::cut;
use regex::Regex;

use crate::claim::{Claim, Findings, LineReader, Use, diagnostic, gravest, name};
use crate::scan::Line;
use crate::text;
use crate::tool::{LineFormat, Tool};

/// CMake.
pub(crate) const TOOL: Tool = Tool {
    name: "cmake",
    aliases: &[],
    role: Role::Compile,
    lines: &[LineFormat {
        wakes: &["CMake Error", "CMake Warning", "CMake Deprecation "],
        reader: |_| Box::new(Cmake::default()),
    }],
    documents: &[],
    settle: gravest,
};

static HEADING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^CMake (?:Deprecation )?(?<level>Error|Warning)(?: \(dev\))?(?: (?:at|in) (?<file>[^:]+?)(?::(?<line>\d+))?(?: \([^)]*\))?:|: (?<message>\S.*)|:)$",
    )
});

/// A row of the call stack.
static CALL: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^  (?<file>\S[^:]*):(?<line>\d+) \((?<call>[^)]*)\)$"));

/// Most rows of a call stack that are kept.
const RELATED_KEPT: usize = 16;

#[derive(Default)]
struct Cmake {
    findings: Findings,
    open: Option<Diagnostic>,
    is_in_stack: bool,
    blank_lines: u8,
}

impl Cmake {
    fn close(&mut self) {
        if let Some(found) = self.open.take() {
            self.findings.add(found);
        }
        self.is_in_stack = false;
        self.blank_lines = 0;
    }

    fn begin(&mut self, line: &Line<'_>) -> bool {
        let captures = if line.text.starts_with("CMake ") { HEADING.captures(&line.text) } else { None };
        let Some(captures) = captures else {
            return false;
        };
        self.close();
        let level = if &captures["level"] == "Error" { Level::Error } else { Level::Warning };
        let message = captures.name("message").map_or("", |message| message.as_str());
        let mut found = diagnostic("cmake", "cmake/text", line, level, message);
        found.file = captures.name("file").map(|file| name(&text::path(file.as_str())));
        found.line = captures.name("line").and_then(|line| text::position(line.as_str()));
        self.open = Some(found);
        true
    }

    /// Takes an indented line below a heading.
    fn go_on(&mut self, line: &Line<'_>) -> bool {
        let Some(found) = &mut self.open else {
            return false;
        };
        let text = &*line.text;
        if line.is_blank() {
            self.blank_lines += 1;
            if 2 < self.blank_lines {
                self.close();
            }
            return false;
        }
        self.blank_lines = 0;
        if text.starts_with("Call Stack (most recent call first)") {
            self.is_in_stack = true;
        } else if self.is_in_stack
            && let Some(captures) = CALL.captures(text)
        {
            if found.related.len() < RELATED_KEPT {
                found.related.push(RelatedPlace {
                    file: Some(name(&text::path(&captures["file"]))),
                    line: text::position(&captures["line"]),
                    column: None,
                    message: captures["call"].to_owned(),
                });
            }
        } else if text.starts_with("  ") && !self.is_in_stack {
            if found.message.is_empty() {
                cut::head(text.trim(), limit::MESSAGE_BYTES).clone_into(&mut found.message);
            } else {
                text::add_line(&mut found.message, text.trim_end(), limit::MESSAGE_BYTES);
            }
        } else {
            let is_talk = text.starts_with("This warning is for project developers");
            self.close();
            return is_talk;
        }
        found.origin.end = line.end;
        true
    }
}

impl LineReader for Cmake {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let is_used = self.begin(line) || self.go_on(line) || line.text.starts_with("-- Configuring incomplete");
        if is_used { Use::Line } else { Use::None }
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        let found = 0 < self.findings.counts.total();
        found.then(|| Claim { format: "text", findings: self.findings, ..Claim::default() })
    }
}
