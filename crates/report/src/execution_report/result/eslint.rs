//! The findings of ESLint by file, in the shape of its own JSON (seed 1, `eslintResults`).

use std::collections::BTreeMap;

use referee_model::reading::{Diagnostic, EditPlace, Level, Reading};

use super::EMBEDDED;
use referee_model::number::Count;

/// Findings of ESLint in one file.
#[document(nulls)]
pub(super) struct EslintFile {
    /// Path of the file as printed, with forward slashes. Null: the findings belong to no file.
    file_path: Option<String>,
    /// Number of errors that were kept of this file, listed in `messages` or not.
    error_count: Count,
    /// Number of findings below errors that were kept of this file, listed in `messages` or not.
    warning_count: Count,
    /// Number of findings that ESLint can fix. Left out: the output format does not say which findings it can fix.
    #[serde(skip_serializing_if = "Option::is_none")]
    fixable_count: Option<Count>,
    /// True, on the last file only: not all findings were kept, of this file or of others; the counts cover those
    /// that were.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut: bool,
    /// First findings of this file, in the order of the output.
    messages: Vec<EslintMessage>,
}

#[document(nulls)]
struct EslintMessage {
    /// ESLint rule that raised the finding, such as `no-unused-vars`. Null: ESLint named none.
    rule_id: Option<String>,
    /// Severity: 2 is an error, 1 a warning.
    severity: u8,
    /// Message of the finding.
    message: String,
    /// 1-based line on which the finding starts. Null: ESLint printed none.
    line: Option<u32>,
    /// 1-based column at which the finding starts. Null: ESLint printed none.
    column: Option<u32>,
    /// Fix that ESLint would apply. Left out: none, or it does not state the fix.
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<EslintFix>,
}

#[document]
struct EslintFix {
    /// Start and end offset of the replaced text, in UTF-16 code units.
    range: [Count; 2],
    /// Text that replaces the range.
    text: String,
}

/// Format that states for each finding whether ESLint can fix it.
const SAYS_FIXABLE: &str = "json";

/// Returns the findings by file, in the order of the output; the last file is marked where not all findings were
/// kept. None: they are not ESLint's, or none was kept.
pub(super) fn results(reading: &Reading) -> Option<Vec<EslintFile>> {
    let reader = reading.reader.as_ref().filter(|reader| reader.tool == "eslint")?;
    let says_fixable = reader.format == SAYS_FIXABLE || reading.diagnostics.iter().any(|found| found.fixable);
    let mut places: BTreeMap<Option<&str>, usize> = BTreeMap::new();
    let mut files: Vec<EslintFile> = Vec::new();
    for (number, found) in reading.diagnostics.iter().enumerate() {
        let place = *places.entry(found.file.as_deref()).or_insert_with(|| {
            files.push(EslintFile {
                file_path: found.file.clone(),
                error_count: Count::default(),
                warning_count: Count::default(),
                fixable_count: says_fixable.then(Count::default),
                cut: false,
                messages: Vec::new(),
            });
            files.len() - 1
        });
        if let Some(file) = files.get_mut(place) {
            file.add(found, number < EMBEDDED);
        }
    }
    if !reading.keeps_all_findings() {
        // The kept findings are the first in the order of the output.
        files.last_mut()?.cut = true;
    }
    Some(files)
}

impl EslintFile {
    fn add(&mut self, found: &Diagnostic, is_listed: bool) {
        let one_more = |count: &mut Count| *count = (u64::from(*count) + 1).into();
        one_more(if found.level == Level::Error { &mut self.error_count } else { &mut self.warning_count });
        if let Some(fixable) = self.fixable_count.as_mut().filter(|_| found.fixable) {
            one_more(fixable);
        }
        if is_listed {
            self.messages.push(found.into());
        }
    }
}

impl From<&Diagnostic> for EslintMessage {
    fn from(found: &Diagnostic) -> Self {
        let fix = match found.edits.as_slice() {
            [edit] => match edit.place {
                EditPlace::Range { start, end } => {
                    Some(EslintFix { range: [start.into(), end.into()], text: edit.text.clone() })
                }
                EditPlace::Span { .. } => None,
            },
            _ => None,
        };
        Self {
            rule_id: found.code.clone(),
            severity: if found.level == Level::Error { 2 } else { 1 },
            message: found.message.clone(),
            line: found.line,
            column: found.column,
            fix,
        }
    }
}
