//! `referee stage`: the stages of a workflow.

use std::path::{Path, PathBuf};

use referee_engine::context::Context;
use referee_engine::problem::Problem;
use referee_engine::stage::{Configuration, Opened};
use referee_ledger::State;
use referee_ledger::stages::Found;
use referee_model::plan::shell_word;
use referee_wire::stage::log::LOG;
use referee_wire::stage::run::WF_RUN;

use crate::args::stage::{RunFolder, Stage, Which};

mod accept;
mod answer;
mod changing;
mod compose;
mod finalize;
mod preflight;
mod prepare;
mod specification;
mod status;
mod validate;

pub(super) use self::specification::recorded as recorded_verdict;

/// Does what was typed.
pub(super) fn execute(context: &Context, command: &Stage) -> Result<u8, Problem> {
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

/// Returns the run's folder that is meant: the one that was named, or the nearest one.
///
/// # Errors
/// Fails where it does not exist, and where none is near.
pub(super) fn run_folder(context: &Context, run: &RunFolder) -> Result<PathBuf, Problem> {
    if let Some(named) = &run.run_dir {
        let folder = context.directory.join(named);
        if folder.is_dir() {
            return Ok(folder);
        }
        let what = if folder.exists() { ", but a file" } else { "" };
        let from =
            if named.is_relative() { format!(", seen from {}", context.directory.display()) } else { String::new() };
        return Err(Problem::usage(format!(
            "there is no folder {}{what}{from}: name the run's folder with --run-dir, or in REFEREE_RUN_DIR",
            named.display()
        )));
    }
    let mut above = context.directory.ancestors();
    // A run whose wf-run.json somebody removed is still one.
    above.find(|folder| folder.join(WF_RUN).is_file() || folder.join(LOG).is_file()).map(Path::to_path_buf).ok_or_else(
        || {
            Problem::usage(format!(
                "no folder from here upwards holds a {WF_RUN}: name the run's folder with --run-dir"
            ))
        },
    )
}

/// Returns a folder as it can be typed into a shell.
pub(super) fn typed(path: &Path) -> String {
    let text = match path.display().to_string() {
        empty if empty.is_empty() => ".".to_owned(),
        text => text,
    };
    shell_word(&text)
}

/// Opens the stage that is meant, with its configuration read.
///
/// # Errors
/// Fails where there is no such run or stage, and where the system refuses.
pub(super) fn open(context: &Context, which: &Which, state: Option<&State>) -> Result<Opened, Problem> {
    let folder = run_folder(context, &which.run)?;
    Ok(Opened::open(&folder, which.stage.clone(), state, |path, found| configuration(context, path, found))?)
}

fn configuration(context: &Context, path: &Path, found: Found) -> Configuration {
    let bytes = match found {
        Found::Absent | Found::NotAFile => return Configuration::Absent,
        Found::TooLarge => return Configuration::Broken(vec!["it is too large".to_owned()]),
        Found::Bytes(bytes) => bytes,
    };
    let name = context.shown(path).display().to_string();
    match referee_spec::workflow::stage_config(&name, &bytes) {
        Ok(stage) => Configuration::Read(Box::new(stage)),
        Err(complaints) => {
            Configuration::Broken(complaints.iter().map(|complaint| complaint.message.clone()).collect())
        }
    }
}
