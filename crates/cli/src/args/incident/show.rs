//! What is typed to `referee incident list`, `show` and `explain`.

use clap::Args;
use referee_model::incident::status::IncidentStatus;
use referee_model::limit;

use super::Root;
use crate::args::PlainFormat;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee incident list --open
  referee incident list --status plan_proposed,approved
  referee incident list --class timeout --search 'import network'
  referee incident list --format json")]
pub(crate) struct List {
    #[command(flatten)]
    pub(crate) root: Root,
    /// Only these statuses, separated by commas: new, plan_proposed, approved, handed_off, running, resolved, escalated.
    #[arg(long = "status", value_name = "STATUS", value_parser = status, value_delimiter = ',')]
    pub(crate) statuses: Vec<IncidentStatus>,
    /// Only open incidents.
    #[arg(long, conflicts_with = "archived")]
    pub(crate) open: bool,
    /// Only archived incidents.
    #[arg(long)]
    pub(crate) archived: bool,
    /// Only this failure class.
    #[arg(long, value_name = "CLASS")]
    pub(crate) class: Option<String>,
    /// Only this step.
    #[arg(long, value_name = "STEP")]
    pub(crate) step: Option<String>,
    /// Only incidents with all of these words in id, step, class, message or run.
    #[arg(long, value_name = "WORDS")]
    pub(crate) search: Option<String>,
    /// Maximum number to list.
    #[arg(long, value_name = "N", default_value_t = limit::INCIDENTS_LISTED, value_parser = listed)]
    pub(crate) limit: usize,
    /// Continue after a page, with its `next` value.
    #[arg(long, value_name = "NEXT")]
    pub(crate) after: Option<String>,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

#[derive(Debug, Args)]
pub(crate) struct Show {
    #[command(flatten)]
    pub(crate) root: Root,
    /// Id of the incident.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

#[derive(Debug, Args)]
pub(crate) struct Explain {
    #[command(flatten)]
    pub(crate) root: Root,
    /// Id of the incident.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

fn status(text: &str) -> Result<IncidentStatus, String> {
    IncidentStatus::read(text).ok_or_else(|| {
        let known: Vec<&str> = IncidentStatus::ALL.iter().map(|status| status.as_str()).collect();
        format!("expected one of {}", known.join(", "))
    })
}

fn listed(text: &str) -> Result<usize, String> {
    let most = limit::INCIDENTS_LISTED_MAX;
    let count = text.parse().ok().filter(|count| (1..=most).contains(count));
    count.ok_or_else(|| format!("expected a whole number from 1 to {most}"))
}
