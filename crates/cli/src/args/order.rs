//! What is typed about orders.

use clap::{Args, Subcommand};
use referee_model::id::Digest;
use referee_model::limit;

use super::PlainFormat;

#[derive(Debug, Subcommand)]
pub(crate) enum OrderCommand {
    /// List orders: open ones first, then those that ended last.
    List(OrderPage),
    /// Cancel an order: whoever asked for it gets no answer.
    Cancel(OrderCancel),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee order list                    list the orders of the queue, of all projects
  referee order list --format json      print the same as JSON

The queue is that of TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE. What it says of an order is not
verified; whoever asked for it verifies the answer.")]
pub(crate) struct OrderPage {
    /// Maximum number of orders (1 to 200).
    #[arg(long, value_name = "N", default_value_t = limit::ORDERS_LISTED, value_parser = orders)]
    pub(crate) limit: usize,
    /// Continue after a page: the cursor that it ended with.
    #[arg(long, value_name = "CURSOR")]
    pub(crate) after: Option<String>,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee order cancel 0f4e8c1b2a6d… --reason 'wrong branch'

Others who asked the same put the order in the queue again. The exit code is 1 if no such order is
open.")]
pub(crate) struct OrderCancel {
    /// Id of the order, as `referee order list` prints it.
    #[arg(value_name = "ID", value_parser = digest)]
    pub(crate) order: Digest,
    /// Reason, which the queue keeps.
    #[arg(long, value_name = "TEXT", default_value = "referee order cancel")]
    pub(crate) reason: String,
}

fn orders(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=limit::ORDERS_LISTED_MAX).contains(number));
    number.ok_or_else(|| format!("expected a number from 1 to {}", limit::ORDERS_LISTED_MAX))
}

fn digest(text: &str) -> Result<Digest, String> {
    Digest::parse(text).map_err(|_| "expected the 64 digits of an order that `referee order list` prints".to_owned())
}
