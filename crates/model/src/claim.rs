//! Claims of an agent about its work, checked against what ran (design: "claims are checked against what ran").

use serde::{Deserialize, Serialize};

/// Kind of claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ClaimKind {
    /// The work is done.
    Done,
    /// The tests pass.
    TestsPass,
    /// The project builds or compiles.
    BuildPasses,
    /// Type checking passes.
    TypesPass,
    /// Linters and formatters report nothing.
    LintPasses,
    /// All checks pass, or everything works.
    AllPasses,
    /// A stated number of tests passed.
    TestCount,
}

impl ClaimKind {
    /// All kinds.
    pub const ALL: [Self; 7] = [
        Self::Done,
        Self::TestsPass,
        Self::BuildPasses,
        Self::TypesPass,
        Self::LintPasses,
        Self::AllPasses,
        Self::TestCount,
    ];

    /// Returns the spelling used in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::TestsPass => "tests-pass",
            Self::BuildPasses => "build-passes",
            Self::TypesPass => "types-pass",
            Self::LintPasses => "lint-passes",
            Self::AllPasses => "all-passes",
            Self::TestCount => "test-count",
        }
    }
}

/// How a claim relates to the evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ClaimGrade {
    /// The evidence shows the opposite, or the check that the claim is about never ran.
    Contradicted,
    /// The evidence neither contradicts nor supports the claim: worth a note only.
    Unsupported,
}

impl ClaimGrade {
    /// All grades.
    pub const ALL: [Self; 2] = [Self::Contradicted, Self::Unsupported];

    /// Returns the spelling used in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Contradicted => "contradicted",
            Self::Unsupported => "unsupported",
        }
    }
}

/// A claim of the agent that the evidence contradicts or does not support.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Contradiction {
    /// How the claim relates to the evidence.
    pub grade: ClaimGrade,
    /// Kind of the claim.
    pub claim: ClaimKind,
    /// The agent's words, shortened.
    pub words: String,
    /// The actual facts, in one sentence.
    pub facts: String,
}
