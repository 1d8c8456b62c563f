//! Biome: `check`, `lint`, `format` and `ci`, in the default format, the concise one and the summary, and its JSON.
//!
//! A finding has a heading (`src/a.ts:1:30 lint/style/useTemplate  FIXABLE  ━━━━━━`), below it, indented, the message with a
//! mark that says how bad it is, code and advice. By default only the first twenty are shown: `Found 18 errors.` counts
//! all.

pub(crate) mod concise;
pub(crate) mod json;
pub(crate) mod pretty;

use crate::prelude::*;

/// Biome, and Rome, which it was.
pub(crate) static TOOL: Tool = Tool::new("biome", &["biome-json", "rome"], Role::Lint)
    .lines(&[
        LineFormat::rows(&[": lint/", ": format: ", ": assist/", ": parse: ", ": organizeImports: "], &concise::TEXT),
        // Below concise findings it reads only their counts, and so does not outdo them.
        LineFormat::new(
            &["━━━━━━━━", "No fixes applied.", "Fixed ", "Checked ", "Formatted "],
            |is_hinted| Box::new(pretty::Pretty::new(is_hinted)),
        ),
    ])
    .documents(&[DocumentFormat::of(json::OPENING, |stream, _| Box::new(json::Report::new(stream)))])
    .merge(merge);

/// Makes one claim. The counts below concise findings, and beside the JSON, are those of the default format, too: where
/// another format lists findings, counts alone are none.
fn merge(mut candidates: Vec<(Stream, Candidate)>) -> Option<Candidate> {
    if candidates.iter().any(|(_, candidate)| candidate.format != "text" && 0 < candidate.findings.kept.len()) {
        candidates.retain(|(_, candidate)| 0 < candidate.findings.kept.len());
    }
    candidate::gravest(candidates)
}

/// `Found 18 errors.`, and as it was until version 1.5: `Found 18 error(s)`.
static FOUND: Pattern = Pattern::new(r"^Found (?<number>\d+) (?<level>error|warning|info)(?:s|\(s\))?\.?$");

/// `Checked 8 files in 15ms. No fixes applied.`
const CHECKED: &str = r"^(?:Checked|Formatted|Compared|Fixed) \d+ file(?:s|\(s\))? in \d[\d.]* ?[mnµμ]?s\.?(?: No fixes applied\.| Fixed \d+ files?\.)?$";

static IS_CHECKED: Pattern = Pattern::new(CHECKED);

/// Returns what a line counts.
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

/// Whether a line says how many files were looked at. Only with what was fixed does nobody else say it so.
fn checked(text: &str) -> Option<bool> {
    let may_be = text.contains(" file") && text.starts_with(['C', 'F']);
    (may_be && IS_CHECKED.is_match(text)).then(|| text.ends_with("applied.") || text.contains(". Fixed "))
}

/// Returns the level that a mark says.
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
