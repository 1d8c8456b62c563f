//! Comparisons and searches on known values.

use std::cmp::Ordering;

use referee_model::condition::Comparison;
use referee_model::verdict::Truth;
use serde_json::Value as Json;

use super::value::Known;

/// Evaluates `a && b`; see the table of [`super`].
pub(super) fn and(left: Truth, right: Truth) -> Truth {
    match (left, right) {
        (Truth::False, _) | (_, Truth::False) => Truth::False,
        (Truth::NotJudged, _) | (_, Truth::NotJudged) => Truth::NotJudged,
        (Truth::Unknown, _) | (_, Truth::Unknown) => Truth::Unknown,
        (Truth::True, Truth::True) => Truth::True,
    }
}

/// Evaluates `!a`.
pub(super) fn not(truth: Truth) -> Truth {
    match truth {
        Truth::True => Truth::False,
        Truth::False => Truth::True,
        other => other,
    }
}

/// Evaluates `a || b`.
pub(super) fn or(left: Truth, right: Truth) -> Truth {
    not(and(not(left), not(right)))
}

/// Compares two values. The error says why they cannot be compared.
pub(super) fn compare(left: &Known<'_>, operator: Comparison, right: &Known<'_>) -> Result<bool, String> {
    match operator {
        Comparison::Equal => equal(left, right),
        Comparison::NotEqual => equal(left, right).map(|equal| !equal),
        Comparison::Greater => order(left, operator, right).map(Ordering::is_gt),
        Comparison::GreaterOrEqual => order(left, operator, right).map(Ordering::is_ge),
        Comparison::Less => order(left, operator, right).map(Ordering::is_lt),
        Comparison::LessOrEqual => order(left, operator, right).map(Ordering::is_le),
    }
}

/// Evaluates `===`: values of different types are different.
#[expect(clippy::float_cmp, reason = "`===` compares numbers exactly")]
fn equal(left: &Known<'_>, right: &Known<'_>) -> Result<bool, String> {
    match (left, right) {
        (Known::Number(left), Known::Number(right)) => Ok(left == right),
        (Known::Boolean(left), Known::Boolean(right)) => Ok(left == right),
        (Known::Null, Known::Null) | (Known::Undefined, Known::Undefined) => Ok(true),
        (left, right) if left.kind() != right.kind() => Ok(false),
        (Known::List(_) | Known::Object(_) | Known::Headers(_), _) => {
            Err(format!("{} cannot be compared as a whole", left.kind()))
        }
        (left, right) => match (text(left), text(right)) {
            (Some(left), Some(right)) => Ok(left == right),
            // One of them is too long for memory, and so longer than the empty string.
            (Some(""), None) | (None, Some("")) => Ok(false),
            _ => Err("a text is too long, or was not kept, to be compared as a whole".to_owned()),
        },
    }
}

/// Compares two numbers, or two strings in the order of JavaScript.
fn order(left: &Known<'_>, operator: Comparison, right: &Known<'_>) -> Result<Ordering, String> {
    let order = match (left, right) {
        (Known::Number(left), Known::Number(right)) => left.partial_cmp(right),
        _ => match (text(left), text(right)) {
            (Some(left), Some(right)) => Some(left.encode_utf16().cmp(right.encode_utf16())),
            _ => None,
        },
    };
    order.ok_or_else(|| format!("{} and {} cannot be compared by `{operator}`", left.kind(), right.kind()))
}

/// Evaluates `whole.includes(part)`. The error says why the result is unknown.
pub(super) fn includes(whole: &Known<'_>, part: &Known<'_>) -> Result<bool, String> {
    if let Known::List(elements) = whole {
        return includes_element(elements, part);
    }
    let (Known::Text(_) | Known::Stream(_)) = whole else {
        return Err(format!("it is {}, and `.includes` searches texts and lists", whole.kind()));
    };
    let (Known::Text(_) | Known::Stream(_)) = part else {
        return Err(format!("a text is searched for texts, not for {}", part.kind()));
    };
    let found = text(part).and_then(|part| match whole {
        Known::Stream(stream) => stream.contains(part),
        _ => Some(text(whole)?.contains(part)),
    });
    found.ok_or_else(|| "a text is too long, or was not kept, to be searched".to_owned())
}

fn includes_element(elements: &[Json], part: &Known<'_>) -> Result<bool, String> {
    if matches!(part, Known::List(_) | Known::Object(_) | Known::Headers(_)) {
        return Err(format!("{} cannot be compared as a whole", part.kind()));
    }
    for element in elements {
        match Known::of_json(element) {
            Some(element) if equal(&element, part)? => return Ok(true),
            Some(_) => {}
            None => return Err("it holds a number that is too large".to_owned()),
        }
    }
    Ok(false)
}

fn text<'k>(known: &'k Known<'_>) -> Option<&'k str> {
    match known {
        Known::Text(text) => Some(text),
        Known::Stream(stream) => stream.text(),
        _ => None,
    }
}
