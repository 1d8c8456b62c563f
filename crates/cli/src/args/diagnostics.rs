//! What a person typed after `referee diagnostics`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use referee_model::id::{ExecutionId, TaskId};

use super::{PlainFormat, task_id};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee diagnostics                    list current findings, most severe first
  referee diagnostics --new              list what the latest run found first, or cleared
  referee diagnostics --since exec-20261121T090524123Z-1f3a9c04
                                         list what later runs found first, or cleared
  referee diagnostics --cleared          include cleared findings
  referee diagnostics --prompt coder     print a prompt section for an agent
  referee diagnostics --format json      print all findings as JSON")]
pub(crate) struct Diagnostics {
    /// Maximum number to list [default: 20; 5 in a prompt; all as JSON].
    #[arg(long, value_name = "N")]
    pub(crate) top: Option<NonZeroUsize>,
    /// Only findings first seen, or cleared, after this run.
    #[arg(long, value_name = "RUN", value_parser = execution_id, conflicts_with = "new")]
    pub(crate) since: Option<ExecutionId>,
    /// Only findings that the latest run of their task found first, or cleared.
    #[arg(long)]
    pub(crate) new: bool,
    /// Only this task.
    #[arg(long, value_name = "TASK", value_parser = task_id)]
    pub(crate) task: Option<TaskId>,
    /// Include cleared findings.
    #[arg(long, conflicts_with = "prompt")]
    pub(crate) cleared: bool,
    /// Print a prompt section for an agent, with tool output fenced as data.
    #[arg(long, value_enum, value_name = "AUDIENCE", conflicts_with = "format")]
    pub(crate) prompt: Option<Audience>,
    /// Maximum length of the prompt, in characters.
    #[arg(long, value_name = "N", requires = "prompt", default_value_t = referee_model::limit::SUMMARY_CHARACTERS)]
    pub(crate) characters: usize,
    /// Evidence directory [default: that of the nearest specification].
    #[arg(long, value_name = "DIR")]
    pub(crate) evidence: Option<PathBuf>,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

/// Audience of the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Audience {
    /// Planner: causes with codes and counts.
    Planner,
    /// Coder: errors with locations, and the files to change.
    Coder,
}

fn execution_id(text: &str) -> Result<ExecutionId, String> {
    ExecutionId::parse(text).map_err(|error| error.to_string())
}
