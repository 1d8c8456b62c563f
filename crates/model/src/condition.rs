//! Conditions over the actions of a task: a small language that looks like JavaScript (ruling 14).
//!
//! A condition is parsed when the specification is read, and evaluated by the judge. Its printed form parses to
//! the same expression again.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::id::ActionId;

pub mod fields;
mod parse;
mod print;
mod scan;
#[cfg(test)]
mod tests;

pub use self::parse::parse;

/// A syntax error in a condition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SyntaxError {
    /// Byte offset of the error in the text.
    pub offset: usize,
    /// The problem, and what was expected instead.
    pub message: String,
}

/// One condition of a specification.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct Condition {
    /// Source text of the condition.
    pub text: String,
    /// The author's description of its purpose.
    pub description: String,
    /// The parsed expression.
    pub expression: Expression,
}

/// The serialized form of a condition.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Written {
    /// Source text of the condition.
    condition: String,
    /// The author's description of its purpose.
    description: String,
}

impl TryFrom<Written> for Condition {
    type Error = String;

    fn try_from(Written { condition, description }: Written) -> Result<Self, String> {
        let expression = parse(&condition).map_err(|error| format!("`{condition}` is not a condition: {error}"))?;
        Ok(Self { text: condition, description, expression })
    }
}

impl From<Condition> for Written {
    fn from(condition: Condition) -> Self {
        Self { condition: condition.text, description: condition.description }
    }
}

/// A parsed condition.
#[derive(Debug, Clone, PartialEq)]
pub enum Expression {
    /// `a || b`.
    Or(Box<Expression>, Box<Expression>),
    /// `a && b`.
    And(Box<Expression>, Box<Expression>),
    /// `!a`.
    Not(Box<Expression>),
    /// A comparison such as `a === b`.
    Compare {
        /// Left operand.
        left: Box<Expression>,
        /// Comparison operator.
        operator: Comparison,
        /// Right operand.
        right: Box<Expression>,
    },
    /// `text.includes(part)`; also applies to lists.
    Includes {
        /// Text or list that is searched.
        whole: Box<Expression>,
        /// Text or element to find.
        part: Box<Expression>,
    },
    /// `Array.isArray(value)`.
    IsArray(Box<Expression>),
    /// A literal value.
    Literal(Literal),
    /// A field of an action, or a value nested in it.
    Field(Field),
}

/// A comparison operator. `==` parses as `===`: values are never converted to another type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `===`
    Equal,
    /// `!==`
    NotEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
}

/// A literal value.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// A number; never infinite or NaN.
    Number(f64),
    /// A string.
    Text(String),
    /// `true` or `false`.
    Boolean(bool),
    /// `null`.
    Null,
    /// `undefined`.
    Undefined,
}

/// A field of an action: `STEP.4.exitCode`, `STEP['4'].body.items[0].id`, or a bare `exitCode`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The action that the field belongs to.
    pub of: Subject,
    /// Path to the value, such as `body`, `items`, `0`, `id`; never empty for a bare field or a tool's field.
    /// Empty: the action itself, which is true if it ran.
    pub path: Vec<PathStep>,
}

/// The action that a field belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// The action with this id.
    Action(ActionId),
    /// The last step that ran the tool of this name (`eslint.errorCount`).
    Tool(String),
    /// The last step (ruling 14).
    LastStep,
}

/// One step of a path into a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathStep {
    /// `.name` or `['name']`.
    Key(String),
    /// `[0]`.
    Index(u64),
}

impl Expression {
    /// Returns the fields that the expression refers to, in text order; repeated fields are repeated.
    pub fn fields(&self) -> impl Iterator<Item = &Field> {
        let mut pending = vec![self];
        std::iter::from_fn(move || {
            while let Some(expression) = pending.pop() {
                match expression {
                    Self::Field(field) => return Some(field),
                    Self::Literal(_) => {}
                    Self::Not(inner) | Self::IsArray(inner) => pending.push(inner),
                    Self::Or(left, right)
                    | Self::And(left, right)
                    | Self::Compare { left, right, .. }
                    | Self::Includes { whole: left, part: right } => pending.extend([&**right, &**left]),
                }
            }
            None
        })
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.expression.fmt(formatter)
    }
}
