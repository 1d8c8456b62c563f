//! The human and short layouts.
//!
//! ```text
//! error[E0308]: mismatched types
//!  --> src/lib.rs:3:5
//!   |
//! 3 |     "one"
//!   |     ^^^^^ expected `i32`, found `&str`
//! ```
//!
//! A finding ends at the next blank line. `note:` and `help:` at the start of a line belong to the finding above.

use super::attributed;
use super::summary;
use crate::level::level as level_of;
use crate::prelude::*;

/// Texts one of which is in some line of every output in these layouts.
pub(crate) const PREFILTER: &[&str] = &[
    " --> ",
    ".rs:",
    ".RS:",
    "Cargo.toml:",
    "Cargo.lock:",
    "<anon>:",
    "\nerror: ",
    "error[E",
    "\nwarning: ",
    "   Compiling ",
    "    Checking ",
    "    Finished `",
    "    Finished dev",
    "    Finished test",
    "    Finished release",
];

/// Texts of findings in any file, which are the compiler's only if the command names it.
pub(crate) const NAMED: &[&str] = &["error: ", "warning: "];

/// Maximum number of heading lines that are added to the message.
const HEADING_LINES: usize = 40;

/// `error[E0308]: mismatched types`.
static HEADING: Pattern = Pattern::new(r"^(?<level>error|warning)(?: ?\[(?<code>[\w:-]+)\])?: (?<message>.+)$");

/// `src/lib.rs:3:5: error[E0308]: mismatched types`.
static SHORT: Pattern = Pattern::new(
    r"^(?<file>[^\s:][^:]*(?::[\\/][^:]*)?):(?<line>\d+):(?<column>\d+): (?<level>error|warning|note|help)(?:\[(?<code>[\w:-]+)\])?: (?<message>.+)$",
);

/// What is in every such line that is Rust's without a hint.
const FILES: &[&str] = &[".rs:", ".RS:", "Cargo.", "<anon>"];

/// ` --> src/lib.rs:3:5`.
static PLACE: Pattern = Pattern::new(r"^ *(?:-->|:::) (?<file>\S.*?):(?<line>\d+):(?<column>\d+)$");

/// `12 |     let x = 1;`.
static SOURCE: Pattern = Pattern::new(r"^ *(?<number>\d+) \|(?: (?<source>.*))?$");

/// A note that names the lint: ``= note: `#[warn(unused_imports)]` on by default``.
static LINT: Pattern = Pattern::new(
    r"^ *= note: (?:requested on the command line with )?`(?:#\[\w+\((?<attribute>[\w:]+)\)\]|-[A-Z] ?(?<option>[\w:-]+))`",
);

/// The documentation page of a Clippy lint.
static CLIPPY: Pattern = Pattern::new(r"rust-lang\.github\.io/rust-clippy/\S*index\.html#/?(?<lint>\w+)");

#[derive(Default)]
pub(crate) struct Human {
    is_hinted: bool,
    findings: Findings,
    /// Findings without a location, which are the compiler's only if the log is.
    placeless: Vec<Diagnostic>,
    open: Option<Open>,
    /// The largest final count of errors of one unit: a unit's findings are printed only once, even if two units
    /// count them.
    summed_up: u64,
    /// Whether a line was read that only rustc and Cargo print.
    is_rust: bool,
    /// Whether the current lines are captured output of tests.
    is_captured: bool,
    /// Whether the built program is running: lines without a location are then its own output.
    is_running: bool,
}

/// The finding whose lines are being read.
struct Open {
    diagnostic: Diagnostic,
    lines: usize,
    /// The text of the last `note:` or `help:`, which the next location belongs to.
    remark: Option<String>,
    /// Byte offset of the code in the source line, if that was the last line read.
    source_at: Option<usize>,
}

impl Human {
    pub(crate) fn new(is_hinted: bool) -> Self {
        Self { is_hinted, ..Self::default() }
    }

    fn close(&mut self) {
        let Some(Open { diagnostic, .. }) = self.open.take() else { return };
        let Some(file) = &diagnostic.file else {
            // Only rustc has such error codes.
            self.is_rust |= diagnostic.code.as_deref().is_some_and(is_error_code);
            // Cargo repeats a build script's warnings for each unit that fails.
            let is_repeated = is_of_build_script(&diagnostic)
                && self.placeless.iter().any(|earlier| earlier.message == diagnostic.message);
            if self.placeless.len() < limit::FINDINGS_KEPT && !self.is_running && !is_repeated {
                self.placeless.push(diagnostic);
            }
            return;
        };
        let is_of_rust = is_rust_file(file);
        // typos words its findings like this.
        let is_of_typos = diagnostic.code.is_none()
            && diagnostic.message.starts_with('`')
            && diagnostic.message.contains("` should be `");
        if is_of_rust && !is_of_typos || self.is_hinted {
            self.is_rust |= is_of_rust;
            self.findings.add(attributed(diagnostic));
        }
    }

