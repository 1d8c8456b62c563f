//! An expression becomes text: one that is read as the same expression again.

use std::fmt::{self, Write as _};

use super::scan::{begins_name, continues_name};
use super::{Comparison, Expression, Field, Literal, PathStep, Subject};

/// How strongly an expression holds its parts together, the weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    Or,
    And,
    Comparison,
    Unary,
    /// What can be called, or stands for itself.
    Whole,
}

impl Expression {
    fn strength(&self) -> Strength {
        match self {
            Self::Or(..) => Strength::Or,
            Self::And(..) => Strength::And,
            Self::Compare { .. } => Strength::Comparison,
            // `5.includes` would be read as the number `5.`.
            Self::Not(_) | Self::Literal(Literal::Number(_)) => Strength::Unary,
            Self::Includes { .. } | Self::IsArray(_) | Self::Literal(_) | Self::Field(_) => Strength::Whole,
        }
    }

    /// Prints it in a place that asks for some strength: in parentheses if it has less.
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
                // Debug writes an exponent where there would be many digits, and `.0` where there is no fraction.
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
