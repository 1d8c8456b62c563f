//! OCaml's compilers, also as dune passes their output on.
//!
//! ```text
//! File "a.ml", line 2, characters 14-19:
//! 2 | let x = add 1 "two"
//!                   ^^^^^
//! Error: This expression has type string but an expression was expected of type
//!          int
//! ```

use std::sync::LazyLock;

use referee_model::limit;
use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use referee_syntax::cut;
use regex::{Captures, Regex};

use crate::claim::{Claim, Findings, LineReader, Use, diagnostic, gravest, name};
use crate::scan::Line;
use crate::text;
use crate::tool::{LineFormat, Tool};

/// OCaml and dune.
pub(crate) const TOOL: Tool = Tool {
    name: "ocaml",
    aliases: &["ocamlc", "ocamlopt", "ocamlfind", "dune"],
    role: Role::Compile,
    lines: &[LineFormat {
        wakes: &[", characters ", "File \"dune", ".opam\", line ", "dune-project\", line "],
        reader: |_| Box::new(Ocaml::default()),
    }],
    documents: &[],
    settle: gravest,
};

static PLACE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r#"^File "(?<file>[^"]+)", lines? (?<line>\d+)(?:-(?<end_line>\d+))?(?:, characters (?<start>\d+)-(?<end>\d+))?:$"#,
    )
});

static FINDING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?:(?<error>Error|Warning)(?: \((?<of>warning|alert) (?<number>[\w-]+)(?: \[(?<code>[\w-]+)\])?\))?|Warning (?<number2>\d+)(?: \[(?<code2>[\w-]+)\])?|Alert (?<alert>[\w-]+)): (?<message>.*)$",
    )
});

#[derive(Default)]
struct Ocaml {
    findings: Findings,
    /// Where the next finding is, with the source.
    place: Option<Diagnostic>,
    open: Option<Diagnostic>,
}

impl Ocaml {
    fn close(&mut self) {
        if let Some(found) = self.open.take() {
            self.findings.add(found);
        }
    }

    fn place(&mut self, line: &Line<'_>) -> bool {
        let Some(captures) = line.text.starts_with("File \"").then(|| PLACE.captures(&line.text)).flatten() else {
            return false;
        };
        self.close();
        let number = |group: &str| captures.name(group).and_then(|digits| text::position(digits.as_str()));
        // Characters are counted from 0.
        let character = |group: &str| {
            captures
                .name(group)
                .and_then(|digits| digits.as_str().parse::<u32>().ok())
                .map(|digits| digits.saturating_add(1))
        };
        let mut found = diagnostic("ocaml", "ocaml/text", line, Level::Error, "");
        found.file = Some(name(&text::path(&captures["file"])));
        found.line = number("line");
        found.column = character("start");
        found.end_column = character("end");
        found.end_line = number("end_line").or(found.line.filter(|_| found.end_column.is_some()));
        self.place = Some(found);
        true
    }

    fn finding(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        let may_be = text.starts_with("Error") || text.starts_with("Warning") || text.starts_with("Alert");
        if !may_be || self.place.is_none() {
            return false;
        }
        let Some(captures) = FINDING.captures(text) else {
            return false;
        };
        let Some(mut found) = self.place.take() else {
            return false;
        };
        let is_error = captures.name("error").is_some_and(|word| word.as_str() == "Error");
        found.level = if is_error { Level::Error } else { Level::Warning };
        found.code = code(&captures).map(name);
        cut::head(&captures["message"], limit::MESSAGE_BYTES).clone_into(&mut found.message);
        found.origin.end = line.end;
        self.open = Some(found);
        true
    }

    /// Takes a line between the place and what is said of it, or below that.
    fn go_on(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        if let Some(place) = &mut self.place {
            let source = text.split_once(" | ").filter(|(number, _)| number.trim().parse().ok() == place.line);
            if let Some((_, source)) = source
                && place.source.is_none()
            {
                place.source = Some(cut::head(source, limit::MESSAGE_BYTES).to_owned());
                return true;
            }
            let is_frame = text.contains(" | ") || text.trim().bytes().all(|byte| matches!(byte, b'^' | b'.' | b' '));
            if !is_frame {
                self.place = None;
            }
            return is_frame;
        }
        let Some(found) = &mut self.open else {
            return false;
        };
        let goes_on = text.starts_with("  ") || text.starts_with("Hint: ");
        if goes_on {
            text::add_line(&mut found.message, text.trim(), limit::MESSAGE_BYTES);
            found.origin.end = line.end;
        } else {
            self.close();
        }
        goes_on
    }
}

fn code<'c>(captures: &'c Captures<'_>) -> Option<&'c str> {
    ["code", "code2", "number", "number2", "alert"]
        .iter()
        .find_map(|group| captures.name(group))
        .map(|found| found.as_str())
}

impl LineReader for Ocaml {
    fn line(&mut self, line: &Line<'_>) -> Use {
        if line.is_blank() {
            return Use::None;
        }
        if self.place(line) || self.finding(line) || self.go_on(line) { Use::Line } else { Use::None }
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        let found = 0 < self.findings.counts.total();
        found.then(|| Claim { format: "text", findings: self.findings, ..Claim::default() })
    }
}
