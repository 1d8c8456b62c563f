//! solc, the compiler of Solidity, and what prints its messages (solcjs, Foundry, Hardhat):
//!
//! ```text
//! Warning (2072): Unused local variable.
//!  --> contracts/W.sol:4:31:
//!   |
//! 4 |   function f(uint a) public { uint u; }
//!   |                               ^^^^^^
//! ```
//!
//! Until version 0.5 it was one line: `contracts/W.sol:4:31: Warning: Unused local variable.`

use std::sync::LazyLock;

use referee_model::limit;
use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level, RelatedPlace};
use referee_syntax::cut;
use regex::Regex;

use crate::claim::{self, Claim, LineReader, Standing, Use, diagnostic, name};
use crate::scan::Line;
use crate::shapes::tally::Tally;
use crate::text;
use crate::tool::{LineFormat, Tool};

/// The compiler.
pub(crate) const TOOL: Tool = Tool {
    name: "solc",
    aliases: &["solcjs", "solidity"],
    role: Role::Compile,
    lines: &[LineFormat { wakes: &[".sol:", ".yul:"], reader: |_| Box::new(Solc::new()) }],
    documents: &[],
    settle: claim::gravest,
};

/// Lines that one finding may have.
const LINES: u32 = 60;

/// Places that are kept of those that belong to one finding.
const RELATED_KEPT: usize = 8;

static HEADING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^(?<kind>[A-Z][A-Za-z]*Error|Error|Warning|Info)(?: \((?<code>\d{4})\))?: (?<message>\S.*)$")
});

static PLACE: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^ *--> (?<file>\S.*\.(?:sol|yul)):(?:(?<line>\d+):(?:(?<column>\d+):)?)?$"));

static OLD: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>\S.*?\.(?:sol|yul)):(?<line>\d+):(?<column>\d+): (?<kind>[A-Z][A-Za-z]*Error|Error|Warning|Info|Fatal Error): (?<message>\S.*)$",
    )
});

/// A line of the code: `4 |   source`.
static CODE: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^ *(?<number>\d+)? +\|(?: ?(?<source>.*))?$"));

/// Reads the compiler's messages.
struct Solc {
    tally: Tally,
    open: Option<Open>,
}

/// The finding whose lines are being read.
struct Open {
    diagnostic: Diagnostic,
    has_place: bool,
    /// Whether what is read belongs to a note.
    is_note: bool,
    lines: u32,
}

impl Solc {
    fn new() -> Self {
        Self { tally: Tally::new("solc"), open: None }
    }

    /// Ends the open finding. What has no place could be anyone's.
    fn close(&mut self) {
        if let Some(open) = self.open.take()
            && open.has_place
        {
            self.tally.add(open.diagnostic);
        }
    }

    fn begin(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        if !text.contains(": ") {
            return false;
        }
        if let Some(captures) = HEADING.captures(text) {
            self.close();
            let mut found = diagnostic("solc", "solc/text", line, level(&captures["kind"]), &captures["message"]);
            found.code = captures.name("code").map(|code| code.as_str().to_owned());
            self.open = Some(Open { diagnostic: found, has_place: false, is_note: false, lines: 0 });
            return true;
        }
        if !text.contains(".sol:") && !text.contains(".yul:") {
            return false;
        }
        let Some(captures) = OLD.captures(text) else {
            return false;
        };
        self.close();
        let mut found = diagnostic("solc", "solc/line", line, level(&captures["kind"]), &captures["message"]);
        found.file = Some(name(&text::path(&captures["file"])));
        found.line = text::position(&captures["line"]);
        found.column = text::position(&captures["column"]);
        self.tally.add(found);
        true
    }
}

fn level(kind: &str) -> Level {
    match kind {
        "Warning" => Level::Warning,
        "Info" => Level::Info,
        _ => Level::Error,
    }
}

impl LineReader for Solc {
    fn line(&mut self, line: &Line<'_>) -> Use {
        if self.begin(line) {
            return Use::Line;
        }
        let Some(open) = &mut self.open else {
            return Use::None;
        };
        if line.is_blank() {
            // Notes with places of their own follow behind a blank line.
            return Use::None;
        }
        open.lines += 1;
        if LINES < open.lines || !open.line(line.text.trim_end()) {
            self.close();
            return Use::None;
        }
        open.diagnostic.origin.end = line.end;
        Use::Line
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        (0 < self.tally.read).then(|| self.tally.claim("text", Standing::Certain))
    }
}

