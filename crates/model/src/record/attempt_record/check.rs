//! Rules for a record that its type cannot express.

use crate::plan::ActionType;
use crate::record::http::HttpEnding;
use crate::record::{Facts, FileFacts, FileState, InteractionEnding, InteractionFacts, Log, Record, SchemaObservation};

/// Checks a record that was read.
///
/// # Errors
/// Returns a sentence that describes the first violation.
pub(super) fn check(action_type: ActionType, record: &Record) -> Result<(), String> {
    let types = super::types(&record.facts);
    if !types.is_empty() && !types.contains(&action_type) {
        return Err(format!("`type` is {}, which such facts are never of", action_type.as_str()));
    }
    if record.attempt == 0 {
        return Err("`attempt` is 0, and the first is 1".to_owned());
    }
    record.log().map_or(Ok(()), log)?;
    match &record.facts {
        Facts::File(facts) => file(facts),
        Facts::Glob(facts) => {
            if let Some(pair) = facts.files.windows(2).find(|pair| pair[0].path >= pair[1].path) {
                return Err(format!("`{}` appears twice or out of order", pair[1].path));
            }
            facts.files.iter().try_for_each(file)
        }
        Facts::Http(facts) => match &facts.ending {
            HttpEnding::Answered(answer) => {
                answer.assertions.iter().filter_map(|it| it.schema.as_ref()).try_for_each(schema)
            }
            _ => Ok(()),
        },
        Facts::Interaction(facts) => interaction(facts),
        Facts::Command(_) | Facts::Service(_) | Facts::NotExecuted => Ok(()),
    }
}

/// Checks that a refusal names a request, and that only a completed interaction has observations.
fn interaction(facts: &InteractionFacts) -> Result<(), String> {
    facts.screenshots.iter().try_for_each(|screenshot| log(&screenshot.image))?;
    match &facts.ending {
        InteractionEnding::Refused { request, .. } if *request >= facts.requests.len() => {
            Err(format!("request {request} was refused, and {} were made", facts.requests.len()))
        }
        InteractionEnding::Completed => {
            facts.observations.iter().filter_map(|it| it.schema.as_ref()).try_for_each(schema)
        }
        _ if !facts.observations.is_empty() => Err("it did not complete, and has `observations`".to_owned()),
        _ => Ok(()),
    }
}

/// Checks that the path of a log is a file name in the evidence directory, and that its map covers all of its bytes.
pub fn log(log: &Log) -> Result<(), String> {
    if log.file.is_empty() || [".", ".."].contains(&log.file.as_str()) || log.file.contains(['/', '\\', '\0']) {
        return Err(format!("`{}` is not in this directory", log.file));
    }
    match log.streams.total_bytes() {
        total if total == log.bytes => Ok(()),
        total => Err(format!("`streamMap` covers {total} of the log's {} bytes", log.bytes)),
    }
}

fn file(facts: &FileFacts) -> Result<(), String> {
    facts.content().map_or(Ok(()), log)?;
    match &facts.found {
        FileState::File(file) => file.schema.as_ref().map_or(Ok(()), schema),
        _ => Ok(()),
    }
}

/// Checks that no more validation errors are listed than counted.
fn schema(observed: &SchemaObservation) -> Result<(), String> {
    match observed {
        SchemaObservation::Invalid { errors, error_count } if errors.len() as u64 > *error_count => {
            Err(format!("a schema has {error_count} complaints, and {} are listed", errors.len()))
        }
        _ => Ok(()),
    }
}
