//! What was typed for `referee debt`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use referee_model::id::TaskId;
use referee_model::time::Timestamp;

use super::{EvidenceRoot, PlainFormat, task_id};

#[derive(Debug, Subcommand)]
pub(crate) enum Debt {
    /// List debt items.
    List(List),
    /// Show an item with its cause, location, remedy and history.
    Show(Show),
    /// Route an item to the sprint or to the inventory.
    Route(Route),
    /// Defer an item.
    Defer(Defer),
    /// Mark an item as in progress (only a run marks it as done).
    Start(Start),
    /// Write the register as Markdown: tasks.md, technical-debt.md and debt-inventory.md.
    ///
    /// Text outside of Referee's block of a page is kept. With --check nothing is written: differences from the register
    /// are listed with file and line, and the exit code is 1 if there is any.
    Export(Export),
}

/// Decision.
#[derive(Debug, Args)]
pub(crate) struct Decision {
    /// Reason, recorded in the register.
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    /// Name to record [default: your user name].
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee debt list                           list all items
  referee debt list --status open,reopened    list items that nobody works on
  referee debt list --destination sprint --format json")]
pub(crate) struct List {
    #[command(flatten)]
    pub(crate) root: EvidenceRoot,
    /// Only items with these statuses.
    #[arg(long, value_enum, value_name = "STATUS", value_delimiter = ',', ignore_case = true)]
    pub(crate) status: Vec<Status>,
    /// Only items of these tasks.
    #[arg(long, value_name = "TASK", value_delimiter = ',', value_parser = task_id)]
    pub(crate) task: Vec<TaskId>,
    /// Only items with these severities.
    #[arg(long, value_enum, value_name = "SEVERITY", value_delimiter = ',', ignore_case = true)]
    pub(crate) severity: Vec<Severity>,
    /// Only items with these destinations.
    #[arg(long, value_enum, value_name = "PLACE", value_delimiter = ',', ignore_case = true)]
    pub(crate) destination: Vec<DestinationArgument>,
    /// Output format; json prints items as in the register.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

#[derive(Debug, Args)]
pub(crate) struct Show {
    /// Id of the item, such as DEBT-T001-004.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) root: EvidenceRoot,
    /// Output format; json prints the item as in the register.
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
    /// Id of the item, such as DEBT-T001-004.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Destination.
    #[arg(value_enum, value_name = "PLACE", ignore_case = true)]
    pub(crate) destination: RoutedTo,
    /// Sprint task to assign [default: its previous task, or the next free number].
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
    /// Id of the item, such as DEBT-T001-004.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Date, or time with zone, until which it is deferred.
    #[arg(long, value_name = "DATE", value_parser = date)]
    pub(crate) until: Option<Timestamp>,
    #[command(flatten)]
    pub(crate) decision: Decision,
    #[command(flatten)]
    pub(crate) root: EvidenceRoot,
}

#[derive(Debug, Args)]
pub(crate) struct Start {
    /// Id of the item, such as DEBT-T001-004.
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
  referee debt export docs/debt              write or update the pages
  referee debt export docs/debt --check      check that the pages match the register")]
pub(crate) struct Export {
    /// Directory of the pages.
    #[arg(value_name = "DIR")]
    pub(crate) pages: PathBuf,
    /// Check that the pages match the register without writing them.
    #[arg(long)]
    pub(crate) check: bool,
    #[command(flatten)]
    pub(crate) root: EvidenceRoot,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

/// Status of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Status {
    /// Not started.
    Open,
    /// In progress.
    #[value(alias = "in_progress")]
    InProgress,
    /// Resolved by a run.
    Resolved,
    /// Deferred.
    Deferred,
    /// Found again by a later run.
    Reopened,
}

/// Severity of an item.
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

/// Destination of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DestinationArgument {
    /// Tasks of the sprint.
    #[value(alias = "sprint_tasks")]
    Sprint,
    /// Inventory.
    Inventory,
    /// Not routed.
    Undecided,
}

/// Destination of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RoutedTo {
    /// Tasks of the sprint.
    #[value(alias = "sprint_tasks")]
    Sprint,
    /// Inventory.
    Inventory,
}

/// Reads a day, or a time with its zone. A day begins at midnight in UTC.
fn date(text: &str) -> Result<Timestamp, String> {
    let midnight = format!("{text}T00:00:00Z");
    Timestamp::parse(text)
        .or_else(|_| Timestamp::parse(&midnight))
        .map_err(|_| "expected a day such as 2026-12-24, or a time such as 2026-12-24T18:00:00Z".to_owned())
}
