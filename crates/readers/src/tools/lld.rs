//! LLVM's linker, in all its flavours, and `mold`, which prints alike.
//!
//! ```text
//! ld.lld: error: undefined symbol: missing
//! >>> referenced by link.c:3 (/src/link.c:3)
//! ```

use std::sync::LazyLock;

use referee_model::limit;
use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use regex::Regex;

use crate::claim::{self, Claim, Findings, LineReader, Use, name};
use crate::scan::Line;
use crate::shapes::pattern::matched;
use crate::text;
use crate::tool::{LineFormat, Tool};

/// LLVM's linker.
pub(crate) const TOOL: Tool = Tool {
    name: "lld",
    aliases: &["ld.lld", "lld-link", "wasm-ld", "mold"],
    role: Role::Compile,
    lines: &[LineFormat {
        wakes: &["ld.lld", "ld64.lld", "lld-link", "wasm-ld", "rust-lld", "mold: "],
        reader: |_| Box::new(Lld::default()),
    }],
    documents: &[],
    settle: claim::gravest,
};

static HEADING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?:\S*[/\\])?(?:ld\.lld|ld64\.lld|lld-link|wasm-ld|rust-lld|lld|mold)(?:-\d+)?(?:\.exe)?: (?<level>fatal|error|warning|note): (?<message>\S.*)$",
    )
});

/// Where an undefined symbol is used, or a duplicate one defined.
static PLACE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^>>> (?:referenced by|defined at) (?<file>[^\s:]+):(?<line>\d+)(?: \((?<path>[^)]+):\d+\))?$")
});

#[derive(Default)]
struct Lld {
    findings: Findings,
    open: Option<Diagnostic>,
}

impl Lld {
    fn close(&mut self) {
        if let Some(found) = self.open.take() {
            self.findings.add(found);
        }
    }
}

impl LineReader for Lld {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        if text.starts_with(">>> ") {
            let Some(found) = &mut self.open else {
                return Use::None;
            };
            if found.file.is_none()
                && let Some(captures) = PLACE.captures(text)
            {
                let file = captures.name("path").or_else(|| captures.name("file"));
                found.file = file.map(|file| name(&text::path(file.as_str())));
                found.line = text::position(&captures["line"]);
            }
            text::add_line(&mut found.message, text, limit::MESSAGE_BYTES);
            found.origin.end = line.end;
            return Use::Line;
        }
        self.close();
        let captures = if text.contains("ld") { HEADING.captures(text) } else { None };
        let Some(captures) = captures else {
            return Use::None;
        };
        if !captures["message"].starts_with("too many errors emitted") {
            self.open = Some(matched("lld", "lld/text", line, &captures, Level::Error));
        }
        Use::Line
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        let found = 0 < self.findings.counts.total();
        found.then(|| Claim { format: "text", findings: self.findings, ..Claim::default() })
    }
}
