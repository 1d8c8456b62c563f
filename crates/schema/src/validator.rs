//! The one JSON Schema validator: for what a specification, a file check or an HTTP assertion holds a document against.
//!
//! References are followed inside the schema alone and nothing is ever fetched; formats are asserted. Neither a schema nor
//! a document can exhaust the stack, the memory or the patience: the work is counted before it is done, and what takes too
//! much of it is refused.

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, ValidationError};
use referee_model::limit;
use referee_syntax::cut;
use serde_json::Value;

use self::graph::{Effort, Graph};

mod graph;

/// Deepest nesting of a schema or a document; what `serde_json` reads is never deeper.
const DEPTH: usize = 128;

/// Most values of a schema.
const SCHEMA_VALUES: usize = 200_000;

/// Most schemas that are held within one another against a document and its parts; a stack of 2 MiB holds some times more.
const STEPS_DEEP: usize = 2_048;

/// How much work may be done.
#[derive(Debug, Clone, Copy)]
struct Budget {
    /// Most schemas that are held against a document and its parts. Some schemas take more steps than there are atoms,
    /// even for a short document.
    steps: usize,
    /// Steps up to which all complaints are looked for; beyond it is the first alone.
    listed: usize,
}

const BUDGET: Budget = Budget { steps: 20_000_000, listed: 1_000_000 };

/// Longest value, in bytes of JSON, that a complaint repeats.
const VALUE_SHOWN_BYTES: usize = 200;

/// A JSON Schema, ready to hold documents against.
#[derive(Debug, Clone)]
pub struct Validator {
    compiled: jsonschema::Validator,
    graph: Graph,
}

/// Why a schema is none, or none that can be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct ValidatorError {
    /// Where in the schema, as `at /properties/id`, or `the schema`.
    place: String,
    /// What is wrong there.
    problem: String,
}

impl ValidatorError {
    fn new(pointer: &str, problem: impl Into<String>) -> Self {
        let place = if pointer.is_empty() { "the schema".to_owned() } else { format!("at {pointer}") };
        Self { place, problem: problem.into() }
    }
}

impl Validator {
    /// Makes a schema ready. Its draft is told by `$schema`; it is 2020-12 where that is missing.
    ///
    /// # Errors
    /// Fails for what is no schema of its draft, names an unknown draft, holds a pattern that is none, or refers to
    /// something outside itself, to nothing, or back to itself without end.
    pub fn new(schema: &Value) -> Result<Self, ValidatorError> {
        if !schema.is_object() && !schema.is_boolean() {
            return Err(ValidatorError::new("", "it must be an object, `true` or `false`"));
        }
        let measured = measured(schema);
        if measured.depth > DEPTH {
            return Err(ValidatorError::new("", format!("it is nested more than {DEPTH} levels deep")));
        }
        if measured.values > SCHEMA_VALUES {
            return Err(ValidatorError::new("", format!("it holds more than {SCHEMA_VALUES} values")));
        }
        let draft = draft(schema, "")?;
        let graph = Graph::new(schema, draft)?;
        let compiled = jsonschema::options()
            .with_draft(draft)
            .offline()
            .should_validate_formats(true)
            .build(schema)
            .map_err(|error| unusable(&error))?;
        Ok(Self { compiled, graph })
    }

    /// Holds a document against the schema: at most `kept` complaints, each "at /items/0/id: …" with the place as a JSON
    /// pointer, and how many there are in all. None at all: it is valid. Where it takes very many steps only the first
    /// complaint is looked for, and says so; where it takes too many, that is the complaint.
    pub fn complaints(&self, document: &Value, kept: usize) -> (Vec<String>, u64) {
        self.complaints_within(BUDGET, document, kept)
    }

    fn complaints_within(&self, budget: Budget, document: &Value, kept: usize) -> (Vec<String>, u64) {
        if measured(document).depth > DEPTH {
            return alone(kept, format!("at : it is nested more than {DEPTH} levels deep"));
        }
        match self.graph.effort(document, budget.steps, STEPS_DEEP) {
            Effort::TooDeep => {
                alone(kept, "at : it is nested too deeply to be validated against this schema".to_owned())
            }
            Effort::TooMuch => {
                alone(kept, format!("at : to hold it against this schema takes more than {} steps", budget.steps))
            }
            Effort::Steps(steps) if steps > budget.listed => match self.compiled.validate(document) {
                Ok(()) => (Vec::new(), 0),
                Err(error) => alone(kept, format!("{} (no other was looked for)", complaint(&error))),
            },
            Effort::Steps(_) => {
                let mut count = 0;
                let mut listed = Vec::new();
                for error in self.compiled.iter_errors(document) {
                    count += 1;
                    if listed.len() < kept {
                        listed.push(complaint(&error));
                    }
                }
                (listed, count)
            }
        }
    }
}

