//! Flow: `flow check` and `flow status`, for people and as JSON.

pub(crate) mod human;
pub(crate) mod json;

use referee_model::plan::Role;

use crate::claim;
use crate::tool::{DocumentFormat, LineFormat, Tool};

/// Flow.
pub(crate) const TOOL: Tool = Tool {
    name: "flow",
    aliases: &["flow-json"],
    role: Role::Typecheck,
    lines: &[LineFormat {
        wakes: &["Error ---", "Warning ---", "Error ┈┈┈", "Warning ┈┈┈", "No errors!"],
        reader: |is_hinted| Box::new(human::Human::new(is_hinted)),
    }],
    documents: &[DocumentFormat { opening: json::OPENING, reader: |stream, _| json::FORMAT.reader(stream, false) }],
    settle: claim::gravest,
};
