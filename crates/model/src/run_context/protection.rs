//! Comparison of protected files with their trusted baseline: specification, tests, configuration of runners
//! and linters, CI, hooks (design, "Lock").

use serde::{Deserialize, Serialize};

use super::suppression::SuppressionKind;
use super::weakening::WeakeningKind;
use crate::id::Digest;

/// Comparison of protected files with their baseline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Protection {
    /// Trusted baseline of the comparison.
    pub baseline: TrustedBaseline,
    /// Number of protected files.
    pub files: u64,
    /// Differences by path, those that block first; at most [`crate::limit::DRIFT_LISTED`].
    pub drift: Vec<Drift>,
    /// Tests that passed when the baseline was recorded and must still pass; at most [`crate::limit::LOCKED_TESTS`].
    pub tests: Vec<KnownTest>,
    /// Suppressions that were added since the baseline, by path and line.
    pub suppressions: Vec<Suppression>,
    /// Requirements of the specification that became weaker since the baseline.
    pub weakenings: Vec<Weakening>,
    /// Further notes for people, one sentence each.
    pub notes: Vec<String>,
}

/// Trusted baseline that protected files are compared with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum TrustedBaseline {
    /// A sealed lock.
    Lock {
        /// SHA-256 of the lock file.
        digest: Digest,
        /// Approver whose trusted key signed the lock, according to the trust store. Null: no approver signed it.
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

/// Number of characters of a commit id that sentences quote.
const COMMIT_CHARACTERS: usize = 12;

impl TrustedBaseline {
    /// Returns the name of the baseline in sentences: `the lock`, `the commit 0123456789ab (main)`.
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("unevaluatedProperties" = false)))]
#[serde(rename_all = "camelCase")]
pub struct KnownTest {
    /// File or check that contains the test.
    #[serde(flatten)]
    pub home: TestHome,
    /// Full name of the test: the names of its groups and its title, joined by ` > `.
    pub name: String,
    /// Fate of the test according to the current text of the tests.
    #[serde(default, skip_serializing_if = "TestFate::stays")]
    pub fate: TestFate,
}

/// Location of a test that is known by name. Some runners name its file; otherwise only the check is known.
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
    /// Returns the file or the check, for use in sentences.
    pub fn name(&self) -> &str {
        match self {
            Self::File(name) | Self::Check(name) => name,
        }
    }
}

/// Fate of a test that is known from the baseline, as far as the text of the tests shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum TestFate {
    /// Nothing explains an absence of the test.
    #[default]
    Stays,
    /// The name is or was computed, for example in a loop or a table. The test may now have another name,
    /// provided that as many tests pass as before.
    Computed,
    /// The same test body now has another title.
    Reworded {
        /// Title that the same test body has now.
        title: String,
    },
    /// The test was removed together with the code that it tested.
    Dropped,
}

impl TestFate {
    fn stays(&self) -> bool {
        *self == Self::Stays
    }
}

document_words! {
    /// Mode of protection of a file (design, "Lock").
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum Mode {
        /// The file, or one value in it, must not change at all.
        Frozen = "frozen",
        /// Existing content must stay; new content is allowed; edits are listed.
        Additive = "additive",
        /// Changes are reported.
        Review = "review",
    }
}

impl Mode {
    /// Returns how strict the mode is: the greater, the stricter.
    pub fn strictness(self) -> u8 {
        match self {
            Self::Review => 0,
            Self::Additive => 1,
            Self::Frozen => 2,
        }
    }
}

/// A protected file that differs from the baseline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Drift {
    /// The file, relative to the workspace.
    pub path: String,
    /// JSON pointer to the protected value in the file. None: the whole file is protected.
    pub pointer: Option<String>,
    /// Mode of protection of the file.
    pub mode: Mode,
    /// Whether the file was changed, removed, added or cannot be read.
    pub change: DriftChange,
    /// Description of the difference, for people.
    pub detail: String,
    /// Content that was removed from the file: names of tests, otherwise the first of the removed lines. None:
    /// nothing was removed, or it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed: Option<String>,
    /// Whether the difference prevents the run from being judged, unless it is waived.
    pub blocks: bool,
}

impl Drift {
    /// Returns a sentence about the change of the file and the removed content.
    pub fn sentence(&self) -> String {
        match &self.removed {
            Some(removed) => format!("{}; removed: {removed}", self.detail),
            None => self.detail.clone(),
        }
    }
}

document_words! {
    /// Kind of change to a protected file.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum DriftChange {
        /// The content differs.
        Modified = "modified",
        /// The file was removed.
        Removed = "removed",
        /// The file was added where no file may be added.
        Added = "added",
        /// The file cannot be read.
        Unreadable = "unreadable",
    }
}

/// A suppression that was added: a construct that silences a tool or a test.
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
    /// Text of the line, cut to [`crate::limit::MESSAGE_BYTES`].
    pub text: String,
    /// Whether the suppression blocks, unless it is waived.
    pub blocks: bool,
}

/// A requirement of the specification that became weaker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Weakening {
    /// Kind of requirement that became weaker.
    pub kind: WeakeningKind,
    /// Subject of the requirement: name of a check, tool or key.
    pub subject: String,
    /// Value before the change.
    pub before: String,
    /// Value after the change.
    pub after: String,
    /// Whether the weakening blocks, unless it is waived.
    pub blocks: bool,
}
