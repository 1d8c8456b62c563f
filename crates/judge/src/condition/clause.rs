//! Explains the result of a condition: one sentence with the deciding parts.

use referee_model::condition::{Comparison, Expression, Literal};
use referee_model::verdict::{Actual, Truth};
use referee_syntax::cut::first_line;

use super::value::{Known, Value};

/// Maximum number of parts in a sentence; there may be hundreds.
const CLAUSES_SHOWN: usize = 4;

/// Maximum length of a shown expression, in characters.
const EXPRESSION_CHARACTERS: usize = 120;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Clause {
    /// Fact, such as `STEP.4.exitCode is 1`.
    pub(super) fact: String,
    /// Expected value instead, such as `0`.
    pub(super) expectation: Option<String>,
    /// Explanation, such as `tsc found 1 error`.
    pub(super) explanation: Option<String>,
    /// Actual value, where it can be shown.
    pub(super) actual: Option<Actual>,
}

impl Clause {
    pub(super) fn fact(fact: String) -> Self {
        Self { fact, expectation: None, explanation: None, actual: None }
    }
}

/// Result of an expression, with the deciding parts.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Judged {
    pub(super) truth: Truth,
    pub(super) clauses: Vec<Clause>,
}

/// Joins the deciding parts of `a && b` or `a || b`: those with the result of the whole. Expectations of
/// several parts for one fact become one clause.
pub(super) fn join(truth: Truth, left: Judged, right: Judged, word: &str) -> Judged {
    let mut clauses: Vec<Clause> = Vec::new();
    for part in [left, right].into_iter().filter(|part| part.truth == truth) {
        for clause in part.clauses {
            match clauses.iter_mut().find(|other| other.fact == clause.fact) {
                Some(same) => same.expectation = both(same.expectation.take(), clause.expectation, word),
                None => clauses.push(clause),
            }
        }
    }
    Judged { truth, clauses }
}

fn both(first: Option<String>, second: Option<String>, word: &str) -> Option<String> {
    match (first, second) {
        (Some(first), Some(second)) if first == second => Some(first),
        (Some(first), Some(second)) => Some(format!("{first} {word} {second}")),
        (first, second) => first.or(second),
    }
}

/// Joins clauses into one sentence.
pub(super) fn sentence(clauses: &[Clause]) -> String {
    let mut parts: Vec<String> = Vec::new();
    for clause in clauses.iter().take(CLAUSES_SHOWN) {
        parts.push(match &clause.expectation {
            Some(expectation) => format!("{}, {expectation} is expected", clause.fact),
            None => clause.fact.clone(),
        });
        if let Some(explanation) = clause.explanation.as_ref().filter(|explanation| !parts.contains(explanation)) {
            parts.push(explanation.clone());
        }
    }
    if clauses.len() > CLAUSES_SHOWN {
        parts.push(format!("and {} more", clauses.len() - CLAUSES_SHOWN));
    }
    parts.join("; ")
}

/// Returns an expression as sentences show it.
pub(super) fn shown(expression: &Expression) -> String {
    first_line(&expression.to_string(), EXPRESSION_CHARACTERS)
}

/// Describes the result of a comparison. A literal on the left side is moved to the right.
pub(super) fn of_comparison(
    sides: [(&Expression, &Known<'_>); 2],
    operator: Comparison,
    holds: bool,
    expected: bool,
) -> Clause {
    let literal = |side: usize| matches!(sides[side].0, Expression::Literal(_));
    let (subject, object, operator) =
        if literal(0) && !literal(1) { (1, 0, mirrored(operator)) } else { (0, 1, operator) };
    let (subject_text, value) = (shown(sides[subject].0), sides[subject].1);
    let mut clause = Clause::fact(format!("{subject_text} is {}", value.shown()));
    clause.actual = if literal(subject) { None } else { super::actual(value) };
    let mut other = sides[object].1.shown();
    if !literal(object) {
        other = format!("{other} ({})", shown(sides[object].0));
    }
    if holds != expected {
        clause.expectation = Some(expectation(if expected { operator } else { negated(operator) }, &other));
    }
    clause
}

fn expectation(operator: Comparison, other: &str) -> String {
    match operator {
        Comparison::Equal => other.to_owned(),
        Comparison::NotEqual => format!("anything but {other}"),
        Comparison::Greater => format!("more than {other}"),
        Comparison::GreaterOrEqual => format!("at least {other}"),
        Comparison::Less => format!("less than {other}"),
        Comparison::LessOrEqual => format!("at most {other}"),
    }
}

/// Returns the operator with its sides exchanged: `b < a` for `a > b`.
fn mirrored(operator: Comparison) -> Comparison {
    match operator {
        Comparison::Equal => Comparison::Equal,
        Comparison::NotEqual => Comparison::NotEqual,
        Comparison::Greater => Comparison::Less,
        Comparison::GreaterOrEqual => Comparison::LessOrEqual,
        Comparison::Less => Comparison::Greater,
        Comparison::LessOrEqual => Comparison::GreaterOrEqual,
    }
}

/// Returns the negated operator: `a <= b` for `!(a > b)`.
fn negated(operator: Comparison) -> Comparison {
    match operator {
        Comparison::Equal => Comparison::NotEqual,
        Comparison::NotEqual => Comparison::Equal,
        Comparison::Greater => Comparison::LessOrEqual,
        Comparison::GreaterOrEqual => Comparison::Less,
        Comparison::Less => Comparison::GreaterOrEqual,
        Comparison::LessOrEqual => Comparison::Greater,
    }
}

pub(super) fn of_search(whole: (&Expression, &Known<'_>), part: &Known<'_>, holds: bool) -> Clause {
    let verb = if holds { "contains" } else { "does not contain" };
    let mut clause = Clause::fact(format!("{} {verb} {}", shown(whole.0), part.shown()));
    clause.actual = super::actual(whole.1);
    clause
}

/// Describes whether a value is a list.
pub(super) fn of_list(inner: (&Expression, &Known<'_>), holds: bool, expected: bool) -> Clause {
    let mut clause = Clause::fact(format!("{} is {}", shown(inner.0), inner.1.shown()));
    clause.actual = super::actual(inner.1);
    clause.expectation =
        (holds != expected).then(|| if expected { "a list" } else { "anything but a list" }.to_owned());
    clause
}

/// Describes a value that is used as a condition by itself.
pub(super) fn of_value(expression: &Expression, value: &Value<'_>, holds: bool, expected: bool) -> Clause {
    let Value::Known(known) = value else {
        let counts = if holds { "true" } else { "false" };
        return Clause::fact(format!("{} counts as {counts}", shown(expression)));
    };
    let fact = match expression {
        Expression::Literal(literal @ Literal::Boolean(_)) => format!("`{literal}` is written"),
        _ => format!("{} is {}", shown(expression), known.shown()),
    };
    let mut clause = Clause::fact(fact);
    clause.actual = if matches!(expression, Expression::Literal(_)) { None } else { super::actual(known) };
    let is_boolean = matches!(known, Known::Boolean(_));
    clause.expectation = (holds != expected && !is_boolean).then(|| {
        let expectation = if expected { "neither empty, 0 nor null" } else { "empty, 0 or null" };
        expectation.to_owned()
    });
    clause
}
