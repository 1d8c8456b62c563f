//! What is typed to `referee incident plan`.

use std::path::PathBuf;

use clap::Args;
use referee_model::limit;

use super::Root;
use crate::args::PlainFormat;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee incident plan ID         by rules, from the judged diagnostics and the end of the log
  referee incident plan ID --planner './plan.py'
                                   by a program: JSON in, JSON out, held to the same rules
  referee incident plan ID --force --target src
                                   another plan; an approval of the old one no longer counts")]
pub(crate) struct Plan {
    #[command(flatten)]
    pub(crate) root: Root,
    /// The incident.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Replace the plan that there is. Where it was approved, the approval no longer counts.
    #[arg(long)]
    pub(crate) force: bool,
    /// A path that the plan is about, beside those of the diagnostics, relative to the workspace; may be given several times.
    #[arg(long, value_name = "PATH")]
    pub(crate) target: Vec<String>,
    #[command(flatten)]
    pub(crate) planning: Planning,
    /// As what to print the plan.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

/// How plans are made.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Planning {
    /// A program that plans, with its arguments in one text: it reads a question as JSON (schema `planner-question`) and prints
    /// an answer (`planner-answer`). It may only choose among the checks; commands of its own need a person's approval.
    /// Default: rules.
    #[arg(long, value_name = "CMD", env = "REFEREE_PLANNER")]
    pub(crate) planner: Option<String>,
    /// How long the planner may take: a number with ms, s or m. Default: 2m.
    #[arg(long, value_name = "DURATION", value_parser = duration, env = "REFEREE_PLANNER_TIMEOUT")]
    pub(crate) planner_timeout: Option<u64>,
    /// The specification whose checks verify. Default: the nearest referee.yaml, from here upwards.
    #[arg(long, value_name = "FILE", env = "REFEREE_SPECIFICATION")]
    pub(crate) specification: Option<PathBuf>,
}

/// Reads how long a planner may take, as milliseconds.
fn duration(text: &str) -> Result<u64, String> {
    crate::args::duration::within(text, (100, limit::ACTION_DEADLINE_MS_MAX), "a time from 100ms to 24h, such as 2m")
}
