//! A planted defect, and how it is found again.

use serde::{Deserialize, Serialize};

use crate::language::Language;

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

/// A change of one place that changes what the program does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Mutant {
    pub language: Language,
    pub operator: Operator,
    /// Offset of the first byte that is replaced.
    pub start: usize,
    /// Offset after the last one.
    pub end: usize,
    /// 1-based.
    pub line: usize,
    /// 1-based, in characters.
    pub column: usize,
    pub original: String,
    pub replacement: String,
    pub anchor: Anchor,
}

/// Where a mutant stands in the syntax of a file, whatever lines are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
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

    pub(crate) fn is_peer_of(&self, other: &Self) -> bool {
        self.is_same_edit(other) && self.anchor.kinds == other.anchor.kinds
    }

    /// Whether both turn the same text into the same other one, in functions of one name.
    pub(crate) fn is_same_edit(&self, other: &Self) -> bool {
        let edit = |mutant: &Self| (mutant.operator, mutant.language);
        edit(self) == edit(other)
            && self.anchor.function == other.anchor.function
            && self.original == other.original
            && self.replacement == other.replacement
    }
}
