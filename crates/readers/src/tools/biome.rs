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
        LineFormat::rows(&["━━━━━━━━", "No fixes applied.", "Fixed ", "Checked ", "Formatted "], &pretty::TEXT),
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
const FOUND: &str = r"^Found (?:(?<errors>\d+) error|(?<warnings>\d+) warning|(?<infos>\d+) info)(?:s|\(s\))?\.?$";

/// `Checked 8 files in 15ms. No fixes applied.`
const CHECKED: &str = r"^(?:Checked|Formatted|Compared|Fixed) \d+ file(?:s|\(s\))? in \d[\d.]* ?[mnµμ]?s\.?(?: No fixes applied\.| Fixed \d+ files?\.)?$";

/// Levels of the marks before messages.
const MARKS: &[(&str, Level)] = &[
    ("×", Level::Error),
    ("✖", Level::Error),
    ("x", Level::Error),
    ("!", Level::Warning),
    ("⚠", Level::Warning),
    ("i", Level::Info),
    ("ℹ", Level::Info),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::claimed;

    #[test]
    fn closing_lines_are_read_in_their_forms() {
        let heading = "reporter/violations ━━━━━━━━\n\n";
        for (text, counts) in [
            ("Found 18 errors.", (18, 0, 0)),
            ("Found 1 warning.", (0, 1, 0)),
            ("Found 4 infos.", (0, 0, 4)),
            ("Found 2 error(s)", (2, 0, 0)),
            ("Found 3 errors in 2 files.", (0, 0, 0)),
        ] {
            let found = claimed(pretty::TEXT.reader(false), &format!("{heading}{text}")).unwrap().findings.counts;
            assert_eq!((found.errors, found.warnings, found.infos), counts, "{text}");
        }
        for (text, is_sure) in [
            ("Checked 8 files in 15ms. No fixes applied.", true),
            ("Checked 1 file in 1500µs. Fixed 1 file.", true),
            ("Formatted 3 files in 1.2s.", false),
            ("Checked 8 files in total", false),
        ] {
            assert_eq!(claimed(pretty::TEXT.reader(false), text).is_some(), is_sure, "{text}");
        }
    }
}
