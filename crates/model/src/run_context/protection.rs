//! How what the gate itself rests on compares with its trusted baseline: specification, tests, configuration of runners and
//! linters, CI, hooks (design, "Lock").

use serde::{Deserialize, Serialize};

use super::suppression::SuppressionKind;
use super::weakening::WeakeningKind;
use crate::id::Digest;

/// How protected files compare with their baseline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Protection {
    /// What they were compared with.
    pub baseline: TrustedBaseline,
    /// How many files are protected.
    pub files: u64,
    /// What differs, by path; at most [`crate::limit::DRIFT_LISTED`], those that block first.
    pub drift: Vec<Drift>,
    /// Tests that passed when the baseline was made, and must still pass; at most [`crate::limit::LOCKED_TESTS`].
    pub tests: Vec<KnownTest>,
    /// Ways to silence a tool that were added since the baseline, by path and line.
    pub suppressions: Vec<Suppression>,
    /// How the specification asks for less than at the baseline.
    pub weakenings: Vec<Weakening>,
    /// What is worth telling beside it, one sentence each.
    pub notes: Vec<String>,
}

/// What protected files are compared with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum TrustedBaseline {
    /// A sealed lock.
    Lock {
        /// SHA-256 of the lock file.
        digest: Digest,
        /// The key that signed it, where one did that is trusted to approve.
        approved_by: Option<String>,
    },
    /// A commit.
    Git {
        /// Name of the commit as it was given, such as `main`.
        reference: String,
        /// Full id of the commit.
        commit: String,
    },
}

/// Characters of a commit's id that a sentence quotes.
const COMMIT_CHARACTERS: usize = 12;

impl TrustedBaseline {
    /// Returns what sentences call it: `the lock`, `the commit 0123456789ab (main)`.
    pub fn name(&self) -> String {
        match self {
            Self::Lock { .. } => "the lock".to_owned(),
            Self::Git { reference, commit } => {
                format!("the commit {} ({reference})", commit.chars().take(COMMIT_CHARACTERS).collect::<String>())
            }
        }
    }
}

/// A test that is known from the baseline.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(extend("unevaluatedProperties" = false)))]
#[serde(rename_all = "camelCase")]
pub struct KnownTest {
    /// Where it is looked for.
    #[serde(flatten)]
    pub home: TestHome,
    /// Its full name: the names of its groups and its title, joined by ` > `.
    pub name: String,
    /// What the text of the tests says of it now.
    #[serde(default, skip_serializing_if = "TestFate::stays")]
    pub fate: TestFate,
}

/// Where a test that is known by name is looked for: runners name its file, or only the check is known.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum TestHome {
    /// Its file, relative to the workspace.
    File(
        /// Path of the test file, relative to the workspace.
        String,
    ),
    /// The name of the check that ran it.
    Check(
        /// Name of the check that ran the test, where the runner does not name its file.
        String,
    ),
}

impl TestHome {
    /// Returns the file or the check, for sentences.
    pub fn name(&self) -> &str {
        match self {
            Self::File(name) | Self::Check(name) => name,
        }
    }
}

/// What became of a test that is known from the baseline, as far as the text of the tests tells.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum TestFate {
    /// Nothing explains why it would be absent.
    #[default]
    Stays,
    /// Its name is computed, then or now, as in a loop or a table: it may be another one, where as many tests pass as before.
    Computed,
    /// The same body stands under another title.
    Reworded {
        /// Title under which the same test body stands now.
        title: String,
    },
    /// It was removed together with what it tested.
    Dropped,
}

impl TestFate {
    fn stays(&self) -> bool {
        *self == Self::Stays
    }
}

/// How a file is protected (design, "Lock").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Byte for byte, or in one value of it.
    Frozen,
    /// What was there still is; what is new is free; edits are listed.
    Additive,
    /// Changes are reported.
    Review,
}

/// A protected file that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Drift {
    /// The file, relative to the workspace.
    pub path: String,
    /// The value in it that is protected, as a JSON pointer. None: the file as a whole.
    pub pointer: Option<String>,
    /// Mode of protection of the file.
    pub mode: Mode,
    /// Whether the file was changed, removed, added or cannot be read.
    pub change: DriftChange,
    /// What exactly, for a person.
    pub detail: String,
    /// What was in the file and is not any more: names of tests, else lines, the first of them. None: nothing, or it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed: Option<String>,
    /// Whether it keeps the run from being judged, unless it is waived.
    pub blocks: bool,
}

impl Drift {
    /// Returns what happened to the file, with what is gone from it.
    pub fn sentence(&self) -> String {
        match &self.removed {
            Some(removed) => format!("{}; removed: {removed}", self.detail),
            None => self.detail.clone(),
        }
    }
}

/// What happened to a protected file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DriftChange {
    /// It is another one.
    Modified,
    /// It is gone.
    Removed,
    /// It is new, where nothing new may be.
    Added,
    /// It cannot be read.
    Unreadable,
}

/// A way to silence a tool that was added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Suppression {
    /// The file, relative to the workspace.
    pub path: String,
    /// 1-based line of the file at which the suppression stands.
    pub line: u32,
    /// Kind of the suppression, such as `eslint-disable`.
    pub kind: SuppressionKind,
    /// The line, cut to [`crate::limit::MESSAGE_BYTES`].
    pub text: String,
    /// Whether it blocks, unless it is waived.
    pub blocks: bool,
}

/// A way in which a specification asks for less than it did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Weakening {
    /// Which kind of requirement became weaker.
    pub kind: WeakeningKind,
    /// What it is about: a check's name, a tool, a key.
    pub subject: String,
    /// Value before the change.
    pub before: String,
    /// Value after the change.
    pub after: String,
    /// Whether it blocks, unless it is waived.
    pub blocks: bool,
}
