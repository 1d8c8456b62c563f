//! GNU Fortran: the place on a line of its own, the source with marks below it, then what is wrong.
//!
//! ```text
//! a.f90:9:18:
//!
//!     9 |   call nosuch(1, 2
//!       |                  1
//! Error: Syntax error in argument list at (1)
//! ```

use std::sync::LazyLock;

use referee_model::limit;
use referee_model::plan::Role;
use referee_model::reading::{Level, RelatedPlace};
use referee_syntax::cut;
use regex::Regex;

use crate::claim::{Claim, Findings, LineReader, Use, diagnostic, name, origin};
use crate::scan::Line;
use crate::shapes::gnu::split_code;
use crate::text;
use crate::tool::{LineFormat, Tool};
use crate::tools::ld;

/// GNU Fortran.
pub(crate) const TOOL: Tool = Tool {
    name: "gfortran",
    aliases: &["f951"],
    role: Role::Compile,
    lines: &[
        LineFormat {
            wakes: &["Error: ", "Warning: ", "Internal Error at "],
            reader: |_| Box::new(Gfortran::default()),
        },
        LineFormat { wakes: ld::WAKES, reader: ld::beside },
    ],
    documents: &[],
    settle: crate::claim::together,
};

static PLACE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?<line>\d+)(?:[.:](?<column>\d+)(?:-(?<end>\d+))?)?:$")
});

static FINDING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<driver>f951: )?(?:(?<grade>Fatal Error|Error|Warning|Internal compiler error): (?<message>\S.*)|Internal Error at \(1\):)$",
    )
});

/// Lines between a place and what is said of it.
const FRAME_LINES: u8 = 20;

#[derive(Default)]
struct Gfortran {
    findings: Findings,
    place: Option<Place>,
    /// Whether the next line says what is wrong.
    is_split: bool,
}

struct Place {
    file: String,
    line: Option<u32>,
    column: Option<u32>,
    end: Option<u32>,
    source: Option<String>,
    start: u64,
    lines: u8,
    /// Places that the message calls (2), (3), …
    others: Vec<RelatedPlace>,
}

impl Gfortran {
    fn place(&mut self, line: &Line<'_>) -> bool {
        let Some(captures) = line.text.ends_with(':').then(|| PLACE.captures(&line.text)).flatten() else {
            return false;
        };
        let number = |group: &str| captures.name(group).and_then(|digits| text::position(digits.as_str()));
        let file = name(&text::path(&captures["file"]));
        if !is_fortran(&file) {
            return false;
        }
        let (line_number, column) = (number("line"), number("column"));
        if let Some(place) = &mut self.place {
            let message = String::new();
            if place.others.len() < 8 {
                place.others.push(RelatedPlace { file: Some(file), line: line_number, column, message });
            }
            return true;
        }
        let end = number("end");
        self.place = Some(Place {
            file,
            line: line_number,
            column,
            end,
            source: None,
            start: line.start,
            lines: 0,
            others: Vec::new(),
        });
        true
    }

    fn finding(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        if std::mem::replace(&mut self.is_split, false) && !line.is_blank() {
            self.add(line, Level::Error, text.trim_end());
            return true;
        }
        let may_be = text.starts_with("f951: ") || text.contains("Error") || text.starts_with("Warning: ");
        let Some(captures) = may_be.then(|| FINDING.captures(text)).flatten() else {
            return false;
        };
        if self.place.is_none() && captures.name("driver").is_none() {
            return false;
        }
        let Some(message) = captures.name("message") else {
            self.is_split = true;
            return true;
        };
        let is_warning = captures.name("grade").is_some_and(|grade| grade.as_str() == "Warning");
        self.add(line, if is_warning { Level::Warning } else { Level::Error }, message.as_str());
        true
    }

    fn add(&mut self, line: &Line<'_>, level: Level, said: &str) {
        let (message, code) = split_code(said);
        let mut found = diagnostic("gfortran", "gfortran/text", line, level, message);
        found.code = code.map(name);
        if let Some(place) = self.place.take() {
            found.file = Some(place.file);
            found.line = place.line;
            found.column = place.column;
            found.end_line = place.end.and(place.line);
            found.end_column = place.end.map(|end| end.saturating_add(1));
            found.source = place.source;
            found.related = place.others;
            found.origin = origin("gfortran/text", line);
            found.origin.start = place.start.min(line.start);
        }
        self.findings.add(found);
    }

    /// Takes a line between a place and what is said of it.
    fn frame(&mut self, line: &Line<'_>) -> bool {
        let Some(place) = &mut self.place else {
            return false;
        };
        if line.is_blank() {
            return true;
        }
        place.lines += 1;
        if FRAME_LINES < place.lines {
            self.place = None;
            return false;
        }
        let is_inclusion = line.text.starts_with("    Included at ");
        if place.source.is_none() && !is_inclusion {
            let printed = line.text.split_once(" | ").filter(|(number, _)| number.trim().parse::<u32>().is_ok());
            let source = printed.map_or(&*line.text, |(_, source)| source);
            place.source = Some(cut::head(source.trim_end(), limit::MESSAGE_BYTES).to_owned());
        }
        true
    }
}

fn is_fortran(file: &str) -> bool {
    const EXTENSIONS: &[&str] =
        &["f", "for", "ftn", "fpp", "f77", "f90", "f95", "f03", "f08", "f18", "f23", "inc", "fi", "h", "fypp", "pf"];
    file.rsplit_once('.')
        .is_some_and(|(_, extension)| EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(extension)))
}

impl LineReader for Gfortran {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let is_used = self.finding(line)
            || self.place(line)
            || self.frame(line)
            || line.text == "compilation terminated."
            || line.text.starts_with("f951: ");
        if is_used { Use::Line } else { Use::None }
    }

    fn finish(self: Box<Self>) -> Option<Claim> {
        let found = 0 < self.findings.counts.total();
        found.then(|| Claim { format: "text", findings: self.findings, ..Claim::default() })
    }
}
