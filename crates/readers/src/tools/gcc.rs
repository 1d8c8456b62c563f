//! GCC: `gcc`, `g++` and compilers that print in the same format.
//!
//! `a.c:4:19: error: ‘y’ undeclared (first use in this function)`; [`caret`](crate::shapes::gnu) describes the
//! lines around it, and `json` reads `-fdiagnostics-format=json`. A linker's findings appear in the same
//! output; the reader of `ld` takes them, and runs beside this one where the command is known.

mod json;

use crate::prelude::*;
use crate::shapes::gnu::{Carets, Heading, is_c_file};
use crate::tools::ld;

pub(crate) static TOOL: Tool = Tool::new("gcc", &["g++", "cc", "c++", "gcc-json"], Role::Compile)
    .lines(&[
        LineFormat::new(PREFILTER, |is_hinted| Box::new(Gcc::new(is_hinted))).named(NAMED).both(FILES, &[]),
        ld::BESIDE,
    ])
    .documents(&[json::FORMAT])
    .merge(candidate::together);

/// Texts one of which is in the first line of every finding.
const PREFILTER: &[&str] = &[
    ": error: ",
    ": warning: ",
    ": note: ",
    ": fatal error: ",
    ": internal compiler error: ",
    "In file included from ",
];

/// What is in lines that only the command's name makes GCC's: the context of a finding, and the compiler's own last
/// words.
const NAMED: &[&str] = &[
    ".modulemap:",
    "<built-in>:",
    "<command-line>:",
    "/include/",
    "/c++/",
    "compilation terminated",
    " generated.",
    "being treated as errors",
    "warning: ",
    "error: ",
];

/// The same for locations without a severity.
const FILES: &[&str] = &[
    ".c:", ".C:", ".cc:", ".cp:", ".cpp:", ".CPP:", ".cxx:", ".c++:", ".h:", ".H:", ".hh:", ".hp:", ".hpp:", ".hxx:",
    ".h++:", ".m:", ".mm:", ".i:", ".ii:", ".s:", ".S:", ".sx:", ".inl:", ".inc:", ".ipp:", ".tpp:", ".txx:", ".tcc:",
    ".cu:", ".cuh:", ".ino:", ".def:", ".cppm:", ".ixx:", ".ccm:", ".pch:", "<stdin>:",
];

/// The severity that the compiler prints for its own crash. It becomes part of the message, as no level stands
/// for it.
const CRASH: &str = "internal compiler error";

/// The format beside that of a build tool.
pub(crate) const BESIDE: LineFormat = LineFormat::hinted(PREFILTER, |_| Box::new(Gcc::new(false)));

/// A diagnostic about the compiler itself or its arguments.
static DRIVER: Pattern = Pattern::new(
    r"^(?:\S*[/\\])?(?:[a-z0-9_]+-){0,4}(?:gcc|g\+\+|cc|c\+\+|cc1|cc1plus|cc1obj|cpp|xgcc|lto1|lto-wrapper|as)(?:-[\d.]+)?(?:\.exe)?: (?<level>fatal error|internal compiler error|error|warning): (?<message>.*?)(?: \[(?<code>-W[^\]]+)\])?$",
);

/// The format of old versions, without a severity. It is used only with a hint, as other tools print the same.
static BARE: Pattern =
    Pattern::new(r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?<line>\d+):(?:(?<column>\d+):)? (?<message>\S.*)$");

struct Gcc {
    is_hinted: bool,
    carets: Carets,
    /// Whether a line was read that only GCC prints.
    is_certain: bool,
    /// Whether a line was read that only Clang prints.
    is_of_clang: bool,
}

impl Gcc {
    fn new(is_hinted: bool) -> Self {
        Self { is_hinted, carets: Carets::new("gcc", "gcc/text", takes), is_certain: false, is_of_clang: false }
    }

