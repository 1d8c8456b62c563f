//! In-toto statements: a claim (the predicate) about artifacts (the subject) (in-toto attestation framework
//! v1).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Payload type of a statement.
pub const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";

/// Value of a statement's `_type`.
pub const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";

/// Algorithm name of the SHA-256 of a file's bytes.
pub const SHA256: &str = "sha256";

/// Algorithm name of the digest of a source tree: SHA-256 over path, mode and content of every input file
/// (design, "Tree digest"). It is not a digest of one sequence of bytes, so it is not called `sha256`.
pub const TREE_DIGEST: &str = "refereeTreeV1";

/// A predicate about artifacts.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Statement<'a, Predicate> {
    #[serde(rename = "_type")]
    pub(super) of: &'static str,
    pub(super) subject: Vec<ResourceDescriptor>,
    pub(super) predicate_type: &'static str,
    pub(super) predicate: &'a Predicate,
}

/// An artifact, identified by name and digests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceDescriptor {
    #[serde(default)]
    pub name: String,
    /// Digests of the artifact, by the name of the algorithm.
    #[serde(default)]
    pub digest: BTreeMap<String, String>,
}

impl ResourceDescriptor {
    /// Creates a descriptor with one digest.
    pub fn new(name: &str, algorithm: &str, digest: &impl ToString) -> Self {
        Self { name: name.to_owned(), digest: [(algorithm.to_owned(), digest.to_string())].into() }
    }

    /// Returns whether this is the artifact with this digest.
    pub fn is(&self, algorithm: &str, digest: &impl ToString) -> bool {
        self.digest.get(algorithm) == Some(&digest.to_string())
    }
}

/// A statement with any predicate, which is not interpreted. Unknown keys are ignored.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AnyStatement {
    #[serde(rename = "_type")]
    pub statement_type: String,
    pub subject: Vec<ResourceDescriptor>,
    /// Type of the predicate, as a URI.
    pub predicate_type: String,
    #[serde(default)]
    pub predicate: Value,
}

/// Why a payload is not a valid statement.
#[derive(Debug, thiserror::Error)]
pub enum StatementError {
    /// Not JSON, or JSON of another shape.
    #[error("it is not an in-toto statement: {0}")]
    Shape(#[from] serde_json::Error),
    /// The statement has an unsupported type or version.
    #[error("unknown statement type {0:?}: expected {STATEMENT_TYPE}")]
    Type(String),
    #[error("the statement has no subject")]
    NoSubject,
}

pub fn read(payload: &[u8]) -> Result<AnyStatement, StatementError> {
    let statement: AnyStatement = serde_json::from_slice(payload)?;
    if statement.statement_type != STATEMENT_TYPE {
        return Err(StatementError::Type(statement.statement_type));
    }
    if statement.subject.is_empty() {
        return Err(StatementError::NoSubject);
    }
    Ok(statement)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_statements_of_the_known_version_about_something_are_read() {
        let with = |statement_type: &str, subject: &str| {
            format!(
                r#"{{"_type":"{statement_type}","subject":{subject},"predicateType":"p","predicate":{{}},"new":1}}"#
            )
        };
        let subject = r#"[{"name":"seal.json","digest":{"sha256":"ab"},"uri":"x"}]"#;
        let read_one = read(with(STATEMENT_TYPE, subject).as_bytes()).unwrap();
        assert!(read_one.subject[0].is(SHA256, &"ab") && !read_one.subject[0].is(TREE_DIGEST, &"ab"));
        for (text, part) in [
            (with("https://in-toto.io/Statement/v0.1", subject), "Statement/v0.1"),
            (with(STATEMENT_TYPE, "[]"), "no subject"),
            ("{}".to_owned(), "missing field"),
            ("x".to_owned(), "not an in-toto statement"),
        ] {
            assert!(read(text.as_bytes()).unwrap_err().to_string().contains(part), "{text}");
        }
    }
}