impl Open {
    /// Takes a line that may belong to the finding; returns whether it does.
    fn line(&mut self, text: &str) -> bool {
        let found = &mut self.diagnostic;
        if let Some(captures) = PLACE.captures(text) {
            let number = |group: &str| captures.name(group).and_then(|digits| text::position(digits.as_str()));
            let (file, line, column) = (Some(name(&text::path(&captures["file"]))), number("line"), number("column"));
            if !self.has_place {
                self.has_place = true;
                (found.file, found.line, found.column) = (file, line, column);
            } else if let Some(note) = found.related.last_mut().filter(|_| self.is_note) {
                (note.file, note.line, note.column) = (file, line, column);
            }
            return true;
        }
        if let Some(note) = text.strip_prefix("Note: ") {
            self.is_note = true;
            if found.related.len() < RELATED_KEPT {
                let message = cut::head(note, limit::MESSAGE_BYTES / RELATED_KEPT).to_owned();
                found.related.push(RelatedPlace { file: None, line: None, column: None, message });
            }
            return true;
        }
        if let Some(captures) = CODE.captures(text) {
            self.code(captures.name("number").is_some(), captures.name("source").map_or("", |source| source.as_str()));
            return true;
        }
        // A message of several lines.
        if !self.has_place {
            text::add_line(&mut found.message, text, limit::MESSAGE_BYTES);
        }
        !self.has_place
    }

    fn code(&mut self, is_numbered: bool, source: &str) {
        let found = &mut self.diagnostic;
        if self.is_note {
            return;
        }
        if is_numbered && found.source.is_none() {
            found.source = Some(cut::head(source, limit::MESSAGE_BYTES).to_owned());
        }
        let marks = source.trim();
        if !is_numbered && !marks.is_empty() && marks.bytes().all(|byte| byte == b'^') && found.end_column.is_none() {
            found.end_line = found.line;
            found.end_column = found.column.and_then(|column| column.checked_add(u32::try_from(marks.len()).ok()?));
        }
    }
}

#[cfg(test)]
mod tests {
    use referee_model::record::Stream;

    use super::*;

    fn found(text: &str) -> Vec<Diagnostic> {
        let mut reader = Box::new(Solc::new());
        for text in text.lines() {
            let stream = Stream::Stderr;
            reader.line(&Line { text: text.into(), text_start: None, stream, start: 0, end: 0, is_cut: false });
        }
        reader.finish().map_or(Vec::new(), |claim| claim.findings.kept.into_items())
    }

    #[test]
    fn both_layouts_are_read() {
        for (text, level, code, column) in [
            ("Error (7576): No\n --> a.sol:6:65:\n  |\n6 | x\n  | ^\n", Level::Error, Some("7576"), 65),
            ("Warning: No\n --> a.sol:6:5:\n", Level::Warning, None, 5),
            ("a.sol:6:5: Warning: No\n    x\n    ^", Level::Warning, None, 5),
            ("a.sol:6:5: ParserError: No", Level::Error, None, 5),
        ] {
            let found = found(text);
            assert_eq!((found.len(), found[0].level, found[0].code.as_deref()), (1, level, code), "{text}");
            assert_eq!((found[0].line, found[0].column), (Some(6), Some(column)), "{text}");
        }
    }

    #[test]
    fn what_is_not_of_solidity_is_left_alone() {
        assert!(found("Error: No\n --> a.rs:6:5\n").is_empty());
        assert!(found("Warning: a.sol: look\nat this\n").is_empty());
    }

    #[test]
    fn notes_are_related_places() {
        let text = "Warning: Shadows\n --> a.sol:6:5:\n  |\n6 | x\n\nNote: It is here:\n --> b.sol:2:3:\n";
        let found = found(text);
        let note = &found[0].related[0];
        assert_eq!((found.len(), note.file.as_deref(), note.line), (1, Some("b.sol"), Some(2)));
    }
}
