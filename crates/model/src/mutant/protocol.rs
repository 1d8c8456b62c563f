//! What the program that parses sources (`referee-mutants`) is asked on standard input, and what it answers on standard output:
//! one JSON document each.

use serde::{Deserialize, Serialize};

use super::{HollowedTest, Language, Mutant};

/// A question about one source file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MutantRequest {
    /// The language of the file.
    pub language: Language,
    /// What the file holds.
    pub text: String,
    /// What is asked.
    pub task: MutantTask,
}

/// What is asked about a source file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum MutantTask {
    /// All mutants of the file.
    Mutants,
    /// The mutants of an earlier version of the file, found again in this one.
    Fit {
        /// The mutants.
        mutants: Vec<Mutant>,
    },
    /// The file with a defect that a compiler, a type checker, a linter or a formatter reports.
    Defects {
        /// Who is to report it.
        defect: DefectKind,
    },
    /// The tests that assert less than they did.
    Hollowed {
        /// The file before the change.
        before: String,
    },
}

/// A defect of a whole file, by who reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DefectKind {
    /// Whoever parses the file.
    Syntax,
    /// A type checker.
    Type,
    /// A linter.
    Lint,
    /// A formatter.
    Format,
}

impl DefectKind {
    /// Returns the words for such a defect, in a sentence.
    pub fn words(self) -> &'static str {
        match self {
            Self::Syntax => "a syntax error",
            Self::Type => "a type error",
            Self::Lint => "a violation of a lint rule",
            Self::Format => "unformatted code",
        }
    }
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum MutantAnswer {
    /// The mutants, by where they stand; of those that were to be found again, one each in their order, and none for those that are
    /// gone.
    Mutants {
        /// The mutants.
        mutants: Vec<Option<Mutant>>,
    },
    /// Texts of the file, each with one defect.
    Defects {
        /// The texts.
        texts: Vec<String>,
    },
    /// Tests that assert less than they did.
    Hollowed {
        /// The tests, by line.
        tests: Vec<HollowedTest>,
    },
    /// The file is refused.
    Refused {
        /// Why.
        reason: String,
    },
}
