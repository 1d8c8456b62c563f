//! How protected files compare with their baseline, in documents.

use referee_model::circumstances::protection::{
    Drift, DriftChange, KnownTest, Mode, Protection, Suppression, TestFate, TestHome, TrustedBaseline, Weakening,
};
use referee_model::circumstances::suppression::SuppressionKind;
use referee_model::circumstances::weakening::WeakeningKind;
use referee_model::id::Digest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::form;

/// How protected files compare with their baseline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ProtectionDocument {
    /// What they were compared with.
    baseline: TrustedBaselineDocument,
    /// How many files are protected.
    files: u64,
    /// What differs, by path.
    drift: Vec<DriftDocument>,
    /// Tests that passed when the baseline was made, and must still pass.
    tests: Vec<KnownTestDocument>,
    /// Ways to silence a tool that were added, by path and line.
    suppressions: Vec<SuppressionDocument>,
    /// How the specification asks for less than at the baseline.
    weakenings: Vec<WeakeningDocument>,
    /// What is worth telling beside it.
    notes: Vec<String>,
}

impl From<&Protection> for ProtectionDocument {
    fn from(value: &Protection) -> Self {
        Self {
            baseline: (&value.baseline).into(),
            files: value.files,
            drift: value.drift.iter().map(Into::into).collect(),
            tests: value.tests.iter().map(Into::into).collect(),
            suppressions: value.suppressions.iter().map(Into::into).collect(),
            weakenings: value.weakenings.iter().map(Into::into).collect(),
            notes: value.notes.clone(),
        }
    }
}

impl From<ProtectionDocument> for Protection {
    fn from(document: ProtectionDocument) -> Self {
        Self {
            baseline: document.baseline.into(),
            files: document.files,
            drift: document.drift.into_iter().map(Into::into).collect(),
            tests: document.tests.into_iter().map(Into::into).collect(),
            suppressions: document.suppressions.into_iter().map(Into::into).collect(),
            weakenings: document.weakenings.into_iter().map(Into::into).collect(),
            notes: document.notes,
        }
    }
}

/// What protected files are compared with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
enum TrustedBaselineDocument {
    /// A sealed lock.
    Lock {
        /// SHA-256 of the lock file.
        #[schemars(with = "form::Sha256")]
        digest: Digest,
        /// The key that signed it, where one did that is trusted to approve.
        approved_by: Option<String>,
    },
    /// A commit.
    Git {
        /// As it was named.
        reference: String,
        /// The commit's id.
        commit: String,
    },
}

impl From<&TrustedBaseline> for TrustedBaselineDocument {
    fn from(value: &TrustedBaseline) -> Self {
        match value {
            TrustedBaseline::Lock { digest, approved_by } => {
                Self::Lock { digest: *digest, approved_by: approved_by.clone() }
            }
            TrustedBaseline::Git { reference, commit } => {
                Self::Git { reference: reference.clone(), commit: commit.clone() }
            }
        }
    }
}

impl From<TrustedBaselineDocument> for TrustedBaseline {
    fn from(document: TrustedBaselineDocument) -> Self {
        match document {
            TrustedBaselineDocument::Lock { digest, approved_by } => Self::Lock { digest, approved_by },
            TrustedBaselineDocument::Git { reference, commit } => Self::Git { reference, commit },
        }
    }
}

/// A test that is known from the baseline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct KnownTestDocument {
    /// Its file, relative to the workspace, where the runner names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// The check that ran it, where the runner names no file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    check: Option<String>,
    /// Its full name.
    name: String,
    /// What became of it, as the text of the tests tells; absent: nothing explains why it would be absent.
    #[serde(default, skip_serializing_if = "FateDocument::stays")]
    fate: FateDocument,
}

/// What became of a test that is known from the baseline.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
enum FateDocument {
    /// Nothing explains why it would be absent.
    #[default]
    Stays,
    /// Its name is computed: it may be another one, where as many tests pass as before.
    Computed,
    /// The same body stands under another title.
    Reworded {
        /// That title.
        title: String,
    },
    /// It was removed together with what it tested.
    Dropped,
}

impl FateDocument {
    fn stays(&self) -> bool {
        *self == Self::Stays
    }
}

