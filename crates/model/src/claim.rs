//! Claims of an agent about its work, checked against what ran (design: "claims are checked against what ran").

use serde::{Deserialize, Serialize};

document_words! {
    /// Kind of claim.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum ClaimKind {
        /// The work is done.
        Done = "done",
        /// The tests pass.
        TestsPass = "tests-pass",
        /// The project builds or compiles.
        BuildPasses = "build-passes",
        /// Type checking passes.
        TypesPass = "types-pass",
        /// Linters and formatters report nothing.
        LintPasses = "lint-passes",
        /// All checks pass, or everything works.
        AllPasses = "all-passes",
        /// A stated number of tests passed.
        TestCount = "test-count",
    }
}

document_words! {
    /// How a claim relates to the evidence.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum ClaimGrade {
        /// The evidence shows the opposite, or the check that the claim is about never ran.
        Contradicted = "contradicted",
        /// The evidence neither contradicts nor supports the claim: worth a note only.
        Unsupported = "unsupported",
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
