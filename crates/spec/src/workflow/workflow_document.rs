//! Parses `wf.yaml` or `stage-config.yaml` into a tree of the declared shape.

use crate::form::shape::Object;
use referee_model::limit;
use referee_syntax::span::Span;
use referee_syntax::tree::Node;

use crate::check::check;
use crate::complaint::{Code, Complaint, Findings};
use crate::read;
use crate::source::Source;

/// A document with its findings.
pub(super) struct Document {
    source: Source,
    /// Parsed tree. None: the document cannot be parsed.
    pub(super) root: Option<Node>,
    pub(super) findings: Findings,
}

impl Document {
    /// Parses bytes, and checks them against a shape.
    pub(super) fn read(name: &str, bytes: &[u8], shape: &'static Object) -> Self {
        let mut findings = Findings::default();
        let source = read::source(name, bytes, &mut findings);
        let root = if findings.has_errors() { None } else { read::tree(&source, &mut findings) };
        if let Some(root) = &root {
            check(root, shape, &mut findings);
        }
        // The parser is the one for specifications, and its message names those.
        let mebibytes = limit::SPECIFICATION_BYTES / (1024 * 1024);
        findings.reword(Code::TooLarge, &format!("this file is larger than it may be ({mebibytes} MiB)"), None);
        findings.reword(Code::Empty, &format!("the file is empty: expected {}", shape.what), None);
        findings.reword(Code::SeveralDocuments, "a second YAML document begins here; there may be one", None);
        Self { source, root, findings }
    }

    /// Resolves the positions of all findings.
    pub(super) fn into_complaints(self) -> Vec<Complaint> {
        let Self { source, root, findings } = self;
        let pointer = |span: Span| root.as_ref().map(|root| root.pointer(span)).unwrap_or_default();
        findings.into_complaints(&source, pointer)
    }
}
