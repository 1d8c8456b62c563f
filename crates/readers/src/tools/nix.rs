//! Nix: what is wrong, then where, below the calls that led there.
//!
//! ```text
//! error: undefined variable 'stdnev'
//!
//!        at /home/user/project/flake.nix:18:23:
//!            17|     packages.x86_64-linux.default =
//!            18|       pkgs.callPackage ./. { inherit stdnev; };
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

/// Nix.
pub(crate) const TOOL: Tool = Tool {
    name: "nix",
    aliases: &["nix-build", "nix-shell", "nixos-rebuild", "nix-instantiate"],
    role: Role::Compile,
    lines: &[LineFormat {
        wakes: &["       at /", "       at \u{ab}", ".nix:", "/nix/store/", "warning: Git tree "],
        reader: |is_hinted| Box::new(Nix { is_certain: is_hinted, ..Nix::default() }),
    }],
    documents: &[],
    settle: gravest,
};

static HEADING: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^(?: {7})?(?<level>error|warning):(?: (?<message>\S.*))?$"));

static PLACE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^ {7,9}at (?:\u{ab}(?<named>[^\u{bb}]+)\u{bb}|(?<file>/[^:]+)):(?<line>\d+)(?::(?<column>\d+))?:?$")
});

/// What old versions write behind the message.
static BEHIND: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^(?<message>.*?),? at (?<file>/[^:\s]+\.nix):(?<line>\d+):(?<column>\d+)$"));

static SOURCE: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^ +(?<number>\d*)\|(?: (?<source>.*))?$"));

#[derive(Default)]
struct Nix {
    is_certain: bool,
    findings: Findings,
    open: Option<Diagnostic>,
}

impl Nix {
    fn close(&mut self) {
        if let Some(found) = self.open.take().filter(|found| !found.message.is_empty()) {
            self.findings.add(found);
        }
    }

    fn heading(&mut self, line: &Line<'_>) -> bool {
        let may_be = line.text.contains("error:") || line.text.contains("warning:");
        let Some(captures) = may_be.then(|| HEADING.captures(&line.text)).flatten() else {
            return false;
        };
        let message = captures.name("message").map_or("", |message| message.as_str());
        // Indented, it is what the calls above it led to.
        let is_inner = line.text.starts_with(' ');
        let above = if is_inner { self.open.take() } else { None };
        if is_inner && above.is_none() {
            return false;
        }
        self.close();
        let level = if &captures["level"] == "error" { Level::Error } else { Level::Warning };
        let mut found = above.unwrap_or_else(|| diagnostic("nix", "nix/text", line, level, ""));
        cut::head(message, limit::MESSAGE_BYTES).clone_into(&mut found.message);
        found.origin.end = line.end;
        if let Some(captures) = BEHIND.captures(message) {
            captures["message"].clone_into(&mut found.message);
            found.file = Some(name(&captures["file"]));
            found.line = text::position(&captures["line"]);
            found.column = text::position(&captures["column"]);
        }
        self.is_certain |= message.contains("/nix/store/") || message.starts_with("Git tree ") || found.file.is_some();
        self.open = Some(found);
        true
    }

    fn place(&mut self, line: &Line<'_>) -> bool {
        let Some(found) = &mut self.open else {
            return false;
        };
        let Some(captures) = line.text.starts_with("       ").then(|| PLACE.captures(&line.text)).flatten() else {
            return false;
        };
        let file = captures.name("file").or_else(|| captures.name("named")).map(|file| name(file.as_str()));
        let number = |group: &str| captures.name(group).and_then(|digits| text::position(digits.as_str()));
        self.is_certain |=
            file.as_deref().is_some_and(|file| file.rsplit_once('.').is_some_and(|(_, extension)| extension == "nix"));
        if found.message.is_empty() {
            if found.related.len() < 16 {
                let message = "called from here".to_owned();
                found.related.push(RelatedPlace { file, line: number("line"), column: number("column"), message });
            }
        } else if found.file.is_none() {
            found.file = file;
            found.line = number("line");
            found.column = number("column");
        }
        found.origin.end = line.end;
        true
    }

    fn frame(&mut self, line: &Line<'_>) -> bool {
        let Some(found) = &mut self.open else {
            return false;
        };
        let text = &*line.text;
        if let Some(captures) = text.contains('|').then(|| SOURCE.captures(text)).flatten() {
            if found.line.is_some() && text::position(&captures["number"]) == found.line {
                found.source = captures.name("source").map(|source| name(source.as_str()));
            }
            found.origin.end = line.end;
            return true;
        }
        text.starts_with("       ")
    }
}

impl LineReader for Nix {
    fn line(&mut self, line: &Line<'_>) -> Use {
        if line.is_blank() {
            return Use::None;
        }
        if self.heading(line) || self.place(line) || self.frame(line) {
            return Use::Line;
        }
        self.close();
        Use::None
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        let found = self.is_certain && 0 < self.findings.counts.total();
        found.then(|| Claim { format: "text", findings: self.findings, ..Claim::default() })
    }
}
