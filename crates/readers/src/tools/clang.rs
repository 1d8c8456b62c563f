//! Clang: `clang`, `clang++` and what prints like them.
//!
//! As GCC does, with a closing count: `a.c:3:9: warning: unused variable 'x' [-Wunused-variable]` … `1 warning generated.`
//! Its layouts for other editors (`-fdiagnostics-format=msvc` and `vi`) are read, too; see [`caret`](crate::shapes::gnu).

use referee_model::plan::Role;
use referee_model::reading::Level;

use crate::claim::{self, Claim, LineReader, Standing, Use};
use crate::pattern::Pattern;
use crate::scan::Line;
use crate::shapes::gnu::{Carets, Heading, is_c_file};
use crate::shapes::pattern::matched;
use crate::text;
use crate::tool::{LineFormat, Tool};
use crate::tools::ld;

/// Clang.
pub(crate) const TOOL: Tool = Tool {
    name: "clang",
    aliases: &["clang++", "clang-cl"],
    role: Role::Compile,
    lines: &[
        LineFormat {
            wakes: &[": error: ", ": warning: ", ": note: ", ": fatal error: ", " generated."],
            reader: |is_hinted| Box::new(Clang::new(is_hinted)),
        },
        LineFormat { wakes: ld::WAKES, reader: ld::beside },
    ],
    documents: &[],
    settle: claim::together,
};

/// A finding about arguments or the compiler itself; the last line of one about the program is a sum of the linker's.
static DRIVER: Pattern = Pattern::new(
    r"^(?:(?:\S*[/\\])?(?:[a-z0-9_]+-){0,4}clang(?:\+\+|-cl)?(?:-[\d.]+)?(?:\.exe)?: )?(?<level>fatal error|error|warning): (?<message>.*?)(?: \[(?<code>-[Wf][^\]]+)\])?$",
);

/// The closing count of one file.
static COUNT: Pattern = Pattern::new(
    r"^(?:(?<warnings>\d+) warnings?)?(?: and )?(?:(?<errors>\d+) errors?)? generated(?: when compiling for \S+)?\.$",
);

struct Clang {
    is_hinted: bool,
    carets: Carets,
    /// Warnings and errors that were summed up.
    sums: Option<(u64, u64)>,
    is_certain: bool,
}

impl Clang {
    fn new(is_hinted: bool) -> Self {
        Self { is_hinted, carets: Carets::new("clang", "clang/text", takes), sums: None, is_certain: false }
    }

    fn sum_up(&mut self, text: &str) -> bool {
        let Some(captures) = text.ends_with('.').then(|| COUNT.captures(text)).flatten() else {
            return false;
        };
        let number = |group: &str| captures.name(group).and_then(|digits| text::count(digits.as_str())).unwrap_or(0);
        let (warnings, errors) = self.sums.unwrap_or_default();
        self.sums = Some((warnings + number("warnings"), errors + number("errors")));
        self.carets.close();
        true
    }

    fn driver(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        if !text.contains("error: ") && !text.contains("warning: ") {
            return false;
        }
        let Some(captures) = DRIVER.captures(text) else {
            return false;
        };
        let names_clang = text.contains("clang");
        if captures["message"].starts_with("linker command failed") {
            self.is_certain = true;
            return true;
        }
        // Without its name before it anyone may have printed this.
        let is_limit = captures["message"].starts_with("too many errors emitted");
        if !names_clang && !is_limit {
            return false;
        }
        self.is_certain = true;
        self.carets.add(matched("clang", "clang/text", line, &captures, Level::Error));
        true
    }
}

fn takes(heading: &Heading<'_>) -> bool {
    let is_severity = matches!(heading.word(), "fatal error" | "error" | "warning" | "remark");
    let is_of_linker = heading.message.starts_with("undefined reference to ");
    let is_code =
        heading.code.is_none_or(|code| code.starts_with("-W") || code.starts_with("-R") || code.starts_with("-f"));
    is_severity && is_code && !is_of_linker && is_c_file(heading.file())
}

impl LineReader for Clang {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let used = self.carets.line(line);
        if used == Use::None && (self.sum_up(&line.text) || self.driver(line)) {
            return Use::Line;
        }
        used
    }

    fn sleeps(&self) -> bool {
        self.carets.is_idle()
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        let mut findings = self.carets.finish();
        let is_found = 0 < findings.counts.total();
        let is_certain = self.is_hinted || self.is_certain || self.sums.is_some();
        let mut notes = Vec::new();
        if let Some((warnings, errors)) = self.sums {
            let unlisted = |sum: u64, listed: u64| sum.saturating_sub(listed);
            let (warnings, errors) =
                (unlisted(warnings, findings.counts.warnings), unlisted(errors, findings.counts.errors));
            // Without a finding the sum may be of another tool.
            if is_found && 0 < warnings + errors {
                notes.push(format!("clang sums up {errors} errors and {warnings} warnings that were not listed"));
                findings.add_unlisted(Level::Error, errors);
                findings.add_unlisted(Level::Warning, warnings);
            }
        }
        let standing = if is_certain { Standing::Certain } else { Standing::Likely };
        is_found.then(|| Claim { format: "text", standing, findings, notes, ..Claim::default() })
    }
}
