//! `referee_handback`: an executor's claim about a stage, and whether it holds.

use std::path::{Path, PathBuf};

use referee_engine::error::EngineError;
use referee_engine::stage::{self, StageName, standing, validation, verification};
use referee_model::plan::shell_word;
use referee_model::stage::id::StageId;
use referee_report::stage::handed_back::StageHandbackDocument;
use serde::Deserialize;
use serde_json::Value;

use crate::answer::{Answer, arguments, document};
use crate::project::Project;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    stage: StageId,
    run_directory: Option<PathBuf>,
}

pub(super) fn handback(project: &Project, given: Value) -> Answer {
    let asked: Arguments = arguments(given)?;
    document(&shown(project, asked)?)
}

fn shown(project: &Project, asked: Arguments) -> Result<StageHandbackDocument, EngineError> {
    let context = &project.context;
    let run_dir = asked.run_directory.map(|named| context.below(&named)).transpose()?;
    let state = context.state_if_any()?;
    let opened = stage::open(context, &StageName { run_dir, stage: asked.stage }, state.as_ref())?;
    let outputs = validation::outputs(&opened)?;
    let verdict = verification::recorded(state.as_ref(), &opened, &outputs)?;
    let handed_back = standing::look(&opened, &outputs, &verdict)?;
    let path = context.shown(opened.run.path());
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let typed = shell_word(&path.display().to_string());
    Ok(standing::document(&opened, &handed_back, &context.redactor(), &typed))
}
