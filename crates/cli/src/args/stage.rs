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
The way of a stage:
  compose     a workflow's folder becomes a run, with a folder for each stage
  prepare     what comes from other stages is put into it
  accept      an executor gets control: an attempt begins
  preflight   is everything there that the work needs?
  validate    is everything there that the work was to bring? and does it hold?
  handback    (`referee handback`) what the executor says, and what that is worth
  answer      a question is answered
  finalize    the stage is done and what it wrote is published, or it is said why not
  status      where all stages stand";

#[derive(Debug, Subcommand)]
pub(crate) enum Stage {
    /// Compose a run of a workflow.
    Compose(Box<compose::Compose>),
    /// Put what comes from other stages into a stage.
    Prepare(Box<prepare::Prepare>),
    /// Say whether everything is there that work at a stage needs.
    Preflight(Box<preflight::Preflight>),
    /// Give an executor control of a stage.
    Accept(Box<accept::Accept>),
    /// Judge what a stage wrote. Publishes nothing.
    Validate(Box<validate::Validate>),
    /// End a stage and publish what it wrote, or say why not.
    Finalize(Box<finalize::Finalize>),
    /// Say where the stages of a run stand.
    Status(Box<status::Status>),
    /// Answer the question that a stage waits for.
    Answer(Box<answer::Answer>),
}

/// Which stage of which run.
#[derive(Debug, Clone, Args)]
pub(crate) struct Which {
    /// The stage.
    #[arg(value_name = "STAGE", value_parser = stage_id)]
    pub(crate) stage: StageId,
    #[command(flatten)]
    pub(crate) run: RunFolder,
}

/// Which run.
#[derive(Debug, Clone, Args)]
pub(crate) struct RunFolder {
    /// The run's folder. Default: the nearest folder with a wf-run.json, from here upwards.
    #[arg(short = 'r', long, value_name = "DIR", env = "REFEREE_RUN_DIR")]
    pub(crate) run_dir: Option<PathBuf>,
}

fn stage_id(text: &str) -> Result<StageId, String> {
    StageId::parse(text).map_err(|error| error.to_string())
}
