//! What is typed to `referee incident plan`.

use std::path::PathBuf;

use clap::Args;
use referee_model::limit;

use super::Root;
use crate::args::PlainFormat;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee incident plan ID         plan by built-in rules
  referee incident plan ID --planner './plan.py'
                                   plan by a program (JSON in, JSON out)
  referee incident plan ID --force --target src
                                   replace the plan; its approval becomes void")]
pub(crate) struct Plan {
    #[command(flatten)]
    pub(crate) root: Root,
    /// Id of the incident.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Replace an existing plan; its approval becomes void.
    #[arg(long)]
    pub(crate) force: bool,
    /// Additional path that the plan may change, relative to the workspace (can be repeated).
    #[arg(long, value_name = "PATH")]
    pub(crate) target: Vec<String>,
    #[command(flatten)]
    pub(crate) planning: Planning,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

/// Planner.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Planning {
    /// Planner's command: reads a `planner-question` and prints a `planner-answer` as JSON; its own commands need a
    /// person's approval [default: built-in rules].
    #[arg(long, value_name = "CMD", env = "REFEREE_PLANNER")]
    pub(crate) planner: Option<String>,
    /// Timeout of the planner, such as 30s or 5m [default: 2m].
    #[arg(long, value_name = "DURATION", value_parser = duration, env = "REFEREE_PLANNER_TIMEOUT")]
    pub(crate) planner_timeout: Option<u64>,
    /// Specification whose checks verify the repair [default: the nearest referee.yaml in this directory or a parent].
    #[arg(long, value_name = "FILE", env = "REFEREE_SPECIFICATION")]
    pub(crate) specification: Option<PathBuf>,
}

/// Reads how long a planner may take, as milliseconds.
fn duration(text: &str) -> Result<u64, String> {
    crate::args::duration::within(text, (100, limit::ACTION_DEADLINE_MS_MAX), "a time from 100ms to 24h, such as 2m")
}
