//! What is typed to `referee stage`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use referee_model::stage::id::StageId;

pub(crate) mod accept;
pub(crate) mod answer;
pub(crate) mod compose;
pub(crate) mod finalize;
pub(crate) mod preflight;
pub(crate) mod prepare;
pub(crate) mod status;
pub(crate) mod validate;

/// The way that a stage goes, as it is told with the commands.
pub(crate) const WAY: &str = "\
Steps of a stage:
  compose     create a run of the workflow, with a directory per stage
  prepare     copy published outputs of other stages into the stage
  accept      give an executor control: an attempt begins
  preflight   check that everything the stage needs is present
  validate    validate the outputs of the stage
  handback    (`referee handback`) verify the executor's claims
  answer      answer a question of the executor
  finalize    finish the stage and publish its outputs
  status      show the status of all stages";

#[derive(Debug, Subcommand)]
pub(crate) enum Stage {
    /// Create a run of a workflow.
    Compose(Box<compose::Compose>),
    /// Copy published outputs of other stages into a stage.
    Prepare(Box<prepare::Prepare>),
    /// Check that everything a stage needs is present.
    Preflight(Box<preflight::Preflight>),
    /// Begin an attempt: give an executor control of a stage.
    Accept(Box<accept::Accept>),
    /// Validate the outputs of a stage without publishing them.
    Validate(Box<validate::Validate>),
    /// Finish a stage and publish its outputs.
    Finalize(Box<finalize::Finalize>),
    /// Show the status of a run's stages.
    Status(Box<status::Status>),
    /// Answer the question that a stage is waiting for.
    Answer(Box<answer::Answer>),
}

/// Stage and run.
#[derive(Debug, Clone, Args)]
pub(crate) struct Which {
    /// Id of the stage.
    #[arg(value_name = "STAGE", value_parser = stage_id)]
    pub(crate) stage: StageId,
    #[command(flatten)]
    pub(crate) run: RunDirectory,
}

/// Run.
#[derive(Debug, Clone, Args)]
pub(crate) struct RunDirectory {
    /// Run directory [default: the nearest directory with a wf-run.json].
    #[arg(short = 'r', long, value_name = "DIR", env = "REFEREE_RUN_DIR")]
    pub(crate) run_dir: Option<PathBuf>,
}

fn stage_id(text: &str) -> Result<StageId, String> {
    StageId::parse(text).map_err(|error| error.to_string())
}
