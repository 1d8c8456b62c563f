//! GHC, the Haskell compiler, also as cabal and stack pass its output on.
//!
//! ```text
//! Main.hs:15:9: error: [GHC-88464]
//!     Variable not in scope: undefinedName
//!    |
//! 15 |   print undefinedName
//!    |         ^^^^^^^^^^^^^
//! ```
//!
//! Before version 9.4 there is no code, and a message of one line may stand behind the severity.

mod json;

use std::sync::LazyLock;

use referee_model::limit;
use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use referee_syntax::cut;
use regex::{Captures, Regex};

use crate::claim::{self, Claim, Findings, LineReader, Use, diagnostic, name};
use crate::scan::Line;
use crate::shapes::pattern::level;
use crate::text;
use crate::tool::{LineFormat, Tool};

/// GHC.
pub(crate) const TOOL: Tool = Tool {
    name: "ghc",
    aliases: &["cabal", "stack", "runghc", "ghci"],
    role: Role::Compile,
    lines: &[
        LineFormat {
            wakes: &[": error:", ": warning:", ": fatal:", ": information:", "<no location info>: "],
            reader: |_| Box::new(Ghc::default()),
        },
        json::FORMAT,
    ],
    documents: &[],
    settle: claim::gravest,
};

static HEADING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?:[\w.-]+ *> )?(?:(?<file>(?:[A-Za-z]:)?[^\s:][^:]*\.(?:l?hs|hs-boot|hsc|chs|hsig|cabal|x|y)):(?:(?<line>\d+):(?<column>\d+)(?:-(?<end_column>\d+))?|\((?<line2>\d+),(?<column2>\d+)\)-\((?<end_line>\d+),(?<end_column2>\d+)\))|<(?:no location info|interactive|command line)>(?::\d+:\d+(?:-\d+)?)?): (?<level>error|warning|fatal|information):?(?<tail>.*)$",
    )
});

#[derive(Default)]
struct Ghc {
    findings: Findings,
    open: Option<Open>,
}

struct Open {
    diagnostic: Diagnostic,
    /// Whether the lines below are its code frame.
    is_in_frame: bool,
    /// What stack writes before every line.
    prefix: usize,
}

impl Ghc {
    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            self.findings.add(open.diagnostic);
        }
    }

    fn begin(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        let may_be = text.contains(": error:")
            || text.contains(": warning:")
            || text.contains(": fatal:")
            || text.contains(": information:");
        let Some(captures) = may_be.then(|| HEADING.captures(text)).flatten() else {
            return false;
        };
        self.close();
        let (codes, message) = split_codes(captures.name("tail").map_or("", |tail| tail.as_str()));
        let said = level(&captures["level"]).unwrap_or(Level::Error);
        let mut found = diagnostic("ghc", "ghc/text", line, said, strip_bullet(message));
        found.code = code(&codes, said);
        locate(&mut found, &captures);
        let prefix = text.find("> ").filter(|at| captures.name("file").is_some_and(|file| *at < file.start()));
        let prefix = prefix.map_or(0, |at| at + 2);
        self.open = Some(Open { diagnostic: found, is_in_frame: false, prefix });
        true
    }
}

/// Says where a finding is; of a span on one line GHC prints the last column, which is in it.
fn locate(found: &mut Diagnostic, captures: &Captures<'_>) {
    let number = |group: &str| captures.name(group).and_then(|digits| text::position(digits.as_str()));
    found.file = captures.name("file").map(|file| name(&text::path(file.as_str())));
    found.line = number("line").or_else(|| number("line2"));
    found.column = number("column").or_else(|| number("column2"));
    let end_column = number("end_column").or_else(|| number("end_column2"));
    found.end_line = number("end_line").or(found.line.filter(|_| end_column.is_some()));
    found.end_column = end_column.map(|column| column.saturating_add(1));
}

