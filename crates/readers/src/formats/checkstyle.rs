//! Checkstyle XML, which many linters write:
//! `<checkstyle><file name="a.ts"><error line="1" column="10" severity="error" message="…" source="semi"/></file>`.

use crate::formats::finding_report::{Report, XmlDialect, XmlReport, finding};
use crate::level::level as level_of;
use crate::prelude::*;
use crate::xml::Element;

/// The document formats of Checkstyle XML.
pub(crate) const DOCUMENTS: &[DocumentFormat] = &[DocumentFormat::new(&["<checkstyle"], &[], |stream, is_hinted| {
    Box::new(XmlReport(Report::<Checkstyle>::new(stream, is_hinted)))
})];

/// Prefixes that some linters write before their rules.
const PREFIXES: &[&str] = &["eslint.rules.", "ShellCheck.", "detekt."];

#[derive(Debug, Default)]
struct Checkstyle;

impl XmlDialect for Checkstyle {
    const FORMAT: &'static str = "xml";
    const RULE: &'static str = "checkstyle/xml";

    fn is_root(root: &Element) -> bool {
        root.name == "checkstyle"
    }

    fn close(&mut self, element: Element, around: &[Element], at: Origin, findings: &mut Findings) {
        if element.name == "exception" {
            findings.add(finding(
                "checkstyle",
                at,
                Level::Error,
                element.text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default(),
            ));
            return;
        }
        if element.name != "error" {
            return;
        }
        let severity = element.get("severity").unwrap_or("error");
        if severity == "ignore" {
            return;
        }
        let level = level_of(severity).unwrap_or(Level::Error);
        let mut found = finding("checkstyle", at, level, element.get("message").unwrap_or_default());
        let file = around.iter().rev().find(|outer| outer.name == "file").and_then(|file| file.get("name"));
        found.file = file.filter(|file| !file.is_empty()).map(|file| name(&text::path(file)));
        found.line = element.get("line").and_then(text::position);
        found.column = element.get("column").and_then(text::position).filter(|_| found.line.is_some());
        let source = element.get("source").filter(|source| !source.is_empty());
        found.code = source.map(|source| {
            let rule = PREFIXES.iter().find_map(|prefix| source.strip_prefix(prefix));
            name(rule.filter(|rule| !rule.is_empty()).unwrap_or(source))
        });
        findings.add(found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::finding_report::tests::{shown, told};
    use referee_model::record::Stream;

    fn read(document: &str) -> Option<Vec<String>> {
        told(DOCUMENTS[0].reader(Stream::Stdout, false), document).map(shown)
    }

    #[test]
    fn errors_are_findings_of_their_file() {
        let read = read(
            "<checkstyle version='4.3'><file name='src\\a.ts'><error line='1' column='10' severity='warning' message='&apos;x&apos; no' source='eslint.rules.semi'/>\
             <error line='0' severity='ignore' message='m'/><error line='3' message='m' source='a.b.C'/></file></checkstyle>",
        );
        assert_eq!(read.unwrap(), ["Warning src/a.ts 1:10:-:- semi: 'x' no", "Error src/a.ts 3:-:-:- a.b.C: m"]);
    }

    #[test]
    fn an_empty_report_is_a_clean_run() {
        assert_eq!(read("<checkstyle version='4.3'></checkstyle>"), Some(Vec::new()));
        assert_eq!(read("<checkstyles><error message='m'/></checkstyles>"), None);
    }
}
