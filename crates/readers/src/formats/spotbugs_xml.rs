//! The XML of SpotBugs and FindBugs: `<BugCollection><BugInstance type="NP_NULL" priority="1"><LongMessage/>…`,
//! with `<SourceLine sourcepath="demo/A.java" start="3"/>` in it.

use crate::formats::finding_report::{Report, XmlDialect, XmlReport, finding};
use crate::prelude::*;
use crate::xml::Element;

/// The document formats of SpotBugs XML.
pub(crate) const DOCUMENTS: &[DocumentFormat] =
    &[DocumentFormat::new(&["<BugCollection"], &[], |stream, is_hinted| {
        Box::new(XmlReport(Report::<SpotBugs>::new(stream, is_hinted)))
    })];

/// State while one document is read: the data of the open bug.
#[derive(Debug, Default)]
struct SpotBugs {
    long: String,
    short: String,
    /// Location of the bug itself, given directly in the bug element.
    own: Option<LineRange>,
    /// Location of the enclosing method or class.
    outer: Option<LineRange>,
}

#[derive(Debug)]
struct LineRange {
    file: Option<String>,
    start: Option<u32>,
    end: Option<u32>,
}

impl XmlDialect for SpotBugs {
    const FORMAT: &'static str = "xml";
    const RULE: &'static str = "spotbugs/xml";

    fn is_root(root: &Element) -> bool {
        root.name == "BugCollection"
    }

    fn close(&mut self, element: Element, around: &[Element], at: Origin, findings: &mut Findings) {
        let parent = around.last().map_or("", |parent| parent.name.as_str());
        match (element.name.as_str(), parent) {
            ("LongMessage", "BugInstance") => self.long = element.text,
            ("ShortMessage", "BugInstance") => self.short = element.text,
            ("SourceLine", "BugInstance") if self.own.is_none() => self.own = Some(place(&element)),
            ("SourceLine", "Method" | "Class" | "Field") if self.outer.is_none() => self.outer = Some(place(&element)),
            ("BugInstance", _) => {
                let told = std::mem::take(self);
                findings.add(told.found(&element, at));
            }
            _ => {}
        }
    }
}

impl SpotBugs {
    fn found(self, element: &Element, at: Origin) -> referee_model::reading::Diagnostic {
        let level = match element.get("priority") {
            Some("1") => Level::Error,
            Some("2") => Level::Warning,
            _ => Level::Info,
        };
        let kind = element.get("type").unwrap_or_default();
        let message = [self.long.as_str(), self.short.as_str(), kind].into_iter().find(|said| !said.trim().is_empty());
        let mut found = finding("spotbugs", at, level, message.unwrap_or_default());
        found.code = (!kind.is_empty()).then(|| name(kind));
        if let Some(place) = self.own.or(self.outer) {
            found.file = place.file;
            (found.line, found.end_line) = (place.start, place.end);
        }
        found
    }
}

fn place(element: &Element) -> LineRange {
    let number = |name| element.get(name).and_then(text::position);
    let file = element.get("relSourcepath").or(element.get("sourcepath")).or(element.get("sourcefile"));
    LineRange { file: file.map(|file| name(&text::path(file))), start: number("start"), end: number("end") }
}

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