/// Splits what stands in brackets behind the severity from the message.
fn split_codes(tail: &str) -> (Vec<&str>, &str) {
    let mut codes = Vec::new();
    let mut rest = tail.trim();
    while let Some((inner, behind)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        if !inner.starts_with("GHC-") && !inner.starts_with("-W") && !inner.starts_with("-f") {
            break;
        }
        codes.extend(inner.split(", "));
        rest = behind.trim_start();
    }
    (codes, rest)
}

/// Of a warning the flag that turns it on counts, of an error its number.
fn code(codes: &[&str], level: Level) -> Option<String> {
    let flag = codes.iter().find(|code| code.starts_with("-W") && !code.starts_with("-Werror"));
    let number = codes.iter().find(|code| code.starts_with("GHC-"));
    let code = if level == Level::Error { number.or(flag) } else { flag.or(number) };
    code.or(codes.first()).map(|code| name(code))
}

fn strip_bullet(text: &str) -> &str {
    // Where the terminal has no bullets, a star stands for them.
    text.strip_prefix("• ").or_else(|| text.strip_prefix("* ")).unwrap_or(text)
}

impl Open {
    /// Takes a line below a heading; returns whether it belongs to the finding.
    fn line(&mut self, line: &Line<'_>) -> bool {
        let found = &mut self.diagnostic;
        let text = line.text.get(self.prefix..).unwrap_or_default();
        if let Some((number, source)) = frame(text) {
            self.is_in_frame = true;
            match number {
                Some(number) if found.source.is_none() && Some(number) == found.line => {
                    found.source = Some(cut::head(source, limit::MESSAGE_BYTES).to_owned());
                }
                None if found.end_column.is_none() && source.contains('^') => {
                    let run = u32::try_from(source.matches('^').count()).unwrap_or(1);
                    found.end_line = found.line;
                    found.end_column = found.column.map(|column| column.saturating_add(run));
                }
                _ => {}
            }
        } else if text.starts_with("    ") && !self.is_in_frame {
            text::append_line(&mut found.message, strip_bullet(text.trim()), limit::MESSAGE_BYTES);
        } else {
            return false;
        }
        found.origin.end = line.end;
        true
    }
}

/// Splits a line of a code frame into its number and what stands behind the bar.
fn frame(text: &str) -> Option<(Option<u32>, &str)> {
    let (left, right) = text.split_once('|')?;
    let number = left.trim_matches(' ');
    let is_frame = left.ends_with(' ') && number.bytes().all(|byte| byte.is_ascii_digit());
    is_frame.then(|| (text::position(number), right.strip_prefix(' ').unwrap_or(right)))
}

impl LineReader for Ghc {
    fn line(&mut self, line: &Line<'_>) -> Use {
        if self.begin(line) {
            return Use::Line;
        }
        let is_blank = line.is_blank();
        match self.open.as_mut().map(|open| !is_blank && open.line(line)) {
            Some(true) => Use::Line,
            Some(false) => {
                // A blank line may stand within a message, not behind its frame.
                if !is_blank || self.open.as_ref().is_some_and(|open| open.is_in_frame) {
                    self.close();
                }
                Use::None
            }
            None => Use::None,
        }
    }

    fn sleeps(&self) -> bool {
        self.open.is_none()
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        let found = 0 < self.findings.counts.total();
        found.then(|| Claim { format: "text", findings: self.findings, ..Claim::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_stand_behind_the_severity() {
        for (tail, said, expected, message) in [
            (" Variable not in scope: x", Level::Error, None, "Variable not in scope: x"),
            (" [GHC-88464]", Level::Error, Some("GHC-88464"), ""),
            (" [-Wunused-imports]", Level::Warning, Some("-Wunused-imports"), ""),
            (" [GHC-66111] [-Wunused-imports]", Level::Warning, Some("-Wunused-imports"), ""),
            (" [-Wtype-defaults, -Werror=type-defaults]", Level::Error, Some("-Wtype-defaults"), ""),
            (" [1] is odd", Level::Error, None, "[1] is odd"),
        ] {
            let (codes, rest) = split_codes(tail);
            assert_eq!((code(&codes, said).as_deref(), rest), (expected, message), "{tail}");
        }
    }
}
