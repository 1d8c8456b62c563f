//! A lock: the files that the gate depends on, as recorded by a person or at a commit (design, "Lock").

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::id::{Digest, TaskId};
use crate::run_context::protection::Mode;
use crate::run_context::suppression::SuppressionKind;
use crate::time::Timestamp;

/// The content of a lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(title = "Referee lock"))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Lock {
    /// When the lock was written, in UTC.
    pub made: Timestamp,
    /// Digests of the tasks' plans when the lock was made, by task id.
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, Digest>"))]
    pub plans: BTreeMap<TaskId, Digest>,
    /// The protection rules, in order of precedence; they also apply to files added later.
    pub rules: Vec<LockRule>,
    /// The protected files, sorted by path without duplicates.
    pub files: Vec<LockedFile>,
    /// Number of tests that each check ran in the last sealed run of the locked state, by task and the check's name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, BTreeMap<String, u64>>"))]
    pub test_counts: BTreeMap<TaskId, BTreeMap<String, u64>>,
    /// Names of tests that passed in the last sealed run and for which the runner states no file, by task and the
    /// check's name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", rename = "tests")]
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, BTreeMap<String, Vec<String>>>"))]
    pub named_tests: NamedTests,
    /// The source files by path, with the suppressions in each. Absent: not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sources: Option<Sources>,
}

/// Test names by task and check.
pub type NamedTests = BTreeMap<TaskId, BTreeMap<String, Vec<String>>>;

/// Source files by path, relative to the workspace, with their suppressions in order.
pub type Sources = BTreeMap<String, Vec<KnownSuppression>>;

/// A recorded suppression, without its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KnownSuppression {
    /// Kind of the suppression, such as `eslint-disable`.
    pub kind: SuppressionKind,
    /// SHA-256 of the suppression and its subject, independent of its position.
    pub words: Digest,
    /// SHA-256 of its line, without surrounding whitespace.
    pub line: Digest,
}

impl Lock {
    /// Returns the record of a file.
    pub fn file(&self, path: &str) -> Option<&LockedFile> {
        let found = self.files.binary_search_by(|file| file.path.as_str().cmp(path));
        found.ok().and_then(|index| self.files.get(index))
    }
}

/// A protection rule and its origin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LockRule {
    /// Which changes the rule permits: `frozen` none, `additive` additions, `review` any, which are reported.
    pub mode: Mode,
    /// A path or a path pattern, relative to the workspace.
    pub pattern: String,
    /// JSON pointer to the only protected value in the file. None: the whole file is protected.
    pub pointer: Option<String>,
    /// Treatment of matching files that are added later.
    pub newcomers: Newcomers,
    /// Whether the rule is fixed, declared in the specification, or a default.
    pub source: RuleSource,
    /// Reason for the rule, as the end of a sentence that begins with the file.
    pub reason: String,
}

/// Origin of a rule, in order of precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RuleSource {
    /// Cannot be lifted: the specification protects itself.
    Fixed,
    /// Declared in the specification, under `protect`.
    Declared,
    /// A default for projects of this kind.
    Default,
}

/// Treatment of files that match a rule and did not exist when the lock was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Newcomers {
    /// They are allowed.
    Free,
    /// They are drift, unless git ignores them.
    Refused,
    /// They are drift, even if git ignores them, provided that the directory that they affect contains anything
    /// of the baseline: the directory that `**/` at the start of the rule's pattern stands for, else the
    /// workspace.
    Governing,
    /// They are drift, even if git ignores them.
    Never,
}

/// The recorded state of a protected file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LockedFile {
    /// Path of the file, relative to the workspace.
    pub path: String,
    /// How the file is protected; if only values of it are, the strictest of their modes.
    pub mode: Mode,
    /// Whether it was a regular file or a symbolic link.
    pub kind: LockedKind,
    /// Size in bytes.
    pub bytes: u64,
    /// SHA-256 of its content; of the target for a link.
    pub sha256: Digest,
    /// The only protected values in the file. Empty: the whole file is protected.
    pub values: Vec<LockedValue>,
    /// Names of the tests that the text of a test file declares, sorted.
    pub tests: Vec<String>,
    /// Names of the tests in this file that passed in the last sealed run, sorted.
    pub passed: Vec<String>,
    /// Reason for the protection, as the end of a sentence that begins with the file.
    pub reason: String,
}

/// Kind of a protected file.
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
    /// JSON pointer to the value.
    pub pointer: String,
    /// Which changes to the value are permitted, as in a rule.
    pub mode: Mode,
    /// SHA-256 of its canonical JSON (RFC 8785). None: the value did not exist.
    pub digest: Option<Digest>,
}
