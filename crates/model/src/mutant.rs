//! A planted defect, how it is found again, and how the program that makes them is asked.

use serde::{Deserialize, Serialize};

pub use self::hollow::{Hollow, HollowedTest};
pub use self::language::Language;
pub use self::protocol::{DefectKind, MutantAnswer, MutantRequest, MutantTask};

mod hollow;
mod language;
mod protocol;

/// What a mutant changes; the names are those of Stryker, PIT, mutmut and cargo-mutants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operator {
    /// `<` becomes `<=`.
    ComparisonBoundary,
    /// `<` becomes `>=`, `==` becomes `!=`.
    ComparisonNegation,
    /// `+` becomes `-`.
    Arithmetic,
    /// `&&` becomes `||`.
    Logical,
    /// `true` becomes `false`.
    BooleanLiteral,
    /// `7` becomes `8`.
    NumberConstant,
    /// `"text"` becomes `""`.
    StringConstant,
    /// `if a` becomes `if !(a)`.
    ConditionNegation,
    /// `return a` returns a default.
    ReturnDefault,
    /// A statement that is a call is left out.
    CallRemoval,
    /// `+=` becomes `-=`.
    Assignment,
    /// `++` becomes `--`.
    Increment,
}

impl Operator {
    /// Returns what is done to the code, in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::ComparisonBoundary => "a boundary moved",
            Self::ComparisonNegation => "a comparison turned",
            Self::Arithmetic => "an arithmetic operator changed",
            Self::Logical => "a logical operator changed",
            Self::BooleanLiteral => "a boolean changed",
            Self::NumberConstant => "a number changed",
            Self::StringConstant => "a text emptied",
            Self::ConditionNegation => "a condition negated",
            Self::ReturnDefault => "a default returned",
            Self::CallRemoval => "a call left out",
            Self::Assignment => "an assignment changed",
            Self::Increment => "an increment turned",
        }
    }
}

/// A change of one place that changes what the program does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Mutant {
    /// The language of the file.
    pub language: Language,
    /// What is changed.
    pub operator: Operator,
    /// Offset of the first byte that is replaced.
    pub start: usize,
    /// Offset after the last one.
    pub end: usize,
    /// Line of the first byte, 1-based.
    pub line: usize,
    /// Column of the first byte, 1-based, in characters.
    pub column: usize,
    /// The text that is replaced.
    pub original: String,
    /// What stands there instead.
    pub replacement: String,
    /// Where it stands, whatever lines are.
    pub anchor: Anchor,
}

/// Where a mutant stands in the syntax of a file, whatever lines are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Anchor {
    /// The enclosing function with what it stands in, as `Cart.total`. None: outside of functions.
    pub function: Option<String>,
    /// The kinds of nodes from the function down to the expression, separated by `/`.
    pub kinds: String,
    /// The expression that is changed, blanks made one, cut to 200 characters.
    pub expression: String,
    /// Which of its peers it is, from 0. Peers have the same function, kinds, operator, original and replacement.
    pub ordinal: usize,
    /// How many peers there are, itself counted.
    pub peers: usize,
}

impl Mutant {
    /// Returns the text with the defect. None: the text is not the one that the mutant was made of.
    pub fn apply(&self, text: &str) -> Option<String> {
        (text.get(self.start..self.end)? == self.original)
            .then(|| [&text[..self.start], &self.replacement, &text[self.end..]].concat())
    }

    /// Whether both are the same edit at nodes of the same kinds.
    pub fn is_peer_of(&self, other: &Self) -> bool {
        self.is_same_edit(other) && self.anchor.kinds == other.anchor.kinds
    }

    /// Whether both turn the same text into the same other one, in functions of one name.
    pub fn is_same_edit(&self, other: &Self) -> bool {
        let edit = |mutant: &Self| (mutant.operator, mutant.language);
        edit(self) == edit(other)
            && self.anchor.function == other.anchor.function
            && self.original == other.original
            && self.replacement == other.replacement
    }
}
