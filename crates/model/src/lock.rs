//! A lock: what the gate itself rests on, as it stood when a person took it down, or at a commit (design, "Lock").

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::id::{Digest, TaskId};
use crate::run_context::protection::Mode;
use crate::run_context::suppression::SuppressionKind;
use crate::time::Timestamp;

/// A lock, as a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(title = "Referee lock"))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Lock {
    /// When the lock was written, in UTC.
    pub made: Timestamp,
    /// The tasks of the specification then, and the digests of their plans.
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, Digest>"))]
    pub plans: BTreeMap<TaskId, Digest>,
    /// The rules, in the order in which they are asked; they hold for files that come later, too.
    pub rules: Vec<LockRule>,
    /// The files, sorted by path, each once.
    pub files: Vec<LockedFile>,
    /// How many tests each check ran in the last sealed run of what was locked, by task and the check's name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, BTreeMap<String, u64>>"))]
    pub test_counts: BTreeMap<TaskId, BTreeMap<String, u64>>,
    /// Names of tests that passed in the last sealed run and of which the runner names no file, by task and the check's name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", rename = "tests")]
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, BTreeMap<String, Vec<String>>>"))]
    pub named_tests: NamedTests,
    /// The sources by path, with what silences tools in each. Absent: not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sources: Option<Sources>,
}

/// Names of tests by task and check.
pub type NamedTests = BTreeMap<TaskId, BTreeMap<String, Vec<String>>>;

/// Sources by path, relative to the workspace, with their suppressions in order.
pub type Sources = BTreeMap<String, Vec<KnownSuppression>>;

/// A suppression that was there, without its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KnownSuppression {
    /// Kind of the suppression, such as `eslint-disable`.
    pub kind: SuppressionKind,
    /// SHA-256 of the suppression with what it is about: the same wherever it stands.
    pub words: Digest,
    /// SHA-256 of its line, without blanks around it.
    pub line: Digest,
}

impl Lock {
    /// Returns what is known of a file.
    pub fn file(&self, path: &str) -> Option<&LockedFile> {
        let found = self.files.binary_search_by(|file| file.path.as_str().cmp(path));
        found.ok().and_then(|index| self.files.get(index))
    }
}

/// A rule of protection, with where it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LockRule {
    /// Which changes the rule permits: `frozen` none, `additive` additions, `review` any, which are reported.
    pub mode: Mode,
    /// What: a path, or a pattern for paths, relative to the workspace.
    pub pattern: String,
    /// The value in the file that alone is protected, as a JSON pointer. None: the whole file.
    pub pointer: Option<String>,
    /// What becomes of files that come later.
    pub newcomers: Newcomers,
    /// Whether the rule is fixed, declared in the specification, or a default.
    pub source: RuleSource,
    /// Why, as the end of a sentence that begins with the file.
    pub reason: String,
}

/// Who gives a rule. Those that come first here go before the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RuleSource {
    /// Nobody can lift it: the specification protects itself.
    Fixed,
    /// The specification, under `protect`.
    Declared,
    /// What holds for projects of this kind.
    Default,
}

/// What becomes of files that a rule names and that were not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Newcomers {
    /// They are free.
    Free,
    /// They are drift, unless git is told to ignore them.
    Refused,
    /// They are drift, also where git is told to ignore them, where anything of the baseline lies in or below the directory that they
    /// govern: what stands for `**/` at the head of the rule's pattern, else the workspace.
    Governing,
    /// They are drift, also where git is told to ignore them.
    Never,
}

/// A protected file, as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LockedFile {
    /// Path of the file, relative to the workspace.
    pub path: String,
    /// How it is protected; where values of it are, how the best protected one is.
    pub mode: Mode,
    /// Whether it was a regular file or a symbolic link.
    pub kind: LockedKind,
    /// Size in bytes.
    pub bytes: u64,
    /// SHA-256 of its content; of a link, of where it leads.
    pub sha256: Digest,
    /// The values that alone are protected. Empty: the whole file is.
    pub values: Vec<LockedValue>,
    /// Names of the tests that its text declares, where it is a file of tests; sorted.
    pub tests: Vec<String>,
    /// Names of the tests of this file that passed in the last sealed run; sorted.
    pub passed: Vec<String>,
    /// Reason for the protection, as the end of a sentence that begins with the file.
    pub reason: String,
}

/// What a protected file was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LockedKind {
    /// A regular file.
    File,
    /// A symbolic link.
    Link,
}

/// A protected value in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LockedValue {
    /// Where, as a JSON pointer.
    pub pointer: String,
    /// Which changes to the value are permitted, as in a rule.
    pub mode: Mode,
    /// SHA-256 of its canonical JSON (RFC 8785). None: there was no such value.
    pub digest: Option<Digest>,
}
