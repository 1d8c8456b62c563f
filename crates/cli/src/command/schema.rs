//! `referee schema`: prints the published schemas.

use referee_engine::error::EngineError;
use referee_model::exit_code;
use referee_schema::published as schema;

use crate::args::Schema;
use crate::output;

/// Prints one schema, or the names of all.
pub(super) fn execute(arguments: &Schema) -> Result<u8, EngineError> {
    let Some(name) = &arguments.name else {
        output::answer(format!("{}\n", schema::names().collect::<Vec<_>>().join("\n")).as_bytes())?;
        return Ok(exit_code::PASSED);
    };
    let schema = schema::text(name).ok_or_else(|| {
        EngineError::usage(format!(
            "unknown schema `{name}`: expected one of {}",
            schema::names().collect::<Vec<_>>().join(", ")
        ))
    })?;
    output::answer(schema.as_bytes())?;
    Ok(exit_code::PASSED)
}
