//! Clang: `clang`, `clang++` and tools with the same output.
//!
//! Clang prints like GCC, with a closing count: `a.c:3:9: warning: unused variable 'x' [-Wunused-variable]` …
//! `1 warning generated.` Its layouts for other editors (`-fdiagnostics-format=msvc` and `vi`) are also read;
//! see [`gnu`](crate::shapes::gnu).

use crate::prelude::*;
use crate::shapes::gnu::{Carets, Heading, is_c_file};
use crate::tools::ld;

pub(crate) static TOOL: Tool = Tool::new("clang", &["clang++", "clang-cl"], Role::Compile)
    .lines(&[
        LineFormat::new(
            &[": error: ", ": warning: ", ": note: ", ": fatal error: ", " generated.", "In file included from "],
            |is_hinted| Box::new(Clang::new(is_hinted)),
        ),
        ld::BESIDE,
    ])
    .merge(candidate::together);

/// A finding about arguments or the compiler itself. The last line about a failed link summarizes the linker's
/// errors.
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
    /// Sums of warnings and errors in closing counts.
    sums: Option<(u64, u64)>,
    is_certain: bool,
}

impl Clang {
    fn new(is_hinted: bool) -> Self {
        Self { is_hinted, carets: Carets::new("clang", "clang/text", takes), sums: None, is_certain: false }
    }

    fn sum_up(&mut self, text: &str) -> bool {
        let Some(found) = COUNT.find(text) else { return false };
        let (warnings, errors) = self.sums.unwrap_or_default();
        self.sums = Some((warnings + found.number("warnings"), errors + found.number("errors")));
        self.carets.close();
        true
    }

    fn driver(&mut self, line: &Line<'_>) -> bool {
        let is_bare = ["fatal error: ", "error: ", "warning: "].iter().any(|level| line.text.starts_with(level));
        let may_be = is_bare || line.text.contains("clang");
        let Some(found) = may_be.then(|| DRIVER.find(&line.text)).flatten() else { return false };
        let is_sum = found.text("message").starts_with("linker command failed");
        // Without its name before it, the line may come from any tool.
        let is_own = line.text.contains("clang") || found.text("message").starts_with("too many errors emitted");
        if is_own && !is_sum {
            self.carets.add(found.diagnostic("clang", "clang/text", line, Level::Error));
        }
        self.is_certain |= is_own || is_sum;
        is_own || is_sum
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

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        let mut findings = self.carets.finish();
        let is_found = 0 < findings.counts.total();
        let is_certain = self.is_hinted || self.is_certain || self.sums.is_some();
        let mut notes = Vec::new();
        if let Some((warnings, errors)) = self.sums {
            let warnings = warnings.saturating_sub(findings.counts.warnings);
            let errors = errors.saturating_sub(findings.counts.errors);
            // Without a finding, the count may belong to another tool.
            if is_found && 0 < warnings + errors {
                notes.push(format!("clang sums up {errors} errors and {warnings} warnings that were not listed"));
                findings.add_unlisted(Level::Error, errors);
                findings.add_unlisted(Level::Warning, warnings);
            }
        }
        let confidence = if is_certain { Confidence::Certain } else { Confidence::Likely };
        is_found.then(|| Candidate::of("text", findings).confidence(confidence).notes(notes))
    }
}
