//! Evaluation of conditions (ruling 14): a small language over the actions of a task, evaluated on facts.
//!
//! Values and logic have three values, as Kleene's: a missing value is unknown, and so is everything that
//! depends on it. A fourth, not judged, represents what a reduced run left out, and wins over unknown wherever
//! the result may depend on it:
//!
//! | `a && b`   | true       | false | unknown    | not judged |
//! |------------|------------|-------|------------|------------|
//! | true       | true       | false | unknown    | not judged |
//! | false      | false      | false | false      | false      |
//! | unknown    | unknown    | false | unknown    | not judged |
//! | not judged | not judged | false | not judged | not judged |
//!
//! `a || b` is `!(!a && !b)`. As in JavaScript, `a && b` and `a || b` yield one of their sides where a value is
//! used, and numbers except 0, strings except the empty one, lists and objects count as true. Unlike in
//! JavaScript:
//! - values are not converted to other types: `===` between a number and a string is false, `<` is unknown;
//! - lists and objects are not compared as a whole: the result is unknown;
//! - comparing a missing value with `undefined` is unknown, too: neither `x === undefined` nor `x !==
//! undefined` can detect
//!   that something is missing, only that it is present (`x !== undefined` is true then).

use std::collections::BTreeMap;

use referee_model::condition::Expression;
use referee_model::condition_inputs::ConditionInputs;
use referee_model::id::ActionId;
use referee_model::limit::MESSAGE_BYTES;
use referee_model::plan::Plan;
use referee_model::record::RunRecord;
use referee_model::report::ActionReport;
use referee_model::verdict::{Actual, Truth};
use referee_syntax::cut::head;

use self::content::Contents;
use self::subject::Subjects;
use self::value::Known;

mod clause;
mod condition_query;
mod content;
mod evaluation;
mod field;
mod file_field;
mod interaction_field;
mod operation;
mod query;
mod subject;
mod value;

pub use self::condition_query::wanted;
pub(crate) use self::subject::{last_command, speaks_of};

/// Facts that conditions refer to.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    pub plan: &'a Plan,
    /// All actions with their results.
    pub actions: &'a [ActionReport],
    /// Data from raw output, as [`wanted`] asks for it.
    pub materials: &'a BTreeMap<ActionId, ConditionInputs>,
    pub run: &'a RunRecord,
}

/// Result of a condition.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluated {
    pub truth: Truth,
    /// Value of the first field that decided, if it can be shown.
    pub actual: Option<Actual>,
    /// Reason as a sentence with the values: `STEP.4.exitCode is 1, 0 is expected`.
    pub reason: String,
}

/// Evaluates one condition that is expected to be true.
pub fn evaluate(expression: &Expression, context: &Context<'_>) -> Evaluated {
    Evaluator::new(*context).evaluate(expression, true)
}

/// Evaluates conditions over the same facts; bodies and files are parsed once.
#[derive(Debug)]
pub(crate) struct Evaluator<'a> {
    context: Context<'a>,
    subjects: Subjects<'a>,
    reports: BTreeMap<&'a ActionId, &'a ActionReport>,
    contents: Contents<'a>,
}

impl<'a> Evaluator<'a> {
    pub(crate) fn new(context: Context<'a>) -> Self {
        Self {
            context,
            subjects: Subjects::of(context.plan),
            reports: context.actions.iter().map(|report| (&report.action.id, report)).collect(),
            contents: Contents::of(context.plan, context.materials),
        }
    }

    /// Evaluates a condition that is expected to be true, or to be false; if the result differs, the reason
    /// says what is expected instead.
    pub(crate) fn evaluate(&self, expression: &Expression, expected: bool) -> Evaluated {
        let judged = self.judge(expression, expected);
        let actual = judged.clauses.iter().find_map(|clause| clause.actual.clone());
        Evaluated { truth: judged.truth, actual, reason: clause::sentence(&judged.clauses) }
    }
}

/// Returns a value as documents show it. None: it is a text too long to be held in memory, or there is no value.
fn actual(known: &Known<'_>) -> Option<Actual> {
    Some(match known {
        Known::Number(number) => Actual::Number(*number),
        Known::Text(text) => Actual::Text(head(text, MESSAGE_BYTES).to_owned()),
        Known::Boolean(value) => Actual::Boolean(*value),
        Known::Null => Actual::Null,
        Known::List(elements) => Actual::List(elements.len() as u64),
        Known::Object(_) | Known::Headers(_) => Actual::Object,
        Known::Stream(stream) => Actual::Text(head(stream.text()?, MESSAGE_BYTES).to_owned()),
        Known::Undefined => return None,
    })
}

#[cfg(test)]
mod tests;
