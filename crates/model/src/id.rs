//! Identifiers, validated when they are parsed.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// An error parsing an id, digest or path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// Not a task id: `T` followed by three or more digits (schema 2.0.0, `tasks`).
    #[error("`{0}` is not a task id: expected `T` and at least three digits, such as `T001`")]
    Task(String),
    /// Not an action id: a phase name, a dot and a number (schema 2.0.0, `actionId`).
    #[error("`{0}` is not an action id: expected capital letters, a dot and a number, such as `STEP.1`")]
    Action(String),
    /// Not a debt id: `DEBT-`, a task id and a number of three or more digits (contract of the debt item, `debtId`).
    #[error("`{0}` is not a debt id: expected `DEBT-`, a task id, `-` and a number, such as `DEBT-T001-004`")]
    Debt(String),
    /// Not an execution id.
    #[error("`{0}` is not an execution id")]
    Execution(String),
    /// Not the name of a project.
    #[error("`{0}` is not a project name: expected letters, digits, `.`, `_` and `-`, such as `quote-service`")]
    Project(String),
    /// Not the name of a server.
    #[error("`{0}` is not the name of a server: expected letters, digits, `.`, `_` and `-`")]
    Server(String),
    /// Not the label of a worker.
    #[error("`{0}` is not a label: expected at most 50 lower-case letters, digits and `-`, such as `linux`")]
    Label(String),
    /// Not a SHA-256 digest: 64 lower-case hexadecimal digits.
    #[error("`{0}` is not a SHA-256 digest: expected 64 lower-case hexadecimal digits")]
    Digest(String),
    /// Absolute, or outside the workspace through `..`.
    #[error("`{0}` is outside the workspace: use a relative path that stays inside it")]
    Path(String),
}

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident, $error:ident, $valid:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// Parses the id.
            pub fn parse(text: impl Into<String>) -> Result<Self, IdError> {
                let text = text.into();
                let valid: fn(&str) -> bool = $valid;
                if valid(&text) { Ok(Self(text)) } else { Err(IdError::$error(text)) }
            }
        }

        holds_text!($name, IdError);

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                Self::parse(text)
            }
        }
    };
}

text_id!(
    /// Id of a task, such as `T030`.
    TaskId,
    Task,
    |text| text.len() <= 32
        && text.strip_prefix('T').is_some_and(|digits| digits.len() >= 3 && digits.bytes().all(|byte| byte.is_ascii_digit()))
);

text_id!(
    /// Id of an action within a task, such as `STEP.3` or `PREREQ.1`. Also used in file names, so it contains no
    /// separator.
    ActionId,
    Action,
    |text| text.len() <= 64
        && text.split_once('.').is_some_and(|(scope, number)| {
            scope.starts_with(|first: char| first.is_ascii_uppercase())
                && scope.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
                && !number.is_empty()
                && number.bytes().all(|byte| byte.is_ascii_digit())
        })
);

text_id!(
    /// Id of a technical debt item, such as `DEBT-T001-004`: the task that first showed it, and a number.
    DebtId,
    Debt,
    |text| text.len() <= 64
        && text.strip_prefix("DEBT-").and_then(|rest| rest.rsplit_once('-')).is_some_and(|(task, number)| {
            TaskId::parse(task).is_ok() && number.len() >= 3 && number.bytes().all(|byte| byte.is_ascii_digit())
        })
);

text_id!(
    /// Id of one run of one task, such as `exec-20261121T090524123Z-1f3a9c04`. Also used as a directory name and
    /// as a marker in the environment.
    ExecutionId,
    Execution,
    |text| text.len() <= 64
        && text.strip_prefix("exec-").is_some_and(|rest| {
            !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        })
);

text_id!(
    /// Name of a project in a depot, such as `quote-service`. Also used in names of objects, so it contains no separator.
    ProjectName,
    Project,
    |text| text.len() <= 100
        && text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
);

text_id!(
    /// Name of a server of a fleet, from its start to its end. Also used in names of objects, so it contains no separator.
    ServerName,
    Server,
    |text| text.len() <= 150
        && text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
);