    /// Tracks captured output of tests, which is printed between such lines.
    fn captured(&mut self, text: &str) {
        if text.starts_with("---- ") && text.ends_with(" ----") || text.starts_with("--- STD") {
            self.close();
            self.is_captured = true;
        } else if text.starts_with("test result: ")
            || text == "failures:"
            || text.starts_with("     Running ")
            || text.starts_with("   Doc-tests ")
            || text.starts_with("     Summary [")
        {
            self.is_captured = false;
        }
        let runs = text.starts_with("     Running ")
            || text.starts_with("   Doc-tests ")
            || text.starts_with("    Starting ")
            || text.starts_with("running ") && text.ends_with(['t', 's']) && text.contains(" test");
        if runs {
            self.close();
            self.is_running = true;
        } else if summary::is_building(text) {
            self.is_running = false;
        }
    }

    fn heading(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        if !text.starts_with("error") && !text.starts_with("warning") {
            return false;
        }
        let Some(captures) = HEADING.find(text) else { return false };
        self.close();
        let level = level_of(captures.text("level")).unwrap_or(Level::Error);
        let message = captures.text("message");
        if !captures.has("code")
            && let Some(sum) = summary::sum(level, message)
        {
            let counts = 0 < sum.errors + sum.warnings;
            self.is_rust |= counts;
            self.summed_up = self.summed_up.max(sum.errors);
            return counts;
        }
        let mut found = diagnostic("rustc", "rustc/human", line, level, message);
        found.code = captures.get("code").map(name);
        self.open = Some(Open { diagnostic: found, lines: 0, remark: None, source_at: None });
        true
    }

    fn short(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        let may_be = !text.starts_with(' ') && (self.is_hinted || FILES.iter().any(|part| text.contains(part)));
        if !may_be || !(text.contains(": error") || text.contains(": warning")) {
            return false;
        }
        let Some(captures) = SHORT.find(text) else { return false };
        let is_of_rust = is_rust_file(captures.text("file"));
        if !is_of_rust && !self.is_hinted {
            return false;
        }
        self.close();
        self.is_rust |= is_of_rust;
        self.findings.add(captures.diagnostic("rustc", "rustc/short", line, Level::Error));
        true
    }
}

impl LineReader for Human {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        self.captured(text);
        if self.is_captured {
            return Use::None;
        }
        if self.heading(line) || self.short(line) {
            return Use::Line;
        }
        if line.is_blank {
            self.close();
            return Use::None;
        }
        if let Some(open) = &mut self.open {
            if open.line(line) {
                return Use::Line;
            }
            self.close();
        }
        if summary::is_status(text) {
            self.is_rust = true;
            return Use::Line;
        }
        let explains = text.starts_with("For more information about ")
            || text.starts_with("Some errors have detailed explanations: E");
        if explains { Use::Line } else { Use::None }
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        let has_findings = 0 < self.findings.counts.total() + self.placeless.len() as u64;
        if !(self.is_rust || self.is_hinted && has_findings) {
            return None;
        }
        let Self { mut findings, placeless, summed_up, .. } = *self;
        for diagnostic in placeless {
            findings.add(diagnostic);
        }
        Some(Candidate { format: "text", findings, errors_summed_up: summed_up, ..Candidate::default() })
    }
}

/// Whether a warning is from a build script: `demo@0.1.0: message`.
fn is_of_build_script(found: &Diagnostic) -> bool {
    let package = found.message.split_once(": ").map_or("", |(package, _)| package);
    found.level == Level::Warning && package.contains('@') && !package.contains(' ')
}

/// Whether only rustc and Cargo report findings in a file.
fn is_rust_file(file: &str) -> bool {
    text::has_extension(file, &["rs"])
        || file.ends_with("Cargo.toml")
        || file.ends_with("Cargo.lock")
        || file == "<anon>"
}

fn is_error_code(code: &str) -> bool {
    code.len() == 5 && code.starts_with('E') && code.bytes().skip(1).all(|byte| byte.is_ascii_digit())
}

