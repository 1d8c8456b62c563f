//! JSON Schemas that checks refer to.

use std::path::Path;

use referee_model::limit;
use referee_model::plan::SchemaSource;
use referee_model::record::SchemaObservation;
use referee_schema::validator::{Validator, is_vacuous};
use serde_json::Value;

use super::data::{self, Format};
use super::flaw::Flaw;
use super::root;

/// Maximum number of errors that are kept per content; all of them are counted.
const COMPLAINTS_KEPT: usize = 20;

/// A schema that content is validated against.
pub(crate) struct Schema(Validator);

impl Schema {
    /// Loads a schema from its source. An `Err` says what is wrong with it.
    pub(crate) fn load(workspace: &Path, source: &SchemaSource) -> Result<Self, String> {
        let value = match source {
            SchemaSource::Inline(text) => parse(text.as_bytes(), Format::Json, "the schema")?,
            SchemaSource::File(path) => {
                let bytes = root::read_whole(workspace, path.as_str(), limit::SPECIFICATION_BYTES)?;
                parse(&bytes, Format::of(None, Path::new(path.as_str())), path.as_str())?
            }
        };
        if is_vacuous(&value) {
            return Err("the schema asks nothing: any content would hold to it".to_owned());
        }
        Validator::new(&value).map(Self).map_err(|error| error.to_string())
    }

    /// Validates values: one for JSON, or one per document for YAML.
    pub(crate) fn hold(&self, documents: &[Value]) -> SchemaObservation {
        let (mut errors, mut error_count) = (Vec::new(), 0);
        for (number, document) in (1..).zip(documents) {
            let (complaints, count) = self.0.complaints(document, COMPLAINTS_KEPT - errors.len());
            let place = if documents.len() > 1 { format!("document {number}: ") } else { String::new() };
            errors.extend(complaints.into_iter().map(|complaint| format!("{place}{complaint}")));
            error_count += count;
        }
        if error_count == 0 { SchemaObservation::Valid } else { SchemaObservation::Invalid { errors, error_count } }
    }
}

fn parse(bytes: &[u8], format: Format, name: &str) -> Result<Value, String> {
    let values = data::values(bytes, format, &mut || None).map_err(|flaw| match flaw {
        Flaw::Malformed(message) | Flaw::Ended(message) => format!("{name} is not well-formed: {message}"),
        Flaw::TooLarge => format!("{name} is too large"),
    })?;
    let mut values = values.into_iter();
    match (values.next(), values.next()) {
        (Some(value), None) => Ok(value),
        _ => Err(format!("{name} must be one document")),
    }
}
