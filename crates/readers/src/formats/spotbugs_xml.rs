//! The XML of SpotBugs and FindBugs: `<BugCollection><BugInstance type="NP_NULL" priority="1"><LongMessage/>…`,
//! with `<SourceLine sourcepath="demo/A.java" start="3"/>` in it.

use crate::formats::xml_findings::XmlFindings;
use crate::prelude::*;
use crate::shapes::members::{file, position};

/// The document formats of SpotBugs XML.
pub(crate) const DOCUMENTS: &[DocumentFormat] =
    &[DocumentFormat::new(&["<BugCollection"], &[], |stream, _| XML.reader(stream))];

static XML: XmlFindings = XmlFindings { root: "BugCollection", elements: &[("BugInstance", &BUG)], sign: None };

/// Where a bug is: its own line, or else the enclosing class or method.
const PLACES: &[&str] = &["/SourceLine/0", "/Class/0/SourceLine/0", "/Method/0/SourceLine/0", "/Field/0/SourceLine/0"];

const BUG: Members = Members {
    tool: "spotbugs",
    message: "LongMessage/0/#|ShortMessage/0/#|type",
    code: "type",
    level: "priority",
    levels: &[("1", Level::Error), ("2", Level::Warning)],
    otherwise: Level::Info,
    is_mute: true,
    complete: |made, record| {
        if let Some(place) = PLACES.iter().find_map(|path| record.value.pointer(path)) {
            made.file = ["relSourcepath", "sourcepath", "sourcefile"].iter().find_map(|key| file(place, key));
            (made.line, made.end_line) = (position(place, "start"), position(place, "end"));
        }
    },
    ..Members::MESSAGE
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::finding_report::tests::{shown, told};
    use referee_model::record::Stream;

    #[test]
    fn a_bug_stands_at_its_own_line() {
        let document = "<BugCollection version='4.8'><Project/><BugInstance type='NP_X' priority='1' rank='5' category='CORRECTNESS'>\
            <ShortMessage>short</ShortMessage><LongMessage>long</LongMessage><Class classname='demo.A'><SourceLine start='1' end='9' sourcepath='demo/A.java'/></Class>\
            <SourceLine start='3' end='3' sourcefile='A.java' sourcepath='demo/A.java'/></BugInstance><BugInstance type='Y' priority='3'/></BugCollection>";
        let read = told(DOCUMENTS[0].reader(Stream::Stdout, false), document).map(shown).unwrap();
        assert_eq!(read, ["Error demo/A.java 3:-:3:- NP_X: long", "Info - -:-:-:- Y: Y"]);
    }
}