    fn driver(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        if matches!(text, "compilation terminated." | "compilation terminated due to -Wfatal-errors.") {
            self.is_certain = true;
            return true;
        }
        self.is_of_clang |= text.ends_with(" generated.");
        if !text.contains(": error: ") && !text.contains("warning: ") && !text.contains(" error: ") {
            return is_werror(text);
        }
        let Some(captures) = DRIVER.find(text) else { return false };
        self.is_certain = true;
        let otherwise = Level::Error;
        let mut found = captures.diagnostic("gcc", "gcc/text", line, otherwise);
        if captures.text("level") == CRASH {
            found.message = format!("{CRASH}: {}", found.message);
        }
        // The number in `cc1: warning: …` may belong to the file that is compiled.
        found.line = None;
        self.carets.add(found);
        true
    }

    fn bare(&mut self, line: &Line<'_>) -> bool {
        if !self.is_hinted || line.text.contains("undefined reference") || line.text.contains("multiple definition") {
            return false;
        }
        let Some(captures) = BARE.find(&line.text) else { return false };
        let message = captures.text("message");
        let is_context = message.starts_with("required from") || message.starts_with("first defined here");
        if !is_c_file(captures.text("file")) || is_context || has_other_severity(message) {
            return false;
        }
        self.carets.add(captures.diagnostic("gcc", "gcc/text", line, Level::Error));
        true
    }
}

/// Whether a message begins with a severity of its own; such a line that was not taken as a heading is another
/// tool's.
fn has_other_severity(message: &str) -> bool {
    message.split_once(": ").is_some_and(|(word, _)| crate::level::level(word).is_some())
}

/// `cc1: all warnings being treated as errors`.
fn is_werror(text: &str) -> bool {
    text.ends_with(" warnings being treated as errors") && text.len() < 120
}

/// Whether a heading is a compiler's: warnings of GCC end in the option that silences them (`[-Wunused]`),
/// those of linters with the same format in other names.
fn takes(heading: &Heading<'_>) -> bool {
    let is_of_linker = heading.message.starts_with("undefined reference to ");
    let is_severity = !matches!(heading.word(), "style" | "performance" | "portability" | "information" | "remark");
    is_severity
        && !is_of_linker
        && is_c_file(heading.file())
        && heading.code.is_none_or(|code| code.starts_with("-W") || code.starts_with("-f"))
}

impl LineReader for Gcc {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let used = self.carets.line(line);
        if used == Use::None && (self.driver(line) || self.bare(line)) {
            return Use::Line;
        }
        used
    }

    fn sleeps(&self) -> bool {
        self.carets.is_idle()
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        let is_certain = self.is_hinted || self.is_certain || !self.is_of_clang && 0 < self.carets.frames;
        let confidence = if is_certain { Confidence::Certain } else { Confidence::Likely };
        let findings = self.carets.finish();
        let found = 0 < findings.counts.total();
        found.then(|| Candidate::of("text", findings).confidence(confidence))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::gnu;
    use crate::trial::claimed;

    #[test]
    fn a_file_of_every_extension_wakes_the_reader_of_a_named_compiler() {
        for extension in gnu::EXTENSIONS.iter() {
            let text = format!(".{extension}:");
            assert!(FILES.iter().chain(NAMED).any(|known| *known == text), "{extension}");
        }
    }

    #[test]
    fn a_crash_of_the_compiler_is_told_from_what_does_not_compile() {
        for (text, file, message) in [
            (
                "a.c:3:1: internal compiler error: Segmentation fault\n",
                Some("a.c"),
                "internal compiler error: Segmentation fault",
            ),
            (
                "gcc: internal compiler error: Segmentation fault signal terminated program cc1\n",
                None,
                "internal compiler error: Segmentation fault signal terminated program cc1",
            ),
            ("a.c:3:1: error: expected ';'\n", Some("a.c"), "expected ';'"),
        ] {
            let found = claimed(Box::new(Gcc::new(true)), text).unwrap().findings.kept.into_items();
            let facts: Vec<_> = found.iter().map(|it| (it.file.as_deref(), it.message.as_str(), it.level)).collect();
            assert_eq!(facts, [(file, message, Level::Error)], "{text}");
        }
    }
}
