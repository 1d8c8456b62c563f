//! What was typed for `referee evidence list`, `show` and `prune`.

use std::path::PathBuf;

use clap::Args;
use referee_model::id::TaskId;

use super::{DepotProject, EvidenceRoot, PlainFormat, task_id};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee evidence list                   list the runs of all tasks
  referee evidence list T001 --format json")]
pub(crate) struct List {
    /// Only this task.
    #[arg(value_name = "TASK", value_parser = task_id)]
    pub(crate) task: Option<TaskId>,
    #[command(flatten)]
    pub(crate) root: EvidenceRoot,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee evidence show evidence/T001                        show the latest run of a task
  referee evidence show exec-20261121T090524123Z-1f3a9c04    show a run by its id")]
pub(crate) struct Show {
    /// Evidence directory, or id of a run.
    #[arg(value_name = "DIR|EXECUTION")]
    pub(crate) run: String,
    #[command(flatten)]
    pub(crate) root: EvidenceRoot,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee evidence prune --keep 20                        keep the latest 20 runs of each task
  referee evidence prune --older-than 30d --dry-run       show what would be removed
  referee evidence prune --keep 5 --older-than 2w --task T001
  referee evidence prune --keep 20 --from s3://evidence   prune a depot")]
#[command(group = clap::ArgGroup::new("which").required(true).multiple(true).args(["keep", "older_than"]))]
pub(crate) struct Prune {
    /// Number of latest runs of each task to keep.
    #[arg(long, value_name = "N")]
    pub(crate) keep: Option<usize>,
    /// Prune only runs older than this, such as 12h, 30d or 2w.
    #[arg(long, value_name = "DURATION", value_parser = age)]
    pub(crate) older_than: Option<Age>,
    /// Show what would be removed without removing it.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Only this task.
    #[arg(long, value_name = "TASK", value_parser = task_id)]
    pub(crate) task: Option<TaskId>,
    /// Sign the tombstones with this key: a file, or `agent:NAME` for a key of the SSH agent.
    #[arg(long, value_name = "KEY")]
    pub(crate) key: Option<PathBuf>,
    /// Prune this depot instead of the evidence directory: `s3://BUCKET/PREFIX`, or a directory.
    #[arg(long, value_name = "URL", conflicts_with = "key")]
    pub(crate) from: Option<String>,
    #[command(flatten)]
    pub(crate) project: DepotProject,
    #[command(flatten)]
    pub(crate) root: EvidenceRoot,
}

/// An age that was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Age {
    /// As it was typed.
    pub(crate) text: String,
    /// In milliseconds.
    pub(crate) milliseconds: i64,
}

/// Reads a number with a unit.
fn age(text: &str) -> Result<Age, String> {
    let expected = || "expected a whole number and s, m, h, d or w, such as 30d".to_owned();
    let unit = text.chars().last().ok_or_else(expected)?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 60 * 60,
        'd' => 24 * 60 * 60,
        'w' => 7 * 24 * 60 * 60,
        _ => return Err(expected()),
    };
    let number: u32 = text.trim_end_matches(unit).parse().map_err(|_| expected())?;
    let milliseconds = i64::from(number).saturating_mul(seconds).saturating_mul(1_000);
    Ok(Age { text: text.to_owned(), milliseconds })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_numbers_with_a_unit() {
        assert_eq!(age("90s").map(|age| age.milliseconds), Ok(90_000));
        assert_eq!(age("2w").map(|age| age.milliseconds), Ok(14 * 24 * 60 * 60 * 1_000));
        for wrong in ["", "d", "30", "-1d", "1.5h", "30 d", "30days", "99999999999d", "1d1d"] {
            assert!(age(wrong).is_err(), "{wrong}");
        }
    }
}
