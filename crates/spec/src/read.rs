//! Bytes become a text, and the text a tree (ruling 1).

mod json;
mod text;
mod yaml;

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use referee_model::limit;
use referee_syntax::span::Span;
use referee_syntax::tree::Node;

use crate::complaint::{Code, Finding, Findings};
use crate::source::Source;

/// Reads a file up to a bound: one byte more than `limit` where it is larger.
///
/// Anything but a regular file is refused before it is opened, because a pipe would never end.
pub fn file(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    if !path.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Takes the bytes of a specification as a text. What is not text is still given as well as it can be shown, beside
/// the complaint.
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

/// Reads a text as a tree. Without a tree there is at least one error among the findings; what can be passed over, such
/// as a key that is there twice, is complained about and leaves a tree to be checked further.
pub fn tree(source: &Source, findings: &mut Findings) -> Option<Node> {
    match text::format(source.text()) {
        text::Format::Json => json::tree(source.text(), findings),
        text::Format::Yaml => yaml::tree(source.text(), findings),
    }
}

/// What both formats refuse in the same words.
fn too_deep(span: Span) -> Finding {
    let limit = limit::SPECIFICATION_DEPTH;
    Finding::error(Code::TooDeep, span, format!("lists and mappings are nested more than {limit} deep"))
}

fn too_many_values(span: Span) -> Finding {
    let limit = limit::SPECIFICATION_VALUES;
    Finding::error(Code::TooManyValues, span, format!("there are more than {limit} values"))
}

fn duplicate_key(key: &str, span: Span, first: usize) -> Finding {
    let key = crate::source::quote(key);
    Finding::error(
        Code::DuplicateKey,
        span,
        format!("the key {key} is here a second time; the first is in line {first}"),
    )
}

fn empty() -> Finding {
    Finding::error(Code::Empty, Span::BEGINNING, "there is nothing in this specification; at least `checks` is needed")
        .help("for example `checks: { unit: npm test }`")
}