impl Open {
    /// Reads a line that may belong to the finding, and returns whether it does.
    fn line(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        let is_first = self.lines == 0;
        self.lines += 1;
        let source_at = self.source_at.take();
        let is_used = if let Some(captures) = PLACE.find(text) {
            self.place(&captures);
            true
        } else if let Some(captures) = SOURCE.find(text) {
            self.source(&captures);
            true
        } else if self.diagnostic.file.is_none() {
            return self.heading_goes_on(line, is_first);
        } else {
            let trimmed = text.trim_start();
            if let Some(at) = source_at {
                self.underline(text, at);
            }
            self.remark(text, trimmed);
            text.starts_with(' ')
                || text.starts_with("note: ")
                || text.starts_with("help: ")
                || text.starts_with("...")
                || trimmed.as_bytes().first().is_some_and(u8::is_ascii_digit)
                || text.starts_with('|')
        };
        if is_used {
            self.diagnostic.origin.end = line.end;
        }
        is_used
    }

    /// Reads a line between the heading and the location. A heading without a location has only notes.
    fn heading_goes_on(&mut self, line: &Line<'_>, is_first: bool) -> bool {
        let text = &*line.text;
        let is_remark = text.starts_with("note: ") || text.starts_with("help: ");
        let belongs = is_remark || text.starts_with(' ');
        if !belongs || HEADING_LINES < self.lines || summary::is_status(text) {
            return false;
        }
        if !text.trim_start().starts_with('=') && !is_remark && (is_first || 2 <= text::indent(text)) {
            text::add_line(&mut self.diagnostic.message, text.trim(), limit::MESSAGE_BYTES);
        }
        self.diagnostic.origin.end = line.end;
        true
    }

    fn place(&mut self, captures: &Groups<'_, '_>) {
        if self.diagnostic.file.is_none() {
            captures.locate(&mut self.diagnostic);
        } else {
            let message = self.remark.take().unwrap_or_default();
            candidate::relate(&mut self.diagnostic, [RelatedPlace { message, ..captures.related() }]);
        }
    }

    fn source(&mut self, captures: &Groups<'_, '_>) {
        let is_own = self.diagnostic.source.is_none()
            && self.diagnostic.line.is_some()
            && self.diagnostic.line == captures.position("number")
            && self.remark.is_none();
        if let Some(source) = captures.get("source").filter(|_| is_own) {
            self.diagnostic.source = Some(cut::head(source, limit::MESSAGE_BYTES).to_owned());
            self.source_at = captures.start("source");
        }
    }

    /// Sets the end of the finding from the carets below its source line, if they begin at its column.
    fn underline(&mut self, text: &str, at: usize) {
        let Some(marks) = text.get(at..) else { return };
        let Some(first) = marks.find('^').and_then(|found| u32::try_from(found + 1).ok()) else { return };
        if self.diagnostic.column != Some(first) {
            return;
        }
        let width = marks.bytes().skip_while(|byte| *byte != b'^').take_while(|byte| *byte == b'^').count();
        self.diagnostic.end_line = self.diagnostic.line;
        self.diagnostic.end_column = u32::try_from(width).ok().and_then(|width| first.checked_add(width));
    }

    /// Parses `= note: …`, `= help: …`, `note: …` and `help: …` for the lint's name and the suggestion.
    fn remark(&mut self, text: &str, trimmed: &str) {
        let bare = trimmed.strip_prefix("= ").unwrap_or(trimmed);
        if let Some(help) = bare.strip_prefix("help: ") {
            if let Some(captures) = CLIPPY.find(help) {
                self.diagnostic.code.get_or_insert_with(|| name(&format!("clippy::{}", captures.text("lint"))));
            } else if self.diagnostic.suggestion.is_none() && !help.starts_with("to override ") {
                self.diagnostic.suggestion = Some(cut::head(help, limit::MESSAGE_BYTES).to_owned());
            }
        }
        if let Some(captures) = bare.starts_with("note: ").then(|| LINT.find(text)).flatten() {
            let attribute = captures.get("attribute").map(str::to_owned);
            let option = captures.get("option").map(|lint| lint.replace('-', "_"));
            if let Some(lint) = attribute.or(option) {
                self.diagnostic.code.get_or_insert_with(|| name(&lint));
            }
        }
        if text.starts_with("note: ") || text.starts_with("help: ") {
            let remark = text.split_once(": ").map_or("", |(_, remark)| remark);
            self.remark = Some(cut::head(remark, limit::MESSAGE_BYTES).to_owned());
        }
    }
}

#[cfg(test)]
mod tests;
