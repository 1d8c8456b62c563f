//! Cppcheck's XML, version 2:
//! `<results version="2"><errors><error id severity msg><location file line column/></error>`; version 1:
//! `<results><error file line id severity msg/>`. The first location is that of the finding.

use crate::formats::finding_report::{Report, XmlDialect, XmlReport, finding};
use crate::prelude::*;
use crate::xml::Element;

/// The document formats of Cppcheck XML.
pub(crate) const DOCUMENTS: &[DocumentFormat] =
    &[DocumentFormat::new(&["<results version=", "<results>"], &[], |stream, is_hinted| {
        Box::new(XmlReport(Report::<Cppcheck>::new(stream, is_hinted)))
    })];

/// Maximum number of related locations kept per finding.
const RELATED: usize = 50;

/// State while one document is read.
#[derive(Debug, Default)]
struct Cppcheck {
    /// Locations of the open finding.
    places: Vec<RelatedPlace>,
    is_known: bool,
}

impl XmlDialect for Cppcheck {
    const FORMAT: &'static str = "xml";
    const RULE: &'static str = "cppcheck/xml";

    fn is_root(root: &Element) -> bool {
        root.name == "results"
    }

    fn close(&mut self, element: Element, _around: &[Element], at: Origin, findings: &mut Findings) {
        match element.name.as_str() {
            "cppcheck" => self.is_known = true,
            "location" if self.places.len() <= RELATED => self.places.push(place(&element)),
            "error" => {
                let places = std::mem::take(&mut self.places);
                if let (Some(id), Some(message)) = (element.get("id"), element.get("msg")) {
                    // Version 1 does not name the program.
                    self.is_known = true;
                    findings.add(found(&element, id, message, places, at));
                }
            }
            _ => {}
        }
    }

    fn is_known(&self) -> bool {
        self.is_known
    }
}

fn place(element: &Element) -> RelatedPlace {
    RelatedPlace {
        file: element.get("file").filter(|file| !file.is_empty()).map(|file| name(&text::path(file))),
        line: element.get("line").and_then(text::position),
        column: element.get("column").and_then(text::position),
        message: name(element.get("info").unwrap_or_default()),
    }
}

fn found(
    element: &Element,
    id: &str,
    message: &str,
    places: Vec<RelatedPlace>,
    at: Origin,
) -> referee_model::reading::Diagnostic {
    let level = match element.get("severity").unwrap_or_default() {
        "error" => Level::Error,
        "warning" => Level::Warning,
        _ => Level::Info,
    };
    let mut places = places.into_iter();
    let own = places.next().unwrap_or_else(|| place(element));
    let mut found = finding("cppcheck", at, level, message);
    (found.file, found.line) = (own.file, own.line);
    found.column = own.column.filter(|_| own.line.is_some());
    found.code = Some(name(id));
    found.related = places.collect();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::finding_report::tests::{shown, told};
    use referee_model::record::Stream;

    #[test]
    fn both_versions_are_read() {
        let read = |document| told(DOCUMENTS[0].reader(Stream::Stderr, false), document).map(shown);
        let two = "<results version='2'><cppcheck version='2.10'/><errors><error id='x' severity='style' msg='m'>\
            <location file='a.c' line='3' column='7' info='i'/><location file='b.h' line='1'/></error><error id='y' severity='information' msg='n'/></errors></results>";
        assert_eq!(read(two).unwrap(), ["Info a.c 3:7:-:- x: m", "Info - -:-:-:- y: n"]);
        let one = "<results><error file='a.c' line='3' id='x' severity='error' msg='m'/></results>";
        assert_eq!(read(one).unwrap(), ["Error a.c 3:-:-:- x: m"]);
        assert_eq!(read("<results><test-case/></results>"), None);
    }
}
