//! The most important entries of the log in a few lines: the layout of seed 4, with a limit.

use referee_model::diagnostic_log::{DiagnosticSource, Finding};
use referee_model::limit::SUMMARY_MESSAGE_CHARACTERS;
use referee_syntax::line::one_line;
use referee_syntax::{cut, line};

use super::grouped;

/// Smallest limit of a summary, in characters: its heading and the line about the rest always fit. A smaller
/// limit counts as this one.
pub const SUMMARY_CHARACTERS_LEAST: usize = 80;

/// Minimum length to which a message is shortened, in characters; otherwise it is omitted.
const MESSAGE_CHARACTERS_LEAST: usize = 20;

/// Maximum length of a path in a line, in characters.
const PATH_CHARACTERS: usize = 160;

/// Text of an empty summary (seed 4).
pub(super) const NONE: &str = "No active diagnostics.";

/// Renders the first `top` distinct causes of `distinct` diagnostics, one line each, in at most `characters`
/// characters (ruling 22; DG-04 to DG-06). `entries` are sorted, most severe first.
///
/// Every message is one line of at most [`SUMMARY_MESSAGE_CHARACTERS`], without control characters; longer ones
/// are shortened, and the last line gives the number of diagnostics that no line covers.
pub fn summary(entries: &[Finding], distinct: u64, top: usize, characters: usize) -> String {
    if entries.is_empty() && distinct == 0 {
        return NONE.to_owned();
    }
    let mut room = characters.max(SUMMARY_CHARACTERS_LEAST) - SUMMARY_CHARACTERS_LEAST;
    let mut lines = Vec::new();
    let mut told = 0;
    // Same cause: the diagnostics differ at most in their lines.
    for cause in grouped(entries, |entry| entry.fingerprint).into_iter().take(top) {
        let line = |characters| {
            let said = line::bounded(&cause.first.message, characters);
            format!("- [{}] {}: {said} (x{})\n", source(cause.first.source), place(cause.first), cause.occurrences())
        };
        let bare = line(0).chars().count();
        if bare + MESSAGE_CHARACTERS_LEAST > room {
            break;
        }
        let line = line(SUMMARY_MESSAGE_CHARACTERS.min(room - bare));
        room -= line.chars().count();
        told += cause.all.len() as u64;
        lines.push(line);
    }
    let left = distinct.saturating_sub(told);
    let rest = if left == 0 { String::new() } else { format!("... and {left} more.\n") };
    format!("Top {} Diagnostics:\n{}{rest}", lines.len(), lines.concat())
}

/// Returns a source as seed 4 writes it in a summary.
pub(super) fn source(source: DiagnosticSource) -> &'static str {
    match source {
        DiagnosticSource::Test => "TEST",
        DiagnosticSource::Lint => "LINT",
        DiagnosticSource::Build => "BUILD",
        DiagnosticSource::Runtime => "RUNTIME",
    }
}

/// Returns the location of a diagnostic: `src/a.ts:3`, or `Global` if it names no file.
pub(super) fn place(entry: &Finding) -> String {
    match (&entry.file, entry.line()) {
        (Some(file), Some(line)) => format!("{}:{line}", cut::characters_at_end(&one_line(file), PATH_CHARACTERS)),
        (Some(file), None) => cut::characters_at_end(&one_line(file), PATH_CHARACTERS),
        (None, _) => "Global".to_owned(),
    }
}
