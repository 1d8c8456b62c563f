//! Formatting of expressions. The text is parsed as the same expression again.

use std::fmt::{self, Write as _};

use super::scan::{begins_name, continues_name};
use super::{Comparison, Expression, Field, Literal, PathStep, Subject};

/// Binding strength of an expression, the weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    Or,
    And,
    Comparison,
    Unary,
    /// Can be called, or is a primary expression.
    Whole,
}

impl Expression {
    fn strength(&self) -> Strength {
        match self {
            Self::Or(..) => Strength::Or,
            Self::And(..) => Strength::And,
            Self::Compare { .. } => Strength::Comparison,
            // `5.includes` would be parsed as the number `5.`.
            Self::Not(_) | Self::Literal(Literal::Number(_)) => Strength::Unary,
            Self::Includes { .. } | Self::IsArray(_) | Self::Literal(_) | Self::Field(_) => Strength::Whole,
        }
    }

    /// Formats the expression, in parentheses if it binds more weakly than `least`.
    fn print(&self, formatter: &mut fmt::Formatter<'_>, least: Strength) -> fmt::Result {
        if self.strength() < least { write!(formatter, "({self})") } else { fmt::Display::fmt(self, formatter) }
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Or(left, right) => {
                left.print(formatter, Strength::Or)?;
                formatter.write_str(" || ")?;
                right.print(formatter, Strength::And)
            }
            Self::And(left, right) => {
                left.print(formatter, Strength::And)?;
                formatter.write_str(" && ")?;
                right.print(formatter, Strength::Comparison)
            }
            Self::Not(inner) => {
                formatter.write_char('!')?;
                inner.print(formatter, Strength::Unary)
            }
            Self::Compare { left, operator, right } => {
                left.print(formatter, Strength::Unary)?;
                write!(formatter, " {operator} ")?;
                right.print(formatter, Strength::Unary)
            }
            Self::Includes { whole, part } => {
                whole.print(formatter, Strength::Whole)?;
                write!(formatter, ".includes({part})")
            }
            Self::IsArray(inner) => write!(formatter, "Array.isArray({inner})"),
            Self::Literal(literal) => literal.fmt(formatter),
            Self::Field(field) => field.fmt(formatter),
        }
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Equal => "===",
            Self::NotEqual => "!==",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
        })
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => {
                // The Debug format uses an exponent for long numbers, and appends `.0` to a number without a
                // fraction.
                let text = format!("{number:?}");
                formatter.write_str(text.strip_suffix(".0").unwrap_or(&text))
            }
            Self::Text(text) => quoted(formatter, text),
            Self::Boolean(value) => value.fmt(formatter),
            Self::Null => formatter.write_str("null"),
            Self::Undefined => formatter.write_str("undefined"),
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut path = self.path.iter();
        match (&self.of, path.as_slice()) {
            (Subject::Action(id), _) => id.fmt(formatter)?,
            (Subject::Tool(name), _) => formatter.write_str(name)?,
            (Subject::LastStep, [PathStep::Key(name), ..]) => {
                path.next();
                formatter.write_str(name)?;
            }
            (Subject::LastStep, _) => {}
        }
        path.try_for_each(|step| step.fmt(formatter))
    }
}

impl fmt::Display for PathStep {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(key) if is_name(key) => write!(formatter, ".{key}"),
            Self::Key(key) => {
                formatter.write_char('[')?;
                quoted(formatter, key)?;
                formatter.write_char(']')
            }
            Self::Index(index) => write!(formatter, "[{index}]"),
        }
    }
}

fn is_name(key: &str) -> bool {
    key.starts_with(begins_name) && key.chars().all(continues_name)
}

fn quoted(formatter: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    formatter.write_char('\'')?;
    for character in text.chars() {
        match character {
            '\'' => formatter.write_str("\\'")?,
            '\\' => formatter.write_str("\\\\")?,
            '\n' => formatter.write_str("\\n")?,
            '\r' => formatter.write_str("\\r")?,
            '\t' => formatter.write_str("\\t")?,
            other if other.is_control() => write!(formatter, "\\u{{{:x}}}", u32::from(other))?,
            other => formatter.write_char(other)?,
        }
    }
    formatter.write_char('\'')
}
