//! Data from raw output that the conditions of a plan need, derived from the plan alone.

use std::collections::{BTreeMap, BTreeSet};

use referee_model::condition::fields::{self, Kind};
use referee_model::condition::{Expression, Field, Literal, PathStep};
use referee_model::condition_inputs::ConditionQuery;
use referee_model::id::ActionId;
use referee_model::plan::{Action, Plan};
use referee_model::record::Stream;

use super::subject::{Subjects, last_command};

/// Returns by action what the conditions and the expected output of a plan need from raw output: strings to
/// search for if a condition says `stdout.includes('text')`, the whole text of a stream for anything else, the
/// body of an answer, the rows of a query or the content of a file. Actions without such conditions are left out.
pub fn wanted(plan: &Plan) -> BTreeMap<ActionId, ConditionQuery> {
    let mut all = Collected { subjects: Subjects::of(plan), seen: BTreeSet::new(), wanted: BTreeMap::new() };
    let criteria = &plan.criteria;
    for condition in criteria.success.iter().chain(&criteria.failure) {
        all.add(&condition.expression);
    }
    if let (Some(expected), Some(action)) = (&criteria.expected_output, last_command(plan)) {
        for text in &expected.stdout_contains {
            all.add_needle(action, Stream::Stdout, text);
        }
    }
    all.wanted
}

struct Collected<'a> {
    subjects: Subjects<'a>,
    /// Search strings that are in the query already.
    seen: BTreeSet<(ActionId, Stream, String)>,
    wanted: BTreeMap<ActionId, ConditionQuery>,
}

impl Collected<'_> {
    fn add(&mut self, expression: &Expression) {
        match expression {
            Expression::Includes { whole, part } => {
                if let (Expression::Field(field), Expression::Literal(Literal::Text(text))) = (&**whole, &**part)
                    && let [PathStep::Key(name)] = field.path.as_slice()
                    && let Some(stream) = stream(name)
                {
                    if let Some(action) = self.action(field, name) {
                        self.add_needle(action, stream, text);
                    }
                    return;
                }
                self.add(whole);
                self.add(part);
            }
            Expression::Or(left, right) | Expression::And(left, right) | Expression::Compare { left, right, .. } => {
                self.add(left);
                self.add(right);
            }
            Expression::Not(inner) | Expression::IsArray(inner) => self.add(inner),
            Expression::Field(field) => self.add_field(field),
            Expression::Literal(_) => {}
        }
    }

    fn add_field(&mut self, field: &Field) {
        let Some(PathStep::Key(name)) = field.path.first() else { return };
        let Some(action) = self.action(field, name) else { return };
        if let Some(stream) = stream(name) {
            let whole = &mut self.wanted.entry(action.id.clone()).or_default().whole;
            if !whole.contains(&stream) {
                whole.push(stream);
            }
        } else if is_content(name, Kind::of(&action.work)) {
            self.wanted.entry(action.id.clone()).or_default().content = true;
        }
    }

    fn add_needle(&mut self, action: &Action, stream: Stream, text: &str) {
        let needles = self.wanted.entry(action.id.clone()).or_default().needles.entry(stream).or_default();
        if !text.is_empty() && self.seen.insert((action.id.clone(), stream, text.to_owned())) {
            needles.push(text.to_owned());
        }
    }
}

impl<'a> Collected<'a> {
    /// Returns the action of a field, if actions of its kind can have such a field.
    fn action(&self, field: &Field, name: &str) -> Option<&'a Action> {
        let action = self.subjects.resolve(&field.of).ok()?;
        fields::is_known(Kind::of(&action.work), name).then_some(action)
    }
}

/// Returns whether a field needs the stored answer or file of an action.
fn is_content(name: &str, kind: Kind) -> bool {
    matches!(
        (kind, name),
        (Kind::Http, "body") | (Kind::File, "json" | "isValidJSON") | (Kind::Query, "rows" | "result")
    )
}

fn stream(name: &str) -> Option<Stream> {
    match name {
        "stdout" => Some(Stream::Stdout),
        "stderr" => Some(Stream::Stderr),
        _ => None,
    }
}