text_id!(
    /// Label of a worker, for what its machine has or can reach: at most 50 lower-case letters, digits and `-`, the first one
    /// a letter or a digit.
    WorkerLabel,
    Label,
    |text| text.len() <= 50
        && text.starts_with(|first: char| first.is_ascii_lowercase() || first.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
);

impl DebtId {
    /// Creates the id of a task's item with this number.
    pub fn new(task: &TaskId, number: u32) -> Self {
        Self(format!("DEBT-{task}-{number:03}"))
    }

    /// Returns the number of the item within its task.
    pub fn number(&self) -> u32 {
        // A number that is too large counts as the greatest one, so that the next number is never assigned twice.
        self.0.rsplit_once('-').and_then(|(_, number)| number.parse().ok()).unwrap_or(u32::MAX)
    }
}

/// A SHA-256 digest.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest([u8; 32]);

impl Digest {
    /// Hashes the bytes.
    pub fn of(bytes: impl AsRef<[u8]>) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Creates a digest from the 32 bytes of a finished hash.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Parses 64 lower-case hexadecimal digits.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        let wrong = || IdError::Digest(text.to_owned());
        if text.len() != 64 || !text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
            return Err(wrong());
        }
        let mut bytes = [0; 32];
        for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            let digits = std::str::from_utf8(digits).map_err(|_| wrong())?;
            *byte = u8::from_str_radix(digits, 16).map_err(|_| wrong())?;
        }
        Ok(Self(bytes))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Written in one call, since a list may contain thousands of digests.
        let mut text = [0; 64];
        for (pair, byte) in text.chunks_exact_mut(2).zip(self.0) {
            pair.copy_from_slice(&[byte >> 4, byte & 15].map(|digit| b"0123456789abcdef"[usize::from(digit)]));
        }
        formatter.write_str(std::str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Digest({self})")
    }
}

written_as_text!(Digest, IdError);

/// A path below the workspace, with forward slashes and without `.` and `..`; empty for the workspace itself.
///
/// Says nothing about symbolic links: code that opens the path has to check that the file lies in the workspace.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct WorkspacePath(String);

impl WorkspacePath {
    /// Normalizes a relative path; rejects one that is absolute or outside the workspace.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        let wrong = || IdError::Path(text.to_owned());
        if text.starts_with('/') || text.contains('\0') {
            return Err(wrong());
        }
        let mut parts: Vec<&str> = Vec::new();
        for part in text.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    parts.pop().ok_or_else(wrong)?;
                }
                name => parts.push(name),
            }
        }
        Ok(Self(parts.join("/")))
    }

    /// Resolves a path written relative to a directory of the workspace. None: it lies outside the workspace.
    pub fn from_directory(directory: &str, written: &str) -> Option<Self> {
        Self::parse(&format!("./{directory}/{written}")).ok()
    }

    /// Returns the workspace itself.
    pub fn root() -> Self {
        Self(String::new())
    }

    /// Returns the normalized path; empty for the workspace itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for WorkspacePath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.0.is_empty() { "." } else { &self.0 })
    }
}

impl TryFrom<String> for WorkspacePath {
    type Error = IdError;

    fn try_from(text: String) -> Result<Self, IdError> {
        Self::parse(&text)
    }
}

impl From<WorkspacePath> for String {
    fn from(path: WorkspacePath) -> Self {
        path.0
    }
}

/// Converts a description to the part of an evidence file's name: kebab case, at most 40 characters (design,
/// "Evidence and trust"). Empty if the description contains no ASCII letter or digit.
pub fn slug(description: &str) -> String {
    let mut slug = String::new();
    for character in description.chars() {
        if character.is_ascii_alphanumeric() {
            slug.push(character.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.truncate(40);
    slug.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_take_their_documented_form_and_nothing_else() {
        for good in ["T001", "T0304"] {
            assert!(TaskId::parse(good).is_ok(), "{good}");
        }
        for bad in ["", "T1", "T01", "t001", "T001.1", "T00a", "../T001", "T001\n"] {
            assert!(TaskId::parse(bad).is_err(), "{bad}");
        }
        for good in ["STEP.1", "PREREQ.12", "T001.1", "MY_STEP2.0"] {
            assert!(ActionId::parse(good).is_ok(), "{good}");
        }
        for bad in ["", "STEP", "STEP.", "step.1", "1STEP.1", "STEP.1a", "STEP.1/..", "STEP.1.2"] {
            assert!(ActionId::parse(bad).is_err(), "{bad}");
        }
        assert!(ExecutionId::parse("exec-20261121T090524123Z-1f3a9c04").is_ok());
        assert!(ExecutionId::parse("exec-../..").is_err());
    }

    #[test]
    fn digests_round_trip_and_refuse_other_text() {
        let text = "0123456789abcdef".repeat(4);
        assert_eq!(Digest::parse(&text).unwrap().to_string(), text);
        for bad in ["", "abc", &"g".repeat(64), &"é".repeat(32), &"A".repeat(64), &"+f".repeat(32)] {
            assert!(Digest::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn workspace_paths_are_normalized_and_never_leave() {
        for (text, normal) in [("a/b", "a/b"), ("./a//b/", "a/b"), ("a/../b", "b"), ("", ""), (".", "")] {
            assert_eq!(WorkspacePath::parse(text).unwrap().as_str(), normal);
        }
        for bad in ["/etc/passwd", "..", "a/../../b", "a\0b"] {
            assert!(WorkspacePath::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn slugs_are_short_kebab_case() {
        assert_eq!(slug("Run TypeScript compiler!"), "run-typescript-compiler");
        assert_eq!(slug("  --  "), "");
        assert_eq!(slug(&"word ".repeat(20)).len(), 39);
    }
}
