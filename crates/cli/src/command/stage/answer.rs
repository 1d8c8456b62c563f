//! `referee stage answer`: answers an executor's question.

use std::path::Path;

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::stage::{StageAccess, executor_answer};
use referee_model::exit_code;
use referee_model::limit;
use referee_report::human;
use referee_report::stage::changes::StageAnsweredDocument;

use crate::args::PlainFormat;
use crate::args::stage::answer::Answer;
use crate::command::person;
use crate::{input, output};

/// Maximum size of a character, in bytes.
const CHARACTER_BYTES: u64 = 4;

/// Answers a question, or shows it if no answer is given.
pub(super) fn execute(context: &Context, arguments: &Answer) -> Result<u8, EngineError> {
    let Some(text) = said(context, arguments)? else {
        let (access, opened) = StageAccess::open(context, &super::named(&arguments.which), None, false)?;
        return tell(context, arguments.format, &executor_answer::show(&access.workshop(), &opened)?);
    };
    person::refuse_an_agent(context, "answer a question of a stage")?;
    let (access, mut opened) =
        StageAccess::open(context, &super::named(&arguments.which), arguments.by.as_deref(), false)?;
    tell(context, arguments.format, &executor_answer::answer(&access.workshop(), &mut opened, &text)?)
}

/// Returns the answer from the command line. None: none was given.
fn said(context: &Context, arguments: &Answer) -> Result<Option<String>, EngineError> {
    if let Some(text) = &arguments.text {
        return Ok(Some(text.clone()));
    }
    let Some(file) = &arguments.file else { return Ok(None) };
    let bytes = input::read(context, file, limit::STAGE_ANSWER_CHARACTERS as u64 * CHARACTER_BYTES)?;
    let text = String::from_utf8(bytes).map_err(|_| no_text(file))?;
    Ok(Some(text))
}

fn no_text(file: &Path) -> EngineError {
    EngineError::usage(format!("{} is not text in UTF-8", file.display()))
}

fn tell(context: &Context, format: PlainFormat, document: &StageAnsweredDocument) -> Result<u8, EngineError> {
    output::document(
        format,
        || referee_model::document::to_bytes(document),
        |out| human::stage::changes::answered(document, &context.terminal.stdout, out),
    )?;
    Ok(exit_code::PASSED)
}