impl From<&KnownTest> for KnownTestDocument {
    fn from(value: &KnownTest) -> Self {
        let (file, check) = match &value.home {
            TestHome::File(file) => (Some(file.clone()), None),
            TestHome::Check(check) => (None, Some(check.clone())),
        };
        let fate = match &value.fate {
            TestFate::Stays => FateDocument::Stays,
            TestFate::Computed => FateDocument::Computed,
            TestFate::Reworded(title) => FateDocument::Reworded { title: title.clone() },
            TestFate::Dropped => FateDocument::Dropped,
        };
        Self { file, check, name: value.name.clone(), fate }
    }
}

impl From<KnownTestDocument> for KnownTest {
    fn from(document: KnownTestDocument) -> Self {
        let check = document.check.unwrap_or_default();
        let fate = match document.fate {
            FateDocument::Stays => TestFate::Stays,
            FateDocument::Computed => TestFate::Computed,
            FateDocument::Reworded { title } => TestFate::Reworded(title),
            FateDocument::Dropped => TestFate::Dropped,
        };
        Self { home: document.file.map_or(TestHome::Check(check), TestHome::File), name: document.name, fate }
    }
}

/// A protected file that differs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct DriftDocument {
    /// The file, relative to the workspace.
    path: String,
    /// The value in it that is protected, as a JSON pointer. Null: the file as a whole.
    pointer: Option<String>,
    /// How it is protected.
    #[schemars(with = "form::ProtectionMode")]
    mode: Mode,
    /// What happened to it.
    #[schemars(with = "form::DriftChange")]
    change: DriftChange,
    /// What exactly, for a person.
    detail: String,
    /// What was in the file and is not any more: names of tests, else lines, the first of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    removed: Option<String>,
    /// Whether it keeps the run from being judged, unless it is waived.
    blocks: bool,
}

impl From<&Drift> for DriftDocument {
    fn from(value: &Drift) -> Self {
        Self {
            path: value.path.clone(),
            pointer: value.pointer.clone(),
            mode: value.mode,
            change: value.change,
            detail: value.detail.clone(),
            removed: value.removed.clone(),
            blocks: value.blocks,
        }
    }
}

impl From<DriftDocument> for Drift {
    fn from(document: DriftDocument) -> Self {
        Self {
            path: document.path,
            pointer: document.pointer,
            mode: document.mode,
            change: document.change,
            detail: document.detail,
            removed: document.removed,
            blocks: document.blocks,
        }
    }
}

/// A way to silence a tool that was added.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SuppressionDocument {
    /// The file, relative to the workspace.
    path: String,
    /// 1-based line.
    line: u32,
    /// What it is.
    #[schemars(with = "form::SuppressionKind")]
    kind: SuppressionKind,
    /// The line, shortened.
    text: String,
    /// Whether it blocks, unless it is waived.
    blocks: bool,
}

impl From<&Suppression> for SuppressionDocument {
    fn from(value: &Suppression) -> Self {
        Self {
            path: value.path.clone(),
            line: value.line,
            kind: value.kind,
            text: value.text.clone(),
            blocks: value.blocks,
        }
    }
}

impl From<SuppressionDocument> for Suppression {
    fn from(document: SuppressionDocument) -> Self {
        Self {
            path: document.path,
            line: document.line,
            kind: document.kind,
            text: document.text,
            blocks: document.blocks,
        }
    }
}

/// A way in which a specification asks for less than it did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WeakeningDocument {
    /// In which way.
    #[schemars(with = "form::WeakeningKind")]
    kind: WeakeningKind,
    /// What it is about.
    subject: String,
    /// What it was.
    before: String,
    /// What it is now.
    after: String,
    /// Whether it blocks, unless it is waived.
    blocks: bool,
}

impl From<&Weakening> for WeakeningDocument {
    fn from(value: &Weakening) -> Self {
        Self {
            kind: value.kind,
            subject: value.subject.clone(),
            before: value.before.clone(),
            after: value.after.clone(),
            blocks: value.blocks,
        }
    }
}

impl From<WeakeningDocument> for Weakening {
    fn from(document: WeakeningDocument) -> Self {
        Self {
            kind: document.kind,
            subject: document.subject,
            before: document.before,
            after: document.after,
            blocks: document.blocks,
        }
    }
}
