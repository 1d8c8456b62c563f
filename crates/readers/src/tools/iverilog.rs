//! Icarus Verilog: `top.v:8: error: malformed statement` and, without a severity, `top.v:7: syntax error`.

use crate::prelude::*;

pub(crate) static TOOL: Tool =
    Tool::new("iverilog", &["vvp"], Role::Compile).lines(&[LineFormat::rows(&[".v:", ".sv:", ".vh:", ".svh:"], &TEXT)]);

static TEXT: Rows = Rows::new("iverilog", "text").confidence(Confidence::Likely).rows(&[
    // What goes on behind a second colon belongs to the line above.
    finding(r"^(?<file>[^\s:][^:]*\.(?:v|sv|vh|svh|vl)):(?<line>\d+): (?:(?<level>error|warning|sorry): (?<message>[^\s:].*)|(?<message2>syntax error.*))$"),
]);
