//! What a person typed after `referee diagnostics`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use referee_model::id::{ExecutionId, TaskId};

use super::{PlainFormat, task_id};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee diagnostics                    what stands now, gravest first
  referee diagnostics --new              what the latest run was the first to show, and what it cleared
  referee diagnostics --since exec-20261121T090524123Z-1f3a9c04
                                         what later runs were the first to show, and what they cleared
  referee diagnostics --cleared          what is gone, too
  referee diagnostics --prompt coder     the top of it as a part of a prompt
  referee diagnostics --format json      all of it as data")]
pub(crate) struct Diagnostics {
    /// List so many. Default: 20 for people, 5 in a prompt, all as JSON.
    #[arg(long, value_name = "N")]
    pub(crate) top: Option<NonZeroUsize>,
    /// Only what was first seen, or cleared, after this run.
    #[arg(long, value_name = "RUN", value_parser = execution_id, conflicts_with = "new")]
    pub(crate) since: Option<ExecutionId>,
    /// Only what the latest run of its task was the first to show, or cleared.
    #[arg(long)]
    pub(crate) new: bool,
    /// Only those of this task.
    #[arg(long, value_name = "TASK", value_parser = task_id)]
    pub(crate) task: Option<TaskId>,
    /// Also list what was cleared.
    #[arg(long, conflicts_with = "prompt")]
    pub(crate) cleared: bool,
    /// Print a part of a prompt for whoever has the next turn. What tools said is fenced in it as data.
    #[arg(long, value_enum, value_name = "AUDIENCE", conflicts_with = "format")]
    pub(crate) prompt: Option<Audience>,
    /// Longest prompt, in characters; never shorter than its fixed words.
    #[arg(long, value_name = "N", requires = "prompt", default_value_t = referee_model::limit::SUMMARY_CHARACTERS)]
    pub(crate) characters: usize,
    /// The folder of evidence. Default: that of the nearest specification.
    #[arg(long, value_name = "DIR")]
    pub(crate) evidence: Option<PathBuf>,
    /// How to print them.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

/// Who is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Audience {
    /// Who plans the repair: causes, with codes and counts.
    Planner,
    /// Who makes it: errors with their places, and the files to stay in.
    Coder,
}

fn execution_id(text: &str) -> Result<ExecutionId, String> {
    ExecutionId::parse(text).map_err(|error| error.to_string())
}
