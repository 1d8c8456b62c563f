//! Decodes bytes as text, and parses text as a tree (ruling 1).

mod text;

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use referee_model::limit;
use referee_syntax::fault::{Fault, FaultKind, Limits};
use referee_syntax::json;
use referee_syntax::span::Span;
use referee_syntax::tree::{Kind, Node};
use referee_syntax::yaml::{self, Dialect};

use crate::complaint::{Code, Finding, Findings};
use crate::source::{Source, harmless, quote};

/// Size limits of a specification; errors name each limit.
const LIMITS: Limits = Limits {
    depth: limit::SPECIFICATION_DEPTH,
    values: limit::SPECIFICATION_VALUES,
    repeated_values: limit::SPECIFICATION_ALIASED_VALUES,
    repeated_bytes: limit::SPECIFICATION_BYTES,
};

/// Reads a file up to a limit: `limit` + 1 bytes if it is larger.
///
/// Anything but a regular file is refused before it is opened, because a pipe might never end.
pub fn file(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    if !path.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Decodes the bytes of a specification as text. Invalid text is returned in displayable form, beside the complaint.
pub fn source(name: &str, bytes: &[u8], findings: &mut Findings) -> Source {
    let too_large = u64::try_from(bytes.len()).is_ok_and(|length| length > limit::SPECIFICATION_BYTES);
    if too_large {
        let limit = limit::SPECIFICATION_BYTES / (1024 * 1024);
        let message = format!("this file is larger than a specification may be ({limit} MiB)");
        findings.push(Finding::error(Code::TooLarge, Span::BEGINNING, message));
        return Source::new(name, "");
    }
    match text::decode(bytes) {
        Ok(text) => Source::new(name, text),
        Err(fault) => {
            let end = fault.text.len().min(fault.offset + 1);
            let span = Span { start: fault.offset.min(end), end };
            findings.push(Finding::error(Code::NotText, span, fault.message).help("save it as UTF-8 text"));
            Source::new(name, fault.text)
        }
    }
}

/// Parses a text into a tree. Without a tree there is at least one error among the findings; tolerable errors,
/// such as a duplicate key, are complained about, and the tree is checked further.
pub fn tree(source: &Source, findings: &mut Findings) -> Option<Node> {
    let (text, mut faults) = (source.text(), Vec::new());
    let (language, documents) = match text::format(text) {
        text::Format::Json => ("JSON", json::read(text, &LIMITS, &mut faults)),
        text::Format::Yaml => ("YAML", yaml::read(text, Dialect::Strict, &LIMITS, &mut || false, &mut faults)),
    };
    for fault in faults {
        findings.push(finding(source, language, fault));
    }
    let root = documents?.pop().filter(|root| root.kind != Kind::Null);
    if root.is_none() {
        let message = "the specification is empty: `checks` is required";
        findings.push(
            Finding::error(Code::Empty, Span::BEGINNING, message).help("for example `checks: { unit: npm test }`"),
        );
    }
    root
}

fn finding(source: &Source, language: &str, fault: Fault) -> Finding {
    let (code, message) = match fault.kind {
        FaultKind::Syntax(what) => {
            (Code::Syntax, format!("invalid {language}: {}", what.chars().map(harmless).collect::<String>()))
        }
        FaultKind::TooDeep => (Code::TooDeep, format!("lists and mappings are nested more than {} deep", LIMITS.depth)),
        FaultKind::TooManyValues => (Code::TooManyValues, format!("there are more than {} values", LIMITS.values)),
        FaultKind::RepeatedValues => {
            let message = format!("anchors and aliases repeat more than {} values", LIMITS.repeated_values);
            (Code::AliasExpansion, message)
        }
        FaultKind::RepeatedBytes => {
            let limit = LIMITS.repeated_bytes / (1024 * 1024);
            (Code::AliasExpansion, format!("anchors and aliases repeat more than {limit} MiB of text"))
        }
        FaultKind::AliasCycle => {
            (Code::AliasExpansion, "this alias stands inside the value that it repeats".to_owned())
        }
        FaultKind::SeveralDocuments => {
            let message = "a second YAML document begins here; a specification is one document";
            (Code::SeveralDocuments, message.to_owned())
        }
        FaultKind::DuplicateKey { key, first } => {
            let first = source.position(first).line;
            let message = format!("duplicate key {}: already defined on line {first}", quote(&key));
            (Code::DuplicateKey, message)
        }
        FaultKind::KeyNotText => (Code::KeyNotText, "a key must be a text, not a list or a mapping".to_owned()),
        FaultKind::MergeKey => {
            let message = "merge keys are not part of YAML 1.2: repeat the keys, or use an alias for a whole value";
            (Code::MergeKey, message.to_owned())
        }
        FaultKind::UnknownTag(tag) => {
            (Code::UnknownTag, format!("the tag {} does not belong here: write plain values", quote(&tag)))
        }
    };
    Finding::error(code, fault.span, message)
}
