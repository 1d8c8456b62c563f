//! Conditions that keep a run from passing.

use std::io;

use referee_model::verdict::{Actual, ConditionResult, CriteriaEvaluation, Truth};

use crate::page::{Line, Page};
use crate::style::Tone;

/// Maximum number of conditions of each kind that are shown without `--verbose`.
const SHOWN: usize = 10;

/// Maximum number of lines of one text.
const LINES_MAX: usize = 4;

/// Writes each condition that is not met or is triggered, with the value that it found and the reason.
pub(super) fn write(criteria: &CriteriaEvaluation, page: &mut Page<'_>) -> io::Result<()> {
    let kinds = [
        ("condition", &criteria.success, false),
        ("failure condition", &criteria.failure, true),
        ("expected output", &criteria.expected_output, false),
    ];
    for (kind, results, holds_against) in kinds {
        let against: Vec<&ConditionResult> =
            results.iter().filter(|result| is_against(result.truth, holds_against)).collect();
        let shown = page.shown(against.len(), SHOWN);
        for result in against.iter().take(shown) {
            condition(kind, holds_against, result, page)?;
        }
        page.left_to_report(0, against.len(), shown)?;
        if !against.is_empty() {
            page.blank()?;
        }
    }
    Ok(())
}

/// Whether a condition keeps the run from passing. An unknown result always does; a condition that was left out
/// cannot be judged.
fn is_against(truth: Truth, holds_against: bool) -> bool {
    match truth {
        Truth::True => holds_against,
        Truth::False => !holds_against,
        Truth::Unknown | Truth::NotJudged => true,
    }
}

fn condition(kind: &str, holds_against: bool, result: &ConditionResult, page: &mut Page<'_>) -> io::Result<()> {
    let word = match (result.truth, holds_against) {
        (Truth::NotJudged, _) => "not judged",
        (Truth::Unknown, false) => "unknown, so not met",
        (Truth::Unknown, true) => "unknown, so triggered",
        (Truth::True | Truth::False, false) => "not met",
        (Truth::True | Truth::False, true) => "triggered",
    };
    let (tone, sign) = match result.truth {
        Truth::NotJudged => (Tone::Warning, page.signs().unknown),
        _ => (Tone::Bad, page.signs().bad),
    };
    let title = Line::new().then(tone, sign).word(tone, &format!("{kind} {word}:")).then(Tone::Plain, " ");
    page.paragraph(title, 4, Tone::Place, &result.condition, LINES_MAX)?;
    if !result.description.is_empty() {
        page.paragraph(Line::indented(2), 2, Tone::Faint, &result.description, LINES_MAX)?;
    }
    if let Some(actual) = &result.actual {
        let lead = Line::indented(2).then(Tone::Faint, "found").then(Tone::Plain, "  ");
        page.paragraph(lead, 9, tone, &value(actual), LINES_MAX)?;
    }
    if !result.reason.is_empty() {
        page.paragraph(Line::indented(2), 2, Tone::Plain, &result.reason, LINES_MAX)?;
    }
    Ok(())
}

/// Returns a value that a condition found, as text.
fn value(actual: &Actual) -> String {
    match actual {
        Actual::Number(number) => number.to_string(),
        Actual::Text(text) => format!("\"{text}\""),
        Actual::Boolean(boolean) => boolean.to_string(),
        Actual::Null => "null".to_owned(),
        Actual::List(1) => "a list of 1 element".to_owned(),
        Actual::List(length) => format!("a list of {length} elements"),
        Actual::Object => "an object".to_owned(),
    }
}
