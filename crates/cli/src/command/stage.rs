//! `referee stage`: runs the stages of a workflow.

use std::path::Path;

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::stage::StageName;
use referee_model::plan::shell_word;

use crate::args::stage::{Stage, Which};

mod accept;
mod answer;
mod compose;
mod finalize;
mod preflight;
mod prepare;
mod specification;
mod status;
mod validate;

pub(super) fn execute(context: &Context, command: &Stage) -> Result<u8, EngineError> {
    match command {
        Stage::Compose(arguments) => compose::execute(context, arguments),
        Stage::Prepare(arguments) => prepare::execute(context, arguments),
        Stage::Preflight(arguments) => preflight::execute(context, arguments),
        Stage::Accept(arguments) => accept::execute(context, arguments),
        Stage::Validate(arguments) => validate::execute(context, arguments),
        Stage::Finalize(arguments) => finalize::execute(context, arguments),
        Stage::Status(arguments) => status::execute(context, arguments),
        Stage::Answer(arguments) => answer::execute(context, arguments),
    }
}

/// Returns a directory in a form for a shell.
pub(super) fn typed(path: &Path) -> String {
    let text = match path.display().to_string() {
        empty if empty.is_empty() => ".".to_owned(),
        text => text,
    };
    shell_word(&text)
}

/// Returns the selected stage.
pub(super) fn named(which: &Which) -> StageName {
    StageName { run_dir: which.run.run_dir.clone(), stage: which.stage.clone() }
}
