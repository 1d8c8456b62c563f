//! Requirements of a specification beyond the outcomes of its actions: conditions, an expected output, a red
//! phase (rulings 12 and 14).

use referee_model::condition::{Comparison, Condition, Expression, Field, Literal, PathStep, Subject};
use referee_model::outcome::Outcome;
use referee_model::plan::{ExpectedOutput, Phase, Work};
use referee_model::report::{ActionHistory, ActionReport};
use referee_model::verdict::{ConditionResult, CriteriaEvaluation, Truth};
use referee_syntax::cut::first_line;

use super::action_summary::ActionSummary;
use crate::condition::{Context, Evaluated, Evaluator, last_command};

/// Maximum length of a condition, and of its description, in a reason, in characters.
const SHOWN_CHARACTERS: usize = 160;

/// Evaluated requirements beyond outcomes.
#[derive(Debug)]
pub(super) struct Demands {
    pub(super) criteria: CriteriaEvaluation,
    /// Unmet requirements, one sentence each.
    pub(super) unmet: Vec<String>,
    /// Requirements that a reduced run could not judge, one sentence each.
    pub(super) not_judged: Vec<String>,
    /// Whether the red phase is an unmet requirement.
    red_phase_unmet: bool,
}

impl Demands {
    /// Returns whether work on the project can meet the unmet requirements: conditions, not the declared phase
    /// of the task.
    pub(super) fn is_unmet_by_work(&self) -> bool {
        self.unmet.len() > usize::from(self.red_phase_unmet)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Success,
    Failure,
    ExpectedOutput,
}

/// Evaluates all requirements.
///
/// | condition       | true      | false   | unknown   | not judged |
/// |-----------------|-----------|---------|-----------|------------|
/// | success         | met       | not met | not met   | not judged |
/// | failure         | triggered | –       | triggered | not judged |
/// | expected output | met       | not met | not met   | not judged |
pub(super) fn evaluate(context: Context<'_>, standing: &ActionSummary<'_>) -> Demands {
    let mut demands = Demands {
        criteria: CriteriaEvaluation::default(),
        unmet: Vec::new(),
        not_judged: Vec::new(),
        red_phase_unmet: false,
    };
    let evaluator = Evaluator::new(context);
    let criteria = &context.plan.criteria;
    let mut all = |conditions: &[Condition], purpose: Purpose| -> Vec<ConditionResult> {
        conditions.iter().map(|condition| demands.add(condition, purpose, &evaluator)).collect()
    };
    let success = all(&criteria.success, Purpose::Success);
    let failure = all(&criteria.failure, Purpose::Failure);
    let expected = criteria.expected_output.as_ref().map(|expected| expected_output(context, expected));
    let expected_output = all(&expected.unwrap_or_default(), Purpose::ExpectedOutput);
    demands.criteria = CriteriaEvaluation { success, failure, expected_output };
    if context.plan.red_phase {
        demands.add_red_phase(context.actions, standing);
    }
    demands
}

impl Demands {
    fn add(&mut self, condition: &Condition, purpose: Purpose, evaluator: &Evaluator<'_>) -> ConditionResult {
        let expected = purpose != Purpose::Failure;
        let Evaluated { truth, actual, reason } = evaluator.evaluate(&condition.expression, expected);
        let name = named(condition, purpose);
        match (truth, expected) {
            (Truth::True, true) | (Truth::False, false) => {}
            (Truth::False, true) => self.unmet.push(format!("{name} is not met: {reason}")),
            (Truth::True, false) => self.unmet.push(format!("{name} is triggered: {reason}")),
            (Truth::Unknown, true) => {
                self.unmet.push(format!("{name} cannot be told, and so is not met: {reason}"));
            }
            (Truth::Unknown, false) => {
                self.unmet.push(format!("{name} cannot be told, and so counts as triggered: {reason}"));
            }
            (Truth::NotJudged, _) => self.not_judged.push(format!("{name} was not judged: {reason}")),
        }
        ConditionResult {
            condition: condition.text.clone(),
            description: condition.description.clone(),
            truth,
            actual,
            reason,
        }
    }

    /// Checks that a red phase has at least one step whose tests failed as expected.
    fn add_red_phase(&mut self, actions: &[ActionReport], standing: &ActionSummary<'_>) {
        let is_red = |report: &ActionReport| {
            report.action.phase == Phase::Step
                && report.ran().is_some_and(|ran| {
                    ran.judgement.expected && ran.judgement.outcome == Outcome::TestFailure && !ran.judgement.blocking
                })
        };
        if actions.iter().any(is_red) {
            return;
        }
        let may_be_red = |report: &&ActionReport| {
            matches!(report.history, ActionHistory::Skipped(_))
                && matches!(report.action.work, Work::Command(_) | Work::Http(_) | Work::Interaction(_))
        };
        let left_out = actions.iter().filter(may_be_red).find(|report| standing.is_left_out(&report.action.id));
        if let Some(report) = left_out {
            self.not_judged.push(format!(
                "the red phase was not judged: no test failed as expected, and {} was left out",
                report.action.id
            ));
        } else {
            self.red_phase_unmet = true;
            self.unmet.push("the task is in its red phase, and no test failed as expected".to_owned());
        }
    }
}

fn named(condition: &Condition, purpose: Purpose) -> String {
    let kind = match purpose {
        Purpose::Success => "the success condition",
        Purpose::Failure => "the failure condition",
        Purpose::ExpectedOutput => "the expected output",
    };
    let text = first_line(&condition.text, SHOWN_CHARACTERS);
    let description = first_line(&condition.description, SHOWN_CHARACTERS);
    if description.is_empty() { format!("{kind} `{text}`") } else { format!("{kind} `{text}` ({description})") }
}

/// Expresses the expected output and exit code of the last step that runs a command as conditions, whether it
/// is expected to fail or not. If no step runs a command, they refer to the last step, which has no such
/// fields.
fn expected_output(context: Context<'_>, expected: &ExpectedOutput) -> Vec<Condition> {
    let action = last_command(context.plan);
    let field = |name: &str| {
        let of = action.map_or(Subject::LastStep, |action| Subject::Action(action.id.clone()));
        Box::new(Expression::Field(Field { of, path: vec![PathStep::Key(name.to_owned())] }))
    };
    let compare = |name: &str, operator, literal| Expression::Compare {
        left: field(name),
        operator,
        right: Box::new(Expression::Literal(literal)),
    };
    let mut conditions: Vec<(Expression, &str)> = Vec::new();
    for text in &expected.stdout_contains {
        let part = Box::new(Expression::Literal(Literal::Text(text.clone())));
        conditions.push((Expression::Includes { whole: field("stdout"), part }, "standard output contains a text"));
    }
    if let Some(empty) = expected.stderr_empty {
        let operator = if empty { Comparison::Equal } else { Comparison::NotEqual };
        let description = if empty { "standard error is empty" } else { "standard error is not empty" };
        conditions.push((compare("stderr", operator, Literal::Text(String::new())), description));
    }
    if let Some(code) = expected.exit_code {
        conditions.push((compare("exitCode", Comparison::Equal, Literal::Number(f64::from(code))), "exit code"));
    }
    let condition = |(expression, description): (Expression, &str)| Condition {
        text: expression.to_string(),
        description: description.to_owned(),
        expression,
    };
    conditions.into_iter().map(condition).collect()
}
