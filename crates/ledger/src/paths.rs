//! Paths below an evidence root.
//!
//! ```text
//! <root>/<TASK>/                        the latest sealed run
//! <root>/.history/<TASK>/<execution>/   earlier runs, superseded runs, and runs that died
//! <root>/.staging/<TASK>/<execution>/   a run being written
//! <root>/.locks/<TASK>.lock             lock for publishing
//! <root>/.registers/<name>.json         data kept across runs: debt, diagnostics
//! <root>/.locks/registers.lock          lock for changing it
//! ```
//!
//! and in the user's state directory, where ROOT is a digest of the root's path:
//!
//! ```text
//! <state>/chains/<ROOT>/<TASK>.json                 the head of the task's chain, and started runs
//! <state>/staging/<ROOT>/<TASK>/<execution>/        a run being written, if it can be moved to the root
//! ```

use referee_model::id::TaskId;

use crate::error::LedgerError;

/// Directory of the runs that are being written.
pub(crate) const STAGING: &str = ".staging";

/// Directory of the runs that are not the latest.
pub(crate) const HISTORY: &str = ".history";

/// Directory of the lock files.
pub(crate) const LOCKS: &str = ".locks";

/// Directory of the registers: data kept across runs, such as debt.
pub(crate) const REGISTERS: &str = ".registers";

/// The lock over all registers. Cannot clash with a task's lock: a task id begins with `T` and a digit.
pub(crate) const REGISTERS_LOCK: &str = "registers.lock";

/// Keeps the evidence out of version control, and of tools that follow its ignore rules.
pub(crate) const IGNORE_FILE: &str = ".gitignore";

pub(crate) const ATTESTATION: &str = referee_model::evidence_name::ATTESTATION;
/// The trust store, in its part of the state directory.
pub(crate) const TRUST: &str = "trust.json";

/// The lock over the trust store, beside it.
pub(crate) const TRUST_LOCK: &str = "trust.lock";

/// The seal while it is being written.
pub(crate) const SEAL_BEGUN: &str = "seal.json.begun";

/// Maximum length of a file name on common file systems, in bytes.
const NAME_BYTES: usize = 255;

/// Returns the name of a task's lock.
pub(crate) fn lock_name(task: &TaskId) -> String {
    format!("{task}.lock")
}

/// Returns the file name of a task's chain head.
pub(crate) fn head_name(task: &TaskId) -> String {
    format!("{task}.json")
}

/// Checks that a name is a single path component.
pub(crate) fn component(name: &str) -> Result<&str, LedgerError> {
    let one = !name.is_empty()
        && name.len() <= NAME_BYTES
        && name != "."
        && name != ".."
        && !name.contains(|character: char| character == '/' || character == '\\' || character.is_control());
    if one { Ok(name) } else { Err(LedgerError::Name { name: name.to_owned() }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_single_components_are_names() {
        for good in ["a", "STEP.1-types.log", "..a", "ä b"] {
            assert!(component(good).is_ok(), "{good}");
        }
        for bad in ["", ".", "..", "a/b", "/a", "a/", "a\0", "a\nb", "a\\b", &"x".repeat(256)] {
            assert!(component(bad).is_err(), "{bad}");
        }
    }
}
