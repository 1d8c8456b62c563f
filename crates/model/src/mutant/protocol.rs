//! Protocol of the program that parses sources (`referee-mutants`): one JSON document on its standard input,
//! and one on its standard output.

use serde::{Deserialize, Serialize};

use super::{HollowedTest, Language, Mutant};

/// Request about one source file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MutantRequest {
    /// The language of the file.
    pub language: Language,
    /// Content of the file.
    pub text: String,
    /// Requested task.
    pub task: MutantTask,
}

/// Task for one source file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum MutantTask {
    /// Return all mutants of the file.
    Mutants,
    /// Find the mutants of an earlier version of the file in this version.
    Fit {
        /// Mutants of the earlier version.
        mutants: Vec<Mutant>,
    },
    /// Return versions of the file with a defect that a parser, a type checker, a linter or a formatter reports.
    Defects {
        /// Kind of the defect.
        defect: DefectKind,
    },
    /// Return the tests that assert less than before.
    Hollowed {
        /// Content of the file before the change.
        before: String,
    },
}

/// Kind of a defect in a whole file, by the kind of tool that reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DefectKind {
    /// Reported by any program that parses the file.
    Syntax,
    /// Reported by a type checker.
    Type,
    /// Reported by a linter.
    Lint,
    /// Reported by a formatter.
    Format,
}

impl DefectKind {
    /// Returns a description of the defect, for use in a sentence.
    pub fn words(self) -> &'static str {
        match self {
            Self::Syntax => "a syntax error",
            Self::Type => "a type error",
            Self::Lint => "a violation of a lint rule",
            Self::Format => "unformatted code",
        }
    }
}

/// Answer to a [`MutantRequest`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum MutantAnswer {
    /// Mutants of the file, by position; for `Fit`, one entry for each requested mutant in order, null if the
    /// mutant no longer exists.
    Mutants {
        /// The mutants.
        mutants: Vec<Option<Mutant>>,
    },
    /// Versions of the file, each with one defect.
    Defects {
        /// Contents of the versions.
        texts: Vec<String>,
    },
    /// Tests that assert less than before.
    Hollowed {
        /// The tests, by line.
        tests: Vec<HollowedTest>,
    },
    /// The request is refused.
    Refused {
        /// Reason for the refusal.
        reason: String,
    },
}