fn alone(kept: usize, complaint: String) -> (Vec<String>, u64) {
    (std::iter::once(complaint).take(kept).collect(), 1)
}

/// Says whether a schema holds nothing that any document could break, such as `{}` or `true` (ruling 5). A schema of which
/// that is not plain counts as one that asks for something.
pub fn is_vacuous(schema: &Value) -> bool {
    match schema {
        Value::Bool(anything) => *anything,
        Value::Object(members) => members.iter().all(|(key, value)| asks_nothing(key, value)),
        _ => false,
    }
}

fn asks_nothing(key: &str, value: &Value) -> bool {
    let schemas = || {
        value.as_object().into_iter().flat_map(serde_json::Map::values).chain(value.as_array().into_iter().flatten())
    };
    match key {
        // Of nothing named nothing is asked, and nothing of what may be as it likes.
        "properties" | "patternProperties" | "dependentSchemas" | "dependencies" | "allOf" => {
            (value.is_object() || value.is_array()) && schemas().all(is_vacuous)
        }
        "dependentRequired" | "required" => schemas().next().is_none(),
        // One that asks nothing is enough.
        "anyOf" => schemas().any(is_vacuous),
        "items"
        | "additionalItems"
        | "unevaluatedItems"
        | "additionalProperties"
        | "unevaluatedProperties"
        | "propertyNames" => is_vacuous(value),
        "minLength" | "minItems" | "minProperties" => value.as_u64() == Some(0),
        "$ref" | "$dynamicRef" | "$recursiveRef" | "oneOf" | "not" | "if" | "then" | "else" | "prefixItems"
        | "contains" | "minContains" | "maxContains" | "type" | "enum" | "const" | "multipleOf" | "maximum"
        | "exclusiveMaximum" | "minimum" | "exclusiveMinimum" | "maxLength" | "pattern" | "maxItems"
        | "uniqueItems" | "maxProperties" | "format" | "contentEncoding" | "contentMediaType" | "contentSchema" => {
            false
        }
        // An annotation, a definition that nothing refers to, or no keyword at all.
        _ => true,
    }
}

/// Returns the draft that the schema at this place is of.
fn draft(schema: &Value, pointer: &str) -> Result<Draft, ValidatorError> {
    let known = "use https://json-schema.org/draft/2020-12/schema, or that of 2019-09, 07, 06 or 04";
    let unknown = |problem: String| ValidatorError::new(&format!("{pointer}/$schema"), format!("{problem}: {known}"));
    match schema.get("$schema") {
        None => Ok(Draft::Draft202012),
        Some(Value::String(name)) => match Draft::from_schema_uri(name) {
            Draft::Unknown => {
                Err(unknown(format!("`{}` is not a known draft", cut::bytes(name, limit::MESSAGE_BYTES))))
            }
            draft => Ok(draft),
        },
        Some(_) => Err(unknown("it must be a text".to_owned())),
    }
}

/// A value's nesting, and how many values it holds with itself.
struct Measured {
    depth: usize,
    values: usize,
}

/// Measures without recursion, because what is measured may be too deep for it.
fn measured(value: &Value) -> Measured {
    let mut measured = Measured { depth: 0, values: 0 };
    let mut waiting = vec![(value, 1)];
    while let Some((value, depth)) = waiting.pop() {
        measured.depth = measured.depth.max(depth);
        measured.values += 1;
        match value {
            Value::Array(items) => waiting.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(members) => waiting.extend(members.values().map(|member| (member, depth + 1))),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    measured
}

fn unusable(error: &ValidationError<'_>) -> ValidatorError {
    let problem = match error.kind() {
        ValidationErrorKind::Referencing(problem) => format!("a reference leads nowhere inside the schema: {problem}"),
        _ => said(error),
    };
    ValidatorError::new(error.instance_path().as_str(), cut::bytes(&problem, limit::MESSAGE_BYTES))
}

fn complaint(error: &ValidationError<'_>) -> String {
    cut::bytes(&format!("at {}: {}", error.instance_path(), said(error)), limit::MESSAGE_BYTES)
}

/// Repeats the value where it is short. A long one is not cut: half a secret could not be found again.
fn said(error: &ValidationError<'_>) -> String {
    if error.instance().to_string().len() <= VALUE_SHOWN_BYTES {
        error.to_string()
    } else {
        error.masked_with("the value").to_string()
    }
}

#[cfg(test)]
mod tests;
