//! Conditions with a constant result, whatever the actions do (ruling 5).

use referee_model::condition::{Comparison, Expression, Literal, PathStep};

/// Fields that are counts, and so never negative.
const COUNTS: [&str; 5] = ["length", "errorCount", "warningCount", "rowCount", "count"];

/// Returns why a part of an expression has a constant result, if one does.
pub(super) fn reason(expression: &Expression) -> Option<String> {
    match expression {
        Expression::Or(left, right) | Expression::And(left, right) => reason(left).or_else(|| reason(right)),
        Expression::Not(inner) | Expression::IsArray(inner) => reason(inner),
        Expression::Includes { part, .. } => is_empty(part).then(|| "every text includes the empty one".to_owned()),
        Expression::Compare { left, operator, right } => {
            let (count, bound, operator) = match (count(left), count(right)) {
                (Some(name), None) => (name, right, *operator),
                (None, Some(name)) => (name, left, turned(*operator)),
                _ => return None,
            };
            let Expression::Literal(Literal::Number(bound)) = &**bound else { return None };
            let always = always(operator, *bound)?;
            Some(format!("`{count}` is never below 0, so that this is always {always}"))
        }
        Expression::Literal(_) | Expression::Field(_) => None,
    }
}

fn is_empty(expression: &Expression) -> bool {
    matches!(expression, Expression::Literal(Literal::Text(text)) if text.is_empty())
}

/// Returns the name of the count, if an expression is one.
fn count(expression: &Expression) -> Option<&str> {
    let Expression::Field(field) = expression else { return None };
    let Some(PathStep::Key(name)) = field.path.last() else { return None };
    // Within an answer or a file, the author's own keys may have any name and any number.
    let is_count = if field.path.len() == 1 { COUNTS.contains(&name.as_str()) } else { name == "length" };
    is_count.then_some(name)
}

/// Returns the constant result of a comparison of a count with a number, if there is one.
fn always(operator: Comparison, bound: f64) -> Option<bool> {
    match operator {
        Comparison::GreaterOrEqual if bound <= 0.0 => Some(true),
        Comparison::Greater | Comparison::NotEqual if bound < 0.0 => Some(true),
        Comparison::Less if bound <= 0.0 => Some(false),
        Comparison::LessOrEqual | Comparison::Equal if bound < 0.0 => Some(false),
        _ => None,
    }
}

/// Returns the equivalent comparison with its sides exchanged.
fn turned(operator: Comparison) -> Comparison {
    match operator {
        Comparison::Greater => Comparison::Less,
        Comparison::GreaterOrEqual => Comparison::LessOrEqual,
        Comparison::Less => Comparison::Greater,
        Comparison::LessOrEqual => Comparison::GreaterOrEqual,
        same => same,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_always_says_the_same_is_told_from_what_does_not() {
        for (text, idle) in [
            ("stdout.includes('')", true),
            ("exitCode === 0 && !stdout.includes('')", true),
            ("STEP.1.body.items.length >= 0", true),
            ("0 <= STEP.1.body.length", true),
            ("STEP.1.body.length > -1", true),
            ("STEP.1.body.length < 0", true),
            ("eslint.errorCount >= 0", true),
            ("eslint.errorCount !== -1", true),
            ("STEP.1.rowCount >= 0", true),
            ("STEP.1.rows[0].count >= 0", false),
            ("stdout.includes(' ')", false),
            ("STEP.1.body.length > 0", false),
            ("STEP.1.body.length >= 1", false),
            ("STEP.1.body.length <= 0", false),
            ("STEP.1.body.length === 0", false),
            ("0 < STEP.1.body.length", false),
            ("STEP.1.body.errorCount >= 0", false),
            ("exitCode >= 0", false),
        ] {
            let expression = referee_model::condition::parse(text).unwrap();
            assert_eq!(reason(&expression).is_some(), idle, "{text}");
        }
    }
}
