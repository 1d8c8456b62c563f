//! `referee.lock`: what the gate itself rests on, as it stood when a person took it down (design, "Lock").
//!
//! It is written as canonical JSON (RFC 8785) with a line end, so that the same lock is always the same bytes.

use std::collections::BTreeMap;

use referee_model::id::{Digest, TaskId};
use referee_model::limit;
use referee_model::lock::{Lock, LockRule, LockedFile, NamedTests, Sources};
use referee_model::time::Timestamp;
use serde::{Deserialize, Serialize};

use referee_model::canonical::{self, CanonicalError};
use referee_model::document::{DocumentError, Kind};

const KIND: Kind = Kind { name: FILE_NAME, key: "lockVersion", version: "1.0.0" };

/// The name of the file in the workspace.
pub const FILE_NAME: &str = "referee.lock";

/// A lock, as a document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(title = "Referee lock"))]
pub struct LockDocument {
    /// Version of this format.
    #[cfg_attr(feature = "schema", schemars(with = "referee_model::schema::Version"))]
    lock_version: String,
    /// When it was made.
    made: Timestamp,
    /// The tasks of the specification then, and the digests of their plans.
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, Digest>"))]
    plans: BTreeMap<TaskId, Digest>,
    /// The rules, in the order in which they are asked; they hold for files that come later, too.
    rules: Vec<LockRule>,
    /// The files, sorted by path, each once.
    files: Vec<LockedFile>,
    /// How many tests each check ran in the last sealed run of what was locked, by task and the check's name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, BTreeMap<String, u64>>"))]
    test_counts: BTreeMap<TaskId, BTreeMap<String, u64>>,
    /// Names of tests that passed in the last sealed run and of which the runner names no file, by task and the check's name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, BTreeMap<String, Vec<String>>>"))]
    tests: NamedTests,
    /// The sources by path, with what silences tools in each. Absent: not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sources: Option<Sources>,
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
            rules: lock.rules.clone(),
            files: lock.files.clone(),
            test_counts: lock.test_counts.clone(),
            tests: lock.named_tests.clone(),
            sources: lock.sources.clone(),
        }
    }
}

impl From<LockDocument> for Lock {
    fn from(document: LockDocument) -> Self {
        Self {
            made: document.made,
            plans: document.plans,
            rules: document.rules,
            files: document.files,
            test_counts: document.test_counts,
            named_tests: document.tests,
            sources: document.sources,
        }
    }
}

#[cfg(test)]
mod tests {
    use referee_model::circumstances::protection::Mode;
    use referee_model::circumstances::suppression::SuppressionKind;
    use referee_model::lock::{KnownSuppression, LockedKind, LockedValue, Newcomers, RuleSource};

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
