//! Playwright: its terminal reporters, which end alike, and its JSON report.

mod json;
mod text;

use referee_model::plan::Role;

use crate::shapes::runs;
use crate::tool::{DocumentFormat, LineFormat, Tool};

pub(crate) const TOOL: Tool = Tool {
    name: "playwright",
    aliases: &["playwright-json"],
    role: Role::Test,
    lines: &[LineFormat {
        prefilter: &[" tests using ", " test using "],
        reader: |is_hinted| Box::new(text::Report::new(is_hinted)),
    }],
    documents: &[DocumentFormat { opening: json::OPENING, reader: |stream, _| Box::new(json::Report::new(stream)) }],
    merge: runs::one_run,
};

const FRAMEWORK: &str = "playwright";

/// What stands between the project, the file, the groups and the test.
const SEPARATOR: &str = " › ";
