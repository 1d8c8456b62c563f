//! The lines below a heading: the source line, and marks under it.

use referee_model::reading::Diagnostic;

use crate::text;

/// Splits a line of a code frame into its number and the text after the bar.
pub(super) fn gutter(text: &str) -> Option<(Option<u32>, &str)> {
    let (left, right) = text.split_once('|')?;
    let number = left.trim_matches(' ');
    let is_gutter = left.ends_with(' ')
        && (number.is_empty() || number == "+++" || number.bytes().all(|byte| byte.is_ascii_digit()));
    is_gutter.then(|| (text::position(number), right.strip_prefix(' ').unwrap_or(right)))
}

/// Returns whether a line consists of marks only, including a caret.
pub(super) fn is_caret_line(text: &str) -> bool {
    text.contains('^') && text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'~' | b'^' | b'|'))
}

/// Sets the end of a finding from the run of marks that contains the caret.
pub(super) fn mark_end(found: &mut Diagnostic, marks: &str) {
    let (Some(caret), Some(column), None) = (marks.find('^'), found.column, found.end_column) else { return };
    if !is_caret_line(marks) {
        return;
    }
    let run = marks[caret..].bytes().take_while(|byte| matches!(byte, b'^' | b'~')).count();
    found.end_line = found.line;
    found.end_column = u32::try_from(run).ok().map(|run| column.saturating_add(run));
}
