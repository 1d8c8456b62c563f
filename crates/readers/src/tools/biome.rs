//! Biome: `check`, `lint`, `format` and `ci`, in the default, the concise and the summary format, and its JSON.
//!
//! A finding has a heading (`src/a.ts:1:30 lint/style/useTemplate  FIXABLE  ━━━━━━`) and, indented below it,
//! the message with a severity mark, code and advice. By default only the first twenty findings are shown;
//! `Found 18 errors.` counts all.

pub(crate) mod concise;
pub(crate) mod json;
pub(crate) mod pretty;

use crate::prelude::*;

/// Biome, and its predecessor Rome.
pub(crate) static TOOL: Tool = Tool::new("biome", &["biome-json", "rome"], Role::Lint)
    .lines(&[
        LineFormat::rows(&[": lint/", ": format: ", ": assist/", ": parse: ", ": organizeImports: "], &concise::TEXT),
        // Below concise findings, this reader uses only the counts, so that it does not outrank their own
        // reader.
        LineFormat::new(
            &["━━━━━━━━", "No fixes applied.", "Fixed ", "Checked ", "Formatted "],
            |is_hinted| Box::new(pretty::Pretty::new(is_hinted)),
        ),
    ])
    .documents(&[json::FORMAT])
    .merge(merge);

/// Merges the candidates. The counts below concise findings and beside the JSON also look like the default
/// format; if another format lists findings, candidates with only counts are dropped.
fn merge(mut candidates: Vec<(Stream, Candidate)>) -> Option<Candidate> {
    if candidates.iter().any(|(_, candidate)| candidate.format != "text" && 0 < candidate.findings.kept.len()) {
        candidates.retain(|(_, candidate)| 0 < candidate.findings.kept.len());
    }
    candidate::most_severe(candidates)
}

/// `Found 18 errors.`, and until version 1.5 `Found 18 error(s)`.
static FOUND: Pattern = Pattern::new(r"^Found (?<number>\d+) (?<level>error|warning|info)(?:s|\(s\))?\.?$");

/// `Checked 8 files in 15ms. No fixes applied.`
const CHECKED: &str = r"^(?:Checked|Formatted|Compared|Fixed) \d+ file(?:s|\(s\))? in \d[\d.]* ?[mnµμ]?s\.?(?: No fixes applied\.| Fixed \d+ files?\.)?$";

static IS_CHECKED: Pattern = Pattern::new(CHECKED);

/// Parses a line that counts findings.
fn found(text: &str) -> Option<Sum> {
    if !text.starts_with("Found ") {
        return None;
    }
    let captures = FOUND.find(text)?;
    let number = captures.count("number")?;
    Some(match captures.text("level") {
        "error" => Sum::errors(number),
        "warning" => Sum::warnings(number),
        _ => Sum::infos(number),
    })
}

/// Returns `Some` if a line gives the number of checked files. The value is true if it also says what was
/// fixed, which no other tool prints.
fn checked(text: &str) -> Option<bool> {
    let may_be = text.contains(" file") && text.starts_with(['C', 'F']);
    (may_be && IS_CHECKED.is_match(text)).then(|| text.ends_with("applied.") || text.contains(". Fixed "))
}

/// Returns the level for a mark.
fn marked(mark: char) -> Option<Level> {
    match mark {
        '×' | '✖' | 'x' => Some(Level::Error),
        '!' | '⚠' => Some(Level::Warning),
        'i' | 'ℹ' => Some(Level::Info),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_are_read_in_their_forms() {
        assert_eq!(found("Found 18 errors."), Some(Sum::errors(18)));
        assert_eq!(found("Found 1 warning."), Some(Sum::warnings(1)));
        assert_eq!(found("Found 4 infos."), Some(Sum::infos(4)));
        assert_eq!(found("Found 2 error(s)"), Some(Sum::errors(2)));
        assert_eq!(found("Found 3 errors in 2 files."), None);
        assert_eq!(checked("Checked 8 files in 15ms. No fixes applied."), Some(true));
        assert_eq!(checked("Checked 1 file in 1500µs. Fixed 1 file."), Some(true));
        assert_eq!(checked("Formatted 3 files in 1.2s."), Some(false));
        assert_eq!(checked("Checked 8 files in total"), None);
    }
}
