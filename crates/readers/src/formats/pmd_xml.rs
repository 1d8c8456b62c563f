//! PMD's XML, which PHPMD also writes:
//! `<pmd><file name="A.java"><violation beginline="3" rule="UnusedImports" priority="4">text</violation></file>`.

use crate::formats::xml_findings::XmlFindings;
use crate::prelude::*;

/// The document formats of PMD XML.
pub(crate) const DOCUMENTS: &[DocumentFormat] =
    &[DocumentFormat::new(&["<pmd ", "<pmd>"], &[], |stream, _| XML.reader(stream))];

static XML: XmlFindings =
    XmlFindings { root: "pmd", elements: &[("violation", &VIOLATION), ("error", &ERROR)], sign: None };

const VIOLATION: Members = Members {
    message: "#",
    file: "^name",
    line: "beginline|line",
    column: "begincolumn",
    end_line: "endline",
    code: "rule",
    level: "priority",
    // PMD calls them high and medium high, medium, medium low and low.
    levels: &[("1", Level::Error), ("2", Level::Error), ("4", Level::Info), ("5", Level::Info)],
    otherwise: Level::Warning,
    ..ERROR
};

/// A file that could not be read.
const ERROR: Members = Members { tool: "pmd", message: "msg", file: "filename", is_mute: true, ..Members::MESSAGE };

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::finding_report::tests::{shown, told};
    use referee_model::record::Stream;

    #[test]
    fn violations_are_findings() {
        let document = "<pmd version='7.0.0'><file name='A.java'><violation beginline='3' endline='4' begincolumn='1' endcolumn='20' rule='UnusedImports' ruleset='x' priority='1'>\nUnused import\n</violation></file>\
            <error filename='B.java' msg='cannot parse'/></pmd>";
        let read = told(DOCUMENTS[0].reader(Stream::Stdout, false), document).map(shown).unwrap();
        assert_eq!(read, ["Error A.java 3:1:4:- UnusedImports: Unused import", "Error B.java -:-:-:- -: cannot parse"]);
    }
}
