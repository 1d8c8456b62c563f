//! JavaScript Standard Style and its variants: a line about the tool on standard error, then
//! `  /project/a.js:1:20: Strings must use singlequote. (quotes)`.

use crate::prelude::*;

pub(crate) static TOOL: Tool =
    Tool::new("standard", &["semistandard", "ts-standard", "standardx", "neostandard"], Role::Lint)
        .lines(&[LineFormat::rows(&["standard: ", ".js:", ".jsx:", ".mjs:", ".cjs:", ".ts:", ".tsx:"], &TEXT)]);

static TEXT: Rows = Rows::new("standard", "text").confidence(Confidence::Likely).rows(&[
    // Before version 10 the rule was printed only on request. A parse error has the rule `null`.
    finding(
        r"^  (?<file><text>|[^\s:].*?\.(?:[jt]sx?|[mc][jt]s|vue|html|md)):(?<line>\d+):(?<column>\d+): (?<message>\S.*?)(?: \((?:null|(?<code>[\w@/-]+))\))?(?: \((?<level>warning)\))?$",
    )
    .check(|made, found| {
        let is_sentence = made.message.ends_with('.') || made.message.starts_with("Parsing error");
        made.code.is_some() || is_sentence || found.text("file") == "<text>"
    }),
    known(r"^[^ :]*standard: Use JavaScript S"),
    within(r"^[^ :]*standard: (?:Some warnings are present|Run `)"),
]);
