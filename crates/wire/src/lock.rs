//! `referee.lock`: what the gate itself rests on, as it stood when a person took it down (design, "Lock").
//!
//! It is written as canonical JSON (RFC 8785) with a line end, so that the same lock is always the same bytes.

use std::collections::BTreeMap;

use referee_model::circumstances::protection::Mode;
use referee_model::circumstances::suppression::SuppressionKind;
use referee_model::id::{Digest, TaskId};
use referee_model::limit;
use referee_model::lock::{
    KnownSuppression, Lock, LockRule, LockedFile, LockedKind, LockedValue, NamedTests, Newcomers, RuleSource,
};
use referee_model::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::canonical::{self, CanonicalError};
use crate::document::{DocumentError, Kind};
use crate::form;

const KIND: Kind = Kind { name: FILE_NAME, key: "lockVersion", version: "1.0.0" };

/// The name of the file in the workspace.
pub const FILE_NAME: &str = "referee.lock";

/// A lock, as a document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(title = "Referee lock")]
pub(crate) struct LockDocument {
    /// Version of this format.
    #[schemars(with = "form::Version")]
    lock_version: String,
    /// When it was made.
    #[schemars(with = "form::Time")]
    made: Timestamp,
    /// The tasks of the specification then, and the digests of their plans.
    #[schemars(with = "BTreeMap<String, form::Sha256>")]
    plans: BTreeMap<TaskId, Digest>,
    /// The rules, in the order in which they are asked; they hold for files that come later, too.
    rules: Vec<RuleDocument>,
    /// The files, sorted by path, each once.
    files: Vec<FileDocument>,
    /// How many tests each check ran in the last sealed run of what was locked, by task and the check's name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(with = "BTreeMap<String, BTreeMap<String, u64>>")]
    test_counts: BTreeMap<TaskId, BTreeMap<String, u64>>,
    /// Names of tests that passed in the last sealed run and of which the runner names no file, by task and the check's name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(with = "BTreeMap<String, BTreeMap<String, Vec<String>>>")]
    tests: NamedTests,
    /// The sources by path, with what silences tools in each. Absent: not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sources: Option<BTreeMap<String, Vec<SuppressionDocument>>>,
}

/// A suppression in a source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SuppressionDocument {
    /// What it is.
    #[schemars(with = "form::SuppressionKind")]
    kind: SuppressionKind,
    /// SHA-256 of the suppression with what it is about.
    #[schemars(with = "form::Sha256")]
    words: Digest,
    /// SHA-256 of its line, without blanks around it.
    #[schemars(with = "form::Sha256")]
    line: Digest,
}

/// A rule of protection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RuleDocument {
    /// How.
    #[schemars(with = "form::ProtectionMode")]
    mode: Mode,
    /// A path, or a pattern for paths, relative to the workspace.
    pattern: String,
    /// The value in the file that alone is protected, as a JSON pointer. Null: the whole file.
    pointer: Option<String>,
    /// What becomes of files that come later: `refused` spares those that git is told to ignore, `governing`
    /// refuses these, too, where the baseline knows a file in or below the folder that stands for `**/` in the pattern.
    #[schemars(with = "form::Newcomers")]
    newcomers: Newcomers,
    /// Who gives it.
    #[schemars(with = "form::RuleSource")]
    source: RuleSource,
    /// Why.
    reason: String,
}

/// A protected file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct FileDocument {
    /// Relative to the workspace.
    path: String,
    /// How it is protected.
    #[schemars(with = "form::ProtectionMode")]
    mode: Mode,
    /// What it was.
    #[schemars(with = "form::LockedKind")]
    kind: LockedKind,
    /// Its size in bytes.
    bytes: u64,
    /// SHA-256 of its content; of a link, of where it leads.
    #[schemars(with = "form::Sha256")]
    sha256: Digest,
    /// The values that alone are protected. Empty: the whole file is.
    values: Vec<ValueDocument>,
    /// Names of the tests that its text declares, sorted.
    tests: Vec<String>,
    /// Names of its tests that passed in the last sealed run, sorted.
    passed: Vec<String>,
    /// Why it is protected.
    reason: String,
}

