//! Cppcheck's XML, version 2:
//! `<results version="2"><errors><error id severity msg><location file line column/></error>`; version 1:
//! `<results><error file line id severity msg/>`. The first location is that of the finding.

use crate::formats::xml_findings::XmlFindings;
use crate::prelude::*;
use crate::shapes::members::{file, named, position};

/// The document formats of Cppcheck XML.
pub(crate) const DOCUMENTS: &[DocumentFormat] =
    &[DocumentFormat::new(&["<results version=", "<results>"], &[], |stream, _| XML.reader(stream))];

/// Version 1 does not name the program.
static XML: XmlFindings = XmlFindings { root: "results", elements: &[("error", &ERROR)], sign: Some("cppcheck") };

/// Maximum number of related locations kept per finding.
const RELATED: usize = 50;

const ERROR: Members = Members {
    tool: "cppcheck",
    message: "msg",
    file: "location/0/file|file",
    line: "location/0/line|line",
    column: "location/0/column|column",
    code: "id",
    level: "severity",
    otherwise: Level::Info,
    needs: &["id", "msg"],
    is_mute: true,
    complete: |made, record| {
        let locations = record.value.get("location").and_then(Value::as_array).into_iter().flatten();
        made.related = locations.skip(1).take(RELATED).map(place).collect();
    },
    ..Members::MESSAGE
};

fn place(location: &Value) -> RelatedPlace {
    RelatedPlace {
        file: file(location, "file"),
        line: position(location, "line"),
        column: position(location, "column"),
        message: named(location, "info").unwrap_or_default(),
    }
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
