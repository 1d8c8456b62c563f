//! Problems of the specification that keep a task from running (seed 1, "SPECIFICATION_ERROR").

use referee_model::id::ActionId;
use referee_model::plan::{Action, Plan, SpecificationProblem};
use referee_model::record::{Facts, SchemaObservation};
use referee_model::report::Ran;

use referee_model::number::Count;

/// Maximum number of problems that are embedded in the report.
const EMBEDDED: usize = 100;

/// One problem of the specification.
#[document(nulls)]
pub(super) struct ProblemDocument {
    /// Action concerned. Null: the whole task.
    action_id: Option<ActionId>,
    /// Location of the problem, as a JSON pointer into the specification.
    instance_path: String,
    /// Location of the violated rule in the schema, as a URI fragment.
    #[serde(skip_serializing_if = "Option::is_none")]
    schema_path: Option<String>,
    /// Keyword of the schema that is violated.
    keyword: String,
    /// Description of the problem, and what to do.
    message: String,
    /// 1-based line of the specification file.
    line: u32,
    /// 1-based column in `line`.
    column: u32,
}

/// Whether something conforms to a schema: an action to that of the specification, or a file or HTTP answer to its
/// own.
#[document(nulls)]
pub(super) struct SchemaValidation {
    /// Whether it conforms. Null: it could not be determined.
    valid: Option<bool>,
    /// First violations of the schema, in document order.
    errors: Vec<SchemaError>,
    /// Number of all violations.
    error_count: Count,
}

/// One violation of a schema, in the shape that validators for JSON Schema use.
#[document]
#[derive(Default)]
struct SchemaError {
    /// Location of the violation, as a JSON pointer.
    instance_path: Option<String>,
    /// Location of the violated rule in the schema, as a URI fragment.
    schema_path: Option<String>,
    /// Keyword of the schema that is broken, such as `required`. Left out for files and answers.
    keyword: Option<String>,
    /// Allowed values and location in the specification. Left out for files and answers.
    params: Option<Params>,
    /// Description of the violation.
    message: String,
}

/// Details that belong to the keyword of a violation.
#[document]
struct Params {
    /// Allowed values, where they can be listed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    allowed_values: Vec<String>,
    /// 1-based line in the specification.
    line: u32,
    /// 1-based column in `line`.
    column: u32,
}

/// Returns all problems of a plan.
pub(super) fn problems(plan: &Plan) -> Vec<ProblemDocument> {
    let document = |problem: &SpecificationProblem| ProblemDocument {
        action_id: problem.action.clone(),
        instance_path: problem.pointer.clone(),
        schema_path: problem.schema_path.clone(),
        keyword: problem.keyword.clone(),
        message: problem.message.clone(),
        line: problem.line,
        column: problem.column,
    };
    plan.problems.iter().map(document).collect()
}

/// Returns the problems of one action's specification, in sentences.
pub(super) fn messages(plan: &Plan, action: &Action, ran: &Ran) -> Vec<String> {
    let messages: Vec<String> = of_action(plan, action).map(|problem| problem.message.clone()).collect();
    // Problems that only the run reveals, such as a pattern without a match, are in the judgement alone.
    if messages.is_empty() { vec![ran.judgement.reason.clone()] } else { messages }
}

/// Returns the problems of one action, or those of the whole task where it has none of its own.
fn of_action<'plan>(plan: &'plan Plan, action: &'plan Action) -> impl Iterator<Item = &'plan SpecificationProblem> {
    let is_own = |problem: &SpecificationProblem| problem.action.as_ref() == Some(&action.id);
    let has_own = plan.problems.iter().any(is_own);
    plan.problems.iter().filter(move |problem| if has_own { is_own(problem) } else { problem.action.is_none() })
}

impl SchemaValidation {
    /// Returns the schema violations of an action that was not executed.
    pub(super) fn of_action(plan: &Plan, action: &Action, ran: &Ran) -> Option<Self> {
        if !matches!(ran.record.facts, Facts::NotExecuted) {
            return None;
        }
        let complaint = |problem: &SpecificationProblem| SchemaError {
            instance_path: Some(problem.pointer.clone()),
            schema_path: problem.schema_path.clone(),
            keyword: Some(problem.keyword.clone()),
            params: Some(Params {
                allowed_values: problem.allowed.clone(),
                line: problem.line,
                column: problem.column,
            }),
            message: problem.message.clone(),
        };
        let mut errors: Vec<SchemaError> = of_action(plan, action).map(complaint).collect();
        if errors.is_empty() {
            errors.push(SchemaError { message: ran.judgement.reason.clone(), ..SchemaError::default() });
        }
        let error_count = Count::of(errors.len());
        errors.truncate(EMBEDDED);
        Some(Self { valid: Some(false), errors, error_count })
    }

    /// Returns the schema violations of a file or an answer.
    pub(super) fn of_content(observation: &SchemaObservation) -> Self {
        let one = |valid, message: &str| Self {
            valid,
            errors: vec![SchemaError { message: message.to_owned(), ..SchemaError::default() }],
            error_count: 1.into(),
        };
        match observation {
            SchemaObservation::Valid => Self { valid: Some(true), errors: Vec::new(), error_count: 0.into() },
            SchemaObservation::Invalid { errors, error_count } => Self {
                valid: Some(false),
                errors: errors
                    .iter()
                    .take(EMBEDDED)
                    .map(|error| SchemaError { message: error.clone(), ..SchemaError::default() })
                    .collect(),
                error_count: (*error_count).into(),
            },
            SchemaObservation::Malformed { message } => one(Some(false), message),
            SchemaObservation::Unusable { message } => one(None, message),
            SchemaObservation::TooLarge => one(None, "it is too large to be validated against a schema"),
        }
    }
}
