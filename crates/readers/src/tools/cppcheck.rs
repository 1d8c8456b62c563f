//! Cppcheck's text output.
//!
//! The default and `--template=gcc` are formats of compilers with an identifier in brackets:
//! `a.c:16:12: error: Buffer is accessed out of bounds: buf [bufferAccessOutOfBounds]`; before version 1.84 it
//! was `[a.c:16]: (error) Buffer is accessed out of bounds: buf`.

use crate::prelude::*;
use crate::shapes::gnu::{Carets, Heading, is_c_file, names_flag};

pub(crate) static TOOL: Tool = Tool::new("cppcheck", &["cppcheck-xml"], Role::Lint)
    .lines(&[LineFormat::new(
        &[
            ": error: ",
            ": warning: ",
            ": style: ",
            ": performance: ",
            ": portability: ",
            ": information: ",
            "]: (",
            "(information) ",
            "files checked ",
            "In file included from ",
        ],
        |is_hinted| Box::new(Cppcheck::new(is_hinted)),
    )
    .named(&["Checking ", ": note: ", ": debug: "])
    .unless(names_flag)])
    .documents(crate::formats::cppcheck_xml::DOCUMENTS);

/// The old layout; a finding may have several locations.
static OLD: Pattern = Pattern::new(
    r"^(?:(?<places>(?:\[[^\]]+\] -> )*)\[(?<file>[^\]]+?)(?::(?<line>\d+))?(?::(?<column>\d+))?\]: )?\((?<level>error|warning|style|performance|portability|information)(?:, inconclusive)?\) (?<message>\S.*)$",
);

/// A finding without a location: `nofile:0:0: information: …`.
static NOFILE: Pattern = Pattern::new(r"^nofile:0:0: (?<level>\w+): (?<message>.*) \[(?<code>\w+)\]$");

struct Cppcheck {
    carets: Carets,
}

impl Cppcheck {
    fn new(is_hinted: bool) -> Self {
        let mut carets = Carets::new("cppcheck", "cppcheck/text", if is_hinted { takes_all } else { takes });
        // Notes describe the path that leads to the finding.
        carets.lists_notes = false;
        Self { carets }
    }

    /// Handles a finding in a format that no compiler uses.
    fn own(&mut self, line: &Line<'_>) -> bool {
        if let Some(found) = NOFILE.find(&line.text) {
            self.carets.add(found.diagnostic("cppcheck", "cppcheck/text", line, Level::Info));
            return true;
        }
        // Without a location, only this message is printed; a task runner's name may look like a location in
        // brackets.
        let is_possible = |found: &Groups<'_, '_>| found.has("file") || found.text("message").starts_with("Cppcheck ");
        let Some(found) = OLD.find(&line.text).filter(is_possible) else { return false };
        let mut made = found.diagnostic("cppcheck", "cppcheck/old", line, Level::Info);
        // The last location is that of the finding; those before it lead to it.
        made.related = found.text("places").split(" -> ").filter_map(place).take(16).collect();
        self.carets.add(made);
        true
    }
}

fn place(printed: &str) -> Option<RelatedPlace> {
    let (file, line) = printed.strip_prefix('[')?.strip_suffix(']')?.rsplit_once(':')?;
    let file = Some(name(&text::path(file)));
    Some(RelatedPlace { file, line: text::position(line), column: None, message: String::new() })
}

/// Returns whether a code is a Cppcheck identifier, which is one word such as `nullPointer`, unlike compiler
/// options and check names of other linters.
fn is_identifier(code: &str) -> bool {
    let is_word = code.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_word || code.starts_with("misra-") || code.starts_with("premium-") || code.starts_with("cert-")
}

/// Accepts findings without an identifier, as printed with `--template=vs` and `--template=edit`.
fn takes_all(heading: &Heading<'_>) -> bool {
    takes(heading) || heading.code.is_none() && is_c_file(heading.file())
}

fn takes(heading: &Heading<'_>) -> bool {
    heading.code.is_some_and(is_identifier) && heading.file() != "nofile" && is_c_file(heading.file())
}

/// Returns whether a line reports progress: `Checking a.c ...`, `1/3 files checked 33% done`.
fn is_progress(text: &str) -> bool {
    text.starts_with("Checking ") && text.ends_with(" ...")
        || text.contains(" files checked ") && text.ends_with("% done")
}

impl LineReader for Cppcheck {
    fn line(&mut self, line: &Line<'_>) -> Use {
        if self.own(line) {
            return Use::Line;
        }
        let used = self.carets.line(line);
        if used == Use::None && is_progress(&line.text) {
            return Use::Line;
        }
        used
    }

    fn sleeps(&self) -> bool {
        self.carets.is_idle()
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        let findings = self.carets.finish();
        findings.candidate("text")
    }
}
