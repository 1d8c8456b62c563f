//! The JSON Schema validator used for specifications, file checks and HTTP assertions.
//!
//! References are resolved only within the schema, and nothing is ever fetched; formats are asserted. Neither a
//! schema nor a document can exhaust the stack, memory or time: the cost is computed in advance, and validation
//! that is too expensive is refused.

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, ValidationError};
use referee_model::limit;
use referee_syntax::cut;
use serde_json::Value;

use self::graph::{Effort, Graph};

mod graph;

/// Maximum nesting depth of a schema or a document; `serde_json` never parses deeper values.
const DEPTH: usize = 128;

/// Maximum number of values in a schema.
const SCHEMA_VALUES: usize = 200_000;

/// Maximum nesting of schema applications; a stack of 2 MiB allows several times more.
const STEPS_DEEP: usize = 2_048;

/// Limits on the cost of a validation.
#[derive(Debug, Clone, Copy)]
struct Budget {
    /// Maximum number of schema applications. Some schemas need an astronomical number even for a short document.
    steps: usize,
    /// Number of schema applications up to which all violations are listed; beyond it only the first one.
    listed: usize,
}

const BUDGET: Budget = Budget { steps: 20_000_000, listed: 1_000_000 };

/// Maximum length of a value repeated in a violation, in bytes of JSON.
const VALUE_SHOWN_BYTES: usize = 200;

/// A JSON Schema, ready for validating documents.
#[derive(Debug, Clone)]
pub struct Validator {
    compiled: jsonschema::Validator,
    graph: Graph,
}

/// An error in a schema that makes it unusable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct ValidatorError {
    /// Location in the schema, such as `at /properties/id`, or `the schema`.
    place: String,
    /// The problem at that location.
    problem: String,
}

impl ValidatorError {
    fn new(pointer: &str, problem: impl Into<String>) -> Self {
        let place = if pointer.is_empty() { "the schema".to_owned() } else { format!("at {pointer}") };
        Self { place, problem: problem.into() }
    }
}

impl Validator {
    /// Compiles a schema. `$schema` determines its draft; the default is 2020-12.
    ///
    /// # Errors
    /// Fails for a value that is not a schema of its draft, for an unknown draft, for an invalid pattern, and for
    /// a reference that leads outside the schema, nowhere, or back to itself endlessly.
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

    /// Validates a document. Returns at most `kept` violations, each "at /items/0/id: …" with a JSON pointer, and
    /// their total number; no violations mean that the document is valid. If validation is expensive, only the
    /// first violation is searched for, and says so; if it is too expensive, that is the violation.
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

/// Returns whether a schema accepts every document, such as `{}` or `true` (ruling 5). A schema for which that is
/// not obvious counts as not vacuous.
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
        // Empty keywords and vacuous subschemas restrict nothing.
        "properties" | "patternProperties" | "dependentSchemas" | "dependencies" | "allOf" => {
            (value.is_object() || value.is_array()) && schemas().all(is_vacuous)
        }
        "dependentRequired" | "required" => schemas().next().is_none(),
        // One vacuous alternative is enough.
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
        // An annotation, an unreferenced definition, or an unknown keyword.
        _ => true,
    }
}

/// Returns the draft of a schema at this location.
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

/// Nesting depth of a value, and the number of values in it, including itself.
struct Measured {
    depth: usize,
    values: usize,
}

/// Measures a value without recursion, since it may be nested too deeply for that.
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

/// Formats an error, with the value only if it is short. A long one is not truncated, since half a secret could
/// not be redacted.
fn said(error: &ValidationError<'_>) -> String {
    if error.instance().to_string().len() <= VALUE_SHOWN_BYTES {
        error.to_string()
    } else {
        error.masked_with("the value").to_string()
    }
}

#[cfg(test)]
mod tests;
