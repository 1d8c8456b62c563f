//! The default format. The summary format lists no findings, only counts.

use crate::prelude::*;
use crate::tools::biome::{CHECKED, FOUND, MARKS};

pub(crate) static TEXT: Rows = Rows::new("biome", "text").spans_blank_lines().sums_across_streams().rows(&[
    // The location, the category, words in capitals, and a ruler to the end of the line.
    lead(r"^(?<file>\S.*?)(?::(?<line>\d+)(?::(?<column>\d+))?)? (?<code>[A-Za-z][\w/-]*)(?: +(?:(?<fix>FIXABLE)|[A-Z]{3,}))* +━{8,}$")
        .rule("biome/pretty")
        .names_tool()
        .enters("heading"),
    // The summary, and messages about the run.
    lead(r"^(?:reporter|reports)/[\w/-]*(?: +[A-Z]{3,})* +━{8,}$").names_tool().enters("run"),
    lead(r"^[A-Za-z][\w/-]*(?: +[A-Z]{3,})* +━{8,}$").enters("run"),
    sum(FOUND),
    // What was fixed is said by no other tool.
    known(r"^(?:Checked|Formatted|Compared|Fixed) \d+ file.* in .*(?:applied|Fixed \d+ files?)\.$"),
    within(CHECKED).hinted(),
    rest(r"^\s+(?<level>[×✖x!⚠iℹ])\x{fe0f}? (?<message>.*)$").levels(MARKS).inside("heading").enters("message"),
    // The first of the marked lines of code is the source, the last one the end.
    part(r"^ +> *(?<number>\d+) +│(?: (?<source>.*))?$")
        .inside(CODE)
        .check(|made, _| made.source.is_none())
        .then(end)
        .enters("marked"),
    part(r"^ +> *(?<number>\d+) +│").inside(CODE).then(end).enters("marked"),
    part(r"^ +│\s+(?<carets>\^+)$").inside("marked").then(carets).enters("code"),
    part("│").inside(CODE).enters("code"),
    part(r"^\s+[×✖x!⚠iℹ]\x{fe0f}? (?:(?:Safe|Unsafe|Suggested) fix: |.* (?:Safe|Unsafe|Suggested) fix: )(?<suggestion>.*)$")
        .check(|made, _| made.suggestion.is_none())
        .enters("advice"),
    part(r"^\s+[×✖x!⚠iℹ]\x{fe0f}? ").inside("code|marked|advice").enters("advice"),
    part(r"^\s*(?<message>\S.*)$").inside("message"),
    part(r"^\s"),
]);

const CODE: &str = "message|code|marked";

/// Sets the last line of a finding from a marked line.
fn end(made: &mut Diagnostic, found: &Groups<'_, '_>) {
    made.end_line = found.position("number").filter(|_| made.line.is_some());
}

/// Sets the end of a finding from the marks below its source. Only the first line of a range over several lines is
/// marked from its first column.
fn carets(made: &mut Diagnostic, found: &Groups<'_, '_>) {
    let begins = made.column.filter(|_| made.end_line == made.line);
    let length = u32::try_from(found.text("carets").len()).unwrap_or_default();
    made.end_column = begins.map(|column| column.saturating_add(length));
}
