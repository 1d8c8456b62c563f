//! Conditions over the actions of a task: a small language that looks like JavaScript (ruling 14).
//!
//! A condition is parsed where the specification is read, and evaluated by the judge. Whatever it prints parses to the same
//! expression again.

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

/// Where and why a text is no condition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SyntaxError {
    /// Offset in the text, in bytes.
    pub offset: usize,
    /// What is wrong, and what was expected.
    pub message: String,
}

/// One condition of a specification.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct Condition {
    /// As it is written.
    pub text: String,
    /// What it is for, in the author's words.
    pub description: String,
    /// What it says.
    pub expression: Expression,
}

/// A condition as documents have it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Written {
    /// As it is written.
    condition: String,
    /// What it is for, in the author's words.
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

/// What a condition says.
#[derive(Debug, Clone, PartialEq)]
pub enum Expression {
    /// `a || b`.
    Or(Box<Expression>, Box<Expression>),
    /// `a && b`.
    And(Box<Expression>, Box<Expression>),
    /// `!a`.
    Not(Box<Expression>),
    /// `a === b` and the like.
    Compare {
        /// The left side.
        left: Box<Expression>,
        /// How they are compared.
        operator: Comparison,
        /// The right side.
        right: Box<Expression>,
    },
    /// `text.includes(part)`; also for lists.
    Includes {
        /// What is searched.
        whole: Box<Expression>,
        /// What is looked for.
        part: Box<Expression>,
    },
    /// `Array.isArray(value)`.
    IsArray(Box<Expression>),
    /// A value as it is.
    Literal(Literal),
    /// A field of an action, and a way into it.
    Field(Field),
}

/// How two values are compared. `==` is `===`: no value is taken for one of another type.
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

/// A value as it is written.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// A number; never infinite, never NaN.
    Number(f64),
    /// A text.
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
    /// Whose field it is.
    pub of: Subject,
    /// The way to it, never empty for a bare field or a tool's: `body`, `items`, `0`, `id`. Empty: the action itself,
    /// which is true where it ran.
    pub path: Vec<PathStep>,
}

/// Whose field a condition speaks of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// An action's.
    Action(ActionId),
    /// That of the last step that ran the tool of this name (`eslint.errorCount`).
    Tool(String),
    /// That of the last step (ruling 14).
    LastStep,
}

/// One step of the way into a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathStep {
    /// `.name` or `['name']`.
    Key(String),
    /// `[0]`.
    Index(u64),
}

impl Expression {
    /// Returns the fields that it speaks of, in the order of the text; one as often as it is written.
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
