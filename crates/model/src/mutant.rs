//! Planted defects: how they are located again, and the protocol of the program that creates them.

use serde::{Deserialize, Serialize};

pub use self::hollow::{Hollow, HollowedTest};
pub use self::language::Language;
pub use self::protocol::{DefectKind, MutantAnswer, MutantRequest, MutantTask};

mod hollow;
mod language;
mod protocol;

/// Kind of mutation; the names are those of Stryker, PIT, mutmut and cargo-mutants.
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
    /// `return a` returns a default value.
    ReturnDefault,
    /// A statement that is a call is removed.
    CallRemoval,
    /// `+=` becomes `-=`.
    Assignment,
    /// `++` becomes `--`.
    Increment,
}

impl Operator {
    /// Returns a description of the change.
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

/// A change of one place in a source file that changes the program's behavior.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Mutant {
    /// Language of the file.
    pub language: Language,
    /// Kind of mutation.
    pub operator: Operator,
    /// Byte offset of the replaced text.
    pub start: usize,
    /// Byte offset after the replaced text.
    pub end: usize,
    /// 1-based line of the replaced text.
    pub line: usize,
    /// 1-based column of the replaced text, in characters.
    pub column: usize,
    /// The replaced text.
    pub original: String,
    /// The replacement.
    pub replacement: String,
    /// Position in the syntax, independent of lines.
    pub anchor: Anchor,
}

/// Position of a mutant in the syntax of a file, independent of lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Anchor {
    /// Enclosing function with its containers, such as `Cart.total`. None: outside of functions.
    pub function: Option<String>,
    /// Kinds of the syntax nodes from the function down to the expression, separated by `/`.
    pub kinds: String,
    /// The changed expression, with whitespace collapsed, cut to 200 characters.
    pub expression: String,
    /// 0-based index among its peers, which have the same function, kinds, operator, original and replacement.
    pub ordinal: usize,
    /// Number of peers, including this one.
    pub peers: usize,
}

impl Mutant {
    /// Returns the text with the defect. None: the text is not the one that the mutant was made from.
    pub fn apply(&self, text: &str) -> Option<String> {
        (text.get(self.start..self.end)? == self.original)
            .then(|| [&text[..self.start], &self.replacement, &text[self.end..]].concat())
    }

    /// Returns whether both are the same edit at nodes of the same kinds.
    pub fn is_peer_of(&self, other: &Self) -> bool {
        self.is_same_edit(other) && self.anchor.kinds == other.anchor.kinds
    }

    /// Returns whether both replace the same text by the same other text, in functions of the same name.
    pub fn is_same_edit(&self, other: &Self) -> bool {
        let edit = |mutant: &Self| (mutant.operator, mutant.language);
        edit(self) == edit(other)
            && self.anchor.function == other.anchor.function
            && self.original == other.original
            && self.replacement == other.replacement
    }
}
