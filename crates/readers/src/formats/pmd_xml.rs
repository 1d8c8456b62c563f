//! PMD's XML, which PHPMD also writes:
//! `<pmd><file name="A.java"><violation beginline="3" rule="UnusedImports" priority="4">text</violation></file>`.

use crate::formats::finding_report::{Report, XmlDialect, XmlReport, finding};
use crate::prelude::*;
use crate::xml::Element;

/// The document formats of PMD XML.
pub(crate) const DOCUMENTS: &[DocumentFormat] =
    &[DocumentFormat::new(&["<pmd ", "<pmd>"], &[], |stream, is_hinted| {
        Box::new(XmlReport(Report::<Pmd>::new(stream, is_hinted)))
    })];

#[derive(Debug, Default)]
struct Pmd;

impl XmlDialect for Pmd {
    const FORMAT: &'static str = "xml";
    const RULE: &'static str = "pmd/xml";

    fn is_root(root: &Element) -> bool {
        root.name == "pmd"
    }

    fn close(&mut self, element: Element, around: &[Element], at: Origin, findings: &mut Findings) {
        let number = |name| element.get(name).and_then(text::position);
        let path = |file: &str| name(&text::path(file));
        match element.name.as_str() {
            "violation" => {
                let file = around.last().filter(|outer| outer.name == "file").and_then(|file| file.get("name"));
                let mut found = finding("pmd", at, level(element.get("priority")), &element.text);
                found.file = file.map(path);
                found.line = number("beginline").or(number("line"));
                found.column = number("begincolumn").filter(|_| found.line.is_some());
                found.end_line = number("endline");
                found.code = element.get("rule").map(name);
                findings.add(found);
            }
            // A file that could not be read.
            "error" => {
                let mut found = finding("pmd", at, Level::Error, element.get("msg").unwrap_or_default());
                found.file = element.get("filename").map(path);
                findings.add(found);
            }
            _ => {}
        }
    }
}

/// Returns the level of a priority, which PMD calls high and medium high, medium, medium low and low.
fn level(priority: Option<&str>) -> Level {
    match priority {
        Some("1" | "2") => Level::Error,
        Some("4" | "5") => Level::Info,
        _ => Level::Warning,
    }
}

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
