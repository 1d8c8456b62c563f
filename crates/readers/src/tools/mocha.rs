//! Mocha: its text reporters, which all end alike, and its JSON report. Its TAP reporter is read as TAP.

pub(crate) mod json;
pub(crate) mod text;

use referee_model::plan::Role;

use crate::shapes::runs;
use crate::tool::{DocumentFormat, LineFormat, Tool};
use crate::tools::tap;

pub(crate) const TOOL: Tool = Tool {
    name: "mocha",
    aliases: &["mocha-json"],
    role: Role::Test,
    lines: &[
        LineFormat {
            prefilter: text::PREFILTER,
            reader: |is_hinted| Box::new(text::Report::new(FRAMEWORK, is_hinted)),
        },
        LineFormat { prefilter: tap::PREFILTER, reader: |is_hinted| tap::of_runner(FRAMEWORK, is_hinted) },
    ],
    documents: &[DocumentFormat { opening: json::OPENING, reader: |stream, _| Box::new(json::Report::new(stream)) }],
    merge: runs::one_run,
};

const FRAMEWORK: &str = "mocha";
