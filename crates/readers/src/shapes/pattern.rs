//! A finding of what an expression captured. Groups are named as those of rows.

use referee_model::reading::{Diagnostic, Level};
use regex::Captures;

use crate::candidate::{diagnostic, name};
pub(crate) use crate::level::level;
use crate::scan::Line;
use crate::text;

/// Makes a finding of what a pattern matched; `otherwise` is its level where the pattern does not say it.
pub(crate) fn matched(
    tool: &str,
    rule: &str,
    line: &Line<'_>,
    captures: &Captures<'_>,
    otherwise: Level,
) -> Diagnostic {
    let group = |group: &str| captures.name(group).map(|found| found.as_str());
    let number = |name: &str| group(name).and_then(text::position);
    let said = group("level").and_then(level).unwrap_or(otherwise);
    let mut found = diagnostic(tool, rule, line, said, group("message").unwrap_or_default().trim_end());
    found.file = group("file").map(|file| name(&text::path(file)));
    found.line = number("line");
    found.column = number("column").filter(|_| found.line.is_some());
    found.end_line = number("end_line");
    found.end_column = number("end_column");
    found.code = group("code").filter(|code| !code.is_empty()).map(name);
    found
}
