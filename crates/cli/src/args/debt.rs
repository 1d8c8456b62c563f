//! What was typed for `referee debt`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use referee_model::id::TaskId;
use referee_model::time::Timestamp;

use super::{EvidenceRoot, PlainFormat, task_id};

#[derive(Debug, Subcommand)]
pub(crate) enum Debt {
    /// List what is to be done.
    List(List),
    /// Show all that is known of an item: what is wrong and where, what to do, and what became of it.
    Show(Show),
    /// Say whether an item goes to the sprint or to the inventory.
    Route(Route),
    /// Put an item off.
    Defer(Defer),
    /// Say that somebody begins with an item. Only a run says that it is done.
    Start(Start),
    /// Write the register as Markdown: tasks.md, technical-debt.md and debt-inventory.md.
    ///
    /// What people wrote around Referee's block of a page stays as it is. With --check nothing is written: each way in which
    /// a page says other than the register is named with its file and line, and the exit code is 1 where there is any.
    Export(Export),
}

/// Who decides, and why.
#[derive(Debug, Args)]
pub(crate) struct Decision {
    /// Why, in a sentence; it stays in the register.
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    /// Who decides. Default: the name of the user.
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee debt list                           everything, also what is done
  referee debt list --status open,reopened    what nobody has begun with
  referee debt list --destination sprint --format json")]
pub(crate) struct List {
    #[command(flatten)]
    pub(crate) root: EvidenceRoot,
    /// Only items of these statuses.
    #[arg(long, value_enum, value_name = "STATUS", value_delimiter = ',', ignore_case = true)]
    pub(crate) status: Vec<Status>,
    /// Only items of these tasks.
    #[arg(long, value_name = "TASK", value_delimiter = ',', value_parser = task_id)]
    pub(crate) task: Vec<TaskId>,
    /// Only items of these severities.
    #[arg(long, value_enum, value_name = "SEVERITY", value_delimiter = ',', ignore_case = true)]
    pub(crate) severity: Vec<Severity>,
    /// Only items that lie there.
    #[arg(long, value_enum, value_name = "PLACE", value_delimiter = ',', ignore_case = true)]
    pub(crate) destination: Vec<Place>,
    /// How to print the items; json prints them as the register has them.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

#[derive(Debug, Args)]
pub(crate) struct Show {
    /// The item, such as DEBT-T001-004.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) root: EvidenceRoot,
    /// How to print the item; json prints it as the register has it.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee debt route DEBT-T001-004 sprint --reason 'it blocks the release'
  referee debt route DEBT-T001-004 sprint --as T031 --reason 'planned so'
  referee debt route DEBT-T001-004 inventory --reason 'after the release'")]
pub(crate) struct Route {
    /// The item, such as DEBT-T001-004.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Where it goes.
    #[arg(value_enum, value_name = "PLACE", ignore_case = true)]
    pub(crate) destination: RoutedTo,
    /// The task of the sprint that it becomes. Default: the one that it was, or the next free number.
    #[arg(long = "as", value_name = "TASK", value_parser = task_id)]
    pub(crate) sprint_task: Option<TaskId>,
    #[command(flatten)]
    pub(crate) decision: Decision,
    #[command(flatten)]
    pub(crate) root: EvidenceRoot,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee debt defer DEBT-T001-004 --until 2026-12-24 --reason 'the library is replaced then'")]
pub(crate) struct Defer {
    /// The item, such as DEBT-T001-004.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Until when: a day, or a time with its zone. Default: until somebody takes it up again.
    #[arg(long, value_name = "DATE", value_parser = date)]
    pub(crate) until: Option<Timestamp>,
    #[command(flatten)]
    pub(crate) decision: Decision,
    #[command(flatten)]
    pub(crate) root: EvidenceRoot,
}

#[derive(Debug, Args)]
pub(crate) struct Start {
    /// The item, such as DEBT-T001-004.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) decision: Decision,
    #[command(flatten)]
    pub(crate) root: EvidenceRoot,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee debt export docs/debt              write or renew the three pages
  referee debt export docs/debt --check      do they still say what the register says?")]
pub(crate) struct Export {
    /// The folder of the pages.
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Write nothing, and name what differs from the register.
    #[arg(long)]
    pub(crate) check: bool,
    #[command(flatten)]
    pub(crate) root: EvidenceRoot,
    /// How to print what differs.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

/// Whether an item is still to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Status {
    /// To be done.
    Open,
    /// Somebody is at it.
    #[value(alias = "in_progress")]
    InProgress,
    /// A run disproved it.
    Resolved,
    /// A person put it off.
    Deferred,
    /// A later run showed it again.
    Reopened,
}

/// How grave an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Severity {
    /// Critical.
    Critical,
    /// High.
    High,
    /// Medium.
    Medium,
    /// Low.
    Low,
}

/// Where an item lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Place {
    /// Among the tasks of the sprint.
    #[value(alias = "sprint_tasks")]
    Sprint,
    /// In the inventory.
    Inventory,
    /// Nowhere yet.
    Undecided,
}

/// Where an item goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RoutedTo {
    /// Among the tasks of the sprint.
    #[value(alias = "sprint_tasks")]
    Sprint,
    /// In the inventory.
    Inventory,
}

/// Reads a day, or a time with its zone. A day begins at midnight in UTC.
fn date(text: &str) -> Result<Timestamp, String> {
    let midnight = format!("{text}T00:00:00Z");
    Timestamp::parse(text)
        .or_else(|_| Timestamp::parse(&midnight))
        .map_err(|_| "expected a day such as 2026-12-24, or a time such as 2026-12-24T18:00:00Z".to_owned())
}
