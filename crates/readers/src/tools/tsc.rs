//! The TypeScript compiler: `tsc`, `vue-tsc` and the native `tsgo`.
//!
//! Two layouts with the same content: plain (`src/a.ts(2,9): error TS2322: …`) and pretty
//! (`src/a.ts:2:9 - error TS2322: …` with the source line, a squiggle under it, and related locations,
//! indented, below). Indented lines belong to the finding above. A clean run prints nothing, except
//! `Found 0 errors.` in watch mode.

use crate::prelude::*;
use crate::rows::at_line;

/// The compiler, and tools that print in its format.
pub(crate) static TOOL: Tool =
    Tool::new("tsc", &["typescript", "vue-tsc", "tsgo"], Role::Typecheck).lines(&[LineFormat::rows(
        &[
            "error TS",
            "warning TS",
            "message TS",
            "suggestion TS",
            "Found 0 errors",
            "Found 1 error",
            " errors.",
            " errors in ",
            "compilation in watch mode",
            "incremental compilation",
            "Errors  Files",
        ],
        &TEXT,
    )]);

/// Maximum length of the message of a related location, in bytes.
const RELATED_BYTES: usize = limit::MESSAGE_BYTES / candidate::RELATED_KEPT;

/// Below a blank line, a message is over, and its source or a related location follows.
const BLANK_LINES: &[(&str, &str)] =
    &[("pretty", "frame"), ("frame", "frame"), ("related", "related"), ("told", "told")];

static TEXT: Rows = Rows::new("tsc", "text").sleeps().lists().at_blank_lines(BLANK_LINES).rows(&[
    head(r"^(?<file>\S.*?)\((?<line>\d+),(?<column>\d+)\): (?<level>error|warning|message|suggestion) (?<code>TS\d+): (?<message>.*)$")
        .rule("tsc/plain")
        .enters("plain"),
    head(r"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+) - (?<level>error|warning|message|suggestion) (?<code>TS\d+): (?<message>.*)$")
        .rule("tsc/pretty")
        .enters("pretty"),
    // About the whole program, such as a wrong option.
    head(r"^(?<level>error|warning|message) (?<code>TS\d+): (?<message>.*)$").rule("tsc/plain").enters("plain"),
    // Any program can print that a cycle begins: earlier ones are replaced only by a count of watch mode.
    within(r"^\[?\d{1,2}:\d{2}:\d{2}(?: [AP]M)?\]?(?: -)? (?:Starting compilation in watch mode|File change detected\. Starting incremental compilation)\.\.\.$")
        .begins_cycle(),
    sum(r"^\[?\d{1,2}:\d{2}:\d{2}(?: [AP]M)?\]?(?: -)? Found (?<errors>\d+) errors?\. Watching for file changes\.$")
        .names_tool()
        .replaces_cycles(),
    sum(r"^\[?\d{1,2}:\d{2}:\d{2}(?: [AP]M)?\]?(?: -)? Found (?<errors>\d+) errors?(?: in \S.*|\.)?$").names_tool(),
    sum(r"^Found (?<errors>\d+) errors?(?: in \S.*|\. Watching for file changes\.|\.)?$").clean(),
    within(r"^Errors  Files$").known().enters("table"),
    within(r"^ *\d+  \S.*:\d+$").inside("table"),
    part(r"^(?<message>  .*)$").inside("plain|pretty"),
    related(r"^  (?<file>\S.*):(?<line>\d+):(?<column>\d+)$").inside("frame|related|told").enters("related"),
    part(r"^ *(?<number>\d+)(?: |$)(?<source>.*)$").inside("frame").check(|made, found| at_line(made, found) && spans(made, found)),
    part(r"^ *(?<number>\d+)(?: .*)?$").inside("frame").check(spans),
    part(r"^(?<under> *~+)$").inside("frame"),
    part(r"^ *\.\.\.$").inside("frame"),
    part(r"^ {4,}~+$").inside("related").enters("told"),
    part(r"^    ").inside("related"),
    part(r"^    \s*(?<told>.*)$").inside("told").check(add_to_related),
]);

/// Extends the finding to a line of its source.
fn spans(made: &mut Diagnostic, found: &Groups<'_, '_>) -> bool {
    let number = found.position("number");
    let is_of_finding = made.line <= number;
    if is_of_finding {
        made.end_line = number;
    }
    is_of_finding
}

fn add_to_related(made: &mut Diagnostic, found: &Groups<'_, '_>) -> bool {
    if let Some(place) = made.related.last_mut() {
        text::append_line(&mut place.message, found.text("told"), RELATED_BYTES);
    }
    true
}

/// Whether a text holds what a finding does: other tools' lines with a location and a level do not.
pub(crate) fn is_finding(text: &str) -> bool {
    ["error TS", "warning TS"].iter().any(|word| text.contains(word))
}

/// Whether a text begins a finding in the plain layout, with no parenthesis before that of its location.
pub(crate) fn is_plain(text: &str) -> bool {
    static PLAIN: Pattern = Pattern::new(r"^[^\s(][^(]*\(\d+,\d+\): (?:error|warning) TS\d+: ");
    PLAIN.is_match(text)
}
