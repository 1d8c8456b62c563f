//! `referee.lock`: the files that the gate itself depends on, as a person recorded them (design, "Lock").
//!
//! It is written as canonical JSON (RFC 8785) with a final line break, so that the same lock always has the
//! same bytes.

use referee_model::limit;
use referee_model::lock::Lock;

use referee_model::canonical::{self, CanonicalError};
use referee_model::document::{DocumentError, Kind};

pub const KIND: Kind = Kind { name: FILE_NAME, key: "lockVersion", version: "1.0.0" };

/// Name of the file in the workspace.
pub const FILE_NAME: &str = "referee.lock";

/// Serializes a lock. The same lock always has the same bytes.
///
/// # Errors
/// Fails for a number that canonical JSON cannot represent.
pub fn render(lock: &Lock) -> Result<Vec<u8>, CanonicalError> {
    let mut bytes = canonical::bytes(&KIND.versioned(lock))?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// Parses a lock.
///
/// # Errors
/// Fails for bytes that are no lock, have another version, or are not in the order of [`render`].
pub fn read(bytes: &[u8]) -> Result<Lock, DocumentError> {
    if bytes.len() as u64 > limit::LOCK_BYTES {
        return Err(KIND.content(format!("it is larger than {} bytes", limit::LOCK_BYTES)));
    }
    let lock: Lock = KIND.decode(bytes)?;
    if let Some(pair) = lock.files.windows(2).find(|pair| pair[0].path >= pair[1].path) {
        return Err(KIND.content(format!("`{}` appears twice or out of order", pair[1].path)));
    }
    if lock.files.len() > limit::PROTECTED_FILES {
        return Err(KIND.content(format!("it holds more than {} files", limit::PROTECTED_FILES)));
    }
    Ok(lock)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use referee_model::id::{Digest, TaskId};
    use referee_model::lock::{
        KnownSuppression, LockRule, LockedFile, LockedKind, LockedValue, NamedTests, Newcomers, RuleSource,
    };
    use referee_model::run_context::protection::Mode;
    use referee_model::run_context::suppression::SuppressionKind;
    use referee_model::time::Timestamp;

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
            (String::new(), "cannot read"),
            (text[..text.len() / 2].to_owned(), "cannot read"),
            (text.replace("1.0.0", "2.0.0"), "use a newer Referee"),
            (text.replace("\"path\":\"b\"", "\"path\":\"a\""), "appears twice or out of order"),
            (text.replace("\"made\"", "\"extra\":1,\"made\""), "extra"),
            (text.replace("frozen", "thawed"), "thawed"),
        ] {
            let error = read(bad.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
