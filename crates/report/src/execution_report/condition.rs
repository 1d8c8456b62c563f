//! Results of conditions (seed 1, `validationCriteriaEvaluation`). An unknown success condition counts as not met,
//! an unknown failure condition as triggered, and conditions about what a reduced run left out are not judged
//! (ruling 14).

use referee_model::verdict::{Actual, ConditionResult, CriteriaEvaluation, Truth};
use serde::Serialize;

use referee_model::limit::INTEGER_MAX;
use referee_model::number::Count;

/// Conditions that must be met: `total = met + failed + notJudged`.
#[document]
pub(super) struct SuccessConditions {
    /// Number of success conditions of the task.
    total: Count,
    /// Number of conditions that are true.
    met: Count,
    /// Number of conditions that are false or unknown.
    failed: Count,
    /// Number of conditions about something that a reduced run left out.
    not_judged: Count,
    /// Each condition with its result, in the order of the specification.
    details: Vec<SuccessDetail>,
}

/// Conditions that must not be triggered: `total = triggered + notTriggered + notJudged`.
#[document]
pub(super) struct FailureConditions {
    /// Number of failure conditions of the task.
    total: Count,
    /// Number of conditions that are true or unknown.
    triggered: Count,
    /// Number of conditions that are false.
    not_triggered: Count,
    /// Number of conditions about something that a reduced run left out.
    not_judged: Count,
    /// Each condition with its result, in the order of the specification.
    details: Vec<FailureDetail>,
}

#[document]
struct SuccessDetail {
    /// Condition as written in the specification; for an expected output, the expectation in the same language.
    condition: String,
    /// Purpose of the condition, in the words of the specification's author.
    description: String,
    /// Whether the condition is true; false also where it is unknown.
    met: bool,
    /// Result of the condition; `not-judged` where it is about something that a reduced run left out.
    truth: Truth,
    /// Value of the first field that decided the result. Left out where none can be shown.
    actual_value: Option<ActualDocument>,
    /// Reason for the result, in one sentence with the values.
    reason: String,
}

#[document]
struct FailureDetail {
    /// Condition as written in the specification.
    condition: String,
    /// Purpose of the condition, in the words of the specification's author.
    description: String,
    /// Whether the condition is true or unknown.
    triggered: bool,
    /// Result of the condition; `not-judged` where it is about something that a reduced run left out.
    truth: Truth,
    /// Value of the first field that decided the result. Left out where none can be shown.
    actual_value: Option<ActualDocument>,
    /// Reason for the result, in one sentence with the values.
    reason: String,
}

/// Value that a condition found.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
enum ActualDocument {
    Integer(i64),
    Number(f64),
    Text(String),
    Boolean(bool),
    Null(()),
    Compound(Compound),
}

/// An array or object, of which only the type is shown, and the length of an array.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "lowercase")]
enum Compound {
    Array {
        /// Number of elements of the array.
        length: Count,
    },
    Object {},
}

impl SuccessConditions {
    pub(super) fn new(results: &[ConditionResult]) -> Self {
        let [held, not_held, unknown, not_judged] = counts(results);
        let detail = |result: &ConditionResult| SuccessDetail {
            condition: result.condition.clone(),
            description: result.description.clone(),
            met: result.truth == Truth::True,
            truth: result.truth,
            actual_value: result.actual.as_ref().map(ActualDocument::from),
            reason: result.reason.clone(),
        };
        Self {
            total: Count::of(results.len()),
            met: Count::of(held),
            failed: Count::of(not_held + unknown),
            not_judged: Count::of(not_judged),
            details: results.iter().map(detail).collect(),
        }
    }
}

impl FailureConditions {
    pub(super) fn new(results: &[ConditionResult]) -> Self {
        let [held, not_held, unknown, not_judged] = counts(results);
        let detail = |result: &ConditionResult| FailureDetail {
            condition: result.condition.clone(),
            description: result.description.clone(),
            triggered: matches!(result.truth, Truth::True | Truth::Unknown),
            truth: result.truth,
            actual_value: result.actual.as_ref().map(ActualDocument::from),
            reason: result.reason.clone(),
        };
        Self {
            total: Count::of(results.len()),
            triggered: Count::of(held + unknown),
            not_triggered: Count::of(not_held),
            not_judged: Count::of(not_judged),
            details: results.iter().map(detail).collect(),
        }
    }
}

/// Counts results: true, false, unknown, not judged.
fn counts(results: &[ConditionResult]) -> [usize; 4] {
    [Truth::True, Truth::False, Truth::Unknown, Truth::NotJudged]
        .map(|truth| results.iter().filter(|result| result.truth == truth).count())
}

/// Returns the conditions that keep a run from passing, in phrases such as `4 of 6 success conditions not met`.
pub(super) fn against(criteria: &CriteriaEvaluation) -> Vec<String> {
    let [_, not_met, unknown, open] = counts(&criteria.success);
    let [triggered, _, unknown_failure, open_failure] = counts(&criteria.failure);
    let [_, differs, unknown_output, open_output] = counts(&criteria.expected_output);
    let (success, failure) = (criteria.success.len(), criteria.failure.len());
    let output = criteria.expected_output.len();
    let nouns = |total: usize, one: &'static str, several: &'static str| if total == 1 { one } else { several };
    let success_noun = nouns(success, "success condition", "success conditions");
    let failure_noun = nouns(failure, "failure condition", "failure conditions");
    let output_noun = nouns(output, "expectation of the output", "expectations of the output");
    [
        (not_met + unknown, success, success_noun, "not met"),
        (open, success, success_noun, "not judged"),
        (triggered + unknown_failure, failure, failure_noun, "triggered"),
        (open_failure, failure, failure_noun, "not judged"),
        (differs + unknown_output, output, output_noun, "not met"),
        (open_output, output, output_noun, "not judged"),
    ]
    .into_iter()
    .filter(|(count, ..)| *count > 0)
    .map(|(count, total, noun, word)| format!("{count} of {total} {noun} {word}"))
    .collect()
}

impl From<&Actual> for ActualDocument {
    fn from(actual: &Actual) -> Self {
        match actual {
            Actual::Number(number) => number_document(*number),
            Actual::Text(text) => Self::Text(text.clone()),
            Actual::Boolean(boolean) => Self::Boolean(*boolean),
            Actual::Null => Self::Null(()),
            Actual::List(length) => Self::Compound(Compound::Array { length: (*length).into() }),
            Actual::Object => Self::Compound(Compound::Object {}),
        }
    }
}

/// Writes whole numbers without a fraction, and numbers that JSON cannot hold as text.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "only whole numbers that are held exactly are cast"
)]
fn number_document(number: f64) -> ActualDocument {
    if !number.is_finite() {
        ActualDocument::Text(number.to_string())
    } else if number.fract() == 0.0 && number.abs() <= INTEGER_MAX as f64 {
        ActualDocument::Integer(number as i64)
    } else {
        ActualDocument::Number(number)
    }
}
