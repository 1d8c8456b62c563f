//! What an agent says of its work, held against what ran (design: "claims are checked against what ran").

use serde::{Deserialize, Serialize};

/// What is claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ClaimKind {
    /// That the work is done.
    Done,
    /// That tests pass.
    TestsPass,
    /// That it builds or compiles.
    BuildPasses,
    /// That types check.
    TypesPass,
    /// That linters or formatters find nothing.
    LintPasses,
    /// That all checks pass, or that everything works.
    AllPasses,
    /// That so many tests passed.
    TestCount,
}

impl ClaimKind {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Done,
        Self::TestsPass,
        Self::BuildPasses,
        Self::TypesPass,
        Self::LintPasses,
        Self::AllPasses,
        Self::TestCount,
    ];

    /// Returns it as documents spell it.
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

/// How a claim stands to what ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ClaimGrade {
    /// What ran says otherwise, or what is claimed of it never ran.
    Contradicted,
    /// Nothing says otherwise, and nothing that ran bears it out: worth a note, and no more.
    Unsupported,
}

impl ClaimGrade {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Contradicted, Self::Unsupported];

    /// Returns it as documents spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Contradicted => "contradicted",
            Self::Unsupported => "unsupported",
        }
    }
}

/// A claim that what ran contradicts, or does not bear out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Contradiction {
    /// How the claim stands to what ran.
    pub grade: ClaimGrade,
    /// Which claim of the agent the evidence contradicts.
    pub claim: ClaimKind,
    /// The words in which it was claimed, shortened.
    pub words: String,
    /// What is so instead, with the facts, in one sentence.
    pub facts: String,
}
