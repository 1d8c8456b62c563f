//! Reads the files that pass control. Anything in their place is a result, not an error.

use referee_judge::stage::standing::ResultSaid;
use referee_ledger::stages::FileContent;
use referee_model::handback::{self, ACCEPT, HANDBACK, HandbackError};
use referee_model::id::Digest;
use referee_model::limit;
use referee_model::stage::result::{self, WF_RESULT, WfResultDocument};
use referee_model::time::Timestamp;
use referee_syntax::cut::characters;

use super::{AcceptFound, HandbackFound};
use crate::stage::file_path::output_data;
use crate::stage::{Opened, StageError};

/// Maximum number of characters kept of one complaint, since an agent's text can be long.
const COMPLAINT_CHARACTERS: usize = 400;

/// The content of `wf-result.json`.
pub(super) enum ResultFound {
    Absent,
    Unreadable(String),
    Read(Box<WfResultDocument>),
}

/// Reads `handback.json` and its modification time.
pub(super) fn handback(opened: &Opened) -> Result<(HandbackFound, Option<Timestamp>), StageError> {
    let path = output_data(HANDBACK)?;
    let bytes = match content(opened.run.read(&opened.stage, &path)?) {
        Content::Nothing => return Ok((HandbackFound::Missing, None)),
        Content::Unusable(problem) => return Ok((HandbackFound::Invalid(vec![problem]), None)),
        Content::Bytes(bytes) => bytes,
    };
    let written_at = opened.run.look(&opened.stage, &path)?.map(|seen| seen.modified);
    let found = match handback::read(&bytes) {
        Ok(handback) => HandbackFound::Valid(Box::new(handback), Digest::of(&bytes)),
        Err(error) => HandbackFound::Invalid(complaints(&error)),
    };
    Ok((found, written_at))
}

/// Reads `accept.json`.
pub(super) fn accept(opened: &Opened) -> Result<AcceptFound, StageError> {
    let found = match content(opened.run.read(&opened.stage, &output_data(ACCEPT)?)?) {
        Content::Nothing => AcceptFound::Absent,
        Content::Unusable(problem) => AcceptFound::Invalid(vec![problem]),
        Content::Bytes(bytes) => match handback::read_accept(&bytes) {
            Ok(at) => AcceptFound::Present(at),
            Err(error) => AcceptFound::Invalid(complaints(&error)),
        },
    };
    Ok(found)
}

/// Reads `wf-result.json`.
pub(super) fn result(opened: &Opened) -> Result<ResultFound, StageError> {
    let found = match content(opened.run.read(&opened.stage, &output_data(WF_RESULT)?)?) {
        Content::Nothing => ResultFound::Absent,
        Content::Unusable(problem) => ResultFound::Unreadable(problem),
        Content::Bytes(bytes) if bytes.is_empty() => ResultFound::Unreadable("it is empty".to_owned()),
        Content::Bytes(bytes) => match result::read(&bytes) {
            Ok(document) => ResultFound::Read(Box::new(document)),
            Err(error) => ResultFound::Unreadable(characters(&error.to_string(), COMPLAINT_CHARACTERS)),
        },
    };
    Ok(found)
}

impl ResultFound {
    pub(super) fn said(&self) -> ResultSaid<'_> {
        match self {
            Self::Absent => ResultSaid::Absent,
            Self::Unreadable(problem) => ResultSaid::Unreadable(problem),
            Self::Read(document) => ResultSaid::Said {
                status: document.status,
                stage: &document.stage_id,
                completed_at: document.completed_at,
            },
        }
    }
}

enum Content {
    Nothing,
    Unusable(String),
    Bytes(Vec<u8>),
}

fn content(found: FileContent) -> Content {
    match found {
        FileContent::Absent => Content::Nothing,
        FileContent::NotAFile => {
            Content::Unusable("it is not a regular file, or a link stands on the way to it".to_owned())
        }
        FileContent::TooLarge => Content::Unusable(format!("it is larger than {} bytes", limit::STAGE_FILE_BYTES)),
        FileContent::Bytes(bytes) => Content::Bytes(bytes),
    }
}

fn complaints(error: &HandbackError) -> Vec<String> {
    let told = error.complaints.iter().map(|complaint| match complaint.pointer.as_str() {
        "" => characters(&complaint.problem, COMPLAINT_CHARACTERS),
        pointer => characters(&format!("{pointer}: {}", complaint.problem), COMPLAINT_CHARACTERS),
    });
    told.collect()
}
