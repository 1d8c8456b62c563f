//! Icarus Verilog: `top.v:8: error: malformed statement` and, without a severity, `top.v:7: syntax error`.

use std::sync::LazyLock;

use referee_model::plan::Role;

use crate::candidate::{Confidence, gravest};
use crate::rows::{Rows, finding};
use crate::tool::{LineFormat, Tool};

pub(crate) const TOOL: Tool = Tool {
    name: "iverilog",
    aliases: &["vvp"],
    role: Role::Compile,
    lines: &[LineFormat { prefilter: &[".v:", ".sv:", ".vh:", ".svh:"], reader: |is_hinted| TEXT.reader(is_hinted) }],
    documents: &[],
    merge: gravest,
};

static TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "iverilog",
        "text",
        // What goes on behind a second colon belongs to the line above.
        [finding(
            r"^(?<file>[^\s:][^:]*\.(?:v|sv|vh|svh|vl)):(?<line>\d+): (?:(?<level>error|warning|sorry): (?<message>[^\s:].*)|(?<message2>syntax error.*))$",
        )],
    )
    .confidence(Confidence::Likely)
});
