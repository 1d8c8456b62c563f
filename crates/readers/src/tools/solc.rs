//! solc, the Solidity compiler, and tools that print its messages (solcjs, Foundry, Hardhat):
//!
//! ```text
//! Warning (2072): Unused local variable.
//!  --> contracts/W.sol:4:31:
//!   |
//! 4 |   function f(uint a) public { uint u; }
//!   |                               ^^^^^^
//! ```
//!
//! Up to version 0.5 messages had one line: `contracts/W.sol:4:31: Warning: Unused local variable.`

use crate::prelude::*;

pub(crate) static TOOL: Tool =
    Tool::new("solc", &["solcjs", "solidity"], Role::Compile).lines(&[LineFormat::rows(&[".sol:", ".yul:"], &TEXT)]);

static TEXT: Rows = Rows::new("solc", "text").spans_blank_lines().rows(&[
    finding(r"^(?<file>\S.*?\.(?:sol|yul)):(?<line>\d+):(?<column>\d+): (?<level>[A-Z][A-Za-z]*Error|Error|Warning|Info|Fatal Error): (?<message>\S.*)$")
        .rule("solc/line"),
    lead(r"^(?<level>[A-Z][A-Za-z]*Error|Error|Warning|Info)(?: \((?<code>\d{4})\))?: (?<message>\S.*)$"),
    rest(r"^ *--> (?<file>\S.*\.(?:sol|yul)):(?:(?<line>\d+):(?:(?<column>\d+):)?)?$"),
    part(r"^(?<message>.*)$").check(|made, _| made.file.is_none() && made.message.matches('\n').count() < 40),
    // Notes with locations of their own follow after a blank line.
    related(r"^Note: (?<message>.*)$").check(|made, _| made.file.is_some()),
    related(r"^ *--> (?<file>\S.*\.(?:sol|yul)):(?:(?<line>\d+):(?:(?<column>\d+):)?)?$"),
    // The source: `4 |   source`, and a mark below it.
    part(r"^ *\d+ +\|(?: ?(?<source>.*))?$").check(|made, _| made.source.is_none() && made.related.is_empty()),
    part(r"^ +\| ?(?<caret> *\^+)$").check(|made, _| made.related.is_empty()),
    part(r"^ *\d* +\|"),
]);

#[cfg(test)]
mod tests {
    use referee_model::reading::{Diagnostic, Level};
    use referee_model::record::Stream;

    use super::*;
    use crate::scan::Line;

    fn found(text: &str) -> Vec<Diagnostic> {
        let mut reader = TEXT.reader(false);
        for text in text.lines() {
            let stream = Stream::Stderr;
            reader.line(&Line::new(text, stream, 0..0));
        }
        reader.finish().map_or(Vec::new(), |candidate| candidate.findings.kept.into_items())
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
