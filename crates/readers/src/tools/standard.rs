//! JavaScript Standard Style and its kin: a line on itself on standard error, then
//! `  /project/a.js:1:20: Strings must use singlequote. (quotes)`.

use std::sync::LazyLock;

use referee_model::plan::Role;

use crate::candidate::{self, Confidence};
use crate::rows::{Rows, finding, known, within};
use crate::tool::{LineFormat, Tool};

pub(crate) const TOOL: Tool = Tool {
    name: "standard",
    aliases: &["semistandard", "ts-standard", "standardx", "neostandard"],
    role: Role::Lint,
    lines: &[LineFormat {
        prefilter: &["standard: ", ".js:", ".jsx:", ".mjs:", ".cjs:", ".ts:", ".tsx:"],
        reader: |is_hinted| TEXT.reader(is_hinted),
    }],
    documents: &[],
    merge: candidate::gravest,
};

static TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "standard",
        "text",
        [
            // Before version 10 a rule was printed only where it was asked for. What could not be parsed has the rule `null`.
            finding(
                r"^  (?<file><text>|[^\s:].*?\.(?:[jt]sx?|[mc][jt]s|vue|html|md)):(?<line>\d+):(?<column>\d+): (?<message>\S.*?)(?: \((?:null|(?<code>[\w@/-]+))\))?(?: \((?<level>warning)\))?$",
            )
            .check(|made, found| {
                let is_sentence = made.message.ends_with('.') || made.message.starts_with("Parsing error");
                made.code.is_some() || is_sentence || found.text("file") == "<text>"
            }),
            known(r"^[^ :]*standard: Use JavaScript S"),
            within(r"^[^ :]*standard: (?:Some warnings are present|Run `)"),
        ],
    )
    .confidence(Confidence::Likely)
});
