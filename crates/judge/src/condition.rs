//! What conditions come to (ruling 14): a small language over the actions of a task, evaluated on facts.
//!
//! Values and logic have three values, as Kleene's: what is not there is unknown, and so is everything that depends on it.
//! A fourth stands for what a reduced run left out, and wins over unknown wherever the result may depend on it:
//!
//! | `a && b`   | true       | false | unknown    | not judged |
//! |------------|------------|-------|------------|------------|
//! | true       | true       | false | unknown    | not judged |
//! | false      | false      | false | false      | false      |
//! | unknown    | unknown    | false | unknown    | not judged |
//! | not judged | not judged | false | not judged | not judged |
//!
//! `a || b` is `!(!a && !b)`. As in JavaScript `a && b` and `a || b` give one of their sides where a value is asked for, and
//! numbers but 0, texts but the empty one, lists and objects count as true. Unlike in JavaScript:
//! - no value is taken for one of another type: `===` between a number and a text is false, `<` is unknown;
//! - lists and objects are not compared as a whole: unknown;
//! - what is not there is unknown also beside `undefined`: neither `x === undefined` nor `x !== undefined` can be used to
//!   tell that something is missing, only that it is there (`x !== undefined` holds for what is).

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
mod operation;
mod query;
mod subject;
mod value;

pub use self::condition_query::wanted;
pub(crate) use self::subject::{last_command, speaks_of};

/// The facts that conditions speak of.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    pub plan: &'a Plan,
    /// Every action, with what came of it.
    pub actions: &'a [ActionReport],
    /// What was found in raw output, as [`wanted`] asks for it.
    pub materials: &'a BTreeMap<ActionId, ConditionInputs>,
    pub run: &'a RunRecord,
}

/// What a condition comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluated {
    pub truth: Truth,
    /// The value of the first field that decided, where it is one that can be shown.
    pub actual: Option<Actual>,
    /// Why, in a sentence with the values: `STEP.4.exitCode is 1, 0 is expected`.
    pub reason: String,
}

/// Evaluates one condition that is expected to hold.
pub fn evaluate(expression: &Expression, context: &Context<'_>) -> Evaluated {
    Evaluator::new(*context).evaluate(expression, true)
}

/// Evaluates conditions over the same facts; bodies and files are parsed once for all of them.
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
            contents: Contents::of(context.materials),
        }
    }

    /// Evaluates a condition of which it is expected that it holds, or that it does not: where it comes out otherwise, the
    /// reason says what is expected instead.
    pub(crate) fn evaluate(&self, expression: &Expression, expected: bool) -> Evaluated {
        let judged = self.judge(expression, expected);
        let actual = judged.clauses.iter().find_map(|clause| clause.actual.clone());
        Evaluated { truth: judged.truth, actual, reason: clause::sentence(&judged.clauses) }
    }
}

/// Returns a value as documents show it. None: it is a text too long to be looked at as a whole, or nothing at all.
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
