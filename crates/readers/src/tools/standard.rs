//! JavaScript Standard Style and its kin: a line on itself on standard error, then
//! `  /project/a.js:1:20: Strings must use singlequote. (quotes)`.

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use regex::{Captures, Regex};

use crate::claim::{self, Standing};
use crate::shapes::counted::{Counted, Other};
use crate::text;
use crate::tool::{LineFormat, Tool};

/// Standard.
pub(crate) const TOOL: Tool = Tool {
    name: "standard",
    aliases: &["semistandard", "ts-standard", "standardx", "neostandard"],
    role: Role::Lint,
    lines: &[LineFormat {
        wakes: &["standard: ", ".js:", ".jsx:", ".mjs:", ".cjs:", ".ts:", ".tsx:"],
        reader: |is_hinted| FORMAT.reader(is_hinted),
    }],
    documents: &[],
    settle: claim::gravest,
};

/// Before version 10 a rule was printed only where it was asked for.
static FINDING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^  (?<file>[^\s:].*?):(?<line>\d+):(?<column>\d+): (?<message>\S.*?)(?: \((?<code>[\w@/-]+)\))?(?: \((?<level>warning)\))?$",
    )
});

static FORMAT: Counted = Counted {
    tool: "standard",
    format: "text",
    rule: "standard/text",
    pattern: &FINDING,
    literal: ": ",
    level: Level::Error,
    standing: Standing::Likely,
    complete,
    tells: |_| true,
    other: |text| {
        let mut words = text.split(": ");
        let is_its = words.next().is_some_and(|word| word.ends_with("standard") && !word.contains(' '));
        let rest = words.next().unwrap_or_default();
        if is_its && rest.starts_with("Use JavaScript S") {
            Other::Known
        } else if is_its && (rest.starts_with("Some warnings are present") || rest.starts_with("Run `")) {
            Other::Line
        } else {
            Other::Nothing
        }
    },
};

fn complete(found: &mut Diagnostic, _: &Captures<'_>) -> bool {
    // What could not be parsed has a rule that is not there.
    if found.code.as_deref() == Some("null") {
        found.code = None;
    }
    let is_sentence =
        found.code.is_some() || found.message.ends_with('.') || found.message.starts_with("Parsing error");
    let extension = found.file.as_deref().unwrap_or_default().rsplit('.').next().unwrap_or_default();
    is_sentence && ["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "html", "md"].contains(&extension)
        || found.file.as_deref() == Some("<text>")
}
