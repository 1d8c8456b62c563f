//! Evaluates an expression to a value, or to a truth with its reasons.

use referee_model::condition::Expression;
use referee_model::verdict::Truth;

use super::clause::{self, Clause, Judged};
use super::value::{Known, Value};
use super::{Evaluator, operation};

impl Evaluator<'_> {
    /// Judges an expression that is expected to be true, or to be false. Both sides of `&&` and `||` are always
    /// evaluated; the deciding ones are determined by their truth.
    pub(super) fn judge(&self, expression: &Expression, expected: bool) -> Judged {
        match expression {
            Expression::And(left, right) => {
                let (left, right) = (self.judge(left, expected), self.judge(right, expected));
                let truth = operation::and(left.truth, right.truth);
                clause::join(truth, left, right, if expected { "and" } else { "or" })
            }
            Expression::Or(left, right) => {
                let (left, right) = (self.judge(left, expected), self.judge(right, expected));
                let truth = operation::or(left.truth, right.truth);
                clause::join(truth, left, right, if expected { "or" } else { "and" })
            }
            Expression::Not(inner) => {
                let inner = self.judge(inner, !expected);
                Judged { truth: operation::not(inner.truth), clauses: inner.clauses }
            }
            leaf => self.judge_leaf(leaf, expected),
        }
    }

    fn judge_leaf(&self, leaf: &Expression, expected: bool) -> Judged {
        let value = self.value(leaf);
        let truth = value.truth();
        let clause = match (&value, truth) {
            (Value::Unknown(why) | Value::NotJudged(why), _) => Clause::fact(why.clone()),
            (_, truth) => self.explained(leaf, &value, truth == Truth::True, expected),
        };
        Judged { truth, clauses: vec![clause] }
    }

    /// Describes the known value of a leaf.
    fn explained(&self, leaf: &Expression, value: &Value<'_>, holds: bool, expected: bool) -> Clause {
        let mut clause = match leaf {
            Expression::Compare { left, operator, right } => match (self.value(left), self.value(right)) {
                (Value::Known(left_value), Value::Known(right_value)) => {
                    let sides = [(&**left, &left_value), (&**right, &right_value)];
                    clause::of_comparison(sides, *operator, holds, expected)
                }
                _ => clause::of_value(leaf, value, holds, expected),
            },
            Expression::Includes { whole, part } => match (self.searched(whole), self.value(part)) {
                (Value::Known(whole_value), Value::Known(part)) => {
                    clause::of_search((whole, &whole_value), &part, holds)
                }
                _ => clause::of_value(leaf, value, holds, expected),
            },
            Expression::IsArray(inner) => match self.value(inner) {
                Value::Known(inner_value) => clause::of_list((inner, &inner_value), holds, expected),
                _ => clause::of_value(leaf, value, holds, expected),
            },
            _ => clause::of_value(leaf, value, holds, expected),
        };
        if holds != expected {
            clause.explanation = leaf.fields().find_map(|field| self.explanation(field));
        }
        clause
    }

    pub(super) fn value<'v>(&'v self, expression: &'v Expression) -> Value<'v> {
        match expression {
            Expression::Literal(literal) => Value::Known(Known::of_literal(literal)),
            Expression::Field(field) => self.field(field),
            Expression::And(left, right) => {
                let left = self.value(left);
                if left.truth() == Truth::False { left } else { second(left, self.value(right), Truth::True) }
            }
            Expression::Or(left, right) => {
                let left = self.value(left);
                if left.truth() == Truth::True { left } else { second(left, self.value(right), Truth::False) }
            }
            Expression::Not(inner) => negated(self.value(inner)),
            Expression::Compare { left, operator, right } => {
                combined(self.value(left), self.value(right), |left, right| {
                    operation::compare(left, *operator, right)
                        .map_err(|why| format!("`{}` cannot be determined: {why}", clause::shown(expression)))
                })
            }
            Expression::Includes { whole, part } => combined(self.searched(whole), self.value(part), |whole, part| {
                operation::includes(whole, part)
                    .map_err(|why| format!("`{}` cannot be determined: {why}", clause::shown(expression)))
            }),
            Expression::IsArray(inner) => match self.value(inner) {
                Value::Known(known) => Value::boolean(matches!(known, Known::List(_))),
                Value::Counts(_) => Value::unknown(format!("{} is not known", clause::shown(inner))),
                other => other,
            },
        }
    }
}

impl Evaluator<'_> {
    /// Returns the value that `.includes` searches: a body that is a JSON object is searched as its original text.
    fn searched<'v>(&'v self, whole: &'v Expression) -> Value<'v> {
        match (self.value(whole), whole) {
            (value @ Value::Known(Known::Object(_)), Expression::Field(field)) => {
                self.text_of_body(field).map_or(value, Value::text)
            }
            (value, _) => value,
        }
    }
}

/// Combines the sides of `&&` and `||` where the left one does not decide; if the left one equals `neutral`,
/// the right one is the value.
fn second<'v>(left: Value<'v>, right: Value<'v>, neutral: Truth) -> Value<'v> {
    if left.truth() == neutral {
        return right;
    }
    if right.truth() == operation::not(neutral) {
        return Value::Counts(right.truth() == Truth::True);
    }
    match (left, right) {
        (left @ Value::NotJudged(_), _) => left,
        (_, right @ Value::NotJudged(_)) => right,
        (left, _) => left,
    }
}

fn negated(value: Value<'_>) -> Value<'_> {
    match value.truth() {
        Truth::True => Value::boolean(false),
        Truth::False => Value::boolean(true),
        Truth::Unknown | Truth::NotJudged => value,
    }
}

/// Combines two values. If either is unknown, so is the result, even if a reduced run left the other out.
fn combined<'v>(
    left: Value<'v>,
    right: Value<'v>,
    combine: impl Fn(&Known<'v>, &Known<'v>) -> Result<bool, String>,
) -> Value<'v> {
    match (left, right) {
        (Value::Known(left), Value::Known(right)) => combine(&left, &right).map_or_else(Value::Unknown, Value::boolean),
        (Value::Unknown(why), _) | (_, Value::Unknown(why)) => Value::Unknown(why),
        (Value::Counts(_), _) | (_, Value::Counts(_)) => Value::unknown("a part of the comparison is not known"),
        (Value::NotJudged(why), _) | (_, Value::NotJudged(why)) => Value::NotJudged(why),
    }
}