/// A protected value in a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ValueDocument {
    /// Where, as a JSON pointer.
    pointer: String,
    /// How.
    #[schemars(with = "form::ProtectionMode")]
    mode: Mode,
    /// SHA-256 of its canonical JSON. Null: there was no such value.
    #[schemars(with = "Option<form::Sha256>")]
    digest: Option<Digest>,
}

/// Returns the bytes of a lock: the same for the same lock, always.
///
/// # Errors
/// Fails for a number that canonical JSON cannot hold.
pub fn render(lock: &Lock) -> Result<Vec<u8>, CanonicalError> {
    let mut bytes = canonical::bytes(&LockDocument::from(lock))?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// Reads a lock.
///
/// # Errors
/// Fails for bytes that are none, of another version, or not as [`render`] orders them.
pub fn read(bytes: &[u8]) -> Result<Lock, DocumentError> {
    if bytes.len() as u64 > limit::LOCK_BYTES {
        return Err(KIND.content(format!("it is larger than {} bytes", limit::LOCK_BYTES)));
    }
    let document: LockDocument = KIND.read(bytes)?;
    if let Some(pair) = document.files.windows(2).find(|pair| pair[0].path >= pair[1].path) {
        return Err(KIND.content(format!("`{}` stands twice or out of order", pair[1].path)));
    }
    if document.files.len() > limit::PROTECTED_FILES {
        return Err(KIND.content(format!("it holds more than {} files", limit::PROTECTED_FILES)));
    }
    Ok(document.into())
}

impl From<&Lock> for LockDocument {
    fn from(lock: &Lock) -> Self {
        Self {
            lock_version: KIND.version.to_owned(),
            made: lock.made,
            plans: lock.plans.clone(),
            rules: lock.rules.iter().map(Into::into).collect(),
            files: lock.files.iter().map(Into::into).collect(),
            test_counts: lock.test_counts.clone(),
            tests: lock.named_tests.clone(),
            sources: lock.sources.as_ref().map(|sources| {
                let known = |(path, known): (&String, &Vec<KnownSuppression>)| {
                    (path.clone(), known.iter().copied().map(Into::into).collect())
                };
                sources.iter().map(known).collect()
            }),
        }
    }
}

impl From<LockDocument> for Lock {
    fn from(document: LockDocument) -> Self {
        Self {
            made: document.made,
            plans: document.plans,
            rules: document.rules.into_iter().map(Into::into).collect(),
            files: document.files.into_iter().map(Into::into).collect(),
            test_counts: document.test_counts,
            named_tests: document.tests,
            sources: document.sources.map(|sources| {
                let known = |(path, known): (String, Vec<SuppressionDocument>)| {
                    (path, known.into_iter().map(Into::into).collect())
                };
                sources.into_iter().map(known).collect()
            }),
        }
    }
}

impl From<&LockRule> for RuleDocument {
    fn from(rule: &LockRule) -> Self {
        Self {
            mode: rule.mode,
            pattern: rule.pattern.clone(),
            pointer: rule.pointer.clone(),
            newcomers: rule.newcomers,
            source: rule.source,
            reason: rule.reason.clone(),
        }
    }
}

impl From<RuleDocument> for LockRule {
    fn from(document: RuleDocument) -> Self {
        Self {
            mode: document.mode,
            pattern: document.pattern,
            pointer: document.pointer,
            newcomers: document.newcomers,
            source: document.source,
            reason: document.reason,
        }
    }
}

impl From<&LockedFile> for FileDocument {
    fn from(file: &LockedFile) -> Self {
        Self {
            path: file.path.clone(),
            mode: file.mode,
            kind: file.kind,
            bytes: file.bytes,
            sha256: file.sha256,
            values: file.values.iter().map(Into::into).collect(),
            tests: file.tests.clone(),
            passed: file.passed.clone(),
            reason: file.reason.clone(),
        }
    }
}

impl From<FileDocument> for LockedFile {
    fn from(document: FileDocument) -> Self {
        Self {
            path: document.path,
            mode: document.mode,
            kind: document.kind,
            bytes: document.bytes,
            sha256: document.sha256,
            values: document.values.into_iter().map(Into::into).collect(),
            tests: document.tests,
            passed: document.passed,
            reason: document.reason,
        }
    }
}

impl From<&LockedValue> for ValueDocument {
    fn from(value: &LockedValue) -> Self {
        Self { pointer: value.pointer.clone(), mode: value.mode, digest: value.digest }
    }
}

impl From<ValueDocument> for LockedValue {
    fn from(document: ValueDocument) -> Self {
        Self { pointer: document.pointer, mode: document.mode, digest: document.digest }
    }
}

impl From<KnownSuppression> for SuppressionDocument {
    fn from(KnownSuppression { kind, words, line }: KnownSuppression) -> Self {
        Self { kind, words, line }
    }
}

impl From<SuppressionDocument> for KnownSuppression {
    fn from(SuppressionDocument { kind, words, line }: SuppressionDocument) -> Self {
        Self { kind, words, line }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Lock {
        let file = |path: &str| LockedFile {
            path: path.to_owned(),
            mode: Mode::Frozen,
            kind: LockedKind::File,
            bytes: 2,
            sha256: Digest::from_bytes([7; 32]),
            values: vec![LockedValue { pointer: "/scripts".to_owned(), mode: Mode::Frozen, digest: None }],
            tests: vec!["adds".to_owned()],
            passed: Vec::new(),
            reason: "what the project's own commands run".to_owned(),
        };
        Lock {
            made: Timestamp::from_millisecond(0),
            plans: BTreeMap::new(),
            rules: vec![LockRule {
                mode: Mode::Additive,
                pattern: "tests/**".to_owned(),
                pointer: None,
                newcomers: Newcomers::Free,
                source: RuleSource::Declared,
                reason: "the specification says so".to_owned(),
            }],
            files: vec![file("a"), file("b")],
            test_counts: BTreeMap::new(),
            named_tests: NamedTests::from([(
                TaskId::parse("T001").unwrap(),
                BTreeMap::from([("unit".to_owned(), vec!["adds".to_owned(), "adds".to_owned()])]),
            )]),
            sources: Some(BTreeMap::from([
                ("a.go".to_owned(), Vec::new()),
                (
                    "a.ts".to_owned(),
                    vec![KnownSuppression {
                        kind: SuppressionKind::AsAny,
                        words: Digest::from_bytes([1; 32]),
                        line: Digest::from_bytes([2; 32]),
                    }],
                ),
            ])),
        }
    }

    #[test]
    fn a_lock_is_read_as_it_was_written_and_written_the_same_again() {
        let bytes = render(&sample()).unwrap();
        assert_eq!(read(&bytes).unwrap(), sample());
        assert_eq!(render(&read(&bytes).unwrap()).unwrap(), bytes);
    }

    #[test]
    fn what_is_no_lock_is_refused_with_the_reason() {
        let text = String::from_utf8(render(&sample()).unwrap()).unwrap();
        for (bad, part) in [
            (String::new(), "cannot be read"),
            (text[..text.len() / 2].to_owned(), "cannot be read"),
            (text.replace("1.0.0", "2.0.0"), "use a newer Referee"),
            (text.replace("\"path\":\"b\"", "\"path\":\"a\""), "stands twice or out of order"),
            (text.replace("\"made\"", "\"extra\":1,\"made\""), "extra"),
            (text.replace("frozen", "thawed"), "thawed"),
        ] {
            let error = read(bad.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
