//! Findings as XML elements, the format of several linters: a tool declares which elements are findings, and which
//! of their attributes, texts and children are the parts of a finding.

use std::io::{self, BufRead};

use serde_json::Map;

use crate::formats::finding_report::Report;
use crate::prelude::*;
use crate::shapes::json_findings::place;
use crate::xml::{self, Element, Elements};

/// Maximum number of child elements kept per finding.
const CHILDREN: usize = 256;

/// A format whose documents contain findings.
pub(crate) struct XmlFindings {
    /// Name of the root element.
    pub(crate) root: &'static str,
    /// The elements that are findings. As a record, an element has its attributes as members, its text as `#`, and
    /// its children of one name as a list.
    pub(crate) elements: &'static [(&'static str, &'static Members)],
    /// An element without which a document with no finding may be another tool's.
    pub(crate) sign: Option<&'static str>,
}

impl XmlFindings {
    /// Creates the reader of one stream.
    pub(crate) fn reader(&'static self, stream: Stream) -> Box<dyn DocumentReader> {
        Box::new(Documents { format: self, stream, report: Report::default() })
    }

    fn members(&self, name: &str) -> Option<&'static Members> {
        self.elements.iter().find(|(known, _)| *known == name).map(|(_, members)| *members)
    }
}

/// Findings in the documents of one stream.
struct Documents {
    format: &'static XmlFindings,
    stream: Stream,
    report: Report,
}

impl DocumentReader for Documents {
    fn document(&mut self, reader: &mut dyn BufRead, start: u64) -> io::Result<Extent> {
        let mut document = Document {
            format: self.format,
            stream: self.stream,
            findings: Findings::default(),
            is_of_format: false,
            has_sign: self.format.sign.is_none(),
            children: Vec::new(),
        };
        let extent = xml::read(reader, start, &mut document)?;
        let Document { findings, is_of_format, has_sign, .. } = document;
        let is_known = is_of_format && (has_sign || 0 < findings.counts.total());
        Ok(self.report.add(findings, is_known, extent))
    }

    fn finish(self: Box<Self>, _are_all: bool) -> Option<Candidate> {
        self.report.candidate("xml")
    }
}

/// State while one document is read.
struct Document {
    format: &'static XmlFindings,
    stream: Stream,
    findings: Findings,
    is_of_format: bool,
    has_sign: bool,
    /// The closed elements of the open finding whose parents are open: their depths, names and values.
    children: Vec<(usize, String, Value)>,
}

impl Elements for Document {
    fn open(&mut self, element: &Element, around: &[Element]) {
        if around.is_empty() {
            self.is_of_format = element.name == self.format.root;
        }
    }

    fn close(&mut self, element: Element, around: &[Element], end: u64) {
        if !self.is_of_format {
            return;
        }
        self.has_sign |= self.format.sign == Some(&element.name);
        let depth = around.len();
        let first = self.children.iter().rposition(|(of_child, ..)| *of_child <= depth).map_or(0, |at| at + 1);
        let children = self.children.split_off(first);
        if let Some(members) = self.format.members(&element.name) {
            let around: Vec<_> = around.iter().map(attributes).collect();
            let (start, value) = (element.start, value(&element, children));
            let record = Record { path: 0, value, around: &around, key: None, start, end };
            if let Some(found) = members.finding(&record) {
                let origin = place(&format!("{}/xml", members.tool), self.stream, &record);
                self.findings.add(Diagnostic { origin, ..found });
            }
        } else if self.children.len() < CHILDREN
            && around.iter().any(|outer| self.format.members(&outer.name).is_some())
        {
            let value = value(&element, children);
            self.children.push((depth, element.name, value));
        }
    }
}

fn attributes(element: &Element) -> Map<String, Value> {
    element.attributes.iter().map(|(key, value)| (key.clone(), value.as_str().into())).collect()
}

/// Returns an element as a record.
fn value(element: &Element, children: Vec<(usize, String, Value)>) -> Value {
    let mut members = attributes(element);
    members.insert("#".to_owned(), element.text.as_str().into());
    for (_, name, child) in children {
        if let Value::Array(list) = members.entry(name).or_insert_with(|| Value::Array(Vec::new())) {
            list.push(child);
        }
    }
    Value::Object(members)
}
